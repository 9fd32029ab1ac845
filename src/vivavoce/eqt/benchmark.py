"""EQT compared with a benchmark: do models with higher EQT accuracy also do better there?

Tests whether better models drop more from a benchmark to EQT, beyond regression to the mean.

Section 4.2 of `asgari2025` finds that "models with higher initial accuracy tend to exhibit larger performance drops". This
happens regardless of comprehension. Let B and Q be the true accuracies in benchmark and EQT, b and q the measured ones, and d =
b - q.

*Why the plain slope misleads.* The slope of d on b is (var b - cov(b, q)) / var b = 1 - r s(q) / s(b). With equal spreads it is
1 - r: .64 with the paper's r = .361, though neither test is harder for better models. Luck in b is not luck in q, so a lucky
model drops. A regression on q finds, for the same reason, that *worse* models gain more.

*The method.* Ability is the mean of both, M = (B + Q) / 2, and D = B - Q. Then cov(D, M) = (var B - var Q) / 2, which is 0 with
equal spreads (Oldham's comparison, `oldham1962`). With errors e of b and f of q, d and m = (b + q) / 2 share these errors, and
cov(d, m) = (var B - var Q + var e - var f) / 2: the test with fewer questions pulls the slope. So questions are split in halves
with independent errors, and m of the first half is the instrument for m of the second:

    slope = cov(m1, d2) / cov(m1, m2), where cov(m1, d2) = cov(M, D) and cov(m1, m2) = var M.

*The interval* holds every slope s that a test does not reject (`anderson1949`). If D = a + s M + h with h independent of M,
then d2 - s m2 = a + h + (errors of half 2), which is independent of m1 = M + (errors of half 1). Their correlation is 0, and
Student's t on it is exact for normal values, however weak the instrument. If the first half says too little about the second,
the interval is unbounded and nothing is claimed.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import hypot
from statistics import fmean
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr, stdtrit

from vivavoce.eqt.files import Accuracy, category_name
from vivavoce.eqt.record import seeded_digest
from vivavoce.eqt.result import EqtResult
from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.formats.interval import CONFIDENCE, Estimate, Interval
from vivavoce.statistics.agreement import mean_ranks, pearson, spearman

FEWEST: Final = 4
"""Minimum number of models; with three, Student's t has one degree of freedom."""
ROUNDING: Final = 1e-9
NOTHING: Final = Interval(-math.inf, math.inf)


@dataclass(frozen=True, slots=True)
class Halves:
    """One model's accuracy in both halves of both tests."""

    model: str
    benchmark: tuple[float, float]
    eqt: tuple[float, float]


@dataclass(frozen=True, slots=True)
class DropTrend:
    """The slope of the drop from benchmark to EQT on ability, over models."""

    plain: Estimate
    """Slope on the benchmark's accuracy, as in the paper; it includes regression to the mean."""
    slope: Estimate
    """Slope on the mean of both accuracies, by split halves; its interval is unbounded with too little evidence."""
    p: float | None
    """Two-sided p-value for slope 0."""
    problem: str = ""
    """Why there is no slope; empty if there is one."""


def drop_trend(models: Sequence[Halves]) -> DropTrend:
    """Test whether better models drop more.

    Raises `BadInput` for an accuracy outside 0 to 1. With too little evidence, `problem` says what is missing.

    >>> trend = drop_trend([Halves("a", (0.5, 0.5), (0.4, 0.4)), Halves("b", (0.7, 0.7), (0.6, 0.6))])
    >>> trend.slope.value, trend.problem
    (None, '2 models: a slope needs at least 4')
    """
    table = np.array([[*model.benchmark, *model.eqt] for model in models], dtype=np.float64).reshape(-1, 4)
    if not np.all((table >= 0) & (table <= 1)):
        raise BadInput("an accuracy must be from 0 to 1")
    if len(models) < FEWEST:
        return _no_trend(len(models), f"{len(models)} model{'s' * (len(models) != 1)}: a slope needs at least {FEWEST}")
    bench, eqt = table[:, :2], table[:, 2:]
    mean, drop = (bench + eqt) / 2, bench - eqt
    ability = bench.mean(axis=1)
    plain, _ = instrumented(ability, ability, drop.mean(axis=1))  # least squares, as if measured without error
    slope, p = instrumented(mean[:, 0], mean[:, 1], drop[:, 1])
    if slope.value is None:
        return DropTrend(plain, slope, p, "all models are alike in one of the halves")
    bounded = math.isfinite(slope.interval.lower) and math.isfinite(slope.interval.upper)
    problem = "" if bounded else "the halves say too little of each other for an interval with two ends"
    return DropTrend(plain, slope, p, problem)


