"""What a finding says about replies that nobody could read: copies, replies that were cut off, and those read after a turn."""

from __future__ import annotations

from typing import Final

from vivavoce.formats.wording import count, percent

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
