"""Pages around the game and of accounts, as a browser without a script sees them."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import Literal

import pytest
from sqlalchemy import text, update

from tests.web.site import (
    ANSWERS,
    PASSWORD,
    LiveSite,
    ScriptlessBrowser,
    eventually,
    forget,
    guest_of,
    pair,
    play_out,
    running,
)
from vivavoce.web.database import transaction
from vivavoce.web.settings import MailSettings
from vivavoce.web.tables import PLAYERS


def test_two_clicks_lead_from_the_landing_page_to_the_first_question(site: LiveSite) -> None:
    waiting = guest_of(site)
    waiting.start()
    browser = ScriptlessBrowser(site.url)
    browser.get("/")
    assert 'href="/consent"' in browser.page
    browser.get("/consent")  # 1: Play
    browser.send("/consent", {"adult": "on", "release": "on", "as": "play"})  # 2: Play now
    assert eventually(lambda: browser.get("/waiting").url.path != "/waiting")  # unless the two were paired meanwhile
    assert "Question 1" in browser.words
    assert len(re.findall("<textarea[^>]* name=", browser.page)) == 5


def test_a_sample_game_opens_without_a_script_and_says_that_it_is_one(site: LiveSite) -> None:
    browser = ScriptlessBrowser(site.url)
    browser.get("/")
    assert "A sample game, made up by us" in browser.words
    assert browser.page.count("<details") == browser.page.count("<summary>") == 3
    assert "The other player was a person" in browser.words


def test_nobody_plays_without_agreeing(site: LiveSite) -> None:
    browser = ScriptlessBrowser(site.url)
    for fields in ({}, {"adult": "on"}, {"release": "on"}):
        browser.submit("/consent", {"as": "guest", **fields})
        assert browser.status == 422
        assert "tick both boxes" in browser.words
    browser.get("/account/new")
    assert browser.path == "/consent"
    browser.get("/home")
    assert browser.path == "/"
    assert "You need to be a player for that" in browser.words


def test_waiting_is_said_gently_and_can_be_stopped(site: LiveSite) -> None:
    ann = guest_of(site)
    ann.start()
    assert ann.path == "/waiting"
    assert "Looking for another player" in ann.words
    assert '<noscript><meta http-equiv="refresh" content="1"></noscript>' in ann.page  # it looks again by itself
    ann.send("/queue/leave")
    assert "You are no longer waiting" in ann.words
    assert "Looking for another player" not in ann.words


@pytest.mark.long
def test_no_mail_is_promised_that_will_not_come(tmp_path: Path) -> None:
    ways: tuple[tuple[Literal["console", "none"], bool], ...] = (("console", False), ("console", True), ("none", True))
    for number, (mail, confirmed) in enumerate(ways):
        folder = tmp_path / str(number)
        folder.mkdir()
        with running(folder, mail=MailSettings(how=mail)) as site:
            bob, ann = (guest_of(site), ScriptlessBrowser(site.url).sign_up("Ann", "ann@example.org", PASSWORD))
            if confirmed:
                with transaction(site.engine) as c:
                    c.execute(update(PLAYERS).values(email_confirmed=site.clock()))
            ann.start()
            assert ann.path == "/waiting"
            assert ("a mail will tell you when it is your turn" in ann.words) is (mail != "none" and confirmed)
            bob.get("/home")
            assert ("to get a mail when it is your turn" in bob.words) is (mail != "none")
            assert ("a mail tells you" in ScriptlessBrowser(site.url).get("/consent").text) is (mail != "none")


@pytest.mark.long
def test_ratings_are_face_down_unless_the_operator_shows_them(site: LiveSite, tmp_path: Path) -> None:
    for visitor in (ScriptlessBrowser(site.url), guest_of(site)):
        visitor.get("/leaderboard")
        assert "Ratings are hidden" in visitor.words
        assert "<table" not in visitor.page
    with running(tmp_path, reveal_distribution=True) as open_site:
        ann, bob = guest_of(open_site), guest_of(open_site)
        for guesses in (("60", "75"), ("63", "91"), ("61", "83")):
            ann.start()
            play_out(ann, bob, bob.begin_game(), guesses)
        ann.get("/leaderboard")
        # mean (75 + 91 + 83) / 3 = 83, standard error 8 / sqrt 3, t = 4.303 with 2 degrees of freedom: 83 +- 19.9
        assert "83 [63.1, 100]" in ann.words.replace("  ", " ") or "83 [63.1, 100]" in ann.words


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/nothing", 404, "Page not found"),
        ("/games/" + "0" * 32, 404, "Page not found"),
        ("/games/" + "x" * 3_000, 404, "Page not found"),
        ("/games/%00%ff", 404, "Page not found"),
        ("/games/a/interview", 405, "Not possible here"),
        ("/events?after=x", 404, "Page not found"),
    ],
)
def test_errors_are_pages_that_help(site: LiveSite, path: str, status: int, words: str) -> None:
    browser = guest_of(site)
    browser.get(path)
    assert browser.status == status
    assert words in browser.words
    assert "Traceback" not in browser.page


def test_every_page_has_its_landmarks_and_each_field_a_label(site: LiveSite) -> None:
    ann, bob, game = pair(site)
    pages = ["/", "/consent", "/how-it-works", "/home", "/profile", "/leaderboard", "/contact", "/privacy", "/account/new",
             "/account/delete", game, "/nothing"]  # fmt: skip
    for path in (*pages, "response", "guess", "over"):
        if path == "response":
            for browser in (ann, bob):
                browser.ask(game)
        if path == "guess":
            for browser in (ann, bob):
                browser.answer(game)
        if path == "over":
            for browser in (ann, bob):
                browser.guess(game, "50")
        ann.get(game if path in ("response", "guess", "over") else path)
        page = ann.page
        assert page.count("<main ") == page.count("<h1>") == page.count('<html lang="en">') == 1, path
        assert re.search(r'class="skip" href="#main".*<header>.*<nav aria-label.*<main id="main"', page, re.DOTALL)
        assert re.search(r"<title>.+ · Luna</title>", page)
        for field in re.findall(r'<(?:input|textarea)(?![^>]*type="hidden")[^>]*\bid="([^"]+)"', page):
            assert f'<label for="{field}"' in page, (path, field)
        assert not re.search(r'\son\w+="|\sstyle="|<script>|(?:src|href)="(?:https?:)?//', page), path


def test_a_guest_is_remembered_for_sixty_days_of_absence(tmp_path: Path) -> None:
    with running(tmp_path) as site:
        guest = guest_of(site)
        name = guest.get("/profile").text
        returning = ScriptlessBrowser(site.url)
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
    guest = guest_of(site)
    guest.get("/profile")
    # whoever allows it may play one in any game; no machine goes on with the game of former player: it expires
    assert "I play machines, too. (Otherwise I play people only" in guest.words
    assert "who left" not in guest.words


def test_an_account_signs_in_from_anywhere(site: LiveSite) -> None:
    ann = ScriptlessBrowser(site.url).sign_up("Ann", "Ann@Example.org", PASSWORD)
    assert ann.path == "/how-it-works"
    ann.get("/profile")
    ann.send("/sign-out")
    assert "You are signed out" in ann.words
    ann.get("/home")
    assert ann.path == "/"
    elsewhere = ScriptlessBrowser(site.url)
    elsewhere.submit("/sign-in", {"email": "ann@example.org", "password": "four words in a low"})
    assert elsewhere.status == 422
    assert "Wrong address or password" in elsewhere.words
    elsewhere.send("/sign-in", {"email": " ANN@example.org", "password": PASSWORD})
    assert elsewhere.path == "/home"


@pytest.mark.long
def test_a_guest_takes_games_and_rating_along_into_an_account(site: LiveSite) -> None:
    ann, bob, game = pair(site)
    play_out(ann, bob, game, ("60", "75"))
    ann.submit("/account/new", {"name": "Anna", "email": "no address", "password": PASSWORD})
    assert ann.status == 422
    assert 'value="Anna"' in ann.page
    ann.send("/account/new", {"name": "Anna", "email": "anna@example.org", "password": "short"})
    assert "at least 10 characters" in ann.words
    ann.send("/account/new", {"name": "Anna", "email": "anna@example.org", "password": PASSWORD})
    assert "You have an account now" in ann.words
    ann.get("/profile")
    assert "Anna Your rating is 75" in ann.words
    ann.get(game)
    assert "They guessed 75" in ann.words


def test_settings_are_kept(site: LiveSite) -> None:
    ann = ScriptlessBrowser(site.url).sign_up("Settled", "settled@example.org", PASSWORD)
    ann.get("/profile")
    assert ann.page.count(" checked") == 2
    ann.send("/settings", {"mail": "on"})
    assert "Your settings are saved" in ann.words
    assert ann.page.count(" checked") == 1


@pytest.mark.long
def test_who_leaves_takes_all_texts_along(site: LiveSite) -> None:
    ann, bob, game = pair(site)
    play_out(ann, bob, game, ("60", "75"))
    bob.get(game)
    assert ANSWERS[0] in bob.words
    bob.submit("/account/delete")
    assert "tick the box" in bob.words
    bob.send("/account/delete", {"sure": "on"})
    assert "Your account and everything that you wrote are deleted" in bob.words
    bob.get("/home")
    assert bob.path == "/"
    ann.get("/profile")
    assert "Your rating is 75" in ann.words  # what bob guessed stays
    ann.get(game)
    assert ann.status == 200


def test_who_agreed_to_an_older_text_is_asked_again(tmp_path: Path) -> None:
    with running(tmp_path) as site:
        ann = guest_of(site)
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


def test_counts_are_of_games_that_ended(site: LiveSite) -> None:
    def counted() -> tuple[int, ...]:
        stranger.get("/leaderboard")
        match = re.search(r"(\S+) players? ha(?:ve|s) finished (\S+) games?, (\S+) of them in the last 30 days", stranger.words)
        assert match is not None
        return tuple(int(number.replace("\u2009", "")) for number in match.groups())

    stranger = ScriptlessBrowser(site.url)
    before = counted()
    ann, bob, game = pair(site)
    for browser in (ann, bob):
        browser.ask(game)
    assert counted() == before
    play_out(ann, bob, game)
    assert counted() == (before[0] + 2, before[1] + 1, before[2] + 1)
