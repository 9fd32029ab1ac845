"""Comparisons of positions, counted and held against a second program and the tables of the paper."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from math import sqrt
from typing import Any

import chess
import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from tests.consistency.chess.comparisons import AFTER_E4, START, judged, mirror, recommended
from tests.consistency.chess.engines import random_positions
from tests.each_case import each_case
from tests.papers import consistency_tables as papers
from vivavoce.candidates.uci.pool import open_engine
from vivavoce.consistency.chess.compare_positions import Material, compare_positions
from vivavoce.consistency.chess.comparison import ChessCheck, ChessComparison, EvaluatedChessPosition, engine, in_words, sides
from vivavoce.consistency.chess.counting import BINS, REPLICATES, CheckSummary, CheckTally, GameBootstrap, weights
from vivavoce.consistency.chess.positions import GamePosition, forced_from, synthetic_boards
from vivavoce.consistency.config import THRESHOLDS, ChessConfig
from vivavoce.interview.candidate_kinds import Evaluation, Position
from vivavoce.interview.vendor_batches import BatchInterview
from vivavoce.studies.engine_checks import PublishedChecks, published_table, share, tables_beside

THOUSANDTHS = st.integers(-1000, 1000).map(lambda n: n / 1000)


def tallied(comparisons: list[ChessComparison], *, seed: int = 0) -> CheckSummary:
    tally: CheckTally = CheckTally(ChessCheck.MIRROR, seed=seed)
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
    tally: CheckTally = CheckTally(ChessCheck.FORCED, seed=0)
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
        exact = scipy.stats.binomtest(events, 1000).proportion_ci(method="exact")
        assert estimate.interval.lower == pytest.approx(exact.low, abs=0.12 * (exact.high - exact.low))
        assert estimate.interval.upper == pytest.approx(exact.high, abs=0.12 * (exact.high - exact.low))


def test_nothing_seen_in_many_games_is_not_nothing() -> None:
    row = tallied([mirror(i, 0.1, 0.1, game=f"game {i // 4}") for i in range(400)])
    # Clopper and Pearson with 0 of 100 games: 1 - .025^(1/100) = .0362
    assert row.over[5].value == 0.0
    assert row.over[5].interval.upper == pytest.approx(1 - 0.025 ** (1 / 100))
    assert row.over[5].interval.upper == pytest.approx(float(scipy.stats.beta.ppf(0.975, 1, 100)))


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
    tally: CheckTally = CheckTally(ChessCheck.RECOMMENDED, seed=0)
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
    tally: CheckTally = CheckTally(ChessCheck.MIRROR, seed=0)

    def add(start: int, number: int) -> None:
        for i in range(start, start + number):
            tally.add(mirror(i, 0.0, (i % 1000) / 1000, game=f"game {i // 30}"))

    add(0, 5_000)
    tracemalloc.start()
    add(5_000, 100_000)
    grown, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert grown < 200_000


TURNED = ChessComparison(
    ChessCheck.BOARDS,
    "board 1",
    "rotate 90 against flip vertical",
    judged("8/8/8/3k4/8/3K1Q2/8/8 w - - 0 40", 0.9, "f3f5"),
    judged("8/8/3k4/8/3K1Q2/8/8/8 w - - 0 40", 0.1, "f4f6"),
    signed=0.8,
)


def test_after_a_move_both_values_are_for_the_side_that_made_it() -> None:
    # White says .68 before 1 e4; after it Black, to move, says .40, which is -.40 for White
    side, other = sides(recommended(0.68, 0.40))
    assert (side.viewpoint, side.value, other.viewpoint, other.value) == ("White", 0.68, "White", -0.40)
    assert in_words(recommended(0.68, 0.40)) == (
        "+0.68 for White before its own best move e2e4, −0.40 after: a difference of 1.08."
    )


def test_how_often_a_side_wins_is_told_for_the_side_that_moved() -> None:
    white = Evaluation(q=0.4, best_move="e2e4", nodes=1, wins=600, draws=200, losses=200)
    black = Evaluation(q=0.1, best_move="e7e5", nodes=1, wins=300, draws=500, losses=200)
    side, other = sides(
        ChessComparison(
            ChessCheck.RECOMMENDED,
            "g",
            "e2e4",
            EvaluatedChessPosition(START, white),
            EvaluatedChessPosition(AFTER_E4, black),
            signed=0.5,
        )
    )
    # White wins (.4 + 1 - .2) / 2 = .6 of the games before; after it White wins what Black loses
    assert side.wins == pytest.approx(0.6)
    assert other.wins == pytest.approx(0.2)
    untold = replace(TURNED.first, evaluation=replace(TURNED.first.evaluation, draws=None))
    assert sides(replace(TURNED, first=untold))[0].wins is None


def test_mirrored_each_value_is_for_the_side_to_move() -> None:
    assert in_words(mirror(1, 0.5, 0.1)) == "As it is: +0.50 for White; mirrored: +0.10 for Black: a difference of 0.40."


def test_turned_boards_name_both_turns() -> None:
    assert in_words(TURNED) == ("After rotate 90: +0.90 for White; after flip vertical: +0.10 for White: a difference of 0.80.")


def test_engines_are_named_as_people_name_them() -> None:
    assert engine("uci:/opt/lc0?nodes=1") == "lc0 at 1 node"
    assert engine("uci:gnuchess --uci?depth=8&wdl=logistic") == "gnuchess --uci at depth 8 (wdl=logistic)"
    assert engine("uci:stockfish?nodes=1000&depth=8") == "stockfish at depth 8, at most 1\u202f000 nodes"


def test_who_cannot_win_wins_never_and_not_less() -> None:
    # Black never loses: (.001 + 1 - .999) / 2 - .001 is 0, and −5e-17 in binary fractions
    after = EvaluatedChessPosition(AFTER_E4, Evaluation(q=0.001, best_move="e7e5", nodes=1, wins=1, draws=999, losses=0))
    comparison = replace(recommended(-0.001, 0.001), second=after)
    assert sides(comparison)[1].wins == 0.0  # for White, who has just moved


def test_nobody_wins_less_than_never() -> None:
    lost = EvaluatedChessPosition(START, Evaluation(q=-0.999, best_move="e2e4", nodes=1, wins=0, draws=2, losses=998))
    side, _ = sides(
        ChessComparison(
            ChessCheck.RECOMMENDED, "g", "e2e4", lost, EvaluatedChessPosition(AFTER_E4, lost.evaluation), signed=0.5
        )
    )
    assert side.wins == 0.0


TABLE_1, TABLE_6, TABLE_8, TABLE_9, TABLE_10 = map(published_table, (1, 6, 8, 9, 10))


@pytest.mark.parametrize(("table", "text"), [(TABLE_1, papers.TABLE_1), (TABLE_8, papers.TABLE_8), (TABLE_9, papers.TABLE_9)])
def test_tables_equal_another_transcription(table: PublishedChecks, text: str) -> None:
    others = papers.shares(text)
    assert [row.check.value for row in table.rows] == list(others)
    for row in table.rows:
        assert [estimate.value for estimate in row.shares] == pytest.approx(others[row.check.value])


def test_table_6_equals_another_transcription_and_its_row_of_400_is_table_1() -> None:
    others = papers.shares(papers.TABLE_6)
    assert {str(row.nodes): [estimate.value for estimate in row.shares] for row in TABLE_6.rows} == {
        nodes: pytest.approx(row) for nodes, row in others.items()
    }
    at_400 = next(row for row in TABLE_6.rows if row.nodes == 400)
    assert at_400.printed == TABLE_1.rows[1].printed


def test_samples_are_those_of_the_text() -> None:
    assert [row.n for row in TABLE_1.rows] == [200_000, 400_000, 400_000, 400_000]
    assert [row.n for row in TABLE_9.rows] == [200_000] * 4
    assert [row.n for row in TABLE_10.rows] == [100_000, 100_000, 100_000, 50_000]


def test_an_interval_reaches_over_all_counts_that_are_printed_so() -> None:
    estimate = share("0.09", 200_000)  # from 0.085% to 0.095%: 170 to 190 positions
    assert estimate.interval.lower == pytest.approx(scipy.stats.binomtest(170, 200_000).proportion_ci(method="exact").low)
    assert estimate.interval.upper == pytest.approx(scipy.stats.binomtest(190, 200_000).proportion_ci(method="exact").high)
    none = share("0", 400_000)
    assert (none.value, none.interval.lower) == (0.0, 0.0)
    assert none.interval.upper == pytest.approx(1 - 0.025 ** (1 / 400_000))
    bound = share("<0.01", 400_000)
    assert bound.value is None
    assert bound.interval.upper == pytest.approx(scipy.stats.binomtest(40, 400_000).proportion_ci(method="exact").high)
    unknown = share("53.9", None)
    assert unknown.n == 0
    assert (unknown.interval.lower, unknown.interval.upper) == pytest.approx((0.5385, 0.5395))


@each_case(
    ("candidate", "numbers"),
    [
        ("uci:lc0?nodes=400&wdl=moves&engine=Lc0 v0.29.0%2Bgit.ece6f22", [1]),
        ("uci:stockfish?nodes=400&hash=1&engine=Stockfish 15.1", [8]),
        ("uci:stockfish?nodes=400&hash=1&Use NNUE=false&engine=Stockfish 15.1", [9, 10]),
        ("uci:glaurung?nodes=400&engine=Glaurung 2.2", []),
        ("a program", []),
    ],
)
def test_each_engine_has_the_tables_of_its_kind(candidate: str, numbers: list[int]) -> None:
    assert [table.number for table in tables_beside(candidate)] == numbers


NUMBER = 200
NODES = 1_000
STOCKFISH = shutil.which("stockfish", path="/usr/games:/usr/bin:/usr/local/bin")


class Raw:
    """Stockfish, spoken to as a person would type."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._known: dict[str, float] = {}

    def say(self, line: str) -> None:
        assert self._process.stdin is not None
        print(line, file=self._process.stdin, flush=True)

    def hear_until(self, end: str) -> list[str]:
        assert self._process.stdout is not None
        lines = []
        for line in self._process.stdout:
            lines.append(line)
            if line.startswith(end):
                return lines
        raise AssertionError("the engine is gone")

    def q(self, fen: str) -> float:
        """(W - L)/1000 of the last line with a win-draw-loss triple that is no bound."""
        if fen not in self._known:
            self.say(f"ucinewgame\nposition fen {fen}\ngo nodes {NODES}")
            exact = [line for line in self.hear_until("bestmove") if "bound" not in line]
            wins, _, losses = map(int, re.findall(r" wdl (\d+) (\d+) (\d+) ", "".join(exact))[-1])
            self._known[fen] = (wins - losses) / 1000
        return self._known[fen]


