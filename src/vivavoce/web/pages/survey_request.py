"""The context of a survey request: the survey, the respondent and the current step."""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Annotated, Any, Final

from fastapi import Depends
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from vivavoce.errors import BadInput, VivavoceError
from vivavoce.generalization.survey.plan import RespondentProgress, SurveyPlan, SurveyStep
from vivavoce.web.database import DatabaseBusy
from vivavoce.web.pages.error_pages import retry_after
from vivavoce.web.pages.request_context import AnyVisit, ForeignForm, Visit, render
from vivavoce.web.pages.survey_texts import CLOSED, DRAFT, NOTICES, PROBLEMS, WORDS
from vivavoce.web.security.http import Cookie
from vivavoce.web.security.limits import TooOften
from vivavoce.web.store import respondents, surveys
from vivavoce.web.store.respondents import Respondent, SurveyClosed
from vivavoce.web.store.surveys import Survey

SLUG: Final = re.compile(r"[a-z0-9-]{1,40}")


class NoSuchPage(VivavoceError):
    """There is no such survey, or no such page of it for this visitor."""


class NotOpen(VivavoceError):
    """The survey is not open now."""

    def __init__(self, survey: Survey) -> None:
        super().__init__("the survey is not open now")
        self.survey = survey


@dataclass(frozen=True, slots=True)
class SurveyVisit:
    """A request with its survey and respondent."""

    visit: Visit
    survey: Survey
    respondent: Respondent | None = None
    """None for an unknown respondent, or a preview."""
    preview: bool = False
    """Nothing is kept."""

    @property
    def base(self) -> str:
        """The beginning of the addresses of this survey's pages."""
        return f"/surveys/{self.survey.plan.slug}{'/preview' if self.preview else ''}"

    @property
    def cookie(self) -> Cookie:
        """Cookie of this survey, with a respondent's token or the key of a preview."""
        return survey_cookie(self.visit, self.survey.plan.slug, preview=self.preview)

    def page(self, template: str, status: int = 200, **values: Any) -> Response:
        """A page of the survey."""
        plan, settings = self.survey.plan, self.visit.site.settings
        return self.visit.page(
            f"survey/{template}",
            status,
            plan=plan,
            base=self.base,
            respondent=self.respondent,
            preview=self.preview,
            contact=plan.contact or settings.operator_contact,
            token=self.visit.form_token,
            words=WORDS[plan.told],
            said=NOTICES.get(self.visit.request.query_params.get("said", "")),
            **values,
        )

    def to(self, path: str, notice: str | None = None) -> Response:
        """Send the browser to another page of the survey."""
        return self.visit.to(f"{self.base}/{path}", notice)

    def onward(self, respondent: Respondent | None, notice: str | None = None) -> Response:
        """Redirect to the respondent's current step."""
        return self.to(where(respondent.progress) if respondent else "consent", notice)


def survey_cookie(visit: Visit, slug: str, *, preview: bool = False) -> Cookie:
    """The cookie of the survey of this name, apart from the game's."""
    return Cookie(visit.site.settings, "preview" if preview else "survey", slug)


def where(progress: RespondentProgress) -> str:
    """The page of the current step.

    >>> where(RespondentProgress(SurveyStep.AFTER, 3))
    'pairs/3/after'
    """
    match progress.step:
        case SurveyStep.CONSENT:
            return "consent"
        case SurveyStep.CHECKS:
            return "checks" if progress.tries else "how"
        case SurveyStep.OWN | SurveyStep.BEFORE | SurveyStep.AFTER:
            return f"pairs/{progress.place}/{progress.step}"
    return "end"


def taking(slug: str, visit: AnyVisit) -> SurveyVisit:
    """Which survey, and who. Raises `NoSuchPage`, `NotOpen` for strangers where it is not open."""
    survey, respondent = None, None
    if SLUG.fullmatch(slug):
        token = survey_cookie(visit, slug).read(visit.request)
        with visit.reading() as c:
            survey = surveys.survey(c, slug)
            respondent = respondents.by_token(c, token) if token else None
    if survey is None:
        raise NoSuchPage("there is no such survey")
    if respondent is not None and respondent.survey != survey.id:
        respondent = None
    return SurveyVisit(visit, survey, respondent)


def welcome(taking: Annotated[SurveyVisit, Depends(taking)]) -> SurveyVisit:
    """A respondent who takes part or may start. Raises `NotOpen`."""
    if taking.respondent is None and taking.survey.state != "open":
        raise NotOpen(taking.survey)
    return taking


AnySurveyVisit = Annotated[SurveyVisit, Depends(taking)]
"""A visit to a survey in any state."""
WelcomeVisit = Annotated[SurveyVisit, Depends(welcome)]


class SurveyRoute(APIRoute):
    """A route whose errors give survey pages, not pages of the game."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, with these error pages around it."""
        handle = super().get_route_handler()

        async def careful(request: Request) -> Response:
            try:
                return await handle(request)
            except (VivavoceError, RequestValidationError) as error:
                response = _problem(request, error)
                if response is None:
                    raise
                response.headers.update(retry_after(error))
                return response

        return careful


_STATUS: Final = (
    *((NoSuchPage, 404), (SurveyClosed, 404), (TooOften, 429), (DatabaseBusy, 503), (ForeignForm, 403)),
    *((RequestValidationError, 404), (BadInput, 400)),
)


def _problem(request: Request, error: Exception) -> Response | None:
    """The problem, and the way back into the survey if there is one; None leaves the error to the site."""
    if isinstance(error, NotOpen):
        draft, plan = error.survey.state == "draft", error.survey.plan
        return _standing(*(DRAFT if draft else CLOSED), status=404 if draft else 410, plan=plan)
    status = next((status for kind, status in _STATUS if isinstance(error, kind)), None)
    if status is None:
        return None
    slug = str(request.path_params.get("slug", ""))
    onward = f"/surveys/{slug}" if SLUG.fullmatch(slug) and status not in (400, 404) else None
    return _standing(*PROBLEMS[status], status=status, onward=onward)


def _standing(heading: str, words: str, *, status: int, plan: SurveyPlan | None = None, onward: str | None = None) -> Response:
    contact = plan.contact if plan else None
    shared = {"plan": plan, "base": "", "respondent": None, "preview": False, "said": None, "contact": contact}
    return HTMLResponse(render("survey/problem", heading=heading, words=words, onward=onward, **shared), status)
