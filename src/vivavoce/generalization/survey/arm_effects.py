"""The effects of a survey's arms on beliefs: differences between participants of one arm and of another.

The arm is drawn per participant, so participants are the unit: each counts by the mean over their pairs, and the interval of a
difference is Welch's (`welch1947`). One participant's answers are one number, so their dependence does not matter. If all
participants of an arm agree, no variance can be estimated; then the intervals of both arms (`statistics.clustered`) are
combined (`zou2008`).

It does not use `studies.study`, which counts events under treatments and a control on the same questions: arms are compared
between different people, and by means of beliefs instead of events.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final, Literal, get_args

import numpy as np
from scipy.special import stdtrit

from vivavoce.errors import BadInput
from vivavoce.formats.interval import CONFIDENCE, Estimate, Interval
from vivavoce.formats.wording import clipped, count, counted, signed, signed_interval
from vivavoce.generalization.pairs import Floats
from vivavoce.generalization.survey.plan import PLAIN
from vivavoce.generalization.survey.responses import SurveyResponse, with_both_beliefs
from vivavoce.interview.scope import Signature
from vivavoce.report import blocks
from vivavoce.report.cells import TableCell, count_cell, score_cell, share_cell, signed_cell
from vivavoce.report.figures import IntervalRow, IntervalRows
from vivavoce.report.reported import ReportedFinding
from vivavoce.statistics.clustered import bounded_mean, mean_estimate
from vivavoce.version import __version__

BeliefMeasure = Literal["before", "after", "change", "misplaced_trust"]
MEASURES: Final[tuple[BeliefMeasure, ...]] = get_args(BeliefMeasure)
_OF: Final[dict[BeliefMeasure, Callable[[SurveyResponse], float | None]]] = {
    "before": lambda response: response.pair.prior,
    "after": lambda response: response.pair.posterior,
    "change": lambda response: response.change,
    "misplaced_trust": lambda response: None if response.misplaced is None else float(response.misplaced),
}
_RANGE: Final = {"change": (-1.0, 1.0)}


@dataclass(frozen=True, slots=True)
class ArmFigures:
    """The figures of one arm."""

    arm: str
    people: int
    answers: int
    flagged: int
    """Flagged participants."""
    means: dict[BeliefMeasure, Estimate]
    """Means over participants."""
    differences: dict[BeliefMeasure, Estimate]
    """Differences from the reference arm; empty for the reference itself."""


def arm_figures(responses: Sequence[SurveyResponse], reference: str | None = None) -> tuple[ArmFigures, ...]:
    """The means of all arms, and their differences from a reference arm, which is first.

    reference: by default `plain`, or else the first by name.

    Answers without both beliefs are left out. Raises `BadInput` for fewer than two arms, or an unknown reference.

    >>> from vivavoce.generalization.pairs import BeliefPair
    >>> responses = [SurveyResponse(BeliefPair("a", "b", "s", "t", True, prior=0.5, posterior=0.5 + moved, person=str(i)), arm)
    ...         for i, (moved, arm) in enumerate([(0.1, "plain"), (0.2, "plain"), (0.3, "card"), (0.4, "card")])]
    >>> plain, card = arm_figures(responses)
    >>> round(card.differences["change"].value, 3)
    0.2
    """
    known = [response for response in with_both_beliefs(responses) if response.arm]
    names = sorted({model.arm for model in known})
    if len(names) < 2:
        raise BadInput(f"{counted(len(names), 'arm')} in these answers: give answers of at least two")
    if any(not model.pair.person for model in known):
        raise BadInput("some answers name no person: fill the column 'person' to compare arms")
    chosen = reference or (PLAIN if PLAIN in names else names[0])
    if chosen not in names:
        raise BadInput(f"unknown arm '{chosen[:40]}': these answers have {', '.join(names)}")
    by_arm = {name: [model for model in known if model.arm == name] for name in names}
    base = {measure: person_means(by_arm[chosen], measure) for measure in MEASURES}
    return tuple(
        _figures(name, by_arm[name], base if name != chosen else None)
        for name in sorted(names, key=lambda name: name != chosen)
    )


def person_means(responses: Sequence[SurveyResponse], measure: BeliefMeasure) -> Floats:
    """The mean of a measure over each participant's answers, for participants with a known value."""
    by_person: dict[str, list[float]] = {}
    for response in responses:
        value = _OF[measure](response)
        if value is not None:
            by_person.setdefault(response.pair.person, []).append(value)
    return np.array([float(np.mean(values)) for values in by_person.values()])


