"""`--watch`: a page of an examination while it runs, over a real server and in a real browser."""

from __future__ import annotations

import json
import re
import signal
import socket
import struct
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.cli.conftest import Viva
from tests.web.chromium import OPTIONS, close, started_playwright
from vivavoce.render import live
from vivavoce.render.live import MOST_CONNECTIONS, LivePage, Watch

if TYPE_CHECKING:
    from playwright.sync_api import Browser as Chromium
    from playwright.sync_api import Page

ASKED = ("--scope", "arithmetic?operations=+-", "--unacceptable-limit", "none", "--seed", "1")
PUPIL = '''
import re
import time
from pathlib import Path

asked = 0


def answer(text: str) -> str:
    """Answers as many questions as a file allows."""
    global asked
    asked += 1
    while int(Path("allowed").read_text() or 0) < asked:
        time.sleep(0.02)
    first, operator, second = re.search(r"(\\d+) ([-+]) (\\d+)", text).groups()
    result = int(first) + int(second) if operator == "+" else int(first) - int(second)
    return f"<b>So</b>\\n\\nAnswer: {result}"
'''


class StepByStep:
    """An examination that goes on as far as it is allowed."""

    def __init__(self, viva: Path, folder: Path, port: int = 0, allowed: int = 5) -> None:
        (folder / "pupil.py").write_text(PUPIL)
        self._allowed = folder / "allowed"
        self.allow(allowed)
        watch = ("--watch", str(port)) if port else ("--watch",)
        asked = [*ASKED, "--transcript", "run.sqlite", "--json", *watch]
        command: list[str | Path] = [viva, "certify", "function:pupil:answer", *asked]
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        line = self.process.stderr.readline()
        assert line.startswith("Watch: http://127.0.0.1:"), line
        self.address = line.removeprefix("Watch: ").strip()
        parts = urlsplit(self.address)
        self.port, self.path = parts.port or 0, parts.path

    def allow(self, questions: int) -> None:
        new = self._allowed.with_name("new")
        new.write_text(str(questions))
        new.replace(self._allowed)

    def get(self, path: str, host: str = "", method: str = "GET") -> tuple[int, str]:
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=60)) as connection:
            connection.request(method, self.path + path, headers={"Host": host or f"127.0.0.1:{self.port}"})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

    def until(self, words: str) -> str:
        """What is shown once these words are."""
        while words not in (shown := str(json.loads(self.get("now")[1])["html"])):
            assert self.process.poll() is None
            time.sleep(0.05)
        return shown

    def end(self) -> tuple[int, str]:
        self.allow(10_000)
        out, _ = self.process.communicate(timeout=120)
        return self.process.returncode, out


@pytest.fixture
def chromium() -> Iterator[Chromium]:
    """A browser."""
    with started_playwright() as playwright:
        browser = playwright.chromium.launch(**OPTIONS)
        yield browser
        close(browser)


@pytest.fixture
def held(viva_begun: Path, tmp_path: Path) -> Iterator[StepByStep]:
    examination = StepByStep(viva_begun / "viva", tmp_path)
    yield examination
    examination.process.kill()
    examination.process.communicate()


@pytest.mark.long
def test_it_shows_how_the_examination_stands_and_ends_with_it(held: StepByStep, viva_begun: Path, tmp_path: Path) -> None:
    shown = held.until("After 5 questions")
    assert "<h1>Running, " in shown
    assert "&lt;b&gt;So&lt;/b&gt;" in shown
    assert "<b>So" not in shown
    assert held.get("")[1].count("<script") == 1
    assert held.get("", host="evil.example")[0] == 403
    assert held.get("", host=f"localhost:{held.port}")[0] == 200
    assert held.get("", method="POST")[0] == 501
    assert held.get("../../etc/passwd")[0] == 404
    code, out = held.end()
    assert code == 0
    with pytest.raises(OSError, match="refused"):
        held.get("")
    command: list[str | Path] = [viva_begun / "viva", "certify", "function:pupil:answer", *ASKED, "--json", "--quiet"]
    unwatched = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    watched, expected = json.loads(out), json.loads(unwatched)
    assert watched.pop("transcript_head")
    assert watched.pop("origins").keys() == expected.pop("origins").keys()
    assert watched == expected


@pytest.fixture
def live_page(monkeypatch: pytest.MonkeyPatch) -> Iterator[LivePage]:
    """Without the seconds in which a watched page can show the end."""
    monkeypatch.setattr(live, "FAREWELL", 0.0)
    with LivePage(Watch("viva"), 0) as page:
        yield page


def status(page: LivePage, path: str) -> int:
    """What the server answers to this path."""
    where = urlsplit(page.address)
    with closing(HTTPConnection("127.0.0.1", where.port or 0, timeout=60)) as connection:
        connection.request("GET", path)
        return connection.getresponse().status


