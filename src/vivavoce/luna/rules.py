"""The rules of the Luna game as a pure state machine: a game and a move give a game (silver2016, chapter 2).

Each of two players asks questions, answers the other's questions, and guesses the other's rating. Both must finish a phase
before either sees the other's texts of that phase. The module uses no clock, database or page. Callers pass the time of each
move, and call `view` for what a player may see.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum
from math import fsum
from typing import Any, Final, Literal
from unicodedata import category

from vivavoce.errors import BadInput, VivavoceError
from vivavoce.formats.wording import counted
from vivavoce.luna.settings import THESIS, GameTerms

LOWEST: Final = 0.0
HIGHEST: Final = 100.0
"""The ends of the scale of guesses, sliders and ratings."""
READY_WITHIN: Final = timedelta(seconds=60)
"""Two paired players must say within this time that they are ready, or the game ends."""

_DOTS: Final = dict.fromkeys(map(ord, ".…·"))
_BLANK: Final = "\u115f\u1160\u2800\u3164\uffa0"
"""Letters and signs that are invisible."""

LEAST_SURE: Final = 50.0
"""In percent: a player who is less sure of one answer is surer of the other."""
MOST_SURE: Final = 100.0

Place = Literal[0, 1]
"""Which of the two players."""
PLACES: Final[tuple[Place, Place]] = (0, 1)


class Phase(Enum):
    """The phase of a game."""

    INTERVIEW = "interview"
    RESPONSE = "response"
    GUESS = "guess"
    OVER = "over"
    EXPIRED = "expired"


_PARTS: Final = {Phase.INTERVIEW: "questions", Phase.RESPONSE: "answers", Phase.GUESS: "guess"}
"""The field of a seat that each phase fills."""
Reason = Literal["resigned", "left", "banned", "not ready", "time"]
"""Why a game ended without a result: `left` by deleting the account, `banned` by the operator."""


@dataclass(frozen=True, slots=True)
class GameEnding:
    """Why a game ended without a result or a player left it, and who caused that."""

    reason: Reason | None
    """None if it was not recorded."""
    by: Place | None
    """The player who resigned, left, was banned, was not ready or had not moved. None: both, or unknown."""


class IllegalMove(VivavoceError):
    """The rules do not allow this move now; the message tells the player why."""


@dataclass(frozen=True, slots=True)
class PersonOrMachine:
    """A player's judgement whether the other player is a person or a machine, and how sure the player is."""

    human: bool
    """True for "a person"."""
    confidence: float
    """In percent: 50 (a coin) to 100."""

    def __post_init__(self) -> None:
        if not LEAST_SURE <= self.confidence <= MOST_SURE:
            raise BadInput("how sure you are must be a number from 50 to 100")

    def points(self, human: bool) -> float:
        """Points if the other player is (or is not) a person: 100 minus 400 times the Brier score (`brier1950`).

        A coin at 50% gets 0, certain and right 100, certain and wrong -300. The expected points are highest for the number that
        a player believes.

        >>> [PersonOrMachine(True, sure).points(True) for sure in (50, 80, 100)], PersonOrMachine(True, 80).points(False)
        ([0.0, 84.0, 100.0], -156.0)
        """
        wrong = 100 - self.confidence if human is self.human else self.confidence
        return 100 - 0.04 * wrong**2


@dataclass(frozen=True, slots=True)
class Seat:
    """One player's part of a game; None for what is still missing."""

    player: str
    human: bool
    questions: tuple[str, ...] | None = None
    answers: tuple[str, ...] | None = None
    """To the other's questions."""
    sliders: tuple[float | None, ...] | None = None
    """How smart each of the other's answers was; None where this player did not say."""
    guess: float | None = None
    """The guess of the other player's rating."""
    judgement: PersonOrMachine | None = None
    """Whether the other is a person; None if this player did not say."""
    knows_human: bool = False
    """Whether this player refused machines, and so knew from the start that the other is a person."""
    ready: datetime | None = None
    """When the player was ready; None: not yet."""
    taken_over: datetime | None = None
    """When a machine took over from this player, who has left."""
    moved: datetime | None = None
    """The time of this seat's newest move."""


@dataclass(frozen=True, slots=True)
class RatingChange:
    """One player's rating before and after a game; fixed when the game ends."""

    rating_before: float | None
    """The rating that the other player had to guess; None in the player's first game."""
    rating_after: float | None
    """The rating after the game, with the other's guess if the other is a person."""


