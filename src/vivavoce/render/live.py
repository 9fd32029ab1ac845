"""The page of a running examination, and its server on this machine. The address has a random part, so only people who know it
see the page. Requests under another host name are refused (DNS rebinding). The page takes no input and loads nothing from
elsewhere, and no other page may read or frame it. Connections are limited, so that the examination can still open files.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import os
import secrets
import socket
import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from threading import Event, Lock, Semaphore, Thread
from types import TracebackType
from typing import Final, Self

from markupsafe import Markup

from vivavoce.errors import BadInput
from vivavoce.formats.wording import clipped, count
from vivavoce.interview.progress import Progress
from vivavoce.interview.results import AnswerEvent, row_of
from vivavoce.render.html import Place, blocks_in_html, report_in_html
from vivavoce.render.page import environment
from vivavoce.render.terminal import in_words
from vivavoce.report.blocks import Block, CaseCard, Items, Pairs, ReportSection
from vivavoce.report.reported import ReportedFinding

LATEST: Final = 10
"""Answers that are shown."""
LONGEST: Final = 1_000
"""Characters of a question or a reply."""
EVERY: Final = 1.0
"""Seconds between two findings at least."""
PORTION: Final = 20
"""A finding is recomputed after this multiple of its computing time, so that watching costs at most a twentieth."""
HOST: Final = "127.0.0.1"
RENEWED: Final = 2.0
"""Seconds after which the page polls again."""
FAREWELL: Final = 2 * RENEWED
"""Seconds for which an open page can show the end."""
MOST_CONNECTIONS: Final = 20
IDLE_SECONDS: Final = 10.0
"""Seconds after which a silent connection is closed."""
_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_POLL: Final = 0.1
"""Seconds until the server notices that it should stop."""


class Watch:
    """The content of the page: a `Spectator`, and an `on_progress`.

    The examination's thread calls it; the server's threads read it.

    title: what is examined.
    clock: seconds.
    """

    def __init__(self, title: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.title = title
        self.ended = ""
        """Its end, in a sentence; empty while it runs."""
        self._clock = clock
        self._lock, self._drawing = Lock(), Lock()
        self._due = float("-inf")
        self._so_far: Callable[[], object] = lambda: None
        self._later: asyncio.TimerHandle | None = None
        self._progress: Progress | None = None
        self._finding: ReportedFinding | None = None
        self._drawn: tuple[ReportedFinding | None, str, Markup] = None, "", Markup()
        self._rooms: dict[str, str] = {}
        self._latest: deque[AnswerEvent] = deque(maxlen=LATEST)

    def __call__(self, progress: Progress) -> None:
        """Take the counts of questions and answers."""
        self._progress = progress

    def room(self, room: str, news: str) -> None:
        """An examination starts (without news), or has ended with them."""
        with self._lock:
            self._rooms[room] = news
            self._finding, self._progress, self._due = None, None, float("-inf")
            self._so_far = lambda: None

    def heard(self, heard: AnswerEvent) -> None:
        """Add one more answer."""
        with self._lock:
            self._latest.append(heard)

    def stands(self, finding: Callable[[], object]) -> None:
        """Recompute the finding so far, now or when it is due."""
        self._so_far, wait = finding, self._due - self._clock()
        if wait <= 0:
            self._make_finding()
        elif self._later is None:
            self._later = asyncio.get_running_loop().call_later(wait, self._make_finding)

    def _make_finding(self) -> None:
        """A finding that can't be computed is not shown, and does not end the examination."""
        self._later = None
        began = self._clock()
        try:
            value = self._so_far()
        except Exception:
            value = None
        now = self._clock()
        self._due = now + max(EVERY, PORTION * (now - began))
        if isinstance(value, ReportedFinding):
            self._finding = value

    def over(self, finding: object, sentence: str) -> None:
        """Note that it has ended, with this finding or without one."""
        with self._lock:
            if isinstance(finding, ReportedFinding):
                self._finding = finding
            self.ended = sentence

    def body(self) -> Markup:
        """The page's content in HTML, every text escaped."""
        with self._lock:
            latest, rooms = list(self._latest), dict(self._rooms)
            ended, finding, progress = self.ended, self._finding, self._progress
        running = "Running" if progress is None else f"Running, {in_words(progress)}"
        parts = [Markup('<p class="kind" role="status">{}</p>').format(ended or running)]
        if finding is None:
            parts.append(Markup("<h1>{}</h1>").format(clipped(self.title, LONGEST)))
        else:
            with self._drawing:
                parts.append(self._report(finding, "" if ended else _headline(progress)))
        named = Items(tuple(f"{name}: {clipped(news, LONGEST) or 'under way'}" for name, news in rooms.items()))
        blocks: tuple[Block, ...] = (
            ReportSection("Examinations", (named,) if rooms else ()),
            ReportSection("The latest answers", tuple(map(_answer, reversed(latest)))),
        )
        return Markup("\n").join([*parts, blocks_in_html(blocks, Place("live", 2))])

    def _report(self, finding: ReportedFinding, headline: str) -> Markup:
        """The report; while it may change, its figures and tables under this headline instead of a verdict."""
        if self._drawn[:2] != (finding, headline):
            report = replace(finding.while_running(), headline=headline) if headline else finding.report()
            self._drawn = finding, headline, report_in_html(report, "now")
        return self._drawn[2]


