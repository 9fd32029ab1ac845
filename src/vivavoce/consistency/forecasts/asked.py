"""What was forecast: rows of tuples, and what became of single replies."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from statistics import median

from vivavoce.consistency.forecasts.config import ForecastsConfig
from vivavoce.consistency.forecasts.plan import Planned, Series
from vivavoce.consistency.forecasts.prompts import Instructions
from vivavoce.consistency.forecasts.rows import LONGEST_NAME, Row
from vivavoce.formats.wording import count
from vivavoce.interview.budget import Limit
from vivavoce.interview.forms.form import Reading
from vivavoce.interview.reply_counts import OUTCOMES, outcome_of


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


@dataclass(slots=True)
class Told:
    """The replies of one series so far."""

    values: list[float] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)

    def add(self, reading: Reading[float]) -> None:
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


def row_of(planned: Planned, told: Mapping[Series, Told], forecaster: str, replies: Mapping[str, int]) -> Row:
    """The forecasts of one tuple."""
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


def total_of(told: Iterable[Told]) -> dict[str, int]:
    """Outcomes that occurred, in the order of `OUTCOMES`."""
    counted: Counter[str] = Counter()
    for one in told:
        counted.update(one.outcomes)
    return {outcome: counted[outcome] for outcome in OUTCOMES if counted[outcome]}


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