@dataclass(frozen=True, slots=True)
class Game:
    """A game at one moment. Times have a time zone."""

    id: str
    seats: tuple[Seat, Seat]
    since: datetime
    """When the current phase began, or the game was finished."""
    verdicts: tuple[RatingChange, RatingChange] | None = None
    """None until both have guessed."""
    terms: GameTerms = THESIS
    """The terms at the start of the game."""
    begun: datetime | None = None
    """When the time to get ready started; None: players need not say that they are ready."""
    closed: bool = False
    """Whether it ended without a result."""
    ending: GameEnding | None = None
    """Why it ended, or why a machine took over a seat."""
    machines_may_take_over: bool = False
    """Whether both had agreed that a machine replaces a player who leaves."""

    def phase(self, now: datetime) -> Phase:
        """The phase at this time."""
        if self.verdicts is not None:
            return Phase.OVER
        if self.closed or now - self.since >= self.terms.expiry or self.unready(now):
            return Phase.EXPIRED
        if any(seat.questions is None for seat in self.seats):
            return Phase.INTERVIEW
        if any(seat.answers is None for seat in self.seats):
            return Phase.RESPONSE
        return Phase.GUESS

    def awaits(self, position: Place, now: datetime, *, machine: bool = False) -> bool:
        """Whether it is this player's turn, or with `machine` the turn of the machine that took over the seat."""
        seat, phase = self.seats[position], self.phase(now)
        return phase in _PARTS and getattr(seat, _PARTS[phase]) is None and (seat.taken_over is not None) == machine

    def waits_since(self, position: Place, now: datetime) -> datetime | None:
        """When this player began to wait for the other's move; None if the player is not waiting."""
        seat, phase = self.seats[position], self.phase(now)
        if phase not in _PARTS or getattr(seat, _PARTS[phase]) is None:
            return None
        return max(seat.moved or self.since, self.since)

    def unready(self, now: datetime) -> tuple[Place, ...]:
        """The players who were not ready in time; empty while there is time left."""
        if self.begun is None or now - self.begun < READY_WITHIN:
            return ()
        return tuple(position for position in PLACES if self.seats[position].ready is None)

    def ended(self, now: datetime) -> GameEnding | None:
        """Why the game ended without a result, even if not yet recorded; None if it continues or has a result."""
        if self.phase(now) is not Phase.EXPIRED:
            return None
        if self.closed:
            return self.ending or GameEnding(None, None)
        if absent := self.unready(now):
            return GameEnding("not ready", absent[0] if len(absent) == 1 else None)
        idle = [
            position
            for position in PLACES
            if self.awaits(position, self.since, machine=self.seats[position].taken_over is not None)
        ]
        return GameEnding("time", idle[0] if len(idle) == 1 else None)

    def left(self, position: Place) -> GameEnding | None:
        """Why this player left a game that may continue; None if the player has not left."""
        if self.seats[position].taken_over is None:
            return None
        known = self.ending is not None and self.ending.by == position
        return self.ending if known else GameEnding(None, position)

    @property
    def expires(self) -> datetime:
        """When the game ends unless both finish the phase."""
        return self.since + self.terms.expiry


@dataclass(frozen=True, slots=True)
class QuestionsMove:
    """The move of the interview phase."""

    questions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AnswersMove:
    """The move of the response phase."""

    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GuessMove:
    """The move of the guess phase."""

    guess: float
    sliders: tuple[float | None, ...] = ()
    """One for each answer, None where untouched; or empty."""
    judgement: PersonOrMachine | None = None
    """None if the player does not say."""


Move = QuestionsMove | AnswersMove | GuessMove


def play(game: Game, position: Place, move: Move, now: datetime, *, machine: bool = False) -> Game:
    """The game after a move. After the last guess, `conclude` adds the changes of ratings.

    Parameters
    ----------
    machine: whether a machine makes the move for a player whose seat it took over.

    Raises `IllegalMove` if it is not this player's turn or the move belongs to another phase. Raises `BadInput` for a wrong
    number of texts, an empty or too long text, a guess outside 0 to 100, or a judgement by a player who knows that the other is
    a person.

    >>> from datetime import UTC
    >>> start = datetime(2026, 1, 1, tzinfo=UTC)
    >>> game = Game("1", (Seat("ann", True), Seat("bob", True)), start)
    >>> game = play(game, 0, QuestionsMove(("?",) * 5), start)
    >>> game.phase(start).value, game.awaits(0, start), game.awaits(1, start)
    ('interview', False, True)
    """
    phase, seat = game.phase(now), game.seats[position]
    if phase in (Phase.OVER, Phase.EXPIRED):
        raise IllegalMove("this game is over" if phase is Phase.OVER else "this game has ended without a result")
    wanted = {Phase.INTERVIEW: QuestionsMove, Phase.RESPONSE: AnswersMove, Phase.GUESS: GuessMove}[phase]
    if not isinstance(move, wanted):
        raise IllegalMove(f"this game is in its {phase.value} phase")
    if not game.awaits(position, now, machine=machine):
        raise IllegalMove("you have finished this phase: it is the other player's turn")
    match move:
        case QuestionsMove(questions):
            seat = replace(seat, questions=_texts(questions, "question", game.terms))
        case AnswersMove(answers):
            seat = replace(seat, answers=_texts(answers, "answer", game.terms))
        case GuessMove(guess, sliders, judgement):
            if judgement is not None and seat.knows_human and not machine:
                raise BadInput("you have refused machines: you know that the other player is a person")
            marks = _sliders(sliders, game.terms)
            seat = replace(seat, guess=number(guess, "guess"), sliders=marks, judgement=judgement)
    moved = with_seat(game, position, replace(seat, ready=seat.ready or now, moved=now))
    return replace(moved, since=now) if is_complete(moved) or moved.phase(now) is not phase else moved


