"""Reading an answer in the form that its prompt asked for, and counting how replies were read, form by form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.forms.copies import is_copy
from vivavoce.interview.forms.form import Form, Outcome, Reading, copied, json_object
from vivavoce.interview.replies import CUT_OFF, absent, heard

SHORT: Final = 200
"""Characters of a reply that may come again: of many candidates, and in a recording, where replies are letters."""


def read(prompt: Prompt, answer: Reply | NoAnswer) -> Reading[Any]:
    """What an answer to a prompt with a form says, by its further turn where there was one.

    Thoughts are no answer; a reply that was cut off, or repeats the instruction or a worked example, has none.
    """
    assert prompt.form is not None, "a prompt without a form is read by nobody"
    if isinstance(answer, NoAnswer):
        return Reading(Outcome.NO_ANSWER, problem=absent(answer))
    first = _read_reply(prompt, prompt.form, answer)
    if answer.further is None or not wants_turn(first, answer):
        return first
    second = _read_reply(prompt, prompt.form, answer.further)
    return replace(second, after_turn=True) if second.outcome in (Outcome.ANSWER, Outcome.DONT_KNOW) else first


def read_after_turn(prompt: Prompt, answer: Reply) -> bool:
    """Whether the answer stands in the reply to the further turn; never for a prompt without a form."""
    return prompt.form is not None and answer.further is not None and read(prompt, answer).after_turn


def wants_turn(reading: Reading[Any], answer: Reply) -> bool:
    """Whether a reply gets a further turn: where it is there and whole, and cannot be read. The same rule for everybody."""
    return reading.outcome in (Outcome.UNREADABLE, Outcome.COPIED) and not heard(answer)[1]


def _read_reply(prompt: Prompt, form: Form[Any], reply: Reply) -> Reading[Any]:
    text, problem = heard(reply)
    if problem:
        return Reading(Outcome.CUT_OFF if problem == CUT_OFF else Outcome.UNREADABLE, problem=problem)
    shown = tuple(_shown(prompt, form))
    if len(text) <= SHORT and isinstance(form, Hashable) and _has_hash(form):
        return _read_again(form, text, shown)
    return _read_text(form, text, shown)


def _read_text(form: Form[Any], text: str, shown: tuple[str, ...]) -> Reading[Any]:
    fields = json_object(text)
    under_schema = fields and set(form.schema.get("required", ())) <= set(fields)
    words = " ".join(value for value in fields.values() if isinstance(value, str)) if under_schema and fields else text
    if is_copy(words, shown):
        return copied()
    return form.read_fields(fields) if under_schema and fields else form.read(text)


_read_again = lru_cache(maxsize=4096)(_read_text)


def _has_hash(form: Hashable) -> bool:
    """Not all have one that say so: a frozen form may hold a mapping."""
    try:
        hash(form)
    except TypeError:
        return False
    return True


def _shown(prompt: Prompt, form: Form[Any]) -> list[str]:
    """What a candidate can copy instead of answering: instructions and worked examples, not the question.

    A later turn may name an answer, so that it is among them; the candidate's own replies are not, as it may repeat them.
    """
    examples = [part for exchange in prompt.shown for part in (exchange.asked, exchange.replied)]
    turn = [_without_instruction(prompt.text, form)] if prompt.earlier else []
    return [form.instruction, form.schema_instruction, form.further, prompt.system, *examples, *turn]


def _without_instruction(text: str, form: Form[Any]) -> str:
    """What is asked, the same before and after its form was put into words."""
    return text.removesuffix(form.schema_instruction).removesuffix(form.instruction).rstrip()


@dataclass(frozen=True, slots=True)
class Readings:
    """How the answers in one form were read."""

    form: str
    asked: int = 0
    at_once: int = 0
    """Read without a further turn, "I don't know" included."""
    after_turn: int = 0
    copied: int = 0
    cut_off: int = 0
    unreadable: int = 0
    no_answer: int = 0
    calls: int = 0
    """Questions and further turns."""


class ReadingsTally:
    """Counts readings by the names of their forms."""

    def __init__(self) -> None:
        self._counts: dict[str, Counter[str]] = {}

    def add(self, form: Form[Any], reading: Reading[Any], *, calls: int) -> None:
        """One more answer."""
        counts = self._counts.setdefault(type(form).__name__, Counter())
        counts["asked"] += 1
        counts["calls"] += calls
        counts[_column(reading)] += 1

    @property
    def found(self) -> tuple[Readings, ...]:
        """One row a form, in the order of their names."""
        return tuple(Readings(name, **counts) for name, counts in sorted(self._counts.items()))


def _column(reading: Reading[Any]) -> str:
    if reading.outcome in (Outcome.ANSWER, Outcome.DONT_KNOW):
        return "after_turn" if reading.after_turn else "at_once"
    return reading.outcome.name.lower()
