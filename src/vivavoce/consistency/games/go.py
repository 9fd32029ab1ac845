"""Go as an adapter: eight orientations of the board, and colours exchanged."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from vivavoce.consistency.games.board import Diagram, Symmetry
from vivavoce.consistency.games.config import CheckName, GamesConfig
from vivavoce.errors import BadInput

_FORM = re.compile(r"([.XO]{2,25}(?:/[.XO]{2,25}){1,24}) ([bw]) (-?[0-9]{1,3}(?:\.[0-9])?)")
_COLUMNS: Final = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
_SWAP: Final = str.maketrans("XO", "OX")

Rows = tuple[str, ...]


def _turned(rows: Rows) -> Rows:
    """A quarter turn, clockwise."""
    return tuple("".join(column) for column in zip(*reversed(rows), strict=True))


def _flipped(rows: Rows) -> Rows:
    return tuple(row[::-1] for row in rows)


_ORIENTATIONS: Final[Mapping[str, tuple[int, bool]]] = {
    "a quarter turn": (1, False),
    "a half turn": (2, False),
    "three quarter turns": (3, False),
    "a flip": (0, True),
    "a quarter turn and a flip": (1, True),
    "a half turn and a flip": (2, True),
    "three quarter turns and a flip": (3, True),
}
"""Quarter turns, then whether left and right are exchanged."""


@dataclass(frozen=True, slots=True)
class GoPosition:
    """Stones on a board, rows from the top: `X` is Black's, `O` is White's; points that White is given.

    >>> GoPosition.read("X../.O./... w 6.5").swapped.written
    'O../.X./... b -6.5'
    """

    rows: Rows
    side: str
    komi: str

    @classmethod
    def read(cls, text: str) -> GoPosition:
        """Raises `BadInput`."""
        found = _FORM.fullmatch(text)
        rows = tuple(found[1].split("/")) if found else ()
        if not found or {len(row) for row in rows} != {len(rows)}:
            raise BadInput(f"'{text[:120]}' is no position of Go: rows of . X O, who is to move, komi")
        return cls(rows, found[2], found[3])

    @property
    def written(self) -> str:
        """The text again."""
        return f"{'/'.join(self.rows)} {self.side} {self.komi}"

    @property
    def swapped(self) -> GoPosition:
        """White has Black's game: the stones, the side to move and who is given the points are exchanged."""
        komi = self.komi[1:] if self.komi.startswith("-") else f"-{self.komi}" if float(self.komi) else self.komi
        return GoPosition(tuple(row.translate(_SWAP) for row in self.rows), "b" if self.side == "w" else "w", komi)

    def oriented(self, turns: int, flip: bool) -> GoPosition:
        """After so many quarter turns, and with left and right exchanged."""
        rows = self.rows
        for _ in range(turns):
            rows = _turned(rows)
        return GoPosition(_flipped(rows) if flip else rows, self.side, self.komi)


def _orientation(label: str, size: int) -> Symmetry:
    turns, flip = _ORIENTATIONS[label]
    return Symmetry(label, lambda text: GoPosition.read(text).oriented(turns, flip).written, _point(turns, flip, size))


def _point(turns: int, flip: bool, size: int) -> Callable[[str], str]:
    """What a point is called afterwards; a pass stays one."""

    def there(point: str) -> str:
        if point[:1].upper() not in _COLUMNS or not point[1:].isdecimal():
            return point
        column, row = _COLUMNS.index(point[0].upper()), size - int(point[1:])
        for _ in range(turns):
            column, row = size - 1 - row, column
        return f"{_COLUMNS[size - 1 - column if flip else column]}{size - row}"

    return there


@dataclass(frozen=True, slots=True)
class Go:
    """Go on a board of so many lines.

    A ko is no part of a position: whoever may retake at once may do so in all that are compared.
    """

    size: int = 9
    title: str = "Go"

    @property
    def opening(self) -> str:
        """Stones on points that are drawn."""
        return "after a random opening"

    @property
    def checks(self) -> tuple[CheckName, ...]:
        """Symmetries alone: engines such as GNU Go value a position whoever is to move, so a move alters its value rightly."""
        return ("colours", "orientations")

    @property
    def symmetries(self) -> Mapping[CheckName, tuple[Symmetry, ...]]:
        """Colours exchanged; seven further orientations."""
        colours = Symmetry("the colours were exchanged", lambda text: GoPosition.read(text).swapped.written, lambda move: move)
        return {"colours": (colours,), "orientations": tuple(_orientation(label, self.size) for label in _ORIENTATIONS)}

    def start(self, config: GamesConfig) -> str:
        """An empty board, with the komi."""
        return f"{'/'.join(['.' * config.size] * config.size)} b {config.komi:g}"

    def to_move(self, position: str) -> str:
        """Black or White."""
        return "Black" if GoPosition.read(position).side == "b" else "White"

    def diagram(self, position: str) -> Diagram | None:
        """Stones on a grid; Black's in upper case."""
        stone = {"X": "X", "O": "o", ".": ""}
        found = GoPosition.read(position)
        return Diagram(tuple(tuple(stone[one] for one in row) for row in found.rows), "stones", f"Komi {found.komi}")

    def in_letters(self, position: str) -> str:
        """X for Black, O for White."""
        return "\n".join(" ".join(row) for row in GoPosition.read(position).rows)
