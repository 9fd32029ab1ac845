"""The operator's list of players: searched, ordered, in pages; and what one player guessed and was reported for."""

from __future__ import annotations

from datetime import timedelta

import pytest
from scipy.stats import t
from sqlalchemy import Engine

from tests.web.store.players import HONEST, MINUTE, START, account, guest, machine, played, ruined
from vivavoce.web.database import transaction
from vivavoce.web.store.accounts import delete_player
from vivavoce.web.store.moderation import ban, report
from vivavoce.web.store.player_list import PAGE, guesses_given, listed_player, reports_of, roster

LATER = START + timedelta(days=1)


def test_numbers_of_a_player(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bob, bot = account(c, "Ann"), account(c, "Bob"), machine(c, "Bot")
        played(c, (ann, 50.0), (bob, 80.0), START)
        played(c, (ann, 40.0), (bob, 60.0), START + MINUTE)
        played(c, (ann, 30.0), (bot, 99.0), START + 2 * MINUTE)
        player = listed_player(c, ann.id)
        assert player is not None
        # the mean of 80 and 60; their standard error is 10, and t at one degree of freedom 12.7: past the ends of the scale
        assert t.ppf(0.975, 1) * 10 > 70
        assert (player.rating, player.interval, player.received) == (70.0, (0.0, 100.0), 2)
        assert (player.games, player.given, player.voided, player.reports, player.banned) == (3, 3, 0, 0, False)
        ban(c, ann.id, LATER, void=True)
        banned = listed_player(c, ann.id)
        assert banned is not None
        assert (banned.voided, banned.banned) == (3, True)
        assert [(guess.name, guess.guess, guess.rating, guess.counts, guess.voided) for guess in guesses_given(c, ann.id)] == [
            ("Bob", 50.0, None, False, True), ("Bob", 40.0, 50.0, False, True), ("Bot", 30.0, None, False, True),
        ]  # fmt: skip
        assert [guess.counts for guess in guesses_given(c, bot.id)] == [False]
        assert listed_player(c, "0" * 32) is None
        assert listed_player(c, "' OR 1=1 --") is None


def test_searching(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, straße = account(c, "Ann Smith"), account(c, "Straße 100%")
        guest(c)
        for search, texts in (
            ("SMITH", ["Ann Smith"]), ("strasse", ["Straße 100%"]), ("100%", ["Straße 100%"]), ("%", ["Straße 100%"]),
            (ann.id[:8].upper(), ["Ann Smith"]), (straße.id, ["Straße 100%"]), ("nobody at all", []), ("_", []),
        ):  # fmt: skip
            assert [player.name for player in roster(c, search=search).players] == texts, search
        assert roster(c, search="\x00").found == 3


def test_pages_hold_everybody_once_the_newest_first(engine: Engine) -> None:
    with transaction(engine) as c:
        made = [guest(c, now=START + number * MINUTE).id for number in range(PAGE + 3)]
        first, second = roster(c), roster(c, page=2)
        assert (first.pages, first.found, len(first.players), len(second.players)) == (2, PAGE + 3, PAGE, 3)
        assert [player.id for player in (*first.players, *second.players)] == made[::-1]
        assert roster(c, page=99).page == 2
        assert roster(c, page=-1).page == 1


def test_who_is_flagged_and_reported_comes_first(engine: Engine) -> None:
    with transaction(engine) as c:
        cheat, honest = ruined(c)
        rude = honest[2]
        game = played(c, (rude, 50.0), (honest[3], 50.0), LATER)
        report(c, game.id, honest[3], "rude", LATER)
        names = [player.name for player in roster(c, order="flags", flagged={cheat.id: 2}).players]
        assert names[:2] == ["Zero", rude.name]
        assert len(names) == HONEST + 1
        assert roster(c, order="flags").players[0].name == rude.name
        [text] = reports_of(c, rude.id)
        assert (text.reason, text.closed, text.answers) == ("rude", None, tuple(f"answer {n}" for n in range(5)))


def test_who_has_left_is_there_without_a_name(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bob = account(c, "Ann"), account(c, "Bob")
        played(c, (ann, 50.0), (bob, 80.0), START)
        delete_player(c, ann, LATER)
        assert [(player.name, player.left) for player in roster(c, search=ann.id).players] == [("Former player", True)]
        assert roster(c, search="Ann").found == 0


@pytest.mark.parametrize("search", ["x" * 1000, "\\", "'", '"', "%%%", "[a-z]*", "ｆｕｌｌ"])
def test_any_text_can_be_searched_for(engine: Engine, search: str) -> None:
    with transaction(engine) as c:
        account(c, "Ann")
        assert roster(c, search=search, order="flags").found == 0
