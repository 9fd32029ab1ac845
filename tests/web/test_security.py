"""Attacks on the site: forms of others, headers, stolen cookies, hostile texts, and what is told of faults."""

from __future__ import annotations

import logging
import re
from functools import cached_property
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from fastapi.routing import APIRoute
from sqlalchemy import text

from tests.web.site import (
    ANSWERS,
    PATIENT,
    PLAIN,
    QUESTIONS,
    SCRIPT,
    SECRET,
    SQL,
    UNKEPT,
    LiveSite,
    ScriptlessBrowser,
    guest_of,
    pair,
    play_out,
    running,
    session_of,
    with_session,
)
from tests.web.survey_site import SurveyBrowser, make
from vivavoce.web.app import PAGES
from vivavoce.web.database import reading
from vivavoce.web.mail import STOP
from vivavoce.web.security.http import HEADERS
from vivavoce.web.store.surveys import Survey

PASSWORD = "correct horse battery"
SETTINGS = {"operator_token": "only the operator of this site knows this"}
ROUTES = [
    (method, route.path)
    for pages in PAGES
    for route in pages.router.routes
    if isinstance(route, APIRoute)
    for method in sorted(route.methods or ())
    if route.path not in (STOP, "/events")  # a link in a mail, with a key of its own; and what has no end
]
FORMS = [route for route in ROUTES if route[0] != "GET" and "/preview" not in route[1]]  # a preview keeps nothing
VALUES = {"game_id": "0" * 32, "key": "0" * 32, "phase": "interview", "number": "1", "player": "0" * 32, "sanction": "ban",
          "place": "1", "part": "before", "step": "done"}  # fmt: skip


class Insiders:
    """A player, someone who takes a survey and the operator, each on the site once they are needed."""

    def __init__(self, site: LiveSite) -> None:
        self._site = site

    @cached_property
    def _survey(self) -> Survey:
        return make(self._site)

    @cached_property
    def _person(self) -> ScriptlessBrowser:
        return SurveyBrowser(self._site, self._survey).begin()

    @cached_property
    def _player(self) -> ScriptlessBrowser:
        player = ScriptlessBrowser(self._site.url).join()
        player.get("/profile")
        return player

    @cached_property
    def _operator(self) -> ScriptlessBrowser:
        operator = ScriptlessBrowser(self._site.url)
        operator.get("/operator")
        operator.send("/operator/sign-in", {"token": SETTINGS["operator_token"]})
        return operator

    def of(self, path: str) -> ScriptlessBrowser:
        """Whoever may use what is at this path."""
        return self._person if path.startswith("/surveys") else self._operator if "operator" in path else self._player

    def address(self, path: str) -> str:
        """The path of a route with values."""
        slug = {"slug": self._survey.plan.slug} if "{slug}" in path else {}
        return path.format_map(VALUES | slug)


@pytest.fixture(scope="module")
def others(kept_site: LiveSite) -> Insiders:
    """Insiders who do nothing."""
    return Insiders(kept_site)


def test_there_are_routes_of_all_pages_to_attack() -> None:
    for start, least in (("/account", 5), ("/games", 5), ("/surveys", 4), ("/operator", 4)):
        assert sum(path.startswith(start) for _, path in FORMS) >= least, start


@pytest.mark.parametrize(("method", "path"), FORMS)
def test_no_form_is_taken_from_elsewhere(site: LiveSite, others: Insiders, method: str, path: str) -> None:
    insiders = Insiders(site)
    insider, address = insiders.of(path), insiders.address(path)
    own, foreign = insider.token, others.of(path).token
    assert len({own, foreign, ""}) == 3

    def status(token: str | None, **headers: str) -> int:
        fields = {"x": "1"} if token is None else {"csrf": token}
        return insider.client.request(method, address, data=fields, headers=headers, follow_redirects=False).status_code

    assert status(None) == 403
    assert status("") == 403
    assert status("é" * 64) == 403
    assert status("0" * 64) == 403
    assert status(foreign) == 403
    assert status(own, Origin="https://evil.example") == 403
    assert status(own, Origin="null") == 403
    assert status(own, Origin="http://[") == 403
    assert status(own, Origin=site.url.replace("127.0.0.1", "127.0.0.1.evil.example")) == 403
    assert status(own) != 403  # the only one that gets through; last, for it may sign out


