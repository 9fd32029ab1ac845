"""Tables 2 and 5 of `vafa2024`, cell by cell, from the pairs with predictions and the graded answers."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from scipy.optimize import linprog

from vivavoce.generalization.alignment.measures import (
    BelievedPairs,
    FitMeasure,
    GradedModel,
    believed_pairs,
    graded_model,
    weighted_accuracy,
    weighted_cross_entropy,
)
from vivavoce.generalization.answers import read_answers
from vivavoce.generalization.pairs import Beliefs, read_pairs

DATA = Path(os.environ.get("VIVA_DATA", "")) / "human_generalization"
data = [
    pytest.mark.data,
    pytest.mark.skipif(not DATA.is_dir(), reason="$VIVA_DATA does not name the research data folder"),
]
ALPHAS = (1, 19, 50, 99)
"""With which the cells come out: thresholds of 50, 95, 98.04 and 99%. Table 2's header has 50, 90, 95 and 99%."""
TABLE_2 = {
    "alpaca-7b": (0.466, 0.397, 0.393, 0.392),
    "llama-2-7b-chat": (0.494, 0.396, 0.390, 0.388),
    "StripedHyena-Nous-7B": (0.495, 0.393, 0.386, 0.384),
    "mistralai/Mistral-7B-Instruct-v0.2": (0.517, 0.393, 0.387, 0.384),
    "llama-2-13b-chat": (0.499, 0.395, 0.388, 0.386),
    "llama-2-70b-chat": (0.512, 0.393, 0.384, 0.381),
    "gpt-3.5-turbo": (0.528, 0.397, 0.386, 0.382),
    "gpt-4": (0.569, 0.408, 0.386, 0.379),
}
TABLE_5 = {
    "alpaca-7b": (0.788, 0.929, 0.936, 0.938),
    "llama-2-7b-chat": (0.733, 0.933, 0.945, 0.950),
    "StripedHyena-Nous-7B": (0.733, 0.942, 0.956, 0.960),
    "mistralai/Mistral-7B-Instruct-v0.2": (0.689, 0.935, 0.954, 0.960),
    "llama-2-13b-chat": (0.725, 0.937, 0.951, 0.956),
    "llama-2-70b-chat": (0.701, 0.945, 0.963, 0.969),
    "gpt-3.5-turbo": (0.668, 0.935, 0.958, 0.965),
    "gpt-4": (0.588, 0.917, 0.962, 0.977),
}
MISPRINT = ("mistralai/Mistral-7B-Instruct-v0.2", 19)
"""The printed .393 is impossible in its row (below); .397 comes out, and Table 5 agrees."""


def weights_behind(
    column: Mapping[str, float], people: BelievedPairs, models: Sequence[GradedModel], *, measure: FitMeasure
) -> tuple[tuple[int, ...], int]:
    """The whole numbers alpha up to 200 with which most cells of a published column come out to three digits, and how many."""
    cells: dict[int, int] = {}
    for alpha in range(1, 201):
        values = [(measure(people, model, alpha).value, column[model.model]) for model in models if model.model in column]
        cells[alpha] = sum(value is not None and abs(value - cell) <= 0.0005 + 1e-9 for value, cell in values)
    most = max(cells.values())
    return tuple(alpha for alpha, number in cells.items() if number == most), most


@pytest.fixture(scope="module")
def published() -> tuple[BelievedPairs, dict[str, GradedModel]]:
    answers = read_answers(DATA / "llm_correct_by_prompt.csv.gz")
    files = ("correct_sample_with_pred.csv", "incorrect_sample_with_pred.csv")
    people = believed_pairs([pair for file in files for pair in read_pairs(DATA / file)], Beliefs())
    return people, {model: graded_model(people, answers.of(model), model) for model in answers.models}


@pytest.mark.parametrize("model", TABLE_2)
class TestTables:
    pytestmark = data

    def test_all_500_pairs_count(self, published: tuple[BelievedPairs, dict[str, GradedModel]], model: str) -> None:
        people, models = published
        assert (len(people.keys), models[model].pairs, models[model].unanswered) == (500, 500, 0)

    def test_table_2(self, published: tuple[BelievedPairs, dict[str, GradedModel]], model: str) -> None:
        people, models = published
        for alpha, cell in zip(ALPHAS, TABLE_2[model], strict=True):
            value = weighted_accuracy(people, models[model], alpha).value
            assert value is not None
            assert f"{value:.3f}" == ("0.397" if (model, alpha) == MISPRINT else f"{cell:.3f}")

    def test_table_5(self, published: tuple[BelievedPairs, dict[str, GradedModel]], model: str) -> None:
        people, models = published
        for alpha, cell in zip(ALPHAS, TABLE_5[model], strict=True):
            value = weighted_cross_entropy(people, models[model], alpha).value
            assert f"{value:.3f}" == f"{cell:.3f}"


@pytest.mark.parametrize("printed", [0.393, 0.397])
def test_the_one_cell_that_does_not_come_out_contradicts_its_own_row(printed: float) -> None:
    # Shares A, B of what is gained on right and on wrong answers, C, D of right and wrong ones: a cell is (A + alpha B) over
    # (C + alpha D), so that each printed cell, to half a digit, is two linear inequalities. Beliefs lie between the averages
    # .551 and .663. Is there any such row with the other three cells, .517, .387 and .384, and this one?
    rows = [[1, 0, -0.663, 0], [-1, 0, 0.551, 0], [0, 1, 0, -0.449], [0, -1, 0, 0.337]]
    for alpha, cell in ((1, 0.517), (50, 0.387), (99, 0.384), (19, printed)):
        low, high = cell - 0.0005, cell + 0.0005
        rows += [[1, alpha, -high, -high * alpha], [-1, -alpha, low, low * alpha]]
    highs = linprog([0, 0, 0, 0], A_ub=rows, b_ub=[0] * len(rows), A_eq=[[0, 0, 1, 1]], b_eq=[1], bounds=[(0, 1)] * 4)
    assert (highs.status == 0) == (printed == 0.397)


class TestWhichAlpha:
    pytestmark = data

    @pytest.mark.parametrize(("column", "alpha"), list(enumerate(ALPHAS)))
    def test_the_thresholds_of_both_tables(
        self, published: tuple[BelievedPairs, dict[str, GradedModel]], column: int, alpha: int
    ) -> None:
        people, models = published
        for table, measure in ((TABLE_2, weighted_accuracy), (TABLE_5, weighted_cross_entropy)):
            alphas, cells = weights_behind(
                {model: row[column] for model, row in table.items()}, people, [*models.values()], measure=measure
            )
            assert alpha in alphas
            assert cells == (7 if table is TABLE_2 and alpha == 19 else 8)
            # alpha 9, which would be a threshold of 90%, is far from any column
            assert 9 not in alphas

    def test_a_true_90_percent(self, published: tuple[BelievedPairs, dict[str, GradedModel]]) -> None:
        people, models = published
        values = [weighted_accuracy(people, models[model], 9).value for model in ("gpt-4", "gpt-3.5-turbo")]
        assert [f"{value:.3f}" for value in values] == ["0.439", "0.415"]
