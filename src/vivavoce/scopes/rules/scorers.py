r"""Scorers of Inspect that need no model, on a whole reply: `includes`, `match`, `exact`, `answer`, `pattern`.

Departures: white space around the reply and marked thoughts are left out. Patterns run in linear time. `match` with `numeric`
reads numbers in ASCII only: no Chinese numerals, and no fractions or superscripts as single characters.

Extracts an answer from a reply by filters, and compares it with the targets: `exact_match` of lm-evaluation-harness.

Departures: white space around the reply and marked thoughts are left out. Patterns run in linear time. One of several targets
is enough; releases of the harness differ in that.

The interface of rules for whole replies, and their result for a reply.
"""

from __future__ import annotations

import math
import re
import string
from dataclasses import dataclass, field
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from vivavoce.errors import BadInput
from vivavoce.formats.linear_regex import linear
from vivavoce.interview.record import canonical_json


class RuleSettings(BaseModel):
    """Settings of a rule, written in a question as JSON."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def check(self) -> None:
        """Raises `BadInput` for settings by which no reply can be scored, and `MissingExtra`."""

    @property
    def text(self) -> str:
        """The rule as JSON; equal rules have equal texts."""
        return canonical_json(self.model_dump(mode="json", exclude_none=True))


@dataclass(frozen=True, slots=True)
class RuleResult:
    """A reply's score by a rule."""

    score: float
    """In [0, 1]."""
    read_as: str = ""
    """The part that was extracted from it; empty if all of it counts."""
    is_undecided: bool = field(default=False, repr=False)
    """Whether it takes too many steps to check, so that it may earn anything from its score to 1."""


Location = Literal["begin", "end", "any", "exact"]
_MARKED: Final = re.compile(r"answer\s*:\s*", re.IGNORECASE)
_ESCAPED: Final = re.compile(r"\\([$,£€*_])")
_SIGNS: Final = re.compile(r"[$,£€*_]")
_FULL_STOP: Final = re.compile(r"\.(?=\s|$|\D)")
_AROUND: Final = "!?:;()[]{}'\"`"
_ARTICLES: Final = re.compile(r"\b(?:a|an|the)\b")


class Scorer(RuleSettings):
    """Requires an answer by a scorer of Inspect.

    >>> rule = Scorer(scorer="match", targets=("1,234",), numeric=True)
    >>> [rule.judged(reply).score for reply in ("It is $1234.", "1234 or 5", "12345")]
    [1.0, 0.0, 0.0]
    >>> Scorer(scorer="answer", targets=("B",), answer="letter").judged("ANSWER: A\\nNo. ANSWER: b")
    RuleResult(score=1.0, read_as='b')
    """

    kind: Literal["scorer"] = "scorer"
    scorer: Literal["includes", "match", "exact", "answer", "pattern"]
    targets: tuple[str, ...] = Field(min_length=1)
    ignore_case: bool = True
    location: Location = "end"
    """The place where `match` looks for the target."""
    numeric: bool = False
    """Whether `match` compares numbers."""
    answer: Literal["letter", "word", "line"] = "line"
    """The part that `answer` extracts."""
    pattern: str = ""
    """The pattern of `pattern`."""
    match_all: bool = False
    """For `pattern`: whether all of its groups must be a target."""

    def check(self) -> None:
        """Raises `BadInput` for an empty target, and for a pattern that cannot be run in linear time."""
        if not all(map(str.strip, self.targets)):
            raise BadInput("a target is empty: write the answer that the reply must have")
        if self.scorer == "pattern":
            linear(self.pattern, "python", ignore_case=self.ignore_case)

    @property
    def wanted(self) -> str:
        """The required answer, in a few words."""
        return " or ".join(self.targets)

    def judged(self, reply: str, /) -> RuleResult:
        """1 if a target is met, else 0."""
        match self.scorer:
            case "answer":
                text = _marked(reply, self.answer)
                return self._met([text] if text is not None else [])
            case "pattern":
                search = linear(self.pattern, "python", ignore_case=self.ignore_case).search(reply)
                return self._met(_groups(search), all_of_them=self.match_all)
            case "includes":
                met = any(self._folded(target) in self._folded(reply) for target in self.targets)
            case "exact":
                message = normalized(reply)
                met = any(message == wanted for wanted in map(normalized, self.targets) if wanted)
            case "match":
                met = any(self._matches(reply, target) for target in self.targets)
        return RuleResult(float(met))

    def _folded(self, text: str) -> str:
        return text.casefold() if self.ignore_case else text

    def _met(self, texts: list[str], *, all_of_them: bool = False) -> RuleResult:
        lower = self.ignore_case or self.scorer == "answer"
        wanted = {target.lower() if lower else target for target in self.targets}
        met = [name for name in texts if (name.lower() if lower else name) in wanted]
        ok = bool(met) and (len(met) == len(texts) or not all_of_them)
        return RuleResult(float(ok and (all_of_them or bool(met[0]))), met[0] if met else texts[0] if texts else "")

    def _matches(self, reply: str, target: str) -> bool:
        text, wanted = self._folded(reply.strip()), self._folded(target.strip())
        if self.numeric:
            wanted = _bare(wanted)
            if _number(wanted) is not None:
                return _numbers_match(_bare(text), wanted, self.location)
        around = string.whitespace + string.punctuation
        text, wanted = text.strip(around), wanted.strip(around)
        match self.location:
            case "begin":
                return text.startswith(wanted)
            case "end":
                return text.endswith(wanted)
            case "exact":
                return text == wanted
            case "any":
                return wanted in text


