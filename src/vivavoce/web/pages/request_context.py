"""The context of a request: its player, form values, and the pages from templates, or redirects, that answer it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache, partial, wraps
from hashlib import sha256
from importlib.resources import files
from typing import Annotated, Any, Final
from urllib.parse import parse_qsl

from fastapi import Depends
from jinja2 import Environment, PackageLoader, StrictUndefined
from sqlalchemy import Connection, Engine
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from vivavoce.errors import BadInput, VivavoceError
from vivavoce.formats.wording import capital, counted, in_words
from vivavoce.version import __version__
from vivavoce.web.database import DatabaseBusy, reading, transaction
from vivavoce.web.security import http
from vivavoce.web.security.http import Cookies, new_visitor
from vivavoce.web.security.limits import Limiter, RateLimitedAction, neighbourhood
from vivavoce.web.security.passwords import PasswordThreads
from vivavoce.web.settings import SiteSettings
from vivavoce.web.store import games, moves, people
from vivavoce.web.store.people import Player


def render(template: str, **values: Any) -> str:
    """A page; every value in it is escaped."""
    return environment().get_template(f"{template}.html.j2").render(values)


@cache
def environment() -> Environment:
    """The templates of the site."""
    made = Environment(
        loader=PackageLoader("vivavoce.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"rating": rating, "moment": moment, "day": day, "apart": apart, "span": span, "sentence": sentence}
    made.filters |= {"grouped": grouped, "counted": counted, "in_words": in_words, "points": points}
    made.globals |= {"static": static, "zip": zip, "version": __version__}
    return made


@cache
def static(name: str) -> str:
    """The address of one of the site's files, which changes when the file does.

    >>> static("site.css").startswith("/static/site.css?")
    True
    """
    digest = sha256((files("vivavoce.web") / "static" / name).read_bytes()).hexdigest()
    return f"/static/{name}?{digest[:12]}"


def rating(value: float | None) -> str:
    """A rating or a guess: at most one decimal.

    >>> rating(84.0), rating(6.44), rating(-0.0), rating(None)
    ('84', '6.4', '0', '–')
    """
    return "–" if value is None else f"{value:z.1f}".removesuffix(".0")


def points(value: float) -> str:
    """The points of a judgement, rounded.

    >>> points(84.0), points(-156.0), points(1.0)
    ('84 points', '−156 points', '1 point')
    """
    shown = f"{value:z.0f}"
    return f"{shown.replace('-', '−')} point{'' if shown == '1' else 's'}"


def grouped(value: int) -> str:
    """A whole number with thin spaces between thousands.

    >>> grouped(12345)
    '12\u2009345'
    """
    return f"{value:,}".replace(",", "\u2009")


def apart(first: float, second: float) -> str:
    """The difference of two numbers in words, as shown.

    >>> apart(81, 84), apart(50, 50.04)
    ('3 away', 'exactly right')
    """
    distance = rating(abs(round(first, 1) - round(second, 1)))
    return "exactly right" if distance == "0" else f"{distance} away"


def moment(value: datetime) -> str:
    """A time in UTC for the `datetime` attribute of a `time` element."""
    return value.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def day(value: datetime) -> str:
    """The day of a time.

    >>> day(datetime(2026, 6, 4, tzinfo=UTC))
    '4 June 2026'
    """
    return f"{value.astimezone(UTC).day} {value.astimezone(UTC):%B %Y}"


def span(value: timedelta) -> str:
    """A time span in words, roughly.

    >>> span(timedelta(days=2, hours=23)), span(timedelta(hours=30)), span(timedelta(minutes=1)), span(timedelta(seconds=5))
    ('3 days', '30 hours', '1 minute', 'a moment')
    """
    seconds = value.total_seconds()
    for size, name in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= 1.5 * size:
            return f"{round(seconds / size)} {name}s"
    return "1 minute" if seconds >= 30 else "a moment"


def sentence(text: str) -> str:
    """An error's words as a sentence.

    >>> sentence("question 3 is empty")
    'Question 3 is empty.'
    """
    text = text.strip()
    return capital(text) + ("" if text.endswith((".", "?", "!")) else ".")


MOST_FIELDS = 64
TYPE = "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class FormFields:
    """The fields of a form; the last of two fields with the same name counts."""

    fields: Mapping[str, str]

    def text(self, name: str) -> str:
        """The text of a field, with newlines normalised; empty without such a field."""
        return self.fields.get(name, "")

    def ticked(self, name: str) -> bool:
        """Whether a box is ticked."""
        return name in self.fields

    def numbered(self, name: str, count: int) -> dict[str, str]:
        """Fields NAME1 to NAMEcount.

        >>> FormFields({"answer1": "yes"}).numbered("answer", 2)
        {'answer1': 'yes', 'answer2': ''}
        """
        return {f"{name}{number}": self.text(f"{name}{number}") for number in range(1, count + 1)}


def read_form(kind: str, body: bytes) -> FormFields:
    r"""Read the form in a request's body. Raises `BadInput` for a body that is not such a form.

    >>> read_form("application/x-www-form-urlencoded", b"a=1%0D%0A2&b=%FF").fields
    {'a': '1\n2', 'b': '�'}
    """
    if kind.partition(";")[0].strip().lower() != TYPE:
        raise BadInput("This is not a form of this site.")
    try:
        pairs = parse_qsl(body.decode("ascii", "replace"), keep_blank_values=True, errors="replace", max_num_fields=MOST_FIELDS)
    except ValueError:
        raise BadInput("This form has too many fields.") from None
    return FormFields({name: value.replace("\r\n", "\n").replace("\r", "\n") for name, value in pairs})


def number(text: str, what: str, *, least: float = 0.0) -> float | None:
    """Read a number from `least` to 100; None if the field is empty. Raises `BadInput`.

    >>> number(" 81,5 ", "guess"), number("", "guess")
    (81.5, None)
    """
    text = text.strip()
    if not text:
        return None
    try:
        value = float(text.replace(",", ".")) if len(text) <= 20 and text.isascii() else None
    except ValueError:
        value = None
    if value is None or not least <= value <= 100:
        raise BadInput(f"The {what} must be a number from {least:g} to 100.")
    return value


NOTICES: Final = {
    "saved": "Your draft is saved.",
    "saved-cut": "Your draft is saved, but one of its texts was too long and was cut.",
    "taken": "The boxes now contain the other text.",
    "dropped": "The other text is deleted.",
    "settings": "Your settings are saved.",
    "signed-out": "You are signed out.",
    "deleted": "Your account and everything that you wrote are deleted.",
    "stopped": "You are no longer waiting for a game.",
    "not-there": "The other player was not there. We are looking for another player for you.",
    "moved-on": "This part of the game is already done. This is its current state.",
    "reported": "Thank you. The operator will check your report.",
    "account": "You have an account now, with your games and your rating.",
    "mailed": "We have sent you a mail. Open the link in it, and press the button there.",
    "confirmed": "Your address is confirmed.",
    "address": "Your address stays the same.",
    "address-taken": "Another account has this address. Sign in to it, or give another address.",
    "key-over": "This link no longer works: it was used before, is too old, or was cut off. Request a new one.",
    "password": "Your password is changed. All other sessions are signed out.",
    "reset": "Your password is changed, and all sessions are signed out. Sign in with the new one.",
    "texts-hidden": "The texts are hidden: they are no longer shown or exported.",
    "player-banned": "The texts are hidden, and the player is banned.",
    "report-closed": "The report is closed; nothing else has changed.",
    "report-gone": "This report is already closed.",
    "please-join": "You need to be a player for that. It takes a moment.",
}
"""Notices after a form was accepted, by the name in the address."""


@dataclass(frozen=True, slots=True)
class Site:
    """State that all requests share."""

    settings: SiteSettings
    engine: Engine
    cookies: Cookies
    limiter: Limiter
    clock: Callable[[], datetime]
    passwords: PasswordThreads = field(default_factory=PasswordThreads)


class NotSignedIn(VivavoceError):
    """The page is for players."""


class ConsentMissing(VivavoceError):
    """The consent text has changed since the player agreed to it."""


class ForeignForm(VivavoceError):
    """The form was not issued to this browser by this site."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A request and its player."""

    request: Request
    site: Site
    now: datetime
    session: str | None
    """The token, if it opens a session."""
    player: Player | None
    changes: int
    """The player's number of changes, so that the page knows what it has seen."""
    visitor: str
    is_new: bool
    """Whether the browser still needs a visitor cookie."""
    renewed: bool
    """Whether the session now lasts longer than the browser's cookie."""

    @property
    def form_token(self) -> str:
        """For the forms on a page."""
        return http.form_token(self.site.settings.secret, self.visitor, self.session)

    @property
    def me(self) -> Player:
        """The player, on pages that are for players."""
        assert self.player is not None
        return self.player

    @property
    def has_agreed(self) -> bool:
        """Whether this is a player who has agreed to the current text."""
        return self.player is not None and self.player.consent == self.site.settings.consent_version

    def writing(self) -> AbstractContextManager[Connection]:
        """A transaction, written as a whole."""
        return transaction(self.site.engine)

    def reading(self) -> AbstractContextManager[Connection]:
        """A connection for reading."""
        return reading(self.site.engine)

    @property
    def mails(self) -> bool:
        """Whether this site sends mail."""
        return self.site.settings.mail.how != "none"

    def count(self, deed: RateLimitedAction, who: str | None = None) -> None:
        """Count an action that is limited, by address unless another key is given. Raises `TooOften`."""
        self.site.limiter.count(deed, who or self.neighbourhood, now=self.now.timestamp())

    @property
    def neighbourhood(self) -> str:
        """The request's origin, as limits count it."""
        client = self.request.client
        return neighbourhood(client.host if client else None)

    def page(self, template: str, status: int = 200, **values: Any) -> Response:
        """A page made from a template."""
        notice = NOTICES.get(self.request.query_params.get("said", ""))
        shared = {"visit": self, "player": self.player, "settings": self.site.settings, "notice": notice}
        response = HTMLResponse(render(template, **shared, **values), status)
        if self.is_new:
            self.site.cookies.visitor.write(response, self.visitor)
        if self.renewed and self.session is not None:
            self.site.cookies.session.write(response, self.session)
        return response

    def to(self, path: str, notice: str | None = None) -> Response:
        """Send the browser to another page, so that going back or reloading sends no form twice."""
        return RedirectResponse(f"{path}?said={notice}" if notice else path, 303)

    def enter(self, response: Response, token: str) -> Response:
        """Give the browser a session; its earlier tokens become useless."""
        self.site.cookies.session.write(response, token)
        self.site.cookies.visitor.write(response, new_visitor())
        self.site.cookies.consent.clear(response)
        return response

    def leave(self, response: Response) -> Response:
        """Take the session from the browser."""
        self.site.cookies.session.clear(response)
        self.site.cookies.visitor.write(response, new_visitor())
        return response


