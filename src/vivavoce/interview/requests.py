"""Requests: how a question is put to its candidate, and the digest by which it is found again."""

from __future__ import annotations

import asyncio
import json
from array import array
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final, Generic, Protocol, TypeVar, runtime_checkable

from vivavoce.interview.candidate import Exchange, Prompt, Recording, Reply
from vivavoce.interview.forms.form import Form, Way
from vivavoce.interview.notation import Settled, question_text
from vivavoce.interview.record import Key, digest_of


@runtime_checkable
class Asked(Protocol):
    """A candidate that can be asked in more ways than in words: it holds a conversation, or its server takes a schema."""

    @property
    def ways(self) -> tuple[Way, ...]:
        """The ways in which it can be asked."""
        ...


@runtime_checkable
class Conversing(Protocol):
    """A candidate that may be told what was said before, without being asked in other ways."""

    @property
    def converses(self) -> bool:
        """Whether it is."""
        ...


def holds_conversation(candidate: object) -> bool:
    """Whether a candidate hears earlier turns; of a recording the answer to each turn is looked up by its id."""
    if isinstance(candidate, Recording) or "turn" in ways_of(candidate):
        return True
    return isinstance(candidate, Conversing) and candidate.converses


def ways_of(candidate: object) -> tuple[Way, ...]:
    """The ways in which a candidate can be asked: recordings, engines, people, bots and plain functions in words alone."""
    return candidate.ways if isinstance(candidate, Asked) else ("text",)


def way_for(form: Form[Any], wished: Way | None, ways: tuple[Way, ...]) -> Way:
    """How a form is asked for: as the user wishes, else as the form says, as far as the candidate can be asked so."""
    way = form.way if wished is None else wished
    return way if way in ways else "text"


def posed(prompt: Prompt, way: Way = "text") -> Prompt:
    """The prompt as it is sent, with its form in words at its end; one without a form stays as it is."""
    form = prompt.form
    if form is None:
        return prompt
    under_schema = way == "schema"
    instruction = form.schema_instruction if under_schema else form.instruction
    # in the order of the form: what stands first is written first, and what follows can rest on it
    schema = json.dumps(form.schema, ensure_ascii=False, separators=(",", ":")) if under_schema else ""
    return replace(prompt, text="\n\n".join(filter(None, (prompt.text, instruction))), schema=schema)


def further_turn(asked: Prompt, reply: Reply) -> Prompt:
    """What is put after a reply that cannot be read: the conversation so far, and a request for the final answer alone.

    Parameters
    ----------
    asked: as it was sent (`posed`).
    """
    assert asked.form is not None
    said = Exchange(asked.text, reply.text)
    if asked.earlier:
        return replace(asked, text=asked.form.further, earlier=(*asked.earlier, said))
    return replace(asked, text=asked.form.further, shown=(*asked.shown, said))


def next_turn(asked: Prompt, reply: Reply, text: str, *, id: str) -> Prompt:  # noqa: A002 - Prompt's own word
    """The next turn of a conversation, after all that was really said: the reply, and the one to the further turn, if any.

    Parameters
    ----------
    asked: the turn before, as it was sent (`posed`).
    text: what is said now; the form is asked for again.

    >>> first = Prompt("Capital of Italy?", id="q")
    >>> next_turn(first, Reply("Rome."), "Are you sure?", id="q/sure/1").conversation
    (('user', 'Capital of Italy?'), ('assistant', 'Rome.'), ('user', 'Are you sure?'))
    """
    said = [Exchange(asked.text, reply.text)]
    if reply.further is not None and asked.form is not None:
        said.append(Exchange(asked.form.further, reply.further.text))
    return replace(asked, text=text, id=id, schema="", earlier=(*asked.earlier, *said))


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
