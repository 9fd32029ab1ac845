"""How pages look and load in a real browser: on a phone, for a finger, for a screen reader, in light and dark."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.web.chromium import Place, check_axe, check_fits, each_page, opened
from tests.web.site import QUESTIONS, Browser, Running, forget, pair, play_out, running
from tests.web.store.players import ruined
from vivavoce.web.database import transaction

if TYPE_CHECKING:
    from playwright.sync_api import Browser as Chromium

pytestmark = pytest.mark.browser
UNLIKE = ("/", "/consent", "/home", "interview", "guess", "over", "/operator")
"""Pages that have, between them, all that pages are made of."""
TOKEN = "only the operator of this site knows this"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("site"), reveal_distribution=True, operator_token=TOKEN) as it:
        yield it


@pytest.fixture(scope="module")
def places(site: Running) -> list[Place]:
    """Every page, and who may see it; the operator's with a report that waits and somebody who is banned."""
    forget(site)
    ann, bob = Browser(site.url).join(), Browser(site.url).join()
    by_phase = {}
    for number, phase in enumerate(("over", "interview", "response", "guess", "wait")):
        ann.start()
        by_phase[phase] = (ann, bob.begin_game())
        ann.ready(bob.path)
        if number == 0:
            play_out(ann, bob, bob.path)
    for one in (ann, bob):
        one.ask(by_phase["response"][1], tuple(f"{text} {'long ' * 30}" for text in QUESTIONS))
        one.ask(by_phase["guess"][1])
    for one in (ann, bob):
        one.answer(by_phase["guess"][1])
    ann.ask(by_phase["wait"][1])
    operator = operating(site)
    waiting = Browser(site.url).join()
    waiting.start()
    open_to_all = ("/", "/consent", "/sign-in", "/how-it-works", "/contact", "/privacy", "/operator/sign-in")
    strangers = {path: (None, path) for path in open_to_all}
    cheat = f"/operator/players/{flagged_on(operator)}"
    for_operator = ("/operator", "/operator/figures", "/operator/flags", "/operator/players", cheat, f"{cheat}/ban-and-void")
    operators = {path: (operator, path) for path in for_operator}
    players = {path: (ann, path) for path in ("/home", "/profile", "/leaderboard", "/account/new", "/account/delete")}
    waits = {"waiting": (waiting, "/waiting"), "home of who waits": (waiting, "/home")}
    everywhere = {**strangers, **players, **operators, **by_phase, **waits}
    return [(name, who, path) for name, (who, path) in everywhere.items()]


def operating(site: Running) -> Browser:
    """The operator, who has shut somebody out, and has another report and somebody who guesses by a rule to look at."""
    with transaction(site.engine) as c:
        ruined(c)
    operator = Browser(site.url)
    operator.get("/operator")
    operator.send("/operator/sign-in", {"token": TOKEN})
    for _ in range(2):
        ann, bob, game = pair(site.url)
        for one in (ann, bob):
            one.ask(game, tuple(f"{text} {'long ' * 30}" for text in QUESTIONS))
        bob.get(game)
        bob.send(f"{game}/report", {"reason": "This is rude."})
    operator.get("/operator")
    operator.send(f"/operator/reports/{re.findall('/operator/reports/([0-9]+)', operator.page)[0]}", {"do": "ban"})
    assert "Banned" in operator.words
    assert "1 open report" in operator.words
    return operator


def flagged_on(operator: Browser) -> str:
    """The id of who is flagged."""
    operator.get("/operator/flags")
    return str(re.findall("/operator/players/([0-9a-f]+)", operator.page)[0])


@pytest.mark.slow
def test_pages_fit_a_phone_and_a_finger(chromium: Chromium, site: Running, places: list[Place]) -> None:
    for name, page in each_page(chromium, site, places):
        check_fits(page, name, 320, 390)
        assert page.evaluate("getComputedStyle(document.body).fontSize") == "16px"


@pytest.mark.long
def test_pages_that_are_unlike_fit_and_axe_finds_no_fault(chromium: Chromium, site: Running, places: list[Place]) -> None:
    some = [place for place in places if place[0] in UNLIKE]
    assert len(some) == len(UNLIKE)
    check_each(chromium, site, some, "light", 320, 390)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_fault(chromium: Chromium, site: Running, places: list[Place], scheme: str) -> None:
    check_each(chromium, site, places, scheme)


def check_each(chromium: Chromium, site: Running, places: list[Place], scheme: Any, *widths: int) -> None:
    """Axe finds no fault on these, nor in what they fold away."""
    for name, page in each_page(chromium, site, places, color_scheme=scheme):
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        check_fits(page, name, *widths)
        check_axe(page, name, scheme)


@pytest.mark.long
def test_a_page_is_light_to_load(chromium: Chromium, site: Running) -> None:
    sizes: dict[str, int] = {}
    with opened(chromium, site) as page:
        page.on("response", lambda response: sizes.update({re.sub(r"\?.*", "", response.url): len(response.body())}))
        page.goto("/")
        page.wait_for_load_state("networkidle")
    assert len(sizes) <= 4
    assert sum(sizes.values()) < 60_000


@pytest.mark.long
def test_axe_would_see_a_fault(chromium: Chromium, site: Running) -> None:
    with opened(chromium, site) as page:
        page.goto("/sign-in")
        page.evaluate("document.querySelector('h1').style.color = '#bbb'; document.querySelector('label').remove()")
        with pytest.raises(AssertionError, match=r"(?s)color-contrast.*label|label.*color-contrast"):
            check_axe(page, "sign-in")
