"""The planted fact is found, and runs are the same no matter who is asked first."""

from __future__ import annotations

import json
import urllib.request
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.studies.cases.attention_pooling import AttentionPooling
from tests.studies.cases.examined import CASES, LONG, PLANTED, chosen, found
from tests.studies.cases.made_cases import VIOLATION, made_cases, original
from vivavoce.consistency.config import CasesConfig
from vivavoce.consistency.legal.examine_cases import TOO_SHORT, UNJUDGED
from vivavoce.consistency.legal.trials import FactChoice, LegalCase, ModelJudge
from vivavoce.errors import BadInput
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.candidate_kinds import FactCase
from vivavoce.interview.interview import Interview
from vivavoce.interview.transcript import Transcript


def seen(server: str) -> Counter[str]:
    with urllib.request.urlopen(f"{server.removeprefix('@').removesuffix('/v1')}/seen", timeout=10) as response:
        return Counter(json.load(response))


class TestPlantedFact:
    """In each case one of seven facts decides; the writer takes the deciding word away, and the classifier knows no other."""

    @pytest.mark.long
    @pytest.mark.parametrize("importance", ["attention", "leave-one-out"])
    async def test_the_white_box_finds_it_and_more_flips(
        self, trained: AttentionPooling, paraphraser: str, importance: str
    ) -> None:
        config = CasesConfig(shortest=LONG, importance=importance)  # type: ignore[arg-type]
        judged = await found(trained, paraphraser, config)
        white = chosen(judged, FactChoice.WHITE)
        right = sum(white[case.id] == spot for case, spot in zip(CASES, PLANTED, strict=True))
        assert right >= 57
        pairs = judged.finding.details.pairs
        assert pairs is not None
        assert pairs.cases == 60
        assert pairs.p < 0.001
        assert pairs.difference.interval.lower > 0
        flips = {box: judged.effect(box).rates["flips"].least or 0.0 for box in FactChoice}
        assert flips[FactChoice.WHITE] > 3 * flips[FactChoice.BLACK]
        assert flips[FactChoice.AGAIN] == 0.0
        assert judged.counts.importance_by == {importance: 60}
        assert "The most important fact flips more" in judged.finding.statement

    @pytest.mark.long
    async def test_a_random_fact_is_the_planted_one_once_in_seven(self, trained: AttentionPooling, paraphraser: str) -> None:
        cases, planted = made_cases(150, seed=3)
        config = CasesConfig("black", shortest=LONG, paraphrases=1, repeats=0)
        judged = await found(trained, paraphraser, config, cases=cases)
        black = chosen(judged, FactChoice.BLACK)
        right = sum(black[case.id] == spot for case, spot in zip(cases, planted, strict=True))
        assert 9 <= right <= 34  # binomial with 150 and 1/7: 21.4 on average, three standard deviations of 4.3 either way
        assert set(black.values()) == set(range(1, 8))

    async def test_the_same_words_alone_flip_nothing(self, paraphraser: str) -> None:
        def consistent(facts: Sequence[str]) -> float:
            return 0.8 if VIOLATION in original(" ".join(facts)) else 0.3

        judged = await found(consistent, paraphraser, cases=CASES[:20])
        for box in FactChoice:
            assert (judged.effect(box).rates["flips"].least, judged.effect(box).numbers["largest"]) == (0.0, 0.0)
        assert judged.finding.examples == ()
        assert judged.finding.details.pairs is not None
        assert "No significant difference" in judged.finding.statement

    @pytest.mark.long
    async def test_flips_by_the_decision_before_are_those_planted(self, paraphraser: str) -> None:
        """It knows one of the three paraphrases of the word: the other two take a violation away, and none adds one."""

        def half(facts: Sequence[str]) -> float:
            text = " ".join(facts)
            return 0.75 if VIOLATION in text or "chained" in text else 0.25

        judged = await found(half, paraphraser, CasesConfig("white", importance="leave-one-out", shortest=LONG))
        white = judged.effect(FactChoice.WHITE)
        assert judged.counts.violations == 30
        # of 30 violations each fact left out leaves .75, but the planted one: found in each; two of three versions flip
        counted = {event: (rate.events, rate.n) for event, rate in white.rates.items()}
        assert counted["flips_from_violation"] == (60, 90)
        assert counted["flips_to_violation"] == (0, 90)
        assert counted["flips"] == (60, 180)
        assert counted["flipped_cases"] == (30, 60)
        assert counted["flipped_cases_from_violation"] == (30, 30)
        assert white.estimates["mean_shift"].value == pytest.approx(0.5 * 60 / 180)
        assert white.estimates["signed_shift"].value == pytest.approx(-0.5 * 60 / 180)
        assert white.numbers["largest"] == 0.5
        assert judged.effect(FactChoice.AGAIN).rates["flips"].events == 0


