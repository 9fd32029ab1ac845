"""What somebody sent with a form, read with suspicion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl

from vivavoce.errors import BadInput

MOST_FIELDS = 64
TYPE = "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class Form:
    """The fields of a form; of two fields with one name the last counts."""

    fields: Mapping[str, str]

    def text(self, name: str) -> str:
        """What stands in a field, lines ended by one character; empty where there is no such field."""
        return self.fields.get(name, "")

    def ticked(self, name: str) -> bool:
        """Whether a box is ticked."""
        return name in self.fields

    def numbered(self, name: str, count: int) -> dict[str, str]:
        """Fields NAME1 to NAMEcount.

        >>> Form({"answer1": "yes"}).numbered("answer", 2)
        {'answer1': 'yes', 'answer2': ''}
        """
        return {f"{name}{number}": self.text(f"{name}{number}") for number in range(1, count + 1)}


def read_form(kind: str, body: bytes) -> Form:
    r"""The form in a request's body.

    Raises `BadInput` for what no form of ours sends.

    >>> read_form("application/x-www-form-urlencoded", b"a=1%0D%0A2&b=%FF").fields
    {'a': '1\n2', 'b': '�'}
    """
    if kind.partition(";")[0].strip().lower() != TYPE:
        raise BadInput("This is not a form of this site.")
    try:
        pairs = parse_qsl(body.decode("ascii", "replace"), keep_blank_values=True, errors="replace", max_num_fields=MOST_FIELDS)
    except ValueError:
        raise BadInput("This form has too many fields.") from None
    return Form({name: value.replace("\r\n", "\n").replace("\r", "\n") for name, value in pairs})


def number(text: str, what: str, *, least: float = 0.0) -> float | None:
    """A number from `least` to 100 as people write it; None where nothing is written. Raises `BadInput`.

    >>> number(" 81,5 ", "guess"), number("", "guess")
    (81.5, None)
    """
    text = text.strip()
    if not text:
        return None
    try:
        value = float(text.replace(",", ".")) if len(text) <= 20 and text.isascii() else None
    except ValueError:
        value = None
    if value is None or not least <= value <= 100:
        raise BadInput(f"The {what} must be a number from {least:g} to 100.")
    return value
