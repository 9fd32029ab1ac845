"""Parses the options of a question and its answers from files' formats, and finds the option that an answer names.

An answer may be the number of an option; the whole file shows whether numbers count from 0 or from 1.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, time, timedelta
from math import isinf
from pathlib import Path
from string import ascii_uppercase
from typing import Any, Final, NamedTuple

from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.literals import literal_of
from vivavoce.formats.numbers import bare, short
from vivavoce.interview.forms.plain import fold

_TEXT_KEYS: Final = ("text", "content", "choice", "option", "value", "answer")
_LABEL_KEYS: Final = ("label", "key", "letter", "id", "name")
_QUOTED: Final = re.compile(r"(?:np\.|numpy\.)?array\(|[\[({]\s*[bru]?['\"]")
_LETTERED: Final = re.compile(
    r"(?:\(\s*([A-Za-z]|\d{1,2})\s*[)\]]|\[([A-Za-z]|\d{1,2})\]|([A-Za-z]|\d{1,2})(?:[)\]]|[.:](?=\s)))\s*(\S.*)", re.DOTALL
)
"""A letter or a number that an option begins with, and its text."""
_DRESSED: Final = re.compile(
    r"(?:(?:the\s+)?(?:correct\s+)?(?:option|choice|answer)(?:\s+is)?\s*[:=]?\s*)?[(\[]*([A-Za-z]|\d{1,2})[)\].:]*",
    re.IGNORECASE,
)
_WITH_TEXT: Final = re.compile(
    r"(?:(?:option|choice|answer)\s*:?\s*)?[(\[]?([A-Za-z]|\d{1,2})(?:[)\].:]+|\s+[-–—]|\s*=)\s*(\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_WHOLE: Final = re.compile(r"\d{1,3}(?:\.0+)?")
_TRUE, _FALSE = ("true", "yes"), ("false", "no")
_YES: Final = frozenset(
    {"true", "t", "yes", "y", "correct", "right", "positive", "pro", "on", "ja", "wahr", "richtig", "oui", "vrai",
     "sí", "sì", "si", "vero", "verdadero", "sim", "verdadeiro", "да", "是", "对", "はい"}
)  # fmt: skip
_NO: Final = frozenset(
    {"false", "f", "no", "n", "incorrect", "wrong", "negative", "con", "contra", "off", "nein", "falsch", "non",
     "faux", "falso", "não", "нет", "否", "不是", "错", "いいえ"}
)  # fmt: skip
_DENIED: Final = re.compile(r"(?:not|non|no|un|in|im|il|ir|dis)[\s_-]?")
AS_TEXT: Final = "none"
"""The value of `?first=` if numbers are texts of options."""


class Options(NamedTuple):
    """The options of a question."""

    texts: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    """The file's labels of the options, if it has any."""


def text_of(value: Any) -> str:
    """A single value as a text. Raises `BadInput` for anything else.

    >>> text_of(True), text_of(0.1 + 0.2), text_of(' ="42" ')
    ('True', '0.3', '42')
    """
    if isinstance(value, str):
        return bare(value)
    if isinstance(value, float):
        if isinf(value):
            raise BadInput(f"{value} is not a finite number: write it in quotation marks if it is the answer")
        return short(value)
    if isinstance(value, date | time | timedelta):
        return value.isoformat() if isinstance(value, date | time) else str(value)
    if value is None or isinstance(value, Mapping | list | tuple):
        raise BadInput(f"{str(value)[:80]!r} is not a single value")
    return bare(value.decode(errors="replace") if isinstance(value, bytes) else str(value))


def values_of(value: Any, *, cell: bool, literal: bool = False, bare_list: bool = False) -> Any:
    """A list or dictionary, also if a text represents it; any other text becomes a list of one item.

    Parameters
    ----------
    cell: whether `|` separates several values.
    literal: whether an unquoted text in brackets is taken literally.
    bare_list: whether it is a list where it can be read as one, such as [0 1].

    Raises `BadInput` for a text that begins like a list and is not one, or might be one.
    """
    if not isinstance(value, str):
        if hasattr(value, "tolist"):
            value = value.tolist()
        return value if isinstance(value, Mapping) else list(value) if isinstance(value, list | tuple | set) else [value]
    text = bare(value)
    if text[:1] in "[({" or text.startswith(("array(", "np.array(", "numpy.array(")):
        result = _bracketed(text, literal=literal, bare_list=bare_list)
        if result is not None:
            return result
    return [bare(part) for part in text.split("|")] if cell and "|" in text else [text]


