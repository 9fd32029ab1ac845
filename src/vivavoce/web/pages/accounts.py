"""Pages for accounts: signing up and in, the confirmed address, and the password."""

from __future__ import annotations

from fastapi import APIRouter
from sqlalchemy import Connection
from starlette.exceptions import HTTPException
from starlette.responses import Response

from vivavoce.errors import BadInput
from vivavoce.web.mail import STOP, player_of
from vivavoce.web.pages.game_texts import TEXTS
from vivavoce.web.pages.request_context import AnyVisit, KnownVisit, PlayersVisit, SubmittedForm, Visit, with_password
from vivavoce.web.security import passwords
from vivavoce.web.security.limits import RateLimitedAction
from vivavoce.web.store import accounts, people
from vivavoce.web.store.mails import CONFIRM, RESET
from vivavoce.web.store.people import NameTaken, Player

router = APIRouter()
WRONG = "Wrong address or password."
CHANGED = "Your password has been changed. Sign in with the new one."


def mail_key(visit: Visit, c: Connection, player: Player) -> bool:
    """Mail a key to the player's unconfirmed address; returns whether there is one. Raises `TooOften`."""
    if not visit.mails or player.to_confirm is None:
        return False
    visit.count(RateLimitedAction.CONFIRM_AT, player.to_confirm)
    return accounts.ask_to_confirm(c, player, visit.now)


def proved(visit: Visit, given: str) -> str:
    """The password hash of the signed-in account, after a check of the password. Raises `BadInput`, `TooOften`."""
    visit.count(RateLimitedAction.SIGN_IN_AS, visit.me.id)
    with visit.reading() as c:
        stored = accounts.password_of(c, visit.me)
    if stored is None or not passwords.is_right(given, stored):
        raise BadInput("Wrong password.")
    return stored


@router.get("/account/new")
def new_account(visit: AnyVisit) -> Response:
    """The form for an account: for newcomers who have agreed, and for guests."""
    return _may_not(visit) or visit.page("account_new", problem=None, given={})


@router.post("/account/new")
@with_password
def make_account(visit: AnyVisit, form: SubmittedForm) -> Response:
    """Create an account with a session; a guest keeps games and rating."""
    refusal = _may_not(visit)
    if refusal is not None:
        return refusal
    visit.count(RateLimitedAction.SIGN_UP)
    given = {name: form.text(name) for name in ("name", "email")}
    try:
        password_hash = passwords.hashed(form.text("password"))
        with visit.writing() as c:
            if visit.player is None:
                version = visit.site.cookies.consent.read(visit.request) or ""
                player = people.create_account(c, **given, password_hash=password_hash, consent_version=version, now=visit.now)
            else:
                player = people.upgrade_guest(c, visit.player, **given, password_hash=password_hash)
                people.close_sessions(c, player)
            mail_key(visit, c, player)
            token = people.open_session(c, player, visit.now)
    except BadInput as problem:
        return visit.page("account_new", 422, problem=str(problem), given=given)
    welcome = visit.to("/how-it-works", "mailed" if visit.mails else None)
    return visit.enter(welcome if visit.player is None else visit.to("/home", "account"), token)


@router.get("/sign-in")
def sign_in_form(visit: AnyVisit) -> Response:
    """The sign-in form."""
    return visit.to("/home") if visit.player else visit.page("sign_in", problem=None, email="")


@router.post("/sign-in")
@with_password
def sign_in(visit: AnyVisit, form: SubmittedForm) -> Response:
    """A new session for a user who knows the password; every failure has the same words and takes the same time."""
    email = form.text("email").strip()
    visit.count(RateLimitedAction.SIGN_IN)
    visit.count(RateLimitedAction.SIGN_IN_AS, email.casefold()[: people.LONGEST_EMAIL])
    with visit.reading() as c:
        by_email = people.by_email(c, email)
    if not passwords.is_right(form.text("password"), by_email[1] if by_email else None) or by_email is None:
        return visit.page("sign_in", 422, problem=WRONG, email=email)
    with visit.writing() as c:
        if not accounts.is_still(c, *by_email):  # changed meanwhile, and all sessions have ended
            return visit.page("sign_in", 422, problem=WRONG, email=email)
        if visit.session is not None:
            people.close_session(c, visit.session)
        token = people.open_session(c, by_email[0], visit.now)
    return visit.enter(visit.to("/home"), token)


