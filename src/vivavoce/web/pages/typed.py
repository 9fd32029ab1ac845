"""What somebody has typed is given back to them, whatever becomes of the form that it was sent with."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from starlette.requests import Request
from starlette.types import Scope

from vivavoce.errors import BadInput
from vivavoce.luna.rules import Phase, Seat
from vivavoce.web.pages.forms import read_form
from vivavoce.web.security import csrf
from vivavoce.web.security.bodies import BODY

_TEXT: Final = re.compile(r"(question|answer)([0-9]{1,2})|reason")
_NUMBER: Final = re.compile(r"(slider)([0-9]{1,2})|guess|who|sure")
_NAMES: Final = {
    "question": "Question",
    "answer": "Answer",
    "reason": "Your report",
    "slider": "Mark of answer",
    "guess": "Guess",
    "who": "Person or machine",
    "sure": "How sure",
}


@dataclass(frozen=True, slots=True)
class Typed:
    """What was typed into one field, or into all fields for numbers."""

    label: str
    text: str


def typed(fields: Mapping[str, str]) -> list[Typed]:
    """What is worth giving back, by its label.

    >>> typed({"question2": "Why?", "question1": " ", "csrf": "0", "guess": "70", "slider1": "80"})
    [Typed(label='Question 2', text='Why?'), Typed(label='Marks', text='Guess: 70. Mark of answer 1: 80.')]
    """
    said = {name: text for name, text in fields.items() if text.strip()}
    texts = [Typed(_label(found), said[found.string]) for found in map(_TEXT.fullmatch, said) if found]
    numbers = [f"{_label(found)}: {said[found.string][:20]}." for found in map(_NUMBER.fullmatch, said) if found]
    return texts + ([Typed("Marks", " ".join(numbers))] if numbers else [])


def sent(scope: Scope) -> list[Typed]:
    """What was typed into the form of a game that this request has sent; nothing for forms that did not begin on our site."""
    if scope["method"] in ("GET", "HEAD") or not scope["path"].startswith("/games/") or BODY not in scope:
        return []
    request = Request(scope)
    if not csrf.began_here(request, scope["app"].state.site.settings.base_url):
        return []
    try:
        return typed(read_form(request.headers.get("content-type", ""), scope[BODY]).fields)
    except BadInput:
        return []


def on_record(fields: Mapping[str, str], seat: Seat, phase: Phase) -> bool:
    """Whether a player has sent just this before, so that nothing is lost if it is not taken again."""
    if phase is Phase.GUESS:
        return seat.guess is not None and fields["guess"].strip() in ("", f"{seat.guess:g}")
    kept = (seat.questions if phase is Phase.INTERVIEW else seat.answers) or ()
    return {text for text in fields.values() if text.strip()} <= set(kept)


def _label(found: re.Match[str]) -> str:
    kind: Any = found[1] or found[0]
    return f"{_NAMES[kind]} {found[2]}" if found[2] else _NAMES[kind]