def instrumented(instrument: ArrayLike, cause: ArrayLike, effect: ArrayLike) -> tuple[Estimate, float | None]:
    """The slope of an effect on a cause measured with error, by an instrument, and the p-value for slope 0.

    The interval inverts the test of Anderson and Rubin: its ends are the roots of a quadratic. If the quadratic has none or
    opens downwards, the interval is unbounded.

    >>> slope, p = instrumented([0, 1, 2, 3, 4], [0.1, 0.9, 2.1, 2.9, 4.0], [0.0, 2.1, 3.9, 6.0, 8.1])
    >>> round(slope.value, 3), round(slope.interval.lower, 2), round(slope.interval.upper, 2), p < 0.001
    (2.051, 1.78, 2.39, True)
    """
    arrays: list[Floats] = [np.asarray(values, dtype=np.float64) for values in (instrument, cause, effect)]
    z, x, y = (array - float(array.mean()) for array in arrays)
    n = z.size
    zz, xx, yy, zx, zy, xy = (float(a @ b) for a, b in ((z, z), (x, x), (y, y), (z, x), (z, y), (x, y)))
    if min(zz, xx) <= 1e-18 or n < FEWEST:
        return Estimate(None, NOTHING, n), None
    t = float(stdtrit(n - 2, (1 + CONFIDENCE) / 2))
    c = t * t / (t * t + n - 2)
    square, line, rest = zx * zx - c * zz * xx, zx * zy - c * zz * xy, zy * zy - c * zz * yy
    inside = line * line - square * rest
    bounds = NOTHING
    if square > 0 and inside >= -ROUNDING * line * line:  # 0 up to rounding if effect and cause are on a line
        half = math.sqrt(max(0.0, inside))
        bounds = Interval((line - half) / square, (line + half) / square)
    r = zy / math.sqrt(zz * yy) if yy > 1e-18 else 0.0
    p = 2 * float(stdtr(n - 2, -abs(r) * math.sqrt((n - 2) / max(1e-300, 1 - r * r))))
    return Estimate(zy / zx if abs(zx) > 1e-18 else None, bounds, n), p


def _no_trend(n: int, problem: str) -> DropTrend:
    nothing = Estimate(None, NOTHING, n)
    return DropTrend(nothing, nothing, None, problem)


FEWEST_MODELS: Final = 4
ALL_ORDERS: Final = 7
"""Maximum number of models for which all orders are counted: 7! is 5,040."""
ROUNDS: Final = 10_000
DIGITS: Final = 12
"""Decimals kept before ranking, since two ways of counting may differ in the last digit."""

Floats = NDArray[np.float64]
AccuracyTable = dict[tuple[str, str], float]
"""Maps model and category to accuracy."""


Pair = tuple[float, float]
Intervals = Mapping[tuple[str, str], Interval | None]
"""Maps model and category to the interval of the accuracy."""


@dataclass(frozen=True, slots=True)
class CategoryAccuracy:
    """One model's accuracy in one category, in both tests."""

    model: str
    category: str
    eqt: float
    benchmark: float
    eqt_rank: float
    """Rank among the models of the category; 1 is best, and ties share the mean rank."""
    benchmark_rank: float
    eqt_interval: Interval | None = None
    """The interval at level 95%, clustered by concept; None if unknown."""
    benchmark_interval: Interval | None = None

    json_keys = "model category eqt benchmark eqt_rank benchmark_rank eqt_interval benchmark_interval drop"

    @property
    def drop(self) -> Estimate:
        """The benchmark's accuracy minus the EQT accuracy, with a MOVER interval for independent estimates (`zou2008`).

        The interval is [-1, 1] if either accuracy has no interval.
        """
        value = self.benchmark - self.eqt
        if self.eqt_interval is None or self.benchmark_interval is None:
            return Estimate(value, Interval(-1.0, 1.0), 1)
        ours, theirs = self.eqt_interval, self.benchmark_interval
        down = hypot(self.benchmark - theirs.lower, ours.upper - self.eqt)
        up = hypot(theirs.upper - self.benchmark, self.eqt - ours.lower)
        return Estimate(value, Interval(max(-1.0, value - down), min(1.0, value + up)), 1)


@dataclass(frozen=True, slots=True)
class Correlation:
    """The correlation of two lists of numbers; values are None if there are too few."""

    pearson: Estimate
    """The interval at level 95%, by Fisher's z."""
    spearman: Estimate
    """The interval at level 95%, by Fisher's z with the variance of Bonett and Wright."""
    p_pearson: float | None
    """Two-sided p-value by Student's t, as if observations were independent."""
    p_spearman: float | None
    problem: str = ""
    """Why there is no correlation; empty if there is one."""


