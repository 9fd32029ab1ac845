"""Turns scored tuples into the effect of each law on each forecaster, comparisons of forecasters, and a ranking."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vivavoce.formats.interval import Estimate, Interval
from vivavoce.laws.law import QUANTITIES, law_named
from vivavoce.laws.violation import FORMULA, OWN_LAW
from vivavoce.statistics.clustered import Groups, bounded_mean
from vivavoce.studies.comparisons import SubjectComparison, compare
from vivavoce.studies.effects import Case, Effect, Treatment, effects_of
from vivavoce.studies.forecasting import scoring
from vivavoce.studies.forecasting.forecast_files import Row
from vivavoce.studies.forecasting.scoring import FailedNegations, Favourite, MonotoneSeries, Rounding
from vivavoce.studies.study import StudyFinding

STRONG: Final = "strong"
"""Event: the metric of the law is above .2; for a user's own law, .2 or more."""
UNPARSED: Final = "a forecast could not be parsed"
WORST: Final = 5
"""Tuples that are kept as examples for each forecaster and law."""
BINS: Final = 20
"""Bins of a histogram over the metric from 0 to 1; larger values are in the last bin."""
PAIRED: Final = ("neg", "paraphrase")
"""Laws with pairs of forecasts, as Figure 3 of `fluri2024` draws them."""
ByLaw = Mapping[tuple[str, str], Sequence[scoring.ScoredTuple]]
"""Tuples by forecaster and law."""


@dataclass(frozen=True, slots=True, order=True)
class ForecastPair:
    """Two related forecasts, and how often they were given."""

    first: float
    second: float
    times: int


@dataclass(frozen=True, slots=True)
class LawDetails:
    """Data of this study on one forecaster's tuples of one law."""

    subject: str
    law: str
    metric: str
    is_shared: bool
    """Whether some tuples share base questions; intervals then account for it."""
    is_extreme: bool
    """Whether some probability is exactly 0 or 1."""
    histogram: tuple[int, ...]
    """Numbers of tuples by metric, in `BINS` bins."""
    worst: tuple[scoring.ScoredTuple, ...]
    """Examples with the largest metric, largest first."""
    in_order: scoring.ScoredTuple | None
    """The first series of quantities that is in order throughout; None without one."""
    pairs: tuple[ForecastPair, ...]
    """Forecasts of an event paired with those of its negation, or of the first wording paired with each other one."""


@dataclass(frozen=True, slots=True)
class Way:
    """A way to ask, with how many tuples it was planned for."""

    variant: str
    forecaster: str
    """The forecaster's full name, which says who was asked and how."""
    instructions: str
    """SHA-256 of the user's own instructions; empty for ours."""
    together: bool
    rows: int
    planned: int
    """Rows planned, including controls; a budget can leave fewer."""


@dataclass(frozen=True, slots=True)
class ForecastDetails:
    """Data that only this study has."""

    laws: tuple[LawDetails, ...]
    """Data by forecaster and law, in order of first occurrence."""
    paired_by_place: bool
    """Whether tuples were paired by their place in the file, because they have no ids."""
    favourites: tuple[Favourite, ...]
    rounding: tuple[Rounding, ...]
    negations: tuple[FailedNegations, ...]
    series: tuple[MonotoneSeries, ...]
    """Series of forecasters whose single replies are known."""
    ways: tuple[Way, ...] = ()
    """The ways of a comparison of ways to ask; the others are compared with the first."""


ForecastFinding = StudyFinding[ForecastDetails]


