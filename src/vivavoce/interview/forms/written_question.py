"""Parses multiple-choice questions as models write them: stem, options and key.

Words of written questions: references to a text that readers do not see, and how alike two questions are.

"According to the passage" and "as described above" show that a question is not understandable alone; "as described by Newton's
second law" and "in the text of the treaty" are fine. The patterns match references to a text (passage, excerpt ...) as if it
were visible, and references upwards or backwards ("as stated above"). References downwards ("the following", "listed below")
stay within the question and are fine.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any, ClassVar, Final

from vivavoce.interview.forms.form import READ, ParsedReply, ReplyFormat, answered, closed, copied, unreadable
from vivavoce.interview.forms.prose import REFUSED, TOO_LONG, refuses, repeats, unquoted, without_preamble
from vivavoce.interview.forms.several_options import MOST_OPTIONS, NONE_NAMED, Choice, letters, options_named, statement_from
from vivavoce.interview.forms.spellings import folded, words_of

LONGEST_STEM: Final = 4_000
"""Most characters of a stem."""
LONGEST_OPTION: Final = 2_000
"""Most characters of an option."""
STEM_ASKED: Final = 600
"""Most characters under a schema: a small model fills whatever it is given."""
OPTION_ASKED: Final = 240
STEM: Final = "exam_question"
RIGHT: Final = "right_answers"
WRONG: Final = "wrong_answers"
FIELDS: Final = (STEM, RIGHT, WRONG)
"""Fields of the schema, which a weak model also uses as names of options."""
NO_OPTIONS: Final = "no options"
TOO_MANY: Final = f"more than {MOST_OPTIONS} options"
OUT_OF_ORDER: Final = "options are not in order"
NO_STEM: Final = "no question before the options"
EMPTY_OPTION: Final = "an option is empty"
ALIKE: Final = "two options are alike"
NO_KEY: Final = "no key"
NONE_WRONG: Final = "no option is wrong"
TWO_KEYS: Final = "two different keys"
TWO_QUESTIONS: Final = "more than one question"
NO_FIELDS: Final = "not the fields that were asked for"

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
_NEXT_IN_ROW = re.compile(r"[ \t,;]{1,4}(?=[B-J][).][ \t])")
_KEY_IN_ROW = re.compile(r"\b(?:correct|answers?)\b[^:]{0,20}:", re.IGNORECASE)
_ROW = re.compile(r"(?P<before>.{0,4000}?)(?:^|(?<=\s))(?P<row>A[).][ \t].*)")
_HEADING: Final = frozenset(("options", "options:", "choices:", "answer choices:", "answer options:", "possible answers:"))


@dataclass(frozen=True, slots=True)
class MultipleChoice:
    """A question with its key, with options in the order in which they are asked."""

    stem: str
    options: tuple[str, ...]
    key: Choice


@dataclass(frozen=True, slots=True)
class WrittenQuestion:
    """A question with options and key.

    In words, the strict form is exactly the requested one: `Question: ...`, then the requested number of lines `A) ...`, then
    `Correct: A, C`. The lenient reading also accepts options as `A.`, `(A)`, `a)`, `1.`, in bold, in a list, or in a row on one
    line; words before and after; another number of options from 2 to 10, or of right ones; the key as `Correct Answers: [A, C]`
    and the like, or as marks after options (`(correct)`), which are removed. It rejects a question without a stem, with empty
    or equal options, without a key, with a key that names other options, with two different keys, or with right options only.
    It also rejects a reply with several questions, and a stem or options that repeat the writer's instructions.

    The schema asks for right and wrong options separately, each in the requested number: a weak model that must mark its right
    options marks all of them, or the first. Only the words of the options decide their order. An option that occurs twice,
    both times right or both times wrong, is one option. One that is called right and wrong is left out.

    >>> form = WrittenQuestion(2, 1)
    >>> question = form.read("Question: What is a tree?\\nA) A graph\\nB) A path\\nCorrect: A")
    >>> question.strict, question.value.options, question.value.key
    (True, ('A graph', 'A path'), frozenset({0}))
    >>> form.read("Question: What is a tree?\\nA) A graph\\nB) A path\\nCorrect: C").problem
    'the key names an option that there is not'
    >>> form.read_fields({"exam_question": "What is a tree?", "right_answers": ["A graph"], "wrong_answers": ["A path"]}).strict
    True
    """

    options: int
    """Number of options, from 2 to 10."""
    right: int
    """Number of right options, fewer than all."""
    told: str = ""
    """The writer's instructions without the material: a text that repeats them is a copy."""

    way: ClassVar[ReplyFormat] = "schema"

    @property
    def instruction(self) -> str:
        """The requested lines, in words."""
        return (
            f'Reply with the question and nothing else: a line that begins with "Question:", then {self.options} options, a '
            f"line each, lettered from A) to {ascii_uppercase[self.options - 1]}), {self.right} of them right, and a last line "
            'that begins with "Correct:" and names the letters of all right options, with commas between them.'
        )

    @property
    def further(self) -> str:
        return f"Give the question alone. {self.instruction}"

    @property
    def schema(self) -> Mapping[str, Any]:
        """Stem, right options, wrong options."""
        wrong = self.options - self.right
        return closed(
            {
                STEM: {"type": "string", "minLength": 1, "maxLength": STEM_ASKED},
                RIGHT: _texts(self.right),
                WRONG: _texts(wrong),
            }
        )

    @property
    def schema_instruction(self) -> str:
        right, wrong = _options(self.right, "right"), _options(self.options - self.right, "wrong")
        return (
            'Reply as JSON: "exam_question" is the question without its options, one or two sentences; "right_answers" holds '
            f'{right}, and "wrong_answers" {wrong}. Each says something else.'
        )

    def write(self, value: MultipleChoice, /) -> str:
        options = (f"{letter}) {option}" for letter, option in zip(ascii_uppercase, value.options, strict=False))
        return "\n".join((f"Question: {value.stem}", *options, f"Correct: {letters(value.key)}"))

    def read(self, text: str, /) -> ParsedReply[MultipleChoice]:
        """The question in a reply in words, with options in the writer's order."""
        text = text[-READ:].strip()
        lines = text.replace("：", ":").splitlines()
        match = _QuestionMatch()
        if problem := match.read(_one_a_line(lines)):
            return unreadable(REFUSED if refuses(text) else problem)
        reading = self._checked(MultipleChoice(match.stem, tuple(match.options), match.key), strict=False)
        if reading.value is None:
            return unreadable(REFUSED) if refuses(text) else reading
        return answered(reading.value, strict=self._as_asked_for(lines, reading.value))

    def read_fields(self, fields: Mapping[str, Any], /) -> ParsedReply[MultipleChoice]:
        stem, right, wrong = (fields.get(name) for name in FIELDS)
        if not isinstance(stem, str) or not isinstance(right, list) or not isinstance(wrong, list):
            return unreadable(NO_FIELDS)
        if not all(isinstance(text, str) for text in (*right, *wrong)):
            return unreadable(NO_FIELDS)
        both = {folded(text) for text in right} & {folded(text) for text in wrong}
        sides = ((right, True), (wrong, False))
        held = [(text, is_right) for texts, is_right in sides for text in _different(texts) if folded(text) not in both]
        held.sort(key=lambda option: hashlib.sha256(option[0].encode("utf-8", "replace")).digest())
        key = frozenset(index for index, (_, is_right) in enumerate(held) if is_right)
        question = MultipleChoice(unquoted(stem), tuple(text for text, _ in held), key)
        return self._checked(question, strict=(len(held), len(key)) == (self.options, self.right))

    def _checked(self, question: MultipleChoice, *, strict: bool) -> ParsedReply[MultipleChoice]:
        """The question, if it can be asked."""
        if problem := _problem(question):
            return unreadable(problem)
        texts = (question.stem, *question.options)
        if any(text in FIELDS or repeats(text, self.told) for text in texts):
            return copied()
        return answered(question, strict=strict)

    def _as_asked_for(self, lines: Sequence[str], question: MultipleChoice) -> bool:
        kept = [line.strip() for line in lines if line.strip()]
        body = self.write(question).splitlines()[-self.options - 1 : -1]
        return (
            len(question.options) == self.options
            and len(kept) > self.options + 1
            and kept[0].startswith("Question: ")
            and kept[-self.options - 1 : -1] == body
            and bool(_STRICT_KEY.fullmatch(kept[-1]))
        )