def with_seat(game: Game, position: Place, seat: Seat) -> Game:
    """The game with this seat replaced."""
    return replace(game, seats=(seat, game.seats[1]) if position == 0 else (game.seats[0], seat))


def take_over(game: Game, ended: GameEnding, now: datetime) -> Game | None:
    """The game after a machine took over from the player who left; None if it ends for both.

    Both players must have agreed at the start. The player who stays must be a person who has not left. A player who deletes the
    account deletes the texts too, so then the game continues only if they were never shown.
    """
    by = ended.by
    if not game.machines_may_take_over or by is None or ended.reason not in ("resigned", "left", "time"):
        return None
    leaver, other = game.seats[by], game.seats[1 - by]
    has_opened = all(seat.questions is not None for seat in game.seats)
    if not other.human or leaver.taken_over or other.taken_over or (ended.reason == "left" and has_opened):
        return None
    seat = replace(leaver, ready=leaver.ready or now, taken_over=now)
    return replace(with_seat(game, by, seat), since=now, ending=ended)


def is_complete(game: Game) -> bool:
    """Whether both have guessed, so that `conclude` applies."""
    return all(seat.guess is not None for seat in game.seats)


def conclude(game: Game, guesses: tuple[Sequence[float], Sequence[float]]) -> Game:
    """The finished game with old and new ratings.

    Parameters
    ----------
    guesses: for each player, all guesses by people in games that finished earlier.

    Raises `IllegalMove` for a game that is not complete or already concluded.
    """
    if game.verdicts is not None or not is_complete(game):
        raise IllegalMove("this game cannot be concluded")
    first, second = game.seats
    rates = not rates_nobody(game)
    return replace(game, verdicts=(_verdict(guesses[0], second, rates=rates), _verdict(guesses[1], first, rates=rates)))


def rates_nobody(game: Game) -> bool:
    """Whether no guess of this game counts because a machine took over a seat."""
    return any(seat.taken_over for seat in game.seats)


def rating(guesses: Sequence[float]) -> float | None:
    """The mean of people's guesses; None without guesses. Guesses by machines never count.

    >>> rating([80, 90]), rating([])
    (85.0, None)
    """
    return fsum(guesses) / len(guesses) if guesses else None


def outcome(game: Game, position: Place) -> Literal["won", "lost", "tied", "first"]:
    """How a finished game ended for one player.

    The guess with the smaller absolute distance wins. A newcomer has no rating yet, so a rated player wins against a newcomer,
    and the newcomer's result is "first". Two newcomers tie, and so do equal distances.
    """
    if game.verdicts is None:
        raise IllegalMove("this game is not finished")
    own, other = game.verdicts[position], game.verdicts[1 - position]
    if own.rating_before is None:
        return "tied" if other.rating_before is None else "first"
    if other.rating_before is None:
        return "won"
    distances = [abs((seat.guess or 0.0) - target) for seat, target in (
        (game.seats[position], other.rating_before), (game.seats[1 - position], own.rating_before)
    )]  # fmt: skip
    return "tied" if distances[0] == distances[1] else "won" if distances[0] < distances[1] else "lost"


