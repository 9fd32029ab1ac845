"""Forms for texts that a model writes: explanations, messages, paraphrases, rewordings, several questions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from vivavoce.interview.forms import prose
from vivavoce.interview.forms.form import READ, ParsedReply, ReplyFormat, answered, closed, copied, unreadable
from vivavoce.interview.forms.spellings import folded, words_of

LONGEST_EXPLANATION: Final = 60_000
"""Most characters; every question on an explanation shows it again."""


def read_explanation(text: str) -> ParsedReply[str]:
    """Read a reply as an explanation: free text that counts as a whole, unless it is a refusal.

    It needs no form, since all words belong to it, and a cut-off text is still an explanation.

    >>> read_explanation("A graph is a set of vertices and a set of edges.").value
    'A graph is a set of vertices and a set of edges.'
    >>> read_explanation("I'm sorry, but I can't help with that.").problem
    'refused'
    """
    if len(text) > LONGEST_EXPLANATION:
        return unreadable(prose.TOO_LONG)
    return unreadable(prose.REFUSED) if prose.refuses(text) else answered(text, strict=True)


@dataclass(frozen=True, slots=True)
class Message:
    """Free text, word for word, including anything that looks like a form.

    It is always in words, and without a follow-up unless the user says so: every reply can be read, except a repetition of the
    instruction.

    >>> Message().read("[Answer] **42**").value
    '[Answer] **42**'
    """

    instruction: str = ""
    """How to reply; empty: nothing is added to the prompt."""
    told: str = ""
    """The prompt's words around the question: a reply that repeats them is a copy."""

    way: ClassVar[ReplyFormat] = "text"

    @property
    def further(self) -> str:
        return "Now reply with the message alone."

    @property
    def schema(self) -> Mapping[str, Any]:
        return closed({"message": {"type": "string", "minLength": 1}})

    @property
    def schema_instruction(self) -> str:
        return " ".join(filter(None, (self.instruction, 'Reply with a JSON object: "message" is the message.')))

    def read(self, text: str, /) -> ParsedReply[str]:
        """The whole reply, unless it is empty, or the instruction or a line of it."""
        text = text.strip()
        if not text:
            return unreadable("empty")
        if text in (self.instruction, *self.instruction.splitlines(), self.schema_instruction, self.further):
            return unreadable("the instruction, said back")
        return copied() if prose.is_copy(text, [self.told]) else answered(text, strict=True)

    def read_fields(self, fields: Mapping[str, Any], /) -> ParsedReply[str]:
        text = fields.get("message")
        return self.read(text) if isinstance(text, str) else unreadable("no message")

    def write(self, value: str, /) -> str:
        return value


LONGEST_PARAPHRASE: Final = 4_000
"""Most characters of a paraphrase."""
ASKED: Final = 600
"""Most characters under a schema."""
SHORTEST: Final = 1 / 3
"""Least share of the original's words: a shorter rewording leaves something out."""
STEM: Final = 5
"""Letters at the beginning of two words that make them forms of one: colour, colouring."""
REPEATS: Final = "repeats the original"
SEVERAL: Final = "several paraphrases"
UNMARKED: Final = "not in a form that can be distinguished from other words"
TOO_SHORT: Final = "too short for the question"
UNRELATED: Final = "has no word of the question in it"
NO_FIELD: Final = "not the field that was asked for"

_EMPTY: Final = frozenset(
    """
    a about above all also among an and answer answers any are as at be been being below best both but by can choice
    choices choose correct could describe describes did do does each either every false find following follows for
    from give given had happen happens has have having here how if in into is it its kind know known made make makes
    many matter may mean means might more most much must name nor not of on one only option options or other others
    out over question questions right said same say says select should so some statement statements such term than
    that the their them then there these they thing things this those to true two type under up use used was way were
    what when where whether which while who whose why will with within without would wrong you your
    """.split()  # noqa: SIM905 -- a list would fill a screen
)
"""Function words of sentences and examinations, without content on the subject."""

