"""Whether a reply speaks of the opposite of what was asked: of the smallest, where the largest is sought."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import combinations
from typing import Final

_PAIRS: Final = (
    ("open(?:s|ed)?", "closed?|closes|shut"),
    ("includ(?:es?|ed|ing)", "exclud(?:es?|ed|ing)"),
    ("allow(?:s|ed)?|permit(?:s|ted)?", "forbid(?:s|den)?|prohibit(?:s|ed)?|bann?(?:s|ed)?"),
    ("imports?|imported", "exports?|exported"),
    ("maximum|larg(?:er|est)|bigg(?:er|est)|high(?:er|est)|great(?:er|est)", "minimum|small(?:er|est)|low(?:er|est)"),
    ("long(?:er|est)|tall(?:er|est)", "short(?:er|est)"),
    ("heav(?:ier|iest)", "light(?:er|est)"),
    ("fast(?:er|est)", "slow(?:er|est)"),
    ("old(?:er|est)|earliest", "young(?:er|est)|newer|newest|latest"),
    ("cheap(?:er|est)|less expensive|least expensive", "mo(?:re|st) expensive|dearest"),
    ("hott(?:er|est)|warm(?:er|est)", "cold(?:er|est)|cool(?:er|est)"),
    ("better|best", "worse|worst"),
    ("increas(?:es?|ed|ing)", "decreas(?:es?|ed|ing)|reduc(?:es?|ed|ing)"),
    ("arriv(?:es?|ed|al)", "depart(?:s|ed|ure)?"),
    ("sender", "recipient"),
    ("buyers?|buys?|bought", "sellers?|sells?|sold"),
    ("ends?|ended|finish(?:es|ed)?|expires?", "starts?|started|begins?|began"),
    ("check-?in", "check-?out"),
    ("first", "last"),
    ("ceo", "cfo|coo|cto|cio|cmo"),
    ("cfo", "coo|cto|cio|cmo"),
    ("cto", "coo|cio|cmo"),
)
_LIFE: Final = ("born|birth\\w*", "die[sd]?|death|buried", "lived?|living|lives in", "moves? to|moved")
"""Events of a life, of which a question asks for one."""
_OPPOSITES: Final = tuple(
    tuple(re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for words in pair)
    for sides in (*_PAIRS, *combinations(_LIFE, 2))
    for pair in (sides, sides[::-1])
)
_CLAUSE = re.compile(r"[;!?\n]|[.,](?=\s)|\b(?:and|but|while|whereas)\b")
_MARK: Final = "\ue000"
"""Replaces the answer."""


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
    clauses = [clause for clause in _CLAUSE.split(answer.sub(_MARK, text)) if _MARK in clause]
    return bool(clauses) and all(
        any(other.search(clause) and not own.search(clause) for own, other in asked) for clause in clauses
    )


@lru_cache(maxsize=256)
def _asked(question: str) -> list[tuple[re.Pattern[str], ...]]:
    """The pairs of which a question has the first word alone."""
    return [(own, other) for own, other in _OPPOSITES if own.search(question) and not other.search(question)]
