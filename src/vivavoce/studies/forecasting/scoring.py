"""Scores of single tuples: how far forecasts are from obeying their law, and what uninformed forecasters get; names of laws.

Patterns of appendix C.3 of `fluri2024`: kinds of failed negation, round numbers, monotone series, one number for all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import permutations
from math import fsum
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import LONGEST_NAME, clipped
from vivavoce.laws.law import QUANTITIES, Law, is_named, law_named
from vivavoce.laws.monotone import FEWEST_DRAWS, monotonicity, notions
from vivavoce.laws.violation import frequentist, is_strong, metric, most, violations
from vivavoce.statistics.clustered import share_estimate
from vivavoce.studies.forecasting.forecast_files import Row

CONTROL: Final = "repeat"
"""The control, which is not a law: the identical question repeated shows what chance alone does."""


@dataclass(frozen=True, slots=True)
class ScoredTuple:
    """One tuple with its scores; all are None if a forecast could not be parsed."""

    row: Row
    metric: float | None = None
    """The paper's metric if there is one, else the difference of the law's sides (`laws.metrics`)."""
    violation: float | None = None
    """Distance to the nearest coherent forecasts, in nats; also None for quantities."""
    gap: float | None = None
    """Most nats by which `violation` can be too large."""
    repair: Mapping[str, float] | None = None
    """The nearest coherent forecasts; for a series of quantities, the nearest one in the right order."""
    frequentist: float | None = None
    """The difference of the law's sides in standard errors; also None for quantities and users' own laws."""

    own: bool = False
    """Whether the law is the user's own."""

    @property
    def strong(self) -> bool | None:
        """Whether the violation is strong: the metric is above .2, or at least .2 for a user's own law."""
        return None if self.metric is None else bool(is_strong(self.metric, own=self.own))

    def as_line(self) -> dict[str, Any]:
        """The tuple as a line of the details file."""
        return {
            "line": self.row.line,
            "id": self.row.id,
            "forecaster": self.row.forecaster,
            "law": self.row.law,
            "forecasts": dict(self.row.forecasts),
            "violation": self.violation,
            "gap": self.gap,
            "repair": None if self.repair is None else dict(self.repair),
            "frequentist": self.frequentist,
            "metric": self.metric,
            "strong": self.strong,
            "unreadable": [key for key, value in self.row.forecasts.items() if value is None],
        }


def score_each(rows: Sequence[Row]) -> list[ScoredTuple]:
    """Score each row, in order; rows of one law are computed together.

    >>> score_each([Row("model", "neg", {"P": 0.3, "not_P": 0.9})])[0].metric
    0.2
    """
    scored = [ScoredTuple(row) for row in rows]
    groups: dict[Law, list[int]] = {}
    for index, row in enumerate(rows):
        if not row.readable:
            continue
        if row.law in QUANTITIES:
            readable = {key: value for key, value in row.forecasts.items() if value is not None}
            monotone_fit = monotonicity(row.law, readable)
            scored[index] = ScoredTuple(row, metric=round(monotone_fit.metric, 12), repair=monotone_fit.repair)
        else:
            groups.setdefault(law_named(row.law, tuple(row.forecasts)), []).append(index)
    for law, places in groups.items():
        for index, scored_tuple in zip(places, _of_law(law, [rows[index] for index in places]), strict=True):
            scored[index] = scored_tuple
    return scored


def largest_metric(row: Row) -> float:
    """The largest possible value of the metric of a row's law."""
    return 1.0 if row.law in QUANTITIES else most(law_named(row.law, tuple(row.forecasts)))


def _of_law(law: Law, rows: Sequence[Row]) -> list[ScoredTuple]:
    forecasts = np.array([[row.forecasts[key] for key in law.keys] for row in rows], dtype=float)
    broken = violations(law, forecasts)
    metrics, standard = metric(law, forecasts, broken.repair), frequentist(law, forecasts)
    return [
        ScoredTuple(
            row,
            metric=round(float(metrics[index]), 12),
            violation=float(broken.value[index]),
            gap=float(broken.gap[index]),
            repair=dict(zip(law.keys, broken.repair[index].tolist(), strict=True)),
            frequentist=None if standard is None else float(standard[index]),
            own=not is_named(law),
        )
        for index, row in enumerate(rows)
    ]


CONSTANT: Final = 0.4
"""Forecast of the constant forecaster, as in the baseline of paleka2024forecasters."""
DRAWS: Final = 1 << 13
"""Draws of the random forecaster for each law, evenly spread (Sobol's sequence): figures are accurate to about .003."""
_MOST_ORDERS: Final = 7
"""Longest series for which all orders are enumerated."""

Kind = Law | tuple[str, int]
"""A law, or for series the direction and the length."""


@dataclass(frozen=True, slots=True)
class Reference:
    """Scores of a forecaster that knows nothing."""

    mean: float
    """Mean of the metric."""
    strong: float
    """Share of strong violations."""
    violation: float | None
    """Mean violation in nats; None for quantities."""


