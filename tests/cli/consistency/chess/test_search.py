"""`viva consistency chess search` with a real engine."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Refuses, Viva, in_full

STOCKFISH = shutil.which("stockfish") or shutil.which("stockfish", path="/usr/games")
pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(STOCKFISH is None, reason="stockfish is not installed (apt-get install stockfish)"),
]
ENGINE = f"uci:{STOCKFISH}?nodes=100&hash=1"
SMALL = ("--evaluations", "64", "--seeds", "2", "--quiet")


def search(viva: Viva, *arguments: str) -> dict[str, Any]:
    done = viva("consistency", "chess", "search", ENGINE, *SMALL, "--json", *arguments)
    assert done.code == 0, done.err
    result: dict[str, Any] = done.values
    return result


@pytest.mark.long
def test_a_run_in_json_is_the_same_again_from_its_transcript(viva: Viva, tmp_path: Path) -> None:
    few = ("--seed", "4", "--evaluations", "32", "--transcript", "run.sqlite")
    first = search(viva, *few, "--html", "page.html")
    again = search(viva, *few, "--workers", "2")
    assert first == again  # the head of the transcript, too: nothing was asked again
    assert [run["seed"] for run in first["figures"]["runs"]] == [4, 5] * 3
    assert first["figures"]["evaluations"] == 32
    assert "Search for contradictions" in (tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.mark.long
def test_one_method_all_orientations(viva: Viva) -> None:
    values = search(viva, "--method", "archive", "--orientations", "all", "--threshold", "0.5")
    assert {run["method"] for run in values["figures"]["runs"]} == {"archive"}
    assert {run["boards"] for run in values["figures"]["runs"]} == {8}
    assert (values["figures"]["half_turn_only"], values["figures"]["threshold"]) == (False, 0.5)


def test_the_terminal_ends_with_the_sentence(viva: Viva) -> None:
    done = viva("consistency", "chess", "search", ENGINE, *in_full(SMALL), "--method", "random")
    assert done.code == 0
    assert "Families" in done.out
    assert "Stockfish" in done.out.rstrip().splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--evaluations", "4", "--orientations", "all"), "one board with all its orientations takes 8"),
        (("--threshold", "0.3"), "'0.3' is not one of"),
    ],
)
def test_mistakes_are_refused(refuses: Refuses, arguments: tuple[str, ...], says: str) -> None:
    refuses("consistency", "chess", "search", ENGINE, *arguments, says=says)
