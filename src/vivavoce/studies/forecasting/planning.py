"""Ways to ask and their settings; which questions are asked, and how often; the outcomes of the replies."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Final

import numpy as np

from vivavoce.errors import BadFile, BadInput, UnknownName
from vivavoce.formats.lines import expanded, text_lines
from vivavoce.formats.wording import clipped, count
from vivavoce.interview.budget import Limit
from vivavoce.interview.forms.form import ParsedReply
from vivavoce.interview.reading import OUTCOMES, outcome_of
from vivavoce.laws.law import QUANTITIES
from vivavoce.laws.monotone import monotonicity
from vivavoce.studies.config import ForecastsConfig, VariantsConfig
from vivavoce.studies.forecasting.forecast_files import LONGEST_NAME, QuestionTuple, Row
from vivavoce.studies.forecasting.prompts import VARIANTS, ForecastKind, Instructions

CONTROL_KEYS = ("P", "again_1", "again_2", "again_3")
"""Statements of a control tuple: as many as the paper has phrasings of a question."""


@dataclass(frozen=True, slots=True)
class Series:
    """Independent replies to one question; their median is one forecast."""

    question: str
    kind: ForecastKind
    number: int = 0
    """0, or the number of a further series of the identical question; two series share no reply."""


@dataclass(frozen=True, slots=True)
class PlannedTuple:
    """A tuple with the series that give its forecasts."""

    place: int
    """Position among all given tuples, from 0; controls come after them."""
    asked: QuestionTuple
    series: Mapping[str, Series]
    """Name of the statement -> series; tuples that share a question share its series."""


def plan(tuples: Sequence[QuestionTuple], *, limit: int | None = None, control: int = 0, seed: int = 0) -> list[PlannedTuple]:
    """Draw `limit` tuples in the order in which they are asked; the first `control` of them are each followed by a control.

    The order is random even if all are asked, so the tuples that a budget allows are a random sample. A higher limit begins
    with the same tuples.

    A control asks the first question of a tuple again, word for word, in three further series (`fluri2024`, appendix C.3.2);
    differences between these are chance. Only probabilities have controls, at most one for each question. A control directly
    follows its tuple, so that both are present if the budget ends early.

    Raises `BadInput` for quantities that can't be scored, such as those whose statements are not named by numbers.

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
    """Each series once, in the order in which it is first needed."""
    return list(dict.fromkeys(series for planned_tuple in planned for series in planned_tuple.series.values()))


def _planned(index: int, question_tuple: QuestionTuple) -> PlannedTuple:
    kind = ForecastKind.QUANTITY if question_tuple.law in QUANTITIES else ForecastKind.PROBABILITY
    if kind is ForecastKind.QUANTITY:
        monotonicity(
            question_tuple.law, dict.fromkeys(question_tuple.questions, 0.0)
        )  # Raises for quantities that can't be scored, before anything is asked.
    before: Counter[str] = Counter()
    series: dict[str, Series] = {}
    for key, question in question_tuple.questions.items():
        # equal questions of a tuple have separate replies only if the law is about repetition
        series[key] = Series(question, kind, before[question] if question_tuple.law == "repeat" else 0)
        before[question] += 1
    return PlannedTuple(index, question_tuple, series)


@dataclass(frozen=True, slots=True)
class ForecastCost:
    """Number of questions and replies that an examination will ask for."""

    tuples: int
    """Number of tuples without controls."""
    questions: int
    """Number of different questions."""
    controls: int
    """Number of control tuples."""
    replies: int
    """Number of replies, including those on record."""


@dataclass(frozen=True, slots=True)
class AskedForecasts:
    """Forecasts, and how they were asked for."""

    rows: tuple[Row, ...]
    """A row for each tuple whose questions were all asked, in the given order; then the controls.

    `replies` counts a reply only in the first tuple that asked for it, so that the counts of all rows add up.
    """
    planned: int
    """Number of rows planned; fewer were asked if the budget ran out."""
    outcomes: Mapping[str, int]
    """Counts of single replies by outcome (`read`, or why not); a reply counts once, however many tuples use it."""
    exhausted: Limit
    """The limit of the budget that ran out; empty if none did."""
    absence: str = ""
    """The transport's reason for the first missing reply; empty if all came."""
    settings: Mapping[str, object] = field(default_factory=dict)
    """Settings for the signature of the finding."""
    asked_so: tuple[str, ...] = ()
    shown: int = 0
    """Replies that only repeat a line shown in the printed prompts; they count as forecasts."""


def joined(asked: Sequence[AskedForecasts]) -> AskedForecasts:
    """The forecasts of candidates that were asked in the same way, for at least one candidate."""
    return replace(
        asked[0],
        rows=tuple(row for forecasts in asked for row in forecasts.rows),
        planned=sum(forecasts.planned for forecasts in asked),
        outcomes=total_of(asked),
        exhausted=next((forecasts.exhausted for forecasts in asked if forecasts.exhausted), ""),
        absence=next((forecasts.absence for forecasts in asked if forecasts.absence), ""),
        asked_so=tuple(dict.fromkeys(sentence for forecasts in asked for sentence in forecasts.asked_so)),
        shown=sum(forecasts.shown for forecasts in asked),
    )


