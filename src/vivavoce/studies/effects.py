"""Count cases, which say what happened under each treatment: effects of treatments, and the test of a limit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypedDict

from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import clipped
from vivavoce.studies.rates import Ends, Event, LimitTest, Mean, Rate, RateDifference, any_of

LONGEST_LABEL: Final = 120
"""Most characters of a label, which can come from other people's files."""


@dataclass(frozen=True, slots=True)
class Treatment:
    """Something done to a question, or the control, in which nothing is done."""

    name: str
    about: str = ""
    """What is done, in words that follow the study's "with" or "when"."""
    control: str = ""
    """Name of the control to compare with; empty if there is none."""
    is_control: bool = False
    label: str = ""
    """Display name in tables and lists; the name if empty."""
    sources: tuple[str, ...] = ()
    """Keys in `docs/references.bib`."""
    group: str = ""
    """Name under which cases without this treatment are counted; its own name if empty."""
    is_detail: bool = False
    """Whether only tables and JSON show it; the statement and the figure leave it out."""
    subject: str = ""
    """Candidate or way to ask, in a study that compares several."""


@dataclass(frozen=True, slots=True)
class Case:
    """One question, with what happened under each treatment and control."""

    groups: tuple[Hashable, ...]
    """Names of what it shares with other cases, such as its draw; cases that share one depend on each other."""
    events: Mapping[str, Mapping[str, Event]]
    """Events by treatment, then by name; an event that could not happen is left out."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Why the question did not get a treatment, by group of treatments."""
    before: Ends | None = None
    """The score of the first answer; None if the right answer is unknown."""
    after: Mapping[str, Ends] = field(default_factory=dict)
    """Scores after each treatment."""


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of one treatment on all questions that got it."""

    treatment: Treatment
    n: int
    rates: Mapping[str, Rate]
    """Rates by event."""
    control: Mapping[str, Rate]
    """Rates under the control on the same questions; empty for the control itself."""
    excess: Mapping[str, RateDifference]
    """Differences between the rates and those of the control."""
    scores: Mapping[str, Mean]
    """`before`, `after` and their `difference`; empty in a study without scores."""
    left_out: Mapping[str, int]
    """Questions without this treatment, by reason."""
    numbers: Mapping[str, float | None] = field(default_factory=dict)
    """Other numbers of the study for this treatment, by name."""
    estimates: Mapping[str, Estimate] = field(default_factory=dict)
    """Other numbers that have intervals."""

    json_keys = (
        "subject?=treatment.subject name?=treatment.name group?=treatment.group about?=treatment.about "
        "sources?=treatment.sources n rates? control? excess? scores? numbers? estimates? left_out"
    )

    @property
    def label(self) -> str:
        """Display name in tables and lists."""
        return clipped(self.treatment.label or self.treatment.name, LONGEST_LABEL)


def effects_of(cases: Sequence[Case], treatments: Sequence[Treatment], events: Sequence[str]) -> tuple[Effect, ...]:
    """The effect of each treatment, in the given order; a treatment without a control is a control."""
    return tuple(_effect(cases, treatment, events) for treatment in treatments)


def limit_test_of(
    cases: Sequence[Case],
    treatments: Iterable[Treatment],
    event: str,
    *,
    limit: float | None,
    delta: float,
    population: int | None = None,
) -> LimitTest | None:
    """Test how often the event happens under at least one treatment; None without a limit, or if it cannot happen.

    A limit that holds in this test also holds for each single treatment.

    population: as for `LimitTest.of`.
    """
    names = {treatment.name for treatment in treatments if not treatment.is_control}
    happened = {
        number: [events[event] for name, events in case.events.items() if name in names and event in events]
        for number, case in enumerate(cases)
    }
    concerned = [number for number, events in happened.items() if events]
    if limit is None or not concerned:
        return None
    ever = [any_of(happened[number]) for number in concerned]
    return LimitTest.of(ever, [cases[number].groups for number in concerned], limit=limit, delta=delta, population=population)


def _effect(cases: Sequence[Case], treatment: Treatment, events: Sequence[str]) -> Effect:
    treated = [case for case in cases if treatment.name in case.events]
    rates = {event: _rate(treated, treatment.name, event) for event in events}
    control = {event: _rate(treated, treatment.control, event) for event in events} if treatment.control else {}
    group = treatment.group or treatment.name
    return Effect(
        treatment,
        len(treated),
        rates,
        control,
        {event: RateDifference.of(rates[event], rate) for event, rate in control.items()},
        _scores(treated, treatment.name) if any(case.after for case in cases) else {},
        dict(Counter(case.left_out[group] for case in cases if group in case.left_out)),
    )


def _rate(cases: Sequence[Case], treatment: str, event: str) -> Rate:
    concerned = [case for case in cases if event in case.events[treatment]]
    return Rate.of([case.events[treatment][event] for case in concerned], [case.groups for case in concerned])


def _scores(cases: Sequence[Case], treatment: str) -> dict[str, Mean]:
    known = [(case.before, case.after[treatment], case.groups) for case in cases if case.before is not None]
    before, after, groups = [pair[0] for pair in known], [pair[1] for pair in known], [pair[2] for pair in known]
    return {
        "before": Mean.of_scores(before, groups),
        "after": Mean.of_scores(after, groups),
        "difference": Mean.of_differences(before, after, groups),
    }


class SplitEffects(TypedDict):
    """Effects of treatments and of controls, as a finding takes them."""

    effects: tuple[Effect, ...]
    control: tuple[Effect, ...]


def split_control(effects: Iterable[Effect]) -> SplitEffects:
    """Separate the effects of treatments from those of controls."""
    both = tuple(effects)
    return {
        "effects": tuple(effect for effect in both if not effect.treatment.is_control),
        "control": tuple(effect for effect in both if effect.treatment.is_control),
    }
