"""Grading: who says what an answer is worth, and how a certificate comes of it.

The scope's own rule (`ByRule`), a judge, people, or people with a judge's grades as predictions of theirs
(`graders.annotation.Graders`), or audited procedures that answer for the candidate (`explanations.examine.Procedures`). A grade
may be an interval wherever a reply could not be read (`interview.scope.Grade`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from vivavoce.certificate.config import GradingConfig, Unreadable
from vivavoce.certificate.course import Begun, Course, RuledCourse, Target
from vivavoce.certificate.features import Feature
from vivavoce.certificate.graders.judge import Judge
from vivavoce.certificate.graders.marking import Marking, RuleMarker
from vivavoce.interview.scope import Scope
from vivavoce.scopes.questions import Question


class Grading(Protocol):
    """Who grades."""

    @property
    def unreadable(self) -> Unreadable:
        """What a reply is worth that cannot be read."""
        ...

    @property
    def features(self) -> frozenset[Feature]:
        """What may not go together with other parts of a composition."""
        ...

    @property
    def judge(self) -> Judge | None:
        """Who judges; None where nobody does."""
        ...

    @property
    def judged(self) -> bool:
        """Whether a judge's words are what cannot be read."""
        ...

    def mix(self, scope: object) -> bool:
        """Whether the scope's own rule grades some of its questions, and others the rest."""
        ...

    def terms(self, scope: object) -> dict[str, Any]:
        """What of it makes an attempt on this scope another one."""
        ...

    def settings(self, scope: object) -> dict[str, Any]:
        """What of it changes the finding on this scope, for its signature."""
        ...

    async def prepare(self) -> None:
        """Refuse what would fail later, before an attempt is begun."""
        ...

    def marker(self, scope: Scope[Question]) -> Marking:
        """Has answers to questions of this scope graded one by one, as several scopes need it."""
        ...

    async def course(self, begun: Begun, target: Target) -> Course:
        """The course of an examination that is graded so."""
        ...


@dataclass(frozen=True, slots=True)
class ByRule:
    """The scope's own rule grades."""

    unreadable: Unreadable = GradingConfig().unreadable
    """What a reply is worth that cannot be read: anything from 0 to 1, so that no verdict rests on it, or `wrong`."""

    @property
    def features(self) -> frozenset[Feature]:
        """A rule grades."""
        return frozenset({"rule"})

    @property
    def judge(self) -> None:
        """None."""

    @property
    def judged(self) -> bool:
        """False."""
        return False

    def mix(self, scope: object) -> bool:
        """False: the rule grades all."""
        return False

    def terms(self, scope: object) -> dict[str, Any]:
        """What unreadable replies are worth."""
        return {"unreadable": self.unreadable}

    def settings(self, scope: object) -> dict[str, Any]:
        """Nothing beside the scope's own."""
        return {}

    async def prepare(self) -> None:
        """Nothing is needed."""

    def marker(self, scope: Scope[Question]) -> Marking:
        """The rule of this scope."""
        return RuleMarker(scope)

    async def course(self, begun: Begun, target: Target) -> Course:
        """The answers as they come."""
        return RuledCourse(begun, target)
