"""Replies that could not be read: how many, in words, and what to try."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.wording import count, share

MANY: Final = 0.1
"""A share of copied replies above it is said in the headline."""


@dataclass(frozen=True, slots=True)
class Unread:
    """The replies of one examination whose answer nobody knows."""

    unreadable: int
    copied: int
    cut_off: int
    asked: int
    """Questions that were put, answered or not."""
    judged: bool = False
    """Whether the replies themselves were read, and the judge's words on them could not be."""
    orphans: int = 0
    """Questions that a run asked which then ended, so that there is no reply; not among those above."""

    @classmethod
    def counted(cls, outcomes: Mapping[Outcome, int], *, judged: bool = False) -> Unread:
        """From the number of each outcome.

        >>> Unread.counted({Outcome.ANSWER: 1, Outcome.UNREADABLE: 2, Outcome.CUT_OFF: 1}).words
        '75% of the replies could not be read (1 was cut off)'
        """
        of = outcomes.get
        return cls(
            of(Outcome.UNREADABLE, 0),
            of(Outcome.COPIED, 0),
            of(Outcome.CUT_OFF, 0),
            sum(outcomes.values()),
            judged,
            of(Outcome.ORPHAN, 0),
        )

    @property
    def count(self) -> int:
        """All of them."""
        return self.unreadable + self.copied + self.cut_off

    @property
    def mostly_copied(self) -> bool:
        """Whether so many replies repeat the prompt that the headline says it."""
        return self.copied > MANY * self.asked

    @property
    def words(self) -> str:
        """How many, in a clause."""
        if self.orphans:
            lost = f"{count(self.orphans)} question{' was' if self.orphans == 1 else 's were'} asked and never answered"
            return f"{replace(self, orphans=0).words}, and {lost}" if self.count else lost
        if not self.count:
            return "too many judgements could not be read" if self.judged else "every reply could be read"
        how = "judged" if self.judged else "read"
        part = share(self.count / self.asked)
        what = f"{part} of the replies could not be {how}" if self.count < self.asked else f"none of the replies could be {how}"
        kinds = [
            f"{count(number)} {'was' if number == 1 else 'were'} {why}"
            for number, why in ((self.copied, "copied from the prompt"), (self.cut_off, "cut off"))
            if number
        ]
        return f"{what} ({', '.join(kinds)})" if kinds else what

    @property
    def copied_words(self) -> str:
        """How many repeat the prompt, in a clause."""
        return f"{share(self.copied / self.asked)} of its replies repeat the prompt"

    @property
    def remedies(self) -> tuple[str, ...]:
        """What to try, each in a sentence."""
        if self.judged:
            return ("Take another judge, or more draws of it ('--judge-draws').", _WRONG)
        longer = "Give it more room for its replies: '?max_tokens=N' behind the candidate's name."
        return ("Ask in another way: '--asking'.", *((longer,) if self.cut_off else ()), _WRONG)


_WRONG: Final = "Count what cannot be read as wrong: '--unreadable wrong'. The verdict is then on what can be read."
