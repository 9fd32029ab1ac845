"""Accounts: making one, signing in and out, settings, and leaving for good."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from vivavoce.errors import BadInput
from vivavoce.web.pages.consent import TEXTS
from vivavoce.web.pages.forms import Form
from vivavoce.web.pages.visit import AnyVisit, KnownVisit, PlayersVisit, Sent, Visit
from vivavoce.web.security import passwords
from vivavoce.web.security.limits import Deed
from vivavoce.web.store import people, sessions

router = APIRouter()
WRONG = "This address and this password do not belong together."


@router.get("/account/new")
def new_account(visit: AnyVisit) -> Response:
    """The form for an account: for newcomers who have agreed, and for guests."""
    return _may_not(visit) or visit.page("account_new", problem=None, given={})


@router.post("/account/new")
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
                version = visit.site.cookies.read(visit.request, "consent") or ""
                player = people.create_account(c, **given, password_hash=password_hash, consent_version=version, now=visit.now)
            else:
                player = people.upgrade_guest(c, visit.player, **given, password_hash=password_hash)
                sessions.close_all(c, player)
            token = sessions.open_session(c, player, visit.now)
    except BadInput as problem:
        return visit.page("account_new", 422, problem=str(problem), given=given)
    return visit.enter(visit.to("/how-it-works") if visit.player is None else visit.to("/home", "account"), token)


@router.get("/sign-in")
def sign_in_form(visit: AnyVisit) -> Response:
    """For those who have an account."""
    return visit.to("/home") if visit.player else visit.page("sign_in", problem=None, email="")


@router.post("/sign-in")
def sign_in(visit: AnyVisit, form: Sent) -> Response:
    """A new session for whoever knows the password; the same words and the same time for every failure."""
    email = form.text("email").strip()
    visit.count(Deed.SIGN_IN)
    visit.count(Deed.SIGN_IN_AS, email.casefold()[: people.LONGEST_EMAIL])
    with visit.reading() as c:
        found = people.by_email(c, email)
    if not passwords.is_right(form.text("password"), found[1] if found else None) or found is None:
        return visit.page("sign_in", 422, problem=WRONG, email=email)
    with visit.writing() as c:
        if visit.session is not None:
            sessions.close_session(c, visit.session)
        token = sessions.open_session(c, found[0], visit.now)
    return visit.enter(visit.to("/home"), token)


@router.post("/sign-out")
def sign_out(visit: AnyVisit, form: Sent) -> Response:
    """The end of this session, or of all sessions of this player."""
    if visit.player is not None and visit.session is not None:
        with visit.writing() as c:
            if form.ticked("everywhere"):
                sessions.close_all(c, visit.player)
            else:
                sessions.close_session(c, visit.session)
    return visit.leave(visit.to("/", "signed-out"))


@router.post("/settings")
def settings(visit: PlayersVisit, form: Sent) -> Response:
    """What a player wants."""
    with visit.writing() as c:
        people.change_settings(c, visit.me, machines_may_step_in=form.ticked("machines"), mail_on_turn=form.ticked("mail"))
    return visit.to("/profile", "settings")


@router.get("/account/delete")
def delete_form(visit: KnownVisit) -> Response:
    """What goes and what stays, before it is too late."""
    return visit.page("account_delete", problem=None)


@router.post("/account/delete")
def delete(visit: KnownVisit, form: Sent) -> Response:
    """Withdrawal: all that the player wrote, and the player."""
    problem = _delete_problem(visit, form)
    if problem is not None:
        return visit.page("account_delete", 422, problem=problem)
    with visit.writing() as c:
        people.delete_player(c, visit.me, visit.now)
    return visit.leave(visit.to("/", "deleted"))


def _delete_problem(visit: Visit, form: Form) -> str | None:
    if not form.ticked("sure"):
        return "Tick the box if you are sure."
    if visit.me.email is None:
        return None
    visit.count(Deed.SIGN_IN_AS, visit.me.id)
    with visit.reading() as c:
        found = people.by_email(c, visit.me.email)
    return None if found and passwords.is_right(form.text("password"), found[1]) else "This is not your password."


def _may_not(visit: Visit) -> Response | None:
    """Where somebody is sent who cannot make an account now."""
    if visit.player is not None:
        return None if visit.player.kind == "guest" else visit.to("/home")
    agreed = visit.site.cookies.read(visit.request, "consent")
    return None if agreed in TEXTS else visit.to("/consent")