def visiting(request: Request) -> Visit:
    """The player of a request. A player is marked as present, and a session in use is extended."""
    site: Site = request.app.state.site
    now = site.clock()
    visitor = site.cookies.visitor.read(request)
    token = site.cookies.session.read(request)
    player, changes, renewed, gone = None, 0, False, False
    if token is not None:
        with reading(site.engine) as c:
            player = people.session_player(c, token, now)
            due = player is not None and moves.any_due(c, player, now)
            gone = player is not None and people.has_gone(c, player)
            changes = games.changes(c, player, 0) if player else 0
    if player is not None and due:
        changes = opened(site, player, now, changes)
    if player is not None and token is not None and (site.limiter.allows(RateLimitedAction.BE_SEEN, player.id) or gone):
        with suppress(DatabaseBusy), transaction(site.engine) as c:  # a visitor who only reads need not return
            people.seen(c, player, now)
            renewed = people.renew_session(c, token, now)
    return Visit(
        request=request,
        site=site,
        now=now,
        session=token if player else None,
        player=player,
        changes=changes,
        visitor=visitor or new_visitor(),
        is_new=visitor is None,
        renewed=renewed,
    )


def opened(site: Site, player: Player, now: datetime, before: int) -> int:
    """The number of changes after due moves in this player's games are made; unchanged if the database is busy."""
    try:
        with transaction(site.engine) as c:
            moves.release(c, now, player)
            return games.changes(c, player, before)
    except DatabaseBusy:
        return before


