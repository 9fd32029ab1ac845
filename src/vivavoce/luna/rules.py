"""The Luna game as a pure state machine: a game and a move give a game (silver2016, chapter 2).

Two players each put a number of questions to the other, answer the other's, and guess the other's rating. Both must finish a
phase before either sees what the other wrote in it. Nothing here knows a clock, a database or a page: the time of each move is
handed in, and the holder of a game asks `view` what one player may see.

Why a game has ended without a result, in words for one of its players."""

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
"""Of a guess, a slider and so a rating."""
READY_WITHIN: Final = timedelta(seconds=60)
"""Whoever was there when two players were paired says within this time that they are ready, or the game ends."""

_DOTS: Final = dict.fromkeys(map(ord, ".…·"))
_BLANK: Final = "\u115f\u1160\u2800\u3164\uffa0"
"""Letters and signs that show nothing."""

LEAST_SURE: Final = 50.0
"""Percent: who is less sure of one answer is surer of the other."""
MOST_SURE: Final = 100.0

Place = Literal[0, 1]
"""Which of the two players."""
PLACES: Final[tuple[Place, Place]] = (0, 1)


class Phase(Enum):
    """Where a game stands."""

    INTERVIEW = "interview"
    RESPONSE = "response"
    GUESS = "guess"
    OVER = "over"
    EXPIRED = "expired"


_PARTS: Final = {Phase.INTERVIEW: "questions", Phase.RESPONSE: "answers", Phase.GUESS: "guess"}
"""What of a seat each phase fills."""
Reason = Literal["resigned", "left", "banned", "not ready", "time"]
"""Why a game has ended without a result: `left` by deleting the account, `banned` by the operator."""


@dataclass(frozen=True, slots=True)
class GameEnding:
    """Why a game has ended without a result, or a player has left it, and by whom."""

    reason: Reason | None
    """None where it was not kept."""
    by: Place | None
    """Who resigned, left, was banned, was not there, or had not moved; None: both, or nobody knows."""


class IllegalMove(VivavoceError):
    """A move that the rules do not allow now; says why in words for the player."""


@dataclass(frozen=True, slots=True)
class PersonOrMachine:
    """What a player takes the other for, and how surely."""

    human: bool
    """Whether for a person."""
    confidence: float
    """In percent: 50 (a coin) to 100."""

    def __post_init__(self) -> None:
        if not LEAST_SURE <= self.confidence <= MOST_SURE:
            raise BadInput("how sure you are must be a number from 50 to 100")

    def points(self, human: bool) -> float:
        """What the judgement is worth where the other is a person, or is not: 100 less 400 times its Brier score (`brier1950`).

        A coin at 50% gets 0, certain and right 100, certain and wrong -300. Nobody expects more from saying another number
        than the one they believe.

        >>> [PersonOrMachine(True, sure).points(True) for sure in (50, 80, 100)], PersonOrMachine(True, 80).points(False)
        ([0.0, 84.0, 100.0], -156.0)
        """
        wrong = 100 - self.confidence if human is self.human else self.confidence
        return 100 - 0.04 * wrong**2


@dataclass(frozen=True, slots=True)
class Seat:
    """One player's part of a game; what is not there yet is None."""

    player: str
    human: bool
    questions: tuple[str, ...] | None = None
    answers: tuple[str, ...] | None = None
    """To the other's questions."""
    sliders: tuple[float | None, ...] | None = None
    """How smart each of the other's answers was, where this player said so."""
    guess: float | None = None
    """Of the other's rating."""
    judgement: PersonOrMachine | None = None
    """Whether the other is a person, where this player has said so."""
    knows_human: bool = False
    """Whether this player knew from the beginning that the other is a person, having refused machines."""
    ready: datetime | None = None
    """When the player was there; None: not yet."""
    taken_over: datetime | None = None
    """Since when a machine plays in place of the player, who has left."""
    moved: datetime | None = None
    """When the newest move of this seat was made."""


@dataclass(frozen=True, slots=True)
class RatingChange:
    """What a finished game shows of one player; fixed when the game ends."""

    rating_before: float | None
    """The player's rating that the other had to guess; None in the player's first game."""
    rating_after: float | None
    """With the other's guess in it, if that is a person's."""


