"""Counts what happened under each treatment: shares, means and their differences, and the test of a limit on a share.

Unparsed replies leave some events unknown. Every number is then given from its least to its greatest possible value, and its
interval covers both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, floor, log, sqrt
from typing import Final, Literal, TypedDict

import numpy as np
from numpy.typing import NDArray

from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import (
    at_least,
    at_most,
    clipped,
    count,
    off_limit,
    percent,
    percent_interval,
    score,
    score_interval,
    signed,
    signed_interval,
)
from vivavoce.statistics.bounds import Bounds
from vivavoce.statistics.clustered import bounded_mean, bounded_share
from vivavoce.statistics.confidence_sequences import rate_above, rate_below

Event = bool | None
"""Whether something happened; None if unknown."""
Ends = tuple[float, float]
"""The least and the greatest possible value of a number."""
Groups = Sequence[Sequence[Hashable]]
"""For each case, the names of what it shares with others, such as its draw; cases that share one depend on each other."""
LimitVerdict = Literal["pass", "fail", "undecided"]
UNKNOWN: Final = "unknown"
EACH_END: Final = 0.025
"""How often each end of an interval at level 95% may miss."""


@dataclass(frozen=True, slots=True)
class Rate:
    """The share of cases in which an event happened."""

    n: int
    """Cases in which the event could happen."""
    events: int
    unknown: int
    """Cases in which it is unknown whether it happened."""
    least: float | None
    """The share if no unknown case is an event; None without cases."""
    most: float | None
    """The share if all unknown cases are events."""
    interval: Interval
    """Interval at level 95%, valid whatever the unknown cases are."""

    @property
    def text(self) -> str:
        """The share in percent, from its least to its greatest value; `unknown` without cases."""
        return UNKNOWN if self.least is None or self.most is None else _from_to(self.least, self.most, percent)

    @property
    def with_interval(self) -> str:
        """The share with its interval.

        >>> Rate.of([True] + 9 * [False], [(n,) for n in range(10)]).with_interval
        '10% [0.25, 45]'
        """
        return f"{self.text} {percent_interval(self.interval)}"

    @property
    def at_most(self) -> str:
        """The bound if no event was seen: `95% interval: up to 26%`."""
        return f"95% interval: up to {percent(self.interval.upper)}"

    @staticmethod
    def of(events: Sequence[Event], groups: Groups) -> Rate:
        """The share with Clopper and Pearson's interval, at the effective number of cases if some share a group.

        events: whether it happened, one for each case. groups: the groups of each case.

        >>> rate = Rate.of([True] + 8 * [False] + [None], [(n,) for n in range(10)])
        >>> rate.least, rate.most, round(rate.interval.lower, 4), round(rate.interval.upper, 4)
        (0.1, 0.2, 0.0025, 0.5561)
        """
        if not events:
            return Rate(0, 0, 0, None, None, Interval(0.0, 1.0))
        certain, possible = [event is True for event in events], [event is not False for event in events]
        interval = Interval(bounded_share(certain, groups).lower, bounded_share(possible, groups).upper)
        n, least, most = len(events), sum(certain), sum(possible)
        return Rate(n, least, most - least, least / n, most / n, interval)


@dataclass(frozen=True, slots=True)
class RateDifference:
    """The difference between a rate and its control's on the same cases."""

    least: float | None
    """None without cases."""
    most: float | None
    interval: Interval

    @property
    def text(self) -> str:
        """The difference in percentage points; `unknown` without cases."""
        return UNKNOWN if self.least is None or self.most is None else _from_to(self.least, self.most, points)

    @property
    def direction(self) -> Literal["more often", "less often", "not significantly more often"]:
        """How often compared with the control: "more" or "less" only if the interval shows it."""
        if self.interval.lower > 0:
            return "more often"
        return "less often" if self.interval.upper < 0 else "not significantly more often"

    @staticmethod
    def of(rate: Rate, control: Rate) -> RateDifference:
        """The difference, with an interval made from both rates' intervals by the method of `zou2008` (MOVER).

        The ends are those for independent rates. Both rates are about the same cases, and an unstable answer can raise either,
        so the interval is conservative.

        >>> alone = [(n,) for n in range(10)]
        >>> found = RateDifference.of(Rate.of([True] * 5 + [False] * 5, alone), Rate.of([False] * 10, alone))
        >>> found.least, round(found.interval.lower, 3), round(found.interval.upper, 3)  # .5 - hypot(.5 - .1871, .3085)
        (0.5, 0.061, 0.813)
        """
        if rate.least is None or rate.most is None or control.least is None or control.most is None:
            return RateDifference(None, None, Interval(-1.0, 1.0))
        least, most = rate.least - control.most, rate.most - control.least
        below = sqrt((rate.least - rate.interval.lower) ** 2 + (control.interval.upper - control.most) ** 2)
        above = sqrt((rate.interval.upper - rate.most) ** 2 + (control.least - control.interval.lower) ** 2)
        return RateDifference(least, most, Interval(max(-1.0, least - below), min(1.0, most + above)))


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean of scores, or of paired differences of scores."""

    n: int
    least: float | None
    """None without scores."""
    most: float | None
    interval: Interval
    is_difference: bool = False

    @property
    def text(self) -> str:
        """The mean, from its least to its greatest value; `unknown` without scores."""
        written = signed if self.is_difference else score
        return UNKNOWN if self.least is None or self.most is None else _from_to(self.least, self.most, written)

    @property
    def interval_text(self) -> str:
        return (signed_interval if self.is_difference else score_interval)(self.interval)

    @staticmethod
    def of_scores(values: Sequence[Ends], groups: Groups) -> Mean:
        """Mean of scores in [0, 1]. Its interval is Student's t; if all are 0 or 1, where t misses too often, a share's.

        >>> Mean.of_scores([(0.0, 0.0), (1.0, 1.0), (0.0, 1.0), (1.0, 1.0)], [(n,) for n in range(4)]).text
        '0.50 to 0.75'
        """

        def bounds(scores: Sequence[float]) -> Bounds:
            return bounded_share(scores, groups) if {*scores} <= {0, 1} else bounded_mean(scores, groups)

        if not values:
            return Mean(0, None, None, Interval(0.0, 1.0))
        least, most = _columns(values)
        interval = Interval(bounds(least).lower, bounds(most).upper)
        return Mean(len(values), float(np.mean(least)), float(np.mean(most)), interval)

    @staticmethod
    def of_differences(before: Sequence[Ends], after: Sequence[Ends], groups: Groups) -> Mean:
        """Mean of score changes: Student's t after adding one gain and one loss to those seen (`bonett2012` for 0 and 1)."""

        def bounds(differences: Sequence[float]) -> Bounds:
            mean = float(np.mean(differences))
            lower, upper = bounded_mean([*differences, 1.0, -1.0], [*groups, ("a gain",), ("a loss",)], smallest=-1.0)
            return Bounds(min(lower, mean), max(upper, mean))

        if not before:
            return Mean(0, None, None, Interval(-1.0, 1.0), is_difference=True)
        least, most = _columns([(late[0] - early[1], late[1] - early[0]) for early, late in zip(before, after, strict=True)])
        interval = Interval(bounds(least).lower, bounds(most).upper)
        return Mean(len(before), float(np.mean(least)), float(np.mean(most)), interval, is_difference=True)


