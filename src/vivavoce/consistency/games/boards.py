"""Every game of the room: one literal table."""

from __future__ import annotations

from vivavoce.consistency.games.backgammon import Backgammon
from vivavoce.consistency.games.board import Board
from vivavoce.consistency.games.chesslike import SHOGI, XIANGQI
from vivavoce.consistency.games.config import GameName, GamesConfig
from vivavoce.consistency.games.go import Go


def board_of(game: GameName, config: GamesConfig) -> Board:
    """The adapter of a game.

    >>> board_of("xiangqi", GamesConfig()).checks
    ('recommended', 'forced', 'mirror', 'colours')
    """
    match game:
        case "xiangqi":
            return XIANGQI
        case "shogi":
            return SHOGI
        case "go":
            return Go(config.size)
        case "backgammon":
            return Backgammon()
