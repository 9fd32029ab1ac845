"""A person as a candidate: one question at a time, in the terminal, in the person's own time.

A person who stops at a question, or whose program was killed, gets the same question again later. A program that ends itself
instead of being wrong is not asked again (`candidate.RepeatableCandidate`). A person gains nothing by stopping, since there is
no time limit to think or look something up. The record does not show whether anyone supervised.

The question is written to standard error, and the answer is read from standard input. It is read byte by byte without a thread,
so a withdrawn question leaves nothing behind that would consume the next answer or keep the program running.

A person gives only the answer, which is then written in the form that a model uses. An impossible answer (a letter without an
option, a word instead of a number) is refused at once and can be typed again; this does not reveal what is right. Some prompts
hold the right answer in their form; it is not shown.
"""

from __future__ import annotations

import asyncio
import os
import re
import select
import shutil
import sys
import textwrap
from dataclasses import dataclass
from typing import Final, Literal, TypeGuard

from vivavoce.candidates.options import NoOptions, read_options
from vivavoce.candidates.text import as_unicode
from vivavoce.errors import BadInput, CandidateMisconfigured, CandidateUnreachable
from vivavoce.interview.candidate import Exchange, Prompt, RepeatReason, Reply
from vivavoce.interview.forms.ending import DONT_KNOW
from vivavoce.interview.forms.form import Outcome, ReplyForm
from vivavoce.interview.forms.number import Number
from vivavoce.interview.forms.plain import fold
from vivavoce.interview.forms.text import ShortText
from vivavoce.interview.progress import Progress

LONGEST: Final = 20_000
"""Characters of an answer."""

Kind = Literal["option", "number", "text", "reply"]
"""The kind of answer to type: a letter, a number, a short text, or a whole reply."""


@dataclass(frozen=True, slots=True)
class Item:
    """One question as a person sees it.

    >>> from vivavoce.interview.forms.one_option import OneOption
    >>> form = OneOption(("Lyon", "Paris"))
    >>> item = item_of(Prompt("Capital of France?\\n\\n(A) Lyon\\n(B) Paris\\n\\n" + form.instruction, form=form))
    >>> item.text, item.options, item.reply("b")
    ('Capital of France?', (('A', 'Lyon'), ('B', 'Paris')), 'Answer: B')
    >>> item.reply("C")
    Traceback (most recent call last):
    vivavoce.errors.BadInput: There is no option 'C'. Give one letter from A to B.
    """

    kind: Kind
    text: str
    options: tuple[tuple[str, str], ...] = ()
    """Letters with their options."""
    system: str = ""
    shown: tuple[Exchange, ...] = ()
    """Worked examples."""
    dont_know: bool = False
    """Whether the person may answer "I don't know"."""
    form: ReplyForm[str] | None = None
    """The form in which the answer is written; None: the typed text is the reply."""

    @property
    def hint(self) -> str:
        text = {
            "option": "Give the letter of one option.",
            "number": "Give a number.",
            "text": "Give a short answer.",
            "reply": "Write your reply.",
        }[self.kind]
        return f'{text} If you do not know, write "{DONT_KNOW}".' if self.dont_know else text

    def reply(self, typed: str) -> str:
        """The typed text as a reply. Raises `BadInput`, with a message for the person, for an impossible answer."""
        result = cleaned(typed)
        if not result:
            raise BadInput("Nothing is written yet.")
        if len(result) > LONGEST:
            raise BadInput(f"That is too long: write at most {LONGEST:_} characters.".replace("_", " "))
        if self.form is None:
            return result
        result = " ".join(result.split())
        if fold(result) == fold(DONT_KNOW):
            return self.form.write(DONT_KNOW)
        if self.kind == "option":
            result = result.strip("().").upper()
            letters = [letter for letter, _ in self.options]
            if result not in letters:
                raise BadInput(f"There is no option '{result[:20]}'. Give one letter from {letters[0]} to {letters[-1]}.")
        if self.kind == "number" and self.form.read(self.form.write(result)).outcome is not Outcome.ANSWER:
            raise BadInput("That cannot be read as a number. Write digits, such as 12 or -3.5.")
        return self.form.write(result)


