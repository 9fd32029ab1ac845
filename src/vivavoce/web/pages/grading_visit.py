"""One request of somebody who grades: who they are, for which queue, and how it is answered."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Annotated, Any, Final

from fastapi import Depends
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from vivavoce.errors import BadInput, VivavoceError
from vivavoce.web.database import DatabaseBusy
from vivavoce.web.pages.forms import Form
from vivavoce.web.pages.grading_words import NOTICES, PROBLEMS, TEXTS, VERSION
from vivavoce.web.pages.rendering import render
from vivavoce.web.pages.survey_text import visible
from vivavoce.web.pages.survey_visit import SurveyCookie
from vivavoce.web.pages.visit import AnyVisit, ForeignForm, Visit
from vivavoce.web.security.limits import TooOften
from vivavoce.web.store import grading_people
from vivavoce.web.store.grading import GradingQueue
from vivavoce.web.store.grading_people import Grader

HOME: Final = "/grading"
_STATUS: Final = ((TooOften, 429), (DatabaseBusy, 503), (ForeignForm, 403), (RequestValidationError, 404), (BadInput, 400))


class BadLink(VivavoceError):
    """The key opens nothing."""


@dataclass(frozen=True, slots=True)
class Grading:
    """A request, who makes it, and for which queue they grade."""

    visit: Visit
    grader: Grader
    queue: GradingQueue

    def page(self, template: str, status: int = 200, **values: Any) -> Response:
        """A page of the grading."""
        said = NOTICES.get(self.visit.request.query_params.get("said", ""))
        return self.visit.page(
            f"grading/{template}",
            status,
            **_frame(self.queue.title, said=said, known=self.grader.withdrawn is None, contact=self._contact),
            token=self.visit.form_token,
            **values,
        )

    def consent(self, form: Form | None = None) -> Response:
        """What graders agree to; again, with what was ticked, where that was not enough."""
        problem = "To grade, tick both boxes." if form else None
        ticked = form.fields if form else {}
        return self.page(
            "consent", 422 if form else 200, consent=TEXTS[VERSION], version=VERSION, ticked=ticked, problem=problem
        )

    def to(self, said: str | None = None) -> Response:
        """Send the browser to the next answer."""
        return self.visit.to(HOME, said)

    @property
    def _contact(self) -> str | None:
        return self.visit.site.settings.operator_contact


def cookie(visit: Visit) -> SurveyCookie:
    """The cookie that holds the key of a grader's link."""
    return SurveyCookie(visit.site.settings, "grading", "link")


def grading(visit: AnyVisit) -> Grading:
    """Who grades. Raises `BadLink` for a browser that has opened no link, or one that is worth nothing any more."""
    key = cookie(visit).read(visit.request)
    found = None
    if key:
        with visit.reading() as c:
            found = grading_people.grader(c, key, visit.now)
    if found is None:
        raise BadLink("this browser has no key")
    return Grading(visit, *found)


GradersVisit = Annotated[Grading, Depends(grading)]


class GradingRoute(APIRoute):
    """Answers what goes wrong with a calm page of the grading, not with one of the game."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, and what it says when something is wrong."""
        handle = super().get_route_handler()

        async def careful(request: Request) -> Response:
            try:
                return await handle(request)
            except BadLink:
                return _problem(410)
            except tuple(kind for kind, _ in _STATUS) as error:
                response = _problem(next(status for kind, status in _STATUS if isinstance(error, kind)))
                if isinstance(error, (TooOften, DatabaseBusy)):
                    response.headers["Retry-After"] = str(error.seconds if isinstance(error, TooOften) else 2)
                return response

        return careful


def _problem(status: int) -> Response:
    heading, words = PROBLEMS[status]
    onward = HOME if status in (403, 429, 503) else None
    frame = _frame("Grading", said=None, known=False, contact=None)
    return HTMLResponse(render("grading/problem", heading=heading, words=words, onward=onward, **frame), status)


def _frame(title: str, *, said: str | None, known: bool, contact: str | None) -> dict[str, Any]:
    """What the frame of the page needs."""
    return {
        "plan": {"title": visible(title)},
        "base": HOME,
        "respondent": None,
        "preview": False,
        "said": said,
        "contact": contact,
        "what": "grading",
        "known": known,
    }