@dataclass(slots=True)
class SeriesReplies:
    """The replies of one series so far."""

    values: list[float] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)

    def add(self, reading: ParsedReply[float]) -> None:
        """Count one more reply."""
        self.outcomes[outcome_of(reading)] += 1
        if reading.value is not None:
            self.values.append(reading.value)

    @property
    def forecast(self) -> float | None:
        """The median of the parsed replies; None without any."""
        return median(self.values) if self.values else None


def forecaster_of(candidate: str, config: ForecastsConfig, instructions: Instructions | None = None) -> str:
    """Display name of a candidate that is asked in this way: its name, and all settings that are not the default.

    >>> forecaster_of("bot:x", ForecastsConfig()), forecaster_of("bot:x", ForecastsConfig(variant="opposite", temperature=0.5))
    ('bot:x', 'bot:x (opposite first, temperature 0.5)')
    """
    parts = [] if config.variant == "plain" else [f"{config.variant} first"]
    if instructions is not None:
        parts.append(f"instructions {instructions.name}")
    if config.together:
        parts.append("in one conversation")
    if config.prompts == "printed":
        parts.append("printed prompts")
    if config.temperature != 0:
        parts.append("own temperature" if config.temperature is None else f"temperature {config.temperature:g}")
    if config.repeats not in (None, ForecastsConfig(temperature=config.temperature).times):
        parts.append("single replies" if config.repeats == 1 else f"median of {config.repeats}")
    name = f"{candidate} ({', '.join(parts)})" if parts else candidate
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


def total_of(replies_of: Iterable[SeriesReplies | AskedForecasts]) -> dict[str, int]:
    """Count the outcomes that occurred, in the order of `OUTCOMES`."""
    counted: Counter[str] = Counter()
    for replies in replies_of:
        counted.update(replies.outcomes)
    return {outcome: counted[outcome] for outcome in OUTCOMES if counted[outcome]}


def shown_numbers(config: ForecastsConfig, shown: int, answered: int) -> tuple[str, ...]:
    """The caveat on printed prompts, whose numbers can be copied; empty for other prompts.

    shown, answered: replies that only repeat such a line, and all replies.
    """
    if config.prompts != "printed":
        return ()
    return (
        f"The printed prompts show numbers, and a reply of only such a line may be a copy. That is so for "
        f"{count(shown)} of {count(answered)} replies; they count as forecasts.",
    )


TOGETHER: Final = "together"
INSTRUCTIONS, CANDIDATE = "instructions:", "candidate:"
LONGEST: Final = 20_000
"""Most characters of instructions."""
LONGEST_LABEL: Final = 60


@dataclass(frozen=True, slots=True)
class AskedWay:
    """One way to ask."""

    label: str
    """Unique display name in tables."""
    config: ForecastsConfig
    candidate: str = ""
    """Name of the candidate; empty: the same as for the others."""
    instructions: Instructions | None = None


def ways_of(config: VariantsConfig, base: ForecastsConfig) -> list[AskedWay]:
    """The requested ways to ask; other settings are as in `base`.

    Raises `BadInput` for a repeated way, `UnknownName`, and `BadFile` for a file of instructions that can't be used.

    >>> [way.label for way in ways_of(VariantsConfig(("plain", "together+opposite")), ForecastsConfig())]
    ['plain', 'together+opposite']
    """
    ways = [way_named(name, base) for name in config.variants]
    labels = [variant.label for variant in ways]
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice is not None:
        raise BadInput(f"two variants are called '{twice}': give each once, and rename files of instructions")
    return ways


def way_named(name: str, base: ForecastsConfig) -> AskedWay:
    """The way with this name on the command line."""
    beginning, _, rest = name.partition("+")
    config, text = base, name
    if beginning == TOGETHER:
        config, text = replace(base, together=True), rest or "plain"
    if text.startswith(CANDIDATE) and len(text) > len(CANDIDATE):
        return AskedWay(_label(name), config, candidate=text.removeprefix(CANDIDATE))
    if text.startswith(INSTRUCTIONS) and len(text) > len(INSTRUCTIONS):
        instructions = read_instructions(expanded(text.removeprefix(INSTRUCTIONS)))
        label = name.removesuffix(text) + instructions.name
        return AskedWay(_label(label), config, instructions=instructions)
    if text not in VARIANTS:
        raise UnknownName(
            "variant", clipped(text, LONGEST_LABEL), (*VARIANTS, TOGETHER, f"{INSTRUCTIONS}FILE", f"{CANDIDATE}NAME")
        )
    config = replace(config, variant=text)
    return AskedWay(_label(name), config)


def read_instructions(file: Path) -> Instructions:
    """Read instructions from a text file. Raises `BadFile` if it is empty or too long."""
    lines: list[str] = []
    for line in text_lines(file):
        lines.append(line)
        if sum(map(len, lines)) > LONGEST:
            raise BadFile(
                file, f"instructions of more than {LONGEST} characters: shorten them, they are sent with each question"
            )
    text = "".join(lines).strip()
    if not text:
        raise BadFile(file, "the instructions are empty: write how to forecast a probability")
    return Instructions(clipped(file.name, LONGEST_LABEL), text)


def candidates_of(ways: Sequence[AskedWay], candidate: str) -> list[str]:
    """Names of the candidates that are asked in these ways."""
    return [variant.candidate or candidate for variant in ways]


def _label(name: str) -> str:
    return clipped(name, LONGEST_LABEL)
