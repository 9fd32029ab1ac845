"""The operator's pages: what players have reported, and figures of the site. Without a token in the settings there are none.

The token is typed once an hour. What the browser keeps is not the token, but a signed note of when it was typed; a new token
makes all notes worthless.
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Annotated, Final

from fastapi import Depends
from fastapi.routing import APIRouter
from starlette.exceptions import HTTPException
from starlette.responses import Response

from vivavoce.luna.question_statistics import asked_questions
from vivavoce.luna.site_statistics import LunaStatistics, statistics
from vivavoce.web.pages.visit import AnyVisit, Sent, Visit
from vivavoce.web.security.cookies import Cookie, new_visitor
from vivavoce.web.security.limits import Deed
from vivavoce.web.store import export, reports

router = APIRouter()
LASTS: Final = timedelta(hours=1)
"""How long the operator stays signed in."""
WRONG: Final = "This is not the operator's token."
SAID: Final = {"hide": "texts-hidden", "ban": "player-banned", "dismiss": "report-closed"}
"""What can be done about a report, and the notice that says it is done."""
WIDTH: Final = 600
"""Of the histogram, in its own units."""
HEIGHT: Final = 160


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of the histogram."""

    x: float
    y: float
    width: float
    height: float
    lower: int
    count: int


class NotOperator(HTTPException):
    """The page is for the operator, who is sent to the form."""

    def __init__(self) -> None:
        super().__init__(303, headers={"Location": "/operator/sign-in"})


def operating(visit: AnyVisit) -> Visit:
    """A visit by the operator. Raises `NotOperator`, or 404 where the site has no operator's pages."""
    if not is_operator(visit):
        raise NotOperator
    return visit


OperatorsVisit = Annotated[Visit, Depends(operating)]


@router.get("/operator/sign-in")
def sign_in_form(visit: AnyVisit) -> Response:
    """Where the token is typed."""
    return visit.to("/operator") if is_operator(visit) else visit.page("operator_sign_in", problem=None)


@router.post("/operator/sign-in")
def sign_in(visit: AnyVisit, form: Sent) -> Response:
    """An hour for anyone who knows the token."""
    token = _token(visit)
    visit.count(Deed.SIGN_IN)
    if not hmac.compare_digest(form.text("token").strip().encode(errors="replace"), token.encode(errors="replace")):
        return visit.page("operator_sign_in", 422, problem=WRONG)
    visitor, until = new_visitor(), round((visit.now + LASTS).timestamp())
    response = visit.site.cookies.visitor.write(visit.to("/operator"), visitor)
    return _note(visit).write(response, f"{until}|{visitor}", days=LASTS / timedelta(days=1))


@router.post("/operator/sign-out")
def sign_out(visit: OperatorsVisit, form: Sent) -> Response:
    """The browser forgets the note."""
    response = visit.site.cookies.visitor.write(visit.to("/"), new_visitor())
    _note(visit).clear(response)
    return response


@router.get("/operator")
def open_reports(visit: OperatorsVisit) -> Response:
    """What players have reported and nobody has handled, and who is banned."""
    with visit.reading() as c:
        return visit.page("operator", reports=reports.open_reports(c), banned=reports.banned_players(c))


@router.post("/operator/reports/{number}")
def see_to(visit: OperatorsVisit, form: Sent, number: int) -> Response:
    """Hide the text, ban who wrote it as well, or leave both alone; the report is closed in any case."""
    deed = form.text("do")
    if deed not in SAID:
        raise HTTPException(400)
    with visit.writing() as c:
        report = next((one for one in reports.open_reports(c, limit=10_000) if one.id == number), None)
        if report is not None:
            if deed != "dismiss":
                reports.hide(c, report.game, report.place)
            if deed == "ban":
                reports.ban(c, report.player, visit.now)
            reports.close_report(c, report.id, visit.now)
    return visit.to("/operator", said=SAID[deed] if report is not None else "report-gone")


@router.get("/operator/figures")
def figures(visit: OperatorsVisit) -> Response:
    """Chapter 6 of the thesis for this site; it reads all games, so not too often."""
    visit.count(Deed.REPORT, "operator")
    with visit.reading() as c:
        games = list(export.counted_games(c, salt=new_visitor().encode()))
        traffic = export.traffic(c)
    found = statistics(games, traffic, questions=asked_questions(games), site=visit.site.settings.base_url)
    return visit.page("operator_figures", found=found, tables=found.tables, bars=bars(found), height=HEIGHT)


def bars(found: LunaStatistics) -> Sequence[Bar]:
    """The histogram of people's ratings, as SVG draws it; empty where nobody has one."""
    most = max(found.histogram, default=0)
    step = WIDTH / len(found.histogram)
    return [
        Bar(round(place * step + 2, 1), round(HEIGHT - high, 1), round(step - 4, 1), round(high, 1), 10 * place, number)
        for place, number in enumerate(found.histogram)
        for high in [HEIGHT * number / most]
    ] if most else []  # fmt: skip


def is_operator(visit: Visit) -> bool:
    """Whether this browser's note holds. Raises 404 where there are no operator's pages."""
    until, _, visitor = (_note(visit).read(visit.request) or "0").partition("|")
    return visit.now.timestamp() < int(until) and hmac.compare_digest(visitor.encode(), visit.visitor.encode())


def _token(visit: Visit) -> str:
    token = visit.site.settings.operator_token
    if not token:
        raise HTTPException(404)
    return token


def _note(visit: Visit) -> Cookie:
    """Of when the token was typed; it holds for the token of now. Raises 404 where there are no operator's pages."""
    digest = sha256(_token(visit).encode(errors="replace")).hexdigest()
    return Cookie(visit.site.settings, "operator", key=digest, same_site="strict")
