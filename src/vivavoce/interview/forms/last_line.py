"""Reading replies that were asked to end with an answer on a last line."""

from __future__ import annotations

from collections.abc import Callable

from vivavoce.interview.forms import ending
from vivavoce.interview.forms.form import Form, Reading, answered
from vivavoce.interview.forms.plain import lines, plain


def read_last_line(form: Form[str], text: str, find: Callable[[str], Reading[str]]) -> Reading[str]:
    """What `find` finds in the words of a reply that are its own; strict where its last line is the one that was asked for."""
    reading = find(ending.own_words(plain(text), form.instruction, form.further, form.schema_instruction))
    if reading.value is None:
        return reading
    return answered(reading.value, strict=lines(text)[-1:] == [form.write(reading.value)])
