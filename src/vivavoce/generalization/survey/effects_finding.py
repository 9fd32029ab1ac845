"""What the arms of a survey do to beliefs, as a value, and what it says and does not say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vivavoce.errors import BadInput
from vivavoce.formats.interval import CONFIDENCE
from vivavoce.formats.wording import clipped, count, signed, signed_interval
from vivavoce.generalization.survey.effects import ArmFigures, Measure, arm_figures
from vivavoce.generalization.survey.effects_report import differences_table, effect_rows, means_table, shown_in
from vivavoce.generalization.survey.responses import Response
from vivavoce.interview.scope import Signature
from vivavoce.report.blocks import Caveats, Figure, Paragraph, Report, Section, Table
from vivavoce.report.parts import method_of
from vivavoce.report.reported import Reported
from vivavoce.version import __version__

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

    def _differed(self, measure: Measure) -> str:
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
    responses: Sequence[Response],
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
