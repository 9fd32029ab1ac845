from dataclasses import replace

import pytest

from tests.consistency.chess.comparisons import AFTER_E4, START, judged, mirror, recommended
from vivavoce.consistency.chess.comparison import ChessCheck, ChessComparison, EvaluatedChessPosition, engine, in_words, sides
from vivavoce.interview.candidate_kinds import Evaluation

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
