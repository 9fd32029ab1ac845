"""A game's page in each phase, and the moves."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from vivavoce.errors import BadInput
from vivavoce.luna.endings import PLAYED_ON, TAKEN_OVER, in_words
from vivavoce.luna.rules import (
    LEAST_SURE,
    READY_WITHIN,
    Answered,
    Asked,
    Game,
    Guessed,
    IllegalMove,
    Judgement,
    Move,
    Phase,
    Place,
    outcome,
    suggested,
    view,
)
from vivavoce.web.pages import words
from vivavoce.web.pages.forms import Form, number
from vivavoce.web.pages.visit import PlayersVisit, Sent, Visit
from vivavoce.web.security.limits import Deed
from vivavoce.web.store import games, moves, queue, reports

router = APIRouter()
TEMPLATES = {Phase.INTERVIEW: "game_interview", Phase.RESPONSE: "game_response", Phase.GUESS: "game_guess"}
FIELDS = {Phase.INTERVIEW: "question", Phase.RESPONSE: "answer", Phase.GUESS: "slider"}
ALONE = ("guess", "who", "sure")
"""Fields of the guess beside the sliders."""
WHO = {"person": True, "machine": False}


@router.get("/games/{game_id}")
def game_page(game_id: str, visit: PlayersVisit) -> Response:
    """The game as this player may see it now."""
    with visit.reading() as c:
        game, place = games.load(c, game_id, visit.me)
        draft = games.draft(c, game_id, visit.me)
        waits = queue.waiting_since(c, visit.me)
    ended = game.ended(visit.now)
    if ended is not None and ended.reason == "not ready" and ended.by == 1 - place and waits is not None:
        return visit.to("/waiting", "not-there")
    return _show(visit, game, place, draft)


@router.post("/games/{game_id}/report")
def report(game_id: str, visit: PlayersVisit, form: Sent) -> Response:
    """Tell the operator of what the other player wrote."""
    visit.count(Deed.REPORT, visit.me.id)
    with visit.writing() as c:
        reports.report(c, game_id, visit.me, form.text("reason"), visit.now)
    return visit.to(f"/games/{game_id}", "reported")


@router.post("/games/{game_id}/resign")
def resign(game_id: str, visit: PlayersVisit, form: Sent) -> Response:
    """Give up the game."""
    visit.count(Deed.WRITE, visit.me.id)
    try:
        with visit.writing() as c:
            moves.resign(c, game_id, visit.me, visit.now)
    except IllegalMove:
        return visit.to(f"/games/{game_id}", "moved-on")
    return visit.to(f"/games/{game_id}")


@router.post("/games/{game_id}/ready")
def ready(game_id: str, visit: PlayersVisit, form: Sent) -> Response:
    """The player is there."""
    visit.count(Deed.WRITE, visit.me.id)
    with visit.writing() as c:
        moves.ready(c, game_id, visit.me, visit.now)
    return visit.to(f"/games/{game_id}")


@router.post("/games/{game_id}/{phase}")
def move(game_id: str, phase: Phase, visit: PlayersVisit, form: Sent) -> Response:
    """What the player sends in one phase: a move, or a draft where the button says so."""
    visit.count(Deed.WRITE, visit.me.id)
    fields = _fields(visit, game_id, form, phase)
    here = f"/games/{game_id}"
    if form.ticked("draft"):
        _save(visit, game_id, fields)
        return visit.to(here, "saved")
    try:
        made = _made(visit, game_id, fields, phase)
        if made is None:
            return _suggest(visit, game_id, fields)
        with visit.writing() as c:
            moves.make_move(c, game_id, visit.me, made, visit.now)
    except IllegalMove:
        return visit.to(here, "moved-on")
    except BadInput as problem:
        with visit.reading() as c:
            game, place = games.load(c, game_id, visit.me)
        return _show(visit, game, place, fields, problem=str(problem), status=422)
    return visit.to(here)


@router.put("/games/{game_id}/{phase}/draft")
def keep_draft(game_id: str, phase: Phase, visit: PlayersVisit, form: Sent) -> Response:
    """What the page's script saves while the player types."""
    visit.count(Deed.WRITE, visit.me.id)
    _save(visit, game_id, _fields(visit, game_id, form, phase))
    return Response(status_code=204)


