"""What became of single replies, as pages and terminals of several rooms say it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from vivavoce.formats.wording import clipped, count, percent

MOST_OUTCOMES: Final = 12
"""In a table."""
_NAMED: Final = 8
"""In a sentence."""


def replies(outcomes: Mapping[str, int]) -> list[tuple[str, str, str]]:
    """The outcome, how many replies, which share; those that were read first.

    >>> replies({"cut off": 1, "read": 3})
    [('read', '3', '75%'), ('cut off', '1', '25%')]
    """
    total = sum(outcomes.values())
    found = [(number, why) for why, number in outcomes.items() if number]
    ordered = sorted(found, key=lambda one: (not one[1].startswith("read"), -one[0]))
    rest = sum(number for number, _ in ordered[MOST_OUTCOMES:])
    told = [(clipped(why, 60), number) for number, why in ordered[:MOST_OUTCOMES]] + ([("other", rest)] if rest else [])
    return [(why, count(number), percent(number / total)) for why, number in told]


def unused(outcomes: Mapping[str, int]) -> str:
    """The outcomes of replies that could not be read, in a sentence; empty where there are none.

    >>> unused({"read": 3, "cut off": 1})
    'Replies that could not be used: cut off 1.'
    """
    left = [(why, number) for why, number in outcomes.items() if number and not why.startswith("read")]
    listed = ", ".join(f"{clipped(why, 40)} {count(number)}" for why, number in left[:_NAMED])
    return f"Replies that could not be used: {listed}." if listed else ""
