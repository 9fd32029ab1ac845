"""What a form is: how a prompt asks for a reply, and how that reply is read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Generic, Literal, Protocol, TypeVar

T = TypeVar("T")

ReplyFormat = Literal["text", "schema", "turn"]
"""How the form is asked for: in words; in words and by a JSON Schema that the server enforces; in words, and where the reply
cannot be read, in one further turn."""

COPY: Final = "repeats what it was told or shown"
READ: Final = 20_000
"""How many characters at the end of a reply are looked at."""


class Outcome(StrEnum):
    """How a reply was read."""

    ANSWER = "answer"
    DONT_KNOW = "I don't know"
    UNREADABLE = "unreadable"
    COPIED = "copied"
    """It repeats the instruction or a worked example."""
    CUT_OFF = "cut off"
    """It, or the thought before it, was ended by its limit: its last words may be missing."""
    NO_ANSWER = "no answer"
    ORPHAN = "asked, never answered"
    """The program that asked ended before an answer came, perhaps by the candidate's doing: nobody knows what it would be."""
    FAULT = "asked, met a fault"
    """The server failed when it may have heard the question: what it says to a second try is not what it is worth."""

    @property
    def unknowable(self) -> bool:
        """Whether nobody can know what the answer is worth, by whatever rule replies are read."""
        return self in (Outcome.ORPHAN, Outcome.FAULT)

    @property
    def unread(self) -> bool:
        """Whether a reply came whose answer nobody knows."""
        return self in (Outcome.UNREADABLE, Outcome.COPIED, Outcome.CUT_OFF)


@dataclass(frozen=True, slots=True)
class Reading(Generic[T]):
    """What a reply was taken to say."""

    outcome: Outcome
    value: T | None = None
    """None unless `outcome` is `ANSWER`."""
    problem: str = ""
    """Why there is no value, in a few words; empty where there is one."""
    strict: bool = False
    """Whether the reply is in the form that was asked for, to the letter."""
    after_turn: bool = False
    """Whether it was read from the reply to the further turn."""


def answered(value: T, *, strict: bool = False) -> Reading[T]:
    """A reply that was read.

    >>> answered("B").outcome
    <Outcome.ANSWER: 'answer'>
    """
    return Reading(Outcome.ANSWER, value, strict=strict)


def copied() -> Reading[Any]:
    """A reply that repeats the instruction, the task or a worked example."""
    return Reading(Outcome.COPIED, problem=COPY)


def unreadable(problem: str) -> Reading[Any]:
    """A reply in which no answer can be told from other words."""
    return Reading(Outcome.UNREADABLE, problem=problem)


class Form(Protocol[T]):
    """How a reply is to end, and how it is read. Pure: it knows texts, and nothing of who is asked.

    What every form keeps: its instruction, a line of it, or a whole worked example, said back, is not read as an answer; what
    `write` writes is read as what was written; hostile text costs no more time than long text.
    """

    @property
    def way(self) -> ReplyFormat:
        """How it is asked for unless the user says otherwise: `turn` for an answer, `schema` for what must be written."""
        ...

    @property
    def instruction(self) -> str:
        """The last paragraph of the prompt: how to end the reply."""
        ...

    @property
    def further(self) -> str:
        """What the further turn says: asks for the final answer alone, and gives no hint."""
        ...

    @property
    def schema(self) -> Mapping[str, Any]:
        """JSON Schema of a reply, an object without further properties."""
        ...

    @property
    def schema_instruction(self) -> str:
        """The last paragraph of the prompt where the server enforces the schema."""
        ...

    def read(self, text: str, /) -> Reading[T]:
        """What a reply in words says; thoughts are not among the words."""
        ...

    def read_fields(self, fields: Mapping[str, Any], /) -> Reading[T]:
        """What a reply under the schema says; nothing about the fields is taken for granted."""
        ...

    def write(self, value: T, /) -> str:
        """A reply in words that says this value in the form that is asked for; for worked examples and played candidates."""
        ...


def json_object(text: str) -> dict[str, Any] | None:
    """The text as a JSON object; None where it is none.

    >>> json_object('{"guess": 7}'), json_object("7")
    ({'guess': 7}, None)
    """
    if not text.startswith("{"):
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def closed(properties: Mapping[str, Any]) -> Mapping[str, Any]:
    """Schema of an object that has all of these properties, in their order, and no others.

    >>> closed({"answer": {"type": "string"}})["required"]
    ['answer']
    """
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