def _texts(number: int) -> dict[str, Any]:
    text = {"type": "string", "minLength": 1, "maxLength": OPTION_ASKED}
    return {"type": "array", "items": text, "minItems": number, "maxItems": number}


def _options(number: int, which: str) -> str:
    return f"{number} option{'s that are' if number != 1 else ' that is'} {which}"


def _different(texts: Sequence[str]) -> list[str]:
    """The texts without repetitions."""
    return list({folded(text): unquoted(text) for text in reversed(texts)}.values())[::-1]


def _problem(question: MultipleChoice) -> str:
    """The reason why it can't be asked; empty if it can."""
    stem, options, key = question.stem, question.options, question.key
    for wrong, name in (
        (not len(options) >= 2, NO_OPTIONS),
        (len(options) > MOST_OPTIONS, TOO_MANY),
        (not any(map(str.isalnum, stem)), NO_STEM),
        (len(stem) > LONGEST_STEM or any(len(option) > LONGEST_OPTION for option in options), TOO_LONG),
        (not all(map(folded, options)), EMPTY_OPTION),
        (len({folded(option) for option in options}) < len(options), ALIKE),
        (not key, NO_KEY),
        (len(key) == len(options), NONE_WRONG),
    ):
        if wrong:
            return name
    return ""


class _QuestionMatch:
    """A question while it is being read."""

    def __init__(self) -> None:
        self.stem = ""
        self.options: list[str] = []
        self.key: Choice = frozenset()

    def read(self, lines: Sequence[str]) -> str:
        """Read it from these lines; returns the obstacle in a word."""
        first = _first_option(lines)
        if first is None:
            return NO_OPTIONS
        labels = _alphabet(_label(lines[first]))
        marker, text = _marker(lines[:first])
        self.stem = _stem([text, *lines[marker + 1 : first]] if marker >= 0 else without_preamble(lines[:first]))
        number = first
        while number < len(lines) and not _KEY.fullmatch(lines[number]):
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
        marked = frozenset(index for index, option in enumerate(self.options) if _MARK.search(option))
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


