"""Where a sitting stands, and what moves it on; of pages it knows nothing."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Final, Literal

from vivavoce.candidates.human.desk import Declined, Left
from vivavoce.candidates.human.item import Item
from vivavoce.interview.progress import Progress

Stage = Literal["begin", "waiting", "question", "left", "declined", "over"]
ENDED: Final[tuple[Stage, ...]] = ("left", "declined", "over")


@dataclass(frozen=True, slots=True)
class Put:
    """A question that waits for its answer."""

    number: int
    """Counts the questions of this sitting, so that a page sent twice answers one of them."""
    item: Item
    progress: Progress | None


class State:
    """One person's sitting: agree, then answer question after question."""

    def __init__(self) -> None:
        self.alias = ""
        self.terms: tuple[str, ...] = ()
        self.put: Put | None = None
        self._stage: Stage = "waiting"
        self._agreed = False
        self._number = 0
        self._said: asyncio.Future[str] | None = None
        self._changed = asyncio.Condition()

    @property
    def stage(self) -> Stage:
        """What the person is to see."""
        return self._stage

    async def agree(self, alias: str, terms: tuple[str, ...]) -> None:
        """Wait until the person agrees. Raises `Declined`."""
        if self._agreed:
            return
        self.alias, self.terms = alias, terms
        await self._wait("begin", None)
        self._agreed = True

    async def ask(self, item: Item, progress: Progress | None) -> str:
        """Wait for the answer. Raises `Left`."""
        self._number += 1
        return await self._wait("question", Put(self._number, item, progress))

    async def _wait(self, stage: Stage, put: Put | None) -> str:
        self._said = asyncio.get_running_loop().create_future()
        await self._become(stage, put)
        try:
            return await self._said
        finally:
            self._said = None
            if self._stage not in ENDED:
                await self._become("waiting", None)

    async def over(self) -> None:
        """There is no further question."""
        if self._stage not in ENDED:
            await self._become("over", None)

    async def begin(self) -> None:
        """The person agrees."""
        if self._stage == "begin":
            await self._say("yes")

    async def answer(self, number: int, reply: str) -> bool:
        """The person answers the question of this number; whether that is the one that waits."""
        if self.put is None or self.put.number != number:
            return False
        await self._say(reply)
        return True

    async def leave(self) -> None:
        """The person stops, or does not begin."""
        if self._said is None or self._said.done():
            return
        declined = self._stage == "begin"
        said = self._said
        await self._become("declined" if declined else "left", None)
        said.set_exception(Declined() if declined else Left())

    async def settled(self, seconds: float) -> Stage:
        """Wait up to so many seconds while there is nothing to answer; the stage then."""
        async with self._changed:
            try:
                async with asyncio.timeout(seconds):
                    await self._changed.wait_for(lambda: self._stage != "waiting")
            except TimeoutError:
                pass
            return self._stage

    async def _say(self, said: str) -> None:
        waiting = self._said
        if waiting is not None and not waiting.done():
            await self._become("waiting", None)
            waiting.set_result(said)

    async def _become(self, stage: Stage, put: Put | None) -> None:
        async with self._changed:
            self._stage, self.put = stage, put
            self._changed.notify_all()
