"""The examination: ask every question several times, take medians, hand back a row for each tuple."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from statistics import median

from vivavoce.consistency.forecasts.config import ForecastsConfig
from vivavoce.consistency.forecasts.outcomes import OUTCOMES, outcome_of
from vivavoce.consistency.forecasts.plan import Planned, Series, all_series, plan
from vivavoce.consistency.forecasts.printed import says_a_shown_line
from vivavoce.consistency.forecasts.prompts import forecast_prompt
from vivavoce.consistency.forecasts.rows import LONGEST_NAME, Row
from vivavoce.consistency.forecasts.tuples import QuestionTuple
from vivavoce.formats.wording import count
from vivavoce.interview.budget import Limit
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.forms.form import Reading
from vivavoce.interview.interview import Interview
from vivavoce.interview.reading import read


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
class Asked:
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
    """How it was asked, for the signature of what is found."""
    asked_so: tuple[str, ...] = ()
    """What a reader must know of how it was asked."""
    shown: int = 0
    """Replies that are nothing but a line that printed prompts show, read as forecasts all the same."""


def planned_by(config: ForecastsConfig, tuples: Sequence[QuestionTuple]) -> list[Planned]:
    """What of these tuples is asked, in order."""
    return plan(tuples, limit=config.limit, control=config.control, seed=config.seed)


def forecaster_of(candidate: str, config: ForecastsConfig) -> str:
    """What a candidate is called that is asked in this way: its name, and what departs from the usual.

    >>> forecaster_of("bot:x", ForecastsConfig()), forecaster_of("bot:x", ForecastsConfig(variant="opposite", temperature=0.5))
    ('bot:x', 'bot:x, opposite first, temperature 0.5')
    """
    parts = [candidate] if config.variant == "plain" else [candidate, f"{config.variant} first"]
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


def cost_estimate(tuples: Sequence[QuestionTuple], config: ForecastsConfig) -> CostEstimate:
    """What `ask_forecasts` will ask.

    >>> cost_estimate([QuestionTuple("neg", {"P": "Will it rain?", "not_P": "Will it stay dry?"})], ForecastsConfig(control=1))
    CostEstimate(tuples=1, questions=2, controls=1, replies=15)
    """
    planned = planned_by(config, tuples)
    order = all_series(planned)
    questions = {(series.question, series.kind) for series in order}
    controls = sum(one.place >= len(tuples) for one in planned)
    return CostEstimate(len(planned) - controls, len(questions), controls, len(order) * config.times)


async def ask_forecasts(interview: Interview[Prompt, Reply], tuples: Sequence[QuestionTuple], config: ForecastsConfig) -> Asked:
    """What does this candidate forecast?

    Each question is asked `config.times` times in fresh conversations, and its forecast is the median of those replies that can
    be read; None where none can. A question that stands in several tuples is asked once for all of them.

    The draws of a question are numbered by their place among its repeats, those of controls after all others: a run with
    more repeats over the same transcript asks only those that are new.

    Raises what the interview raises; what was answered before is on record, and the same call goes on from there.
    """
    planned = planned_by(config, tuples)
    order = all_series(planned)
    told: dict[Series, _Told] = {}
    answered, absence, shown = 0, "", 0
    async with aclosing(interview.ask_in_order(_prompts(order, config), topic="consistency/forecasts")) as answers:
        async for prompt, answer in answers:
            series = order[answered // config.times]
            told.setdefault(series, _Told()).add(read(prompt, answer))
            shown += config.prompts == "printed" and isinstance(answer, Reply) and says_a_shown_line(answer.text)
            answered += 1
            absence = absence or (answer.reason if isinstance(answer, NoAnswer) else "")
    complete = set(order[: answered // config.times])
    forecaster = forecaster_of(interview.candidate.name, config)
    counted: set[Series] = set()
    rows: dict[int, Row] = {}
    for one in planned:
        if complete.issuperset(one.series.values()):
            own = [told[series] for series in dict.fromkeys(one.series.values()) if series not in counted]
            rows[one.place] = _row(one, told, forecaster, _total(own))
            counted.update(one.series.values())
    in_order = tuple(rows[place] for place in sorted(rows))
    return Asked(
        rows=in_order,
        planned=len(planned),
        outcomes=_total(told.values()),
        exhausted=interview.exhausted,
        absence=absence,
        settings=interview.settings,
        asked_so=(*interview.caveats, *shown_numbers(config, shown, answered)),
        shown=shown,
    )


def shown_numbers(config: ForecastsConfig, shown: int, answered: int) -> tuple[str, ...]:
    """What a reader must know of printed prompts, which show numbers that can be copied; nothing of others.

    shown, answered: replies that are nothing but such a line, and all.
    """
    if config.prompts != "printed":
        return ()
    return (
        "The printed prompts show numbers: a reply that is nothing but such a line may be a copy, and was read as a forecast "
        f"all the same; {count(shown)} of {count(answered)} replies are.",
    )


@dataclass(slots=True)
class _Told:
    """The replies of one series so far."""

    values: list[float] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)

    def add(self, reading: Reading[float]) -> None:
        self.outcomes[outcome_of(reading)] += 1
        if reading.value is not None:
            self.values.append(reading.value)

    @property
    def forecast(self) -> float | None:
        return median(self.values) if self.values else None


def _prompts(order: Sequence[Series], config: ForecastsConfig) -> Iterator[Prompt]:
    for series in order:
        prompt = forecast_prompt(
            series.question, series.kind, variant=config.variant, temperature=config.temperature, wording=config.prompts
        )
        for _ in range(config.times):
            yield prompt


def _row(planned: Planned, told: Mapping[Series, _Told], forecaster: str, replies: Mapping[str, int]) -> Row:
    asked = planned.asked
    return Row(
        forecaster=forecaster,
        law=asked.law,
        forecasts={key: told[series].forecast for key, series in planned.series.items()},
        id=asked.id,
        base=asked.base,
        questions=dict(asked.questions),
        replies=replies,
        draws={key: tuple(told[series].values) for key, series in planned.series.items()},
    )


def _total(told: Iterable[_Told]) -> dict[str, int]:
    """Outcomes that occurred, in the order of `OUTCOMES`."""
    counted: Counter[str] = Counter()
    for one in told:
        counted.update(one.outcomes)
    return {outcome: counted[outcome] for outcome in OUTCOMES if counted[outcome]}
