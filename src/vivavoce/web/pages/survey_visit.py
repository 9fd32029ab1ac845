"""One request of somebody who takes a survey: which survey it is, who they are, and where they are in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated, Any, Final

from fastapi import Depends
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from itsdangerous import BadSignature, Signer
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from vivavoce.errors import BadInput, VivavoceError
from vivavoce.generalization.survey import Progress, Step
from vivavoce.web.database import DatabaseBusy
from vivavoce.web.pages.rendering import render
from vivavoce.web.pages.survey_words import CLOSED, DRAFT, NOTICES, PROBLEMS, WORDS
from vivavoce.web.pages.visit import AnyVisit, ForeignForm, Visit
from vivavoce.web.security.cookies import DAYS, LONGEST
from vivavoce.web.security.limits import TooOften
from vivavoce.web.settings import Settings
from vivavoce.web.store import surveys
from vivavoce.web.store.surveys import Respondent, Survey, SurveyClosed

SLUG: Final = re.compile(r"[a-z0-9-]{1,40}")


class NoSuchPage(VivavoceError):
    """There is no such survey, or no such page of it for whoever asks."""


class BadLink(BadInput):
    """The platform's parameters are not as it makes them; what they are is not repeated."""


class NotOpen(VivavoceError):
    """The survey lets nobody in now."""

    def __init__(self, survey: Survey) -> None:
        super().__init__("the survey lets nobody in now")
        self.survey = survey


class SurveyCookie:
    """The cookie of one survey: signed, out of reach of scripts, apart from the game's, one for each survey.

    Parameters
    ----------
    purpose: `survey` holds a respondent's token; `preview` the key of a preview.
    """

    def __init__(self, settings: Settings, purpose: str, slug: str) -> None:
        self._https = settings.https
        self.name = f"{'__Host-' if settings.https else ''}viva_{purpose}_{slug}"
        salt = f"vivavoce cookie {purpose} {slug}"
        self._signer = Signer(settings.secret, salt=salt, key_derivation="hmac", digest_method=sha256)

    def read(self, request: Request) -> str | None:
        """What the cookie says; None where there is none, or one that this site did not sign."""
        value = request.cookies.get(self.name)
        if value is None or len(value) > LONGEST:
            return None
        try:
            return self._signer.unsign(value).decode()
        except (BadSignature, UnicodeError):
            return None

    def write(self, response: Response, value: str, *, days: float = DAYS) -> Response:
        """Have the browser keep this value."""
        seconds, signed = round(days * 24 * 3600), self._signer.sign(value).decode()
        response.set_cookie(self.name, signed, seconds, path="/", secure=self._https, httponly=True, samesite="lax")
        return response


@dataclass(frozen=True, slots=True)
class Taking:
    """A request, the survey that it is about, and who makes it."""

    visit: Visit
    survey: Survey
    respondent: Respondent | None = None
    """None: somebody whom we do not know, or a preview."""
    preview: bool = False
    """Nothing is kept."""

    @property
    def base(self) -> str:
        """What the addresses of this survey's pages begin with."""
        return f"/surveys/{self.survey.plan.slug}{'/preview' if self.preview else ''}"

    @property
    def cookie(self) -> SurveyCookie:
        """Of this survey."""
        return SurveyCookie(self.visit.site.settings, "survey", self.survey.plan.slug)

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

    def to(self, path: str, said: str | None = None) -> Response:
        """Send the browser to another page of the survey."""
        return self.visit.to(f"{self.base}/{path}", said)

    def onward(self, respondent: Respondent | None, said: str | None = None) -> Response:
        """Send the browser to where somebody is now."""
        return self.to(where(respondent.progress) if respondent else "consent", said)


def where(progress: Progress) -> str:
    """The page of somebody who has come so far.

    >>> where(Progress(Step.AFTER, 3))
    'pairs/3/after'
    """
    match progress.step:
        case Step.CONSENT:
            return "consent"
        case Step.CHECKS:
            return "checks" if progress.tries else "how"
        case Step.BEFORE | Step.AFTER:
            return f"pairs/{progress.place}/{progress.step}"
    return "end"


def taking(slug: str, visit: AnyVisit) -> Taking:
    """Which survey, and who. Raises `NoSuchPage`, `NotOpen` for strangers where it is not open."""
    survey, respondent = None, None
    if SLUG.fullmatch(slug):
        token = SurveyCookie(visit.site.settings, "survey", slug).read(visit.request)
        with visit.reading() as c:
            survey = surveys.survey(c, slug)
            respondent = surveys.respondent(c, token) if token else None
    if survey is None:
        raise NoSuchPage("there is no such survey")
    if respondent is not None and respondent.survey != survey.id:
        respondent = None
    return Taking(visit, survey, respondent)


def welcome(taking: Annotated[Taking, Depends(taking)]) -> Taking:
    """Somebody who takes part, or may begin. Raises `NotOpen`."""
    if taking.respondent is None and taking.survey.state != "open":
        raise NotOpen(taking.survey)
    return taking


AnyTaking = Annotated[Taking, Depends(taking)]
"""Of a survey in any state."""
Welcome = Annotated[Taking, Depends(welcome)]


class SurveyRoute(APIRoute):
    """Answers what goes wrong with a calm page of the survey, not with one of the game."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, and what it says when something is wrong."""
        handle = super().get_route_handler()

        async def careful(request: Request) -> Response:
            try:
                return await handle(request)
            except NotOpen as error:
                return _not_open(request, error.survey)
            except (NoSuchPage, SurveyClosed, RequestValidationError):
                return _problem(request, 404)
            except TooOften as error:
                return _problem(request, 429, {"Retry-After": str(error.seconds)})
            except DatabaseBusy:
                return _problem(request, 503, {"Retry-After": "2"})
            except ForeignForm:
                return _problem(request, 403)
            except BadInput:
                return _problem(request, 400)

        return careful


def _problem(request: Request, status: int, headers: dict[str, str] | None = None) -> Response:
    heading, words = PROBLEMS[status]
    slug = str(request.path_params.get("slug", ""))
    onward = f"/surveys/{slug}" if SLUG.fullmatch(slug) and status not in (400, 404) else None
    return _standing(heading, words, onward=onward, status=status, headers=headers)


def _not_open(request: Request, survey: Survey) -> Response:
    heading, words = DRAFT if survey.state == "draft" else CLOSED
    return _standing(heading, words, status=404 if survey.state == "draft" else 410, plan=survey.plan)


def _standing(
    heading: str, words: str, *, status: int, plan: Any = None, onward: str | None = None, headers: dict[str, str] | None = None
) -> Response:
    shared = {"plan": plan, "base": "", "respondent": None, "preview": False, "said": None, "contact": plan and plan.contact}
    return HTMLResponse(render("survey/problem", heading=heading, words=words, onward=onward, **shared), status, headers)
