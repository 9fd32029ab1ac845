"""`viva consistency games` as a user types it."""

from __future__ import annotations

import math
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.candidates.boards.servers import needs_fairy, variant_program
from tests.cli.conftest import Refuses, Viva, wait_for_records
from vivavoce.interview.transcript import Transcript

TASTE = "value = lambda rows: 300 + 100 * sum(row[0].isupper() - row[0].islower() for row in rows)"
"""Red is always held to be ahead, and its men at the left edge count: a taste for an edge, and for a colour."""


@pytest.fixture
def command(tmp_path: Path) -> tuple[str, ...]:
    program = variant_program(tmp_path, TASTE)
    return ("consistency", "games", "xiangqi", f"uci:{program}", "--limit", "8", "--length", "30", "--quiet")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chess", "uci:stockfish"], "'chess' is not one of"),
        (["go", "uci:stockfish"], "'go' is not one of"),
        (["shogi", "bot:eliza"], "write for example uci:fairy-stockfish"),
        (["xiangqi", "uci:"], "write for example uci:fairy-stockfish"),
        (["shogi", "uci:/nowhere/fairy-stockfish"], "apt-get install fairy-stockfish"),
        (["shogi", "uci:fairy-stockfish", "--check", "castling"], "'castling' is not a check"),
        (["shogi", "uci:fairy-stockfish", "--opening", "9", "--length", "9"], "length is 9"),
    ],
)
def test_mistakes_are_refused(refuses: Refuses, arguments: list[str], message: str) -> None:
    refuses("consistency", "games", *arguments, says=message)


@pytest.mark.long
def test_a_taste_for_an_edge_and_for_red_is_found(viva: Viva, command: tuple[str, ...], tmp_path: Path) -> None:
    """With colours exchanged Black should be ahead, but the engine says Red is."""
    document = viva(*command, "--json", "--html", "page.html").values
    rows = {row["name"]: row for row in document["figures"]["treatments"]}
    assert (rows["colours"]["n"], rows["mirror"]["n"]) == (8, 8)
    assert rows["colours"]["rates"]["over_0.5"]["least"] == 1
    for pair in document["details"]["each"]:
        first, second = worth(pair["first"]["position"]), worth(pair["second"]["position"])
        if pair["check"] in ("recommended", "forced"):
            second = -second
        assert pair["difference"] == pytest.approx(abs(first - second))
    assert "Black to move" in (tmp_path / "page.html").read_text(encoding="utf-8")


def worth(fen: str) -> float:
    """Of the side to move, by the same taste."""
    men, side, *_ = fen.split()
    red = 300 + 100 * sum(row[0].isupper() - row[0].islower() for row in men.split("/"))
    return (2 / (1 + math.exp(-0.00368208 * red)) - 1) * (1 if side == "w" else -1)


@pytest.mark.long
def test_killed_and_started_again_it_asks_only_for_the_rest(
    viva: Viva, command: tuple[str, ...], tmp_path: Path, viva_copy: Callable[..., subprocess.Popen[str]]
) -> None:
    process = viva_copy(*command, "--json", "--transcript", "run.sqlite")
    wait_for_records(tmp_path / "run.sqlite", 3)  # games at least, which come first
    process.kill()
    process.communicate(timeout=30)
    with Transcript.open(tmp_path / "run.sqlite", verified=False) as transcript:
        before = transcript.head.count
    ended = viva(*command[:-1], "--transcript", "run.sqlite", "--workers", "2")
    with Transcript.open(tmp_path / "run.sqlite") as transcript:
        assert f" from the record, {transcript.head.count - before} new" in ended.out
    resumed, whole = (viva(*command, "--json", "--transcript", f"{name}.sqlite").values for name in ("run", "other"))
    assert resumed.pop("transcript_head").partition(":")[0] == whole.pop("transcript_head").partition(":")[0]
    assert resumed == whole


@pytest.mark.engine
@pytest.mark.long
@needs_fairy
def test_self_play_gives_the_same_table_however_many_engines_there_are(viva: Viva) -> None:
    command = (
        "consistency",
        "games",
        "xiangqi",
        "uci:fairy-stockfish?nodes=60",
        "--limit",
        "6",
        "--length",
        "30",
        "--quiet",
        "--json",
    )
    document, two = (viva(*command, "--workers", workers).values for workers in ("1", "2"))
    assert document == two
    assert [row["name"] for row in document["figures"]["treatments"]] == ["recommended", "forced", "mirror", "colours"]
    assert document["candidates"][0].endswith("UCI_Variant=xiangqi&wdl=logistic&engine=Fairy-Stockfish 11.1 LB 64")
