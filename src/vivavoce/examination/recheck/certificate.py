"""Reruns the examination behind a certificate over its record, without a candidate that answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from vivavoce.certificate.attempts.attempt import AttemptTerms
from vivavoce.certificate.attempts.grades_log import RecordedGrades, people_of
from vivavoce.certificate.certify import Composition, certify
from vivavoce.certificate.claims.claim import Criterion, brief
from vivavoce.certificate.claims.deployed import NAME as DEPLOYED
from vivavoce.certificate.claims.deployed import deployment_of
from vivavoce.certificate.claims.draws import Draws
from vivavoce.certificate.claims.many_scopes import NAME as MANY
from vivavoce.certificate.claims.results import ClaimFinding, DisplayNames
from vivavoce.certificate.config import Drawing
from vivavoce.certificate.design.drawing import Endurance, Strata, WithReplacement, refuse_earlier_strata
from vivavoce.certificate.design.extension import Extension, extension_on_record
from vivavoce.certificate.design.history import history_on_record
from vivavoce.certificate.explanations.examine import Procedures
from vivavoce.certificate.explanations.procedures import Procedure, read_procedure
from vivavoce.certificate.explanations.sandbox.sandbox import SandboxUnavailable
from vivavoce.certificate.graders.graders import Graders
from vivavoce.certificate.graders.grades import JudgeCalibration
from vivavoce.certificate.graders.judge import RUBRIC, CandidateJudge, read_rubric
from vivavoce.certificate.graders.people import People, PersonsGrade, read_grades
from vivavoce.certificate.graders.rule_grading import ByRule, GradingMethod
from vivavoce.errors import BadInput, NotAtHand, NotOnRecord
from vivavoce.examination.recheck.attempt import criterion_of
from vivavoce.examination.recheck.comparison import blocks_drawn, budget_end, in_flight, settings_of
from vivavoce.examination.recheck.recorded import Scopes, read_again, silent
from vivavoce.interview.budget import BudgetEnd
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.record import digest_of
from vivavoce.interview.transcript import Transcript
from vivavoce.report.reported import figures_of

CERTIFICATES: Final = ("certificate", MANY, DEPLOYED)
"""Kinds of documents that are certificates."""
AMONG_JUDGEMENTS: Final = "The budget ended it among the judgements of a judge."
DRAWINGS: Final[Mapping[object, Drawing]] = {
    None: "scope", Strata.name: "strata", "evenly": "weights", WithReplacement.name: "scope",
}  # fmt: skip
"""Ways to draw questions, by their names in the terms."""


@dataclass(frozen=True, slots=True)
class CertificateRecheck:
    """Everything needed to rerun an examination."""

    document: Mapping[str, Any]
    transcript: Transcript
    """The copy."""
    terms: AttemptTerms
    """Terms from the ledger."""
    scopes: Scopes
    files: Sequence[Path] = ()
    before: RecordedGrades | None = None
    """The grades on record."""
    places: bool = False
    """Whether the record shows which answers people graded besides a judge."""

    @property
    def seed(self) -> int | None:
        """The given seed; None for a drawn one."""
        given = self.terms.settings["seed"]
        return given if isinstance(given, int) else None

    @property
    def criterion(self) -> Criterion:
        """When the candidate passes."""
        return criterion_of(self.terms.settings)

    @property
    def limit(self) -> int | None:
        """The most questions, which is not in the ledger; it is at least the number asked."""
        fixed = self.terms.settings.get("questions")
        limit = settings_of(self.document.get("signature")).get("questions") if fixed is None else fixed
        return limit if type(limit) is int and limit >= max(1, self._asked) else None

    @property
    def _asked(self) -> int:
        """Questions to the candidate, from the document."""
        explained = figures_of(self.document).get("explained")
        if isinstance(explained, dict):
            asked, requests = (explained.get(name) for name in ("asked", "requests"))
            return asked - requests if type(asked) is type(requests) is int else 0
        return next((n for n in map(figures_of(self.document).get, ("asked", "questions")) if type(n) is int), 0)

    @property
    def endurance(self) -> Endurance:
        """Least questions and hours, for a candidate that may change over time."""
        return Endurance(self.terms.settings.get("at_least"), self.terms.settings.get("spread_hours"))

    @property
    def ended(self) -> BudgetEnd | None:
        """The limit of the budget that ended it, from the document."""
        return budget_end(self.document.get("budget_ended"))

    def interview(self) -> Interview[Prompt, Reply]:
        """An interview with the candidate as recorded."""
        settings, drawn_ahead = self.terms.settings, settings_of(self.document.get("signature"))
        return read_again(
            silent(self.terms.candidate, self.transcript, str(settings.get("source", ""))),
            self.transcript,
            asking=settings["asking"],
            budget=self.ended,
            strict_faults=settings.get("strict_faults"),
            concurrency=in_flight(drawn_ahead),
            blocks=blocks_drawn(drawn_ahead),
        )

    def judge(self, name: str) -> Interview[Prompt, Reply]:
        """An interview with a judge as recorded."""
        candidate = silent(name, self.transcript, str(self.terms.settings.get("judge_source", "")))
        return read_again(candidate, self.transcript, asking=self.terms.settings["asking"])

    @property
    def people(self) -> tuple[PersonsGrade, ...]:
        """People's grades, from the record."""
        return () if self.before is None else people_of(self.before, self.transcript.records())

    def opened(self) -> list[Any]:
        """All scopes, in their order."""
        scopes = self.scopes if self.extension is None else self.scopes.extended(self.extension)
        return [scopes.find(title, digest) for title, digest in self.terms.scopes]

    @property
    def extension(self) -> Extension | None:
        """Extensions of the list of unacceptable answers, from the record; None: none."""
        digest = self.terms.settings.get("extension")
        return None if digest is None else extension_on_record(self.transcript, str(digest))