@router.post("/sign-out")
def sign_out(visit: AnyVisit, form: SubmittedForm) -> Response:
    """End this session, or all sessions of this player."""
    if visit.player is not None and visit.session is not None:
        with visit.writing() as c:
            if form.ticked("everywhere"):
                people.close_sessions(c, visit.player)
            else:
                people.close_session(c, visit.session)
    return visit.leave(visit.to("/", "signed-out"))


@router.post("/settings")
def settings(visit: PlayersVisit, form: SubmittedForm) -> Response:
    """A player's settings."""
    with visit.writing() as c:
        people.change_settings(
            c,
            visit.me,
            machines_may_step_in=form.ticked("machines"),
            mail_on_turn=form.ticked("mail"),
            seat_may_be_taken=form.ticked("seat"),
        )
    return visit.to("/profile", "settings")


@router.get("/account/delete")
def delete_form(visit: KnownVisit) -> Response:
    """Show what is deleted and what stays, and ask to confirm."""
    return visit.page("account_delete", problem=None)


@router.post("/account/delete")
@with_password
def delete(visit: KnownVisit, form: SubmittedForm) -> Response:
    """Delete the player and everything that the player wrote."""
    try:
        if not form.ticked("sure"):
            raise BadInput("To delete your account, tick the box.")
        if visit.me.kind == "account":
            proved(visit, form.text("password"))
    except BadInput as problem:
        return visit.page("account_delete", 422, problem=str(problem))
    with visit.writing() as c:
        accounts.delete_player(c, visit.me, visit.now)
    return visit.leave(visit.to("/", "deleted"))


def _may_not(visit: Visit) -> Response | None:
    """The redirect of a player who cannot create an account now."""
    if visit.player is not None:
        return None if visit.player.kind == "guest" else visit.to("/home")
    agreed = visit.site.cookies.consent.read(visit.request)
    return None if agreed in TEXTS else visit.to("/consent")


@router.get("/account/address")
def address_form(visit: KnownVisit) -> Response:
    """The form for another address."""
    return visit.page("address", problem=None, email="") if visit.me.kind == "account" else visit.to("/account/new")


@router.post("/account/address")
def change_address(visit: KnownVisit, form: SubmittedForm) -> Response:
    """Change the address; it replaces the old one once confirmed. The same address keeps it."""
    if visit.me.kind != "account":
        return visit.to("/account/new")
    email = form.text("email").strip()
    try:
        password_hash = proved(visit, form.text("password"))
        visit.count(RateLimitedAction.ASK_FOR_KEY)
        with visit.writing() as c:
            if not accounts.is_still(c, visit.me, password_hash):
                raise BadInput(CHANGED)
            mailed = mail_key(visit, c, accounts.want_address(c, visit.me, email))
    except BadInput as problem:
        return visit.page("address", 422, problem=str(problem), email=email)
    return visit.to("/profile", "mailed" if mailed else "address")


@router.post("/account/address/again")
def mail_again(visit: KnownVisit, form: SubmittedForm) -> Response:
    """Mail another key to the unconfirmed address."""
    visit.count(RateLimitedAction.ASK_FOR_KEY)
    with visit.writing() as c:
        mailed = mail_key(visit, c, visit.me)
    return visit.to("/profile", "mailed" if mailed else None)


@router.get(CONFIRM)
def confirm_form(visit: AnyVisit, key: str = "") -> Response:
    """A page with a button, so that mail programs that open links do not confirm an address."""
    visit.count(RateLimitedAction.USE_KEY)
    with visit.writing() as c:
        address = accounts.address_of(c, key, visit.now)
    if address is None:
        return _sent_on(visit, "key-over")
    return visit.page("address_confirm", key=key, holder=address[0], address=address[1])