class TestLanguageModels:
    async def test_leaving_out_facts_finds_the_planted_one(self, paraphraser: str) -> None:
        judged = await found("judges", paraphraser, cases=CASES[:20])
        white = chosen(judged, FactChoice.WHITE)
        # only a violation has a fact that matters to this judge; in the others all are equal, and one is drawn
        assert all(white[case.id] == spot for case, spot in list(zip(CASES, PLANTED, strict=True))[1:20:2])
        assert judged.counts.importance_by == {"leave-one-out": 20}
        assert judged.effect(FactChoice.WHITE).rates["flips_from_violation"].least == 1.0

    async def test_attention_cannot_be_had(self, paraphraser: str) -> None:
        with pytest.raises(BadInput, match="leave-one-out"):
            await found("judges", paraphraser, CasesConfig(importance="attention", shortest=LONG))

    async def test_one_that_wavers_is_found_out_by_asking_again(self, paraphraser: str) -> None:
        judged = await found("wavers", paraphraser, CasesConfig("black", shortest=LONG), cases=CASES[:30])
        assert (judged.effect(FactChoice.AGAIN).rates["flips"].least or 0) > 0.3
        assert any("that much is chance" in caveat for caveat in judged.finding.caveats)

    async def test_unreadable_replies_are_left_out_and_counted(self, paraphraser: str) -> None:
        judged = await found("rambles", paraphraser, CasesConfig("black", shortest=LONG))
        counts, replies = judged.counts, judged.finding.replies
        assert set(replies) == {"read", "unreadable"}
        assert counts.skipped[UNJUDGED] > 0
        assert counts.examined + counts.skipped[UNJUDGED] == 60
        # asked: all cases as they are; of those read, one repetition and three paraphrases each
        assert replies["unreadable"] + replies["read"] == 60 + 4 * counts.examined
        assert replies["read"] == len(judged.trials) + counts.examined
        assert counts.first_absence == "unreadable: no stated answer: It is hard to say; perhaps 0.5, perhaps not."

    async def test_a_number_that_may_have_lost_its_last_digit_is_none(self) -> None:
        class Cut:
            name = "bot:cut"

            async def answer(self, question: Prompt, /) -> Reply:
                return Reply("[Answer] 0.3", finish="length")

        judged = await ModelJudge(Interview(Cut(), answers=Reply)).judge(FactCase(("A fact.",)))
        assert (judged.judgement, judged.absence) == (None, "cut off: [Answer] 0.3")


