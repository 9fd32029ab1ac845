"""The gate: when it passes and fails, by hand and exactly, and how often it is wrong at both boundaries."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from math import log, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.each_case import each_case
from tests.validity.test_gate import wrong_verdicts
from vivavoce.certificate.comparison.compare import compare
from vivavoce.certificate.comparison.config import ComparisonConfig, GateConfig
from vivavoce.certificate.comparison.evidence import PairedEvidence, PairStatement, gate_statements
from vivavoce.certificate.comparison.gate import Gate, gate
from vivavoce.errors import BadInput, OtherTerms
from vivavoce.interview.candidate import Prompt, RepeatReason, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.transcript import Transcript
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import ListedScope

SIZE = 40


class ListedErrors:
    """Right but on some questions, and unreadable on others."""

    asked_again: RepeatReason = "same"

    def __init__(self, name: str, *, wrong: int = 0, unreadable: int = 0) -> None:
        self.name = name
        self._wrong, self._unreadable = wrong, unreadable

    async def answer(self, question: Prompt, /) -> Reply:
        number = int(question.id)
        if number < self._unreadable:
            return Reply("Well, well.")
        return Reply(f"Answer: {number + (number < self._wrong)}")


def scope(size: int = SIZE) -> ListedScope:
    rows = [{"id": str(number), "question": f"Say {number}.", "answer": number} for number in range(size)]
    listed_scope = open_scope(rows, name="numbers")
    assert isinstance(listed_scope, ListedScope)
    return listed_scope


def held(new: ListedErrors, old: ListedErrors, *, size: int = SIZE, **settings: float) -> Gate:
    config = GateConfig(**{"seed": 0, **settings})  # type: ignore[arg-type]
    return asyncio.run(gate([Interview(entry, answers=Reply) for entry in (new, old)], scope(size), config))


def test_seven_questions_that_the_new_one_alone_answers_pass_and_eight_that_the_old_one_does_fail() -> None:
    # "worse" has 2%, bets 1 + u a question, u even over [0, 1]: (2^8 - 1)/8 = 31.9 < 50 after seven, (2^9 - 1)/9 = 56.8 then
    # "not worse" by 1 + a u with a = 2/.98 - 1 = 1.0408: (2.0408^7 - 1)/(7 a) = 20.1 < 25, then (2.0408^8 - 1)/(8 a) = 36.0
    for new, statement in ((0.0, PairStatement.WORSE), (1.0, PairStatement.NO_WORSE)):
        evidence = PairedEvidence([(0, 1)], margin=0.02, delta=0.04, rule="gate")
        for _ in range(20):
            evidence.take(np.array([new, 1 - new]), np.array([new, 1 - new]))
        assert evidence.n[0] == (8 if statement is PairStatement.WORSE else 7)
        assert np.flatnonzero(evidence.made[0]).tolist() == [statement]
        e_value = 56.8 if statement is PairStatement.WORSE else 36.0
        assert np.exp(evidence.log_e[0, statement]) == pytest.approx(e_value, rel=0.02)


def test_with_a_margin_of_0_nothing_passes() -> None:
    evidence = PairedEvidence([(0, 1)], margin=0, delta=0.05, rule="gate")
    for _ in range(50):
        evidence.take(np.array([1.0, 0.0]), np.array([1.0, 0.0]))
    assert not evidence.made.any()
    assert held(ListedErrors("new"), ListedErrors("old", wrong=20), margin=0).verdict == "undecided"
    assert held(ListedErrors("new", wrong=20), ListedErrors("old"), margin=0).verdict == "fail"


def test_a_tie_passes() -> None:
    both = np.array([[0.0, log(40), log(20), log(20)]])
    assert np.flatnonzero(gate_statements(both, 0.05, 0.02)).tolist() == [PairStatement.NO_WORSE]
    assert np.flatnonzero(gate_statements(both, 0.05, 0)).tolist() == [PairStatement.WORSE]
    assert not gate_statements(both - 0.01, 0.05, 0.02).any()


@each_case(
    ("wrong", "margin", "verdict"),
    [(0, 0.05, "pass"), (1, 0.05, "pass"), (2, 0.05, "fail"), (3, 0.05, "fail"), (0, 0, "undecided"), (1, 0, "fail")],
)
def test_all_of_a_scope_decides_exactly(wrong: int, margin: float, verdict: str) -> None:
    # a scope of 40, of which the new one has `wrong` and the old one none: D = -wrong/40; -2/40 is the margin itself
    finding = held(ListedErrors("new", wrong=wrong), ListedErrors("old"), margin=margin, delta=0.001)
    assert (finding.verdict, finding.statement.split(":")[0].lower()) == (verdict, verdict)
    assert finding.comparison.questions >= SIZE - 4  # what is left may not matter any more


def test_where_both_nulls_are_false_the_last_question_decides_for_it() -> None:
    finding = held(ListedErrors("new", wrong=1), ListedErrors("old"), margin=0.05, delta=0.001)
    assert (finding.verdict, finding.comparison.complete) == ("pass", True)
    assert finding.pair.difference.value == pytest.approx(-1 / SIZE)
    assert "All 40 questions of the scope were asked." in finding.statement


def test_unreadable_replies_speak_against_either_verdict() -> None:
    # the new one is right wherever it can be read: it may be worse by 10/40, or by nothing
    assert held(ListedErrors("new", unreadable=10), ListedErrors("old")).verdict == "undecided"
    assert held(ListedErrors("new", unreadable=10), ListedErrors("old"), unreadable="wrong").verdict == "fail"  # type: ignore[arg-type]
    assert held(ListedErrors("new", unreadable=1), ListedErrors("old"), margin=0.05).verdict == "pass"


def test_the_bound_that_is_said_lies_on_the_side_that_decided() -> None:
    worse = held(ListedErrors("new", wrong=400), ListedErrors("old"), size=1_000)
    assert worse.verdict == "fail"
    assert worse.pair.shown is not None
    assert worse.pair.shown.upper <= 0
    assert re.search(r"is −0\.\d+, shown to be below −0\.0*[1-9]\d*; below 0 fails", worse.headline)
    fine = held(ListedErrors("new"), ListedErrors("old"), size=1_000)
    assert fine.verdict == "pass"
    assert fine.pair.shown is not None
    assert fine.pair.shown.lower >= -0.02
    assert re.search(r"is 0\.00, shown to be above −0\.01\d*; above −0\.02 is required", fine.headline)
    assert fine.pair.difference.interval.lower <= fine.pair.shown.lower  # which has all of delta, and not half of it
    assert fine.pair.questions < 1_000


@pytest.mark.long
@pytest.mark.parametrize(("wrong", "margin"), [(0, 0.005), (0, 0.015), (0, 0.025), (12, 0.0145)])
def test_what_is_printed_agrees_with_the_verdict(wrong: int, margin: float) -> None:
    finding = held(ListedErrors("new", wrong=wrong), ListedErrors("old"), size=1_000, margin=margin)
    assert finding.verdict == "pass"
    numbers = re.findall(r"[−+]?\d+\.\d+", finding.headline)
    measured, shown, required = (float(number.replace("−", "-")) for number in numbers)
    assert measured >= shown > required == -margin
    early = held(ListedErrors("new"), ListedErrors("old"), size=1_000, margin=margin, questions=20)
    assert f"a drop of {margin:g} or more" in early.headline
    assert f"above −{margin:g} is required" in early.headline


def test_what_is_still_needed_is_about_what_it_takes() -> None:
    early = held(ListedErrors("new"), ListedErrors("old"), size=2_000, questions=20)
    assert early.verdict == "undecided"
    needed, whole = early.pair.still_needed, held(ListedErrors("new"), ListedErrors("old"), size=2_000)
    assert needed is not None
    assert 20 + needed == pytest.approx(whole.comparison.questions, rel=0.5)


def test_the_report_begins_with_the_verdict_and_json_says_it() -> None:
    finding = held(ListedErrors("new", wrong=30), ListedErrors("old"))
    report, document = finding.report(), finding.as_json()
    assert report.verdict is not None
    assert (report.verdict.words, report.verdict.tone) == ("Fail", "bad")
    assert report.headline.startswith("new is worse than old on numbers")
    assert (document["verdict"], document["candidates"], document["figures"]["margin"], document["seed"]) == (
        "fail",
        ["new", "old"],
        0.02,
        0,
    )
    assert document["figures"]["difference"]["upper"] <= 0
    assert document["figures"]["shown"]["below"] <= 0
    assert "gate" in document["signature"]


class CallCount(ListedErrors):
    """Counts the questions that reach it, and lets others be on their way while it answers one."""

    asked = 0

    async def answer(self, question: Prompt, /) -> Reply:
        self.asked += 1
        await asyncio.sleep(0)
        return await super().answer(question)


@each_case("examination", [gate, compare])
@each_case("seed", [None, 0])
async def test_a_finished_run_again_sends_nothing(examination: Callable[..., Any], seed: int | None) -> None:
    both = CallCount("new", wrong=150), CallCount("old")
    config = (GateConfig if examination is gate else ComparisonConfig)(seed=seed)
    with Transcript.open(None) as transcript:

        async def run() -> Any:
            return await examination(
                [Interview(entry, answers=Reply, transcript=transcript) for entry in both], scope(400), config
            )

        first, sent = await run(), [entry.asked for entry in both]
        again = await run()
        assert again.statement == first.statement
        assert [entry.asked for entry in both] == sent
        assert first.attempt.finished_at == ""
        assert again.attempt.finished_at == first.attempt.held.final[0].at


class SlowCallCount(CallCount):
    """Takes so long that what is asked ahead has no answer when the verdict is there."""

    async def answer(self, question: Prompt, /) -> Reply:
        reply = await super().answer(question)
        await asyncio.sleep(0.005)
        return reply


@pytest.mark.parametrize("examination", [gate, compare])
async def test_another_margin_on_the_same_record_sends_nothing_while_the_record_has_enough(
    examination: Callable[..., Any], tmp_path: Path
) -> None:
    both = SlowCallCount("new", wrong=150), SlowCallCount("old")
    with Transcript.open(tmp_path / "run.sqlite") as transcript:
        sent, settings = [], GateConfig if examination is gate else ComparisonConfig
        for margin in (0.02, 0.05, 0.1):
            interviews = [Interview(slow, answers=Reply, transcript=transcript) for slow in both]
            result = await examination(interviews, scope(400), settings(margin=margin))
            assert result.attempt.finished_at == ""
            sent.append([slow.asked for slow in both])
        assert sent[0] == sent[1] == sent[2]


async def test_an_undecided_gate_goes_on() -> None:
    both = CallCount("new", wrong=150), CallCount("old")
    with Transcript.open(None) as transcript:
        for questions, verdict in ((5, "undecided"), (None, "fail")):
            interviews = [Interview(entry, answers=Reply, transcript=transcript) for entry in both]
            finding = await gate(interviews, scope(400), GateConfig(questions=questions))
            assert (finding.verdict, finding.attempt is not None and finding.attempt.finished_at) == (verdict, "")
    assert both[0].asked > 5


async def test_a_gate_with_another_delta_is_another_attempt() -> None:
    with Transcript.open(None) as transcript:
        both = [
            Interview(entry, answers=Reply, transcript=transcript)
            for entry in (ListedErrors("new", wrong=30), ListedErrors("old"))
        ]
        first = await gate(both, scope())
        with pytest.raises(OtherTerms, match="error allowed"):
            await gate(both, scope(), GateConfig(delta=0.1))
        again = await gate(both, scope(), GateConfig(delta=0.04), again=True)
        assert first.attempt is not None
        assert again.attempt is not None
        assert (first.attempt.number, again.attempt.number) == (1, 2)
        assert again.attempt.delta < 0.005


async def test_a_gate_is_between_two() -> None:
    interview, other = (Interview(ListedErrors(name), answers=Reply) for name in ("a", "b"))
    with pytest.raises(BadInput, match="there are 1 candidates"):
        await gate([interview], scope())
    with pytest.raises(BadInput, match="is given twice"):
        await gate([interview, interview], scope())
    with pytest.raises(BadInput, match="there are 3 candidates"):
        await gate([interview, other, other], scope())


@pytest.mark.parametrize("population", [None, 400])
@pytest.mark.parametrize("boundary", ["margin", "equal"])
def test_at_both_boundaries_it_errs_at_most_delta(boundary: str, population: int | None) -> None:
    runs = 600
    verdicts = wrong_verdicts(boundary, margin=0.1, ties=0.5, population=population, runs=runs, seed=1)
    assert verdicts.wrong <= 0.05 + 3 * sqrt(0.05 * 0.95 / runs)
    assert verdicts.right > 0.5
