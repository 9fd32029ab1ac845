"""Pages around the game, on a real server, as a browser without a script sees them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

import pytest
from sqlalchemy import update

from tests.web.site import Browser, LiveSite, eventually, pair, play_out, running
from vivavoce.web.database import transaction
from vivavoce.web.settings import MailSettings
from vivavoce.web.tables import PLAYERS


def test_two_clicks_lead_from_the_landing_page_to_the_first_question(site: LiveSite) -> None:
    waiting = Browser(site.url).join()
    waiting.start()
    browser = Browser(site.url)
    browser.get("/")
    assert 'href="/consent"' in browser.page
    browser.get("/consent")  # 1: Play
    browser.send("/consent", {"adult": "on", "release": "on", "as": "play"})  # 2: Play now
    assert eventually(lambda: browser.get("/waiting").url.path != "/waiting")  # unless the two were paired meanwhile
    assert "Question 1" in browser.words
    assert len(re.findall("<textarea[^>]* name=", browser.page)) == 5


def test_who_wants_to_reads_the_rules_first(site: LiveSite) -> None:
    browser = Browser(site.url)
    browser.get("/consent")
    browser.send("/consent", {"adult": "on", "release": "on", "as": "guest"})
    assert browser.path == "/how-it-works"
    assert 'action="/games"' in browser.page


def test_a_sample_game_opens_without_a_script_and_says_that_it_is_one(site: LiveSite) -> None:
    browser = Browser(site.url)
    browser.get("/")
    assert "A sample game, made up by us" in browser.words
    assert browser.page.count("<details") == browser.page.count("<summary>") == 3
    assert "The other player was a person" in browser.words


def test_nobody_plays_without_agreeing(site: LiveSite) -> None:
    browser = Browser(site.url)
    for fields in ({}, {"adult": "on"}, {"release": "on"}):
        browser.get("/consent")
        browser.send("/consent", {"as": "guest", **fields})
        assert browser.status == 422
        assert "tick both boxes" in browser.words
    browser.get("/account/new")
    assert browser.path == "/consent"
    browser.get("/home")
    assert browser.path == "/"
    assert "For that you need to be a player" in browser.words


def test_waiting_is_said_gently_and_can_be_stopped(site: LiveSite) -> None:
    ann = Browser(site.url).join()
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
            bob, ann = Browser(site.url).join(), Browser(site.url).sign_up("Ann", "ann@example.org", "four words in a row")
            if confirmed:
                with transaction(site.engine) as c:
                    c.execute(update(PLAYERS).values(email_confirmed=site.clock()))
            ann.start()
            assert ann.path == "/waiting"
            assert ("a mail will tell you when it is your turn" in ann.words) is (mail != "none" and confirmed)
            bob.get("/home")
            assert ("to get a mail when it is your turn" in bob.words) is (mail != "none")
            assert ("a mail tells you" in Browser(site.url).get("/consent").text) is (mail != "none")


@pytest.mark.long
def test_ratings_are_face_down_unless_the_operator_shows_them(site: LiveSite, tmp_path: Path) -> None:
    for visitor in (Browser(site.url), Browser(site.url).join()):
        visitor.get("/leaderboard")
        assert "Ratings are hidden" in visitor.words
        assert "<table" not in visitor.page
    with running(tmp_path, reveal_distribution=True) as open_site:
        ann, bob = Browser(open_site.url).join(), Browser(open_site.url).join()
        for guesses in (("60", "75"), ("63", "91"), ("61", "83")):
            ann.start()
            play_out(ann, bob, bob.begin_game(), guesses)
        ann.get("/leaderboard")
        # mean (75 + 91 + 83) / 3 = 83, standard error 8 / sqrt 3, t = 4.303 with 2 degrees of freedom: 83 +- 19.9
        assert "83 [63.1, 100]" in ann.words.replace("  ", " ") or "83 [63.1, 100]" in ann.words


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/nothing", 404, "There is no such page"),
        ("/games/" + "0" * 32, 404, "There is no such page"),
        ("/games/" + "x" * 3_000, 404, "There is no such page"),
        ("/games/%00%ff", 404, "There is no such page"),
        ("/games/a/interview", 405, "That cannot be done here"),
        ("/events?after=x", 404, "There is no such page"),
    ],
)
def test_errors_are_pages_that_help(site: LiveSite, path: str, status: int, words: str) -> None:
    browser = Browser(site.url).join()
    browser.get(path)
    assert browser.status == status
    assert words in browser.words
    assert "Traceback" not in browser.page


def test_every_page_has_its_landmarks_and_each_field_a_label(site: LiveSite) -> None:
    ann, bob, game = pair(site.url)
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
