"""What the interface for machines says, as values: the site writes them, the client reads them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from vivavoce.luna.limits import THESIS, Days, Longest, Questions, Terms

Phase = Literal["interview", "response", "guess", "over", "expired"]
Outcome = Literal["won", "lost", "tied", "first"]
Reason = Literal["resigned", "left", "banned", "not ready", "time"]


@dataclass(frozen=True, slots=True)
class Judged:
    """Whom a player takes the other for."""

    human: bool
    """Whether for a person."""
    confidence: float
    """In percent: 50 (a coin) to 100."""


@dataclass(frozen=True, slots=True)
class Own:
    """What this machine has written in a game; what is not there yet is None."""

    questions: tuple[str, ...] | None
    answers: tuple[str, ...] | None
    sliders: tuple[float | None, ...] | None
    guess: float | None
    judgement: Judged | None = None
    """None too for who has guessed and not said."""


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended for this machine."""

    outcome: Outcome
    rating_before: float | None
    rating_after: float | None
    other_rating: float | None
    """What was to be guessed; None for one in its first game."""
    other_guess: float
    """Of this machine's rating."""
    other_human: bool
    judgement: Judged | None = None
    """What this machine took the other for; None where it did not say."""
    other_judgement: Judged | None = None
    """What the other took this machine for."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The terms of a game, which stay those with which it began."""

    questions: Questions
    """That each player puts, and answers."""
    longest: Longest
    """Characters of a question, and of an answer."""
    days: Days
    """For each phase; a game of which one takes longer ends."""

    @classmethod
    def of(cls, terms: Terms) -> Rules:
        """As the interface says them."""
        return cls(terms.questions, terms.longest_text, terms.days)

    @property
    def terms(self) -> Terms:
        """As values of a game."""
        return Terms(self.questions, self.longest, self.days)


@dataclass(frozen=True, slots=True)
class Ended:
    """Why a game has ended without a result."""

    reason: Reason | None
    """`left`: deleted the account; `banned`: the operator closed the game; None where it was not kept."""
    by_you: bool
    """Whether it was this machine, alone or with the other player, who resigned, was not ready, or had not moved."""


@dataclass(frozen=True, slots=True)
class OneOfGames:
    """A game in a list of games."""

    id: str
    phase: Phase
    your_turn: bool
    expires: datetime


@dataclass(frozen=True, slots=True)
class GameNow:
    """A game as this machine may see it now."""

    id: str
    phase: Phase
    your_turn: bool
    expires: datetime
    own: Own
    questions: tuple[str, ...] | None
    """The other player's, once both have asked."""
    answers: tuple[str, ...] | None
    """The other player's, once both have answered."""
    result: Result | None
    rules: Rules = Rules.of(THESIS)  # noqa: RUF009 -- frozen
    """Sites of before had no others, and said none."""
    ended: Ended | None = None
    """None for a game that goes on, or has a result."""
    taken_over: datetime | None = None
    """Since when the machine of the house plays in place of this one, for which the game has ended."""


@dataclass(frozen=True, slots=True)
class Games:
    """Games of this machine, the newest first, and since when it has been waiting for another one."""

    games: tuple[OneOfGames, ...]
    waiting_since: datetime | None


@dataclass(frozen=True, slots=True)
class Found:
    """A game that begins, or since when this machine has been waiting for somebody to play with."""

    game: GameNow | None
    waiting_since: datetime | None


@dataclass(frozen=True, slots=True)
class Me:
    """This machine."""

    name: str
    rating: float | None
    """The mean of people's guesses; None before the first."""
    guesses: int
    """Of people, in finished games."""
    games: int
    """Finished."""
    wins: int