def _bracketed(text: str, *, literal: bool, bare_list: bool) -> Any:
    """The value of a text in brackets; None if it is plain text."""
    if not _QUOTED.match(text):
        if literal or not (text.startswith("[") and text.endswith("]")):
            return None
        try:
            result = literal_of(text)
        except BadInput:
            result = [] if "," in text else None
        if isinstance(result, list) and len(result) != 1 and not (bare_list and result):
            raise BadInput(
                f"{text[:40]!r} may be a list or a text: separate several values by '|', or give 'match' exact if it is one "
                "text"
            )
        return result
    try:
        return json.loads(text) if text[0] in "[{" else literal_of(text)
    except (ValueError, RecursionError):
        pass
    except BadInput:
        return None
    try:
        return literal_of(text)
    except BadInput as error:
        if text.startswith("["):
            raise BadInput(f"{text[:40]!r} begins like a list, but is {error}") from None
        return None


def options_of(value: Any) -> Options:
    """Options in any usual shape: a list, texts with their labels, or a cell that holds one of these.

    >>> options_of({"A": "Milan", "B": "Rome"})
    Options(texts=('Milan', 'Rome'), labels=('A', 'B'))
    >>> options_of("['Milan' 'Rome']"), options_of("A) Milan|B) Rome")
    (Options(texts=('Milan', 'Rome'), labels=()), Options(texts=('Milan', 'Rome'), labels=()))
    """
    if isinstance(value, str) and bare(value)[:1] == "[" and not _QUOTED.match(bare(value)):
        value = literal_of(bare(value))
    values = values_of(value, cell=True)
    if isinstance(values, Mapping):
        values = {str(name): entry.tolist() if hasattr(entry, "tolist") else entry for name, entry in values.items()}
        if {"text", "label"} <= set(values) and isinstance(values["text"], list) and isinstance(values["label"], list):
            if len(values["text"]) != len(values["label"]):
                raise BadInput(f"there are {len(values['text'])} options, but {len(values['label'])} labels")
            return Options(tuple(map(text_of, values["text"])), tuple(map(text_of, values["label"])))
        if isinstance(values.get("text"), list):
            return Options(tuple(map(text_of, values["text"])))
        there = {name: entry for name, entry in values.items() if entry is not None}
        return Options(tuple(map(text_of, there.values())), tuple(there))
    if values and all(isinstance(entry, Mapping) for entry in values):
        return _of_objects(values)
    texts = _filled(values)
    if len(texts) == 1 and "\n" in texts[0]:
        texts = [line.strip() for line in texts[0].splitlines() if line.strip()]
    return _unlettered(texts)


def _of_objects(objects: Sequence[Mapping[str, Any]]) -> Options:
    """Options that are objects with a text, and perhaps a label, each."""
    text = next((name for name in _TEXT_KEYS if all(name in entry for entry in objects)), "")
    if not text:
        raise BadInput(f"an option is {str(objects[0])[:80]!r}: give each a 'text', and a 'label' if it has one")
    label = next((name for name in _LABEL_KEYS if name != text and all(name in entry for entry in objects)), "")
    return Options(
        tuple(text_of(entry[text]) for entry in objects), tuple(text_of(entry[label]) for entry in objects) if label else ()
    )


def _filled(values: Sequence[Any]) -> list[str]:
    """Texts of options, without the empty ones behind the last; raises `BadInput` for an empty one before it."""
    texts = ["" if value is None else text_of(value) for value in values]
    while texts and not texts[-1]:
        texts.pop()
    if "" in texts:
        index = texts.index("") + 1
        raise BadInput(f"option {index} is empty, but a later one is not: fill it in, or write 'none'")
    return texts


def _unlettered(texts: Sequence[str]) -> Options:
    """Options without their own letters or numbers, if each begins with the one of its position. Raises `BadInput` for others.

    >>> _unlettered(["A)21", "B)42"]), _unlettered(["1. Milan", "2. Rome"])
    (Options(texts=('21', '42'), labels=()), Options(texts=('Milan', 'Rome'), labels=('1', '2')))
    """
    matches = [match for text in texts if (match := _LETTERED.fullmatch(text))]
    if len(texts) < 2 or len(matches) < len(texts):
        return Options(tuple(texts))
    marks = [(match[1] or match[2] or match[3]).upper() for match in matches]
    numbers = [str(number) for number in range(1, len(texts) + 1)]
    bare_texts = tuple(match[4].strip() for match in matches)
    if marks == list(ascii_uppercase[: len(texts)]):
        return Options(bare_texts)
    if marks == numbers:
        return Options(bare_texts, tuple(numbers))
    if sorted(marks) in (list(ascii_uppercase[: len(texts)]), sorted(numbers)):
        raise BadInput(f"the options begin with {', '.join(marks)[:80]}, out of order: leave these out, or put them in order")
    return Options(tuple(texts))


