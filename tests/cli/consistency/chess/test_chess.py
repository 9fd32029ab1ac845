"""`viva consistency chess check` and `scaling`."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from tests.candidates.engines import needs_stockfish
from tests.candidates.leela import lc0
from tests.cli.conftest import Refuses, Viva
from vivavoce.cli.consistency.chess import node_counts
from vivavoce.cli.options import checks_among
from vivavoce.consistency.chess.comparison import ChessCheck
from vivavoce.consistency.config import CHECKS
from vivavoce.examination.parts.chess import with_nodes, without_nodes

FENS = """\
r1b2r2/1p1q1pk1/3p3p/pNp3p1/PnP5/1P1PnNPP/4P1B1/R3QRK1 b - - 2 20
5rk1/p4qbp/3p4/2pN1n1P/2Qp2p1/1P6/P1P2PP1/1K2R2R w - - 2 29
r3k2r/1ppn1ppn/4b3/pPb1p2p/P3P3/2P1BP2/1K1N2PP/R4BNR w q - 9 16
r7/p1pkb3/1p2p3/4PnP1/5P2/1P1PKP2/P2BN2q/R2Q4 w - - 7 25
"""
ENGINE = "uci:stockfish?nodes=300"
MIRROR = ("consistency", "chess", "check", ENGINE, "--check", "mirror", "--positions", "some.epd", "--limit", "4", "--quiet")


@pytest.fixture
def positions(tmp_path: Path) -> None:
    (tmp_path / "some.epd").write_text(FENS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chess", "check", "uci:nowhere-engine"], "nowhere-engine"),
        (["chess", "check", "bot:eliza"], "uci:PROGRAM"),
        (["chess", "check", "uci:stockfish", "--check", "castling"], "'castling' is not a check"),
        (["chess", "check", "uci:stockfish", "--positions", "nowhere.pgn"], "there is no file 'nowhere.pgn'"),
        (["chess", "check", "uci:stockfish", "--boards", "nowhere.epd"], "there is no file 'nowhere.epd'"),
        (["chess", "check", "uci:stockfish", "--per-game", "few"], "'few' is out of range"),
        (["chess", "check", "uci:stockfish", "--details"], "give --json"),
        (["chess", "scaling", "uci:stockfish"], "'--nodes'"),
        (["chess", "scaling", "uci:stockfish", "--nodes", "100"], "two or more"),
        (["chess", "scaling", "uci:stockfish", "--nodes", "0,100"], "is not a list of nodes"),
        (["chess", "scaling", "uci:stockfish?hash=1&Depth=4", "--nodes", "10,20"], "leave depth out"),
    ],
)
def test_mistakes_are_refused(refuses: Refuses, arguments: list[str], message: str) -> None:
    refuses("consistency", *arguments, says=message)


def test_checks_are_named_alone_several_times_or_with_commas() -> None:
    context, option = click.Context(click.Command("chess")), click.Option(["--check"])
    chosen = checks_among(CHECKS)
    assert chosen(context, option, ["mirror"]) == ("mirror",)
    assert chosen(context, option, ["boards,forced", "boards"]) == ("forced", "boards")
    assert chosen(context, option, ["all"]) == tuple(ChessCheck)


def test_nodes_are_replaced_and_taken_out_of_a_name() -> None:
    assert with_nodes("uci:stockfish", 5) == "uci:stockfish?nodes=5"
    assert with_nodes("uci:x?a=1&Nodes=7&b=2", 5) == "uci:x?a=1&b=2&nodes=5"
    assert without_nodes("uci:x?nodes=7") == "uci:x"
    assert node_counts("1000, 1,100,100") == (1, 100, 1000)


@pytest.mark.engine
@needs_stockfish
@pytest.mark.usefixtures("positions")
class TestWithStockfish:
    def test_json_alone_with_every_comparison(self, viva: Viva) -> None:
        ended = viva(*MIRROR, "--json", "--details")
        document = ended.values
        assert (ended.code, ended.err) == (0, "")
        rows, pairs = document["figures"]["treatments"], document["details"]["each"]
        assert [row["name"] for row in rows] == ["mirror"]
        assert [pair["first"]["fen"] for pair in pairs] == FENS.splitlines()
        for pair in pairs:
            first, second = (pair[where]["evaluation"]["q"] for where in ("first", "second"))
            assert pair["difference"] == round(abs(first - second), 9)
        over = sum(pair["difference"] > 0.05 for pair in pairs) / 4
        assert rows[0]["rates"]["over_0.05"]["least"] == over
        assert document["scope"] == "some.epd, at most 2 of a game"

    def test_the_sentence_is_last_and_the_page_has_boards(self, viva: Viva, tmp_path: Path) -> None:
        ended = viva(*MIRROR, "--html", "page.html")
        sentence, page = ended.out.splitlines()[-2:]
        assert sentence.startswith("Stockfish")
        assert page == "Page: page.html"
        assert 'aria-label="As it is:' in (tmp_path / "page.html").read_text(encoding="utf-8")

    def test_positions_that_run_out_are_said(self, viva: Viva) -> None:
        ended = viva(*(part for part in MIRROR if part != "--quiet"), "--limit", "9")
        assert "the positions ran out before 9 were compared (mirror 4)" in ended.err

    def test_what_is_on_record_is_not_asked_again(self, viva: Viva) -> None:
        first = viva(*MIRROR, "--json", "--transcript", "run.sqlite").values
        assert viva(*MIRROR, "--json", "--transcript", "run.sqlite").values == first
        assert first["transcript_head"].startswith("8:")

    @pytest.mark.long
    def test_self_play_gives_the_same_positions_again(self, viva: Viva) -> None:
        command = (
            "consistency",
            "chess",
            "check",
            "uci:stockfish?nodes=50",
            "--check",
            "recommended,mirror",
            "--limit",
            "6",
            "--quiet",
        )
        first, again = (viva(*command, "--json", "--details").values for _ in range(2))
        assert first == again
        assert {pair["game"].partition(" game ")[0] for pair in first["details"]["each"]} == {"self-play"}
        assert len({pair["first"]["fen"] for pair in first["details"]["each"]}) >= 6

    def test_scaling_examines_the_same_positions_at_each_number_of_nodes(self, viva: Viva, tmp_path: Path) -> None:
        command = ("consistency", "chess", "scaling", "uci:stockfish", "--nodes", "100,1,10", "--check", "mirror", "--quiet")
        ended = viva(*command, "--positions", "some.epd", "--limit", "4", "--json", "--html", "page.html")
        document = ended.values
        rows = document["figures"]["treatments"]
        assert [(row["numbers"]["nodes"], row["n"]) for row in rows] == [(1, 4), (10, 4), (100, 4)]
        assert document["candidates"][0].startswith("uci:stockfish?hash=1")
        assert "Nodes searched" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_an_option_that_is_not_declared_is_passed_on_with_a_warning(viva: Viva, tmp_path: Path) -> None:
    (tmp_path / "some.fen").write_text("r1b2r2/1p1q1pk1/3p3p/pNp3p1/PnP5/1P1PnNPP/4P1B1/R3QRK1 b - - 2 20\n")
    engine = f"uci:{lc0(tmp_path)}?nodes=10&CPuctAtRoot=2.5"
    ended = viva("consistency", "chess", "check", engine, "--check", "mirror", "--positions", "some.fen", "--limit", "1")
    assert ended.code == 0
    assert "warning: the engine does not declare 'CPuctAtRoot': passed on" in ended.err
    assert "Lc0 v0.29.0" in ended.out


def test_the_warning_comes_once_however_often_the_engine_is_opened(viva: Viva, tmp_path: Path) -> None:
    engine = f"uci:{lc0(tmp_path)}?nodes=2&CPuctAtRoot=2.5"
    ended = viva(
        "consistency", "chess", "check", engine, "--check", "mirror", "--limit", "1"
    )  # it plays for its positions, too
    assert (ended.code, ended.err.count("warning")) == (0, 1)
