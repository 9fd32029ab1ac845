"""Certificates that rest on more than answers: a judge's or people's grades, or the candidate's procedures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from vivavoce.certificate.claims.claim import brief
from vivavoce.certificate.explanations.examine import Procedures
from vivavoce.certificate.explanations.procedures import Procedure, read_procedure
from vivavoce.certificate.graders.graders import Graders
from vivavoce.certificate.graders.judge import RUBRIC, CandidateJudge, read_rubric
from vivavoce.certificate.graders.people import People, PersonsGrade, read_grades
from vivavoce.errors import BadInput, NotAtHand
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.record import digest_of
from vivavoce.report.reported import figures_of

Read = TypeVar("Read")

PLACES: Final = (
    "The answers that people graded besides the judge were drawn secretly: the record commits to the draw, and does not "
    "reveal it yet."
)
MOST_CHECKS: Final = 10_000_000
"""Of a procedure: a stranger's record must not keep this machine busy forever."""
NO_GRADES: Final = "People's grades are not in the record: give them with --file GRADES."


class CannotBeRechecked(Exception):
    """Why a part can't be reproduced from the record, as a sentence."""


def plan_again(settings: Mapping[str, Any], files: Sequence[Path]) -> Procedures:
    """The explanations, from the terms in the ledger. Raises `BadInput` for a missing procedure."""
    if not 0 <= int(settings["checks"] or 0) <= MOST_CHECKS:
        raise BadInput(f"the terms in the ledger ask for {str(settings['checks'])[:40]} checks: at most {MOST_CHECKS} are made")
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
