from __future__ import annotations

import json
import urllib.request
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.consistency.legal.cases.attention_pooling import AttentionPooling
from tests.consistency.legal.cases.made_cases import VIOLATION, made_cases, original, reworded
from vivavoce.candidates import close_candidate, open_candidate
from vivavoce.candidates.classifiers import FunctionClassifier
from vivavoce.consistency.legal.cases.examine import TOO_SHORT, UNJUDGED, Bench, SetUp, examine_cases
from vivavoce.consistency.legal.cases.finding import CaseConsistency
from vivavoce.consistency.legal.cases.judges import ClassifierJudge, ModelJudge
from vivavoce.consistency.legal.cases.paraphrasing import DIFFERENT, NO_ANSWER, Prepared, Writer
from vivavoce.consistency.legal.cases.reading import EMPTY, IDENTICAL, REFUSED, TOO_LONG, UNFORMED
from vivavoce.consistency.legal.cases.trials import Box, LegalCase, Paraphrase
from vivavoce.errors import BadInput
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import Reply
from vivavoce.interview.classifier import Case, Judgement
from vivavoce.interview.interview import Interview
from vivavoce.interview.transcript import Transcript

CASES, PLANTED = made_cases(60, seed=2)
LONG = 85
"""All made facts are longer."""


async def found(
    judge: str | Callable[[Sequence[str]], float] | AttentionPooling,
    writer: str,
    server: str,
    setup: SetUp,
    *,
    cases: Sequence[LegalCase] = CASES,
    checker: str = "",
    transcript: Transcript | None = None,
    at_once: int = 8,
    budget: Budget = Budget(),  # noqa: B008
) -> CaseConsistency:
    """The finding; judge, writer and checker are models of the server, or a function."""
    candidates = [open_candidate(f"chat:{name}{server}") for name in (writer, checker) if name]
    texts = [Interview(one, answers=Reply, transcript=transcript) for one in candidates]
    if isinstance(judge, str):
        candidates.append(open_candidate(f"chat:{judge}{server}"))
        by: ModelJudge | ClassifierJudge = ModelJudge(Interview(candidates[-1], answers=Reply, transcript=transcript))
    else:
        if isinstance(judge, AttentionPooling):
            classifier = FunctionClassifier("function:trained", judge.probability, judge.importance)
        else:
            classifier = FunctionClassifier("function:test", judge)
        by = ClassifierJudge(Interview(classifier, answers=Judgement, transcript=transcript))
    try:
        bench = Bench(by, Writer(*texts), source="made cases", at_once=at_once, budget=budget)
        return await examine_cases(bench, cases, setup)
    finally:
        for candidate in candidates:
            await close_candidate(candidate)


def seen(server: str) -> Counter[str]:
    with urllib.request.urlopen(f"{server.removeprefix('@').removesuffix('/v1')}/seen", timeout=10) as response:
        return Counter(json.load(response))


def chosen(finding: CaseConsistency, box: Box) -> dict[str, int]:
    """The fact that was put in other words, by case."""
    return {trial.case: trial.number for trial in finding.trials if trial.box is box}


