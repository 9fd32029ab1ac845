"""How a sweep tells how far it has come, and who looks on sees the table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.examination.sweep.held import swept
from vivavoce.errors import BadInput
from vivavoce.examination.sweep.cells import CellOutcome, SweepCell
from vivavoce.examination.sweep.finding import Sweep
from vivavoce.examination.sweep.progress import SweepProgress
from vivavoce.interview.candidate import Usage
from vivavoce.interview.progress import Progress
from vivavoce.interview.results import AnswerEvent, spectator

FIRST, SECOND = SweepCell("certificate", (0,), 0), SweepCell("certificate", (0,), 1)


def answered(number: int, from_record: int = 0) -> Progress:
    return Progress(number, number, from_record, 0, 0, 0, Usage(money=number / 10), 1.0, None)


def test_cells_are_added_up_and_what_is_over_took_what_it_took() -> None:
    now, result = [0.0], list[Progress]()
    progress = SweepProgress(result.append, {FIRST: 40, SECOND: 40}, clock=lambda: now[0])
    now[0] = 10.0
    progress.of(FIRST)()(answered(20))
    assert (result[-1].answered, result[-1].expected, result[-1].rate, result[-1].seconds_left) == (20, 80, 2.0, 30.0)
    assert result[-1].money_left == pytest.approx(6.0)
    progress.over(CellOutcome(FIRST))
    now[0] = 20.0
    progress.of(SECOND)()(answered(10))
    assert (result[-1].answered, result[-1].expected) == (30, 60)


def test_answers_of_a_further_round_count_once_and_as_what_they_were() -> None:
    progress = SweepProgress(lambda _: None, {FIRST: 40})
    progress.of(FIRST)()(answered(20))
    progress.of(FIRST)()(answered(25, from_record=20))  # the same 20, and five more
    assert (progress.sum.answered, progress.sum.from_record) == (25, 0)
    progress.of(FIRST)()(answered(25, from_record=25))
    assert (progress.sum.answered, progress.sum.from_record) == (25, 0)


PLAN = (
    "candidates = ['bot:calculator', 'bot:eliza']\nscopes = ['arithmetic?digits=1']\nseed = 0\n[certificate]\nquestions = 20\n"
)


def test_who_looks_on_hears_answers_and_is_shown_the_table() -> None:
    heard, shown = list[AnswerEvent](), list[object]()

    class Onlooker:
        def heard(self, event: AnswerEvent) -> None:
            heard.append(event)

        def stands(self, finding: Callable[[], object]) -> None:
            shown.append(finding())

    before = spectator.set(Onlooker())
    try:
        finding = swept(PLAN)
    finally:
        spectator.reset(before)
    assert {event.candidate for event in heard} == {"bot:calculator", "bot:eliza"}
    assert {type(value) for value in shown} == {Sweep}
    last = shown[-1]
    assert isinstance(last, Sweep)
    assert last.as_json() == finding.as_json()


def test_a_judge_grades_what_no_rule_can_and_nobody_is_compared_by_it(tmp_path: Path) -> None:
    file = tmp_path / "why.jsonl"
    file.write_text('{"id": "1", "question": "Why is the sky blue?", "rubric": "Full points for scattering."}\n')
    plan = f"candidates = ['bot:calculator', 'bot:eliza']\nscopes = ['file:{file}']\nseed = 0\n"
    with pytest.raises(BadInput, match="name a judge"):
        swept(plan)
    judged = plan + "[certificate]\njudge = 'bot:gibberish'\n"
    assert all(outcome.finding is not None for outcome in swept(judged).swept.outcomes)
    with pytest.raises(BadInput, match="has no answer but a rubric"):
        swept(judged + "[compare]\n")
