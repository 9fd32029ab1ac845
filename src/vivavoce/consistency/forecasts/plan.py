"""What will be asked: which tuples, which questions once for all of them, and which again as a control."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from vivavoce.consistency.forecasts.prompts import Kind
from vivavoce.consistency.forecasts.tuples import QuestionTuple
from vivavoce.laws import QUANTITIES
from vivavoce.laws.monotone import monotonicity

CONTROL_KEYS = ("P", "again_1", "again_2", "again_3")
"""Statements of a control tuple: as many as the paper has phrasings of a question."""


@dataclass(frozen=True, slots=True)
class Series:
    """Some independent replies to one question: their median is one forecast."""

    question: str
    kind: Kind
    number: int = 0
    """0, or which further series of the identical question this is; no two share a reply."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A tuple with the series that its forecasts come from."""

    place: int
    """Among all that were given, from 0; controls come behind them."""
    asked: QuestionTuple
    series: Mapping[str, Series]
    """Name of the statement -> series; tuples with a question in common share its series."""


def plan(tuples: Sequence[QuestionTuple], *, limit: int | None = None, control: int = 0, seed: int = 0) -> list[Planned]:
    """This many of the tuples in the order in which they are asked, each of the first `control` followed by its control.

    The order is drawn at random, even where all are asked: whatever a budget leaves of them is a random sample. A higher
    limit begins with the same tuples.

    A control asks the first question of a tuple again, word for word, in three further series (`fluri2024`, appendix
    C.3.2): what differs then is chance alone. Only probabilities have one, and no question has two. It is asked right after
    its tuple, so that both are there where a budget ends early.

    Raises `BadInput` for quantities that cannot be scored, such as those whose statements are not called by numbers.

    >>> rain = QuestionTuple("neg", {"P": "Will it rain?", "not_P": "Will it stay dry?"}, id="1")
    >>> [(p.asked.law, p.place, [s.number for s in p.series.values()]) for p in plan([rain, rain], control=5)]
    [('neg', 0, [0, 0]), ('repeat', 2, [0, 1, 2, 3]), ('neg', 1, [0, 0])]
    """
    planned: list[Planned] = []
    controlled = {question for one in tuples if one.law == "repeat" for question in one.questions.values()}
    for place in np.random.default_rng(seed).permutation(len(tuples)).tolist()[:limit]:
        one = tuples[place]
        planned.append(_planned(place, one))
        first = next(iter(one.questions.values()))
        if control and one.law not in QUANTITIES and first not in controlled:
            again = QuestionTuple("repeat", dict.fromkeys(CONTROL_KEYS, first), id=one.id, base=one.base)
            planned.append(_planned(place + len(tuples), again))
            controlled.add(first)
            control -= 1
    return planned


def all_series(planned: Iterable[Planned]) -> list[Series]:
    """Every series once, in the order in which it is first needed."""
    return list(dict.fromkeys(series for one in planned for series in one.series.values()))


def _planned(place: int, one: QuestionTuple) -> Planned:
    kind = Kind.QUANTITY if one.law in QUANTITIES else Kind.PROBABILITY
    if kind is Kind.QUANTITY:
        monotonicity(one.law, dict.fromkeys(one.questions, 0.0))  # refused before anything is asked
    before: Counter[str] = Counter()
    series: dict[str, Series] = {}
    for key, question in one.questions.items():
        # only where the law is about asking again do equal questions of a tuple have replies of their own
        series[key] = Series(question, kind, before[question] if one.law == "repeat" else 0)
        before[question] += 1
    return Planned(place, one, series)
