"""A question in other words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from vivavoce.interview.forms.closed import closed
from vivavoce.interview.forms.folding import folded, words_of
from vivavoce.interview.forms.form import READ, Reading, Way, answered, unreadable
from vivavoce.interview.forms.prose import REFUSED, TOO_LONG, refuses, unquoted, without_preamble

LONGEST: Final = 4_000
"""Characters."""
ASKED: Final = 600
"""Characters that a schema allows."""
SHORTEST: Final = 1 / 3
"""Of the original's words: a shorter rewording leaves something out."""
STEM: Final = 5
"""Letters at the beginning of two words by which they are forms of one: colour, colouring."""
REPEATS: Final = "repeats the original"
SEVERAL: Final = "several paraphrases"
UNMARKED: Final = "not in a form that can be told from other words"
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
"""Words that hold a sentence or an examination together and say nothing of the subject."""

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

    Asked for is one line `Paraphrase: ...`. Also read is a reply of one paragraph, after a line such as "Here is a paraphrase:"
    perhaps; options that are repeated below are left out. Nothing within it is changed, but quotation marks around the whole
    are taken off.

    No paraphrase is: the same words again; less than a third as many words; and what has no word in common with the original,
    of those that say something of the subject, forms of one word counting as one, and no number. Whether the rest asks the same
    is for a checker to say.

    >>> form = Rewording("What is a tree in graph theory?")
    >>> form.read("Paraphrase: What do graph theorists call a tree?").value
    'What do graph theorists call a tree?'
    >>> form.read("The question is about one matter.").problem, form.read("What is a tree in graph theory?").problem
    ('has no word of the question in it', 'repeats the original')
    """

    original: str

    @property
    def way(self) -> Way:
        return "schema"

    @property
    def instruction(self) -> str:
        """One line."""
        return (
            'Reply with one line and nothing else: it begins with "Paraphrase:" and goes on with the whole question in other '
            "words."
        )

    @property
    def further(self) -> str:
        """Asks for the question alone."""
        return "Give the question in other words alone, on one line, without its options and without an answer."

    @property
    def schema(self) -> Mapping[str, Any]:
        """The question in other words."""
        paraphrase = {"type": "string", "minLength": 1, "maxLength": ASKED}
        return closed({"paraphrase": paraphrase})

    @property
    def schema_instruction(self) -> str:
        """What the field holds."""
        return 'Reply as JSON: "paraphrase" is the whole question in other words, without its options and without an answer.'

    def write(self, value: str, /) -> str:
        """A question in the form that is asked for."""
        return f"Paraphrase: {value}"

    def read(self, text: str, /) -> Reading[str]:
        """The question in a reply in words."""
        text = text[-READ:].strip()
        lines = text.splitlines()
        marked = [number for number, line in enumerate(lines) if _REWORDED.fullmatch(line)]
        found = {folded(words): words for number in marked if (words := _marked_paragraph(lines, number))}
        if len(found) > 1:
            found.pop(folded(self.original), None)  # the original said again, before its paraphrase
        if len(found) > 1:
            return unreadable(SEVERAL)
        if not marked and refuses(text):
            return unreadable(REFUSED)
        reworded = next(iter(found.values()), None) if marked else _only_paragraph(lines)
        strict = len(lines) == 1 and text == self.write(reworded or "")
        return self._checked(reworded, strict=strict) if reworded else unreadable(UNMARKED)

    def read_fields(self, fields: Mapping[str, Any], /) -> Reading[str]:
        """The question under the schema."""
        said = fields.get("paraphrase")
        if not isinstance(said, str) or not said.strip():
            return unreadable(NO_FIELD)
        reading = self.read(self.write(" ".join(said.split())))
        return answered(reading.value, strict=True) if reading.value is not None else reading

    def _checked(self, reworded: str, *, strict: bool) -> Reading[str]:
        if len(reworded) > LONGEST:
            return unreadable(TOO_LONG)
        if f" {folded(self.original)} " in f" {folded(reworded)} ":
            return unreadable(REPEATS)
        if len(words_of(reworded)) < SHORTEST * len(words_of(self.original)):
            return unreadable(TOO_SHORT)
        kept = _of_subject(self.original)
        return answered(reworded, strict=strict) if not kept or kept & _of_subject(reworded) else unreadable(UNRELATED)


def _of_subject(text: str) -> set[str]:
    """The words of a text that say something of its subject, each by its beginning; numbers whole."""
    words = (word.removesuffix("'s") for word in words_of(text))
    return {word if any(map(str.isdigit, word)) else word[:STEM] for word in words if word not in _EMPTY}


def _marked_paragraph(lines: Sequence[str], number: int) -> str | None:
    """What stands behind a marker, to the end of its paragraph; None where it may go on in another one."""
    marker = _REWORDED.fullmatch(lines[number])
    kept = [marker["said"].strip()] if marker and marker["said"].strip(" *_") else []
    ended = False
    for line in lines[number + 1 :]:
        if _OPTION_LINE.match(line) or _is_heading(line) or _REWORDED.fullmatch(line):
            break
        if line.strip() and ended:
            return unquoted(" ".join(kept)) if kept[-1].rstrip(' *_"”').endswith("?") else None
        if line.strip():
            kept.append(line.strip())
        ended = bool(kept) and not line.strip()
    return unquoted(" ".join(kept))


def _only_paragraph(lines: Sequence[str]) -> str | None:
    """The only paragraph of a reply, without a preamble, and without options that are repeated below."""
    lines = without_preamble(lines)
    end = next((number for number, line in enumerate(lines) if number and _OPTION_LINE.match(line)), len(lines))
    while end and (not lines[end - 1].strip() or _is_heading(lines[end - 1])):
        end -= 1
    kept = [line.strip() for line in lines[:end]]
    return unquoted(" ".join(kept)) if kept and "" not in kept else None


def _is_heading(line: str) -> bool:
    return line.strip(" *_#:").lower() == "options"