def letter_of(answer: Any, options: Options, *, first: str = "", columns: Sequence[str] = ()) -> str:
    """The letter of the option that an answer names: by letter or label, by its text, or by its number.

    Parameters
    ----------
    first: the number of the first option, if answers are numbers.
    columns: the names of the options' columns, if each option has its own.

    Raises `BadInput` for an answer that names none, or could name two.

    >>> capitals = Options(("Milan", "Rome"))
    >>> [letter_of(answer, capitals, first="0") for answer in ("b", "(B)", "B. Rome", "rome", 1)]
    ['B', 'B', 'B', 'B', 'B']
    """
    index = _place(answer, options, first, columns)
    if index is None:
        if options.labels:
            raise BadInput(f"is '{str(answer)[:80]}', which is not one of the labels {', '.join(options.labels)[:200]}")
        last = ascii_uppercase[: len(options.texts)][-1]
        raise BadInput(f"is '{str(answer)[:80]}', which is not an option: give a letter from A to {last}, or its text")
    return ascii_uppercase[index]


def _place(answer: Any, options: Options, first: str, columns: Sequence[str]) -> int | None:
    texts = [fold(text) for text in options.texts[: len(ascii_uppercase)]]
    if isinstance(answer, bool):
        words = _TRUE if answer else _FALSE
        return next((index for index, text in enumerate(texts) if text in words), None)
    output = text_of(answer)
    if first and not options.labels and _WHOLE.fullmatch(output):
        index = int(float(output)) - int(first)
        if not 0 <= index < len(texts):
            raise BadInput(f"is '{output}', which is not the number of an option from {first} on")
        return index
    labels = [label.casefold() for label in options.labels]
    if output.casefold() in labels:
        return labels.index(output.casefold())
    by_text = [index for index, text in enumerate(texts) if text == fold(output)]
    by_letter = ascii_uppercase.find(output.upper(), 0, len(texts)) if len(output) == 1 and not labels else -1
    if by_letter >= 0 and by_text and by_letter not in by_text:
        raise BadInput(
            f"is '{output}', which is both the letter of option {by_letter + 1} and the text of option {by_text[0] + 1}: write "
            f"a letter in brackets, such as '({output.upper()})'"
        )
    if by_text:
        return by_text[0]
    if by_letter >= 0:
        return by_letter
    names = [name.casefold() for name in columns[: len(texts)]]
    if output.casefold() in names:
        return names.index(output.casefold())
    return _dressed(output, texts, labels)


def _dressed(text: str, texts: Sequence[str], labels: Sequence[str]) -> int | None:
    """An option by its letter in brackets and the like, or by its letter and its text."""
    marks = labels or [letter.casefold() for letter in ascii_uppercase[: len(texts)]]
    match = _DRESSED.fullmatch(text)
    if match and match[1].casefold() in marks:
        return marks.index(match[1].casefold())
    match = _WITH_TEXT.fullmatch(text)
    if match and match[1].casefold() in marks:
        index = marks.index(match[1].casefold())
        return index if fold(match[2]) == texts[index] else None
    return None


def is_number_of_option(answer: Any, options: Options) -> bool:
    """Whether an answer can only be the number of an option: a whole number that is no option's text or label."""
    if isinstance(answer, bool) or not options.texts or options.labels:
        return False
    text = text_of(answer)
    return _WHOLE.fullmatch(text) is not None and fold(text) not in map(fold, options.texts)


def first_number(file: Path, named: Iterable[tuple[int, Mapping[str, Any]]], *, are_cells: bool) -> str:
    """The number of the first option, if answers can only be numbers of options; empty if they are not numbers.

    Raises `BadFile` if they may count from 0 or from 1, may be options' texts as well, or may say whether something is true.
    """
    numbers = _Numbers()
    for line, record in named:
        if "options" in record and "answer" in record:
            try:
                options = options_of(record["options"])
                answers = values_of(record["answer"], cell=are_cells, bare_list=True)
                if not isinstance(answers, Mapping) and marked(answers, options) is None:
                    for answer in answers:
                        numbers.see(line, answer, options)
            except BadInput:
                continue  # which is said where the row is read
    return numbers.first(file)


