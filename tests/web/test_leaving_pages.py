"""Ways out of a game, on pages without a script: what each of the two is told, and when."""

from __future__ import annotations

import re

import pytest
from sqlalchemy import update

from tests.web.site import QUESTIONS, TICK, Browser, LiveSite, eventually, pair
from tests.web.store.players import moves
from vivavoce.luna.rules import READY_WITHIN, Phase
from vivavoce.web.database import transaction
from vivavoce.web.store import games, machines, people
from vivavoce.web.store.moves import move_in_place
from vivavoce.web.tables import PLAYERS


def met(site: LiveSite) -> tuple[Browser, Browser, str]:
    """Two guests whose game has begun, and who have not said that they are there."""
    ann, bob = Browser(site.url).join(), Browser(site.url).join()
    for browser in (ann, bob):
        browser.start()
    assert eventually(lambda: ann.get("/waiting").url.path != "/waiting", pause=TICK / 4)
    assert bob.get("/waiting").url.path == ann.path
    return ann, bob, ann.path


def number(browser: Browser) -> int:
    """What its page has seen."""
    count: int = browser.client.get("/events/now").json()["changes"]
    return count


@pytest.mark.parametrize("phase", ["interview", "response", "guess", "wait"])
@pytest.mark.long
def test_a_game_is_given_up_from_the_page_of_each_phase(site: LiveSite, phase: str) -> None:
    ann, bob, game = pair(site.url)
    if phase in ("response", "guess"):
        for browser in (ann, bob):
            browser.ask(game)
    if phase == "guess":
        for browser in (ann, bob):
            browser.answer(game)
    if phase == "wait":
        ann.ask(game)
    ann.get(game)
    fold = re.search(r"<details class=\"resign\">.*?</details>", ann.page, re.DOTALL)
    assert fold  # nothing is sent by the first press, which opens this
    assert f'action="{game}/resign"' in fold[0]
    ann.send(f"{game}/resign")
    assert "You resigned" in ann.words
    bob.get(game)
    assert "The other player has resigned" in bob.words
    assert "No rating has changed" in bob.words
    assert not re.search("machine|days", bob.words)
    for browser, words in ((ann, "You resigned"), (bob, "The other player has resigned")):
        browser.get("/home")
        assert words in browser.words
    bob.get(game)
    bob.send(f"{game}/resign")
    assert "The other player has resigned" in bob.words  # and it stays so


def test_only_a_player_of_the_game_can_give_it_up_and_only_by_a_form(site: LiveSite) -> None:
    ann, _, game = pair(site.url)
    eve = Browser(site.url).join()
    eve.get("/home")
    assert eve.send(f"{game}/resign").status_code == 404
    assert ann.client.post(f"{game}/resign", data={"csrf": "0" * 64}).status_code == 403
    assert "Question 1" in ann.get(game).text


def test_whoever_leaves_the_site_is_said_to_have_left(site: LiveSite) -> None:
    ann, bob, game = pair(site.url)
    ann.get("/account/delete")
    ann.send("/account/delete", {"sure": "on"})
    bob.get(game)
    assert "The other player has left the site" in bob.words


def test_are_you_ready(site: LiveSite) -> None:
    ann, bob, game = met(site)
    for browser in (ann, bob):
        assert "Another player is here. Are you ready?" in browser.words
        seconds = re.search(r"You have (\d+) seconds", browser.words)
        assert seconds
        assert READY_WITHIN.seconds - 30 < int(seconds[1]) <= READY_WITHIN.seconds
    before, page = number(bob), bob.get(game).text
    ann.send(f"{game}/ready")
    assert "Are you ready?" not in ann.words
    assert "Question 1" in ann.words
    assert number(bob) == before  # and nothing tells him
    hidden = r'value="[0-9a-f]{20,}"|data-now="[^"]*"|>\d+ seconds<'
    assert re.sub(hidden, "", bob.get(game).text) == re.sub(hidden, "", page)
    bob.send(f"{game}/interview/draft", {"question1": "half"}, method="PUT")
    bob.get(game)
    assert "Are you ready?" not in bob.words  # who writes is there


def test_whoever_was_there_is_led_to_wait_and_told_why(site: LiveSite) -> None:
    ann, bob, game = met(site)
    ann.send(f"{game}/ready")
    site.clock.ahead = READY_WITHIN
    assert eventually(lambda: ann.get(game).url.path == "/waiting", pause=TICK / 4), ann.words
    assert "The other player was not there. We are looking for another player for you." in ann.words
    bob.get(game)
    assert "You were not there" in bob.words
    assert "Question 1" not in bob.words
    bob.send(f"{game}/ready")
    bob.get("/home")
    assert "You were not there" in bob.words
    assert "Looking for another player" not in bob.words


@pytest.mark.long
def test_a_machine_plays_on_and_the_other_is_told(site: LiveSite) -> None:
    ann, bob = Browser(site.url).join(), Browser(site.url).join()
    for browser in (ann, bob):
        browser.get("/profile")
        assert "If one of us leaves a game, a machine may replace them" in browser.words
        browser.send("/settings", {"machines": "on", "seat": "on"})
        assert 'name="seat" checked' in browser.page
    ann.start()
    game = bob.begin_game()
    ann.ready(game)
    with transaction(site.engine) as c:  # only now, or they would have played it
        house = machines.of_the_house(c, "The house", site.clock())
        people.seen(c, house, site.clock())
    try:
        for browser in (ann, bob):
            browser.ask(game)
        before = number(bob)
        ann.get(game)
        ann.send(f"{game}/resign")
        assert "You resigned" in ann.words
        assert "A machine plays on in your place" in ann.words
        assert number(bob) > before
        bob.get(game)
        assert "The other player has left. A machine plays on in their place since" in bob.words
        assert QUESTIONS[0] in bob.words
        for move in moves(40.0)[1:]:
            with transaction(site.engine) as c:
                ((going_on, position),) = games.taken_over(c, site.clock())
                move_in_place(c, going_on.id, position, house, move, site.clock())
            if going_on.phase(site.clock()) is Phase.RESPONSE:
                bob.answer(game)
            else:
                bob.guess(game, "70")
        bob.get(game)
        assert "The other player was a person, and then a machine" in bob.words
        assert "it changes no rating and no guess counts" in bob.words
        bob.get("/profile")
        assert "You have no rating yet" in bob.words
        ann.get(game)
        assert "A machine plays on in your place" in ann.words
        assert "70" not in ann.words
    finally:
        with transaction(site.engine) as c:
            c.execute(update(PLAYERS).where(PLAYERS.c.id == house.id).values(banned=True))
