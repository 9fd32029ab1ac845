"""Forms of others, headers, and what is told of faults: attacks on the site, each on a real server."""

from __future__ import annotations

import logging
import re
from pathlib import Path

import httpx
import pytest
from fastapi.routing import APIRoute

from tests.web.site import ANSWERS, PATIENT, PLAIN, QUESTIONS, SECRET, UNKEPT, Browser, LiveSite, play_out, running, session_of
from tests.web.survey_site import Person, make
from vivavoce.web.app import PAGES
from vivavoce.web.mail import STOP
from vivavoce.web.security.http import HEADERS

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
    """A player, somebody who takes a survey and the operator, each on the site."""

    def __init__(self, site: LiveSite) -> None:
        survey = make(site)
        self._slug = survey.plan.slug
        self._person = Person(site, survey).begin()
        self._player, self._operator = Browser(site.url).join(), Browser(site.url)
        self._player.get("/profile")
        self._operator.get("/operator")
        self._operator.send("/operator/sign-in", {"token": SETTINGS["operator_token"]})

    def of(self, path: str) -> Browser:
        """Whoever may use what is at this path."""
        return self._person if path.startswith("/surveys") else self._operator if "operator" in path else self._player

    def address(self, path: str) -> str:
        """The path of a route with values."""
        return path.format_map(VALUES | {"slug": self._slug})


def test_there_are_routes_of_all_pages_to_attack() -> None:
    for start, least in (("/account", 5), ("/games", 5), ("/shared", 1), ("/surveys", 5), ("/operator", 4)):
        assert sum(path.startswith(start) for _, path in FORMS) >= least, start


@pytest.mark.parametrize(("method", "path"), FORMS)
def test_no_form_is_taken_from_elsewhere(site: LiveSite, method: str, path: str) -> None:
    insiders, others = Insiders(site), Insiders(site)
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
    player = Browser(site.url).join()
    del player.client.headers["Origin"]
    player.get("/home")
    sent = player.client.post("/games", data={"csrf": player.token}, headers={"Sec-Fetch-Site": "cross-site"})
    assert sent.status_code == 403
    sent = player.client.post("/games", data={"csrf": player.token}, headers={"Sec-Fetch-Site": "same-origin"})
    assert sent.status_code == 200


def test_a_form_from_before_the_sign_in_is_not_taken_after_it(site: LiveSite) -> None:
    browser = Browser(site.url)
    browser.get("/consent")
    before = browser.token
    browser.join()
    browser.send("/games", {"csrf": before})
    assert browser.status == 403
    assert "This form is out of date" in browser.words


def test_other_kinds_of_bodies_are_not_forms(site: LiveSite) -> None:
    player = Browser(site.url).join()
    player.get("/home")
    for kind, body in (("application/json", b'{"csrf": "x"}'), ("text/plain", f"csrf={player.token}".encode()), ("", b"\xff")):
        assert player.client.post("/games", content=body, headers={"Content-Type": kind}).status_code == 400
    many = "&".join(f"f{number}=1" for number in range(1_000))
    sent = player.client.post("/games", content=many, headers={"Content-Type": "application/x-www-form-urlencoded"})
    assert sent.status_code == 400


def test_every_answer_carries_the_headers(one_server: LiveSite, monkeypatch: pytest.MonkeyPatch) -> None:
    site = one_server
    browser = Browser(site.url).join()
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


def test_a_fault_of_ours_is_not_explained_to_strangers(one_server: LiveSite, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = Browser(one_server.url).join()
    monkeypatch.setattr("vivavoce.web.pages.home.games.games_of", _breaks)
    browser.get("/home")
    assert browser.status == 500
    assert "Something went wrong on our side" in browser.words
    for text in ("5417", "Traceback", "RuntimeError", ".py"):
        assert text not in browser.page


def test_no_secret_is_in_an_address_or_a_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    addresses: list[str] = []
    with running(tmp_path) as site:
        ann = Browser(site.url)
        ann.client.event_hooks = {"request": [lambda request: addresses.append(str(request.url))]}
        ann.sign_up("Logged", "logged@example.org", PASSWORD)
        bob = Browser(site.url).join()
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
