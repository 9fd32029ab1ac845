"""A message that is taken as it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vivavoce.interview.forms.closed import closed
from vivavoce.interview.forms.copies import is_copy
from vivavoce.interview.forms.form import Reading, Way, answered, copied, unreadable


@dataclass(frozen=True, slots=True)
class Message:
    """Free text, word for word: what a reader would call its form is part of what was said.

    Always asked for in words, and never in a further turn unless the user wishes so: there is nothing that could not be read,
    but a reply that says the instruction back.

    >>> Message().read("[Answer] **42**").value
    '[Answer] **42**'
    """

    instruction: str = ""
    """How to reply; empty: the prompt stands as it is."""
    told: str = ""
    """What the prompt says around the question: a reply that repeats it is a copy."""

    @property
    def way(self) -> Way:
        """In words."""
        return "text"

    @property
    def further(self) -> str:
        """Asks for the message alone."""
        return "Now reply with the message alone."

    @property
    def schema(self) -> Mapping[str, Any]:
        """One text."""
        return closed({"message": {"type": "string", "minLength": 1}})

    @property
    def schema_instruction(self) -> str:
        """Where the text stands."""
        return " ".join(filter(None, (self.instruction, 'Reply with a JSON object: "message" is the message.')))

    def read(self, text: str, /) -> Reading[str]:
        """All of it, unless it is empty, or the instruction or a line of it."""
        text = text.strip()
        if not text:
            return unreadable("empty")
        if text in (self.instruction, *self.instruction.splitlines(), self.schema_instruction, self.further):
            return unreadable("the instruction, said back")
        return copied() if is_copy(text, [self.told]) else answered(text, strict=True)

    def read_fields(self, fields: Mapping[str, Any], /) -> Reading[str]:
        """The text."""
        text = fields.get("message")
        return self.read(text) if isinstance(text, str) else unreadable("no message")

    def write(self, value: str, /) -> str:
        """The message."""
        return value
