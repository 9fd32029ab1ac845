"""`viva consistency chess-match`: what is printed, what is refused, and going on after a stop."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("chess", reason="python-chess knows the rules: pip install 'vivavoce[chess]'")

from tests.candidates.engines import needs_stockfish
from tests.candidates.leela import lc0
from tests.cli.conftest import Viva, wait_for_records

NNUE, CLASSICAL = "uci:stockfish?nodes=50", "uci:stockfish?nodes=50&Use NNUE=false"
MATCH = ("consistency", "chess-match", NNUE, CLASSICAL, "--openings", "4", "--quiet", "--json")


def without_head(finding: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in finding.items() if name != "transcript_head"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["chess-match", "uci:stockfish"], "OPPONENT"),
        (["chess-match", "uci:nowhere-engine", "uci:nowhere-engine"], "nowhere-engine"),
        (["chess-match", "uci:stockfish", "uci:stockfish", "--openings", "1"], "1 is not in the range"),
        (["chess-match", "uci:stockfish", "uci:stockfish", "--margin", "0"], "0.0 is not in the range"),
        (["chess-match", "uci:stockfish", "uci:stockfish", "--nodes", "100"], "two or more"),
        (["chess-match", "uci:stockfish", "uci:stockfish?depth=4", "--nodes", "10,20"], "'uci:stockfish?depth=4' has a depth"),
        (["chess-scaling", "uci:stockfish?hash=1&Depth=4", "--nodes", "10,20"], "leave depth out"),
        (["chess-match", "uci:stockfish", "uci:stockfish", "--book", "nowhere.epd"], "there is no file 'nowhere.epd'"),
    ],
)
def test_a_mistake_is_one_line_with_the_remedy_and_exit_code_2(viva: Viva, arguments: list[str], said: str) -> None:
    ended = viva("consistency", *arguments)
    assert ended.code == 2
    assert ended.err.startswith("viva: ")
    assert ended.err.count("\n") == 1
    assert said in ended.err
    assert ended.out == ""


def test_an_option_that_is_not_declared_is_passed_on_with_a_warning(viva: Viva, tmp_path: Path) -> None:
    (tmp_path / "some.fen").write_text("r1b2r2/1p1q1pk1/3p3p/pNp3p1/PnP5/1P1PnNPP/4P1B1/R3QRK1 b - - 2 20\n")
    engine = f"uci:{lc0(tmp_path)}?nodes=10&CPuctAtRoot=2.5"
    ended = viva("consistency", "chess", engine, "--check", "mirror", "--positions", "some.fen", "--limit", "1")
    assert ended.code == 0
    assert "warning: the engine does not declare 'CPuctAtRoot': passed on" in ended.err
    assert "Lc0 v0.29.0" in ended.out


def test_the_warning_comes_once_however_often_the_engine_is_opened(viva: Viva, tmp_path: Path) -> None:
    engine = f"uci:{lc0(tmp_path)}?nodes=2&CPuctAtRoot=2.5"
    ended = viva("consistency", "chess", engine, "--check", "mirror", "--limit", "1")  # it plays for its positions, too
    assert (ended.code, ended.err.count("warning")) == (0, 1)


def test_two_programs_of_one_name_are_refused(viva: Viva, tmp_path: Path) -> None:
    paths = []
    for version in ("old", "new"):
        (tmp_path / version).mkdir()
        paths.append(lc0(tmp_path / version))
    refused = viva("consistency", "chess-match", *(f"uci:{path}?nodes=2" for path in paths), "--openings", "2")
    assert (refused.code, refused.out) == (2, "")
    assert all(str(path) in refused.err for path in paths)
    assert "rename a program" in refused.err
    same = viva("consistency", "chess-match", *[f"uci:{paths[0]}?nodes=2"] * 2, "--openings", "2", "--longest", "10", "--json")
    assert "Both are one engine" in json.loads(same.out)["statement"]


@pytest.mark.engine
@needs_stockfish
class TestWithStockfish:
    @pytest.mark.long
    def test_a_match_as_json_with_every_game_and_a_page(self, viva: Viva, tmp_path: Path) -> None:
        ended = viva(*MATCH, "--html", "page.html")
        found = json.loads(ended.out)
        assert (ended.code, ended.err) == (0, "Page: page.html\n")
        assert [(game["opening"], game["first_is_white"]) for game in found["games"]] == [
            (number, white) for number in range(4) for white in (True, False)
        ]
        assert found["score"]["value"] == sum(game["score"] for game in found["games"]) / 8
        assert found["score"]["n"] == 4
        assert "Results of the first engine" in (tmp_path / "page.html").read_text(encoding="utf-8")

    @pytest.mark.long
    def test_on_record_it_is_not_played_again_and_workers_change_nothing(self, viva: Viva) -> None:
        first = json.loads(viva(*MATCH, "--transcript", "run.sqlite").out)
        again = viva(*MATCH, "--transcript", "run.sqlite", "--workers", "2")
        assert json.loads(again.out) == first
        assert without_head(json.loads(viva(*MATCH, "--workers", "2").out)) == without_head(first)

    @pytest.mark.long
    def test_over_nodes_there_is_a_match_at_each(self, viva: Viva) -> None:
        ended = viva(*MATCH, "--nodes", "200,20")
        found = json.loads(ended.out)
        assert ended.code == 0
        assert [row["nodes"] for row in found["rows"]] == [20, 200]
        assert found["equal_nodes"] is None  # four openings are too few
        assert found["opponent"].startswith("uci:stockfish?hash=1&Use NNUE=false")

    @pytest.mark.slow
    def test_interrupted_it_goes_on_from_there(
        self, viva: Viva, tmp_path: Path, viva_copy: Callable[..., subprocess.Popen[str]]
    ) -> None:
        process = viva_copy(*MATCH, "--transcript", "run.sqlite")
        wait_for_records(tmp_path / "run.sqlite", 60)
        process.send_signal(signal.SIGINT)
        printed, errors = process.communicate(timeout=30)
        assert (process.returncode, printed) == (130, "")
        assert "run the same command again" in errors
        resumed, whole = (json.loads(viva(*MATCH, "--transcript", f"{name}.sqlite").out) for name in ("run", "other"))
        assert without_head(resumed) == without_head(whole)
