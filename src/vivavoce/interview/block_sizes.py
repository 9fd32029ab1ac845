"""How many questions are drawn for a batch, and when the next ones are."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final, TypeVar

from vivavoce.interview.batched import Batches
from vivavoce.interview.candidate import NoAnswer
from vivavoce.interview.requests import Request

Q = TypeVar("Q")
A = TypeVar("A")

Drawn = tuple[Q, Request[A]]
Line = deque[tuple[Q, Request[A]]]
"""What was drawn and is not handed out, in drawn order."""
BlockSize = Callable[[Sequence[A | NoAnswer | None]], int]
"""How many further questions are worth asking at once, given the answers beyond those handed out, in drawn order; None where
there is none yet."""
FIRST_BLOCK: Final = 50
"""Questions of the first block where nobody knows how many there will be."""
MOST_AT_ONCE: Final = 50_000
"""Questions of a block where all are needed."""


def all_at_once(known: Sequence[object]) -> int:
    """The size of a block where all that is left will be asked, whatever is answered."""
    return MOST_AT_ONCE


async def next_of_blocks(
    batches: Batches[Q, A],
    line: Line[Q, A],
    failure: asyncio.Future[BaseException],
    draw: Callable[[], Sequence[Drawn[Q, A]]],
) -> None:
    """Draw blocks until the first of the line has its outcome, nothing is left, or something failed.

    A block is drawn when all before it have their outcome, or wait to be put again: these go with it. So whoever stops has
    every answer on record that was paid for.

    draw: puts the next block into the line (`draw_block`).
    """
    while True:
        with batches.drawing():
            while True:
                if await _settled(batches, failure) or (line and line[0][1].task.done()):
                    return
                further = draw()
                if await _settled(batches, failure):
                    return
                if not further or any(not request.task.done() for _, request in further):
                    break  # else all of it was on record
        if not line:
            return
        over = batches.over
        while batches.over == over and not failure.done() and not line[0][1].task.done():
            await batches.change()


def draw_block(
    batches: Batches[Q, A], line: Line[Q, A], drawn: Iterator[Drawn[Q, A]], block: BlockSize[A] | None, *, most: int
) -> list[Drawn[Q, A]]:
    """Put the next block into the line, and return it.

    block: how large it is; None: as large as all before it together. most: questions in flight.
    """
    waiting = sum(not request.task.done() for _, request in line)
    further = list(islice(drawn, max(0, min(_wanted(line, batches, block), most - waiting))))
    line.extend(further)
    batches.drawn += len(further)
    return further


def answers_of(line: Line[Q, A]) -> list[A | NoAnswer | None]:
    """What is there of the answers that are not handed out, in drawn order."""
    return [request.task.result().answer if _answered(request) else None for _, request in line]


def _answered(request: Request[A]) -> bool:
    task = request.task
    return task.done() and not task.cancelled() and task.exception() is None


async def _settled(batches: Batches[Q, A], failure: asyncio.Future[BaseException]) -> bool:
    """Wait until every request has its outcome or waits for a batch; whether something failed."""
    while not (batches.settled or failure.done()):
        await batches.change()
    return failure.done()


def _wanted(line: Line[Q, A], batches: Batches[Q, A], block: BlockSize[A] | None) -> int:
    """Questions of the next block, besides those that wait to be put again."""
    if batches.block is not None:
        return batches.block
    if block is None:
        return max(FIRST_BLOCK, batches.drawn)
    known: list[A | NoAnswer | None] = answers_of(line)
    wanted = block(known)
    return wanted if line else max(1, wanted)
