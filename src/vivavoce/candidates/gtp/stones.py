"""A Go board for those who speak to engines: its notation, points as GTP names them, moves and captures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from vivavoce.candidates.text import shortened
from vivavoce.errors import BadInput

Colour = Literal["b", "w"]
COLUMNS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
"""Of a board, without I (GTP 2, section 2.11)."""
STONE = {"b": "X", "w": "O"}
OTHER: dict[Colour, Colour] = {"b": "w", "w": "b"}
_FORM = re.compile(r"([.XO]{2,25}(?:/[.XO]{2,25}){1,24}) ([bw]) (-?[0-9]{1,3}(?:\.[0-9])?)")


@dataclass(frozen=True, slots=True)
class Stones:
    """Stones on a board, rows from the top; `X` is Black's, `O` is White's.

    >>> board = Stones.read(".O./OX./.O. w 6.5").played("w", "C2")
    >>> board.written
    '.O./O.O/.O. b 6.5'
    """

    rows: tuple[str, ...]
    to_move: Colour
    komi: str

    @classmethod
    def empty(cls, size: int, komi: float) -> Stones:
        """Before the first move."""
        return cls(("." * size,) * size, "b", f"{komi:g}")

    @classmethod
    def read(cls, position: str) -> Stones:
        """From its notation. Raises `BadInput`."""
        found = _FORM.fullmatch(position)
        rows = tuple(found[1].split("/")) if found else ()
        if not found or {len(row) for row in rows} != {len(rows)}:
            raise BadInput(f"'{shortened(position, 100)}' is no position of Go: rows of . X O, who is to move, komi")
        return cls(rows, "b" if found[2] == "b" else "w", found[3])

    @property
    def written(self) -> str:
        """Its notation."""
        return f"{'/'.join(self.rows)} {self.to_move} {self.komi}"

    @property
    def size(self) -> int:
        """Lines each way."""
        return len(self.rows)

    @property
    def stones(self) -> Iterator[tuple[Colour, str]]:
        """Every stone with its point."""
        for row, line in enumerate(self.rows):
            for column, stone in enumerate(line):
                if stone != ".":
                    yield ("b" if stone == "X" else "w"), self.point(row, column)

    def point(self, row: int, column: int) -> str:
        """The name of a point, as in GTP."""
        return f"{COLUMNS[column]}{self.size - row}"

    def empties(self) -> list[str]:
        """The names of all empty points."""
        return [self.point(row, i) for row, line in enumerate(self.rows) for i, stone in enumerate(line) if stone == "."]

    def played(self, colour: Colour, point: str) -> Stones:
        """The board after a stone (a pass: any word that is no point), with what it captures gone.

        Raises `BadInput` where the point is not empty, or the stone would have no liberty. Whether a ko is retaken is for
        others to see to.
        """
        place = self._place(point)
        if place is None:
            return Stones(self.rows, OTHER[colour], self.komi)
        row, column = place
        if self.rows[row][column] != ".":
            raise BadInput(f"{point} is not empty")
        grid = [list(line) for line in self.rows]
        grid[row][column] = STONE[colour]
        for neighbour in self._around(row, column):
            if grid[neighbour[0]][neighbour[1]] == STONE[OTHER[colour]]:
                self._remove_without_liberty(grid, neighbour)
        if self._remove_without_liberty(grid, place):
            raise BadInput(f"{point} would have no liberty")
        return Stones(tuple(map("".join, grid)), OTHER[colour], self.komi)

    def _place(self, point: str) -> tuple[int, int] | None:
        column, row = COLUMNS.find(point[:1].upper()), point[1:]
        if column < 0 or not (row.isascii() and row.isdecimal()):
            return None
        place = self.size - int(row), column
        return place if 0 <= place[0] < self.size and column < self.size else None

    def _around(self, row: int, column: int) -> Iterator[tuple[int, int]]:
        for there in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if 0 <= there[0] < self.size and 0 <= there[1] < self.size:
                yield there

    def _remove_without_liberty(self, grid: list[list[str]], start: tuple[int, int]) -> bool:
        """Take the group at that point off the grid if it has no liberty; whether it had none."""
        stone, group, due = grid[start[0]][start[1]], {start}, [start]
        while due:
            for there in self._around(*due.pop()):
                what = grid[there[0]][there[1]]
                if what == ".":
                    return False
                if what == stone and there not in group:
                    group.add(there)
                    due.append(there)
        for row, column in group:
            grid[row][column] = "."
        return True
