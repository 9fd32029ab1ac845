"""What filters take out of a reply, and whether it is exactly a target: `exact_match` of lm-evaluation-harness.

Departures: white space around the reply is left out, and so are thoughts that are marked as such. Patterns run in linear
time. Of several targets one is enough; the harness's own releases differ in that.
"""

from __future__ import annotations

import re
import string
from typing import Annotated, Final, Literal

from pydantic import Field

from vivavoce.formats.linear_regex import linear
from vivavoce.scopes.rules.rule import RuleResult, RuleSettings

_PLAIN: Final = r"(?:[^\\()|*+?{}\[\]^$]|\\[^\w])+"
_LOOKING: Final = re.compile(
    rf"(?P<start>\^?)(?:\(\?<=(?P<before>{_PLAIN})\))?(?P<group>\((?!\?)(?:[^\\()]|\\.)*\))(?:\(\?=(?P<behind>(?:[^\\()]|\\.)+)\))?"
)
"""One group, with what must stand before it and behind it without being part of a match."""
INVALID: Final = "[invalid]"
"""What a filter gives where its pattern fits nowhere."""


class RegexFilter(RuleSettings):
    """One match of a pattern, or of its first group that is not empty."""

    function: Literal["regex"] = "regex"
    regex_pattern: str = r"#### (\-?[0-9\.\,]+)"
    group_select: int = Field(default=0, ge=-1000, le=1000)
    """Which of the matches, as Python counts."""
    fallback: str = INVALID

    @property
    def pattern(self) -> str:
        r"""The pattern, without looking around where the first match of its only group is the same without.

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
    """One that takes no settings."""

    function: Literal["lowercase", "uppercase", "remove_whitespace", "take_first"]

    def apply(self, text: str) -> str:
        """The text after it: `remove_whitespace` takes off one space in front, and there is one reply to take the first of."""
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
    """What a text stands for."""

    function: Literal["map"] = "map"
    mapping_dict: dict[str, str]
    default_value: str = ""

    def apply(self, text: str) -> str:
        """What it stands for."""
        return self.mapping_dict.get(text, self.default_value)


Filter = Annotated[RegexFilter | SimpleFilter | MapFilter, Field(discriminator="function")]


class Extraction(RuleSettings):
    """What a reply must say exactly, when it is cut and filtered.

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
        """What is right, in a few words."""
        return " or ".join(self.targets)

    def judged(self, reply: str, /) -> RuleResult:
        """1 where it is exactly a target, else 0."""
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
