"""What of a reply can be read, and why nothing can be."""

from __future__ import annotations

from typing import Final

from vivavoce.interview.candidate import NoAnswer, Reply
from vivavoce.interview.thoughts import split_thoughts

TIME_OUT: Final = "time-out"
NO_ANSWER: Final = "no answer"
EMPTY: Final = "empty"
CUT_OFF: Final = "cut off"
"""The server says that the reply was too long, or its thought has no end: its last words or digits may be missing."""
FILTERED: Final = "filtered"
"""The server says that it has held something back."""
_TOO_LONG: Final = frozenset(("length", "max_tokens", "model_length"))
"""The words of servers for a reply that became too long."""


def heard(answer: Reply | NoAnswer, *, whole: bool = False) -> tuple[str, str]:
    """The words of a reply, without thoughts that are marked as such (`<think>`), and why there are none.

    Records from before have their thoughts in the text, others have them apart: both are read the same way.

    Parameters
    ----------
    whole: take all words, even where they were cut off for their length; a thought without an end has none.

    >>> heard(Reply("<think>Well.</think> 12")), heard(Reply("1", finish="length")), heard(NoAnswer("time-out after 9 s"))
    (('12', ''), ('', 'cut off'), ('', 'time-out'))
    """
    if isinstance(answer, NoAnswer):
        return "", absent(answer)
    end = broken_off(answer)
    if end == FILTERED or (end and not whole):
        return "", end
    split = split_thoughts(answer.text)
    words = split.words.strip()
    if words:
        return words, ""
    return "", EMPTY if split.ended and split_thoughts(answer.thoughts).ended else CUT_OFF


def absent(answer: NoAnswer) -> str:
    """Why there is no reply, in two words: `TIME_OUT` or `NO_ANSWER`."""
    return TIME_OUT if answer.reason.startswith(TIME_OUT) else NO_ANSWER


def broken_off(reply: Reply) -> str:
    """Why the end of a reply may be missing, by what the server says: `CUT_OFF`, `FILTERED`, or empty.

    >>> broken_off(Reply("[Answer] 0.1", finish="length")), broken_off(Reply("[Answer] 0.15", finish="stop"))
    ('cut off', '')
    """
    end = reply.finish.lower()
    return FILTERED if end == "content_filter" else CUT_OFF if end in _TOO_LONG else ""
