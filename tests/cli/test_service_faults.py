"""A service that fails: no verdict rests on it, and what failed is asked again once it works."""

from __future__ import annotations

import gzip
import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import CliResult, Refuses, Viva
from tests.cli.examined import SCOPE, write_scope
from tests.serving import completion

UNREACHABLE = 5


@dataclass(frozen=True)
class ServerFailure:
    """What the server sends instead of a reply."""

    status: int
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()
    cut: bool = False
    """Whether the connection is cut in the middle of the body."""
    seconds: float = 0.0
    """Before it is sent."""


def as_json(*values: object, status: int = 200) -> ServerFailure:
    return ServerFailure(status, b"".join(json.dumps(value).encode() for value in values))


def error(status: int, message: str, code: object = None) -> ServerFailure:
    return as_json({"error": {"message": message, "code": code}}, status=status)


KINDS = {
    "no credit": error(402, "Insufficient Balance"),
    "quota": error(429, "You exceeded your current quota", "insufficient_quota"),
    "balance": error(400, "Your account balance is insufficient", "insufficient_balance"),
    "key limit": error(403, "Key limit exceeded (total limit)", 403),
    "expired key": error(400, "API key expired. Please renew the API key.", 400),
    "revoked key": error(401, "Incorrect API key provided", "invalid_api_key"),
    "retired model": error(410, "The model m has been retired", "model_deprecated"),
    "wrong model": error(404, "The model m does not exist", "model_not_found"),
    "permission": error(403, "You do not have permission to use this model"),
    "blocked": ServerFailure(403, b"<html><title>Attention Required! | Cloudflare</title>"),
    "proxy": ServerFailure(407, b"<html>Proxy Authentication Required"),
    "too large": ServerFailure(413, b"<html>413 Request Entity Too Large"),
    "teapot": ServerFailure(418),
    "legal": error(451, "Unavailable For Legal Reasons"),
    "bad gateway": ServerFailure(502, b"<html>502 Bad Gateway"),
    "time-out": ServerFailure(524, b"<html>A timeout occurred"),
    "gateway page": ServerFailure(200, b"<!doctype html><title>Please log in</title>"),
    "error in 200": error(200, "upstream failed", 502),
    "key in 200": error(200, "Incorrect API key provided", "invalid_api_key"),
    "error as content": as_json(completion("Error code 500: Internal server error")),
    "cut": ServerFailure(200, b'{"choices": [{"message"', cut=True),
    "not unicode": ServerFailure(200, b'{"choices": [{"message": {"content": "\xff\xfe"}}]}'),
    "unknown encoding": ServerFailure(200, b"\x28\xb5\x2f\xfd", (("Content-Encoding", "zstd"),)),
    "bomb": ServerFailure(200, gzip.compress(b"[" + b" " * 5_000_000), (("Content-Encoding", "gzip"),)),
    "broken gzip": ServerFailure(200, b"\x1f\x8bnot gzip", (("Content-Encoding", "gzip"),)),
    "broken off": as_json(completion("Answer: 0", "error")),
}
ONE_BY_ONE = ("--concurrency", "1")
"""So that a fault comes after answers that were read."""


@dataclass
class Service:
    """A server that knows all sums, and fails on demand."""

    port: int = 0
    failure: ServerFailure | None = None
    right: int = 0
    """How many requests are answered before it fails."""
    every: int = 0
    """It fails at each question whose number is a multiple of this, and at no other; 0: at all."""
    asked: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def name(self) -> str:
        return f"chat:m@http://127.0.0.1:{self.port}/v1?max_reply=1000000"

    def fails(self, failure: ServerFailure | None, *, right: int = 0, every: int = 0) -> None:
        self.failure, self.right, self.every, self.asked = failure, right, every, 0

    def reply_to(self, number: int) -> ServerFailure:
        with self.lock:
            self.asked += 1
            due = number % self.every == 0 if self.every else self.asked > self.right
            if self.failure is not None and due:
                return self.failure
        return as_json(completion(f"Answer: {number + 1}"))


@pytest.fixture(scope="module")
def running() -> Iterator[Service]:
    service = Service()

    class FaultyHandler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # a body is a packet of its own, which would wait 40 ms for an acknowledgement

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["messages"][-1]["content"]
            match = re.search(r"What is (\d+) \+ 1\?", asked)
            sent = service.reply_to(int(match[1]) if match else 1)
            time.sleep(sent.seconds)
            with suppress(OSError):
                self.send_response(sent.status)
                for name, value in sent.headers:
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(sent.body) + sent.cut))
                self.end_headers()
                self.wfile.write(sent.body)
            self.close_connection = sent.cut

    class QuietServer(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: Any) -> None:
            """A client that went away is none."""

    with QuietServer(("127.0.0.1", 0), FaultyHandler) as server:
        service.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        yield service
        server.shutdown()
        thread.join()


