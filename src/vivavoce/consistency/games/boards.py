"""Xiangqi and shogi boards: notation, symmetries, and diagrams."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from vivavoce.consistency.config import GameCheckName, GameName
from vivavoce.errors import BadInput


@dataclass(frozen=True, slots=True)
class Symmetry:
    """A transformation that leaves the game the same; the value for the side to move does not change."""

    label: str
    """The transformation in words, to follow "once": "the colours were exchanged"."""
    position: Callable[[str], str]
    """The transformed position; raises `BadInput` for a text that is not a position."""
    move: Callable[[str], str]
    """The name of a move, in the engine's notation, after the transformation."""


@dataclass(frozen=True, slots=True)
class Diagram:
    """The contents of a board diagram."""

    rows: tuple[tuple[str, ...], ...]
    """The ranks from the top. Pieces are letters, upper case for the side that moves first; empty squares are empty strings."""
    pieces: Literal["discs", "wedges"]
    """Discs are drawn on line crossings; wedges in squares, upside down for the other side."""
    below: str = ""
    """Text below the board, such as pieces in hand."""


_FORM = re.compile(r"([A-Za-z0-9+/]{9,250})(\[[A-Za-z]{0,40}\])? ([wb]) - - ([0-9]{1,3} [0-9]{1,4})")
_SQUARE = re.compile(r"\+?[A-Za-z]|[1-9]")
_PLACE = re.compile(r"([a-i])(10|[1-9])")
FILES = "abcdefghi"
Turn = Literal["flip", "turn"]
"""How a board is given to the other side: with ranks in reverse order, or rotated by 180 degrees."""


@dataclass(frozen=True, slots=True)
class Fen:
    """A position on a board with nine files; upper case is the side that moves first.

    >>> Fen.read("4k4/9/9/9/9/9/9/9/1R2K4[Pp] w - - 3 20", ranks=9, hands=True).mirrored.written
    '4k4/9/9/9/9/9/9/9/4K2R1[Pp] w - - 3 20'
    """

    ranks: tuple[tuple[str, ...], ...]
    """The ranks from the top; empty squares are empty strings."""
    hand: str | None
    """Pieces in hand, those of the side that moves first in front; None in a game without them."""
    side: str
    counters: str

    @classmethod
    def read(cls, text: str, *, ranks: int, hands: bool) -> Fen:
        """Parse a position; raises `BadInput` unless the text has this many ranks and a king on each side."""
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
        """The position as text."""
        hand = "" if self.hand is None else f"[{self.hand}]"
        return f"{'/'.join(map(_written, self.ranks))}{hand} {self.side} - - {self.counters}"

    @property
    def mirrored(self) -> Fen:
        """The position with left and right exchanged."""
        return replace(self, ranks=tuple(row[::-1] for row in self.ranks))

    def swapped(self, turn: Turn) -> Fen:
        """The position with exchanged sides: colours and the side to move are swapped, and the board is flipped or rotated."""
        rows = [tuple(square.swapcase() for square in row) for row in reversed(self.ranks)]
        return Fen(
            tuple(row[::-1] if turn == "turn" else row for row in rows),
            None if self.hand is None else _in_order(self.hand.swapcase()),
            "b" if self.side == "w" else "w",
            self.counters,
        )


def moved(*, ranks: int, mirrored: bool, upside_down: bool) -> Callable[[str], str]:
    """The name of a move (`h3h10`, `b8b2+`, `G@e5`) on a mirrored or inverted board.

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
    """A game in the FEN of Fairy-Stockfish.

    The rules of both games treat left and right alike. Both positions of a pair have the same counters (moves without a
    capture, full moves).
    """

    title: str
    ranks: int
    hands: bool
    """Whether captured pieces are kept in hand."""
    turn: Turn
    sides: tuple[str, str]
    """The side that moves first, and the other side."""

    @property
    def symmetries(self) -> Mapping[GameCheckName, Symmetry]:
        """The mirror symmetry, and the exchange of sides."""
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
        """Parse a position; raises `BadInput` if it is not one."""
        return Fen.read(position, ranks=self.ranks, hands=self.hands)

    def to_move(self, position: str) -> str:
        """The name of the side to move."""
        return self.sides[self.read(position).side == "b"]

    def diagram(self, position: str) -> Diagram:
        """The diagram of a position, with the pieces in hand."""
        fen = self.read(position)
        below = f"In hand: {fen.hand or 'nothing'}" if self.hands else ""
        return Diagram(fen.ranks, "wedges" if self.hands else "discs", below)


XIANGQI = ChessLike("xiangqi", 10, hands=False, turn="flip", sides=("Red", "Black"))
SHOGI = ChessLike("shogi", 9, hands=True, turn="turn", sides=("Black", "White"))
"""In shogi, the side that moves first is called Black (sente)."""
BOARDS: Final[Mapping[GameName, ChessLike]] = {"xiangqi": XIANGQI, "shogi": SHOGI}
"""All supported games."""
