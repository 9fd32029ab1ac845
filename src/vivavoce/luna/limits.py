"""What an operator decides about games: how many questions, how long a text may be, and how much time there is.

A game keeps the terms with which it began, whatever the site decides later. All that says something of them says it from here.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Final

from vivavoce.formats.wording import counted
from vivavoce.settings import Within, check, setting

MOST_QUESTIONS: Final = 10
LONGEST_TEXT: Final = 20_000
"""Characters that no game allows more of."""
Questions = Annotated[int, Within(1, MOST_QUESTIONS)]
Longest = Annotated[int, Within(200, LONGEST_TEXT)]
Days = Annotated[float, Within(0.04, 30)]
_DAY, _HOUR = 1_440, 60


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a game. The defaults are those of `silver2016` (chapter 2).

    >>> Terms(questions=1, days=0.5).questions_in_words, Terms(days=0.5).time_in_words
    ('one question', 'twelve hours')
    """

    questions: Questions = setting(5, "Questions that each player puts in a game.")
    longest_text: Longest = setting(5_000, "Longest question or answer, in characters.")
    days: Days = setting(3.0, "Days for each part of a game; if it takes longer the game ends.")
    """Counted from when the part began, so that it says nothing of who has moved."""

    def __post_init__(self) -> None:
        check(self)

    @property
    def expiry(self) -> timedelta:
        """A part that takes so long ends the game."""
        return timedelta(days=self.days)

    @property
    def questions_in_words(self) -> str:
        """As in 'five questions'."""
        return counted(self.questions, "question")

    @property
    def time_in_words(self) -> str:
        """As in 'three days', to the minute."""
        minutes = round(self.days * _DAY)
        if minutes % _DAY == 0:
            return counted(minutes // _DAY, "day")
        return counted(minutes // _HOUR, "hour") if minutes % _HOUR == 0 else counted(minutes, "minute")


THESIS: Final = Terms()
"""Five questions, 5,000 characters and three days."""
