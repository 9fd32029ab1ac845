"""@@@
What the arms of a survey do to beliefs: differences between participants of one arm and those of another.

The arm is drawn for each participant, so participants are the unit: each counts by the mean over their pairs, and a difference
is one of means of participants, with the interval of `welch1947`. Every participant's answers lie in one number, so it does not
matter how much they depend on each other. Where participants of an arm all agree, no variance can be estimated: then each arm's
own interval allows for what was not seen (`statistics.bounded`), and the two are joined (`zou2008`).

---
What the arms of a survey report: means, differences with intervals, with everybody and without the flagged.
---
What the arms of a survey do to beliefs, as a value, and what it says and does not say."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final, Literal, get_args

import numpy as np
from scipy.special import stdtrit

from vivavoce.errors import BadInput
from vivavoce.formats.interval import CONFIDENCE, Estimate, Interval
from vivavoce.formats.wording import clipped, count, signed, signed_interval
from vivavoce.generalization.pairs import Floats
from vivavoce.generalization.survey.plan import PLAIN
from vivavoce.generalization.survey.responses import SurveyResponse, with_both_beliefs
from vivavoce.interview.finding import Signature
from vivavoce.report.blocks import Caveats, Column, Figure, Paragraph, Report, Row, Section, Table
from vivavoce.report.cells import Cell, count_cell, score_cell, share_cell, signed_cell
from vivavoce.report.figures import IntervalRow, IntervalRows
from vivavoce.report.parts import method_of
from vivavoce.report.reported import Reported
from vivavoce.statistics.bounded import bounded_mean, mean_estimate
from vivavoce.version import __version__

BeliefMeasure = Literal["before", "after", "change", "misplaced_trust"]
MEASURES: Final[tuple[BeliefMeasure, ...]] = get_args(BeliefMeasure)
_OF: Final[dict[BeliefMeasure, Callable[[SurveyResponse], float | None]]] = {
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
    means: dict[BeliefMeasure, Estimate]
    """Means over participants."""
    differences: dict[BeliefMeasure, Estimate]
    """From the reference arm; none for that itself."""

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        told = {"people": self.people, "answers": self.answers, "flagged": self.flagged}
        means = {name: one.as_json() for name, one in self.means.items()}
        return told | {"means": means, "differences": {name: one.as_json() for name, one in self.differences.items()}}


def arm_figures(responses: Sequence[SurveyResponse], reference: str | None = None) -> tuple[ArmFigures, ...]:
    """Every arm's means, and their differences from a reference arm, which comes first.

    reference: by default `plain`, else the first by name.

    Raises `BadInput` where there are fewer than two arms, or no such reference; answers without both beliefs are left out.

    >>> from vivavoce.generalization.pairs import Pair
    >>> said = [SurveyResponse(Pair("a", "b", "s", "t", True, prior=0.5, posterior=0.5 + moved, person=str(i)), arm)
    ...         for i, (moved, arm) in enumerate([(0.1, "plain"), (0.2, "plain"), (0.3, "card"), (0.4, "card")])]
    >>> plain, card = arm_figures(said)
    >>> round(card.differences["change"].value, 3)
    0.2
    """
    known = [one for one in with_both_beliefs(responses) if one.arm]
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


def person_means(responses: Sequence[SurveyResponse], measure: BeliefMeasure) -> Floats:
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


def _figures(name: str, responses: Sequence[SurveyResponse], base: dict[BeliefMeasure, Floats] | None) -> ArmFigures:
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


HEADS: Final[dict[BeliefMeasure, str]] = {
    "before": "Belief before",
    "after": "Belief after",
    "change": "Change",
    "misplaced_trust": "Misplaced trust",
}
NAMES: Final = {
    "plain": "one answer alone",
    "explanation": "an explanation",
    "confidence": "the stated confidence",
    "card": "a model card",
}


def effect_rows(arms: Sequence[ArmFigures]) -> IntervalRows:
    """Differences of the arms from the first one, by measure."""
    reference, *others = arms
    rows = [
        IntervalRow.of(one.arm, signed(found.value), found, group=HEADS[measure])
        for measure in MEASURES
        for one in others
        if (found := one.differences[measure]).value is not None
    ]
    told = "; ".join(
        f"{one.arm} {signed(found.value)} {signed_interval(found.interval)}"
        for one in others
        if (found := one.differences["after"]).value is not None
    )
    alt = f"Differences from the arm {reference.arm} in four measures, with 95% intervals; of the belief after: {told}."
    axis = f"difference from the arm {reference.arm}"
    return IntervalRows(axis, rows, 0.0, "", alt, span=None)


def shown_in(arm: str) -> str:
    """What participants of an arm were shown, in words.

    >>> shown_in("card"), shown_in("answers:3")
    ('a model card', '3 answers')
    """
    return NAMES.get(arm) or f"{arm.removeprefix('answers:')} answers"


def means_table(arms: Sequence[ArmFigures]) -> Table:
    """Each arm's means over participants."""
    columns = (Column("Arm"), Column("Participants"), *(Column(HEADS[measure]) for measure in MEASURES))
    rows = (
        Row(Cell(one.arm), (count_cell(one.people), *(_cell(one, measure, signed=measure == "change") for measure in MEASURES)))
        for one in arms
    )
    return Table(columns, tuple(rows), name="Means of the arms")


def differences_table(arms: Sequence[ArmFigures]) -> Table:
    """Each arm's differences from the reference."""
    reference, *others = arms
    columns = (Column(f"Less {reference.arm}"), *(Column(HEADS[measure]) for measure in MEASURES))
    rows = (Row(Cell(one.arm), tuple(signed_cell(one.differences[measure]) for measure in MEASURES)) for one in others)
    return Table(columns, tuple(rows), name="Differences between arms")


