"""The course of an examination with explanations: which questions are put to the candidate, and what each answer counts for."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from vivavoce.certificate.config import Unreadable
from vivavoce.certificate.explanations.draws import Drawn, Draws
from vivavoce.certificate.explanations.ledger import Ledger
from vivavoce.certificate.explanations.procedures import Procedure
from vivavoce.certificate.explanations.run import SystemRun
from vivavoce.certificate.rows import mark_of
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.results import ResultMark
from vivavoce.interview.scope import Scope, unknowable
from vivavoce.scopes.questions import Question
from vivavoce.scopes.score import as_wrong

IDLE = 100_000
"""Units in a row that procedures answer wholly, after which no more are drawn: the evidence is in long before."""


@dataclass(frozen=True, slots=True)
class Put:
    """A question that was put to the candidate, and the runs that wait for the answer."""

    question: Question
    runs: tuple[SystemRun, ...]


class ExplanationProtocol:
    """Draws units, has the procedures answer what they cover, and deals the candidate's answers out to the runs.

    Parameters
    ----------
    begin: makes the run of a system, from its share of delta and its number of procedures.
    limit: at most this many questions to the candidate; a unit that would exceed it is not begun.
    unreadable: what a reply is worth that cannot be read.
    """

    def __init__(
        self,
        scope: Scope[Question],
        draws: Draws,
        begin: Callable[[float, int], SystemRun],
        *,
        delta: float,
        most: int,
        limit: int | None,
        unreadable: Unreadable = "interval",
    ) -> None:
        self._scope, self._draws, self._limit = scope, draws, limit
        self._procedures = draws.procedures
        self.ledger: Ledger[SystemRun] = Ledger(lambda given: begin(given, self._procedures), delta=delta, most=most)
        self.put = 0
        """Questions that were put to the candidate."""
        self.taken = 0
        """Of these, how many it has answered."""
        self._in_flight: deque[Put] = deque()
        self._answers: list[tuple[Question, Reply | NoAnswer]] = []
        self._unreadable = unreadable

    @property
    def over(self) -> bool:
        """Whether there is a verdict on the system as it is, or process 1 found understanding."""
        return self.ledger.deciding.over

    def prompts(self) -> Iterator[Prompt]:
        """What to ask the candidate, until nothing is left to ask."""
        idle = 0
        for drawn in self._draws:
            if self.over:
                return
            puts = self._puts(drawn)
            if self._limit is not None and self.put + len(puts) > self._limit:
                return
            idle = 0 if puts else idle + 1
            if idle > IDLE:
                return
            self._put(drawn)
            self.put += len(puts)
            self._in_flight.extend(puts)
            yield from (self._scope.prompt(put.question) for put in puts)

    @property
    def marks(self) -> list[ResultMark]:
        """Of the candidate's answers, in drawn order."""
        given = [unknowable(answer) or self._scope.grade(question, answer) for question, answer in self._answers]
        grades = map(as_wrong, given) if self._unreadable == "wrong" else given
        return [mark_of(question, grade) for (question, _), grade in zip(self._answers, grades, strict=True)]

    def take(self, answer: Reply | NoAnswer) -> Question | None:
        """The candidate's answer to the question that has been in flight longest.

        That question, if it counts for the system as it is now; None where process 1 alone waits for it, or an earlier system.
        """
        put = self._in_flight.popleft()
        self.taken += 1
        for run in put.runs:
            run.take(answer)
        self._answers.append((put.question, answer))
        return put.question if self.ledger.latest in put.runs else None

    def add(self, procedure: Procedure) -> None:
        """A procedure that was accepted: from the next draw on there is a new system, and a process of its own."""
        self._draws.add(procedure)
        self._procedures += 1

    def change(self) -> None:
        """Begin the process of the system with all procedures that were added."""
        self.ledger.change()

    def _runs(self) -> list[SystemRun]:
        """Those that questions are drawn for."""
        first, latest = self.ledger.first, self.ledger.latest
        return [run for run in ([first] if first is latest else [first, latest]) if not run.over]

    def _puts(self, drawn: Drawn) -> list[Put]:
        known = [(run, drawn.known(run.procedures)) for run in self._runs()]
        puts = [
            Put(question, tuple(run for run, answers in known if answers[i] is None)) for i, question in enumerate(drawn.unit)
        ]
        return [put for put in puts if put.runs]

    def _put(self, drawn: Drawn) -> None:
        for run in self._runs():
            run.put(drawn)
