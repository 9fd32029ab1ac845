"""Questions as writers write them: stem, options and key, read strictly first, leniently second, or in words why not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Final

from vivavoce.eqt.duplicates import folded
from vivavoce.eqt.letters import NONE_NAMED, options_named, statement_from
from vivavoce.eqt.questions import MOST_OPTIONS, Choice, Manner, MultipleChoice
from vivavoce.eqt.reading import LONGEST_STEM, REFUSED, TOO_LONG, heard, refuses, unquoted, without_preamble
from vivavoce.interview.candidate import NoAnswer, Reply

LONGEST_OPTION: Final = 2_000
"""Characters."""
NO_OPTIONS: Final = "no options"
TOO_MANY: Final = f"more than {MOST_OPTIONS} options"
OUT_OF_ORDER: Final = "options are not in order"
NO_STEM: Final = "no question before the options"
EMPTY_OPTION: Final = "an option is empty"
ALIKE: Final = "two options are alike"
NO_KEY: Final = "no key"
TWO_KEYS: Final = "two different keys"
TWO_QUESTIONS: Final = "more than one question"

_STRICT_KEY = re.compile(r"Correct: [A-J](?:, [A-J]){0,9}")
_OPTION = re.compile(
    r"[ \t>#]{0,8}(?:[-*•+][ \t]{1,4})?(?P<bold>[*_]{0,3})[(\[]?(?P<label>[A-Za-z]|\d{1,2})[)\].:]"
    r"[*_]{0,3}(?:[ \t]{1,8}(?P<text>.*))?"
)
_QUESTION = re.compile(
    r"[ \t>#*_-]{0,8}(?:the |multiple[- ]choice )?question(?:[ \t]{1,2}(?:no\.? ?)?\d{1,3})?"
    r"(?:[*_]{0,3}[ \t]?:[*_]{0,3}(?P<text>.*)|[*_ \t]{0,4})",
    re.IGNORECASE,
)
_KEY = re.compile(
    r"[ \t>#*_-]{0,8}(?:the )?(?:(?:correct|right|true)[ \t](?:answers?|options?|choices?|ones?|letters?)(?:[ \t]{1,2}key)?"
    r"|answers?(?:[ \t]key)?|key|correct|solutions?)(?:[ \t]?\(s\))?"
    r"(?:[*_]{0,3}[ \t]?(?::|=|\b(?:is|are)\b)[*_]{0,3}(?P<said>.*)|[*_ \t]{0,4})",
    re.IGNORECASE,
)
_MARK = re.compile(r"(?:[ \t]{1,4}[(\[]correct(?: answer)?[)\]]|[ \t]{0,4}[✓✔✅]\ufe0f?)[*_]{0,3}$", re.IGNORECASE)
_HEADING: Final = frozenset(("options", "options:", "choices:", "answer choices:", "answer options:", "possible answers:"))


@dataclass(frozen=True, slots=True)
class Written:
    """What a writer's reply holds."""

    question: MultipleChoice | None
    """Options in the writer's order; None where the reply holds no question that can be put."""
    manner: Manner
    problem: str = ""


def read_question(answer: Reply | NoAnswer, options: int) -> Written:
    """The question with its key in a writer's reply.

    Strict is the form that was asked for and nothing else: `Question: ...`, then as many lines `A) ...` as options are wanted,
    then `Correct: A, C`. Lenient: options as `A.`, `(A)`, `a)`, `1.`, in bold or in a list; words before and behind; another
    number of options from 2 to 10; the key as `Correct Answers: [A, C]` and the like, or as marks behind options (`(correct)`),
    which are taken off. All options may be right. Not taken are questions without a stem, with options that are empty or alike,
    without a key, with one that names other options, with two different ones, and replies with several questions.

    Parameters
    ----------
    options: how many were asked for.

    >>> found = read_question(Reply("Question: What is a tree?\\nA) A graph\\nB) A path\\nCorrect: A"), 2)
    >>> found.manner, found.question.options, found.question.key
    ('strict', ('A graph', 'A path'), frozenset({0}))
    >>> read_question(Reply("Question: What is a tree?\\nA) A graph\\nB) A path\\nCorrect: C"), 2).problem
    'the key names an option that there is not'
    """
    said = heard(answer)
    if said.problem:
        return Written(None, said.manner, said.problem)
    lines = said.text.replace("：", ":").splitlines()
    found = _Found()
    problem = found.read(lines) or found.problem()
    if problem:
        return Written(None, "unreadable", REFUSED if refuses(said.text) else problem)
    question = MultipleChoice(found.stem, tuple(found.options), found.key)
    return Written(question, "strict" if _is_as_asked_for(lines, question, options) else "lenient")


