import random
import tracemalloc
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, binomtest

from tests.consistency.chess.comparisons import mirror, recommended
from vivavoce.consistency.chess.comparison import ChessCheck, ChessComparison
from vivavoce.consistency.chess.counting import BINS, REPLICATES, CheckSummary, CheckTally, GameBootstrap, weights
from vivavoce.consistency.config import THRESHOLDS

THOUSANDTHS = st.integers(-1000, 1000).map(lambda n: n / 1000)


def tallied(comparisons: list[ChessComparison], *, seed: int = 0) -> CheckSummary[ChessComparison]:
    tally: CheckTally[ChessComparison] = CheckTally(ChessCheck.MIRROR, seed=seed)
    for comparison in comparisons:
        tally.add(comparison)
    return tally.summary()


def clustered(games: int, per_game: int, *, seed: int = 1) -> list[ChessComparison]:
    """Positions of one game share a tendency to differ, so they tell less than as many independent ones."""
    rng = random.Random(seed)
    comparisons = []
    for game in range(games):
        spread = rng.choice([0.02, 0.3])
        for i in range(per_game):
            q = round(rng.uniform(-0.6, 0.6), 3)
            other = max(-1.0, min(1.0, round(q + rng.gauss(0, spread), 3)))
            comparisons.append(mirror(game * per_game + i, q, other, game=f"game {game}"))
    return comparisons


def test_counts_by_hand() -> None:
    # differences: .05 exactly, .06, .3, .8, 2.0; over .05: 4 of 5, over .1: 3, over .25: 3, over .5: 2, over .75: 2, over 1: 1
    row = tallied(
        [mirror(1, 0.65, 0.6), mirror(2, 0.0, 0.06), mirror(3, -0.1, 0.2), mirror(4, 0.5, -0.3), mirror(5, 1.0, -1.0)]
    )
    assert [estimate.value for estimate in row.over] == [0.8, 0.6, 0.6, 0.4, 0.4, 0.2]
    assert row.mean_signed.value == pytest.approx((0.05 - 0.06 - 0.3 + 0.8 + 2.0) / 5)
    assert row.mean_difference.value == pytest.approx((0.05 + 0.06 + 0.3 + 0.8 + 2.0) / 5)
    assert (row.n, row.games, row.largest, row.saturated.value) == (5, 5, 2.0, 0.2)
    # bins of .01: .05 -> 5, .06 -> 6, .3 -> 30, .8 -> 80, and 2.0 belongs to the last
    assert [i for i, number in enumerate(row.histogram) if number] == [5, 6, 30, 80, BINS - 1]


def test_skipped_and_unanswered_are_counted_apart() -> None:
    tally: CheckTally[ChessComparison] = CheckTally(ChessCheck.FORCED, seed=0)
    for reason in ("mate in one", "more than one legal move", "mate in one"):
        tally.skip(reason)
    tally.no_answer("time-out")
    row = tally.summary()
    assert row.skipped == {"mate in one": 2, "more than one legal move": 1}
    assert (row.n, row.no_answers, row.largest, row.worst) == (0, {"time-out": 1}, None, ())
    assert {estimate.value for estimate in row.over} == {None}
    assert {(e.interval.lower, e.interval.upper) for e in row.over} == {(0.0, 1.0)}


@pytest.mark.parametrize("games", [1, 2])
def test_one_or_two_games_give_no_interval(games: int) -> None:
    row = tallied([mirror(i, 0.5, 0.0, game=f"game {i // 50}") for i in range(50 * games)])
    assert row.over[0].value == 1.0
    assert {(e.interval.lower, e.interval.upper) for e in row.over} == {(0.0, 1.0)}
    assert (row.mean_signed.interval.lower, row.mean_signed.interval.upper) == (-2.0, 2.0)


@given(st.lists(st.tuples(st.integers(0, 5), THOUSANDTHS, THOUSANDTHS), min_size=1, max_size=40), st.randoms())
def test_the_order_does_not_matter(values: list[tuple[int, float, float]], shuffler: random.Random) -> None:
    comparisons = [mirror(i, q, other, game=f"game {game}") for i, (game, q, other) in enumerate(values)]
    comparisons.sort(key=lambda comparison: comparison.game)
    games = [[c for c in comparisons if c.game == game] for game in sorted({c.game for c in comparisons})]
    before = tallied([c for game in games for c in game])
    shuffler.shuffle(games)
    for game in games:
        shuffler.shuffle(game)
    assert tallied([c for game in games for c in game]) == before


def test_weights_of_a_game_are_the_same_however_its_positions_come() -> None:
    together, apart = GameBootstrap(1, seed=3), GameBootstrap(1, seed=3)
    for game in "aaabbb":
        together.add(game, (1,))
    for game in "ababab":
        apart.add(game, (1,))
    assert (together.replicates() == apart.replicates()).all()


def test_weights_are_poisson_and_independent() -> None:
    drawn = np.concatenate([weights(7, f"game {i}") for i in range(400)])
    # 400,000 Poisson(1) numbers: P(0) = P(1) = e^-1 = .36788, P(2) = half of it; mean and variance 1, standard error .0016
    assert np.allclose([np.mean(drawn == k) for k in (0, 1, 2)], [0.36788, 0.36788, 0.18394], atol=0.004)
    assert abs(drawn.mean() - 1) < 0.008
    assert abs(drawn.var() - 1) < 0.015
    assert abs(np.corrcoef(weights(7, "a"), weights(7, "b"))[0, 1]) < 4 / sqrt(REPLICATES)
    assert not (weights(7, "a") == weights(8, "a")).all()