_REWORDED = re.compile(
    r"[ \t>*_#-]{0,8}(?:(?:paraphrase(?:d (?:question|version))?|reworded question|rephrased question|question)(?:\s\d{1,2})?"
    r"|(?:sure[,!.]?[ ]|certainly[,!.]?[ ])?here(?:'s|’s| is)[ ][^:\n]{0,60}(?:paraphras|reword|rephras)[^:\n]{0,60})"
    r"[*_]{0,3}\s?:[*_]{0,3}[ \t]{0,4}(?P<said>.*)",
    re.IGNORECASE,
)
_OPTION_LINE = re.compile(r"[ \t>*_-]{0,8}[(\[]?(?:[A-Ja-j]|\d{1,2})[)\].:][*_]{0,3}\s")


@dataclass(frozen=True, slots=True)
class Rewording:
    """A question in other words.

    The prompt asks for one line `Paraphrase: ...`. It also reads a reply of one paragraph, with or without a line such as "Here
    is a paraphrase:" before it. Repeated options below are left out. Only quotation marks around the whole are removed.

    It rejects the same words again, less than a third as many words, and a text that shares no number and no word about the
    subject with the original (forms of one word count as one). A checker decides whether the rest asks the same.

    >>> form = Rewording("What is a tree in graph theory?")
    >>> form.read("Paraphrase: What do graph theorists call a tree?").value
    'What do graph theorists call a tree?'
    >>> form.read("The question is about one matter.").problem, form.read("What is a tree in graph theory?").problem
    ('has no word of the question in it', 'repeats the original')
    """

    original: str

    way: ClassVar[ReplyFormat] = "schema"

    @property
    def instruction(self) -> str:
        return (
            'Reply with one line and nothing else: it begins with "Paraphrase:" and goes on with the whole question in other '
            "words."
        )

    @property
    def further(self) -> str:
        return "Give the question in other words alone, on one line, without its options and without an answer."

    @property
    def schema(self) -> Mapping[str, Any]:
        paraphrase = {"type": "string", "minLength": 1, "maxLength": ASKED}
        return closed({"paraphrase": paraphrase})

    @property
    def schema_instruction(self) -> str:
        return 'Reply as JSON: "paraphrase" is the whole question in other words, without its options and without an answer.'

    def write(self, value: str, /) -> str:
        return f"Paraphrase: {value}"

    def read(self, text: str, /) -> ParsedReply[str]:
        text = text[-READ:].strip()
        lines = text.splitlines()
        marked = [number for number, line in enumerate(lines) if _REWORDED.fullmatch(line)]
        values = {folded(words): words for number in marked if (words := _marked_paragraph(lines, number))}
        if len(values) > 1:
            values.pop(folded(self.original), None)  # the original said again, before its paraphrase
        if len(values) > 1:
            return unreadable(SEVERAL)
        if not marked and prose.refuses(text):
            return unreadable(prose.REFUSED)
        reworded = next(iter(values.values()), None) if marked else _only_paragraph(lines)
        strict = len(lines) == 1 and text == self.write(reworded or "")
        return self._checked(reworded, strict=strict) if reworded else unreadable(UNMARKED)

    def read_fields(self, fields: Mapping[str, Any], /) -> ParsedReply[str]:
        text = fields.get("paraphrase")
        if not isinstance(text, str) or not text.strip():
            return unreadable(NO_FIELD)
        reading = self.read(self.write(" ".join(text.split())))
        return answered(reading.value, strict=True) if reading.value is not None else reading

    def _checked(self, reworded: str, *, strict: bool) -> ParsedReply[str]:
        if len(reworded) > LONGEST_PARAPHRASE:
            return unreadable(prose.TOO_LONG)
        if f" {folded(self.original)} " in f" {folded(reworded)} ":
            return unreadable(REPEATS)
        if len(words_of(reworded)) < SHORTEST * len(words_of(self.original)):
            return unreadable(TOO_SHORT)
        kept = _of_subject(self.original)
        return answered(reworded, strict=strict) if not kept or kept & _of_subject(reworded) else unreadable(UNRELATED)


def _of_subject(text: str) -> set[str]:
    """The content words of a text on its subject, by their beginnings; numbers whole."""
    words = (word.removesuffix("'s") for word in words_of(text))
    return {word if any(map(str.isdigit, word)) else word[:STEM] for word in words if word not in _EMPTY}


