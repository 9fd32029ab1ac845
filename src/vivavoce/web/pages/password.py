"""The password of an account: changed by who knows it, and set again by who has forgotten it and reads the account's mail."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from vivavoce.errors import BadInput
from vivavoce.web.pages.accounts import CHANGED, proved
from vivavoce.web.pages.visit import AnyVisit, KnownVisit, Sent, Visit, with_password
from vivavoce.web.security import passwords
from vivavoce.web.security.limits import Deed
from vivavoce.web.store import accounts, people, tokens
from vivavoce.web.store.mails import RESET
from vivavoce.web.store.people import Player

router = APIRouter()
FORGOTTEN = "/password/forgotten"


@router.get("/account/password")
def password_form(visit: KnownVisit) -> Response:
    """Where another password is chosen."""
    return visit.page("password", problem=None) if visit.me.kind == "account" else visit.to("/account/new")


@router.post("/account/password")
@with_password
def change_password(visit: KnownVisit, form: Sent) -> Response:
    """Another password. All sessions end; this browser gets a new one."""
    if visit.me.kind != "account":
        return visit.to("/account/new")
    try:
        old, new = proved(visit, form.text("old")), passwords.hashed(form.text("new"))
        with visit.writing() as c:
            if not accounts.change_password(c, visit.me, old, new):
                raise BadInput(CHANGED)
            token = tokens.open_session(c, visit.me, visit.now)
    except BadInput as problem:
        return visit.page("password", 422, problem=str(problem))
    return visit.enter(visit.to("/profile", "password"), token)


@router.get(FORGOTTEN)
def forgotten_form(visit: AnyVisit) -> Response:
    """Where somebody who has forgotten the password gives the account's address."""
    return visit.page("forgotten", problem=None, email="", asked=False)


@router.post(FORGOTTEN)
def forgotten(visit: AnyVisit, form: Sent) -> Response:
    """A mail with a key, if an account has this address. The same is said and done for every address, in the same time."""
    email = form.text("email").strip()
    visit.count(Deed.ASK_FOR_KEY)
    try:
        address = people.checked_email(email)
    except BadInput as problem:
        return visit.page("forgotten", 422, problem=str(problem), email=email, asked=False)
    # silent where it is too often: then the last mails hold still
    if visit.mails and visit.site.limiter.allows(Deed.FORGET_PASSWORD_OF, address):
        with visit.writing() as c:
            accounts.ask_for_reset(c, address, visit.now)
    return visit.page("forgotten", problem=None, email=address, asked=True)


@router.get(RESET)
def reset_form(visit: AnyVisit, key: str = "") -> Response:
    """Where a new password is chosen. The key is worth as much after as before."""
    holder = _holder(visit, key)
    return _over(visit) if holder is None else visit.page("password_new", problem=None, key=key, holder=holder)


@router.post(RESET)
@with_password
def reset(visit: AnyVisit, form: Sent) -> Response:
    """A new password. All sessions end, and this browser's whosever it is: only the new password lets somebody in."""
    key = form.text("key")
    holder = _holder(visit, key)
    if holder is None:
        return _over(visit)
    try:
        password_hash = passwords.hashed(form.text("new"))
    except BadInput as problem:
        return visit.page("password_new", 422, problem=str(problem), key=key, holder=holder)
    with visit.writing() as c:
        done = accounts.reset_password(c, key, password_hash, visit.now)
        if done is not None and visit.session is not None:
            tokens.close_session(c, visit.session)
    return _over(visit) if done is None else visit.leave(visit.to("/sign-in", "reset"))


def _holder(visit: Visit, key: str) -> Player | None:
    visit.count(Deed.USE_KEY)
    with visit.writing() as c:
        return accounts.resets(c, key, visit.now)


def _over(visit: Visit) -> Response:
    return visit.to(FORGOTTEN, "key-over")
