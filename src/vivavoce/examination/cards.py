"""One finding in a report: its claims, figures to compare, and the command that repeats it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field

from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.json_values import to_json
from vivavoce.formats.wording import percent, percent_interval, score, score_interval
from vivavoce.report.reported import ReportedFinding

Text = Annotated[str, Field(max_length=20_000)]
"""A text in a report's file, which may come from anyone."""
# Dates of reports are never near these ends; between them, differences, percents and other time zones can be computed.
Number = Annotated[float, Field(ge=-1e6, le=1e6)] | None
Chance = Annotated[float, Field(ge=1e-15, lt=1)] | None
Count = Annotated[int, Field(ge=0, le=2**60)]
Kind = Literal["trusted", "not", "unknown", "measured"]
"""A pass, a fail (or a contradiction that was found), neither, or a measurement without a verdict."""
Unit = Literal["share", "score", "points"]
"""A rate in percent, a score from 0 to 1, or points from 0 to 100."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim of a finding, never stronger than the finding."""

    kind: Kind
    words: Text
    """After "passes", "don't use it for" or "unknown"; a whole sentence for a measurement."""
    chance: Chance = None
    """Bound on the chance that the verdict, or any of those given together, is wrong; None without a verdict."""
    shared: bool = False
    """Whether it is instead a bound on the mean share of wrong ones among the verdicts given together."""
    subject: Text = ""
    """Its subject in a few words; empty: `words`."""


@dataclass(frozen=True, slots=True)
class ComparableFigure:
    """A number that can be compared with the same number of another candidate."""

    name: Text
    value: Number
    lower: Number
    """None: no bound."""
    upper: Number
    n: Count
    unit: Unit
    asked: Text
    """Digest of the questions: only figures with the same one can be compared. Empty if unknown."""
    title: Text = ""
    """Display title; empty: `name`, by which figures are compared."""

    @property
    def titled(self) -> str:
        """Its display name."""
        return self.title or self.name

    @classmethod
    def of(cls, name: str, estimate: Estimate, unit: Unit, asked: str, *, title: str = "") -> ComparableFigure:
        """An estimate as a figure."""
        values = to_json(estimate)
        return cls(name, values["value"], values["lower"], values["upper"], values["n"], unit, asked, title)

    @property
    def in_words(self) -> str:
        """The value with its interval; "unknown" without a value.

        >>> ComparableFigure("wrong", 0.25, 0.1, 0.5, 8, "share", "").in_words
        '25% [10, 50]'
        >>> ComparableFigure("wrong", None, 0, 1, 0, "share", "").in_words
        'unknown'
        """
        if self.value is None:
            return "unknown"
        if self.lower is None or self.upper is None:
            return f"{self.shown} (no interval)"
        bounds = Interval(self.lower, self.upper)
        if self.unit == "points":
            return f"{self.shown} [{self.lower:.0f}, {self.upper:.0f}]"
        return f"{self.shown} {percent_interval(bounds) if self.unit == 'share' else score_interval(bounds)}"

    @property
    def shown(self) -> str:
        """The value alone."""
        if self.value is None:
            return "unknown"
        return {"share": percent, "score": score, "points": "{:.0f}".format}[self.unit](self.value)


@dataclass(frozen=True, slots=True)
class FindingCard:
    """One finding of a report."""

    room: str
    """Its name."""
    statement: str
    claims: tuple[Claim, ...]
    figures: tuple[ComparableFigure, ...]
    caveats: tuple[str, ...]
    command: str
    """Repeats the finding."""
    scope_digest: str
    signature: str
    details: Mapping[str, Any] = field(repr=False)
    """The finding as JSON values."""
    finding: ReportedFinding | None = field(default=None, repr=False, compare=False)
    """None if the report was read from a file."""

    json_keys = "room statement command scope_digest signature claims figures caveats details"
