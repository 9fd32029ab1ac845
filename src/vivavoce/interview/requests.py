"""Questions on their way: as they are put, and who waits for them."""

from __future__ import annotations

import asyncio
from typing import Generic, TypeVar

from vivavoce.interview.notation import Settled, question_text
from vivavoce.interview.record import Key, digest_of

Q = TypeVar("Q")
A = TypeVar("A")


class Request(Generic[A]):
    """One question on its way, shared by all who asked it."""

    __slots__ = ("key", "sharers", "task")

    def __init__(self, key: Key, task: asyncio.Task[Settled[A]]) -> None:
        self.key = key
        self.task = task
        self.sharers = 0


class Put(Generic[Q]):
    """One question as it is put, with its text and digest on record."""

    __slots__ = ("digest", "given", "question", "text", "topic")

    def __init__(self, question: Q, topic: str, given: Q | None = None) -> None:
        self.question = question
        self.given = question if given is None else given
        self.topic = topic
        self.text = question_text(question)
        self.digest = digest_of(self.text)
