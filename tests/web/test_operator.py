"""The operator's pages: who gets in, what can be done, and what a ban does to ratings."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from itsdangerous import Signer
from sqlalchemy import Connection

from tests.web.site import LiveSite, ScriptlessBrowser, guest_of, pair, play_out, running
from tests.web.store.players import MINUTE, START, account, played
from vivavoce.luna.games_file import SiteVisitor
from vivavoce.luna.site_statistics import statistics
from vivavoce.web.database import reading, transaction
from vivavoce.web.pages.home import guess_chart
from vivavoce.web.pages.operator import HEIGHT, bars
from vivavoce.web.store.people import Player
from vivavoce.web.store.ratings import GivenGuess, history, rating_of

if TYPE_CHECKING:
    pass


TOKEN = "only the operator of this site knows this"
SETTINGS = {"operator_token": TOKEN}
PAGES = (
    "/operator",
    "/operator/figures",
    "/operator/flags",
    "/operator/players",
    "/operator/surveys",
    "/operator/surveys/none",
    f"/operator/players/{'0' * 32}",
)


def signed_in(site: LiveSite) -> ScriptlessBrowser:
    operator = ScriptlessBrowser(site.url)
    operator.get("/operator")
    operator.send("/operator/sign-in", {"token": TOKEN})
    assert operator.path == "/operator", operator.words
    return operator


def reported(site: LiveSite, reason: str = "This is rude.") -> tuple[ScriptlessBrowser, ScriptlessBrowser, str]:
    ann, bob, game = pair(site)
    for browser in (ann, bob):
        browser.ask(game, tuple(f"<script>alert({n})</script>" for n in range(5)))
    bob.get(game)
    bob.send(f"{game}/report", {"reason": reason})
    return ann, bob, game


def see_to(operator: ScriptlessBrowser, deed: str) -> str:
    """Press one of the buttons of the first report; where its form was sent."""
    path = operator.page.partition('<form method="post" action="')[2].partition('"')[0]
    operator.send(path, {"do": deed})
    return path


def test_without_a_token_there_are_no_pages(tmp_path: Path) -> None:
    with running(tmp_path) as bare:
        browser = ScriptlessBrowser(bare.url)
        browser.get("/")
        for path in (*PAGES, "/operator/sign-in"):
            assert browser.get(path).status_code == 404
        browser.get("/consent")
        assert browser.send("/operator/sign-in", {"token": ""}).status_code == 404


def test_strangers_and_players_see_the_form_and_nothing_else(site: LiveSite) -> None:
    for browser in (ScriptlessBrowser(site.url), guest_of(site)):
        for path in PAGES:
            assert browser.get(path).url.path == "/operator/sign-in"
        browser.get("/operator/sign-in")
        players = [f"/operator/players/{'0' * 32}/{deed}" for deed in ("unban", "ban")]
        for path in ("/operator/reports/1", "/operator/sign-out", *players):
            assert browser.send(path, {"do": "ban"}).url.path == "/operator/sign-in"


@pytest.mark.parametrize("token", ["", "wrong", TOKEN + "x", TOKEN[:-1], "é" * 40, "\x00"])
def test_a_wrong_token(site: LiveSite, token: str) -> None:
    browser = ScriptlessBrowser(site.url)
    browser.get("/operator/sign-in")
    assert browser.send("/operator/sign-in", {"token": token}).status_code == 422
    assert "Wrong token." in browser.words
    assert browser.get("/operator").url.path == "/operator/sign-in"


def test_guessing_is_slow(site: LiveSite) -> None:
    browser = ScriptlessBrowser(site.url)
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
    operator, thief = signed_in(site), ScriptlessBrowser(site.url)
    thief.get("/")
    thief.client.cookies.set("viva_operator", operator.client.cookies["viva_operator"])
    assert thief.get("/operator").url.path == "/operator/sign-in"
    forged = Signer("another secret", salt="vivavoce cookie operator").sign("99999999999|x").decode()
    for note in (forged, "99999999999|x", "x" * 4000):
        thief.client.cookies.set("viva_operator", note)
        assert thief.get("/operator").url.path == "/operator/sign-in"


def test_cookies_are_shut_to_scripts_and_other_sites(site: LiveSite) -> None:
    browser = ScriptlessBrowser(site.url, follow=False)
    answer = browser.submit("/operator/sign-in", {"token": TOKEN})
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
    assert "The report is closed; nothing else has changed." in operator.words
    assert "Nothing waits for you" in operator.words
    operator.send(path, {"do": "ban"})
    assert operator.path == "/operator"
    assert "already closed" in operator.words
    assert "Banned" not in operator.words


@pytest.mark.long
def test_texts_are_hidden(site: LiveSite) -> None:
    _, bob, game = reported(site)
    operator = signed_in(site)
    see_to(operator, "hide")
    assert "The texts are hidden: they are no longer shown" in operator.words
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
    operator.submit(f"/operator/players/{shut_out}", {"guesses": "0"})
    assert "Done" in operator.words
    operator.get("/operator")
    assert "Banned" not in operator.words
    assert operator.send("/operator/players/nobody/unban").status_code == 400
    assert "There is no player 'nobody'" in operator.words


@pytest.mark.long
def test_figures(site: LiveSite) -> None:
    ann, bob, game = pair(site)
    play_out(ann, bob, game, ("81", "100"))
    operator = signed_in(site)
    operator.get("/operator/figures")
    assert "In the thesis" in operator.words
    assert "Limits" in operator.words
    assert 'aria-label="People by rating: 1 from 80, 1 from 90"' in operator.page
    answers = [operator.get("/operator/figures").status_code for _ in range(5 * site.processes)]
    assert answers == [200] * (5 * site.processes - 1) + [429]  # it was looked at before


def test_bars_stand_on_the_ground() -> None:
    came = [SiteVisitor("guest", date(2026, 6, 14), 1, 1, 1, rating) for rating in (5.0, 50.0, 55.0)]
    histogram_bars = bars(statistics([], came))
    assert [bar.count for bar in histogram_bars] == [1, 0, 0, 0, 0, 2, 0, 0, 0, 0]
    assert all(bar.y + bar.height == HEIGHT for bar in histogram_bars)
    assert (histogram_bars[0].height, histogram_bars[5].height) == (HEIGHT / 2, HEIGHT)
    assert bars(statistics([], [])) == []


PEOPLE = 6
HOSTILE = "<b>Ann</b> & \"Co\" 'x'"


def honest_games(c: Connection) -> list[Player]:
    """Six people, each of whom meets each other."""
    people = [account(c) for _ in range(PEOPLE)]
    for first in range(PEOPLE):
        for second in range(first):
            at = START + (PEOPLE * first + second) * MINUTE
            played(c, (people[first], 60.1 + 3 * second), (people[second], 75.3 - 2 * first), at)
    return people


def plant(c: Connection, people: list[Player], name: str) -> Player:
    """Someone who guesses 0 of all of them."""
    zero = account(c, name)
    for number, other in enumerate(people):
        played(c, (zero, 0.0), (other, 50.0), START + (100 + number) * MINUTE)
    return zero


def everything(c: Connection, people: list[Player]) -> list[object]:
    """Each rating now, and after each game among them."""
    known = {player.id for player in people}
    return [
        (rating_of(c, player.id), [p.rating_after for p in history(c, player.id)][: PEOPLE - 1]) for player in people if known
    ]


@pytest.mark.long
def test_a_planted_minimum_guesser_is_banned_and_all_ratings_come_back(site: LiveSite) -> None:
    with transaction(site.engine) as c:
        people = honest_games(c)
        before = everything(c, people)
        zero = plant(c, people, "Zero")
        ruined = everything(c, people)
    assert ruined != before
    operator = signed_in(site)
    operator.get("/operator/flags")
    assert f"guesses 0: {PEOPLE} of {PEOPLE} guesses" in operator.words
    operator.get(f"/operator/players/{zero.id}")
    assert "Seems to guess by a rule" in operator.words
    address = f"/operator/players/{zero.id}/ban-and-void"
    assert f'href="{address}"' in operator.page
    operator.get(address)
    text = f"Guesses that no longer count: {PEOPLE}. Ratings that change: {PEOPLE}, by up to "
    assert text in operator.words
    with reading(site.engine) as c:
        assert everything(c, people) == ruined  # looking changes nothing
    assert operator.send(address, {"guesses": str(PEOPLE)}).status_code == 200
    assert text in operator.words
    with reading(site.engine) as c:
        assert everything(c, people) == before
    operator.get("/operator/flags")
    assert zero.id not in operator.page
    operator.get(f"/operator/players/{zero.id}")
    assert "banned" in operator.words
    assert "Let the guesses count again" in operator.words
    address = f"/operator/players/{zero.id}/unban"
    operator.get(address)
    assert f"Guesses that count again: {PEOPLE}." in operator.words
    operator.send(address, {"guesses": str(PEOPLE)})
    with reading(site.engine) as c:
        assert everything(c, people) == ruined


@pytest.mark.long
def test_what_has_changed_in_the_meantime_is_told_again(site: LiveSite) -> None:
    with transaction(site.engine) as c:
        people = honest_games(c)
        zero = plant(c, people, "Another zero")
    operator = signed_in(site)
    address = f"/operator/players/{zero.id}/void"
    operator.get(address)
    with transaction(site.engine) as c:
        played(c, (zero, 0.0), (people[0], 50.0), START + 300 * MINUTE)
        ruined = everything(c, people)
    assert operator.send(address, {"guesses": str(PEOPLE)}).status_code == 409
    assert "The consequences have changed meanwhile" in operator.words
    assert f"Guesses that no longer count: {PEOPLE + 1}." in operator.words
    with reading(site.engine) as c:
        assert everything(c, people) == ruined
    for wrong in ("", "x", "-1"):
        assert operator.send(address, {"guesses": wrong}).status_code == 409


def test_nothing_is_done_without_the_form(site: LiveSite) -> None:
    with transaction(site.engine) as c:
        ann = account(c, "Only here")
    operator = signed_in(site)
    address = f"/operator/players/{ann.id}/ban"
    assert operator.client.post(address, data={"csrf": "0" * 64, "guesses": "0"}).status_code == 403
    for path in (f"/operator/players/{ann.id}/nonsense", f"/operator/players/{'0' * 32}", f"/operator/players/{'0' * 32}/ban"):
        assert operator.get(path).status_code == 404
    assert ScriptlessBrowser(site.url).get(address).url.path == "/operator/sign-in"


def test_the_list_is_searched_and_hostile_names_are_shown_as_they_are(site: LiveSite) -> None:
    with transaction(site.engine) as c:
        ann = account(c, HOSTILE)
    operator = signed_in(site)
    operator.get("/operator/players?search=%3Cb%3EAnn")
    assert "1 player" in operator.words
    assert HOSTILE in operator.words
    assert "<b>Ann" not in operator.page
    operator.get(f"/operator/players?search={ann.id[:10]}&order=flags")
    assert HOSTILE in operator.words
    assert operator.get("/operator/players?search=nobody-has-this").status_code == 200
    assert "Nobody is found." in operator.words
    assert operator.get("/operator/players?page=-1&order=nonsense").status_code == 200
    assert operator.get("/operator/players?page=99999999999999999999").status_code == 200
    assert operator.get("/operator/players?page=x").status_code == 404


def test_a_picture_shows_every_guess_where_it_is() -> None:
    assert guess_chart([]) is None
    given = [
        GivenGuess("g", "p", "n", guess, rating, START, rating is not None, False)
        for guess, rating in ((0.0, None), (100.0, 50.0))
    ]
    chart = guess_chart(given)
    assert chart is not None
    assert [(mark.y, mark.truth, mark.counts) for mark in chart.guesses] == [(168.0, None, False), (12.0, 90.0, True)]
    assert chart.alt == "2 guesses, from 0 to 100, in the middle 50."
    many = guess_chart(given * 100)
    assert many is not None
    assert max(mark.x for mark in many.guesses) <= 600
