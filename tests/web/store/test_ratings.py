"""Ratings, history and the leaderboard, beside what Python and scipy make of the same guesses."""

from __future__ import annotations

from dataclasses import replace
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sqlalchemy import Engine

from tests.web.store.players import MINUTE, START, account, guest, machine, played
from vivavoce.web.database import reading, transaction
from vivavoce.web.store.moderation import ban
from vivavoce.web.store.people import Player
from vivavoce.web.store.ratings import LeaderboardRow, RatingPoint, history, interval_of, leaderboard, rating_of, received

GUESSES = [71.5, 64.0, 80.25, 12.0]


@pytest.fixture
def ann(engine: Engine) -> Player:
    """Rated by four people and a machine, in this order; she always guesses 50."""
    with transaction(engine) as c:
        ann, others = account(c, "Ann"), [guest(c) for _ in GUESSES]
        for number, (other, guess) in enumerate(zip(others, GUESSES, strict=True)):
            played(c, (ann, 50.0), (other, guess), START + number * MINUTE)
        played(c, (ann, 50.0), (machine(c, "Bot"), 1.0), START + 9 * MINUTE)
    return ann


def test_a_rating_is_the_mean_of_what_people_guessed(engine: Engine, ann: Player) -> None:
    with reading(engine) as c:
        assert sorted(received(c, ann.id)) == sorted(GUESSES)
        mean, count = rating_of(c, ann.id)
        assert mean == pytest.approx(fmean(GUESSES))
        assert count == 4
        assert rating_of(c, "nobody") == (None, 0)


def test_history_shows_every_game_in_order(engine: Engine, ann: Player) -> None:
    # the first game was the first of both, so a tie; afterwards Ann has a rating, and wins from newcomers, the machine too
    with reading(engine) as c:
        points = history(c, ann.id)
    means = [fmean(GUESSES[:count]) for count in range(1, 5)]
    assert [point.rating_after for point in points] == [pytest.approx(mean) for mean in (*means, means[3])]
    assert [replace(point, rating_after=None) for point in points] == [
        *(RatingPoint(START + n * MINUTE, GUESSES[n], True, None, "won" if n else "tied") for n in range(4)),
        RatingPoint(START + 9 * MINUTE, 1.0, False, None, "won"),
    ]


def test_the_leaderboard_ranks_with_intervals(engine: Engine, ann: Player) -> None:
    interval = stats.t.interval(0.95, 3, loc=fmean(GUESSES), scale=stats.sem(GUESSES))  # 8.1 to 105.8: cut at 100
    with reading(engine) as c:
        board = leaderboard(c)
        assert leaderboard(c, least_games=6) == []
        assert [standing.name for standing in leaderboard(c, least_games=5)] == ["Ann"]
    first, *others = board
    assert first.rating == pytest.approx(fmean(GUESSES))
    assert first.interval == pytest.approx((interval[0], 100.0))
    assert replace(first, rating=0.0, interval=None) == LeaderboardRow("Ann", "account", 0.0, None, 5, 4)
    assert [standing.rating for standing in others] == [50.0] * 5
    assert {standing.interval for standing in others} == {None}  # one guess tells nothing of the spread
    assert {standing.kind for standing in others} == {"guest", "machine"}


def test_the_banned_are_not_on_it_and_their_guesses_still_count(engine: Engine, ann: Player) -> None:
    with transaction(engine) as c:
        eve = account(c)
        played(c, (ann, 50.0), (eve, 0.0), START + 10 * MINUTE)
        ban(c, eve.id, START)
        assert eve.name not in [standing.name for standing in leaderboard(c)]
        assert len(leaderboard(c)) == 6
        mean, count = rating_of(c, ann.id)
        assert mean == pytest.approx(fmean([*GUESSES, 0.0]))
        assert count == 5


@given(st.lists(st.floats(0, 100), min_size=2, max_size=30))
def test_intervals_from_sums_are_those_of_scipy(guesses: list[float]) -> None:
    interval = interval_of(fmean(guesses), len(guesses), sum((guess - 50) ** 2 for guess in guesses))
    half = stats.t.ppf(0.975, len(guesses) - 1) * stats.sem(guesses)
    wanted = max(0.0, fmean(guesses) - half), min(100.0, fmean(guesses) + half)
    assert interval == pytest.approx(wanted, abs=1e-4)