def _marked_paragraph(lines: Sequence[str], number: int) -> str | None:
    """The text after a marker, to the end of its paragraph; None if it may continue in another one."""
    marker = _REWORDED.fullmatch(lines[number])
    kept = [marker["said"].strip()] if marker and marker["said"].strip(" *_") else []
    ended = False
    for line in lines[number + 1 :]:
        if _OPTION_LINE.match(line) or _is_heading(line) or _REWORDED.fullmatch(line):
            break
        if line.strip() and ended:
            return prose.unquoted(" ".join(kept)) if kept[-1].rstrip(' *_"”').endswith("?") else None
        if line.strip():
            kept.append(line.strip())
        ended = bool(kept) and not line.strip()
    return prose.unquoted(" ".join(kept))


def _only_paragraph(lines: Sequence[str]) -> str | None:
    """The only paragraph of a reply, without a preamble, and without options that are repeated below."""
    lines = prose.without_preamble(lines)
    end = next((number for number, line in enumerate(lines) if number and _OPTION_LINE.match(line)), len(lines))
    while end and (not lines[end - 1].strip() or _is_heading(lines[end - 1])):
        end -= 1
    kept = [line.strip() for line in lines[:end]]
    return prose.unquoted(" ".join(kept)) if kept and "" not in kept else None


def _is_heading(line: str) -> bool:
    return line.strip(" *_#:").lower() == "options"


READ_OF_REWORDINGS: Final = 200_000
"""Characters of a reply that are read: versions of long texts are long."""
UNFORMED: Final = "not in the form"
_VERSION = re.compile(r"^[ \t>*_`-]{0,6}\[(\d{1,3})\][.:*_`]{0,4}[ \t]{0,3}([^\n]*)$", re.MULTILINE)
"""A number without brackets may belong to the text itself, e.g. a paragraph of a judgment."""


@dataclass(frozen=True, slots=True)
class Rewordings:
    """This many versions of a text, with a schema by default.

    It reads the versions by their numbers, counted from 1; some may be missing. It does not judge them.

    >>> Rewordings(2).read("[1] She was jailed.\\n[2] She was imprisoned.").value
    {1: 'She was jailed.', 2: 'She was imprisoned.'}
    """

    number: int
    way: ReplyFormat = "schema"

    @property
    def instruction(self) -> str:
        return (
            "Reply with nothing but the versions, each on one line of its own that begins with its number in square brackets, "
            "counted from 1."
        )

    @property
    def further(self) -> str:
        return self.instruction

    @property
    def schema(self) -> Mapping[str, Any]:
        versions = {"type": "array", "items": {"type": "string"}, "minItems": self.number, "maxItems": self.number}
        return closed({"versions": versions})

    @property
    def schema_instruction(self) -> str:
        """The last paragraph of the prompt if the server enforces the schema."""
        return 'Reply in JSON: "versions", a list of the versions.'

    def write(self, value: Mapping[int, str], /) -> str:
        return "\n".join(f"[{number}] {version}" for number, version in value.items())

    def read(self, text: str, /) -> ParsedReply[Mapping[int, str]]:
        """The versions in a reply; of two with the same number, the first."""
        text = text[:READ_OF_REWORDINGS]
        values: dict[int, str] = {}
        for number, version in _VERSION.findall(text):
            values.setdefault(int(number), version.strip())
        if not values:
            return unreadable(prose.REFUSED if prose.begins_with_refusal(text) else UNFORMED)
        return answered(values, strict=True)

    def read_fields(self, fields: Mapping[str, Any], /) -> ParsedReply[Mapping[int, str]]:
        versions = fields.get("versions")
        if not isinstance(versions, list) or not all(isinstance(version, str) for version in versions) or not versions:
            return unreadable(UNFORMED)
        return answered({index: " ".join(version.split()) for index, version in enumerate(versions, start=1)}, strict=True)


LOOKED_AT: Final = 60_000
"""Characters of a reply that are read, from its beginning: at least all questions at their longest, twice."""
WRITTEN: Final = 500
"""Most characters of a question under the schema: a weak model never ends a text."""

_ASKED = re.compile(r"Question (\d{1,2}): ?(\S.*)")
_NUMBERED = re.compile(r"[ \t>*_#-]{0,8}(?:Q(?:uestion)?\s?)?(\d{1,2})[*_]{0,3}\s?[.):][*_]{0,3}[ \t]{0,8}(.*)", re.IGNORECASE)
_BULLET = re.compile(r"^[ \t>]{0,8}(?:(?:[-*•]|\d{1,2}[.):])[ \t]{1,4})?")


