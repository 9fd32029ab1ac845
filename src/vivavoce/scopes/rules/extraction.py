"""Extracts an answer from a reply by filters, and compares it with the targets: `exact_match` of lm-evaluation-harness.

Departures: white space around the reply and marked thoughts are left out. Patterns run in linear time. One of several targets
is enough; releases of the harness differ in that.
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
