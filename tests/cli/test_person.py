"""A person on the command line: asked in the terminal, killed, gone on with, rechecked."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.conftest import Viva

QUESTIONS = "\n".join(json.dumps({"id": f"q{n}", "question": f"What is {n} + 1?", "answer": n + 1}) for n in range(1, 9))


def asked(tmp_path: Path) -> list[str]:
    (tmp_path / "q.jsonl").write_text(QUESTIONS)
    return ["certify", "human:p07", "--scope", f"file:{tmp_path / 'q.jsonl'}", "--unacceptable-limit", "none", "--seed", "1"]


def read_until(terminal: int, words: str) -> str:
    """What is shown up to these words."""
    shown, until = "", time.monotonic() + 120
    while words not in shown and time.monotonic() < until:
        if not select.select([terminal], [], [], 0.1)[0]:
            continue
        try:
            shown += os.read(terminal, 4096).decode()
        except OSError:  # the program is at its end
            break
    return shown


def sum_in(shown: str) -> int:
    number = shown.rpartition("What is ")[2].partition(" ")[0]
    return int(number) + 1


@pytest.mark.long
def test_killed_at_a_question_and_gone_on_with_there(viva_begun: Path, tmp_path: Path, viva: Viva) -> None:
    command = [str(viva_begun / "viva"), *asked(tmp_path), "--transcript", str(tmp_path / "t.sqlite")]

    def started() -> tuple[subprocess.Popen[bytes], int]:
        ours, theirs = pty.openpty()
        process = subprocess.Popen(command, stdin=theirs, stderr=theirs, stdout=subprocess.DEVNULL)
        os.close(theirs)
        read_until(ours, "yes or no.")
        os.write(ours, b"yes\n")
        return process, ours

    process, terminal = started()
    first = read_until(terminal, "Give a number.")
    os.write(terminal, f"{sum_in(first)}\n".encode())
    second = read_until(terminal, "Give a number.")
    process.send_signal(signal.SIGKILL)
    process.wait()
    read_until(terminal, "\0")  # to the end: a copy that still lives when the terminal closes would withdraw its question
    os.close(terminal)
    process, terminal = started()
    shown = read_until(terminal, "Give a number.")
    assert sum_in(shown) == sum_in(second)
    assert "question 2 of about" in shown
    for _ in range(8):
        os.write(terminal, f"{sum_in(shown)}\n".encode())
        shown = read_until(terminal, "Give a number.")
        if "What is" not in shown:
            break
    assert process.wait(120) == 0
    os.close(terminal)
    again = viva(*asked(tmp_path), "--transcript", str(tmp_path / "t.sqlite"), "--json")
    assert again.code == 0
    document = again.values
    assert document["candidates"][0] == "human:p07"
    assert any("put to human:p07 again" in caveat for caveat in document["caveats"])
    (tmp_path / "c.json").write_text(again.out)
    assert (
        viva(
            "recheck", str(tmp_path / "c.json"), "--transcript", str(tmp_path / "t.sqlite"), "--scope", asked(tmp_path)[3]
        ).code
        == 0
    )


def test_answers_of_a_person_are_kept(tmp_path: Path, viva: Viva) -> None:
    output = viva(*asked(tmp_path))
    assert output.code == 2
    assert "--transcript" in output.err
