"""From the landing page to the first game: consent, guest, how it works; and the pages that stand still."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from vivavoce.web.pages import words
from vivavoce.web.pages.consent import TEXTS
from vivavoce.web.pages.visit import AnyVisit, Sent, Visit
from vivavoce.web.security.limits import Deed
from vivavoce.web.store import people, queue, tokens

router = APIRouter()
CONSENT_DAYS = 1 / 24
"""How long a consent waits for its account."""


@router.get("/")
def landing(visit: AnyVisit) -> Response:
    """What this is; players go on to their games."""
    if visit.player is not None and "said" not in visit.request.query_params:
        return visit.to("/home")
    return visit.page("landing", sample=words.SAMPLE)


@router.get("/consent")
def consent(visit: AnyVisit) -> Response:
    """What players agree to."""
    return visit.to("/home") if visit.has_agreed else _consent(visit)


@router.post("/consent")
def consented(visit: AnyVisit, form: Sent) -> Response:
    """Somebody agrees, and goes on as a guest, straight into a game or by the rules, or towards an account."""
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
    visit.count(Deed.SIGN_UP)
    plays = form.text("as") == "play"
    with visit.writing() as c:
        guest = people.create_guest(c, consent_version=visit.site.settings.consent_version, now=visit.now)
        token = tokens.open_session(c, guest, visit.now)
        if plays:
            queue.join_queue(c, guest, visit.now)
    return visit.enter(visit.to("/waiting" if plays else "/how-it-works"), token)


@router.get("/how-it-works")
def how_it_works(visit: AnyVisit) -> Response:
    """The rules."""
    return visit.page("how")


@router.get("/contact")
def contact(visit: AnyVisit) -> Response:
    """Who runs this."""
    return visit.page("contact")


@router.get("/privacy")
def privacy(visit: AnyVisit) -> Response:
    """What is kept of whom, and for how long."""
    return visit.page("privacy", **_text(visit))


def _consent(visit: Visit, status: int = 200, **more: Any) -> Response:
    values = {"problem": None, "ticked": {}} | more
    return visit.page("consent", status, **_text(visit), **values)


def _text(visit: Visit) -> dict[str, Any]:
    version = visit.site.settings.consent_version
    return {"consent": TEXTS[version], "consent_version": version}
