"""The games: both engines are asked for moves, position by position, until every game is over."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import chess

from vivavoce.consistency.chess.checks import FIFTY_MOVES
from vivavoce.consistency.chess.config import DRAWN_AFTER, DRAWN_AT, DRAWN_FOR, WON_AT, WON_FOR, MatchConfig
from vivavoce.consistency.chess.match.game import Ending, Game
from vivavoce.interview.batch import BatchInterview
from vivavoce.interview.candidate import NoAnswer
from vivavoce.interview.engine import Evaluation, GamePosition

GAMES_AT_ONCE = 64
"""Enough to keep several workers busy; it alters no game, since an engine knows of no other one."""
USUAL_PLIES = 120
"""Of a game, before one has ended: for the estimate of the time that is left alone."""

Engines = tuple[BatchInterview[GamePosition, Evaluation], BatchInterview[GamePosition, Evaluation]]


@dataclass(slots=True)
class _Table:
    """A game while it is played."""

    opening: int
    first_is_white: bool
    start: str
    board: chess.Board
    moves: list[str] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    """What the side that moved thought of each position, from White's point of view."""

    @property
    def first_to_move(self) -> bool:
        return (self.board.turn == chess.WHITE) == self.first_is_white

    @property
    def position(self) -> GamePosition:
        """What the engine to move is told."""
        return GamePosition(self.start, tuple(self.moves))

    def ended(self, white: float, ending: Ending) -> Game:
        """The game with White's score."""
        score = white if self.first_is_white else 1 - white
        return Game(self.opening, self.first_is_white, score, ending, len(self.moves), tuple(self.moves))


@dataclass(slots=True)
class Course:
    """How far the games have come."""

    games: int
    ended: int = 0
    plies: int = 0
    """Half-moves of games that have ended."""

    @property
    def expected(self) -> int:
        """Half-moves of all games, as far as one knows."""
        return round(self.games * (self.plies / self.ended if self.ended else USUAL_PLIES))


async def play(
    engines: Engines,
    openings: Sequence[str],
    config: MatchConfig,
    *,
    on_round: Callable[[Course], None] = lambda course: None,
    games_at_once: int = GAMES_AT_ONCE,
) -> list[Game]:
    """Every opening twice with colours changed; games in the order of the openings, the first engine's White first.

    Engines are told the game so far and remember nothing else, so a game is the same whenever it is played again. Who has no
    legal move to give loses.

    on_round: told after each move of the games that are under way.
    """
    waiting = deque(
        _Table(number, first_is_white, fen, chess.Board(fen))
        for number, fen in enumerate(openings)
        for first_is_white in (True, False)
    )
    course = Course(len(waiting))
    playing: list[_Table] = []
    games: list[Game] = []
    while waiting or playing:
        while waiting and len(playing) < games_at_once:
            playing.append(waiting.popleft())
        answers = await _answers(engines, playing)
        still = []
        for table, answer in zip(playing, answers, strict=True):
            game = _moved(table, answer, config)
            if game is None:
                still.append(table)
            else:
                games.append(game)
                course.ended += 1
                course.plies += game.plies
        playing = still
        on_round(course)
    return sorted(games, key=lambda game: (game.opening, not game.first_is_white))


async def _answers(engines: Engines, tables: Sequence[_Table]) -> list[Evaluation | NoAnswer]:
    """What the engine that is to move says at each table."""
    seats = [[i for i, table in enumerate(tables) if table.first_to_move is first] for first in (True, False)]
    told = await asyncio.gather(*(_asked(engine, tables, where) for engine, where in zip(engines, seats, strict=True)))
    by_table = {i: answer for where, answers in zip(seats, told, strict=True) for i, answer in zip(where, answers, strict=True)}
    return [by_table[i] for i in range(len(tables))]


async def _asked(
    engine: BatchInterview[GamePosition, Evaluation], tables: Sequence[_Table], where: Sequence[int]
) -> list[Evaluation | NoAnswer]:
    """In portions that are worth sending, so that all of the engine's workers have some."""
    size = max(1, min(engine.candidate.size, -(-len(where) // engine.candidate.concurrency)))
    parts = [where[start : start + size] for start in range(0, len(where), size)]
    positions = [[tables[i].position for i in part] for part in parts]
    told = await asyncio.gather(*(engine.ask_together(part, topic="chess/match") for part in positions))
    return [answer for part in told for answer in part]


def _moved(table: _Table, answer: Evaluation | NoAnswer, config: MatchConfig) -> Game | None:
    """Play the move; the game if it is over."""
    board = table.board
    white_moves = board.turn == chess.WHITE
    try:
        move = None if isinstance(answer, NoAnswer) else board.parse_uci(answer.best_move)
    except ValueError:
        move = None
    if not move or isinstance(answer, NoAnswer):
        return table.ended(0.0 if white_moves else 1.0, Ending.FAULT)
    table.values.append(answer.q if white_moves else -answer.q)
    board.push(move)
    table.moves.append(move.uci())
    return _by_rules(table) or (_adjudicated(table) if config.adjudicate else None) or _too_long(table, config)


def _by_rules(table: _Table) -> Game | None:
    board = table.board
    if not any(board.generate_legal_moves()):
        if not board.is_check():
            return table.ended(0.5, Ending.STALEMATE)
        return table.ended(0.0 if board.turn == chess.WHITE else 1.0, Ending.MATE)
    if board.is_insufficient_material():
        return table.ended(0.5, Ending.MATERIAL)
    if board.halfmove_clock >= FIFTY_MOVES:
        return table.ended(0.5, Ending.FIFTY)
    return table.ended(0.5, Ending.REPETITION) if board.is_repetition(3) else None


def _adjudicated(table: _Table) -> Game | None:
    latest = table.values[-WON_FOR:]
    if len(latest) == WON_FOR and min(latest) >= WON_AT:
        return table.ended(1.0, Ending.WON)
    if len(latest) == WON_FOR and max(latest) <= -WON_AT:
        return table.ended(0.0, Ending.WON)
    calm = table.values[-DRAWN_FOR:]
    if len(table.values) >= max(DRAWN_AFTER, DRAWN_FOR) and max(map(abs, calm)) <= DRAWN_AT:
        return table.ended(0.5, Ending.DRAWN)
    return None


def _too_long(table: _Table, config: MatchConfig) -> Game | None:
    return table.ended(0.5, Ending.LONGEST) if len(table.moves) >= config.longest else None
