"""Several versions of one text, each after its number."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from vivavoce.interview.forms.closed import closed
from vivavoce.interview.forms.form import Reading, Way, answered, unreadable
from vivavoce.interview.forms.refusal import REFUSED, refuses

READ: Final = 200_000
"""Characters of a reply that are looked at: versions of long texts are long."""
UNFORMED: Final = "not in the form"
_VERSION = re.compile(r"^[ \t>*_`-]{0,6}\[(\d{1,3})\][.:*_`]{0,4}[ \t]{0,3}([^\n]*)$", re.MULTILINE)
"""A number without brackets may be that of the text itself, such as of a paragraph of a judgment."""


@dataclass(frozen=True, slots=True)
class Rewordings:
    """This many versions of a text, under a schema unless the user says otherwise.

    What is read are the versions by their numbers, counted from 1; some may be missing. Whether they are any good is not told.

    >>> Rewordings(2).read("[1] She was jailed.\\n[2] She was imprisoned.").value
    {1: 'She was jailed.', 2: 'She was imprisoned.'}
    """

    number: int
    way: Way = "schema"

    @property
    def instruction(self) -> str:
        """The last paragraph of the prompt."""
        return (
            "Reply with nothing but the versions, each on one line of its own that begins with its number in square brackets, "
            "counted from 1."
        )

    @property
    def further(self) -> str:
        """What the further turn says."""
        return self.instruction

    @property
    def schema(self) -> Mapping[str, Any]:
        """A list of texts."""
        versions = {"type": "array", "items": {"type": "string"}, "minItems": self.number, "maxItems": self.number}
        return closed({"versions": versions})

    @property
    def schema_instruction(self) -> str:
        """The last paragraph of the prompt where the server enforces the schema."""
        return 'Reply in JSON: "versions", a list of the versions.'

    def write(self, value: Mapping[int, str], /) -> str:
        """The versions as they are asked for."""
        return "\n".join(f"[{number}] {version}" for number, version in value.items())

    def read(self, text: str, /) -> Reading[Mapping[int, str]]:
        """The versions in a reply; of two with one number the first."""
        text = text[:READ]
        found: dict[int, str] = {}
        for number, version in _VERSION.findall(text):
            found.setdefault(int(number), version.strip())
        if not found:
            return unreadable(REFUSED if refuses(text) else UNFORMED)
        return answered(found, strict=True)

    def read_fields(self, fields: Mapping[str, Any], /) -> Reading[Mapping[int, str]]:
        """The versions under the schema."""
        versions = fields.get("versions")
        if not isinstance(versions, list) or not all(isinstance(version, str) for version in versions) or not versions:
            return unreadable(UNFORMED)
        return answered({place: " ".join(version.split()) for place, version in enumerate(versions, start=1)}, strict=True)
