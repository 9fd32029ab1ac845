"""Backgammon as an adapter: sides exchanged, and the mean over the dice."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from vivavoce.consistency.games.board import Diagram, Symmetry
from vivavoce.consistency.games.config import CheckName, GamesConfig
from vivavoce.errors import BadInput

POINTS, MEN = 25, 15
START = "0,0,0,0,0,5,0,3,0,0,0,0,5,0,0,0,0,0,0,0,0,0,0,2,0"
_SIDE = r"[0-9]{1,2}(?:,[0-9]{1,2}){24}"
_FORM = re.compile(rf"X=({_SIDE}) O=({_SIDE}) ([XO])")


@dataclass(frozen=True, slots=True)
class BackgammonPosition:
    """Men of each side on its own points 1 to 24 and on the bar, before the dice are rolled; the others are off the board."""

    men: tuple[tuple[int, ...], tuple[int, ...]]
    """Of X and of O, each counted from its own home."""
    side: str
    """X or O, who is to roll."""

    @classmethod
    def read(cls, text: str) -> BackgammonPosition:
        """Raises `BadInput` for what is no position: too many men, none at all, or both sides' on a point."""
        found = _FORM.fullmatch(text)
        if found:
            x, o = (tuple(map(int, side.split(","))) for side in found.groups()[:2])
            shared = any(x[i] and o[23 - i] for i in range(24))
            if 0 < sum(x) <= MEN and 0 < sum(o) <= MEN and not shared:
                return cls((x, o), found[3])
        raise BadInput(f"'{text[:160]}' is no position of backgammon: X=25 numbers O=25 numbers, and who is to roll")

    @property
    def written(self) -> str:
        """The text again."""
        x, o = (",".join(map(str, side)) for side in self.men)
        return f"X={x} O={o} {self.side}"

    @property
    def swapped(self) -> BackgammonPosition:
        """O has X's game."""
        return BackgammonPosition((self.men[1], self.men[0]), "O" if self.side == "X" else "X")


@dataclass(frozen=True, slots=True)
class Backgammon:
    """Backgammon without a doubling cube."""

    title: str = "backgammon"

    @property
    def opening(self) -> str:
        """The dice make it random enough."""
        return "with dice at random, after an opening"

    @property
    def checks(self) -> tuple[CheckName, ...]:
        """Sides exchanged, and before against after the dice."""
        return ("colours", "rolls")

    @property
    def symmetries(self) -> Mapping[CheckName, tuple[Symmetry, ...]]:
        """Sides exchanged; moves are counted from the mover's home."""

        def swapped(text: str) -> str:
            return BackgammonPosition.read(text).swapped.written

        return {"colours": (Symmetry("the sides were exchanged", swapped, lambda move: move),)}

    def start(self, config: GamesConfig) -> str:
        """The usual one."""
        return f"X={START} O={START} X"

    def to_move(self, position: str) -> str:
        """X or O."""
        return BackgammonPosition.read(position).side

    def diagram(self, position: str) -> Diagram | None:
        """None: its points are no grid."""
        return None

    def in_letters(self, position: str) -> str:
        """A line a side: men at each point from its own home, then those on the bar and off."""
        lines = []
        for name, men in zip("XO", BackgammonPosition.read(position).men, strict=True):
            places = [f"{point}:{number}" for point, number in enumerate(men[:24], 1) if number]
            lines.append(f"{name}  {'  '.join(places)}  bar:{men[24]}  off:{MEN - sum(men)}")
        return "\n".join(lines)
