"""The questions that `ask_in_order` has drawn and not yet returned, and when it draws more: one by one, or in blocks."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, Generic, TypeVar

from vivavoce.interview.requests import QuestionOutcome, Request
from vivavoce.interview.vendor_batches import BatchQueue

Q = TypeVar("Q")
A = TypeVar("A")

DrawnQuestion = tuple[Q, Request[A]]
BlockPlan = Sequence[tuple[int, int]]
"""When blocks were drawn: for each block the number of answers returned before it, and of questions drawn with it."""
FIRST_BLOCK: Final = 20
"""Questions of the first block, and the minimum of any other."""


def block_after(drawn: int) -> int:
    """Questions of the next block: half as many as all before it.

    So at most a third of all questions, or 19, are drawn after the last one that a verdict needs. One more block is drawn if
    an earlier question must be asked again, since that goes with the next block.

    >>> [block_after(drawn) for drawn in (0, 20, 40, 60, 90)]
    [20, 20, 20, 30, 45]
    """
    return max(FIRST_BLOCK, (drawn + 1) // 2)


@dataclass(frozen=True, slots=True)
class DrawLimits:
    """How far one `ask_in_order` draws."""

    most: int = 0
    """Questions in flight by batch."""
    ahead: Callable[[], int] = lambda: 0
    """Without batches, how many may be drawn and not yet returned."""
    all_wanted: bool = False
    """Whether all questions will be asked whatever the answers are, so that by batch they are one block."""
    on_record: bool = False
    """Whether answers may be on record. Then the candidate is asked only after all recorded answers in front were returned and
    one more is needed, since the record may have enough."""
    side_by_side: Callable[[], Iterable[DrawnQuestions[Any, Any]]] = tuple
    """Other interviews with the same questions; they draw their blocks together with this one."""


class DrawnQuestions(Generic[Q, A]):
    """The questions of one `ask_in_order`, in drawn order.

    Parameters
    ----------
    batches: the batches of the candidate; None if it is not asked by batch.
    followed: the blocks of another run by batch, to draw like it; None: draw as far as `limits.ahead` allows.
    drawn: questions with their requests; drawing a question sends its request.
    limits: how far to draw.
    """

    def __init__(
        self,
        batches: BatchQueue[Q, A] | None,
        followed: BlockPlan | None,
        drawn: Iterable[DrawnQuestion[Q, A]] = (),
        limits: DrawLimits = DrawLimits(),
    ) -> None:
        self._batches = batches
        self._followed = followed
        self._drawn = iter(drawn)
        self._limits = limits
        self._asks_ahead = batches is not None or limits.all_wanted or not limits.on_record
        """Whether the candidate is asked questions ahead of need."""
        self._line: deque[DrawnQuestion[Q, A]] = deque()
        self.handed_out = 0
        """Questions that were returned."""
        self.blocks: list[tuple[int, int]] = []
        """By batch, for each block the number of answers returned before it, and of questions drawn with it."""

    def __len__(self) -> int:
        """Questions that are drawn and not yet returned."""
        return len(self._line)

    @property
    def first(self) -> asyncio.Future[QuestionOutcome[A]]:
        """The outcome of the next question to be returned; raises `IndexError` without one."""
        return self._line[0][1].task

    @property
    def by_batch(self) -> bool:
        """Whether it draws in blocks: for its own batches, or for those of another run."""
        return self._batches is not None or self._followed is not None

    @property
    def drawn(self) -> int:
        return self.handed_out + len(self._line)

    @property
    def draws_next(self) -> bool:
        """Whether another block is drawn before the next answer is returned."""
        if self._batches is not None:
            return not (self._line and self.first.done())
        return self._followed is not None and self._follows_further(self._followed)

    async def until_first(self, failure: asyncio.Future[BaseException]) -> bool:
        """Draw, and wait until the first question has its outcome; False if none is left. Raises the error in `failure`."""
        if self._batches is not None:
            await self._until_first_of_blocks(self._batches, failure)
        else:
            await self._until_first_in_order(failure)
        if failure.done():
            raise failure.result()
        return bool(self)

    async def _until_first_in_order(self, failure: asyncio.Future[BaseException]) -> None:
        while self._looks_further() and (further := next(self._drawn, None)) is not None:
            self._append(further)
            if self._followed is not None:
                self._note_block()
        if self._line and not self.first.done():
            self._line[0][1].wanted.set()
            await asyncio.wait((self.first, failure), return_when=asyncio.FIRST_COMPLETED)

    def hand_out(self) -> DrawnQuestion[Q, A]:
        self.handed_out += 1
        return self._line.popleft()

    def leave(self) -> list[Request[A]]:
        """Stop drawing, and return the requests of the questions in the line."""
        left = [request for _, request in self._line]
        self._line.clear()
        self._drawn = iter(())
        return left

    def draw_until(self, number: int) -> list[DrawnQuestion[Q, A]]:
        """Draw questions up to this number and return the new ones; does nothing without batches."""
        if self._batches is None:
            return []
        waiting = sum(not request.task.done() for _, request in self._line)
        further = list(islice(self._drawn, max(0, min(number - self.drawn, self._limits.most - waiting))))
        for drawn_question in further:
            self._append(drawn_question)
        if further:
            self._note_block()
        return further

    def _append(self, further: DrawnQuestion[Q, A]) -> None:
        _, request = further
        self._line.append(further)
        request.on_new = self._ask_ahead
        if self._asks_ahead:
            request.wanted.set()

    def _ask_ahead(self) -> None:
        if not self._asks_ahead:
            self._asks_ahead = True
            for _, request in self._line:
                request.wanted.set()

    async def _until_first_of_blocks(self, batches: BatchQueue[Q, A], failure: asyncio.Future[BaseException]) -> None:
        """Draw a block when all questions before it have their outcome, or wait to be asked again with this block.

        So an interview that stops has every paid answer on record.
        """
        while True:
            with batches.drawing():
                while True:
                    if await _settled(batches, failure) or (self._line and self.first.done()):
                        return
                    further = self.draw_until(self.drawn + self._wanted(batches))
                    for other in self._limits.side_by_side():
                        other.draw_until(self.drawn)
                    if await _settled(batches, failure):
                        return
                    if not further or any(not request.task.done() for _, request in further):
                        break  # else all of it was on record
            if not self._line:
                return
            over = batches.over
            while batches.over == over and not failure.done() and not self.first.done():
                await batches.change()

    def _wanted(self, batches: BatchQueue[Q, A]) -> int:
        """Questions of the next block, without those that wait to be repeated."""
        if batches.block is not None:
            return batches.block
        return self._limits.most if self._limits.all_wanted else block_after(self.drawn)

    def _looks_further(self) -> bool:
        return len(self._line) < self._limits.ahead() if self._followed is None else self._follows_further(self._followed)

    def _follows_further(self, followed: BlockPlan) -> bool:
        """Whether the followed run drew another question before it returned the next answer."""
        waiting = len(self._line)
        return not waiting or self.drawn < max((drawn for at, drawn in followed if at <= self.handed_out), default=0)

    def _note_block(self) -> None:
        if self.blocks and self.blocks[-1][0] == self.handed_out:
            self.blocks.pop()
        self.blocks.append((self.handed_out, self.drawn))


async def _settled(batches: BatchQueue[Q, A], failure: asyncio.Future[BaseException]) -> bool:
    """Wait until every request has its outcome or waits for a batch; return whether something failed."""
    while not (batches.settled or failure.done()):
        await batches.change()
    return failure.done()