def normalized(text: str) -> str:
    """A text without case, punctuation and articles, and with numbers in one notation.

    >>> normalized("The answer: 3.0!"), normalized("a well-known  Fact")
    ('answer 3.0', 'well known fact')
    """
    return " ".join(filter(None, map(_token, re.split("[ -]", text))))


def _token(text: str) -> str:
    folded = text.casefold()
    bare = folded.strip(string.whitespace + string.punctuation)
    for number in (folded, bare):
        if (value := _finite(number)) is not None:
            return str(value)
    kept = "".join(character for character in folded if character not in string.punctuation)
    if (value := _finite(kept)) is not None:
        return str(value)
    return " ".join(_ARTICLES.sub(" ", kept).split())


def _marked(reply: str, what: Literal["letter", "word", "line"]) -> str | None:
    """The text after the last "ANSWER:"; for lines, after the first one whose text is the reply's last line."""
    behind = [reply[mark.end() :] for mark in _MARKED.finditer(reply)]
    if what == "line":
        return next((line for line in map(str.strip, behind) if line and "\n" not in line), None)
    if not behind:
        return None
    if what == "letter":
        match = re.match(r"([A-Za-z])(?!\w)", behind[-1])
        return match[1] if match else None
    word = behind[-1].split("\n", 1)[0].strip()
    if not word or any(character.isspace() for character in word):
        return None
    return word[:-1] if len(word) > 1 and word[-1] in ".,:;!?" else word


def _groups(value: object) -> list[str]:
    if value is None:
        return []
    match: re.Match[str] = value  # type: ignore[assignment]
    return [group for group in match.groups() or (match.group(0),) if isinstance(group, str)]


def _bare(text: str) -> str:
    """A text without currency signs, thousands separators and emphasis, and without final full stops."""
    return _FULL_STOP.sub("", _SIGNS.sub("", _ESCAPED.sub(r"\1", text)))


