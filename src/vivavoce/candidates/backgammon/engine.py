"""GNU Backgammon in its text mode, asked through the Python that it has inside."""

from __future__ import annotations

import ast
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import TypeGuard, TypeVar

import numpy as np

from vivavoce.candidates.backgammon.men import Men
from vivavoce.candidates.boards.held import HeldProcess, check_identity
from vivavoce.candidates.text import shortened
from vivavoce.candidates.uci.process import EngineProcess
from vivavoce.errors import BadInput, TransportFault
from vivavoce.interview.boards import Assessment, BoardPosition, GameToPlay, PlayedGame

T = TypeVar("T")

ROLLS = tuple((a, b, 1 if a == b else 2) for a, b in combinations_with_replacement(range(1, 7), 2))
"""The 21 rolls, with how many of 36 they are."""
_SET_UP = (
    "set player 0 human", "set player 1 human", "set automatic game off", "set automatic roll off", "set automatic move off",
    "set automatic bearoff off", "set automatic doubles 0", "new session",
    ">ci=dict(gnubg.cubeinfo(),jacoby=0,gammonprice=((1.0,1.0),(1.0,1.0)))",
)  # fmt: skip
"""Gammons count, there is no cube, and nobody plays by himself."""
_MARK = "viva-answer"
_IDENTITY = re.compile(rb"^(GNU Backgammon [0-9A-Za-z. _-]{1,40})$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class GnubgSettings:
    """All that is needed to ask it."""

    command: tuple[str, ...]
    plies: int
    """Rolls that it looks ahead."""
    time_out: float
    """Seconds for one evaluation."""
    identity: str = ""
    """What it must call itself; empty: whatever it does."""


class GnubgEngine:
    """One process; blocking.

    The value is the cubeless equity of money play for the side that is to roll: its network's, without noise or pruning. It is
    given numbers alone: nothing of a question's text reaches its Python.
    """

    def __init__(self, settings: GnubgSettings) -> None:
        self._settings = settings
        self.identity = ""
        """What it calls itself; empty before it has been started."""
        self._held = HeldProcess(self._started, seconds=settings.time_out)

    def assess(self, question: BoardPosition, /) -> Assessment:
        """The equity, or its mean over all rolls after the best move for each."""
        men = Men.read(question.position)
        with self._held.asking():
            if not question.over_dice:
                return Assessment(self._equity(men))
            return Assessment(sum(weight * value for weight, value in self._after_rolls(men)) / 36)

    def play(self, question: GameToPlay, /) -> PlayedGame:
        """A game with seeded dice; what comes before so many moves counts as its opening."""
        rng = np.random.default_rng([question.seed, question.number])
        men = Men.read(question.start)
        positions: list[str] = []
        with self._held.asking():
            for ply in range(question.most_moves):
                if men.is_over:
                    break
                self._held.renew()
                if ply >= question.random_moves:
                    positions.append(men.written)
                first, second = (int(die) for die in rng.integers(1, 7, size=2))
                men = self._moved(men, first, second)
        return PlayedGame(tuple(positions))

    def equity_ahead(self, position: str, plies: int) -> float:
        """The equity by its own look ahead: one ply is its own mean over the dice."""
        with self._held.asking():
            return self._equity(Men.read(position), plies)

    def listen(self) -> str:
        """Start it; what it calls itself."""
        with self._held.asking():
            self._told("1", _is_number)
        return self.identity

    def interrupt(self) -> None:
        """Kill the process, from any thread."""
        self._held.interrupt()

    def close(self) -> None:
        """End the process."""
        self._held.close()

    def _after_rolls(self, men: Men) -> Iterator[tuple[int, float]]:
        """For each roll, in how many of 36 cases it falls, and the equity after the best move, for the side that rolled."""
        for first, second, weight in ROLLS:
            self._held.renew()
            yield weight, -self._equity(self._moved(men, first, second))

    def _equity(self, men: Men, plies: int | None = None) -> float:
        plies = self._settings.plies if plies is None else plies
        shares = self._told(f"gnubg.evaluate({_board(men)},ci,gnubg.evalcontext(0,{plies},1,0,0.0))", _are_shares)
        return shares[-1]

    def _moved(self, men: Men, first: int, second: int) -> Men:
        context = f"gnubg.evalcontext(0,{self._settings.plies},1,0,0.0)"
        move = self._told(f"gnubg.findbestmove({_board(men)},ci,{context},({first},{second}))", _is_move)
        try:
            return men.played(move)
        except BadInput as error:
            raise TransportFault(f"the engine plays no legal move: {error}", worth_retrying=False) from None

    def _told(self, expression: str, is_fit: Callable[[object], TypeGuard[T]]) -> T:
        """What it says to an expression of ours, if that is what was asked for."""
        said = self._held.hear(f'>print("{_MARK}",{expression},flush=True)\n>print("{_MARK}-end",flush=True)\n'.encode(), _END)
        line = said[said.rfind(b"\n" + _MARK.encode() + b" ") + 1 :].partition(b"\n")[0].decode("utf-8", "replace")
        try:
            value: object = ast.literal_eval(line.removeprefix(_MARK).strip()[:2_000])
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            value = None
        if not is_fit(value):
            raise TransportFault(f"the engine speaks nonsense: {shortened(line, 80)}", worth_retrying=False)
        return value

    def _started(self) -> EngineProcess:
        process = EngineProcess(self._settings.command)
        try:
            process.tell("".join(f"{line}\n" for line in (*_SET_UP, f'>print("{_MARK}-end",flush=True)')).encode())
            said = process.read_until(_END, deadline=time.monotonic() + self._settings.time_out)
            found = _IDENTITY.search(said)
            self.identity = found[1].decode() if found else ""
            if self._settings.identity:
                check_identity(self._settings.command[0], self.identity, self._settings.identity)
        except BaseException:
            process.kill()
            raise
        return process


_END = f"{_MARK}-end".encode()


def _board(men: Men) -> str:
    """In its notation: the side that is not to roll, then the one that is."""
    return f"(({','.join(map(str, men.other))}),({','.join(map(str, men.own))}))"


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float)


def _are_shares(value: object) -> TypeGuard[tuple[float, ...]]:
    """Shares of wins and gammons, and the equity."""
    if not isinstance(value, tuple) or len(value) != 6 or not all(isinstance(one, float) for one in value):
        return False
    return all(-0.001 <= share <= 1.001 for share in value[:5]) and -3.001 <= value[5] <= 3.001


def _is_move(value: object) -> TypeGuard[tuple[int, ...]]:
    if not isinstance(value, tuple) or len(value) > 8 or len(value) % 2:
        return False
    return all(isinstance(place, int) for place in value)
