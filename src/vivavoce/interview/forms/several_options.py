"""One or several of lettered options: read strictly first, then in other forms that leave no doubt, or not at all.

A reply that gives two different answers gives none: the last one is no better than the first, unless it is said to be final.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice, pairwise
from string import ascii_uppercase
from typing import Any, Final

from vivavoce.interview.forms import ending
from vivavoce.interview.forms.form import READ, Outcome, Reading, Way, answered, unreadable
from vivavoce.interview.forms.options_named import (
    DOUBTFUL,
    NONE_NAMED,
    Choice,
    letters,
    options_alone,
    options_listed,
    options_named,
    statement_from,
)
from vivavoce.interview.forms.prose import REFUSED, refuses

SEVERAL: Final = "several answers"
UNKNOWN: Final = "does not know"
MOST_STATED: Final = 40
"""Statements of a reply; one with more says nothing."""
ENDS: Final = 20
"""Lines at either end of a reply on which an answer may stand alone."""

_IGNORANCE = re.compile(
    r"\b(?:i (?:do not|don't) know|i(?:'m| am) not sure|i have no idea|cannot be determined)\b", re.IGNORECASE
)
_ASKED_FOR = re.compile(r"Answer: (?P<said>[A-J](?:, ?[A-J]){0,9})")
_BEST = r"(?:correct|right|best|true|final|chosen|selected|my)\s{1,2}(?:answers?|options?|choices?|ones?|selections?|letters?)"
_STATES = re.compile(
    rf"(?<![\w'\"])(?P<final>final\s{{1,2}})?(?:{_BEST}|answers?|\\boxed(?=\{{))(?:\s?\(s\))?"
    r"(?P<between>[^\n.:=?!\"]{0,60}?)(?:[*_\"]{0,3}(?::|=)|\b(?:is|are)\b|\b(?:would|should|must) be\b|(?=\{))",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(?:not|never|no|neither|wrong|incorrect|false|choices|options available|format)\b|n't\b", re.IGNORECASE
)
_DENIED = re.compile(r"(?:\b(?:not|wrong|incorrect|false|other)|n't)\W{1,3}(?:an?\s|the\s)?$", re.IGNORECASE)
_HOLD = re.compile(
    r"(?:^|[.!?:\n]\s{0,4})(?:(?:so|thus|therefore|hence),?\s)?(?P<said>(?:both\s)?(?:options?|choices?|answers?|statements?)\s"
    r"[^\n.!?:]{1,60}?)\s(?:is|are)\s(?:both\s|all\s|the\s|thus\s){0,2}(?:correct|right|true)\b(?!\W{1,3}(?:not|but)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class SeveralOptions:
    """One or several of lettered options.

    Strict: the last line is `Answer: A, C`, and no other line of this form says otherwise. Lenient: what is stated as the
    answer (`**Correct answers:** [A, C]`, `the right options are A and C`, `Options A and C are correct`), a final answer
    before others; where nothing is stated, what stands alone on a line. Statements that differ leave none.

    >>> form = SeveralOptions(("a graph", "a tree", "a path"))
    >>> for said in ("Trees are graphs.\\nAnswer: A, B", "**Answer:** (A), (B)", "A graph is a set.", "Answer: A\\nAnswer: C"):
    ...     found = form.read(said)
    ...     print(found.outcome, found.problem or sorted(found.value), found.strict)
    answer [0, 1] True
    answer [0, 1] False
    unreadable no option named False
    unreadable several answers False
    """

    options: tuple[str, ...]
    """In the order in which they are put, at most ten."""

    @property
    def way(self) -> Way:
        return "turn"

    @property
    def instruction(self) -> str:
        """How to end the reply; it holds no letter that could be copied."""
        return (
            'One option is right, or several are. End your reply with a line that begins with "Answer:" and names the letters '
            "of all options that you choose, with commas between them."
        )

    @property
    def further(self) -> str:
        """Asks for the letters alone."""
        return "Give your final answer alone: the letters of all options that you choose, with commas between them."

    @property
    def schema(self) -> Mapping[str, Any]:
        """A list of letters, or "I don't know"."""
        named = {"type": "string", "enum": list(ascii_uppercase[: len(self.options)])}
        several = {"type": "array", "items": named, "minItems": 1, "maxItems": len(self.options)}
        return ending.answer_schema(several, {"type": "string", "enum": [ending.DONT_KNOW]})

    @property
    def schema_instruction(self) -> str:
        """What the field holds."""
        return 'One option is right, or several are. Reply as JSON: "answer" lists the letters of all options that you choose.'

    def write(self, value: Choice, /) -> str:
        """A choice in the form that is asked for."""
        return ending.written(letters(value))

    def read(self, text: str, /) -> Reading[Choice]:
        """Which options a reply in words chooses."""
        lines = text[-READ:].strip().replace("’", "'").splitlines()
        asked_for = [match["said"] for line in lines if (match := _ASKED_FOR.fullmatch(line.strip()))]
        if asked_for and _ASKED_FOR.fullmatch(lines[-1].strip()):
            return _reading([options_named(one, self.options) for one in dict.fromkeys(asked_for)], strict=True)
        said = _stated(lines, self.options) or _standing_alone(lines, self.options)
        return _reading(said, strict=False) if said else _why_none("\n".join(lines))

    def read_fields(self, fields: Mapping[str, Any], /) -> Reading[Choice]:
        """A list of letters; text is read as a statement that names options."""
        said = fields.get("answer")
        if isinstance(said, str):
            return Reading(Outcome.DONT_KNOW, problem=UNKNOWN) if _IGNORANCE.search(said[:2_000]) else self._named(said)
        if not isinstance(said, list) or not said or not all(isinstance(letter, str) for letter in said):
            return unreadable(NONE_NAMED)
        places = [ascii_uppercase.find(letter.strip()) for letter in said if len(letter.strip()) == 1]
        if len(places) == len(said) and all(0 <= place < len(self.options) for place in places):
            return answered(frozenset(places), strict=True)
        return self._named(", ".join(said))

    def _named(self, statement: str) -> Reading[Choice]:
        return _reading([options_named(statement, self.options)], strict=False)


def _reading(said: Sequence[Choice | str], *, strict: bool) -> Reading[Choice]:
    """What statements say together, in their order; one that leaves it open may be followed by one that does not."""
    if len(set(said) - {DOUBTFUL}) > 1:
        return unreadable(SEVERAL)
    last = said[-1]
    return unreadable(last) if isinstance(last, str) else answered(last, strict=strict)


def _stated(lines: Sequence[str], options: Sequence[str]) -> list[Choice | str]:
    """What is stated as the answer; what is stated as final, if anything is."""
    text = "\n".join(lines)
    marks = list(islice(_STATES.finditer(text), MOST_STATED + 1))
    if len(marks) > MOST_STATED:
        return [SEVERAL]
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    final, other = list[Choice | str](), list[Choice | str]()
    for mark, following in pairwise([*marks, None]):
        if mark is None or _DENIES.search(mark["between"]) or _DENIED.search(text[max(0, mark.start() - 20) : mark.start()]):
            continue
        number = bisect_right(starts, mark.end()) - 1
        end = min(starts[number + 1] - 1, following.start() if following else len(text))
        statement = (
            text[mark.end() : end] if end < starts[number + 1] - 1 else statement_from(lines, number, text[mark.end() : end])
        )
        if (named := options_named(statement, options)) != NONE_NAMED:
            (final if mark["final"] else other).append(named)
    if not final and not other:
        other = [options_named(match["said"], options) for match in islice(_HOLD.finditer(text), MOST_STATED)]
    return final or [named for named in other if named != NONE_NAMED]


def _standing_alone(lines: Sequence[str], options: Sequence[str]) -> list[Choice | str]:
    """What a reply of one line names, or one that is a list, or what stands on lines near its ends with nothing else."""
    said = [line for line in lines if line.strip()]
    if (names := options_listed(said, options)) is not None:
        return [names]
    near = said if len(said) <= 2 * ENDS else [*said[:ENDS], *said[-ENDS:]]
    alone = options_named if len(said) == 1 else options_alone
    return [named for line in near if isinstance(named := alone(line, options), frozenset)]


def _why_none(text: str) -> Reading[Choice]:
    if refuses(text):
        return unreadable(REFUSED)
    return Reading(Outcome.DONT_KNOW, problem=UNKNOWN) if _IGNORANCE.search(text[:2_000]) else unreadable(NONE_NAMED)
