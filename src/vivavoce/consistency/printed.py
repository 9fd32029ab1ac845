"""A form that is asked for in the words of a printed prompt and read by our reader."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from vivavoce.interview.forms.form import Form, Reading, Way

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AsPrinted(Generic[T]):
    """A form whose printed prompt says by itself how the reply is to end, so that nothing is added to it.

    It is put in words, with no further turn, as the paper did. A printed prompt that shows an answer, such as `[Answer] 0.5`,
    can be copied; a reply of that line alone cannot be told from an answer, which is why our own words are the default.

    >>> from vivavoce.interview.forms.probability import Probability
    >>> form = AsPrinted(Probability())
    >>> form.instruction, form.way, form.read("It may well rain.\\n[Answer] 0.8").value
    ('', 'text', 0.8)
    """

    form: Form[T]

    @property
    def way(self) -> Way:
        """In words alone."""
        return "text"

    @property
    def instruction(self) -> str:
        """Nothing."""
        return ""

    @property
    def further(self) -> str:
        """That of our own form, for those who want a further turn."""
        return self.form.further

    @property
    def schema(self) -> Mapping[str, Any]:
        """That of our own form."""
        return self.form.schema

    @property
    def schema_instruction(self) -> str:
        """That of our own form."""
        return self.form.schema_instruction

    def read(self, text: str, /) -> Reading[T]:
        """What a reply in words says."""
        return self.form.read(text)

    def read_fields(self, fields: Mapping[str, Any], /) -> Reading[T]:
        """What a reply under our own schema says."""
        return self.form.read_fields(fields)

    def write(self, value: T, /) -> str:
        """In the form of our own."""
        return self.form.write(value)
