"""Cells of tables: a number in words for people, and as a value with its interval for programs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import count, percent, percent_interval, score, score_interval, signed, signed_interval

Value = float | int | str | None
"""What a program reads in a cell."""
Tone = Literal["good", "bad", "open"]
"""What something means for whoever asks whether to trust: it speaks for it, against it, or leaves it open."""
UNBOUNDED = "…"
"""In place of an end of an interval that is not known."""


@dataclass(frozen=True, slots=True)
class Tint:
    """How strongly a cell is coloured, and for what."""

    level: int
    """From 0, not at all, to 4."""
    tone: Literal["bad", "plain", "match", "differ"] = "bad"
    framed: bool = False
    """Whether the cell is set apart by a frame."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What stands in one place of a table.

    >>> Cell.of(Estimate(0.25, Interval(0.125, 0.5), 8), percent, percent_interval)
    Cell('25%', interval='[12, 50]')
    """

    text: str
    """In words; numbers rounded as readers want them."""
    value: Value = None
    """What a program reads; None where that is the text."""
    bounds: Interval | None = None
    """The interval of the value."""
    interval: str = ""
    """The interval in words."""
    n: str = ""
    """The number of observations in words, as `n = 8`."""
    below: tuple[str, ...] = ()
    """Further lines, where there is room."""
    about: str = ""
    """What the text means, in a few words, where there is room."""
    short: str = ""
    """The text where there is little room; empty: the text itself."""
    tone: Tone | None = None
    """Which mark stands before the text; None: none."""
    tint: Tint | None = None
    quiet: bool = False
    """Whether it stands back behind others."""
    known: bool = True
    """Whether anything was observed; what was not is no value for a program either."""

    @classmethod
    def of(
        cls,
        estimate: Estimate,
        write: Callable[[float], str],
        write_interval: Callable[[Interval], str],
        *,
        unknown: str = "unknown",
        ends: Interval | None = None,
    ) -> Cell:
        """A number with its interval. Of an interval that is open above, the lower end alone is told.

        ends: the least and the most that the number may be; None where that is known.

        >>> Cell.of(Estimate(0.5, Interval(0.0, 1.0), 8), percent, percent_interval, ends=Interval(0.2, 0.8))
        Cell('between 20% and 80%', interval='[0, 100]')
        """
        if estimate.value is None:
            return cls(unknown, known=False)
        bounds = estimate.interval
        if math.isinf(bounds.lower):
            words = ""
        elif math.isinf(bounds.upper):
            words = f"[{write(bounds.lower)}, {UNBOUNDED}]"
        else:
            words = write_interval(bounds)
        text = write(estimate.value) if ends is None else f"between {write(ends.lower)} and {write(ends.upper)}"
        return cls(text, estimate.value, bounds, words)

    @property
    def beside(self) -> str:
        """The interval and the number of observations, as they stand next to the text."""
        return ", ".join(filter(None, (self.interval, self.n)))

    @property
    def words(self) -> str:
        """All of it on one line.

        >>> Cell("68.9", interval="[66.0, 71.5]", n="n = 220").words
        '68.9 [66.0, 71.5], n = 220'
        """
        return " ".join(filter(None, (self.text, self.beside)))

    def with_n(self, n: int) -> Cell:
        """The same with the number of observations told."""
        return replace(self, n=observations(n))

    def __repr__(self) -> str:
        told = [f"{name}={getattr(self, name)!r}" for name in ("interval", "n", "below", "about") if getattr(self, name)]
        return f"Cell({', '.join([repr(self.text), *told])})"


def share_cell(estimate: Estimate) -> Cell:
    """A share in percent with its interval.

    >>> share_cell(Estimate(None, Interval(0, 1), 0))
    Cell('unknown')
    """
    return Cell.of(estimate, percent, percent_interval)


def score_cell(estimate: Estimate, ends: Interval | None = None) -> Cell:
    """A score from 0 to 1 with its interval; ends: as `Cell.of` takes them."""
    return Cell.of(estimate, score, score_interval, ends=ends)


def signed_cell(estimate: Estimate, ends: Interval | None = None) -> Cell:
    """A difference with its sign and interval; ends: as `Cell.of` takes them.

    >>> signed_cell(Estimate(-0.2, Interval(-math.inf, math.inf), 2))
    Cell('−0.20')
    """
    return Cell.of(estimate, signed, signed_interval, ends=ends)


def count_cell(number: int) -> Cell:
    """A number of things.

    >>> count_cell(3).value
    3
    """
    return Cell(count(number), number)


def observations(n: int) -> str:
    """How many observations stand behind a number.

    >>> observations(39)
    'n = 39'
    """
    return f"n = {count(n)}"