@router.post(CONFIRM)
def confirm(visit: AnyVisit, form: SubmittedForm) -> Response:
    """Confirm the address. The key suffices, also without a session, since mail is often read on another device."""
    visit.count(RateLimitedAction.USE_KEY)
    try:
        with visit.writing() as c:
            done = accounts.confirm(c, form.text("key"), visit.now)
    except NameTaken:
        return _sent_on(visit, "address-taken")
    return _sent_on(visit, "key-over") if done is None else _sent_on(visit, "confirmed")


def _sent_on(visit: Visit, text: str) -> Response:
    return visit.to("/profile" if visit.player else "/sign-in", text)


@router.get(STOP)
def stop_form(visit: AnyVisit) -> Response:
    """A page with a button, so that mail programs that open links do not stop mails."""
    _player_id(visit)
    return visit.page("mail_stop", done=False, path=str(visit.request.url.path) + "?" + visit.request.url.query)


@router.post(STOP)
def stop(visit: AnyVisit) -> Response:
    """Stop mails. The signature in the link suffices: a mail program has no cookie and no CSRF token."""
    player_id = _player_id(visit)
    visit.count(RateLimitedAction.WRITE, player_id)
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


FORGOTTEN = "/password/forgotten"


@router.get("/account/password")
def password_form(visit: KnownVisit) -> Response:
    """The form for another password."""
    return visit.page("password", problem=None) if visit.me.kind == "account" else visit.to("/account/new")


@router.post("/account/password")
@with_password
def change_password(visit: KnownVisit, form: SubmittedForm) -> Response:
    """Change the password. All sessions end; this browser gets a new one."""
    if visit.me.kind != "account":
        return visit.to("/account/new")
    try:
        old, new = proved(visit, form.text("old")), passwords.hashed(form.text("new"))
        with visit.writing() as c:
            if not accounts.change_password(c, visit.me, old, new):
                raise BadInput(CHANGED)
            token = people.open_session(c, visit.me, visit.now)
    except BadInput as problem:
        return visit.page("password", 422, problem=str(problem))
    return visit.enter(visit.to("/profile", "password"), token)


@router.get(FORGOTTEN)
def forgotten_form(visit: AnyVisit) -> Response:
    """The form for a forgotten password."""
    return visit.page("forgotten", problem=None, email="", asked=False)


@router.post(FORGOTTEN)
def forgotten(visit: AnyVisit, form: SubmittedForm) -> Response:
    """Mail a key, if an account has this address. The reply and its time are the same for every address."""
    email = form.text("email").strip()
    visit.count(RateLimitedAction.ASK_FOR_KEY)
    try:
        address = people.checked_email(email)
    except BadInput as problem:
        return visit.page("forgotten", 422, problem=str(problem), email=email, asked=False)
    # no message if too frequent: the last mails are still valid
    if visit.mails and visit.site.limiter.allows(RateLimitedAction.FORGET_PASSWORD_OF, address):
        with visit.writing() as c:
            accounts.ask_for_reset(c, address, visit.now)
    return visit.page("forgotten", problem=None, email=address, asked=True)


@router.get(RESET)
def reset_form(visit: AnyVisit, key: str = "") -> Response:
    """The form for a new password. Showing it does not use up the key."""
    holder = _holder(visit, key)
    return _key_expired(visit) if holder is None else visit.page("password_new", problem=None, key=key, holder=holder)


@router.post(RESET)
@with_password
def reset(visit: AnyVisit, form: SubmittedForm) -> Response:
    """Set a new password. All sessions end, including this browser's: only the new password signs in."""
    key = form.text("key")
    holder = _holder(visit, key)
    if holder is None:
        return _key_expired(visit)
    try:
        password_hash = passwords.hashed(form.text("new"))
    except BadInput as problem:
        return visit.page("password_new", 422, problem=str(problem), key=key, holder=holder)
    with visit.writing() as c:
        done = accounts.reset_password(c, key, password_hash, visit.now)
        if done is not None and visit.session is not None:
            people.close_session(c, visit.session)
    return _key_expired(visit) if done is None else visit.leave(visit.to("/sign-in", "reset"))


def _holder(visit: Visit, key: str) -> Player | None:
    visit.count(RateLimitedAction.USE_KEY)
    with visit.writing() as c:
        return accounts.resets(c, key, visit.now)


def _key_expired(visit: Visit) -> Response:
    return visit.to(FORGOTTEN, "key-over")
