"""The client for GTP: what it says and hears, and what it does about engines that die, hang, refuse and babble."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from tests.candidates.boards.servers import gtp_program
from vivavoce.candidates.boards.opening import open_board_engine
from vivavoce.candidates.boards.pool import BoardPool
from vivavoce.candidates.gtp.engine import outcome, points
from vivavoce.candidates.gtp.stones import Stones
from vivavoce.errors import BadInput, CandidateUnreachable, TransportFault, UnknownName
from vivavoce.interview.boards import Assessment, BoardPosition, GameToPlay, PlayedGame
from vivavoce.interview.candidate import NoAnswer

EMPTY = "/".join(["." * 5] * 5)


def opened(file: Path, query: str = "") -> BoardPool:
    return open_board_engine(f"gtp:{file}{query}", "go")


async def asked(pool: BoardPool, *positions: str) -> list[Assessment | NoAnswer]:
    try:
        return await pool.answer_all([BoardPosition("go", position) for position in positions])
    finally:
        await pool.close()


async def test_stones_are_set_up_and_values_are_for_the_side_to_move(tmp_path: Path) -> None:
    pool = opened(gtp_program(tmp_path))
    assert (pool.name, pool.measure) == ("gtp:fakego?score=estimate_score&engine=Fake Go 1", "points")
    two = "X..X./...../..O../...../....."
    found = await asked(pool, f"{two} b 6.5", f"{two} w 6.5", f"{EMPTY} b 6.5")
    assert [one.value for one in found if isinstance(one, Assessment)] == [1.0, -1.0, 0.0]


async def test_an_engine_that_dies_is_started_again_and_asked_once_more(tmp_path: Path) -> None:
    special = f"""
if word == "estimate_score" and not os.path.exists({str(tmp_path / "died")!r}):
    open({str(tmp_path / "died")!r}, "w").close()
    os._exit(1)
"""
    [found] = await asked(opened(gtp_program(tmp_path, special)), f"{EMPTY} b 6.5")
    assert found == Assessment(0.0)
    always = 'if word == "estimate_score": os._exit(1)'
    [found] = await asked(opened(gtp_program(tmp_path, always)), f"{EMPTY} b 6.5")
    assert found == NoAnswer("the engine died", 2)


async def test_one_that_hangs_costs_its_time_and_the_next_question_is_answered(tmp_path: Path) -> None:
    special = 'if word == "estimate_score" and len(board) == 1: time.sleep(60)'
    pool = opened(gtp_program(tmp_path, special), "?time_out=0.4")
    hung, answered = await asked(pool, f"{EMPTY.replace('.', 'X', 1)} b 6.5", f"{EMPTY} b 6.5")
    assert hung == NoAnswer("time-out after 0.4 s", 1)
    assert answered == Assessment(0.0)


@pytest.mark.parametrize(
    ("special", "reason"),
    [
        ('if word == "estimate_score": reply = "about even"', "no score: about even"),
        (
            'if word == "komi": sys.stdout.write("?" + number + " bad komi\\n\\n"); sys.stdout.flush(); continue',
            "refuses 'komi 6.5'",
        ),
        ('if word == "estimate_score": reply = "B+" + "9" * 50', "no score"),
        ('if word == "estimate_score": sys.stdout.write("x" * (5 << 20)); sys.stdout.flush()', "more than 4 MB"),
        ('if word == "estimate_score": sys.stdout.write("noise\\n\\n" * 300); sys.stdout.flush(); continue', "not speak GTP"),
    ],
)
async def test_what_makes_no_sense_is_no_answer_with_the_reason(tmp_path: Path, special: str, reason: str) -> None:
    [found] = await asked(opened(gtp_program(tmp_path, special)), f"{EMPTY} b 6.5")
    assert isinstance(found, NoAnswer)
    assert reason in found.reason
    assert len(found.reason) < 200


async def test_a_reply_to_an_earlier_command_is_not_taken_for_this_one(tmp_path: Path) -> None:
    special = 'if word == "estimate_score": sys.stdout.write("=999 B+9.0\\n\\n= W+8.0\\n\\nhello\\n\\n"); reply = "B+2.0"'
    [found] = await asked(opened(gtp_program(tmp_path, special)), f"{EMPTY} b 6.5")
    assert found == Assessment(2.0)


async def test_katago_is_asked_for_its_win_rate_and_given_positions_at_once(tmp_path: Path) -> None:
    special = """
if word == "kata-search_analyze":
    assert "clear_cache" in told and not any(one.startswith("play") for one in told)
    rate = .9 if rest == ["b"] else .3
    first = "info move A1 visits 9 winrate %.2f scoreLead 1.5 order 0 pv A1" % rate
    reply = "\\n" + first + " info move B1 winrate 0.1 order 1 pv B1\\nplay A1"