class _Found:
    """A question while it is read."""

    def __init__(self) -> None:
        self.stem = ""
        self.options: list[str] = []
        self.key: Choice = frozenset()

    def read(self, lines: Sequence[str]) -> str:
        """Take it from these lines; in a word what is in the way."""
        first = _first_option(lines)
        if first is None:
            return NO_OPTIONS
        labels = _alphabet(_label(lines[first]))
        marker, text = _marker(lines[:first])
        self.stem = _stem([text, *lines[marker + 1 : first]] if marker >= 0 else without_preamble(lines[:first]))
        number = first
        while number < len(lines) and not _is_key(lines[number]):
            option = _OPTION.fullmatch(lines[number])
            if option and option["label"] == labels[min(len(self.options), len(labels) - 1)]:
                self.options.append(_text(option))
            elif option and option["label"] in labels:
                return TWO_QUESTIONS if option["label"] == labels[0] else OUT_OF_ORDER
            elif lines[number].strip() and lines[number - 1].strip():
                self.options[-1] += f" {lines[number].strip()}"
            elif lines[number].strip():
                break
            number += 1
        marked = frozenset(place for place, option in enumerate(self.options) if _MARK.search(option))
        self.options = [unquoted(_MARK.sub("", option)) for option in self.options]
        if any(_QUESTION.fullmatch(line) for line in lines[number:]):
            return TWO_QUESTIONS
        return self._read_key(lines, number, labels, marked)

    def _read_key(self, lines: Sequence[str], start: int, labels: Sequence[str], marked: Choice) -> str:
        keys: set[Choice | str] = {marked} if marked else set()
        for number in range(start, len(lines)):
            if match := _KEY.fullmatch(lines[number]):
                statement = _in_capitals(statement_from(lines, number, match["said"] or ""), labels)
                keys.add(options_named(statement, self.options))
        if not keys:
            return NO_KEY
        if len(keys) > 1:
            return TWO_KEYS
        key = keys.pop()
        if isinstance(key, str):
            return f"the key {'names no option' if key == NONE_NAMED else key}"
        self.key = key
        return ""

    def problem(self) -> str:
        """Why it cannot be put; empty if it can."""
        alike = len({folded(option) for option in self.options}) < len(self.options)
        for wrong, name in (
            (not len(self.options) >= 2, NO_OPTIONS),
            (len(self.options) > MOST_OPTIONS, TOO_MANY),
            (not folded(self.stem), NO_STEM),
            (len(self.stem) > LONGEST_STEM or any(len(option) > LONGEST_OPTION for option in self.options), TOO_LONG),
            (not all(map(folded, self.options)), EMPTY_OPTION),
            (alike, ALIKE),
        ):
            if wrong:
                return name
        return ""


def _is_as_asked_for(lines: Sequence[str], question: MultipleChoice, options: int) -> bool:
    kept = [line for line in lines if line.strip()]
    body = [f"{letter}) {option}" for letter, option in zip(ascii_uppercase, question.options, strict=False)]
    return (
        len(question.options) == options
        and len(kept) > options + 1
        and kept[0].startswith("Question: ")
        and [line.strip() for line in kept[-options - 1 : -1]] == body
        and bool(_STRICT_KEY.fullmatch(kept[-1].strip()))
    )


def _first_option(lines: Sequence[str]) -> int | None:
    """Where the options begin: at a first label that a second one follows, with lines that belong to it between them."""
    for number, line in enumerate(lines):
        label = _label(line)
        if label in ("A", "a", "1"):
            second = _alphabet(label)[1]
            following = (_label(later) for later in lines[number + 1 : number + 20])
            if next((found for found in following if found in (label, second)), None) == second:
                return number
    return None


def _label(line: str) -> str:
    option = _OPTION.fullmatch(line)
    return option["label"] if option else ""


def _alphabet(first: str) -> Sequence[str]:
    if first.isdigit():
        return [str(number) for number in range(1, 100)]
    return ascii_uppercase if first.isupper() else ascii_uppercase.lower()


def _text(option: re.Match[str]) -> str:
    text = (option["text"] or "").strip()
    return text.removesuffix(option["bold"]).rstrip() if option["bold"] and text.count(option["bold"]) % 2 else text


def _marker(lines: Sequence[str]) -> tuple[int, str]:
    """The last line that says that here is the question, and what stands behind it; -1 where none does."""
    for number in range(len(lines) - 1, -1, -1):
        if match := _QUESTION.fullmatch(lines[number]):
            return number, match["text"] or ""
    return -1, ""


def _stem(lines: Sequence[str]) -> str:
    kept = [line.strip() for line in lines]
    while kept and kept[-1].strip("*_# ").lower() in ("", *_HEADING):
        kept.pop()
    stem = "\n".join(kept).strip()
    return unquoted(stem.removesuffix("**") if stem.count("**") % 2 else stem)


def _is_key(line: str) -> bool:
    return bool(_KEY.fullmatch(line))


def _in_capitals(statement: str, labels: Sequence[str]) -> str:
    """A key by numbers or small letters, in the letters that stand for them."""
    if labels[0] == "1":
        return re.sub(r"(?<![\w.])(\d{1,2})(?!\w)", lambda match: _letter(int(match[1])), statement)
    if labels[0] == "a":
        return re.sub(r"(?<![\w'’])[a-z](?=[).:\],;]|$)", lambda match: match[0].upper(), statement)
    return statement


def _letter(number: int) -> str:
    return ascii_uppercase[number - 1] if 1 <= number <= len(ascii_uppercase) else str(number)
