"""What the arms of a survey do to beliefs: differences between participants of one arm and those of another.

The arm is drawn for each participant, so participants are the unit: each counts by the mean over their pairs, and a difference
is one of means of participants, with the interval of `welch1947`. Every participant's answers lie in one number, so it does not
matter how much they depend on each other. Where participants of an arm all agree, no variance can be estimated: then each arm's
own interval allows for what was not seen (`statistics.bounded`), and the two are joined (`zou2008`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final, Literal, get_args

import numpy as np
from scipy.special import stdtrit

from vivavoce.errors import BadInput
from vivavoce.formats.interval import CONFIDENCE, Estimate, Interval
from vivavoce.generalization.beliefs import Floats
from vivavoce.generalization.survey.arms import PLAIN
from vivavoce.generalization.survey.responses import Response, whole
from vivavoce.statistics.clustered import bounded_mean, mean_estimate

Measure = Literal["before", "after", "change", "misplaced_trust"]
MEASURES: Final[tuple[Measure, ...]] = get_args(Measure)
_OF: Final[dict[Measure, Callable[[Response], float | None]]] = {
    "before": lambda one: one.pair.prior,
    "after": lambda one: one.pair.posterior,
    "change": lambda one: one.change,
    "misplaced_trust": lambda one: None if one.misplaced is None else float(one.misplaced),
}
_RANGE: Final = {"change": (-1.0, 1.0)}


@dataclass(frozen=True, slots=True)
class ArmFigures:
    """The participants of one arm."""

    arm: str
    people: int
    answers: int
    flagged: int
    """Participants about whom something is flagged."""
    means: dict[Measure, Estimate]
    """Means over participants."""
    differences: dict[Measure, Estimate]
    """From the reference arm; none for that itself."""

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        told = {"people": self.people, "answers": self.answers, "flagged": self.flagged}
        means = {name: one.as_json() for name, one in self.means.items()}
        return told | {"means": means, "differences": {name: one.as_json() for name, one in self.differences.items()}}


def arm_figures(responses: Sequence[Response], reference: str | None = None) -> tuple[ArmFigures, ...]:
    """Every arm's means, and their differences from a reference arm, which comes first.

    reference: by default `plain`, else the first by name.

    Raises `BadInput` where there are fewer than two arms, or no such reference; answers without both beliefs are left out.

    >>> from vivavoce.generalization.pairs import Pair
    >>> said = [Response(Pair("a", "b", "s", "t", True, prior=0.5, posterior=0.5 + moved, person=str(i)), arm)
    ...         for i, (moved, arm) in enumerate([(0.1, "plain"), (0.2, "plain"), (0.3, "card"), (0.4, "card")])]
    >>> plain, card = arm_figures(said)
    >>> round(card.differences["change"].value, 3)
    0.2
    """
    known = [one for one in whole(responses) if one.arm]
    names = sorted({one.arm for one in known})
    if len(names) < 2:
        raise BadInput(f"{len(names)} arm{'' if len(names) == 1 else 's'} in these answers: a difference is one of two")
    if any(not one.pair.person for one in known):
        raise BadInput("some answers do not say whose they are: differences between arms need the column 'person'")
    chosen = reference or (PLAIN if PLAIN in names else names[0])
    if chosen not in names:
        raise BadInput(f"there is no arm '{chosen[:40]}' in these answers: {', '.join(names)}")
    by_arm = {name: [one for one in known if one.arm == name] for name in names}
    base = {measure: person_means(by_arm[chosen], measure) for measure in MEASURES}
    return tuple(
        _figures(name, by_arm[name], base if name != chosen else None)
        for name in sorted(names, key=lambda name: name != chosen)
    )


def person_means(responses: Sequence[Response], measure: Measure) -> Floats:
    """The mean of a measure over each participant's answers; of participants of whom it is known at all."""
    by_person: dict[str, list[float]] = {}
    for one in responses:
        value = _OF[measure](one)
        if value is not None:
            by_person.setdefault(one.pair.person, []).append(value)
    return np.array([float(np.mean(values)) for values in by_person.values()])


def difference(one: Floats, other: Floats, *, smallest: float = 0.0, largest: float = 1.0) -> Estimate:
    """Mean of one group less that of another, of values from `smallest` to `largest`.

    >>> import numpy as np
    >>> found = difference(np.array([0.1, 0.2, 0.3]), np.array([0.0, 0.1, 0.2, 0.1]))
    >>> round(found.value, 3), round(found.interval.lower, 3), round(found.interval.upper, 3)
    (0.1, -0.099, 0.299)
    """
    n, width = one.size + other.size, largest - smallest
    if not (one.size and other.size):
        return Estimate(None, Interval(-width, width), n)
    value = float(one.mean() - other.mean())
    if min(one.size, other.size) > 1 and min(np.ptp(one), np.ptp(other)) > 1e-12:
        parts = one.var(ddof=1) / one.size, other.var(ddof=1) / other.size
        degrees = sum(parts) ** 2 / (parts[0] ** 2 / (one.size - 1) + parts[1] ** 2 / (other.size - 1))
        half = float(stdtrit(degrees, (1 + CONFIDENCE) / 2)) * sqrt(sum(parts))
        lower, upper = value - half, value + half
    else:
        (low1, up1), (low2, up2) = (
            bounded_mean(group, [()] * group.size, smallest=smallest, largest=largest) for group in (one, other)
        )
        m1, m2 = float(one.mean()), float(other.mean())
        lower = value - sqrt((m1 - low1) ** 2 + (up2 - m2) ** 2)
        upper = value + sqrt((up1 - m1) ** 2 + (m2 - low2) ** 2)
    return Estimate(value, Interval(max(-width, lower), min(width, upper)), n)


def _figures(name: str, responses: Sequence[Response], base: dict[Measure, Floats] | None) -> ArmFigures:
    people = {one.pair.person for one in responses}
    values = {measure: person_means(responses, measure) for measure in MEASURES}
    differences = {}
    for measure in MEASURES if base is not None else ():
        smallest, largest = _RANGE.get(measure, (0.0, 1.0))
        differences[measure] = difference(values[measure], (base or {})[measure], smallest=smallest, largest=largest)
    means = {}
    for measure, each in values.items():
        smallest, largest = _RANGE.get(measure, (0.0, 1.0))
        means[measure] = mean_estimate(each, [()] * each.size, smallest=smallest, largest=largest)
    flagged = len({one.pair.person for one in responses if one.flags})
    return ArmFigures(name, len(people), len(responses), flagged, means, differences)
