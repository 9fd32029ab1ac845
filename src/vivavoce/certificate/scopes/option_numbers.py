"""Answers that are numbers of options: from where they count, as the whole file shows it, and lists of 0 and 1."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from vivavoce.certificate.scopes.options import Options, is_number_of_option, options_of, text_of, values_of
from vivavoce.errors import BadFile, BadInput
from vivavoce.interview.forms.plain import fold

_WHOLE: Final = re.compile(r"\d{1,3}(?:\.0+)?")
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
"""What `?first=` says where numbers are texts of options and count nothing."""


def first_number(file: Path, named: Iterable[tuple[int, Mapping[str, Any]]], *, are_cells: bool) -> str:
    """The number of the first option, where answers can only be numbers of options; empty where they are none.

    Raises `BadFile` where they may count from 0 or from 1, may be options' texts as well, or may say whether something is true.
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
    """The places that a list of 0 and 1, one for each option, says are right; None where it is no such list.

    Raises `BadInput` where it marks none or all of them.

    >>> capitals = Options(("Milan", "Oslo", "Rome"))
    >>> marked([0, 0, 1], capitals), marked([False, True, True], capitals), marked([0, 2], capitals)
    ([2], [1, 2], None)
    """
    if len(answers) < 2 or len(answers) != len(options.texts):
        return None
    if not all(isinstance(answer, bool | int | float | str) for answer in answers):
        return None
    said = [text_of(answer) for answer in answers]
    marks = ["0" if text == "False" else "1" if text == "True" else text.partition(".0")[0] for text in said]
    names = {fold(name) for name in (*options.texts, *options.labels)}
    if not set(marks) <= {"0", "1"} or names.issuperset(map(fold, said)):
        return None
    if len(set(marks)) == 1:
        raise BadInput(f"is {', '.join(said)[:80]}, which marks {'every' if marks[0] == '1' else 'no'} option as right")
    return [place for place, mark in enumerate(marks) if mark == "1"]


@dataclass(slots=True)
class _Numbers:
    """What the numbers among a file's answers can mean."""

    lines: list[int] = field(default_factory=list)
    """With numbers that can only be those of options."""
    truths: list[tuple[int, str, Options]] = field(default_factory=list)
    """With 0 or 1 where the first option affirms and the second one denies."""
    texts: list[tuple[int, str]] = field(default_factory=list)
    """With the number of one option that is the text of another one."""
    from_zero: bool = False
    from_one: bool = False
    by_text: bool = False
    """Whether an answer can only be the text of an option."""

    def see(self, line: int, answer: Any, options: Options) -> None:
        """Take in one answer of a row."""
        if isinstance(answer, bool) or not options.texts or options.labels:
            return
        said = text_of(answer)
        number = int(float(said)) if _WHOLE.fullmatch(said) else None
        if number is not None and is_number_of_option(answer, options):
            self.lines.append(line)
            if number < 2 and _affirms_first(options.texts):
                self.truths.append((line, said, options))
            else:
                self.from_zero = self.from_zero or number == 0
            self.from_one = self.from_one or number == len(options.texts)
            return
        texts = list(map(fold, options.texts))
        if number is None:
            self.by_text = self.by_text or (len(said) > 1 and fold(said) in texts)
        elif not _count_themselves(options.texts):
            place = texts.index(fold(said))
            if any(0 <= number - first < len(texts) and number - first != place for first in (0, 1)):
                self.texts.append((line, said))
            else:
                self.by_text = True

    def first(self, file: Path) -> str:
        """The number of the first option. Raises `BadFile`."""
        if self.truths and not (self.from_zero or self.from_one):
            line, said, options = self.truths[0]
            meant = options.texts[1 - int(float(said))][:40]
            raise BadFile(
                file,
                f"'answer' is {said}, which may mean '{meant}', or be the number of an option: write the option's text, or "
                "?first=0 or ?first=1 behind the file if numbers count options from there",
                line=line,
            )
        if self.lines and self.from_zero == self.from_one:
            problem = "'answer' is the number of an option, and it may be counted from 0 or from 1"
            raise BadFile(file, f"{problem}: write ?first=0 or ?first=1 behind the file", line=self.lines[0])
        if self.texts and not self.lines and not self.by_text:
            line, said = self.texts[0]
            raise BadFile(
                file,
                f"'answer' is {said}, which is the text of one option and may be the number of another one: write ?first=none "
                "behind the file if it is the text, ?first=0 or ?first=1 if it is the number, counted from there",
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
