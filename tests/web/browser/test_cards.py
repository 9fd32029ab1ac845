"""Cards that turn, examples, signals, and ways out of a game, in a real browser."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select, update

from tests.web.chromium import check_axe, check_fits, opened
from tests.web.site import TICK, LiveSite, ScriptlessBrowser, eventually, guest_of, pair, play_out
from vivavoce.luna.matching import GONE
from vivavoce.luna.rules import READY_WITHIN
from vivavoce.web.database import reading, transaction
from vivavoce.web.store import machines, people
from vivavoce.web.tables import GAMES, PRESENCE

if TYPE_CHECKING:
    from collections.abc import Collection

    from playwright.sync_api import Browser as Chromium
    from playwright.sync_api import Page


pytestmark = [pytest.mark.browser, pytest.mark.long]
DOWN = "document.querySelectorAll('.faces .down').length"
HIDE = """hidden => {
  Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
  document.dispatchEvent(new Event('visibilitychange'));
}"""
NOTED = """window.noted = [];
window.Notification = class extends EventTarget {
  static requestPermission() { window.noted.push('asked'); return Promise.resolve(window.localStorage.allowed ?? 'granted'); }
  constructor(title, options) { super(); window.noted.push(options.body); }
};"""
SOUNDED = """window.sounded = 0;
const swing = window.OscillatorNode;
window.OscillatorNode = class extends swing { start(at) { window.sounded += 1; super.start(at); } };"""


SEEN = """window.seen = [];
addEventListener('DOMContentLoaded', () => {
  const faces = document.querySelector('.faces');
  const heads = [...(faces ?? document).querySelectorAll('h2')];
  const other = () => heads.find((each) => each.textContent.includes('The other player was a person'));
  const see = () => window.seen.push([faces.querySelectorAll('.down').length, getComputedStyle(other()).visibility]);
  if (faces) { see(); new MutationObserver(see).observe(faces, { subtree: true, attributeFilter: ['class'] }); }
});"""


def becomes(page: Page, condition: str) -> None:
    """Wait until it holds; Playwright's own way needs `eval`, which the pages forbid."""
    for _ in range(400):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(25)
    raise AssertionError(condition)


def hide(page: Page) -> None:
    """Send the page to the background, until it knows whose turn it is: only what comes after that is news."""
    with page.expect_response("**/events/turns") as response:
        page.evaluate(HIDE, True)
    response.value.finished()


def finished(site: LiveSite) -> tuple[ScriptlessBrowser, str]:
    ann, bob, game = pair(site)
    play_out(ann, bob, game)
    return ann, game


def test_cards_turn_one_by_one_and_once(chromium: Chromium, site: LiveSite) -> None:
    ann, game = finished(site)
    with opened(chromium, site, ann) as page:
        page.add_init_script(SEEN)
        page.goto(game)
        becomes(page, f"{DOWN} === 0")
        hidden, shown = "hidden", "visible"
        assert page.evaluate("window.seen") == [[4, hidden], [3, hidden], [2, hidden], [1, shown], [0, shown]]
        assert page.locator(".faces[aria-live=polite]").count() == 1
        assert not page.get_by_role("button", name="Turn all over").is_visible()
        page.reload()
        page.wait_for_load_state()
        assert page.evaluate(DOWN) == 0


def test_all_cards_can_be_turned_at_once(chromium: Chromium, site: LiveSite) -> None:
    ann, game = finished(site)
    with opened(chromium, site, ann) as page:
        page.goto(game)
        page.get_by_role("button", name="Turn all over").click()
        assert page.evaluate(DOWN) == 0
        assert page.evaluate("document.activeElement.id") == "main"
        page.get_by_role("button", name="Again").click()
        page.get_by_role("heading", name="Looking for another player").wait_for()


@pytest.mark.parametrize("setting", ["less motion", "no script"])
def test_without_motion_or_script_all_cards_lie_open(chromium: Chromium, site: LiveSite, setting: str) -> None:
    ann, game = finished(site)
    with opened(
        chromium,
        site,
        ann,
        java_script_enabled=setting != "no script",
        reduced_motion="reduce" if setting == "less motion" else "no-preference",
    ) as page:
        page.goto(game)
        page.get_by_role("heading", name="The other player was a person").wait_for(timeout=1_000)
        assert page.locator(".faces .down").count() == 0
        assert not page.get_by_role("button", name="Turn all over").is_visible()


def test_an_example_fills_the_first_empty_box_and_is_not_sent(chromium: Chromium, site: LiveSite) -> None:
    ann, _, game = pair(site)
    with opened(chromium, site, ann) as page:
        page.goto(game)
        page.get_by_label("Question 1").fill("My own?")
        assert not page.locator("button.example").first.is_visible()
        page.get_by_text("A dozen questions to begin with").click()
        assert page.locator("button.example").count() == 12
        words = page.locator("button.example").nth(2).inner_text()
        page.locator("button.example").nth(2).click()
        assert page.get_by_label("Question 2").input_value() == words
        assert page.evaluate("document.activeElement.id") == "question2"
        page.get_by_text("Draft saved.").wait_for()
        for number in range(3, 6):
            page.get_by_label(f"Question {number}").fill("?")
        page.locator("button.example").nth(3).click()
        page.get_by_text("All boxes are filled").wait_for()
        assert page.url.endswith(game)
        assert page.get_by_label("Question 1").input_value() == "My own?"


