"""What a player has done so far, and how all players stand."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from vivavoce.web.pages import words
from vivavoce.web.pages.course import course
from vivavoce.web.pages.visit import AnyVisit, PlayersVisit
from vivavoce.web.store import public_data, ratings

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
    with visit.reading() as c:
        counts = public_data.counts(c, visit.now)
        revealed = visit.site.settings.reveal_distribution
        standings = ratings.leaderboard(c, least_games=LEAST_GAMES) if revealed else None
    return visit.page("leaderboard", standings=standings, least_games=LEAST_GAMES, counts=counts)


@router.get("/questions")
def questions(visit: AnyVisit) -> Response:
    """The best questions of those who let them be shown."""
    with visit.reading() as c:
        found = public_data.questions(c, visit.now)
    bounds = {"least": public_data.LEAST_MARKS, "per_player": public_data.PER_PLAYER, "longest": public_data.LONGEST}
    return visit.page("questions", found=found, **bounds)
