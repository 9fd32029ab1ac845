"""What a player has done so far, and how all players stand."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from vivavoce.web.pages import words
from vivavoce.web.pages.course import course
from vivavoce.web.pages.visit import AnyVisit, PlayersVisit
from vivavoce.web.store import ratings

router = APIRouter()
LEAST_GAMES = 3
"""Finished games of those who are listed: below that a rating says little."""


@router.get("/profile")
def profile(visit: PlayersVisit) -> Response:
    """A player's rating, its history, and settings."""
    with visit.reading() as c:
        rating, guesses = ratings.rating_of(c, visit.me.id)
        history = ratings.history(c, visit.me.id)
    counts = {name: sum(point.outcome == name for point in history) for name in words.OUTCOMES}
    return visit.page(
        "profile",
        rating=rating,
        guesses=guesses,
        history=history,
        counts=counts,
        outcomes=words.OUTCOMES,
        course=course(history),
    )


@router.get("/leaderboard")
def leaderboard(visit: AnyVisit) -> Response:
    """How all players stand, where the operator shows it: who knows how ratings are spread can guess without reading."""
    if not visit.site.settings.reveal_distribution:
        return visit.page("leaderboard", standings=None, least_games=LEAST_GAMES)
    with visit.reading() as c:
        standings = ratings.leaderboard(c, least_games=LEAST_GAMES)
    return visit.page("leaderboard", standings=standings, least_games=LEAST_GAMES)
