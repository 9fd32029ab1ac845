"""The operator looks at players, bans who guesses by a rule, and all ratings come back to what they were: by real HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import Connection

from tests.web.chromium import opened
from tests.web.site import Browser, LiveSite, running
from tests.web.store.players import MINUTE, START, account, played
from tests.web.test_operator import SETTINGS as SETTINGS
from tests.web.test_operator import TOKEN, signed_in
from vivavoce.web.database import reading, transaction
from vivavoce.web.pages.rating_charts import guess_chart
from vivavoce.web.store.people import Player
from vivavoce.web.store.player_list import GivenGuess
from vivavoce.web.store.ratings import history, rating_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser as Chromium

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
    """Somebody who guesses 0 of all of them."""
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
    operator.get("/operator/guessers")
    assert operator.path == "/operator/flags"
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
    assert "This would change something else by now" in operator.words
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
    assert Browser(site.url).get(address).url.path == "/operator/sign-in"


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


@pytest.mark.long
@pytest.mark.browser
def test_the_ban_in_a_real_browser(chromium: Chromium, tmp_path: Path) -> None:
    with running(tmp_path, operator_token=TOKEN) as site:
        with transaction(site.engine) as c:
            people = honest_games(c)
            before = everything(c, people)
            plant(c, people, "Zero")
        with opened(chromium, site) as page:
            page.goto("/operator")
            page.get_by_label("The operator’s token").fill(TOKEN)
            page.get_by_role("button", name="Go on").click()
            page.get_by_role("link", name="Flags").click()
            page.get_by_role("link", name="Zero").click()
            page.get_by_role("link", name="Ban the player, and void the guesses").click()
            page.get_by_role("button", name="Ban the player, and void the guesses").click()
            page.get_by_role("heading", name="Done").wait_for()
            page.get_by_role("link", name="Back to the player").click()
            assert "banned" in page.inner_text("main")
        with reading(site.engine) as c:
            assert everything(c, people) == before
