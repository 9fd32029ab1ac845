"""Two forecasters on the same tuples, in words: on which laws one is more consistent, and where it may be chance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from vivavoce.consistency.forecasts.summary import Paired
from vivavoce.consistency.forecasts.wording import law_name
from vivavoce.interview.finding import Estimate
from vivavoce.interview.wording import count, name_of, signed, signed_interval
from vivavoce.render.pages.laws.tables import Cell
from vivavoce.render.wording import listed, p_value

LEVEL: Final = 0.05
"""Adjusted p at most so large is not put down to chance."""
MOST_COMPARISONS: Final = 300
"""In the tables of a page."""


@dataclass(frozen=True, slots=True)
class Line:
    """A law in a table of comparisons, in words."""

    law: str
    n: str
    difference: Cell
    p: str
    adjusted: str
    strong: str
    """Tuples strong in the first alone, and in the second alone."""
    p_strong: str


def by_pair(comparisons: Sequence[Paired]) -> list[tuple[str, str, list[Paired]]]:
    """The comparisons of each two forecasters together."""
    found: dict[tuple[str, str], list[Paired]] = {}
    for one in comparisons:
        found.setdefault((one.first, one.second), []).append(one)
    return [(first, second, of) for (first, second), of in found.items()]


def in_words(first: str, second: str, comparisons: Sequence[Paired]) -> str:
    """Which of two forecasters is more consistent on which laws, in one sentence.

    >>> from vivavoce.interview.finding import Interval
    >>> told = Paired("neg", "A", "B", 90, Estimate(-0.2, Interval(-0.3, -0.1), 90), 0.001, 3, 30, 0.001, 0.002)
    >>> in_words("A", "B", [told])
    'A is more consistent than B on Negation.'
    """
    sure = [one for one in comparisons if one.p_adjusted is not None and one.p_adjusted <= LEVEL and one.difference.value]
    more = [law_name(one.law) for one in sure if (one.difference.value or 0.0) < 0]
    less = [law_name(one.law) for one in sure if (one.difference.value or 0.0) > 0]
    one, other = name_of(first), name_of(second)
    if not sure:
        laws = law_name(comparisons[0].law) if len(comparisons) == 1 else f"none of {count(len(comparisons))} laws"
        apart = "is not shown to be" if len(comparisons) == 1 else "is"
        return f"Between {one} and {other} the difference on {laws} {apart} larger than chance explains."
    said = f"{one} is {'more' if more else 'less'} consistent than {other} on {listed(more or less)}"
    if more and less:
        said += f", and less on {listed(less)}"
    return said + ("; on the others chance may explain the difference." if len(sure) < len(comparisons) else ".")


def lines(comparisons: Sequence[Paired]) -> list[Line]:
    """One line of a table a law."""
    return [
        Line(
            law_name(one.law),
            f"n = {count(one.n)}",
            difference(one.difference),
            p_value(one.p),
            p_value(one.p_adjusted),
            f"{count(one.first_only)} : {count(one.second_only)}",
            p_value(one.p_strong),
        )
        for one in comparisons
    ]


def difference(estimate: Estimate) -> Cell:
    """The mean of the first one's metric less the second one's."""
    if estimate.value is None:
        return ("unknown", "")
    bounded = math.isfinite(estimate.interval.lower) and math.isfinite(estimate.interval.upper)
    return (signed(estimate.value), signed_interval(estimate.interval) if bounded else "")
