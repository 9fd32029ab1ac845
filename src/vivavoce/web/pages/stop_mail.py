"""The link at the foot of each mail: a page with one button, which mail programs may also press by themselves (RFC 8058)."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.responses import Response

from vivavoce.web.mail import STOP, player_of
from vivavoce.web.pages.visit import AnyVisit, Visit
from vivavoce.web.security.limits import Deed
from vivavoce.web.store import people

router = APIRouter()


@router.get(STOP)
def stop_form(visit: AnyVisit) -> Response:
    """The button. Nothing is done before it is pressed: programs that look at links in mails must not stop them."""
    _player_id(visit)
    return visit.page("mail_stop", done=False, path=str(visit.request.url.path) + "?" + visit.request.url.query)


@router.post(STOP)
def stop(visit: AnyVisit) -> Response:
    """No more mail. The signature in the link is what allows it: a mail program has no cookie, and sends no token of ours."""
    player_id = _player_id(visit)
    visit.count(Deed.WRITE, player_id)
    with visit.writing() as c:
        player = people.player(c, player_id)
        if player is not None:
            people.change_settings(c, player, machines_may_step_in=player.machines_may_step_in, mail_on_turn=False)
    return visit.page("mail_stop", done=True, path="")


def _player_id(visit: Visit) -> str:
    player = player_of(visit.site.settings.secret, visit.request.query_params.get("for", ""))
    if player is None:
        raise HTTPException(404)
    return player
