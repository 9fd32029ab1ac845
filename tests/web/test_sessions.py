"""Who is at the other end: cookies that are stolen, planted and forged, and games of others."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest

from tests.web.site import PATIENT, PLAIN, Browser, LiveSite, pair, play_out, running, session_of, with_session

PASSWORD = "correct horse battery"


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
    Browser(site.url).sign_up("Fixed", "fixed@example.org", PASSWORD)
    attacker = Browser(site.url).join()
    planted = session_of(attacker)
    victim = with_session(site, planted)
    victim.get("/sign-in")
    assert victim.path == "/home"  # already signed in: as the attacker's guest, which the page says
    victim.send("/sign-out")
    victim.client.cookies.set("viva_session", planted, domain="127.0.0.1")
    victim.get("/sign-in")
    victim.send("/sign-in", {"email": "fixed@example.org", "password": PASSWORD})
    assert victim.path == "/home"
    assert session_of(victim) != planted
    attacker.get("/profile")
    assert "Fixed" not in attacker.words


def test_a_stolen_cookie_is_worth_nothing_after_signing_out(site: LiveSite) -> None:
    ann = Browser(site.url).sign_up("Stolen", "stolen@example.org", PASSWORD)
    stolen = session_of(ann)
    assert with_session(site, stolen).get("/profile").url.path == "/profile"
    ann.get("/profile")
    ann.send("/sign-out")
    assert with_session(site, stolen).get("/profile").url.path == "/"


def test_signing_out_everywhere_closes_all_sessions(site: LiveSite) -> None:
    ann = Browser(site.url).sign_up("Everywhere", "everywhere@example.org", PASSWORD)
    elsewhere = Browser(site.url)
    elsewhere.get("/sign-in")
    elsewhere.send("/sign-in", {"email": "everywhere@example.org", "password": PASSWORD})
    assert elsewhere.path == "/home"
    ann.get("/profile")
    ann.send("/sign-out", {"everywhere": "1"})
    assert elsewhere.get("/profile").url.path == "/"


def test_becoming_an_account_changes_the_session(site: LiveSite) -> None:
    guest = Browser(site.url).join()
    before = session_of(guest)
    guest.get("/account/new")
    guest.send("/account/new", {"name": "Changed", "email": "changed@example.org", "password": PASSWORD})
    assert session_of(guest) != before
    assert with_session(site, before).get("/profile").url.path == "/"


@pytest.mark.parametrize("change", ["", "x", "flip", "unsigned", "long", "sql", "odd"])
def test_forged_cookies_open_nothing(site: LiveSite, change: str) -> None:
    real = session_of(Browser(site.url).join())
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
    visitor = Browser(site.url)
    visitor.get("/")
    thief = with_session(site, visitor.client.cookies["viva_visitor"])
    assert thief.get("/profile").url.path == "/"


def test_games_of_others_are_not_there(site: LiveSite) -> None:
    ann, bob, game = pair(site.url)
    eve = Browser(site.url).join()
    eve.get("/profile")
    token = eve.token
    missing = eve.get("/games/" + "0" * 32).text
    assert eve.get(game).status_code == 404
    assert eve.page == missing  # nobody learns which games there are
    texts = {f"question{number}": "?" for number in range(1, 6)}
    for path, method in ((f"{game}/interview", "POST"), (f"{game}/interview/draft", "PUT"), (f"{game}/report", "POST")):
        eve.send(path, {"csrf": token, "reason": "?"} | texts, method=method)
        assert eve.status == 404
    stranger = Browser(site.url)
    stranger.get(game)
    assert stranger.path == "/"
    play_out(ann, bob, game)
    assert eve.get(game).status_code == 404