def item_of(prompt: Prompt) -> Item:
    """What a person sees of a sent prompt (`requests.full_prompt`)."""
    from vivavoce.interview.forms.one_option import OneOption  # takes long to import, and commands look for people here

    form = prompt.form
    if not isinstance(form, OneOption | Number | ShortText):
        return Item("reply", prompt.text, system=prompt.system, shown=prompt.shown)
    text = prompt.text.removesuffix(form.instruction).rstrip()
    if text == prompt.text.rstrip():  # a further turn, or another wording: there are only the words
        return Item("reply", prompt.text, system=prompt.system, shown=prompt.shown)
    given = prompt.system, prompt.shown, form.dont_know, form
    if not isinstance(form, OneOption):
        return Item("number" if isinstance(form, Number) else "text", text, (), *given)
    options = tuple(zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", form.options, strict=False))
    lines = "\n".join(f"({letter}) {option}" for letter, option in options)
    return Item("option", text.removesuffix(lines).rstrip(), options, *given)


def cleaned(text: str) -> str:
    r"""Text without control characters but for line ends and tabs, and without space around it.

    >>> cleaned(" a\x1b[31m\r\nb ")
    'a[31m\nb'
    """
    lines = as_unicode(text).replace("\r\n", "\n").replace("\r", "\n")
    return "".join(c for c in lines if c.isprintable() or c in "\n\t").strip()


WIDEST: Final = 88
"""Characters of a line."""
STOP: Final = "/stop"
_EVERY: Final = 0.02
"""Seconds between two checks of the input."""
_YES: Final = ("y", "yes")
_NO: Final = ("n", "no")
_turn = asyncio.Lock()
"""Only one of two people at a terminal is asked at a time."""


class StopRequest(Exception):
    """The person asks to stop."""


class TermsRefusal(Exception):
    """The person does not agree to be asked."""


class Terminal:
    def __init__(self) -> None:
        self._agreed = False

    async def agree(self, alias: str, terms: tuple[str, ...]) -> None:
        """Ask once whether the person agrees to these terms. Raises `TermsRefusal` and `StopRequest`."""
        async with _turn:
            if self._agreed:
                return
            _say("", *(_wrapped(sentence) for sentence in terms), f"Type {STOP} instead of an answer to stop.")
            while True:
                _say("Do you agree? Type yes or no.")
                text = (await _line()).strip().casefold()
                if text in _NO:
                    raise TermsRefusal
                if text in _YES:
                    self._agreed = True
                    return

    async def ask(self, alias: str, item: Item, progress: Progress | None) -> str:
        """Show the question until a possible answer is typed; returns the reply. Raises `StopRequest`."""
        async with _turn:
            ending = " End it with an empty line." if item.kind == "reply" else ""
            _say("", _heading(alias, progress), "", _shown(item), "", f"{item.hint}{ending}")
            while True:
                typed = await (_paragraphs() if item.kind == "reply" else _line())
                try:
                    return item.reply(typed)
                except BadInput as error:
                    _say(str(error))


def _heading(alias: str, progress: Progress | None) -> str:
    done = 0 if progress is None else progress.answered
    expected = None if progress is None else progress.expected
    of = f" of about {expected}" if expected is not None and expected > done else ""
    return f"── {alias} · question {done + 1}{of} ──"


def _shown(item: Item) -> str:
    parts = [item.system]
    for exchange in item.shown:
        parts.append(f"For example:\n{exchange.asked}\n{exchange.replied}")
    parts += [item.text, "\n".join(f"({letter}) {option}" for letter, option in item.options)]
    return "\n\n".join(_wrapped(part) for part in map(cleaned, parts) if part)


def _wrapped(text: str) -> str:
    """Each line folded to the terminal's width, its indentation kept."""
    width = max(20, min(WIDEST, shutil.get_terminal_size().columns))

    def folded(line: str) -> str:
        indent = line[: len(line) - len(line.lstrip())][: width // 2]
        return textwrap.fill(line, width, subsequent_indent=indent, replace_whitespace=False, drop_whitespace=True)

    return "\n".join(folded(line) if len(line) > width else line for line in text.split("\n"))


def _say(*lines: str) -> None:
    print(*lines, sep="\n", file=sys.stderr, flush=True)


async def _paragraphs() -> str:
    """Lines up to an empty one."""
    lines: list[str] = []
    length = 0
    while (line := await _line()).strip() or not lines:
        if length <= LONGEST:  # read a too long input to its end, so that its rest does not answer the next question
            lines.append(line)
        length += len(line) + 1
    return "\n".join(lines)


async def _line() -> str:
    """The next line. Raises `StopRequest` if there are no more, or the person asks to stop."""
    try:
        stream = sys.stdin.fileno()
        select.select([stream], [], [], 0)
    except (AttributeError, OSError, ValueError) as error:
        raise CandidateMisconfigured(
            f"there is no terminal to type answers in ({error}): start it in one",
            hearing="unheard",
        ) from None
    line = bytearray()
    while True:
        if not select.select([stream], [], [], 0)[0]:
            await asyncio.sleep(_EVERY)
            continue
        byte = os.read(stream, 1)
        if byte == b"\n" or (not byte and line):
            break
        if not byte:
            raise StopRequest
        if len(line) <= 4 * LONGEST:
            line += byte
    result = line.decode("utf-8", "replace")
    if result.strip() == STOP:
        raise StopRequest
    return result


TERMS: Final = 1
"""Version of the terms that a person accepts before the first question; every reply records it."""
_ALIAS: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")


def terms(alias: str) -> tuple[str, ...]:
    """The terms for a person, one sentence for each paragraph; version `TERMS`.

    >>> terms("p07")[0]
    "You will be asked questions. Your answers, and the seconds that each took, are kept under the name 'p07'."
    """
    return (
        f"You will be asked questions. Your answers, and the seconds that each took, are kept under the name '{alias}'.",
        "The people who ask you read them. Write nothing that tells who you are, or who others are.",
        "You may stop at any time. What you have answered by then is kept.",
    )


class Person:
    """The candidate `human:ALIAS`.

    alias: the person's name on record, which must not identify anyone.
    """

    concurrency = 1
    asked_again: RepeatReason = "elsewhere"
    time_out: float | None = None
    """No time-out: a person may think."""
    at_terminal = True

    def __init__(self, alias: str) -> None:
        self.name = f"human:{alias}"
        self._alias = alias
        self._terminal = Terminal()
        self._progress: Progress | None = None

    def __repr__(self) -> str:
        return f"<{self.name}>"

    def notice(self, progress: Progress) -> None:
        """Note the progress of the interview, for display."""
        self._progress = progress

    async def answer(self, question: Prompt, /) -> Reply:
        """The person's answer. Raises `CandidateUnreachable` if the person stops, `CandidateMisconfigured` if the person
        does not agree.
        """
        try:
            await self._terminal.agree(self._alias, terms(self._alias))
            text = await self._terminal.ask(self._alias, item_of(question), self._progress)
        except StopRequest:
            raise CandidateUnreachable(f"{self.name} stopped here", hearing="unheard") from None
        except TermsRefusal:
            raise CandidateMisconfigured(f"{self.name} does not agree to be asked", hearing="unheard") from None
        return Reply(text, model=f"a person, terms {TERMS}")

    async def close(self) -> None:
        """End the session; the person is asked to agree again at the next question."""
        self._terminal = Terminal()


def is_person(candidate: object) -> TypeGuard[Person]:
    return isinstance(candidate, Person)


def open_person(target: str, query: str) -> Person:
    """The candidate with that alias. Raises `BadInput` for an alias that may identify the person."""
    read_options(query, NoOptions, of="human")
    if not _ALIAS.fullmatch(target):
        raise BadInput(
            f"human:{target[:40]} is not an alias: give up to 40 letters, digits, '-' and '_' that identify no one, such as p07"
        )
    return Person(target)
