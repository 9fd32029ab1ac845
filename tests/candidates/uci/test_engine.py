"""One engine: the same answers in any order and process, equal to a second road; and engines that misbehave."""

from __future__ import annotations

import math
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.candidates.engines import (
    GOOD,
    MATE_IN_ONE,
    OVER,
    fake,
    is_alive,
    needs_glaurung,
    needs_gnuchess,
    needs_stockfish,
    positions,
    raw_evaluations,
)
from tests.each_case import each_case
from vivavoce.candidates.uci import engine as uci_engine
from vivavoce.candidates.uci.engine import EngineProcess, UciEngine, program_path
from vivavoce.candidates.uci.options import find_engine
from vivavoce.errors import BadInput, CandidateMisconfigured, TransportFault
from vivavoce.interview.candidate_kinds import Evaluation

FEN = "r3kb1r/pp1qpppp/2n2n2/3p4/3P1B2/2N1P3/PP3PPP/R2QKB1R w KQkq - 3 9"


def opened(name: str) -> UciEngine:
    return UciEngine(find_engine(name).settings)


@pytest.mark.engine
@needs_stockfish
@pytest.mark.long
def test_evaluations_are_the_same_in_any_order_and_process() -> None:
    fens = positions(50)
    shuffled = random.Random(1).sample(fens, k=len(fens))
    with opened("uci:stockfish?nodes=2000") as first, opened("uci:stockfish?nodes=2000") as second:
        in_order = {fen: first.evaluate(fen) for fen in fens}
        in_disorder = {fen: second.evaluate(fen) for fen in shuffled}
    assert in_order == in_disorder
    assert len({evaluation.q for evaluation in in_order.values()}) > 10


@pytest.mark.engine
@needs_stockfish
@pytest.mark.parametrize(
    ("options", "setup"),
    [
        ("nodes=3000", "setoption name Hash value 1\n"),
        ("nodes=1000&hash=4&Use NNUE=false", "setoption name Hash value 4\nsetoption name Use NNUE value false\n"),
        ("nodes=1", "setoption name Hash value 1\n"),
    ],
)
@pytest.mark.long
def test_evaluations_equal_those_of_a_second_road(options: str, setup: str) -> None:
    fens = [*positions(40, seed=2), MATE_IN_ONE]
    nodes = int(options.partition("&")[0].removeprefix("nodes="))
    with opened(f"uci:stockfish?{options}") as engine:
        ours = [engine.evaluate(fen) for fen in fens]
    assert ours == raw_evaluations(fens, nodes=nodes, setup=setup)


@pytest.mark.engine
@needs_stockfish
def test_python_chess_hears_the_same() -> None:
    pytest.importorskip("chess", reason="python-chess is the witness: pip install 'vivavoce[chess]'")
    import chess
    import chess.engine

    with opened("uci:stockfish?nodes=500") as ours, chess.engine.SimpleEngine.popen_uci(program_path("stockfish")) as theirs:
        theirs.configure({"Threads": 1, "Hash": 1, "UCI_ShowWDL": True})
        for fen in positions(10, seed=3):
            answer = ours.evaluate(fen)
            # It gives every line, but cannot tell Stockfish's bounds: these have `wdl` between the score and `upperbound`.
            with theirs.analysis(chess.Board(fen), chess.engine.Limit(nodes=500), game=object()) as lines:
                rows = [(info["score"].relative, info["wdl"].relative) for info in lines if "score" in info and "wdl" in info]
                best = lines.wait().move
            heard = [(score.score(), score.mate(), wdl.wins, wdl.draws, wdl.losses) for score, wdl in rows]
            assert (answer.centipawns, answer.mate, answer.wins, answer.draws, answer.losses) in heard[-2:]
            assert best is not None
            assert answer.best_move == best.uci()


