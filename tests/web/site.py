"""A real server on a loopback port, in a thread, and a browser without a script to visit it with."""

from __future__ import annotations

import re
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from html import unescape
from mmap import mmap
from pathlib import Path
from socket import IPPROTO_TCP, TCP_NODELAY, create_server, socket
from struct import Struct
from threading import Thread
from typing import Any

import httpx
import pytest
import uvicorn
from fastapi import FastAPI
from sqlalchemy import Engine, delete
from starlette.responses import Response
from starlette.types import ASGIApp

from tests.web.databases import put_tables
from vivavoce.luna.settings import THESIS, GameTerms
from vivavoce.web.app import create_app
from vivavoce.web.database import transaction
from vivavoce.web.pages.request_context import utc_now
from vivavoce.web.security.http import Cookies
from vivavoce.web.security.limits import Limiter, PatientProtocol
from vivavoce.web.settings import SiteSettings
from vivavoce.web.store import games, people
from vivavoce.web.store.site import alone
from vivavoce.web.tables import QUEUE

WAYS = ["one on SQLite", pytest.param("two on PostgreSQL", marks=[pytest.mark.postgres, pytest.mark.slow])]
"""How a site is served to a test: by one server, or by two processes (`processes`)."""
AHEAD = Struct("d")
TICK = 0.2
"""Seconds between two moments at which games begin on sites of tests; machines' moves are not held back there."""
PATIENT = 60.0
"""Seconds for an answer of a site on a busy machine."""
UNKEPT = httpx.Limits(max_keepalive_connections=0)
"""No connection is left open for someone to forget."""
PLAIN = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Sites of tests do not encrypt: no client need read the list of all who are trusted, which takes longer than a page."""
SECRET = "for tests and for nothing else, not at all"
PASSWORD = "four words in a row"
SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'><svg/onload=alert(3)>{{7*7}}"
SQL = "'; DROP TABLE players; -- \" OR 1=1 /* %s %(id)s ? :of \\"
QUESTIONS = tuple(f"What is {number} and {number}?" for number in range(1, 6))
ANSWERS = tuple(f"It is {2 * number}, I think." for number in range(1, 6))


class SharedClock:
    """A clock that can be put forward, by whoever holds the same memory."""

    def __init__(self, memory: mmap | bytearray | None = None) -> None:
        self._memory = bytearray(AHEAD.size) if memory is None else memory

    @property
    def ahead(self) -> timedelta:
        """How far."""
        seconds: float = AHEAD.unpack_from(self._memory)[0]
        return timedelta(seconds=seconds)

    @ahead.setter
    def ahead(self, value: timedelta) -> None:
        AHEAD.pack_into(self._memory, 0, value.total_seconds())

    def __call__(self) -> datetime:
        return utc_now() + self.ahead


@dataclass(frozen=True, slots=True)
class LiveSite:
    """A site that runs: one server in a thread of this process, or several processes of their own."""

    url: str
    engine: Engine
    clock: SharedClock
    forget_counts: Callable[[], None]
    """Have the servers forget who did what how often."""
    processes: int = 1
    """Among which requests take turns; limits are counted by each."""
    terms: GameTerms = THESIS


@dataclass(frozen=True, slots=True)
class OneServer(LiveSite):
    """A site on one server in a thread of this process, for tests that reach into it."""

    app: FastAPI = field(kw_only=True)


@contextmanager
def running(
    folder: Path, *, body_seconds: float = 15.0, protocol: type[PatientProtocol] = PatientProtocol, **settings: Any
) -> Iterator[OneServer]:
    """The site on one server in a thread, its data in a folder.

    It serves where a test needs settings of its own, changes the program, or reads its log; `tests.web.processes` has the
    site that all other tests see.
    """
    listening = loopback()
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    given: dict[str, Any] = {"secret": SECRET, "base_url": url, "tick": TICK, "hold_back": False} | settings
    if "database" not in given:
        file = folder / "site.sqlite"
        given["database"] = str(file if file.exists() else put_tables(file))
    clock = SharedClock()
    app = create_app(SiteSettings(**given), clock=clock, body_seconds=body_seconds)
    server = server_of(app, protocol)
    thread = Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the server did not start"
        time.sleep(0.01)
    try:
        terms = given.get("terms", THESIS)
        yield OneServer(url, app.state.site.engine, clock, partial(forget_counts, app), terms=terms, app=app)
    finally:
        server.should_exit = True
        thread.join(10)
        listening.close()


def loopback() -> socket:
    """A free port to listen at."""
    listening = create_server(("127.0.0.1", 0), backlog=128)
    listening.setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)
    return listening


def server_of(app: ASGIApp, protocol: type[PatientProtocol] = PatientProtocol) -> uvicorn.Server:
    """A server that ends soon when it is told to."""
    config = uvicorn.Config(
        app, http=protocol, log_level="warning", access_log=False, ws="none", proxy_headers=False, timeout_graceful_shutdown=1
    )
    return uvicorn.Server(config)


def forget_counts(app: FastAPI) -> None:
    """Have this server forget who did what how often."""
    object.__setattr__(app.state.site, "limiter", Limiter())


def forget(site: LiveSite) -> None:
    """Empty the queue, and forget who did what how often."""
    site.forget_counts()
    with transaction(site.engine) as c:
        c.execute(delete(QUEUE))


class ScriptlessBrowser:
    """Follows links and sends forms as a browser without a script does; keeps cookies."""

    def __init__(self, url: str, *, follow: bool = True) -> None:
        self.client = httpx.Client(
            base_url=url, follow_redirects=follow, timeout=PATIENT, headers={"Origin": url}, limits=UNKEPT, verify=PLAIN
        )
        self.page = ""
        self.path = ""
        self.status = 0

    def get(self, path: str) -> httpx.Response:
        """Open a page."""
        return self._seen(self.client.get(path))

    def send(self, path: str, fields: Mapping[str, str] | None = None, *, method: str = "POST") -> httpx.Response:
        """Send a form of the page that is open."""
        return self._seen(self.client.request(method, path, data={"csrf": self.token} | dict(fields or {})))

    def submit(self, path: str, fields: Mapping[str, str] | None = None) -> httpx.Response:
        """Open a page, and send its form."""
        self.get(path)
        return self.send(path, fields)

    @property
    def token(self) -> str:
        """The hidden field of the page's forms."""
        match = re.search(r'name="csrf" value="([0-9a-f]+)"', self.page)
        return match[1] if match else ""

    @property
    def words(self) -> str:
        """What the page says, without its marks."""
        body = self.page[self.page.find("<main") : self.page.find("</main>")]
        return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())

    def join(self) -> ScriptlessBrowser:
        """Become a guest."""
        self.submit("/consent", {"adult": "on", "release": "on", "as": "guest"})
        assert self.path == "/how-it-works", self.words
        return self

    def sign_up(self, name: str, email: str, password: str) -> ScriptlessBrowser:
        """Create an account."""
        self.submit("/consent", {"adult": "on", "release": "on", "as": "account"})
        self.send("/account/new", {"name": name, "email": email, "password": password})
        return self

    def start(self) -> None:
        """Wait for a game."""
        self.get("/home")
        self.send("/games")

    def begin_game(self) -> str:
        """Wait for a game, go there once it has begun, and be ready; its path."""
        self.start()
        assert eventually(lambda: self.get("/waiting").url.path != "/waiting", pause=TICK / 4), self.words
        game = self.path
        self.ready(game)
        return game

    def ready(self, game: str) -> None:
        """Say that one is there."""
        self.get(game)
        self.send(f"{game}/ready")

    def ask(self, game: str, questions: tuple[str, ...] = QUESTIONS) -> None:
        """Send five questions."""
        self._five(game, "interview", "question", questions)

    def answer(self, game: str, answers: tuple[str, ...] = ANSWERS) -> None:
        """Send five answers."""
        self._five(game, "response", "answer", answers)

    def guess(self, game: str, guess: str, **more: str) -> None:
        """Send a guess, and that the other is a person unless something else is said."""
        self.get(game)
        self.send(f"{game}/guess", {"guess": guess, "who": "person", "sure": "70"} | more)

    def _five(self, game: str, phase: str, field: str, texts: tuple[str, ...]) -> None:
        self.get(game)
        self.send(f"{game}/{phase}", {f"{field}{number}": text for number, text in enumerate(texts, 1)})

    def _seen(self, response: httpx.Response) -> httpx.Response:
        self.page, self.path, self.status = response.text, response.url.path, response.status_code
        return response


