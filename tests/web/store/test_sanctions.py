"""What a sanction will change is told before, to the last rating, and undoing it leaves nothing behind."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, Engine

from tests.web.databases import put_tables
from tests.web.store.players import HONEST, MINUTE, START, account, guest, machine, pair, played, ruined
from vivavoce.errors import UnknownName
from vivavoce.web.database import open_database, transaction
from vivavoce.web.store.accounts import delete_player
from vivavoce.web.store.moderation import SANCTIONS, carry_out, foreseen
from vivavoce.web.store.people import Player
from vivavoce.web.store.ratings import history, rating_of

LATER = START + timedelta(days=1)


def ratings(c: Connection, players: list[Player]) -> list[tuple[object, list[object]]]:
    """Ratings now, and after each game."""
    return [(rating_of(c, one.id), [(point.rating_after, point.guess) for point in history(c, one.id)]) for one in players]


def test_what_is_foreseen_comes_about(engine: Engine) -> None:
    with transaction(engine) as c:
        cheat, honest = ruined(c)
        pair(c, cheat, honest[0], LATER)
        told = foreseen(c, "ban-and-void", cheat.id)
        assert (told.guesses, len(told.ratings), told.games) == (HONEST, HONEST, 1)
        before = {one.id: rating_of(c, one.id)[0] for one in honest}
        assert {one.id: one.before for one in told.ratings} == pytest.approx(before)
        # the five guesses of the honest, once with a 0 beside them and once without
        assert all(one.after == pytest.approx((one.before or 0) * HONEST / (HONEST - 1)) for one in told.ratings)
        assert carry_out(c, "ban-and-void", cheat.id, LATER) == told
        assert {one.id: rating_of(c, one.id)[0] for one in honest} == pytest.approx({one.id: one.after for one in told.ratings})
        assert foreseen(c, "void", cheat.id).guesses == 0
        back = foreseen(c, "unban", cheat.id)
        assert [(one.id, one.before, one.after) for one in back.ratings] == [
            (one.id, one.after, one.before) for one in told.ratings
        ]
        assert carry_out(c, "unban", cheat.id, LATER) == back
        assert {one.id: rating_of(c, one.id)[0] for one in honest} == before


def test_a_ban_alone_moves_no_rating_and_a_machine_s_guesses_never_counted(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bot = account(c, "Ann"), machine(c, "Bot")
        played(c, (ann, 50.0), (bot, 10.0), START)
        told = foreseen(c, "ban", bot.id)
        assert (told.guesses, told.ratings, told.games, told.largest) == (0, (), 0, None)
        voided = carry_out(c, "void", bot.id, LATER)
        assert (voided.guesses, voided.ratings) == (1, ())


def test_a_rating_that_rests_on_one_guesser_alone_ceases_to_exist(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, zero = account(c, "Ann"), account(c, "Zero")
        played(c, (ann, 50.0), (zero, 0.0), START)
        told = foreseen(c, "void", zero.id)
        assert [(one.name, one.before, one.after, one.by) for one in told.ratings] == [("Ann", 0.0, None, None)]
        assert "1; 1 of them cease to exist" in told.statement
        carry_out(c, "void", zero.id, LATER)
        assert "1; 1 of them begin to exist" in foreseen(c, "restore", zero.id).statement


def test_guesses_of_who_has_left_are_voided_too_and_nobody_is_an_error(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, zero = account(c, "Ann"), account(c, "Zero")
        played(c, (ann, 50.0), (zero, 0.0), START)
        delete_player(c, zero, LATER)
        assert carry_out(c, "void", zero.id, LATER).guesses == 1
        assert rating_of(c, ann.id) == (None, 0)
        for sanction in SANCTIONS:
            for nobody in ("", "nobody", "0" * 32, "\x00"):
                with pytest.raises(UnknownName):
                    foreseen(c, sanction, nobody)
                with pytest.raises(UnknownName):
                    carry_out(c, sanction, nobody, LATER)


guesses = st.floats(0, 100, allow_nan=False).map(lambda value: round(value, 2))


@pytest.mark.long
@settings(max_examples=25, deadline=None)
@given(honest=st.lists(st.tuples(guesses, guesses), min_size=1, max_size=8), planted=st.lists(guesses, min_size=1, max_size=8))
def test_all_ratings_are_what_they_were_without_the_player(
    tmp_path_factory: pytest.TempPathFactory, honest: list[tuple[float, float]], planted: list[float]
) -> None:
    engine = open_database(put_tables(tmp_path_factory.mktemp("site") / "site.sqlite"))
    try:
        with transaction(engine) as c:
            people = [guest(c) for _ in range(4)]
            for number, (one, other) in enumerate(honest):
                players = people[number % 4], people[(number + 1) % 4]
                played(c, (players[0], one), (players[1], other), START + number * MINUTE)
            before = ratings(c, people)
            games = [len(history(c, one.id)) for one in people]
            zero = guest(c)
            for number, guess in enumerate(planted):
                played(c, (zero, guess), (people[number % 4], 1.0), LATER + number * MINUTE)
            carry_out(c, "ban-and-void", zero.id, LATER)
            after = [(rating, points[:number]) for (rating, points), number in zip(ratings(c, people), games, strict=True)]
            assert after == before
    finally:
        engine.dispose()
