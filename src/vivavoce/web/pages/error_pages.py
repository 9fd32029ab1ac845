"""Error pages that give back what a visitor has typed."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import Scope

from vivavoce.errors import BadInput
from vivavoce.luna.rules import Phase, Seat
from vivavoce.web.database import DatabaseBusy, DatabaseGone, DatabaseProblem, DatabaseUnfit
from vivavoce.web.pages.request_context import ConsentMissing, ForeignForm, NotSignedIn, read_form, render, sentence
from vivavoce.web.security import http
from vivavoce.web.security.http import BODY, HEADERS
from vivavoce.web.security.limits import TooOften
from vivavoce.web.security.passwords import PasswordsBusy
from vivavoce.web.store.games import NotYourGame

_TEXT: Final = re.compile(r"(question|answer)([0-9]{1,2})|reason")
_NUMBER: Final = re.compile(r"(slider)([0-9]{1,2})|guess|who|sure")
_NAMES: Final = {
    "question": "Question",
    "answer": "Answer",
    "reason": "Your report",
    "slider": "Mark of answer",
    "guess": "Guess",
    "who": "Person or machine",
    "sure": "How sure",
}


@dataclass(frozen=True, slots=True)
class TypedText:
    """The typed text of one field, or of all number fields."""

    label: str
    text: str


def typed(fields: Mapping[str, str]) -> list[TypedText]:
    """The typed texts worth keeping, by label.

    >>> typed({"question2": "Why?", "question1": " ", "csrf": "0", "guess": "70", "slider1": "80"})
    [TypedText(label='Question 2', text='Why?'), TypedText(label='Marks', text='Guess: 70. Mark of answer 1: 80.')]
    """
    document = {name: text for name, text in fields.items() if text.strip()}
    texts = [TypedText(_label(match), document[match.string]) for match in map(_TEXT.fullmatch, document) if match]
    numbers = [f"{_label(match)}: {document[match.string][:20]}." for match in map(_NUMBER.fullmatch, document) if match]
    return texts + ([TypedText("Marks", " ".join(numbers))] if numbers else [])


def sent(scope: Scope) -> list[TypedText]:
    """The texts typed into the game form of this request; empty for forms from other sites."""
    if scope["method"] in ("GET", "HEAD") or not scope["path"].startswith("/games/") or BODY not in scope:
        return []
    request = Request(scope)
    if not http.began_here(request, scope["app"].state.site.settings.base_url):
        return []
    try:
        return typed(read_form(request.headers.get("content-type", ""), scope[BODY]).fields)
    except BadInput:
        return []


def on_record(fields: Mapping[str, str], seat: Seat, phase: Phase) -> bool:
    """Whether a player has sent exactly this before, so that nothing is lost if it is not accepted again."""
    if phase is Phase.GUESS:
        return seat.guess is not None and fields["guess"].strip() in ("", f"{seat.guess:g}")
    kept = (seat.questions if phase is Phase.INTERVIEW else seat.answers) or ()
    return {text for text in fields.values() if text.strip()} <= set(kept)


def _label(match: re.Match[str]) -> str:
    kind: Any = match[1] or match[0]
    return f"{_NAMES[kind]} {match[2]}" if match[2] else _NAMES[kind]


WORDS: Final[Mapping[int, tuple[str, str]]] = {
    400: ("Bad request", "The address or the form contains something that this site does not know."),
    403: (
        "This form has expired",
        "You may have signed in or out in another window, or cookies may be off. Reload the page that you came from, and send "
        "the form again. Drafts of questions and answers are kept.",
    ),
    404: ("Page not found", "The page may have moved, or there is a typing error in the address."),
    405: ("Not possible here", "This page is read-only."),
    408: ("Too slow", "Your connection seems to be slow. Please try again."),
    413: ("Too long", "Your text is too long. Shorten it, and send it again."),
    429: ("Too many requests", "Please wait a while, and try again."),
    500: ("Something went wrong", "The error has been recorded, and drafts are kept. Please try again later."),
    503: ("The site is busy", "Please try again in a moment. Nothing is lost."),
}
NO_DATABASE: Final = (
    "The games can’t be reached",
    "The site’s database does not answer. Saved texts are safe; what you have just sent may not be saved. Please try again in "
    "a minute.",
)
NO_DATABASE_SECONDS: Final = 30
"""Seconds until a retry makes sense."""
PASSWORDS_BUSY: Final = ("Many people are signing in just now", "Please send the form again in a few seconds.")
BUSY_SECONDS: Final = 2
API: Final = "/api/"
_ANSWERED: Final = (
    HTTPException,
    RequestValidationError,
    NotYourGame,
    ForeignForm,
    BadInput,
    TooOften,
    PasswordsBusy,
    DatabaseProblem,
)
_STATUS: Final[Mapping[type[Exception], int]] = {NotYourGame: 404, ForeignForm: 403, TooOften: 429, DatabaseBusy: 503}
SIGNED_OUT: Final = ("You are signed out", "The form was not sent. Sign in again, open your game, and paste your text there.")
NOT_AGREED: Final = (
    "Please read this first",
    "The text that players agree to has changed, so the form was not sent. Read it, open your game, and paste your text there.",
)
_REDIRECTS: Final[Mapping[type[Exception], tuple[str, tuple[str, str], tuple[str, str]]]] = {
    NotSignedIn: ("/?said=please-join", SIGNED_OUT, ("/sign-in", "Sign in")),
    ConsentMissing: ("/consent", NOT_AGREED, ("/consent", "Read the text")),
}
"""Redirects of visitors, with heading and words after a form, and the link below them."""
_log = logging.getLogger(__name__)


def answer(
    scope: Scope,
    status: int,
    problem: str | None = None,
    *,
    texts: tuple[str, str] | None = None,
    link: tuple[str, str] = ("/home", "Your games"),
) -> Response:
    """The response for a status: for people a page with what they have typed, for machines JSON.

    Parameters
    ----------
    texts: heading and words instead of the usual ones of the status.
    link: address and words.
    """
    heading, words = texts or WORDS.get(status, WORDS[400 if status < 500 else 500])
    if str(scope.get("path", "")).startswith(API):
        return JSONResponse({"detail": problem or words}, status)
    words = sentence(problem) if problem else words
    page = render("error", status=status, heading=heading, words=words, typed=sent(scope), link=link)
    return HTMLResponse(page, status)


def note(problem: DatabaseProblem) -> None:
    """Log for the operator: one line for errors with a known remedy, anything else with its traceback."""
    known = isinstance(problem, DatabaseGone | DatabaseUnfit)
    _log.error("a request failed: %s", problem, exc_info=None if known else problem)


def retry_after(error: Exception) -> dict[str, str]:
    """The `Retry-After` header with the seconds to wait; empty if unknown."""
    match error:
        case TooOften():
            return {"Retry-After": str(error.seconds)}
        case PasswordsBusy() | DatabaseBusy():
            return {"Retry-After": str(BUSY_SECONDS)}
        case DatabaseProblem():
            return {"Retry-After": str(NO_DATABASE_SECONDS)}
    return {}


def install(app: FastAPI) -> None:
    """Make the app respond with these pages."""
    for kind in _REDIRECTS:
        app.add_exception_handler(kind, _redirected)
    for kind in (*_ANSWERED, Exception):
        app.add_exception_handler(kind, _answered)


def _redirected(request: Request, error: Exception) -> Response:
    address, pair, link = _REDIRECTS[type(error)]
    if request.method == "PUT" or sent(request.scope):
        return answer(request.scope, 403, texts=pair, link=link)
    return RedirectResponse(address, 303)


def _answered(request: Request, error: Exception) -> Response:
    scope = request.scope
    match error:
        case HTTPException():
            response = answer(scope, error.status_code)
            response.headers.update(error.headers or {})
        case RequestValidationError():
            response = answer(scope, 404 if request.method == "GET" else 400)
        case BadInput():
            response = answer(scope, 400, str(error))
        case NotYourGame() | ForeignForm() | TooOften() | DatabaseBusy():
            response = answer(scope, _STATUS[type(error)])
        case PasswordsBusy():
            response = answer(scope, 503, texts=PASSWORDS_BUSY, link=("/sign-in", "Sign in"))
        case DatabaseProblem():
            note(error)
            response = answer(scope, 503, texts=NO_DATABASE)
        case _:
            response = answer(scope, 500)
            response.headers.update(HEADERS | {"Cache-Control": "no-store"})  # this one is made outside of all that adds them
    response.headers.update(retry_after(error))
    return response