DRAWN: Final[Mapping[tuple[str, int], Reference]] = {
    ("neg", 2): Reference(0.33332369215804647, 0.6419677734375, 0.26632177640801685),
    ("and", 3): Reference(0.2916637806468998, 0.553955078125, 0.24595089724958907),
    ("or", 3): Reference(0.29167218058728395, 0.5545654296875, 0.2459474456677102),
    ("and-or", 4): Reference(0.4668940117430793, 0.7403564453125, 0.5441400804580958),
    ("but", 3): Reference(0.583341765322757, 0.800537109375, 0.5076533540685153),
    ("cond", 3): Reference(0.3611762409615398, 0.666015625, 0.3340768781341348),
    ("cond-cond", 4): Reference(0.41206753181528205, 0.7073974609375, 0.47263927020455937),
    ("consequence", 2): Reference(0.16666381780362372, 0.319580078125, 0.13317025125891824),
    ("expected-evidence", 4): Reference(0.3056260139225675, 0.616455078125, 0.20576613660588106),
    ("bayes", 4): Reference(0.44341891521733845, 0.8607177734375, 0.1983308207402809),
    ("paraphrase", 2): Reference(0.33332763560724743, 0.639404296875, 0.2662998792345924),
    ("paraphrase", 4): Reference(0.5999503224237515, 0.9718017578125, 0.852235618780005),
    ("repeat", 2): Reference(0.33332763560724743, 0.639404296875, 0.2662998792345924),
    ("repeat", 4): Reference(0.5999503224237515, 0.9718017578125, 0.852235618780005),
}
"""Precomputed results of `drawn`, by a law's name and its number of statements; computing all of them takes two seconds."""


def random_reference(kinds: Iterable[Kind]) -> Reference:
    """Scores on these tuples of a forecaster that draws each forecast from 0 to 1, or each series in random order.

    >>> from vivavoce.laws import BUILT_IN
    >>> found = random_reference([BUILT_IN["neg"]])  # exactly 1/3 and .8 squared
    >>> round(found.mean, 2), round(found.strong, 2)
    (0.33, 0.64)
    """
    return _together(Counter(kinds), _random)


def constant_reference(kinds: Iterable[Kind]) -> Reference:
    """Scores of a forecaster that says .4 to everything, or the same quantity every time.

    >>> from vivavoce.laws import BUILT_IN
    >>> constant_reference([BUILT_IN["but"]]).mean
    0.4
    """
    return _together(Counter(kinds), _constant)


def _together(numbers: Counter[Kind], of: Callable[[Kind], Reference]) -> Reference:
    rows = [(of(kind), number) for kind, number in numbers.items()]
    total = sum(number for _, number in rows)
    known = [(reference.violation, number) for reference, number in rows if reference.violation is not None]
    return Reference(
        fsum(reference.mean * number for reference, number in rows) / total,
        fsum(reference.strong * number for reference, number in rows) / total,
        fsum(value * number for value, number in known) / total if len(known) == len(rows) else None,
    )


def drawn(law: Law) -> Reference:
    """Scores of evenly spread forecasts from 0 to 1."""
    from scipy.stats.qmc import Sobol  # importing takes half a second

    return _of(law, Sobol(len(law.statements), rng=np.random.default_rng(0)).random(DRAWS))


@cache
def _random(kind: Kind) -> Reference:
    if isinstance(kind, Law):
        known = DRAWN.get((kind.name, len(kind.statements))) if is_named(kind) else None
        return known or drawn(kind)
    _, length = kind
    if length <= _MOST_ORDERS:
        orders = np.array(list(permutations(range(length))))
    else:
        orders = np.random.default_rng(0).permuted(np.tile(np.arange(length), (DRAWS, 1)), axis=1)
    # Spearman's correlation without ties is 1 - 6 D / (n^3 - n), D the sum of squared differences of ranks.
    result = 3 * ((orders - np.arange(length)) ** 2).sum(axis=1) / (length**3 - length)
    return Reference(float(result.mean()), float(is_strong(result).mean()), None)


@cache
def _constant(kind: Kind) -> Reference:
    if not isinstance(kind, Law):
        return Reference(0.0, 0.0, None)
    return _of(kind, np.full((1, len(kind.statements)), CONSTANT))


def _of(law: Law, forecasts: NDArray[np.float64]) -> Reference:
    violation_values = violations(law, forecasts)
    metrics = metric(law, forecasts, violation_values.repair)
    strong = is_strong(metrics, own=not is_named(law))
    return Reference(float(metrics.mean()), float(strong.mean()), float(violation_values.value.mean()))


NAME: Final[Mapping[str, str]] = {
    "neg": "Negation",
    "paraphrase": "Paraphrase",
    "and": "And",
    "or": "Or",
    "and-or": "And with or",
    "but": "Or with but not",
    "cond": "Condition",
    "cond-cond": "Two conditions",
    "consequence": "Consequence",
    "expected-evidence": "Expected evidence",
    "bayes": "Bayes' rule",
    "exclusive": "At most one",
    "exhaustive": "At least one",
    "partition": "Exactly one",
    "chain": "Thresholds",
    "repeat": "The same question again",
    "increasing": "Never falls",
    "decreasing": "Never rises",
}
"""Display names of the laws in tables."""
OCCASION: Final[Mapping[str, str]] = {
    "neg": "between an event and its negation",
    "paraphrase": "between phrasings of one question",
    "and": "between two events and both of them",
    "or": "between two events and either of them",
    "and-or": "between two events, both and either of them",
    "but": "between P, Q without P, and P or Q",
    "cond": "between an event, what follows given it, and both",
    "cond-cond": "along a chain of two conditions",
    "consequence": "between an event and its consequence",
    "expected-evidence": "between an event and what it depends on",
    "bayes": "on Bayes' rule",
    "exclusive": "between events of which at most one can happen",
    "exhaustive": "between events of which at least one must happen",
    "partition": "between events of which exactly one happens",
    "chain": "between thresholds of which each implies the next",
    "increasing": "on quantities that can only grow",
    "decreasing": "on quantities that can only shrink",
}
"""The place of a contradiction, as the end of a sentence."""


def law_name(law: str) -> str:
    """Display name of a law in tables; a user's own law is called by its name, or as it was written.

    >>> law_name("neg"), law_name("A, B where A implies B"), law_name("won: A, B where A implies B")
    ('Negation', 'A, B where A implies B', 'won')
    """
    return NAME.get(law) or clipped(law.partition(":")[0].strip(), LONGEST_NAME)


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
