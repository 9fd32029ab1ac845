"""Forms for judges: yes or no with a reason, points for an answer, and a single digit."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from vivavoce.interview.forms.ending import SEVERAL, Words
from vivavoce.interview.forms.form import READ, ParsedReply, ReplyFormat, answered, closed, unreadable
from vivavoce.interview.forms.plain import before_tokens
from vivavoce.interview.forms.spellings import alphanumeric

NO_VERDICT: Final = "no verdict"
LONGEST_REASON: Final = 500
"""Most characters of the reason under a schema."""
_LABEL = r"^[ \t>*_`#-]{0,8}\[?Reason\]?[*_`]{0,4}[ \t]{0,4}:?[*_` \t]{0,8}"
_REASON = re.compile(rf"{_LABEL}(.*)$", re.MULTILINE | re.IGNORECASE)
_REASON_LABEL = re.compile(_LABEL, re.MULTILINE | re.IGNORECASE)
_WORDS: Final = Words(("YES", "NO"))


@dataclass(frozen=True, slots=True)
class ReasonedDecision:
    """A checker's decision with its reason."""

    passed: bool
    """Whether it said yes."""
    reason: str = ""
    """In its own words; empty without a reason."""


@dataclass(frozen=True, slots=True)
class ReasonedYesNo:
    """Yes or no, after its reason. It uses a schema by default, since checkers are asked often, each question by itself.

    >>> ReasonedYesNo().read("Reason: The year differs.\\nAnswer: NO").value
    ReasonedDecision(passed=False, reason='The year differs.')
    >>> ReasonedYesNo().read_fields({"reason": "Both say so.", "verdict": "YES"}).value
    ReasonedDecision(passed=True, reason='Both say so.')
    """

    way: ReplyFormat = "schema"

    @property
    def instruction(self) -> str:
        return f'First give your reason in one sentence, on a line that begins with "Reason:". {_WORDS.instruction}'

    @property
    def further(self) -> str:
        return _WORDS.further

    @property
    def schema(self) -> Mapping[str, Any]:
        """The reason comes first, so that the verdict can rest on it."""
        return closed(
            {
                "reason": {"type": "string", "maxLength": LONGEST_REASON},
                "verdict": {"type": "string", "enum": list(_WORDS.words)},
            }
        )

    @property
    def schema_instruction(self) -> str:
        """The last paragraph of the prompt if the server enforces the schema."""
        return "Reply in JSON: your reason first, in one sentence, then the verdict, YES or NO."

    def write(self, value: ReasonedDecision, /) -> str:
        text = _WORDS.write("YES" if value.passed else "NO")
        return f"Reason: {value.reason}\n{text}" if value.reason else text

    def read(self, text: str, /) -> ParsedReply[ReasonedDecision]:
        """The verdict in a reply, with its last line of reasons."""
        lines = text[-READ:]
        reasons = _REASON.findall(lines)
        # a reason may begin with a yes or no of its own, about another matter, or go on to the verdict
        decided = _WORDS.read(_REASON.sub("", lines))
        if decided.value is None and decided.problem != SEVERAL:
            decided = _WORDS.read(_REASON_LABEL.sub("Because ", lines))
        if decided.value is None:
            return unreadable(decided.problem if decided.problem == SEVERAL else NO_VERDICT)
        reason = reasons[-1].strip() if reasons else ""
        return answered(ReasonedDecision(decided.value == "YES", reason), strict=decided.strict and bool(reasons))

    def read_fields(self, fields: Mapping[str, Any], /) -> ParsedReply[ReasonedDecision]:
        text, reason = fields.get("verdict"), fields.get("reason")
        word = text.strip().upper() if isinstance(text, str) else ""
        if word not in _WORDS.words:
            return unreadable(NO_VERDICT)
        return answered(ReasonedDecision(word == "YES", reason.strip() if isinstance(reason, str) else ""), strict=True)


