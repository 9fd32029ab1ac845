"""Questions on their way: as they are put, and who waits for them."""

from __future__ import annotations

import asyncio
from functools import lru_cache
from typing import Any, Generic, TypeVar

from vivavoce.interview.forms.form import Way
from vivavoce.interview.notation import Settled, question_text
from vivavoce.interview.posing import posed
from vivavoce.interview.record import Key, digest_of

Q = TypeVar("Q")
A = TypeVar("A")


class Request(Generic[A]):
    """One question on its way, shared by all who asked it."""

    __slots__ = ("key", "sharers", "task")

    def __init__(self, key: Key, task: asyncio.Future[Settled[A]]) -> None:
        self.key = key
        self.task = task
        """What settles it; a bare future where it is settled with others (`blocks`)."""
        self.sharers = 0


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