@dataclass(frozen=True, slots=True)
class BenchmarkComparison:
    """EQT compared with a benchmark, as in Figure 3 of the paper."""

    benchmark: str
    digest: str
    names: Mapping[str, str]
    """Maps a candidate to its name in the benchmark, if that differs."""
    pairings: tuple[CategoryAccuracy, ...]
    overall: Correlation
    """Correlation over all pairs of model and category, which are not independent."""
    between_models: Correlation
    """Correlation over the models' means."""
    within_categories: Correlation
    """Correlation after subtracting each category's mean."""
    p_models: float | None
    """Permutation p-value of the overall Pearson correlation; the models' names in the benchmark are shuffled.

    A model's categories stay together, since they are not independent. None if fewer than four models have all categories.
    """
    matches: int
    """Number of pairings with equal ranks."""
    matches_by_chance: float
    """Expected number of equal ranks if the models of each category were shuffled."""
    unmatched: tuple[str, ...]
    """Models or categories that occur in only one of the two tests."""
    unparsed: int = 0
    """Number of the benchmark's recorded answers that could not be parsed; they count as wrong."""
    drop: DropTrend | None = None
    """Whether the drop is larger for better models, without regression to the mean; None without halves of the questions."""


def compare_with_benchmark(
    results: Iterable[EqtResult | Accuracy],
    benchmark: Sequence[Accuracy],
    *,
    source: str = "",
    digest: str = "",
    names: Mapping[str, str] | None = None,
    seed: int = 0,
) -> BenchmarkComparison:
    """Compare closed-book accuracy in EQT with that in a benchmark, by model and category (Figure 3 of `asgari2025`).

    Departure: the paper pools all pairs in one correlation. This mixes the correlation between models with that within
    categories, so all three are reported. (The paper's r = .361 with p = .003151 would need 65 pairs, not the 70 of 14
    categories and 5 models.)

    Parameters
    ----------
    results: the candidates' EQT results, or accuracies.
    benchmark: the accuracies from `read_benchmark`.
    source, digest: the benchmark's name, and SHA-256 of its file.
    names: maps a candidate to its name in the benchmark, if that differs.
    seed: seed for sampling orders for `p_models` if there are too many to count.

    Raises `BadInput` if both tests have no pair of model and category in common, or one lists a pair twice.
    """
    renamed = names or {}
    results = list(results)
    ours = _table((renamed.get(pairing.model, pairing.model), pairing.category, pairing.accuracy) for pairing in _flat(results))
    theirs = _table((accuracy.model, accuracy.category, accuracy.accuracy) for accuracy in benchmark)
    both = _in_both(ours, theirs, renamed)
    ends = _intervals(_flat(results), renamed), _intervals(benchmark, {})
    pairings = _ranked([(*pair, ours[pair], theirs[pair]) for pair in both], *ends)
    eqt, bench = _grid(pairings)
    halves = halves_by_model(results, benchmark, both, renamed)
    models = len({pairing.model for pairing in pairings})
    return BenchmarkComparison(
        benchmark=source or "the benchmark",
        digest=digest,
        names=dict(renamed),
        pairings=pairings,
        overall=_correlation([pairing.eqt for pairing in pairings], [pairing.benchmark for pairing in pairings]),
        between_models=_correlation(eqt.mean(axis=1), bench.mean(axis=1))
        if eqt.size
        else _unknown(models, "there is no category that all models have"),
        within_categories=_within(pairings),
        p_models=_p_models(eqt, bench, np.random.default_rng(seed)),
        matches=sum(pairing.eqt_rank == pairing.benchmark_rank for pairing in pairings),
        matches_by_chance=_matches_by_chance(pairings),
        unmatched=_unmatched(ours, theirs),
        unparsed=sum(
            pairing.unparsed for pairing in benchmark if (pairing.model, category_name(pairing.category)) in set(both)
        ),
        drop=drop_trend(halves) if halves else None,
    )


def accuracies(finding: EqtResult) -> tuple[Accuracy, ...]:
    """Closed-book accuracies of a result by category, over all wordings; categories without answers are omitted."""
    return tuple(
        Accuracy(finding.candidate, figures.name, figures.closed.value, figures.closed.interval)
        for figures in finding.categories
        if figures.closed.value is not None
    )


def _flat(results: Iterable[EqtResult | Accuracy]) -> Iterator[Accuracy]:
    for result in results:
        if isinstance(result, Accuracy):
            yield result
        else:
            yield from accuracies(result)


