"""The chess examination on engines whose contradictions are known beforehand."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any
from zlib import crc32

import chess
import pytest

from tests.consistency.chess.engines import PlainEngine, material, random_positions
from vivavoce.consistency.chess.compare_positions import Material, Positions, compare_positions
from vivavoce.consistency.chess.comparison import ChessCheck
from vivavoce.consistency.chess.counting import CheckedPositions
from vivavoce.consistency.chess.positions import GamePosition
from vivavoce.consistency.config import ChessConfig
from vivavoce.errors import BadInput
from vivavoce.interview.candidate_kinds import Evaluation, Position
from vivavoce.interview.transcript import Transcript
from vivavoce.interview.vendor_batches import BatchInterview

ALL = tuple(ChessCheck)
POSITIONS = random_positions(120)


async def examined(
    engine: PlainEngine,
    checks: Iterable[ChessCheck] = ALL,
    *,
    positions: Positions = POSITIONS,
    limit: int = 40,
    transcript: Transcript | None = None,
    half_turn_only: bool = False,
) -> CheckedPositions:
    interview: BatchInterview[Position, Evaluation] = BatchInterview(engine, answers=Evaluation, transcript=transcript)
    names: Any = tuple(check.value for check in checks)
    config = ChessConfig(names, orientations="half-turn" if half_turn_only else "all", limit=limit)
    return await compare_positions(interview, Material(positions), config, each=True)


async def test_an_engine_without_opinion_never_contradicts_itself() -> None:
    positions = await examined(PlainEngine(lambda _: 0.0))
    assert [row.check for row in positions.summaries] == [*ALL]
    forced, *others = positions.summaries
    assert 0 < forced.n < 40  # checks that leave one reply are rare
    assert forced.skipped["no check leaves one reply"] + forced.n <= len(POSITIONS)
    assert all(row.n == 40 for row in others)
    assert all(row.largest == 0 for row in positions.summaries)
    assert len(positions.each) == 3 * 40 + forced.n


async def test_material_is_the_same_in_every_mirror() -> None:
    positions = await examined(PlainEngine(material), [ChessCheck.MIRROR, ChessCheck.BOARDS])
    assert all(row.largest == 0 for row in positions.summaries)


async def test_a_bias_for_white_shows_with_its_size_and_sign() -> None:
    """White is given .3 too much everywhere: mirrored it is the other side that has it, so q differs by .6 each time."""
    positions = await examined(PlainEngine(lambda board: material(board) + 0.3), [ChessCheck.MIRROR, ChessCheck.BOARDS])
    mirror, boards = positions.summaries
    for comparison in positions.each:
        if comparison.check is ChessCheck.MIRROR:
            white = chess.Board(comparison.first.fen).turn
            assert comparison.signed == pytest.approx(0.6 if white else -0.6)
    assert mirror.over[3].value == 1  # all above .5
    assert mirror.over[4].value == 0  # none above .75
    assert boards.largest == pytest.approx(0)  # turning a board does not change who is White


async def test_a_taste_for_the_right_move_is_found_by_moves_alone() -> None:
    """The side to move is given .1: playing a quiet move hands it to the other side, so q + q(child) = .2."""
    positions = await examined(
        PlainEngine(lambda board: 0.1 if board.turn else -0.1),
        [ChessCheck.FORCED, ChessCheck.RECOMMENDED, ChessCheck.MIRROR, ChessCheck.BOARDS],
    )
    forced, recommended, mirror, boards = positions.summaries
    for row in (forced, recommended):
        assert row.mean_signed.value == pytest.approx(0.2)
        assert row.over[1].value == 1
    assert mirror.largest == boards.largest == pytest.approx(0)


async def test_a_half_turn_alone_costs_two_evaluations() -> None:
    """A taste for the king on the first rank shows in a half turn, which takes it to the eighth."""

    def biased(board: chess.Board) -> float:
        return 0.3 * sum(chess.square_rank(king) == 0 for king in board.pieces(chess.KING, chess.WHITE))

    engine = PlainEngine(biased)
    (row,) = (await examined(engine, [ChessCheck.BOARDS], half_turn_only=True)).summaries
    assert len(engine.asked) == 2 * 40
    assert row.largest == pytest.approx(0.3)
    (all_eight,) = (await examined(PlainEngine(biased), [ChessCheck.BOARDS])).summaries
    share, half = all_eight.over[2].value, row.over[2].value
    assert share is not None
    assert half is not None
    assert share > half  # more orientations, more that differ


async def test_bases_are_shared_between_checks() -> None:
    engine = PlainEngine()
    await examined(engine, [ChessCheck.RECOMMENDED, ChessCheck.MIRROR])
    # 40 bases, 40 children and 40 mirror images, but for the positions that were skipped
    assert len(engine.asked) == len(set(engine.asked))
    assert 115 <= len(engine.asked) <= 130


async def test_the_table_does_not_depend_on_workers_or_batches() -> None:
    def biased(board: chess.Board) -> float:
        king = board.king(chess.WHITE)
        assert king is not None
        return material(board) + 0.2 * (chess.square_file(king) == 6)

    def lost(fen: str) -> bool:  # on some, so that positions are skipped once they are evaluated
        return crc32(fen.encode()) % 7 == 0

    positions, some, many = [
        await examined(PlainEngine(biased, size=size, concurrency=concurrency, seed=concurrency, lost_on=lost), limit=20)
        for size, concurrency in ((1, 1), (3, 2), (16, 5))
    ]
    assert positions.summaries == some.summaries == many.summaries
    assert positions.each == some.each == many.each
    recommended = positions.summaries[1]
    assert recommended.n == 20
    assert recommended.skipped["illegal best move"] > 0


async def test_positions_may_be_waited_for() -> None:
    async def slowly() -> AsyncIterator[GamePosition]:
        for placed in POSITIONS:
            await asyncio.sleep(0)
            yield placed

    engine = PlainEngine(lambda board: material(board) + 0.3)
    at_once, waited_for = (
        await examined(engine, [ChessCheck.MIRROR]),
        await examined(engine, [ChessCheck.MIRROR], positions=slowly()),
    )
    assert at_once.summaries == waited_for.summaries


async def test_skips_and_absences_are_counted_and_replaced() -> None:
    pawnless = GamePosition("8/8/4k3/8/8/2R1K3/8/8 w - - 0 60", "a")
    over = GamePosition("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 60", "b")
    engine = PlainEngine(lambda _: 0.0, dead_on=lambda fen: fen.startswith("8/8/4k3/8/8/2R1K3/8/8 b"))
    positions = await examined(engine, [ChessCheck.MIRROR], positions=[over, pawnless, over, *POSITIONS[:3]], limit=10)
    (row,) = positions.summaries
    assert row.skipped == {"game over": 2}
    assert row.n == 4
    assert row.no_answers == {}
    dead = PlainEngine(lambda _: 0.0, dead_on=lambda fen: fen == pawnless.fen)
    (row,) = (await examined(dead, [ChessCheck.MIRROR], positions=[pawnless, *POSITIONS[:3]])).summaries
    assert (row.n, sum(row.no_answers.values())) == (3, 1)


async def test_a_second_run_asks_nothing_and_says_the_same(tmp_path: Path) -> None:
    with Transcript.open(tmp_path / "chess.sqlite") as transcript:
        first = await examined(PlainEngine(), transcript=transcript)
        engine = PlainEngine()
        assert await examined(engine, transcript=transcript) == first
        assert engine.asked == []


async def test_forced_moves_are_made_where_none_is_found() -> None:
    positions = await examined(PlainEngine(), [ChessCheck.FORCED])
    for comparison in positions.each:
        board = chess.Board(comparison.first.fen)
        assert [move.uci() for move in board.legal_moves] == [comparison.label]
    assert 0 < positions.made_forced <= len(positions.each)


async def test_nothing_to_do_is_refused() -> None:
    with pytest.raises(BadInput):
        await examined(PlainEngine(), [])
    with pytest.raises(BadInput):
        await examined(PlainEngine(), [ChessCheck.MIRROR], limit=0)
