"""What somebody reads when something cannot be done: what happened, and what to do now. Never how the program is made."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Final

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import Scope

from vivavoce.errors import BadInput
from vivavoce.web.database import DatabaseBusy, DatabaseGone, DatabaseProblem
from vivavoce.web.pages.rendering import render, sentence
from vivavoce.web.pages.visit import ForeignForm, MustAgree, NotSignedIn
from vivavoce.web.security.headers import HEADERS
from vivavoce.web.security.limits import TooOften
from vivavoce.web.store.games import NotYourGame

WORDS: Final[Mapping[int, tuple[str, str]]] = {
    400: ("That did not make sense to us", "The address or the form has something in it that this site does not know."),
    403: (
        "This form is out of date",
        "You may have signed in or out in another window since the page was shown, or cookies may be switched off. Go back, "
        "load the page anew, and send it again. Drafts of questions and answers are kept.",
    ),
    404: ("There is no such page", "It may have moved, or the address may be mistyped."),
    405: ("That cannot be done here", "This page is only to be read."),
    408: ("That took too long", "The connection seems to be slow. Please try again."),
    413: ("That is too much at once", "A question or an answer has at most 5,000 characters."),
    429: ("That was a little fast", "Please wait a while, and try again."),
    500: ("Something went wrong on our side", "It has been noted. Drafts are kept; please try again in a while."),
    503: ("The house is full just now", "Please try again in a moment. Nothing is lost."),
}
NO_DATABASE: Final = (
    "We cannot get at the games just now",
    "The site’s database does not answer as it should. What was saved is still there; what you have just sent may not be. "
    "Please try again in a minute.",
)
NO_DATABASE_SECONDS: Final = 30
"""After which it is worth asking again."""
BUSY_SECONDS: Final = 2
API: Final = "/api/"
_log = logging.getLogger(__name__)


def answer(scope: Scope, status: int, problem: str | None = None, *, said: tuple[str, str] | None = None) -> Response:
    """The answer for a status: a page for people, JSON for machines.

    Parameters
    ----------
    said: heading and words, where the usual ones of the status do not fit.
    """
    heading, words = said or WORDS.get(status, WORDS[400 if status < 500 else 500])
    if str(scope.get("path", "")).startswith(API):
        return JSONResponse({"detail": problem or words}, status)
    page = render("error", status=status, heading=heading, words=sentence(problem) if problem else words)
    return HTMLResponse(page, status)


def note(problem: DatabaseProblem) -> None:
    """Tell the operator: that it cannot be reached in a line, anything else with the place where it happened."""
    _log.error("a request could not be answered: %s", problem, exc_info=None if isinstance(problem, DatabaseGone) else problem)


def install(app: FastAPI) -> None:
    """Have the app answer with these pages."""

    @app.exception_handler(HTTPException)
    def _http(request: Request, error: HTTPException) -> Response:
        response = answer(request.scope, error.status_code)
        response.headers.update(error.headers or {})
        return response

    @app.exception_handler(RequestValidationError)
    def _invalid(request: Request, error: RequestValidationError) -> Response:
        return answer(request.scope, 404 if request.method == "GET" else 400)

    @app.exception_handler(NotYourGame)
    def _not_yours(request: Request, error: NotYourGame) -> Response:
        return answer(request.scope, 404)

    @app.exception_handler(NotSignedIn)
    def _unknown(request: Request, error: NotSignedIn) -> Response:
        return RedirectResponse("/?said=please-join", 303)

    @app.exception_handler(MustAgree)
    def _must_agree(request: Request, error: MustAgree) -> Response:
        return RedirectResponse("/consent", 303)

    @app.exception_handler(ForeignForm)
    def _foreign(request: Request, error: ForeignForm) -> Response:
        return answer(request.scope, 403)

    @app.exception_handler(BadInput)
    def _bad(request: Request, error: BadInput) -> Response:
        return answer(request.scope, 400, str(error))

    @app.exception_handler(TooOften)
    def _too_often(request: Request, error: TooOften) -> Response:
        response = answer(request.scope, 429)
        response.headers["Retry-After"] = str(error.seconds)
        return response

    @app.exception_handler(DatabaseBusy)
    def _busy(request: Request, error: DatabaseBusy) -> Response:
        response = answer(request.scope, 503)
        response.headers["Retry-After"] = str(BUSY_SECONDS)
        return response

    @app.exception_handler(DatabaseProblem)
    def _no_database(request: Request, error: DatabaseProblem) -> Response:
        note(error)
        response = answer(request.scope, 503, said=NO_DATABASE)
        response.headers["Retry-After"] = str(NO_DATABASE_SECONDS)
        return response

    @app.exception_handler(Exception)
    def _broken(request: Request, error: Exception) -> Response:
        response = answer(request.scope, 500)
        response.headers.update(HEADERS)  # this one is made outside of all that adds them
        return response
