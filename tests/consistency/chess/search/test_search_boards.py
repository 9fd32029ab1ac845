"""The search: its methods, its budget, its counts and its finding."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import chess
import numpy as np
import pytest

from tests.consistency.chess.search.engines import Formula, biased, interview, king_distance, perfect
from tests.consistency.chess.search.strategies import board_of, images
from tests.each_case import each_case
from vivavoce.candidates.uci.pool import open_engine
from vivavoce.consistency.chess.comparison import ChessCheck, ChessComparison, EvaluatedChessPosition
from vivavoce.consistency.chess.positions import SYMMETRIES, synthetic_boards
from vivavoce.consistency.chess.search.boards import BoardGenerator
from vivavoce.consistency.chess.search.search_boards import (
    KINDS,
    AssessedBoard,
    Assessor,
    Evolution,
    counts,
    course,
    examples,
    finds,
    genetic_search,
    kind,
    open_archive,
    search_boards,
    tournament_winners,
)
from vivavoce.consistency.chess.search.search_finding import ChessSearch, Count, SearchPoint, spread_of
from vivavoce.consistency.config import SEARCH_METHODS, THRESHOLDS, SearchConfig, SearchMethod
from vivavoce.errors import BadInput, CandidateUnreachable
from vivavoce.interview.candidate import NoAnswer
from vivavoce.interview.candidate_kinds import Evaluation, Position
from vivavoce.interview.transcript import Transcript
from vivavoce.interview.vendor_batches import BatchInterview

BOARD = "k7/2q5/2r5/2n5/8/5N2/5R2/5Q1K w - - 0 40"
FLIPPED = "5q1k/5r2/5n2/8/2N5/2R5/2Q5/K7 b - - 3 50"  # the same with colours swapped, turned over, and other counters
COUSIN = "k7/2q5/2r5/8/2n5/5N2/5R2/5Q1K w - - 0 40"  # a knight elsewhere
OTHER = "1k6/2q5/2r5/2n5/8/5N2/5R2/5Q1K w - - 0 40"  # a king elsewhere


def assessed(*boards: tuple[str, float]) -> list[AssessedBoard]:
    """Boards with their differences, two evaluations each."""
    return [AssessedBoard(2 * number, compared(fen, difference)) for number, (fen, difference) in enumerate(boards, 1)]


def compared(fen: str, difference: float) -> ChessComparison:
    first, second = (EvaluatedChessPosition(fen, Evaluation(q=q, best_move="a1a2", nodes=1)) for q in (difference, 0.0))
    return ChessComparison(ChessCheck.BOARDS, "test", "rotate 180", first, second, signed=difference)


FOUND = assessed((BOARD, 0.3), (OTHER, 0.05), (FLIPPED, 0.6), (COUSIN, 0.06), (OTHER, 1.2))


def test_counts_are_raw_up_to_symmetry_and_by_family() -> None:
    # > .05: the first, third, fourth and fifth; first and third are one board up to symmetry, the fourth is of their family.
    # > .1 and > .25: the first, third and fifth. > .5: the third and fifth. > .75 and > 1: the fifth.
    numbers = [(4, 3, 2), (3, 2, 2), (3, 2, 2), (2, 2, 2), (1, 1, 1), (1, 1, 1)]
    assert counts(finds(FOUND)) == tuple(Count(limit, *three) for limit, three in zip(THRESHOLDS, numbers, strict=True))


def test_a_difference_of_exactly_the_threshold_is_not_above_it() -> None:
    # In binary .65 - .6 is a little more than .05.
    assert 0.65 - 0.6 > 0.05
    assert finds(assessed((BOARD, 0.65 - 0.6), (BOARD, -0.65 + 0.6))) == []


def test_the_course_grows_by_distinct_finds() -> None:
    at = (0, 1, 2, 6, 9, 10, 12)
    assert course(FOUND, finds(FOUND), 0.25, at) == (
        SearchPoint(0, 0.0, 0),
        SearchPoint(1, 0.0, 0),
        SearchPoint(2, 0.3, 1),
        SearchPoint(6, 0.6, 1),
        SearchPoint(9, 0.6, 1),
        SearchPoint(10, 1.2, 2),
        SearchPoint(12, 1.2, 2),
    )


def test_examples_are_the_largest_of_each_family() -> None:
    shown = examples((step.comparison for step in FOUND), 0.25)
    assert [(example.first.fen, example.difference) for example in shown] == [(OTHER, 1.2), (FLIPPED, 0.6)]
    assert examples((step.comparison for step in FOUND), 1.2) == ()


async def test_the_finding_as_json_holds_what_it_says() -> None:
    config = SearchConfig(evaluations=160, seed=3, seeds=2, threshold=0.1)
    search = await search_boards(interview(Formula(biased)), config)
    values = json.loads(json.dumps(search.as_json(), allow_nan=False))
    assert [entry["method"] for entry in values["figures"]["methods"]] == ["random", "genetic", "archive"]
    for entry in values["figures"]["methods"]:
        runs = [run for run in values["figures"]["runs"] if run["method"] == entry["method"]]
        assert [run["seed"] for run in runs] == [3, 4]
        for index, row in enumerate(entry["found"]):
            for what in ("raw", "distinct", "families"):
                numbers = [run["counts"][index][what] for run in runs]
                assert row[what] == {"least": min(numbers), "mean": pytest.approx(sum(numbers) / 2), "most": max(numbers)}
    for run in values["figures"]["runs"]:
        assert run["course"][-1] == [160, run["largest"], run["counts"][1]["distinct"]]
        assert all(count["raw"] >= count["distinct"] >= count["families"] for count in run["counts"])
    assert values["figures"]["largest"] == max(run["largest"] for run in values["figures"]["runs"])
    assert values["figures"]["examples"][0]["difference"] == pytest.approx(values["figures"]["largest"])
    assert f"up to {values['figures']['largest']:.2f}" in values["statement"]
    assert "seed 3" in values["signature"]
    assert '"population": 20' in values["signature"]


BUDGET = 300
CONFIG = SearchConfig(evaluations=BUDGET, seeds=1, threshold=0.1)
SMALL = SearchConfig(evaluations=100)


async def searched(engine: Formula, config: SearchConfig = CONFIG) -> ChessSearch:
    return await search_boards(interview(engine), config)


@pytest.mark.parametrize("method", SEARCH_METHODS)
@pytest.mark.parametrize("half_turn_only", [True, False])
async def test_no_method_asks_more_than_its_budget(method: SearchMethod, half_turn_only: bool) -> None:
    engine = Formula(biased)
    config = replace(CONFIG, method=method, orientations="half-turn" if half_turn_only else "all")
    (run,) = (await searched(engine, config)).runs
    assert len(engine.asked) == len(set(engine.asked)) == run.evaluations
    cost = 2 if half_turn_only else 8
    assert BUDGET - cost < run.evaluations <= BUDGET
    assert run.boards == run.evaluations // cost


@pytest.mark.slow
async def test_evolution_finds_more_than_chance_where_there_is_a_bias_to_find() -> None:
    search = await searched(Formula(biased), SearchConfig(evaluations=1_000, seeds=2))
    raw = {method: [run.counts[THRESHOLDS.index(0.25)].raw for run in search.of(method)] for method in SEARCH_METHODS}
    assert all(bred > drawn for bred, drawn in zip(raw["genetic"], raw["random"], strict=True)), raw
    assert spread_of(search.runs, "archive", "raw", 0.1).least > spread_of(search.runs, "random", "raw", 0.1).most


async def test_a_perfect_engine_has_no_violation_and_the_finding_says_so() -> None:
    search = await searched(Formula(perfect))
    assert [count.raw for run in search.runs for count in run.counts] == [0] * 18
    assert search.largest == 0
    assert search.examples == ()
    assert search.statement.startswith("No search found a board")
    assert any("may miss contradictions" in caveat for caveat in search.caveats)


@pytest.mark.long
async def test_equal_seeds_give_equal_findings_and_others_do_not() -> None:
    first, second, other = [await searched(Formula(biased), replace(CONFIG, seed=seed)) for seed in (5, 5, 6)]
    assert first.as_json() == second.as_json()
    assert first.runs[0].counts != other.runs[0].counts


async def test_a_method_does_the_same_alone_and_beside_others() -> None:
    together, alone = [await searched(Formula(biased), config) for config in (CONFIG, replace(CONFIG, method="archive"))]
    assert together.of("archive") == alone.runs


async def test_a_resumed_search_asks_nothing_again_and_finds_the_same(tmp_path: Path) -> None:
    engines = Formula(biased), Formula(biased)
    searches = []
    for engine in engines:
        with Transcript.open(str(tmp_path / "run.sqlite")) as transcript:
            asking = BatchInterview(engine, answers=Evaluation, transcript=transcript)
            searches.append(await search_boards(asking, replace(SMALL, seeds=1)))
    assert searches[0] == searches[1]
    assert len(engines[0].asked) <= 3 * 100
    assert engines[1].asked == []


@pytest.mark.long
async def test_a_search_that_broke_off_asks_only_for_what_is_missing(tmp_path: Path) -> None:
    class Breaks(Formula):
        async def answer_all(self, questions: Sequence[Position], /) -> list[Evaluation | NoAnswer]:
            if len(self.asked) > 150:
                raise CandidateUnreachable("gone")
            return await super().answer_all(questions)

    first, second, whole = Breaks(biased), Formula(biased), Formula(biased)
    with Transcript.open(str(tmp_path / "run.sqlite")) as transcript:
        with pytest.raises(CandidateUnreachable):
            await search_boards(BatchInterview(first, answers=Evaluation, transcript=transcript), SMALL)
        resumed = BatchInterview(second, answers=Evaluation, transcript=transcript)
        assert await search_boards(resumed, SMALL) == await searched(whole, SMALL)
    assert first.asked
    assert not set(first.asked) & set(second.asked)
    assert set(first.asked) | set(second.asked) == set(whole.asked)


async def test_missing_evaluations_are_counted_and_cost_what_they_cost() -> None:
    def dies_on_black(board: chess.Board) -> float | None:
        return None if king_distance(board) == 7 else biased(board)

    search = await searched(Formula(dies_on_black))
    for run in search.runs:
        assert run.no_answers > 0
        assert 2 * (run.boards + run.no_answers) == run.evaluations
    absent = sum(run.no_answers for run in search.runs)
    assert any(f"{absent} boards were left out" in caveat for caveat in search.caveats)


async def test_an_engine_that_never_answers_ends_the_search() -> None:
    search = await searched(Formula(lambda board: None))
    assert [run.evaluations for run in search.runs] == [BUDGET] * 3
    assert search.largest is None
    assert "no board could be compared" in search.statement


async def test_what_is_asked_again_costs_nothing() -> None:
    engine, board = Formula(biased), board_of(1)
    assessor = Assessor(interview(engine), SearchConfig(evaluations=4), origin="test")
    turned, other, third = SYMMETRIES["rotate 180"](board), board_of(2), board_of(3)
    first, second, third_time, unpaid = await assessor.differences([board, turned, other, third])
    assert first == second == abs(biased(board) - biased(turned))
    assert third_time == abs(biased(other) - biased(SYMMETRIES["rotate 180"](other)))
    assert unpaid is None
    assert (assessor.spent, len(engine.asked), len(assessor.assessed)) == (4, 4, 2)
    assert await assessor.differences([turned]) == [first]


@pytest.mark.parametrize(("size", "workers", "sizes"), [(4, 1, [4, 4, 2]), (4, 5, [2] * 5), (64, 3, [4, 4, 2])])
async def test_what_is_asked_together_fits_a_worker_and_keeps_all_at_work(size: int, workers: int, sizes: list[int]) -> None:
    taken: list[int] = []

    class WorkerCount(Formula):
        async def answer_all(self, questions: Sequence[Position], /) -> list[Evaluation | NoAnswer]:
            taken.append(len(questions))
            return await super().answer_all(questions)

    engine = WorkerCount(biased)
    engine.size, engine.concurrency = size, workers
    await Assessor(interview(engine), SearchConfig(evaluations=10), origin="test").differences([board_of(n) for n in range(5)])
    assert sorted(taken, reverse=True) == sizes


async def test_all_orientations_are_as_far_apart_as_the_two_that_differ_most() -> None:
    board = board_of(7)
    assessor = Assessor(interview(Formula(biased)), SearchConfig(evaluations=8, orientations="all"), origin="test")
    (difference,) = await assessor.differences([board])
    values = [biased(turned(board)) for turned in SYMMETRIES.values()]
    assert difference == pytest.approx(max(values) - min(values))


def test_every_board_can_win_a_tournament_but_the_fittest_wins_most() -> None:
    # Among n = 20 boards a contest of k = 2 is won by the fittest if it takes part: with probability k / n = 1/10, and by the
    # least fit never. 5,000 contests: 500 +- 5 standard deviations of 21.
    boards = [board_of(seed) for seed in range(20)]
    winners = tournament_winners(boards, list(range(20)), 5_000, np.random.default_rng(0), share=0.1)
    wins = [sum(winner is board for winner in winners) for board in boards]
    assert 394 <= wins[19] <= 606
    assert wins[0] == 0
    assert all(wins[1:])


async def test_a_population_is_left_for_a_fresh_one() -> None:
    # Patience 1 with a constant fitness: the second generation is no fitter than the first, so every other one is fresh. Of
    # 150 boards in generations of 15 about half are then drawn from the random stream, which random search takes from too.
    fresh, bred = Formula(perfect), Formula(perfect)
    await searched(fresh, replace(CONFIG, method="random"))
    boards, variations, tournaments = np.random.default_rng(CONFIG.seed).spawn(3)
    variation = BoardGenerator((chess.Board(placed.fen) for placed in synthetic_boards(boards)), variations)
    assessor = Assessor(interview(bred), CONFIG, origin="test")
    await genetic_search(assessor, variation, tournaments, Evolution(population=15, patience=1))
    assert 60 <= len(set(fresh.asked) & set(bred.asked)) / 2 <= 90


def test_the_archive_keeps_the_fittest_of_each_kind() -> None:
    boards = [board_of(seed) for seed in range(400)]
    values = np.random.default_rng(0).random(400)
    archive = open_archive(seed=0)
    archive.add(np.array([board.fen() for board in boards], dtype=np.object_), values, np.array([kind(b) for b in boards]))
    best: dict[tuple[int, int, int], float] = {}
    for board, value in zip(boards, values, strict=True):
        best[kind(board)] = max(best.get(kind(board), 0), value)
    assert archive.stats.num_elites == len(best)
    assert archive.data("objective").sum() == pytest.approx(sum(best.values()))
    assert archive.cells == np.prod(KINDS)


def test_a_kind_does_not_depend_on_how_the_board_is_turned() -> None:
    for seed in range(20):
        assert len({kind(image) for image in images(board_of(seed))}) == 1


@each_case(
    ("wrong", "message"),
    [
        ({"evaluations": 1}, "evaluations is 1: give a whole number from 2 to"),
        ({"evaluations": 7, "orientations": "all"}, "evaluations is 7: one board with all its orientations takes 8"),
        ({"threshold": 0.3}, "threshold is 0.3: give one of 0.05, 0.1, 0.25, 0.5, 0.75, 1$"),
        ({"threshold": float("nan")}, "threshold is nan: give one of"),
        ({"seeds": 0}, "seeds is 0"),
        ({"method": "chance"}, "there is no method 'chance'"),
    ],
)
def test_bad_input_is_refused_with_value_and_remedy(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        SearchConfig(**wrong)


STOCKFISH = shutil.which("stockfish") or shutil.which("stockfish", path="/usr/games")


@pytest.mark.engine
@pytest.mark.skipif(STOCKFISH is None, reason="stockfish is not installed")
@pytest.mark.long
async def test_stockfish_contradicts_itself_the_same_way_with_one_worker_and_two() -> None:
    searches = []
    for workers in (1, 2):
        engine = open_engine(f"uci:{STOCKFISH}?nodes=200&hash=1", workers=workers)
        try:
            interview: BatchInterview[Position, Evaluation] = BatchInterview(engine, answers=Evaluation)
            searches.append(await search_boards(interview, SearchConfig(evaluations=160, seeds=1)))
        finally:
            await engine.close()
    assert searches[0] == searches[1]
    # At 1,000 nodes about one random board in eight differs by more than .25 under a half turn, at 200 nodes more.
    assert all(run.counts[2].raw > 5 for run in searches[0].runs)
    assert [run.no_answers for run in searches[0].runs] == [0, 0, 0]