@pytest.fixture
def service(running: Service, short_pauses: None, tmp_path: Path) -> Service:
    write_scope(tmp_path, 300)
    running.fails(None)
    return running


def certify(viva: Viva, service: Service, *more: str, query: str = "", limit: str = "none") -> CliResult:
    terms = ("--scope", f"file:{SCOPE}", "--unacceptable-limit", limit, "--seed", "4", "--set", "max-tries=2", "--json", "-q")
    return viva("certify", f"{service.name}{query}", *terms, "--transcript", "run.sqlite", *more)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_no_verdict_comes_of_a_service_that_fails_and_the_next_run_has_the_right_one(
    viva: Viva, service: Service, kind: str
) -> None:
    service.fails(KINDS[kind], right=6)
    failed = certify(viva, service, *ONE_BY_ONE)
    if kind == "broken off":  # the reply is on record, and worth anything
        assert failed.code == 4
        return
    assert failed.code == UNREACHABLE, failed
    assert "answers so far are on record: run the same command again to resume" in failed.err
    service.fails(None)
    document = json.loads(certify(viva, service, *ONE_BY_ONE).out)
    assert (document["verdict"], document["figures"]["faults"]) == ("pass", 0)
    assert document["figures"]["asked_again"] + document["figures"]["turned_away"] > 0
    if document["figures"]["asked_again"]:
        assert document["figures"]["verdict_if_asked_again_is_wrong"] in ("pass", "undecided", "fail")
        assert any("met a fault of the service in an earlier run" in caveat for caveat in document["caveats"])
    again = certify(viva, service, *ONE_BY_ONE)
    assert (json.loads(again.out)["verdict"], service.asked) == ("pass", service.asked)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_nor_of_one_that_fails_now_and_then(viva: Viva, service: Service, kind: str) -> None:
    service.fails(KINDS[kind], every=7)
    ended = certify(viva, service, "--concurrency", "2")
    assert ended.code in (0, UNREACHABLE)
    if ended.code == 0:
        document = json.loads(ended.out)
        assert (document["verdict"], document["figures"]["score"]["upper"]) == ("pass", 1.0)
        assert document["figures"]["faults"] + document["figures"]["cut_off"] > 0


@pytest.mark.long
def test_credit_that_is_used_up_ends_the_run_with_the_servers_words(viva: Viva, service: Service) -> None:
    service.fails(KINDS["no credit"], right=40)
    failed = certify(viva, service, limit="0.01")
    assert failed.code == UNREACHABLE
    assert "the account has no credit left: Insufficient Balance" in failed.err
    still = certify(viva, service, limit="0.01")
    assert still.code == UNREACHABLE
    service.fails(None)
    paid = json.loads(certify(viva, service, limit="0.01").out)
    assert (paid["verdict"], paid["figures"]["faults"]) == ("pass", 0)
    assert paid["figures"]["verdict_if_asked_again_is_wrong"] == "pass"
    assert "counted 0, it would pass all the same." in paid["statement"]
    Path("certificate.json").write_text(json.dumps(paid))
    again = viva("recheck", "certificate.json", "--transcript", "run.sqlite", "--scope", f"file:{SCOPE}")
    assert again.code == 0, again.out


@pytest.mark.parametrize("kind", ["no credit", "blocked", "bad gateway", "gateway page"])
def test_a_gate_passes_a_healthy_model_once_its_service_is_back(viva: Viva, service: Service, kind: str) -> None:
    service.fails(KINDS[kind], right=10)
    terms = ("--scope", f"file:{SCOPE}", "--seed", "4", "--margin", "0.2", "--set", "max-tries=2", "--quiet", "--json")
    gate = ("gate", service.name, "--baseline", "bot:calculator", *terms, "--transcript", "new.sqlite", *ONE_BY_ONE)
    assert viva(*gate).code == UNREACHABLE
    service.fails(None)
    document = viva(*gate).values
    assert document["verdict"] == "pass"
    assert document["figures"]["verdict_if_asked_again_is_wrong"] in ("pass", "undecided", "fail")
    assert "counted 0, the result would be" in document["statement"]


def test_a_question_that_met_faults_in_three_runs_stays_worth_anything(viva: Viva, service: Service) -> None:
    service.fails(KINDS["blocked"], every=7)
    document: dict[str, Any] = {}
    for _ in range(4):
        document = json.loads(certify(viva, service, "--concurrency", "1", "--questions", "20").out)
    faults = document["figures"]["faults"]
    assert faults > 0
    service.fails(None)
    document = json.loads(certify(viva, service, "--concurrency", "1", "--questions", "20").out)
    assert (document["figures"]["faults"], document["figures"]["asked_again"], service.asked) == (faults, 0, 0)


