"""One request of somebody who grades: who they are, for which queue, and how it is answered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Final

from fastapi import Depends
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from vivavoce.errors import VivavoceError
from vivavoce.web.pages.calm import CalmRoute, status_of
from vivavoce.web.pages.forms import Form
from vivavoce.web.pages.grading_words import NOTICES, PROBLEMS, TEXTS, VERSION
from vivavoce.web.pages.rendering import render
from vivavoce.web.pages.survey_text import visible
from vivavoce.web.pages.visit import AnyVisit, Visit
from vivavoce.web.security.cookies import Cookie
from vivavoce.web.store import grading_people
from vivavoce.web.store.grading import GradingQueue
from vivavoce.web.store.grading_people import Grader

HOME: Final = "/grading"


class UselessKey(VivavoceError):
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


def cookie(visit: Visit) -> Cookie:
    """The cookie that holds the key of a grader's link."""
    return Cookie(visit.site.settings, "grading", "link")


def grading(visit: AnyVisit) -> Grading:
    """Who grades. Raises `UselessKey` for a browser that has opened no link, or one that is worth nothing any more."""
    key = cookie(visit).read(visit.request)
    found = None
    if key:
        with visit.reading() as c:
            found = grading_people.grader(c, key, visit.now)
    if found is None:
        raise UselessKey("this browser has no key")
    return Grading(visit, *found)


GradersVisit = Annotated[Grading, Depends(grading)]


class GradingRoute(CalmRoute):
    """Answers what goes wrong with a page of the grading."""

    def problem(self, _: Request, error: Exception) -> Response | None:
        """What is wrong, and the way back to the answers where there is one."""
        status = 410 if isinstance(error, UselessKey) else status_of(error)
        if status is None:
            return None
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
