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
        self._changed = asyncio.Event()
        """Set, and replaced, at each change. A change is made at once: of two pages that are sent together one counts."""

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
        self._become(stage, put)
        try:
            return await self._said
        finally:
            self._said = None
            if self._stage not in ENDED:
                self._become("waiting", None)

    def over(self) -> None:
        """There is no further question."""
        if self._stage not in ENDED:
            self._become("over", None)

    def begin(self) -> None:
        """The person agrees."""
        if self._stage == "begin":
            self._say("yes")

    def answer(self, number: int, reply: str) -> None:
        """The person answers the question of this number; nothing happens where another one waits."""
        if self.put is not None and self.put.number == number:
            self._say(reply)

    def leave(self) -> None:
        """The person stops, or does not begin."""
        if self._said is None or self._said.done():
            return
        declined = self._stage == "begin"
        said = self._said
        self._become("declined" if declined else "left", None)
        said.set_exception(Declined() if declined else Left())

    async def settled(self, seconds: float) -> Stage:
        """Wait up to so many seconds while there is nothing to answer; the stage then."""
        try:
            async with asyncio.timeout(seconds):
                while self._stage == "waiting":
                    await self._changed.wait()
        except TimeoutError:
            pass
        return self._stage

    def _say(self, said: str) -> None:
        waiting = self._said
        if waiting is not None and not waiting.done():
            waiting.set_result(said)
            self._become("waiting", None)

    def _become(self, stage: Stage, put: Put | None) -> None:
        self._stage, self.put = stage, put
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()
