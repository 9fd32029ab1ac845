"""Flip rates in words."""

from __future__ import annotations

from math import ceil, floor
from typing import Final

from vivavoce.consistency.invariance.summary import Excess, FlipRate, Ranged, Robustness
from vivavoce.formats.interval import Interval
from vivavoce.formats.wording import count, percent, percent_interval, share


def between(rate: FlipRate) -> str:
    """A rate as the object of a sentence.

    >>> between(FlipRate(10, 1, 0, Interval(0.0025, 0.4451))), between(FlipRate(10, 1, 1, Interval(0.0025, 0.5561)))
    ('10% [0.25, 45] of 10 questions', '10% to 20% [0.25, 56] of 10 questions')
    """
    return f"{rate_in_words(rate)} {percent_interval(rate.interval)} of {count(rate.n)} questions"


def rate_in_words(rate: Ranged) -> str:
    """From the least to the most; `unknown` without questions."""
    if rate.least is None or rate.most is None:
        return "unknown"
    return percent(rate.least) if rate.least == rate.most else f"{percent(rate.least)} to {percent(rate.most)}"


def points(value: float) -> str:
    """A difference of shares in percentage points, with its sign.

    >>> points(0.125), points(-0.5), points(0.0)
    ('+12.5', '−50', '0')
    """
    rounded = round(100 * value, 1)
    digits = f"{abs(rounded):.1f}".removesuffix(".0")
    return "0" if rounded == 0 else f"{'+' if rounded > 0 else '−'}{digits}"


def points_interval(interval: Interval) -> str:
    """Both ends of an interval in percentage points, rounded outwards.

    >>> points_interval(Interval(-0.20945, 0.77668))
    '[−21, +77.7]'
    """
    lower, upper = floor(round(interval.lower * 1000, 9)) / 1000, ceil(round(interval.upper * 1000, 9)) / 1000
    return f"[{points(lower)}, {points(upper)}]"


def excess_points(excess: Excess) -> str:
    """From the least to the most, in percentage points; `unknown` without questions."""
    if excess.least is None or excess.most is None:
        return "unknown"
    return points(excess.least) if excess.least == excess.most else f"{points(excess.least)} to {points(excess.most)}"


SAME_AGAIN: Final = "when it is asked the same again"


def excess_in_words(excess: Excess, control: str = SAME_AGAIN) -> str:
    """How often against the control, with the difference; "more" or "less" only where its interval shows it.

    >>> excess_in_words(Excess(0.25, 0.25, Interval(0.1, 0.4)))
    'more often than when it is asked the same again (+25 [+10, +40] points)'
    >>> excess_in_words(Excess(0.05, 0.05, Interval(-0.1, 0.2)))
    'not significantly more often than when it is asked the same again (+5 [−10, +20] points)'
    """
    less, more = excess.interval.upper < 0, excess.interval.lower > 0
    how = "less often" if less else "more often" if more else "not significantly more often"
    return f"{how} than {control} ({excess_points(excess)} {points_interval(excess.interval)} points)"


def certified(found: Robustness, name: str) -> str:
    """The verdict of a certificate, in a sentence.

    >>> rate = FlipRate(100, 0, 0, Interval(0, 0.037))
    >>> certified(Robustness(0.05, 0.05, "robust", rate, 4.0, -1.0), "bot:x")
    'bot:x is robust: its answer flips on at most 5% of questions under these variations (error at most 5%).'
    """
    limit = f"{share(found.limit)} of questions under these variations (error at most {share(found.delta)})"
    if found.verdict == "robust":
        return f"{name} is robust: its answer flips on at most {limit}."
    if found.verdict == "not robust":
        return f"{name} is not robust: its answer flips on more than {limit}."
    asked = f"whether the answer of {name} flips on at most {share(found.limit)} of questions"
    return f"No conclusion on {asked}: it does on {between(found.rate)}."
