"""Positions that are made, and those of self-play: as the paper says, whole games in order, the same for the same seed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import aclosing
from itertools import groupby, islice

import chess
import numpy as np
import pytest

from vivavoce.consistency.chess.positions import (
    BestMoves,
    GamePosition,
    forced_from,
    in_middle_game,
    self_play,
    synthetic_boards,
)
from vivavoce.errors import CandidateUnreachable


def test_synthetic_boards_are_as_the_paper_says() -> None:
    kinds = set()
    for position in islice(synthetic_boards(np.random.default_rng(5)), 500):
        board = chess.Board(position.fen)
        white, black = (
            sorted(piece.symbol().upper() for piece in board.piece_map().values() if piece.color == c) for c in (True, False)
        )
        assert white == black
        assert len(white) == 4
        assert white.count("K") == 1
        assert "P" not in white
        assert white.count("Q") <= 1
        assert all(white.count(piece) <= 2 for piece in "RBN")
        assert board.turn == chess.WHITE
        assert board.is_valid()
        assert not board.is_game_over()
        assert 30 <= board.fullmove_number <= 70
        assert 0 <= board.halfmove_clock <= board.fullmove_number / 3
        kinds.add("".join(white))
    # three of RNBQBNR: QRR QNN QBB QRN QRB QNB, RRN RRB NNR NNB BBR BBN, RNB
    assert len(kinds) == 13


def test_synthetic_boards_can_be_had_again_and_are_games_of_their_own() -> None:
    first, second = (list(islice(synthetic_boards(np.random.default_rng(3)), 600)) for _ in range(2))
    assert first == second
    assert len({position.game for position in first}) == len({position.fen for position in first}) == 600


def test_forced_positions_are_made_by_a_check_with_one_reply() -> None:
    """Against an enumeration of all moves."""
    made = 0
    for n, position in enumerate(islice(synthetic_boards(np.random.default_rng(8)), 300)):
        board = chess.Board(position.fen)
        possible = set()
        for move in board.legal_moves:
            child = board.copy()
            child.push(move)
            if child.is_check() and child.legal_moves.count() == 1:
                possible.add(child.fen())
        forced = forced_from(position, np.random.default_rng(n))
        assert (forced is None) == (not possible)
        if forced is not None:
            assert forced.fen in possible
            assert forced.game == position.game
            assert forced == forced_from(position, np.random.default_rng(n))
            made += 1
    assert made > 20


async def at_random(fens: Sequence[str]) -> list[str | None]:
    """An engine that plays anything, always the same in a position."""
    return [str(random.Random(fen).choice([m.uci() for m in chess.Board(fen).legal_moves])) for fen in fens]


async def taken(
    number: int, engine: BestMoves = at_random, *, seed: int = 0, games_at_once: int = 4, per_game: int | None = None
) -> list[GamePosition]:
    game_positions: list[GamePosition] = []
    async with aclosing(self_play(engine, seed=seed, games_at_once=games_at_once, per_game=per_game)) as positions:
        async for position in positions:
            game_positions.append(position)
            if len(game_positions) == number:
                break
    return game_positions


async def test_self_play_gives_whole_games_in_order_and_the_same_again() -> None:
    positions = await taken(400, games_at_once=5, seed=2)
    assert all(
        in_middle_game(board) and board.is_valid() and not board.is_game_over()
        for board in (chess.Board(p.fen) for p in positions)
    )
    numbers = [int(game.split()[-1]) for game, _ in groupby(positions, key=lambda position: position.game)]
    assert numbers == sorted(set(numbers))
    assert len(numbers) >= 3
    for _, game in groupby(positions, key=lambda position: position.game):
        plies = [chess.Board(position.fen).ply() for position in game]
        assert plies == list(range(plies[0], plies[0] + len(plies)))
    assert positions == await taken(400, games_at_once=5, seed=2)
    assert positions == await taken(400, games_at_once=17, seed=2)
    assert positions != await taken(400, games_at_once=5, seed=3)


async def test_self_play_takes_so_many_positions_of_a_game() -> None:
    positions = await taken(20, per_game=2, games_at_once=4)
    assert max(len(list(game)) for _, game in groupby(positions, key=lambda position: position.game)) == 2
    assert len({position.game for position in positions}) >= 10


async def test_games_that_repeat_themselves_come_to_an_end() -> None:
    async def shuffling(fens: Sequence[str]) -> list[str | None]:
        boards = [chess.Board(fen) for fen in fens]
        quiet = [[m for m in b.legal_moves if not b.is_zeroing(m)] or list(b.legal_moves) for b in boards]
        return [min(moves, key=lambda m: m.uci()).uci() for moves in quiet]

    asked = 0

    async def counted(fens: Sequence[str]) -> list[str | None]:
        nonlocal asked
        asked += 1
        return await shuffling(fens)

    async with aclosing(self_play(counted, games_at_once=3, random_plies=30)) as positions:
        async for position in positions:
            if position.game.endswith(" 7"):
                break
    assert asked < 600


async def test_a_game_without_a_legal_move_is_dropped() -> None:
    silent = ["e2e9", "", "0000", None, "\x1b", "a1h8"]
    rounds = 0

    async def faltering(fens: Sequence[str]) -> list[str | None]:
        nonlocal rounds
        rounds += 1
        moves = await at_random(fens)
        return [silent[rounds - 1], *moves[1:]] if rounds <= len(silent) else moves

    async with aclosing(self_play(faltering, games_at_once=3)) as positions:
        async for position in positions:
            assert position.game not in {"self-play game 1", "self-play game 4"}
            break


async def test_an_engine_that_plays_nothing_is_unreachable() -> None:
    async def mute(fens: Sequence[str]) -> list[str | None]:
        return [None] * len(fens)

    with pytest.raises(CandidateUnreachable, match="no legal move came for 6 positions"):
        await taken(1, mute, games_at_once=2)
