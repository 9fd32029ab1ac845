"""The operator sees who guesses by a rule, by ids that can be banned, and voids their guesses: no rating rests on them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import Engine

from tests.web.store.players import HONEST, MINUTE, START, account, guest, machine, played, ruined
from vivavoce.errors import UnknownName
from vivavoce.web.database import transaction
from vivavoce.web.store.game_export import exported_games, traffic
from vivavoce.web.store.moderation import ban, pardon
from vivavoce.web.store.ratings import flagged, games_played, history, leaderboard, rating_of

LATER = START + timedelta(days=1)


def test_who_always_guesses_0_is_flagged_by_the_id_that_can_be_banned(engine: Engine) -> None:
    with transaction(engine) as c:
        assert flagged(c) == []
        assert games_played(c) is None
        cheat, _ = ruined(c)
        [found] = flagged(c)
        assert (found.id, found.name, found.banned) == (cheat.id, "Zero", False)
        assert "guesses 0: 6 of 6 guesses" in " ".join(found.statements)
        ban(c, found.id, LATER)
        assert [one.banned for one in flagged(c)] == [True]
        ban(c, found.id, LATER, void=True)
        assert flagged(c) == []


def test_voided_guesses_count_in_no_rating_and_count_again_when_restored(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bob, zero, bot = account(c, "Ann"), account(c, "Bob"), account(c, "Zero"), machine(c, "Bot")
        played(c, (ann, 50.0), (bob, 80.0), START)
        played(c, (ann, 50.0), (zero, 0.0), START + MINUTE)
        played(c, (ann, 50.0), (bot, 10.0), START + 2 * MINUTE)
        played(c, (ann, 50.0), (bob, 70.0), START + 3 * MINUTE)
        # (80 + 0 + 70) / 3 = 50; without the 0 (80 + 70) / 2 = 75; the machine's 10 never counts
        assert rating_of(c, ann.id) == (50.0, 3)
        assert [point.rating_after for point in history(c, ann.id)] == [80.0, 40.0, 40.0, 50.0]
        outcomes = [point.outcome for point in history(c, ann.id)]
        assert ban(c, zero.id, LATER, void=True) == 1
        assert rating_of(c, ann.id) == (75.0, 2)
        assert [point.rating_after for point in history(c, ann.id)] == [80.0, 80.0, 80.0, 75.0]
        assert [point.voided for point in history(c, ann.id)] == [False, True, False, False]
        assert [point.outcome for point in history(c, ann.id)] == outcomes
        [standing] = [one for one in leaderboard(c) if one.name == "Ann"]
        assert (standing.rating, standing.games) == (75.0, 4)
        # Ann's; the others have received nothing but 50s, four of them in all
        assert sorted(one.rating for one in traffic(c) if one.rating is not None) == [50.0, 50.0, 50.0, 75.0]
        # what others guessed of the player who is banned still stands
        assert rating_of(c, zero.id) == (50.0, 1)
        assert ban(c, zero.id, LATER, void=True) == 0
        assert pardon(c, zero.id) == 1
        assert rating_of(c, ann.id) == (50.0, 3)
        assert [point.rating_after for point in history(c, ann.id)] == [80.0, 40.0, 40.0, 50.0]


def test_a_ban_alone_leaves_the_guesses(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, zero = account(c, "Ann"), account(c, "Zero")
        played(c, (ann, 50.0), (zero, 0.0), START)
        assert ban(c, zero.id, LATER) == 0
        assert rating_of(c, ann.id) == (0.0, 1)
        assert pardon(c, zero.id) == 0
        with pytest.raises(UnknownName):
            ban(c, "0" * 32, LATER, void=True)


def test_a_rating_that_rested_on_voided_guesses_alone_is_none_again(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, zero = account(c, "Ann"), account(c, "Zero")
        played(c, (ann, 50.0), (zero, 0.0), START)
        ban(c, zero.id, LATER, void=True)
        assert rating_of(c, ann.id) == (None, 0)
        played(c, (ann, 50.0), (bob := guest(c), 90.0), LATER)
        assert rating_of(c, ann.id) == (90.0, 1)
        # who guessed 50 of Ann's rating would have been judged as with a newcomer
        assert history(c, bob.id)[0].rating_after == 50.0


def test_an_export_has_pseudonyms_and_says_which_guesses_are_voided(engine: Engine) -> None:
    with transaction(engine) as c:
        cheat, honest = ruined(c)
        ban(c, cheat.id, LATER, void=True)
        seats = [seat for game in exported_games(c, salt=b"salt") for seat in game.seats]
        assert not {seat.player for seat in seats} & {one.id for one in (cheat, *honest)}
        assert [seat.guess for seat in seats if seat.voided] == [0.0] * HONEST
        assert len(seats) == 2 * (HONEST * (HONEST - 1) // 2 + HONEST)
