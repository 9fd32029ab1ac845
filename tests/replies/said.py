"""What a reading comes to, in JSON as a person would note it: the same for what a reader read and for what people read."""

from __future__ import annotations

from collections.abc import Mapping
from string import ascii_uppercase
from typing import Any, Final

from vivavoce.interview.forms.form import ReplyForm
from vivavoce.interview.forms.guesses import GuessForm, PlayerGuess
from vivavoce.interview.forms.judgements import Digit, JudgeScore, Points, ReasonedDecision, ReasonedYesNo
from vivavoce.interview.forms.number import Number
from vivavoce.interview.forms.one_option import OneOption
from vivavoce.interview.forms.probability import Probability, Quantity
from vivavoce.interview.forms.proposals import Programs, Proposal, Proposals
from vivavoce.interview.forms.several_options import SeveralOptions
from vivavoce.interview.forms.text import ShortText
from vivavoce.interview.forms.words import Words
from vivavoce.interview.forms.written_question import MultipleChoice, WrittenQuestion
from vivavoce.interview.forms.written_texts import Message, Rewording, Rewordings, SeveralQuestions

FORMS: Final[Mapping[str, type[Any]]] = {
    form.__name__: form
    for form in (
        Digit,
        GuessForm,
        Message,
        Number,
        OneOption,
        Points,
        Probability,
        Programs,
        Proposals,
        Quantity,
        Rewording,
        Rewordings,
        SeveralOptions,
        SeveralQuestions,
        ShortText,
        ReasonedYesNo,
        Words,
        WrittenQuestion,
    )
}
"""By their names."""


def form_named(name: str, settings: Mapping[str, Any]) -> ReplyForm[Any]:
    """The form of a recorded reply."""
    form: ReplyForm[Any] = FORMS[name](**{key: _frozen(value) for key, value in settings.items()})
    return form


def noted(form: ReplyForm[Any], value: Any) -> Any:
    """The value of a reading in JSON; None where there is none.

    >>> noted(SeveralOptions(("a", "b", "c")), frozenset({0, 2})), noted(ReasonedYesNo(), ReasonedDecision(True, "It is so."))
    ('A, C', 'YES')
    """
    if value is None:
        return None
    if isinstance(form, Message):
        return "text"  # word for word
    for kind, note in _NOTES.items():
        if isinstance(value, kind):
            return note(value)
    return value


def _letters(places: frozenset[int]) -> str:
    return ", ".join(ascii_uppercase[index] for index in sorted(places))


_NOTES: Final[Mapping[type[Any], Any]] = {
    frozenset: _letters,
    ReasonedDecision: lambda words: "YES" if words.passed else "NO",
    JudgeScore: lambda words: [words.points, words.unacceptable],
    PlayerGuess: lambda words: words.guess,
    MultipleChoice: lambda words: {"options": len(words.options), "right": len(words.key)},
    Proposal: lambda words: "declined" if words.declined is not None else sorted(words.statements),
    tuple: len,
    Mapping: lambda words: sorted(words),
}


def _frozen(value: Any) -> Any:
    """Settings as forms have them: JSON knows lists alone."""
    if isinstance(value, list):
        return tuple(_frozen(entry) for entry in value)
    if isinstance(value, dict):
        return {key: _frozen(entry) for key, entry in value.items()}
    return value
