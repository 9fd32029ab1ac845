"""Questions on their way: as they are put, which draw each is, who waits for them, and blocks settled together."""

from __future__ import annotations

import asyncio
from array import array
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from functools import lru_cache
from typing import Any, Final, Generic, TypeVar

from vivavoce.interview.forms.form import Way
from vivavoce.interview.notation import Settled, question_text
from vivavoce.interview.posing import posed
from vivavoce.interview.record import Key, digest_of

Q = TypeVar("Q")
A = TypeVar("A")


class Request(Generic[A]):
    """One question on its way, shared by all who asked it."""

    __slots__ = ("key", "on_new", "sharers", "task", "wanted")

    task: asyncio.Future[Settled[A]]
    """What settles it; a bare future where it is settled with others (`Blocks`)."""

    def __init__(self, key: Key) -> None:
        self.key = key
        self.sharers = 0
        self.wanted = asyncio.Event()
        """Set once the candidate may be asked, if no answer is on record."""
        self.on_new: Callable[[], None] = lambda: None
        """Called when the candidate is asked."""

    async def until_wanted(self) -> None:
        """Wait, before the candidate is asked, until it may be."""
        await self.wanted.wait()
        self.on_new()


class Put(Generic[Q]):
    """One question as it is put, with its text and digest on record."""

    __slots__ = ("digest", "given", "question", "text", "topic")

    def __init__(self, question: Q, topic: str, given: Q | None = None, *, written: tuple[str, str] | None = None) -> None:
        self.question = question
        self.given = question if given is None else given
        self.topic = topic
        self.text, self.digest = written or _written(question)

    @classmethod
    def in_form(cls, given: Q, topic: str, way: Way) -> Put[Q]:
        """A prompt with its form in words, or as a schema; one that was put lately is not worded again."""
        prompt, *written = _worded(_Same(given), way)
        return cls(prompt, topic, given, written=(written[0], written[1]))


class _Same:
    """A value that is equal to itself alone: equal prompts may be written otherwise, as 0 and 0.0 are."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


@lru_cache(maxsize=256)
def _worded(given: _Same, way: Way) -> tuple[Any, str, str]:
    prompt = posed(given.value, way)
    return prompt, *_written(prompt)


def _written(question: object) -> tuple[str, str]:
    text = question_text(question)
    return text, digest_of(text)


Block = Sequence[tuple[Request[A], Put[Q]]]


class Blocks(Generic[Q, A]):
    """Gathers requests until somebody needs the outcome of one of them; then all that were gathered are settled together.

    settle: sets the outcomes of requests, in their order; what it raises is the outcome of all that have none by then.
    """

    def __init__(self, settle: Callable[[Block[A, Q]], Awaitable[None]]) -> None:
        self._settle = settle
        self._gathered: list[tuple[Request[A], Put[Q]]] = []
        self._under_way: set[asyncio.Task[None]] = set()

    def put(self, request: Request[A], put: Put[Q]) -> None:
        """One more, which is not settled yet."""
        self._gathered.append((request, put))

    def begin(self) -> None:
        """Settle what was gathered."""
        block, self._gathered = [one for one in self._gathered if not one[0].task.cancelled()], []
        if block:
            task = asyncio.create_task(self._settled(block))
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)

    async def ended(self) -> None:
        """Wait for what is being settled; what was given up before that is not."""
        self._gathered = [one for one in self._gathered if not one[0].task.cancelled()]
        if self._under_way:
            await asyncio.wait(self._under_way)

    async def _settled(self, block: Block[A, Q]) -> None:
        try:
            await self._settle(block)
        except asyncio.CancelledError:
            for request, _ in block:
                request.task.cancel()
            raise
        except Exception as error:
            for request, _ in block:
                if not request.task.done():
                    request.task.set_exception(error)
                    request.task.exception()  # who gave it up meanwhile does not look at it


_HEX_DIGITS: Final = 16
"""Of a digest, 64 bits: two of a million different questions begin alike with a probability of 3e-8. The later one then has a
higher draw number, in every run."""


class Occurrences:
    """Counts digests, in eight bytes for each that came once.

    >>> drawn = Occurrences()
    >>> [drawn.add(digest) for digest in ("ab" * 32, "cd" * 32, "ab" * 32)], drawn["ab" * 32]
    ([0, 0, 1], 2)
    """

    def __init__(self) -> None:
        self._once = array("Q")
        """Ascending; those that came again are counted besides."""
        self._repeated: Counter[int] = Counter()

    def __getitem__(self, digest: str) -> int:
        """How often a digest came."""
        start = int(digest[:_HEX_DIGITS], 16)
        place = bisect_left(self._once, start)
        return self._repeated[start] + (place < len(self._once) and self._once[place] == start)

    def add(self, digest: str) -> int:
        """Count a digest; how often it had come before."""
        before = self[digest]
        start = int(digest[:_HEX_DIGITS], 16)
        if before:
            self._repeated[start] += 1
        else:
            insort(self._once, start)
        return before
