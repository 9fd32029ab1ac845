"""Asking a candidate for its procedures, and reading them out of what it replies."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from vivavoce.certificate.config import MOST_EXPLANATIONS
from vivavoce.certificate.explanations.sandbox.program import CODE_CHARACTERS, Program
from vivavoce.certificate.verdict import brief
from vivavoce.formats.wording import clipped
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.forms.form import Reading
from vivavoce.interview.forms.proposals import Programs
from vivavoce.interview.reading import read
from vivavoce.scopes.questions import Question

SHOWN = 8
"""Example questions in the prompt."""
_QUESTION_CHARACTERS = 2_000

EXAMPLE: Final = """\
import re

LETTERS = re.compile(r"How many letters has the word '(\\w+)'\\?")


def covers(question):
    return LETTERS.fullmatch(question["text"]) is not None


def answer(question):
    return len(LETTERS.fullmatch(question["text"])[1])"""
"""Reads the text of a question, which shows how to cover questions that have not been seen; no scope has such questions."""

_TASK = """\
You will be examined on many questions that are drawn at random from one scope: {scope}.
These are questions like those that will be asked:

{examples}

Before that you may hand over procedures that answer some of the questions to come. A procedure is Python code, in a code block
of its own, that defines two functions:

- covers(question) returns True or False: whether this procedure answers the question. It must tell that from the question's
  text, by a pattern. The questions above will not come again, so a list of them covers nothing.
- answer(question) returns the answer alone, a text or a number{letters}.

A question is a dictionary as in the lines above. The code runs by itself (Python 3, standard library, no files, no network)
and is frozen as you write it. From then on it answers the questions that it covers in your place, and its answers count as
yours. It is checked on many thousands of questions first; if it fails on some of them, it is set aside. So cover only what
it answers rightly without exception.

This procedure is for questions of another kind, such as "How many letters has the word 'stone'?":

```python
{example}
```"""
_AGAIN = """

To the following question your answer was judged ridiculous.

{question}

Your answer was:

{answer}

If you know a procedure that does better on questions of this kind, hand it over now; it is for questions to come."""


@dataclass(frozen=True, slots=True)
class Misstep:
    """An answer that gives rise to asking again."""

    question: Question
    answer: str


def request(scope: str, examples: Sequence[Question], *, most: int, after: Misstep | None = None) -> Prompt:
    """What a candidate is asked for: at most this many procedures, for questions like the examples."""
    letters = ", or the capital letter of the right option where there are options" if any(q.options for q in examples) else ""
    text = _TASK.format(scope=brief(scope), examples="\n".join(map(_line, examples)), letters=letters, example=EXAMPLE)
    if after is not None:
        text += _AGAIN.format(question=_line(after.question), answer=clipped(after.answer, _QUESTION_CHARACTERS))
    return Prompt(text, id="explanations", form=_form(most))


def programs(prompt: Prompt, answer: Reply | NoAnswer) -> tuple[tuple[Program, ...], str]:
    """The programs in an answer to a request, in their order, and why none can be read; having none is a reading, too."""
    reading: Reading[tuple[str, ...]] = read(prompt, answer)
    return tuple(map(Program, reading.value or ())), reading.problem


def _form(most: int) -> Programs:
    number = (
        "one procedure" if most == 1 else f"at most {most} procedures, each for questions that those before it do not cover"
    )
    return Programs(
        ("covers", "answer"), most=min(most, MOST_EXPLANATIONS), longest=CODE_CHARACTERS, example=EXAMPLE, asked_for=number
    )


def _line(question: Question) -> str:
    shown = {"text": question.text, "options": list(question.options), "category": question.category}
    return clipped(json.dumps(shown, ensure_ascii=False), _QUESTION_CHARACTERS)
