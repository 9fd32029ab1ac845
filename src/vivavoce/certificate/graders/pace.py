"""How far answers are graded ahead of those before them, where the candidate or its judge is asked by batch.

A block of the judge is then one of the candidate: all of it is graded at once, and the next one is drawn when these grades are
there, as its size depends on them. Where the candidate alone is asked at once, blocks are as large as its own would be.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from vivavoce.certificate.graders.judge import Judge
from vivavoce.interview.block_sizes import MOST_AT_ONCE
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview


class Pace:
    """Says when the next answer may be asked for, to be graded beside those before it.

    interviews: with the candidates.
    judge: None where nobody judges.
    ahead: how many answers are graded at once where nobody is asked by batch.
    next_block: how many further answers are worth grading at once, by all grades before; None: that is not known.
    """

    def __init__(
        self,
        interviews: Sequence[Interview[Prompt, Reply]],
        judge: Judge | None,
        ahead: int,
        next_block: Callable[[], int] | None,
    ) -> None:
        self._interviews = interviews
        self._judged = judge is not None
        by_batch = judge is not None and judge.interview.drawing.by_batch
        asked_by_batch = any(interview.drawing.by_batch for interview in interviews)
        self._next_block = next_block if by_batch and not asked_by_batch else None
        gathers = by_batch and (asked_by_batch or next_block is not None)
        self.ahead = MOST_AT_ONCE if gathers else ahead
        """Answers that are graded at once at most."""
        self._asked = self._until = 0

    def ready(self) -> bool:
        """Whether the next answer may be asked for while others are being graded."""
        if self._next_block is not None:
            return self._asked < self._until
        return not (self._judged and any(interview.drawing.draws_next for interview in self._interviews))

    def ask(self) -> None:
        """An answer has come, and is to be graded."""
        if self._next_block is not None and self._asked >= self._until:
            self._until = self._asked + max(1, self._next_block())
        self._asked += 1
