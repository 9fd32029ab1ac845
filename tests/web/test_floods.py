"""Too much, too slow, too often."""

from __future__ import annotations

import asyncio
import socket
import time
from asyncio import Transport
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from threading import Event
from urllib.parse import urlsplit

import httpx
import pytest

from tests.web.site import PATIENT, PLAIN, LiveSite, OneServer, ScriptlessBrowser, guest_of, pair, running
from vivavoce.web.security import passwords
from vivavoce.web.security.limits import HEAD_SECONDS, LIMITS, Limiter, PatientProtocol, RateLimitedAction, TooOften

PASSWORD = "correct horse battery"


def test_large_bodies_are_refused_before_they_are_read(site: LiveSite) -> None:
    player = guest_of(site)
    player.get("/home")
    for content in (b"x" * 10_000_000, iter([b"x" * 100_000] * 100)):
        try:
            status = player.client.post("/games", content=content).status_code
        except httpx.TransportError:  # the server hung up while the rest was on its way
            status = 413
        assert status == 413
    answer = raw(site, b"POST /games HTTP/1.1\r\nHost: x\r\nContent-Length: 10000000\r\n\r\n")
    assert b" 413 " in answer
    assert b"Too long" in answer
    assert b"connection: close" in answer.lower()
    for length in (b"9" * 5_000, b"-1", b"1e9"):
        assert b"HTTP/1.1 4" in raw(site, b"POST /games HTTP/1.1\r\nHost: x\r\nContent-Length: %s\r\n\r\n" % length)


def test_slow_bodies_are_given_up(tmp_path: Path) -> None:
    with running(tmp_path, body_seconds=0.3) as site:
        began = time.monotonic()
        answer = raw(site, b"POST /games HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nx")
        assert b" 408 " in answer
        assert time.monotonic() - began < 10  # the usual patience is 15 seconds


def test_a_body_that_breaks_off_disturbs_nobody(site: LiveSite) -> None:
    where = urlsplit(site.url)
    with socket.create_connection((str(where.hostname), where.port or 0), timeout=5) as connection:
        connection.sendall(b"POST /games HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nx")
    assert httpx.get(site.url, timeout=PATIENT, verify=PLAIN).status_code == 200


def raw(site: LiveSite, request: bytes) -> bytes:
    """What the server answers to these bytes."""
    where = urlsplit(site.url)
    with socket.create_connection((str(where.hostname), where.port or 0), timeout=10) as connection:
        connection.sendall(request)
        answer = b""
        while part := connection.recv(65_536):
            answer += part
    return answer


@pytest.mark.long
def test_a_hundred_sign_ups_from_one_address_make_a_class_of_guests(site: LiveSite) -> None:
    browser = ScriptlessBrowser(site.url, follow=False)
    browser.get("/consent")
    fields = {"adult": "on", "release": "on", "as": "guest", "csrf": browser.token}
    visitor = {"viva_visitor": browser.client.cookies["viva_visitor"]}
    with httpx.Client(base_url=site.url, headers={"Origin": site.url}, timeout=PATIENT, verify=PLAIN) as flood:
        answers = []
        for number in range(100):  # all within a minute, also on a busy machine
            flood.cookies.clear()
            flood.cookies.update(visitor)
            forwarded = {"X-Forwarded-For": f"192.0.2.{number}"}  # believed from no one but a proxy that is known
            answers.append(flood.post("/consent", data=fields, headers=forwarded))
    assert [answer.status_code for answer in answers].count(303) == 40  # all on one connection, so by one process
    assert {answer.status_code for answer in answers} == {303, 429}
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 60
    assert "Too many requests" in answers[-1].text


def test_passwords_cannot_be_tried_on_and_on(site: LiveSite) -> None:
    ScriptlessBrowser(site.url).sign_up("Tried", "tried@example.org", PASSWORD)
    browser = ScriptlessBrowser(site.url)
    browser.get("/sign-in")
    wrong = {"email": "tried@example.org", "password": "wrong"}
    tries = [browser.send("/sign-in", wrong).status_code for _ in range(10 * site.processes + 1)]
    assert tries == [422] * 10 * site.processes + [429]  # each process counts for itself
    browser.submit("/sign-in", {"email": "Tried@example.org ", "password": PASSWORD})
    assert browser.status == 429  # also for who knows it, until a minute is over
    site.forget_counts()
    browser.get("/sign-in")
    padded = {"email": f"tried@example.org\t \t{' ' * 600}x", "password": PASSWORD}
    assert browser.send("/sign-in", padded).status_code == 422  # one address written in many ways would be counted as many


def test_limits_are_counted_by_who_and_what() -> None:
    limiter, now = Limiter(), time.time()
    allowed = LIMITS[RateLimitedAction.REPORT][0].amount
    for _ in range(allowed):
        limiter.count(RateLimitedAction.REPORT, "ann", now=now)
    limiter.count(RateLimitedAction.REPORT, "bob", now=now)
    limiter.count(RateLimitedAction.START, "ann", now=now)
    with pytest.raises(TooOften):
        limiter.count(RateLimitedAction.REPORT, "ann", now=now)


@contextmanager
def passwords_that_wait(monkeypatch: pytest.MonkeyPatch) -> Iterator[Event]:
    """No password is found right or wrong before this event."""
    hasher, released = passwords._HASHER, Event()

    class WaitingReader:
        hash = hasher.hash

        def verify(self, stored: str, password: str) -> bool:
            released.wait(PATIENT)
            return hasher.verify(stored, password)

    monkeypatch.setattr(passwords, "_HASHER", WaitingReader())
    try:
        yield released
    finally:
        released.set()


