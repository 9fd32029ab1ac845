"""What a machine is told: its own view of a game, and nothing of the other player's before its time."""

from __future__ import annotations

from datetime import datetime

from vivavoce.luna.interface import GameNow, OneOfGames, Own, Result
from vivavoce.luna.reading import sendable
from vivavoce.luna.rules import Game, Place, outcome, view


def one_of_games(game: Game, place: Place, now: datetime) -> OneOfGames:
    """A game in a list."""
    return OneOfGames(game.id, game.phase(now).value, game.awaits(place, now), game.expires)


def game_now(game: Game, place: Place, now: datetime) -> GameNow:
    """A game as the player at this place may see it."""
    seen = view(game, place, now)
    own = Own(_texts(seen.own.questions), _texts(seen.own.answers), seen.own.sliders, seen.own.guess)
    return GameNow(
        id=game.id,
        phase=seen.phase.value,
        your_turn=seen.yours,
        expires=game.expires,
        own=own,
        questions=_texts(seen.questions),
        answers=_texts(seen.answers),
        result=_result(game, place, now),
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
    )


def _texts(texts: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """Texts that JSON can carry, whatever a browser has sent."""
    return None if texts is None else tuple(map(sendable, texts))