def difference(first: Floats, second: Floats, *, smallest: float = 0.0, largest: float = 1.0) -> Estimate:
    """The mean of one group minus the mean of another, for values from `smallest` to `largest`.

    >>> import numpy as np
    >>> shift = difference(np.array([0.1, 0.2, 0.3]), np.array([0.0, 0.1, 0.2, 0.1]))
    >>> round(shift.value, 3), round(shift.interval.lower, 3), round(shift.interval.upper, 3)
    (0.1, -0.099, 0.299)
    """
    n, width = first.size + second.size, largest - smallest
    if not (first.size and second.size):
        return Estimate(None, Interval(-width, width), n)
    value = float(first.mean() - second.mean())
    if min(first.size, second.size) > 1 and min(np.ptp(first), np.ptp(second)) > 1e-12:
        parts = first.var(ddof=1) / first.size, second.var(ddof=1) / second.size
        degrees = sum(parts) ** 2 / (parts[0] ** 2 / (first.size - 1) + parts[1] ** 2 / (second.size - 1))
        half = float(stdtrit(degrees, (1 + CONFIDENCE) / 2)) * sqrt(sum(parts))
        lower, upper = value - half, value + half
    else:
        (low1, up1), (low2, up2) = (
            bounded_mean(group, [()] * group.size, smallest=smallest, largest=largest) for group in (first, second)
        )
        m1, m2 = float(first.mean()), float(second.mean())
        lower = value - sqrt((m1 - low1) ** 2 + (up2 - m2) ** 2)
        upper = value + sqrt((up1 - m1) ** 2 + (m2 - low2) ** 2)
    return Estimate(value, Interval(max(-width, lower), min(width, upper)), n)


def _figures(name: str, responses: Sequence[SurveyResponse], base: dict[BeliefMeasure, Floats] | None) -> ArmFigures:
    people = {response.pair.person for response in responses}
    values = {measure: person_means(responses, measure) for measure in MEASURES}
    differences = {}
    for measure in MEASURES if base is not None else ():
        smallest, largest = _RANGE.get(measure, (0.0, 1.0))
        differences[measure] = difference(values[measure], (base or {})[measure], smallest=smallest, largest=largest)
    means = {}
    for measure, each in values.items():
        smallest, largest = _RANGE.get(measure, (0.0, 1.0))
        means[measure] = mean_estimate(each, [()] * each.size, smallest=smallest, largest=largest)
    flagged = len({response.pair.person for response in responses if response.flags})
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
        IntervalRow.of(arm.arm, signed(effect.value), effect, group=HEADS[measure])
        for measure in MEASURES
        for arm in others
        if (effect := arm.differences[measure]).value is not None
    ]
    effects = "; ".join(
        f"{arm.arm} {signed(effect.value)} {signed_interval(effect.interval)}"
        for arm in others
        if (effect := arm.differences["after"]).value is not None
    )
    alt = f"Differences from the arm {reference.arm} in four measures, with 95% intervals; of the belief after: {effects}."
    axis = f"difference from the arm {reference.arm}"
    return IntervalRows(axis, rows, 0.0, "", alt, span=None)


def shown_in(arm: str) -> str:
    """Describe in words what participants of an arm saw.

    >>> shown_in("card"), shown_in("answers:3")
    ('a model card', '3 answers')
    """
    return NAMES.get(arm) or f"{arm.removeprefix('answers:')} answers"


def means_table(arms: Sequence[ArmFigures]) -> blocks.ReportTable:
    """Each arm's means over participants."""
    columns = (blocks.Column("Arm"), blocks.Column("Participants"), *(blocks.Column(HEADS[measure]) for measure in MEASURES))
    rows = (
        blocks.ReportRow(
            TableCell(arm.arm),
            (count_cell(arm.people), *(_cell(arm, measure, signed=measure == "change") for measure in MEASURES)),
        )
        for arm in arms
    )
    return blocks.ReportTable(columns, tuple(rows), name="Means of the arms")


def differences_table(arms: Sequence[ArmFigures]) -> blocks.ReportTable:
    """Each arm's differences from the reference."""
    reference, *others = arms
    columns = (blocks.Column(f"Minus {reference.arm}"), *(blocks.Column(HEADS[measure]) for measure in MEASURES))
    rows = (
        blocks.ReportRow(TableCell(other.arm), tuple(signed_cell(other.differences[measure]) for measure in MEASURES))
        for other in others
    )
    return blocks.ReportTable(columns, tuple(rows), name="Differences between arms")


def _cell(arm: ArmFigures, measure: BeliefMeasure, *, signed: bool) -> TableCell:
    if signed:
        return signed_cell(arm.means[measure])
    return (share_cell if measure == "misplaced_trust" else score_cell)(arm.means[measure])


MOST_IN_HEADLINE = 3
"""Largest number of arms in the headline."""
METHOD = (
    "The arm was drawn for each participant, in random blocks in which each arm occurs once. Each participant counts by the "
    "mean over their pairs. Intervals of differences are Welch's, at level 95% each, not jointly.",
    "Misplaced trust: the belief rose after a right answer, but the second question is answered wrong. The share is of "
    "pairs with a known answer to the second question.",
)


