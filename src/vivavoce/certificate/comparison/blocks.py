"""Up to which unit candidates are asked that answer by batches: all of them up to the same one, which `block_plan` chooses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from vivavoce.certificate.comparison.block_plan import PairedBlockPlan
from vivavoce.certificate.comparison.evidence import PairedEvidence
from vivavoce.certificate.comparison.order import Order
from vivavoce.certificate.comparison.protocol import Protocol
from vivavoce.certificate.score import UnitMean
from vivavoce.interview.block_sizes import BlockSize
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.statistics.betting import Floats

Interviews = Sequence[Interview[Prompt, Reply]]
_UNKNOWN: Final = UnitMean(0.0, 0.0, 1.0, 0.0)


class Blocks:
    """Says how many further questions each candidate of a comparison is asked at once.

    judged: whether a judge grades, so that the worth of an answer is known only when its unit is taken.
    """

    def __init__(
        self, interviews: Interviews, order: Order, evidence: PairedEvidence, protocol: Protocol, *, judged: bool = False
    ) -> None:
        self._judged = judged
        self._interviews = interviews
        self._order = order
        self._evidence = evidence
        self._protocol = protocol
        self._plan = PairedBlockPlan(evidence, np.array([one.drawing.in_blocks for one in interviews]))
        self._until = 0

    def of(self, place: int) -> BlockSize[Reply]:
        """The sizes of a candidate's blocks."""
        return lambda known: self._further(place, known)

    def _further(self, place: int, waiting: Sequence[Reply | NoAnswer | None]) -> int:
        drawn = len(self._interviews[place].handed_out) + len(waiting)
        all_drawn = drawn >= self._order.before(self._until) and self._order.unit(self._until) is not None
        if all_drawn and not (waiting and self._others_are_under_way(place)):
            further = max(0 if waiting else 1, self._wanted_beyond())
            self._until += further
            for other in self._others(place) if further else ():
                other.drawing.draw_block()
        return self._order.before(self._until) - drawn

    def next_units(self) -> int:
        """How many units are needed beyond those taken, whoever is asked by batch."""
        everyone = np.ones(len(self._interviews), dtype=bool)
        return PairedBlockPlan(self._evidence, everyone).next_block(*self._taken())

    def _wanted_beyond(self) -> int:
        """How many units are needed beyond those that are asked."""
        if not self._judged:
            return self._plan.next_block(*self._known())
        return self._plan.next_block(*self._taken()) - (self._until - len(self._protocol))

    def _taken(self) -> tuple[Floats, Floats]:
        """What each candidate earned by the units that were taken, as tests take it."""
        means, places = self._protocol.drawing.means, self._protocol.places
        least, most = (means.counted(ends, places) for ends in self._protocol.scores())
        return least, most

    def _others(self, place: int) -> Interviews:
        return [self._interviews[other] for other in wanted_of(self._evidence) if other != place]

    def _others_are_under_way(self, place: int) -> bool:
        """Whether answers of others are to come without which nothing is known of what this one has answered beyond."""
        return any(other.drawing.in_blocks and not other.drawing.at_rest for other in self._others(place))

    def _known(self) -> tuple[Floats, Floats]:
        """What each candidate earned, as tests take it: by the units that were taken, and by those that all have answered."""
        wanted, drawing = wanted_of(self._evidence), self._protocol.drawing
        lines = {place: self._interviews[place].drawing.answers for place in wanted}
        ends, places = [], self._protocol.places
        for place in range(len(places), self._until):
            unit = self._order.unit(place)
            worth = [None] if unit is None else [self._worth(place, candidate, lines[candidate]) for candidate in wanted]
            if unit is not None and None not in worth:
                ends.append(dict(zip(wanted, worth, strict=True)))
                places.append(drawing.place(unit))
        least, most = (
            np.column_stack([taken, *([getattr(one.get(k) or _UNKNOWN, end) for k in self._candidates] for one in ends)])
            for taken, end in zip(self._protocol.scores(), ("score", "upper"), strict=True)
        )
        return drawing.means.counted(least, places), drawing.means.counted(most, places)

    def _worth(self, place: int, candidate: int, line: Sequence[Reply | NoAnswer | None]) -> UnitMean | None:
        """What a candidate earned by a unit beyond those taken; None where it is not known yet."""
        begin, end = (self._order.before(one) - len(self._interviews[candidate].handed_out) for one in (place, place + 1))
        said = line[begin:end] if begin >= 0 else ()
        there = [answer for answer in said if answer is not None]
        return self._order.worth(place, there) if len(there) == end - begin else None

    @property
    def _candidates(self) -> range:
        return range(len(self._interviews))


def wanted_of(evidence: PairedEvidence) -> list[int]:
    """Who still has a pair that is not settled."""
    found: list[int] = np.unique(evidence.pairs[~evidence.settled]).tolist()
    return found
