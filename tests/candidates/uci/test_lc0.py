"""Leela: what it says of its moves is read as it was meant, by a stand-in whose values are known."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.each_case import each_case

pytest.importorskip("chess", reason="the stand-in knows the rules by python-chess: pip install 'vivavoce[chess]'")

from tests.candidates.engines import GOOD, fake, needs_stockfish, positions
from tests.candidates.leela import IDENTITY, draws, lc0, prior, searched, statistics, value
from vivavoce.candidates.uci.engine import PRESET, MoveStatistics, UciEngine, read_statistics, statistics_of
from vivavoce.candidates.uci.options import find_engine
from vivavoce.candidates.uci.pool import open_engine
from vivavoce.errors import BadInput, TransportFault, UnknownName

CASTLES = "4k2r/8/8/8/8/8/3PPPPP/3QK2R w K - 0 20"


@pytest.fixture
def leela(tmp_path: Path) -> str:
    return f"uci:{lc0(tmp_path)}"


def test_q_is_that_of_the_move_it_plays_to_five_digits(leela: str) -> None:
    with UciEngine(find_engine(f"{leela}?nodes=40").settings) as engine:
        for fen in positions(25, seed=6):
            evaluation = engine.evaluate(fen)
            assert evaluation.q == pytest.approx(searched(fen, evaluation.best_move), abs=6e-6)
            assert evaluation.nodes == 40
            assert evaluation.draws is not None
            assert evaluation.draws / 1000 == pytest.approx(
                draws(fen, evaluation.best_move), abs=0.0021
            )  # wins and losses are rounded


def test_with_one_node_the_heads_speak_alone(leela: str) -> None:
    import chess

    with UciEngine(find_engine(f"{leela}?nodes=1").settings) as engine:
        for fen in positions(25, seed=7):
            evaluation = engine.evaluate(fen)
            assert evaluation.q == pytest.approx(value(fen), abs=6e-6)
            priors = {move.uci(): prior(fen, move.uci()) for move in chess.Board(fen).legal_moves}
            assert evaluation.best_move == max(priors, key=priors.__getitem__)


@pytest.mark.long
def test_by_wins_and_losses_it_is_the_same_but_for_two_digits(leela: str) -> None:
    moves, wins = find_engine(f"{leela}?nodes=40"), find_engine(f"{leela}?nodes=40&wdl=engine")
    with UciEngine(moves.settings) as by_moves, UciEngine(wins.settings) as by_wins:
        for fen in positions(10, seed=8):
            evaluation, other = by_moves.evaluate(fen), by_wins.evaluate(fen)
            assert evaluation.q == pytest.approx(other.q, abs=0.0021)
            assert evaluation.q != other.q


def test_castling_is_found_although_it_is_written_in_two_ways() -> None:
    lines = [f"info string {line}" for line in statistics(CASTLES, 200)[0]]
    assert sum(" e1h1 " in line for line in lines) == 1
    move_statistics = statistics_of("\n".join(lines).encode(), "e1g1")
    assert move_statistics.move == "e1h1"
    assert move_statistics.q == pytest.approx(searched(CASTLES, "e1g1"), abs=6e-6)


def test_a_line_that_a_person_can_read() -> None:
    line = b"info string g1f3  (374 ) N:      57 (+ 0) (P: 17.79%) (WL: -0.01250) (D: 0.623) (M: 118.0) (Q: -0.01250) "
    line += b"(U: 0.08000) (S:  0.06750) (V: -0.0311) (T) "
    assert read_statistics(line) == MoveStatistics("g1f3", 57, 0.1779, -0.0125, -0.0125, 0.623, -0.0311)
    unvisited = b"info string a7a8q (1900) N:       0 (+ 0) (P:  0.03%) (WL:  -.-----) (D: -.---) (M:  -.-) (Q: -0.33000) "
    unvisited += b"(U: 0.00100) (S: -0.32900) (V:  -.----) "
    assert read_statistics(unvisited) == MoveStatistics("a7a8q", 0, 0.0003, -0.33, None, None, None)
    node = b"info string node  (  20) N:     400 (+ 0) (P:100.0%) (WL:  0.03) (D: 0.5) (M: 9.0) (Q:  0.03) (V:  0.03) "
    assert read_statistics(node.replace(b"P:100.0", b"P: 100.0")) == MoveStatistics("node", 400, 1.0, 0.03, 0.03, 0.5, 0.03)


@each_case(
    "line",
    [
        b"info depth 3 score cp 12 nodes 3 pv e2e4",
        b"info string e2e4 is good",
        b"info string e2e4  (322 ) N:     1 (+ 0) (P:  1.00%) (WL: 0.1) (D: 0.1)",  # no Q
        b"info string e2e4  (322 ) N:     1 (+ 0) (P:  1.00%) (Q:  7.00000) ",
        b"info string e2e4  (322 ) N:     1 (+ 0) (P:  nan%) (Q:  0.00000) ",
        b"info string e2e9  (322 ) N:     1 (+ 0) (P:  1.00%) (Q:  0.00000) ",
        b"info string e2e4  (322 ) N:     " + b"9" * 40 + b" (+ 0) (P:  1.00%) (Q:  0.00000) ",
        b"info string e2e4  (322 ) N:     1 (+ 0) (P:  1.00%) " + b"(Q: " * 50_000,
    ],
)
def test_what_is_no_line_of_statistics(line: bytes) -> None:
    assert read_statistics(line) is None


def test_without_statistics_there_is_no_answer() -> None:
    with pytest.raises(TransportFault, match="reported no statistics for its move e2e4"):
        statistics_of(b"info depth 3 score cp 12 nodes 3 pv e2e4", "e2e4")


def test_the_preset_is_the_papers_and_what_is_given_comes_first(leela: str) -> None:
    engine = find_engine(leela)
    assert engine.name == f"uci:lc0?nodes=10000&wdl=moves&engine={IDENTITY.replace('+', '%2B')}"
    document = dict(engine.settings.options)
    assert {option: document[option] for option in PRESET} == PRESET
    assert (document["VerboseMoveStats"], document["Threads"], document["Ponder"]) == ("true", "1", "false")
    fast = find_engine(f"{leela}?MinibatchSize=256&SmartPruningFactor=0&WeightsFile=/nets/T807785.pb.gz&nodes=400")
    # 256 is lc0's own default, but not the preset's; 0 is the preset's
    assert fast.name.startswith("uci:lc0?nodes=400&MinibatchSize=256&WeightsFile=/nets/T807785.pb.gz&wdl=moves&engine=")
    assert dict(fast.settings.options)["MinibatchSize"] == "256"
    plain = find_engine(f"{leela}?wdl=engine")
    assert "SmartPruningFactor" not in dict(plain.settings.options)
    for named_engine in (engine, fast, plain):
        assert find_engine(named_engine.name.replace("uci:lc0", leela)).name == named_engine.name


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("VerboseMoveStats=false", "follows from wdl=engine, wdl=moves or wdl=logistic"),
        ("MinibatchSize=0", "from 1 to 1024"),
        ("Minibatch=9", "did you mean 'MinibatchSize'"),  # it says itself that it knows no such option
        ("Quux=9", "there is no option of Lc0"),
        ("CPuctAtRoot=1%0Aquit", "one line"),
    ],
)
def test_what_lc0_does_not_take_is_refused(leela: str, options: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        find_engine(f"{leela}?{options}")


def test_hidden_options_are_passed_on_and_told(leela: str) -> None:
    # near 'CPuct', which is declared; but lc0 complains of what it does not know, and not of this
    engine = find_engine(f"{leela}?CPuctAtRoot=2.5")
    assert engine.undeclared == ("CPuctAtRoot",)
    assert ("CPuctAtRoot", "2.5") in engine.settings.options
    assert "&CPuctAtRoot=2.5&" in engine.name
    assert open_engine(f"{leela}?CPuctAtRoot=2.5").undeclared == ("CPuctAtRoot",)
    assert open_engine(leela).undeclared == ()


def test_an_engine_that_never_complains_is_told_what_looks_like_nothing_it_has(tmp_path: Path) -> None:
    silent = f"uci:{fake(tmp_path, GOOD)}"
    assert find_engine(f"{silent}?Quux=9").undeclared == ("Quux",)
    with pytest.raises(UnknownName, match="did you mean 'Style'"):
        find_engine(f"{silent}?Stile=Solid")


@pytest.mark.engine
@needs_stockfish
def test_stockfish_complains_itself() -> None:
    with pytest.raises(UnknownName, match="there is no option of Stockfish"):
        find_engine("uci:stockfish?Quux=9")


def test_statistics_are_not_asked_of_others(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="has no option VerboseMoveStats"):
        find_engine(f"uci:{fake(tmp_path, GOOD)}?wdl=moves")