class TestPlantedFact:
    """In each case one of seven facts decides; the writer takes the deciding word away, and the classifier knows no other."""

    @pytest.mark.parametrize("importance", ["attention", "leave-one-out"])
    async def test_the_white_box_finds_it_and_more_flips(
        self, trained: AttentionPooling, paraphraser: str, importance: str
    ) -> None:
        setup = SetUp(shortest=LONG, importance=importance)  # type: ignore[arg-type]
        finding = await found(trained, "substitutes", paraphraser, setup)
        white = chosen(finding, Box.WHITE)
        right = sum(white[case.id] == spot for case, spot in zip(CASES, PLANTED, strict=True))
        assert right >= 57
        pairs = finding.counts.pairs
        assert pairs is not None
        assert pairs.cases == 60
        assert pairs.p < 0.001
        assert pairs.difference.interval.lower > 0
        rows = {row.box: row for row in finding.counts.rows}
        assert (rows[Box.WHITE].flips.value or 0) > 3 * (rows[Box.BLACK].flips.value or 0)
        assert rows[Box.AGAIN].flips.value == 0.0
        assert finding.counts.judged_by == {importance: 60}
        assert "the most important fact flips more" in finding.statement

    async def test_a_random_fact_is_the_planted_one_once_in_seven(self, trained: AttentionPooling, paraphraser: str) -> None:
        cases, planted = made_cases(300, seed=3)
        finding = await found(trained, "substitutes", paraphraser, SetUp((Box.BLACK,), shortest=LONG), cases=cases)
        black = chosen(finding, Box.BLACK)
        right = sum(black[case.id] == spot for case, spot in zip(cases, planted, strict=True))
        assert 25 <= right <= 63  # binomial with 300 and 1/7: 43 on average, three standard deviations of 6.1 either way
        assert set(black.values()) == set(range(1, 8))

    async def test_the_same_words_alone_flip_nothing(self, paraphraser: str) -> None:
        def consistent(facts: Sequence[str]) -> float:
            return 0.8 if VIOLATION in original(" ".join(facts)) else 0.3

        finding = await found(consistent, "substitutes", paraphraser, SetUp(shortest=LONG))
        for row in finding.counts.rows:
            assert (row.flips.value, row.largest) == (0.0, 0.0)
        assert finding.worst == ()
        assert finding.counts.pairs is not None
        assert "no difference beyond chance" in finding.comparison

    async def test_flips_by_the_decision_before_are_those_planted(self, paraphraser: str) -> None:
        """It knows one of the three paraphrases of the word: the other two take a violation away, and none adds one."""

        def half(facts: Sequence[str]) -> float:
            text = " ".join(facts)
            return 0.75 if VIOLATION in text or "chained" in text else 0.25

        finding = await found(half, "substitutes", paraphraser, SetUp((Box.WHITE,), importance="leave-one-out", shortest=LONG))
        (white, again) = finding.counts.rows
        violations = finding.counts.violations
        assert violations == 30
        # of 30 violations each fact left out leaves .75, but the planted one: found in each; two of three versions flip
        assert (white.from_violation.value, white.from_violation.n) == (2 / 3, 90)
        assert (white.to_violation.value, white.to_violation.n) == (0.0, 90)
        assert white.flips.value == 60 / 180
        assert white.flipped_cases.value == 30 / 60
        assert white.mean_shift.value == pytest.approx(0.5 * 60 / 180)
        assert white.signed_shift.value == pytest.approx(-0.5 * 60 / 180)
        assert white.largest == 0.5
        assert again.flips.value == 0.0


class TestWriters:
    @pytest.mark.parametrize(
        ("writer", "problem"),
        [
            ("refuses", REFUSED),
            ("filtered", REFUSED),
            ("copies", IDENTICAL),
            ("unformed", UNFORMED),
            ("empties", EMPTY),
            ("floods", TOO_LONG),
        ],
    )
    async def test_what_cannot_be_used_is_counted_with_its_reason(self, paraphraser: str, writer: str, problem: str) -> None:
        finding = await found(lambda facts: 0.5, writer, paraphraser, SetUp((Box.BLACK,), shortest=LONG), cases=CASES[:5])
        assert finding.counts.problems == {problem: 15}
        assert finding.counts.paraphrases == 0
        assert finding.counts.row(Box.BLACK).flips.value is None  # type: ignore[union-attr]
        assert finding.headline.startswith("Nothing was compared")

    async def test_a_writer_that_gives_no_answer_to_some_facts(self, paraphraser: str) -> None:
        finding = await found(lambda facts: 0.5, "moody", paraphraser, SetUp((Box.BLACK,), shortest=LONG))
        lost = finding.counts.problems[NO_ANSWER]
        assert set(finding.counts.problems) == {NO_ANSWER}
        assert lost % 3 == 0
        assert 0 < lost < 180 == lost + finding.counts.paraphrases

    async def test_faults_by_turns_are_told_apart(self, paraphraser: str) -> None:
        """The server commits a fault by the day of the fact, modulo 5; the facts chosen are the same with a good writer."""
        setup = SetUp((Box.BLACK,), shortest=LONG, facts=3)
        good = await found(lambda facts: 0.5, "substitutes", paraphraser, setup)
        mixed = await found(lambda facts: 0.5, "mixed", paraphraser, setup)
        facts = dict.fromkeys((trial.case, trial.fact) for trial in good.trials if trial.box is Box.BLACK)
        faults = Counter(int(fact.split(" May")[0].split(" June")[0].split(" July")[0].split(" August")[0].split()[-1]) % 5
                         for _, fact in facts)  # fmt: skip
        assert len(facts) == 180
        assert mixed.counts.paraphrases == 3 * faults[0]
        assert mixed.counts.problems == {
            REFUSED: 3 * faults[1],
            IDENTICAL: 3 * faults[2],
            UNFORMED: 3 * faults[3],
            EMPTY: 3 * faults[4],
        }

    async def test_a_checker_rejects_what_says_something_else(self, paraphraser: str) -> None:
        setup = SetUp((Box.BLACK,), shortest=LONG)
        unchecked = await found(lambda facts: 0.5, "careless", paraphraser, setup, cases=CASES[:10])
        checked = await found(lambda facts: 0.5, "careless", paraphraser, setup, cases=CASES[:10], checker="compares")
        assert (unchecked.counts.paraphrases, unchecked.counts.checked) == (30, 0)
        assert (checked.counts.paraphrases, checked.counts.checked) == (20, 20)
        assert checked.counts.problems == {DIFFERENT: 10}
        assert "Nobody else checked them." in unchecked.caveats[0]
        assert "Nobody" not in checked.caveats[0]

    async def test_prepared_paraphrases_come_first_and_rejected_ones_are_not_used(self) -> None:
        fact = CASES[0].facts[3]
        known = [Paraphrase(fact, "no", "too free"), Paraphrase(fact, reworded(fact), checked=True)]
        written = await Prepared({fact: known}, "file").paraphrases(fact, 3)
        assert [(one.text, one.problem) for one in written.paraphrases] == [
            (reworded(fact), ""),
            ("no", "too free"),
            ("", "not in the file"),
        ]


