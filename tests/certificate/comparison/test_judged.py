"""Comparisons and gates in which a judge grades: blind, in drawn order, on record, and counted apart from the candidates."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.certificate.candidates import ByBatch, Expert, interview, scope
from tests.certificate.graders.graded import RIGHT, PointsJudge, essays, judge
from vivavoce.certificate.comparison.compare import compare
from vivavoce.certificate.comparison.config import ComparisonConfig, GateConfig
from vivavoce.certificate.comparison.drawing import OneByOne
from vivavoce.certificate.comparison.evidence import PairedEvidence
from vivavoce.certificate.comparison.finding import Comparison
from vivavoce.certificate.comparison.gate import gate
from vivavoce.errors import BadInput, OtherTerms
from vivavoce.interview.budget import Budget, SharedBudget
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.results import ResultRows
from vivavoce.interview.transcript import Transcript
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question

CONFIG = ComparisonConfig(seed=0)


def minds(*scores: float, **more: Any) -> list[Expert]:
    return [Expert(score, f"test:secret-name-{n}", salt=f"{n}", **more) for n, score in enumerate(scores)]


async def compared(*candidates: Any, by: Any, config: ComparisonConfig = CONFIG, size: int = 300, **more: Any) -> Comparison:
    return await compare([interview(candidate) for candidate in candidates], essays(size), config, judge=judge(by, **more))


def told(finding: Any) -> dict[str, Any]:
    return dict(finding.as_json())


@dataclass
class Erratic(PointsJudge):
    """Judges as `PointsJudge`, but cannot be read about every third question, or about one candidate's wrong answers alone."""

    of_wrong_answers: bool = False

    async def answer(self, prompt: Prompt, /) -> Reply:
        reply = await super().answer(prompt)
        lost = f"\n{RIGHT}\n" not in prompt.text if self.of_wrong_answers else int(prompt.id.partition(".")[0]) % 3 == 0
        return replace(reply, text="I would rather not say.") if lost else reply


async def test_the_finding_says_as_judged_by_whom_and_what_the_judge_did() -> None:
    good, poor = minds(0.9, 0.5)
    comparison = await compared(good, poor, by=PointsJudge())
    assert comparison.verdict == "better"
    assert "is better than secret-name-1 on essays (as judged by test:points): the difference" in comparison.headline
    assert comparison.grading is not None
    assert (comparison.grading.judge, comparison.grading.by_rule) == ("test:points", 0)
    assert comparison.grading.judgements == comparison.grading.by_judge == 2 * comparison.questions
    assert comparison.caveats[0].startswith("A judge graded the answers, and no one graded the judge")
    assert told(comparison)["figures"]["grading"]["graded_by_judge"] == 2 * comparison.questions
    assert '"judge": "test:points"' in comparison.signature.line
    shown = str(comparison.report())
    assert "Who graded" in shown
    assert "The judge was shown no candidate's name" in shown


async def test_a_gate_passes_and_fails_as_judged() -> None:
    good, poor = minds(0.9, 0.4)
    for pair, verdict in (((good, poor), "pass"), ((poor, good), "fail")):
        finding = await gate([interview(knows) for knows in pair], essays(300), GateConfig(seed=0), judge=judge(PointsJudge()))
        assert finding.verdict == verdict
        assert "on essays (as judged by test:points)" in finding.headline
        assert told(finding)["figures"]["grading"]["judge"] == "test:points"
        assert finding.caveats[0].startswith("A judge graded the answers")


async def test_the_judge_cannot_tell_whose_an_answer_is() -> None:
    """It sees no name, and the same prompts in the same order whoever is named first and whoever is slow."""
    seen = []
    first, second = minds(0.8, 0.5)
    slow = replace(first, seconds_when_right=0.002)
    for pair in ((first, second), (second, first), (slow, second)):
        points = PointsJudge()
        candidates, by = [interview(knows) for knows in pair], judge(points, concurrency=1)
        await compare(candidates, essays(60), replace(CONFIG, questions=20), judge=by)
        seen.append([prompt.text for prompt in points.prompts])
    assert all("secret-name" not in text for text in seen[0])
    shortest = min(map(len, seen))
    assert shortest >= 20
    assert seen[0][:shortest] == seen[1][:shortest] == seen[2][:shortest]


