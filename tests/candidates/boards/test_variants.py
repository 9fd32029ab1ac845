"""The client for UCI variants: what it says and hears, and what it does about engines that die, hang and babble."""

from __future__ import annotations

import asyncio
import math
import os
from pathlib import Path

import pytest

from tests.candidates.boards.servers import BEGIN, variant_program
from tests.each_case import each_case
from vivavoce.candidates.uci.variants import BoardPool, open_variant
from vivavoce.errors import BadInput, CandidateUnreachable
from vivavoce.interview.candidate import NoAnswer
from vivavoce.interview.candidate_kinds import Assessment, BoardPosition, GameToPlay, PlayedGame

EVEN = "3k5/9/9/9/9/9/9/9/4R4/4K4 w - - 0 30"
OTHER = "3k5/9/9/9/9/9/9/9/4N4/4K4 w - - 0 30"


def opened(file: Path, query: str = "") -> BoardPool:
    return open_variant(f"uci:{file}{query}", "xiangqi")


async def asked(pool: BoardPool, *positions: str) -> list[Assessment | NoAnswer]:
    try:
        return await pool.answer_all([BoardPosition("xiangqi", position) for position in positions])
    finally:
        await pool.close()


async def test_values_are_for_the_side_to_move_with_the_move_and_where_it_leads(tmp_path: Path) -> None:
    special = "value = lambda rows: 100 * sum(man == 'R' for row in rows for man in row)"
    pool = opened(variant_program(tmp_path, special), "?nodes=5")
    assert pool.name == "uci:fakefish?nodes=5&UCI_Variant=xiangqi&wdl=logistic&engine=Fake Variant 1"
    red, black = await asked(pool, BEGIN, BEGIN.replace(" w ", " b "))
    worth = 2 / (1 + math.exp(-0.00368208 * 200)) - 1  # two chariots, by the curve of lichess2023
    assert isinstance(red, Assessment)
    assert isinstance(black, Assessment)
    assert red.value == pytest.approx(worth)
    assert black.value == pytest.approx(-worth)
    assert (red.best_move, red.choices) == ("a4a5", 5 + 2 + 8)  # soldiers, cannons, and the back rank without its king
    assert red.after == "rnbakabnr/9/1c5c1/p1p1p1p1p/9/P8/2P1P1P1P/1C5C1/9/RNBAKABNR b - - 0 1"


async def test_where_the_game_is_over_after_the_move_there_is_no_position(tmp_path: Path) -> None:
    [assessment] = await asked(opened(variant_program(tmp_path)), EVEN)
    assert isinstance(assessment, Assessment)
    assert (assessment.best_move, assessment.after, assessment.choices) == ("e2e3", "", 1)


async def test_an_engine_that_dies_is_started_again_and_asked_once_more(tmp_path: Path) -> None:
    special = f"""
if word == "go" and not os.path.exists({str(tmp_path / "died")!r}):
    open({str(tmp_path / "died")!r}, "w").close()
    os._exit(1)
"""
    [result] = await asked(opened(variant_program(tmp_path, special)), EVEN)
    assert isinstance(result, Assessment)
    always = 'if word == "go": os._exit(1)'
    [result] = await asked(opened(variant_program(tmp_path, always)), EVEN)
    assert result == NoAnswer("the engine died", 2)


async def test_one_that_hangs_costs_its_time_and_the_next_question_is_answered(tmp_path: Path) -> None:
    special = 'if word == "go" and not perft and "N" in fen: time.sleep(60)'
    pool = opened(variant_program(tmp_path, special), "?time_out=0.4")
    hung, answered = await asked(pool, OTHER, EVEN)
    assert hung == NoAnswer("time-out after 0.4 s", 1)
    assert isinstance(answered, Assessment)


@each_case(
    ("special", "reason"),
    [
        ('if word == "go" and not perft: say("bestmove e2e3"); continue', "gave no evaluation: bestmove e2e3"),
        ('if word == "go" and not perft: say("info score cp 1\\nbestmove"); continue', "gave no evaluation"),
        ('if word == "d": say("Fen: 9/9"); continue', "reads the position as 9/9"),
        ('if word == "d": continue', "does not show the position"),
        ('if perft: say("Nodes searched: 0"); continue', "the game is over"),
        ('if word == "go": say("x" * (5 << 20)); continue', "more than 4 MB"),
    ],
)
async def test_what_makes_no_sense_is_no_answer_with_the_reason(tmp_path: Path, special: str, reason: str) -> None:
    [answer] = await asked(opened(variant_program(tmp_path, special)), EVEN)
    assert isinstance(answer, NoAnswer)
    assert reason in answer.reason
    assert len(answer.reason) < 200


async def test_engines_that_are_closed_at_work_give_it_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "at-work")
    special = f'if word == "go": open({str(tmp_path / "at-work")!r}, "w").close(); time.sleep(60)'
    pool = opened(variant_program(tmp_path, special))
    under_way = asyncio.create_task(pool.answer_all([BoardPosition("xiangqi", EVEN)]))
    await asyncio.to_thread((tmp_path / "at-work").read_text)  # opened once the engine is asked
    await pool.close()
    assert await under_way == [NoAnswer("the engine died", 1)]
    with pytest.raises(CandidateUnreachable):
        await pool.answer_all([BoardPosition("xiangqi", EVEN)])


async def test_games_begin_at_random_by_their_seed_and_have_the_moves_that_are_legal(tmp_path: Path) -> None:
    pool = opened(variant_program(tmp_path))
    question = [GameToPlay("xiangqi", number, 7, 4, 12) for number in (1, 2, 1)]
    try:
        first, second, again = await pool.play_all(question)
    finally:
        await pool.close()
    assert isinstance(first, PlayedGame)
    assert first == again != second
    assert len(first.positions) == len(first.choices) == 8  # twelve moves less those of the opening
    assert [position.split()[1] for position in first.positions] == ["w", "b"] * 4
    assert first.positions[0].endswith(" 0 3")


def test_mistakes_are_told_with_the_remedy(tmp_path: Path) -> None:
    program = variant_program(tmp_path)
    with pytest.raises(BadInput, match="apt-get install fairy-stockfish") as refused:
        open_variant("uci:/nowhere/fairy-stockfish", "xiangqi")
    assert "/nowhere/fairy-stockfish" in str(refused.value)
    with pytest.raises(BadInput, match="'Fake Variant 1', but the name says 'Fairy'"):
        opened(program, "?engine=Fairy")
    with pytest.raises(BadInput, match="is not an engine that plays shogi: write for example uci:fairy-stockfish"):
        open_variant("bot:eliza", "shogi")
    with pytest.raises(BadInput, match="leave out 'UCI_Variant'"):
        opened(program, "?uci_variant=shogi")