def _first_option(lines: Sequence[str]) -> int | None:
    """The place where the options begin: at a first label that a second one follows, with only its own lines between them."""
    for number, line in enumerate(lines):
        label = _label(line)
        if label in ("A", "a", "1"):
            second = _alphabet(label)[1]
            following = (_label(later) for later in lines[number + 1 : number + 20])
            if next((text for text in following if text in (label, second)), None) == second:
                return number
    return None


def _one_a_line(lines: Sequence[str]) -> Sequence[str]:
    """The lines, with options in one row, `A) 0 B) 1 C) 2`, on separate lines; a stem may end with such a row."""
    if any(_label(line) == "B" for line in lines):
        return lines
    rows = [(number, *row) for number, line in enumerate(lines) if (row := _row(line))]
    if not rows or len({tuple(options) for *_, options in rows}) > 1:
        return lines
    number, before, options = rows[-1]
    earlier = [next((stem for at, stem, _ in rows if at == index), line) for index, line in enumerate(lines[:number])]
    return [*earlier, before, *options, *lines[number + 1 :]]


def _row(line: str) -> tuple[str, list[str]] | None:
    """The text before a row of options, and the options, lettered from A without a gap; None if it is not such a row."""
    match = _ROW.fullmatch(line)
    options = _NEXT_IN_ROW.split(match["row"].rstrip()) if match else []
    in_order = [option[0] for option in options] == list(ascii_uppercase[: len(options)])
    if match is None or not in_order or len(options) < 2 or _KEY_IN_ROW.search(options[-1]):
        return None
    return match["before"].rstrip(), options


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
    """The last line that announces the question, and the text after it; -1 without such a line."""
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


def _in_capitals(statement: str, labels: Sequence[str]) -> str:
    """A key given by numbers or small letters, as capital letters."""
    if labels[0] == "1":
        return re.sub(r"(?<![\w.])(\d{1,2})(?!\w)", lambda match: _letter(int(match[1])), statement)
    if labels[0] == "a":
        return re.sub(r"(?<![\w'’])[a-z](?=[).:\],;]|$)", lambda match: match[0].upper(), statement)
    return statement


