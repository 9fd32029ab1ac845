"""People take a survey in a real browser: by thumb, by keys alone, without a script; and how its pages look."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.web.chromium import opened, tab_to
from tests.web.site import LiveSite, running
from tests.web.survey_site import TALL, SurveyBrowser, address, exported, make
from vivavoce.web.store.surveys import Survey

if TYPE_CHECKING:
    from playwright.sync_api import Browser as Chromium
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSite]:
    with running(tmp_path_factory.mktemp("site")) as it:
        yield it


def go_on(page: Page) -> None:
    with page.expect_navigation():
        page.get_by_role("button", name="Go on").click()


def press(page: Page, *keys: str) -> str:
    """Press these keys; what the number is then."""
    for key in keys:
        page.keyboard.press(key)
    return page.locator("#belief").input_value()


def go_on_by_keyboard(page: Page, name: str = "Go on") -> None:
    tab_to(page, name)
    with page.expect_navigation():
        page.keyboard.press("Enter")


def begin_by_keyboard(page: Page, survey: Survey) -> None:
    """From the survey's bare address to the first pair; the answers to the questions on the task are chosen by arrows."""
    page.goto(address(survey))
    for name, key in (("Skip to the content", "Enter"), ("I am 18", "Space"), ("I have read", "Space")):
        tab_to(page, name)
        page.keyboard.press(key)
    go_on_by_keyboard(page, "Agree and go on")
    go_on_by_keyboard(page)
    for name, downwards in (("How sure I am that I could", 1), ("It has to be higher", 2)):
        tab_to(page, name)
        for key in ("Space", *["ArrowDown"] * downwards):
            page.keyboard.press(key)
    go_on_by_keyboard(page)


@pytest.mark.slow
def test_all_can_be_done_by_keyboard(chromium: Chromium, site: LiveSite) -> None:
    survey = make(site, ask_why=True, pairs_each=1)
    with opened(chromium, site) as page:
        begin_by_keyboard(page, survey)
        assert page.url.endswith("/pairs/1/before")
        tab_to(page, "slider")
        assert press(page, "Home") == "0"
        assert press(page, "End") == "100"
        assert press(page, "ArrowLeft", "ArrowDown") == "98"
        assert press(page, "PageDown") == "88"
        assert press(page, "PageUp", "ArrowRight", "ArrowUp") == "100"
        press(page, "Home", "ArrowRight", "ArrowRight")
        go_on_by_keyboard(page)
        assert "You said 2% before" in page.locator("#belief-hint").inner_text()
        tab_to(page, "How sure are you now")
        page.keyboard.type("52")
        tab_to(page, "Why did you change it")
        page.keyboard.type("by keys")
        go_on_by_keyboard(page)
        assert page.get_by_role("heading", name="Thank you").is_visible()
    assert [(row.pair.prior, row.pair.posterior, row.why) for row in exported(site, survey)] == [(0.02, 0.52, "by keys")]


@pytest.mark.long
def test_a_slider_has_no_thumb_until_it_is_touched(chromium: Chromium, site: LiveSite) -> None:
    ann = SurveyBrowser(site, make(site)).begin()
    with opened(chromium, site, ann, has_touch=True) as page:
        page.goto(ann.path)
        slider, number = page.get_by_role("slider"), page.locator("#belief")
        assert slider.get_attribute("aria-valuetext") == "no number yet"
        assert (slider.get_attribute("class"), number.input_value()) == ("untouched", "")
        nothing = slider.screenshot()
        page.evaluate("document.querySelector('input[type=range]').value = '90'")  # wherever it is, it does not show
        assert slider.screenshot() == nothing
        page.evaluate("document.querySelector('input[type=range]').value = '50'")
        slider.tap()  # in the middle, where its unseen thumb lies
        assert (number.input_value(), slider.get_attribute("aria-valuetext")) == ("50", "50 percent")
        assert slider.screenshot() != nothing
        number.fill("101")
        assert slider.get_attribute("class") == "untouched"
        number.fill("62")
        assert slider.input_value() == "62"
        go_on(page)

        assert "You said 62% before" in page.locator("main").inner_text()
        assert (slider.get_attribute("class"), number.input_value()) == ("untouched", "")
        assert page.locator(".said").inner_text() == ""
        for text, words in (("62", "The same as before."), ("70", "8 more than before."), ("0", "62 less than before.")):
            number.fill(text)
            assert page.locator(".said").inner_text() == words
        box = slider.bounding_box()
        assert box is not None
        page.touchscreen.tap(box["x"] + box["width"] * 0.25, box["y"] + box["height"] / 2)
        assert 20 <= int(number.input_value()) <= 30


@pytest.mark.long
def test_nothing_is_sent_without_a_number(chromium: Chromium, site: LiveSite) -> None:
    ann = SurveyBrowser(site, make(site)).begin()
    with opened(chromium, site, ann) as page:
        page.goto(ann.path)
        here = page.url
        page.get_by_role("button", name="Go on").click()
        assert page.url == here
        assert page.evaluate("document.activeElement.id") == "belief"  # the browser says what is missing


@pytest.mark.long
def test_a_button_that_is_pressed_twice_sends_once(chromium: Chromium, site: LiveSite) -> None:
    ann = SurveyBrowser(site, make(site)).begin()
    posts = []
    with opened(chromium, site, ann) as page:
        page.on("request", lambda request: posts.append(request.url) if request.method == "POST" else None)
        page.goto(ann.path)
        page.locator("#belief").fill("40")
        with page.expect_navigation():
            page.evaluate("{ const button = document.querySelector('main form button'); button.click(); button.click(); }")
        assert posts == [f"{site.url}{ann.base}/pairs/1/before"]


@pytest.mark.long
def test_lines_go_the_way_of_their_script(chromium: Chromium, site: LiveSite) -> None:
    ann = SurveyBrowser(site, make(site, of=TALL[:1], pairs_each=1)).begin()
    with opened(chromium, site, ann) as page:
        page.goto(ann.path)
        directions = page.eval_on_selector_all("#question .line", "all => all.map((one) => getComputedStyle(one).direction)")
        assert directions == ["rtl", "ltr", "ltr"]
        assert page.locator("#question .line").all_text_contents()[1] == "(A) باريس"