def test_every_page_carries_the_headers_and_nothing_that_they_forbid(site: LiveSite) -> None:
    assert HEADERS["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self'")
    assert HEADERS["Referrer-Policy"] == "same-origin"
    insiders = Insiders(site)
    asked = ["/surveys/{slug}?PROLIFIC_PID=", "/surveys/{slug}/nothing", "/surveys/{slug}/preview?key=x"]
    for path in (*asked, *(path for method, path in ROUTES if method == "GET")):
        answer = insiders.of(path).client.get(insiders.address(path), follow_redirects=False)
        assert answer.status_code < 500, path
        for name, value in (HEADERS | {"cache-control": "no-store"}).items():
            assert answer.headers[name] == value, (path, name)
        assert not re.search(r"<[^>]+\s(style|on\w+)=|<script>", answer.text), path


def test_a_browser_that_says_another_site_asked_is_believed(site: LiveSite) -> None:
    player = guest_of(site)
    del player.client.headers["Origin"]
    player.get("/home")
    sent = player.client.post("/games", data={"csrf": player.token}, headers={"Sec-Fetch-Site": "cross-site"})
    assert sent.status_code == 403
    sent = player.client.post("/games", data={"csrf": player.token}, headers={"Sec-Fetch-Site": "same-origin"})
    assert sent.status_code == 200


def test_a_form_from_before_the_sign_in_is_not_taken_after_it(site: LiveSite) -> None:
    browser = ScriptlessBrowser(site.url)
    browser.get("/consent")
    before = browser.token
    browser.join()
    browser.send("/games", {"csrf": before})
    assert browser.status == 403
    assert "This form has expired" in browser.words


def test_other_kinds_of_bodies_are_not_forms(site: LiveSite) -> None:
    player = guest_of(site)
    player.get("/home")
    for kind, body in (("application/json", b'{"csrf": "x"}'), ("text/plain", f"csrf={player.token}".encode()), ("", b"\xff")):
        assert player.client.post("/games", content=body, headers={"Content-Type": kind}).status_code == 400
    many = "&".join(f"f{number}=1" for number in range(1_000))
    sent = player.client.post("/games", content=many, headers={"Content-Type": "application/x-www-form-urlencoded"})
    assert sent.status_code == 400


