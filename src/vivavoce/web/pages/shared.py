"""Results that are shared: made by a form, seen by whoever has the address, withdrawn by a form."""

from __future__ import annotations

from hashlib import sha256

from fastapi import APIRouter, HTTPException
from starlette.responses import Response

from vivavoce.web.pages.picture import OUTCOMES, SIZE, picture, sentences
from vivavoce.web.pages.visit import AnyVisit, KnownVisit, PlayersVisit, Sent, Visit
from vivavoce.web.security.limits import Deed
from vivavoce.web.store import public_data

router = APIRouter()
KEPT = "public, max-age=600"
"""How long others may show a picture that was withdrawn meanwhile: ten minutes."""


@router.post("/games/{game_id}/share")
def share(game_id: str, visit: PlayersVisit, form: Sent) -> Response:
    """An address for this player's scores of a finished game."""
    visit.count(Deed.SHARE, visit.me.id)
    with visit.writing() as c:
        key = public_data.share(c, game_id, visit.me, visit.now)
    return visit.to(f"/shared/{key}", "shared")


@router.get("/shared/{key}.png")
def shared_picture(key: str, visit: AnyVisit) -> Response:
    """The scores as a picture."""
    visit.count(Deed.DRAW)
    png = picture(_found(visit, key).scores)
    headers = {"Cache-Control": KEPT, "ETag": f'"{sha256(png).hexdigest()[:16]}"', "X-Robots-Tag": "noindex"}
    if visit.request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    return Response(png, media_type="image/png", headers=headers)


@router.get("/shared/{key}")
def shared(key: str, visit: AnyVisit) -> Response:
    """The scores, and what to do with them for whose they are."""
    visit.count(Deed.DRAW)
    found = _found(visit, key)
    mine = visit.player is not None and visit.player.id == found.owner
    return visit.page(
        "shared",
        key=key,
        url=f"{visit.site.settings.base_url}/shared/{key}",
        size=SIZE,
        outcome=OUTCOMES[found.scores.outcome],
        sentences=sentences(found.scores),
        game_id=found.game if mine else None,
    )


@router.post("/shared/{key}/withdraw")
def withdraw(key: str, visit: KnownVisit, form: Sent) -> Response:
    """Nobody sees it any more."""
    with visit.writing() as c:
        public_data.withdraw(c, key, visit.me)
    return visit.to("/home", "withdrawn")


def _found(visit: Visit, key: str) -> public_data.Shared:
    with visit.reading() as c:
        found = public_data.shared(c, key)
    if found is None:
        raise HTTPException(404)
    return found
