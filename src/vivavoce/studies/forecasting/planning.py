"""Which questions are asked, how often, and what became of the replies."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

import numpy as np

from vivavoce.formats.wording import count
from vivavoce.interview.budget import Limit
from vivavoce.interview.forms.form import ParsedReply
from vivavoce.interview.reading import OUTCOMES, outcome_of
from vivavoce.laws.law import QUANTITIES
from vivavoce.laws.monotone import monotonicity
from vivavoce.studies.forecasting.config import ForecastsConfig
from vivavoce.studies.forecasting.forecast_files import LONGEST_NAME, Row
from vivavoce.studies.forecasting.prompts import Instructions, Kind
from vivavoce.studies.forecasting.tuples import QuestionTuple

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
class PlannedTuple:
    """A tuple with the series that its forecasts come from."""

    place: int
    """Among all that were given, from 0; controls come behind them."""
    asked: QuestionTuple
    series: Mapping[str, Series]
    """Name of the statement -> series; tuples with a question in common share its series."""


def plan(tuples: Sequence[QuestionTuple], *, limit: int | None = None, control: int = 0, seed: int = 0) -> list[PlannedTuple]:
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
    planned: list[PlannedTuple] = []
    controlled = {
        question
        for question_tuple in tuples
        if question_tuple.law == "repeat"
        for question in question_tuple.questions.values()
    }
    for position in np.random.default_rng(seed).permutation(len(tuples)).tolist()[:limit]:
        entry = tuples[position]
        planned.append(_planned(position, entry))
        first = next(iter(entry.questions.values()))
        if control and entry.law not in QUANTITIES and first not in controlled:
            again = QuestionTuple("repeat", dict.fromkeys(CONTROL_KEYS, first), id=entry.id, base=entry.base)
            planned.append(_planned(position + len(tuples), again))
            controlled.add(first)
            control -= 1
    return planned


def all_series(planned: Iterable[PlannedTuple]) -> list[Series]:
    """Every series once, in the order in which it is first needed."""
    return list(dict.fromkeys(series for planned_tuple in planned for series in planned_tuple.series.values()))


def _planned(index: int, question_tuple: QuestionTuple) -> PlannedTuple:
    kind = Kind.QUANTITY if question_tuple.law in QUANTITIES else Kind.PROBABILITY
    if kind is Kind.QUANTITY:
        monotonicity(question_tuple.law, dict.fromkeys(question_tuple.questions, 0.0))  # refused before anything is asked
    before: Counter[str] = Counter()
    series: dict[str, Series] = {}
    for key, question in question_tuple.questions.items():
        # only where the law is about asking again do equal questions of a tuple have replies of their own
        series[key] = Series(question, kind, before[question] if question_tuple.law == "repeat" else 0)
        before[question] += 1
    return PlannedTuple(index, question_tuple, series)


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """What an examination will ask."""

    tuples: int
    """Without controls."""
    questions: int
    """Different ones."""
    controls: int
    """Tuples that ask a question again as a control."""
    replies: int
    """All in all; those on record are among them."""


@dataclass(frozen=True, slots=True)
class AskedForecasts:
    """What was forecast."""

    rows: tuple[Row, ...]
    """One for each tuple whose questions were all asked, in the order in which they were given; then the controls.

    The `replies` of a row are those that were asked on its account: replies to a question that a tuple asked before holds as
    well are counted there, so that they add up.
    """
    planned: int
    """Rows that there would have been; fewer have come if the budget ran out."""
    outcomes: Mapping[str, int]
    """What became of single replies, each counted once however many tuples it serves: `read`, or why not -> how many."""
    exhausted: Limit
    """Which limit of the budget ran out; empty where none did."""
    absence: str = ""
    """Why the first reply that did not come did not, in the words of the transport; empty where all came."""
    settings: Mapping[str, object] = field(default_factory=dict)
    """How it was asked, for the signature of the finding."""
    asked_so: tuple[str, ...] = ()
    """What a reader must know of how it was asked."""
    shown: int = 0
    """Replies that are nothing but a line that printed prompts show, read as forecasts all the same."""


@dataclass(slots=True)
class SeriesReplies:
    """The replies of one series so far."""

    values: list[float] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)

    def add(self, reading: ParsedReply[float]) -> None:
        """One more reply."""
        self.outcomes[outcome_of(reading)] += 1
        if reading.value is not None:
            self.values.append(reading.value)

    @property
    def forecast(self) -> float | None:
        """The median of those that can be read; None where none can."""
        return median(self.values) if self.values else None


def forecaster_of(candidate: str, config: ForecastsConfig, instructions: Instructions | None = None) -> str:
    """What a candidate is called that is asked in this way: its name, and what departs from the usual.

    >>> forecaster_of("bot:x", ForecastsConfig()), forecaster_of("bot:x", ForecastsConfig(variant="opposite", temperature=0.5))
    ('bot:x', 'bot:x, opposite first, temperature 0.5')
    """
    parts = [candidate] if config.variant == "plain" else [candidate, f"{config.variant} first"]
    if instructions is not None:
        parts.append(f"instructions {instructions.name}")
    if config.together:
        parts.append("in one conversation")
    if config.prompts == "printed":
        parts.append("printed prompts")
    if config.temperature != 0:
        parts.append("own temperature" if config.temperature is None else f"temperature {config.temperature:g}")
    if config.repeats not in (None, ForecastsConfig(temperature=config.temperature).times):
        parts.append(f"median of {config.repeats}")
    name = ", ".join(parts)
    if len(name) <= LONGEST_NAME:
        return name
    digest = hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:12]
    return f"{name[: LONGEST_NAME - 13]} {digest}"


def row_of(
    planned: PlannedTuple, replies_of: Mapping[Series, SeriesReplies], forecaster: str, replies: Mapping[str, int]
) -> Row:
    """The forecasts of one tuple."""
    asked = planned.asked
    return Row(
        forecaster=forecaster,
        law=asked.law,
        forecasts={key: replies_of[series].forecast for key, series in planned.series.items()},
        id=asked.id,
        base=asked.base,
        questions=dict(asked.questions),
        replies=replies,
        draws={key: tuple(replies_of[series].values) for key, series in planned.series.items()},
    )


def total_of(replies_of: Iterable[SeriesReplies]) -> dict[str, int]:
    """Outcomes that occurred, in the order of `OUTCOMES`."""
    counted: Counter[str] = Counter()
    for replies in replies_of:
        counted.update(replies.outcomes)
    return {outcome: counted[outcome] for outcome in OUTCOMES if counted[outcome]}


def shown_numbers(config: ForecastsConfig, shown: int, answered: int) -> tuple[str, ...]:
    """What a reader must know of printed prompts, which show numbers that can be copied; nothing of others.

    shown, answered: replies that are nothing but such a line, and all.
    """
    if config.prompts != "printed":
        return ()
    return (
        "The printed prompts show numbers, and a reply of such a line alone may be a copy. "
        f"That is so for {count(shown)} of {count(answered)} replies; they count as forecasts.",
    )
