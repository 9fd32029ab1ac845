"""Somebody closes the tab, is not there, or resigns: what a real browser with a script makes of it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select, update

from tests.web.chromium import check_axe, check_fits, opened
from tests.web.site import TICK, Browser, LiveSite, eventually, pair
from vivavoce.luna.matching import GONE
from vivavoce.luna.rules import READY_WITHIN
from vivavoce.web.database import reading, transaction
from vivavoce.web.store import machines, people
from vivavoce.web.tables import GAMES, PRESENCE

if TYPE_CHECKING:
    from playwright.sync_api import Browser as Chromium
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.long]


def waits(page: Page, who: Browser) -> None:
    """At the page on which one waits."""
    who.start()
    page.goto("/waiting")
    page.get_by_role("heading", name="Looking for another player").wait_for()


def away(site: LiveSite) -> int:
    """How many have closed their last page."""
    with reading(site.engine) as c:
        return len(c.execute(select(PRESENCE.c.player).where(PRESENCE.c.closed.is_not(None))).all())


def test_whoever_closes_the_tab_is_paired_only_when_back(chromium: Chromium, site: LiveSite) -> None:
    ann, bob = Browser(site.url).join(), Browser(site.url).join()
    with (
        opened(chromium, site, ann) as page,
        page.expect_response(lambda response: "/events?after=" in response.url),  # it listens
    ):
        waits(page, ann)
    assert eventually(lambda: away(site) == 1, seconds=30, pause=0.5)  # known after `GONE`
    with opened(chromium, site, bob) as page:
        waits(page, bob)
        page.wait_for_timeout(10 * 1000 * TICK)
        assert page.url.endswith("/waiting")
        with opened(chromium, site, ann) as again:
            again.goto("/waiting")
            for entry in (page, again):  # both are led straight into the game
                entry.get_by_role("heading", name="Another player is here. Are you ready?").wait_for()
    assert eventually(lambda: away(site) == 2, seconds=30, pause=0.5)


def test_a_page_that_changes_is_no_page_that_is_closed(chromium: Chromium, site: LiveSite) -> None:
    ann = Browser(site.url).join()
    before = away(site)
    with opened(chromium, site, ann) as page:
        until = time.monotonic() + GONE.total_seconds() + 1
        while time.monotonic() < until:
            for path in ("/home", "/profile"):
                page.goto(path)
                page.wait_for_timeout(300)
        assert away(site) == before


def test_ready_and_then_the_other_resigns(chromium: Chromium, site: LiveSite) -> None:
    ann, bob = Browser(site.url).join(), Browser(site.url).join()
    with opened(chromium, site, ann) as page, opened(chromium, site, bob) as other:
        waits(page, ann)
        bob.start()
        other.goto("/waiting")
        for entry in (page, other):
            entry.get_by_role("heading", name="Another player is here. Are you ready?").wait_for()
        seconds = page.locator("[data-until]")
        first = seconds.inner_text()
        assert eventually(lambda: seconds.inner_text() != first)
        check_fits(page, "way out", 390, 1280)
        check_axe(page, "way out")
        page.get_by_label("Question 1").fill("Typed before the button was pressed")
        page.get_by_role("button", name="I am ready").click()
        page.locator(".ready").wait_for(state="detached")
        assert page.get_by_label("Question 1").input_value() == "Typed before the button was pressed"
        other.get_by_label("Question 1").fill("Who writes is ready")
        other.locator(".ready").wait_for(state="detached")
        other.locator("summary", has_text="Resign").click()
        with other.expect_navigation():
            other.get_by_role("button", name="Yes, resign").click()
        other.get_by_role("heading", name="You resigned").wait_for()
        page.get_by_text("This game has ended. What you typed is still here").wait_for()  # nobody loses a word by it
        page.get_by_role("link", name="Go on").click()
        page.get_by_role("heading", name="The other player has resigned").wait_for()
        check_fits(page, "way out", 390, 1280)
        check_axe(page, "way out")


def test_who_was_there_is_led_to_wait_by_the_page_itself(chromium: Chromium, site: LiveSite) -> None:
    ann, bob = Browser(site.url).join(), Browser(site.url).join()
    with opened(chromium, site, ann) as page:
        waits(page, ann)
        bob.begin_game()
        page.get_by_role("heading", name="Are you ready?").wait_for()
        with opened(chromium, site, bob) as other:
            other.goto(bob.path)
            other.get_by_label("Question 1").wait_for()
            site.clock.ahead += READY_WITHIN
            other.get_by_text("The other player was not there. We are looking for another player for you.").wait_for()
            assert "/waiting" in other.url
            page.get_by_role("heading", name="You were not there").wait_for()


def test_a_writing_page_says_that_a_machine_plays_on(chromium: Chromium, site: LiveSite) -> None:
    ann, bob, game = pair(site.url)
    with opened(chromium, site, bob) as page:
        page.goto(game)
        page.get_by_label("Question 1").fill("I am writing")
        page.get_by_text("Draft saved.").wait_for()
        taken(site, ann, game)
        page.locator("#other").get_by_text("The other player has left. A machine plays on in their place since").wait_for()
        assert page.get_by_label("Question 1").input_value() == "I am writing"
        check_fits(page, "way out", 390, 1280)
        check_axe(page, "way out")


def taken(site: LiveSite, who: Browser, game: str) -> None:
    """Have a machine play in place of this player, as if both had agreed when the game began."""
    with transaction(site.engine) as c:
        people.seen(c, machines.of_the_house(c, "The house", site.clock()), site.clock())
        c.execute(update(GAMES).where(GAMES.c.id == game.removeprefix("/games/")).values(machines_may_take_over=True))
    who.get(game)
    who.send(f"{game}/resign")
