"""Statements under given names: what a writer of related questions proposes, or why it proposes none."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from vivavoce.interview.forms.closed import closed
from vivavoce.interview.forms.copies import repeats
from vivavoce.interview.forms.form import READ, Reading, Way, answered, copied, unreadable
from vivavoce.interview.forms.refusal import REFUSED, refuses

LONGEST_STATEMENT: Final = 1_000
"""Characters of a statement under a schema."""
CANNOT: Final = "[Cannot]"
ANSWERED: Final = ("yes,", "yes.", "no,", "no.")
BOTH: Final = "statements, and why there are none"
_BEFORE, _AFTER = r"^[ \t>*_#-]{0,8}", r"[*_`]{0,4}[ \t]{0,4}:?[ \t]{0,4}"
_STATEMENT = re.compile(rf"{_BEFORE}\[Statement[ \t]{{1,4}}(\w{{1,80}})\]{_AFTER}(.*)$", re.MULTILINE | re.IGNORECASE)
_CANNOT = re.compile(rf"{_BEFORE}\[Cannot\]{_AFTER}(.*)$", re.MULTILINE | re.IGNORECASE)
_QUOTES: Final = (('"', '"'), ("“", "”"), ("„", "“"), ("«", "»"))


@dataclass(frozen=True, slots=True)
class Proposed:
    """What a writer wrote."""

    statements: Mapping[str, str] = field(default_factory=dict)
    """By name, in the order in which they were asked for."""
    declined: str | None = None
    """Why it says that one of them cannot be written; None if it does not."""


@dataclass(frozen=True, slots=True)
class Proposals:
    """Statements under these names, under a schema unless the user says otherwise.

    Each must stand there, and not twice in different words; statements that nobody asked for are left out.

    >>> Proposals(("not_P",)).read("Well.\\n[Statement not_P] Will it stay dry?").value.statements
    {'not_P': 'Will it stay dry?'}
    >>> Proposals(("not_P",)).read("I cannot help with that.").problem
    'refused'
    """

    names: tuple[str, ...]
    told: str = ""
    """What is wanted, in the writer's words: a statement that repeats it is a copy."""
    way: Way = "schema"

    @property
    def instruction(self) -> str:
        """The last paragraph of the prompt."""
        names = " and ".join(f'"[Statement {name}]"' for name in self.names)
        each = "a line that begins" if len(self.names) == 1 else "lines that begin"
        return (
            f"Put what you write on {each} with {names}, without a line break in it.\n"
            'If it cannot be written, give instead one line that begins with "[Cannot]" and says why.'
        )

    @property
    def further(self) -> str:
        """What the further turn says."""
        return f"Give what was asked for alone.\n{self.instruction}"

    @property
    def schema(self) -> Mapping[str, Any]:
        """A text for each name. A field for why there is none would be filled by a weak model in any case."""
        return closed({name: {"type": "string", "maxLength": LONGEST_STATEMENT} for name in self.names})

    @property
    def schema_instruction(self) -> str:
        """The last paragraph of the prompt where the server enforces the schema."""
        names = ", ".join(f'"{name}"' for name in self.names)
        return f'Reply in JSON: {names} with what you write. What cannot be written begins with "[Cannot]" and says why.'

    def write(self, value: Proposed, /) -> str:
        """The statements as they are asked for."""
        if value.declined is not None:
            return f"[Cannot] {value.declined}"
        return "\n".join(f"[Statement {name}] {text}" for name, text in value.statements.items())

    def read(self, text: str, /) -> Reading[Proposed]:
        """The statements in a reply."""
        text = text[-READ:].replace("\r\n", "\n").replace("\r", "\n")
        found: dict[str, str] = {}
        for name, said in _STATEMENT.findall(text):
            statement = _bare(said)
            if found.setdefault(name, statement) != statement and name in self.names:
                return unreadable(f"{name} is given twice, in different words")
        within = [_CANNOT.match(statement) for statement in found.values()]
        declined = next((said for said in (*within, _CANNOT.search(text)) if said), None)
        if declined and all(within):
            return answered(Proposed({}, declined[1].strip()), strict=True)
        if declined:
            return unreadable(BOTH)
        if not found and refuses(text):
            return unreadable(REFUSED)
        return self._all(found, strict=True)

    def read_fields(self, fields: Mapping[str, Any], /) -> Reading[Proposed]:
        """The statements under the schema."""
        found = {name: " ".join(said.split()) for name in self.names if isinstance(said := fields.get(name), str)}
        declined = [said.partition(CANNOT)[2].strip() for said in found.values() if said.startswith(CANNOT)]
        if sum(said.count(CANNOT) for said in found.values()) > len(declined) or 0 < len(declined) < len(found):
            return unreadable(BOTH)
        if declined:
            return answered(Proposed({}, declined[0]), strict=True)
        return self._all({name: said for name, said in found.items() if said}, strict=True)

    def _wanted(self, found: Mapping[str, str]) -> dict[str, str]:
        return {name: found[name] for name in self.names if name in found}

    def _all(self, found: Mapping[str, str], *, strict: bool) -> Reading[Proposed]:
        if missing := [name for name in self.names if name not in found]:
            return unreadable(f"without {', '.join(missing)}")
        if any(text.casefold().startswith(ANSWERED) for text in self._wanted(found).values()):
            return unreadable("an answer in place of a statement")
        if any(repeats(text, self.told) for text in self._wanted(found).values()):
            return copied()
        return answered(Proposed(self._wanted(found)), strict=strict)


def _bare(text: str) -> str:
    """A statement without emphasis or quotation marks around the whole of it."""
    text = text.strip().removesuffix("**").removeprefix("**").strip()
    for opening, closing in _QUOTES:
        if len(text) > 1 and text[0] == opening and text[-1] == closing and not {opening, closing} & set(text[1:-1]):
            return text[1:-1].strip()
    return text
