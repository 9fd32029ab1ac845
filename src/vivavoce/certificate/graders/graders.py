"""Who grades answers that no rule can: a judge, people, or both."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from vivavoce.certificate.config import BATCH, JUDGE_ONLY, GradingConfig, Unreadable
from vivavoce.certificate.course import Begun, Course, OneRun, Target
from vivavoce.certificate.features import Feature
from vivavoce.certificate.graders.annotation import Annotation
from vivavoce.certificate.graders.courses import BlockCourse, GradedCourse
from vivavoce.certificate.graders.grading import Grader
from vivavoce.certificate.graders.judge import Judge
from vivavoce.certificate.graders.marking import Marker
from vivavoce.certificate.graders.places import private_places
from vivavoce.certificate.graders.predicted import PredictedInference
from vivavoce.certificate.population import AsDrawn
from vivavoce.certificate.replacement import independent
from vivavoce.errors import BadInput
from vivavoce.interview.record import digest_of
from vivavoce.interview.scope import Scope
from vivavoce.scopes.questions import Question, mixed


@dataclass(frozen=True, slots=True)
class Graders:
    """Who grades; at least one of them.

    With people alone, or with a judge alone, every answer is graded by them. With both, the judge grades all, and people one in
    each `further + 1`, drawn in private once the judge has graded these.

    Where some questions of a scope have a rubric and others do not (`questions.mixed`), the scope's own rule grades the others
    (`Question.for_rule`), and its grade is exact. That is sound in each design. What is examined is the mean of a grade that
    every answer has, by the rule or by graders; whose it is hangs on the question alone, and questions are drawn as they were
    before, so that in drawn order each grade has the mean sought, given all before it. The judge alone: the grade is the rule's
    or the judge's. People alone: the rule's or people's, and no answer to a question of the first kind waits. Both: of the
    question at a block's place the value looked up is the rule's grade or people's; the prediction for a question of the first
    kind is the rule's grade itself, and predictions may be anything that does not depend on the place, which is drawn among all
    of the block as before. People are needed at the places alone that fall on questions with a rubric.
    """

    judge: Judge | None = None
    people: Grader | None = None
    further: int = JUDGE_ONLY
    """Answers that the judge alone grades for each one that people do."""
    batch: int = BATCH
    """The examination stops when this many answers wait for people."""
    zero_is_ridiculous: bool = False
    unreadable: Unreadable = GradingConfig().unreadable
    """What a judgement is worth that cannot be read, where the judge's grades decide: anything, or nothing."""
    rule: bool = True
    """Whether the rule grades questions without a rubric where others have one; else graders grade all."""
    ahead: int = 16
    """Answers that are being graded at once at most; the judge's budget may be overrun by this many, with people by twice as
    many and a block."""

    def __post_init__(self) -> None:
        if self.judge is None and self.people is None:
            raise BadInput("nobody grades: name a judge, or give people's grades")
        if self.further < 1 or self.batch < 1:
            raise BadInput(f"{self.further} further answers and batches of {self.batch}: both must be at least 1")

    def mix(self, scope: object) -> bool:
        """Whether this scope's own rule grades some of its questions, and these graders the others."""
        return self.rule and mixed(getattr(scope, "questions", ()))

    @property
    def features(self) -> frozenset[Feature]:
        """Who grades."""
        if self.both:
            return frozenset({"judge and people"})
        return frozenset({"judge"}) if self.people is None else frozenset({"people"})

    @property
    def judged(self) -> bool:
        """Whether a judge's words are what cannot be read."""
        return self.people is None

    def terms(self, scope: object) -> dict[str, Any]:
        """What of the grading makes an attempt on this scope another one."""
        judged = {} if self.judge is None else {"rubric": digest_of(self.judge.rubric)}
        strict = {"unreadable": self.unreadable, "zero_is_ridiculous": self.zero_is_ridiculous}
        return self.settings(scope) | judged | strict

    def settings(self, scope: object) -> dict[str, Any]:
        """What of the grading changes the finding, for its signature."""
        settings: dict[str, Any] = {"graded_by_people": self.people is not None}
        if self.judge is not None:
            rubric, source = digest_of(self.judge.rubric)[:12], self.judge.interview.settings.get("source")
            settings |= {"judge": self.judge.name, "judge_draws": self.judge.draws, "rubric": rubric}
            settings |= {} if source is None else {"judge_source": source}
        settings |= {"judged": self.further} if self.both else {}
        return settings | ({"by_rule": True} if self.mix(scope) else {})

    async def prepare(self) -> None:
        """Nothing is needed."""

    def marker(self, scope: Scope[Question]) -> Marker:
        """Has answers to questions of this scope graded."""
        return Marker(scope, self)

    async def course(self, begun: Begun, target: Target) -> Course:
        """Answers that these graders grade."""
        if not self.both:
            return GradedCourse(begun, self, Annotation(begun, self, target))
        scope = independent(begun.scope)
        begun = replace(begun, scopes=(scope,), populations=(AsDrawn(scope),))
        places = await private_places(
            begun.interview.transcript,
            candidate=begun.interview.candidate.name,
            scope=scope.name,
            digest=scope.digest,
            attempt=begun.attempt.held,
            further=self.further,
        )
        inference = PredictedInference(begun.own, further=self.further)
        run = OneRun(scope, inference, begun.terms)
        return BlockCourse(begun, self, Annotation(begun, self, run, predicted=inference.test), places)

    @property
    def both(self) -> bool:
        """Whether people's grades and the judge's count together."""
        return self.judge is not None and self.people is not None
