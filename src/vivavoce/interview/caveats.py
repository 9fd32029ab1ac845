"""What a reader of any finding must know of how its candidate was asked, each in a sentence."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from vivavoce.formats.wording import count, percent


def left_out(name: str, settings: Iterable[str]) -> list[str]:
    """Settings that the candidate refuses."""
    return [f"{name} refuses the setting '{setting}': it was left out of all questions." for setting in settings]


def asked_again(name: str, questions: int) -> str:
    """Of a candidate elsewhere: what a run that ended first had put to it, or was about to put to it."""
    some = "1 question was" if questions == 1 else f"{count(questions)} questions were"
    return (
        f"{some} put to {name} again, since the program had ended before an answer came (they may not all have been sent): "
        "it is assumed that the candidate did not cause this."
    )


def orphans(name: str, questions: int) -> str:
    """Of a candidate on this machine: what a run that ended first had put to it."""
    some, each = ("1 question was", "it") if questions == 1 else (f"{count(questions)} questions were", "each")
    return (
        f"{some} put to {name} by a run that ended before an answer came, and not asked again, since the candidate may have "
        f"ended it: {each} counts as one without an answer."
    )


def early(answers: int) -> str:
    """Of an examination that is spread over hours."""
    some = "1 answer was" if answers == 1 else f"{answers} answers were"
    return f"{some} on record from before the moment that was drawn for the question: these were not spread over time."


REWORDED = "Some of these questions are on record in other words; they were asked again, in their current words."


MANY: Final = 0.1
"""A larger share of copies is said in the headline, too."""


def copies_in_words(copied: int, total: int) -> str:
    """A sentence for the headline where many replies are copies, else nothing.

    >>> copies_in_words(3, 10), copies_in_words(1, 10)
    ('3 of 10 replies (30%) only repeat what the prompt showed.', '')
    """
    if copied <= MANY * total:
        return ""
    return f"{count(copied)} of {count(total)} replies ({percent(copied / total)}) only repeat what the prompt showed."


def unread_caveats(*, total: int, copied: int = 0, cut_off: int = 0, after_turn: int = 0) -> tuple[str, ...]:
    """What a finding says about replies that could not be read, or not at once; nothing is judged from those unread.

    Parameters
    ----------
    total: replies in all.
    """
    found = (
        f"{copies_in_words(copied, total)} They are no answers: this candidate may not have understood what it was asked."
        if copied > MANY * total
        else "",
        f"{_replies(cut_off)} cut off at the limit on length, and not read: a larger ?max_tokens= behind the candidate's name "
        "lets them finish."
        if cut_off
        else "",
        f"{_replies(after_turn)} read only after a further turn that asked for the final answer alone." if after_turn else "",
    )
    return tuple(filter(None, found))


def _replies(number: int) -> str:
    return "1 reply was" if number == 1 else f"{count(number)} replies were"