def effect_of_law(forecaster: str, law: str, scored: Sequence[scoring.ScoredTuple]) -> tuple[Effect, LawDetails]:
    """The effect for one forecaster's tuples of one law."""
    known = [scored_tuple for scored_tuple in scored if scored_tuple.metric is not None]
    treatment = Treatment(
        law,
        scoring.OCCASION.get(law, f"on the law {scoring.law_name(law)}"),
        is_control=law == scoring.CONTROL,
        label=scoring.law_name(law),
        subject=forecaster,
        group=scoring.law_name(law),
    )
    (effect,) = effects_of([_case(scored_tuple, treatment) for scored_tuple in scored], [treatment], (STRONG,))
    metrics, groups = (
        np.array([scored_tuple.metric for scored_tuple in known], dtype=float),
        [scored_tuple.row.base for scored_tuple in known],
    )
    forecasts = [value for scored_tuple in known for value in scored_tuple.row.forecasts.values()]
    estimates = {
        "mean": _mean(
            metrics, groups, largest=max(scoring.largest_metric(scored_tuple.row) for scored_tuple in (known or scored))
        )
    }
    if law not in QUANTITIES:
        distances = np.array([scored_tuple.violation for scored_tuple in known], dtype=float)
        estimates["distance"] = _mean(distances, groups, largest=math.inf)
    numbers: dict[str, float | None] = {"distinct": len(set(forecasts)), "forecasts": len(forecasts)}
    broken = [scored_tuple for scored_tuple in known if scored_tuple.metric]
    details = LawDetails(
        forecaster,
        law,
        FORMULA.get(law, OWN_LAW),
        is_shared=max(Counter(name for names in groups for name in set(names)).values(), default=0) > 1,
        is_extreme=law not in QUANTITIES and not {0, 1}.isdisjoint(forecasts),
        histogram=_histogram(metrics, own=any(scored_tuple.own for scored_tuple in known)),
        worst=tuple(sorted(broken, key=lambda each: (each.metric or 0.0, each.violation or 0.0), reverse=True)[:WORST]),
        in_order=next((scored_tuple for scored_tuple in known if law in QUANTITIES and not scored_tuple.metric), None),
        pairs=_pairs(law, known),
    )
    return replace(effect, numbers=numbers | _references(known or scored), estimates=estimates), details


def by_law(scored: Iterable[scoring.ScoredTuple]) -> dict[tuple[str, str], list[scoring.ScoredTuple]]:
    """Group tuples by forecaster and law, in order of first occurrence."""
    groups: dict[tuple[str, str], list[scoring.ScoredTuple]] = {}
    for scored_tuple in scored:
        groups.setdefault((scored_tuple.row.forecaster, scored_tuple.row.law), []).append(scored_tuple)
    return groups


def comparisons_of(
    groups: ByLaw, pairs: Sequence[tuple[str, str]], *, rng: np.random.Generator
) -> tuple[bool, list[SubjectComparison]]:
    """All comparisons of these pairs, law by law; and whether tuples were paired by their place, because they have no ids.

    Tuples with the same id are the same tuple. If a forecaster's tuples of a law have no ids, they are paired in order,
    provided both forecasters have equally many; otherwise there is no comparison.
    """
    by_place, comparisons = False, []
    for first, second in pairs:
        for law in dict.fromkeys(law for forecaster, law in groups if forecaster == first):
            if (second, law) not in groups:
                continue
            tuples, other = groups[first, law], groups[second, law]
            both = _matched(tuples, other)
            if both is not None:
                by_place = by_place or not (_named(tuples) and _named(other))
                comparisons.append(_comparison(law, (first, second), both, rng))
    return by_place, comparisons


@dataclass(frozen=True, slots=True)
class Ranking:
    """Comparable forecasters, ranked over the laws that all of them were asked."""

    shares: Mapping[str, Estimate]
    """Forecaster -> mean share of strong contradictions over `laws`, and the means of its ends; lowest first."""
    laws: tuple[str, ...]
    few_laws: int
    """Forecasters left out because they were asked less than half as many laws as another, or had no parsed reply."""
    dull: int
    """Forecasters left out because all their forecasts are the same."""

    @property
    def best(self) -> str:
        """The forecaster with the lowest mean share."""
        return next(iter(self.shares))

    @property
    def worst(self) -> str:
        """The forecaster with the highest mean share."""
        return next(reversed(list(self.shares)))


def ranking(effects: Iterable[Effect]) -> Ranking | None:
    """Rank the forecasters; None if no two can be compared. effects: without the control."""
    of: dict[str, dict[str, Effect]] = {}
    for effect in effects:
        by_law = of.setdefault(effect.treatment.subject, {})
        if effect.n:
            by_law[effect.treatment.name] = effect
    most = max(map(len, of.values()), default=0)
    asked = {name: by_law for name, by_law in of.items() if by_law and 2 * len(by_law) >= most}
    lively = {
        name: by_law for name, by_law in asked.items() if any((entry.numbers["distinct"] or 0) > 1 for entry in by_law.values())
    }
    common = [law for law in next(iter(lively.values()), {}) if all(law in by_law for by_law in lively.values())]
    if len(lively) < 2 or not common:
        return None
    shares = {name: _mean_share([by_law[law] for law in common]) for name, by_law in lively.items()}
    ordered = dict(sorted(shares.items(), key=lambda pair: pair[1].value or 0.0))
    return Ranking(ordered, tuple(common), len(of) - len(asked), len(asked) - len(lively))