@dataclass(frozen=True, slots=True)
class PlayerView:
    """The part of a game that one player may see."""

    phase: Phase
    yours: bool
    """Whether it is this player's turn."""
    own: Seat
    questions: tuple[str, ...] | None
    """The other's questions, once both have asked."""
    answers: tuple[str, ...] | None
    """The other's answers, once both have answered."""
    other_guess: float | None
    """None until the game is over."""
    own_verdict: RatingChange | None
    other_verdict: RatingChange | None
    other_human: bool | None
    """None until the game is over."""
    terms: GameTerms
    """The terms of the game."""
    ended: GameEnding | None = None
    """Why it ended without a result, or why this player left it."""
    other_taken_over: datetime | None = None
    """When a machine took over from the other player, who has left."""
    other_judgement: PersonOrMachine | None = None
    """The other's judgement of this player; None until the game is over."""
    other_knew: bool = False
    """Whether the other refused machines and so was not asked for a judgement; False until the game is over."""


def view(game: Game, position: Place, now: datetime, *, machine: bool = False) -> PlayerView:
    """The part of a game that one player may see now: the other's texts of a phase only after both have finished it.

    A player whose seat was taken over sees no more of the game. With `machine`, the view is for the machine that took over.
    """
    own, other = game.seats[position], game.seats[1 - position]
    if own.taken_over and not machine:
        own = replace(own, questions=None, answers=None, sliders=None, guess=None, judgement=None)
        unseen: dict[str, Any] = dict.fromkeys(
            ("questions", "answers", "other_guess", "own_verdict", "other_verdict", "other_human")
        )
        return PlayerView(phase=Phase.EXPIRED, yours=False, own=own, **unseen, terms=game.terms, ended=game.left(position))
    over = game.verdicts is not None
    asked = all(seat.questions is not None for seat in game.seats)
    answered = all(seat.answers is not None for seat in game.seats)
    return PlayerView(
        phase=game.phase(now),
        yours=game.awaits(position, now, machine=machine),
        own=own,
        questions=other.questions if asked else None,
        answers=other.answers if answered else None,
        other_guess=other.guess if over else None,
        own_verdict=game.verdicts[position] if game.verdicts else None,
        other_verdict=game.verdicts[1 - position] if game.verdicts else None,
        other_human=other.human if over else None,
        terms=game.terms,
        ended=game.ended(now),
        other_taken_over=other.taken_over,
        other_judgement=other.judgement if over else None,
        other_knew=over and other.knows_human,
    )


def number(value: float, name: str) -> float:
    """The value as a float. Raises `BadInput` unless it is from 0 to 100."""
    if not LOWEST <= value <= HIGHEST:
        raise BadInput(f"a {name} must be a number from 0 to 100")
    return float(value)


def says_something(text: str) -> bool:
    """Whether the text has a visible character; blanks and zero-width spaces are not visible.

    >>> says_something("?"), says_something(" \u200b"), says_something("\u3164")
    (True, False, False)
    """
    return any(not (c.isspace() or c in _BLANK or category(c) in ("Cc", "Cf")) for c in text)


def asks_something(text: str) -> bool:
    """Whether the text shows more than dots.

    >>> asks_something("?"), asks_something(" ... ")
    (True, False)
    """
    return says_something(text.translate(_DOTS))


def suggested(sliders: Sequence[float | None]) -> float | None:
    """The guess that sliders suggest: their mean; None if none was set.

    >>> suggested([80, None, 60, None, None])
    70.0
    """
    return rating([value for value in sliders if value is not None])


def _verdict(guesses: Sequence[float], other: Seat, *, rates: bool) -> RatingChange:
    assert other.guess is not None
    return RatingChange(rating(guesses), rating([*guesses, other.guess] if other.human and rates else guesses))


def _texts(texts: Sequence[str], name: str, terms: GameTerms) -> tuple[str, ...]:
    if len(texts) != terms.questions:
        raise BadInput(f"there must be {counted(terms.questions, name)} in this game, not {len(texts)}")
    for index, text in enumerate(texts, 1):
        if not (asks_something if name == "question" else says_something)(text):
            raise BadInput(f"{name} {index} is empty")
        if len(text) > terms.longest_text:
            raise BadInput(f"{name} {index} has {len(text)} characters; the limit is {terms.longest_text}")
    return tuple(texts)


def _sliders(values: Sequence[float | None], terms: GameTerms) -> tuple[float | None, ...]:
    if not values:
        return (None,) * terms.questions
    if len(values) != terms.questions:
        raise BadInput(f"there must be {counted(terms.questions, 'slider')} in this game, with none for untouched ones")
    return tuple(None if value is None else number(value, "slider") for value in values)


def is_by(ended: GameEnding, position: Place) -> bool:
    """Whether this player caused the end, alone or with the other.

    >>> is_by(GameEnding("time", None), 0), is_by(GameEnding("time", 1), 0), is_by(GameEnding(None, None), 0)
    (True, False, False)
    """
    return ended.reason is not None and ended.by in (None, position)