def _table(rows: Iterable[tuple[str, str, float]]) -> AccuracyTable:
    result: dict[tuple[str, str], float] = {}
    for model, name, accuracy in rows:
        category = category_name(name)
        if (model, category) in result:
            raise BadInput(f"'{model[:80]}' on '{category[:80]}' is listed twice: give one result per model")
        result[model, category] = round(accuracy, DIGITS)
    return result


def _intervals(rows: Iterable[Accuracy], renamed: Mapping[str, str]) -> Intervals:
    return {(renamed.get(row.model, row.model), category_name(row.category)): row.interval for row in rows}


def _in_both(ours: AccuracyTable, theirs: AccuracyTable, renamed: Mapping[str, str]) -> list[tuple[str, str]]:
    """Pairs that occur in both tests, in the order of the results; raises `BadInput` if there are none."""
    unknown = sorted(set(renamed.values()) - {model for model, _ in theirs})
    if unknown:
        raise BadInput(f"the benchmark has no model '{unknown[0][:80]}'; it has {_some(model for model, _ in theirs)}")
    both = [pair for pair in ours if pair in theirs]
    if not both:
        raise BadInput(
            f"no model and category in common: the results have {_some(model for model, _ in ours)}, the benchmark has "
            f"{_some(model for model, _ in theirs)}. Give --name CANDIDATE=MODEL"
        )
    return both


def _some(names: Iterable[str]) -> str:
    known = list(dict.fromkeys(name[:80] for name in names))
    return ", ".join(known[:10]) + (f" and {len(known) - 10} more" if len(known) > 10 else "") if known else "none"


def _ranked(
    rows: Sequence[tuple[str, str, float, float]], eqt_intervals: Intervals, intervals: Intervals
) -> tuple[CategoryAccuracy, ...]:
    """Rank the models of each category by accuracy, the highest first; ties share the mean rank."""
    ranks: dict[tuple[str, str], list[float]] = {}
    for category in dict.fromkeys(row[1] for row in rows):
        held = [row for row in rows if row[1] == category]
        ours, theirs = mean_ranks([-row[2] for row in held]).tolist(), mean_ranks([-row[3] for row in held]).tolist()
        ranks |= {row[:2]: pair for row, *pair in zip(held, ours, theirs, strict=True)}
    return tuple(
        CategoryAccuracy(*row, ours, theirs, eqt_intervals[row[:2]], intervals[row[:2]])
        for row in rows
        for ours, theirs in [ranks[row[:2]]]
    )


def _matches_by_chance(pairings: Sequence[CategoryAccuracy]) -> float:
    """The expected number of equal ranks; a rank of e of m models in EQT and b in the benchmark contributes e b / m."""
    total = 0.0
    for category in dict.fromkeys(pairing.category for pairing in pairings):
        of_category = [pairing for pairing in pairings if pairing.category == category]
        ours, theirs = (
            Counter(ranks)
            for ranks in zip(*((pairing.eqt_rank, pairing.benchmark_rank) for pairing in of_category), strict=True)
        )
        total += sum(number * theirs[rank] for rank, number in ours.items()) / len(of_category)
    return total


def _grid(pairings: Sequence[CategoryAccuracy]) -> tuple[Floats, Floats]:
    """Accuracies in both tests as models x categories, for the categories that all models have."""
    values = {(pairing.model, pairing.category): (pairing.eqt, pairing.benchmark) for pairing in pairings}
    models = dict.fromkeys(pairing.model for pairing in pairings)
    common = [
        c for c in dict.fromkeys(pairing.category for pairing in pairings) if all((model, c) in values for model in models)
    ]
    cells = np.array([[values[model, category] for category in common] for model in models], dtype=float)
    grid = cells.reshape(len(models), len(common), 2)
    return grid[..., 0], grid[..., 1]


def _within(pairings: Sequence[CategoryAccuracy]) -> Correlation:
    """Correlation after subtracting category means, over categories with at least two models."""
    eqt: list[float] = []
    bench: list[float] = []
    categories = 0
    for category in dict.fromkeys(pairing.category for pairing in pairings):
        of_category = np.array([(pairing.eqt, pairing.benchmark) for pairing in pairings if pairing.category == category])
        if len(of_category) > 1:
            categories += 1
            left = of_category - of_category.mean(axis=0)
            eqt += left[:, 0].tolist()
            bench += left[:, 1].tolist()
    return _correlation(eqt, bench, spent=max(0, categories - 1))