@pytest.mark.engine
@needs_stockfish
def test_mate_and_the_end_of_a_game() -> None:
    with opened("uci:stockfish?nodes=500") as engine:
        mate = engine.evaluate(MATE_IN_ONE)
        assert (mate.q, mate.mate, mate.centipawns) == (1.0, 1, None)
        assert mate.best_move in ("g6g7", "g6d8", "g6e8")  # each of the three mates
        with pytest.raises(TransportFault, match="no move") as caught:
            engine.evaluate(OVER)
        assert not caught.value.worth_retrying
        assert engine.evaluate(MATE_IN_ONE) == mate


@pytest.mark.engine
@needs_stockfish
def test_the_logistic_for_an_engine_that_has_better() -> None:
    with (
        opened("uci:stockfish?nodes=500&wdl=logistic") as plain,
        opened("uci:stockfish?nodes=500&wdl=logistic&scale=0.01") as own,
    ):
        for fen in positions(5, seed=4):
            first, second = plain.evaluate(fen), own.evaluate(fen)
            assert first.wins is None
            if first.centipawns is not None:  # the formula as Lichess writes it: Win% = 50 + 50 * q
                assert first.q == pytest.approx(2 / (1 + math.exp(-0.00368208 * first.centipawns)) - 1, abs=1e-12)
                assert second.q == pytest.approx(2 / (1 + math.exp(-0.01 * first.centipawns)) - 1, abs=1e-12)


@pytest.mark.engine
@pytest.mark.parametrize(
    "name",
    [
        pytest.param("uci:glaurung?nodes=20000", marks=needs_glaurung),
        pytest.param("uci:gnuchess --uci?depth=4", marks=needs_gnuchess),  # heeds no `nodes`
    ],
)
def test_engines_without_wdl(name: str) -> None:
    fens = positions(8, seed=5)
    with opened(name) as engine:
        answers = {fen: engine.evaluate(fen) for fen in fens}
        assert {fen: engine.evaluate(fen) for fen in reversed(fens)} == answers
        assert engine.evaluate(MATE_IN_ONE).q == 1.0
        with pytest.raises(TransportFault, match="no move"):
            engine.evaluate(OVER)
    for answer in answers.values():
        assert answer.wins is None
        assert answer.centipawns is not None
        assert answer.q == pytest.approx(2 / (1 + math.exp(-0.00368208 * answer.centipawns)) - 1, abs=1e-12)


GOES_ON = """
def go():
    for nodes in {searched}:
        say(f"info depth 1 score cp 10 nodes {{nodes}} pv e2e4")
    if "depth" in line or {stops}:
        say("bestmove e2e4")
    else:
        time.sleep(60)
"""


START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


def passes_over(folder: Path, searched: str, *, stops: bool = False, name: str = "on") -> str:
    """An engine that reports these numbers of nodes, and then thinks on unless it was told a depth."""
    return f"uci:{fake(folder, GOES_ON.format(searched=searched, stops=stops), name)}"


def test_an_engine_that_passes_over_its_nodes_is_refused_at_its_first_position(tmp_path: Path) -> None:
    endless = passes_over(tmp_path, "(50_000, 110_000, 110_001)")
    # 10 times 1,000 and 100,000 more are allowed; it would think on for a minute
    with opened(f"{endless}?nodes=1000") as engine, pytest.raises(CandidateMisconfigured) as refused:
        engine.evaluate(START)
    assert str(refused.value) == (
        "'Fake 1' ignores 'nodes': 1000 were requested, but it searched 110001; limit it by its depth instead, "
        "as in 'uci:on?depth=4'"
    )
    with opened(f"{endless}?depth=4") as engine:
        assert engine.evaluate(START).nodes == 110_001
    with opened(f"{passes_over(tmp_path, '(50_000, 110_000)', stops=True, name='late')}?nodes=1000") as engine:
        assert engine.evaluate(START).nodes == 110_000


@pytest.mark.engine
@needs_gnuchess
def test_gnu_chess_passes_over_its_nodes() -> None:
    with opened("uci:gnuchess --uci?nodes=1000") as engine, pytest.raises(CandidateMisconfigured, match=r"ignores .nodes."):
        engine.evaluate(START)