def _cell(one: ArmFigures, measure: BeliefMeasure, *, signed: bool) -> Cell:
    if signed:
        return signed_cell(one.means[measure])
    return (share_cell if measure == "misplaced_trust" else score_cell)(one.means[measure])


SAID = 3
"""Arms in the headline, at most."""
METHOD = (
    "The arm was drawn for each participant, in random blocks in which each arm occurs once. Each participant counts by the "
    "mean over their pairs; intervals of differences are Welch's, of 95% each, and not for all of them together.",
    "Misplaced trust is the share of answers in which the belief rose after a right answer, and the second question is "
    "answered wrong; it is counted where it is known how the second question is answered.",
)


@dataclass(frozen=True, slots=True, repr=False)
class ArmsFinding(Reported):
    """The arms of a survey."""

    source: str
    digest: str
    arms: tuple[ArmFigures, ...]
    """With everybody; the reference first."""
    unflagged: tuple[ArmFigures, ...]
    """Without participants about whom something is flagged; empty where nobody is flagged, or too few are left."""
    finished: Mapping[str, tuple[int, int]]
    """By arm, who began with the pairs and who finished; empty where it is not known."""

    @property
    def statement(self) -> str:
        """The result in two plain sentences."""
        return f"{self.headline} The change of belief differed by {self._differed('change')}."

    @property
    def headline(self) -> str:
        """The beliefs after the answer."""
        people = sum(one.people for one in self.arms)
        return (
            f"Compared with {shown_in(self.arms[0].arm)}, the belief after the answer differed by {self._differed('after')}, "
            f"among {count(people)} participants."
        )

    def _differed(self, measure: BeliefMeasure) -> str:
        """By how much in which arm, of the first few."""
        others = self.arms[1:]
        parts = [
            f"{signed(found.value)} {signed_interval(found.interval)} with {shown_in(one.arm)}"
            for one in others[:SAID]
            if (found := one.differences[measure]).value is not None
        ]
        more = f" ({len(others) - SAID} more below)" if len(others) > SAID else ""
        return f"{', '.join(parts)}{more}"

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the differences do not show, each in a sentence."""
        told = [
            "Differences hold for participants like these and for these pairs: other pairs may show other differences.",
            f"Each interval is of {CONFIDENCE:.0%} by itself: of many differences some are far from 0 by chance.",
            "People who answer surveys chose to (self-selection): nothing here holds for people at large.",
        ]
        if self.arms[0].arm != "plain":
            told.append(f"There is no plain arm: differences are from the arm '{self.arms[0].arm}'.")
        if any(one.means["misplaced_trust"].value is None for one in self.arms):
            told.append("It is not known how second questions are answered: misplaced trust cannot be said.")
        if self.finished:
            lost = ", ".join(f"{began - done} of {began} in {arm}" for arm, (began, done) in self.finished.items())
            told.append(
                f"Of those who began with the pairs and did not withdraw {lost} did not finish; what they said counts. Who "
                "withdrew is in no arm, so whether some arm drives people away is not known."
            )
        if flagged := sum(one.flagged for one in self.arms):
            told.append(
                f"Something is flagged about {count(flagged)} participants, which is a sign and no proof. They are in all "
                "figures but those that say so."
            )
        return tuple(told)

    @property
    def signature(self) -> Signature:
        """How these figures were made."""
        settings = {"confidence": CONFIDENCE, "reference": self.arms[0].arm, "people": sum(one.people for one in self.arms)}
        return Signature(__version__, "generalization survey arms", "people", self.source, self.digest, 0, settings)

    @property
    def named_tables(self) -> tuple[tuple[Table, str], ...]:
        """Differences and means, and the differences without the flagged, where somebody is."""
        without = ((differences_table(self.unflagged), "Differences without the flagged"),) if self.unflagged else ()
        return ((differences_table(self.arms), "Differences"), (means_table(self.arms), "Means"), *without)

    def report(self) -> Report:
        """All of it as blocks."""
        without = (
            (
                Section(
                    "Without participants about whom something is flagged",
                    (
                        Paragraph("The same differences, without them; nobody is left out of the figures above.", quiet=True),
                        differences_table(self.unflagged),
                        means_table(self.unflagged),
                    ),
                ),
            )
            if self.unflagged
            else ()
        )
        return self.reported(
            "Arms of a survey",
            f"What participants were shown, in {clipped(self.source, 200)}",
            Figure(effect_rows(self.arms)),
            differences_table(self.arms),
            Section("Means of the arms", (means_table(self.arms),)),
            *without,
            Caveats(self.caveats),
            method_of(METHOD),
        )

    def figures_as_json(self) -> dict[str, Any]:
        """The numbers as JSON values; null for what is not known."""
        return {
            "reference": self.arms[0].arm,
            "arms": {one.arm: one.as_json() for one in self.arms},
            "without_flagged": {one.arm: one.as_json() for one in self.unflagged} or None,
            "finished": {arm: {"began": began, "finished": done} for arm, (began, done) in self.finished.items()} or None,
        }


def compare_arms(
    responses: Sequence[SurveyResponse],
    *,
    source: str,
    digest: str = "",
    reference: str | None = None,
    finished: Mapping[str, tuple[int, int]] | None = None,
) -> ArmsFinding:
    """The finding on the arms of a survey. Raises `BadInput` where there are fewer than two arms."""
    arms = arm_figures(responses, reference)
    left = [one for one in responses if not one.flags]
    unflagged: tuple[ArmFigures, ...] = ()
    if len(left) < len(responses):
        try:
            unflagged = arm_figures(left, arms[0].arm)
        except BadInput:
            unflagged = ()
    return ArmsFinding(source, digest, arms, unflagged, dict(finished or {}))