def _p_models(eqt: Floats, bench: Floats, rng: np.random.Generator) -> float | None:
    """The share of orders of the models whose correlation within categories is at least as far from 0."""
    models = len(eqt)
    if models < FEWEST_MODELS or not eqt.size:
        return None
    products = (eqt - eqt.mean(axis=0)) @ (bench - bench.mean(axis=0)).T
    if np.ptp(products) == 0:
        return None
    seen = abs(float(np.trace(products))) - 1e-12 * float(abs(products).sum())  # sums in another order differ at the end
    if models <= ALL_ORDERS:
        orders = np.array(list(permutations(range(models))))
        return float((abs(products[np.arange(models), orders].sum(axis=1)) >= seen).mean())
    orders = rng.permuted(np.tile(np.arange(models), (ROUNDS, 1)), axis=1)
    return float((1 + (abs(products[np.arange(models), orders].sum(axis=1)) >= seen).sum()) / (1 + ROUNDS))


def _correlation(first: Sequence[float] | Floats, second: Sequence[float] | Floats, *, spent: int = 0) -> Correlation:
    left, right = (np.round(np.asarray(values, dtype=float), DIGITS) for values in (first, second))
    try:
        straight, ranked = (correlate(left, right, spent=spent) for correlate in (pearson, spearman))
    except NotEnoughEvidence as error:
        return _unknown(len(first), str(error))
    linear, ordinal = (Estimate(each.value, Interval(*each.bounds), each.n) for each in (straight, ranked))
    return Correlation(linear, ordinal, straight.p, ranked.p)


def _unknown(n: int, problem: str) -> Correlation:
    nothing = Estimate(None, Interval(-1.0, 1.0), n)
    return Correlation(nothing, nothing, None, None, problem)


def _unmatched(ours: AccuracyTable, theirs: AccuracyTable) -> tuple[str, ...]:
    """Models and categories that occur in only one test, then single pairs that are missing in one."""
    result = []
    lacking: set[str] = set()
    for index in (0, 1):
        here, there = ({pair[index]: None for pair in table} for table in (ours, theirs))
        lacking |= here.keys() ^ there.keys()
        result += [f"{name} (EQT)" for name in here if name not in there]
        result += [f"{name} (benchmark)" for name in there if name not in here]
    for table, other, which in ((ours, theirs, "EQT"), (theirs, ours, "benchmark")):
        pairs = (pair for pair in table if pair not in other and not lacking.intersection(pair))
        result += [f"{model} on {category} ({which})" for model, category in pairs]
    return tuple(result)


def halves_by_model(
    results: Iterable[EqtResult | Accuracy],
    benchmark: Sequence[Accuracy],
    pairs: Sequence[tuple[str, str]],
    names: Mapping[str, str],
) -> list[Halves]:
    """Models with accuracies on all halves, over the categories that all models have in both tests.

    A result is split by concept, since questions on one explanation are alike; the concept's name determines its half. A file
    gives the halves in its columns `half_1` and `half_2`.

    Parameters
    ----------
    pairs: models and categories in both tests.
    names: maps a candidate to its name in the benchmark.
    """
    models = list(dict.fromkeys(model for model, _ in pairs))
    there = set(pairs)
    common = {category for _, category in pairs if all((model, category) in there for model in models)}
    ours: dict[str, Pair] = {}
    files: dict[str, list[Accuracy]] = {}
    for result in results:
        if isinstance(result, EqtResult):
            if (pair := _of_concepts(result)) is not None:
                ours[names.get(result.candidate, result.candidate)] = pair
        else:
            files.setdefault(names.get(result.model, result.model), []).append(result)
    ours |= {model: pair for model, rows in files.items() if (pair := _of_rows(rows, common)) is not None}
    theirs = {model: _of_rows([row for row in benchmark if row.model == model], common) for model in models}
    return [Halves(model, pair, ours[model]) for model in models if model in ours and (pair := theirs[model]) is not None]


def _of_concepts(finding: EqtResult) -> Pair | None:
    sides: tuple[list[float], list[float]] = ([], [])
    for concept in finding.concepts:
        if concept.closed.value is not None:
            sides[seeded_digest("half", concept.name)[0] % 2].append(concept.closed.value)
    return (fmean(sides[0]), fmean(sides[1])) if all(sides) else None


def _of_rows(rows: Sequence[Accuracy], categories: set[str]) -> Pair | None:
    """The means over these categories; None if one of them lacks a half."""
    held = {category_name(row.category): row.halves for row in rows}
    halves = [held.get(category) for category in sorted(categories)]
    known = [pair for pair in halves if pair is not None]
    if not known or len(known) < len(halves):
        return None
    return fmean(first for first, _ in known), fmean(second for _, second in known)
