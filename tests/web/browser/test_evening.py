"""An evening on the site: two people and a machine, in three browsers on phones, from the landing page to the next game."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from tests.web.chromium import check_fits, opened
from tests.web.site import OneServer, running
from vivavoce.web.scripted_players import ScriptedBot, run_house

if TYPE_CHECKING:
    from playwright.sync_api import Browser as Chromium
    from playwright.sync_api import Locator, Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]
Part = Callable[["Page"], None]


@contextmanager
def house_of(site: OneServer) -> Iterator[None]:
    """The machine of the house plays on this site until the block ends."""
    loop = asyncio.new_event_loop()
    playing = loop.create_task(run_house(site.app.state.site.settings, ScriptedBot()))

    def run() -> None:
        with pytest.raises(asyncio.CancelledError):
            loop.run_until_complete(playing)

    thread = Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        loop.call_soon_threadsafe(playing.cancel)
        thread.join(30)
        loop.close()


def press(page: Page, name: str) -> None:
    """Press a button, and wait until what it sends has been taken."""
    check_fits(page, name, 390)
    with page.expect_navigation():
        page.get_by_role("button", name=name, exact=True).click()


def arrive(page: Page, there: Locator, script: bool) -> None:
    """Wait until it is there: a page with a script leads on by itself, from one without a link does."""
    for _ in range(120):
        if there.count():
            return
        page.wait_for_timeout(250)
        again = page.get_by_role("link", name="Look again")
        if not script and again.count() and "/games/" in page.url:  # the page on which one waits does it by itself
            again.click()
    raise AssertionError(page.locator("main").inner_text())


def come_in(page: Page) -> None:
    page.goto("/")
    check_fits(page, "landing page", 390)
    page.get_by_role("link", name="Play", exact=True).click()
    page.get_by_label("I am 18 years old").check()
    page.get_by_label("I have read this").check()
    press(page, "Play now")


def ask(page: Page) -> None:
    page.get_by_role("button", name="I am ready").click()
    page.get_by_role("heading", name="Are you ready?").wait_for(state="hidden")
    for number in range(1, 6):
        page.get_by_label(f"Question {number}").fill(f"Why is {number} a number?")
    press(page, "Send my five questions")


def answer(page: Page) -> None:
    for number in range(1, 6):
        page.locator(f"#answer{number}").fill("Because one can count to it.")
    press(page, "Send my answers")


def guess(page: Page) -> None:
    page.locator("#guess").fill("64")
    page.get_by_label("A person").check()
    page.locator("#sure").fill("80")
    press(page, "Send my guess")


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_two_people_and_a_machine_from_matching_to_the_next_game(chromium: Chromium, tmp_path: Path, script: bool) -> None:
    with running(tmp_path) as site, ExitStack() as stack:
        ann, bob, cy = (stack.enter_context(opened(chromium, site, java_script_enabled=script)) for _ in range(3))
        come_in(ann)
        come_in(bob)
        for page in (ann, bob):  # while no machine is there, two people play each other
            arrive(page, page.locator("#question1"), script)
        stack.enter_context(house_of(site))
        come_in(cy)
        parts: tuple[tuple[str, Part], ...] = (("#question1", ask), ("#answer1", answer), ("#guess", guess))
        for there, play in parts:
            for page in (ann, bob, cy):
                arrive(page, page.locator(there), script)
                play(page)
        for page, other in ((ann, "person"), (bob, "person"), (cy, "machine")):
            arrive(page, page.get_by_role("heading", name="The cards are turned over"), script)
            if script:
                page.get_by_role("button", name="Turn all over").click()
            text = page.locator("main").inner_text()
            assert f"The other player was a {other}" in text
            assert f"You took them for a person, 80% sure: {'right' if other == 'person' else 'wrong'}." in text
            check_fits(page, "cards", 390)
        for page in (ann, bob, cy):
            press(page, "Again")
        for page in (ann, bob, cy):
            arrive(page, page.locator("#question1"), script)
