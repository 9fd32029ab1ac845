"""The interface of forms: how a prompt asks for a reply, and how the reply is parsed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Generic, Literal, Protocol, TypeVar

T = TypeVar("T")

ReplyFormat = Literal["text", "schema", "turn"]
"""How the prompt asks for the form: in words; in words, with a JSON Schema that the server enforces; or in words, with a
follow-up if the reply can't be parsed."""

COPY: Final = "repeats what it was told or shown"
READ: Final = 20_000
"""Characters at the end of a reply that are read."""


class Outcome(StrEnum):
    """How the reading of a reply ended."""

    ANSWER = "answer"
    DONT_KNOW = "I don't know"
    UNREADABLE = "unreadable"
    COPIED = "copied"
    """The reply repeats the instruction or a worked example."""
    CUT_OFF = "cut off"
    """A limit cut off the reply, or the thought before it: its last words may be missing."""
    NO_ANSWER = "no answer"
    ORPHAN = "asked, never answered"
    """The program ended before an answer came, perhaps because of the candidate: the answer is unknown."""
    FAULT = "asked, met a fault"
    """The server failed when it may have got the question: an answer to a second try does not count."""

    @property
    def unknowable(self) -> bool:
        """Whether the value of the answer is unknown under any rule for unparsed replies."""
        return self in (Outcome.ORPHAN, Outcome.FAULT)

    @property
    def unread(self) -> bool:
        """Whether a reply came and no answer was read from it."""
        return self in (Outcome.UNREADABLE, Outcome.COPIED, Outcome.CUT_OFF)


@dataclass(frozen=True, slots=True)
class ParsedReply(Generic[T]):
    """The result of reading a reply."""

    outcome: Outcome
    value: T | None = None
    """None unless `outcome` is `ANSWER`."""
    problem: str = ""
    """Why there is no value, in a few words; empty if there is one."""
    strict: bool = False
    """Whether the reply has exactly the requested form."""
    after_turn: bool = False
    """Whether it was read from the reply to the follow-up."""


def answered(value: T, *, strict: bool = False) -> ParsedReply[T]:
    """A reply that was read.

    >>> answered("B").outcome
    <Outcome.ANSWER: 'answer'>
    """
    return ParsedReply(Outcome.ANSWER, value, strict=strict)


def copied() -> ParsedReply[Any]:
    """A reply that repeats the instruction, the task or a worked example."""
    return ParsedReply(Outcome.COPIED, problem=COPY)


def unreadable(problem: str) -> ParsedReply[Any]:
    """A reply in which no answer can be found."""
    return ParsedReply(Outcome.UNREADABLE, problem=problem)


class ReplyForm(Protocol[T]):
    """How a reply must end, and how it is read. Pure: it depends on texts only, never on the candidate.

    Every form guarantees: its instruction, a line of it, or a whole worked example, repeated, is not read as an answer; a text
    from `write` is read as the value that was written; hostile text takes no longer than long text.
    """

    @property
    def way(self) -> ReplyFormat:
        """The reply format unless the user chooses another: `turn` for an answer, `schema` for longer texts."""
        ...

    @property
    def instruction(self) -> str:
        """The last paragraph of the prompt: how to end the reply."""
        ...

    @property
    def further(self) -> str:
        """The text of the follow-up, which asks for the final answer alone and gives no hint."""
        ...

    @property
    def schema(self) -> Mapping[str, Any]:
        """JSON Schema of a reply, an object without further properties."""
        ...

    @property
    def schema_instruction(self) -> str:
        """The last paragraph of the prompt if the server enforces the schema."""
        ...

    def read(self, text: str, /) -> ParsedReply[T]:
        """Read a reply in words, without its thoughts."""
        ...

    def read_fields(self, fields: Mapping[str, Any], /) -> ParsedReply[T]:
        """Read a reply under the schema; any fields may be missing or wrong."""
        ...

    def write(self, value: T, /) -> str:
        """A reply in words with this value in the requested form, for worked examples and simulated candidates."""
        ...


def json_object(text: str) -> dict[str, Any] | None:
    """The text as a JSON object; None if it is not one.

    >>> json_object('{"guess": 7}'), json_object("7")
    ({'guess': 7}, None)
    """
    if not text.startswith("{"):
        return None
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def closed(properties: Mapping[str, Any]) -> Mapping[str, Any]:
    """Schema of an object that has all of these properties, in their order, and no others.

    >>> closed({"answer": {"type": "string"}})["required"]
    ['answer']
    """
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
