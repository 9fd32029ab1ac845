"""The numbers of an alignment as cells of tables, and in words."""

from __future__ import annotations

from math import ceil, floor, isfinite
from typing import Final

from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import clipped, name_of
from vivavoce.generalization.alignment.resampling import RatioDifference
from vivavoce.report.cells import Cell, share_cell
from vivavoce.report.wording import p_in_words

LONGEST: Final = 20
"""Characters of a model's name where there is little room."""


def model_cell(name: str) -> Cell:
    """Which model a row is about."""
    return Cell(name_of(name), name, short=short_name(name))


def right_cell(estimate: Estimate) -> Cell:
    """A share of right answers."""
    return share_cell(estimate) if estimate.value is not None else Cell("none", known=False)


def fit_cell(estimate: Estimate) -> Cell:
    """A score to three digits, as models differ in the third."""
    if estimate.value is None:
        return Cell("unknown", known=False)
    return Cell(f"{estimate.value:.3f}", estimate.value, estimate.interval, rounded_ends(estimate.interval))


def difference_cell(difference: RatioDifference, *, turned: bool) -> Cell:
    """A difference of two models with its p-value; `turned`: the second less the first."""
    if difference.value is None:
        return Cell("unknown", known=False)
    sign = -1 if turned else 1
    value = sign * difference.value
    lower, upper = sorted((sign * difference.interval.lower, sign * difference.interval.upper))
    p = "p not known" if difference.p is None else p_in_words(difference.p)
    return Cell(
        signed_thousandths(value),
        value,
        Interval(lower, upper),
        below=(f"[{signed_thousandths(lower)}, {signed_thousandths(upper)}]", p),
    )


def with_interval(estimate: Estimate) -> str:
    """A score with its interval, or that there is none.

    >>> with_interval(Estimate(0.3789, Interval(0.3751, 0.383), 9)), with_interval(Estimate(None, Interval(0, 1), 0))
    ('0.379 [0.375, 0.383]', 'unknown')
    """
    cell = fit_cell(estimate)
    return " ".join(filter(None, (cell.text, cell.interval)))


def rounded_ends(interval: Interval) -> str:
    """An interval to three digits, each end rounded outwards; says where there is too little for one.

    >>> ends(Interval(0.37501, 0.38291)), rounded_ends(Interval(float("-inf"), float("inf")))
    ('[0.375, 0.383]', '(too little for an interval)')
    """
    if not (isfinite(interval.lower) and isfinite(interval.upper)):
        return "(too little for an interval)"
    lower, upper = floor(round(interval.lower * 1000, 6)) / 1000, ceil(round(interval.upper * 1000, 6)) / 1000
    return f"[{lower:.3f}, {upper:.3f}]"


def signed_thousandths(value: float) -> str:
    """A difference with its sign, to three digits.

    >>> signed_thousandths(-0.01331), signed_thousandths(0.0), signed_thousandths(float("inf"))
    ('−0.013', '0.000', 'unbounded')
    """
    if abs(value) == float("inf"):
        return "unbounded"
    text = f"{abs(value):.3f}"
    return text if text == "0.000" else f"{'+' if value > 0 else '−'}{text}"


def points(value: float) -> str:
    """A share in points of a hundred.

    >>> points(0.42)
    '42'
    """
    return f"{100 * value:.0f}".replace("-", "−")


def short_name(name: str) -> str:
    """A model's name where there is little room: what stands behind the last stroke, its end cut off.

    >>> short("mistralai/Mistral-7B-Instruct-v0.2"), short_name("gpt-4")
    ('Mistral-7B-Instruct…', 'gpt-4')
    """
    shown = clipped(name.rsplit("/", 1)[-1] or name, 10_000)
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…"
