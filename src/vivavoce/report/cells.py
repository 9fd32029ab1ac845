"""Cells of tables: numbers in words for people, values with intervals for programs, and p-values."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import count, percent, percent_interval, score, score_interval, signed, signed_interval

NBSP: Final = "\N{NO-BREAK SPACE}"


def p_value(p: float | None) -> str:
    """A p-value to two significant digits.

    >>> p_value(0.00002), p_value(0.00123), p_value(0.0123), p_value(0.5), p_value(None)
    ('<\xa00.001', '0.0012', '0.012', '0.50', 'too few')
    """
    if p is None:
        return "too few"
    return f"<{NBSP}0.001" if p < 0.001 else f"{p:.{4 if p < 0.01 else 3 if p < 0.1 else 2}f}"


def p_in_words(p: float) -> str:
    """A p-value with its name.

    >>> p_in_words(0.00002), p_in_words(0.0123)
    ('p\xa0<\xa00.001', 'p\xa0=\xa00.012')
    """
    return f"p{NBSP}{p_value(p)}" if p < 0.001 else f"p{NBSP}={NBSP}{p_value(p)}"


def listed(names: Sequence[str]) -> str:
    """Names in a sentence; at least one.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


Value = float | int | str | None
"""The value of a cell for programs."""
Tone = Literal["good", "bad", "open"]
"""The meaning of a value: for trust, against it, or open."""
TONES: Final[Mapping[Literal["pass", "fail", "undecided"], Tone]] = {"pass": "good", "fail": "bad", "undecided": "open"}
UNBOUNDED = "…"
"""Replaces an unknown end of an interval."""


@dataclass(frozen=True, slots=True)
class Tint:
    """The colour of a cell, and its strength."""

    level: int
    """From 0 (none) to 4."""
    tone: Literal["bad", "plain", "match", "differ"] = "bad"
    framed: bool = False
    """Whether the cell has a frame."""


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell of a table.

    >>> TableCell.of(Estimate(0.25, Interval(0.125, 0.5), 8), percent, percent_interval)
    TableCell('25%', interval='[12, 50]')
    """

    text: str
    """In words, with rounded numbers."""
    value: Value = None
    """The value for programs; None if that is the text."""
    bounds: Interval | None = None
    """The interval of the value."""
    interval: str = ""
    """The interval in words."""
    n: str = ""
    """The number of observations in words, as `n = 8`."""
    below: tuple[str, ...] = ()
    """Further lines, if there is room."""
    about: str = ""
    """An explanation of the text, if there is room."""
    short: str = ""
    """The text for little room; empty: the text itself."""
    tone: Tone | None = None
    """The mark before the text; None: no mark."""
    tint: Tint | None = None
    quiet: bool = False
    """Whether it is less prominent."""
    known: bool = True
    """Whether anything was observed; otherwise programs get no value."""

    @classmethod
    def of(
        cls,
        estimate: Estimate,
        write: Callable[[float], str],
        write_interval: Callable[[Interval], str],
        *,
        unknown: str = "unknown",
        ends: Interval | None = None,
    ) -> TableCell:
        """A number with its interval; an interval without an upper end shows only the lower one.

        ends: the least and the greatest possible number; None if it is known.

        >>> TableCell.of(Estimate(0.5, Interval(0.0, 1.0), 8), percent, percent_interval, ends=Interval(0.2, 0.8))
        TableCell('between 20% and 80%', interval='[0, 100]')
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
        """The interval and the number of observations, for the place next to the text."""
        return ", ".join(filter(None, (self.interval, self.n)))

    @property
    def words(self) -> str:
        """All of it on one line.

        >>> TableCell("68.9", interval="[66.0, 71.5]", n="n = 220").words
        '68.9 [66.0, 71.5], n = 220'
        """
        return " ".join(filter(None, (self.text, self.beside)))

    def with_n(self, n: int) -> TableCell:
        """The cell with its number of observations."""
        return replace(self, n=observations(n))

    def __repr__(self) -> str:
        parts = [f"{name}={getattr(self, name)!r}" for name in ("interval", "n", "below", "about") if getattr(self, name)]
        return f"TableCell({', '.join([repr(self.text), *parts])})"


def share_cell(estimate: Estimate) -> TableCell:
    """A share in percent with its interval.

    >>> share_cell(Estimate(None, Interval(0, 1), 0))
    TableCell('unknown')
    """
    return TableCell.of(estimate, percent, percent_interval)


def score_cell(estimate: Estimate, ends: Interval | None = None) -> TableCell:
    """A score from 0 to 1 with its interval; ends: as `TableCell.of` takes them."""
    return TableCell.of(estimate, score, score_interval, ends=ends)


def signed_cell(estimate: Estimate, ends: Interval | None = None) -> TableCell:
    """A difference with its sign and interval; ends: as `TableCell.of` takes them.

    >>> signed_cell(Estimate(-0.2, Interval(-math.inf, math.inf), 2))
    TableCell('−0.20')
    """
    return TableCell.of(estimate, signed, signed_interval, ends=ends)


NOT_ASKED: Final = TableCell("not asked", quiet=True, known=False)


def count_cell(number: int) -> TableCell:
    """A number of things.

    >>> count_cell(3).value
    3
    """
    return TableCell(count(number), number)


def observations(n: int) -> str:
    """The number of observations.

    >>> observations(39)
    'n = 39'
    """
    return f"n = {count(n)}"
