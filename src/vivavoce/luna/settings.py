"""Settings of Luna: the terms of a game, and options of playing, simulating, rating and predicting.

A game keeps the terms of its start, even if the operator changes the site's terms later.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Final, Literal

from vivavoce.formats.wording import counted
from vivavoce.settings import Seed, Within, check, setting

MOST_QUESTIONS: Final = 10
LONGEST_TEXT: Final = 20_000
"""The highest limit on characters of a text that a game can have."""
QuestionNumber = Annotated[int, Within(1, MOST_QUESTIONS)]
TextLength = Annotated[int, Within(200, LONGEST_TEXT)]
Days = Annotated[float, Within(0.04, 30)]
_DAY, _HOUR = 1_440, 60


@dataclass(frozen=True, slots=True)
class GameTerms:
    """The terms of a game. The defaults are those of `silver2016` (chapter 2).

    >>> GameTerms(questions=1, days=0.5).questions_in_words, GameTerms(days=0.5).time_in_words
    ('one question', 'twelve hours')
    """

    questions: QuestionNumber = setting(5, "Questions that each player puts in a game.")
    longest_text: TextLength = setting(5_000, "Allow questions and answers of this many characters.")
    days: Days = setting(3.0, "Days for each part of a game; a game that takes longer ends.")
    """The time counts from the start of the phase, so it does not reveal who has moved."""

    def __post_init__(self) -> None:
        check(self)

    @property
    def expiry(self) -> timedelta:
        """The time limit of a phase."""
        return timedelta(days=self.days)

    @property
    def questions_in_words(self) -> str:
        """The number of questions, as in 'five questions'."""
        return counted(self.questions, "question")

    @property
    def time_in_words(self) -> str:
        """The time, as in 'three days', to the minute."""
        minutes = round(self.days * _DAY)
        if minutes % _DAY == 0:
            return counted(minutes // _DAY, "day")
        return counted(minutes // _HOUR, "hour") if minutes % _HOUR == 0 else counted(minutes, "minute")


THESIS: Final = GameTerms()
"""Five questions, 5,000 characters and three days."""


Truth = Literal["value", "judged"]
"""`value` is the value that guesses of a player are drawn around. `judged` is the mean of all players' opinions of it, the
exact Definition 4 of the thesis. The thesis treats them as nearly equal; with honest players the difference makes up a tenth of
the error."""


@dataclass(frozen=True, slots=True)
class PlayConfig:
    """How a candidate plays on a site."""

    games: Annotated[int, Within(1, 100_000)] = setting(1, "Finish this many games.")
    questions: str | None = setting(
        None,
        "Questions: own (by the candidate), thesis, or a file. [own; bots: thesis]",
        metavar="own|thesis|FILE",
    )
    guess: Annotated[float, Within(0, 100)] | Literal["own"] | None = setting(
        None, "Guess: own (by the candidate), or always N. [own; bots: 50]", metavar="own|N"
    )
    patience: Annotated[float, Within(above=0)] | None = setting(
        None,
        "Stop after this many seconds without news; open games can continue. [wait]",
        metavar="S",
    )

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, slots=True)
class SimulationConfig:
    """The number of simulated players and games, how much players agree, and how they are rated."""

    rating: str = setting(
        "mean",
        "Rating in figures as the text reads: mean, robust or severity.",
        metavar="NAME",
    )
    players: Annotated[int, Within(2, 2_000)] = setting(100, "Players in a trial.")
    trials: Annotated[int, Within(2, 10_000)] = setting(100, "Trials to average over.")
    variance: Annotated[float, Within(above=0)] = setting(5.0, "Variance of honest guesses; not for --attacks.")
    """Around a player's value (`silver2016`, section 3.3.1)."""
    seed: Seed = setting(0, "Draw the games with this seed.")
    steps: Annotated[int, Within(1, 1_000_000)] = setting(1_000, "Games; two players meet in each.")
    severity: Annotated[float, Within(least=0)] = setting(0.0, "Standard deviation of guessers' levels above others.")
    """The same towards every player; not part of intelligence."""
    drift: Annotated[float, Within(least=0)] = setting(0.0, "Standard deviation of the change of a player's value.")
    """From the first game to the last, in a straight line."""
    truth: Truth = setting("value", "What ratings are compared with.")

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, slots=True)
class RateConfig:
    """How players are rated."""

    method: str = setting("mean", "Order by this rating: mean, robust or severity.", metavar="NAME")
    """The finding has all ratings."""
    rounds: Annotated[int, Within(100, 100_000)] = setting(1_000, "Use this many bootstrap resamples.")
    seed: Seed = setting(0, "Draw the bootstrap with this seed.")

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, slots=True)
class SplitsConfig:
    """How people are split repeatedly; the first splits do not depend on the number of splits."""

    splits: Annotated[int, Within(2, 10_000)] = setting(100, "Use this many random splits.")
    seed: Seed = setting(0, "Draw the splits with this seed.")

    def __post_init__(self) -> None:
        check(self)
