"""The prompts of section 5 of `asgari2025`, word for word, for those who want to repeat the paper (`EqtConfig.prompts`).

Departures. `[CONCEPT]` is filled in. The paper prints one `{question type}` and no list of types: ours are used
(`prompts.KINDS`). A paragraph of a heading and one option after the other is put as lines. The printed prompts show texts that
can be copied as an answer ("e.g., A, C, D", "Option A text"): a question made of these is a copy and none, a reply that
repeats the whole instruction is none either; but "A, C, D" alone cannot be told from an answer, which is why our own words are
the default. How many options are right is left to the writer, as printed.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from string import ascii_uppercase
from typing import Final

from vivavoce.interview.forms.spellings import folded
from vivavoce.interview.forms.written_question import MultipleChoice

EXAMPLE_ANSWER: Final = frozenset((0, 2, 3))
"""“A, C, D”, as `answer_text` shows it: an answer, or said back."""
PLACEHOLDERS: Final = frozenset(folded(text) for text in ("[Your question here]", *(f"Option {x} text" for x in "ABCDEFGHIJ")))
"""Texts of the printed prompt that stand where those of a question are wanted."""


@cache
def _texts() -> Mapping[str, str]:
    return tomllib.loads(files("vivavoce.eqt").joinpath("printed.toml").read_text(encoding="utf-8"))


def answer_text() -> str:
    """Asks for all right options.

    >>> answer_text()[:33]
    'Please select all correct options'
    """
    return _texts()["answer"]


def explanation_text(concept: str) -> str:
    """Asks for an explanation.

    >>> explanation_text("Graph theory")[:81]
    'Please provide a comprehensive and detailed explanation of the concept ‘Graph the'
    """
    return _texts()["explanation"].format(concept=concept)


def question_text(concept: str, explanation: str, *, kind: str, options: int) -> str:
    """Asks for one question with its key."""
    last = ascii_uppercase[options - 1]
    return _texts()["question"].format(concept=concept, kind=kind, options=options, last=last, explanation=explanation)


def paraphrase_text(stem: str) -> str:
    """Asks for one paraphrase: the same words each time, so that paraphrases differ by chance alone."""
    return _texts()["paraphrase"].format(question=stem)


def made_of_placeholders(question: MultipleChoice) -> bool:
    """Whether a text of the printed prompt stands where one of a question is wanted."""
    return not PLACEHOLDERS.isdisjoint(map(folded, (question.stem, *question.options)))
