"""Men on a backgammon board, for those who speak to engines: notation, and moves as they are played."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from vivavoce.candidates.text import shortened
from vivavoce.errors import BadInput

BAR, MEN = 25, 15
_SIDE = r"[0-9]{1,2}(?:,[0-9]{1,2}){24}"
_FORM = re.compile(rf"X=({_SIDE}) O=({_SIDE}) ([XO])")


@dataclass(frozen=True, slots=True)
class Men:
    """A position before the roll, from the point of view of the side that is to roll."""

    own: tuple[int, ...]
    """At points 1 to 24, counted from home, and on the bar."""
    other: tuple[int, ...]
    """The other side's, counted from its own home."""
    side: str
    """X or O, who is to roll."""

    @classmethod
    def read(cls, position: str) -> Men:
        """From its notation. Raises `BadInput`."""
        found = _FORM.fullmatch(position)
        if found:
            x, o = (tuple(map(int, side.split(","))) for side in found.groups()[:2])
            if 0 < sum(x) <= MEN and 0 < sum(o) <= MEN and not any(x[i] and o[23 - i] for i in range(24)):
                return cls(x, o, "X") if found[3] == "X" else cls(o, x, "O")
        raise BadInput(f"'{shortened(position, 160)}' is no position of backgammon: X=25 numbers O=25 numbers, who is to roll")

    @property
    def written(self) -> str:
        """Its notation."""
        x, o = (self.own, self.other) if self.side == "X" else (self.other, self.own)
        return f"X={','.join(map(str, x))} O={','.join(map(str, o))} {self.side}"

    @property
    def is_over(self) -> bool:
        """Whether a side has no man left."""
        return not sum(self.own) or not sum(self.other)

    def played(self, move: Sequence[int]) -> Men:
        """After a move (from, to, from, to, …; 25 is the bar, 0 is off), when the other side is to roll.

        Raises `BadInput` for one that cannot be: whether the dice allow it is for the engine to see to.

        >>> start = (0,) * 5 + (5, 0, 3) + (0,) * 4 + (5,) + (0,) * 10 + (2, 0)
        >>> Men(start, start, "X").played((8, 5, 6, 5)).other[4:8]
        (2, 4, 0, 2)
        """
        own, other = list(self.own), list(self.other)
        for start, end in zip(move[::2], move[1::2], strict=True):
            if not (1 <= start <= BAR and 0 <= end < start and own[start - 1]):
                raise BadInput(f"no man can move from {start} to {end}")
            own[start - 1] -= 1
            if end:
                if other[24 - end] > 1:
                    raise BadInput(f"{end} is the other side's")
                if other[24 - end]:
                    other[24 - end], other[24] = 0, other[24] + 1
                own[end - 1] += 1
        return Men(tuple(other), tuple(own), "O" if self.side == "X" else "X")
