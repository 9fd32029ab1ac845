"""The address of an account: it is confirmed by a mailed key, can be changed, and can be sent no more mail.

The link at the foot of each mail leads to a page with one button, which mail programs may press by themselves (RFC 8058).
"""

from __future__ import annotations

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.responses import Response

from vivavoce.errors import BadInput
from vivavoce.web.mail import STOP, player_of
from vivavoce.web.pages.accounts import CHANGED, mail_key, proved
from vivavoce.web.pages.visit import AnyVisit, KnownVisit, Sent, Visit
from vivavoce.web.security.limits import Deed
from vivavoce.web.store import accounts, people
from vivavoce.web.store.mails import CONFIRM
from vivavoce.web.store.people import Taken

router = APIRouter()


@router.get("/account/address")
def address_form(visit: KnownVisit) -> Response:
    """Where another address is given."""
    return visit.page("address", problem=None, email="") if visit.me.kind == "account" else visit.to("/account/new")


@router.post("/account/address")
def change_address(visit: KnownVisit, form: Sent) -> Response:
    """Another address, which takes the place of the old one once it is confirmed; the same one, to keep it."""
    if visit.me.kind != "account":
        return visit.to("/account/new")
    email = form.text("email").strip()
    try:
        password_hash = proved(visit, form.text("password"))
        visit.count(Deed.ASK_FOR_KEY)
        with visit.writing() as c:
            if not accounts.is_still(c, visit.me, password_hash):
                raise BadInput(CHANGED)
            mailed = mail_key(visit, c, accounts.want_address(c, visit.me, email))
    except BadInput as problem:
        return visit.page("address", 422, problem=str(problem), email=email)
    return visit.to("/profile", "mailed" if mailed else "address")


@router.post("/account/address/again")
def mail_again(visit: KnownVisit, form: Sent) -> Response:
    """Another mail with a key, to the address that is yet to be confirmed."""
    visit.count(Deed.ASK_FOR_KEY)
    with visit.writing() as c:
        mailed = mail_key(visit, c, visit.me)
    return visit.to("/profile", "mailed" if mailed else None)


@router.get(CONFIRM)
def confirm_form(visit: AnyVisit, key: str = "") -> Response:
    """The button. Nothing is done before it is pressed: programs that look at links in mails must not confirm them."""
    visit.count(Deed.USE_KEY)
    with visit.writing() as c:
        found = accounts.address_of(c, key, visit.now)
    if found is None:
        return _over(visit)
    return visit.page("address_confirm", key=key, holder=found[0], address=found[1])


@router.post(CONFIRM)
def confirm(visit: AnyVisit, form: Sent) -> Response:
    """The address is confirmed. The key allows it, no matter who is signed in: mail is often read on another device."""
    visit.count(Deed.USE_KEY)
    try:
        with visit.writing() as c:
            done = accounts.confirm(c, form.text("key"), visit.now)
    except Taken:
        return _sent_on(visit, "address-taken")
    return _over(visit) if done is None else _sent_on(visit, "confirmed")


def _over(visit: Visit) -> Response:
    return _sent_on(visit, "key-over")


def _sent_on(visit: Visit, said: str) -> Response:
    return visit.to("/profile" if visit.player else "/sign-in", said)


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
