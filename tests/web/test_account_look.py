"""Pages about accounts in a real browser: on a phone, for a finger, for a screen reader; and whom it tells of a mailed key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from tests.web.chromium import Place, check_axe, check_fits, each_page, opened
from tests.web.site import Browser, Running, forget, running
from vivavoce.web.database import transaction
from vivavoce.web.store import tokens
from vivavoce.web.store.accounts import confirm
from vivavoce.web.store.people import by_email

if TYPE_CHECKING:
    from playwright.sync_api import Browser as Chromium
    from playwright.sync_api import Request

pytestmark = pytest.mark.browser
UNLIKE = ("/password/forgotten?said=key-over", "reset", "/account/address", "/profile unconfirmed")
PASSWORD = "four words in a row"
LONG = "somebody.with.a.rather.long.name@a.long.host.of.the.university.example.org"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("site")) as it:
        yield it


def link(site: Running, purpose: tokens.Purpose, email: str) -> str:
    """As a mail has it."""
    with transaction(site.engine) as c:
        found = by_email(c, email)
        assert found is not None
        key = tokens.new_key(c, purpose, found[0].id, email, site.clock())
    return f"{'/password/new' if purpose == 'reset' else '/account/address/confirm'}?key={key}"


def account(site: Running, email: str, *, confirmed: bool) -> Browser:
    browser = Browser(site.url).sign_up(f"Somebody at {email}"[:40], email, PASSWORD)
    if confirmed:
        key = link(site, "confirm", email).partition("key=")[2]
        with transaction(site.engine) as c:
            assert confirm(c, key, site.clock())
    return browser


@pytest.fixture(scope="module")
def places(site: Running) -> list[Place]:
    """Every page about accounts, and who may see it."""
    forget(site)
    ann, bob = account(site, LONG, confirmed=False), account(site, "bob@example.org", confirmed=True)
    cy = account(site, "cy@example.org", confirmed=True)
    cy.get("/account/address")
    cy.send("/account/address", {"email": f"new.{LONG}", "password": PASSWORD})
    assert "is not confirmed yet" in cy.words, cy.words
    strangers = {
        path: (None, path) for path in ("/password/forgotten", "/password/forgotten?said=key-over", "/sign-in?said=reset")
    }
    links = {"reset": (None, link(site, "reset", "bob@example.org")), "confirm": (None, link(site, "confirm", LONG))}
    changes = {path: (bob, path) for path in ("/account/address", "/account/password", "/profile?said=password")}
    unconfirmed = {f"{path} unconfirmed": (ann, path) for path in ("/profile", "/home")}
    pending = {f"{path} pending": (cy, path) for path in ("/profile", "/account/password")}
    everywhere = {**strangers, **links, **changes, **unconfirmed, **pending}
    return [(name, who, path) for name, (who, path) in everywhere.items()]


@pytest.mark.slow
def test_pages_fit_a_phone_and_a_finger(chromium: Chromium, site: Running, places: list[Place]) -> None:
    forget(site)
    for name, page in each_page(chromium, site, places):
        check_fits(page, name, 320, 390)


@pytest.mark.long
def test_pages_that_are_unlike_fit_and_axe_finds_no_fault(chromium: Chromium, site: Running, places: list[Place]) -> None:
    some = [place for place in places if place[0] in UNLIKE]
    assert len(some) == len(UNLIKE)
    check_each(chromium, site, some, "light", 320, 390)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_fault(chromium: Chromium, site: Running, places: list[Place], scheme: str) -> None:
    check_each(chromium, site, places, scheme)


def check_each(chromium: Chromium, site: Running, places: list[Place], scheme: Any, *widths: int) -> None:
    """Axe finds no fault on these."""
    forget(site)
    for name, page in each_page(chromium, site, places, color_scheme=scheme):
        check_fits(page, name, *widths)
        check_axe(page, name, scheme)


@pytest.mark.slow
@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_a_password_is_set_anew_and_its_key_told_to_nobody(chromium: Chromium, site: Running, script: bool) -> None:
    forget(site)
    email = f"forgetful.{script}@example.org".lower()
    account(site, email, confirmed=True)
    path = link(site, "reset", email)
    asked: list[Request] = []
    options: dict[str, Any] = {"java_script_enabled": script}
    with opened(chromium, site, **options) as page:
        page.on("request", lambda request: asked.append(request))
        page.goto("/sign-in")
        page.get_by_role("link", name="Forgotten your password?").click()
        page.get_by_label("E-mail address").fill(email)
        page.get_by_role("button", name="Send the link").click()
        page.get_by_role("heading", name="Check your mail").wait_for()
        del asked[:]
        page.goto(path)
        page.get_by_label("New password").fill("aaaaaaaaaa")
        page.get_by_role("button", name="Set the password").click()
        page.locator("#problem").wait_for()
        page.get_by_label("New password").fill("another row of words")
        page.get_by_role("button", name="Set the password").click()
        page.get_by_text("Your password is changed").wait_for()
        page.get_by_role("link", name="How it works").click()
        page.get_by_role("heading", name="How it works").wait_for()
        paths = {urlsplit(request.url).path for request in asked}
        referers = [request.all_headers().get("referer", "") for request in asked]
    assert {"/password/new", "/sign-in", "/how-it-works", "/static/site.css"} <= paths
    assert any(referers)
    assert path.partition("key=")[2] not in "".join(referers)