MOST: Final = 10
"""Most points."""
REASON: Final = 1_000
"""Most characters of the reason under the schema."""
_SCORE = re.compile(r"score:\s{0,4}(\d{1,2}(?:\.\d{1,4})?)(?:\s{0,2}(?:/|out of)\s{0,2}10)?(?: points?)?\.?", re.IGNORECASE)
_UNACCEPTABLE = re.compile(r"unacceptable:\s{0,4}(yes|no)\b(?P<more>[.,;:!( \t–—-].*)?", re.IGNORECASE)
_TAKEN_BACK: Final = {
    "yes": re.compile(r"\b(?:no|not|or|but|maybe)\b", re.IGNORECASE),
    "no": re.compile(r"\b(?:yes|or|but|maybe)\b", re.IGNORECASE),
}
_EMPHASIS = re.compile(r"\*{1,3}|`|_{2,3}")


@dataclass(frozen=True, slots=True)
class JudgeScore:
    """One judgement of an answer by a judge."""

    points: float
    """From 0 to 10."""
    unacceptable: bool

    @property
    def score(self) -> float:
        """In [0, 1]: the points divided by ten."""
        return self.points / MOST


@dataclass(frozen=True, slots=True)
class Points:
    """Two last lines, `Score: ...` and `Unacceptable: yes or no`.

    Only the last two lines count, so a quotation before them decides nothing. They may be emphasised and give the points as
    "7/10" or "7 out of 10", and the last one may continue with a reason that does not contradict it.

    >>> form = Points()
    >>> form.read("It says 'Score: 10'.\\n**Score: 7.5**\\nUnacceptable: no").value
    JudgeScore(points=7.5, unacceptable=False)
    >>> [form.read(reply).value for reply in ("Score: 11\\nUnacceptable: no", "Score: 7", "Unacceptable: no\\nScore: 7")]
    [None, None, None]
    """

    way: ClassVar[ReplyFormat] = "turn"
    """With a follow-up, so that a judge may think first.

    Under the schema with a reason before the points, a model of .5 billion weights repeated its rules as the reason in 6 of
    12 cases. In words it kept the form 8 of 8 times, and a model of 1.5 billion 6 of 6 times.
    """

    @property
    def instruction(self) -> str:
        """Its lines, with dots for the points: dots are not copied as an answer, numbers are."""
        return "You may think first. End with two lines in this form:\nScore: ...\nUnacceptable: yes or no"

    @property
    def further(self) -> str:
        return (
            'Now give your judgement alone, on two lines: one that begins with "Score:" and goes on with the points, one that '
            'begins with "Unacceptable:" and goes on with yes or no.'
        )

    @property
    def schema(self) -> Mapping[str, Any]:
        """The reason first, so that the points can follow from it."""
        properties = {
            "reason": {"type": "string", "maxLength": REASON},
            "score": {"type": "number", "minimum": 0, "maximum": MOST},
            "unacceptable": {"type": "boolean"},
        }
        return closed(properties)

    @property
    def schema_instruction(self) -> str:
        return 'Reply with a JSON object: "reason" says briefly why, "score" is the points, "unacceptable" is true or false.'

    def read(self, text: str, /) -> ParsedReply[JudgeScore]:
        lines = [
            line for part in before_tokens(text[-READ:]).splitlines() if (line := _EMPHASIS.sub("", part).strip(" \t_#>-"))
        ]
        if len(lines) < 2 or not (score := _SCORE.fullmatch(lines[-2])) or not (match := _UNACCEPTABLE.fullmatch(lines[-1])):
            return unreadable("its last two lines are no points and no yes or no")
        word = match[1].lower()
        if _TAKEN_BACK[word].search(match["more"] or ""):
            return unreadable("not plainly yes or no")
        return _judged(float(score[1]), word == "yes")

    def read_fields(self, fields: Mapping[str, Any], /) -> ParsedReply[JudgeScore]:
        """The points and the yes or no; the reason is on record with the reply."""
        points, unacceptable = fields.get("score"), fields.get("unacceptable")
        if not isinstance(points, int | float) or isinstance(points, bool) or not isinstance(unacceptable, bool):
            return unreadable("no points, or no yes or no")
        return _judged(points, unacceptable)

    def write(self, value: JudgeScore, /) -> str:
        return f"Score: {value.points:.4f}\nUnacceptable: {'yes' if value.unacceptable else 'no'}"


