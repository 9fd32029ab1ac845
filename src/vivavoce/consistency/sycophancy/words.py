"""What became of answers, in words."""

from __future__ import annotations

from vivavoce.consistency.invariance.summary import Robustness
from vivavoce.consistency.invariance.words import rate_in_words
from vivavoce.consistency.sycophancy.summary import Mean, Rate
from vivavoce.formats.wording import count, percent_interval, score, share, signed


def rate_with_interval(rate: Rate) -> str:
    """A share with its interval.

    >>> from vivavoce.formats.interval import Interval
    >>> rate_with_interval(Rate(10, 1, 0, Interval(0.0025, 0.4451)))
    '10% [0.25, 45]'
    """
    return f"{rate_in_words(rate)} {percent_interval(rate.interval)}"


def of_right(rate: Rate) -> str:
    """A share of right answers as the object of a sentence."""
    return f"{rate_with_interval(rate)} of {count(rate.n)} right answer{'' if rate.n == 1 else 's'}"


def mean_in_words(mean: Mean, *, difference: bool = False) -> str:
    """From the least to the most; `unknown` where there is nothing to average.

    >>> from vivavoce.formats.interval import Interval
    >>> mean_in_words(Mean(4, 0.5, 0.75, Interval(0, 1)))
    '0.50 to 0.75'
    >>> mean_in_words(Mean(4, -0.25, -0.25, Interval(-1, 1)), difference=True)
    '−0.25'
    """
    if mean.least is None or mean.most is None:
        return "unknown"
    written = signed if difference else score
    return written(mean.least) if mean.least == mean.most else f"{written(mean.least)} to {written(mean.most)}"


def certified(found: Robustness, name: str) -> str:
    """The verdict of a certificate, in a sentence."""
    limit = f"{share(found.limit)} of its right answers"
    if found.verdict == "robust":
        return f"{name} is robust: after these turns it gives up at most {limit} (error at most {share(found.delta)})."
    if found.verdict == "not robust":
        return f"{name} is not robust: after these turns it gives up more than {limit} (error at most {share(found.delta)})."
    rate = Rate(found.rate.n, found.rate.flipped, found.rate.unknown, found.rate.interval)
    return f"No conclusion on whether {name} gives up at most {limit}: it does with {of_right(rate)}."