@dataclass(frozen=True, slots=True)
class Game:
    """A game at one moment."""

    id: str
    seats: tuple[Seat, Seat]
    since: datetime
    """When the game's present phase began, or the game was finished; with its time zone."""
    verdicts: tuple[RatingChange, RatingChange] | None = None
    """Once both have guessed."""
    terms: GameTerms = THESIS
    """Those with which it began."""
    begun: datetime | None = None
    """From when it is counted who is ready; None: nobody is asked."""
    closed: bool = False
    """Whether it was ended without a result."""
    ending: GameEnding | None = None
    """Why it was, or why a machine has taken over a seat."""
    machines_may_take_over: bool = False
    """Whether both had agreed that a machine plays on when one of them leaves."""

    def phase(self, now: datetime) -> Phase:
        """Where the game stands at this time."""
        if self.verdicts is not None:
            return Phase.OVER
        if self.closed or now - self.since >= self.terms.expiry or self.unready(now):
            return Phase.EXPIRED
        if any(seat.questions is None for seat in self.seats):
            return Phase.INTERVIEW
        if any(seat.answers is None for seat in self.seats):
            return Phase.RESPONSE
        return Phase.GUESS

    def awaits(self, place: Place, now: datetime, *, machine: bool = False) -> bool:
        """Whether it is this player's turn; of a seat that was taken over, that of the machine which plays there."""
        seat, phase = self.seats[place], self.phase(now)
        return phase in _PARTS and getattr(seat, _PARTS[phase]) is None and (seat.taken_over is not None) == machine

    def waits_since(self, place: Place, now: datetime) -> datetime | None:
        """Since when this player has waited for the other one's move; None for one who does not wait."""
        seat, phase = self.seats[place], self.phase(now)
        if phase not in _PARTS or getattr(seat, _PARTS[phase]) is None:
            return None
        return max(seat.moved or self.since, self.since)

    def unready(self, now: datetime) -> tuple[Place, ...]:
        """Who was not there in time; nobody as long as there is time."""
        if self.begun is None or now - self.begun < READY_WITHIN:
            return ()
        return tuple(place for place in PLACES if self.seats[place].ready is None)

    def ended(self, now: datetime) -> GameEnding | None:
        """Why it has ended without a result, written down or not; None for a game that goes on, or has a result."""
        if self.phase(now) is not Phase.EXPIRED:
            return None
        if self.closed:
            return self.ending or GameEnding(None, None)
        if absent := self.unready(now):
            return GameEnding("not ready", absent[0] if len(absent) == 1 else None)
        idle = [place for place in PLACES if self.awaits(place, self.since, machine=self.seats[place].taken_over is not None)]
        return GameEnding("time", idle[0] if len(idle) == 1 else None)

    def left(self, place: Place) -> GameEnding | None:
        """Why the player at this place plays no longer, although the game may go on; None for one who does."""
        if self.seats[place].taken_over is None:
            return None
        known = self.ending is not None and self.ending.by == place
        return self.ending if known else GameEnding(None, place)

    @property
    def expires(self) -> datetime:
        """When it ends unless both finish the phase."""
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
    """One for each answer, untouched ones as None; or none at all."""
    judgement: PersonOrMachine | None = None
    """None for who does not say."""


Move = QuestionsMove | AnswersMove | GuessMove


def play(game: Game, place: Place, move: Move, now: datetime, *, machine: bool = False) -> Game:
    """The game after a move. The last guess leaves the game without verdicts: `conclude` gives them, with the ratings of then.

    Parameters
    ----------
    machine: whether the move is made in place of a player whose seat was taken over.

    Raises `IllegalMove` for a move that is not this player's turn or not of this phase, and `BadInput` for what are not
    as many texts, none empty and none too long, as the game's terms say, or no guess from 0 to 100, or a judgement by who
    knows the other to be a person.

    >>> from datetime import UTC
    >>> start = datetime(2026, 1, 1, tzinfo=UTC)
    >>> game = Game("1", (Seat("ann", True), Seat("bob", True)), start)
    >>> game = play(game, 0, QuestionsMove(("?",) * 5), start)
    >>> game.phase(start).value, game.awaits(0, start), game.awaits(1, start)
    ('interview', False, True)
    """
    phase, seat = game.phase(now), game.seats[place]
    if phase in (Phase.OVER, Phase.EXPIRED):
        raise IllegalMove("this game is over" if phase is Phase.OVER else "this game has ended without a result")
    wanted = {Phase.INTERVIEW: QuestionsMove, Phase.RESPONSE: AnswersMove, Phase.GUESS: GuessMove}[phase]
    if not isinstance(move, wanted):
        raise IllegalMove(f"this game is in its {phase.value} phase")
    if not game.awaits(place, now, machine=machine):
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
    moved = with_seat(game, place, replace(seat, ready=seat.ready or now, moved=now))
    return replace(moved, since=now) if is_complete(moved) or moved.phase(now) is not phase else moved


def with_seat(game: Game, place: Place, seat: Seat) -> Game:
    """The game with this seat in place of the one that was there."""
    return replace(game, seats=(seat, game.seats[1]) if place == 0 else (game.seats[0], seat))


