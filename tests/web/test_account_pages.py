"""Guests, accounts, and how they leave, on a real server."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from tests.web.site import ANSWERS, Browser, LiveSite, forget, pair, play_out, running
from vivavoce.web.database import transaction


def test_a_guest_is_remembered_for_sixty_days_of_absence(tmp_path: Path) -> None:
    with running(tmp_path) as site:
        guest = Browser(site.url).join()
        name = guest.get("/profile").text
        returning = Browser(site.url)
        returning.client.cookies.update(guest.client.cookies)
        site.clock.ahead = timedelta(days=59)
        forget(site)  # that the browser was here a moment ago
        assert returning.get("/profile").text[:400] == name[:400]
        site.clock.ahead += timedelta(days=59)  # counted from the last visit
        returning.get("/profile")
        assert returning.path == "/profile"
        site.clock.ahead += timedelta(days=61)
        returning.get("/profile")
        assert returning.path == "/"


def test_the_profile_promises_what_machines_really_do(site: LiveSite) -> None:
    guest = Browser(site.url).join()
    guest.get("/profile")
    # whoever allows it may play one in any game; no machine goes on with the game of former player: it expires
    assert "I play machines, too. (Otherwise I play people only" in guest.words
    assert "who left" not in guest.words


def test_an_account_signs_in_from_anywhere(site: LiveSite) -> None:
    ann = Browser(site.url).sign_up("Ann", "Ann@Example.org", "four words in a row")
    assert ann.path == "/how-it-works"
    ann.get("/profile")
    ann.send("/sign-out")
    assert "You are signed out" in ann.words
    ann.get("/home")
    assert ann.path == "/"
    elsewhere = Browser(site.url)
    elsewhere.get("/sign-in")
    elsewhere.send("/sign-in", {"email": "ann@example.org", "password": "four words in a low"})
    assert elsewhere.status == 422
    assert "do not belong together" in elsewhere.words
    elsewhere.send("/sign-in", {"email": " ANN@example.org", "password": "four words in a row"})
    assert elsewhere.path == "/home"


@pytest.mark.long
def test_a_guest_takes_games_and_rating_along_into_an_account(site: LiveSite) -> None:
    ann, bob, game = pair(site.url)
    play_out(ann, bob, game, ("60", "75"))
    ann.get("/account/new")
    ann.send("/account/new", {"name": "Anna", "email": "no address", "password": "four words in a row"})
    assert ann.status == 422
    assert 'value="Anna"' in ann.page
    ann.send("/account/new", {"name": "Anna", "email": "anna@example.org", "password": "short"})
    assert "at least 10 characters" in ann.words
    ann.send("/account/new", {"name": "Anna", "email": "anna@example.org", "password": "four words in a row"})
    assert "You have an account now" in ann.words
    ann.get("/profile")
    assert "Anna Your rating is 75" in ann.words
    ann.get(game)
    assert "They guessed 75" in ann.words


def test_settings_are_kept(site: LiveSite) -> None:
    ann = Browser(site.url).sign_up("Settled", "settled@example.org", "four words in a row")
    ann.get("/profile")
    assert ann.page.count(" checked") == 2
    ann.send("/settings", {"mail": "on"})
    assert "Your settings are saved" in ann.words
    assert ann.page.count(" checked") == 1


@pytest.mark.long
def test_who_leaves_takes_all_texts_along(site: LiveSite) -> None:
    ann, bob, game = pair(site.url)
    play_out(ann, bob, game, ("60", "75"))
    bob.get(game)
    assert ANSWERS[0] in bob.words
    bob.get("/account/delete")
    bob.send("/account/delete")
    assert "Tick the box" in bob.words
    bob.send("/account/delete", {"sure": "on"})
    assert "Your account is deleted" in bob.words
    bob.get("/home")
    assert bob.path == "/"
    ann.get("/profile")
    assert "Your rating is 75" in ann.words  # what bob guessed stays
    ann.get(game)
    assert ann.status == 200


def test_an_account_is_deleted_only_with_its_password(site: LiveSite) -> None:
    ann = Browser(site.url).sign_up("Leaver", "leaver@example.org", "four words in a row")
    ann.get("/account/delete")
    ann.send("/account/delete", {"sure": "on", "password": "not the password"})
    assert "This is not your password" in ann.words
    ann.send("/account/delete", {"sure": "on", "password": "four words in a row"})
    assert "Your account is deleted" in ann.words


def test_who_agreed_to_an_older_text_is_asked_again(tmp_path: Path) -> None:
    with running(tmp_path) as site:
        ann = Browser(site.url).join()
        with transaction(site.app.state.site.engine) as c:
            c.execute(text("UPDATE players SET consent = '0'"))
        ann.get("/home")
        assert ann.path == "/consent"
        assert "This text has changed since you agreed to it" in ann.words
        ann.get("/account/delete")
        assert ann.path == "/account/delete"  # leaving is always possible
        ann.send("/consent")
        assert ann.status == 422
        ann.send("/consent", {"adult": "on", "release": "on"})
        assert ann.path == "/home"
