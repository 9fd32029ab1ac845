"""Compares rating predictors on the same random splits of people (Figure 5.3 of `silver2016`).

Differences are tested by the corrected resampled t test (`nadeau2003`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from math import sqrt
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr, stdtrit

from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.formats.interval import CONFIDENCE, Estimate, Interval
from vivavoce.interview.scope import Signature
from vivavoce.luna.predict.answers import PeopleTable
from vivavoce.luna.predict.comparison_finding import ErrorDifference, PredictorScore, RatingComparison
from vivavoce.luna.predict.predictor import FEWEST, targets
from vivavoce.luna.predict.predictors import predictor
from vivavoce.luna.settings import SplitsConfig
from vivavoce.statistics.bounds import Bounds, check_confidence
from vivavoce.version import __version__


class ResampledMean(NamedTuple):
    """A mean over splits."""

    mean: float
    bounds: Bounds
    p: float
    """Two-sided: the chance of a mean at least as far from 0 if the true mean is 0."""
    splits: int


def resampled_t(values: ArrayLike, *, tested: int, learnt: int, confidence: float = CONFIDENCE) -> ResampledMean:
    """The corrected resampled t test, and its interval.

    Splits share most of their data, so their values differ less than values from new data. The usual t test would find a
    difference in noise, the more so with more splits. Here the variance of the mean over k splits is s² (1/k + tested/learnt),
    with s² the variance of the values, at k - 1 degrees of freedom. The correction is an approximation: it uses the share of
    tested data as the correlation of two splits.

    Parameters
    ----------
    values: one for each split, such as an error, or the difference of two errors on the same split; finite.
    tested, learnt: observations on the two sides of each split.

    Raises `NotEnoughEvidence` for fewer than two splits, `BadInput` for impossible numbers.

    >>> test = resampled_t([1.0, 2.0, 3.0], tested=1, learnt=3, confidence=0.5)  # variance 1 (1/3 + 1/3), t.75 at 2: .816
    >>> test.mean, round(test.bounds.upper - 2, 4)
    (2.0, 0.6667)
    """
    array = np.asarray(values, dtype=float)
    if array.ndim != 1 or not np.isfinite(array).all():
        raise BadInput("the values of splits must be one row of finite numbers")
    if array.size < 2:
        raise NotEnoughEvidence(f"{array.size} splits; the test needs at least 2")
    if tested < 1 or learnt < 1:
        raise BadInput(f"{tested} tested and {learnt} learnt from: both must be at least 1")
    check_confidence(confidence)
    mean = float(array.mean())
    error = sqrt(float(array.var(ddof=1)) * (1 / array.size + tested / learnt))
    half = float(stdtrit(array.size - 1, (1 + confidence) / 2)) * error
    p = 2 * float(stdtr(array.size - 1, -abs(mean) / error)) if error else float(mean == 0)
    return ResampledMean(mean, Bounds(mean - half, mean + half), p, array.size)


TEST_SHARE: Final = 0.2
"""Share of people whose ratings are predicted, rounded to whole people: 4:1 in `silver2016`."""


@dataclass(frozen=True, slots=True)
class PeopleSplit:
    """One split of people into two disjoint sides."""

    number: int
    learn: tuple[str, ...]
    test: tuple[str, ...]


def splits_of(people: PeopleTable, config: SplitsConfig) -> list[PeopleSplit]:
    """The splits, drawn one by one. Raises `NotEnoughEvidence` for too few people.

    >>> from vivavoce.luna.predict.answers import PersonAnswer, people_of
    >>> table = people_of([PersonAnswer(name, "1", "yes", 1.0) for name in "abcdefghij"])
    >>> [len(side) for split in splits_of(table, SplitsConfig(2)) for side in (split.learn, split.test)]
    [8, 2, 8, 2]
    """
    names = people.people
    tested = max(1, round(TEST_SHARE * len(names)))
    if len(names) - tested < FEWEST:
        raise NotEnoughEvidence(f"{len(names)} people, {tested} of them to predict: fewer than {FEWEST} are left to learn from")
    drawn = []
    for number in range(config.splits):
        order = [names[index] for index in np.random.default_rng([config.seed, number]).permutation(len(names))]
        drawn.append(PeopleSplit(number, tuple(order[tested:]), tuple(order[:tested])))
    return drawn


AGAINST = "com"


def compare(
    people: PeopleTable,
    names: Sequence[str],
    config: SplitsConfig = SplitsConfig(),  # noqa: B008 -- frozen
    *,
    source: str = "",
    digest: str = "",
    executor: Executor | None = None,
    on_split: Callable[[int], None] | None = None,
) -> RatingComparison:
    """Root mean squared errors of predictors, and whether they differ from the error of `com`, or else of the first.

    Parameters
    ----------
    names: as for `predictor`, each once.
    config: all predictors use the same splits.
    source, digest: the origin of the table, for the signature.
    on_split: gets the number of finished splits.

    Raises `UnknownName`, `BadInput`, `NotEnoughEvidence`, and `MissingExtra` for a missing package.
    """
    check(people, names)
    drawn = splits_of(people, config)
    rows = []
    for row in errors_of(people, drawn, names, executor=executor):
        rows.append(row)
        if on_split is not None:
            on_split(len(rows))
    table = np.array(rows)
    judged = partial(resampled_t, tested=len(drawn[0].test), learnt=len(drawn[0].learn))
    against = AGAINST if AGAINST in names else names[0]
    base = table[:, list(names).index(against)]
    settings = {"splits": config.splits, "test_share": TEST_SHARE}
    return RatingComparison(
        scores=tuple(
            PredictorScore(
                name, estimate(judged(table[:, index])), None if name == against else difference(judged(table[:, index] - base))
            )
            for index, name in enumerate(names)
        ),
        against=against,
        people=len(people.people),
        questions=len(people.questions),
        graded=people.graded,
        tested=len(drawn[0].test),
        keyed=sum(question in people.references for question in people.questions),
        signature=Signature(__version__, "luna predict", ", ".join(names), source, digest, config.seed, settings),
    )


def check(people: PeopleTable, names: Sequence[str]) -> None:
    """Raises `UnknownName` or `BadInput` for names that cannot be compared, `NotEnoughEvidence` if all ratings are equal."""
    for name in names:
        predictor(name)
    if not names:
        raise BadInput("there are no predictors to compare: name one or more")
    if len(set(names)) < len(names):
        raise BadInput(f"a predictor is repeated among {', '.join(names)[:200]}: name each once")
    ratings = targets(people)
    if np.ptp(ratings) == 0:
        raise NotEnoughEvidence(f"all {ratings.size} ratings are {ratings[0]:g}; comparing predictors needs different ones")


def errors_of(
    people: PeopleTable, splits: Iterable[PeopleSplit], names: Sequence[str], *, executor: Executor | None = None
) -> Iterable[list[float]]:
    """For each split the root mean squared error of each predictor, in the order of the splits."""
    return (map if executor is None else executor.map)(partial(_errors, people, tuple(names)), splits)


def _errors(people: PeopleTable, names: Sequence[str], split: PeopleSplit) -> list[float]:
    learn, test = people.only(split.learn), people.only(split.test)
    values, asked = targets(test), test.unrated()
    errors = (predictor(name).fit(learn, seed=split.number).predict(asked) - values for name in names)
    return [float(np.sqrt(np.mean(each**2))) for each in errors]


def estimate(mean: ResampledMean) -> Estimate:
    """An error with its interval, which does not go below 0."""
    return Estimate(mean.mean, Interval(max(0.0, mean.bounds.lower), mean.bounds.upper), mean.splits)


def difference(mean: ResampledMean) -> ErrorDifference:
    """A difference of errors on the same splits."""
    return ErrorDifference(mean.mean, Interval(*mean.bounds), mean.p)