@contextmanager
def raw_engine() -> Iterator[Raw]:
    assert STOCKFISH is not None
    with subprocess.Popen([STOCKFISH], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        raw = Raw(process)
        raw.say("uci")
        raw.hear_until("uciok")
        raw.say("setoption name Threads value 1\nsetoption name Hash value 1\nsetoption name UCI_ShowWDL value true\nisready")
        raw.hear_until("readyok")
        yield raw
        raw.say("quit")


def orientations(fen: str) -> list[str]:
    """All eight, by rewriting the board's field as text."""
    ranks, *rest = fen.split(" ")
    rows = [re.sub(r"\d", lambda digit: "." * int(digit[0]), row) for row in ranks.split("/")]
    images = []
    for turned in (rows, ["".join(column) for column in zip(*rows, strict=True)]):
        for upside in (turned, turned[::-1]):
            for image in (upside, [row[::-1] for row in upside]):
                packed = "/".join(re.sub(r"\.+", lambda dots: str(len(dots[0])), row) for row in image)
                images.append(" ".join([packed, *rest]))
    return images


def expected(comparison: ChessComparison, raw: Raw) -> float:
    """The signed difference, from the base position alone."""
    if comparison.check is ChessCheck.BOARDS:
        values = [raw.q(fen) for fen in orientations(comparison.first.fen)]
        return max(values) - min(values)
    board = chess.Board(comparison.first.fen)
    if comparison.check is ChessCheck.MIRROR:
        return raw.q(board.fen()) - raw.q(board.mirror().fen())
    child = board.copy()
    child.push_uci(comparison.label)
    return raw.q(board.fen()) + raw.q(child.fen())


@pytest.fixture(scope="module")
def forced() -> list[GamePosition]:
    rng = np.random.default_rng(1)
    made = (forced_from(placed, rng) for placed in synthetic_boards(rng))
    return [placed for placed, _ in zip((placed for placed in made if placed), range(NUMBER), strict=False)]


@pytest.mark.engine
@pytest.mark.slow
@pytest.mark.skipif(STOCKFISH is None, reason="stockfish is not installed")
@pytest.mark.parametrize("check", list(ChessCheck))
async def test_differences_by_another_road(check: ChessCheck, forced: list[GamePosition]) -> None:
    positions = forced if check is ChessCheck.FORCED else random_positions(NUMBER + 60)
    name: Any = check.value
    config = ChessConfig((name,), limit=NUMBER)
    pool = open_engine(f"uci:stockfish?nodes={NODES}&hash=1", workers=2)
    try:
        interview: BatchInterview[Position, Evaluation] = BatchInterview(pool, answers=Evaluation)
        checked_positions = await compare_positions(interview, Material(positions), config, each=True)
    finally:
        await pool.close()
    assert len(checked_positions.each) >= NUMBER * 0.9
    with raw_engine() as raw:
        for comparison in checked_positions.each:
            other = expected(comparison, raw)
            assert (comparison.difference if check is ChessCheck.BOARDS else comparison.signed) == pytest.approx(
                other, abs=1e-9
            )
    assert max(comparison.difference for comparison in checked_positions.each) > 0  # there was something to get wrong