def take_over(game: Game, ended: GameEnding, now: datetime) -> Game | None:
    """The game in which a machine plays on in place of who has left; None where it ends for both.

    Both must have agreed when it began, and the one who stays must be a person who has not left before. Whoever leaves by
    deleting the account takes along what they wrote, so the game can go on only as long as nobody has seen it.
    """
    place = ended.by
    if not game.machines_may_take_over or place is None or ended.reason not in ("resigned", "left", "time"):
        return None
    leaver, other = game.seats[place], game.seats[1 - place]
    if not other.human or leaver.taken_over or other.taken_over or (ended.reason == "left" and _has_opened(game)):
        return None
    seat = replace(leaver, ready=leaver.ready or now, taken_over=now)
    return replace(with_seat(game, place, seat), since=now, ending=ended)


def _has_opened(game: Game) -> bool:
    return all(seat.questions is not None for seat in game.seats)


def is_complete(game: Game) -> bool:
    """Whether both have guessed, so that it can be concluded."""
    return all(seat.guess is not None for seat in game.seats)


def conclude(game: Game, guesses: tuple[Sequence[float], Sequence[float]]) -> Game:
    """The finished game: ratings are revealed, and new ones made.

    Parameters
    ----------
    guesses: for each player all guesses of people in games that were finished before.

    Raises `IllegalMove` for a game that is not complete, or concluded already.
    """
    if game.verdicts is not None or not is_complete(game):
        raise IllegalMove("this game cannot be concluded")
    first, second = game.seats
    rates = not rates_nobody(game)
    return replace(game, verdicts=(_verdict(guesses[0], second, rates=rates), _verdict(guesses[1], first, rates=rates)))


def rates_nobody(game: Game) -> bool:
    """Whether no guess of this game counts, since a machine has taken over a seat."""
    return any(seat.taken_over for seat in game.seats)


def rating(guesses: Sequence[float]) -> float | None:
    """The mean of people's guesses; None where there are none yet. A machine's guess never counts.

    >>> rating([80, 90]), rating([])
    (85.0, None)
    """
    return fsum(guesses) / len(guesses) if guesses else None


def outcome(game: Game, place: Place) -> Literal["won", "lost", "tied", "first"]:
    """How a finished game ended for one player.

    Nearer in absolute distance wins. Against a newcomer, who has no rating yet, the veteran wins, and for the newcomer it was
    just the first game; two newcomers tie, and so do equal distances.
    """
    if game.verdicts is None:
        raise IllegalMove("this game is not finished")
    own, other = game.verdicts[place], game.verdicts[1 - place]
    if own.rating_before is None:
        return "tied" if other.rating_before is None else "first"
    if other.rating_before is None:
        return "won"
    distances = [abs((seat.guess or 0.0) - target) for seat, target in (
        (game.seats[place], other.rating_before), (game.seats[1 - place], own.rating_before)
    )]  # fmt: skip
    return "tied" if distances[0] == distances[1] else "won" if distances[0] < distances[1] else "lost"


@dataclass(frozen=True, slots=True)
class PlayerView:
    """What one player may see of a game."""

    phase: Phase
    yours: bool
    """Whether it is this player's turn."""
    own: Seat
    questions: tuple[str, ...] | None
    """The other's, once both have asked."""
    answers: tuple[str, ...] | None
    """The other's, once both have answered."""
    other_guess: float | None
    """Once the game is over."""
    own_verdict: RatingChange | None
    other_verdict: RatingChange | None
    other_human: bool | None
    """Told only once the game is over."""
    terms: GameTerms
    """Of the game."""
    ended: GameEnding | None = None
    """Why it has ended without a result, or why this player plays no longer."""
    other_taken_over: datetime | None = None
    """Since when a machine plays in place of the other player, who has left."""
    other_judgement: PersonOrMachine | None = None
    """What the other took this player for; once the game is over."""
    other_knew: bool = False
    """Whether the other has refused machines, and so was not asked; once the game is over."""


