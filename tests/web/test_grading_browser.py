"""People grade in a real browser: by keys alone, without a script; and how the pages look, and those of dossiers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from tests.examination.made import FAILED, PASSED, card, dossier, score
from tests.web.chromium import Place, check_axe, check_fits, each_page, opened
from tests.web.site import Running, running
from tests.web.survey_site import LONG
from tests.web.test_grading_pages import given, grader, link_of, queue_of
from vivavoce.interview.scope import Grade
from vivavoce.web.database import transaction
from vivavoce.web.store import dossiers

if TYPE_CHECKING:
    from playwright.sync_api import Browser as Chromium

pytestmark = pytest.mark.browser
UNLIKE = ("answer", "dossier")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("site")) as it:
        yield it


@pytest.mark.long
def test_all_can_be_done_by_keys_alone_and_without_a_script(chromium: Chromium, site: Running) -> None:
    queue = queue_of(site, "It is one.", "It is two.")
    with opened(chromium, site, java_script_enabled=False) as page:

        def press(*keys: str) -> None:
            for key in keys:
                page.keyboard.press(key)

        page.goto(link_of(site, queue))
        page.get_by_label("I am 18").focus()
        press("Space", "Tab", "Space", "Tab")
        with page.expect_navigation():
            press("Enter")
        here = page.url
        page.get_by_role("button", name="Give this grade").click()  # nothing is chosen: the browser says so
        assert (page.url, page.locator(":checked").count()) == (here, 0)
        page.get_by_role("radio", name="0", exact=True).focus()
        press(*["ArrowRight"] * 8, "Tab", "Space", "ArrowDown", "Tab")
        with page.expect_navigation():
            press("Enter")
        with page.expect_navigation():
            page.get_by_role("button", name="I cannot grade this one").click()
        assert page.get_by_role("heading", name="Nothing to grade just now").is_visible()
    assert given(site, queue) == [Grade(0.8, True)]


@pytest.mark.parametrize("axed", [UNLIKE, pytest.param(None, marks=pytest.mark.slow)], ids=["axe on some", "axe on all"])
@pytest.mark.long
def test_pages_fit_a_phone_and_axe_finds_no_fault(chromium: Chromium, site: Running, axed: tuple[str, ...] | None) -> None:
    told = dossier(card(PASSED, FAILED, figures=(score(0.9, 0.8, 1.0),)), candidate="bot:" + "x" * 300)
    with transaction(site.engine) as c:
        text = json.dumps(told.as_json(made=datetime(2026, 3, 1, tzinfo=UTC), version="0.1.0"))
        id_ = dossiers.publish(c, text, "", datetime(2026, 3, 1, tzinfo=UTC)).id
    queue, empty = queue_of(site, LONG), queue_of(site)
    places: list[Place] = [
        ("consent", None, link_of(site, queue)),
        ("answer", grader(site, queue), "/grading"),
        ("withdraw", grader(site, queue), "/grading/withdraw"),
        ("nothing", grader(site, empty), "/grading"),
        ("no key", None, "/grading"),
        ("dossiers", None, "/dossiers"),
        ("dossier", None, f"/dossiers/{id_}"),
    ]
    for name, page in each_page(chromium, site, places):
        check_fits(page, name, 320, 390, 1280)
        if page.locator("input[name=points]").count():
            page.get_by_role("radio", name="7", exact=True).check()
        if axed is None or name in axed:
            check_axe(page, name)
