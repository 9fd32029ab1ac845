"""Runs a sweep: cell after cell in a fixed order, in rounds, each with its own part of the budget.

The finding of a sweep: a verdict for each candidate on each scope, and tiers.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from math import fsum
from typing import Any, Final, Protocol, TypeVar

from vivavoce.certificate.claims.claim import ClaimFamily, Verdict, levels
from vivavoce.certificate.comparison.finding import Comparison
from vivavoce.examination.sweep.examiner import CellExaminer, Tell, names_shown
from vivavoce.examination.sweep.plan import CellOutcome, CellTask, SweepCell, cells_of, handed_on, parts, values_of_sweep
from vivavoce.examination.sweep.report import report
from vivavoce.examination.sweep.words import CellResult, SweepResults, SweptScope, caveats, details, headline
from vivavoce.formats.json_values import given, to_json
from vivavoce.interview.budget import Budget
from vivavoce.interview.scope import Signature
from vivavoce.report.blocks import Report
from vivavoce.report.reported import ReportedFinding
from vivavoce.version import __version__

_NOT_IN_CELLS: Final = ("kind", "format", "version", "candidates", "figures", "scope_digest", "scope_size", "title")
"""Fields that a sweep's document has once for all cells."""


@dataclass(frozen=True, slots=True, repr=False)
class Sweep(ReportedFinding):
    """The result of a sweep."""

    swept: SweepResults
    signature: Signature

    @property
    def headline(self) -> str:
        """Counts of verdicts, in a sentence or two."""
        return headline(self.swept)

    @property
    def statement(self) -> str:
        """The result in plain sentences, with the bound on its errors."""
        return " ".join(filter(None, (self.headline, details(self.swept))))

    @property
    def caveats(self) -> tuple[str, ...]:
        """Limits of the table, the most important first."""
        return caveats(self.swept)

    def report(self) -> Report:
        """All of it as blocks."""
        return report(self.swept, statement=self.statement, signature=self.signature.line)

    @property
    def examined(self) -> tuple[str, ...]:
        """The names of the candidates."""
        return tuple(self.swept.names)

    def figures(self) -> dict[str, Any]:
        """The numbers as JSON values; null for what is not known."""
        return {
            "candidates": [
                {"name": name, "called": text} for name, text in zip(self.swept.names, self.swept.called, strict=True)
            ],
            "scopes": self.swept.scopes,
            "correction": self.swept.plan.plan.correction,
            "delta": self.swept.delta,
            "cells": [self._cell_as_json(*key, result) for key, result in self.swept.results.items()],
            "comparisons": [self._compared_as_json(scope, comparison) for scope, comparison in self.swept.comparisons.items()],
            "overall": None if self.swept.overall is None else self._compared_as_json(None, self.swept.overall),
            "not_examined": [
                {"cell": self.swept.label(outcome.cell), "reason": outcome.reason, "may_be_resumed": outcome.unreachable}
                for outcome in self.swept.outcomes
                if outcome.reason
            ],
            "unfinished": self.swept.unfinished,
            "plan": values_of_sweep(self.swept.plan),
        }

    def _cell_as_json(self, candidate: int, scope: int, result: CellResult) -> dict[str, Any]:
        cell = SweepCell("certificate", (candidate,), scope)
        document = to_json(result.result) or {}
        values = {**document, **document.get("figures", {})}
        return {
            **{name: value for name, value in values.items() if name not in _NOT_IN_CELLS},
            "candidate": self.swept.names[candidate],
            "scope": self.swept.scopes[scope].name,
            "verdict": None if result.verdict is None else result.verdict.value,
            "why_not": result.why,
            **self._spent(cell),
            **result.ahead,
        }

    def _compared_as_json(self, scope: int | None, comparison: Comparison) -> dict[str, Any]:
        pairs, everybody = [pair.figures(comparison.candidates) for pair in comparison.pairs], range(len(self.swept.names))
        kept = ("first", "second", "verdict", "questions", "difference", "first_better", "second_better", "still_needed")
        return {
            **given(scope=scope is not None and self.swept.scopes[scope].name),
            "tiers": [[self.swept.names[index] for index in tier] for tier in comparison.tiers],
            "questions": comparison.questions,
            "pairs": [{name: pair[name] for name in (*kept, "hidden") if name in pair} for pair in pairs],
            **self._spent(SweepCell("comparison", tuple(everybody), len(self.swept.scopes) if scope is None else scope)),
        }

    def _spent(self, cell: SweepCell) -> dict[str, Any]:
        """The cost of a cell, including late answers, and the limit of the budget that ended it."""
        outcome = self.swept.became.get(cell, CellOutcome(cell))
        values = {"asked": outcome.questions, "tokens": outcome.usage.tokens, "money": outcome.usage.money}
        return values | given(ended_by=outcome.ended)