def _letter(number: int) -> str:
    return ascii_uppercase[number - 1] if 1 <= number <= len(ascii_uppercase) else str(number)


LOOKED_AT: Final = 20_000
"""Maximum number of characters of a question that are searched."""
ALIKE_AT: Final = 0.7
"""Two questions with the same right options and numbers are duplicates if they share this part of their word triples.

In a question with 12 words in its stem and 8 in each of 4 options, exchanging one word keeps 0.87 of the triples. Among all
3,791 pairs of MMLU-Pro questions of one subject with the same right option, the limit finds 87 that are not literally equal.
We read the 40 least similar of these, and all are copies of one question. Between 0.5 and 0.7, every second pair is.
"""

_MATERIAL: Final = (
    r"(?:explanations?|passages?|texts?|excerpts?|paragraphs?|descriptions?|readings?"
    r"|(?:reading|source|study|provided|given) materials?|(?:provided|given|supplied) (?:information|context|content)|handout)"
)
_GIVEN: Final = r"(?:(?:above|provided|given|preceding|previous|accompanying|earlier|original|supplied) )?"
_TOLD: Final = "described|explained|stated|mentioned|discussed|outlined|noted|presented"
_TELLS: Final = (
    "says?|states?|mentions?|describes?|explains?|notes?|highlights?|emphasi[sz]es?|suggests?|lists?|presents?|provides?|gives?"
    "|covers?|discusses|outlines|identifies|claims?|implies|refers?"
)
_AT_HAND: Final = r"(?! of (?!this |these )\w)(?! by \w)(?!['’]s)(?!-)"
"""Excludes texts that a question may be about: "the text of the treaty", "the explanation by Darwin"."""
_FACTS: Final = "(?:information|context|content|details|facts)"

_POINTERS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:according to|based (?:up)?on|as per|judging (?:by|from)|going by|drawing on) (?:the|this|that|our|your) "
        rf"{_GIVEN}{_MATERIAL}\b{_AT_HAND}",
        rf"\b(?:according to|based (?:up)?on) the {_FACTS}(?: (?:provided|given|stated|mentioned))?(?: above)?(?=[,?:]|$)",
        rf"\b(?:{_TOLD}|defined|given|listed|shown|provided|indicated) in (?:the|this|that) {_GIVEN}{_MATERIAL}\b{_AT_HAND}",
        rf"\bas (?:{_TOLD}|defined|given|listed|shown|indicated) (?:above|earlier|previously|before)\b",
        r"\b(?:was|were|is|are|been) (?:described|explained|mentioned|discussed|outlined) (?:above|earlier)\b",
        rf"(?:^|, ?|\()as (?:{_TOLD})(?=[,;?)]|$)",
        rf"\b(?:above|preceding|aforementioned|foregoing) {_MATERIAL}\b",
        rf"\b(?:the|this) {_GIVEN}{_MATERIAL} (?:(?:also|explicitly|specifically|clearly) )?(?:{_TELLS})\b",
        rf"\bin (?:this|the above|the given|the provided|the preceding) {_MATERIAL}\b{_AT_HAND}",
        rf"\bin the (?:passage|excerpt|explanation)\b{_AT_HAND}",
        rf"\bwhat (?:does|do|did) (?:the|this) {_GIVEN}{_MATERIAL} (?:say|state|mention|describe|explain|suggest|imply)\b",
        r"\bthe author(?:['’]s)? (?:of (?:the|this) (?:passage|text|excerpt|explanation)|states|says|argues|claims|mentions)\b",
    )
)


def pointing_words(text: str) -> str:
    """The first words of a text that refer to another text; empty if there are none.

    >>> pointing_words("Which of these holds, as stated in the explanation?")
    'stated in the explanation'
    """
    line = " ".join(text[:LOOKED_AT].split())
    matches = [match for pattern in _POINTERS if (match := pattern.search(line))]
    return min(matches, key=lambda match: match.start())[0].strip(" ,;:(") if matches else ""


def triples_of(texts: Iterable[str]) -> frozenset[tuple[str, ...]]:
    """All triples of consecutive words; the ends of a text count as words."""
    rows = (("", *words_of(text), "") for text in texts)
    return frozenset(row[index : index + 3] for row in rows for index in range(max(1, len(row) - 2)))
