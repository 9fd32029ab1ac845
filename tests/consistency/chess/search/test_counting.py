import json

import pytest

from tests.consistency.chess.search.engines import Formula, biased, interview
from vivavoce.consistency.chess.comparison import Check, Comparison, EvaluatedPosition
from vivavoce.consistency.chess.search.methods import AssessedBoard
from vivavoce.consistency.chess.search.search_boards import counts, course, examples, finds, search_boards
from vivavoce.consistency.chess.search.search_finding import Count, Point
from vivavoce.consistency.config import SearchConfig
from vivavoce.interview.engine import Evaluation

BOARD = "k7/2q5/2r5/2n5/8/5N2/5R2/5Q1K w - - 0 40"
FLIPPED = "5q1k/5r2/5n2/8/2N5/2R5/2Q5/K7 b - - 3 50"  # the same with colours swapped, turned over, and other counters
COUSIN = "k7/2q5/2r5/8/2n5/5N2/5R2/5Q1K w - - 0 40"  # a knight elsewhere
OTHER = "1k6/2q5/2r5/2n5/8/5N2/5R2/5Q1K w - - 0 40"  # a king elsewhere


def assessed(*boards: tuple[str, float]) -> list[AssessedBoard]:
    """Boards with their differences, two evaluations each."""
    return [AssessedBoard(2 * number, compared(fen, difference)) for number, (fen, difference) in enumerate(boards, 1)]


def compared(fen: str, difference: float) -> Comparison:
    first, second = (EvaluatedPosition(fen, Evaluation(q=q, best_move="a1a2", nodes=1)) for q in (difference, 0.0))
    return Comparison(Check.BOARDS, "test", "rotate 180", first, second, signed=difference)


FOUND = assessed((BOARD, 0.3), (OTHER, 0.05), (FLIPPED, 0.6), (COUSIN, 0.06), (OTHER, 1.2))


def test_counts_are_raw_up_to_symmetry_and_by_family() -> None:
    # > .05: the first, third, fourth and fifth; first and third are one board up to symmetry, the fourth is of their family.
    # > .1 and > .25: the first, third and fifth. > .5: the third and fifth. > .75 and > 1: the fifth.
    three, two, one = Count(3, 2, 2), Count(2, 2, 2), Count(1, 1, 1)
    assert counts(finds(FOUND)) == (Count(4, 3, 2), three, three, two, one, one)


def test_a_difference_of_exactly_the_threshold_is_not_above_it() -> None:
    # In binary .65 - .6 is a little more than .05.
    assert 0.65 - 0.6 > 0.05
    assert finds(assessed((BOARD, 0.65 - 0.6), (BOARD, -0.65 + 0.6))) == []


def test_the_course_grows_by_distinct_finds() -> None:
    at = (0, 1, 2, 6, 9, 10, 12)
    assert course(FOUND, finds(FOUND), 0.25, at) == (
        Point(0, 0.0, 0),
        Point(1, 0.0, 0),
        Point(2, 0.3, 1),
        Point(6, 0.6, 1),
        Point(9, 0.6, 1),
        Point(10, 1.2, 2),
        Point(12, 1.2, 2),
    )


def test_examples_are_the_largest_of_each_family() -> None:
    shown = examples((step.comparison for step in FOUND), 0.25)
    assert [(example.first.fen, example.difference) for example in shown] == [(OTHER, 1.2), (FLIPPED, 0.6)]
    assert examples((step.comparison for step in FOUND), 1.2) == ()


async def test_the_finding_as_json_holds_what_it_says() -> None:
    config = SearchConfig(evaluations=160, seed=3, seeds=2, threshold=0.1)
    found = await search_boards(interview(Formula(biased)), config)
    values = json.loads(json.dumps(found.as_json(), allow_nan=False))
    assert [entry["method"] for entry in values["figures"]["methods"]] == ["random", "genetic", "archive"]
    for entry in values["figures"]["methods"]:
        runs = [run for run in values["figures"]["runs"] if run["method"] == entry["method"]]
        assert [run["seed"] for run in runs] == [3, 4]
        for place, row in enumerate(entry["found"]):
            for what in ("raw", "distinct", "families"):
                numbers = [run["counts"][place][what] for run in runs]
                assert row[what] == {"least": min(numbers), "mean": pytest.approx(sum(numbers) / 2), "most": max(numbers)}
    for run in values["figures"]["runs"]:
        assert run["course"][-1] == [160, run["largest"], run["counts"][1]["distinct"]]
        assert all(count["raw"] >= count["distinct"] >= count["families"] for count in run["counts"])
    assert values["figures"]["largest"] == max(run["largest"] for run in values["figures"]["runs"])
    assert values["figures"]["examples"][0]["difference"] == pytest.approx(values["figures"]["largest"])
    assert f"up to {values['figures']['largest']:.2f}" in values["statement"]
    assert "seed 3" in values["signature"]
    assert '"population": 20' in values["signature"]
