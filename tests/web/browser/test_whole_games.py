"""People play in a real browser, and lose nothing that they typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.web.chromium import check_axe, check_fits, opened, tab_to
from tests.web.site import LiveSite, ScriptlessBrowser, ask_and_answer, eventually, guest_of, pair

if TYPE_CHECKING:
    from playwright.sync_api import Browser as Chromium
    from playwright.sync_api import Page


pytestmark = [pytest.mark.browser, pytest.mark.long]
SETTINGS = {"reveal_distribution": True}
SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(2)>"


def join(page: Page) -> None:
    """From the landing page to the rules, as a guest."""
    page.goto("/")
    page.get_by_role("link", name="Play", exact=True).click()
    page.get_by_label("I am 18 years old").check()
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="Read the rules first").click()
    page.get_by_role("heading", name="How it works").wait_for()


def press(page: Page, name: str) -> None:
    """Press a button, and wait until what it sends has been taken."""
    with page.expect_navigation():
        page.get_by_role("button", name=name).click()


def ask(page: Page, text: str) -> None:
    for number in range(1, 6):
        page.get_by_label(f"Question {number}").fill(f"{text} {number}")
    press(page, "Send my five questions")


def answer(page: Page, text: str) -> None:
    for number in range(1, 6):
        page.locator(f"#answer{number}").fill(f"{text} {number}")
    press(page, "Send my answers")


def test_two_people_play_a_whole_game(chromium: Chromium, site: LiveSite) -> None:
    desk = {"width": 1280, "height": 800}
    with opened(chromium, site) as ann, opened(chromium, site, viewport=desk) as bob:
        join(ann)
        press(ann, "Start a game")
        ann.get_by_text("Looking for another player").wait_for()
        join(bob)
        press(bob, "Start a game")
        ann.locator("#question1").wait_for()  # the page leads there by itself
        bob.locator("#question1").wait_for()

        ask(ann, f"Ann asks {SCRIPT}")
        ann.get_by_role("heading", name="The other player is still writing questions").wait_for()
        assert "Ann asks" not in bob.content()
        ask(bob, "Bob asks")
        bob.get_by_text(f"Ann asks {SCRIPT} 3").wait_for()
        ann.get_by_text("Bob asks 5").wait_for()

        answer(ann, f"Ann answers {SCRIPT}")
        answer(bob, "Bob answers")
        bob.get_by_text(f"Ann answers {SCRIPT} 3").wait_for()
        ann.get_by_text("Bob answers 5").wait_for()

        guess_by_sliders(ann)
        bob.locator("#guess").fill("91")
        judge(bob)
        press(bob, "Send my guess")
        bob.get_by_text("They guessed 70").wait_for()
        ann.get_by_text("They guessed 91").wait_for()
        ann.get_by_role("heading", name="The other player was a person").wait_for()  # its card turns later
        ann.get_by_text("Your first rating is").wait_for()
        assert "Your first rating is 91" in ann.locator("main").inner_text()


def judge(page: Page) -> None:
    """Take the other for a person."""
    page.get_by_label("A person").check()
    page.locator("#sure").fill("70")


def guess_by_sliders(page: Page) -> None:
    """Mark two answers with 80 and 60, and take what that suggests."""
    page.get_by_role("slider").nth(5).wait_for()
    page.locator("#slider2").fill("80")
    page.locator("#slider4").fill("60")
    judge(page)
    assert page.get_by_role("slider").count() == 7  # of five answers, the guess, and how sure one is
    page.get_by_role("button", name="Take 70").click()
    assert page.locator("#guess").input_value() == "70"
    press(page, "Send my guess")


def test_what_is_typed_is_saved_and_counted(chromium: Chromium, site: LiveSite) -> None:
    ann, _, game = pair(site)
    with opened(chromium, site, ann) as page:
        page.goto(game)
        page.get_by_label("Question 2").press_sequentially("Half a th\U0001f600")
        assert page.locator("#question2-count").inner_text() == "10 of 5,000 characters"  # a face is one
        page.get_by_text("Draft saved.").wait_for()
        page.get_by_label("Question 3").fill("x" * 5_001)
        assert "over" in (page.locator("#question3-count").get_attribute("class") or "")
        assert page.get_by_label("Question 3").get_attribute("aria-invalid") == "true"
        page.get_by_label("Question 3").fill("lost if leaving does not save")
        page.goto("/home")
        assert eventually(lambda: "lost if leaving does not save" in ann.get(game).text)  # it is sent while the page goes
        page.goto(game)
        assert page.get_by_label("Question 2").input_value() == "Half a th\U0001f600"
        assert page.get_by_label("Question 3").input_value() == "lost if leaving does not save"


def test_news_reach_a_page_on_which_one_writes_without_disturbing_it(chromium: Chromium, site: LiveSite) -> None:
    ann, bob, game = pair(site)
    carl = guest_of(site)
    ann.start()
    other = carl.begin_game()
    ann.ask(other)
    with opened(chromium, site, ann) as page:
        page.goto(game)
        page.get_by_label("Question 1").fill("I am writing")
        carl.ask(other)
        page.locator("#news").get_by_text("Something has happened in one of your games").wait_for()
        assert page.get_by_label("Question 1").input_value() == "I am writing"
    bob.get("/home")


def test_an_untouched_slider_says_nothing(chromium: Chromium, site: LiveSite) -> None:
    ann, bob, game = pair(site)
    ask_and_answer(ann, bob, game)
    with opened(chromium, site, ann, has_touch=True) as page:
        page.goto(game)
        slider = page.get_by_role("slider").first
        assert slider.get_attribute("aria-valuetext") == "not set"
        slider.tap()  # in the middle, where its thumb lies already
        assert page.locator("#slider1").input_value() == "50"
        page.get_by_role("slider").nth(1).focus()
        page.keyboard.press("ArrowRight")
        assert page.locator("#slider2").input_value() == "51"
        page.locator("#slider2").fill("")
        assert page.get_by_role("slider").nth(1).get_attribute("aria-valuetext") == "not set"
        page.locator("#guess").fill("44")
        judge(page)
        press(page, "Send my guess")
    bob.guess(game, "50")
    ann.get(game)
    assert ann.words.count("You gave it 50") == 1
    assert ann.words.count("You gave it") == 1


def test_all_can_be_done_by_keyboard(chromium: Chromium, site: LiveSite) -> None:
    bob = guest_of(site)
    bob.start()

    with opened(chromium, site) as page:
        page.goto("/")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.innerText") == "Skip to the content"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "main"
        tab_to(page, "Play")
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="Before you play").wait_for()
        tab_to(page, "I am 18")
        page.keyboard.press("Space")
        tab_to(page, "I have read")
        page.keyboard.press("Space")
        tab_to(page, "Read the rules first")
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="How it works").wait_for()
        tab_to(page, "Start a game")
        page.keyboard.press("Enter")
        page.get_by_label("Question 1").wait_for()
        for number in range(1, 6):
            tab_to(page, f"Question {number}")
            page.keyboard.type(f"Typed {number}?")
        tab_to(page, "Send my five questions")
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="The other player is still writing questions").wait_for()


GONE = ("ERR_INTERNET_DISCONNECTED", "ERR_NETWORK_CHANGED", "ERR_ABORTED")
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


def test_two_tabs_keep_what_is_typed_in_either(chromium: Chromium, site: LiveSite) -> None:
    ann, _, game = pair(site)
    with opened(chromium, site, ann) as first:
        second = first.context.new_page()
        for page in (first, second):
            page.goto(game)
        first.get_by_label("Question 1").fill("Typed in the first")
        first.get_by_text("Draft saved.").wait_for()
        second.get_by_label("Question 1").fill("Typed in the second")
        second.get_by_text("You typed something else in another tab").wait_for()
        second.goto(game)
        assert second.locator("#question1").input_value() == "Typed in the second"
        second.get_by_role("link", name="look at it").click()
        assert second.locator("#other1-1").input_value() == "Typed in the first"
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
    ann, _, game = pair(site)
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
        second.get_by_role("heading", name="This part of the game is already done").wait_for()
        assert given_back(second, "Question 3") == "Late 3"
        check_fits(second, "too late", 320, 390)
        check_axe(second, "too late")


@pytest.mark.parametrize("problem", ["You are signed out", "This form has expired"])
def test_a_form_that_is_refused_gives_the_text_back(chromium: Chromium, site: LiveSite, problem: str) -> None:
    ann, _, game = pair(site)
    with opened(chromium, site, ann, but=("status of 403",)) as page:
        page.goto(game)
        if problem == "You are signed out":
            ann.get("/profile")
            ann.send("/sign-out")
        else:
            page.context.clear_cookies(name="viva_visitor")
        fill(page, "Typed <b>")
        send(page)
        page.get_by_role("heading", name=problem).wait_for()
        assert given_back(page, "Question 5") == "Typed <b> 5"
        assert page.get_by_role("link", name="Sign in").first.is_visible() == (problem == "You are signed out")


def test_without_a_network_the_page_stays_and_can_be_sent_later(chromium: Chromium, site: LiveSite) -> None:
    ann, _, game = pair(site)
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
    ann, _, game = pair(site)
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
    ann, _, game = pair(site)
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


def test_a_text_of_another_tab_is_given_back_when_this_one_is_sent(chromium: Chromium, site: LiveSite) -> None:
    ann, _, game = pair(site)
    tab = ScriptlessBrowser(site.url)
    tab.client.cookies = ann.client.cookies
    tab.get(game)
    with opened(chromium, site, ann) as page:
        page.goto(game)
        tab.send(f"{game}/interview/draft", {"page": "other", "question2": "kept elsewhere"}, method="PUT")
        fill(page, "Sent")
        send(page)
        page.get_by_role("heading", name="Sent").wait_for()
        assert given_back(page, "Question 2") == "kept elsewhere"
        page.get_by_role("link", name="Go on with the game").click()
        page.get_by_role("heading", name="The other player is still writing questions").wait_for()