@dataclass(frozen=True, slots=True, repr=False)
class ArmsFinding(ReportedFinding):
    """The finding on a survey's arms."""

    source: str
    digest: str
    arms: tuple[ArmFigures, ...]
    """With all participants; the reference first."""
    unflagged: tuple[ArmFigures, ...]
    """Without flagged participants; empty if there are none, or if too few are left."""
    finished: Mapping[str, tuple[int, int]]
    """Numbers of participants who began with the pairs and who finished, by arm; empty if unknown."""

    @property
    def statement(self) -> str:
        """The result in two plain sentences."""
        return f"{self.headline} The change of belief differed by {self._differed('change')}."

    @property
    def headline(self) -> str:
        """The beliefs after the answer."""
        people = sum(arm.people for arm in self.arms)
        return (
            f"Compared with {shown_in(self.arms[0].arm)}, the belief after the answer differed by {self._differed('after')}, "
            f"among {count(people)} participants."
        )

    def _differed(self, measure: BeliefMeasure) -> str:
        """The differences of the first few arms."""
        others = self.arms[1:]
        parts = [
            f"{signed(effect.value)} {signed_interval(effect.interval)} with {shown_in(arm.arm)}"
            for arm in others[:MOST_IN_HEADLINE]
            if (effect := arm.differences[measure]).value is not None
        ]
        more = f" ({len(others) - MOST_IN_HEADLINE} more below)" if len(others) > MOST_IN_HEADLINE else ""
        return f"{', '.join(parts)}{more}"

    @property
    def caveats(self) -> tuple[str, ...]:
        """Limits of the differences."""
        sentences = [
            "Differences hold for participants like these and for these pairs: other pairs may show other differences.",
            f"Each interval is at level {CONFIDENCE:.0%} by itself: among many differences some are far from 0 by chance.",
            "Participants chose to take part (self-selection), so results may differ for other people.",
        ]
        if self.arms[0].arm != "plain":
            sentences.append(f"There is no plain arm: differences are from the arm '{self.arms[0].arm}'.")
        if any(arm.means["misplaced_trust"].value is None for arm in self.arms):
            sentences.append("The answers to second questions are unknown, so misplaced trust is unknown.")
        if self.finished:
            lost = ", ".join(f"{began - done} of {began} in {arm}" for arm, (began, done) in self.finished.items())
            sentences.append(
                f"Did not finish, among those who began with the pairs and did not withdraw: {lost}. Their answers count. "
                "Withdrawn participants have no arm, so the effect of arms on withdrawals is unknown."
            )
        if flagged := sum(arm.flagged for arm in self.arms):
            sentences.append(
                f"{count(flagged)} participants are flagged, which is a sign and not a proof. They are left out only in the "
                "figures that say so."
            )
        return tuple(sentences)

    @property
    def signature(self) -> Signature:
        """How these figures were computed."""
        settings = {"confidence": CONFIDENCE, "reference": self.arms[0].arm, "people": sum(arm.people for arm in self.arms)}
        return Signature(__version__, "generalization survey arms", "people", self.source, self.digest, 0, settings)

    @property
    def named_tables(self) -> tuple[tuple[blocks.ReportTable, str], ...]:
        """Tables and their names, for the operator's page of the survey."""
        without = ((differences_table(self.unflagged), "Differences without flagged participants"),) if self.unflagged else ()
        return ((differences_table(self.arms), "Differences"), (means_table(self.arms), "Means"), *without)

    def report(self) -> blocks.Report:
        """The whole finding as blocks."""
        without = (differences_table(self.unflagged), means_table(self.unflagged)) if self.unflagged else ()
        same = blocks.notes("The same differences without flagged participants; the figures above include them.")
        return self.reported(
            "Arms of a survey",
            f"Effects of arms in {clipped(self.source, 200)}",
            blocks.ReportFigure(effect_rows(self.arms)),
            blocks.Caveats(self.caveats),
            differences_table(self.arms),
            blocks.ReportSection("Means of the arms", (means_table(self.arms),)),
            *((blocks.ReportSection("Without flagged participants", (*same, *without)),) if without else ()),
            blocks.method_of(METHOD),
        )

    def figures(self) -> dict[str, Any]:
        """The numbers as JSON values; unknown ones are null."""
        return {
            "reference": self.arms[0].arm,
            "arms": {arm.arm: arm for arm in self.arms},
            "without_flagged": {arm.arm: arm for arm in self.unflagged} or None,
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
    """Compare the arms of a survey. Raises `BadInput` for fewer than two arms."""
    arms = arm_figures(responses, reference)
    left = [response for response in responses if not response.flags]
    unflagged: tuple[ArmFigures, ...] = ()
    if len(left) < len(responses):
        try:
            unflagged = arm_figures(left, arms[0].arm)
        except BadInput:
            unflagged = ()
    return ArmsFinding(source, digest, arms, unflagged, dict(finished or {}))
