"""A position of a solved ending with what the engine said, and the counts of an ending."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from vivavoce.consistency.chess.config import THRESHOLDS
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.interview.engine import Evaluation
from vivavoce.statistics.bounded import bounded_share

HALF: Final = 0.5
"""An evaluation farther than this from the truth is nearer to another result."""
WIDTH: Final = 4
"""Moves to mate that are counted together."""
KEPT: Final = 6
"""Worst positions of an ending."""


@dataclass(frozen=True, slots=True)
class Checked:
    """One position, from the point of view of the side to move."""

    ending: str
    fen: str
    value: int
    """1 won, 0 drawn, -1 lost."""
    moves_to_mate: int | None
    """Of the winner; None where nobody mates, or it is not known."""
    evaluation: Evaluation
    after: int | None
    """What is left after the engine's move, for the same side; None where that is not known, or it gave no legal move."""
    can_err: bool
    """Whether some legal move would leave less."""

    @property
    def error(self) -> float:
        """How far the evaluation is from the truth: between 0 and 2."""
        return abs(self.evaluation.q - self.value)

    @property
    def wrong(self) -> bool:
        """Whether it is nearer to another result."""
        return self.error > HALF

    @property
    def thrown(self) -> bool:
        """Whether the move leaves less than there was."""
        return self.after is not None and self.after < self.value

    @property
    def announced(self) -> bool:
        """Whether a mate is announced, for the right side."""
        return self.evaluation.mate is not None and (self.evaluation.mate > 0) == (self.value > 0) and self.value != 0

    @property
    def impossible(self) -> bool:
        """Whether a mate is announced that is not there: in a drawn position, for the wrong side, or sooner than can be."""
        mate = self.evaluation.mate
        if mate is None:
            return False
        return not self.announced or (self.moves_to_mate is not None and abs(mate) < self.moves_to_mate)

    @property
    def shortest(self) -> bool:
        """Whether the announced mate is the shortest one."""
        return self.announced and abs(self.evaluation.mate or 0) == self.moves_to_mate

    def as_json(self) -> dict[str, Any]:
        """The position as JSON values."""
        return {
            "ending": self.ending, "fen": self.fen, "value": self.value, "moves_to_mate": self.moves_to_mate,
            "q": self.evaluation.q, "mate": self.evaluation.mate, "best_move": self.evaluation.best_move, "after": self.after,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Distance:
    """Won positions by the moves to mate."""

    least: int
    most: int
    announced: Estimate
    wrong: Estimate


@dataclass(frozen=True, slots=True)
class EndingRow:
    """What is counted of an ending."""

    ending: str
    n: int
    no_answers: int
    won: int
    drawn: int
    lost: int
    over: tuple[Estimate, ...]
    """Shares with an error above each of `THRESHOLDS`."""
    wrong: Estimate
    """Nearer to another result."""
    thrown: Estimate
    """Of positions where some move would leave less, those where the engine's does."""
    announced: Estimate
    """Of decided positions whose distance to mate is known, those with a mate announced for the right side."""
    shortest: Estimate
    """Of those announced, with the shortest distance."""
    impossible: Estimate
    """Of all positions, those with a mate announced that is not there."""
    distances: tuple[Distance, ...]
    worst: tuple[Checked, ...]
    """The largest errors, and thrown results first."""

    def as_json(self) -> dict[str, Any]:
        """The row as JSON values."""
        shares = ("wrong", "thrown", "announced", "shortest", "impossible")
        return {
            **{name: getattr(self, name) for name in ("ending", "n", "no_answers", "won", "drawn", "lost")},
            "over": {f"{limit:g}": share.as_json() for limit, share in zip(THRESHOLDS, self.over, strict=True)},
            **{name: getattr(self, name).as_json() for name in shares},
            "distances": [
                {"least": one.least, "most": one.most, "announced": one.announced.as_json(), "wrong": one.wrong.as_json()}
                for one in self.distances
            ],
            "worst": [checked.as_json() for checked in self.worst],
        }


def row_of(ending: str, checked: Sequence[Checked], no_answers: int) -> EndingRow:
    """Count an ending. Positions are drawn independently, so shares have Clopper and Pearson's interval."""
    decided = [one for one in checked if one.moves_to_mate is not None]
    worst = sorted((one for one in checked if one.thrown or one.wrong), key=lambda one: (not one.thrown, -one.error, one.fen))
    return EndingRow(
        ending=ending,
        n=len(checked),
        no_answers=no_answers,
        won=sum(one.value > 0 for one in checked),
        drawn=sum(one.value == 0 for one in checked),
        lost=sum(one.value < 0 for one in checked),
        over=tuple(_share(checked, lambda one, limit=limit: one.error > limit) for limit in THRESHOLDS),  # type: ignore[misc]
        wrong=_share(checked, lambda one: one.wrong),
        thrown=_share([one for one in checked if one.can_err and one.after is not None], lambda one: one.thrown),
        announced=_share(decided, lambda one: one.announced),
        shortest=_share([one for one in decided if one.announced], lambda one: one.shortest),
        impossible=_share(checked, lambda one: one.impossible),
        distances=_by_distance(decided),
        worst=tuple(worst[:KEPT]),
    )


def _by_distance(decided: Sequence[Checked]) -> tuple[Distance, ...]:
    bins: dict[int, list[Checked]] = {}
    for one in decided:
        bins.setdefault((max(one.moves_to_mate or 0, 1) - 1) // WIDTH, []).append(one)
    return tuple(
        Distance(
            WIDTH * which + 1,
            WIDTH * (which + 1),
            _share(inside, lambda one: one.announced),
            _share(inside, lambda one: one.wrong),
        )
        for which, inside in sorted(bins.items())
    )


def _share(among: Iterable[Checked], hit: Callable[[Checked], bool]) -> Estimate:
    hits = [hit(one) for one in among]
    lower, upper = bounded_share(hits, [()] * len(hits))
    return Estimate(sum(hits) / len(hits) if hits else None, Interval(lower, upper), len(hits))
