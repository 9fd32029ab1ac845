"""Figures of a site: planted numbers come out, intervals cover, and too little is said to be too little."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.formats.interval import Estimate
from vivavoce.luna.games_file import ExportedGame, ExportedSeat, PlayerKind, SiteVisitor
from vivavoce.luna.site_statistics import clustered_correlation, statistics

DAY = date(2026, 6, 14)


def site_seat(
    player: str,
    guess: float = 50.0,
    answers: tuple[str, ...] | None = ("yes",) * 5,
    kind: PlayerKind = "guest",
    *,
    seconds: tuple[float, float, float] = (60.0, 60.0, 60.0),
    **more: Any,
) -> ExportedSeat:
    return ExportedSeat(player, kind, None, answers, None, guess, None, None, "tied", seconds, **more)


def site_game(first: ExportedSeat, second: ExportedSeat) -> ExportedGame:
    moment = datetime(2026, 6, 14, tzinfo=UTC)
    return ExportedGame("g", moment, moment, (first, second))


def visitor(
    kind: PlayerKind = "guest",
    games_begun: int = 0,
    games_finished: int = 0,
    guesses: int = 0,
    rating: float | None = None,
    came: date = DAY,
) -> SiteVisitor:
    return SiteVisitor(kind, came, games_begun, games_finished, guesses, rating)


def ends(estimate: Estimate) -> tuple[float, float]:
    return estimate.interval.lower, estimate.interval.upper


def test_nobody_and_nothing() -> None:
    luna_statistics = statistics([], [])
    assert luna_statistics.rating.value is None
    assert luna_statistics.share_finished.value is None
    assert luna_statistics.length_and_guess.value is None
    assert sum(luna_statistics.histogram) == 0
    assert "Too little data" in luna_statistics.caveats[-1]
    values = json.loads(json.dumps(luna_statistics.as_json(), allow_nan=False))
    assert values["figures"]["rating"] == {"value": None, "lower": None, "upper": None, "n": 0}


def test_voided_guesses_are_in_no_figure() -> None:
    """A machine was guessed 10 and 30 by people, and 90 by somebody whose guesses are voided: the mean is 20."""
    bot = site_seat("bot", 50.0, kind="machine")
    guessers = (site_seat("a", 10.0), site_seat("b", 30.0), site_seat("c", 90.0, voided=True))
    luna_statistics = statistics([site_game(seat, bot) for seat in guessers], [])
    [machine] = luna_statistics.machines
    assert (machine.rating.value, machine.rating.n, machine.highest) == (20.0, 2, 30.0)


def test_who_came_and_what_they_played() -> None:
    visitors = [
        visitor(games_begun=3, games_finished=2, guesses=2, rating=70.0),
        visitor("account", games_begun=1, games_finished=1, guesses=1, rating=100.0, came=DAY + timedelta(days=1)),
        visitor("account"),
        visitor(),
        visitor("machine", games_begun=2, games_finished=1, guesses=1, rating=5.0),
    ]
    luna_statistics = statistics([], visitors, site="here")
    assert luna_statistics.players == {"account": 2, "guest": 2, "machine": 1}
    assert luna_statistics.newcomers == ((DAY, 3), (DAY + timedelta(days=1), 1))
    # 6 seats in 3 games begun, 4 in 2 finished
    assert (luna_statistics.games_begun, luna_statistics.games_finished, luna_statistics.share_finished.value) == (3, 2, 2 / 3)
    # people have finished 2, 1, 0 and 0
    assert (luna_statistics.games_per_person.value, luna_statistics.median_games.value) == (0.75, 0.5)
    other = scipy.stats.ttest_1samp([2, 1, 0, 0], 0).confidence_interval()
    assert ends(luna_statistics.games_per_person) == pytest.approx(
        (max(0, other.low), other.high)
    )  # nobody plays less than no game
    assert (luna_statistics.rating.value, luna_statistics.rating.n) == (85.0, 2)
    assert luna_statistics.histogram == (0, 0, 0, 0, 0, 0, 0, 1, 0, 1)
    assert luna_statistics.statement.startswith(
        "4 people and 1 machine came and began 3 games, of which 2 (67% [9.4, 100]) were finished"
    )


def test_medians_lie_where_another_program_says() -> None:
    ratings = list(np.random.default_rng(3).uniform(0, 100, 220))
    estimate = statistics([], [visitor(rating=rating, guesses=1) for rating in ratings]).median_rating
    other: Any = scipy.stats.quantile_test(ratings, q=50, p=0.5).confidence_interval(0.95)
    assert estimate.value == pytest.approx(np.median(ratings))
    # the other program has the interval one order statistic tighter or wider at one end, never more
    places = [sorted(ratings).index(end) for end in (*ends(estimate), other.low, other.high)]
    assert abs(places[0] - places[2]) <= 1
    assert abs(places[1] - places[3]) <= 1
    few = statistics([], [visitor(rating=float(index), guesses=1) for index in range(5)]).median_rating
    assert (few.value, np.isinf(few.interval.lower)) == (2.0, True)


def test_medians_cover() -> None:
    rng = np.random.default_rng(4)
    inside = 0
    for _ in range(200):
        estimate = statistics([], [visitor(rating=float(entry)) for entry in rng.uniform(0, 100, 25)]).median_rating
        inside += int(50.0 in estimate.interval)
    # the level is 95.7% for 25 values; 3 standard errors below
    assert inside / 200 >= 0.957 - 3 * np.sqrt(0.957 * 0.043 / 200)


def test_machines_are_rated_by_people_alone() -> None:
    bot = site_seat("bot", 50.0, kind="machine")
    games = [site_game(site_seat(f"p{n}", guess), bot) for n, guess in enumerate((1.0, 1.0, 4.0))]
    (machine,) = statistics(games, []).machines
    assert (machine.player, machine.rating.value, machine.rating.n, machine.lowest, machine.highest) == (
        "bot",
        2.0,
        3,
        1.0,
        4.0,
    )


def test_length_against_guess_is_pearsons() -> None:
    rng = np.random.default_rng(5)
    lengths = rng.integers(1, 400, 60)
    guesses = np.clip(0.1 * lengths + rng.normal(50, 15, 60), 0, 100)
    # nobody plays twice: each game has one answerer of that length and one guesser, who answered nothing that may be seen
    games = [
        site_game(site_seat(f"a{n}", 50.0, ("x" * int(length),)), site_seat(f"b{n}", float(guess), None))
        for n, (length, guess) in enumerate(zip(lengths, guesses, strict=True))
    ]
    estimate = statistics(games, []).length_and_guess
    other = scipy.stats.pearsonr(lengths, guesses)
    assert estimate.value == pytest.approx(other.statistic)
    assert estimate.n == 60
    # Fisher's interval supposes a normal distribution, ours does not: they agree roughly where it is nearly one
    assert ends(estimate) == pytest.approx(other.confidence_interval(), abs=0.05)


def test_machines_are_left_out_unless_asked_for() -> None:
    games = [
        site_game(
            site_seat(f"a{n}", 60.0, ("x" * n,), "machine" if n % 2 else "guest"), site_seat(f"b{n}", 10.0 * (n % 3), None)
        )
        for n in range(1, 9)
    ]
    luna_statistics = statistics(games, [])
    assert (luna_statistics.length_and_guess.n, luna_statistics.length_and_guess_with_machines.n) == (4, 8)


def test_intervals_of_a_correlation_cover_when_players_play_often() -> None:
    """60 players, each in 5 games: length and guess both carry what is the player's own. The true r is 0.4."""
    rng = np.random.default_rng(6)
    inside, plain, rounds = 0, 0, 100
    for _ in range(rounds):
        own = rng.multivariate_normal([0, 0], [[1, 0.4], [0.4, 1]], 60)
        who = np.repeat(np.arange(60), 5)
        each = own[who] + 0.3 * rng.multivariate_normal([0, 0], [[1, 0.4], [0.4, 1]], who.size)
        guessers = [f"g{number}" for number in rng.integers(0, 300, who.size)]
        estimate = clustered_correlation(
            each[:, 0].tolist(), each[:, 1].tolist(), [(f"p{a}", b) for a, b in zip(who, guessers, strict=True)]
        )
        inside += 0.4 in estimate.interval
        low, high = scipy.stats.pearsonr(each[:, 0], each[:, 1]).confidence_interval()
        plain += int(low <= 0.4 <= high)
    assert inside / rounds >= 0.90
    assert plain / rounds < 0.80  # as though all pairs were independent