def _headline(progress: Progress | None) -> str:
    if progress is None:
        return "Running"
    expected = "" if progress.expected is None else f" of about {count(progress.expected)}"
    return f"Running, {count(progress.answered)}{expected}"


def _answer(heard: AnswerEvent) -> Block:
    settled = heard.settled if heard.settled.put is not None else replace(heard.settled, put=heard.asked)
    row = row_of(replace(heard, settled=settled))
    reply = clipped(row.reply, LONGEST) if row.reply else row.outcome
    return CaseCard((Pairs((("Question", clipped(row.question, LONGEST)), (clipped(heard.candidate, 60), reply))),))


class LivePage:
    """Serves a watch until it is left; a context manager.

    port: 0: any free one. Raises `BadInput` on entering if the port can't be used.
    """

    def __init__(self, watch: Watch, port: int) -> None:
        self.watch = watch
        self.token, self.nonce = secrets.token_urlsafe(16), secrets.token_urlsafe(16)
        """Random part of the address, and mark of the page's own script."""
        self.last_seen = float("-inf")
        """Time of the page's last request."""
        self.end_seen = Event()
        self._port = port
        self._server: _Server | None = None

    @property
    def address(self) -> str:
        """The address of the page."""
        return f"http://{HOST}:{self._port}/{self.token}/"

    def __enter__(self) -> Self:
        try:
            self._server = _Server(self, self._port)
        except OSError as error:
            problem = error.strerror or error
            raise BadInput(
                f"port {self._port} can't be used ({problem}): give another port, or leave it out for any free one"
            ) from None
        self._port = self._server.server_address[1]
        Thread(target=self._server.serve_forever, args=(_POLL,), daemon=True, name="live page").start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if not self.watch.ended:
            self.watch.over(None, "Stopped. With a transcript, the same command continues.")
        if kind is None and time.monotonic() - self.last_seen < FAREWELL:
            self.end_seen.wait(FAREWELL)
        assert self._server is not None
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingTCPServer):
    """A thread for each of a limited number of connections."""

    daemon_threads = True
    block_on_close = False
    allow_reuse_address = os.name == "posix"  # elsewhere it would share a port that is taken
    request_queue_size = MOST_CONNECTIONS
    server_address: tuple[str, int]

    def __init__(self, page: LivePage, port: int) -> None:
        self.page = page
        self._free = Semaphore(MOST_CONNECTIONS)
        super().__init__((HOST, port), _Handler)

    def process_request(self, request: socket.socket | tuple[bytes, socket.socket], client_address: object) -> None:
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: socket.socket | tuple[bytes, socket.socket], client_address: object) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that disconnects is not an error."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = IDLE_SECONDS

    def do_GET(self) -> None:
        page, port = self.server.page, self.server.server_address[1]
        token, slash, rest = self.path.removeprefix("/").partition("/")
        if self.headers.get("Host", "") not in (f"{HOST}:{port}", f"localhost:{port}"):
            self.send_error(403, "This page has another address")
        elif not hmac.compare_digest(token.encode(), page.token.encode()) or slash + rest not in ("/", "/now"):
            self.send_error(404)
        else:
            page.last_seen = time.monotonic()
            ended = bool(page.watch.ended)  # before the content, which then is the last one
            content = page.watch.body()
            if rest:
                self._send("application/json", json.dumps({"html": content, "ended": ended}))
                if ended:
                    page.end_seen.set()
            else:
                template = environment().get_template("live.html.j2")
                values = {"title": page.watch.title, "body": content, "again": int(RENEWED), "nonce": page.nonce}
                self._send("text/html", template.render(values))

    def _send(self, kind: str, text: str) -> None:
        content = text.encode("utf-8", "replace")
        self.send_response(200)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def end_headers(self) -> None:
        """Every reply has these headers, errors included."""
        script = f"script-src 'nonce-{self.server.page.nonce}'"
        self.send_header("Content-Security-Policy", f"{_POLICY}; {script}")
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (its name in http.server)
        """The terminal is for the examination."""
