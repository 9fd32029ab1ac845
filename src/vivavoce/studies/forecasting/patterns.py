"""Patterns of appendix C.3 of `fluri2024`: kinds of failed negation, round numbers, monotone series, one number for all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from vivavoce.formats.interval import Estimate
from vivavoce.laws.law import QUANTITIES
from vivavoce.laws.monotone import FEWEST_DRAWS, notions
from vivavoce.statistics.clustered import share_estimate
from vivavoce.studies.forecasting.scoring import CONTROL, ScoredTuple

SAME_WITHIN: Final = 0.05
"""Two forecasts that differ by at most this count as the same number: the paper's measure of the effect of rounding."""
_ROUNDING: Final = 1e-9


class Failure(StrEnum):
    """Patterns of forecasts P and not_P in a strong contradiction; a contradiction belongs to the first that fits."""

    SAME = "same number"
    """The two differ by at most .05: the model ignored the negation, for whatever reason."""
    BOTH_HIGH = "both high"
    """Neither is below .5."""
    BOTH_LOW = "both low"
    """Neither is above .5."""
    NOT_ADDING_UP = "one high, one low"
    """The model noticed the negation, but the forecasts do not sum to 1."""


@dataclass(frozen=True, slots=True)
class FailedNegations:
    """One forecaster's strong contradictions on negation, by kind."""

    forecaster: str
    n: int
    """Number of strong contradictions."""
    kinds: Mapping[Failure, Estimate]
    """Shares of the kinds, which sum to 1; intervals account for tuples that share base questions."""


def failure(event: float, negation: float) -> Failure:
    """The kind of a strong contradiction between two forecasts.

    >>> [failure(*said).value for said in ((0.9, 0.9), (0.9, 0.6), (0.1, 0.3), (0.9, 0.4))]
    ['same number', 'both high', 'both low', 'one high, one low']
    """
    if abs(event - negation) <= SAME_WITHIN + _ROUNDING:
        return Failure.SAME
    if min(event, negation) >= 0.5:
        return Failure.BOTH_HIGH
    return Failure.BOTH_LOW if max(event, negation) <= 0.5 else Failure.NOT_ADDING_UP


def failed_negations(scored: Sequence[ScoredTuple]) -> tuple[FailedNegations, ...]:
    """Failed negations of each forecaster with a strong contradiction on negation, in their order."""
    failed: dict[str, list[tuple[Failure, tuple[str, ...]]]] = {}
    for scored_tuple in scored:
        event, negation = (scored_tuple.row.forecasts.get(key) for key in ("P", "not_P"))
        if scored_tuple.row.law == "neg" and scored_tuple.strong and event is not None and negation is not None:
            failed.setdefault(scored_tuple.row.forecaster, []).append((failure(event, negation), scored_tuple.row.base))
    negations = []
    for name, rows in failed.items():
        bases = [base for _, base in rows]
        kinds = {kind: share_estimate([entry is kind for entry, _ in rows], bases) for kind in Failure}
        negations.append(FailedNegations(name, len(rows), kinds))
    return tuple(negations)


TWO_DECIMALS: Final = (21 / 101, 11 / 101)
"""Shares of multiples of 5% and of 10% among the whole percentages from 0 to 100."""


@dataclass(frozen=True, slots=True)
class Rounding:
    """Shares of round numbers among one forecaster's probabilities for different questions."""

    forecaster: str
    multiples_of_5: Estimate
    """Share of multiples of 5%, including 0 and 100%; the interval accounts for questions of the same tuple."""
    multiples_of_10: Estimate
    """Share of multiples of 10%, which are also multiples of 5%."""


def is_multiple(probability: float, percent: int) -> bool:
    """Whether a probability is a multiple of this many per cent.

    >>> is_multiple(0.35, 5), is_multiple(0.35, 10), is_multiple(0.3, 10), is_multiple(0.352, 5)
    (True, False, True, False)
    """
    times = probability * 100 / percent
    return abs(times - round(times)) < _ROUNDING


def roundings(scored: Sequence[ScoredTuple]) -> tuple[Rounding, ...]:
    """Shares of round numbers for each forecaster that gave a probability, in their order."""
    of: dict[str, list[ScoredTuple]] = {}
    for scored_tuple in scored:
        of.setdefault(scored_tuple.row.forecaster, []).append(scored_tuple)
    return tuple(rounding for name, tuples in of.items() if (rounding := _rounding(name, tuples)))


