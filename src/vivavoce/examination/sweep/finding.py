"""The finding of a sweep: a verdict for each candidate on each scope, tiers, and findings of other examinations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from vivavoce.certificate.comparison.finding import Comparison
from vivavoce.examination.sweep.cells import Cell, Outcome
from vivavoce.examination.sweep.plan import values_of_sweep
from vivavoce.examination.sweep.report import report
from vivavoce.examination.sweep.swept import CellResult, SweepResults
from vivavoce.examination.sweep.words import caveats, details, headline
from vivavoce.interview.scope import Signature
from vivavoce.report.blocks import Report
from vivavoce.report.reported import Reported

_NOT_IN_CELLS: Final = ("kind", "format", "version", "candidates", "figures", "scope_digest", "scope_size", "title")
"""What the document of a sweep says once, for all cells."""


@dataclass(frozen=True, slots=True, repr=False)
class Sweep(Reported):
    """What a sweep returns."""

    swept: SweepResults
    signature: Signature

    @property
    def headline(self) -> str:
        """The verdicts counted, in a sentence or two."""
        return headline(self.swept)

    @property
    def statement(self) -> str:
        """The result in plain sentences, and what bounds its errors."""
        return " ".join(filter(None, (self.headline, details(self.swept))))

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the table does not show, the weightiest first."""
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
                {"name": name, "called": told} for name, told in zip(self.swept.names, self.swept.called, strict=True)
            ],
            "scopes": [
                {
                    "scope": one.name,
                    "title": one.title,
                    "scope_size": one.size,
                    "scope_digest": one.digest,
                    "passing_grade": one.passing_grade,
                    "certificate": one.section,
                }
                for one in self.swept.scopes
            ],
            "correction": self.swept.plan.plan.correction,
            **({"delta": self.swept.delta} if self.swept.results else {}),
            "cells": [self._cell_as_json(*place, found) for place, found in self.swept.results.items()],
            "comparisons": [self._compared_as_json(scope, found) for scope, found in self.swept.comparisons.items()],
            "overall": None if self.swept.overall is None else self._compared_as_json(None, self.swept.overall),
            "rooms": [self._room_as_json(one) for one in self.swept.rooms],
            "not_examined": [
                {"cell": self.swept.label(one.cell), "reason": one.reason, "may_be_resumed": one.unreachable}
                for one in self.swept.outcomes
                if one.reason
            ],
            "unfinished": self.swept.unfinished,
            "plan": values_of_sweep(self.swept.plan),
        }

    def _cell_as_json(self, candidate: int, scope: int, found: CellResult) -> dict[str, Any]:
        cell = Cell("certificate", (candidate,), scope)
        document = {} if found.result is None else found.result.as_json()
        values = {**document, **document.get("figures", {})}
        return {
            **{name: value for name, value in values.items() if name not in _NOT_IN_CELLS},
            "candidate": self.swept.names[candidate],
            "scope": self.swept.scopes[scope].name,
            "verdict": None if found.verdict is None else found.verdict.value,
            "why_not": found.why,
            **self._spent(cell),
            **found.ahead,
        }

    def _compared_as_json(self, scope: int | None, found: Comparison) -> dict[str, Any]:
        pairs, everybody = [pair.figures(found.candidates) for pair in found.pairs], tuple(range(len(self.swept.names)))
        kept = ("first", "second", "verdict", "questions", "difference", "first_better", "second_better", "still_needed")
        return {
            **({} if scope is None else {"scope": self.swept.scopes[scope].name}),
            "tiers": [[self.swept.names[place] for place in tier] for tier in found.tiers],
            "questions": found.questions,
            "pairs": [{name: pair[name] for name in (*kept, "hidden") if name in pair} for pair in pairs],
            **self._spent(Cell("comparison", everybody, len(self.swept.scopes) if scope is None else scope)),
        }

    def _room_as_json(self, one: Outcome) -> dict[str, Any]:
        return {
            "candidate": self.swept.names[one.cell.candidates[0]],
            "room": one.cell.room,
            "reason": one.reason,
            "findings": [{"statement": card.statement, "figures": card.figures} for card in one.cards],
            **self._spent(one.cell),
        }

    def _spent(self, cell: Cell) -> dict[str, Any]:
        """What a cell took, late answers included, and which limit of the budget ended it."""
        found = self.swept.became.get(cell, Outcome(cell))
        ended = {"ended_by": found.ended} if found.ended else {}
        return {"asked": found.questions, "tokens": found.usage.tokens, "money": found.usage.money, **ended}
