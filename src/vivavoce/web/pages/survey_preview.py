"""A survey as its respondents will see it, for who holds its key: nothing of it is kept, and it need not be open."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from vivavoce.errors import BadInput
from vivavoce.generalization.survey.card_file import SurveyCard
from vivavoce.generalization.survey.plan import OVER, RespondentProgress, SurveyStep, after_after, after_checks
from vivavoce.web.pages import survey_show
from vivavoce.web.pages.survey_show import Shown
from vivavoce.web.pages.survey_visit import SLUG, NoSuchPage, SurveyRoute, Taking, survey_cookie, where
from vivavoce.web.pages.visit import AnyVisit, Sent
from vivavoce.web.store import surveys

router = APIRouter(prefix="/preview", route_class=SurveyRoute)
PREVIEW_DAYS: Final = 1
"""How long a browser remembers the key."""


def previewing(slug: str, visit: AnyVisit) -> Taking:
    """Somebody who holds the key: in the address at first, then in a cookie. Raises `NoSuchPage`."""
    found = None
    if SLUG.fullmatch(slug):
        key = visit.request.query_params.get("key") or survey_cookie(visit, slug, preview=True).read(visit.request)
        with visit.reading() as c:
            found = surveys.preview(c, slug, key) if key else None
    if found is None:
        raise NoSuchPage("there is no such preview")
    return Taking(visit, found, preview=True)


Previewing = Annotated[Taking, Depends(previewing)]


@router.get("")
def begin(taking: Previewing) -> Response:
    """The key goes from the address into a cookie."""
    return taking.cookie.write(taking.to("consent"), taking.survey.preview_key, days=PREVIEW_DAYS)


@router.get("/consent")
def consent(taking: Previewing) -> Response:
    """As respondents see it, here and below."""
    return survey_show.consent(taking)


@router.post("/consent")
def consented(taking: Previewing, form: Sent) -> Response:
    """On to how it works."""
    return taking.to("how") if survey_show.agreed(form) else survey_show.consent(taking, form)


@router.get("/how")
def how(taking: Previewing) -> Response:
    """How the survey works."""
    return survey_show.how(taking, "checks", at_checks=True)


@router.get("/checks")
def checks(taking: Previewing) -> Response:
    """The questions on the task; how many tries there were stands in the address."""
    return survey_show.checks(taking, _number(_asked(taking, "tries")))


@router.post("/checks")
def checked(taking: Previewing, form: Sent) -> Response:
    """On to the first pair, to the second try, or to the end."""
    given = survey_show.chosen_checks(form)
    tries = int(form.text("tries") == "1")
    if not all(given.values()):
        return survey_show.checks(taking, tries, given)
    progress = after_checks(RespondentProgress(SurveyStep.CHECKS, tries=tries), given, taking.survey.plan.first_step)
    if progress.step in OVER:
        return taking.to(f"ends/{progress.step}")
    return taking.to(
        f"checks?tries={progress.tries}" if progress.tries and progress.step is SurveyStep.CHECKS else where(progress)
    )


@router.get("/pairs/{place}/own")
def own(place: int, taking: Previewing) -> Response:
    """The question that participants answer themselves."""
    return survey_show.own(taking, _shown(taking, place))


@router.post("/pairs/{place}/own")
def answered_own(place: int, taking: Previewing, form: Sent) -> Response:
    """On to the first belief."""
    try:
        survey_show.own_answer(form)
    except BadInput as problem:
        return survey_show.own(taking, _shown(taking, place), form, str(problem))
    return taking.to(f"pairs/{place}/before")


@router.get("/pairs/{place}/before")
def before(place: int, taking: Previewing) -> Response:
    """The cards come in their own order; respondents get others, in an order of chance."""
    return survey_show.before(taking, _shown(taking, place))


@router.post("/pairs/{place}/before")
def believed_before(place: int, taking: Previewing, form: Sent) -> Response:
    """The first belief travels in the address, for it is kept nowhere else."""
    try:
        belief = survey_show.percent(form.text("belief"))
    except BadInput as problem:
        return survey_show.before(taking, _shown(taking, place), form.text("belief"), str(problem))
    return taking.to(f"pairs/{place}/after?earlier={belief}")


@router.get("/pairs/{place}/after")
def after(place: int, taking: Previewing) -> Response:
    """The second half of a pair."""
    return survey_show.after(taking, _shown(taking, place), _number(_asked(taking, "earlier")))


@router.post("/pairs/{place}/after")
def believed_after(place: int, taking: Previewing, form: Sent) -> Response:
    """On to the next pair, or to the end."""
    shown = _shown(taking, place)
    try:
        survey_show.percent(form.text("belief")), survey_show.short_text(form, "why")
    except BadInput as problem:
        return survey_show.after(taking, shown, _number(form.text("earlier")), form, str(problem))
    progress = after_after(RespondentProgress(SurveyStep.AFTER, place), place, taking.survey.plan)
    return taking.to("ends/done" if progress.step is SurveyStep.DONE else where(progress))


@router.get("/closing")
def closing(taking: Previewing) -> Response:
    """How participants decided."""
    return survey_show.closing(taking)


@router.post("/closing")
def closed(taking: Previewing, form: Sent) -> Response:
    """On to the end."""
    try:
        survey_show.short_text(form, "closing")
    except BadInput as problem:
        return survey_show.closing(taking, form, str(problem))
    return taking.to(f"ends/{SurveyStep.DONE}")


@router.get("/again")
def again(taking: Previewing) -> Response:
    """What who took part before is told."""
    return survey_show.again(taking)


@router.get("/withdraw")
def withdrawal(taking: Previewing) -> Response:
    """Whether somebody really wants to withdraw."""
    return survey_show.withdrawal(taking, "consent")


@router.post("/withdraw")
def withdrawn(taking: Previewing, form: Sent) -> Response:
    """The page after a withdrawal."""
    return taking.to(f"ends/{SurveyStep.WITHDRAWN}")


@router.get("/ends/{step}")
def end(step: SurveyStep, taking: Previewing) -> Response:
    """Each of the ends."""
    if step not in OVER:
        raise NoSuchPage("that is no end")
    return survey_show.end(taking, step)


def _shown(taking: Taking, place: int) -> Shown:
    """The card of a place; arms take turns, so that whoever goes through the pairs sees them all."""
    arms = taking.survey.plan.arms
    return Shown(place, _card(taking, place), arms[(place - 1) % len(arms)] if arms else "")


def _card(taking: Taking, place: int) -> SurveyCard:
    """Raises `NoSuchPage`."""
    if not 1 <= place <= taking.survey.plan.pairs_each:
        raise NoSuchPage("there is no such pair")
    with taking.visit.reading() as c:
        return surveys.cards_of(c, taking.survey, limit=place)[-1]


def _asked(taking: Taking, name: str) -> str:
    return taking.visit.request.query_params.get(name, "")


def _number(text: str) -> int:
    """A number that travels with the preview; 0 for anything else that stands there."""
    try:
        return survey_show.percent(text)
    except BadInput:
        return 0