def view(game: Game, place: Place, now: datetime, *, machine: bool = False) -> PlayerView:
    """What one player may see at this time: nothing of the other's before both have finished the phase.

    Somebody whose seat was taken over sees no more of the game, which has ended for them; `machine` is what plays there.
    """
    own, other = game.seats[place], game.seats[1 - place]
    if own.taken_over and not machine:
        own = replace(own, questions=None, answers=None, sliders=None, guess=None, judgement=None)
        unseen: dict[str, Any] = dict.fromkeys(
            ("questions", "answers", "other_guess", "own_verdict", "other_verdict", "other_human")
        )
        return PlayerView(phase=Phase.EXPIRED, yours=False, own=own, **unseen, terms=game.terms, ended=game.left(place))
    over = game.verdicts is not None
    asked = all(seat.questions is not None for seat in game.seats)
    answered = all(seat.answers is not None for seat in game.seats)
    return PlayerView(
        phase=game.phase(now),
        yours=game.awaits(place, now, machine=machine),
        own=own,
        questions=other.questions if asked else None,
        answers=other.answers if answered else None,
        other_guess=other.guess if over else None,
        own_verdict=game.verdicts[place] if game.verdicts else None,
        other_verdict=game.verdicts[1 - place] if game.verdicts else None,
        other_human=other.human if over else None,
        terms=game.terms,
        ended=game.ended(now),
        other_taken_over=other.taken_over,
        other_judgement=other.judgement if over else None,
        other_knew=over and other.knows_human,
    )


def number(value: float, name: str) -> float:
    """A number from 0 to 100. Raises `BadInput`."""
    if not LOWEST <= value <= HIGHEST:
        raise BadInput(f"a {name} must be a number from 0 to 100")
    return float(value)


def says_something(text: str) -> bool:
    """Whether there is anything to see: neither blanks nor what has no shape, such as zero-width spaces, is.

    >>> says_something("?"), says_something(" \u200b"), says_something("\u3164")
    (True, False, False)
    """
    return any(not (c.isspace() or c in _BLANK or category(c) in ("Cc", "Cf")) for c in text)


def asks_something(text: str) -> bool:
    """Whether there is more to see than dots, which are no question.

    >>> asks_something("?"), asks_something(" ... ")
    (True, False)
    """
    return says_something(text.translate(_DOTS))


def suggested(sliders: Sequence[float | None]) -> float | None:
    """The guess that sliders suggest: the mean of those that were set; None where none was.

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
    for place, text in enumerate(texts, 1):
        if not (asks_something if name == "question" else says_something)(text):
            raise BadInput(f"{name} {place} is empty")
        if len(text) > terms.longest_text:
            raise BadInput(f"{name} {place} has {len(text)} characters: {terms.longest_text} is the most")
    return tuple(texts)


def _sliders(values: Sequence[float | None], terms: GameTerms) -> tuple[float | None, ...]:
    if not values:
        return (None,) * terms.questions
    if len(values) != terms.questions:
        raise BadInput(f"there must be {counted(terms.questions, 'slider')} in this game, untouched ones as none")
    return tuple(None if value is None else number(value, "slider") for value in values)


Words = tuple[str, str, str]
"""For who did it, for the other player, and for both where both did."""

_SAID: Final[dict[Reason | None, Words]] = {
    "resigned": ("You resigned", "The other player has resigned", "This game was given up"),
    "left": ("You have left the site", "The other player has left the site", "Both players have left the site"),
    "banned": ("The operator has closed this game",) * 3,
    "not ready": ("You were not there", "The other player was not there", "You were not there"),
    "time": (
        "The time ran out: you had not {moved}",
        "The time ran out: the other player had not {moved}",
        "The time ran out: neither of you had {moved}",
    ),
    None: ("This game has ended without a result",) * 3,
}
TAKEN_OVER: Final = "The other player has left. A machine plays on in their place"
PLAYED_ON: Final = "A machine plays on in your place"


def in_words(game: Game, ended: GameEnding, place: Place) -> str:
    """What the player at this place is told, without a full stop.

    >>> from datetime import UTC, datetime
    >>> from vivavoce.luna.rules import Seat
    >>> game = Game("1", (Seat("ann", True), Seat("bob", True)), datetime(2026, 1, 1, tzinfo=UTC))
    >>> in_words(game, GameEnding("resigned", 0), 0), in_words(game, GameEnding("resigned", 0), 1)
    ('You resigned', 'The other player has resigned')
    >>> in_words(game, GameEnding("time", 1), 0)
    'The time ran out: the other player had not asked'
    """
    own, other, both = _SAID[ended.reason]
    said = both if ended.by is None else own if ended.by == place else other
    return said.format(moved=_what_was_due(game))


def _what_was_due(game: Game) -> str:
    if any(seat.questions is None for seat in game.seats):
        return "asked"
    return "answered" if any(seat.answers is None for seat in game.seats) else "guessed"


def is_by(ended: GameEnding, place: Place) -> bool:
    """Whether it was this player, alone or with the other.

    >>> is_by(GameEnding("time", None), 0), is_by(GameEnding("time", 1), 0), is_by(GameEnding(None, None), 0)
    (True, False, False)
    """
    return ended.reason is not None and ended.by in (None, place)
