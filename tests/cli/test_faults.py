"""A server that fails when it would be wrong: what it says to a second try shows nothing, however often the command is run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Viva
from tests.cli.examined import SCOPE, write_scope
from tests.serving import process_of

UNREACHABLE = 5
MOST_RUNS = 60


@pytest.fixture(scope="module")
def failing() -> Iterator[str]:
    with process_of("tests.candidates.failing") as address:
        yield address


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between attempts of a command within this process."""
    for name in ("_back_off", "_jitter"):
        monkeypatch.setattr(f"vivavoce.interview.asking.{name}", lambda _: 0.001)


def command(candidate: str, server: str, *more: str) -> tuple[str, ...]:
    terms = ("--passing-grade", "0.7", "--ridiculous-limit", "none", "--seed", "4", "--json", "--quiet")
    return ("certify", f"chat:{candidate}@{server}/v1", "--scope", f"file:{SCOPE}", "--transcript", "run.sqlite", *terms, *more)


def found_by(viva: Viva, *arguments: str) -> dict[str, Any]:
    ended = viva(*arguments)
    assert ended.code in (0, 3, 4), ended.err
    found: dict[str, Any] = json.loads(ended.out)
    return found


@pytest.mark.parametrize(
    "mode", ["status-503", "cut-before", "cut-within", "not-json", "error-in-200", "not-http", "no-choices"]
)
def test_to_fail_instead_of_being_wrong_shows_nothing(viva: Viva, tmp_path: Path, failing: str, mode: str) -> None:
    write_scope(tmp_path)
    # right half of the time, and asked until it is: nine right answers in a row would be enough
    found = found_by(viva, *command(f"instead.{mode}", failing, "--questions", "30", "--attempts", "30"))
    assert found["verdict"] == "no conclusion"
    assert 5 <= found["faults"] <= 25  # 15 are expected, with a standard deviation of 2.7
    assert f"{found['faults']} of {found['questions']} questions met a fault of the server" in found["why_not"]
    assert any("whatever was said to a second try" in caveat for caveat in found["caveats"])
    assert found["score"]["lower"] < 0.5 + 0.3  # the interval allows for the truth
    assert found["score"]["mean"] == (found["questions"] - found["faults"]) / found["questions"]
