"""Commands that are ended at settled moments and run again: the finding and the record are those of an undisturbed run."""

from __future__ import annotations

import json
import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from pathlib import Path
from signal import Signals
from socket import create_server
from typing import Any

import pytest

from tests.cli.killing import KillingServer, Shot, program
from tests.studies.bail.judges import as_csv, made_up
from tests.web.site import ScriptlessBrowser, eventually, pair_by_pages
from tests.web.store.players import check_whole
from vivavoce.interview.commitment import COMMITTER
from vivavoce.interview.transcript import Transcript
from vivavoce.web.database import open_database

AT_ONCE = 4
"""Questions in flight to each candidate."""
OPTIONS = ("--seed", "3", "--concurrency", str(AT_ONCE), "--quiet")
RECORD = ("--transcript", "run.sqlite")
SIGNALS = (signal.SIGKILL, signal.SIGTERM)
ENDED = {signal.SIGKILL: -9, signal.SIGTERM: 143}
"""Exit codes of programs that were ended: one answers a SIGTERM itself."""
DATED = ("transcript_head", "made", "run", "money")
"""Fields in which two runs differ that asked the same."""
STOPPED = "before an answer came"
"""In the sentence that says that questions were asked again after a kill."""
IN_A_ROW = 2
"""Kills before a run is left alone."""


@dataclass(frozen=True)
class KilledCommand:
    """A command on candidates at a server, and the files that it leaves."""

    arguments: Callable[[str], tuple[str, ...]]
    """By the address of the server."""
    kills: int
    """In the whole study."""
    candidates: int = 1
    finding: str = "out"
    transcript: str = "run.sqlite"
    plan: str = ""
    files: Mapping[str, str] = field(default_factory=dict)


def chat(server: str, wrong: float) -> str:
    return f"chat:calculator:{wrong}@{server}/chat/v1"


def side_by_side(command: str) -> Callable[[str], tuple[str, ...]]:
    """A comparison, or a gate, that the number of questions ends."""

    def arguments(server: str) -> tuple[str, ...]:
        other = ("--baseline", chat(server, 0.22)) if command == "gate" else (chat(server, 0.22),)
        asked = ("--scope", "arithmetic", "--margin", "0.01", "--questions", "16")
        return (command, chat(server, 0.2), *other, *asked, *OPTIONS, *RECORD, "--json")

    return arguments


def alone(*words: str, says: str = "") -> Callable[[str], tuple[str, ...]]:
    """A command on one candidate; its first words, the candidate, and the rest."""

    def arguments(server: str) -> tuple[str, ...]:
        candidate = f"chat:says:{says}@{server}/chat/v1" if says else chat(server, 0.3)
        split = next(number for number, word in enumerate(words) if word.startswith("--"))
        return (*words[:split], candidate, *words[split:], *OPTIONS, *RECORD, "--json")

    return arguments


TUPLES = {
    "tuples.jsonl": "".join(
        json.dumps({"law": "neg", "questions": {"P": f"Will team {n} win?", "not_P": f"Will team {n} not win?"}}) + "\n"
        for n in range(12)
    )
}
COMMANDS = {
    "certify": KilledCommand(
        lambda server: (
            *("certify", chat(server, 0.3), "--scope", "arithmetic", "--set", "procedure=fixed", "--questions", "30"),
            *(*OPTIONS, *RECORD, "--json"),
        ),
        kills=40,
    ),
    "scopes": KilledCommand(
        alone("certify", "--scope", "arithmetic?operations=+", "--scope", "arithmetic?operations=-", "--questions", "12"),
        kills=24,
    ),
    "draws": KilledCommand(
        alone("certify", "--scope", "arithmetic", "--draws", "3", "--set", "procedure=fixed", "--questions", "10"), kills=24
    ),
    "sycophancy": KilledCommand(
        alone("consistency", "conversations", "--scope", "arithmetic", "--turn", "sure", "--questions", "12"), kills=24
    ),
    "bail": KilledCommand(
        alone("consistency", "bail", "--defendants", "defendants.csv", "--limit", "4", says="NO"),
        kills=24,
        files={"defendants.csv": as_csv(made_up(8))},
    ),
    "ask": KilledCommand(
        alone("consistency", "forecasts", "ask", "--tuples", "tuples.jsonl", says="0.3"), kills=24, files=TUPLES
    ),
    "variants": KilledCommand(
        alone("consistency", "prompts", "--tuples", "tuples.jsonl", "--variant", "plain", "--variant", "together", says="0.3"),
        kills=24,
        files=TUPLES,
    ),
    "compare": KilledCommand(side_by_side("compare"), kills=32, candidates=2),
    "gate": KilledCommand(side_by_side("gate"), kills=32, candidates=2),
    "sweep": KilledCommand(
        lambda server: ("compare", "--plan", "plan.toml", *OPTIONS, "--out", "swept"),
        kills=24,
        candidates=2,
        finding="swept/comparison.json",
        transcript="swept/transcript.sqlite",
        plan="""\
candidates = ["FIRST", "SECOND"]
scopes = ["arithmetic?operations=+", "arithmetic?operations=-"]
[certificate]
questions = 8
""",
    ),
    "examine": KilledCommand(
        lambda server: ("report", chat(server, 0.3), "--plan", "plan.toml", "--out", "examined", *OPTIONS),
        kills=24,
        finding="examined/report.json",
        transcript="examined/transcript.sqlite",
        plan='examinations = ["certificate"]\n[[certificate]]\nscope = "arithmetic"\nquestions = 20\n',
    ),
    "batch": KilledCommand(
        lambda server: (
            *("certify", f"chat:calculator:0.3@{server}/v1?batch=6&batch_poll=0.01", "--scope", "arithmetic"),
            *("--set", "procedure=fixed", "--questions", "30", "--seed", "3", "--quiet", *RECORD, "--json"),
        ),
        kills=24,
    ),
}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[KillingServer]:
    with KillingServer(tmp_path).running() as running:
        yield running


