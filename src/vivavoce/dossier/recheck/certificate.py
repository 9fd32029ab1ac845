"""Holding the examination behind a certificate again over its record, with nobody to answer."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from vivavoce.certificate.attempts import Terms
from vivavoce.certificate.deployed import NAME as DEPLOYED
from vivavoce.certificate.deployed import certify_deployed
from vivavoce.certificate.endurance import Endurance
from vivavoce.certificate.examine import certify
from vivavoce.certificate.finding import Criterion
from vivavoce.certificate.many import NAME as MANY
from vivavoce.certificate.many import certify_many
from vivavoce.certificate.strata import strata_of
from vivavoce.certificate.weighing import weighing_of
from vivavoce.dossier.recheck.comparison import settings_of
from vivavoce.dossier.recheck.recorded import read_again
from vivavoce.dossier.recheck.scopes import Scopes
from vivavoce.errors import BadInput
from vivavoce.interview.budget import Ended
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.finding import Finding
from vivavoce.interview.interview import Interview
from vivavoce.interview.transcript import Transcript

LIMITS: Final = ("questions", "tokens", "money")


class CannotBeRechecked(Exception):
    """Why a part cannot be had again from the record, as a sentence."""


@dataclass(frozen=True, slots=True)
class Again:
    """What it takes to hold an examination again."""

    document: Mapping[str, Any]
    transcript: Transcript
    """The copy."""
    terms: Terms
    """As they stand in the ledger."""
    scopes: Scopes
    files: Sequence[Path] = ()

    @property
    def seed(self) -> int | None:
        """As it was given; None for one that was drawn."""
        given = self.terms.settings["seed"]
        return given if isinstance(given, int) else None

    @property
    def criterion(self) -> Criterion:
        """When the candidate counts as understanding."""
        settings = self.terms.settings
        limit = settings["ridiculous_limit"]
        return Criterion(float(settings["passing_grade"]), None if limit is None else float(limit), float(settings["delta"]))

    @property
    def limit(self) -> int | None:
        """The most questions, which the ledger does not hold; one that is less than what was asked is none."""
        fixed = self.terms.settings.get("questions")
        limit = settings_of(self.document.get("signature")).get("questions") if fixed is None else fixed
        asked = next((n for n in map(self.document.get, ("asked", "questions")) if type(n) is int), 0)
        return limit if type(limit) is int and limit >= max(1, asked) else None

    @property
    def endurance(self) -> Endurance:
        """What was asked of a candidate that may tire."""
        return Endurance(self.terms.settings.get("at_least"), self.terms.settings.get("spread_hours"))

    @property
    def ended(self) -> Ended | None:
        """Where a budget ended it, by the document."""
        named = self.document.get("budget_ended")
        if not isinstance(named, dict) or named.get("limit") not in LIMITS or type(named.get("questions")) is not int:
            return None
        return Ended(named["limit"], named["questions"])

    def interview(self) -> Interview[Prompt, Reply]:
        """With the candidate as the record knows it."""
        asking = self.terms.settings["asking"]
        return read_again(
            self.terms.candidate,
            self.transcript,
            asking=None if asking == "by form" else asking,
            budget=self.ended,
        )

    def opened(self) -> list[Any]:
        """All scopes, in their order."""
        return [self.scopes.find(title, digest) for title, digest in self.terms.scopes]


def certificate_again(again: Again) -> dict[str, Any]:
    """The certificate that the record gives, as JSON values.

    Raises `BadInput` for a scope that is not at hand, `CannotBeRechecked`, and `NotOnRecord` where the record lacks what the
    examination asked.
    """
    try:
        finding = asyncio.run(_held_again(again))
    except (KeyError, TypeError, ValueError) as error:
        raise BadInput(f"the terms in the ledger are none of an examination of ours: {type(error).__name__}") from None
    return finding.as_json()


async def _held_again(again: Again) -> Finding:
    settings, interview, scopes = again.terms.settings, again.interview(), again.opened()
    usual: dict[str, Any] = {"seed": again.seed, "questions": again.limit, "unreadable": settings["unreadable"]}
    if again.terms.examination == MANY:
        return await certify_many(interview, scopes, again.criterion, rule=settings["many"], **usual)
    [scope] = scopes
    if again.terms.examination == DEPLOYED:
        return await certify_deployed(interview, scope, again.criterion, endurance=again.endurance, **usual)
    if again.terms.examination != "certificate":
        raise CannotBeRechecked(f"This version knows no examination '{again.terms.examination[:80]}'.")
    if "graded_by_people" in settings:
        raise CannotBeRechecked("Answers were graded by others.")
    if "explanations" in settings:
        raise CannotBeRechecked("Procedures were handed over.")
    return await certify(
        interview,
        scope,
        again.criterion,
        procedure=settings["procedure"],
        design=_design(settings["design"], scope),
        endurance=again.endurance,
        **usual,
    )


def _design(name: object, scope: Any) -> Any:
    if name is None:
        return None
    return weighing_of(scope) if name == "evenly" else strata_of(scope)