def _finite(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _number(text: str) -> float | None:
    return _finite(text.strip(_AROUND))


def _same_number(first: float | None, second: float | None) -> bool:
    return first is not None and second is not None and format(first, ".5g") == format(second, ".5g")


def _numbers_match(text: str, wanted: str, location: Location) -> bool:
    value = _number(wanted)
    if location == "exact":
        return _same_number(_finite(text), value)
    numbers = [number for word in text.split() if (number := _number(word)) is not None]
    if location == "any":
        return any(_same_number(number, value) for number in numbers)
    return bool(numbers) and _same_number(numbers[0 if location == "begin" else -1], value)


_PLAIN: Final = r"(?:[^\\()|*+?{}\[\]^$]|\\[^\w])+"
_LOOKING: Final = re.compile(
    rf"(?P<start>\^?)(?:\(\?<=(?P<before>{_PLAIN})\))?(?P<group>\((?!\?)(?:[^\\()]|\\.)*\))(?:\(\?=(?P<behind>(?:[^\\()]|\\.)+)\))?"
)
"""One group, with lookarounds before and after it that are not part of the match."""
INVALID: Final = "[invalid]"
"""The result of a filter whose pattern does not match."""


class RegexFilter(RuleSettings):
    """One match of a pattern, or its first group that is not empty."""

    function: Literal["regex"] = "regex"
    regex_pattern: str = r"#### (\-?[0-9\.\,]+)"
    group_select: int = Field(default=0, ge=-1000, le=1000)
    """Index of the match, as in Python."""
    fallback: str = INVALID

    @property
    def pattern(self) -> str:
        r"""The pattern, without lookarounds if the first match of its only group is the same without them.

        >>> RegexFilter(regex_pattern="(?<=the answer is )(.*)(?=.)").pattern
        'the answer is (.*)(?:.)'
        """
        match = _LOOKING.fullmatch(self.regex_pattern) if self.group_select == 0 else None
        if not match or not (match["before"] or match["behind"]):
            return self.regex_pattern
        behind = f"(?:{match['behind']})" if match["behind"] else ""
        return f"{match['start']}{match['before'] or ''}{match['group']}{behind}"

    def apply(self, text: str) -> str:
        """The match, without white space around it.

        >>> RegexFilter(regex_pattern="(-?[$0-9.,]{2,})|(-?[0-9]+)", group_select=-1).apply("3 and 4 make 7.")
        '7.'
        """
        result = linear(self.pattern, "python").findall(text)
        if not result:
            return self.fallback
        try:
            chosen = result[self.group_select]
        except IndexError:
            return self.fallback
        if isinstance(chosen, tuple):
            chosen = next((group for group in chosen if group), self.fallback)
        return str(chosen).strip()


class SimpleFilter(RuleSettings):
    """A filter without settings."""

    function: Literal["lowercase", "uppercase", "remove_whitespace", "take_first"]

    def apply(self, text: str) -> str:
        """The filtered text: `remove_whitespace` removes one space at the start; with one reply, the first is that reply."""
        match self.function:
            case "lowercase":
                return text.lower()
            case "uppercase":
                return text.upper()
            case "remove_whitespace":
                return text.removeprefix(" ")
            case "take_first":
                return text


class MapFilter(RuleSettings):
    """Replaces a text by its entry in a table."""

    function: Literal["map"] = "map"
    mapping_dict: dict[str, str]
    default_value: str = ""

    def apply(self, text: str) -> str:
        """The entry for this text."""
        return self.mapping_dict.get(text, self.default_value)


Filter = Annotated[RegexFilter | SimpleFilter | MapFilter, Field(discriminator="function")]


class Extraction(RuleSettings):
    """Requires an exact answer, after the reply is cut and filtered.

    >>> rule = Extraction(targets=("18",), filters=(RegexFilter(),), until=("Q:",), regexes_to_ignore=(",",))
    >>> rule.judged("9 * 2 = 18\\n#### 1,8 Q: more #### 5"), rule.wanted
    (RuleResult(score=1.0, read_as='1,8'), '18')
    """

    kind: Literal["extraction"] = "extraction"
    targets: tuple[str, ...] = Field(min_length=1)
    until: tuple[str, ...] = ()
    """The reply ends before the first of these."""
    filters: tuple[Filter, ...] = ()
    ignore_case: bool = False
    ignore_punctuation: bool = False
    ignore_numbers: bool = False
    regexes_to_ignore: tuple[str, ...] = ()

    def check(self) -> None:
        """Raises `BadInput` for a pattern that cannot be run in linear time."""
        for pattern in (
            *(regex_filter.pattern for regex_filter in self.filters if regex_filter.function == "regex"),
            *self.regexes_to_ignore,
        ):
            linear(pattern, "python")

    @property
    def wanted(self) -> str:
        """The required answer, in a few words."""
        return " or ".join(self.targets)

    def judged(self, reply: str, /) -> RuleResult:
        """1 if it is exactly a target, else 0."""
        text = reply
        for end in self.until:
            text = text.partition(end)[0] if end else text
        for entry in self.filters:
            text = entry.apply(text)
        compared = self._compared(text)
        return RuleResult(float(any(compared == self._compared(target) for target in self.targets)), text)

    def _compared(self, text: str) -> str:
        for pattern in self.regexes_to_ignore:
            text = linear(pattern, "python").sub("", text)
        if self.ignore_case:
            text = text.lower()
        left_out = (string.punctuation if self.ignore_punctuation else "") + (string.digits if self.ignore_numbers else "")
        return text.translate(str.maketrans("", "", left_out)) if left_out else text