def run(server: KillingServer, folder: Path, command: KilledCommand, shot: Shot | None = None) -> int | None:
    """The exit code of the command in this folder."""
    process = program(folder, *command.arguments(server.address))
    server.expect(process, shot)
    process.start()
    process.join()
    return process.exitcode


def prepared(server: KillingServer, folder: Path, command: KilledCommand) -> Path:
    folder.mkdir()
    plan = command.plan.replace("FIRST", chat(server.address, 0.3)).replace("SECOND", chat(server.address, 0.5))
    (folder / "plan.toml").write_text(plan)
    for name, text in command.files.items():
        (folder / name).write_text(text)
    return folder


def finding(folder: Path, command: KilledCommand) -> Any:
    """The finding without its times, and how often the run was stopped."""

    def same(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: same(entry) for name, entry in value.items() if name not in DATED}
        if isinstance(value, list):
            return [same(text) for text in value if not (isinstance(text, str) and STOPPED in text)]
        return value

    return same(json.loads((folder / command.finding).read_text()))


def answers(folder: Path, command: KilledCommand) -> dict[tuple[str, str, int], str]:
    """All answers on record, which is whole and leaves no questions: leave out fewer open."""
    with Transcript.open(folder / command.transcript, must_exist=True) as transcript:
        transcript.verify()
        assert transcript.orphans == frozenset()
        records = [record for record in transcript.records() if record.candidate != COMMITTER]
    return {(record.candidate, record.question_digest, record.draw): record.answer for record in records}


def shots(requests: int, kills: int) -> list[Shot]:
    """So many, spread over the first third of the requests of a run, by either signal, before and after the answer."""
    step = max(1, requests // 3)
    return [Shot(1 + (7 * kill) % step, SIGNALS[kill % 2], kill // 2 % 2 == 1) for kill in range(kills)]


@pytest.mark.parametrize(
    ("name", "kills"),
    [
        *(pytest.param(name, 2, marks=pytest.mark.long) for name in COMMANDS),
        *(pytest.param(name, command.kills, marks=pytest.mark.slow) for name, command in COMMANDS.items()),
    ],
)
def test_killed_and_run_again(server: KillingServer, tmp_path: Path, name: str, kills: int) -> None:
    command = COMMANDS[name]
    whole = prepared(server, tmp_path / "whole", command)
    code = run(server, whole, command)
    assert code in (0, 3, 4), (whole / "err").read_text()
    expected, on_record, once = finding(whole, command), answers(whole, command), Counter(server.answered)
    planned = shots(server.requests, kills)
    for start in range(0, kills, IN_A_ROW):
        folder = prepared(server, tmp_path / f"killed-{start}", command)
        server.answered.clear()
        server.billed.clear()
        for shot in planned[start : start + IN_A_ROW]:
            assert run(server, folder, command, shot) == ENDED[shot.signal], (shot, (folder / "err").read_text())
            errors = (folder / "err").read_text()
            assert "Traceback" not in errors
            assert shot.signal == signal.SIGKILL or "run the same command again" in errors
        assert run(server, folder, command) == code, (folder / "err").read_text()
        assert answers(folder, command) == on_record
        assert finding(folder, command) == expected
        again = {question: times - max(1, once[question]) for question, times in server.answered.items()}
        assert sum(times for times in again.values() if times > 0) <= IN_A_ROW * AT_ONCE * command.candidates  # were in flight
        assert all(times <= IN_A_ROW for question, times in again.items() if once[question] <= 1)
        assert set(server.billed.values()) <= {1}


@contextmanager
def site(folder: Path, port: int, number: Signals) -> Iterator[str]:
    """The address of `viva luna serve` in this folder, which is ended by this signal."""
    process = program(folder, "luna", "serve", "--port", str(port), "--house", "none")
    (folder / "err").write_text("")
    process.start()
    try:
        assert eventually(lambda: "Luna is at" in (folder / "err").read_text()), (folder / "err").read_text()
        yield f"http://127.0.0.1:{port}"
        assert process.pid is not None
        os.kill(process.pid, number)
        process.join()
        assert process.exitcode == -number  # after a SIGTERM, requests under way are answered first
    finally:
        process.kill()
        process.join()


@pytest.mark.parametrize("games", [pytest.param(1, marks=pytest.mark.long), pytest.param(3, marks=pytest.mark.slow)])
def test_a_site_is_killed_after_each_move_and_every_move_is_there_once(tmp_path: Path, games: int) -> None:
    """Eight kills a game."""
    with create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    steps: tuple[Callable[[ScriptlessBrowser, str], object], ...] = (
        ScriptlessBrowser.ask,
        ScriptlessBrowser.answer,
        partial(ScriptlessBrowser.guess, guess="81"),
    )
    made = 0
    for game_number in range(games):
        with site(tmp_path, port, SIGNALS[game_number % 2]) as url:
            ann, bob, game = pair_by_pages(url)
        for number, (step, player) in enumerate(product(steps, (ann, bob))):
            with site(tmp_path, port, SIGNALS[number % 2]):
                step(player, game)
            made += 1
            engine = open_database(str(tmp_path / "luna.sqlite"))
            assert check_whole(engine) == made
            engine.dispose()
        with site(tmp_path, port, signal.SIGKILL):
            ann.get(game)
            assert "They guessed 81" in ann.words
