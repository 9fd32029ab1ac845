"""Answers graded several at once, and handed out in drawn order all the same."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable
from typing import Any, TypeVar

from vivavoce.errors import NotOnRecord

Q = TypeVar("Q")
A = TypeVar("A")
G = TypeVar("G")


async def graded_in_order(
    answers: AsyncGenerator[tuple[Q, A], None],
    grade: Callable[[Q, A], Coroutine[Any, Any, G]],
    *,
    ahead: int,
    ready: Callable[[], bool] = lambda: True,
) -> AsyncGenerator[G, None]:
    """Grade several answers at once while others are still being asked, and hand out the grades in the order of the answers.

    grade: called in the order of the answers, once for each; what it returns runs beside others.
    ahead: answers that are being graded, or are graded and not yet handed out, at most. Close it when leaving early: that
    cancels what is under way.
    ready: whether the next answer may be asked for while there are such; where there are none it always is.

    An answer that a record lacks is missed only when all grades before it are handed out: a reader of a record may be ahead
    of a verdict by more than was asked then.
    """

    async def next_answer() -> tuple[Q, A] | NotOnRecord | None:
        try:
            return await anext(answers, None)
        except NotOnRecord as error:
            return error

    line: deque[asyncio.Task[G]] = deque()
    coming: asyncio.Task[tuple[Q, A] | NotOnRecord | None] | None = None
    missed: NotOnRecord | None = None
    more = True
    try:
        while more or line:
            if more and coming is None and (not line or ready()):
                coming = asyncio.create_task(next_answer())
            under_way = {
                task for task in (coming if len(line) < ahead else None, line[0] if line else None) if task is not None
            }
            await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
            if coming is not None and coming.done() and len(line) < ahead:
                came = coming.result()
                coming = None
                if isinstance(came, NotOnRecord):
                    missed, more = came, False
                elif came is None:
                    more = False
                else:
                    line.append(asyncio.create_task(grade(*came)))
            elif line and line[0].done():
                yield line.popleft().result()
        if missed is not None:
            raise missed
    finally:
        left = [*line, *([] if coming is None else [coming])]
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)


async def all_together(coroutines: Iterable[Coroutine[Any, Any, G]]) -> list[G]:
    """What all of these return, run side by side from the first to the last; where one fails, none goes on alone."""
    tasks = [asyncio.create_task(one) for one in coroutines]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
