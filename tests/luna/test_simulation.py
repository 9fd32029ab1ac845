"""Simulated games against plain loops of the same rules, the figures of chapter 3, and the table of attacks."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.errors import BadInput, UnknownName
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.luna import simulation
from vivavoce.luna.ratings import METHODS
from vivavoce.luna.settings import SimulationConfig
from vivavoce.luna.simulation import (
    RatingErrors,
    SimulatedWorlds,
    Strategy,
    StrategyMixture,
    at_place,
    draw,
    errors,
    places,
    reported,
    simulate,
)
from vivavoce.luna.simulation_finding import examine_simulation
from vivavoce.luna.simulation_tables import (
    ATTACKS,
    DELAYS,
    FIGURES,
    MOMENTS,
    SHARES,
    attack_outcomes,
    curve,
    draw_figures,
    over_trials,
)


def play_plainly(
    worlds: SimulatedWorlds, mixture: StrategyMixture, trial: int, *, as_published: bool = False
) -> list[tuple[float, float]]:
    """Mean and largest distance from intelligence at each of the mixture's times."""
    n = worlds.players
    actual = worlds.actual[trial].tolist()
    chance = worlds.chance[trial].tolist()
    strategy = mixture.strategies(n).tolist()
    received: list[list[float]] = [[] for _ in range(n)]
    met: list[list[float]] = [[] for _ in range(n)]
    result = []
    for step, (first, second) in enumerate(worlds.meeting[trial].tolist()):
        ratings = [rating(guesses, as_published) for guesses in received]
        rows = []
        for own, other in ((first, second), (second, first)):
            kind = strategy[own] if step >= mixture.delay else Strategy.HONEST
            honest = actual[own][other]
            number = among(actual[own] if as_published else met[own], honest)
            rows.append(
                (other, guess(kind, honest, chance[own][other], ratings, number / 100 if as_published and number else number))
            )
            met[own].append(honest)
        for other, value in rows:
            received[other].append(value)
        if step + 1 in mixture.times:
            result.append(
                distances([rating(guesses, as_published) for guesses in received], worlds.intelligence[trial].tolist())
            )
    return result


def guess(kind: int, honest: float, chance: float, ratings: list[float | None], rank: float | None) -> float:
    known = [value for value in ratings if value is not None]
    if kind == Strategy.RANDOM:
        return chance
    if kind == Strategy.MINIMUM:
        return 0.0
    if kind == Strategy.CONSTANT:
        return 50.0
    if kind == Strategy.MEAN and known:
        return added(known) / len(known)
    if kind == Strategy.QUANTILE and known and rank is not None:
        return quantile(sorted(known), rank)
    return honest


def rating(guesses: list[float], as_published: bool) -> float | None:
    """The mean; with the slip, without the first guess as soon as there is a second."""
    if not guesses:
        return None
    counted = guesses[1:] if as_published and len(guesses) > 1 else guesses
    return added(counted) / len(counted)


def among(own: list[float], value: float) -> float | None:
    return sum(number <= value for number in own) / len(own) if own else None


def quantile(ordered: list[float], rank: float) -> float:
    position = rank * (len(ordered) - 1)
    lower = int(position)
    upper = min(lower + 1, len(ordered) - 1)
    return ordered[lower] + (ordered[upper] - ordered[lower]) * (position - lower)


def distances(ratings: list[float | None], intelligence: list[float]) -> tuple[float, float]:
    away = [abs(value - true) for value, true in zip(ratings, intelligence, strict=True) if value is not None]
    return added(away) / len(away), max(away)


def added(values: list[float]) -> float:
    """One after the other; `sum` makes up for lost digits from Python 3.12 on."""
    total = 0.0
    for value in values:
        total += value
    return total


FOUR = (Strategy.RANDOM, Strategy.MINIMUM, Strategy.MEAN, Strategy.QUANTILE)
TIMES = (1, 3, 20, 150, 300)


def everybody(strategy: Strategy, *, delay: int = 0, times: tuple[int, ...] = TIMES) -> StrategyMixture:
    return StrategyMixture(((strategy, 1.0),), delay=delay, times=times)


MIXTURES = (
    *(everybody(strategy) for strategy in (Strategy.HONEST, *FOUR, Strategy.CONSTANT)),
    StrategyMixture(tuple((strategy, 0.2) for strategy in FOUR), times=TIMES),
    StrategyMixture(tuple((strategy, 0.0) for strategy in FOUR), together=0.5, times=TIMES),
    everybody(Strategy.QUANTILE, delay=40),
    StrategyMixture(((Strategy.MEAN, 0.6),), delay=7, times=(11,)),
)


