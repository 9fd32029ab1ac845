"""What a player has done so far, and how all players stand."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from vivavoce.web.pages import words
from vivavoce.web.pages.course import course
from vivavoce.web.pages.visit import AnyVisit, PlayersVisit
from vivavoce.web.store import ratings, shown

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
        counts = shown.counts(c, visit.now)
        revealed = visit.site.settings.reveal_distribution
        standings = ratings.leaderboard(c, least_games=LEAST_GAMES) if revealed else None
    return visit.page("leaderboard", standings=standings, least_games=LEAST_GAMES, counts=counts)


@router.get("/questions")
def questions(visit: AnyVisit) -> Response:
    """The best questions of those who let them be shown."""
    with visit.reading() as c:
        found = shown.questions(c, visit.now)
    bounds = {"least": shown.LEAST_MARKS, "per_player": shown.PER_PLAYER, "longest": shown.LONGEST}
    return visit.page("questions", found=found, **bounds)
