"""How pages look and load in a real browser: on a phone, for a finger, for a screen reader, in light and dark."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

import pytest

from tests.web.chromium import Place, check_axe, check_fits, each_page, opened
from tests.web.site import PASSWORD, QUESTIONS, LiveSite, ScriptlessBrowser, forget, guest_of, pair, play_out, running
from tests.web.store.players import ruined
from tests.web.survey_site import TALL, SurveyBrowser, address, cards, make
from vivavoce.web.database import transaction
from vivavoce.web.store import people
from vivavoce.web.store.accounts import confirm
from vivavoce.web.store.people import by_email

if TYPE_CHECKING:
    from playwright.sync_api import Browser as Chromium
    from playwright.sync_api import Request

pytestmark = pytest.mark.browser
TOKEN = "only the operator of this site knows this"
LONG = "somebody.with.a.rather.long.name@a.long.host.of.the.university.example.org"


def game_places(site: LiveSite) -> list[Place]:
    """Every page of the game, and who may see it; the operator's with a report that waits and someone who is banned."""
    forget(site)
    ann, bob = guest_of(site), guest_of(site)
    by_phase = {}
    for number, phase in enumerate(("over", "interview", "response", "guess", "wait")):
        ann.start()
        by_phase[phase] = (ann, bob.begin_game())
        ann.ready(bob.path)
        if number == 0:
            play_out(ann, bob, bob.path)
    for browser in (ann, bob):
        browser.ask(by_phase["response"][1], tuple(f"{text} {'long ' * 30}" for text in QUESTIONS))
        browser.ask(by_phase["guess"][1])
    for browser in (ann, bob):
        browser.answer(by_phase["guess"][1])
    ann.ask(by_phase["wait"][1])
    operator = operating(site)
    waiting = guest_of(site)
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


def operating(site: LiveSite) -> ScriptlessBrowser:
    """The operator, who has shut someone out, and has another report and someone who guesses by a rule to look at."""
    with transaction(site.engine) as c:
        ruined(c)
    operator = ScriptlessBrowser(site.url)
    operator.get("/operator")
    operator.send("/operator/sign-in", {"token": TOKEN})
    for _ in range(2):
        ann, bob, game = pair(site)
        for browser in (ann, bob):
            browser.ask(game, tuple(f"{text} {'long ' * 30}" for text in QUESTIONS))
        bob.get(game)
        bob.send(f"{game}/report", {"reason": "This is rude."})
    operator.get("/operator")
    operator.send(f"/operator/reports/{re.findall('/operator/reports/([0-9]+)', operator.page)[0]}", {"do": "ban"})
    assert "Banned" in operator.words
    assert "1 open report" in operator.words
    return operator


def flagged_on(operator: ScriptlessBrowser) -> str:
    """The id of who is flagged."""
    operator.get("/operator/flags")
    return str(re.findall("/operator/players/([0-9a-f]+)", operator.page)[0])


def link(site: LiveSite, purpose: people.Purpose, email: str) -> str:
    """As a mail has it."""
    with transaction(site.engine) as c:
        result = by_email(c, email)
        assert result is not None
        key = people.new_key(c, purpose, result[0].id, email, site.clock())
    return f"{'/password/new' if purpose == 'reset' else '/account/address/confirm'}?key={key}"


def account(site: LiveSite, email: str, *, confirmed: bool) -> ScriptlessBrowser:
    browser = ScriptlessBrowser(site.url).sign_up(f"Somebody at {email}"[:40], email, PASSWORD)
    if confirmed:
        key = link(site, "confirm", email).partition("key=")[2]
        with transaction(site.engine) as c:
            assert confirm(c, key, site.clock())
    return browser


def account_places(site: LiveSite) -> list[Place]:
    """Every page about accounts, and who may see it."""
    forget(site)
    ann, bob = account(site, LONG, confirmed=False), account(site, "bob@example.org", confirmed=True)
    cy = account(site, "cy@example.org", confirmed=True)
    cy.submit("/account/address", {"email": f"new.{LONG}", "password": PASSWORD})
    assert "is not confirmed yet" in cy.words, cy.words
    strangers = {
        path: (None, path) for path in ("/password/forgotten", "/password/forgotten?said=key-over", "/sign-in?said=reset")
    }
    links = {"reset": (None, link(site, "reset", "bob@example.org")), "confirm": (None, link(site, "confirm", LONG))}
    changes = {path: (bob, path) for path in ("/account/address", "/account/password", "/profile?said=password")}
    unconfirmed = {f"{path} unconfirmed": (ann, path) for path in ("/profile", "/home")}
    pending = {f"{path} pending": (cy, path) for path in ("/profile", "/account/password")}
    everywhere = {**strangers, **links, **changes, **unconfirmed, **pending}
    return [(name, who, path) for name, (who, path) in everywhere.items()]


def survey_places(site: LiveSite) -> list[Place]:
    """Every page of a survey, and who is there."""
    many = make(site, of=TALL, ask_why=True, contact="study@lab.example", return_url="https://app.example.org/done")
    either = make(site, of=TALL, told="either")
    draft, closed = make(site, state="draft"), make(site, state="closed")
    started, checking, failing = (SurveyBrowser(site, many).agree() for _ in range(3))
    checking.get(f"{checking.base}/checks")
    failing.get(f"{failing.base}/checks")
    failing.check({"check-number": "mine", "check-again": "higher"})
    before, after, moved, done = (SurveyBrowser(site, many).begin() for _ in range(4))
    after.send(after.path, {"belief": "62"})
    moved.say("62", "40")
    moved.send(moved.path, {"belief": "7"})
    done.say("1", "2")
    done.say("3", "4")
    gone, person = SurveyBrowser(site, many).begin(), SurveyBrowser(site, either).begin()
    gone.get(f"{gone.base}/withdraw")
    gone.send(gone.path)
    out = SurveyBrowser(site, many).agree()
    out.get(f"{out.base}/checks")
    for tries in (0, 1):
        out.check({"check-number": "mine", "check-again": "higher"}, tries)
    person.send(person.path, {"belief": "62"})
    who = {
        "how": started, "checks": checking, "last try": failing, "before": before, "after": after, "after wrong": moved,
        "done": done, "withdrawn": gone, "failed": out, "either": person,
    }  # fmt: skip
    here = [(name, entry, entry.path if name != "checks" else f"{entry.base}/checks") for name, entry in who.items()]
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


