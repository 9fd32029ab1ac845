"""`viva certify` by batches against a server that bills: killed, interrupted, resumed, and what it tells."""

from __future__ import annotations

import json
import random
import signal
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.candidates.batch_server import KEY
from tests.cli.conftest import Refuses, Start, Viva
from tests.serving import process_of
from vivavoce.errors import BadInput, TranscriptError
from vivavoce.interview.transcript import Transcript

KILLS = 10
DELAY = 0.2
"""Seconds until a batch is at its end."""
SCOPE = ("--scope", "arithmetic", "--unacceptable-limit", "none", "--seed", "5")


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIVA_API_KEY", KEY)


@contextmanager
def vendor(folder: Path, delay: float = DELAY, pause: float = 0.0, port: int = 0) -> Iterator[str]:
    options = ("--delay", str(delay), "--pause", str(pause), "--port", str(port))
    with process_of("tests.candidates.batch_server", str(folder / "vendor"), *options) as address:
        yield address


def billed(address: str) -> dict[str, int]:
    with urllib.request.urlopen(f"{address}/billed", timeout=10) as response:
        result: dict[str, int] = json.load(response)
        return result


def name(address: str, model: str, query: str = "batch=1") -> str:
    return f"chat:{model}@{address}/v1?price_in=1000&price_out=1000&batch_poll=0.02&{query}"


def batches_on_record(where: Path) -> int:
    if not where.exists():
        return 0
    try:
        with Transcript.open(where, must_exist=True, verified=False) as transcript:
            return sum(row.kind == "batched" for row in transcript.askings())
    except (TranscriptError, BadInput):
        return 0  # not yet begun


def records(where: Path) -> int:
    if not where.exists():
        return 0
    try:
        with Transcript.open(where, must_exist=True, verified=False) as transcript:
            return transcript.head.count
    except (TranscriptError, BadInput):
        return 0


def until_more(count: Callable[[], int], over: Callable[[], bool]) -> None:
    """Wait until there is one more, or it is over."""
    before, deadline = count(), time.monotonic() + 60
    while count() == before and not over():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def same(printed: str) -> dict[str, Any]:
    """What two runs have alike that asked the same questions: not when, not for how much."""
    result: dict[str, Any] = json.loads(printed)
    for field in ("transcript_head", "run"):
        result.pop(field, None)
    result["figures"].pop("money", None)
    return result


@pytest.mark.long
def test_killed_at_ten_moments_nothing_is_paid_twice(tmp_path: Path, viva_copy: Start, viva: Viva) -> None:
    where, rng = tmp_path / "t.sqlite", random.Random(10)
    with vendor(tmp_path, pause=0.1) as address:
        command = ("certify", name(address, "mumbles+calculator:0.2", "batch=10"), *SCOPE, "--json", "--transcript", str(where))
        moments: list[tuple[Callable[[], int], float]] = [
            (lambda: batches_on_record(where), 0.0),
            (lambda: billed(address)["files"], 0.0),  # the first upload ...
            (lambda: billed(address)["batches"], 0.0),  # ... the batch is made, and its maker does not know yet
            (lambda: billed(address)["batches"], DELAY / 2),
            (lambda: billed(address)["batches"], DELAY),
            (lambda: records(where), 0.0),
        ]
        for kill in range(KILLS):
            count, wait = moments[kill % len(moments)]
            process = viva_copy(*command)
            until_more(count, lambda: process.poll() is not None)  # noqa: B023
            time.sleep(wait + rng.random() * 0.05)
            process.send_signal(signal.SIGKILL)
            out, _ = process.communicate(timeout=60)
            assert (process.returncode, out) == (-signal.SIGKILL, "")
        ended = viva(*command)
        bill = billed(address)
        assert ended.code == 0, ended.err
        direct = viva("certify", name(address, "mumbles+calculator:0.2", ""), *SCOPE, "--json", "--transcript", "direct.sqlite")
    assert bill["lines"] == bill["distinct"] > 60
    assert bill["files"] > 2 * bill["batches"]  # some were uploaded in vain: killed before their batch was made
    assert same(ended.out) == same(direct.out)
    with Transcript.open(where) as transcript:
        assert transcript.orphans == frozenset()
        assert transcript.asked_again == set()