def _mean_share(effects: Sequence[Effect]) -> Estimate:
    """The mean share over several laws. The interval of mean ends is conservative, as errors of the shares partly cancel."""
    rates = [effect.rates[STRONG] for effect in effects]
    interval = Interval(fmean(rate.interval.lower for rate in rates), fmean(rate.interval.upper for rate in rates))
    return Estimate(fmean(rate.least or 0.0 for rate in rates), interval, sum(rate.n for rate in rates))


def _case(scored_tuple: scoring.ScoredTuple, treatment: Treatment) -> Case:
    if scored_tuple.metric is None:
        return Case(scored_tuple.row.base, {}, {treatment.group: UNPARSED})
    return Case(scored_tuple.row.base, {treatment.name: {STRONG: scored_tuple.strong}})


def _references(scored: Sequence[scoring.ScoredTuple]) -> dict[str, float | None]:
    kinds = [_kind(scored_tuple.row) for scored_tuple in scored]
    result: dict[str, float | None] = {}
    references: tuple[tuple[str, scoring.Reference], ...] = (
        ("random", scoring.random_reference(kinds)),
        ("constant", scoring.constant_reference(kinds)),
    )
    for name, reference in references:
        result |= {f"{name}_strong": reference.strong, f"{name}_mean": reference.mean, f"{name}_distance": reference.violation}
    return result


def _kind(row: Row) -> scoring.Kind:
    keys = tuple(row.forecasts)
    return (row.law, len(keys)) if row.law in QUANTITIES else law_named(row.law, keys)


def _mean(values: NDArray[np.float64], groups: Groups, *, largest: float) -> Estimate:
    value = round(float(values.mean()), 12) if len(values) else None
    return Estimate(value, Interval(*bounded_mean(values, groups, largest=largest)), len(values))


def _histogram(metrics: NDArray[np.float64], *, own: bool) -> tuple[int, ...]:
    """Counts by bin. Bins are closed below for own laws, else above, so a metric of .2 falls on the right side of STRONG."""
    scaled = np.round(metrics * BINS, 9)
    places = np.clip(np.floor(scaled) if own else np.ceil(scaled) - 1, 0, BINS - 1).astype(int)
    return tuple(np.bincount(places, minlength=BINS).tolist())


def _pairs(law: str, known: Sequence[scoring.ScoredTuple]) -> tuple[ForecastPair, ...]:
    """Pairs of forecasts, rounded to a tenth of a per cent."""
    if law not in PAIRED:
        return ()
    counter: Counter[tuple[float, float]] = Counter()
    for scored_tuple in known:
        first, *others = (round(value, 3) for value in scored_tuple.row.forecasts.values() if value is not None)
        counter.update((first, other) for other in others)
    return tuple(ForecastPair(first, second, times) for (first, second), times in sorted(counter.items()))


def _matched(
    tuples: Sequence[scoring.ScoredTuple], other: Sequence[scoring.ScoredTuple]
) -> list[tuple[scoring.ScoredTuple, scoring.ScoredTuple]] | None:
    """Pair the same tuples of two forecasters: by ids, else by place; None if neither is possible."""
    if not (_named(tuples) and _named(other)):
        return list(zip(tuples, other, strict=True)) if len(tuples) == len(other) else None
    there = {scored.row.id: scored for scored in other}
    return [(scored, there[scored.row.id]) for scored in tuples if scored.row.id in there]


def _named(scored: Sequence[scoring.ScoredTuple]) -> bool:
    """Whether every tuple has its own id."""
    ids = Counter(scored_tuple.row.id for scored_tuple in scored)
    return "" not in ids and max(ids.values()) == 1


def _comparison(
    law: str, names: tuple[str, str], both: Sequence[tuple[scoring.ScoredTuple, scoring.ScoredTuple]], rng: np.random.Generator
) -> SubjectComparison:
    known = [
        (scored_tuple, other) for scored_tuple, other in both if scored_tuple.metric is not None and other.metric is not None
    ]
    first, second = [scored_tuple for scored_tuple, _ in known], [other for _, other in known]
    return compare(
        (law, scoring.law_name(law), *names),
        ([scored_tuple.metric or 0.0 for scored_tuple in first], [scored_tuple.metric or 0.0 for scored_tuple in second]),
        ([bool(scored_tuple.strong) for scored_tuple in first], [bool(scored_tuple.strong) for scored_tuple in second]),
        [scored_tuple.row.base or other.row.base for scored_tuple, other in known],
        largest=max((scoring.largest_metric(scored_tuple.row) for pair in known for scored_tuple in pair), default=1.0),
        rng=rng,
    )
