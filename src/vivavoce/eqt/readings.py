"""How replies were read, in this room's words."""

from __future__ import annotations

from typing import Any, Final

from vivavoce.eqt.questions import Answer, Manner
from vivavoce.interview.forms.form import Outcome, Reading
from vivavoce.interview.forms.patterns import Pattern
from vivavoce.interview.forms.several_options import Choice, letters

_MANNERS: Final[dict[Outcome, Manner]] = {
    Outcome.DONT_KNOW: "does not know",
    Outcome.UNREADABLE: "unreadable",
    Outcome.COPIED: "copied",
    Outcome.CUT_OFF: "cut off",
    Outcome.NO_ANSWER: "no answer",
}


def manner_of(reading: Reading[Any]) -> Manner:
    """How a reply was read, in a word or two."""
    return _MANNERS.get(reading.outcome) or ("strict" if reading.strict else "lenient")


def answer_in(reading: Reading[Choice]) -> Answer:
    """The answer that was read."""
    return Answer(reading.value, manner_of(reading), reading.problem, reading.after_turn)


def pattern_as_json(pattern: Pattern[Choice]) -> dict[str, Any]:
    """The most frequent answer as JSON values."""
    told = {"answer": letters(pattern.value), "repeated": pattern.repeated, "prevails": pattern.prevails}
    names = ("answers", "of_answers", "questions", "keys", "of_questions", "p", "best")
    return told | {name: getattr(pattern, name) for name in names}