def test_every_answer_carries_the_headers(one_server: LiveSite, monkeypatch: pytest.MonkeyPatch) -> None:
    site = one_server
    browser = guest_of(site)
    plain = httpx.Client(base_url=site.url, cookies=browser.client.cookies, limits=UNKEPT, timeout=PATIENT, verify=PLAIN)
    answers = {
        path: plain.get(path) for path in ("/", "/home", "/nothing", "/static/site.css", "/static/nothing", "/events/now")
    }
    answers["303"] = httpx.get(f"{site.url}/home", timeout=PATIENT, verify=PLAIN)
    answers["403"] = plain.post("/games", data={"x": "1"})
    answers["413"] = plain.post("/games", content=b"x" * 1_000_001)
    monkeypatch.setattr("vivavoce.web.pages.home.games.games_of", _breaks)
    answers["500"] = plain.get("/home")
    assert [answers[name].status_code for name in ("303", "403", "413", "500")] == [303, 403, 413, 500]
    assert "Something went wrong" in answers["500"].text
    for words in ("5417", "Traceback", "RuntimeError", ".py"):  # a fault is not explained to strangers
        assert words not in answers["500"].text
    for path, answer in answers.items():
        for name, value in HEADERS.items():
            assert answer.headers[name] == value, (path, name)
        assert "server" not in answer.headers or answer.headers["server"] == "uvicorn"
        assert path.startswith("/static/site") or answer.headers["cache-control"] == "no-store"
    policy = HEADERS["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy


def _breaks(*_: object) -> None:
    raise RuntimeError("the secret number is 5417")


def test_head_is_answered_as_get_without_a_body(site: LiveSite) -> None:
    got, head = (httpx.request(method, f"{site.url}/", timeout=PATIENT, verify=PLAIN) for method in ("GET", "HEAD"))
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-type"] == got.headers["content-type"]
    assert head.headers["x-content-type-options"] == "nosniff"
    assert httpx.head(f"{site.url}/nowhere", timeout=PATIENT, verify=PLAIN).status_code == 404
    assert httpx.head(f"{site.url}/events", timeout=PATIENT, verify=PLAIN).status_code == 405  # which has no end


def test_no_secret_is_in_an_address_or_a_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    addresses: list[str] = []
    with running(tmp_path) as site:
        ann = ScriptlessBrowser(site.url)
        ann.client.event_hooks = {"request": [lambda request: addresses.append(str(request.url))]}
        ann.sign_up("Logged", "logged@example.org", PASSWORD)
        bob = guest_of(site)
        ann.start()
        game = bob.begin_game()
        play_out(ann, bob, game)
        ann.get("/profile")
        secrets = {PASSWORD, SECRET, session_of(ann), session_of(ann).rpartition(".")[0], ann.token, QUESTIONS[0], ANSWERS[0]}
        links = re.findall(r'(?:href|action)="([^"]*)"', ann.page)
    text = "\n".join(record.getMessage() for record in caplog.records if not record.name.startswith(("httpx", "httpcore")))
    for secret in secrets:
        assert not any(secret in address for address in addresses + links)
        assert secret not in text
    assert "logged@example.org" not in text


def test_the_session_cookie_is_out_of_reach(site: LiveSite, tmp_path: Path) -> None:
    def session_cookie(url: str) -> str:
        page = httpx.get(f"{url}/consent", timeout=PATIENT, verify=PLAIN)
        token = re.search('name="csrf" value="([0-9a-f]+)"', page.text)
        assert token
        headers = {"Cookie": page.headers["set-cookie"].partition(";")[0], "Origin": url}
        fields = {"adult": "on", "release": "on", "as": "guest", "csrf": token[1]}
        sent = httpx.post(f"{url}/consent", data=fields, headers=headers, timeout=PATIENT, verify=PLAIN)
        (result,) = [cookie for cookie in sent.headers.get_list("set-cookie") if "viva_session=" in cookie]
        return result

    plain = session_cookie(site.url)
    assert {"HttpOnly", "SameSite=lax", "Path=/", "Max-Age=5184000"} <= set(plain.split("; "))  # 60 days
    assert "Secure" not in plain
    with running(tmp_path, base_url="https://luna.example.org", https=True) as secure_site:
        secure = session_cookie(secure_site.url)
    assert secure.startswith("__Host-")
    assert {"HttpOnly", "SameSite=lax", "Secure", "Path=/"} <= set(secure.split("; "))
    assert "Domain" not in plain + secure


def test_a_session_that_was_planted_is_not_the_one_after_signing_in(site: LiveSite) -> None:
    ScriptlessBrowser(site.url).sign_up("Fixed", "fixed@example.org", PASSWORD)
    attacker = guest_of(site)
    planted = session_of(attacker)
    victim = with_session(site, planted)
    victim.get("/sign-in")
    assert victim.path == "/home"  # already signed in: as the attacker's guest, which the page says
    victim.send("/sign-out")
    victim.client.cookies.set("viva_session", planted, domain="127.0.0.1")
    victim.submit("/sign-in", {"email": "fixed@example.org", "password": PASSWORD})
    assert victim.path == "/home"
    assert session_of(victim) != planted
    attacker.get("/profile")
    assert "Fixed" not in attacker.words


def test_a_stolen_cookie_is_worth_nothing_after_signing_out(site: LiveSite) -> None:
    ann = ScriptlessBrowser(site.url).sign_up("Stolen", "stolen@example.org", PASSWORD)
    stolen = session_of(ann)
    assert with_session(site, stolen).get("/profile").url.path == "/profile"
    ann.get("/profile")
    ann.send("/sign-out")
    assert with_session(site, stolen).get("/profile").url.path == "/"


def test_signing_out_everywhere_closes_all_sessions(site: LiveSite) -> None:
    ann = ScriptlessBrowser(site.url).sign_up("Everywhere", "everywhere@example.org", PASSWORD)
    elsewhere = ScriptlessBrowser(site.url)
    elsewhere.submit("/sign-in", {"email": "everywhere@example.org", "password": PASSWORD})
    assert elsewhere.path == "/home"
    ann.get("/profile")
    ann.send("/sign-out", {"everywhere": "1"})
    assert elsewhere.get("/profile").url.path == "/"


def test_becoming_an_account_changes_the_session(site: LiveSite) -> None:
    guest = guest_of(site)
    before = session_of(guest)
    guest.submit("/account/new", {"name": "Changed", "email": "changed@example.org", "password": PASSWORD})
    assert session_of(guest) != before
    assert with_session(site, before).get("/profile").url.path == "/"


@pytest.mark.parametrize("change", ["", "x", "flip", "unsigned", "long", "sql", "odd"])
def test_forged_cookies_open_nothing(site: LiveSite, change: str) -> None:
    real = session_of(guest_of(site))
    body, signature = real.rsplit(".", 1)  # of its last character, two bits say nothing: the first one is changed
    forged = {
        "": "",
        "x": "x",
        "flip": f"{body}.{'A' if signature[0] != 'A' else 'B'}{signature[1:]}",
        "unsigned": body,
        "long": real + "x" * 3_000,
        "sql": "' OR 1=1 --.x",
        "odd": "%00%ff.\\u0000",
    }[change]
    answer = httpx.get(f"{site.url}/profile", headers={"Cookie": f"viva_session={forged}"}, timeout=PATIENT, verify=PLAIN)
    assert answer.status_code == 303


def test_the_visitor_cookie_cannot_stand_in_for_a_session(site: LiveSite) -> None:
    visitor = ScriptlessBrowser(site.url)
    visitor.get("/")
    thief = with_session(site, visitor.client.cookies["viva_visitor"])
    assert thief.get("/profile").url.path == "/"


def test_games_of_others_are_not_there(site: LiveSite) -> None:
    ann, bob, game = pair(site)
    eve = guest_of(site)
    eve.get("/profile")
    token = eve.token
    missing = eve.get("/games/" + "0" * 32).text
    assert eve.get(game).status_code == 404
    assert eve.page == missing  # nobody learns which games there are
    texts = {f"question{number}": "?" for number in range(1, 6)}
    for path, method in ((f"{game}/interview", "POST"), (f"{game}/interview/draft", "PUT"), (f"{game}/report", "POST")):
        eve.send(path, {"csrf": token, "reason": "?"} | texts, method=method)
        assert eve.status == 404
    stranger = ScriptlessBrowser(site.url)
    stranger.get(game)
    assert stranger.path == "/"
    play_out(ann, bob, game)
    assert eve.get(game).status_code == 404


@pytest.mark.parametrize(
    "nasty", [SCRIPT, SQL, "\x00\x01\ufffe\u202e", "\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16")]
)
def test_what_people_type_is_shown_and_does_nothing(site: LiveSite, nasty: str) -> None:
    ann, bob, game = pair(site)
    nasties = tuple(f"{nasty} {number}" for number in range(5))
    ann.get(game)
    ann.send(f"{game}/interview", {f"question{number}": nasty for number in range(1, 6)} | {"draft": "1"})
    pages = [ann.page]
    for browser in (ann, bob):
        browser.ask(game, nasties)
        pages.append(browser.page)
    for browser in (ann, bob):
        browser.answer(game, nasties)
        pages.append(browser.page)
    ann.get(game)
    ann.send(f"{game}/report", {"reason": nasty})
    pages.append(ann.page)
    for browser in (ann, bob):
        browser.guess(game, nasty, slider1=nasty)
        pages.append(browser.page)
        assert browser.status == 422
        browser.guess(game, "50")
        pages.append(browser.page)
    assert ann.status == bob.status == 200
    for page in pages:
        assert "<script>alert" not in page
        assert "<img" not in page
        assert "<svg/onload" not in page
        assert "49 " not in page or "{{7*7}}" not in nasty
    if nasty == SCRIPT:
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in bob.page


