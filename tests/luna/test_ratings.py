"""The three ratings, checked by hand and on simulated players, and intervals of ratings and of their differences."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.errors import BadInput, UnknownName
from vivavoce.formats.interval import Estimate
from vivavoce.luna.games_file import LunaGames
from vivavoce.luna.rate import LunaRating, rate
from vivavoce.luna.ratings import METHODS, Guesses, difference_of, intervals, rated
from vivavoce.luna.rules import rating
from vivavoce.luna.settings import RateConfig

PLAYERS = 5


def honest(
    rng: np.random.Generator, *, players: int = 30, games: int = 400, deviation: float = 5.0
) -> tuple[Guesses, list[float]]:
    """Everybody guesses everybody's value with the same noise; and the values."""
    values = rng.uniform(20, 80, players)
    first = rng.integers(0, players, games)
    second = (first + rng.integers(1, players, games)) % players
    guesser, target = np.stack([first, second], 1).ravel(), np.stack([second, first], 1).ravel()
    guess = values[target] + rng.normal(0, deviation, 2 * games)
    return Guesses(guesser, target, guess, np.repeat(np.arange(games), 2), players=players), values.tolist()


def spoiled(guesses: Guesses, value: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Guesses:
    return Guesses(guesses.guesser, guesses.target, value, guesses.game, players=guesses.players)


def test_a_mean_by_hand_and_as_the_game_itself_has_it() -> None:
    guesses = Guesses([0, 1, 2, 3], [4, 4, 4, 0], [10.0, 20.0, 60.0, 50.0], range(4), players=PLAYERS)
    tolist = rated(guesses, "mean").tolist()
    assert tolist[4] == (10 + 20 + 60) / 3 == rating([10.0, 20.0, 60.0])
    assert tolist[0] == 50.0
    assert np.isnan(tolist[1:4]).all()


def test_nobody_guessed() -> None:
    nothing = Guesses([], [], [], [], players=3)
    for method in METHODS:
        assert np.isnan(rated(nothing, method)).all()
        assert [estimate.value for estimate in intervals(nothing, method, rng=np.random.default_rng(0), rounds=100)] == [
            None
        ] * 3


ROWS = st.lists(
    st.tuples(st.integers(0, PLAYERS - 1), st.integers(1, PLAYERS - 1), st.floats(0, 100)), min_size=1, max_size=25
).map(lambda rows: [(guesser, (guesser + by) % PLAYERS, value) for guesser, by, value in rows])


@given(ROWS, st.sampled_from(sorted(METHODS)), st.randoms())
def test_order_of_guesses_does_not_matter_and_ratings_lie_where_they_can(
    rows: list[tuple[int, int, float]], method: str, random: object
) -> None:
    def of(rows: list[tuple[int, int, float]]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        guesser, target, value = zip(*rows, strict=True)
        return rated(Guesses(guesser, target, value, range(len(rows)), players=PLAYERS), method)

    values = of(rows)
    np.testing.assert_allclose(of(rows[::-1]), values, atol=1e-3)
    targets = {target for _, target, _ in rows}
    assert {index for index in range(PLAYERS) if not np.isnan(values[index])} == targets
    if method != "severity":
        for target in targets:
            own = [value for _, other, value in rows if other == target]
            assert min(own) - 1e-6 <= values[target] <= max(own) + 1e-6


@pytest.mark.parametrize("method", sorted(METHODS))
def test_a_scale_that_is_moved_moves_ratings(method: str) -> None:
    guesses, _ = honest(np.random.default_rng(1))
    np.testing.assert_allclose(rated(spoiled(guesses, guesses.value + 7), method), rated(guesses, method) + 7, atol=1e-4)


@pytest.mark.parametrize("method", sorted(METHODS))
def test_guessers_who_agree_are_believed(method: str) -> None:
    guesses, values = honest(np.random.default_rng(2), deviation=0.0)
    np.testing.assert_allclose(rated(guesses, method), values, atol=1e-6)


def test_one_liar_among_many_hardly_counts() -> None:
    guesses, values = honest(np.random.default_rng(3), deviation=2.0)
    lied = spoiled(guesses, np.where(guesses.guesser < 6, 0.0, guesses.value))
    off = {method: float(np.nanmean(np.abs(rated(lied, method) - values))) for method in METHODS}
    assert off["mean"] > 8 > 0.9 > max(off["robust"], off["severity"])


def test_severity_is_taken_away() -> None:
    rng = np.random.default_rng(4)
    guesses, values = honest(rng, deviation=2.0)
    severity = rng.normal(0, 15, guesses.players)
    biased = spoiled(guesses, guesses.value + severity[guesses.guesser])
    mean, severe = (rated(biased, method) for method in ("mean", "severity"))
    # how high the scale lies cannot be known from guesses: where ratings lie to each other can
    off = [float(np.std(result - values)) for result in (mean, severe)]
    assert off[1] < off[0] / 3


def test_a_bloc_of_more_than_half_is_believed() -> None:
    guesses, values = honest(np.random.default_rng(5))
    bloc = spoiled(guesses, np.where(guesses.guesser < 20, 0.0, guesses.value))
    assert float(np.nanmean(np.abs(rated(bloc, "robust") - values))) > 20


def test_throwaway_accounts_do_not_move_the_scale() -> None:
    guesses, values = honest(np.random.default_rng(6))
    thrown = guesses.guesser < 3
    accounts = np.where(thrown, guesses.players + np.arange(len(guesses)), guesses.guesser)
    value = np.where(thrown, 0.0, guesses.value)
    made = Guesses(accounts, guesses.target, value, guesses.game, players=guesses.players + len(guesses))
    for result in (rated(made, "robust"), rated(made, "severity")):
        assert float(np.nanmean(np.abs(result[: guesses.players] - values))) < 2.5


def test_what_is_no_guess_is_refused() -> None:
    with pytest.raises(BadInput, match="give one each"):
        Guesses([0], [1], [50.0, 60.0], [0], players=2)
    with pytest.raises(BadInput, match="numbered from 0 to 1"):
        Guesses([0], [2], [50.0], [0], players=2)
    with pytest.raises(BadInput, match="finite"):
        Guesses([0], [1], [float("nan")], [0], players=2)
    with pytest.raises(BadInput, match="at least 100"):
        intervals(Guesses([0], [1], [1.0], [0], players=2), rng=np.random.default_rng(0), rounds=10)


def test_an_interval_of_a_mean_is_students_where_guesses_are_normal() -> None:
    rng = np.random.default_rng(7)
    values = rng.normal(50, 8, 12)
    guesses = Guesses(range(1, 13), [0] * 12, values, range(12), players=13)
    estimate = intervals(guesses, rng=rng, rounds=20_000)[0]
    # t(.975; 11) = 2.201
    half = 2.201 * values.std(ddof=1) / 12**0.5
    assert estimate.interval.lower == pytest.approx(values.mean() - half, abs=0.35)
    assert estimate.interval.upper == pytest.approx(values.mean() + half, abs=0.35)


def test_intervals_are_the_same_again_and_stay_on_the_scale() -> None:
    guesses, _ = honest(np.random.default_rng(8), players=6, games=9, deviation=60.0)
    clipped = spoiled(guesses, np.clip(guesses.value, 0, 100))
    estimates, other = (intervals(clipped, rng=np.random.default_rng(0), rounds=100) for _ in range(2))
    assert estimates == other
    assert all(0 <= estimate.interval.lower <= estimate.interval.upper <= 100 for estimate in estimates)


def test_a_rating_beyond_the_scale_lies_in_its_interval() -> None:
    # three who are 30 points too kind give 10 points to one whom they alone have met: -20 without their kindness
    rows = [(g, t, 40.0 + t + 30.0 * (g < 3)) for g in range(8) for t in range(8) if g != t] + [(g, 8, 10.0) for g in range(3)]
    guesser, target, value = zip(*rows, strict=True)
    estimates = intervals(
        Guesses(guesser, target, value, range(len(rows)), players=9), "severity", rng=np.random.default_rng(0), rounds=100
    )
    assert (estimates[8].value or 0.0) < 0
    assert all(estimate.value in estimate.interval for estimate in estimates if estimate.value is not None)


def test_one_guesser_is_as_good_as_one_guess() -> None:
    met_often = Guesses([1] * 20, [0] * 20, np.linspace(48, 52, 20), range(20), players=3)
    estimate = intervals(met_often, rng=np.random.default_rng(0), rounds=200)[0]
    assert estimate.value == pytest.approx(50)
    assert (estimate.interval.lower, estimate.interval.upper) == (0, 100)


def test_an_interval_is_that_of_the_guessers_means_where_each_says_the_same_again() -> None:
    normal = np.random.default_rng(9).normal(50, 8, 12)
    guesses = Guesses(np.repeat(range(1, 13), 10), [0] * 120, np.repeat(normal, 10), range(120), players=13)
    estimate = intervals(guesses, rng=np.random.default_rng(0), rounds=20_000)[0]
    half = 2.201 * normal.std(ddof=1) / 12**0.5  # t(.975; 11)
    assert estimate.interval.lower == pytest.approx(normal.mean() - half, abs=0.35)
    assert estimate.interval.upper == pytest.approx(normal.mean() + half, abs=0.35)


@dataclass(frozen=True)
class RatingCoverage:
    players: int
    games: int
    method: str


@pytest.mark.slow
@pytest.mark.parametrize(
    "case",
    [RatingCoverage(*size, method) for size in ((20, 60), (20, 200)) for method in METHODS],
    ids=lambda case: f"{case.method}-{case.games}",
)
def test_intervals_cover(case: RatingCoverage) -> None:
    covered = []
    for seed in range(30):
        rng = np.random.default_rng((seed, case.players, case.games))
        guesses, values = honest(rng, players=case.players, games=case.games, deviation=8.0)
        estimates = intervals(guesses, case.method, rng=rng, rounds=300)
        covered += [value in estimate.interval for estimate, value in zip(estimates, values, strict=True) if estimate.n >= 3]
    # of some 600 players; those of one world share guessers, which a plain binomial error of .009 does not know
    assert 0.91 < np.mean(covered) < 0.995


@dataclass(frozen=True)
class RepeatedMeetings:
    """Each of twelve players is met by the same few others again and again, who have an opinion of their own."""

    guessers: int
    meetings: int
    opinion: float
    """Deviation of what a guesser thinks of a player from what all think."""
    severity: float
    """Deviation of a guesser's level."""
    more: int = 1
    """Times as often that one of them meets the player."""

    def drawn(self, rng: np.random.Generator, players: int = 12, noise: float = 4.0) -> tuple[Guesses, list[float]]:
        """All guesses, and the players' values."""
        values = rng.uniform(30, 70, players)
        others = [rng.permutation(np.delete(np.arange(players), player))[: self.guessers] for player in range(players)]
        often = [self.meetings * self.more] + [self.meetings] * (self.guessers - 1)
        guesser = np.concatenate([np.repeat(each, often) for each in others])
        target = np.repeat(np.arange(players), sum(often))
        opinions, levels = rng.normal(0, self.opinion, (players, players)), rng.normal(0, self.severity, players)
        guess = values[target] + opinions[guesser, target] + levels[guesser] + rng.normal(0, noise, guesser.size)
        return Guesses(guesser, target, guess, np.arange(guesser.size), players=players), values.tolist()


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "case",
    [
        RepeatedMeetings(2, 6, opinion=8, severity=0),
        RepeatedMeetings(4, 6, opinion=8, severity=0),
        RepeatedMeetings(4, 6, opinion=0, severity=8),
        RepeatedMeetings(4, 6, opinion=0, severity=0),
        RepeatedMeetings(5, 2, opinion=8, severity=0, more=6),
        RepeatedMeetings(8, 1, opinion=8, severity=0),
    ],
    ids=str,
)
def test_intervals_cover_where_few_guessers_met_a_player_often(case: RepeatedMeetings, method: str) -> None:
    covered = []
    for seed in range(170):
        rng = np.random.default_rng((seed, 7))
        guesses, values = case.drawn(rng)
        estimates = intervals(guesses, method, rng=rng, rounds=300)
        covered += [value in estimate.interval for estimate, value in zip(estimates, values, strict=True)]
    print(case, method, np.mean(covered))
    # of 2,040 ratings; twelve of one world share guessers
    assert np.mean(covered) > 0.93


TRUE = 5.0
OTHERS = 12


def by_mean(guesses: Guesses, rounds: int = 20_000) -> Estimate:
    return difference_of(guesses, 0, 1, rng=np.random.default_rng(0), rounds=rounds)


def test_the_same_people_for_both_are_students_paired_interval() -> None:
    rng = np.random.default_rng(3)
    level = rng.normal(50, 15, 12)
    first, second = level + rng.normal(0, 4, 12), level + 6 + rng.normal(0, 4, 12)
    guessers = [*range(2, 14)] * 2
    estimate = by_mean(Guesses(guessers, [0] * 12 + [1] * 12, [*first, *second], range(24), players=14))
    paired = scipy.stats.ttest_rel(second, first).confidence_interval()
    assert estimate.value == pytest.approx(np.mean(second - first))
    assert (estimate.interval.lower, estimate.interval.upper) == pytest.approx((paired.low, paired.high), abs=0.3)
    assert estimate.n == 24


def test_other_people_for_each_are_welchs_interval_and_a_little_wider() -> None:
    rng = np.random.default_rng(4)
    first, second = rng.normal(40, 10, 15), rng.normal(60, 10, 20)
    estimate = by_mean(Guesses(range(2, 37), [0] * 15 + [1] * 20, [*first, *second], range(35), players=37))
    welch = scipy.stats.ttest_ind(second, first, equal_var=False).confidence_interval()
    assert estimate.value == pytest.approx(second.mean() - first.mean())
    width = (estimate.interval.upper - estimate.interval.lower) / (welch.high - welch.low)
    assert 0.98 < width < 1.1  # 14 degrees of freedom where Welch's has 30 make 5%


def site(rng: np.random.Generator, people: int, *, both: float, later: float = 0.0) -> Guesses:
    """People of a severity of their own guess player 0 or 1 or both, and four others each.

    later: how much higher the second half of the people, who meet player 1, guess everybody.
    """
    values = rng.uniform(30, 90, OTHERS)
    rows = []
    for person in range(people):
        late = person >= people / 2
        level = rng.normal(0, 12) + later * late
        guesser = 2 + OTHERS + person
        for version in (0, 1) if rng.random() < both else (int(late),):
            rows.append((guesser, version, 50 + TRUE * version + level + rng.normal(0, 12)))
        for other in rng.choice(OTHERS, 4, replace=False):
            rows.append((guesser, 2 + int(other), values[other] + level + rng.normal(0, 12)))
    guessers, targets, guesses = zip(*rows, strict=True)
    return Guesses(guessers, targets, guesses, range(len(rows)), players=2 + OTHERS + people)


@pytest.mark.long
@pytest.mark.parametrize("method", ["mean", "severity"])
@pytest.mark.parametrize("both", [0.0, 0.5])
def test_intervals_of_a_difference_cover(both: float, method: str) -> None:
    rng = np.random.default_rng(11)
    held = 0
    for _ in range(100):
        estimate = difference_of(site(rng, 20, both=both), 0, 1, method, rng=rng, rounds=200)
        held += estimate.interval.lower <= TRUE <= estimate.interval.upper
    assert held >= 88  # of 95, less three standard deviations of 2.2


@pytest.mark.long
def test_severity_removes_what_later_guessers_give_everybody() -> None:
    rng = np.random.default_rng(5)
    off: dict[str, list[float]] = {"mean": [], "severity": []}
    for _ in range(20):
        guesses = site(rng, 60, both=0.0, later=10.0)
        for method, values in off.items():
            values.append((difference_of(guesses, 0, 1, method, rng=rng, rounds=100).value or 0.0) - TRUE)
    assert np.mean(off["mean"]) == pytest.approx(10, abs=3)
    assert abs(np.mean(off["severity"])) < 0.5 * np.mean(off["mean"])


def test_too_little_is_said_and_is_not_0() -> None:
    nobody = by_mean(Guesses([1, 2], [0, 0], [40.0, 60.0], [0, 1], players=3), 100)
    assert (nobody.value, nobody.n) == (None, 2)
    single = by_mean(Guesses([2, 3, 2], [0, 0, 1], [40.0, 60.0, 70.0], range(3), players=4), 100)
    assert (single.value, single.interval.lower, single.interval.upper) == (20.0, -100.0, 100.0)


def compared(first: str, second: str) -> LunaRating:
    guessers, targets = [2, 3, 4, 5] * 2, [0] * 4 + [1] * 4
    values = [40.0, 50.0, 45.0, 55.0, 61.0, 70.0, 64.0, 76.0]
    guesses = Guesses(guessers, targets, values, range(8), players=6)
    games = LunaGames(("ann", "bob", "c", "d", "e", "f"), guesses, np.ones(8, dtype=bool), frozenset())
    return rate(games, RateConfig(rounds=200), difference=(first, second))


def test_the_finding_says_it_both_ways() -> None:
    result, turned = compared("ann", "bob"), compared("bob", "ann")
    assert result.difference is not None
    assert turned.difference is not None
    assert "People find bob smarter than ann, by 20.2" in result.difference.statement("mean")
    assert "People find ann less smart than bob; the difference is −20.2" in turned.difference.statement("mean")
    assert "Difference of two players" in str(result.report())
    values = json.loads(json.dumps(result.as_json(), allow_nan=False))["figures"]["difference"]
    assert values["players"] == ["ann", "bob"]
    assert {name: value["n"] for name, value in values["ratings"].items()} == {"mean": 8, "robust": 8, "severity": 8}
    unknown = compared("ann", "c").difference
    assert unknown is not None
    assert unknown.statement("mean") == "c and ann can't be compared: both need guesses by people."


def test_who_is_not_there_and_a_player_against_itself() -> None:
    with pytest.raises(UnknownName, match="there is no player 'zoe'"):
        compared("ann", "zoe")
    with pytest.raises(BadInput, match="'ann' is compared with itself"):
        compared("ann", "ann")