def test_standard_errors_are_those_of_a_plain_bootstrap_over_games() -> None:
    comparisons = clustered(150, 8)
    row = tallied(comparisons)
    signed = np.array([c.signed for c in comparisons]).reshape(150, 8)
    over = np.abs(signed) > 0.25
    rng = np.random.default_rng(5)
    picks = rng.integers(150, size=(4000, 150))
    shares = over[picks].mean(axis=(1, 2))
    # each standard deviation is known to 1/sqrt(2 * 1000) = 2.2%
    assert np.std(row.replicates[2]) == pytest.approx(np.std(shares), rel=0.1)
    lower, upper = np.quantile(shares, [0.025, 0.975])
    assert row.over[2].interval.lower == pytest.approx(lower, abs=0.15 * (upper - lower))
    assert row.over[2].interval.upper == pytest.approx(upper, abs=0.15 * (upper - lower))
    means = signed[picks].mean(axis=(1, 2))
    half = (row.mean_signed.interval.upper - row.mean_signed.interval.lower) / 2
    assert half == pytest.approx(1.96 * np.std(means), rel=0.1)


def test_independent_positions_have_the_intervals_of_a_binomial() -> None:
    comparisons = clustered(1000, 1)
    row = tallied(comparisons)
    for threshold, estimate in zip(THRESHOLDS, row.over, strict=True):
        events = sum(round(abs(c.signed), 6) > threshold for c in comparisons)
        exact = binomtest(events, 1000).proportion_ci(method="exact")
        assert estimate.interval.lower == pytest.approx(exact.low, abs=0.12 * (exact.high - exact.low))
        assert estimate.interval.upper == pytest.approx(exact.high, abs=0.12 * (exact.high - exact.low))


def test_nothing_seen_in_many_games_is_not_nothing() -> None:
    row = tallied([mirror(i, 0.1, 0.1, game=f"game {i // 4}") for i in range(400)])
    # Clopper and Pearson with 0 of 100 games: 1 - .025^(1/100) = .0362
    assert row.over[5].value == 0.0
    assert row.over[5].interval.upper == pytest.approx(1 - 0.025 ** (1 / 100))
    assert row.over[5].interval.upper == pytest.approx(float(beta.ppf(0.975, 1, 100)))


def test_equal_differences_are_no_certainty() -> None:
    row = tallied([mirror(i, 0.3, 0.3, game=f"game {i // 4}") for i in range(400)])
    # up to 3.62% of the games may be otherwise, as above, by differences of up to 2
    unseen = 1 - 0.025 ** (1 / 100)
    assert (row.mean_signed.value, row.mean_difference.value) == (0.0, 0.0)
    signed, size = row.mean_signed.interval, row.mean_difference.interval
    assert (signed.lower, signed.upper) == pytest.approx((-2 * unseen, 2 * unseen))
    assert (size.lower, size.upper) == pytest.approx((0, 2 * unseen))


def test_positions_of_one_game_widen_the_interval() -> None:
    # 30 games of 20 equal positions are worth about 30 positions: sqrt(20) times as wide
    alike = [mirror(i, 0.5 if i // 20 % 2 else 0.0, 0.0, game=f"game {i // 20}") for i in range(600)]
    apart = [mirror(i, 0.5 if i % 2 else 0.0, 0.0) for i in range(600)]
    wide, narrow = tallied(alike).over[0].interval, tallied(apart).over[0].interval
    assert 3.8 < (wide.upper - wide.lower) / (narrow.upper - narrow.lower) < 5.2


def test_the_ten_worst_the_largest_first_each_pair_once() -> None:
    row = tallied([mirror(i % 30, 0.0, (i % 30) / 100) for i in range(90)])
    assert [round(comparison.difference, 2) for comparison in row.worst] == [n / 100 for n in range(29, 19, -1)]


def test_a_bias_towards_the_side_to_move_shows_in_the_sign() -> None:
    tally: CheckTally[ChessComparison] = CheckTally(ChessCheck.RECOMMENDED, seed=0)
    for game in range(5):
        tally.add(recommended(0.3, -0.1, game=f"game {game}"))
    row = tally.summary()
    assert row.mean_signed.value == pytest.approx(0.2)  # .3 for White before, and .1 for White after


@pytest.mark.slow
def test_intervals_cover_as_often_as_they_say() -> None:
    """300 samples of 60 games of 5 positions, rare events that come in games: the truth is .5 * P(|N(0, .3)| > .5) = .0478."""
    missed = 0
    for sample in range(300):
        rng = np.random.default_rng(sample)
        rare = np.repeat(rng.random(60) < 0.5, 5)
        gaps = np.where(rare, rng.normal(0, 0.3, 300), 0.0).clip(-1, 1)
        row = tallied([mirror(i, 0.0, float(gap), game=f"game {i // 5}") for i, gap in enumerate(gaps)], seed=sample)
        missed += 0.5 * 2 * 0.0477904 not in row.over[THRESHOLDS.index(0.5)].interval
    # P(|N(0, 1)| > .5/.3) = .09558; 5% of 300 is 15, standard deviation 3.8
    assert missed <= 26


@pytest.mark.slow
def test_memory_is_flat() -> None:
    tally: CheckTally[ChessComparison] = CheckTally(ChessCheck.MIRROR, seed=0)

    def add(start: int, number: int) -> None:
        for i in range(start, start + number):
            tally.add(mirror(i, 0.0, (i % 1000) / 1000, game=f"game {i // 30}"))

    add(0, 5_000)
    tracemalloc.start()
    add(5_000, 100_000)
    grown, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert grown < 200_000
