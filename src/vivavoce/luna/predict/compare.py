"""Which predictor predicts ratings best: all of them on the same random splits of people (Figure 5.3 of `silver2016`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from functools import partial

import numpy as np

from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.luna.config import SplitsConfig
from vivavoce.luna.predict.answers import People
from vivavoce.luna.predict.base import FloatArray, targets
from vivavoce.luna.predict.compare_finding import Difference, PredictorScore, RatingComparison
from vivavoce.luna.predict.models import predictor
from vivavoce.luna.predict.splits import Split, signature_of, splits_of
from vivavoce.statistics.corrected_resampling import Resampled, resampled_t

AGAINST = "com"


def compare(
    people: People,
    names: Sequence[str],
    config: SplitsConfig = SplitsConfig(),  # noqa: B008 -- frozen
    *,
    source: str = "",
    digest: str = "",
    executor: Executor | None = None,
    on_split: Callable[[int], None] | None = None,
) -> RatingComparison:
    """Root mean squared errors of predictors, and whether they differ from that of `com`, or else of the first.

    Parameters
    ----------
    names: as `predictor` takes them, each once.
    config: all predictors see the same splits.
    source, digest: of the table, for the signature.
    on_split: told how many splits are done.

    Raises `UnknownName`, `BadInput`, `NotEnoughEvidence`, and `MissingExtra` for what a predictor needs.
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
    return RatingComparison(
        scores=tuple(
            PredictorScore(
                name, estimate(judged(table[:, place])), None if name == against else difference(judged(table[:, place] - base))
            )
            for place, name in enumerate(names)
        ),
        against=against,
        people=len(people.people),
        questions=len(people.questions),
        graded=people.graded,
        tested=len(drawn[0].test),
        keyed=sum(question in people.references for question in people.questions),
        signature=signature_of(config, "luna predict", names=names, source=source, digest=digest),
    )


def check(people: People, names: Sequence[str]) -> None:
    """Raises `UnknownName` or `BadInput` for names that cannot be compared, `NotEnoughEvidence` for ratings all the same."""
    for name in names:
        predictor(name)
    if not names:
        raise BadInput("there are no predictors to compare: name one or more")
    if len(set(names)) < len(names):
        raise BadInput(f"a predictor is named twice among {', '.join(names)[:200]}: name each once")
    ratings = targets(people)
    if np.ptp(ratings) == 0:
        raise NotEnoughEvidence(f"all {ratings.size} ratings are {ratings[0]:g}; to compare predictors takes different ones")


def errors_of(
    people: People, splits: Iterable[Split], names: Sequence[str], *, executor: Executor | None = None
) -> Iterable[list[float]]:
    """For each split the root mean squared error of each predictor, in the order of the splits."""
    return (map if executor is None else executor.map)(partial(_errors, people, tuple(names)), splits)


def _errors(people: People, names: Sequence[str], split: Split) -> list[float]:
    learn, test = people.only(split.learn), people.only(split.test)
    told, asked = targets(test), test.unrated()
    return [_root(predictor(name).fit(learn, seed=split.number).predict(asked) - told) for name in names]


def _root(errors: FloatArray) -> float:
    return float(np.sqrt(np.mean(errors**2)))


def estimate(found: Resampled) -> Estimate:
    """An error, which is not below 0."""
    return Estimate(found.mean, Interval(max(0.0, found.bounds.lower), found.bounds.upper), found.splits)


def difference(found: Resampled) -> Difference:
    """A difference of errors on the same splits."""
    return Difference(found.mean, Interval(*found.bounds), found.p)