async def test_equal_answers_have_one_judgement_and_are_paid_for_once() -> None:
    points = PointsJudge()
    first, second = Expert(0.7, "test:a"), Expert(0.7, "test:b")  # word for word alike
    comparison = await compared(first, second, by=points, size=40, config=replace(CONFIG, margin=0.0))
    assert (comparison.verdict, comparison.complete) == ("equivalent", True)
    assert len(points.prompts) == 40
    assert comparison.grading is not None
    assert comparison.grading.judge_spending.tokens == 40 * 100
    assert comparison.grading.judge_spending.money == pytest.approx(40 * 0.01)
    assert comparison.grading.by_judge == 80


@pytest.mark.parametrize("examination", [gate, compare])
async def test_another_margin_sends_nothing_while_answers_and_judgements_are_on_record(examination: Any) -> None:
    good, poor = minds(0.9, 0.4)
    points, settings = PointsJudge(), GateConfig if examination is gate else ComparisonConfig
    with Transcript.open(None) as transcript:
        asked = []
        for margin in (0.02, 0.05, 0.1):
            both = [interview(knows, transcript=transcript) for knows in (good, poor)]
            by = judge(points, transcript=transcript)
            await examination(both, essays(300), settings(margin=margin, seed=0), judge=by)
            asked.append((len(points.prompts), transcript.head.count))
        assert asked[0][0] == asked[1][0] == asked[2][0]
        assert asked[2][1] - asked[0][1] == 2  # the outcomes of two more claims


@pytest.mark.long
@pytest.mark.parametrize("of_wrong_answers", [False, True])
async def test_an_unreadable_judgement_is_an_interval_and_the_judges(of_wrong_answers: bool) -> None:
    """The evidence is that of [0, 1] for such answers, fed by hand; no reply of a candidate counts as unreadable."""
    candidates = minds(0.9, 0.3)
    comparison = await compared(*candidates, by=Erratic("10", "0", of_wrong_answers=of_wrong_answers))
    asked = essays(300)
    order = [unit[0] for unit in asked.draw(np.random.default_rng(0))]
    evidence = PairedEvidence([(0, 1)], margin=0.02, delta=comparison.delta, means=OneByOne(300).aimed(0.02))
    lost = [0, 0]
    for question in order[: comparison.questions]:
        right = np.array([knows.right(asked.prompt(question)) for knows in candidates])
        unread = ~right if of_wrong_answers else np.full(2, int(question.id.partition(".")[0]) % 3 == 0)
        evidence.take(np.where(unread, 0.0, right), np.where(unread, 1.0, right))
        lost = [number + int(entry) for number, entry in zip(lost, unread, strict=True)]
    assert comparison.pairs[0].log_e == pytest.approx(tuple(evidence.log_e[0]))
    assert [candidate.unreadable for candidate in comparison.candidates] == [0, 0]
    assert [candidate.unread_judgements for candidate in comparison.candidates] == lost
    assert comparison.grading is not None
    assert comparison.grading.unreadable == sum(lost) > 0
    sentence = f"{sum(lost)} of {2 * comparison.questions} judgements could not be read or did not come"
    assert any(caveat.startswith(sentence) for caveat in comparison.caveats)
    assert "Judgements that could not be read" in str(comparison.report())
    assert [entry["unread_judgements"] for entry in told(comparison)["figures"]["candidates"]] == lost


