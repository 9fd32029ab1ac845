"""The expected cost of a sweep's cells, and its progress over all cells, with the time and money that remain."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from rich.console import Console
from rich.text import Text

from vivavoce.certificate.attempts.attempt import delta_of
from vivavoce.certificate.attempts.log import as_given
from vivavoce.examination.part import ExaminationCost, in_all, priced
from vivavoce.examination.parts.certificate import TOKENS
from vivavoce.examination.sweep.examiner import CellExaminer, Tell
from vivavoce.examination.sweep.plan import CellOutcome, SweepCell
from vivavoce.examination.terminal import SECONDS
from vivavoce.formats.wording import count, counted, duration
from vivavoce.interview.candidate import Usage
from vivavoce.interview.progress import Progress
from vivavoce.render.terminal import table
from vivavoce.statistics.planning import rate_boundary

FEW: Final = 60
"""Rough number of questions for a verdict on the score alone, at the level of a table."""
PAIRED: Final = 300
"""Rough number of questions until a difference is significant."""


def cost_of(examiner: CellExaminer, cell: SweepCell) -> ExaminationCost:
    """The expected cost of a cell."""
    return _certificate(examiner, cell) if cell.kind == "certificate" else _comparison(examiner, cell)


def _certificate(examiner: CellExaminer, cell: SweepCell) -> ExaminationCost:
    subject = examiner.subjects[cell.scope]
    section, scope = subject.section, subject.scope
    limit = as_given(section.claim.unacceptable_limit, [scope], graded=section.judge is not None)
    members = len(examiner.scopes) * len(examiner.plan.entrants)
    delta = delta_of(section.claim.delta, 1) / (members if examiner.plan.plan.correction == "fwer" else 1)
    clean = FEW if limit is None else next(islice(rate_boundary(limit, delta), 1))
    return _priced(examiner, cell.candidates[0], min(clean, section.questions, scope.population or clean))


def _comparison(examiner: CellExaminer, cell: SweepCell) -> ExaminationCost:
    assert examiner.plan.compare is not None
    most = examiner.plan.compare.questions or PAIRED
    calls = min(PAIRED, most, examiner.subjects[cell.scope].scope.population or PAIRED)
    return in_all([_priced(examiner, candidate, calls) for candidate in cell.candidates])


def _priced(examiner: CellExaminer, index: int, calls: int) -> ExaminationCost:
    return priced(examiner.candidate(index), calls, calls * TOKENS[0], calls * TOKENS[1])


def print_cells(labels: Mapping[SweepCell, str], costs: Mapping[SweepCell, ExaminationCost], console: Console) -> None:
    """Print every cell with its expected cost."""
    made = table(("cell", "calls", "tokens", "money"))
    for column in made.columns[1:]:
        column.justify = "right"
    for cell, cost in costs.items():
        made.add_row(*map(Text, (labels[cell], *_numbers(cost))))
    console.print(made)


def print_planned(costs: Sequence[ExaminationCost], console: Console, *, concurrency: int | None) -> None:
    """Print the expected cost of all cells. concurrency: of candidates that are not asked by batch; None without any."""
    whole = in_all(costs)
    calls, tokens, money = _numbers(whole)
    paid = f", {money} of money" if whole.money else ""
    took = "by batches, each of which takes minutes to hours"
    if concurrency is not None:
        seconds = duration(whole.calls / concurrency * SECONDS)
        took = f"of language models ~{seconds} at about {SECONDS:g} s a call, {concurrency} at once"
    console.print(
        Text(f"{counted(len(costs), 'cell')}: {calls} calls, {tokens} tokens{paid}, less what is on record; {took}"),
        soft_wrap=True,
    )


def _numbers(cost: ExaminationCost) -> tuple[str, str, str]:
    return f"~{count(cost.calls)}", f"~{count(cost.tokens)}", f"~{cost.money:.2f}" if cost.money else "–"


EVERY: Final = 0.2
"""Seconds between two lines of progress."""


class SweepProgress:
    """Adds up the progress of all cells' interviews, and reports it.

    Answers of an earlier round count once, although a later round finds them on record.

    expected: the rough number of calls of each cell, or the actual number once it is finished.
    """

    def __init__(
        self, on_progress: Tell, expected: Mapping[SweepCell, int], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._on_progress = on_progress
        self._expected = dict(expected)
        self._clock = clock
        self._began = self._due = clock()
        self._latest: dict[tuple[SweepCell, int], Progress] = {}

    def of(self, cell: SweepCell) -> Callable[[], Tell]:
        """Make listeners for the interviews of this cell, one after the other."""
        made = 0

        def one_more() -> Tell:
            nonlocal made
            key = (cell, made)
            made += 1
            before = self._latest.get(key)

            def tell(progress: Progress) -> None:
                was_new = 0 if before is None else before.answered - before.from_record
                new = was_new + progress.answered - progress.from_record
                self._latest[key] = replace(progress, from_record=max(0, progress.answered - new))
                if self._clock() >= self._due:  # to add up all cells after every answer would take longer than the answer
                    self._due = self._clock() + EVERY
                    self._on_progress(self.sum)

            return tell

        return one_more

    def over(self, outcome: CellOutcome) -> None:
        """Note that a cell is finished, with its actual number of calls."""
        self._expected[outcome.cell] = sum(
            progress.answered for (cell, _), progress in self._latest.items() if cell == outcome.cell
        )

    @property
    def sum(self) -> Progress:
        """The sum over all interviews."""
        every = list(self._latest.values())
        answered = sum(progress.answered for progress in every)
        by_cell: dict[SweepCell, int] = {}
        for (cell, _), progress in self._latest.items():
            by_cell[cell] = by_cell.get(cell, 0) + progress.answered
        expected = sum(max(calls, by_cell.get(cell, 0)) for cell, calls in self._expected.items())
        return Progress(
            asked=sum(progress.asked for progress in every),
            answered=answered,
            from_record=sum(progress.from_record for progress in every),
            no_answers=sum(progress.no_answers for progress in every),
            retries=sum(progress.retries for progress in every),
            in_flight=sum(progress.in_flight for progress in every),
            usage=sum((progress.usage for progress in every), Usage()),
            seconds=self._clock() - self._began,
            expected=max(expected, answered),
            turns=sum(progress.turns for progress in every),
            batch=next((progress.batch for progress in reversed(every) if progress.batch is not None), None),
        )
