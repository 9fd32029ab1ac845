"""How the pages of a survey look and load: on a phone, for a finger, for a screen reader, in light and dark."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.web.chromium import Place, check_axe, check_fits, each_page, opened
from tests.web.site import Running, running
from tests.web.survey_site import TALL, Person, address, cards, make

if TYPE_CHECKING:
    from playwright.sync_api import Browser as Chromium

pytestmark = pytest.mark.browser
UNLIKE = ("consent", "checks", "after wrong", "done", "preview")
"""Pages that have, between them, all that pages of surveys are made of."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("site")) as it:
        yield it


@pytest.fixture(scope="module")
def places(site: Running) -> list[Place]:
    """Every page, and who is there."""
    many = make(site, of=TALL, ask_why=True, contact="study@lab.example", return_url="https://app.example.org/done")
    either = make(site, of=TALL, told="either")
    draft, closed = make(site, state="draft"), make(site, state="closed")
    started, checking, failing = (Person(site, many).agree() for _ in range(3))
    checking.get(f"{checking.base}/checks")
    failing.get(f"{failing.base}/checks")
    failing.check({"check-number": "mine", "check-again": "higher"})
    before, after, moved, done = (Person(site, many).begin() for _ in range(4))
    after.send(after.path, {"belief": "62"})
    moved.say("62", "40")
    moved.send(moved.path, {"belief": "7"})
    done.say("1", "2")
    done.say("3", "4")
    gone, told = Person(site, many).begin(), Person(site, either).begin()
    gone.get(f"{gone.base}/withdraw")
    gone.send(gone.path)
    out = Person(site, many).agree()
    out.get(f"{out.base}/checks")
    for tries in (0, 1):
        out.check({"check-number": "mine", "check-again": "higher"}, tries)
    told.send(told.path, {"belief": "62"})
    who = {
        "how": started, "checks": checking, "last try": failing, "before": before, "after": after, "after wrong": moved,
        "done": done, "withdrawn": gone, "failed": out, "either": told,
    }  # fmt: skip
    here = [(name, one, one.path if name != "checks" else f"{one.base}/checks") for name, one in who.items()]
    return [
        *here,
        ("consent", None, f"{address(many)}/consent"),
        ("withdraw", after, f"{address(many)}/withdraw"),
        ("moved", after, f"{address(many)}/checks"),
        ("preview", None, f"{address(many)}/preview?key={many.preview_key}"),
        ("draft", None, address(draft)),
        ("closed", None, address(closed)),
        ("bad link", None, f"{address(many)}?STUDY_ID=1"),
    ]


@pytest.mark.slow
def test_pages_fit_a_phone_and_a_finger(chromium: Chromium, site: Running, places: list[Place]) -> None:
    for name, page in each_page(chromium, site, places):
        check_fits(page, name, 320, 390, 1280)


@pytest.mark.long
def test_pages_that_are_unlike_fit_and_axe_finds_no_fault(chromium: Chromium, site: Running, places: list[Place]) -> None:
    some = [place for place in places if place[0] in UNLIKE]
    assert len(some) == len(UNLIKE)
    check_each(chromium, site, some, "light")


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_fault(chromium: Chromium, site: Running, places: list[Place], scheme: str) -> None:
    check_each(chromium, site, places, scheme)


def check_each(chromium: Chromium, site: Running, places: list[Place], scheme: Any) -> None:
    """Axe finds no fault on these, and they fit."""
    for name, page in each_page(chromium, site, places, color_scheme=scheme):
        if page.locator("#belief").count():
            page.locator("#belief").fill("30")
        check_axe(page, name, scheme)
        check_fits(page, name, 320, 390, 1280)


@pytest.mark.long
def test_a_page_is_light_to_load(chromium: Chromium, site: Running) -> None:
    survey, sizes = make(site, of=cards(2)), {}
    with opened(chromium, site) as page:
        page.on("response", lambda response: sizes.update({re.sub(r"\?.*", "", response.url): len(response.body())}))
        page.goto(f"{address(survey)}/consent")
        page.wait_for_load_state("networkidle")
    assert len(sizes) <= 5
    assert sum(sizes.values()) < 60_000
