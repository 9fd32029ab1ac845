"""The figures of a comparison: differences with their intervals, by category or by pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import Final

from vivavoce.certificate.comparison.compared import PairDifference, PairVerdict
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import count, signed, signed_interval
from vivavoce.report.figures import IntervalRow, IntervalRows, Kind

MEAN_SCORES: Final = "mean scores"
MOST_CATEGORIES: Final = 30
KINDS: Final[Mapping[PairVerdict, Kind]] = {
    "better": "plain",
    "worse": "bad",
    "equal": "good",
    "no worse": "good",
    "no conclusion": "open",
}


def difference(names: Sequence[str], pair: PairDifference, what: str = MEAN_SCORES) -> IntervalRows:
    """The difference of two candidates, on all questions and by category; no rows where it is unknown."""
    found = pair.difference
    first, second = names
    rows = [_row("all questions", found, pair.verdict, pair.range)]
    rows += [
        _row(one.name or "no category", one.difference, one.verdict, one.range) for one in pair.categories[:MOST_CATEGORIES]
    ]
    by_category = f", and in each of {len(rows) - 1} categories" if len(rows) > 1 else ""
    head = f"Mean score of {first} less that of {second}"
    if what != MEAN_SCORES:
        head = f"Difference of {what}, {first} less {second}"
    known = "unknown" if found.value is None else f"{signed(found.value)} {signed_interval(found.interval)}"
    return IntervalRows(
        f"difference of {what}", () if found.value is None else rows, 0.0, "",
        f"{head}: {known} on {count(found.n)} units{by_category}.", "number", _span(rows),
        ends=(f"{second} better", f"{first} better"),
    )  # fmt: skip


def pairs(names: Sequence[str], found: Sequence[PairDifference]) -> IntervalRows:
    """The difference of each pair of candidates."""
    apart = sum(pair.verdict in ("better", "worse") for pair in found)
    rows = [
        _row(f"{names[pair.pair[0]]} less {names[pair.pair[1]]}", pair.difference, pair.verdict, pair.range)
        for pair in found
        if pair.difference.value is not None
    ]
    alt = f"Differences of mean scores with their intervals: {apart} of {len(found)} pairs are told apart."
    return IntervalRows(
        "difference of mean scores", rows, 0.0, "", alt, "number", _span(rows), ends=("second better", "first better"),
        key=_key(rows),
    )  # fmt: skip


def _row(label: str, found: Estimate, verdict: PairVerdict, ends: Interval | None = None) -> IntervalRow:
    """ends: the least and the most that the difference may be; None where that is one number."""
    sides = ((end if isfinite(end) else side) for end, side in ((found.interval.lower, -1.0), (found.interval.upper, 1.0)))
    text = signed(found.value or 0.0)
    return IntervalRow.of(label, text, replace(found, interval=Interval(*sides)), KINDS[verdict], ends=ends)


def _span(rows: Sequence[IntervalRow]) -> tuple[float, float]:
    reach = max((abs(end) for row in rows for end in (row.interval.lower, row.interval.upper)), default=0.0)
    reach = 1.05 * min(1.0, max(0.05, reach))
    return -reach, reach


def _key(rows: Sequence[IntervalRow]) -> tuple[tuple[Kind, str], ...]:
    """What the kinds of rows say, where there are several."""
    words: dict[Kind, str] = {"plain": "better", "bad": "worse", "good": "equal or no worse", "open": "no conclusion"}
    shown = {row.kind for row in rows}
    return tuple((kind, word) for kind, word in words.items() if kind in shown) if len(shown) > 1 else ()
