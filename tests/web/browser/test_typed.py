"""What is typed is not lost in a real browser: with two tabs, no network, a page that goes, and one that is out of date."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.web.chromium import check_axe, check_fits, opened
from tests.web.site import Browser, LiveSite, eventually, pair

if TYPE_CHECKING:
    from playwright.sync_api import Browser as Chromium
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.long]
GONE = ("ERR_INTERNET_DISCONNECTED", "ERR_NETWORK_CHANGED", "ERR_ABORTED")
WAYS = pytest.mark.parametrize("script", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["script", "no script"])
SEND = "Send my five questions"


def fill(page: Page, text: str) -> None:
    for number in range(1, 6):
        page.get_by_label(f"Question {number}").fill(f"{text} {number}")


def send(page: Page, name: str = SEND) -> None:
    with page.expect_navigation():
        page.get_by_role("button", name=name).click()


def given_back(page: Page, label: str) -> str:
    value: str = page.get_by_label(label).input_value()
    return value


@WAYS
def test_two_tabs_keep_what_is_typed_in_either(chromium: Chromium, site: LiveSite, script: bool) -> None:
    ann, _, game = pair(site.url)
    options: dict[str, Any] = {"java_script_enabled": script}
    with opened(chromium, site, ann, **options) as first:
        second = first.context.new_page()
        for page in (first, second):
            page.goto(game)
        first.get_by_label("Question 1").fill("Typed in the first")
        if script:
            first.get_by_text("Draft saved.").wait_for()
        else:
            send(first, "Save the draft")
        second.get_by_label("Question 1").fill("Typed in the second")
        if script:
            second.get_by_text("You typed something else in another tab").wait_for()
        else:
            send(second, "Save the draft")
        second.goto(game)
        assert second.locator("#question1").input_value() == "Typed in the second"
        second.get_by_role("link", name="look at it").click()
        assert second.locator("#other1-1").input_value() == "Typed in the first"
        if script:
            check_fits(second, "two drafts", 320, 390)
            check_axe(second, "two drafts")
        second.get_by_label("Question 2").fill("Typed just before")
        send(second, "Put this into the boxes")
        assert second.locator("#question1").input_value() == "Typed in the first"
        assert second.locator("#other1-2").input_value() == "Typed just before"
        send(second, "Throw it away")
        assert second.locator("#other-drafts").count() == 0
        assert second.locator("#question1").input_value() == "Typed in the first"


def test_a_second_tab_is_told_that_it_comes_too_late_and_gets_its_text_back(chromium: Chromium, site: LiveSite) -> None:
    ann, _, game = pair(site.url)
    with opened(chromium, site, ann, but=("status of 409",)) as first:
        second = first.context.new_page()
        for page in (first, second):
            page.goto(game)
        fill(first, "Sent")
        send(first)
        second.get_by_label("Question 3").fill("Never sent")
        second.get_by_text("nothing more is saved").wait_for()
        fill(second, "Late")
        send(second)
        second.get_by_role("heading", name="This part of the game is done already").wait_for()
        assert given_back(second, "Question 3") == "Late 3"
        check_fits(second, "too late", 320, 390)
        check_axe(second, "too late")


@WAYS
def test_a_session_that_has_ended_gives_the_text_back(chromium: Chromium, site: LiveSite, script: bool) -> None:
    ann, _, game = pair(site.url)
    options: dict[str, Any] = {"java_script_enabled": script}
    with opened(chromium, site, ann, but=("status of 403",), **options) as page:
        page.goto(game)
        ann.get("/profile")
        ann.send("/sign-out")
        fill(page, "Typed while signed out <b>")
        send(page)
        page.get_by_role("heading", name="You are signed out").wait_for()
        assert given_back(page, "Question 5") == "Typed while signed out <b> 5"
        assert page.get_by_role("link", name="Sign in").first.is_visible()


@WAYS
def test_a_form_that_is_out_of_date_gives_the_text_back(chromium: Chromium, site: LiveSite, script: bool) -> None:
    ann, _, game = pair(site.url)
    options: dict[str, Any] = {"java_script_enabled": script}
    with opened(chromium, site, ann, but=("status of 403",), **options) as page:
        page.goto(game)
        page.context.clear_cookies(name="viva_visitor")
        fill(page, "Typed on an old page")
        send(page)
        page.get_by_role("heading", name="This form is out of date").wait_for()
        assert given_back(page, "Question 1") == "Typed on an old page 1"


def test_without_a_network_the_page_stays_and_can_be_sent_later(chromium: Chromium, site: LiveSite) -> None:
    ann, _, game = pair(site.url)
    with opened(chromium, site, ann, but=GONE) as page:
        page.goto(game)
        page.context.set_offline(True)
        fill(page, "Typed in a tunnel")
        page.get_by_role("button", name=SEND).click()
        page.get_by_text("Nothing could be sent just now").wait_for()
        assert page.get_by_label("Question 4").input_value() == "Typed in a tunnel 4"
        assert page.evaluate(ASKS_BEFORE_LEAVING)
        page.context.set_offline(False)
        send(page)
        page.get_by_role("heading", name="The other player is still writing questions").wait_for()


ASKS_BEFORE_LEAVING = "!window.dispatchEvent(new Event('beforeunload', { cancelable: true }))"


def test_who_closes_the_tab_finds_the_text_again(chromium: Chromium, site: LiveSite) -> None:
    ann, _, game = pair(site.url)
    with opened(chromium, site, ann) as page:
        page.goto(game)
        tab = page.context.new_page()
        tab.goto(game)
        tab.get_by_label("Question 3").fill("closed at once")
        assert not tab.evaluate(ASKS_BEFORE_LEAVING)  # it is saved while the page goes
        tab.close()
        assert eventually(lambda: "closed at once" in ann.get(game).text)
        page.get_by_label("Question 3").fill("\u044f" * 5_000 + "\U0001f600" * 4_000)  # more than is sent while a page goes
        assert page.evaluate(ASKS_BEFORE_LEAVING)
        page.get_by_text("Draft saved.").wait_for()
        assert not page.evaluate(ASKS_BEFORE_LEAVING)


def test_who_goes_back_finds_the_text_again(chromium: Chromium, site: LiveSite) -> None:
    ann, _, game = pair(site.url)
    with opened(chromium, site, ann) as page:
        page.goto("/home")
        page.goto(game)
        page.get_by_label("Question 2").fill("typed, and gone back")
        page.go_back()
        page.get_by_role("heading", level=1).wait_for()
        assert eventually(lambda: "typed, and gone back" in ann.get(game).text)
        page.go_forward()
        assert page.get_by_label("Question 2").input_value() == "typed, and gone back"
        fill(page, "Sent at last")
        send(page)
        page.go_back()
        page.go_forward()
        page.get_by_text("Sent at last 5").wait_for(state="attached")  # under what was asked


@WAYS
def test_a_text_of_another_tab_is_given_back_when_this_one_is_sent(chromium: Chromium, site: LiveSite, script: bool) -> None:
    ann, _, game = pair(site.url)
    tab = Browser(site.url)
    tab.client.cookies = ann.client.cookies
    tab.get(game)
    options: dict[str, Any] = {"java_script_enabled": script}
    with opened(chromium, site, ann, **options) as page:
        page.goto(game)
        tab.send(f"{game}/interview/draft", {"page": "other", "question2": "kept elsewhere"}, method="PUT")
        fill(page, "Sent")
        send(page)
        page.get_by_role("heading", name="Sent").wait_for()
        assert given_back(page, "Question 2") == "kept elsewhere"
        page.get_by_role("link", name="Go on with the game").click()
        page.get_by_role("heading", name="The other player is still writing questions").wait_for()
