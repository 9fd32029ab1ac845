"""`viva consistency games` as a user types it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.candidates.boards.servers import gtp_program, needs_fairy
from tests.cli.conftest import Viva, wait_for_records
from vivavoce.interview.transcript import Transcript

PLAYS = """
if word == "genmove":
    free = [p + str(r) for r in range(1, 6) for p in "ABCDE" if p + str(r) not in board]
    reply = "PASS" if len(board) > 11 else free[0]
    board[reply] = rest[0]
if word == "estimate_score":
    reply = "B+%.1f" % (sum(c == "b" and p[0] == "A" for p, c in board.items()) * 3 + 6.5)
"""
"""Black is always ahead, by its stones at the left edge: a taste for an edge, and for a colour."""


@pytest.fixture
def command(tmp_path: Path) -> tuple[str, ...]:
    program = gtp_program(tmp_path, PLAYS)
    return ("consistency", "games", "go", f"gtp:{program}", "--size", "5", "--limit", "8", "--opening", "6", "--quiet")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["chess", "uci:stockfish"], "'chess' is not one of"),
        (["go", "uci:stockfish"], "write for example gtp:gnugo --mode gtp"),
        (["xiangqi", "uci:"], "write for example uci:fairy-stockfish"),
        (["shogi", "uci:/nowhere/fairy-stockfish"], "apt-get install fairy-stockfish"),
        (["go", "gtp:/nowhere/gnugo --mode gtp"], "apt-get install gnugo"),
        (["backgammon", "gnubg:/nowhere/gnubg"], "apt-get install gnubg"),
        (["go", "gtp:gnugo", "--check", "castling"], "'castling' is no check"),
        (["go", "gtp:gnugo", "--check", "rolls"], "go has no check 'rolls'"),
        (["go", "gtp:gnugo", "--size", "3"], "5<=x<=19"),
        (["go", "gtp:gnugo", "--opening", "9", "--length", "9"], "length is 9"),
        (["go", "gtp:gnugo", "--html", "no/folder/page.html"], "no/folder"),
    ],
)
def test_a_mistake_is_one_line_with_the_remedy_and_exit_code_2(viva: Viva, arguments: list[str], said: str) -> None:
    ended = viva("consistency", "games", *arguments)
    assert ended.code == 2
    assert ended.err.startswith("viva: ")
    assert ended.err.count("\n") == 1
    assert said in ended.err
    assert ended.out == ""


def test_other_commands_send_such_engines_here(viva: Viva) -> None:
    for command in (("examine", "gtp:gnugo", "--out", "x"), ("certify", "gnubg:gnubg", "--scope", "arithmetic", "--seed", "0")):
        ended = viva(*command)
        assert ended.code == 2
        assert "viva consistency games" in ended.err


def test_a_taste_for_an_edge_and_for_black_is_found(viva: Viva, command: tuple[str, ...], tmp_path: Path) -> None:
    """With colours exchanged it is White that should be ahead, but Black is held to be: values differ by 13 points and more."""
    found = json.loads(viva(*command, "--json", "--html", "page.html").out)
    rows = {row["check"]: row for row in found["rows"]}
    assert (found["measure"], rows["colours"]["n"], rows["orientations"]["n"]) == ("points", 8, 8)
    assert rows["colours"]["over"]["10"]["value"] == 1
    for one in found["each"]:
        left = [[row[0] for row in one[which].split("/")] for which in ("position", "other_position")]
        values = [6.5 + 3 * column.count("X") for column in left]
        if one["check"] == "orientations":
            assert one["difference"] == pytest.approx(abs(values[0] - values[1]))
        else:
            assert one["difference"] == pytest.approx(sum(values))
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Black to move" in page
    assert "Komi 6.5" in page


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
    assert f"Answers: {before} from the record, " in ended.out
    resumed, whole = (json.loads(viva(*command, "--json", "--transcript", f"{name}.sqlite").out) for name in ("run", "other"))
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
    one, two = (json.loads(viva(*command, "--workers", workers).out) for workers in ("1", "2"))
    assert one == two
    assert [row["check"] for row in one["rows"]] == ["recommended", "forced", "mirror", "colours"]
    assert one["candidate"].endswith("UCI_Variant=xiangqi&wdl=logistic&engine=Fairy-Stockfish 11.1 LB 64")
