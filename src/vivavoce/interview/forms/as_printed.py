"""A form that is asked for in the words of a printed prompt and read by our reader."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from vivavoce.interview.forms.folding import folded
from vivavoce.interview.forms.form import Form, Reading, Way, copied

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AsPrinted(Generic[T]):
    """A form whose prompt is printed somewhere, so that our own words are not added to it.

    It is put in words, with no further turn, as papers do. A printed prompt that shows an answer, such as `[Answer] 0.5`, can
    be copied; a reply of that line alone cannot be told from an answer, which is why our own words are the default.

    >>> from vivavoce.interview.forms.several_options import SeveralOptions
    >>> form = AsPrinted(SeveralOptions(("a graph", "a path")), 'Answer in the format: "Answer: [Your selections]".')
    >>> sorted(form.read("Answer: [A, B]").value), form.read(form.instruction).outcome
    ([0, 1], <Outcome.COPIED: 'copied'>)
    """

    form: Form[T]
    instruction: str = ""
    """The last paragraph of the prompt; empty where the printed prompt ends otherwise."""
    placeholder: Callable[[T], bool] | None = None
    """Whether a value is made of what the prompt shows in its place; None: nothing is shown that could be known again."""

    @property
    def way(self) -> Way:
        """In words alone."""
        return "text"

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
        """What a reply in words says; the instruction, or a placeholder, said back is a copy."""
        if self.instruction and folded(self.instruction) in folded(text):
            return copied()
        return self._checked(self.form.read(text))

    def read_fields(self, fields: Mapping[str, Any], /) -> Reading[T]:
        """What a reply under our own schema says."""
        return self._checked(self.form.read_fields(fields))

    def write(self, value: T, /) -> str:
        """In the form of our own."""
        return self.form.write(value)

    def _checked(self, reading: Reading[T]) -> Reading[T]:
        shown = self.placeholder is not None and reading.value is not None and self.placeholder(reading.value)
        return copied() if shown else reading
