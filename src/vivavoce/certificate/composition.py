"""What a certificate is composed of: a population, a grading, and how one looks; the claim is the criterion beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, get_args

from vivavoce.certificate.config import ClaimConfig, Correction, Drawing, Procedure
from vivavoce.certificate.deployed import Deployment
from vivavoce.certificate.draws.claim import Draws
from vivavoce.certificate.draws.population import WithReplacement
from vivavoce.certificate.endurance import Endurance
from vivavoce.certificate.evidence import check_terms
from vivavoce.certificate.extension import Extension
from vivavoce.certificate.family import Family
from vivavoce.certificate.features import Feature, refuse
from vivavoce.certificate.grading import ByRule, Grading
from vivavoce.certificate.history import History
from vivavoce.certificate.importance_weighting import importance_weighting_of
from vivavoce.certificate.population import AsDrawn, Population
from vivavoce.certificate.strata import strata_of
from vivavoce.certificate.verdict import Criterion
from vivavoce.certificate.with_history import with_history
from vivavoce.errors import BadInput
from vivavoce.interview.scope import Scope
from vivavoce.scopes.listed import ListedScope
from vivavoce.scopes.questions import Question

_CLAIM: Final = ClaimConfig()


class _OfScope(Protocol):
    def __call__(self, scope: Any, /) -> Population: ...


POPULATIONS: Final[Mapping[Drawing, _OfScope]] = {
    "scope": AsDrawn,
    "strata": strata_of,
    "weights": importance_weighting_of,
}


@dataclass(frozen=True, slots=True)
class Subject:
    """What is examined: one scope, with one verdict or with two (`deployment`), or several, each with a verdict of its own."""

    scopes: tuple[Scope[Question], ...]
    several: bool = False
    deployment: Deployment | None = None

    @classmethod
    def of(cls, given: Scope[Question] | Deployment | Sequence[Scope[Question] | Deployment]) -> Subject:
        """What is given to `certify`."""
        if isinstance(given, Deployment):
            return cls((given.scope,), deployment=given)
        if not isinstance(given, Sequence):
            return cls((given,))
        deployment = next((one for one in given if isinstance(one, Deployment)), None)  # is refused, with the reason
        return cls(tuple(one.scope if isinstance(one, Deployment) else one for one in given), True, deployment)

    @property
    def features(self) -> frozenset[Feature]:
        """What of it may not go together with something else."""
        found = frozenset().union(*map(_of_scope, self.scopes))
        wanted: tuple[tuple[bool, Feature], ...] = (
            (self.several, "several scopes"),
            (self.deployment is not None, "deployed"),
        )
        return found | {feature for asked, feature in wanted if asked}


@dataclass(frozen=True, slots=True)
class Composition:
    """How questions are drawn, who grades, and how one looks. What does not go together is in `features.REFUSED`.

    >>> Composition("strata").population(ListedScope("two", (Question("1", "1?", accepted=("1",), category="a"), Question(
    ...     "2", "2?", accepted=("2",), category="b")))).population
    2
    """

    drawing: Drawing = "scope"
    grading: Grading = ByRule()  # noqa: RUF009 -- frozen
    procedure: Procedure = _CLAIM.procedure
    """`sequential` looks after every answer and stops at the first sufficient evidence; `fixed` asks a number of questions that
    was chosen beforehand, and looks once (Procedure 4.1 of `leytonbrown2024`)."""
    correction: Correction = _CLAIM.correction
    """Of several scopes what delta bounds, see `multiple_testing`."""
    endurance: Endurance = Endurance()  # noqa: RUF009 -- frozen
    """What is asked of a candidate that may tire."""
    draws: Draws | None = None
    """How often each question is answered, and what is claimed of that; None: each answer is one, whatever else it could be."""
    history: History | None = None
    """What others earned on the questions of the scope, for bets that take account of it."""
    extension: Extension | None = None
    """What was added to the list of ridiculous answers after answers were seen; the scope that is examined has it."""
    family: Family | None = None
    """Of one scope that is given as a sequence: of how many verdicts this is one, by whose rule they are given together."""

    def population(self, scope: Scope[Question]) -> Population:
        """How questions of this scope are drawn. Raises `BadInput` where they cannot be drawn so."""
        if self.draws is not None:
            return WithReplacement(scope, self.draws)
        return POPULATIONS[self.drawing](scope) if self.history is None else with_history(scope, self.history)

    def populations(self, subject: Subject) -> tuple[Population, ...]:
        """How questions of each scope are drawn."""
        if subject.deployment is not None:
            return (subject.deployment,)
        return tuple(map(self.population, subject.scopes))

    def features(self, subject: Subject) -> frozenset[Feature]:
        """What may not go together with something else."""
        found: set[Feature] = set(self.grading.features)
        if self.drawing != "scope":
            found.add(self.drawing)
        if self.procedure == "fixed":
            found.add("fixed")
        if self.endurance.settings:
            found.add("endurance")
        if self.draws is not None:
            found |= self.draws.features
        if self.history is not None:
            found.add("history")
        if self.extension is not None:
            found.add("extended")
        return subject.features | found

    def check(self, subject: Subject, criterion: Criterion, questions: int | None) -> None:
        """Refuse, before anything is asked, what cannot be meant or does not go together: `BadInput`."""
        scopes = subject.scopes
        check_terms(criterion, questions, scopes if "rule" in self.grading.features or self._explained else ())
        if self.drawing not in POPULATIONS:
            raise BadInput(f"no way to draw '{self.drawing}'; there are {', '.join(POPULATIONS)}")
        if self.procedure not in get_args(Procedure):
            raise BadInput(f"no procedure '{self.procedure}'; there are {' and '.join(get_args(Procedure))}")
        features = self.features(subject)
        refuse(features)
        _check_names(scopes)
        if self.family is not None and not (subject.several and len(scopes) == 1):
            raise BadInput("a member of a family is one scope, given as a sequence")
        if questions is None and self.procedure == "fixed":
            raise BadInput("the fixed procedure needs its number of questions in advance: --questions N")
        self.endurance.check(self.procedure, questions)
        if self._explained and any(one.population is not None for one in self.populations(subject)):
            refuse(features | {"each once"})
        if self.history is not None:
            with_history(scopes[0], self.history)

    def terms(self, subject: Subject, questions: int | None) -> dict[str, Any]:
        """What makes an attempt another one, besides scopes, criterion and seed."""
        several, deployed = subject.several, subject.deployment is not None
        settings: dict[str, Any] = {} if several else dict(self.endurance.settings)
        by_graders = not ("rule" in self.grading.features or self._explained)
        if several:
            settings["many"] = self.correction if self.family is None else f"{self.family.rule}, of a sweep"
        elif not (deployed or by_graders):
            settings |= {"procedure": self.procedure, "questions": None}
        if self.procedure == "fixed":
            settings |= {"procedure": self.procedure, "questions": questions}
        if self.draws is not None:
            settings |= self.draws.settings
        design = None if deployed else self.population(subject.scopes[0]).name
        if design is not None or not (several or self._explained or deployed):
            settings["design"] = design
        if self.history is not None:
            settings["history"] = self.history.digest
        if self.extension is not None:
            settings["extension"] = self.extension.digest
        for scope in subject.scopes:
            settings |= self.grading.terms(scope)
        return settings

    @property
    def _explained(self) -> bool:
        return "procedures" in self.grading.features


def _of_scope(scope: Scope[Question]) -> frozenset[Feature]:
    found: set[Feature] = set()
    if getattr(scope, "has_laws", False):
        found.add("laws")
    if isinstance(scope, ListedScope) and any(len(unit) > 1 for unit in scope.units):
        found.add("clusters")
    return frozenset(found)


def _check_names(scopes: Sequence[Scope[Question]]) -> None:
    names: dict[str, str] = {}
    for scope in scopes:
        if scope.digest in names:
            raise BadInput(f"'{scope.name}' and '{names[scope.digest]}' are one scope: name each scope once")
        names[scope.digest] = scope.name
