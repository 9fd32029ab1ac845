"""The operator's pages about surveys: how far each has come, by arm and wave, and what came of them so far."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from fastapi.routing import APIRouter
from starlette.exceptions import HTTPException
from starlette.responses import Response

from vivavoce.errors import BadInput, VivavoceError
from vivavoce.generalization.pairs import labelled
from vivavoce.generalization.survey.arm_effects import ArmsFinding, compare_arms
from vivavoce.generalization.survey.conduct import (
    ABOUT_FLAGS,
    ABOUT_WAVES,
    FLAGGED,
    OWN,
    SurveyConduct,
    about_own,
    conduct_of,
    flags_table,
    own_table,
    waves_table,
)
from vivavoce.generalization.survey.plan import SurveyPlan
from vivavoce.generalization.survey.responses import SurveyResponse
from vivavoce.generalization.survey.shares import share
from vivavoce.report.blocks import Table
from vivavoce.web.own_answers import Graded, own_answers_graded
from vivavoce.web.pages.operator import OperatorsVisit
from vivavoce.web.pages.survey_visit import SLUG
from vivavoce.web.security.limits import Deed
from vivavoce.web.store import surveys
from vivavoce.web.store.survey_export import (
    ExportedAnswer,
    answers_by_card,
    counts,
    exported_answers,
    respondents_by_arm,
)

router = APIRouter()
MOST: Final = 200
"""Surveys that the page lists, the newest first."""


@router.get("/operator/surveys")
def all_surveys(visit: OperatorsVisit) -> Response:
    """All surveys, and how many came to which end."""
    visit.count(Deed.OVERSEE, "operator")
    with visit.reading() as c:
        found = [(one, counts(c, one)) for one in reversed(surveys.listed(c)[-MOST:])]
    return visit.page("operator_surveys", found=found)


@router.get("/operator/surveys/{slug}")
def one_survey(visit: OperatorsVisit, slug: str) -> Response:
    """One survey; it reads all its answers, so not too often. Raises 404 for none."""
    visit.count(Deed.REPORT, "operator")
    with visit.reading() as c:
        survey = surveys.survey(c, slug) if SLUG.fullmatch(slug) else None
        if survey is None:
            raise HTTPException(404)
        told, by_arm, by_card = counts(c, survey), respondents_by_arm(c, survey), answers_by_card(c, survey)
        exported = list(exported_answers(c, survey))
    graded, ungraded = _grading(survey.plan, exported)
    answers = [_read(one, graded) for one in exported]
    conduct = _conduct(answers)
    finished: dict[str, tuple[int, int]] = {}
    for (arm, _), (began, done) in by_arm.items():
        earlier = finished.get(arm, (0, 0))
        finished[arm] = (earlier[0] + began, earlier[1] + done)
    return visit.page(
        "operator_survey",
        survey=survey,
        counts=told,
        by_arm=by_arm,
        pairs=len(by_card),
        enough=sum(number >= survey.plan.answers_each for number in by_card.values()),
        found=_compared(answers, slug, finished) if survey.plan.arms else None,
        tables=_tables(answers, conduct),
        ungraded=ungraded,
    )


def _grading(plan: SurveyPlan, answers: Iterable[ExportedAnswer]) -> tuple[Graded | None, str]:
    """How own answers are graded, and why they cannot be where the scope is not to be had here; empty for no reason."""
    if not plan.own_answers or not any(one.own for one in answers):
        return None, ""
    try:
        return own_answers_graded(plan), ""
    except VivavoceError as error:
        return None, str(error)


def _read(one: ExportedAnswer, graded: Graded | None) -> SurveyResponse:
    right = graded(one.pair.q2, one.own) if graded and one.own else None
    flags = frozenset(one.flags)
    return SurveyResponse(
        one.pair, one.arm, one.wave, one.second_correct, own_asked=graded is not None, own_right=right, flags=flags
    )


def _tables(answers: Sequence[SurveyResponse], conduct: SurveyConduct | None) -> tuple[tuple[str, Table, str], ...]:
    """Own answers, waves and flags as in the report, each with its name and what is to be said of it."""
    if conduct is None:
        return ()
    changed = share(labelled([one.pair for one in answers]), lambda pair: bool(pair.changed))
    own, waves, flags = conduct.own, conduct.waves, conduct.authenticity
    return (
        *(((OWN, own_table(own), about_own(own)),) if own else ()),
        *((("Waves", waves_table(waves), ABOUT_WAVES),) if waves else ()),
        *(((FLAGGED, flags_table(flags, changed), ABOUT_FLAGS),) if flags else ()),
    )


def _compared(answers: list[SurveyResponse], slug: str, finished: dict[str, tuple[int, int]]) -> ArmsFinding | None:
    try:
        return compare_arms(answers, source=slug, finished=finished)
    except BadInput:  # answers of fewer than two arms are there
        return None


def _conduct(answers: list[SurveyResponse]) -> SurveyConduct | None:
    return conduct_of(answers, checked=True) if answers else None