def says(*lines: str) -> str:
    return "def go():\n" + "".join(f"    say({line!r})\n" for line in lines)


@each_case(
    ("lines", "expected"),
    [
        # 1/(1+e^-x) halves: q(100 cp) = 2/(1+exp(-.368208)) - 1 = .18205 by hand
        (["info depth 1 score cp 100 nodes 7 pv e2e4"], Evaluation(0.18205, "e2e4", 7, centipawns=100)),
        (["info score mate -3 nodes 7"], Evaluation(-1.0, "e2e4", 7, mate=-3)),
        (["info score mate 0"], Evaluation(-1.0, "e2e4", 0, mate=0)),
        (["info score cp 0 nodes 5", "info score cp 900 upperbound nodes 9"], Evaluation(0.0, "e2e4", 9, centipawns=0)),
        (["info score cp 900 lowerbound nodes 5", "info score cp 0 lowerbound"], Evaluation(0.0, "e2e4", 5, centipawns=0)),
        (["info score cp 0 nodes 5", "info string score cp 900 nodes"], Evaluation(0.0, "e2e4", 5, centipawns=0)),
        (["info score cp 0 nodes 5", "info nodes 8 nps 3\r"], Evaluation(0.0, "e2e4", 8, centipawns=0)),
    ],
)
def test_which_line_counts(tmp_path: Path, lines: list[str], expected: Evaluation) -> None:
    with opened(f"uci:{fake(tmp_path, says(*lines, 'bestmove e2e4 ponder e7e5'))}") as engine:
        answer = engine.evaluate(FEN)
    assert answer.q == pytest.approx(expected.q, abs=1e-5)
    assert (answer.best_move, answer.nodes, answer.centipawns, answer.mate) == (
        expected.best_move, expected.nodes, expected.centipawns, expected.mate,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("body", "reason", "worth_retrying"),
    [
        ("def go():\n    sys.exit(1)\n", "the engine died", True),
        ("def go():\n    time.sleep(60)\n", "time-out after 0.5 s", False),
        ("def go():\n    while True: say('info string ' + 'x' * 1000)\n", "more than 4 MB", False),
        ("def go():\n    while True: sys.stdout.write('x' * 1000)\n", "more than 4 MB", False),
        (says("bestmove (none)"), "no move", False),
        (says("bestmove e2e4"), "no evaluation", False),
        (says("info score cp 5", "bestmove \x1b[31mcastles"), r"output is invalid: bestmove \[31mcastles", False),
        (says("info score cp 99999999999", "bestmove e2e4"), "no evaluation", False),
        (says("info score cp lots", "bestmove e2e4"), "no evaluation", False),
        ("def go():\n    os.write(1, bytes(range(256)) * 20 + b'\\nbestmove \\xff\\n')\n", "output is invalid", False),
    ],
)
def test_an_engine_that_misbehaves(tmp_path: Path, body: str, reason: str, worth_retrying: bool) -> None:
    # only the first position is answered badly; the next one gets its answer, from a new process if need be
    once = f"flag = {str(tmp_path / 'flag')!r}\n{GOOD.replace('def go', 'def good')}\n{body.replace('def go', 'def bad')}\n"
    once += "def go():\n    if os.path.exists(flag):\n        return good()\n    open(flag, 'w').close()\n    bad()\n"
    with opened(f"uci:{fake(tmp_path, once)}?time_out={0.5 if 'time-out' in reason else 20}") as engine:
        with pytest.raises(TransportFault, match=reason) as caught:
            engine.evaluate(FEN)
        assert caught.value.worth_retrying == worth_retrying
        assert len(caught.value.reason) < 200
        # 29 men: 15 white and 14 black ones, counted on the FEN
        assert engine.evaluate(FEN).centipawns == 10 * sum(c.isalpha() for c in FEN.split()[0])