@pytest.mark.parametrize("nasty", [SCRIPT, SQL])
def test_names_and_addresses_do_nothing_either(site: LiveSite, nasty: str) -> None:
    browser = ScriptlessBrowser(site.url)
    browser.sign_up(nasty[:38], f"{nasty}@example.org", PASSWORD)
    assert browser.status == 422
    assert "<script>alert" not in browser.page
    browser.send("/account/new", {"name": nasty[:38], "email": f"n{abs(hash(nasty))}@example.org", "password": PASSWORD})
    browser.get("/profile")
    assert browser.status == 200
    assert "<script>alert" not in browser.page
    browser.get(f"/?said={nasty}")
    assert nasty not in browser.page
    with reading(site.engine) as c:
        assert c.execute(text("SELECT count(*) FROM players")).scalar_one() > 0


def test_no_address_leads_to_another_site(site: LiveSite) -> None:
    browser = ScriptlessBrowser(site.url, follow=False)
    elsewhere = ("//evil.example", "/%2F%2Fevil.example", "/\\evil.example", "/sign-in?next=//evil.example")
    for path in (*elsewhere, "/static/../../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py"):
        answer = browser.get(path)
        assert urlsplit(answer.headers.get("location", "/")).netloc == ""
        assert answer.status_code in (200, 404)
        assert "def create_app" not in answer.text