def _judged(points: float, unacceptable: bool) -> ParsedReply[JudgeScore]:
    if not 0 <= points <= MOST:
        return unreadable(f"points that are not from 0 to {MOST}")
    return answered(JudgeScore(float(points), unacceptable), strict=True)


_AROUND: Final = " \t\r\n.,:;!?*_`\"'()[]{}#>$\\-"
_STATED = re.compile(
    r"\b(?:answer|prediction)\b[^\n.:=\d]{0,40}(?::|=|\bis\b)[ \t*_`\"'(\[]{0,6}(\d{1,3})(?![\w%]|[.,]\d|\sif\b)", re.I
)


@dataclass(frozen=True, slots=True)
class Digit:
    """A digit that stands for one of several things, each with its meaning.

    In words and without a follow-up: a caller reads the probabilities of the reply's first token, or the share of many
    replies, without unreadable ones. The reply is the digit with marks around it, or has it alone on its first or last line,
    or says "the answer is" it. Two different digits are not read.

    >>> form = Digit({"1": "it changes", "0": "it stays"})
    >>> [form.read(reply).value for reply in (" 0.", "Answer: 1", "1\\n\\nBecause of 2 things.", "10", "0 or 1", "no change")]
    ['0', '1', '1', None, None, None]
    """

    meanings: Mapping[str, str]
    """Meanings by digit."""

    way: ClassVar[ReplyFormat] = "text"

    @property
    def instruction(self) -> str:
        """All digits with their meanings. A reply that repeats it names several digits, so it is not read."""
        return f"Reply with a single digit and nothing else: {self._listed}."

    @property
    def further(self) -> str:
        return f"Now give the digit alone: {self._listed}."

    @property
    def schema(self) -> Mapping[str, Any]:
        """One of the digits, as a text."""
        return closed({"digit": {"type": "string", "enum": list(self.meanings)}})

    @property
    def schema_instruction(self) -> str:
        return f'Reply with a JSON object: "digit" is {self._listed}.'

    @property
    def _listed(self) -> str:
        return ", ".join(f"{digit} if {meaning}" for digit, meaning in self.meanings.items())

    def read(self, text: str, /) -> ParsedReply[str]:
        """The digit that decides, if there is one."""
        lines = [line for part in text[-READ:].splitlines() if (line := part.strip(_AROUND))]
        texts = {line for line in (lines[:1] + lines[-1:]) if line.isdecimal()} | set(_STATED.findall(text[-READ:]))
        if len(texts) != 1:
            return unreadable("several digits" if texts else "no digit can be distinguished from other words")
        digit = texts.pop()
        if digit not in self.meanings:
            return unreadable("another number")
        return answered(digit, strict=text.strip() == digit)

    def read_fields(self, fields: Mapping[str, Any], /) -> ParsedReply[str]:
        """The digit, as a text or a number."""
        digit = fields.get("digit")
        known = isinstance(digit, str | int) and not isinstance(digit, bool) and str(digit) in self.meanings
        return answered(str(digit), strict=True) if known else unreadable("none of the digits")

    def write(self, value: str, /) -> str:
        return value

    def of_token(self, token: str) -> str | None:
        """The digit of a token, ignoring blanks and marks around it; None for any other token.

        >>> [Digit({"1": "yes", "0": "no"}).of_token(token) for token in (" 1", "0.", "10", "one")]
        ['1', '0', None, None]
        """
        bare = alphanumeric(token)
        return bare if bare in self.meanings else None
