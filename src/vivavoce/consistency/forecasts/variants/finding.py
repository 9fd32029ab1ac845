"""What several ways to ask find: a matrix of ways and laws, and what each way mends and harms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from vivavoce.consistency.forecasts.finding import LawConsistency
from vivavoce.consistency.forecasts.ranking import CONTROL
from vivavoce.consistency.forecasts.report.kinds import failures
from vivavoce.consistency.forecasts.report.tables import tables
from vivavoce.consistency.forecasts.report.view import view_of
from vivavoce.consistency.forecasts.report.worst import worst_contradictions
from vivavoce.consistency.forecasts.summary import Summary
from vivavoce.consistency.forecasts.variants.effects import LEVEL, Effect, by_cell
from vivavoce.consistency.forecasts.variants.report import differences, method, plotted
from vivavoce.consistency.forecasts.variants.words import headline, in_full
from vivavoce.formats.wording import clipped, count, counted, name_of, percent
from vivavoce.interview.finding import Signature
from vivavoce.report.blocks import Caveats, InFull, Report
from vivavoce.report.parts import paragraphs, replies
from vivavoce.report.reported import Reported

LONGEST_SOURCE: Final = 200


@dataclass(frozen=True, slots=True)
class AskedWay:
    """One way to ask, and what became of it."""

    label: str
    forecaster: str
    """Who was asked, and how, in full."""
    instructions: str
    """SHA-256 of the user's own instructions; empty for ours."""
    rows: int
    planned: int
    """Rows that there would have been; fewer have come where the budget ran out. Controls are among both."""
    together: bool

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "variant": self.label,
            "forecaster": self.forecaster,
            "instructions": self.instructions or None,
            "together": self.together,
            "rows": self.rows,
            "planned": self.planned,
        }


@dataclass(frozen=True, slots=True, repr=False)
class VariantMatrix(Reported):
    """What `examine.matrix` returns."""

    candidate: str
    ways: tuple[AskedWay, ...]
    """The first is what the others are compared with."""
    found: LawConsistency
    """The same tuples, whose forecasters are the ways by their labels."""
    effects: tuple[Effect, ...]
    """Each way but the first on each law that both were asked."""
    signature: Signature

    @property
    def laws(self) -> tuple[str, ...]:
        """In the order in which they first occur, without the control."""
        return tuple(law for law in self.found.laws if law != CONTROL)

    @property
    def measured(self) -> bool:
        """Whether any way could be compared with the first."""
        return any(effect.n for effect in self.effects)

    @property
    def headline(self) -> str:
        """What is mended and what is harmed, in one or two sentences."""
        return headline(self.effects, self.ways[0].label, name_of(self.candidate))

    @property
    def statement(self) -> str:
        """The result in plain words."""
        return " ".join(filter(None, (self.headline, self.found.copies, in_full(self.effects))))

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the numbers do not show."""
        return (
            f"“Mended” and “harmed” are said of {counted(len(self.effects), 'comparison')} so that any of them is wrong with a "
            f"probability of at most {percent(LEVEL)} (Holm); each interval is at level 95% by itself.",
            *((_OTHER_PROMPTS,) if any(way.together for way in self.ways) else ()),
            *_not_reached(self.ways),
            *self.found.caveats,
        )

    def report(self) -> Report:
        """All of it as blocks."""
        view = view_of(self.found.summaries, "Way to ask")
        about = f"{_LEAD} Questions: {clipped(self.found.source, LONGEST_SOURCE) or 'not named'}."
        return self.reported(
            "Ways to ask",
            f"Ways to ask {name_of(self.candidate)}, and laws",
            InFull(paragraphs(in_full(self.effects), about)),
            *tables(view),
            *differences(self.effects, self.ways[0].label),
            *plotted(self.found.summaries, self.effects, [way.label for way in self.ways], self.laws),
            *failures(self.found.negations, view),
            *worst_contradictions(view, ""),
            *replies(self.found.replies),
            Caveats(self.caveats),
            method(view, self.found.summaries, self.ways[0].label),
        )

    def as_json(self) -> dict[str, Any]:
        """The finding as JSON values; the names are part of the public face."""
        cells = by_cell(self.effects)
        return {
            "statement": self.statement,
            "candidate": self.candidate,
            "source": self.found.source,
            "variants": [way.as_json() for way in self.ways],
            "laws": list(self.found.laws),
            "cells": [_cell(row, cells.get((row.forecaster, row.law))) for row in self.found.summaries],
            "comparisons": len(self.effects),
            "adjusted": "holm",
            "level": LEVEL,
            "replies": dict(self.found.replies),
            "seed": self.signature.seed,
            "caveats": list(self.caveats),
            "signature": self.signature.line,
        }


_LEAD: Final = "The same tuples of questions were asked in each of these ways; differences are those on one and the same tuple."
_OTHER_PROMPTS: Final = (
    "In one conversation a candidate sees its own answers: that it then agrees with itself shows that it reads them, not that "
    "it knew better."
)


def _cell(row: Summary, effect: Effect | None) -> Mapping[str, Any]:
    """One way on one law; without the tuples in words, which `viva consistency ask` has."""
    told = row.as_json()
    names = ("law", "metric", "n", "unreadable", "mean", "strong", "violation", "distinct", "shared")
    against = None if effect is None else effect.as_json()
    return {"variant": row.forecaster, **{name: told[name] for name in names}, "against_first": against}


def _not_reached(ways: Sequence[AskedWay]) -> list[str]:
    return [
        f"The budget ran out: with {name_of(way.label)} {count(way.rows)} of {count(way.planned)} tuples were asked."
        for way in ways
        if way.rows < way.planned
    ]