@dataclass(frozen=True, slots=True)
class SeveralQuestions:
    """Lines `Question 1: ...` and so on.

    It also reads this many or more questions that are numbered from 1, taking the first ones with the lines after them, and
    exactly this many lines that end in a question mark. It alters nothing within them, and rejects a question without a letter
    or digit.

    >>> form = SeveralQuestions(2, longest=100)
    >>> form.read("Sure!\\n1. Why?\\n2. How?").value
    ('Why?', 'How?')
    >>> form.read(form.instruction).problem
    'no 2 questions can be distinguished from other words'
    """

    number: int
    longest: int
    """Most characters of a question."""
    told: str = ""
    """The player's instructions: a question that repeats them is a copy."""

    way: ClassVar[ReplyFormat] = "schema"

    @property
    def instruction(self) -> str:
        """Its lines, with dots for the questions."""
        lines = "\n".join(f"Question {index}: ..." for index in range(1, self.number + 1))
        return f"Reply with {self._many('line')} in this form, and nothing else:\n{lines}"

    @property
    def further(self) -> str:
        if self.number == 1:
            return "Now write the question alone, on one line, with 1. before it."
        return f"Now write the {self.number} questions alone, one a line, each with its number before it."

    @property
    def schema(self) -> Mapping[str, Any]:
        questions = {
            "type": "array",
            "items": {"type": "string", "minLength": 1, "maxLength": min(WRITTEN, self.longest)},
            "minItems": self.number,
            "maxItems": self.number,
        }
        return closed({"questions": questions})

    @property
    def schema_instruction(self) -> str:
        return f'Reply with a JSON object: "questions" is a list of your {self._many("question")}.'

    def read(self, text: str, /) -> ParsedReply[tuple[str, ...]]:
        """The questions, if exactly this many can be found."""
        text = text[: max(LOOKED_AT, 2 * self.number * self.longest)]
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        asked = [match for line in lines if (match := _ASKED.fullmatch(line))]
        if len(asked) == len(lines) and [int(match[1]) for match in asked] == list(range(1, self.number + 1)):
            return self._fit([match[2].strip() for match in asked], strict=True)
        return self._fit(self._numbered(text.splitlines()) or self._question_marks(lines))

    def read_fields(self, fields: Mapping[str, Any], /) -> ParsedReply[tuple[str, ...]]:
        """The list, if it has exactly this many texts."""
        results = fields.get("questions")
        texts = [name.strip() for name in results if isinstance(name, str)] if isinstance(results, list) else []
        return self._fit(texts if isinstance(results, list) and len(results) == self.number else None, strict=True)

    def write(self, value: tuple[str, ...], /) -> str:
        """The questions as lines."""
        return "\n".join(f"Question {index}: {text}" for index, text in enumerate(value, start=1))

    def _fit(self, texts: Sequence[str] | None, *, strict: bool = False) -> ParsedReply[tuple[str, ...]]:
        if texts is None or len(texts) != self.number or not all(any(map(str.isalnum, text)) for text in texts):
            return unreadable(f"no {self._many('question')} can be distinguished from other words")
        if any(len(text) > self.longest for text in texts):  # none is cut, since its end may be what it asks
            return unreadable(f"a question of more than {self.longest} characters")
        if any(prose.repeats(text, self.told) for text in texts):
            return copied()
        return answered(tuple(texts), strict=strict)

    def _many(self, noun: str) -> str:
        return f"{self.number} {noun}{'' if self.number == 1 else 's'}"

    def _numbered(self, lines: Sequence[str]) -> list[str] | None:
        """The first of at least this many questions that are numbered from 1; the last ends where a blank line follows."""
        result: list[list[str]] = []
        for line in lines:
            marked = _NUMBERED.fullmatch(line)
            if marked and int(marked[1]) == len(result) + 1:
                result.append([marked[2]])
            elif result:
                result[-1].append(line.strip())
        if len(result) == self.number:
            result[-1] = "\n".join(result[-1]).split("\n\n", 1)[0].split("\n")
        texts = ["\n".join(filter(None, parts)).strip(" *_\t") for parts in result[: self.number]]
        return texts if len(texts) == self.number and all(texts) else None

    def _question_marks(self, lines: Sequence[str]) -> list[str] | None:
        """Lines that end in question marks, if there are exactly this many."""
        asking = [_BULLET.sub("", line) for line in lines if line.rstrip("*_\"'”").endswith("?")]
        return asking if len(asking) == self.number else None
