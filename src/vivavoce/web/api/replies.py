"""What a machine is told: its own view of a game, and nothing of the other player's before its time."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from vivavoce.luna.endings import is_by
from vivavoce.luna.interface import Ended, GameNow, Judged, OneOfGames, Own, Result, Rules
from vivavoce.luna.reading import sendable
from vivavoce.luna.rules import Answered, Asked, Game, Guessed, Judgement, Move, Place, outcome, view


def one_of_games(game: Game, place: Place, now: datetime, held: Move | None) -> OneOfGames:
    """A game in a list."""
    return OneOfGames(game.id, view(game, place, now).phase.value, held is None and game.awaits(place, now), game.expires)


def game_now(game: Game, place: Place, now: datetime, held: Move | None) -> GameNow:
    """A game as the machine at this place may see it.

    held: the machine's move that is held back. To the machine it is made; what opens by it opens when it is due.
    """
    seen = view(game, place, now)
    own = Own(
        _texts(seen.own.questions), _texts(seen.own.answers), seen.own.sliders, seen.own.guess, _judged(seen.own.judgement)
    )
    match held:
        case Asked(questions):
            own = replace(own, questions=questions)
        case Answered(answers):
            own = replace(own, answers=answers)
        case Guessed(guess, sliders, judgement):
            marks = sliders or (None,) * game.terms.questions
            own = replace(own, guess=guess, sliders=marks, judgement=_judged(judgement))
    return GameNow(
        id=game.id,
        phase=seen.phase.value,
        your_turn=held is None and seen.yours,
        expires=game.expires,
        own=own,
        questions=_texts(seen.questions),
        answers=_texts(seen.answers),
        result=_result(game, place, now),
        rules=Rules.of(game.terms),
        ended=None if seen.ended is None else Ended(seen.ended.reason, is_by(seen.ended, place)),
        taken_over=game.seats[place].taken_over,
    )


def _result(game: Game, place: Place, now: datetime) -> Result | None:
    seen = view(game, place, now)
    if seen.own_verdict is None or seen.other_verdict is None or seen.other_guess is None:
        return None
    return Result(
        outcome=outcome(game, place),
        rating_before=seen.own_verdict.rating_before,
        rating_after=seen.own_verdict.rating_after,
        other_rating=seen.other_verdict.rating_before,
        other_guess=seen.other_guess,
        other_human=bool(seen.other_human),
        judgement=_judged(seen.own.judgement),
        other_judgement=_judged(seen.other_judgement),
    )


def _judged(said: Judgement | None) -> Judged | None:
    return None if said is None else Judged(said.human, said.confidence)


def _texts(texts: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """Texts that JSON can carry, whatever a browser has sent."""
    return None if texts is None else tuple(map(sendable, texts))
