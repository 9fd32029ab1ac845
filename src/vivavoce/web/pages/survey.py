"""Pages of a belief-change survey, from the platform's link to the completion code."""

from __future__ import annotations

import hmac
import re
from typing import Final, Literal

from fastapi import APIRouter
from starlette.datastructures import QueryParams
from starlette.responses import Response

from vivavoce.errors import BadInput
from vivavoce.generalization.survey.plan import AT_PAIRS, SurveyStep
from vivavoce.web.pages import survey_preview, survey_views
from vivavoce.web.pages.request_context import FormFields, SubmittedForm
from vivavoce.web.pages.survey_request import AnySurveyVisit, NoSuchPage, NotOpen, SurveyRoute, SurveyVisit, WelcomeVisit, where
from vivavoce.web.pages.survey_texts import VERSION
from vivavoce.web.security.limits import RateLimitedAction
from vivavoce.web.store import respondents
from vivavoce.web.store.respondents import Respondent, SurveyClosed, TookPartBefore

PARAMETERS: Final = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
"""Parameters of Prolific; only the first identifies a respondent, the others are dropped."""
Kind = Literal["participant", "browser"]
_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


def participant(query: QueryParams) -> str | None:
    """The platform's id of a respondent; None without a platform.

    Raises `BadInput`, without repeating them, for parameters that no platform sends, such as unfilled placeholders.

    >>> participant(QueryParams("PROLIFIC_PID=5f00aa11&STUDY_ID=60&SESSION_ID=70")), participant(QueryParams("said=here"))
    ('5f00aa11', None)
    """
    given = {name: query.getlist(name) for name in PARAMETERS if name in query}
    if not given:
        return None
    if PARAMETERS[0] not in given or any(len(values) != 1 or not _ID.fullmatch(values[0]) for values in given.values()):
        raise BadInput("the platform's parameters are invalid")
    return given[PARAMETERS[0]][0]


def pseudonym(secret: str, slug: str, kind: Kind, who: str) -> str:
    """A respondent's pseudonym in one survey: the same each time, different in each survey, and useless without the secret.

    Parameters
    ----------
    kind: what `who` is: a platform's name for a participant, or a random value of a browser without a platform.

    >>> pseudonym("s", "trust", "participant", "5f00aa11") == pseudonym("s", "other", "participant", "5f00aa11")
    False
    """
    return hmac.new(secret.encode(), f"vivavoce survey\0{slug}\0{kind}\0{who}".encode(), "sha256").hexdigest()


router = APIRouter(prefix="/surveys/{slug}", route_class=SurveyRoute)
router.include_router(survey_preview.router)
Part = Literal["own", "before", "after"]
_AGAIN: Final = "again"


@router.get("")
def entry(taking: AnySurveyVisit) -> Response:
    """The address for platforms: the participant's id is removed from the address at once; respondents who were here before
    continue.
    """
    who = participant(taking.visit.request.query_params)
    if who is None:
        if taking.respondent is None and taking.survey.state != "open":
            raise NotOpen(taking.survey)
        return taking.onward(taking.respondent)
    try:
        respondent, token = _enter(taking, "participant", who, agree=False)
    except TookPartBefore:
        return taking.to(_AGAIN)
    return taking.cookie.write(taking.onward(respondent), token)


@router.get("/consent")
def consent(taking: WelcomeVisit) -> Response:
    """The consent form."""
    return _elsewhere(taking, SurveyStep.CONSENT) or survey_views.consent(taking)


@router.post("/consent")
def consented(taking: WelcomeVisit, form: SubmittedForm) -> Response:
    """Record the consent, and start."""
    elsewhere = _elsewhere(taking, SurveyStep.CONSENT)
    if elsewhere is not None:
        return elsewhere
    if not survey_views.agreed(form):
        return survey_views.consent(taking, form)
    if taking.respondent is None:
        try:
            respondent, token = _enter(taking, "browser", taking.visit.visitor, agree=True)
        except TookPartBefore:
            return taking.to(_AGAIN)
        return taking.cookie.write(taking.onward(respondent), token)
    _count(taking, taking.respondent)
    with taking.visit.writing() as c:
        return taking.onward(respondents.agree(c, taking.respondent, VERSION, taking.visit.now))


@router.get("/how")
def how(taking: WelcomeVisit) -> Response:
    """How the survey works; also later, for respondents who want to read it again."""
    respondent = taking.respondent
    if respondent is None or respondent.progress.step is SurveyStep.CONSENT:
        return taking.to("consent")
    at_checks = respondent.progress.step is SurveyStep.CHECKS
    return survey_views.how(taking, "checks" if at_checks else where(respondent.progress), at_checks=at_checks)


@router.get("/checks")
def checks(taking: WelcomeVisit) -> Response:
    """The questions on the task."""
    elsewhere = _elsewhere(taking, SurveyStep.CHECKS)
    return elsewhere or survey_views.checks(taking, _known(taking).progress.tries)


@router.post("/checks")
def checked(taking: WelcomeVisit, form: SubmittedForm) -> Response:
    """Answers to the questions on the task. Sent twice, they count as one try."""
    elsewhere, given = _elsewhere(taking, SurveyStep.CHECKS), survey_views.chosen_checks(form)
    if elsewhere is not None:
        return elsewhere
    respondent = _known(taking)
    _count(taking, respondent)
    if not all(given.values()):
        return survey_views.checks(taking, respondent.progress.tries, given)
    tries = int(form.text("tries") == "1")
    with taking.visit.writing() as c:
        return taking.onward(respondents.answer_checks(c, respondent, given, taking.visit.now, tries=tries))