def test_a_correlation_needs_pairs_that_differ() -> None:
    assert clustered_correlation([1, 2, 3], [1, 2, 3], [()] * 3).value is None
    assert clustered_correlation([1, 1, 1, 1], [1, 2, 3, 4], [()] * 4).value is None
    only = clustered_correlation([1, 2, 3, 4], [1, 3, 2, 4], [("ann",)] * 4)
    assert only.value == pytest.approx(0.8)
    assert np.isinf(only.interval.upper)


def test_spread_by_number_of_guesses() -> None:
    # ann is guessed 10 and 30, bob 40 and 50: standard deviations sqrt(200) and sqrt(50); cy once
    guesses = {"ann": (10.0, 30.0), "bob": (40.0, 50.0), "cy": (1.0,)}
    games = [
        site_game(site_seat(name, 50.0), site_seat(f"{name} {n}", guess, kind="guest"))
        for name, all_of in guesses.items()
        for n, guess in enumerate(all_of)
    ]
    (spread,) = statistics(games, []).spread
    assert (spread.games, spread.deviation.n) == (2, 2)
    assert spread.deviation.value == pytest.approx((200**0.5 + 50**0.5) / 2)
    assert spread.between == pytest.approx((200**0.5 - 50**0.5) / 2**0.5)
    assert spread.error == pytest.approx((200**0.5 + 50**0.5) / 2 / 2**0.5)


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 500), st.integers(0, 100), st.sampled_from("abcdefgh")), max_size=20))
def test_a_correlation_is_the_same_both_ways_and_in_any_order(pairs: list[tuple[int, int, str]]) -> None:
    def of(some: list[tuple[int, int, str]], number: int, other: int) -> Estimate:
        return clustered_correlation(
            [float(str(p[number])) for p in some], [float(str(p[other])) for p in some], [(p[2],) for p in some]
        )

    estimate = of(pairs, 0, 1)
    for again in (of(pairs, 1, 0), of(pairs[::-1], 0, 1)):
        assert (again.value is None) == (estimate.value is None)
        if estimate.value is not None:
            assert again.value == pytest.approx(estimate.value, abs=1e-9)
    if estimate.value is not None:
        assert -1 <= estimate.value <= 1
        assert estimate.value in estimate.interval