def session_of(browser: ScriptlessBrowser) -> str:
    """The cookie, signature and all."""
    return browser.client.cookies["viva_session"]


def with_session(site: LiveSite, cookie: str) -> ScriptlessBrowser:
    """Another browser that holds this session cookie."""
    thief = ScriptlessBrowser(site.url)
    thief.client.cookies.set("viva_session", cookie, domain="127.0.0.1")
    return thief


def guest_of(site: LiveSite) -> ScriptlessBrowser:
    """A new guest at the rules, as after `join`, but for the pages before it."""
    browser, _ = _new_guest(site)
    browser.get("/how-it-works")
    return browser


def pair(site: LiveSite) -> tuple[ScriptlessBrowser, ScriptlessBrowser, str]:
    """Two guests at the game that they play, as after `pair_by_pages`, but for the pages before it."""
    (ann, first), (bob, second) = _new_guest(site), _new_guest(site)
    with transaction(site.engine) as c:
        alone(c)
        game = games.begin(c, ((first, True), (second, True)), site.clock(), terms=site.terms).id
    for browser in (ann, bob):
        browser.get(f"/games/{game}")
    return ann, bob, f"/games/{game}"


def pair_by_pages(url: str) -> tuple[ScriptlessBrowser, ScriptlessBrowser, str]:
    """Two guests, and the game that they play, on a site whose database and secret are its own."""
    ann, bob = ScriptlessBrowser(url).join(), ScriptlessBrowser(url).join()
    ann.start()
    game = bob.begin_game()
    ann.ready(game)
    return ann, bob, game


def _new_guest(site: LiveSite) -> tuple[ScriptlessBrowser, str]:
    """A guest who has opened no page yet, and the id."""
    settings, now = SiteSettings(database="x", secret=SECRET, base_url=site.url), site.clock()
    with transaction(site.engine) as c:
        player = people.create_guest(c, consent_version=settings.consent_version, now=now)
        token = people.open_session(c, player, now)
    cookie = Cookies(settings).session.write(Response(), token).headers["set-cookie"]
    return with_session(site, cookie.partition(";")[0].partition("=")[2]), player.id


def ask_and_answer(ann: ScriptlessBrowser, bob: ScriptlessBrowser, game: str) -> None:
    """A game until both are to guess."""
    for browser in (ann, bob):
        browser.ask(game)
    for browser in (ann, bob):
        browser.answer(game)


def play_out(ann: ScriptlessBrowser, bob: ScriptlessBrowser, game: str, guesses: tuple[str, str] = ("81", "91")) -> None:
    """A whole game."""
    ask_and_answer(ann, bob, game)
    for browser, guess in zip((ann, bob), guesses, strict=True):
        browser.guess(game, guess)


def eventually(holds: Callable[[], bool], *, seconds: float = 20.0, pause: float = 0.1) -> bool:
    """Whether it holds within that time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(pause)
    return holds()
