"""What a certificate is composed of: a population, a grading, and how one looks; the claim is the criterion beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, get_args

from vivavoce.certificate.config import ClaimConfig, Correction, Drawing, Procedure
from vivavoce.certificate.deployed import deployment_of
from vivavoce.certificate.endurance import Endurance
from vivavoce.certificate.evidence import check_terms
from vivavoce.certificate.features import Feature, refuse
from vivavoce.certificate.grading import ByRule, Grading
from vivavoce.certificate.importance_weighting import importance_weighting_of
from vivavoce.certificate.population import AsDrawn, Population
from vivavoce.certificate.questions import Question
from vivavoce.certificate.scopes.listed import ListedScope
from vivavoce.certificate.strata import strata_of
from vivavoce.certificate.verdict import Criterion
from vivavoce.errors import BadInput
from vivavoce.interview.scope import Scope

_CLAIM: Final = ClaimConfig()


class _OfScope(Protocol):
    def __call__(self, scope: Any, /) -> Population: ...


POPULATIONS: Final[Mapping[Drawing, _OfScope]] = {
    "scope": AsDrawn,
    "strata": strata_of,
    "weights": importance_weighting_of,
    "deployed": deployment_of,
}


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

    def population(self, scope: Scope[Question]) -> Population:
        """How questions of this scope are drawn. Raises `BadInput` where they cannot be drawn so."""
        return POPULATIONS[self.drawing](scope)

    def features(self, scopes: Sequence[Scope[Question]], *, several: bool = False) -> frozenset[Feature]:
        """What may not go together with something else."""
        found: set[Feature] = set(self.grading.features)
        if self.drawing != "scope":
            found.add(self.drawing)
        if self.procedure == "fixed":
            found.add("fixed")
        if self.endurance.settings:
            found.add("endurance")
        if several:
            found.add("several scopes")
        return frozenset(found).union(*map(_of_scope, scopes))

    def check(
        self, scopes: Sequence[Scope[Question]], criterion: Criterion, questions: int | None, *, several: bool = False
    ) -> None:
        """Refuse, before anything is asked, what cannot be meant or does not go together: `BadInput`."""
        check_terms(criterion, questions, scopes if "rule" in self.grading.features or self._explained else ())
        if self.procedure not in get_args(Procedure):
            raise BadInput(f"no procedure '{self.procedure}'; there are {' and '.join(get_args(Procedure))}")
        features = self.features(scopes, several=several)
        refuse(features)
        _check_names(scopes)
        if questions is None and self.procedure == "fixed":
            raise BadInput("the fixed procedure needs its number of questions in advance: --questions N")
        self.endurance.check(self.procedure, questions)
        if any(self.population(scope).population is not None for scope in scopes if self._explained):
            refuse(features | {"each once"})

    def terms(self, scopes: Sequence[Scope[Question]], questions: int | None, *, several: bool = False) -> dict[str, Any]:
        """What makes an attempt another one, besides scopes, criterion and seed."""
        fixed = self.procedure == "fixed"
        settings: dict[str, Any] = {} if several else dict(self.endurance.settings)
        by_graders = not ("rule" in self.grading.features or self._explained)
        if several:
            settings["many"] = self.correction
        elif self.drawing != "deployed" and not by_graders:
            settings |= {"procedure": self.procedure, "questions": None}
        if fixed:
            settings |= {"procedure": self.procedure, "questions": questions}
        design = None if self.drawing == "deployed" else self.population(scopes[0]).name
        if design is not None or not (several or self._explained or self.drawing == "deployed"):
            settings["design"] = design
        for scope in scopes:
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
