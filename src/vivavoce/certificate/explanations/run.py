"""The run of a system: what procedures cover they answer, the candidate answers the rest."""

from __future__ import annotations

from collections import Counter, deque

from vivavoce.certificate.explanations.draws import Drawn, Ruled
from vivavoce.certificate.explanations.known import Enumerated
from vivavoce.certificate.inference import Inference
from vivavoce.certificate.run import Run, Terms
from vivavoce.certificate.verdict import Verdict
from vivavoce.interview.candidate import NoAnswer, Reply
from vivavoce.interview.scope import Grade, Scope
from vivavoce.scopes.questions import Question
from vivavoce.scopes.score import as_wrong


class SystemRun(Run):
    """Takes units with the answers that are known, and the candidate's answers to the other questions, in drawn order.

    Parameters
    ----------
    inference: with the share of the error of this process.
    procedures: how many of the procedures belong to the system.
    standing: how many of them the verdict is about.
    known: of a finite scope that was run whole, what is known beforehand: that is no draw of what is left.
    """

    def __init__(
        self,
        scope: Scope[Question],
        inference: Inference,
        terms: Terms,
        *,
        procedures: int,
        standing: int,
        known: Enumerated | None = None,
    ) -> None:
        super().__init__(scope, inference, terms)
        self.procedures = procedures
        self.standing = standing
        self.answered = 0
        """Questions that the candidate answered."""
        self.answered_by: Counter[int] = Counter()
        """By the number of the procedure, from 0, the questions that it answered."""
        self.known = known
        self._ready: deque[tuple[Ruled | None, ...]] = deque()

    def put(self, drawn: Drawn) -> None:
        """A further unit; what is known of it is taken as soon as all before it has been answered."""
        known = drawn.known(self.procedures)
        if self.known is not None and None not in known:
            return
        self._waiting.append(drawn.unit)
        self._ready.append(known)
        self._settle()

    def take(self, answer: Reply | NoAnswer) -> Verdict:
        """The candidate's answer to the oldest question that waits for one, and what is known after it."""
        if not self.over:
            self.answered += 1
            self._advance(answer, self._graded(answer))
            self._settle()
        return self.verdict

    def _settle(self) -> None:
        while not self.over and self._waiting and (known := self._ready[0][len(self._grades)]) is not None:
            self.answered_by[known.owner] += 1
            # code that returns nothing that can be read has failed: there is nobody who might have meant something
            self._advance(known.reply, as_wrong(self._graded(known.reply)))

    def _advance(self, answer: Reply | NoAnswer, grade: Grade) -> None:
        units = len(self._waiting)
        self.take_grade(answer, grade)
        if len(self._waiting) < units:
            self._ready.popleft()

    def _insufficient(self) -> str:
        return f"the evidence is not sufficient within the {self.answered} questions to the candidate that were allowed"