@pytest.mark.parametrize("as_published", [False, True])
def test_numbers_are_those_of_a_plain_loop_to_the_last_digit(as_published: bool) -> None:
    config = SimulationConfig(players=17, steps=300, trials=3, seed=4)
    worlds = draw(config, range(3), deviation=5.0 if as_published else None)
    made = reported(worlds, MIXTURES, as_published=as_published)
    for mixture, values in zip(MIXTURES, made, strict=True):
        rating_errors = errors(worlds, values, mixture, as_published=as_published)
        for trial in range(3):
            plain = play_plainly(worlds, mixture, trial, as_published=as_published)
            assert (
                list(zip(rating_errors.mean[:, trial].tolist(), rating_errors.largest[:, trial].tolist(), strict=True)) == plain
            )


@settings(max_examples=15, deadline=None)
@given(
    shares=st.lists(st.tuples(st.sampled_from(FOUR), st.sampled_from([0.0, 0.1, 0.25])), max_size=4),
    players=st.integers(2, 12),
    delay=st.integers(0, 30),
    as_published=st.booleans(),
    seed=st.integers(0, 1_000),
)
def test_any_mixture_is_that_of_a_plain_loop(
    shares: list[tuple[Strategy, float]], players: int, delay: int, as_published: bool, seed: int
) -> None:
    mixture = StrategyMixture(tuple(shares), delay=delay, times=(2, 40))
    worlds = draw(SimulationConfig(players=players, steps=40, trials=2, seed=seed), range(1))
    rating_errors = errors(
        worlds, reported(worlds, [mixture], as_published=as_published)[0], mixture, as_published=as_published
    )
    assert rating_errors.mean[:, 0].tolist() == [
        mean for mean, _ in play_plainly(worlds, mixture, 0, as_published=as_published)
    ]


@pytest.mark.long
def test_numbers_do_not_hang_on_who_works_or_on_what_is_played_beside(monkeypatch: pytest.MonkeyPatch) -> None:
    config, mixture = (
        SimulationConfig(players=20, steps=100, trials=5),
        StrategyMixture(((Strategy.QUANTILE, 0.5),), times=(100,)),
    )
    (alone,) = simulate(config, [mixture], methods=("mean", "robust"))
    beside = simulate(config, [everybody(Strategy.MEAN, times=(50,)), mixture])[1]
    monkeypatch.setattr(simulation, "TRIALS_AT_ONCE", 2)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        (shared,) = simulate(config, [mixture], methods=("mean", "robust"), executor=executor)
    assert alone["mean"].mean.tolist() == beside["mean"].mean.tolist() == shared["mean"].mean.tolist()
    assert alone["robust"].largest.tolist() == shared["robust"].largest.tolist()


@pytest.mark.parametrize("strategy", [Strategy.RANDOM, Strategy.MEAN])
def test_a_trial_alone_is_what_it_is_among_others(strategy: Strategy) -> None:
    config, mixture = SimulationConfig(players=20, steps=200, trials=3, seed=1), everybody(strategy, times=(50, 200))
    whole, alone = draw(config, range(3)), draw(config, range(2, 3))
    of_three, of_one = (errors(worlds, reported(worlds, [mixture])[0], mixture).mean for worlds in (whole, alone))
    assert of_three[:, 2].tolist() == of_one[:, 0].tolist()


def test_places_are_those_of_an_empirical_distribution() -> None:
    worlds = draw(SimulationConfig(players=5, steps=60, trials=2), range(1))
    result, actual = places(worlds, among_all=False)[0], worlds.guessed()[0]
    earlier: dict[int, list[float]] = {}
    for step, both in enumerate(worlds.meeting[0].tolist()):
        for side, player in enumerate(both):
            before, now = earlier.setdefault(player, []), actual[step, side]
            expected = scipy.stats.ecdf(before).cdf.evaluate(now) if before else np.nan
            np.testing.assert_allclose(result[step, side], expected)
        for side, player in enumerate(both):
            earlier[player].append(float(actual[step, side]))


@given(st.lists(st.floats(0, 100), min_size=1, max_size=9), st.floats(0, 1))
def test_a_quantile_is_numpys(values: list[float], rank: float) -> None:
    ordered = np.array([[*sorted(values), np.inf]])
    result = at_place(ordered, np.array([len(values)]), np.array([rank]))[0]
    assert result == pytest.approx(np.percentile(values, 100 * rank), abs=1e-9)


def near(errors: RatingErrors, mean: float, largest: float) -> None:
    """Within sampling error of a figure that itself comes of 100 trials and is rounded."""
    for values, expected, digits in ((errors.mean[-1], mean, 0.005), (errors.largest[-1], largest, 0.05)):
        error = values.std(ddof=1) / values.size**0.5
        assert abs(values.mean() - expected) < 3 * 2**0.5 * error + digits


