"""Scores, Elo and equal nodes: by hand, and by simulated matches whose truth is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.consistency.chess.match.game import Ending, Game
from vivavoce.consistency.chess.match.score import elo, equal_nodes, in_elo, pair_scores, score_of


def played(*scores: tuple[float, float]) -> list[Game]:
    """Both games of each opening, the first engine's White first."""
    return [
        Game(number, first_is_white, score, Ending.MATE, 10, ())
        for number, pair in enumerate(scores)
        for first_is_white, score in zip((True, False), pair, strict=True)
    ]


def test_by_hand() -> None:
    # pairs 1, .5, .75, .75: mean .75, sd .2041, t(3) = 3.1824: .75 -+ 3.1824 * .2041 / 2 = .75 -+ .3248
    games = played((1, 1), (1, 0), (1, 0.5), (0.5, 1))
    assert pair_scores(games) == [1.0, 0.5, 0.75, 0.75]
    found = score_of(games)
    assert found.value == 0.75
    assert found.interval.lower == pytest.approx(0.4252, abs=1e-4)
    assert found.interval.upper == 1.0
    difference = in_elo(found)
    assert difference.value == pytest.approx(400 * math.log10(3))  # 190.8
    assert difference.interval.lower == pytest.approx(400 * math.log10(0.4252 / 0.5748), abs=0.2)
    assert difference.interval.upper == math.inf


def test_pairing_takes_out_what_the_opening_decides() -> None:
    # every opening is won for White: single games vary as much as can be, pairs not at all
    found = score_of(played(*[(1, 0)] * 200))
    assert found.value == 0.5
    assert found.interval.upper - found.interval.lower < 0.02
    assert found.interval.upper > 0.5  # but there is no certainty


def test_all_won_has_no_elo_but_a_bound() -> None:
    difference = in_elo(score_of(played(*[(1, 1)] * 20)))
    assert difference.value is None
    assert difference.interval.upper == math.inf
    assert 200 < difference.interval.lower < 400


@given(st.floats(0.001, 0.999))
def test_elo_is_odd_and_turns_back(score: float) -> None:
    assert elo(score) == pytest.approx(-elo(1 - score), abs=1e-6)
    assert 1 / (1 + 10 ** (-elo(score) / 400)) == pytest.approx(score)


def simulated(rng: np.random.Generator, chance: float, tilt: np.ndarray) -> np.ndarray:
    """Pair scores where the first engine scores `chance` on average, and openings favour White by `tilt` (a logit)."""
    middle = math.log(chance / (1 - chance))
    scores = []
    for colour in (1, -1):
        win = 1 / (1 + np.exp(-(middle + colour * tilt)))
        drawn = rng.random(tilt.size) < 0.3  # a draw in place of a decision keeps the mean where it is only at one half
        scores.append(np.where(drawn, 0.5, rng.random(tilt.size) < win))
    return (scores[0] + scores[1]) / 2


def test_the_interval_covers_the_true_score() -> None:
    rng = np.random.default_rng(5)
    missed = 0
    tilts = rng.normal(0, 1.5, 200_000)
    truth = float(simulated(rng, 0.6, tilts).mean())
    runs = 400
    for _ in range(runs):
        pairs = simulated(rng, 0.6, rng.normal(0, 1.5, 60))
        games = [Game(i, True, float(score), Ending.MATE, 1, ()) for i, score in enumerate(pairs)]
        missed += truth not in score_of(games).interval
    assert missed <= 32  # 5% of 400 is 20, and 32 is 2.75 standard deviations more


def line_scores(rng: np.random.Generator, nodes: list[int], equal_at: float, tilt: np.ndarray) -> list[tuple[int, list[float]]]:
    """The first engine's pair scores, the second one's logit being ln(nodes / equal_at)."""
    chances = [1 / (1 + number / equal_at) for number in nodes]
    return [(number, simulated(rng, chance, tilt).tolist()) for number, chance in zip(nodes, chances, strict=True)]


@pytest.mark.long
def test_equal_nodes_of_known_engines() -> None:
    rng = np.random.default_rng(8)
    nodes = [250, 500, 1000, 2000, 4000]
    found = equal_nodes(line_scores(rng, nodes, 1000, rng.normal(0, 1.0, 4000)), seed=0)
    assert found is not None
    assert found.nodes.value == pytest.approx(1000, rel=0.06)
    missed = 0
    for run in range(150):
        study = equal_nodes(line_scores(rng, nodes, 1000, rng.normal(0, 1.0, 60)), seed=run)
        assert study is not None
        missed += 1000 not in study.nodes.interval
    assert missed <= 15  # 5% of 150 is 7.5, and 15 is 2.8 standard deviations more


def test_what_is_out_of_reach_is_not_made_up() -> None:
    rng = np.random.default_rng(9)
    beyond = equal_nodes(line_scores(rng, [100, 200, 400], 50_000, np.zeros(100)), seed=0)
    assert beyond is not None
    assert beyond.nodes.value is None
    assert beyond.nodes.interval.upper == math.inf
    flat = equal_nodes([(100, [0.5, 0.25, 0.75] * 10), (200, [0.5, 0.75, 0.25] * 10)], seed=0)
    assert flat is not None
    assert (flat.nodes.interval.lower, flat.nodes.interval.upper) == (0.0, math.inf)
    assert equal_nodes([(100, [0.5] * 9), (200, [1.0] * 9)], seed=0) is None


def test_the_line_by_hand() -> None:
    # the second engine scores 1/4 with 100 nodes and 3/4 with 10,000: logits -ln 3 and ln 3, so one half at 1,000
    found = equal_nodes([(100, [0.75] * 40), (10_000, [0.25] * 40)], seed=0)
    assert found is not None
    assert found.nodes.value == pytest.approx(1000, rel=1e-6)
    assert found.slope == pytest.approx(2 * math.log(3) / math.log(100), rel=1e-6)
    assert found.score(100) == pytest.approx(0.25)