def _rounding(forecaster: str, scored: Iterable[ScoredTuple]) -> Rounding | None:
    """The shares of one forecaster; None without a probability. Repeated questions count once, controls not at all."""
    document: dict[object, tuple[float, tuple[str, ...]]] = {}
    for scored_tuple in scored:
        row = scored_tuple.row
        if row.law == CONTROL or row.law in QUANTITIES:
            continue
        of_tuple = (row.law, row.id, str(row.line))
        for key, value in row.forecasts.items():
            if value is not None:
                document.setdefault(row.questions.get(key) or (*of_tuple, key), (value, row.base or ("\0".join(of_tuple),)))
    if not document:
        return None
    values, groups = zip(*document.values(), strict=True)
    fives, tens = (share_estimate([is_multiple(value, percent) for value in values], groups) for percent in (5, 10))
    return Rounding(forecaster, fives, tens)


@dataclass(frozen=True, slots=True)
class MonotoneSeries:
    """Shares of one forecaster's monotone series, by three definitions from strictest to most lenient (`laws.spread`)."""

    forecaster: str
    n: int
    """Series with at least two draws of each quantity."""
    without_draws: int
    """Other series, whose spread is unknown."""
    strong: Estimate
    """Share of series whose medians and both interval ends are in order."""
    median: Estimate
    """Share of series whose medians are in order."""
    weak: Estimate
    """Share of series for which some monotone curve passes through all intervals."""


def has_spread(scored: ScoredTuple) -> bool:
    """Whether the tuple is a series with at least two draws of each quantity."""
    row = scored.row
    return row.law in QUANTITIES and all(len(row.draws.get(key, ())) >= FEWEST_DRAWS for key in row.forecasts)


def monotone_series(scored: Sequence[ScoredTuple]) -> tuple[MonotoneSeries, ...]:
    """Shares for each forecaster with a series whose draws are known, in their order."""
    series: dict[str, list[ScoredTuple]] = {}
    for scored_tuple in scored:
        if scored_tuple.row.law in QUANTITIES:
            series.setdefault(scored_tuple.row.forecaster, []).append(scored_tuple)
    return tuple(monotone for name, of in series.items() if (monotone := _counted_series(name, of)))


def _counted_series(forecaster: str, series: Sequence[ScoredTuple]) -> MonotoneSeries | None:
    known = [scored_tuple for scored_tuple in series if has_spread(scored_tuple)]
    if not known:
        return None
    held = [notions(scored_tuple.row.law, scored_tuple.row.draws) for scored_tuple in known]
    groups = [scored_tuple.row.base for scored_tuple in known]
    strong, median, weak = (
        share_estimate([bool(getattr(series, name)) for series in held], groups) for name in ("strong", "median", "weak")
    )
    return MonotoneSeries(forecaster, len(known), len(series) - len(known), strong, median, weak)


FEWEST_QUESTIONS: Final = 8
"""Different questions needed before giving one number to most of them means anything."""


@dataclass(frozen=True, slots=True)
class Favourite:
    """A number that one forecaster gave to more than half of all different questions."""

    forecaster: str
    value: float
    count: int
    questions: int
    """Number of different questions with a forecast."""


def favourites(scored: Sequence[ScoredTuple]) -> tuple[Favourite, ...]:
    """The favourite of each forecaster that gave one number to more than half of enough different questions."""
    forecasts: dict[str, dict[object, float]] = {}
    for scored_tuple in scored:
        row = scored_tuple.row
        if row.law == CONTROL:
            continue
        of_forecaster = forecasts.setdefault(row.forecaster, {})
        for key, value in row.forecasts.items():
            if value is not None:
                of_forecaster[row.questions.get(key) or (row.law, row.id, row.line, key)] = value
    results = []
    for name, values in forecasts.items():
        if len(values) >= FEWEST_QUESTIONS:
            value, number = Counter(values.values()).most_common(1)[0]
            if 2 * number > len(values):
                results.append(Favourite(name, value, number, len(values)))
    return tuple(results)