def certificate_again(again: CertificateRecheck) -> dict[str, Any]:
    """The certificate that the record gives, as JSON values.

    Raises `BadInput` for a missing scope, `CannotBeRechecked`, and `NotOnRecord` if the record lacks an answer.
    """
    try:
        finding = asyncio.run(_held_again(again))
    except SandboxUnavailable as error:
        raise CannotBeRechecked(f"The candidate gave programs, which can't be run safely here: {error}.") from None
    except NotOnRecord:
        if ended_among_judgements(again.document):
            raise CannotBeRechecked(AMONG_JUDGEMENTS) from None
        raise
    except (KeyError, TypeError, ValueError) as error:
        raise BadInput(f"the ledger has terms of an unknown examination: {type(error).__name__}") from None
    return _naming(again.document).of(finding).as_json()


def _naming(document: Mapping[str, Any]) -> DisplayNames:
    """Display names from the document, since no record has them; none if they could not have been given."""
    figures = figures_of(document)
    parts = figures.get("scopes")
    titled = [figures, *(entry for entry in (parts if isinstance(parts, list) else ()) if isinstance(entry, dict))]
    titles = {brief(str(entry["scope"])): entry["title"] for entry in titled if {"scope", "title"} <= entry.keys()}
    try:
        return DisplayNames(figures.get("name", ""), titles)
    except (BadInput, TypeError, AttributeError):
        return DisplayNames()


def ended_among_judgements(document: Mapping[str, Any]) -> bool:
    """Whether the budget left no room for a judgement, which may be any of those in flight."""
    figures = figures_of(document)
    return "grading" in figures and str(figures.get("why_not")).startswith("the budget for ")


async def _held_again(again: CertificateRecheck) -> ClaimFinding:
    examination, interview, scopes = again.terms.examination, again.interview(), again.opened()
    if examination not in CERTIFICATES:
        raise CannotBeRechecked(f"This version does not know the examination '{examination[:80]}'.")
    composition = _composition(again, scopes)
    if examination == MANY:
        return await certify(interview, scopes, again.criterion, composition, seed=again.seed, questions=again.limit)
    [scope] = scopes
    asked = deployment_of(scope) if examination == DEPLOYED else scope
    finding: ClaimFinding = await certify(
        interview, asked, again.criterion, composition, seed=again.seed, questions=again.limit
    )
    return finding


def _composition(again: CertificateRecheck, scopes: Sequence[Any]) -> Composition:
    """Drawing, grading and looks, from the terms in the ledger."""
    settings = again.terms.settings
    refuse_earlier_strata(settings)
    grading: GradingMethod = ByRule(settings["unreadable"])
    if "graded_by_people" in settings:
        grading = graders_again(
            settings,
            again.document,
            again.files,
            again.judge,
            scope=scopes[0].name,
            people=again.people,
            revealed=again.places,
        )
    elif "explanations" in settings:
        grading = plan_again(settings, again.files)
    return Composition(
        "scope" if again.terms.examination == DEPLOYED else DRAWINGS[settings.get("design")],
        grading,
        settings.get("procedure", "sequential"),
        settings.get("many", "fdr"),
        again.endurance,
        Draws.of(settings),
        None if "history" not in settings else history_on_record(again.transcript, str(settings["history"])),
        again.extension,
    )