@pytest.mark.long
def test_a_comparison_is_killed_and_resumed_and_nothing_is_paid_twice(tmp_path: Path, viva_copy: Start, viva: Viva) -> None:
    where, rng = tmp_path / "t.sqlite", random.Random(11)
    with vendor(tmp_path, pause=0.1) as address:

        def command(query: str, where: str) -> tuple[str, ...]:
            names = [name(address, model, query) for model in ("mumbles+calculator:0.1", "calculator:0.4")]
            return ("compare", *names, "--scope", "arithmetic", "--seed", "5", "--json", "--transcript", where)

        moments: list[tuple[Callable[[], int], float]] = [
            (lambda: batches_on_record(where), 0.0),
            (lambda: billed(address)["files"], 0.0),
            (lambda: billed(address)["batches"], 0.0),
            (lambda: billed(address)["batches"], DELAY),
        ]
        for count, wait in moments:
            process = viva_copy(*command("batch=1", str(where)))
            until_more(count, lambda: process.poll() is not None)  # noqa: B023
            time.sleep(wait + rng.random() * 0.05)
            process.send_signal(signal.SIGKILL)
            out, _ = process.communicate(timeout=60)
            assert (process.returncode, out) == (-signal.SIGKILL, "")
        ended = viva(*command("batch=1", str(where)))
        bill = billed(address)
        assert ended.code == 0, ended.err
        direct = viva(*command("", "direct.sqlite"))
    assert bill["lines"] == bill["distinct"] > 60
    values, expected = same(ended.out), same(direct.out)
    for entry in (values, expected):
        for candidate in entry["figures"]["candidates"]:
            candidate.pop("money")
    assert values == expected
    assert bill["batches"] < 20
    with Transcript.open(where) as transcript:
        assert transcript.orphans == frozenset()
        assert transcript.asked_again == set()


@pytest.mark.long
def test_an_interrupt_leaves_the_batch_and_says_how_to_go_on(tmp_path: Path, viva_copy: Start, viva: Viva) -> None:
    record = tmp_path / "t.sqlite"
    with vendor(tmp_path, delay=600) as address:
        command = ("certify", name(address, "calculator:0"), *SCOPE, "--transcript", str(record))
        process = viva_copy(*command)
        until_more(lambda: batches_on_record(record), lambda: process.poll() is not None)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        assert process.returncode == 130
        assert "may still run on the server, and be billed: run the same command again" in err
    with vendor(tmp_path, delay=0.0, port=int(address.rpartition(":")[2])) as address:
        refused = viva("certify", name(address, "calculator:0", ""), *SCOPE, "--transcript", str(tmp_path / "t.sqlite"))
        assert refused.code == 2
        assert "give ?batch=1" in refused.err
        ended = viva(*command)
        bill = billed(address)
    assert ended.code == 0, ended.err
    assert bill["lines"] == bill["distinct"]
    assert bill["batches"] == 1
    assert "Batches: 1 in this run, with 20 questions; " in ended.out


@pytest.mark.long
def test_what_batches_cost_is_told_and_can_be_rechecked(tmp_path: Path, viva: Viva) -> None:
    with vendor(tmp_path, delay=0.0) as address:
        command = ("certify", name(address, "busy+mumbles+calculator:0.15"), *SCOPE, "--json", "--transcript", "t.sqlite")
        ended = viva(*command)
        bill = billed(address)
    assert ended.code == 0, ended.err
    document = ended.values
    run = document["run"]["batch"]
    # each reply costs 10 tokens at half of 1000 a million; mumbled ones have a second turn, busy lines cost nothing
    assert run["money"] == pytest.approx(bill["lines"] * 0.005)
    assert run["money"] >= document["figures"]["money"]
    assert run["asked"] >= document["figures"]["questions"]
    assert run["batches"] == bill["batches"]
    (tmp_path / "certificate.json").write_text(ended.out)
    rechecked = viva("recheck", "certificate.json", "--transcript", "t.sqlite")
    assert rechecked.code == 0, rechecked.out + rechecked.err


@pytest.mark.long
@pytest.mark.parametrize("model", ["calculator:0.2", "mumbles+calculator:0.2"])
def test_a_certificate_of_several_scopes_can_be_rechecked(tmp_path: Path, viva: Viva, model: str) -> None:
    scopes = ("--scope", "arithmetic", "--scope", "intervals", "--unacceptable-limit", "none")
    with vendor(tmp_path, delay=0.0) as address:
        ended = viva("certify", name(address, model), *scopes, "--seed", "3", "--json", "--transcript", "t.sqlite")
    assert ended.code == 3, ended.err  # one of them is not understood
    (tmp_path / "certificate.json").write_text(ended.out)
    rechecked = viva("recheck", "certificate.json", "--transcript", "t.sqlite")
    assert rechecked.code == 0, rechecked.out + rechecked.err


def test_a_batch_needs_a_transcript(viva: Viva) -> None:
    ended = viva("certify", "chat:m@http://127.0.0.1:9/v1?batch=1", *SCOPE)
    assert ended.code == 2
    assert "give '--transcript FILE', so that the next run finds it" in ended.err


