"""A real browser takes a survey with own answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.web.chromium import check_fits, opened
from tests.web.site import LiveSite
from tests.web.survey_site import RIGHT, address, exported, make
from vivavoce.web.store.surveys import Survey

if TYPE_CHECKING:
    from playwright.sync_api import Browser as Chromium
    from playwright.sync_api import Page

pytestmark = [pytest.mark.long, pytest.mark.browser]


def go_on(page: Page, name: str = "Go on") -> None:
    with page.expect_navigation():
        page.get_by_role("button", name=name, exact=True).click()


def begin(page: Page, survey: Survey, participant: str) -> None:
    page.goto(f"{address(survey)}?PROLIFIC_PID={participant}&STUDY_ID=1&SESSION_ID=2")
    page.get_by_label("I am 18 years old").check()
    page.get_by_label("I have read this").check()
    go_on(page, "Agree and go on")
    page.get_by_role("link", name="Go on").click()
    for name, value in RIGHT.items():
        page.check(f"#{name.removeprefix('check-')}-{value}")
    go_on(page)


def answer(page: Page, own: str, before: str, after: str) -> None:
    """One pair."""
    check_fits(page, "own", 390)
    page.get_by_role("textbox", name="Your own answer").press_sequentially(own)
    go_on(page)
    check_fits(page, "before", 390)
    page.fill("#belief", before)
    go_on(page)
    check_fits(page, "after", 390)
    page.fill("#belief", after)
    go_on(page)


def test_a_session_with_own_answers(chromium: Chromium, kept_site: LiveSite) -> None:
    survey = make(kept_site, own_answers=True, pairs_each=2)
    for number in range(2):
        with opened(chromium, kept_site) as page:
            begin(page, survey, f"participant{number}")
            answer(page, "4", "60", "75")
            answer(page, "(B)", "60", "60")
            assert page.get_by_role("heading", name="Thank you").is_visible()
    answers = exported(kept_site, survey)
    assert {exported_answer.own for exported_answer in answers} == {"4", "(B)"}
