"""A preview of a survey for visitors with its key: nothing is stored, and the survey need not be open."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from vivavoce.errors import BadInput
from vivavoce.generalization.survey.plan import OVER, RespondentProgress, SurveyStep, after_after, after_checks
from vivavoce.web.pages import survey_views
from vivavoce.web.pages.request_context import AnyVisit, SubmittedForm
from vivavoce.web.pages.survey_request import SLUG, NoSuchPage, SurveyRoute, SurveyVisit, survey_cookie, where
from vivavoce.web.pages.survey_views import ShownCard
from vivavoce.web.store import surveys

router = APIRouter(prefix="/preview", route_class=SurveyRoute)
PREVIEW_DAYS: Final = 1
"""Days for which a browser remembers the key."""


def previewing(slug: str, visit: AnyVisit) -> SurveyVisit:
    """A visitor with the key: first in the address, then in a cookie. Raises `NoSuchPage`."""
    survey = None
    if SLUG.fullmatch(slug):
        key = visit.request.query_params.get("key") or survey_cookie(visit, slug, preview=True).read(visit.request)
        with visit.reading() as c:
            survey = surveys.preview(c, slug, key) if key else None
    if survey is None:
        raise NoSuchPage("there is no such preview")
    return SurveyVisit(visit, survey, preview=True)


PreviewVisit = Annotated[SurveyVisit, Depends(previewing)]


@router.get("")
def begin(taking: PreviewVisit) -> Response:
    """Move the key from the address into a cookie."""
    return taking.cookie.write(taking.to("consent"), taking.survey.preview_key, days=PREVIEW_DAYS)


@router.get("/consent")
def consent(taking: PreviewVisit) -> Response:
    """The consent page, as respondents see it."""
    return survey_views.consent(taking)


@router.post("/consent")
def consented(taking: PreviewVisit, form: SubmittedForm) -> Response:
    """Continue to how it works."""
    return taking.to("how") if survey_views.agreed(form) else survey_views.consent(taking, form)


@router.get("/how")
def how(taking: PreviewVisit) -> Response:
    """How the survey works."""
    return survey_views.how(taking, "checks", at_checks=True)


@router.get("/checks")
def checks(taking: PreviewVisit) -> Response:
    """The questions on the task; the address contains the number of tries."""
    return survey_views.checks(taking, _number(_asked(taking, "tries")))


@router.post("/checks")
def checked(taking: PreviewVisit, form: SubmittedForm) -> Response:
    """Continue to the first pair, to the second try, or to the end."""
    given = survey_views.chosen_checks(form)
    tries = int(form.text("tries") == "1")
    if not all(given.values()):
        return survey_views.checks(taking, tries, given)
    progress = after_checks(RespondentProgress(SurveyStep.CHECKS, tries=tries), given, taking.survey.plan.first_step)
    if progress.step in OVER:
        return taking.to(f"ends/{progress.step}")
    return taking.to(
        f"checks?tries={progress.tries}" if progress.tries and progress.step is SurveyStep.CHECKS else where(progress)
    )


@router.get("/pairs/{place}/own")
def own(place: int, taking: PreviewVisit) -> Response:
    """The question that participants answer themselves."""
    return survey_views.own(taking, _shown(taking, place))


@router.post("/pairs/{place}/own")
def answered_own(place: int, taking: PreviewVisit, form: SubmittedForm) -> Response:
    """Continue to the first belief."""
    try:
        survey_views.own_answer(form)
    except BadInput as problem:
        return survey_views.own(taking, _shown(taking, place), form, str(problem))
    return taking.to(f"pairs/{place}/before")


@router.get("/pairs/{place}/before")
def before(place: int, taking: PreviewVisit) -> Response:
    """The cards in their own order; respondents get them in random order."""
    return survey_views.before(taking, _shown(taking, place))


@router.post("/pairs/{place}/before")
def believed_before(place: int, taking: PreviewVisit, form: SubmittedForm) -> Response:
    """The first belief is in the address, because it is stored nowhere else."""
    try:
        belief = survey_views.percent(form.text("belief"))
    except BadInput as problem:
        return survey_views.before(taking, _shown(taking, place), form.text("belief"), str(problem))
    return taking.to(f"pairs/{place}/after?earlier={belief}")


@router.get("/pairs/{place}/after")
def after(place: int, taking: PreviewVisit) -> Response:
    """The second half of a pair."""
    return survey_views.after(taking, _shown(taking, place), _number(_asked(taking, "earlier")))


@router.post("/pairs/{place}/after")
def believed_after(place: int, taking: PreviewVisit, form: SubmittedForm) -> Response:
    """Continue to the next pair, or to the end."""
    shown = _shown(taking, place)
    try:
        survey_views.percent(form.text("belief")), survey_views.reason(form)
    except BadInput as problem:
        return survey_views.after(taking, shown, _number(form.text("earlier")), form, str(problem))
    progress = after_after(RespondentProgress(SurveyStep.AFTER, place), place, taking.survey.plan)
    return taking.to("ends/done" if progress.step is SurveyStep.DONE else where(progress))


@router.get("/again")
def again(taking: PreviewVisit) -> Response:
    """The page for a respondent who took part before."""
    return survey_views.again(taking)


@router.get("/withdraw")
def withdrawal(taking: PreviewVisit) -> Response:
    """Ask to confirm the withdrawal."""
    return survey_views.withdrawal(taking, "consent")


@router.post("/withdraw")
def withdrawn(taking: PreviewVisit, form: SubmittedForm) -> Response:
    """The page after a withdrawal."""
    return taking.to(f"ends/{SurveyStep.WITHDRAWN}")


@router.get("/ends/{step}")
def end(step: SurveyStep, taking: PreviewVisit) -> Response:
    """Each of the ends."""
    if step not in OVER:
        raise NoSuchPage("there is no such end")
    return survey_views.end(taking, step)


def _shown(taking: SurveyVisit, index: int) -> ShownCard:
    """The card at a position. Raises `NoSuchPage`."""
    if not 1 <= index <= taking.survey.plan.pairs_each:
        raise NoSuchPage("there is no such pair")
    with taking.visit.reading() as c:
        return ShownCard(index, surveys.cards_of(c, taking.survey, limit=index)[-1])


def _asked(taking: SurveyVisit, name: str) -> str:
    return taking.visit.request.query_params.get(name, "")


def _number(text: str) -> int:
    """A number in the preview's address; 0 if invalid."""
    try:
        return survey_views.percent(text)
    except BadInput:
        return 0
