"""A game's pages in all phases, and ways out of it, as a browser without a script sees them."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from sqlalchemy import update

from tests.web.site import QUESTIONS, TICK, LiveSite, ScriptlessBrowser, ask_and_answer, eventually, guest_of, pair, play_out
from tests.web.store.players import moves
from vivavoce.luna.rules import READY_WITHIN, Phase
from vivavoce.web.database import transaction
from vivavoce.web.store import games, machines, people
from vivavoce.web.store.moves import move_in_place
from vivavoce.web.tables import PLAYERS


def test_a_whole_game_hides_and_shows_what_the_rules_say(site: LiveSite) -> None:
    ann, bob, game = pair(site)
    ann.ask(game, tuple(f"Ann asks {number}" for number in range(5)))
    assert "The other player is still writing questions" in ann.words
    assert '<noscript><meta http-equiv="refresh"' in ann.page  # it goes on by itself
    bob.get(game)
    assert "Ann asks" not in bob.page
    bob.ask(game, tuple(f"Bob asks {number}" for number in range(5)))
    assert "Ann asks 0" in bob.words
    bob.answer(game, tuple(f"Bob answers {number}" for number in range(5)))
    assert "The other player is still answering" in bob.words
    ann.get(game)
    assert "Bob asks 4" in ann.words
    assert "Bob answers" not in ann.page
    ann.answer(game, tuple(f"Ann answers {number}" for number in range(5)))
    assert "Bob answers 4" in ann.words
    ann.guess(game, "81")
    assert "The other player is still guessing" in ann.words
    assert "machine" not in ann.words
    assert "a person" not in ann.words
    bob.guess(game, "91,5")
    assert "The other player was a person" in bob.words
    assert "They guessed 81" in bob.words
    ann.get(game)
    assert "Your first rating is 91.5" in ann.words
    assert "A tie" in ann.words  # two newcomers


@pytest.mark.long
def test_a_veteran_is_told_the_honest_numbers(site: LiveSite) -> None:
    ann, bob, game = pair(site)
    play_out(ann, bob, game, ("60", "75"))  # now ann is 75, bob 60
    ann.start()
    game = bob.begin_game()
    play_out(ann, bob, game, ("63", "91"))
    # ann is 3 from 60, bob 16 from 75; ann's rating becomes (75 + 91) / 2, bob's (60 + 63) / 2
    ann.get(game)
    assert "You won" in ann.words
    assert "You guessed 63 , it is 60 3 away" in ann.words
    assert "They guessed 91 , yours was 75 16 away" in ann.words
    assert "Your rating was 75; now it is 83 ." in ann.words
    assert "The other player won" in bob.words
    assert "Your rating was 60; now it is 61.5 ." in bob.words
    ann.get("/profile")
    assert "Your rating is 83 , from 2 guesses of people" in ann.words
    assert "<polyline" in ann.page
    ann.get("/home")
    assert "You guessed 63, it was 60" in ann.words


def test_drafts_are_kept_and_bad_input_keeps_what_was_typed(site: LiveSite) -> None:
    ann, bob, game = pair(site)
    ann.get(game)
    ann.send(f"{game}/interview", {"question1": "Half a", "draft": "1"})
    assert "Your draft is saved" in ann.words
    assert "Half a</textarea>" in ann.page
    ann.send(f"{game}/interview", {"question1": "x" * 5_001, "question2": "\nkept"} | {f"question{n}": "?" for n in (3, 4, 5)})
    assert ann.status == 422
    assert "Question 1 has 5001 characters; the limit is 5000." in ann.words
    assert ">\n\nkept</textarea>" in ann.page  # the first line break after the tag is the page's own
    ann.send(f"{game}/interview", {f"question{n}": "?" for n in (1, 2, 3, 4)})
    assert "Question 5 is empty." in ann.words
    for nothing in ("\u200b \u2060", "...", "\u3164"):
        ann.send(f"{game}/interview", {f"question{n}": "?" for n in (1, 2, 3, 4)} | {"question5": nothing})
        assert "Question 5 is empty." in ann.words
    answer = ann.send(f"{game}/interview/draft", {"question1": "by script"}, method="PUT")
    assert answer.status_code == 204
    assert "by script</textarea>" in ann.get(game).text
    assert "by script" not in bob.get(game).text


def test_line_ends_count_once(site: LiveSite) -> None:
    ann, bob, game = pair(site)
    long = "\r\n".join("x" * 4 for _ in range(1_000))  # 4,999 characters with one for each line end, 5,998 with two
    ann.ask(game, (long, *QUESTIONS[1:]))
    assert "The other player is still writing" in ann.words
    bob.ask(game)
    assert "x\nx" in bob.page


@pytest.mark.long
def test_sliders_suggest_a_guess_without_a_script(site: LiveSite) -> None:
    ann, bob, game = pair(site)
    ask_and_answer(ann, bob, game)
    ann.get(game)
    ann.guess(game, "", slider1="80", slider3="60")
    assert "Your marks suggest the guess below" in ann.words
    assert 'name="guess" min="0" max="100" step="any" inputmode="decimal" value="70"' in ann.page
    for guess in ("", "101", "-1", "nan", "inf", "1e999", "seventy", "9" * 400):
        ann.guess(game, guess)
        assert ann.status == 422
        assert "from 0 to 100" in ann.words
    ann.guess(game, "70", slider1="80")
    assert "The other player is still guessing" in ann.words


def to_the_guess(site: LiveSite) -> tuple[ScriptlessBrowser, ScriptlessBrowser, str]:
    ann, bob, game = pair(site)
    ask_and_answer(ann, bob, game)
    ann.get(game)
    bob.get(game)
    return ann, bob, game


@pytest.mark.long
def test_whom_one_takes_the_other_for_is_asked_and_shown_at_the_end(site: LiveSite) -> None:
    ann, bob, game = to_the_guess(site)
    assert 'name="who"' in ann.page
    assert "checked" not in ann.page  # nothing is chosen beforehand
    for who, sure, problem in (
        ("", "70", "Say whether the other player is a person or a machine."),
        ("both", "70", "Say whether the other player is a person or a machine."),
        ("machine", "", "Say how sure you are, from 50 (a coin) to 100 percent."),
        ("machine", "49.9", "The confidence must be a number from 50 to 100."),
        ("machine", "101", "The confidence must be a number from 50 to 100."),
        ("machine", "nan", "The confidence must be a number from 50 to 100."),
    ):
        ann.guess(game, "55", who=who, sure=sure)
        assert ann.status == 422
        assert problem in ann.words
        assert 'value="55"' in ann.page  # what was typed is kept
        assert ('value="machine" checked' in ann.page) == (who == "machine")
    ann.guess(game, "55", who="machine", sure="92,5")
    assert "took" not in ann.words
    bob.get(game)
    assert "92.5" not in bob.page
    bob.guess(game, "60", who="person", sure="100")
    assert "You took them for a person , 100% sure: right ." in bob.words
    assert "100 points for it: 100 for certain and right, 0 for a coin, −300 for certain and wrong." in bob.words
    assert "They took you for a machine , 92.5% sure: wrong ." in bob.words
    ann.get(game)
    assert "You took them for a machine , 92.5% sure: wrong . −242 points" in ann.words  # 100 - .04 x 92.5 x 92.5


def test_a_judgement_is_kept_in_the_draft(site: LiveSite) -> None:
    ann, _, game = to_the_guess(site)
    ann.send(f"{game}/guess", {"who": "machine", "sure": "65", "guess": "", "draft": "1"})
    ann.get(game)
    assert 'value="machine" checked' in ann.page
    assert 'value="65"' in ann.page
    ann.guess(game, "", slider1="80", who="person", sure="77")
    assert "Your marks suggest the guess below" in ann.words
    assert 'value="person" checked' in ann.page
    assert 'value="77"' in ann.page


@pytest.mark.long
def test_who_refuses_machines_is_not_asked_also_not_after_a_change_of_mind(site: LiveSite) -> None:
    ann, bob = guest_of(site), guest_of(site)
    ann.get("/profile")
    ann.send("/settings", {})  # no box is ticked: people only
    ann.start()
    game = bob.begin_game()
    ann.get("/profile")
    ann.send("/settings", {"machines": "on"})
    ask_and_answer(ann, bob, game)
    ann.get(game)
    bob.get(game)
    assert 'name="who"' not in ann.page
    assert 'name="who"' in bob.page
    ann.guess(game, "50")  # what is sent all the same is not looked at
    bob.guess(game, "50", who="machine", sure="60")
    assert "They play people only, so they knew that you are one." in bob.words
    ann.get(game)
    assert "You play people only, so you were not asked whether this was one." in ann.words
    assert "They took you for a machine , 60% sure: wrong ." in ann.words


def test_sending_twice_or_too_late_leads_to_where_the_game_stands(site: LiveSite) -> None:
    ann, _, game = pair(site)
    ann.get(game)
    token = ann.token
    fields = {"csrf": token} | {f"question{number}": "?" for number in range(1, 6)}
    for _ in range(2):
        ann.send(f"{game}/interview", fields)
        assert ann.status == 200
        assert "still writing questions" in ann.words
    assert "This part of the game is already done" in ann.words
    ann.send(f"{game}/guess", {"csrf": token, "guess": "50"})
    assert "This part of the game is already done" in ann.words


@pytest.mark.long
def test_a_game_falls_asleep_after_three_days(site: LiveSite) -> None:
    ann, bob, game = pair(site)
    site.clock.ahead = timedelta(days=2, hours=23)
    ann.ask(game)  # which changes nothing: the phase has three days
    for _ in range(2):  # whichever process answers
        bob.get(game)
        assert "Question 1" in bob.words
    site.clock.ahead += timedelta(hours=2)
    for _ in range(2):
        bob.get(game)
        assert "The time ran out: you had not asked" in bob.words
    bob.send(f"{game}/interview", {f"question{number}": "?" for number in range(1, 6)})
    assert bob.status == 409  # with what was typed
    for _ in range(2):
        ann.get("/home")
        assert "The time ran out: the other player had not asked" in ann.words


def test_a_machine_is_named_one_only_at_the_end(site: LiveSite) -> None:
    engine = site.engine
    from vivavoce.luna.rules import AnswersMove, GuessMove, QuestionsMove
    from vivavoce.web.store import games, moves, queue

    now = site.clock()
    with transaction(engine) as c:
        machine, _ = machines.create_machine(c, name="Gibberish", now=now)
        queue.join_queue(c, machine, now)
    ann = guest_of(site)
    ann.begin_game()
    with transaction(engine) as c:
        game = games.games_of(c, machine, site.clock())[0][0].id
        moves.make_move(c, game, machine, QuestionsMove(QUESTIONS), site.clock())
    ann.ask(f"/games/{game}")
    with transaction(engine) as c:
        moves.make_move(c, game, machine, AnswersMove(("XQ7",) * 5), site.clock())
    ann.answer(f"/games/{game}")
    assert "XQ7" in ann.words
    with transaction(engine) as c:
        moves.make_move(c, game, machine, GuessMove(99), site.clock())
    ann.get(f"/games/{game}")
    assert "Gibberish" not in ann.page
    assert "was a machine" not in ann.words
    ann.guess(f"/games/{game}", "1")
    assert "The other player was a machine" in ann.words
    assert "A machine’s guess does not count: you still have no rating" in ann.words


@pytest.mark.long
def test_texts_can_be_reported_once(site: LiveSite) -> None:
    ann, bob, game = pair(site)
    for browser in (ann, bob):
        browser.ask(game)
    ann.get(game)
    ann.send(f"{game}/report", {"reason": "it is rude"})
    assert "The operator will check your report" in ann.words
    ann.send(f"{game}/report", {"reason": "it is rude"})
    assert "You have already reported this game." in ann.words


def met(site: LiveSite) -> tuple[ScriptlessBrowser, ScriptlessBrowser, str]:
    """Two guests whose game has begun, and who have not said that they are there."""
    ann, bob = guest_of(site), guest_of(site)
    for browser in (ann, bob):
        browser.start()
    assert eventually(lambda: ann.get("/waiting").url.path != "/waiting", pause=TICK / 4)
    assert bob.get("/waiting").url.path == ann.path
    return ann, bob, ann.path


def number(browser: ScriptlessBrowser) -> int:
    """What its page has seen."""
    count: int = browser.client.get("/events/now").json()["changes"]
    return count


@pytest.mark.parametrize("phase", ["interview", "response", "guess", "wait"])
@pytest.mark.long
def test_a_game_is_given_up_from_the_page_of_each_phase(site: LiveSite, phase: str) -> None:
    ann, bob, game = pair(site)
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
    ann, _, game = pair(site)
    eve = guest_of(site)
    eve.get("/home")
    assert eve.send(f"{game}/resign").status_code == 404
    assert ann.client.post(f"{game}/resign", data={"csrf": "0" * 64}).status_code == 403
    assert "Question 1" in ann.get(game).text


def test_whoever_leaves_the_site_is_said_to_have_left(site: LiveSite) -> None:
    ann, bob, game = pair(site)
    ann.submit("/account/delete", {"sure": "on"})
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
    ann, bob = guest_of(site), guest_of(site)
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
        assert "A machine now plays for you" in ann.words
        assert number(bob) > before
        bob.get(game)
        assert "The other player has left. A machine now plays for them (since" in bob.words
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
        assert "A machine now plays for you" in ann.words
        assert "70" not in ann.words
    finally:
        with transaction(site.engine) as c:
            c.execute(update(PLAYERS).where(PLAYERS.c.id == house.id).values(banned=True))
