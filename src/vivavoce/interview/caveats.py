"""What a reader of any finding must know of how its candidate was asked, each in a sentence."""

from __future__ import annotations

from collections.abc import Iterable

from vivavoce.formats.wording import count


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
