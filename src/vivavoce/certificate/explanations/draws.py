"""Questions as they are drawn in an examination with explanations, each with what a procedure says to it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import NamedTuple

from vivavoce.certificate.explanations.procedures import AT_ONCE, Procedure, reply, ruled
from vivavoce.certificate.explanations.sandbox.program import Ruling, SandboxEnded
from vivavoce.interview.candidate import Reply
from vivavoce.scopes.questions import Unit


class Ruled(NamedTuple):
    """The answer of the procedure that a question belongs to."""

    owner: int
    """The number of the procedure, from 0; a question belongs to the earliest that covers it."""
    reply: Reply


class Drawn(NamedTuple):
    """One unit with what the procedures say to each of its questions; None where none covers it."""

    unit: Unit
    answers: tuple[Ruled | None, ...]

    def known(self, procedures: int) -> tuple[Ruled | None, ...]:
        """The answers of a system with the first so many procedures; None where the candidate has to answer."""
        return tuple(None if a is None or a.owner >= procedures else a for a in self.answers)


class Draws:
    """Units in the order of drawing, put to the procedures by the block; one that is added rules on all not yet handed out."""

    def __init__(self, units: Iterator[Unit], procedures: Sequence[Procedure]) -> None:
        self._units = units
        self._procedures = list(procedures)
        self._waiting: deque[Drawn] = deque()
        self.used_up = False
        """Whether they ended since the programs' CPU time did."""

    def __iter__(self) -> Iterator[Drawn]:
        while True:
            if not self._waiting and not self.used_up:
                units = list(islice(self._units, AT_ONCE))
                self._fill(partial(rulings, units, self._procedures))
            if not self._waiting:
                return
            yield self._waiting.popleft()

    def _fill(self, ruled_on: Callable[[], list[Drawn]]) -> None:
        try:
            self._waiting = deque(ruled_on())
        except SandboxEnded:
            self._waiting, self.used_up = deque(), True

    @property
    def procedures(self) -> int:
        """How many there are."""
        return len(self._procedures)

    def add(self, procedure: Procedure) -> None:
        """A further procedure, for what the others do not cover."""
        self._procedures.append(procedure)
        self._fill(partial(with_procedure, list(self._waiting), procedure, self.procedures - 1))


def rulings(units: Sequence[Unit], procedures: Sequence[Procedure]) -> list[Drawn]:
    """What the procedures say to the questions of these units."""
    drawn = [Drawn(unit, (None,) * len(unit)) for unit in units]
    for number, procedure in enumerate(procedures):
        drawn = with_procedure(drawn, procedure, number)
    return drawn


def with_procedure(drawn: list[Drawn], procedure: Procedure, number: int) -> list[Drawn]:
    """The same with one procedure more, which is asked all questions, as in its audit, and heard where no other covers them."""
    said = iter(ruled(procedure, [question for one in drawn for question in one.unit]))
    return [Drawn(one.unit, tuple(_answer(old, next(said), number) for old in one.answers)) for one in drawn]


def _answer(old: Ruled | None, ruling: Ruling, number: int) -> Ruled | None:
    return old if old is not None or not ruling.covers else Ruled(number, reply(ruling))