@pytest.mark.parametrize("concurrency", ["1", "4"])
def test_a_server_that_has_never_answered_in_time_is_away(viva: Viva, service: Service, concurrency: str) -> None:
    hangs, terms = ServerFailure(200, seconds=0.4), ("--set", "timeout=0.15", "--concurrency", concurrency)
    service.fails(hangs)
    failed = certify(viva, service, *terms)
    assert failed.code == UNREACHABLE
    assert "the candidate does not answer: time-out after 0.15 s" in failed.err
    service.fails(None)
    document = json.loads(certify(viva, service, "--concurrency", concurrency).out)
    assert (document["verdict"], document["figures"]["faults"], document["figures"]["no_answers"]) == ("pass", 0, 0)


def test_a_server_that_is_slow_now_and_then_gets_no_wrong_answer(viva: Viva, service: Service) -> None:
    service.fails(ServerFailure(200, seconds=0.6), every=7)
    slow = certify(viva, service, "--set", "timeout=0.3", "--concurrency", "1", "--questions", "20")
    figures = json.loads(slow.out)["figures"]
    assert figures["faults"] > 0
    assert figures["no_answers"] == 0
    service.fails(None)
    document = json.loads(certify(viva, service, "--concurrency", "1").out)
    assert document["verdict"] == "pass"
    assert 0 < document["figures"]["asked_again"] <= figures["faults"]


def test_a_server_that_is_silent_where_it_would_be_wrong_does_not_pass(viva: Viva, service: Service) -> None:
    service.fails(ServerFailure(200, seconds=0.6), every=4)
    ended = certify(viva, service, "--set", "timeout=0.2", "--concurrency", "1", "--questions", "30")
    assert ended.code == 4
    assert json.loads(ended.out)["figures"]["faults"] > 0


def test_a_time_out_of_a_bot_of_your_own_is_its_wrong_answer(viva: Viva, service: Service) -> None:
    service.fails(ServerFailure(200, seconds=0.4), right=1)
    slow = certify(viva, service, "--set", "timeout=0.15", "--concurrency", "4", query="&errors=own")
    assert slow.code == 3
    assert json.loads(slow.out)["figures"]["no_answers"] > 0


@pytest.mark.parametrize("status", [400, 500, 503])
def test_errors_of_a_bot_of_your_own_are_its_wrong_answers(viva: Viva, service: Service, status: int) -> None:
    service.fails(ServerFailure(status, b"Traceback (most recent call last)"), right=8)
    assert certify(viva, service).code == UNREACHABLE
    service.fails(ServerFailure(status, b"Traceback (most recent call last)"), right=8)
    own = certify(viva, service, query="&errors=own")
    assert own.code == 3
    assert json.loads(own.out)["figures"]["no_answers"] > 0


def test_a_long_pause_is_said_although_the_command_is_quiet(
    viva: Viva, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vivavoce.interview.retries.LONGEST_RETRY_AFTER", 0.01)
    service.fails(ServerFailure(429, b"{}", (("Retry-After", "3600"),)))
    ended = certify(viva, service)
    assert ended.code == UNREACHABLE
    assert "viva: the server asks for a pause of 60 min (Retry-After); the next try is in 0 s\n" in ended.err


def test_a_sealed_record_holds_what_was_asked_again(viva: Viva, service: Service) -> None:
    service.fails(KINDS["blocked"], every=7)
    certify(viva, service, "--concurrency", "1")
    service.fails(None)
    assert json.loads(certify(viva, service, "--concurrency", "1").out)["figures"]["asked_again"] > 0
    assert viva("transcript", "verify", "run.sqlite").code == 0
    assert viva("transcript", "export", "run.sqlite", "sealed.jsonl", "--sealed").code == 0
    assert viva("transcript", "verify", "sealed.jsonl").code == 0


def test_a_wrong_scheme_is_refused_with_the_right_one(refuses: Refuses, service: Service) -> None:
    says = f"speaks http, not https: write http://127.0.0.1:{service.port}"
    refuses("certify", service.name.replace("http:", "https:"), "--scope", "arithmetic", "--quiet", says=says)


def test_results_and_the_record_tell_the_services_words(viva: Viva, service: Service) -> None:
    service.fails(KINDS["blocked"], every=7)
    certify(viva, service, "--concurrency", "1", "--results", "rows.jsonl")
    rows = [json.loads(line) for line in Path("rows.jsonl").read_text().splitlines()]
    failed = [row for row in rows if row["outcome"] != "answer"]
    assert failed
    for row in failed:
        assert row["outcome"].startswith("asked, met a fault: status 403: <html>")
    service.fails(None)
    certify(viva, service, "--concurrency", "1")
    shown = viva("transcript", "show", "run.sqlite", "--limit", "200").out
    assert ", asked again · " in shown
