"""Differences in Elo and numbers of nodes in words."""

from __future__ import annotations

import math
from collections.abc import Callable

from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import count
from vivavoce.report.cells import UNBOUNDED, Cell


def signed_elo(value: float) -> str:
    """A difference in whole points with its sign; an infinite one as it is.

    >>> signed_elo(12.4), signed_elo(-200), signed_elo(float("inf"))
    ('+12', '−200', '+∞')
    """
    if math.isinf(value):
        return "+∞" if value > 0 else "−∞"
    points = round(value)
    return f"{'+' if points > 0 else '−' if points < 0 else ''}{abs(points)}"


def elo_interval(interval: Interval) -> str:
    """Both ends, rounded outwards.

    >>> elo_interval(Interval(-3.2, 40.1))
    '[−4, +41]'
    """
    ends = (
        end if math.isinf(end) else whole(end) for end, whole in ((interval.lower, math.floor), (interval.upper, math.ceil))
    )
    lower, upper = map(signed_elo, ends)
    return f"[{lower}, {upper}]"


def elo_in_words(difference: Estimate) -> str:
    """The difference with its interval, for a sentence.

    >>> elo_in_words(Estimate(40.0, Interval(-3.2, 83.1), 50))
    '+40 [−4, +84] Elo'
    >>> elo_in_words(Estimate(None, Interval(300.0, math.inf), 50))
    'a difference in Elo within [+300, +∞]'
    """
    if difference.value is None:
        return f"a difference in Elo within {elo_interval(difference.interval)}"
    return f"{signed_elo(difference.value)} {elo_interval(difference.interval)} Elo"


def elo_cell(difference: Estimate) -> Cell:
    """A difference in Elo with its interval."""
    if difference.value is None:
        return Cell("unbounded", bounds=difference.interval, interval=elo_interval(difference.interval))
    return Cell(signed_elo(difference.value), difference.value, difference.interval, elo_interval(difference.interval))


def nodes_in_words(nodes: Estimate) -> str:
    """A number of nodes with its interval, to two digits: a fit knows no more.

    >>> nodes_in_words(Estimate(8123.0, Interval(5210.0, math.inf), 50)).replace("\\u202f", " ")
    '8 100 [5 200, …]'
    """
    value = "unknown" if nodes.value is None else count(_two_digits(nodes.value, round))
    lower = count(_two_digits(nodes.interval.lower, math.floor)) if nodes.interval.lower else UNBOUNDED
    upper = count(_two_digits(nodes.interval.upper, math.ceil)) if math.isfinite(nodes.interval.upper) else UNBOUNDED
    return f"{value} [{lower}, {upper}]"


def _two_digits(value: float, whole: Callable[[float], int]) -> int:
    unit = 10 ** max(0, math.floor(math.log10(value)) - 1)
    return int(whole(value / unit)) * int(unit)