"""
    known = ("estimate_score", "kata-search_analyze", "set_position", "clear_cache")
    program = gtp_program(tmp_path, special, known=known)
    positions = [f"X...{EMPTY[4:]} {side} 6.5" for side in "bw"]
    pool = opened(program)
    assert pool.measure == "outcome"
    mover = [one.value for one in await asked(pool, *positions) if isinstance(one, Assessment)]
    white = [one.value for one in await asked(opened(program, "?winrate=white"), *positions) if isinstance(one, Assessment)]
    assert mover == pytest.approx([0.8, -0.4])  # 2w - 1
    assert white == pytest.approx([-0.8, -0.4])  # Black's is the opposite of White's


async def test_engines_that_are_closed_at_work_give_it_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "at-work")
    special = f'if word == "estimate_score": open({str(tmp_path / "at-work")!r}, "w").close(); time.sleep(60)'
    pool = opened(gtp_program(tmp_path, special))
    under_way = asyncio.create_task(pool.answer_all([BoardPosition("go", f"{EMPTY} b 6.5")]))
    await asyncio.to_thread((tmp_path / "at-work").read_text)  # opened once the engine is asked
    await pool.close()
    assert await under_way == [NoAnswer("the engine died", 1)]
    with pytest.raises(CandidateUnreachable):
        await pool.answer_all([BoardPosition("go", f"{EMPTY} b 6.5")])


async def test_games_begin_at_random_by_their_seed_and_end_with_a_pass(tmp_path: Path) -> None:
    special = """
if word == "genmove":
    free = [p + str(r) for r in range(1, 6) for p in "ABCDE" if p + str(r) not in board]
    reply = "PASS" if len(board) > 9 else free[0]
    board[reply] = rest[0]
"""
    pool = opened(gtp_program(tmp_path, special))
    question = [GameToPlay("go", number, 7, 4, 30, f"{EMPTY} b 6.5") for number in (1, 2, 1)]
    try:
        first, second, again = await pool.play_all(question)
    finally:
        await pool.close()
    assert isinstance(first, PlayedGame)
    assert first == again != second
    assert first.positions[0].count("X") == first.positions[0].count("O") == 2
    assert len(first.positions) <= 26


def test_mistakes_are_told_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="apt-get install gnugo") as refused:
        open_board_engine("gtp:/nowhere/gnugo --mode gtp", "go")
    assert "/nowhere/gnugo" in str(refused.value)
    with pytest.raises(BadInput, match="no command estimate_score or kata-search_analyze"):
        opened(gtp_program(tmp_path, known=("play",)))
    with pytest.raises(BadInput, match="does not speak GTP"):
        open_board_engine("gtp:/bin/true", "go")
    with pytest.raises(BadInput, match="'Fake Go 1', the name says 'KataGo'"):
        opened(gtp_program(tmp_path), "?engine=KataGo")
    with pytest.raises(UnknownName, match="time_out"):
        opened(gtp_program(tmp_path), "?timeout=3")
    with pytest.raises(BadInput, match="no engine that plays go"):
        open_board_engine("uci:stockfish", "go")


def test_captures_by_hand() -> None:
    """Black takes the white stone in the corner, then two at the side; a stone without liberty is refused."""
    corner = Stones.read("OX./.../... b 0").played("b", "A2")
    assert corner.rows == (".X.", "X..", "...")
    side = Stones.read("OOX/XX./... b 0")
    with pytest.raises(BadInput, match="not empty"):
        side.played("b", "A3")
    assert Stones.read("OO./XX./... b 0").played("b", "C3").rows == ("..X", "XX.", "...")
    with pytest.raises(BadInput, match="no liberty"):
        Stones.read(".X./X../... w 0").played("w", "A3")
    assert Stones.read(".XO/XO./O.. w 0").played("w", "A3").rows == ("O.O", ".O.", "O..")  # it takes two first
    assert side.played("b", "pass").to_move == "w"


@pytest.mark.parametrize("said", ["", "B+", "X+3", "nan", "B+1e9", "0.5.5x"])
def test_what_is_no_score_is_refused(said: str) -> None:
    with pytest.raises(TransportFault):
        points(said, "b")


@pytest.mark.parametrize("said", ["", "play D4", "info move D4 winrate 1.5 order 0", "info move D4 winrate nan order 0"])
def test_what_is_no_win_rate_is_refused(said: str) -> None:
    with pytest.raises(TransportFault):
        outcome(said, "b", "mover")
