"""Counting over many tuples: how often and how far forecasters contradict themselves, and which of two does so more."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vivavoce.consistency.forecasts.compare import compared, holm
from vivavoce.consistency.forecasts.each import Scored, largest_metric, score_each
from vivavoce.consistency.forecasts.finding import LawConsistency
from vivavoce.consistency.forecasts.negations import failed_negations
from vivavoce.consistency.forecasts.ranking import CONTROL
from vivavoce.consistency.forecasts.references import Kind, constant_reference, random_reference
from vivavoce.consistency.forecasts.rounding import roundings
from vivavoce.consistency.forecasts.rows import Row
from vivavoce.consistency.forecasts.spread import monotone_series
from vivavoce.consistency.forecasts.summary import BINS, PAIRED, Favourite, Point, Summary
from vivavoce.errors import NotEnoughEvidence, UnknownName
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.interview.finding import Signature
from vivavoce.laws import QUANTITIES, law_named
from vivavoce.laws.metrics import FORMULA, OWN_LAW
from vivavoce.statistics.bounded import bounded_mean, bounded_share
from vivavoce.statistics.clustered import Groups
from vivavoce.version import __version__

WORST = 5
"""Tuples of a forecaster and law that are shown in words."""
FORECASTERS_COMPARED = 5
"""With more than that, pairs are compared only where they are named."""

FEWEST_QUESTIONS = 8
"""Different ones, below which it says nothing that a forecaster gives one number to most."""

Pair = tuple[str, str]


def score(
    rows: Iterable[Row],
    *,
    source: str = "",
    digest: str = "",
    compare: Sequence[Pair] | None = None,
    seed: int = 0,
    settings: Mapping[str, object] = MappingProxyType({}),
    asked_so: tuple[str, ...] = (),
) -> LawConsistency:
    """How often and how far forecasters contradict themselves, by forecaster and law: `tally` of `score_each`.

    >>> rows = [Row("model", "neg", {"P": 0.3, "not_P": 0.9}), Row("model", "neg", {"P": 0.5, "not_P": 0.5})]
    >>> score(rows).summaries[0].mean.value
    0.1
    """
    return tally(
        score_each(list(rows)), source=source, digest=digest, compare=compare, seed=seed, settings=settings, asked_so=asked_so
    )


def tally(
    scored: Sequence[Scored],
    *,
    source: str = "",
    digest: str = "",
    compare: Sequence[Pair] | None = None,
    seed: int = 0,
    settings: Mapping[str, object] = MappingProxyType({}),
    asked_so: tuple[str, ...] = (),
) -> LawConsistency:
    """How often and how far forecasters contradict themselves, by forecaster and law.

    Parameters
    ----------
    scored: tuples with their numbers, as `score_each` gives them.
    source: where they come from, in words.
    digest: SHA-256 of the file that they come from.
    compare: pairs of forecasters to be compared; None for all, if they are at most five.
    seed: of the test that resamples differences.
    settings, asked_so: how the forecasts were asked for, for the signature, and what a reader must know of it.

    Raises `NotEnoughEvidence` where there are none, and `UnknownName` for a pair that is not among the forecasters.
    """
    if not scored:
        raise NotEnoughEvidence("there are no forecasts: give at least one tuple")
    groups: dict[tuple[str, str], list[Scored]] = {}
    for one in scored:
        groups.setdefault((one.row.forecaster, one.row.law), []).append(one)
    names = tuple(dict.fromkeys(forecaster for forecaster, _ in groups))
    pairs = compare if compare is not None else all_pairs(names)
    for name in (name for pair in pairs for name in pair if name not in names):
        raise UnknownName("forecaster", name, names)
    by_place, comparisons = compared(groups, pairs, rng=np.random.default_rng(seed))
    own = {"strong": 0.2, "forecasters": len(names), "compared": [list(pair) for pair in pairs]}
    return LawConsistency(
        source=source,
        summaries=tuple(summary(forecaster, law, of) for (forecaster, law), of in groups.items()),
        comparisons=holm(comparisons),
        by_place=by_place,
        replies=_together(one.row.replies for one in scored),
        signature=Signature(
            __version__, "consistency laws", names[0] if len(names) == 1 else f"{len(names)} forecasters", source,
            digest, seed, own | dict(settings),
        ),
        favourites=tuple(filter(None, (_favourite(name, scored) for name in names))),
        asked_so=asked_so,
        rounding=roundings(scored),
        negations=failed_negations(scored),
        series=monotone_series(scored),
    )  # fmt: skip


def _favourite(forecaster: str, scored: Sequence[Scored]) -> Favourite | None:
    """The number that a forecaster gave to more than half of enough different questions, if there is one."""
    forecasts: dict[object, float] = {}
    for one in scored:
        if one.row.forecaster == forecaster and one.row.law != CONTROL:
            for key, value in one.row.forecasts.items():
                if value is not None:
                    forecasts[one.row.questions.get(key) or (one.row.law, one.row.id, one.row.line, key)] = value
    if len(forecasts) < FEWEST_QUESTIONS:
        return None
    value, number = Counter(forecasts.values()).most_common(1)[0]
    return Favourite(forecaster, value, number, len(forecasts)) if 2 * number > len(forecasts) else None


def all_pairs(names: Sequence[str]) -> list[Pair]:
    """Every two forecasters, if there are few enough."""
    if len(names) > FORECASTERS_COMPARED:
        return []
    return [(first, second) for place, first in enumerate(names) for second in names[place + 1 :]]


def summary(forecaster: str, law: str, scored: Sequence[Scored]) -> Summary:
    """What one forecaster's tuples of one law show."""
    read = [one for one in scored if one.metric is not None]
    metrics = np.array([one.metric for one in read], dtype=float)
    strong = np.array([one.strong for one in read], dtype=bool)
    groups = [one.row.base for one in read]
    kinds = [_kind(one.row) for one in (read or scored)]
    forecasts = [value for one in read for value in one.row.forecasts.values()]
    return Summary(
        forecaster=forecaster,
        law=law,
        metric=FORMULA.get(law, OWN_LAW),
        n=len(read),
        unreadable=len(scored) - len(read),
        mean=_mean(metrics, groups, largest=max(largest_metric(one.row) for one in (read or scored))),
        strong=_share(strong, groups),
        violation=None
        if law in QUANTITIES
        else _mean(np.array([one.violation for one in read], dtype=float), groups, largest=math.inf),
        random=random_reference(kinds),
        constant=constant_reference(kinds),
        distinct=len(set(forecasts)),
        forecasts=len(forecasts),
        extreme=law not in QUANTITIES and not {0, 1}.isdisjoint(forecasts),
        shared=max(Counter(name for names in groups for name in set(names)).values(), default=0) > 1,
        histogram=_histogram(metrics, own=any(one.own for one in read)),
        worst=tuple(sorted((one for one in read if one.metric), key=_size, reverse=True)[:WORST]),
        in_order=next((one for one in read if law in QUANTITIES and not one.metric), None),
        points=_points(law, read),
    )