@dataclass(frozen=True, slots=True)
class LimitTest:
    """Whether an event happens in at most a given share of cases."""

    limit: float
    delta: float
    verdict: LimitVerdict
    rate: Rate
    log_e_pass: float
    """Evidence against "events are more frequent than the limit"; unknown cases count as events."""
    log_e_fail: float
    """Evidence against "events are at most as frequent"; unknown cases count as none."""
    population: int | None = None
    """Number of all units, if each is drawn once and it is known in how many the event can happen."""

    @staticmethod
    def of(events: Sequence[Event], groups: Groups, *, limit: float, delta: float, population: int | None = None) -> LimitTest:
        """Test both sides by e-processes for rates, once, after all cases. Cases of a group count by their share of events.

        One of the two verdicts is true, so the probability of a wrong one is at most delta.

        If units are drawn without replacement from a list, and it is not known in how many of the list the event can happen,
        the e-values are those of independent draws. Given their number n, the units that count are n of all such units of the
        list, in random order. Each bet is a product of factors that are linear in the share of a unit. Its expectation, given
        n, is at most that for n independent draws (for shares of 0 and 1 a case of `hoeffding1963`, theorem 4; in general
        Maclaurin's inequality for the means of products), which is at most 1. So is the expectation over n, as long as n does
        not depend on the events. A budget may end the questions at a number that does. Theorem 4 does not cover that case, but
        the chance that the e-value *ever* reaches 1/delta is at most delta as well: at the boundary it is .0 to .037 instead of
        .05, computed exactly for lists of 20 to 600 units (`tests/validity/test_unknown_population.py`).

        events: at least one.

        >>> LimitTest.of([False] * 100, [(n,) for n in range(100)], limit=0.1, delta=0.05).verdict
        'pass'
        """
        by_unit: dict[tuple[Hashable, ...], list[Event]] = {}
        for event, group in zip(events, groups, strict=True):
            by_unit.setdefault(tuple(group), []).append(event)
        least = _shares([[event is True for event in unit] for unit in by_unit.values()])
        most = _shares([[event is not False for event in unit] for unit in by_unit.values()])
        whole = len(by_unit) == len(events)
        log_e_pass = float(rate_below(limit, population=population, whole=whole).update(most)[-1])
        log_e_fail = float(rate_above(limit, population=population).update(least)[-1])
        enough = -log(delta)
        verdict: LimitVerdict = "pass" if log_e_pass >= enough else "fail" if log_e_fail >= enough else "undecided"
        return LimitTest(limit, delta, verdict, Rate.of(events, groups), log_e_pass, log_e_fail, population)

    @property
    def measured(self) -> str:
        """The share, rounded on its side of the limit; from its least to its greatest value if some events are unknown."""
        if self.rate.least is None or self.rate.most is None:
            return UNKNOWN
        least, most = off_limit(self.rate.least, self.limit), off_limit(self.rate.most, self.limit)
        return least if least == most else f"{least} to {most}"

    @property
    def bound(self) -> float | None:
        """The bound that goes with the verdict: the limit, or an end of the interval if that is sharper; None without one.

        If the true share is on the verdict's side of the limit, the bound is wrong only if the interval's end is wrong; if it
        is not, only if the verdict is. An end errs at most 2.5% of the time, so with a smaller delta only the limit is given.

        >>> LimitTest.of([False] * 64, [(n,) for n in range(64)], limit=0.05, delta=0.05).bound
        0.05
        """
        ends = self.rate.interval if self.delta >= EACH_END else Interval(0.0, 1.0)
        if self.verdict == "undecided":
            return None
        return min(ends.upper, self.limit) if self.verdict == "pass" else max(ends.lower, self.limit)

    @property
    def shown(self) -> str:
        """The bound in words; empty without a verdict.

        >>> LimitTest.of([False] * 64, [(n,) for n in range(64)], limit=0.05, delta=0.05).shown
        'at most 5%'
        >>> LimitTest.of([True] * 64, [(n,) for n in range(64)], limit=0.05, delta=0.05).shown
        'above 94%'
        """
        if self.bound is None:
            return ""
        if self.verdict == "pass":
            return f"at most {at_most(self.bound, self.limit)}"
        return f"above {at_least(self.bound, self.limit)}"