def _fields(visit: Visit, game_id: str, form: Form, phase: Phase) -> dict[str, str]:
    """What the form has for this phase: as many fields as this game has questions."""
    if phase not in FIELDS:
        raise BadInput("This game has no such phase.")
    with visit.reading() as c:
        game, _ = games.load(c, game_id, visit.me)
    fields = form.numbered(FIELDS[phase], game.terms.questions)
    return fields | {name: form.text(name) for name in ALONE} if phase is Phase.GUESS else fields


def _save(visit: Visit, game_id: str, fields: Mapping[str, str]) -> None:
    with visit.writing() as c:
        longest = games.longest_draft(games.load(c, game_id, visit.me)[0].terms)
        kept = {name: text[:longest] for name, text in fields.items()}
        games.save_draft(c, game_id, visit.me, kept, visit.now)


def _made(visit: Visit, game_id: str, fields: Mapping[str, str], phase: Phase) -> Move | None:
    """The move that the fields make; None for sliders without a guess, which want to be asked back about."""
    if phase is Phase.INTERVIEW:
        return Asked(tuple(fields.values()))
    if phase is Phase.RESPONSE:
        return Answered(tuple(fields.values()))
    with visit.reading() as c:
        game, place = games.load(c, game_id, visit.me)
    if game.phase(visit.now) is not Phase.GUESS or not game.awaits(place, visit.now):
        raise IllegalMove("this part of the game is done already")
    guess = number(fields["guess"], "guess")
    marks = [text for name, text in fields.items() if name not in ALONE]
    sliders = tuple(number(text, f"mark of answer {place}") for place, text in enumerate(marks, 1))
    if guess is None and suggested(sliders) is not None:
        return None
    if guess is None:
        raise BadInput("Write a guess from 0 to 100.")
    return Guessed(guess, sliders, None if game.seats[place].knows_human else _judgement(fields))


def _judgement(fields: Mapping[str, str]) -> Judgement:
    """Whom a player takes the other for. Who accepts machines is asked; who refuses them knows."""
    if fields["who"] not in WHO:
        raise BadInput("Say whether the other player is a person or a machine.")
    sure = number(fields["sure"], "confidence", least=LEAST_SURE)
    if sure is None:
        raise BadInput("Say how sure you are, from 50 (a coin) to 100 percent.")
    return Judgement(WHO[fields["who"]], sure)


def _suggest(visit: Visit, game_id: str, fields: dict[str, str]) -> Response:
    """The guess page again, with the guess that the sliders suggest filled in."""
    _save(visit, game_id, fields)
    with visit.reading() as c:
        game, place = games.load(c, game_id, visit.me)
    guess = suggested([number(text, name) for name, text in fields.items() if name not in ALONE])
    assert guess is not None
    marks = "mark suggests" if game.terms.questions == 1 else "marks suggest"
    problem = f"Your {marks} the guess below. Change it or keep it, and send it."
    return _show(visit, game, place, fields | {"guess": f"{guess:.0f}"}, problem=problem, status=422)


def _show(
    visit: Visit, game: Game, place: Place, fields: Mapping[str, str], *, problem: str | None = None, status: int = 200
) -> Response:
    what = view(game, place, visit.now)
    values: dict[str, Any] = {"game": game, "view": what, "ready_until": _ready_until(game, place), "taken_over": TAKEN_OVER}
    values |= {"fields": fields, "problem": problem, "hints": words.hints(what.phase, game.terms)}
    if what.yours:
        return visit.page(TEMPLATES[what.phase], status, **values)
    if what.phase is Phase.OVER:
        won = outcome(game, place)
        return visit.page("game_over", status, outcome=won, outcomes=words.OUTCOMES, **values)
    if what.ended is not None:
        said = in_words(game, what.ended, place)
        return visit.page("game_expired", status, said=said, played_on=PLAYED_ON if game.left(place) else None, **values)
    values |= {"theirs": words.their_turn(what.phase, game.terms), "meanwhile": words.meanwhile(what.phase, game.terms)}
    return visit.page("game_wait", status, **values)


def _ready_until(game: Game, place: Place) -> datetime | None:
    """Until when the player has to say that they are there; None for one who has, or need not."""
    return None if game.begun is None or game.seats[place].ready is not None else game.begun + READY_WITHIN
