"""The parsed command line of `viva certify`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vivavoce.cli.inspect_runs import is_task
from vivavoce.cli.verdict_options import opened_history

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vivavoce.certificate.certify import Composition
    from vivavoce.certificate.claims.claim import Criterion
    from vivavoce.certificate.claims.draws import Draws
    from vivavoce.certificate.config import CertificateConfig
    from vivavoce.certificate.design.drawing import Endurance
    from vivavoce.certificate.design.extension import Extension
    from vivavoce.certificate.design.history import History
    from vivavoce.certificate.features import Feature
    from vivavoce.certificate.graders.rule_grading import GradingMethod
    from vivavoce.cli.asking import AskOptions
    from vivavoce.interview.candidate import Prompt, Reply
    from vivavoce.interview.interview import Interview
    from vivavoce.interview.results import Front
    from vivavoce.plugins.inspect_plugin.task_scope.config import TaskConfig


@dataclass(frozen=True, slots=True)
class CertifyRequest:
    """Candidate, scopes and settings."""

    candidate: str
    scopes: tuple[str, ...]
    config: CertificateConfig
    asking: AskOptions
    again: bool
    """Whether to start a new attempt if one is on record."""
    task: TaskConfig
    """Options of an Inspect task."""

    @property
    def by_task(self) -> bool:
        """Whether the scope is an Inspect task."""
        return is_task(*self.scopes)

    @property
    def several(self) -> bool:
        """Whether each scope gets its own verdict."""
        return len(self.scopes) > 1 or self.config.population.split_by is not None

    def subject(self, opened: Sequence[Any]) -> Any:
        """The subject to certify: several scopes, one, or one as used. Raises `BadInput` if it has no weights."""
        from vivavoce.certificate.claims.deployed import deployment_of

        if self.several:
            return opened
        return deployment_of(opened[0]) if self.config.population.deployed else opened[0]

    def criterion(self, interview: Interview[Prompt, Reply], scopes: Sequence[Any], *, graded: bool = False) -> Criterion:
        """The pass mark and limit; `graded`: whether a judge or people grade."""
        from vivavoce.certificate.attempts.log import limit_of
        from vivavoce.certificate.claims.claim import Criterion

        claim = self.config.claim
        limit = limit_of(claim.ridiculous_limit, interview, scopes, again=self.again, graded=graded)
        return Criterion(claim.passing_grade, limit, claim.delta)

    def first_criterion(self, scope: Any) -> Criterion:
        """The criterion of a first attempt with its share of delta, for forecasts."""
        from vivavoce.certificate.attempts.attempt import delta_of
        from vivavoce.certificate.attempts.log import as_given
        from vivavoce.certificate.claims.claim import Criterion

        claim = self.config.claim
        return Criterion(claim.passing_grade, as_given(claim.ridiculous_limit, [scope]), delta_of(claim.delta, 1))

    @property
    def endurance(self) -> Endurance:
        """Minimum length and duration."""
        from vivavoce.certificate.design.drawing import Endurance

        return Endurance(self.config.length.min_questions, self.config.length.over_hours)

    @property
    def draws(self) -> Draws | None:
        """Samples per question and the claim about them. Raises `BadInput` for an incomplete claim."""
        from vivavoce.certificate.claims.draws import Draws

        claim = self.config.claim
        return Draws.given(self.config.population.draws, claim.draws_claim, claim.reliability)

    @property
    def front(self) -> tuple[Front, ...]:
        """The columns that come first in a file of results."""
        if self.several:
            return ("scope",)
        return () if self.draws is None else ("draw", "right")

    @property
    def features(self) -> frozenset[Feature]:
        """The features to check for compatibility, known before scopes are opened."""
        config, found = self.config, {self._who}
        population = config.population
        if population.drawing != "scope":
            found.add(population.drawing)
        wanted: tuple[tuple[bool, Feature], ...] = (
            (population.deployed, "deployed"),
            (self.several, "several scopes"),
            (config.claim.procedure == "fixed", "fixed"),
            (bool(self.endurance.settings), "endurance"),
            (bool(config.explanations.explain_again), "asked again"),
            (bool(config.predictions.history), "history"),
            (config.grading.also_ridiculous is not None, "extended"),
        )
        found |= frozenset() if self.draws is None else self.draws.features
        return frozenset(found | {feature for asked, feature in wanted if asked})

    @property
    def _who(self) -> Feature:
        config = self.config
        if config.explanations.wanted:
            return "procedures"
        if not config.grading.judge:
            return "people" if config.grading.by_people else "rule"
        return "judge and people" if config.grading.by_people else "judge"

    def composition(self, grading: GradingMethod, history: History | None = None) -> Composition:
        """The design, grading, stopping rule and predictions."""
        from vivavoce.certificate.certify import Composition

        claim = self.config.claim
        return Composition(
            self.config.population.drawing,
            grading,
            claim.procedure,
            claim.correction,
            self.endurance,
            self.draws,
            history,
            self.extension,
        )

    @property
    def extension(self) -> Extension | None:
        """Answers listed as ridiculous after they were seen; None: no list. Raises `BadFile`."""
        from vivavoce.certificate.design.extension import extension_of

        file = self.config.grading.also_ridiculous
        return None if file is None else extension_of(file)

    def history(self, scope: Any) -> History | None:
        """What others earned on the questions of the scope; None where that was not asked for."""
        return opened_history(self.config.predictions.history, scope)