@pytest.mark.parametrize(
    ("query", "message"), [("batch=0", "batch"), ("batch=50001", "batch"), ("batch=1&batch_discount=1", "batch_discount")]
)
def test_sizes_and_discounts_out_of_range_are_refused(refuses: Refuses, query: str, message: str) -> None:
    refuses("certify", f"chat:m@http://127.0.0.1:9/v1?{query}", *SCOPE, says=f"the option '{message}' of chat")


def swept(folder: Path, address: str) -> None:
    """A plan of two candidates and two scopes, by batch."""
    entrants = [name(address, f"calculator:{wrong}").replace("price_in=1000&price_out=1000&", "") for wrong in (0.1, 0.4)]
    head = f'candidates = {json.dumps(entrants)}\nscopes = ["arithmetic?operations=+", "arithmetic?operations=*"]\nseed = 1\n'
    certificate = '[certificate]\nunacceptable_limit = "none"\nquestions = 200\n[compare]\nquestions = 100\n'
    (folder / "plan.toml").write_text(head + certificate)


def answers(folder: Path) -> int:
    """How many there are on the record in that folder; a question that was drawn twice has two."""
    with Transcript.open(folder / "transcript.sqlite", must_exist=True) as transcript:
        return sum(record.candidate.startswith("chat:") for record in transcript.records())


@pytest.mark.long
def test_a_sweep_by_batch_keeps_its_record_in_its_folder(tmp_path: Path, viva: Viva) -> None:
    with vendor(tmp_path, delay=0.0) as address:
        swept(tmp_path, address)
        ahead = viva("compare", "--plan", "plan.toml", "--dry-run")
        ended = viva("compare", "--plan", "plan.toml", "--json")
        written = json.loads((tmp_path / "comparison-plan/comparison.json").read_text())
        bill = billed(address)
        again = viva("compare", "--plan", "plan.toml", "--json")
        rechecked = viva("recheck", "comparison-plan/comparison.json", "--transcript", "comparison-plan/transcript.sqlite")
        assert billed(address) == bill
    assert "by batches, each of which takes minutes to hours" in ahead.err
    assert (ended.code, again.code, rechecked.code) == (0, 0, 0), ended.err + again.err + rechecked.out
    run = ended.values["run"]["batch"]
    assert (
        run["asked"] == bill["lines"] == answers(tmp_path / "comparison-plan") > 100
    )  # comparisons look at answers of certificates, too
    assert run["batches"] == bill["batches"]
    assert written["run"]["batch"] == run


@pytest.mark.long
def test_cells_of_a_sweep_wait_for_their_batches_at_the_same_time(tmp_path: Path, viva_copy: Start, viva: Viva) -> None:
    with vendor(tmp_path, delay=3600.0) as address:  # no batch is ever at its end
        swept(tmp_path, address)
        process = viva_copy("compare", "--plan", "plan.toml")
        deadline = time.monotonic() + 60
        while billed(address)["batches"] < 4:
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        handed_in = billed(address)["lines"]
    assert process.returncode == 130
    assert f"{handed_in} questions asked by batch may still run on the server" in err
    with vendor(tmp_path, delay=0.0, port=int(address.rpartition(":")[2])) as address:
        ended = viva("compare", "--plan", "plan.toml", "--json")
        bill = billed(address)
    assert ended.code == 0, ended.err
    assert bill["lines"] == answers(tmp_path / "comparison-plan") > handed_in


@pytest.mark.long
def test_an_examination_by_batch_keeps_its_record_in_its_folder(tmp_path: Path, viva: Viva) -> None:
    with vendor(tmp_path, delay=0.0) as address:
        command = ("report", name(address, "calculator:0.1"), "--only", "certificate", "--scope", "arithmetic", "--out", "out")
        ended = viva(*command)
        bill = billed(address)
        assert viva(*command).code == 0
        assert billed(address) == bill
    assert (ended.code, "By batch: each takes minutes to hours." in ended.err) == (0, True), ended.err
    assert bill["lines"] == answers(tmp_path / "out") > 20


@pytest.mark.long
def test_games_by_batch_wait_side_by_side(tmp_path: Path, viva: Viva) -> None:
    with vendor(tmp_path, delay=0.0) as address:
        ended = viva("report", name(address, "calculator:0.1"), "--only", "luna", "--out", "out")
        bill = billed(address)
        rechecked = viva("recheck", "out", "--transcript", "out/transcript.sqlite")
    assert ended.code in (0, 4), ended.err
    assert "in 0 of 9 games" in ended.out  # it answers with sums
    assert bill["lines"] > 60
    assert bill["batches"] < 12
    assert rechecked.code == 0, rechecked.out + rechecked.err
