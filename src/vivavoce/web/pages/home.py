"""Pages around games: landing page, consent, home, waiting room, profile, leaderboard, and charts of a player's ratings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from statistics import median
from typing import Any, Final

from fastapi import APIRouter
from starlette.responses import Response

from vivavoce.luna.rules import Phase, outcome, view
from vivavoce.web.pages import game_texts
from vivavoce.web.pages.game_texts import TEXTS
from vivavoce.web.pages.request_context import AnyVisit, PlayersVisit, SubmittedForm, Visit
from vivavoce.web.security.limits import RateLimitedAction
from vivavoce.web.store import games, people, queue, ratings
from vivavoce.web.store.games import in_words
from vivavoce.web.store.ratings import GivenGuess, RatingPoint

WIDTH: Final = 600
HEIGHT: Final = 220
GUESSES_HEIGHT: Final = 180
LEFT: Final = 44
"""Width of the axis labels, in SVG units."""
EDGE: Final = 12
FEWEST: Final = 2
"""Fewest ratings for a chart."""

Ticks = tuple[tuple[float, int], ...]
"""Height and number of each line of the grid."""


@dataclass(frozen=True, slots=True)
class GuessMark:
    """One guess about the player."""

    x: float
    y: float
    human: bool


@dataclass(frozen=True, slots=True)
class RatingChart:
    """The chart of a rating."""

    line: str
    """Points of the rating, in SVG syntax."""
    marks: Sequence[GuessMark]
    ticks: Ticks
    alt: str


@dataclass(frozen=True, slots=True)
class GivenGuessMark:
    """One guess that the player made."""

    x: float
    y: float
    counts: bool
    truth: float | None
    """Height of the true rating; None for a newcomer's."""


@dataclass(frozen=True, slots=True)
class GuessChart:
    """The chart of guesses."""

    guesses: tuple[GivenGuessMark, ...]
    ticks: Ticks
    alt: str


def rating_chart(history: Sequence[RatingPoint]) -> RatingChart | None:
    """The rating after each game as a line, and each guess as a mark; None for too few games."""
    rated = [(index, point.rating_after) for index, point in enumerate(history) if point.rating_after is not None]
    if len(rated) < FEWEST:
        return None
    step = (WIDTH - LEFT - 2 * EDGE) / (len(history) - 1)
    line = " ".join(f"{LEFT + EDGE + position * step:.1f},{_height(rating):.1f}" for position, rating in rated)
    marks = [GuessMark(round(LEFT + EDGE + position * step, 1), _height(point.guess), point.by_human and not point.voided)
             for position, point in enumerate(history)]  # fmt: skip
    alt = f"Your rating after each of {len(history)} games: first {rated[0][1]:.1f}, now {rated[-1][1]:.1f}."
    return RatingChart(line, marks, tuple((_height(tick), tick) for tick in (0, 25, 50, 75, 100)), alt)


def guess_chart(given: Sequence[GivenGuess]) -> GuessChart | None:
    """The guesses from left to right, oldest first; None without guesses.

    given: oldest first.
    """
    if not given:
        return None
    room = WIDTH - LEFT - 2 * EDGE
    step = min(24.0, room / max(1, len(given) - 1))  # keep few guesses close together
    marks = tuple(
        GivenGuessMark(
            round(LEFT + EDGE + index * step, 1),
            _height(guess.guess, GUESSES_HEIGHT),
            guess.counts,
            None if guess.rating is None else _height(guess.rating, GUESSES_HEIGHT),
        )
        for index, guess in enumerate(given)
    )
    values = [guess.guess for guess in given]
    ends = f"from {min(values):.0f} to {max(values):.0f}, in the middle {median(values):.0f}"
    number = f"{len(values)} guess{'es' if len(values) != 1 else ''}"
    ticks = tuple((_height(tick, GUESSES_HEIGHT), tick) for tick in (0, 50, 100))
    return GuessChart(marks, ticks, f"{number}, {ends}.")


def _height(value: float, height: int = HEIGHT) -> float:
    return round(EDGE + (height - 2 * EDGE) * (1 - value / 100), 1)


router = APIRouter()
CONSENT_DAYS = 1 / 24
"""Days for which a consent without an account is valid."""


@router.get("/")
def landing(visit: AnyVisit) -> Response:
    """The landing page; players are redirected to their games."""
    if visit.player is not None and "said" not in visit.request.query_params:
        return visit.to("/home")
    return visit.page("landing", sample=game_texts.SAMPLE)


@router.get("/consent")
def consent(visit: AnyVisit) -> Response:
    """The consent page."""
    return visit.to("/home") if visit.has_agreed else _consent(visit)