def test_signals_are_off_until_asked_for_and_tell_in_the_background(chromium: Chromium, site: LiveSite) -> None:
    ann, bob, game = pair(site)
    ann.ask(game)
    with opened(chromium, site, ann) as page:
        page.add_init_script(NOTED + SOUNDED)
        page.goto(game)
        assert page.evaluate("[window.noted.length, window.sounded, window.localStorage.length]") == [0, 0, 0]
        page.get_by_label("Play a short sound").check()
        becomes(page, "window.sounded === 2")
        page.get_by_label("Show a notification").check()
        becomes(page, "window.localStorage.length === 2")
        assert page.evaluate("window.noted") == ["asked"]
        hide(page)
        bob.ask(game)
        becomes(page, "window.noted.length === 2")
        assert page.evaluate("[window.noted[1], window.sounded]") == ["It is your turn.", 4]
        assert page.title() == "It is your turn. Luna"
        page.evaluate(HIDE, False)  # only now the page goes on, for a notification goes with its page
        page.locator("#answer1").wait_for()


def test_a_game_that_begins_is_told_and_news_in_sight_are_not(chromium: Chromium, site: LiveSite) -> None:
    ann, bob = guest_of(site), guest_of(site)
    ann.start()
    with opened(chromium, site, ann) as page:
        page.add_init_script(NOTED + SOUNDED)
        page.goto("/waiting")
        page.get_by_label("Show a notification").check()
        becomes(page, "window.localStorage.length === 1")
        hide(page)
        bob.begin_game()
        becomes(page, "window.noted.length === 2")
        assert page.evaluate("[window.noted[1], window.sounded]") == ["A game has started.", 0]
        page.evaluate(HIDE, False)
        page.locator("#question1").wait_for()
        assert page.evaluate("window.noted") == []


def test_a_notification_that_is_not_allowed_stays_off(chromium: Chromium, site: LiveSite) -> None:
    with opened(chromium, site, guest_of(site)) as page:
        page.add_init_script(NOTED)
        page.goto("/profile")
        page.evaluate("window.localStorage.allowed = 'denied'")
        page.get_by_label("Show a notification").click()
        page.get_by_text("does not allow notifications").wait_for()
        assert not page.get_by_label("Show a notification").is_checked()
        assert page.evaluate("window.localStorage.getItem('luna-notice')") is None


def waits(page: Page, who: ScriptlessBrowser) -> None:
    """At the page on which one waits."""
    who.start()
    page.goto("/waiting")
    page.get_by_role("heading", name="Looking for another player").wait_for()


def seen(site: LiveSite) -> set[str]:
    """All who have ever had a page open."""
    with reading(site.engine) as c:
        return set(c.execute(select(PRESENCE.c.player)).scalars())


def away(site: LiveSite, *, but: Collection[str] = ()) -> int:
    """How many have closed their last page, without those of earlier tests."""
    with reading(site.engine) as c:
        return len(set(c.execute(select(PRESENCE.c.player).where(PRESENCE.c.closed.is_not(None))).scalars()) - set(but))


def test_whoever_closes_the_tab_is_paired_only_when_back(chromium: Chromium, site: LiveSite) -> None:
    others = seen(site)
    ann, bob = guest_of(site), guest_of(site)
    with (
        opened(chromium, site, ann) as page,
        page.expect_response(lambda response: "/events?after=" in response.url),  # it listens
    ):
        waits(page, ann)
    assert eventually(lambda: away(site, but=others) == 1, seconds=30, pause=0.5)  # known after `GONE`
    with opened(chromium, site, bob) as page:
        waits(page, bob)
        page.wait_for_timeout(10 * 1000 * TICK)
        assert page.url.endswith("/waiting")
        with opened(chromium, site, ann) as again:
            again.goto("/waiting")
            for entry in (page, again):  # both are led straight into the game
                entry.get_by_role("heading", name="Another player is here. Are you ready?").wait_for()
    assert eventually(lambda: away(site, but=others) == 2, seconds=30, pause=0.5)


def test_a_page_that_changes_is_no_page_that_is_closed(chromium: Chromium, site: LiveSite) -> None:
    ann = guest_of(site)
    others = seen(site)
    with opened(chromium, site, ann) as page:
        until = time.monotonic() + GONE.total_seconds() + 1
        while time.monotonic() < until:
            for path in ("/home", "/profile"):
                page.goto(path)
                page.wait_for_timeout(300)
        assert away(site, but=others) == 0


def test_ready_and_then_the_other_resigns(chromium: Chromium, site: LiveSite) -> None:
    ann, bob = guest_of(site), guest_of(site)
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
    ann, bob = guest_of(site), guest_of(site)
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
    ann, bob, game = pair(site)
    with opened(chromium, site, bob) as page:
        page.goto(game)
        page.get_by_label("Question 1").fill("I am writing")
        page.get_by_text("Draft saved.").wait_for()
        taken(site, ann, game)
        page.locator("#other").get_by_text("The other player has left. A machine now plays for them (since").wait_for()
        assert page.get_by_label("Question 1").input_value() == "I am writing"
        check_fits(page, "way out", 390, 1280)
        check_axe(page, "way out")


def taken(site: LiveSite, who: ScriptlessBrowser, game: str) -> None:
    """Have a machine play in place of this player, as if both had agreed when the game began."""
    with transaction(site.engine) as c:
        people.seen(c, machines.of_the_house(c, "The house", site.clock()), site.clock())
        c.execute(update(GAMES).where(GAMES.c.id == game.removeprefix("/games/")).values(machines_may_take_over=True))
    who.get(game)
    who.send(f"{game}/resign")
