"""An engine that plays Go and speaks GTP, such as GNU Go or KataGo."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal

import numpy as np

from vivavoce.candidates.gtp.session import Session
from vivavoce.candidates.gtp.stones import OTHER, Colour, Stones
from vivavoce.candidates.text import shortened
from vivavoce.errors import BadInput, TransportFault
from vivavoce.interview.boards import Assessment, BoardPosition, GameToPlay, PlayedGame

Score = Literal["estimate_score", "kata-search_analyze"]
"""The command that tells what a position is worth."""
Viewpoint = Literal["mover", "black", "white"]
"""Whose win rates an engine tells (KataGo's `reportAnalysisWinratesAs`)."""
_POINTS = re.compile(r"([BW])\+([0-9]{1,4}(?:\.[0-9]{1,6})?)(?=\s|$)|0(?:\.0{1,6})?(?=\s|$)")
_WINRATE = re.compile(r" winrate (-?[0-9]{1,3}(?:\.[0-9]{1,9})?(?:e-?[0-9]{1,3})?)\b")
_ORDER = re.compile(r" order 0\b")


@dataclass(frozen=True, slots=True)
class GtpSettings:
    """All that is needed to ask an engine."""

    command: tuple[str, ...]
    identity: str
    """What the engine must call itself, with its version."""
    known: frozenset[str]
    """Commands that it knows."""
    score: Score
    viewpoint: Viewpoint
    time_out: float
    """Seconds for one reply."""


class GtpEngine:
    """One engine process; blocking.

    A position is set up on an empty board, stone by stone (nothing is captured on the way, since the stones that are there
    have liberties), or at once by `set_position` where the engine knows that. Before it caches are cleared and the engine's
    random numbers begin anew, where it has a command for that. Values are for the side to move: points
    by GNU Go's `estimate_score`, or 2w - 1 of the win rate w by KataGo's `kata-search_analyze`.
    """

    def __init__(self, settings: GtpSettings) -> None:
        self._settings = settings
        self._session = Session(settings.command, seconds=settings.time_out, identity=settings.identity)

    def assess(self, question: BoardPosition, /) -> Assessment:
        """What the position is worth."""
        stones = Stones.read(question.position)
        with self._session.held.asking():
            self._set_up(stones)
            if self._settings.score == "estimate_score":
                return Assessment(points(self._session.say("estimate_score"), stones.to_move))
            said = self._session.say(f"kata-search_analyze {stones.to_move}")
            return Assessment(outcome(said, stones.to_move, self._settings.viewpoint))

    def play(self, question: GameToPlay, /) -> PlayedGame:
        """A game from random stones, then played by the engine on both sides until it passes, resigns or has played enough."""
        rng = np.random.default_rng([question.seed, question.number])
        stones = Stones.read(question.start)
        positions: list[str] = []
        with self._session.held.asking():
            self._set_up(stones)
            colour: Colour = stones.to_move
            for ply in range(question.most_moves):
                self._session.held.renew()
                if ply < question.random_moves:
                    stones = self._random(stones, colour, rng)
                else:
                    positions.append(stones.written)
                    point = self._session.say(f"genmove {colour}").lower()
                    if point in ("pass", "resign"):
                        break
                    stones = _after(stones, colour, point)
                colour = OTHER[colour]
        return PlayedGame(tuple(positions))

    def interrupt(self) -> None:
        """Kill the process, from any thread."""
        self._session.held.interrupt()

    def close(self) -> None:
        """End the process."""
        self._session.held.close()

    def _set_up(self, stones: Stones) -> None:
        known, say = self._settings.known, self._session.say
        say(f"boardsize {stones.size}")
        say("clear_board")
        say(f"komi {stones.komi}")
        for command in ("clear_cache", "set_random_seed 1"):
            if command.partition(" ")[0] in known:
                say(command)
        if "set_position" in known:
            say(" ".join(["set_position", *(f"{colour} {point}" for colour, point in stones.stones)]))
        else:
            for colour, point in stones.stones:
                say(f"play {colour} {point}")

    def _random(self, stones: Stones, colour: Colour, rng: np.random.Generator) -> Stones:
        for point in rng.permutation(stones.empties()).tolist():
            try:
                after = stones.played(colour, point)
            except BadInput:
                continue
            self._session.say(f"play {colour} {point}")
            return after
        raise TransportFault("no random move is legal", worth_retrying=False)


def _after(stones: Stones, colour: Colour, point: str) -> Stones:
    try:
        return stones.played(colour, point)
    except BadInput as error:
        raise TransportFault(f"the engine plays no legal move: {error}", worth_retrying=False) from None


def points(said: str, to_move: Colour) -> float:
    """Points for the side to move, from what GNU Go's `estimate_score` says.

    >>> points("W+7.5 (upper bound: 9.0, lower: 7.5)", "w"), points("W+7.5", "b"), points("0", "b")
    (7.5, -7.5, 0.0)
    """
    found = _POINTS.match(said)
    if not found:
        raise TransportFault(f"no score: {shortened(said, 80)}", worth_retrying=False)
    if not found[1]:
        return 0.0
    return float(found[2]) * (1 if found[1].lower() == to_move else -1)


def outcome(said: str, to_move: Colour, viewpoint: Viewpoint) -> float:
    """The expected outcome for the side to move, from what KataGo's `kata-search_analyze` says: of its best move.

    >>> outcome("info move D4 visits 9 winrate 0.75 order 0 pv D4 info move C3 winrate 0.5 order 1 pv C3", "w", "mover")
    0.5
    """
    for move in said.split("info move ")[1:]:
        found = _WINRATE.search(move)
        if found and _ORDER.search(move):
            value = 2 * float(found[1]) - 1
            if math.isfinite(value) and -1 <= value <= 1:
                return value if viewpoint == "mover" or viewpoint[0] == to_move else -value
    raise TransportFault(f"no win rate: {shortened(said, 80)}", worth_retrying=False)
