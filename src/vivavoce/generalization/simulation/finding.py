"""What a rehearsal of a survey shows, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vivavoce.formats.wording import count, percent, percent_interval
from vivavoce.generalization.simulation.rehearse import Rehearsal
from vivavoce.generalization.simulation.report import (
    ABOUT_CELLS,
    by_cell,
    by_stage,
    method,
    of_test,
    rankings,
    yields,
)
from vivavoce.interview.scope import Signature
from vivavoce.report.blocks import Caveats, Figure, Paragraph, Report, Section
from vivavoce.report.reported import Reported


@dataclass(frozen=True, slots=True, repr=False)
class SurveyRehearsal(Reported):
    """A survey by stages, rehearsed on people whose generalisation is known."""

    result: Rehearsal
    predictor: str
    """By its name."""
    signature: Signature

    @property
    def statement(self) -> str:
        """The result in one plain sentence."""
        first, last = self.result.stages[0], self.result.stages[-1]
        if first is last:
            return (
                f"In one stage of {count(first.changed.n)} synthetic answers {_percent(first.changed.value)} changed a belief."
            )
        return (
            f"Over {len(self.result.stages)} stages of {count(first.changed.n)} synthetic answers the share that changed a "
            f"belief went from {_percent(first.changed.value)} to {_percent(last.changed.value)}; with its weights the last "
            f"stage puts the share among all pairs at {_percent(last.weighted.value)} "
            f"{percent_interval(last.weighted.interval)}, where {percent(self.result.truth)} is true."
        )

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the result does not show, each in a sentence."""
        return (
            "These people are synthetic and follow a rule of our own. How much the bandit gains with real people depends on "
            "how well a predictor can tell what moves them.",
            "Weights undo the choice of pairs, not the choice of people, and not what is wrong with the pool.",
            "The test stage holds the two ends of the ranking only: its share of changes says nothing about the pool.",
        )

    def report(self) -> Report:
        """All of it as blocks."""
        result = self.result
        return self.reported(
            "A survey on synthetic people",
            "A survey, rehearsed on synthetic people",
            Figure(yields(result.stages, result.truth)),
            Figure(rankings(result.stages)),
            by_stage(result.stages),
            Section(
                "The generalisation function",
                (Paragraph(ABOUT_CELLS), by_cell(result.cells), Paragraph(of_test(result.test))),
            ),
            Caveats(self.caveats),
            method(self.signature.settings, self.predictor),
            headline=self.statement,
        )

    def figures_as_json(self) -> dict[str, Any]:
        """The numbers as JSON values; null for what is not known."""
        return {
            "truth": self.result.truth,
            "stages": [
                {
                    "stage": stage.number,
                    "changed": stage.changed.as_json(),
                    "weighted": stage.weighted.as_json(),
                    "auc": stage.auc,
                    "tenths": list(stage.tenths),
                }
                for stage in self.result.stages
            ],
            "cells": [
                {"name": cell.name, "truth": cell.truth, "weighted": cell.weighted.as_json(), "unweighted": cell.unweighted}
                for cell in self.result.cells
            ],
            "test": self.result.test.as_json(),
            "predictor": self.predictor,
        }


def _percent(value: float | None) -> str:
    return "unknown" if value is None else percent(value)
