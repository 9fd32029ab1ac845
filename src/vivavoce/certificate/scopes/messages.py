"""Conversations as lists of chat messages, which end with what is asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from vivavoce.errors import BadInput

_SYSTEM = ("system", "developer")


class Conversation(NamedTuple):
    """What is asked, and what stands before it."""

    asked: str
    system: str = ""
    earlier: tuple[tuple[str, str], ...] = ()
    """What was said before, each time by the user and then by the assistant."""


def conversation_of(messages: Any) -> Conversation:
    """A list of messages with a `role` and a `content` each. Raises `BadInput` for any other.

    >>> conversation_of([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Capital of Italy?"}])
    Conversation(asked='Capital of Italy?', system='Be brief.', earlier=())
    """
    if not isinstance(messages, list) or not messages or not all(isinstance(message, Mapping) for message in messages):
        raise BadInput("a conversation is a list of messages, each with a 'role' and a 'content'")
    roles = [message.get("role") for message in messages]
    said = [_text_of(message.get("content")) for message in messages]
    first = int(roles[0] in _SYSTEM)
    if len(said[first:]) % 2 == 0 or roles[first:] != [("user", "assistant")[place % 2] for place in range(len(said) - first)]:
        raise BadInput(
            "a conversation is messages of the user and the assistant in turn, the last one of the user, with or without a "
            "system message before them"
        )
    *before, asked = said[first:]
    return Conversation(asked, said[0] if first else "", tuple(zip(before[::2], before[1::2], strict=True)))


def _text_of(content: Any) -> str:
    """The text of a message, which may stand in several parts."""
    parts = content if isinstance(content, list) else [content]
    texts = [part.get("text") if isinstance(part, Mapping) and part.get("type") == "text" else part for part in parts]
    if not all(isinstance(text, str) for text in texts):
        raise BadInput("a message holds something other than a text: only texts are asked")
    return "\n".join(map(str, texts))