def known(visit: Annotated[Visit, Depends(visiting)]) -> Visit:
    """A visit by a player. Raises `NotSignedIn`."""
    if visit.player is None:
        raise NotSignedIn("this page is for players")
    return visit


def playing(visit: Annotated[Visit, Depends(known)]) -> Visit:
    """A visit by a player who has agreed to the current text. Raises `NotSignedIn`, `ConsentMissing`."""
    if not visit.has_agreed:
        raise ConsentMissing("the text has changed")
    return visit


async def posted(request: Request, visit: Annotated[Visit, Depends(visiting)]) -> FormFields:
    """The form that was sent. Raises `ForeignForm`, `BadInput`."""
    form = read_form(request.headers.get("content-type", ""), await request.body())
    own = http.is_own_form(form.text(http.FIELD), visit.form_token)
    if visit.is_new or not own or not http.began_here(request, visit.site.settings.base_url):
        raise ForeignForm("the form was not handed out to this browser")
    return form


def with_password(page: Callable[[Visit, FormFields], Response]) -> Callable[[Visit, FormFields], Awaitable[Response]]:
    """Answer a page that hashes a password in the threads for passwords. It then also raises `PasswordsBusy`."""

    @wraps(page)
    async def answered(visit: Visit, form: FormFields) -> Response:
        return await visit.site.passwords.run(partial(page, visit, form))

    return answered


def utc_now() -> datetime:
    """The clock of a real site."""
    return datetime.now(UTC)


AnyVisit = Annotated[Visit, Depends(visiting)]
KnownVisit = Annotated[Visit, Depends(known)]
PlayersVisit = Annotated[Visit, Depends(playing)]
SubmittedForm = Annotated[FormFields, Depends(posted)]
