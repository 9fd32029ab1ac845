"""Accounts: making one, signing in and out, settings, and leaving for good."""

from __future__ import annotations

from fastapi import APIRouter
from sqlalchemy import Connection
from starlette.responses import Response

from vivavoce.errors import BadInput
from vivavoce.web.pages.consent import TEXTS
from vivavoce.web.pages.visit import AnyVisit, KnownVisit, PlayersVisit, Sent, Visit, with_password
from vivavoce.web.security import passwords
from vivavoce.web.security.limits import Deed
from vivavoce.web.store import accounts, people, tokens
from vivavoce.web.store.people import Player

router = APIRouter()
WRONG = "This address and this password do not belong together."
CHANGED = "Your password was changed meanwhile. Sign in with the new one."


def mail_key(visit: Visit, c: Connection, player: Player) -> bool:
    """Mail a key to the address that is yet to be confirmed, if there is one; whether one is mailed. Raises `TooOften`."""
    if not visit.mails or player.to_confirm is None:
        return False
    visit.count(Deed.CONFIRM_AT, player.to_confirm)
    return accounts.ask_to_confirm(c, player, visit.now)


def proved(visit: Visit, given: str) -> str:
    """The hash of the password of the account that is signed in, for who knows it. Raises `BadInput`, `TooOften`."""
    visit.count(Deed.SIGN_IN_AS, visit.me.id)
    with visit.reading() as c:
        stored = accounts.password_of(c, visit.me)
    if stored is None or not passwords.is_right(given, stored):
        raise BadInput("This is not your password.")
    return stored


@router.get("/account/new")
def new_account(visit: AnyVisit) -> Response:
    """The form for an account: for newcomers who have agreed, and for guests."""
    return _may_not(visit) or visit.page("account_new", problem=None, given={})


@router.post("/account/new")
@with_password
def make_account(visit: AnyVisit, form: Sent) -> Response:
    """An account, with a session of its own; a guest's games and rating come along."""
    refusal = _may_not(visit)
    if refusal is not None:
        return refusal
    visit.count(Deed.SIGN_UP)
    given = {name: form.text(name) for name in ("name", "email")}
    try:
        password_hash = passwords.hashed(form.text("password"))
        with visit.writing() as c:
            if visit.player is None:
                version = visit.site.cookies.consent.read(visit.request) or ""
                player = people.create_account(c, **given, password_hash=password_hash, consent_version=version, now=visit.now)
            else:
                player = people.upgrade_guest(c, visit.player, **given, password_hash=password_hash)
                tokens.close_sessions(c, player)
            mail_key(visit, c, player)
            token = tokens.open_session(c, player, visit.now)
    except BadInput as problem:
        return visit.page("account_new", 422, problem=str(problem), given=given)
    welcome = visit.to("/how-it-works", "mailed" if visit.mails else None)
    return visit.enter(welcome if visit.player is None else visit.to("/home", "account"), token)


@router.get("/sign-in")
def sign_in_form(visit: AnyVisit) -> Response:
    """For those who have an account."""
    return visit.to("/home") if visit.player else visit.page("sign_in", problem=None, email="")


@router.post("/sign-in")
@with_password
def sign_in(visit: AnyVisit, form: Sent) -> Response:
    """A new session for a user who knows the password; the same words and the same time for every failure."""
    email = form.text("email").strip()
    visit.count(Deed.SIGN_IN)
    visit.count(Deed.SIGN_IN_AS, email.casefold()[: people.LONGEST_EMAIL])
    with visit.reading() as c:
        found = people.by_email(c, email)
    if not passwords.is_right(form.text("password"), found[1] if found else None) or found is None:
        return visit.page("sign_in", 422, problem=WRONG, email=email)
    with visit.writing() as c:
        if not accounts.is_still(c, *found):  # changed meanwhile, and all sessions ended
            return visit.page("sign_in", 422, problem=WRONG, email=email)
        if visit.session is not None:
            tokens.close_session(c, visit.session)
        token = tokens.open_session(c, found[0], visit.now)
    return visit.enter(visit.to("/home"), token)


@router.post("/sign-out")
def sign_out(visit: AnyVisit, form: Sent) -> Response:
    """The end of this session, or of all sessions of this player."""
    if visit.player is not None and visit.session is not None:
        with visit.writing() as c:
            if form.ticked("everywhere"):
                tokens.close_sessions(c, visit.player)
            else:
                tokens.close_session(c, visit.session)
    return visit.leave(visit.to("/", "signed-out"))


@router.post("/settings")
def settings(visit: PlayersVisit, form: Sent) -> Response:
    """What a player wants."""
    with visit.writing() as c:
        people.change_settings(
            c,
            visit.me,
            machines_may_step_in=form.ticked("machines"),
            mail_on_turn=form.ticked("mail"),
            seat_may_be_taken=form.ticked("seat"),
        )
        people.show_questions(c, visit.me, form.ticked("questions"))
    return visit.to("/profile", "settings")


@router.get("/account/delete")
def delete_form(visit: KnownVisit) -> Response:
    """What goes and what stays, before it is too late."""
    return visit.page("account_delete", problem=None)


@router.post("/account/delete")
@with_password
def delete(visit: KnownVisit, form: Sent) -> Response:
    """Withdrawal: all that the player wrote, and the player."""
    try:
        if not form.ticked("sure"):
            raise BadInput("Tick the box if you are sure.")
        if visit.me.kind == "account":
            proved(visit, form.text("password"))
    except BadInput as problem:
        return visit.page("account_delete", 422, problem=str(problem))
    with visit.writing() as c:
        accounts.delete_player(c, visit.me, visit.now)
    return visit.leave(visit.to("/", "deleted"))


def _may_not(visit: Visit) -> Response | None:
    """Where somebody is sent who cannot make an account now."""
    if visit.player is not None:
        return None if visit.player.kind == "guest" else visit.to("/home")
    agreed = visit.site.cookies.consent.read(visit.request)
    return None if agreed in TEXTS else visit.to("/consent")