@each_case("wdl", ["wdl 1000 1000 1000", "wdl 0 0 0", "wdl 500", ""])
def test_wdl_that_cannot_be(tmp_path: Path, wdl: str) -> None:
    body = says(f"info depth 1 score cp 10 {wdl} nodes 3", "bestmove e2e4")
    program = fake(tmp_path, body)
    program.write_text(
        program.read_text().replace("id name Fake 1", "id name Fake 1\\noption name UCI_ShowWDL type check default false")
    )
    with opened(f"uci:{program}") as engine, pytest.raises(TransportFault, match="output is invalid: info depth 1 score cp 10"):
        engine.evaluate(FEN)


def test_what_is_said_too_late_is_no_answer_to_the_next_position(tmp_path: Path) -> None:
    twice = GOOD + '    say("info score cp 9999")\n    say("bestmove a2a3")\n'
    with opened(f"uci:{fake(tmp_path, twice)}") as engine:
        for _ in range(3):
            assert engine.evaluate(FEN).best_move == "e2e4"


def test_an_engine_that_reads_nothing(tmp_path: Path) -> None:
    # 5,000 commands of 85 bytes are more than a pipe holds (64 KB); nobody waits for it
    deaf = "time.sleep(60)\ndef go(): pass\n"
    began = time.monotonic()
    process = EngineProcess([str(fake(tmp_path, deaf))])
    with pytest.raises(TransportFault, match="the engine died"):
        process.tell(5000 * f"position fen {FEN}\ngo nodes 1\n".encode())
    process.kill()
    assert time.monotonic() - began < 20


def test_another_version_under_the_same_name_is_refused(tmp_path: Path) -> None:
    program = fake(tmp_path, GOOD)
    engine = opened(f"uci:{program}")
    program.write_text(program.read_text().replace("Fake 1", "Fake 2"))
    with engine, pytest.raises(CandidateMisconfigured, match="is 'Fake 2' on this machine, not 'Fake 1'"):
        engine.evaluate(FEN)


def test_an_engine_that_hangs_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uci_engine, "START_SECONDS", 0.3)
    with pytest.raises(BadInput, match="time-out"):
        find_engine("uci:sleep 60")


def test_closing_ends_the_process_even_if_it_will_not(tmp_path: Path) -> None:
    stubborn = GOOD + "\nimport signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    program = fake(tmp_path, stubborn)
    program.write_text(program.read_text().replace("break", "time.sleep(60)"))
    process = EngineProcess([str(program)])
    uci_engine.declaration(process)
    assert is_alive(process.pid)
    process.end()
    assert not is_alive(process.pid)


@pytest.mark.engine
@needs_stockfish
def test_an_engine_that_is_killed_is_started_again() -> None:
    with opened("uci:stockfish?nodes=1000") as engine:
        before = engine.evaluate(FEN)
        assert engine._process is not None
        os.kill(engine._process.pid, signal.SIGKILL)
        with pytest.raises(TransportFault, match="the engine died") as caught:
            engine.evaluate(FEN)
        assert caught.value.worth_retrying
        assert engine.evaluate(FEN) == before


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux kills a process whose parent has died")
@pytest.mark.parametrize("body", [GOOD, "def go():\n    time.sleep(60)\n"])
def test_no_engine_outlives_its_owner(tmp_path: Path, body: str) -> None:
    program = fake(tmp_path, body)
    program.write_text(
        program.read_text().replace(
            "for line in sys.stdin", "def lines():\n    while True: yield sys.stdin.readline()\nfor line in lines()"
        )
    )
    owner = (
        "from vivavoce.candidates.uci.engine import declaration\nfrom vivavoce.candidates.uci.engine import EngineProcess\n"
        f"process = EngineProcess([{str(program)!r}])\ndeclaration(process)\nprocess.tell(b'position x y z\\ngo\\n')\n"
        "print(process.pid, flush=True)\ninput()\n"
    )
    with subprocess.Popen([sys.executable, "-c", owner], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        assert is_alive(pid)
        process.kill()
    deadline = time.monotonic() + 30
    while is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not is_alive(pid)