def ends(mixtures: Sequence[StrategyMixture], *, as_published: bool = False, trials: int = 100) -> list[RatingErrors]:
    return [entry["mean"] for entry in simulate(SimulationConfig(seed=7, trials=trials), mixtures, as_published=as_published)]


def test_all_of_one_kind_end_where_the_text_leads() -> None:
    # another program's figures for the same text, 100 trials
    expected = {
        Strategy.HONEST: (0.44, 1.6),
        Strategy.RANDOM: (25.5, 59.6),
        Strategy.MINIMUM: (49.9, 99.0),
        Strategy.MEAN: (28.3, 64.6),
        Strategy.QUANTILE: (4.6, 16.4),
    }
    for rating_errors, numbers in zip(
        ends([everybody(strategy, times=(1_000,)) for strategy in expected]), expected.values(), strict=True
    ):
        near(rating_errors, *numbers)
    # E|U - 50| for U uniform from 0 to 100 is 25; the thesis' text has 50
    near(ends([everybody(Strategy.CONSTANT, times=(1_000,))])[0], 25.0, 49.5)


@pytest.mark.parametrize(("as_published", "slope"), [(False, 2.67), (True, 3.49)])
def test_each_tenth_of_combined_strategies_adds_as_much(as_published: bool, slope: float) -> None:
    tenths = np.arange(11)
    mixtures = [
        StrategyMixture(tuple((strategy, 0.25) for strategy in FOUR), together=tenth / 10, times=(1_000,)) for tenth in tenths
    ]
    values = np.array([rating_errors.mean[-1] for rating_errors in ends(mixtures, as_published=as_published, trials=40)])
    slopes = np.array([np.polyfit(tenths, trial, 1)[0] for trial in values.T])
    # the figure comes of another program's 100 trials
    assert abs(slopes.mean() - slope) < 3 * slopes.std(ddof=1) * (1 / 100 + 1 / 40) ** 0.5 + 0.005


def test_each_tenth_of_minimum_guessers_adds_half_of_a_tenth_of_the_range() -> None:
    tenths = np.arange(11)
    values = np.array(
        [rating_errors.mean[-1] for rating_errors in ends([StrategyMixture(((Strategy.MINIMUM, t / 10),)) for t in tenths])]
    )
    slopes = np.array([np.polyfit(tenths, trial, 1)[0] for trial in values.T])
    assert abs(slopes.mean() - 4.97) < 3 * 2**0.5 * slopes.std(ddof=1) / 10 + 0.005


def test_quantile_guessing_collapses_with_the_slips_alone() -> None:
    mixture = everybody(Strategy.QUANTILE, times=(1_000,))
    result = simulate(SimulationConfig(seed=7, trials=200), [mixture], as_published=True)[0]["mean"].mean[-1]
    # all ratings end near the lower of the first two guesses, a place at random: E|U - min(V, W)| = 100 / 3
    deviation = result.std(ddof=1)
    assert abs(result.mean() - 100 / 3) < 3 * deviation / 200**0.5
    # another program has 34.8, from 100 trials
    assert abs(result.mean() - 34.8) < 3 * deviation * (1 / 100 + 1 / 200) ** 0.5


def test_what_cannot_be_played_is_refused() -> None:
    with pytest.raises(BadInput, match="play more games"):
        simulate(SimulationConfig(players=3, steps=5), [StrategyMixture()])
    with pytest.raises(UnknownName, match="did you mean 'robust'"):
        simulate(SimulationConfig(players=3, steps=5), [StrategyMixture(times=(5,))], methods=("robus",))
    with pytest.raises(BadInput, match="have the mean only"):
        simulate(SimulationConfig(players=3, steps=5), [StrategyMixture(times=(5,))], methods=("robust",), as_published=True)
    with pytest.raises(BadInput, match=r"add up to 1\.5"):
        StrategyMixture(((Strategy.MEAN, 1.5),))


FEW = SimulationConfig(trials=5)


@pytest.mark.long
def test_every_figure_has_its_points() -> None:
    readings = draw_figures(list(FIGURES), SimulationConfig(players=8, steps=400, trials=2))
    places = {"games": MOMENTS, "share": SHARES, "delay": DELAYS}
    for drawn in readings:
        for chart in (drawn.corrected, drawn.as_published):
            assert tuple(point.x for point in chart.points) == places[drawn.figure.across]
            assert (chart.slope_per_tenth is not None) == (drawn.figure.across == "share")


