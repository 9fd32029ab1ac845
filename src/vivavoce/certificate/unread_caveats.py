"""Replies that could not be graded: how many, in words, and what to try."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from vivavoce.formats.wording import count, share
from vivavoce.interview.forms.form import Outcome

MANY: Final = 0.1
"""A share of copied replies above it is said in the headline."""
MANY_UNGRADED: Final = 0.2
"""So is a share of this or more of all replies that could not be graded."""


@dataclass(frozen=True, slots=True)
class Unread:
    """The replies of one examination whose answer nobody knows."""

    unreadable: int
    copied: int
    cut_off: int
    asked: int
    """Questions that were put, answered or not."""
    judged: bool = False
    """Whether a judge was to grade the replies, and its words on them could not be read."""
    orphans: int = 0
    """Questions that a run asked which then ended, so that there is no reply; not among those above."""
    faults: int = 0
    """Questions that met a fault of a server that may have heard them; nor are these."""
    ruled: bool = False
    """Whether a rule graded some of the replies, and the judge the others."""

    @classmethod
    def counted(cls, outcomes: Mapping[Outcome, int], *, judged: bool = False, ruled: bool = False) -> Unread:
        """From the number of each outcome.

        >>> Unread.counted({Outcome.ANSWER: 1, Outcome.UNREADABLE: 2, Outcome.CUT_OFF: 1}).words
        '75% of the replies could not be graded (1 was cut off)'
        """
        of = outcomes.get
        return cls(
            of(Outcome.UNREADABLE, 0),
            of(Outcome.COPIED, 0),
            of(Outcome.CUT_OFF, 0),
            sum(outcomes.values()),
            judged,
            of(Outcome.ORPHAN, 0),
            of(Outcome.FAULT, 0),
            ruled,
        )

    @property
    def count(self) -> int:
        """All of them."""
        return self.unreadable + self.copied + self.cut_off

    @property
    def is_all(self) -> bool:
        """Whether no reply is left that could be graded."""
        return 0 < self.asked == self.count

    @property
    def verb(self) -> str:
        """What could not be done with them: in a passive."""
        return "graded" if not self.judged else "graded or judged" if self.ruled else "judged"

    @property
    def row(self) -> str:
        """What a table calls them."""
        return "Not judged" if self.judged and not self.ruled else "Not gradable"

    @property
    def mostly_copied(self) -> bool:
        """Whether so many replies repeat the prompt that the headline says it."""
        return self.copied > MANY * self.asked

    @property
    def in_headline(self) -> str:
        """How many, in a clause, where they are so many that the headline says it; else empty.

        >>> Unread(12, 0, 0, 50).in_headline, Unread(9, 0, 0, 50).in_headline
        ('24% of the replies could not be graded', '')
        """
        many = self.count >= MANY_UNGRADED * self.asked > 0
        return replace(self, orphans=0, faults=0).words if many else self.copied_words if self.mostly_copied else ""

    @property
    def words(self) -> str:
        """How many, in a clause."""
        if self.faults:
            return self._after(replace(self, faults=0), self.faulted_words)
        if self.orphans:
            lost = f"{count(self.orphans)} question{' was' if self.orphans == 1 else 's were'} asked and never answered"
            return self._after(replace(self, orphans=0), lost)
        if not self.count:
            return "too many judgements could not be read" if self.judged else "every reply could be graded"
        some = self.count < self.asked
        part = share(self.count / self.asked)
        what = f"{part} of the replies could not be {self.verb}" if some else f"no reply could be {self.verb}"
        kinds = [
            f"{count(number)} {'was' if number == 1 else 'were'} {why}"
            for number, why in ((self.copied, "copied from the prompt"), (self.cut_off, "cut off"))
            if number
        ]
        return f"{what} ({', '.join(kinds)})" if kinds else what

    @staticmethod
    def _after(others: Unread, words: str) -> str:
        return f"{others.words}, and {words}" if others.count or others.orphans else words

    @property
    def faulted_words(self) -> str:
        """How many questions met a fault, in a clause; empty where none did.

        >>> Unread(0, 0, 0, 40, faults=12).faulted_words
        '12 of 40 questions met a fault of the server'
        """
        if not self.faults:
            return ""
        of = f"{count(self.faults)} of {count(self.asked)} questions" if self.asked > 1 else "the one question"
        return f"{of} met a fault of the server"

    @property
    def copied_words(self) -> str:
        """How many repeat the prompt, in a clause."""
        return f"{share(self.copied / self.asked)} of its replies repeat the prompt"

    @property
    def remedies(self) -> tuple[str, ...]:
        """What to try, each in a sentence."""
        by_server = (_SERVER,) if self.faults else ()
        if not self.count:
            return by_server
        other = "Take another judge, or more draws of it ('--judge-samples')."
        if self.judged and not self.ruled:
            return (other, _WRONG, *by_server)
        longer = "Give it more room for its replies: '?max_tokens=N' behind the candidate's name."
        return (
            other if self.judged else "Let a model judge what no rule can grade: '--judge MODEL'.",
            "Ask in another way: '--reply-format'.",
            *((longer,) if self.cut_off else ()),
            _WRONG,
            *by_server,
        )


def assumed_words(number: int) -> str:
    """Why a fail is no verdict that rests on short replies which no rule can call wrong for sure, in a clause.

    >>> assumed_words(12)
    'it fails if these 12 short replies are wrong'
    """
    return f"it fails if {these_replies(number)} wrong"


def these_replies(number: int) -> str:
    """Short replies that are wrong only by assumption, with a verb.

    >>> these_replies(1), these_replies(12)
    ('this short reply is', 'these 12 short replies are')
    """
    return "this short reply is" if number == 1 else f"these {count(number)} short replies are"


_SERVER: Final = "Ask fewer questions at once ('--concurrency'), or have the server turn away what it cannot take (status 429)."
_WRONG: Final = "Count what cannot be graded as wrong: '--unreadable wrong'. The verdict is then on what can be graded."


def unread_caveats(unread: Unread, *, wrong: bool = False, zero_is_ridiculous: bool = False) -> tuple[str, ...]:
    """What to say about replies that could not be graded; nothing where there are none.

    >>> unread_caveats(Unread(1, 0, 0, 50), wrong=True)
    ('1 reply could not be graded and scored 0: the verdict is on what can be graded.',)
    """
    if not unread.count:
        return ()
    replies = f"{unread.count} {'reply' if unread.count == 1 else 'replies'} could not be {unread.verb}"
    if wrong:
        sentence = f"{replies} and scored 0: the verdict is on what can be graded."
    else:
        absurd = "each may also be ridiculous, or not" if zero_is_ridiculous else "none of them counts as ridiculous"
        sentence = (
            f"{replies}: each counts as 0 in the evidence for understanding and as 1 in the evidence against it, so "
            f"that no verdict rests on what nobody knows; {absurd}. The mean score is a range."
        )
    were = "was" if unread.cut_off == 1 else "were"
    cut = f"{unread.cut_off} of them {were} cut off by a limit." if unread.cut_off else ""
    copied = "" if not unread.mostly_copied else f"{unread.copied_words}: it may not have understood the task."
    return tuple(words for words in (sentence, cut, copied[:1].upper() + copied[1:]) if words)