T = TypeVar("T")

HANDED_ON: Final = 2
"""How often budget that some cells left over is passed on to cells that ran short."""
WORTH: Final = 0.01
"""The smallest share of the budget that is worth passing on."""


class CellRunner(Protocol):
    """Examines cells."""

    def carry_out(
        self, tasks: Sequence[CellTask], tell: Callable[[SweepCell], Callable[[], Tell]]
    ) -> AsyncIterator[CellOutcome]:
        """The outcomes, as they come.

        tell: maps a cell to a function that makes listeners for its interviews.
        """
        ...


class LocalCellRunner:
    """Examines cells in this process, one after the other. Cells asked by batch run concurrently, because each waits for hours.

    A candidate that can't be reached is not asked in its other cells; those without recorded answers wait for the next run.
    """

    def __init__(self, examiner: CellExaminer) -> None:
        self._examiner = examiner
        self._away: dict[int, str] = {}

    async def carry_out(
        self, tasks: Sequence[CellTask], tell: Callable[[SweepCell], Callable[[], Tell]]
    ) -> AsyncIterator[CellOutcome]:
        """The outcomes in the order of the tasks, except for cells asked by batch."""
        lanes = [self._lane(task) for task in tasks]
        if len(set(lanes)) > 1:  # attempts are numbered in the order of the plan
            for task in tasks:
                await self._examiner.begin(task)
            tasks = [replace(task, again=False) for task in tasks]
        turns = {lane: asyncio.Lock() for lane in lanes}
        examined = (self._examined(task, turns[lane], tell) for task, lane in zip(tasks, lanes, strict=True))
        async with aclosing(as_they_come(examined)) as outcomes:
            async for outcome in outcomes:
                yield outcome

    def _lane(self, task: CellTask) -> object:
        """The lane of a task: cells of one lane run one after the other, because a candidate's examinations may share
        questions."""
        return task.cell if self._examiner.by_batch(task.cell) else None

    async def _examined(
        self, task: CellTask, turn: asyncio.Lock, tell: Callable[[SweepCell], Callable[[], Tell]]
    ) -> CellOutcome:
        async with turn:
            away = next((self._away[candidate] for candidate in task.cell.candidates if candidate in self._away), "")
            if away:
                result = await self._examiner.from_record(task, tell(task.cell))
                return result or CellOutcome(task.cell, reason=away, unreachable=True)
            outcome = await self._examiner.examine(task, tell(task.cell))
            if outcome.unreachable and len(task.cell.candidates) == 1:
                self._away[task.cell.candidates[0]] = outcome.reason
            return outcome


async def as_they_come(several: Iterable[Coroutine[Any, Any, T]]) -> AsyncGenerator[T, None]:
    """The results in the order in which they finish; if the caller stops early, running ones are cancelled."""
    under_way = [asyncio.create_task(entry) for entry in several]
    try:
        for done in asyncio.as_completed(under_way):
            yield await done
    finally:
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)


