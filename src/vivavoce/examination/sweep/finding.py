"""The finding of a sweep: a verdict for each candidate on each scope, and tiers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from vivavoce.certificate.comparison.finding import Comparison
from vivavoce.examination.sweep.plan import CellOutcome, SweepCell, values_of_sweep
from vivavoce.examination.sweep.report import report
from vivavoce.examination.sweep.swept import CellResult, SweepResults
from vivavoce.examination.sweep.words import caveats, details, headline
from vivavoce.formats.json_values import given, to_json
from vivavoce.interview.scope import Signature
from vivavoce.report.blocks import Report
from vivavoce.report.reported import ReportedFinding

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