def any_of(events: Sequence[Event]) -> Event:
    """Whether any of several events happened.

    >>> any_of([False, None, True]), any_of([False, None]), any_of([False, False])
    (True, None, False)
    """
    return True if True in events else None if None in events else False


def points(value: float) -> str:
    """A difference of shares in percentage points, with its sign.

    >>> points(0.125), points(-0.5), points(0.0)
    ('+12.5', '−50', '0')
    """
    rounded = round(100 * value, 1)
    digits = f"{abs(rounded):.1f}".removesuffix(".0")
    return "0" if rounded == 0 else f"{'+' if rounded > 0 else '−'}{digits}"


def points_interval(interval: Interval) -> str:
    """Both ends of an interval in percentage points, rounded outwards.

    >>> points_interval(Interval(-0.20945, 0.77668))
    '[−21, +77.7]'
    """
    lower, upper = floor(round(interval.lower * 1000, 9)) / 1000, ceil(round(interval.upper * 1000, 9)) / 1000
    return f"[{points(lower)}, {points(upper)}]"


def _from_to(least: float, most: float, written: Callable[[float], str]) -> str:
    return written(least) if least == most else f"{written(least)} to {written(most)}"


def _shares(groups: Sequence[Sequence[bool]]) -> NDArray[np.float64]:
    return np.array([np.mean(group) for group in groups])


def _columns(values: Sequence[Ends]) -> tuple[list[float], list[float]]:
    return [least for least, _ in values], [most for _, most in values]


LONGEST_LABEL: Final = 120
"""Most characters of a label, which can come from other people's files."""


@dataclass(frozen=True, slots=True)
class Treatment:
    """Something done to a question, or the control, in which nothing is done."""

    name: str
    about: str = ""
    """The treatment in words that follow the study's "with" or "when"."""
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


def listed_reasons(reasons: Mapping[str, int]) -> str:
    """Reasons with their numbers, such as `time-out (2), no answer (1)`."""
    return ", ".join(f"{clipped(reason, 100)} ({count(number)})" for reason, number in reasons.items())
