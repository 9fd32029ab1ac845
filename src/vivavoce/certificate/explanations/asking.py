"""Asking a candidate for its procedures, and reading them out of what it replies."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vivavoce.certificate.explanations.program import CODE_CHARACTERS, Program
from vivavoce.certificate.finding import brief
from vivavoce.certificate.questions import Question
from vivavoce.interview.candidate import Prompt
from vivavoce.interview.wording import clipped

MOST = 20
"""Procedures that are read out of one reply at most."""
SHOWN = 8
"""Example questions in the prompt."""
_REPLY_CHARACTERS = 2_000_000
_QUESTION_CHARACTERS = 2_000
_FENCE = re.compile(r"[ \t]{0,3}(?P<marks>`{3,}|~{3,})[ \t]*(?P<word>[\w+-]{0,20})")
_DEFINES = re.compile(r"^(?:def[ \t]+covers[ \t]*\(|covers[ \t]*=)", re.M)
_LANGUAGES = ("", "python", "python3", "py")

_TASK = """\
You will be examined on many questions that are drawn at random from one scope: {scope}.
These are questions like those that will be asked:

{examples}

Before that you may hand over procedures that answer some of these questions. A procedure is Python code, in a code block
of its own, that defines two functions:

def covers(question): return True or False, whether this procedure answers the question
def answer(question): return the answer alone, a text or a number{letters}

A question is a dictionary as in the lines above. The code runs by itself (Python 3, standard library, no files, no network)
and is frozen as you write it. From then on it answers the questions that it covers in your place, and its answers count as
yours. It is checked on many thousands of questions first; if it fails on some of them, it is set aside. So cover only what
it answers rightly without exception.

Hand over {number}. If you have none, reply with the word "none"."""
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
    """What a candidate is asked for: at most so many procedures, for questions like the examples."""
    letters = ", or the capital letter of the right option where there are options" if any(q.options for q in examples) else ""
    number = (
        "one procedure" if most == 1 else f"at most {most} procedures, each for questions that those before it do not cover"
    )
    text = _TASK.format(scope=brief(scope), examples="\n".join(map(_line, examples)), letters=letters, number=number)
    if after is not None:
        text += _AGAIN.format(question=_line(after.question), answer=clipped(after.answer, _QUESTION_CHARACTERS))
    return Prompt(text, id="explanations")


def programs(text: str, *, most: int) -> tuple[Program, ...]:
    """The programs in a reply: its code blocks that define `covers`, in their order, at most so many.

    Blocks in another language, without `covers`, or longer than a program may be are left aside; the reply as a whole is on
    record. A reply without a code block that begins to define functions at once is taken as code.

    >>> reply = "Here:\\n```python\\ndef covers(q): return True\\ndef answer(q): return 1\\n```\\nand\\n```sh\\nls\\n```"
    >>> [program.code for program in programs(reply, most=3)]
    ['def covers(q): return True\\ndef answer(q): return 1\\n']
    """
    text = text[:_REPLY_CHARACTERS]
    blocks = [code for word, code in _blocks(text) if word.lower() in _LANGUAGES]
    if not blocks and text.lstrip().startswith(("def ", "import ", "from ", "#")):
        blocks = [text]
    fit = [code for code in blocks if len(code) <= CODE_CHARACTERS and _DEFINES.search(code)]
    return tuple(Program(code) for code in fit[: min(most, MOST)])


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """The code blocks with the word at their head; one that is not closed is none."""
    opened: re.Match[str] | None = None
    code: list[str] = []
    for line in text.splitlines(keepends=True):
        fence = _FENCE.match(line)
        if opened is None:
            opened, code = fence, []
        elif fence and fence["marks"].startswith(opened["marks"]) and not line[fence.end("marks") :].strip():
            yield opened["word"], "".join(code)
            opened = None
        else:
            code.append(line)


def _line(question: Question) -> str:
    shown = {"text": question.text, "options": list(question.options), "category": question.category}
    return clipped(json.dumps(shown, ensure_ascii=False), _QUESTION_CHARACTERS)