Read = TypeVar("Read")

PLACES: Final = (
    "The answers that people graded besides the judge were drawn secretly: the record commits to the draw, and does not "
    "reveal it yet."
)
MOST_CHECKS: Final = 10_000_000
"""Most checks of a procedure: someone else's record must not keep this machine busy forever."""
NO_GRADES: Final = "People's grades are not in the record: give them with --file GRADES."


class CannotBeRechecked(Exception):
    """A part can't be reproduced from the record; the message says why in a sentence."""


def plan_again(settings: Mapping[str, Any], files: Sequence[Path]) -> Procedures:
    """The explanations, from the terms in the ledger. Raises `BadInput` for a missing procedure."""
    if not 0 <= int(settings["checks"] or 0) <= MOST_CHECKS:
        raise BadInput(f"the terms in the ledger ask for {str(settings['checks'])[:40]} checks; at most {MOST_CHECKS} are made")
    given = []
    for digest in settings["explanations_given"]:
        procedure = _first(files, read_procedure, partial(_begins, digest))
        if procedure is None:
            raise BadInput(f"the procedure whose digest begins with {str(digest)[:64]} is needed: give its file with --file")
        given.append(procedure)
    return Procedures(
        settings["explanations"],
        settings["explanations_again"],
        tuple(given),
        settings["checks"],
        settings["cpu_seconds"],
        settings["unreadable"],
    )


def graders_again(
    settings: Mapping[str, Any],
    document: Mapping[str, Any],
    files: Sequence[Path],
    interview: Callable[[str], Interview[Prompt, Reply]],
    *,
    scope: str,
    people: Sequence[PersonsGrade],
    revealed: bool,
) -> Graders:
    """The graders, from the terms in the ledger.

    interview: reads the record of a judge of that name.
    people: their grades, from the record.
    revealed: whether the record tells which answers people graded besides a judge.

    Raises `CannotBeRechecked`, and `NotAtHand` for a rubric that was not given.
    """
    by_people, judge = settings["graded_by_people"], settings.get("judge")
    if by_people and judge is not None and not revealed:
        raise CannotBeRechecked(PLACES)
    grading = figures_of(document).get("grading")
    waiting = grading.get("waiting") if isinstance(grading, dict) else None
    return Graders(
        judge=None
        if judge is None
        else CandidateJudge(
            interview(judge),
            rubric=_rubric(settings["rubric"], files),
            draws=settings["judge_draws"],
            topic=f"judging/{brief(scope)}",
            calibration=JudgeCalibration.of_settings(settings),
        ),
        people=_people(files, people) if by_people else None,
        # it stopped when this many answers waited
        batch=max(1, len(waiting)) if isinstance(waiting, list) else 1,
        further=settings.get("judged", 1),  # it matters only if both grade
        zero_is_unacceptable=settings["zero_is_unacceptable"],
        unreadable=settings["unreadable"],
        rule=settings.get("by_rule") is True,
    )


def _people(files: Sequence[Path], on_record: Sequence[PersonsGrade]) -> People:
    grades = _first(files, read_grades, bool) or on_record
    if grades is None:
        raise CannotBeRechecked(NO_GRADES)
    return People(grades)


def _rubric(digest: str, files: Sequence[Path]) -> str:
    if digest_of(RUBRIC) == digest:
        return RUBRIC
    result = _first(files, read_rubric, lambda text: digest_of(text) == digest)
    if result is None:
        raise NotAtHand(f"the rubric with the digest {digest[:64]} is needed: give its file with --file")
    return result


def _begins(digest: object, procedure: Procedure) -> bool:
    return isinstance(digest, str) and len(digest) >= 12 and procedure.digest.startswith(digest)


def _first(files: Sequence[Path], read: Callable[[Path], Read], fits: Callable[[Read], bool]) -> Read | None:
    """The first file's content of this kind that fits; None without one."""
    for file in files:
        try:
            result = read(file)
        except BadInput:
            continue
        if fits(result):
            return result
    return None