async def sign_in_from(number: int, site: LiveSite, browser: ScriptlessBrowser) -> httpx.Response:
    """What the site answers to a sign-in from an address of its own."""
    transport = httpx.AsyncHTTPTransport(local_address=f"127.0.1.{number}", verify=PLAIN)
    cookies = dict(browser.client.cookies)
    async with httpx.AsyncClient(transport=transport, base_url=site.url, cookies=cookies, timeout=PATIENT) as client:
        fields = {"csrf": browser.token, "email": f"p{number}@example.org", "password": PASSWORD}
        return await client.post("/sign-in", data=fields, headers={"Origin": site.url})


@pytest.mark.long
async def test_sign_ins_from_many_addresses_leave_pages_alone(one_server: LiveSite, monkeypatch: pytest.MonkeyPatch) -> None:
    browser, kept = ScriptlessBrowser(one_server.url), passwords.AT_ONCE + passwords.LONGEST_QUEUE
    browser.get("/sign-in")
    with passwords_that_wait(monkeypatch) as released:
        flood = [asyncio.create_task(sign_in_from(number, one_server, browser)) for number in range(1, 161)]
        refused = [await answer for answer in islice(asyncio.as_completed(flood), 160 - kept)]
        async with httpx.AsyncClient(base_url=one_server.url, timeout=PATIENT, verify=PLAIN) as visitor:
            pages = [await visitor.get(path) for path in ("/", "/consent", "/sign-in")]
        assert not released.is_set()
        released.set()
        answers = await asyncio.gather(*flood)
    assert [page.status_code for page in pages] == [200] * 3
    assert {answer.status_code for answer in refused} == {503}
    assert all(answer.headers["retry-after"] == "2" for answer in refused)
    assert "Many people are signing in just now" in refused[0].text
    assert sorted(answer.status_code for answer in answers) == [422] * kept + [503] * (160 - kept)


SECONDS = 0.6
HEAD = b"GET /how-it-works HTTP/1.1\r\nHost: luna\r\n"


class Hasty(PatientProtocol):
    """Waits a little only."""

    seconds = SECONDS


@pytest.fixture(scope="module")
def own_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OneServer]:
    """A site that waits a little only."""
    with running(tmp_path_factory.mktemp("site"), protocol=Hasty) as it:
        yield it


def connected(own_site: OneServer) -> socket.socket:
    """A connection to it."""
    return socket.create_connection(("127.0.0.1", httpx.URL(own_site.url).port or 0), timeout=PATIENT)


def closed_after(line: socket.socket, drip: bytes = b"") -> float:
    """Seconds until the other end closes, a byte being sent now and then."""
    began = time.monotonic()
    line.settimeout(0.05)
    for index in range(round(PATIENT / 0.05)):
        try:
            if not line.recv(1_000):
                break
        except TimeoutError:
            pass
        except ConnectionError:
            break
        try:
            line.send(drip[index : index + 1])
        except OSError:
            break
    return time.monotonic() - began


@pytest.mark.parametrize("drip", [b"", HEAD + b"X-Slow: " + b"a" * 10_000], ids=["nothing", "a byte at a time"])
def test_a_head_that_does_not_come_in_time_ends_the_connection(own_site: OneServer, drip: bytes) -> None:
    with connected(own_site) as line:
        assert SECONDS / 2 < closed_after(line, drip) < PATIENT / 2


def test_so_does_the_head_of_a_further_request(own_site: OneServer) -> None:
    with connected(own_site) as line:
        line.sendall(HEAD + b"\r\n")
        answer = line.recv(100)
        assert answer.startswith(b"HTTP/1.1 200")
        while b"</html>" not in answer:
            answer = answer[-10:] + line.recv(10_000)
        assert SECONDS / 2 < closed_after(line, b"GET /" + b"a" * 10_000) < 4 * SECONDS + 2


def test_a_head_in_two_halves_is_answered(own_site: OneServer) -> None:
    with connected(own_site) as line:
        for half in (HEAD, b"\r\n"):
            line.sendall(half)
            time.sleep(SECONDS / 6)
        assert line.recv(100).startswith(b"HTTP/1.1 200")


def test_an_answer_may_take_longer_than_a_head(own_site: OneServer) -> None:
    ann, bob, game = pair(own_site)
    ann.ask(game)
    before = ann.client.get("/events/now").json()["changes"]
    with ann.client.stream("GET", f"/events?after={before}") as stream:
        time.sleep(2 * SECONDS)
        bob.ask(game)
        assert next(line for line in stream.iter_lines() if line.startswith("data:"))


def test_many_idle_connections_keep_nobody_out(tmp_path: Path, own_site: OneServer) -> None:
    idle = [connected(own_site) for _ in range(100)]
    try:
        assert httpx.get(own_site.url, timeout=PATIENT, verify=PLAIN).status_code == 200
        assert all(closed_after(line) < PATIENT / 2 for line in idle)
    finally:
        for line in idle:
            line.close()


class CrowdedProtocol(PatientProtocol):
    """Serves four connections."""

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        self.limit_concurrency = 4
        super().connection_made(transport)


def test_connections_beyond_those_that_are_served_are_closed_at_once(tmp_path: Path) -> None:
    with running(tmp_path, protocol=CrowdedProtocol) as own_site, ExitStack() as stack:
        for _ in range(5):  # a quarter more than are served
            stack.enter_context(connected(own_site))
        assert closed_after(stack.enter_context(connected(own_site))) < HEAD_SECONDS / 2
