"""How a survey was answered: what is flagged about participants, their own answers, and waves over time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from scipy.special import stdtrit

from vivavoce.formats.interval import CONFIDENCE, Estimate, Interval
from vivavoce.generalization.beliefs import Floats
from vivavoce.generalization.pairs import labelled
from vivavoce.generalization.survey.effects import Measure, person_means
from vivavoce.generalization.survey.responses import Response, groups_of, whole
from vivavoce.generalization.survey.signals import FLAGS
from vivavoce.statistics.clustered import bounded_share, mean_estimate, share_estimate


@dataclass(frozen=True, slots=True)
class Authenticity:
    """What is flagged, and what the survey says without those participants."""

    flagged: dict[str, Estimate]
    """The share of participants by flag, and under `any` of all who have one."""
    changed: Estimate
    """Share of answers that changed a belief, without flagged participants."""
    change: Estimate
    """Mean change without them."""


@dataclass(frozen=True, slots=True)
class OwnAnswers:
    """Participants' own answers beside their beliefs."""

    right: Estimate
    """Share of own answers that are right, of those that could be graded; the interval reaches from where none of the others is
    right to where all are."""
    unreadable: int
    """Own answers, of all answers in surveys that ask for them, that could not be graded."""
    before_right: Estimate
    """Mean first belief where the participant's own answer is right."""
    before_wrong: Estimate
    difference: Estimate
    """The former less the latter, within participants who have both."""


@dataclass(frozen=True, slots=True)
class Wave:
    """One wave of a survey."""

    wave: int
    people: int
    changed: Estimate
    after: Estimate
    """Mean second belief, over participants."""
    change: Estimate


@dataclass(frozen=True, slots=True)
class Waves:
    """Waves, and how figures go from one to the next."""

    waves: tuple[Wave, ...]
    after_trend: Estimate
    """Change of the mean second belief a wave."""
    change_trend: Estimate


@dataclass(frozen=True, slots=True)
class Conduct:
    """What is known of how a survey was answered; None for what was not asked or counted."""

    authenticity: Authenticity | None
    own: OwnAnswers | None
    waves: Waves | None

    def as_json(self) -> dict[str, Any]:
        """As JSON values, without what is not known."""
        found: dict[str, Any] = {}
        if (told := self.authenticity) is not None:
            flagged = {name: one.as_json() for name, one in told.flagged.items()}
            without = {"changed": told.changed.as_json(), "change": told.change.as_json()}
            found["authenticity"] = {"flagged": flagged, "without_flagged": without}
        if (own := self.own) is not None:
            names = ("right", "before_right", "before_wrong", "difference")
            found["own_answers"] = {name: getattr(own, name).as_json() for name in names} | {"unreadable": own.unreadable}
        if (waves := self.waves) is not None:
            each = [
                {"wave": one.wave, "people": one.people}
                | {name: getattr(one, name).as_json() for name in ("changed", "after", "change")}
                for one in waves.waves
            ]
            trend = {"after": waves.after_trend.as_json(), "change": waves.change_trend.as_json()}
            found["waves"] = {"each": each, "trend_a_wave": trend}
        return found


def conduct_of(responses: Sequence[Response], *, checked: bool) -> Conduct:
    """How a survey was answered; `checked`: whether the export says what is flagged, which may be nothing."""
    several = len({one.wave for one in responses}) > 1
    asked = [one for one in responses if one.own_asked]
    return Conduct(
        _authenticity(responses) if checked else None,
        _own(asked) if asked else None,
        _waves(responses) if several else None,
    )


def slope(places: Floats, values: Floats) -> Estimate:
    """The least-squares slope of values from -1 to 1 over places.

    Its interval allows for unequal variances (HC2, `mackinnon1985`).
    With two places it is the difference of two means, by the step, and its standard error is Welch's. Raises nothing: where
    there are fewer than three values, or one place, the slope is unknown.

    >>> import numpy as np
    >>> found = slope(np.array([1.0, 1, 2, 2]), np.array([0.1, 0.3, 0.4, 0.6]))
    >>> round(found.value, 3), round((found.interval.upper - found.value) / 4.3027, 4)  # t at 2 degrees; sqrt(.01 + .01)
    (0.3, 0.1414)
    """
    n = values.size
    nothing = Estimate(None, Interval(-2.0, 2.0), n)
    centred = places - places.mean() if n else places
    total = float(centred @ centred)
    if n < 3 or not total:
        return nothing
    value = float(centred @ values) / total
    leverage = 1 / n + centred**2 / total
    if leverage.max() >= 1 - 1e-9:  # one value alone at its place: it has no spread
        return Estimate(value, nothing.interval, n)
    residuals = values - values.mean() - value * centred
    error = sqrt(float((centred**2 * residuals**2 / (1 - leverage)).sum())) / total
    half = float(stdtrit(n - 2, (1 + CONFIDENCE) / 2)) * error
    return Estimate(value, Interval(value - half, value + half), n)