@dataclass(slots=True)
class RunningSweep:
    """A running sweep; `finding` is the result so far at any moment.

    All its state is in the record: another run over the same record asks only the questions that were in flight, and gets the
    same result.
    """

    examiner: CellExaminer
    tell: Callable[[SweepCell], Callable[[], Tell]]
    """Maps a cell to a function that makes listeners for its interviews."""
    on_cell: Callable[[CellOutcome], None] = lambda outcome: None
    """Called when a cell has been examined, or could not be."""
    again: bool = False
    """Whether to start new attempts although the record has some."""
    outcomes: dict[SweepCell, CellOutcome] = field(default_factory=dict)
    _hands: CellRunner | None = None
    _levels: dict[SweepCell, ClaimFamily] = field(default_factory=dict)
    """The highest level at which each certificate was examined."""

    @property
    def cells(self) -> list[SweepCell]:
        """All cells of the plan."""
        return cells_of(self.examiner.plan, len(self.examiner.scopes))

    async def run(self, hands: CellRunner) -> Sweep:
        """Examine all cells; an error in one becomes its outcome, and the others continue.

        Raises `TranscriptError`, because nothing can be kept then, and `OtherTerms` if the plan has changed.
        """
        self._hands = hands
        budget, cells = self.examiner.plan.plan.budget.budget, self.cells
        limits = parts(budget, cells)
        own = _sum(list(limits.values()), budget)
        await self._examine(cells, limits)
        for _ in range(HANDED_ON):
            short = [cell for cell in cells if self.outcomes[cell].ended]
            more = handed_on(own, self.outcomes, short) if short else {}
            if not any(_gains(limits[cell], more[cell]) for cell in more):
                break
            limits |= more
            await self._examine(short, limits)
        return self.finding()

    async def _examine(self, cells: Sequence[SweepCell], limits: dict[SweepCell, Budget]) -> None:
        await self._certify([cell for cell in cells if cell.kind == "certificate"], limits)
        compare = self.examiner.plan.compare
        share = len(self.examiner.subjects) if compare is not None and compare.rule == "any" else 1
        scopes, others = len(self.examiner.scopes), [cell for cell in cells if cell.kind != "certificate"]
        for last in (False, True):  # a comparison on all scopes together needs the answers of all others
            part = [cell for cell in others if (cell.scope == scopes) == last]
            await self._carry_out([CellTask(cell, limits[cell], share=share, again=self._anew(cell)) for cell in part])

    def _anew(self, cell: SweepCell) -> bool:
        """Whether to start a new attempt, which happens only when a cell is first examined in this run."""
        return self.again and cell not in self.outcomes

    async def _certify(self, cells: Sequence[SweepCell], limits: dict[SweepCell, Budget]) -> None:
        """Rounds of certificates; see `certificate.claims.claim.ClaimFamily`."""
        every = [cell for cell in self.cells if cell.kind == "certificate"]
        delta = self.examiner.subjects[0].section.claim.delta
        family: ClaimFamily | None = ClaimFamily(len(every), rule=self.examiner.plan.plan.correction)
        while family is not None and cells:
            await self._carry_out([self._task(cell, family, limits[cell]) for cell in cells])
            family = levels([self.outcomes[cell].evidence for cell in every], family, delta)
            if family is not None:
                results = self._swept().results
                open_ = (cell for cell in every if self.outcomes[cell].may_go_on)
                cells = [cell for cell in open_ if results[cell.candidates[0], cell.scope].verdict is Verdict.UNDECIDED]

    def _task(self, cell: SweepCell, family: ClaimFamily, limit: Budget) -> CellTask:
        """A task at the level of the round, or at its earlier level if that was higher: evidence that was enough is not tested
        again."""
        before = self._levels.get(cell, family)
        understands, fails = _fewer(family.understands, before.understands), _fewer(family.fails, before.fails)
        self._levels[cell] = replace(family, understands=understands, fails=fails)
        return CellTask(cell, limit, family=self._levels[cell], again=self._anew(cell))

    async def _carry_out(self, tasks: Sequence[CellTask]) -> None:
        assert self._hands is not None
        async for outcome in self._hands.carry_out(tasks, self.tell):
            self.outcomes[outcome.cell] = outcome
            self.on_cell(outcome)

    def finding(self) -> Sweep:
        """The result so far."""
        swept, plan = self._swept(), self.examiner.plan.plan
        digest = hashlib.sha256("\n".join(scope.digest for scope in swept.scopes).encode()).hexdigest()
        settings = {
            "correction": plan.correction,
            "cells": len(self.cells),
            "delta": swept.delta,
            **({} if self.examiner.plan.compare is None else {"margin": self.examiner.plan.compare.margin}),
        }
        on = " + ".join(scope.title for scope in swept.scopes[:3]) + (" + …" if len(swept.scopes) > 3 else "")
        signature = Signature(
            __version__, "comparison-by-plan", f"{len(swept.names)} candidates", on, digest, plan.seed, settings
        )
        return Sweep(swept, signature)

    def _swept(self) -> SweepResults:
        examiner, cells = self.examiner, self.cells
        names = [examiner.name(index) for index in range(len(examiner.plan.entrants))]
        scopes = tuple(
            SweptScope(
                subject.scope.name,
                subject.title,
                subject.scope.population,
                subject.scope.digest,
                subject.section.claim.passing_grade,
                examiner.plan.certificates.index(subject.section),
            )
            for subject in examiner.scopes
        )
        outcomes = tuple(self.outcomes[cell] for cell in cells if cell in self.outcomes)
        called = tuple(names_shown(examiner.plan, dict(enumerate(names))))
        return SweepResults(examiner.plan, tuple(names), called, scopes, tuple(cells), outcomes)


def _fewer(*counts: int | None) -> int | None:
    """The smallest of these limits; None is larger than any."""
    return min((count for count in counts if count is not None), default=None)


def _sum(several: Sequence[Budget], whole: Budget) -> Budget:
    """The sum of these; None if the whole has no limit."""
    return Budget(
        None if whole.questions is None else sum(budget.questions or 0 for budget in several),
        None if whole.tokens is None else sum(budget.tokens or 0 for budget in several),
        None if whole.money is None else fsum(budget.money or 0.0 for budget in several),
    )


def _gains(before: Budget, now: Budget) -> bool:
    """Whether a cell may use enough more to be worth another run."""
    ends = ((before.questions, now.questions), (before.tokens, now.tokens), (before.money, now.money))
    gains = [new > old * (1 + WORTH) for old, new in ends if old is not None and new is not None]
    return bool(gains) and all(gains)