async def test_unreadable_judgements_of_wrong_answers_alone_give_no_verdict_against_their_author() -> None:
    """Were they left out, all that is left of the poor one would be right."""
    good, poor = minds(0.95, 0.5)
    config = replace(CONFIG, margin=0.0)
    comparison = await compared(good, poor, by=Erratic("10", "0", of_wrong_answers=True), config=config, size=120)
    assert comparison.verdict == "undecided"
    wrong = await compared(
        good, poor, by=Erratic("10", "0", of_wrong_answers=True), config=replace(config, unreadable="wrong"), size=120
    )
    assert wrong.verdict == "better"
    assert any("they count 0 points" in caveat for caveat in wrong.caveats)


@pytest.mark.long
async def test_rows_say_that_the_reply_was_an_answer_and_has_no_score() -> None:
    results = ResultRows(("candidate",))
    candidates = [interview(knows, results=results) for knows in minds(0.9, 0.3)]
    comparison = await compare(candidates, essays(300), CONFIG, judge=judge(Erratic("10", "0")))
    rows = results.rows
    assert len(rows) == 2 * comparison.questions
    unscored = [row for row in rows if row.score is None]
    assert len(unscored) == sum(candidate.unread_judgements for candidate in comparison.candidates) > 0
    assert {row.outcome for row in rows} == {"answer"}


def half(size: int) -> ListedScope:
    """Questions to which A is right, by rule; each second one has a rubric instead."""
    questions = (
        Question(f"{n}", f"Why {n}?", rubric="10: right") if n % 2 else Question(f"{n}", f"Which {n}?", ("a", "b"), ("A",))
        for n in range(size)
    )
    return ListedScope("half", tuple(questions))


async def test_of_a_mixed_file_the_judge_sees_rubrics_alone() -> None:
    points = PointsJudge("10", "0")
    comparison = await compare([interview(knows) for knows in minds(0.9, 0.5)], half(300), CONFIG, judge=judge(points))
    assert comparison.verdict == "better"
    assert points.prompts
    assert all(int(prompt.id) % 2 for prompt in points.prompts)
    assert comparison.grading is not None
    assert comparison.grading.by_rule + comparison.grading.by_judge == 2 * comparison.questions
    assert f"graded the {comparison.grading.by_judge} answers to questions with a rubric" in comparison.caveats[0]
    with pytest.raises(BadInput, match="no answer but a rubric"):
        await compare([interview(knows) for knows in minds(0.9, 0.5)], half(300), CONFIG)


@pytest.mark.long
@settings(max_examples=15, deadline=None)
@given(st.floats(0.1, 1.0), st.floats(0.1, 1.0), st.integers(0, 99), st.sampled_from([0.0, 0.05]))
def test_a_judge_that_grades_as_the_rule_does_finds_what_the_rule_finds(
    first: float, second: float, seed: int, margin: float
) -> None:
    import asyncio

    config = ComparisonConfig(seed=seed, margin=margin, questions=40)
    candidates = minds(first, second)

    async def both() -> tuple[Comparison, Comparison]:
        by_rule = await compare([interview(knows) for knows in candidates], scope(60), config)
        rubrics = ListedScope("letters", tuple(replace(q, accepted=(), rubric="A", options=()) for q in scope(60).questions))
        return by_rule, await compare(
            [interview(knows) for knows in candidates], rubrics, config, judge=judge(PointsJudge("10", "0"))
        )

    by_rule, judged = asyncio.run(both())
    assert (by_rule.verdict, by_rule.questions) == (judged.verdict, judged.questions)
    assert by_rule.pairs[0].log_e == judged.pairs[0].log_e
    assert by_rule.pairs[0].difference == judged.pairs[0].difference


async def test_several_candidates_and_who_is_settled_is_judged_no_more() -> None:
    comparison = await compared(*minds(0.98, 0.6, 0.1), by=PointsJudge("10", "0"))
    assert comparison.verdict == "3 of 3 differences are significant"
    assert "(as judged by test:points), 3 differences are significant" in comparison.headline
    assert comparison.grading is not None
    assert comparison.grading.by_judge == sum(candidate.questions for candidate in comparison.candidates)