def test_only_who_knows_the_address_sees_the_page(live_page: LivePage) -> None:
    own = urlsplit(live_page.address).path
    assert len(own) == 24  # 128 bits in base 64, between slashes
    assert {status(live_page, own + path) for path in ("", "now")} == {200}
    guesses = ("/", "/now", own + "else", own[:-1], own[:-2] + "/", f"/{'A' * 22}/", f"/{'A' * 22}/now", "/%C3%A9/")
    assert {status(live_page, path) for path in guesses} == {404}


def test_every_reply_forbids_foreign_scripts_frames_and_copies(live_page: LivePage) -> None:
    own = urlsplit(live_page.address)
    for path in (own.path, own.path + "now", "/elsewhere"):
        with closing(HTTPConnection("127.0.0.1", own.port or 0, timeout=60)) as connection:
            connection.request("GET", path)
            reply = connection.getresponse()
            policy, text = reply.headers["Content-Security-Policy"], reply.read().decode()
        assert {"default-src 'none'", "frame-ancestors 'none'"} <= set(policy.split("; "))
        assert reply.headers["Cache-Control"] == "no-store"
        [nonce] = re.findall("script-src 'nonce-([^']+)'", policy)
        assert text.count("<script") == text.count(f'<script nonce="{nonce}">') == (path == own.path)


def test_a_client_that_goes_away_or_says_nothing_disturbs_no_one(
    live_page: LivePage, capfd: pytest.CaptureFixture[str]
) -> None:
    own = urlsplit(live_page.address)
    with socket.create_connection(("127.0.0.1", own.port or 0), timeout=60) as silent:
        silent.send(b"GET /")
        for _ in range(MOST_CONNECTIONS):
            with socket.create_connection(("127.0.0.1", own.port or 0), timeout=60) as gone:
                gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # closes with a reset
                gone.send(f"GET {own.path} HTTP/1.0\r\nHost: {own.netloc}\r\n\r\n".encode())
        while True:  # until the server has seen that they are gone
            with suppress(OSError):
                assert status(live_page, own.path) == 200
                break
    assert capfd.readouterr() == ("", "")


def test_connections_that_ask_nothing_are_few(live_page: LivePage) -> None:
    where = urlsplit(live_page.address)
    with ExitStack() as stack:
        for _ in range(MOST_CONNECTIONS):
            stack.enter_context(socket.create_connection(("127.0.0.1", where.port or 0), timeout=60))
        one_more = stack.enter_context(socket.create_connection(("127.0.0.1", where.port or 0), timeout=60))
        assert one_more.recv(1) == b""  # closed
    while True:  # until the server has seen that they are gone
        with suppress(OSError):
            assert status(live_page, where.path) == 200
            break


def test_a_port_that_is_taken_is_told_before_anything_is_asked(viva: Viva, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = viva("certify", "bot:calculator", *ASKED, "--watch", str(port), "--transcript", "run.sqlite")
    assert ended.code == 2
    assert f"port {port} can't be used" in ended.err
    assert len(ended.err.splitlines()) == 1
    assert not viva("transcript", "show", "run.sqlite", "--json").out.strip("[]\n ")


@pytest.mark.long
@pytest.mark.browser
def test_seen_in_a_browser_it_goes_on_by_itself_also_after_a_kill(
    chromium: Chromium, held: StepByStep, viva_begun: Path, tmp_path: Path
) -> None:
    page: Page = chromium.new_page(viewport={"width": 390, "height": 800})
    refused = list[str]()
    page.on("console", lambda message: refused.append(message.text) if "Security Policy" in message.text else None)
    page.goto(held.address)
    page.get_by_text("After 5 questions").first.wait_for(timeout=60_000)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.locator("#live svg").count() >= 1
    page.get_by_text("For statisticians").click()
    held.allow(8)
    page.get_by_text("After 8 questions").first.wait_for(timeout=60_000)
    assert page.evaluate("document.querySelector('#live details').open")  # what the reader opened stays open
    page.set_viewport_size({"width": 1280, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    held.process.send_signal(signal.SIGKILL)
    held.process.wait()
    page.get_by_text("Nothing answers at this address any more").wait_for(timeout=60_000)
    again = StepByStep(viva_begun / "viva", tmp_path, held.port, allowed=1)
    try:
        page.wait_for_timeout(3_000)  # another address: the old one leads nowhere
        assert page.locator("#away").is_visible()
        page.goto(again.address)
        page.get_by_text("After 10 questions").first.wait_for(timeout=60_000)  # 8 on record, 1 lost with the program
        again.allow(10_000)
        page.get_by_text("Ended", exact=True).first.wait_for(timeout=60_000)
        page.get_by_text("passes").first.wait_for(timeout=60_000)
        assert again.process.wait(timeout=60) == 0
    finally:
        again.process.kill()
        again.process.communicate()
    assert not refused