class TestLanguageModels:
    async def test_leaving_out_facts_finds_the_planted_one(self, paraphraser: str) -> None:
        finding = await found("judges", "substitutes", paraphraser, SetUp(shortest=LONG), cases=CASES[:20])
        white = chosen(finding, Box.WHITE)
        # only a violation has a fact that matters to this judge; in the others all are equal, and one is drawn
        assert all(white[case.id] == spot for case, spot in list(zip(CASES, PLANTED, strict=True))[1:20:2])
        assert finding.counts.judged_by == {"leave-one-out": 20}
        assert finding.counts.row(Box.WHITE).from_violation.value == 1.0  # type: ignore[union-attr]

    async def test_attention_cannot_be_had(self, paraphraser: str) -> None:
        with pytest.raises(BadInput, match="leave-one-out"):
            await found("judges", "substitutes", paraphraser, SetUp(importance="attention", shortest=LONG))

    async def test_one_that_wavers_is_found_out_by_asking_again(self, paraphraser: str) -> None:
        finding = await found("wavers", "substitutes", paraphraser, SetUp((Box.BLACK,), shortest=LONG))
        again = finding.counts.row(Box.AGAIN)
        assert again is not None
        assert (again.flips.value or 0) > 0.3
        assert any("so much is chance" in caveat for caveat in finding.caveats)

    async def test_unreadable_replies_are_left_out_and_counted(self, paraphraser: str) -> None:
        finding = await found("rambles", "substitutes", paraphraser, SetUp((Box.BLACK,), shortest=LONG))
        counts = finding.counts
        assert set(counts.absences) == {"unreadable"}
        assert counts.skipped[UNJUDGED] > 0
        assert counts.examined + counts.skipped[UNJUDGED] == 60
        # asked: all cases as they are; of those read, one repetition and three paraphrases each
        assert (
            counts.absences["unreadable"] + sum(row.trials for row in counts.rows) + counts.examined == 60 + 4 * counts.examined
        )
        assert counts.first_absence == "unreadable: It is hard to say; perhaps 0.5, perhaps not."


