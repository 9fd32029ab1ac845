"""How far answers are graded ahead of those before them, where the candidate or its judge is asked by batch.

A block of the judge is then one of the candidate: all of it is graded at once, and the next one is drawn when these grades are
there. Where the candidate alone is asked at once, blocks are as large as its own would be.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from vivavoce.certificate.graders.judge import Judge
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.drawing import block_after
from vivavoce.interview.interview import Interview

WHOLE_BLOCK: Final = 50_000
"""Answers that are graded at once at most, where a judge is asked by batch: more than any block has."""


class Pace:
    """Says when the next answer may be asked for, to be graded beside those before it.

    interviews: with the candidates.
    judge: None where nobody judges.
    ahead: how many answers are graded at once where nobody is asked by batch.
    """

    def __init__(self, interviews: Sequence[Interview[Prompt, Reply]], judge: Judge | None, ahead: int) -> None:
        self._interviews = interviews
        self._is_judged = judge is not None
        by_batch = judge is not None and judge.interview.drawing.by_batch
        asked = [] if by_batch else [*interviews, *([] if judge is None else [judge.interview])]
        self._asked_one_by_one = asked
        """Whose answers may all be on record; empty where a judge is asked by batch."""
        self._sets_blocks = by_batch and not any(interview.drawing.by_batch for interview in interviews)
        self.ahead = WHOLE_BLOCK if by_batch else ahead
        """Answers that are graded at once at most."""
        self._asked = self._until = 0

    def ready(self) -> bool:
        """Whether the next answer may be asked for while others are being graded.

        Not while all answers and grades come from the record, which may have enough.
        """
        if self._asked_one_by_one and not any(interview.asks_anew for interview in self._asked_one_by_one):
            return False
        if self._sets_blocks:
            return self._asked < self._until
        return not (self._is_judged and any(interview.drawing.draws_next for interview in self._interviews))

    def ask(self) -> None:
        """An answer has come, and is to be graded."""
        if self._sets_blocks and self._asked >= self._until:
            self._until = self._asked + block_after(self._asked)
        self._asked += 1