def _points(law: str, read: Sequence[Scored]) -> tuple[Point, ...]:
    """Pairs of forecasts as scatters have them, to a tenth of a per cent."""
    if law not in PAIRED:
        return ()
    told: Counter[tuple[float, float]] = Counter()
    for one in read:
        first, *others = (round(value, 3) for value in one.row.forecasts.values() if value is not None)
        told.update((first, other) for other in others)
    return tuple(Point(first, second, times) for (first, second), times in sorted(told.items()))


def _mean(values: NDArray[np.float64], groups: Groups, *, largest: float) -> Estimate:
    return Estimate(_average(values), Interval(*bounded_mean(values, groups, largest=largest)), len(values))


def _share(hits: NDArray[np.bool_], groups: Groups) -> Estimate:
    return Estimate(_average(hits), Interval(*bounded_share(hits, groups)), len(hits))


def _average(values: NDArray[Any]) -> float | None:
    return round(float(values.mean()), 12) if len(values) else None


def _histogram(metrics: NDArray[np.float64], *, own: bool) -> tuple[int, ...]:
    """Numbers by bin. A metric of .2 stands among the strong ones where it is one: bins are closed below, else above."""
    scaled = np.round(metrics * BINS, 9)
    places = np.clip(np.floor(scaled) if own else np.ceil(scaled) - 1, 0, BINS - 1).astype(int)
    return tuple(np.bincount(places, minlength=BINS).tolist())


def _together(replies: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for of_tuple in replies:
        total.update(of_tuple)
    return dict(total)


def _kind(row: Row) -> Kind:
    keys = tuple(row.forecasts)
    return (row.law, len(keys)) if row.law in QUANTITIES else law_named(row.law, keys)


def _size(one: Scored) -> tuple[float, float]:
    return (one.metric or 0.0, one.violation or 0.0)
