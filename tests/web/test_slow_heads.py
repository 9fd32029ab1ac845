"""Connections that never say what they want, or say it slowly, are closed, and keep nobody else out."""

from __future__ import annotations

import time
from asyncio import Transport
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from socket import create_connection, socket

import httpx
import pytest

from tests.web.site import PATIENT, PLAIN, OneServer, pair, running
from vivavoce.web.security.limits import HEAD_SECONDS, PatientProtocol

SECONDS = 0.6
HEAD = b"GET /how-it-works HTTP/1.1\r\nHost: luna\r\n"


class Hasty(PatientProtocol):
    """Waits a little only."""

    seconds = SECONDS


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OneServer]:
    """A site that waits a little only."""
    with running(tmp_path_factory.mktemp("site"), protocol=Hasty) as it:
        yield it


def connected(site: OneServer) -> socket:
    """A connection to it."""
    return create_connection(("127.0.0.1", httpx.URL(site.url).port or 0), timeout=PATIENT)


def closed_after(line: socket, drip: bytes = b"") -> float:
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
def test_a_head_that_does_not_come_in_time_ends_the_connection(site: OneServer, drip: bytes) -> None:
    with connected(site) as line:
        assert SECONDS / 2 < closed_after(line, drip) < PATIENT / 2


def test_so_does_the_head_of_a_further_request(site: OneServer) -> None:
    with connected(site) as line:
        line.sendall(HEAD + b"\r\n")
        answer = line.recv(100)
        assert answer.startswith(b"HTTP/1.1 200")
        while b"</html>" not in answer:
            answer = answer[-10:] + line.recv(10_000)
        assert SECONDS / 2 < closed_after(line, b"GET /" + b"a" * 10_000) < 4 * SECONDS + 2


def test_a_head_in_two_halves_is_answered(site: OneServer) -> None:
    with connected(site) as line:
        for half in (HEAD, b"\r\n"):
            line.sendall(half)
            time.sleep(SECONDS / 6)
        assert line.recv(100).startswith(b"HTTP/1.1 200")


def test_an_answer_may_take_longer_than_a_head(site: OneServer) -> None:
    ann, bob, game = pair(site.url)
    ann.ask(game)
    before = ann.client.get("/events/now").json()["changes"]
    with ann.client.stream("GET", f"/events?after={before}") as stream:
        time.sleep(2 * SECONDS)
        bob.ask(game)
        assert next(line for line in stream.iter_lines() if line.startswith("data:"))


def test_many_idle_connections_keep_nobody_out(tmp_path: Path, site: OneServer) -> None:
    idle = [connected(site) for _ in range(100)]
    try:
        assert httpx.get(site.url, timeout=PATIENT, verify=PLAIN).status_code == 200
        assert all(closed_after(line) < PATIENT / 2 for line in idle)
    finally:
        for line in idle:
            line.close()


class FourConnections(PatientProtocol):
    """Serves four connections."""

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        self.limit_concurrency = 4
        super().connection_made(transport)


def test_connections_beyond_those_that_are_served_are_closed_at_once(tmp_path: Path) -> None:
    with running(tmp_path, protocol=FourConnections) as site, ExitStack() as stack:
        for _ in range(5):  # a quarter more than are served
            stack.enter_context(connected(site))
        assert closed_after(stack.enter_context(connected(site))) < HEAD_SECONDS / 2
