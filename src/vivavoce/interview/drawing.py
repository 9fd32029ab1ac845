"""What `ask_in_order` has drawn and not handed out, and when it draws more: as far as one looks ahead, or block by block."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Final, Generic, TypeVar

from vivavoce.interview.batched import Batches
from vivavoce.interview.notation import Settled
from vivavoce.interview.requests import Request

Q = TypeVar("Q")
A = TypeVar("A")

Drawn = tuple[Q, Request[A]]
Blocked = Sequence[tuple[int, int]]
"""When blocks were drawn: after how many answers that were handed out, up to how many questions."""
FIRST_BLOCK: Final = 20
"""Questions of the first block, and of any other at least."""


def block_after(drawn: int) -> int:
    """Questions of the next block: half as many as all before it.

    So at most a third of all questions, or 19, are drawn after the one that a verdict needs last; and one block more
    where a question before that one was to be put again, which goes with the next block.

    >>> [block_after(drawn) for drawn in (0, 20, 40, 60, 90)]
    [20, 20, 20, 30, 45]
    """
    return max(FIRST_BLOCK, (drawn + 1) // 2)


class Drawing(Generic[Q, A]):
    """The questions of one `ask_in_order`, in drawn order.

    Parameters
    ----------
    batches: of a candidate that is asked by batch; None for others.
    followed: when to draw, as another run did by batch; None: as far as one looks ahead.
    drawn: questions with their requests, which are on their way once they are drawn.
    all_wanted: whether all questions will be asked whatever is answered, so that they are one block by batch.
    beside: others that are asked the same questions, and draw by batch whenever this one does, so that none waits for another.
    most: questions in flight by batch.
    ahead: how many may be drawn and not handed out where nobody is asked by batch.
    on_record: whether answers may be on record. Then the candidate is asked nothing before all answers that the record has in
        front are handed out and one more is wanted: the record may have enough.
    """

    def __init__(
        self,
        batches: Batches[Q, A] | None,
        followed: Blocked | None,
        drawn: Iterable[Drawn[Q, A]] = (),
        *,
        all_wanted: bool = False,
        beside: Callable[[], Iterable[Drawing[Q, A]]] = tuple,
        most: int = 0,
        ahead: Callable[[], int] = lambda: 0,
        on_record: bool = False,
    ) -> None:
        self._batches = batches
        self._followed = followed
        self._drawn = iter(drawn)
        self._all_wanted = all_wanted
        self._beside = beside
        self._most = most
        self._ahead = ahead
        self._asks_ahead = batches is not None or all_wanted or not on_record
        """Whether the candidate is asked what is not wanted yet."""
        self._line: deque[Drawn[Q, A]] = deque()
        self.handed_out = 0
        """Questions that were."""
        self.blocks: list[tuple[int, int]] = []
        """By batch, how many answers had been handed out when a block was drawn, and how many questions had been drawn then."""

    def __len__(self) -> int:
        """Questions that are drawn and not handed out."""
        return len(self._line)

    @property
    def first(self) -> asyncio.Future[Settled[A]]:
        """What will be the outcome of the next one to be handed out, of which there must be one."""
        return self._line[0][1].task

    @property
    def by_batch(self) -> bool:
        """Whether batches are drawn, or questions as one did that drew such."""
        return self._batches is not None or self._followed is not None

    @property
    def drawn(self) -> int:
        """Questions that were drawn."""
        return self.handed_out + len(self._line)

    @property
    def draws_next(self) -> bool:
        """Whether another block is drawn before the next answer is handed out."""
        if self._batches is not None:
            return not (self._line and self.first.done())
        return self._followed is not None and self._follows_further(self._followed)

    async def until_first(self, failure: asyncio.Future[BaseException], begin: Callable[[], None]) -> None:
        """Draw, and wait until the first has its outcome, nothing is left, or something failed.

        begin: called before that is waited for, where nobody is asked by batch.
        """
        if self._batches is not None:
            await self._until_first_of_blocks(self._batches, failure)
            return
        while self._looks_further() and (further := next(self._drawn, None)) is not None:
            self._append(further)
            if self._followed is not None:
                self._note_block()
        if self._line and not self.first.done():
            begin()
            self._line[0][1].wanted.set()
            await asyncio.wait((self.first, failure), return_when=asyncio.FIRST_COMPLETED)

    def hand_out(self) -> Drawn[Q, A]:
        """The first of the line, which leaves it."""
        self.handed_out += 1
        return self._line.popleft()

    def leave(self) -> list[Request[A]]:
        """The requests of what was not handed out; nothing is drawn any more."""
        left = [request for _, request in self._line]
        self._line.clear()
        self._drawn = iter(())
        return left

    def draw_until(self, number: int) -> list[Drawn[Q, A]]:
        """Put questions into the line until so many are drawn, and return them; by batch alone, asked for or not."""
        if self._batches is None:
            return []
        waiting = sum(not request.task.done() for _, request in self._line)
        further = list(islice(self._drawn, max(0, min(number - self.drawn, self._most - waiting))))
        for one in further:
            self._append(one)
        if further:
            self._note_block()
        return further

    def _append(self, further: Drawn[Q, A]) -> None:
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

    async def _until_first_of_blocks(self, batches: Batches[Q, A], failure: asyncio.Future[BaseException]) -> None:
        """A block is drawn when all before it have their outcome, or wait to be put again: these go with it.

        So whoever stops has every answer on record that was paid for.
        """
        while True:
            with batches.drawing():
                while True:
                    if await _settled(batches, failure) or (self._line and self.first.done()):
                        return
                    further = self.draw_until(self.drawn + self._wanted(batches))
                    for other in self._beside():
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

    def _wanted(self, batches: Batches[Q, A]) -> int:
        """Questions of the next block, besides those that wait to be put again."""
        if batches.block is not None:
            return batches.block
        return self._most if self._all_wanted else block_after(self.drawn)

    def _looks_further(self) -> bool:
        return len(self._line) < self._ahead() if self._followed is None else self._follows_further(self._followed)

    def _follows_further(self, followed: Blocked) -> bool:
        """Whether the run that is followed drew before it handed out the next answer, while so many waited for that."""
        waiting = len(self._line)
        return not waiting or self.drawn < max((drawn for at, drawn in followed if at <= self.handed_out), default=0)

    def _note_block(self) -> None:
        if self.blocks and self.blocks[-1][0] == self.handed_out:
            self.blocks.pop()
        self.blocks.append((self.handed_out, self.drawn))


async def _settled(batches: Batches[Q, A], failure: asyncio.Future[BaseException]) -> bool:
    """Wait until every request has its outcome or waits for a batch; whether something failed."""
    while not (batches.settled or failure.done()):
        await batches.change()
    return failure.done()