@router.post("/consent")
def consented(visit: AnyVisit, form: SubmittedForm) -> Response:
    """Record the consent; continue as a guest, to a game or the rules, or to a new account."""
    if visit.has_agreed:
        return visit.to("/home")
    if not (form.ticked("adult") and form.ticked("release")):
        return _consent(visit, 422, problem="To play, tick both boxes.", ticked=form.fields)
    if visit.player:
        with visit.writing() as c:
            people.agree(c, visit.player, consent_version=visit.site.settings.consent_version, now=visit.now)
        return visit.to("/home")
    if form.text("as") == "account":
        agreed = visit.site.settings.consent_version
        return visit.site.cookies.consent.write(visit.to("/account/new"), agreed, days=CONSENT_DAYS)
    visit.count(RateLimitedAction.SIGN_UP)
    plays = form.text("as") == "play"
    with visit.writing() as c:
        guest = people.create_guest(c, consent_version=visit.site.settings.consent_version, now=visit.now)
        token = people.open_session(c, guest, visit.now)
        if plays:
            queue.join_queue(c, guest, visit.now)
    return visit.enter(visit.to("/waiting" if plays else "/how-it-works"), token)


@router.get("/how-it-works")
def how_it_works(visit: AnyVisit) -> Response:
    """The rules of the game."""
    return visit.page("how")


@router.get("/contact")
def contact(visit: AnyVisit) -> Response:
    """The contact page."""
    return visit.page("contact")


@router.get("/privacy")
def privacy(visit: AnyVisit) -> Response:
    """The privacy page."""
    return visit.page("privacy", **_text(visit))


def _consent(visit: Visit, status: int = 200, **more: Any) -> Response:
    values = {"problem": None, "ticked": {}} | more
    return visit.page("consent", status, **_text(visit), **values)


def _text(visit: Visit) -> dict[str, Any]:
    version = visit.site.settings.consent_version
    return {"consent": TEXTS[version], "consent_version": version}


SHOWN = 50
"""Finished games on the page; the profile lists all."""


@router.get("/home")
def home(visit: PlayersVisit) -> Response:
    """A player's games; those that wait for the player come first."""
    with visit.reading() as c:
        waiting = queue.waiting_since(c, visit.me)
        all_games = games.games_of(c, visit.me, visit.now)
    seen = [(game, view(game, position, visit.now), position) for game, position in all_games]
    return visit.page(
        "home",
        waiting=waiting,
        yours=[(game, game_texts.to_do(what.phase, game.terms)) for game, what, _ in seen if what.yours],
        theirs=[
            (game, game_texts.their_turn(what.phase, game.terms))
            for game, what, _ in seen
            if not what.yours and what.phase not in (Phase.OVER, Phase.EXPIRED)
        ],
        over=[(game, what, outcome(game, position)) for game, what, position in seen if what.phase is Phase.OVER][:SHOWN],
        ended=[(game, in_words(game, what.ended, position)) for game, what, position in seen if what.ended is not None][:SHOWN],
        outcomes=game_texts.OUTCOMES,
    )


@router.post("/games")
def start(visit: PlayersVisit, form: SubmittedForm) -> Response:
    """Join the queue; games start at ticks."""
    visit.count(RateLimitedAction.START, visit.me.id)
    with visit.writing() as c:
        queue.join_queue(c, visit.me, visit.now)
    return visit.to("/waiting")


@router.get("/waiting")
def waiting(visit: PlayersVisit) -> Response:
    """The waiting page, which opens the game once it has started."""
    with visit.reading() as c:
        since = queue.waiting_since(c, visit.me)
        newest = games.games_of(c, visit.me, visit.now, open_only=True, limit=1)
    if since is not None:
        return visit.page("waiting", again=ceil(visit.site.settings.tick))
    new = [
        game.id for game, position in newest if game.phase(visit.now) is Phase.INTERVIEW and game.awaits(position, visit.now)
    ]
    return visit.to(f"/games/{new[0]}" if new else "/home")


@router.post("/queue/leave")
def stop_waiting(visit: PlayersVisit, form: SubmittedForm) -> Response:
    """Leave the queue."""
    with visit.writing() as c:
        queue.leave_queue(c, visit.me)
    return visit.to("/home", "stopped")


LEAST_GAMES = 3
"""Fewest finished games for the leaderboard; with fewer, a rating is too uncertain."""


@router.get("/profile")
def profile(visit: PlayersVisit) -> Response:
    """A player's rating, its history, and settings."""
    with visit.reading() as c:
        rating, guesses = ratings.rating_of(c, visit.me.id)
        history = ratings.history(c, visit.me.id)
    counts = {name: sum(point.outcome == name for point in history) for name in game_texts.OUTCOMES}
    return visit.page(
        "profile",
        rating=rating,
        guesses=guesses,
        history=history,
        counts=counts,
        outcomes=game_texts.OUTCOMES,
        rating_chart=rating_chart(history),
    )


@router.get("/leaderboard")
def leaderboard(visit: AnyVisit) -> Response:
    """The leaderboard, if the operator shows it: anyone who knows the distribution can guess without reading."""
    with visit.reading() as c:
        counts = ratings.counts(c, visit.now)
        revealed = visit.site.settings.reveal_distribution
        standings = ratings.leaderboard(c, least_games=LEAST_GAMES) if revealed else None
    return visit.page("leaderboard", standings=standings, least_games=LEAST_GAMES, counts=counts)