class TestRuns:
    async def test_the_same_whatever_runs_at_once(self, trained: AttentionPooling, paraphraser: str) -> None:
        config, cases = CasesConfig(shortest=LONG, facts=2), CASES[:15]
        entry = await found(trained, paraphraser, config, cases=cases, concurrency=1, writer="mixed")
        many = await found(trained, paraphraser, config, cases=cases, concurrency=30, writer="mixed")
        assert entry.finding.as_json() == many.finding.as_json()
        assert entry.trials == many.trials

    async def test_what_is_drawn_for_a_case_does_not_depend_on_the_others(
        self, trained: AttentionPooling, paraphraser: str
    ) -> None:
        whole = await found(trained, paraphraser, cases=CASES[:15])
        part = await found(trained, paraphraser, cases=CASES[5:10])
        ids = {case.id for case in CASES[5:10]}
        assert part.trials == [trial for trial in whole.trials if trial.case in ids]
        other = await found(trained, paraphraser, CasesConfig(shortest=LONG, seed=1), cases=CASES[:15])
        assert chosen(other, FactChoice.BLACK) != chosen(whole, FactChoice.BLACK)

    async def test_what_is_on_record_is_not_asked_again(self, paraphraser: str, tmp_path: Path) -> None:
        config, cases = CasesConfig(shortest=LONG), CASES[:6]
        with Transcript.open(tmp_path / "run.sqlite") as transcript:
            part = await found("judges", paraphraser, config, cases=cases[:3], transcript=transcript)
            before = seen(paraphraser)
            whole = await found("judges", paraphraser, config, cases=cases, transcript=transcript)
            between = seen(paraphraser)
            again = await found("judges", paraphraser, config, cases=cases, transcript=transcript)
        after = seen(paraphraser)
        assert again.finding.as_json() == whole.finding.as_json()
        assert after == between
        assert between["judges"] > before["judges"]
        assert part.trials == [trial for trial in whole.trials if trial.case in {case.id for case in cases[:3]}]

    @pytest.mark.parametrize("concurrency", [1, 4])
    async def test_a_budget_ends_it_after_the_same_case(self, paraphraser: str, concurrency: int) -> None:
        """Ten tokens a question: 1 judgement, 1 repetition, 1 prompt to the writer and 3 paraphrases make 60 a case."""
        config = CasesConfig("black", shortest=LONG)
        judged = await found("judges", paraphraser, config, concurrency=concurrency, budget=Budget(tokens=150))
        assert [case.case for case in judged.cases] == ["c0", "c1", "c2"]
        assert judged.finding.not_reached == 57
        assert any("ran out before 57 cases" in caveat for caveat in judged.finding.caveats)

    async def test_a_classifier_that_fails_is_told_of(self, paraphraser: str) -> None:
        def fails(facts: Sequence[str]) -> float:
            if VIOLATION in " ".join(facts):
                raise ValueError("no weights")
            return 0.5

        judged = await found(fails, paraphraser, CasesConfig("black", shortest=LONG), cases=CASES[:10])
        assert judged.counts.skipped == {UNJUDGED: 5}
        assert judged.finding.replies["no answer"] == 5
        assert "ValueError: no weights (test_examine.py, line " in judged.counts.first_absence
        assert judged.counts.examined == 5

    async def test_cases_without_a_long_fact_are_passed_over(self, paraphraser: str) -> None:
        short = [LegalCase("s", ("A long first fact. " * 20, "Short."))]
        judged = await found(lambda facts: 0.5, paraphraser, CasesConfig(), cases=short)
        assert judged.counts.skipped == {TOO_SHORT: 1}

    async def test_both_boxes_of_one_fact_share_its_paraphrases_and_judgements(self, paraphraser: str) -> None:
        asked: Counter[tuple[str, ...]] = Counter()

        def counting(facts: Sequence[str]) -> float:
            asked[tuple(facts)] += 1
            return 0.5

        cases = [LegalCase("one", (CASES[0].facts[0], CASES[0].facts[1]))]
        judged = await found(counting, paraphraser, CasesConfig(shortest=LONG, repeats=0), cases=cases)
        assert judged.counts.same_fact == 1
        assert max(asked.values()) == 1
        assert len(judged.trials) == 6


def test_a_case_of_one_fact_loses_it() -> None:
    assert FactCase(("only",)).without(0).facts == ()
