"""What can become of a single reply, by name, as rows and findings count it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from vivavoce.interview.caveats import copies_in_words, unread_caveats
from vivavoce.interview.forms.figures import PROBLEMS
from vivavoce.interview.forms.form import Outcome, Reading
from vivavoce.interview.replies import EMPTY, FILTERED, NO_ANSWER, TIME_OUT

WAS_READ: Final = "read"
AFTER_TURN: Final = "read after a further turn"
COPIED: Final = Outcome.COPIED.value
CUT_OFF: Final = Outcome.CUT_OFF.value
DID_NOT_COME: Final = (TIME_OUT, NO_ANSWER)
OUTCOMES: Final = (WAS_READ, AFTER_TURN, COPIED, CUT_OFF, EMPTY, FILTERED, Outcome.DONT_KNOW.value, *PROBLEMS, *DID_NOT_COME)
"""Every way in which asking once can end, in the order in which they are told: read, the unreadable, and no reply at all."""


def outcome_of(reading: Reading[Any]) -> str:
    """The name of what became of a reply: one of `OUTCOMES`."""
    match reading.outcome:
        case Outcome.ANSWER:
            return AFTER_TURN if reading.after_turn else WAS_READ
        case Outcome.COPIED | Outcome.CUT_OFF | Outcome.DONT_KNOW:
            return reading.outcome.value
    return reading.problem


def came(replies: Mapping[str, int]) -> int:
    """Replies that came, whether or not they could be read."""
    return sum(number for outcome, number in replies.items() if outcome not in DID_NOT_COME)


def unread_caveats_of(replies: Mapping[str, int]) -> tuple[str, ...]:
    """What a finding says about replies that could not be read, or not at once, by how many had which outcome."""
    return unread_caveats(
        total=came(replies),
        copied=replies.get(COPIED, 0),
        cut_off=replies.get(CUT_OFF, 0),
        after_turn=replies.get(AFTER_TURN, 0),
    )


def copies_of(replies: Mapping[str, int]) -> str:
    """How many of them only repeat the prompt, in one sentence; empty where few do."""
    return copies_in_words(replies.get(COPIED, 0), came(replies))
