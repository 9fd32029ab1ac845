"""Failing, or ending the program, when it would be wrong shows nothing, however often the command is run."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

from tests.cli.conftest import Viva
from tests.cli.examined import ENDED, SCOPE, examine, write_scope
from tests.serving import process_of
from vivavoce.interview.commitment import COMMITTER
from vivavoce.interview.transcript import Transcript

pytestmark = pytest.mark.usefixtures("short_pauses")
UNREACHABLE = 5
MOST_RUNS = 60


@pytest.fixture(scope="module")
def failing() -> Iterator[str]:
    with process_of("tests.candidates.failing") as address:
        yield address


def command(candidate: str, server: str, *more: str, grade: float = 0.7, seed: int = 4) -> tuple[str, ...]:
    terms = ("--passing-grade", str(grade), "--unacceptable-limit", "none", "--seed", str(seed), "--json", "--quiet")
    return ("certify", f"chat:{candidate}@{server}/v1", "--scope", f"file:{SCOPE}", "--transcript", "run.sqlite", *terms, *more)


def found_by(viva: Viva, *arguments: str) -> dict[str, Any]:
    ended = viva(*arguments)
    assert ended.code in (0, 3, 4), ended.err
    result: dict[str, Any] = ended.values
    return result


def told(finding: dict[str, Any], words: str) -> list[str]:
    return [caveat for caveat in finding["caveats"] if words in caveat]


@pytest.mark.parametrize(
    "mode", ["status-503", "cut-before", "cut-within", "not-json", "error-in-200", "not-http", "no-choices"]
)
def test_to_fail_instead_of_being_wrong_shows_nothing(viva: Viva, tmp_path: Path, failing: str, mode: str) -> None:
    write_scope(tmp_path)
    # right half of the time, and asked until it is: nine right answers in a row would be enough
    values = found_by(viva, *command(f"instead.{mode}", failing, "--questions", "30", "--set", "max-tries=30"))
    assert values["verdict"] == "undecided"
    assert 5 <= values["figures"]["faults"] <= 25  # 15 are expected of 30, with a standard deviation of 2.7
    assert (
        f"{values['figures']['faults']} of {values['figures']['questions']} questions met a fault of the server"
        in values["figures"]["why_not"]
    )
    assert told(values, "a second try changes nothing")
    assert values["figures"]["score"]["lower"] < 0.5 < values["figures"]["score"]["upper"]
    assert (
        values["figures"]["score"]["mean"]
        == (values["figures"]["questions"] - values["figures"]["faults"]) / values["figures"]["questions"]
    )


@pytest.mark.long
def test_nor_does_it_in_many_runs(viva: Viva, tmp_path: Path, failing: str) -> None:
    write_scope(tmp_path)
    # a fresh model of its own for the server; alone in flight, every failure ends the run, and the next one is a second try
    terms = command("instead.status-502", failing, "--questions", "20", "--concurrency", "1", "--set", "max-tries=1")
    ended = viva(*terms)
    runs = 1
    while ended.code == UNREACHABLE and runs < MOST_RUNS:  # as a shell loop would
        ended, runs = viva(*terms), runs + 1
    # what a later run asked again counts, and the page says what the verdict would be if it did not
    assert ended.code in (0, 4), ended.err
    document = ended.values
    assert 4 <= document["figures"]["asked_again"] + document["figures"]["faults"] < runs
    assert document["figures"]["verdict_if_asked_again_is_wrong"] != "pass"
    assert told(document, "counted 0")


@pytest.mark.long
def test_a_fault_outlives_the_program(
    viva: Viva, viva_copy: Callable[..., subprocess.Popen[str]], tmp_path: Path, failing: str
) -> None:
    write_scope(tmp_path)
    terms = command("instead.status-500", failing, "--questions", "30", "--set", "max-tries=30")
    process = viva_copy(*terms)
    while not on_record(tmp_path / "run.sqlite", "fault"):  # it waits half a second at least before it tries again
        assert process.poll() is None
        time.sleep(0.01)
    process.kill()
    process.communicate()
    with Transcript.open(tmp_path / "run.sqlite") as transcript:
        before = set(transcript.faults)
        assert before
    values = found_by(viva, *terms)
    assert values["verdict"] == "undecided"
    assert values["figures"]["faults"] >= len(before)
    with Transcript.open(tmp_path / "run.sqlite") as transcript:
        assert before <= transcript.faults


def on_record(where: Path, kind: str) -> bool:
    if not where.exists():
        return False
    with Transcript.open(where, verified=False) as transcript:
        return any(row.kind == kind for row in transcript.askings())


@pytest.mark.long
def test_limits_on_the_rate_cost_an_honest_server_nothing_and_are_counted(viva: Viva, tmp_path: Path, failing: str) -> None:
    write_scope(tmp_path)
    plain = found_by(viva, *command("honest", failing, grade=0.8))
    limited = found_by(viva, *command("honest.busy.30", failing, grade=0.8))
    assert plain["verdict"] == limited["verdict"] == "pass"
    assert limited["figures"]["questions"] == plain["figures"]["questions"]
    assert (limited["figures"]["faults"], plain["figures"]["turned_away"]) == (0, 0)
    # three in ten are turned away at first: by chance fewer than one in ten, or more than half, in 1 case of 1,000
    assert 0.1 <= limited["figures"]["turned_away"] / limited["figures"]["questions"] <= 0.5
    assert told(limited, f"{limited['figures']['turned_away']} questions were turned away unanswered")
    assert "strict_faults" not in limited["attempt"]["terms"]["settings"]
    again = viva(*command("honest.busy.30", failing, "--set", "strict-faults", grade=0.8))
    assert again.code == 2
    assert "strict faults none, now yes" in again.err
    strict = found_by(
        viva, *command("honest.busy.30", failing, "--set", "strict-faults", "--new-attempt", "--questions", "60", grade=0.8)
    )
    assert strict["verdict"] == "undecided"
    assert strict["figures"]["faults"] > 0 == strict["figures"]["turned_away"]
    assert strict["attempt"]["terms"]["settings"]["strict_faults"] is True
    assert "strict_faults" in strict["signature"]
    assert "strict_faults" not in limited["signature"]


@pytest.mark.long
def test_a_server_that_is_not_there_yet_costs_nothing(viva: Viva, tmp_path: Path, failing: str) -> None:
    write_scope(tmp_path)
    plain = found_by(viva, *command("honest", failing))
    (tmp_path / "run.sqlite").unlink()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    terms = command("honest", f"http://127.0.0.1:{port}", "--concurrency", "4")
    ended = viva(*terms)
    assert ended.code == UNREACHABLE
    with process_of("tests.candidates.failing", "--port", str(port)):
        late = found_by(viva, *terms)
    assert (late["verdict"], late["figures"]["questions"]) == (plain["verdict"], plain["figures"]["questions"])
    assert (late["figures"]["faults"], late["figures"]["turned_away"]) == (0, 0)


@pytest.mark.long
def test_one_that_comes_while_it_is_asked_costs_nothing_either(
    viva: Viva, tmp_path: Path, failing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_scope(tmp_path)
    plain = found_by(viva, *command("honest", failing))
    (tmp_path / "run.sqlite").unlink()
    monkeypatch.setattr("vivavoce.interview.retries._back_off", lambda _: 0.2)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with ExitStack() as until_the_end:
        starting = Timer(0.5, lambda: until_the_end.enter_context(process_of("tests.candidates.failing", "--port", str(port))))
        starting.start()
        late = found_by(viva, *command("honest", f"http://127.0.0.1:{port}", "--set", "max-tries=100"))
        starting.join()
    assert (late["verdict"], late["figures"]["questions"], late["figures"]["faults"]) == (
        plain["verdict"],
        plain["figures"]["questions"],
        0,
    )


@pytest.mark.long
def test_rare_faults_cost_an_honest_server_some_questions(viva: Viva, tmp_path: Path, failing: str) -> None:
    write_scope(tmp_path, 5_000)
    plain = found_by(viva, *command("honest", failing, grade=0.8, seed=1))
    rare = found_by(viva, *command("honest.status-503.2", failing, "--set", "max-tries=20", grade=0.8, seed=1))
    assert plain["verdict"] == rare["verdict"] == "pass"
    assert rare["figures"]["faults"] > 0
    # .9 becomes .882: ln(1/.045) / K(mean, .8) questions, 84 on average, become 130; these are one draw of each
    assert plain["figures"]["questions"] <= rare["figures"]["questions"] <= 1.6 * plain["figures"]["questions"]


def test_a_wrong_key_at_the_first_attempt_spoils_nothing(viva: Viva, tmp_path: Path, failing: str) -> None:
    write_scope(tmp_path)
    plain = found_by(viva, *command("honest", failing))
    refused = viva(*command("locked", failing))
    assert refused.code == 2
    assert "the key is missing or wrong" in refused.err
    opened = found_by(viva, *command("locked", failing))  # the server takes any key from the first attempt on
    assert (opened["verdict"], opened["figures"]["questions"], opened["figures"]["faults"]) == (
        plain["verdict"],
        plain["figures"]["questions"],
        0,
    )
    assert told(opened, "or a wrong key at the start")
    assert opened["figures"]["turned_away"] > 0


@pytest.mark.long
def test_a_page_and_a_terminal_tell_of_them(viva: Viva, tmp_path: Path, failing: str) -> None:
    write_scope(tmp_path)
    terms = [
        name
        for name in command("instead.broken", failing, "--questions", "20", "--set", "max-tries=30")
        if name not in ("--json", "--quiet")
    ]
    ended = viva(*terms, "--html", "page.html")
    assert ended.code == 4
    page = (tmp_path / "page.html").read_text()
    for text in (" ".join(ended.out.split()), page):
        assert "Met a fault" in text
        assert "of 20 questions met a fault of the server" in text
        assert "have the server turn away what it cannot take" in text


MOST_ENDS = 30
HARD = 0.74
"""A passing grade for a candidate that knows 85%."""


def printed(folder: Path) -> dict[str, Any]:
    result: dict[str, Any] = json.loads((folder / "out").read_text())
    return result


@pytest.mark.long
def test_ending_the_program_instead_of_being_wrong_shows_nothing(tmp_path: Path) -> None:
    write_scope(tmp_path)
    codes = [examine(tmp_path, "quitter", "--questions", "22", grade=0.7)]
    while codes[-1] == ENDED and len(codes) < MOST_ENDS:  # as a shell loop would
        codes.append(examine(tmp_path, "quitter", "--questions", "22", grade=0.7))
    values = printed(tmp_path)
    assert codes[-1] == 4
    assert values["verdict"] == "undecided"
    assert values["figures"]["orphans"] == codes.count(ENDED) > 5
    assert any("None was asked again" in caveat for caveat in values["caveats"])
    with Transcript.open(tmp_path / "run.sqlite") as transcript:
        answers = [record for record in transcript.records() if record.kind == "answer" and record.candidate != COMMITTER]
        # what an examination would rest on that asked again: nothing but right answers, and more than the 9 that are enough
        assert len(answers) == values["figures"]["questions"] - values["figures"]["orphans"] > 9
        assert transcript.orphans == frozenset()
    assert values["figures"]["score"]["mean"] == len(answers) / values["figures"]["questions"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The finding if nothing is cut."""
    folder = tmp_path_factory.mktemp("whole")
    write_scope(folder)
    assert examine(folder, "unlucky", grade=HARD) == 0
    return printed(folder)


@pytest.mark.long
@pytest.mark.parametrize("power_cut_at", [10, 40])
def test_a_power_cut_costs_an_honest_candidate_few_questions(tmp_path: Path, whole: dict[str, Any], power_cut_at: int) -> None:
    write_scope(tmp_path)
    assert examine(tmp_path, "unlucky", grade=HARD, power_cut_at=power_cut_at) == -signal.SIGKILL
    assert examine(tmp_path, "unlucky", grade=HARD) == 0
    cut = printed(tmp_path)
    assert (whole["figures"]["orphans"], cut["figures"]["orphans"]) == (0, 1)
    # one wrong for one right: ln(.85/.74) + ln(.26/.15) = .69 less of evidence, of which a question yields K(.85, .74) = .035
    assert cut["figures"]["questions"] <= whole["figures"]["questions"] + 2 * 20
