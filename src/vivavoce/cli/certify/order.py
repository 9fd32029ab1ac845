"""What was asked for on the command line of `viva certify`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vivavoce.cli.asking import Asking

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vivavoce.certificate.composition import Composition
    from vivavoce.certificate.config import Correction, Drawing, Procedure, Unreadable
    from vivavoce.certificate.course import Finding
    from vivavoce.certificate.endurance import Endurance
    from vivavoce.certificate.features import Feature
    from vivavoce.certificate.grading import Grading
    from vivavoce.certificate.limit import Limit
    from vivavoce.certificate.naming import Naming
    from vivavoce.certificate.verdict import Criterion
    from vivavoce.cli.certify.explaining import ExplainingOrder
    from vivavoce.cli.certify.grading import GradingOrder
    from vivavoce.interview.candidate import Prompt, Reply
    from vivavoce.interview.interview import Interview
    from vivavoce.interview.signing import SigningKey


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which scopes, and what of them together."""

    names: tuple[str, ...]
    by_category: bool
    """Each category of a file's questions as a scope of its own."""
    rule: Correction
    """Of several scopes, what delta bounds."""
    deployed: bool
    """Whether there is a second verdict, on the scope as people will use it."""

    @property
    def several(self) -> bool:
        """Whether each scope has a verdict of its own."""
        return len(self.names) > 1 or self.by_category


@dataclass(frozen=True, slots=True)
class Order:
    """What was asked for on the command line."""

    candidate: str
    asking: Asking
    chosen: Chosen
    grading: GradingOrder | None
    explaining: ExplainingOrder | None
    passing_grade: float
    ridiculous_limit: Limit
    delta: float
    procedure: Procedure
    questions: int | None
    at_least: int | None
    spread: float | None
    strata: str | None
    evenly: bool
    seed: int | None
    zero_is_ridiculous: bool
    unreadable: Unreadable
    again: bool
    as_json: bool
    html: Path | None
    sign: SigningKey | None
    naming: Naming

    def criterion(self, interview: Interview[Prompt, Reply], scopes: Sequence[Any], *, graded: bool = False) -> Criterion:
        """When the candidate counts as understanding these scopes; `graded`: by the judgement of judges or people."""
        from vivavoce.certificate.limit import limit_of
        from vivavoce.certificate.verdict import Criterion

        limit = limit_of(self.ridiculous_limit, interview, scopes, again=self.again, graded=graded)
        return Criterion(self.passing_grade, limit, self.delta)

    def first_criterion(self, scope: Any) -> Criterion:
        """The criterion of a first attempt, with what that may err: to look ahead."""
        from vivavoce.certificate.attempts import delta_of
        from vivavoce.certificate.limit import as_given
        from vivavoce.certificate.verdict import Criterion

        return Criterion(self.passing_grade, as_given(self.ridiculous_limit, [scope]), delta_of(self.delta, 1))

    @property
    def endurance(self) -> Endurance:
        """What is asked of a candidate that may tire."""
        from vivavoce.certificate.endurance import Endurance

        return Endurance(self.at_least, self.spread)

    @property
    def drawing(self) -> Drawing:
        """How questions are drawn."""
        if self.chosen.deployed:
            return "deployed"
        return "strata" if self.strata else "weights" if self.evenly else "scope"

    @property
    def features(self) -> frozenset[Feature]:
        """What of this may not go together, as far as it is known before scopes are opened."""
        found: set[Feature] = {self._who}
        if self.drawing != "scope":
            found.add(self.drawing)
        wanted: tuple[tuple[bool, Feature], ...] = (
            (self.chosen.several, "several scopes"),
            (self.procedure == "fixed", "fixed"),
            (bool(self.endurance.settings), "endurance"),
            (self.explaining is not None and bool(self.explaining.explain_again), "asked again"),
        )
        return frozenset(found | {feature for asked, feature in wanted if asked})

    @property
    def _who(self) -> Feature:
        if self.explaining is not None:
            return "procedures"
        if self.grading is None:
            return "rule"
        if self.grading.judge is None:
            return "people"
        return "judge and people" if self.grading.by_people else "judge"

    def composition(self, grading: Grading) -> Composition:
        """How questions are drawn and graded, and how one looks."""
        from vivavoce.certificate.composition import Composition

        return Composition(self.drawing, grading, self.procedure, self.chosen.rule, self.endurance)


def verdicts_of(finding: Finding) -> Sequence[str]:
    """All that are given."""
    scopes = getattr(finding, "scopes", None)
    if scopes is not None:
        return [result.verdict for result in scopes]
    return getattr(finding, "verdicts", None) or [getattr(finding, "verdict")]  # noqa: B009 -- of either kind