class TestRuns:
    async def test_the_same_whatever_runs_at_once(self, trained: AttentionPooling, paraphraser: str) -> None:
        one = await found(trained, "mixed", paraphraser, SetUp(shortest=LONG, facts=2), at_once=1)
        many = await found(trained, "mixed", paraphraser, SetUp(shortest=LONG, facts=2), at_once=30)
        assert one.as_json() == many.as_json()
        assert one.trials == many.trials

    async def test_what_is_drawn_for_a_case_does_not_depend_on_the_others(
        self, trained: AttentionPooling, paraphraser: str
    ) -> None:
        whole = await found(trained, "substitutes", paraphraser, SetUp(shortest=LONG))
        part = await found(trained, "substitutes", paraphraser, SetUp(shortest=LONG), cases=CASES[20:25])
        ids = {case.id for case in CASES[20:25]}
        assert part.trials == tuple(trial for trial in whole.trials if trial.case in ids)
        other = await found(trained, "substitutes", paraphraser, SetUp(shortest=LONG, seed=1))
        assert chosen(other, Box.BLACK) != chosen(whole, Box.BLACK)

    async def test_what_is_on_record_is_not_asked_again(self, paraphraser: str, tmp_path: Path) -> None:
        setup, cases = SetUp(shortest=LONG), CASES[:6]
        with Transcript.open(tmp_path / "run.sqlite") as transcript:
            part = await found("judges", "substitutes", paraphraser, setup, cases=cases[:3], transcript=transcript)
            before = seen(paraphraser)
            whole = await found("judges", "substitutes", paraphraser, setup, cases=cases, transcript=transcript)
            between = seen(paraphraser)
            again = await found("judges", "substitutes", paraphraser, setup, cases=cases, transcript=transcript)
        after = seen(paraphraser)
        assert again.as_json() == whole.as_json()
        assert after == between
        assert between["judges"] > before["judges"]
        assert part.trials == tuple(trial for trial in whole.trials if trial.case in {case.id for case in cases[:3]})

    @pytest.mark.parametrize("at_once", [1, 4])
    async def test_a_budget_ends_it_after_the_same_case(self, paraphraser: str, at_once: int) -> None:
        """Ten tokens a question: 1 judgement, 1 repetition, 1 prompt to the writer and 3 paraphrases make 60 a case."""
        setup = SetUp((Box.BLACK,), shortest=LONG)
        finding = await found("judges", "substitutes", paraphraser, setup, at_once=at_once, budget=Budget(tokens=150))
        assert [one.case for one in finding.examined] == ["c0", "c1", "c2"]
        assert finding.exhausted == "tokens"
        assert "3 of 60 cases" in finding.caveats[0]

    async def test_a_classifier_that_fails_is_told_of(self, paraphraser: str) -> None:
        def fails(facts: Sequence[str]) -> float:
            if VIOLATION in " ".join(facts):
                raise ValueError("no weights")
            return 0.5

        finding = await found(fails, "substitutes", paraphraser, SetUp((Box.BLACK,), shortest=LONG), cases=CASES[:10])
        assert finding.counts.skipped == {UNJUDGED: 5}
        assert finding.counts.absences == {"no answer": 5}
        assert finding.counts.first_absence.endswith("ValueError: no weights")
        assert finding.counts.examined == 5

    async def test_cases_without_a_long_fact_are_passed_over(self, paraphraser: str) -> None:
        short = [LegalCase("s", ("A long first fact. " * 20, "Short."))]
        finding = await found(lambda facts: 0.5, "substitutes", paraphraser, SetUp(), cases=short)
        assert finding.counts.skipped == {TOO_SHORT: 1}
        kept = await found(lambda facts: 0.5, "substitutes", paraphraser, SetUp(skip_first=False), cases=short)
        assert kept.counts.skipped == {}

    async def test_both_boxes_of_one_fact_share_its_paraphrases_and_judgements(self, paraphraser: str) -> None:
        asked: Counter[tuple[str, ...]] = Counter()

        def counting(facts: Sequence[str]) -> float:
            asked[tuple(facts)] += 1
            return 0.5

        one = [LegalCase("one", (CASES[0].facts[0], CASES[0].facts[1]))]
        finding = await found(counting, "substitutes", paraphraser, SetUp(shortest=LONG, repeats=0), cases=one)
        assert finding.counts.same_fact == 1
        assert max(asked.values()) == 1
        assert sum(row.trials for row in finding.counts.rows) == 6


@pytest.mark.parametrize(
    "wrong",
    [{"boxes": ()}, {"boxes": (Box.AGAIN,)}, {"paraphrases": 0}, {"facts": 0}, {"shortest": -1}, {"threshold": 1.0}],
)
def test_an_impossible_set_up_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(BadInput):
        SetUp(**wrong)  # type: ignore[arg-type]


def test_a_case_of_one_fact_loses_it() -> None:
    assert Case(("only",)).without(0).facts == ()