def _authenticity(responses: Sequence[Response]) -> Authenticity:
    flags = {one.pair.person: one.flags for one in responses if one.pair.person}
    left = [one for one in responses if not one.flags]
    shares: dict[str, Estimate] = {name: _share([name in one for one in flags.values()]) for name in FLAGS}
    shares["any"] = _share([bool(one) for one in flags.values()])
    return Authenticity(shares, _changed(left), _people_mean(left, "change", -1.0))


def _own(responses: Sequence[Response]) -> OwnAnswers:
    graded = [one for one in responses if one.own_right is not None]
    by_person: dict[str, dict[bool, list[float]]] = {}
    for one in graded:
        if one.pair.prior is not None:
            by_person.setdefault(one.pair.person, {True: [], False: []})[bool(one.own_right)].append(one.pair.prior)
    within = np.array([np.mean(one[True]) - np.mean(one[False]) for one in by_person.values() if one[True] and one[False]])
    return OwnAnswers(
        right=_own_right(responses),
        unreadable=len(responses) - len(graded),
        before_right=_people_mean([one for one in graded if one.own_right], "before"),
        before_wrong=_people_mean([one for one in graded if not one.own_right], "before"),
        difference=_mean(within, -1.0),
    )


def _own_right(responses: Sequence[Response]) -> Estimate:
    """Answers to one question, which several pairs may hold, go together too."""
    pairs = [one.pair for one in responses]
    groups = [{*some, ("question", pair.q2)} for some, pair in zip(groups_of(pairs), pairs, strict=True)]
    least, most = (
        bounded_share([bool(one.own_right) or (one.own_right is None and unread) for one in responses], groups)
        for unread in (False, True)
    )
    graded = [bool(one.own_right) for one in responses if one.own_right is not None]
    return Estimate(float(np.mean(graded)) if graded else None, Interval(least.lower, most.upper), len(graded))


def _waves(responses: Sequence[Response]) -> Waves:
    numbers = sorted({one.wave for one in responses})
    by_wave = {number: [one for one in responses if one.wave == number] for number in numbers}
    waves = tuple(
        Wave(
            number,
            len({one.pair.person for one in some}),
            _changed(some),
            _people_mean(some, "after"),
            _people_mean(some, "change", -1.0),
        )
        for number, some in by_wave.items()
    )
    return Waves(waves, _trend(by_wave, "after"), _trend(by_wave, "change"))


def _trend(by_wave: dict[int, list[Response]], measure: Measure) -> Estimate:
    """A participant is in one wave alone."""
    means = {number: person_means(whole(some), measure) for number, some in by_wave.items()}
    places = np.concatenate([np.full(each.size, float(number)) for number, each in means.items()])
    return slope(places, np.concatenate(list(means.values())))


def _changed(responses: Sequence[Response]) -> Estimate:
    known = {id(pair) for pair in labelled([one.pair for one in responses])}
    return _clustered([one for one in responses if id(one.pair) in known], lambda one: bool(one.pair.changed))


def _clustered(responses: Sequence[Response], hit: Callable[[Response], bool]) -> Estimate:
    """A share of answers, of which some share a participant or a pair."""
    hits, groups = [hit(one) for one in responses], groups_of([one.pair for one in responses])
    return share_estimate(hits, groups)


def _share(hits: Sequence[bool]) -> Estimate:
    return share_estimate(hits, [()] * len(hits))


def _people_mean(responses: Sequence[Response], measure: Measure, smallest: float = 0.0) -> Estimate:
    return _mean(person_means(whole(responses), measure), smallest)


def _mean(values: Floats, smallest: float) -> Estimate:
    return mean_estimate(values, [()] * values.size, smallest=smallest)