class Kind(NamedTuple):
    """Pages that belong together."""

    places: Callable[[LiveSite], list[Place]]
    unlike: tuple[str, ...]
    """Those that have, between them, all that these pages are made of."""
    settings: dict[str, Any]


KINDS = {
    "game": Kind(
        game_places,
        ("/", "/consent", "/home", "interview", "guess", "over", "/operator"),
        {"reveal_distribution": True, "operator_token": TOKEN},
    ),
    "account": Kind(
        account_places, ("/password/forgotten?said=key-over", "reset", "/account/address", "/profile unconfirmed"), {}
    ),
    "survey": Kind(survey_places, ("consent", "checks", "after wrong", "done", "preview"), {}),
}

Visit = tuple[LiveSite, Kind, list[Place]]


@pytest.fixture(scope="module", params=KINDS.values(), ids=list(KINDS))
def visited(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    """A site with its pages, and who may see them."""
    kind: Kind = request.param
    with running(tmp_path_factory.mktemp("site"), **kind.settings) as site:
        yield site, kind, kind.places(site)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSite]:
    with running(tmp_path_factory.mktemp("site")) as it:
        yield it


@pytest.mark.long
def test_pages_that_are_unlike_fit_and_axe_finds_no_fault(chromium: Chromium, visited: Visit) -> None:
    site, kind, places = visited
    some = [position for position in places if position[0] in kind.unlike]
    assert len(some) == len(kind.unlike)
    check_each(chromium, site, some, "light")


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_pages_fit_and_axe_finds_no_fault(chromium: Chromium, visited: Visit, scheme: str) -> None:
    site, _, places = visited
    check_each(chromium, site, places, scheme)


def check_each(chromium: Chromium, site: LiveSite, places: list[Place], scheme: Any) -> None:
    """These fit a phone, a finger and a desk, and axe finds no fault on them nor in what they fold away."""
    forget(site)
    for name, page in each_page(chromium, site, places, color_scheme=scheme):
        if page.locator("#belief").count():
            page.locator("#belief").fill("30")
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        check_fits(page, name, 320, 390, 1280)
        check_axe(page, name, scheme)
        assert page.evaluate("getComputedStyle(document.body).fontSize") == "16px"


@pytest.mark.long
@pytest.mark.parametrize(("of", "most"), [("game", 4), ("survey", 5)])
def test_a_page_is_light_to_load(chromium: Chromium, site: LiveSite, of: str, most: int) -> None:
    sizes: dict[str, int] = {}
    path = "/" if of == "game" else f"{address(make(site, of=cards(2)))}/consent"
    with opened(chromium, site) as page:
        page.on("response", lambda response: sizes.update({re.sub(r"\?.*", "", response.url): len(response.body())}))
        page.goto(path)
        page.wait_for_load_state("networkidle")
    assert len(sizes) <= most
    assert sum(sizes.values()) < 60_000


@pytest.mark.long
def test_axe_would_see_a_fault(chromium: Chromium, site: LiveSite) -> None:
    with opened(chromium, site) as page:
        page.goto("/sign-in")
        page.evaluate("document.querySelector('h1').style.color = '#bbb'; document.querySelector('label').remove()")
        with pytest.raises(AssertionError, match=r"(?s)color-contrast.*label|label.*color-contrast"):
            check_axe(page, "sign-in")


@pytest.mark.slow
@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_a_password_is_set_anew_and_its_key_told_to_nobody(chromium: Chromium, site: LiveSite, script: bool) -> None:
    forget(site)
    email = f"forgetful.{script}@example.org".lower()
    account(site, email, confirmed=True)
    path = link(site, "reset", email)
    asked: list[Request] = []
    options: dict[str, Any] = {"java_script_enabled": script}
    with opened(chromium, site, **options) as page:
        page.on("request", lambda request: asked.append(request))
        page.goto("/sign-in")
        page.get_by_role("link", name="Forgotten your password?").click()
        page.get_by_label("E-mail address").fill(email)
        page.get_by_role("button", name="Send the link").click()
        page.get_by_role("heading", name="Check your mail").wait_for()
        del asked[:]
        page.goto(path)
        page.get_by_label("New password").fill("aaaaaaaaaa")
        page.get_by_role("button", name="Set the password").click()
        page.locator("#problem").wait_for()
        page.get_by_label("New password").fill("another row of words")
        page.get_by_role("button", name="Set the password").click()
        page.get_by_text("Your password is changed").wait_for()
        page.get_by_role("link", name="How it works").click()
        page.get_by_role("heading", name="How it works").wait_for()
        paths = {urlsplit(request.url).path for request in asked}
        referers = [request.all_headers().get("referer", "") for request in asked]
    assert {"/password/new", "/sign-in", "/how-it-works", "/static/site.css"} <= paths
    assert any(referers)
    assert path.partition("key=")[2] not in "".join(referers)
