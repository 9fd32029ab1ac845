"""Questions in full words with all that was answered to them, for readers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from vivavoce.eqt.figures import Example
from vivavoce.eqt.questions import Answer, Item, Phrasing
from vivavoce.interview.forms.letters import Choice
from vivavoce.interview.forms.multiple_choice import MultipleChoice
from vivavoce.interview.wording import clipped, count
from vivavoce.render.pages.eqt.tables import called

MOST: Final = 10
"""Examples on a page."""
SHOWN_EXPLANATION: Final = 2_000
SHOWN_STEM: Final = 600
SHOWN_OPTION: Final = 300
MOST_OPTIONS: Final = 12
MOST_WORDINGS: Final = 12
LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class Given:
    """A wording, what was answered to it, and whether that was right."""

    which: str
    stem: str
    answered: str
    verdict: str
    """`right`, `partly right`, `wrong`, or empty where nothing was answered."""


def in_words(example: Example) -> dict[str, Any]:
    """An example as the template takes it."""
    item, question = example.item, example.item.question
    return {
        "why": clipped(example.why, SHOWN_OPTION),
        "concept": called(example.concept.name),
        "category": called(example.concept.category),
        "explanation": clipped(example.explanation, SHOWN_EXPLANATION),
        "stem": clipped(question.stem, SHOWN_STEM) if question else "",
        "options": options(question) if question else [],
        "more_options": "" if question is None else _more(len(question.options), MOST_OPTIONS, "options"),
        "without": [_without(place, phrasing, question) for place, phrasing in enumerate(item.phrasings[:MOST_WORDINGS])],
        "more_wordings": _more(len(item.phrasings), MOST_WORDINGS, "wordings"),
        "open_book": given("with the explanation", "", item.open_book, question),
        "faults": faults(item),
    }


def options(question: MultipleChoice) -> list[tuple[str, str, bool]]:
    """Letter, text, and whether the key holds it to be right."""
    return [
        (letter(place), clipped(text, SHOWN_OPTION), place in question.key)
        for place, text in enumerate(question.options[:MOST_OPTIONS])
    ]


def letter(place: int) -> str:
    """What an option is called.

    >>> letter(0), letter(25), letter(26)
    ('A', 'Z', '27')
    """
    return LETTERS[place] if 0 <= place < len(LETTERS) else str(place + 1)


def letters(choice: Choice) -> str:
    """A choice in letters.

    >>> letters(frozenset({2, 0})), letters(frozenset())
    ('A, C', 'none of them')
    """
    return ", ".join(letter(place) for place in sorted(choice)) or "none of them"


def given(which: str, stem: str, answer: Answer | None, question: MultipleChoice | None) -> Given:
    """An answer in words."""
    if answer is None:
        return Given(which, stem, "not asked", "")
    if answer.chosen is None:
        why = f": {clipped(answer.problem, SHOWN_OPTION)}" if answer.problem else ""
        return Given(which, stem, f"{'no answer' if answer.manner == 'no answer' else 'not readable'}{why}", "")
    return Given(which, stem, letters(answer.chosen), "" if question is None else verdict(answer.chosen, question.key))


def verdict(chosen: Choice, key: Choice) -> str:
    """Whether a choice is right.

    >>> [verdict(frozenset({0}), key) for key in (frozenset({0}), frozenset({0, 2}), frozenset({1}))]
    ['right', 'partly right', 'wrong']
    """
    return "right" if chosen == key else "partly right" if chosen & key else "wrong"


def faults(item: Item) -> list[str]:
    """What is held against the question, a sentence each."""
    told = []
    if item.pointing:
        told.append(f"It points at a text that the reader cannot see: “{clipped(item.pointing, SHOWN_OPTION)}”.")
    if item.self_contained is False:
        told.append("It cannot be understood alone, says the checker.")
    if item.duplicate_of is not None:
        told.append(f"It asks the same as question {count(item.duplicate_of)} of the concept.")
    checked = item.key_check.chosen if item.key_check else None
    if checked is not None and item.question is not None and checked != item.question.key:
        told.append(f"With the explanation at hand the checker answers {letters(checked)}, not {letters(item.question.key)}.")
    return told


def short(example: Example) -> Mapping[str, str]:
    """An example in a few words, for a terminal."""
    question = example.item.question
    told = in_words(example)
    answers = [f"{one.answered}{f' ({one.verdict})' if one.verdict else ''}" for one in told["without"]]
    opened: Given = told["open_book"]
    return {
        "why": told["why"],
        "concept": told["concept"],
        "asked": " ".join(told["stem"].split()),
        "key": letters(question.key) if question else "none",
        "without": "; ".join(answers) or "not asked",
        "with": f"{opened.answered}{f' ({opened.verdict})' if opened.verdict else ''}",
    }


def _without(place: int, phrasing: Phrasing, question: MultipleChoice | None) -> Given:
    which = "original wording" if place == 0 else f"wording {count(place + 1)}"
    if phrasing.same_meaning is False:
        which += ", means something else, says the checker"
    if phrasing.stem is None:
        why = f": {clipped(phrasing.problem, SHOWN_OPTION)}" if phrasing.problem else ""
        return Given(which, "", f"is missing{why}", "")
    return given(which, "" if place == 0 else clipped(phrasing.stem, SHOWN_STEM), phrasing.answer, question)


def _more(number: int, most: int, things: str) -> str:
    return f"… and {count(number - most)} more {things}" if number > most else ""
