"""Home: a player's games, whose turn it is, and a new game."""

from __future__ import annotations

from math import ceil

from fastapi import APIRouter
from starlette.responses import Response

from vivavoce.luna.rules import Phase, in_words, outcome, view
from vivavoce.web.pages import words
from vivavoce.web.pages.visit import PlayersVisit, Sent
from vivavoce.web.security.limits import Deed
from vivavoce.web.store import games, queue

router = APIRouter()
SHOWN = 50
"""Finished games on the page; the profile has all."""


@router.get("/home")
def home(visit: PlayersVisit) -> Response:
    """All that goes on, what waits for the player first."""
    with visit.reading() as c:
        waiting = queue.waiting_since(c, visit.me)
        all_games = games.games_of(c, visit.me, visit.now)
    seen = [(game, view(game, place, visit.now), place) for game, place in all_games]
    return visit.page(
        "home",
        waiting=waiting,
        yours=[(game, words.to_do(what.phase, game.terms)) for game, what, _ in seen if what.yours],
        theirs=[
            (game, words.their_turn(what.phase, game.terms))
            for game, what, _ in seen
            if not what.yours and what.phase not in (Phase.OVER, Phase.EXPIRED)
        ],
        over=[(game, what, outcome(game, place)) for game, what, place in seen if what.phase is Phase.OVER][:SHOWN],
        ended=[(game, in_words(game, what.ended, place)) for game, what, place in seen if what.ended is not None][:SHOWN],
        outcomes=words.OUTCOMES,
    )


@router.post("/games")
def start(visit: PlayersVisit, form: Sent) -> Response:
    """A place in the queue: games begin at ticks."""
    visit.count(Deed.START, visit.me.id)
    with visit.writing() as c:
        queue.join_queue(c, visit.me, visit.now)
    return visit.to("/waiting")


@router.get("/waiting")
def waiting(visit: PlayersVisit) -> Response:
    """Until a game has begun, and then straight into it."""
    with visit.reading() as c:
        since = queue.waiting_since(c, visit.me)
        newest = games.games_of(c, visit.me, visit.now, open_only=True, limit=1)
    if since is not None:
        return visit.page("waiting", again=ceil(visit.site.settings.tick))
    new = [game.id for game, place in newest if game.phase(visit.now) is Phase.INTERVIEW and game.awaits(place, visit.now)]
    return visit.to(f"/games/{new[0]}" if new else "/home")


@router.post("/queue/leave")
def stop_waiting(visit: PlayersVisit, form: Sent) -> Response:
    """No game after all."""
    with visit.writing() as c:
        queue.leave_queue(c, visit.me)
    return visit.to("/home", "stopped")