def marked(answers: Sequence[Any], options: Options) -> list[int] | None:
    """The options that a list of 0 and 1 marks as right; None if it is not such a list.

    Raises `BadInput` if it marks none or all of them.

    >>> capitals = Options(("Milan", "Oslo", "Rome"))
    >>> marked([0, 0, 1], capitals), marked([False, True, True], capitals), marked([0, 2], capitals)
    ([2], [1, 2], None)
    """
    if len(answers) < 2 or len(answers) != len(options.texts):
        return None
    if not all(isinstance(answer, bool | int | float | str) for answer in answers):
        return None
    texts = [text_of(answer) for answer in answers]
    marks = ["0" if text == "False" else "1" if text == "True" else text.partition(".0")[0] for text in texts]
    names = {fold(name) for name in (*options.texts, *options.labels)}
    if not set(marks) <= {"0", "1"} or names.issuperset(map(fold, texts)):
        return None
    if len(set(marks)) == 1:
        raise BadInput(f"is {', '.join(texts)[:80]}, which marks {'every' if marks[0] == '1' else 'no'} option as right")
    return [index for index, mark in enumerate(marks) if mark == "1"]


@dataclass(slots=True)
class _Numbers:
    """The possible meanings of the numbers among a file's answers."""

    lines: list[int] = field(default_factory=list)
    """Lines with numbers that can only be those of options."""
    truths: list[tuple[int, str, Options]] = field(default_factory=list)
    """Lines with 0 or 1 whose first option affirms and whose second one denies."""
    texts: list[tuple[int, str]] = field(default_factory=list)
    """Lines with a number that is also the text of another option."""
    from_zero: bool = False
    from_one: bool = False
    by_text: bool = False
    """Whether an answer can only be the text of an option."""

    def see(self, line: int, answer: Any, options: Options) -> None:
        """Add one answer of a row."""
        if isinstance(answer, bool) or not options.texts or options.labels:
            return
        text = text_of(answer)
        number = int(float(text)) if _WHOLE.fullmatch(text) else None
        if number is not None and is_number_of_option(answer, options):
            self.lines.append(line)
            if number < 2 and _affirms_first(options.texts):
                self.truths.append((line, text, options))
            else:
                self.from_zero = self.from_zero or number == 0
            self.from_one = self.from_one or number == len(options.texts)
            return
        texts = list(map(fold, options.texts))
        if number is None:
            self.by_text = self.by_text or (len(text) > 1 and fold(text) in texts)
        elif not _count_themselves(options.texts):
            index = texts.index(fold(text))
            if any(0 <= number - first < len(texts) and number - first != index for first in (0, 1)):
                self.texts.append((line, text))
            else:
                self.by_text = True

    def first(self, file: Path) -> str:
        """The number of the first option. Raises `BadFile`."""
        if self.truths and not (self.from_zero or self.from_one):
            line, text, options = self.truths[0]
            meant = options.texts[1 - int(float(text))][:40]
            raise BadFile(
                file,
                f"'answer' is {text}, which may mean '{meant}', or be the number of an option: write the option's text. "
                "For numbers, add ?first=0 or ?first=1 to the file: the number of the first option",
                line=line,
            )
        if self.lines and self.from_zero == self.from_one:
            problem = "'answer' is the number of an option, and it may be counted from 0 or from 1"
            raise BadFile(file, f"{problem}: write ?first=0 or ?first=1 after the file's name", line=self.lines[0])
        if self.texts and not self.lines and not self.by_text:
            line, text = self.texts[0]
            raise BadFile(
                file,
                f"'answer' is {text}, which is the text of one option and may be the number of another one. Add ?first=none "
                "to the file for the text, ?first=0 or ?first=1 for a number counted from there",
                line=line,
            )
        return "" if not self.lines else "0" if self.from_zero else "1"


def _affirms_first(texts: Sequence[str]) -> bool:
    """Whether the second option denies the first one, so that 1 may stand for the first."""
    if len(texts) < 2:
        return False
    first, second = fold(texts[0]), fold(texts[1])
    if first in _YES and second in _NO:
        return True
    before = second.removesuffix(first)
    return bool(first) and before != second and _DENIED.fullmatch(before) is not None


def _count_themselves(texts: Sequence[str]) -> bool:
    """Whether the options are the numbers 0, 1, 2 ... or 1, 2, 3 ..., so that number and text are the same."""
    return any(list(texts) == [str(number) for number in range(first, first + len(texts))] for first in (0, 1))
