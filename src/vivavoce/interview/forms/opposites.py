"""Whether a reply speaks of the opposite of what was asked: of the smallest, where the largest is sought."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

_PAIRS: Final = (
    ("open(?:s|ed)?", "closed?|closes|shut"),
    ("includ(?:es?|ed|ing)", "exclud(?:es?|ed|ing)"),
    ("allow(?:s|ed)?|permit(?:s|ted)?", "forbid(?:s|den)?|prohibit(?:s|ed)?|bann?(?:s|ed)?"),
    ("imports?|imported", "exports?|exported"),
    ("maximum|largest|biggest|highest|greatest", "minimum|smallest|lowest"),
    ("longest|tallest", "shortest"),
    ("heaviest", "lightest"),
    ("fastest", "slowest"),
    ("oldest|earliest", "youngest|newest|latest"),
    ("cheapest|least expensive", "most expensive|dearest"),
    ("hottest|warmest", "coldest|coolest"),
    ("best", "worst"),
    ("increas(?:es?|ed|ing)", "decreas(?:es?|ed|ing)|reduc(?:es?|ed|ing)"),
    ("arriv(?:es?|ed|al)", "depart(?:s|ed|ure)?"),
    ("sender", "recipient"),
    ("buyers?|buys?", "sellers?|sells?"),
    ("ends?|ended|finish(?:es|ed)?|expires?", "starts?|started|begins?|began"),
    ("check-?in", "check-?out"),
    ("first", "last"),
    ("ceo", "cfo|coo|cto|cio|cmo"),
    ("cfo", "coo|cto|cio|cmo"),
    ("cto", "coo|cio|cmo"),
)
_OPPOSITES: Final = tuple(
    tuple(re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for words in pair) for sides in _PAIRS for pair in (sides, sides[::-1])
)
_CLAUSE = re.compile(r"[;!?\n]|[.,](?=\s)|\b(?:but|while|whereas)\b")


def says_opposite(text: str, spellings: Iterable[str], question: str) -> bool:
    """Whether a text gives an answer only in clauses about the opposite of what the question asks for.

    >>> question = "On which days is the shop closed?"
    >>> replies = ("It is open on Monday.", "It is closed on Monday, and open on Friday.", "Monday", "Open Monday")
    >>> [says_opposite(reply, ["Monday", "Open Monday"], question) for reply in replies]
    [True, False, False, False]
    """
    asked = _asked(question)
    if not asked:
        return False
    longest_first = sorted(filter(None, spellings), key=len, reverse=True)
    answer = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)", re.IGNORECASE)
    clauses = [answer.sub("", clause) for clause in _CLAUSE.split(text) if answer.search(clause)]
    return bool(clauses) and all(
        any(other.search(clause) and not own.search(clause) for own, other in asked) for clause in clauses
    )


@lru_cache(maxsize=256)
def _asked(question: str) -> list[tuple[re.Pattern[str], ...]]:
    """The pairs of which a question has the first word alone."""
    return [(own, other) for own, other in _OPPOSITES if own.search(question) and not other.search(question)]