async def test_what_is_on_record_is_judged_once_and_other_terms_are_another_attempt(tmp_path: Path) -> None:
    good, poor = minds(0.9, 0.5)
    points = PointsJudge()
    with Transcript.open(tmp_path / "run.sqlite") as transcript:

        async def held(rubric: str, **more: Any) -> Comparison:
            by = judge(points, transcript=transcript)
            by.rubric = rubric
            candidates = [interview(knows, transcript=transcript) for knows in (good, poor)]
            return await compare(candidates, essays(300), CONFIG, judge=by, **more)

        first = await held("10: right")
        again = await held("10: right")
        assert told(again) == told(first)
        assert len({prompt.text for prompt in points.prompts}) == len(points.prompts) >= first.questions
        with pytest.raises(OtherTerms, match="rubric"):
            await held("10: something else")
        assert (await held("10: something else", again=True)).attempt is not None


async def test_what_the_judge_costs_counts_in_the_budget() -> None:
    shared = SharedBudget(Budget(money=0.5))
    points = PointsJudge()
    candidates = [interview(knows, budget=shared.share()) for knows in minds(0.72, 0.7)]
    comparison = await compare(candidates, essays(300), CONFIG, judge=judge(points, budget=shared.share()))
    assert comparison.verdict == "undecided"
    assert comparison.judge_ended == "money"
    assert told(comparison)["judge_ended"] == "money"
    assert comparison.grading is not None
    assert 0.3 < comparison.grading.judge_spending.money < 0.7  # what was under way may overrun it
    assert any("The budget ended early: " in caveat and "test:points, money" in caveat for caveat in comparison.caveats)


async def test_a_judge_that_is_a_candidate_is_told() -> None:
    @dataclass
    class Both(Expert):
        prompts: list[Prompt] = field(default_factory=list)

        async def answer(self, prompt: Prompt, /) -> Reply:
            if "<answer" not in prompt.text:
                return await super().answer(prompt)
            return Reply(f"Score: {10 if re.search('Answer: A', prompt.text) else 0}\nUnacceptable: no")

    entry, other = Both(0.9, "test:both"), Expert(0.4, "test:other", salt="x")
    comparison = await compared(entry, other, by=entry)
    assert any(caveat.startswith("The judge, test:both, is one of the candidates") for caveat in comparison.caveats)


@pytest.mark.long
@pytest.mark.parametrize("which", ["candidates", "judge", "all"])
async def test_by_batch_the_finding_is_the_same(which: str) -> None:
    candidates: list[Any] = minds(0.85, 0.6)
    points: Any = PointsJudge("10", "1")
    direct = await compared(*minds(0.85, 0.6), by=PointsJudge("10", "1"), draws=2)
    if which != "judge":
        candidates = [ByBatch(candidate) for candidate in candidates]
    if which != "candidates":
        points = ByBatch(points)
    comparison = await compared(*candidates, by=points, draws=2)
    assert told(comparison) == told(direct)
    for batch in (*candidates, points):
        assert not isinstance(batch, ByBatch) or (
            2 * len(batch.batches) < comparison.questions and set(batch.lines.values()) == {1}
        )


async def test_answers_that_are_given_several_times_are_all_judged() -> None:
    comparison = await compared(*minds(0.95, 0.3), by=PointsJudge("10", "0"), config=replace(CONFIG, draws=3))
    assert comparison.verdict == "better"
    assert comparison.grading is not None
    assert comparison.grading.by_judge == 3 * sum(candidate.questions for candidate in comparison.candidates)


async def test_what_a_judge_cannot_grade_is_refused() -> None:
    law = "same"
    lawful = ListedScope("law", tuple(Question(f"{n}", f"{n}?", accepted=("1",), law=law, cluster="c") for n in range(2)))
    with pytest.raises(BadInput, match="laws"):
        await compare([interview(knows) for knows in minds(0.9, 0.5)], lawful, CONFIG, judge=judge())
    with pytest.raises(BadInput, match="a vote counts answers that are the same"):
        await compared(*minds(0.9, 0.5), by=PointsJudge(), config=replace(CONFIG, draws=3, draws_claim="vote"))
