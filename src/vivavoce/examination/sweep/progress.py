"""The progress of a sweep: all cells as one, with the time and money that are left."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from vivavoce.examination.sweep.cells import Cell, Outcome
from vivavoce.examination.sweep.examiner import Tell
from vivavoce.interview.candidate import Usage
from vivavoce.interview.progress import Progress

EVERY: Final = 0.2
"""Seconds between two lines of progress."""


class SweepProgress:
    """Adds up what the interviews of all cells tell, and tells it.

    A cell that is examined again in a further round has its answers on record by then; they count once, as what they were.

    expected: calls of each cell, roughly; of a finished one, those it took.
    """

    def __init__(self, on_progress: Tell, expected: Mapping[Cell, int], *, clock: Callable[[], float] = time.monotonic) -> None:
        self._on_progress = on_progress
        self._expected = dict(expected)
        self._clock = clock
        self._began = self._due = clock()
        self._latest: dict[tuple[Cell, int], Progress] = {}

    def of(self, cell: Cell) -> Callable[[], Tell]:
        """Makes the listeners to the interviews of this cell, one after the other."""
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

    def over(self, outcome: Outcome) -> None:
        """A cell is over: it took what it took."""
        self._expected[outcome.cell] = sum(one.answered for (cell, _), one in self._latest.items() if cell == outcome.cell)

    @property
    def sum(self) -> Progress:
        """All interviews as one."""
        every = list(self._latest.values())
        answered = sum(one.answered for one in every)
        by_cell: dict[Cell, int] = {}
        for (cell, _), one in self._latest.items():
            by_cell[cell] = by_cell.get(cell, 0) + one.answered
        expected = sum(max(calls, by_cell.get(cell, 0)) for cell, calls in self._expected.items())
        return Progress(
            asked=sum(one.asked for one in every),
            answered=answered,
            from_record=sum(one.from_record for one in every),
            no_answers=sum(one.no_answers for one in every),
            retries=sum(one.retries for one in every),
            in_flight=sum(one.in_flight for one in every),
            usage=sum((one.usage for one in every), Usage()),
            seconds=self._clock() - self._began,
            expected=max(expected, answered),
            turns=sum(one.turns for one in every),
            batch=next((one.batch for one in reversed(every) if one.batch is not None), None),
        )