@router.get("/pairs/{place}/{part}")
def pair(place: int, part: Part, taking: WelcomeVisit) -> Response:
    """A question before any answer was shown, or again after an answer to another one."""
    return _elsewhere(taking, SurveyStep(part), place) or _show(taking)


@router.post("/pairs/{place}/{part}")
def answered(place: int, part: Part, taking: WelcomeVisit, form: SubmittedForm) -> Response:
    """The respondent's own answer, or first or second belief, on a pair."""
    elsewhere = _elsewhere(taking, SurveyStep(part), place, text="kept")
    if elsewhere is not None:
        return elsewhere
    _count(taking, _known(taking))
    try:
        return _keep(taking, place, part, form)
    except BadInput as problem:
        return _show(taking, form, str(problem))


@router.get("/again")
def again(taking: AnySurveyVisit) -> Response:
    """Says that no one takes part twice in a study, and shows the code to return it, which has no other value."""
    return survey_views.again(taking)


@router.get("/withdraw")
def withdrawal(taking: WelcomeVisit) -> Response:
    """Ask to confirm the withdrawal; also before the start and after the end."""
    respondent = taking.respondent
    if respondent is not None and respondent.progress.step is SurveyStep.WITHDRAWN:
        return taking.to("end")
    return survey_views.withdrawal(taking, where(respondent.progress) if respondent else "consent")


@router.post("/withdraw")
def withdrawn(taking: WelcomeVisit, form: SubmittedForm) -> Response:
    """Delete a respondent's answers, if there are any."""
    if taking.respondent is None:
        return taking.to("declined")
    _count(taking, taking.respondent)
    with taking.visit.writing() as c:
        return taking.onward(respondents.withdraw(c, taking.respondent, taking.visit.now))


@router.get("/declined")
def declined(taking: WelcomeVisit) -> Response:
    """The end for visitors who never agreed, about whom nothing is stored."""
    return taking.onward(taking.respondent) if taking.respondent else survey_views.end(taking, SurveyStep.WITHDRAWN)


@router.get("/end")
def end(taking: WelcomeVisit) -> Response:
    """The end page, with the code for the platform."""
    respondent = taking.respondent
    if respondent is None or not respondents.over(respondent):
        return taking.onward(respondent)
    return survey_views.end(taking, respondent.progress.step)


def _enter(taking: SurveyVisit, kind: Kind, who: str, *, agree: bool) -> tuple[Respondent, str]:
    visit, slug = taking.visit, taking.survey.plan.slug
    visit.count(RateLimitedAction.ENTER)
    study = taking.survey.plan.study
    pid = pseudonym(visit.site.settings.secret, f"study:{study}" if study else slug, kind, who)
    try:
        with visit.writing() as c:
            respondent, token = respondents.enter(c, taking.survey, pid=pid, now=visit.now)
            return respondents.agree(c, respondent, VERSION, visit.now) if agree else respondent, token
    except SurveyClosed:
        raise NotOpen(taking.survey) from None


def _elsewhere(taking: SurveyVisit, step: SurveyStep, index: int = 0, *, text: str = "here") -> Response | None:
    """The redirect to the respondent's current step, if it is another; new respondents start with the consent."""
    respondent = taking.respondent
    if respondent is None:
        return None if step is SurveyStep.CONSENT else taking.to("consent")
    progress = respondent.progress
    if progress.step is step and (index == progress.place or step not in AT_PAIRS):
        return None
    return taking.onward(respondent, text)


def _known(taking: SurveyVisit) -> Respondent:
    assert taking.respondent is not None
    return taking.respondent


def _count(taking: SurveyVisit, respondent: Respondent) -> None:
    """Count by respondent: those from a platform may share one address."""
    taking.visit.count(RateLimitedAction.WRITE, f"respondent {respondent.id}")


def _show(taking: SurveyVisit, form: FormFields | None = None, problem: str | None = None) -> Response:
    """The card at the respondent's place, with rejected input, if any."""
    respondent = _known(taking)
    with taking.visit.reading() as c:
        card, earlier = respondents.card(c, respondent), respondents.belief_before(c, respondent)
    if card is None:
        raise NoSuchPage("there is no card at this place")
    shown = survey_views.ShownCard(respondent.progress.place, card)
    if respondent.progress.step is SurveyStep.OWN:
        return survey_views.own(taking, shown, form, problem)
    if respondent.progress.step is SurveyStep.BEFORE:
        return survey_views.before(taking, shown, form.text("belief") if form else "", problem)
    if earlier is None:
        raise NoSuchPage("there is no answer at this place yet")
    return survey_views.after(taking, shown, round(100 * earlier), form, problem)


def _keep(taking: SurveyVisit, index: int, part: Part, form: FormFields) -> Response:
    """The belief in the form. Raises `BadInput`."""
    respondent, now = _known(taking), taking.visit.now
    if part == "own":
        text = survey_views.own_answer(form)
        with taking.visit.writing() as c:
            return taking.onward(respondents.answer_own(c, respondent, index, text, now))
    belief, why = survey_views.percent(form.text("belief")) / 100, survey_views.reason(form)
    with taking.visit.writing() as c:
        if part == "before":
            return taking.onward(respondents.believe_before(c, respondent, index, belief, now))
        return taking.onward(respondents.believe_after(c, respondent, index, belief, why, now))
