"""What every engine of a board game does, whatever it is spoken to in."""

from __future__ import annotations

import shutil
from typing import Protocol

from vivavoce.candidates.uci.process import GAMES
from vivavoce.errors import BadInput
from vivavoce.interview.boards import Assessment, BoardPosition, GameToPlay, PlayedGame

PACKAGES = {"fairy-stockfish": "fairy-stockfish", "gnugo": "gnugo", "gnubg": "gnubg"}
"""Debian's package of a program."""


class BoardEngine(Protocol):
    """One engine process; blocking. It starts with the first question, and again after it has died or hung."""

    def assess(self, question: BoardPosition, /) -> Assessment:
        """What the engine thinks of a position.

        Raises `TransportFault` if it does not say (worth retrying if the engine died), `BadInput` for what is no position, and
        `CandidateMisconfigured` if the program is not the engine that it should be.
        """
        ...

    def play(self, question: GameToPlay, /) -> PlayedGame:
        """Play a game; raises what `assess` raises."""
        ...

    def interrupt(self) -> None:
        """Kill the process, from any thread: who waits for it is told at once that it has died."""
        ...

    def close(self) -> None:
        """End the process."""
        ...


def require_program(program: str) -> None:
    """Refuse a program that is not there, naming the package that has it. Raises `BadInput`.

    >>> require_program("gnugo-of-tomorrow")
    Traceback (most recent call last):
    vivavoce.errors.BadInput: there is no program 'gnugo-of-tomorrow': give its path, or install it
    """
    if shutil.which(program) or shutil.which(program, path=GAMES):
        return
    package = PACKAGES.get(program.rpartition("/")[2])
    install = f" (on Debian: apt-get install {package})" if package else ""
    raise BadInput(f"there is no program '{program[:200]}': give its path, or install it{install}")
