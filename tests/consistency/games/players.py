"""An engine of xiangqi whose faults are known: it values FENs by a function, and plays games that are made up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from vivavoce.consistency.games.boards import XIANGQI
from vivavoce.interview.candidate import NoAnswer
from vivavoce.interview.candidate_kinds import Assessment, BoardPosition, GameToPlay, PlayedGame

PIECES = "RNBACP"


def made_up(number: int, ply: int) -> str:
    """A position of a game: two kings and some pieces, by its number."""
    rng = np.random.default_rng([number, ply])
    rows = [["." for _ in range(9)] for _ in range(10)]
    rows[0][4], rows[9][4] = "k", "K"
    for _ in range(12):
        row, column = int(rng.integers(1, 9)), int(rng.integers(9))
        rows[row][column] = str(rng.choice([*PIECES, *PIECES.lower()]))
    text = "/".join("".join(row) for row in rows)
    for run in range(9, 0, -1):
        text = text.replace("." * run, str(run))
    return f"{text} {'wb'[ply % 2]} - - 0 {1 + ply // 2}"


def red_material(fen: str) -> float:
    """Red's men less Black's, in (-1, 1)."""
    men = fen.split(" ")[0]
    return (sum(map(str.isupper, men)) - sum(map(str.islower, men))) / 40


@dataclass
class MaterialEngine:
    """Values from Red's point of view; its best move hands the move over and alters nothing."""

    value: Callable[[str], float] = red_material
    name: str = "uci:made-up?nodes=5&engine=Made Up"
    size: int = 16
    concurrency: int = 1
    dead_on: Callable[[str], bool] = lambda _: False
    over_on: Callable[[str], bool] = lambda _: False
    """Where its best move ends the game."""
    asked: list[str] = field(default_factory=list)

    async def answer_all(self, questions: Sequence[BoardPosition], /) -> list[Assessment | NoAnswer]:
        self.asked += [question.position for question in questions]
        return [self._assess(question.position) for question in questions]

    def _assess(self, fen: str) -> Assessment | NoAnswer:
        if self.dead_on(fen):
            return NoAnswer("the engine died", 2)
        red = XIANGQI.to_move(fen) == "Red"
        after = fen.replace(" w ", " b ") if red else fen.replace(" b ", " w ")
        return Assessment(self.value(fen) * (1 if red else -1), "a1a2", "" if self.over_on(fen) else after, 1 if red else 9)


@dataclass
class Player:
    """Plays the made-up games, of 20 positions each; every other position has one legal move."""

    name: str = "uci:made-up?nodes=1&engine=Made Up"
    size: int = 8
    concurrency: int = 1
    plays: bool = True
    asked: list[int] = field(default_factory=list)

    async def answer_all(self, questions: Sequence[GameToPlay], /) -> list[PlayedGame | NoAnswer]:
        self.asked += [question.number for question in questions]
        if not self.plays:
            return [NoAnswer("the engine died", 2) for _ in questions]
        positions = [[made_up(question.number, ply) for ply in range(20)] for question in questions]
        return [PlayedGame(tuple(position), tuple(1 if i % 2 == 0 else 9 for i in range(20))) for position in positions]
