"""The operator's pages: shut to all but who knows the token, for an hour; what can be done there is done."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest
from itsdangerous import Signer

from tests.web.site import Browser, LiveSite, pair, play_out, running
from vivavoce.luna.site_statistics import statistics
from vivavoce.web.pages.operator import HEIGHT, bars
from vivavoce.web.store.game_export import Traffic

TOKEN = "only the operator of this site knows this"
SETTINGS = {"operator_token": TOKEN}
PAGES = (
    "/operator",
    "/operator/figures",
    "/operator/flags",
    "/operator/guessers",
    "/operator/players",
    "/operator/surveys",
    "/operator/surveys/none",
    f"/operator/players/{'0' * 32}",
)


def signed_in(site: LiveSite) -> Browser:
    operator = Browser(site.url)
    operator.get("/operator")
    operator.send("/operator/sign-in", {"token": TOKEN})
    assert operator.path == "/operator", operator.words
    return operator


def reported(site: LiveSite, reason: str = "This is rude.") -> tuple[Browser, Browser, str]:
    ann, bob, game = pair(site.url)
    for browser in (ann, bob):
        browser.ask(game, tuple(f"<script>alert({n})</script>" for n in range(5)))
    bob.get(game)
    bob.send(f"{game}/report", {"reason": reason})
    return ann, bob, game


def see_to(operator: Browser, deed: str) -> str:
    """Press one of the buttons of the first report; where its form was sent."""
    path = operator.page.partition('<form method="post" action="')[2].partition('"')[0]
    operator.send(path, {"do": deed})
    return path


def test_without_a_token_there_are_no_pages(tmp_path: Path) -> None:
    with running(tmp_path) as bare:
        browser = Browser(bare.url)
        browser.get("/")
        for path in (*PAGES, "/operator/sign-in"):
            assert browser.get(path).status_code == 404
        browser.get("/consent")
        assert browser.send("/operator/sign-in", {"token": ""}).status_code == 404


def test_strangers_and_players_see_the_form_and_nothing_else(site: LiveSite) -> None:
    for browser in (Browser(site.url), Browser(site.url).join()):
        for path in PAGES:
            assert browser.get(path).url.path == "/operator/sign-in"
        browser.get("/operator/sign-in")
        players = [f"/operator/players/{'0' * 32}/{deed}" for deed in ("unban", "ban")]
        for path in ("/operator/reports/1", "/operator/sign-out", *players):
            assert browser.send(path, {"do": "ban"}).url.path == "/operator/sign-in"


@pytest.mark.parametrize("token", ["", "wrong", TOKEN + "x", TOKEN[:-1], "é" * 40, "\x00"])
def test_a_wrong_token(site: LiveSite, token: str) -> None:
    browser = Browser(site.url)
    browser.get("/operator/sign-in")
    assert browser.send("/operator/sign-in", {"token": token}).status_code == 422
    assert "not the operator" in browser.words
    assert browser.get("/operator").url.path == "/operator/sign-in"


def test_guessing_is_slow(site: LiveSite) -> None:
    browser = Browser(site.url)
    browser.get("/operator/sign-in")
    answers = [
        browser.client.post("/operator/sign-in", data={"csrf": browser.token, "token": "x"})
        for _ in range(20 * site.processes + 1)
    ]
    assert [response.status_code for response in answers] == [422] * 20 * site.processes + [429]


def test_the_note_is_not_the_token_and_lasts_an_hour(site: LiveSite) -> None:
    operator = signed_in(site)
    cookie = operator.client.cookies["viva_operator"]
    assert TOKEN not in cookie
    site.clock.ahead = timedelta(minutes=59)
    assert operator.get("/operator").url.path == "/operator"
    site.clock.ahead = timedelta(minutes=61)
    assert operator.get("/operator").url.path == "/operator/sign-in"


def test_a_note_is_of_no_use_elsewhere(site: LiveSite) -> None:
    operator, thief = signed_in(site), Browser(site.url)
    thief.get("/")
    thief.client.cookies.set("viva_operator", operator.client.cookies["viva_operator"])
    assert thief.get("/operator").url.path == "/operator/sign-in"
    forged = Signer("another secret", salt="vivavoce cookie operator").sign("99999999999|x").decode()
    for note in (forged, "99999999999|x", "x" * 4000):
        thief.client.cookies.set("viva_operator", note)
        assert thief.get("/operator").url.path == "/operator/sign-in"


def test_cookies_are_shut_to_scripts_and_other_sites(site: LiveSite) -> None:
    browser = Browser(site.url, follow=False)
    browser.get("/operator/sign-in")
    answer = browser.send("/operator/sign-in", {"token": TOKEN})
    (note,) = [name for name in answer.headers.get_list("set-cookie") if name.startswith("viva_operator")]
    assert {"HttpOnly", "SameSite=strict", "Max-Age=3600"} <= set(note.split("; "))


def test_signed_out(site: LiveSite) -> None:
    operator = signed_in(site)
    note = operator.client.cookies["viva_operator"]
    operator.send("/operator/sign-out")
    operator.client.cookies.set("viva_operator", note)
    assert operator.get("/operator").url.path == "/operator/sign-in"


def test_a_report_is_seen_and_dismissed(site: LiveSite) -> None:
    reported(site, "<b>rude</b>")
    operator = signed_in(site)
    assert "<b>rude</b>" in operator.words
    assert "<script>alert" not in operator.page
    path = see_to(operator, "nonsense")
    assert operator.status == 400
    operator.get("/operator")
    see_to(operator, "dismiss")
    assert "The report is closed, and nothing else has changed." in operator.words
    assert "Nothing waits for you" in operator.words
    operator.send(path, {"do": "ban"})
    assert operator.path == "/operator"
    assert "handled already" in operator.words
    assert "Banned" not in operator.words


@pytest.mark.long
def test_texts_are_hidden(site: LiveSite) -> None:
    _, bob, game = reported(site)
    operator = signed_in(site)
    see_to(operator, "hide")
    assert "The texts are hidden: nobody sees them" in operator.words
    assert "Nothing waits for you" in operator.words
    bob.get(game)
    assert "hidden by the operator" in bob.words
    assert "alert(" not in bob.page


@pytest.mark.long
def test_a_player_is_banned_and_pardoned(site: LiveSite) -> None:
    ann, bob, game = reported(site)
    operator = signed_in(site)
    see_to(operator, "ban")
    assert "The texts are hidden, and the player is banned." in operator.words
    assert ann.get("/home").url.path == "/"
    bob.get(game)
    assert "alert(" not in bob.page
    shut_out = operator.page.partition("Banned: ")[2].partition('href="/operator/players/')[2].partition('"')[0]
    assert shut_out.endswith("/unban")
    operator.get(f"/operator/players/{shut_out}")
    operator.send(f"/operator/players/{shut_out}", {"guesses": "0"})
    assert "Done" in operator.words
    operator.get("/operator")
    assert "Banned" not in operator.words
    assert operator.send("/operator/players/nobody/unban").status_code == 400
    assert "There is no player 'nobody'" in operator.words


@pytest.mark.long
def test_figures(site: LiveSite) -> None:
    ann, bob, game = pair(site.url)
    play_out(ann, bob, game, ("81", "100"))
    operator = signed_in(site)
    operator.get("/operator/figures")
    assert "In the thesis" in operator.words
    assert "Limits" in operator.words
    assert 'aria-label="People by rating: 1 from 80, 1 from 90"' in operator.page
    answers = [operator.get("/operator/figures").status_code for _ in range(5 * site.processes)]
    assert answers == [200] * (5 * site.processes - 1) + [429]  # it was looked at before


def test_bars_stand_on_the_ground() -> None:
    came = [Traffic("guest", date(2026, 6, 14), 1, 1, 1, rating) for rating in (5.0, 50.0, 55.0)]
    histogram_bars = bars(statistics([], came))
    assert [bar.count for bar in histogram_bars] == [1, 0, 0, 0, 0, 2, 0, 0, 0, 0]
    assert all(bar.y + bar.height == HEIGHT for bar in histogram_bars)
    assert (histogram_bars[0].height, histogram_bars[5].height) == (HEIGHT / 2, HEIGHT)
    assert bars(statistics([], [])) == []
