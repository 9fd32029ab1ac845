"""Boards of xiangqi and shogi: their notation, their symmetries, and how they are drawn."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from vivavoce.consistency.config import GameCheckName, GameName
from vivavoce.errors import BadInput


@dataclass(frozen=True, slots=True)
class Symmetry:
    """A transformation after which a game is the same game; the value for the side to move stays."""

    label: str
    """The change, after the word "once": "the colours were exchanged"."""
    position: Callable[[str], str]
    """Raises `BadInput` for a text that is not a position."""
    move: Callable[[str], str]
    """A move in the engine's notation, as it is called afterwards."""


@dataclass(frozen=True, slots=True)
class Diagram:
    """A position to be drawn."""

    rows: tuple[tuple[str, ...], ...]
    """From the top: pieces by their letters, upper case for the side that begins; empty texts for empty squares."""
    pieces: Literal["discs", "wedges"]
    """Discs are drawn where lines cross; wedges in squares, upside down for the other side."""
    below: str = ""
    """Shown below the board, such as pieces in hand."""


_FORM = re.compile(r"([A-Za-z0-9+/]{9,250})(\[[A-Za-z]{0,40}\])? ([wb]) - - ([0-9]{1,3} [0-9]{1,4})")
_SQUARE = re.compile(r"\+?[A-Za-z]|[1-9]")
_PLACE = re.compile(r"([a-i])(10|[1-9])")
FILES = "abcdefghi"
Turn = Literal["flip", "turn"]
"""How a board is given to the other side: ranks in reverse order, or turned by 180 degrees."""


@dataclass(frozen=True, slots=True)
class Fen:
    """A position on a board of nine files, upper case for the side that begins.

    >>> Fen.read("4k4/9/9/9/9/9/9/9/1R2K4[Pp] w - - 3 20", ranks=9, hands=True).mirrored.written
    '4k4/9/9/9/9/9/9/9/4K2R1[Pp] w - - 3 20'
    """

    ranks: tuple[tuple[str, ...], ...]
    """From the top; empty squares are empty texts."""
    hand: str | None
    """Pieces in hand, those of the side that begins first; None in a game without."""
    side: str
    counters: str

    @classmethod
    def read(cls, text: str, *, ranks: int, hands: bool) -> Fen:
        """Raises `BadInput` for a text that is not a position on this many ranks with a king on each side."""
        match = _FORM.fullmatch(text)
        rows = tuple(map(_squares, match[1].split("/"))) if match else ()
        kings = [square for row in rows for square in row if square in ("K", "k")]
        if not match or len(rows) != ranks or {len(row) for row in rows} != {9} or sorted(kings) != ["K", "k"]:
            raise BadInput(f"'{text[:120]}' is not a position on nine files and {ranks} ranks with two kings")
        if (match[2] is None) == hands:
            raise BadInput(f"'{text[:120]}': pieces in hand, in brackets, are {'missing' if hands else 'too much'}")
        hand = match[2][1:-1] if match[2] is not None else None
        return cls(rows, None if hand is None else _in_order(hand), match[3], match[4])

    @property
    def written(self) -> str:
        """The text again."""
        hand = "" if self.hand is None else f"[{self.hand}]"
        return f"{'/'.join(map(_written, self.ranks))}{hand} {self.side} - - {self.counters}"

    @property
    def mirrored(self) -> Fen:
        """Left and right exchanged."""
        return replace(self, ranks=tuple(row[::-1] for row in self.ranks))

    def swapped(self, turn: Turn) -> Fen:
        """The other side has this side's game: colours and the side to move exchanged, the board flipped or turned."""
        rows = [tuple(square.swapcase() for square in row) for row in reversed(self.ranks)]
        return Fen(
            tuple(row[::-1] if turn == "turn" else row for row in rows),
            None if self.hand is None else _in_order(self.hand.swapcase()),
            "b" if self.side == "w" else "w",
            self.counters,
        )


def moved(*, ranks: int, mirrored: bool, upside_down: bool) -> Callable[[str], str]:
    """What a move (`h3h10`, `b8b2+`, `G@e5`) is called on a board that was mirrored or put upside down.

    >>> moved(ranks=9, mirrored=True, upside_down=True)("b8b2+"), moved(ranks=10, mirrored=True, upside_down=False)("a1a10")
    ('h2h8+', 'i1i10')
    """

    def renamed(square: re.Match[str]) -> str:
        file, rank = FILES.index(square[1]), int(square[2])
        return f"{FILES[8 - file] if mirrored else square[1]}{ranks + 1 - rank if upside_down else rank}"

    return lambda move: _PLACE.sub(renamed, move)


def _in_order(hand: str) -> str:
    return "".join(sorted(hand, key=str.islower))


def _squares(row: str) -> tuple[str, ...]:
    parts = _SQUARE.findall(row)
    if "".join(parts) != row:
        return ()
    return tuple(square for part in parts for square in (("",) * int(part) if part.isdigit() else (part,)))


def _written(row: tuple[str, ...]) -> str:
    return re.sub(r"\.+", lambda dots: str(len(dots[0])), "".join(square or "." for square in row))


@dataclass(frozen=True, slots=True)
class ChessLike:
    """A game in Fairy-Stockfish's FEN.

    The rules of both games treat left and right alike. Both positions of a pair have the same counters (moves without capture,
    full moves).
    """

    title: str
    ranks: int
    hands: bool
    """Whether captured pieces are kept in hand."""
    turn: Turn
    sides: tuple[str, str]
    """The side that begins, and the other."""

    @property
    def symmetries(self) -> Mapping[GameCheckName, Symmetry]:
        """Left and right exchanged; sides exchanged."""
        turned = self.turn == "turn"
        return {
            "mirror": Symmetry(
                "left and right were exchanged",
                lambda position: self.read(position).mirrored.written,
                moved(ranks=self.ranks, mirrored=True, upside_down=False),
            ),
            "colours": Symmetry(
                "the colours were exchanged",
                lambda position: self.read(position).swapped(self.turn).written,
                moved(ranks=self.ranks, mirrored=turned, upside_down=True),
            ),
        }

    def read(self, position: str) -> Fen:
        """The position, taken apart. Raises `BadInput`."""
        return Fen.read(position, ranks=self.ranks, hands=self.hands)

    def to_move(self, position: str) -> str:
        """The side to move, by its name."""
        return self.sides[self.read(position).side == "b"]

    def diagram(self, position: str) -> Diagram:
        """Pieces on a grid, with those in hand."""
        fen = self.read(position)
        below = f"In hand: {fen.hand or 'nothing'}" if self.hands else ""
        return Diagram(fen.ranks, "wedges" if self.hands else "discs", below)


XIANGQI = ChessLike("xiangqi", 10, hands=False, turn="flip", sides=("Red", "Black"))
SHOGI = ChessLike("shogi", 9, hands=True, turn="turn", sides=("Black", "White"))
"""In shogi the side that begins is called Black (sente)."""
BOARDS: Final[Mapping[GameName, ChessLike]] = {"xiangqi": XIANGQI, "shogi": SHOGI}
"""Every game of the room."""