def test_random_guessing_begins_at_a_third_and_ends_at_a_quarter() -> None:
    figure = curve(FIGURES["3.1"], SimulationConfig(trials=50))
    # E|U - V| = 100 / 3 at first; later every rating comes near to 50, and E|U - 50| = 25
    assert figure.points[0].mean.value == pytest.approx(100 / 3, abs=2)
    assert figure.last.mean.value == pytest.approx(25.4, abs=1)


def test_the_later_quantile_guessing_begins_the_less_it_harms() -> None:
    values = [point.mean.value or 0.0 for point in curve(FIGURES["3.7"], FEW).points]
    assert values[0] > values[2] > values[5] > values[-1]


def test_a_robust_rating_withstands_what_the_mean_does_not() -> None:
    mean, robust = (curve(FIGURES["3.3"], replace(FEW, rating=rating)) for rating in ("mean", "robust"))
    assert (robust.points[3].mean.value or 9.0) < 1 < 10 < (mean.points[3].mean.value or 0.0)


def test_intervals_over_trials() -> None:
    estimate = over_trials(np.array([1.0, 2.0, 3.0, np.nan]))
    # t(.975; 2) = 4.303, and a deviation of 1
    assert estimate.n == 3
    assert estimate.interval.upper == pytest.approx(2 + 4.303 / 3**0.5, abs=1e-3)
    assert over_trials(np.array([np.nan])).value is None


def test_the_finding_says_both_readings() -> None:
    luna_simulation = examine_simulation(["3.2", "3.5", "3.8"], FEW)
    assert "the thesis has 3.5, and its program's slips give 3." in luna_simulation.statement
    assert "do not collapse" in luna_simulation.statement
    assert luna_simulation.honest is not None
    assert 0.35 < (luna_simulation.honest.value or 0.0) < 0.42
    assert "All guess honestly: ratings end 0." in examine_simulation(["3.2"], FEW).statement


def test_an_unknown_figure_is_refused() -> None:
    with pytest.raises(UnknownName, match=r"there is no figure '3\.9'"):
        draw_figures(["3.9"], FEW)


PRINTED = {
    "All are honest": (0.90, 0.94, 0.95),
    "30% do": (8.97, 1.18, 1.24),
    "50% do": (14.94, 1.50, 1.83),
    "All are honest, each with a severity of deviation 15": (3.06, 2.31, 1.52),
}
"""By attack: mean, robust, severity; N = 100, T = 1,000. The other program's two robust ratings weigh guessers otherwise."""


@pytest.mark.slow
def test_the_table() -> None:
    rows = {row.attack.words: row for row in attack_outcomes(SimulationConfig(seed=7))}
    assert list(rows) == [attack.words for attack in ATTACKS]
    for words, numbers in PRINTED.items():
        for method, number in zip(METHODS, numbers, strict=True):
            estimate = rows[words].mean[method]
            assert estimate.value is not None
            # three errors of a difference between two means over 100 trials; half an interval is 1.98 errors
            margin = 3 * 2**0.5 * (estimate.interval.upper - estimate.value) / 1.98 + 0.005
            assert estimate.value < number + margin
            if method == "mean":
                assert estimate.value > number - margin
    bloc = rows["A bloc of 50% guesses 0"].mean
    assert all(24 < (bloc[method].value or 0.0) < 28 for method in METHODS)  # half of all guesses: half of the mean value
    late = rows["30% begin honest, and guess 0 in the second half"].mean
    assert (late["robust"].value or 9.0) < 1.3 < 7 < (late["mean"].value or 0.0)
    # by 30% of 20 guesses that give 100 in place of a value of 50 on average
    boosted = rows["30% guess 100 for one player, honestly for others"].mean
    assert (boosted["mean"].value or 0.0) == pytest.approx(15, abs=4.5)


def test_a_single_trial_is_no_interval_and_a_rating_may_be_too_low() -> None:
    rows = {row.attack.words: row.mean["mean"] for row in attack_outcomes(SimulationConfig(players=20, trials=2))}
    assert (rows["10% guess 0 for one player, honestly for others"].value or 0.0) < 0
    values = np.array([-3.0])
    assert over_trials(values, lowest=-100.0) == Estimate(-3.0, Interval(-100.0, 100.0), 1)
    assert over_trials(-values) == Estimate(3.0, Interval(0.0, 100.0), 1)


def test_each_attack_does_what_it_says() -> None:
    rows = attack_outcomes(SimulationConfig(players=20, trials=2))
    assert len({row.attack.words for row in rows}) == len(rows) == len(ATTACKS)
    assert all(set(row.mean) == set(METHODS) for row in rows)
