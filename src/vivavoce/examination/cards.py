"""What one finding comes to in a dossier: claims for the answer, figures to compare, and how to have them again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import percent, percent_interval, score, score_interval
from vivavoce.report.reported import Reported

Kind = Literal["trusted", "not", "unknown", "measured"]
"""What it may be trusted for, what not, what is unknown, and what was measured without a verdict."""
Unit = Literal["share", "score", "points"]
"""A rate in percent, a score from 0 to 1, or points from 0 to 100."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing that a finding says, as the answer tells it; never more than the finding does."""

    kind: Kind
    words: str
    """After "may be trusted for", "not for" or "unknown"; a sentence of its own where it was measured alone."""
    chance: float | None = None
    """Bound on the chance that the verdict, or any of those given together, is wrong; None where there is no verdict."""
    shared: bool = False
    """Whether it bounds the mean share of wrong ones among the verdicts given together instead."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that can be compared with the same number of another candidate."""

    name: str
    value: float | None
    lower: float | None
    """None where it is not bounded."""
    upper: float | None
    n: int
    unit: Unit
    asked: str
    """What it is of, as a digest: only numbers of the same can be compared. Empty where it is not known."""
    title: str = ""
    """Display title; empty: `name`, by which figures are compared."""

    @property
    def titled(self) -> str:
        """What it is called on a page."""
        return self.title or self.name

    @classmethod
    def of(cls, name: str, estimate: Estimate, unit: Unit, asked: str, *, title: str = "") -> Figure:
        """An estimate as a figure."""
        told = estimate.as_json()
        return cls(name, told["value"], told["lower"], told["upper"], told["n"], unit, asked, title)

    def as_json(self) -> dict[str, Any]:
        """As JSON values, without a title where there is none."""
        return {name: value for name, value in asdict(self).items() if name != "title" or value}

    @property
    def in_words(self) -> str:
        """The value with its interval; "unknown" where there is none.

        >>> Figure("wrong", 0.25, 0.1, 0.5, 8, "share", "").in_words, Figure("wrong", None, 0, 1, 0, "share", "").in_words
        ('25% [10, 50]', 'unknown')
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
class Card:
    """One finding of a dossier."""

    room: str
    """Its name."""
    statement: str
    claims: tuple[Claim, ...]
    figures: tuple[Figure, ...]
    caveats: tuple[str, ...]
    command: str
    """Has the finding again."""
    scope_digest: str
    signature: str
    details: Mapping[str, Any] = field(repr=False)
    """The finding as JSON values."""
    finding: Reported | None = field(default=None, repr=False, compare=False)
    """None where the dossier was read from a file."""
