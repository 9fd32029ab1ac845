"""The learning curve: how good are predictors that learn from fewer people?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import replace

import numpy as np

from vivavoce.errors import BadInput
from vivavoce.luna.config import CURVE, SIZES, SplitsConfig
from vivavoce.luna.predict.answers import People
from vivavoce.luna.predict.compare import check, errors_of, estimate
from vivavoce.luna.predict.compare_finding import Point, RatingCurve
from vivavoce.luna.predict.splits import signature_of, splits_of
from vivavoce.statistics.corrected_resampling import resampled_t


def curve(
    people: People,
    names: Sequence[str],
    sizes: Sequence[int] = SIZES,
    *,
    config: SplitsConfig = CURVE,
    source: str = "",
    digest: str = "",
    executor: Executor | None = None,
    on_size: Callable[[int], None] | None = None,
) -> RatingCurve:
    """Root mean squared errors of predictors that learn from the first few of those whom a split leaves to learn from.

    Parameters
    ----------
    names: as `predictor` takes them, each once.
    sizes: numbers of people to learn from; those beyond what a split leaves become all that it leaves.
    on_size: told each number before it begins.

    Raises what `compare` raises, and `BadInput` for no sizes or one below 1.
    """
    check(people, names)
    if not sizes or min(sizes) < 1:
        raise BadInput("name one or more numbers of people to learn from, each at least 1")
    drawn = splits_of(people, config)
    taken = sorted({min(size, len(drawn[0].learn)) for size in sizes})
    tested = len(drawn[0].test)
    points = []
    for size in taken:
        if on_size is not None:
            on_size(size)
        parts = [replace(split, learn=split.learn[:size]) for split in drawn]
        table = np.array(list(errors_of(people, parts, names, executor=executor)))
        for name, errors in zip(names, table.T, strict=True):
            points.append(Point(name, size, estimate(resampled_t(errors, tested=tested, learnt=size))))
    return RatingCurve(
        points=tuple(sorted(points, key=lambda point: list(names).index(point.name))),
        people=len(people.people),
        tested=tested,
        signature=signature_of(config, "luna predict curve", names=names, source=source, digest=digest, sizes=taken),
    )
