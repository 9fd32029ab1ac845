"""The operator's pages about players: all of them, one of them, who seems to guess by a rule, and what is done about it.

What is done is told before: how many guesses begin or cease to count, and how far which ratings move. Then it is confirmed; if
it would change something else by now, it is told again instead.
"""

from __future__ import annotations

from typing import Final, cast

from fastapi.routing import APIRouter
from starlette.exceptions import HTTPException
from starlette.responses import Response

from vivavoce.errors import UnknownName
from vivavoce.luna.guessers import ALPHA
from vivavoce.web.pages.course import picture
from vivavoce.web.pages.operator import OperatorsVisit
from vivavoce.web.pages.visit import Sent, Visit
from vivavoce.web.security.limits import Deed
from vivavoce.web.store.guessers import FlaggedPlayer, flagged
from vivavoce.web.store.roster import ListedPlayer, Order, guesses_given, listed_player, reports_of, roster
from vivavoce.web.store.sanctions import SANCTIONS, Sanction, carry_out, foreseen

router = APIRouter()
ORDERS: Final = {"newest": "Newest first", "flags": "Most flagged first"}
MOST_PAGES: Final = 1_000_000
IN_TABLE: Final = 100
"""Guesses of a player, and ratings that a deed changes, that a page lists."""


@router.get("/operator/players")
def players(visit: OperatorsVisit, search: str = "", order: str = "newest", page: int = 1) -> Response:
    """All players, a page at a time."""
    visit.count(Deed.OVERSEE, "operator")
    by = cast(Order, order) if order in ORDERS else "newest"
    with visit.reading() as c:
        rules = _rules(flagged(c)) if by == "flags" else {}
        found = roster(c, search=search, order=by, page=min(page, MOST_PAGES), flagged=rules)
    return visit.page("operator_players", roster=found, search=search, order=by, orders=ORDERS, rules=rules)


@router.get("/operator/players/{player}")
def one_player(visit: OperatorsVisit, player: str) -> Response:
    """Everything about one player. Raises 404 for nobody."""
    visit.count(Deed.OVERSEE, "operator")
    with visit.reading() as c:
        found = listed_player(c, player)
        if found is None:
            raise HTTPException(404)
        given, reports = guesses_given(c, player), reports_of(c, player)
        evidence = [line for one in flagged(c, with_voided_of=player) if one.id == player for line in one.statements]
    return visit.page(
        "operator_player",
        one=found,
        given=given,
        picture=picture(given),
        reports=reports,
        evidence=evidence,
        actions=_open_to(found),
        sanctions=SANCTIONS,
        alpha=ALPHA,
        most=IN_TABLE,
    )


@router.get("/operator/players/{player}/{sanction}")
def before(visit: OperatorsVisit, player: str, sanction: str) -> Response:
    """What a deed would change. Raises 404 for what cannot be done, and for nobody."""
    return _told(visit, player, _known(sanction))


@router.post("/operator/players/{player}/{sanction}")
def after(visit: OperatorsVisit, form: Sent, player: str, sanction: str) -> Response:
    """Do it, and tell what it has changed; if that is no more what the operator was told, tell it again instead."""
    deed = _known(sanction)
    with visit.writing() as c:
        told = str(foreseen(c, deed, player).guesses) == form.text("guesses")
        found = carry_out(c, deed, player, visit.now) if told else None
    if found is None:
        return _told(visit, player, deed, 409)
    return visit.page("operator_done", found=found, words=SANCTIONS[deed], most=IN_TABLE)


@router.get("/operator/flags")
def flags(visit: OperatorsVisit) -> Response:
    """Who seems to guess by a rule; it reads all games."""
    visit.count(Deed.OVERSEE, "operator")
    with visit.reading() as c:
        found = [(one, foreseen(c, "void", one.id)) for one in flagged(c)]
    return visit.page("operator_flags", flagged=found, alpha=ALPHA, sanctions=SANCTIONS)


@router.get("/operator/guessers")
def guessers(visit: OperatorsVisit) -> Response:
    """Where the flags were before."""
    return visit.to("/operator/flags")


def _told(visit: Visit, player: str, sanction: Sanction, status: int = 200) -> Response:
    try:
        with visit.reading() as c:
            found = foreseen(c, sanction, player)
    except UnknownName:
        raise HTTPException(404) from None
    changed = "This would change something else by now: look again." if status == 409 else None
    return visit.page("operator_before", status, found=found, words=SANCTIONS[sanction], problem=changed, most=IN_TABLE)


def _known(sanction: str) -> Sanction:
    if sanction not in SANCTIONS:
        raise HTTPException(404)
    return cast(Sanction, sanction)


def _rules(found: list[FlaggedPlayer]) -> dict[str, int]:
    return {one.id: len(one.statements) for one in found}


def _open_to(player: ListedPlayer) -> tuple[Sanction, ...]:
    """What can be done about a player who stands as this one does."""
    counts, voided = player.given > player.voided, player.voided > 0
    if player.banned:
        return (*(("void",) if counts else ()), "unban", *(("restore",) if voided else ()))
    shut_out: tuple[Sanction, ...] = () if player.left else ("ban",)
    both: tuple[Sanction, ...] = ("ban-and-void",) if counts and not player.left else ()
    return (*shut_out, *both, *(("void",) if counts else ()), *(("restore",) if voided else ()))
