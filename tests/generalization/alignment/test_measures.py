"""How well beliefs fit a model: by hand, and the tables of vafa2024 cell by cell."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import astuple
from pathlib import Path

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.generalization.alignment.aligned import pair, seen
from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.generalization.alignment.measures import (
    NEAREST,
    BelievedPairs,
    FitMeasure,
    GradedModel,
    alpha_of,
    averages,
    believed_pairs,
    common_pairs,
    cost_per_question,
    estimate_beliefs,
    graded_model,
    narrowed,
    right_share,
    weighted_accuracy,
    weighted_cross_entropy,
)
from vivavoce.generalization.pairs import BeliefPair, Beliefs, read_answers, read_pairs

TWO = [pair("a", "b", True, posterior=0.8), pair("a", "c", True, posterior=0.6)]


def test_two_pairs_by_hand() -> None:
    people, model = seen(TWO, {"a": True, "b": True, "c": False})
    # right with belief .8, wrong with belief .6: at alpha 1, (.8 + .4) / 2; at alpha 3, (.8 + 3 * .4) / (1 + 3)
    assert weighted_accuracy(people, model, 1).value == pytest.approx(0.6)
    assert weighted_accuracy(people, model, 3).value == pytest.approx(0.5)
    # -ln .8 - 3 ln .4, over 4
    assert weighted_cross_entropy(people, model, 3).value == pytest.approx((-math.log(0.8) - 3 * math.log(0.4)) / 4)
    # the right answer is distrusted by .2, the wrong one trusted by .6: (.2 / 4 + 3/4 * .6) / 2
    assert cost_per_question(people, model, 3).value == pytest.approx(0.25)
    assert right_share(people, model).value == 0.5
    assert (model.pairs, model.unanswered, model.unseen) == (2, 0, 0)


def test_the_row_is_the_one_after_what_the_model_really_did() -> None:
    both = [pair("a", "b", True, posterior=0.9), pair("a", "b", False, posterior=0.2)]
    for first, belief in ((True, 0.9), (False, 0.2)):
        people, model = seen(both, {"a": first, "b": True})
        assert weighted_accuracy(people, model, 1).value == pytest.approx(belief)
        assert (model.pairs, len(people.keys)) == (1, 1)
    people, model = seen(both[:1], {"a": False, "b": True})  # nobody was asked after a wrong answer
    assert weighted_accuracy(people, model, 1).value is None
    assert (model.pairs, model.unanswered, model.unseen) == (0, 0, 1)


def test_pairs_without_an_answer_are_counted_not_guessed() -> None:
    people, model = seen(TWO, {"a": True, "b": True})
    assert (model.pairs, model.unanswered, model.unseen) == (1, 1, 0)
    assert weighted_accuracy(people, model, 99).value == pytest.approx(0.8)
    assert model.shown.tolist() == [True, True]  # what it did with the first is known for both


def test_weights_count_pairs_so_many_times() -> None:
    heavy = [pair("a", "b", True, posterior=0.8, weight=3.0), TWO[1]]
    people, model = seen(heavy, {"a": True, "b": True, "c": False})
    assert weighted_accuracy(people, model, 1).value == pytest.approx((3 * 0.8 + 0.4) / 4)


def test_where_beliefs_come_from() -> None:
    rows = [
        pair("a", "b", True, posterior=0.9, pred=0.1),
        pair("a", "c", True, pred=0.5),
        pair("a", "d", False, belief_change=True),
        pair("a", "e", False, belief_change=False),
        pair("a", "f", False),
    ]
    people = believed_pairs(rows, Beliefs(0.5, 0.7, 0.2))
    # said; half way from .5 to .7; changed to .2; unchanged
    assert people.beliefs.tolist() == pytest.approx([0.9, 0.6, 0.2, 0.5])
    assert people.without == 1
    assert {str(source): number for source, number in people.sources.items()} == {
        "said by people": 1,
        "from a predicted change": 1,
        "from an observed change": 2,
    }
    with pytest.raises(NotEnoughEvidence, match="posterior, pred or belief_change"):
        believed_pairs(rows[-1:], Beliefs())


def test_a_sure_mistake_does_not_make_the_cross_entropy_infinite() -> None:
    people, model = seen([pair("a", "b", True, posterior=1.0)], {"a": True, "b": False})
    assert weighted_cross_entropy(people, model, 1).value == pytest.approx(-math.log(NEAREST))


@each_case("threshold", [0.0, 1.0, -1.0, math.nan])
def test_thresholds_lie_between_0_and_1(threshold: float) -> None:
    with pytest.raises(BadInput, match="strictly between"):
        alpha_of(threshold)


def test_two_models_are_compared_where_both_have_an_answer() -> None:
    people = believed_pairs(TWO, Beliefs())
    model, other = (
        graded_model(people, {"a": True, "b": True, "c": False}, "one"),
        graded_model(people, {"a": True, "c": True}, "other"),
    )
    shared = common_pairs(people, model, other)
    assert shared.tolist() == [False, True]
    assert right_share(people, narrowed(people, model, shared)).value == 0.0
    assert right_share(people, narrowed(people, other, shared)).value == 1.0


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[BeliefPair], dict[str, bool | None], float]:
    n = draw(st.integers(1, 12))
    chance = st.floats(0, 1, allow_nan=False)
    rows = [
        pair(f"q{draw(st.integers(0, 5))}", f"r{draw(st.integers(0, 5))}", draw(st.booleans()), posterior=draw(chance),
             weight=draw(st.floats(0.1, 10)))
        for _ in range(n)
    ]  # fmt: skip
    grades = {name: draw(st.sampled_from([True, False, None])) for row in rows for name in (row.q1, row.q2)}
    return rows, grades, draw(st.floats(0.01, 200))


@given(cases(), st.randoms())
def test_accuracy_is_between_0_and_1_and_order_does_not_matter(
    case: tuple[list[BeliefPair], dict[str, bool | None], float], shuffler: object
) -> None:
    rows, grades, alpha = case
    people, model = seen(rows, grades)
    shuffled = list(rows)
    shuffler.shuffle(shuffled)  # type: ignore[attr-defined]
    again, model_again = seen(shuffled, grades)
    for measure in (weighted_accuracy, weighted_cross_entropy, cost_per_question):
        value, other = measure(people, model, alpha).value, measure(again, model_again, alpha).value
        assert (value is None) == (other is None) == (not model.used.any())
        if value is not None:
            assert value == pytest.approx(other)
            assert value >= 0
            assert measure is weighted_cross_entropy or value <= 1 + 1e-12
    assert model.pairs + model.unanswered + model.unseen == len(people.keys)


@given(cases())
def test_beliefs_that_are_always_right_fit_perfectly(case: tuple[list[BeliefPair], dict[str, bool | None], float]) -> None:
    rows, grades, alpha = case
    sure = [
        BeliefPair(row.q1, row.q2, "t", "t", row.previous_correct, posterior=float(grades[row.q2] is True), weight=row.weight)
        for row in rows
    ]
    people, model = seen(sure, grades)
    if model.used.any():
        assert weighted_accuracy(people, model, alpha).value == pytest.approx(1)
        assert cost_per_question(people, model, alpha).value == pytest.approx(0)


def raw(n: int, rng: np.random.Generator) -> list[BeliefPair]:
    """People of whom half change, to .8 after right and .3 after wrong answers, from .5."""
    pairs = []
    for number in range(n):
        after, moved = bool(rng.random() < 0.5), bool(rng.random() < 0.5)
        to = (0.8 if after else 0.3) if moved else 0.5
        pairs.append(pair(f"a{number}", f"b{number}", after, prior=0.5, posterior=to, belief_change=moved))
    return pairs


def test_average_beliefs_of_a_survey() -> None:
    pairs = raw(1_500, np.random.default_rng(5))
    every = estimate_beliefs(pairs, rng=np.random.default_rng(0))
    # half stay at .5: means of .5 and .8, and of .5 and .3
    for estimate, truth in ((every.prior, 0.5), (every.after_right, 0.65), (every.after_wrong, 0.4)):
        assert estimate.value == pytest.approx(truth, abs=0.02)
        assert truth in estimate.interval
    changed = estimate_beliefs(pairs, rng=np.random.default_rng(0), among="changed").or_else(Beliefs())
    assert (changed.prior, changed.after_right, changed.after_wrong) == pytest.approx((0.5, 0.8, 0.3))
    # with these a mixture at the observed rate of change has the observed mean posterior; over all it moves half as far
    assert changed.after(0.5, True) == pytest.approx(0.65)
    assert every.or_else(Beliefs()).after(0.5, True) == pytest.approx(0.575, abs=0.02)


def test_what_a_survey_does_not_tell_is_taken_from_elsewhere() -> None:
    pairs = [pair("a", f"b{n}", True, prior=0.4, posterior=0.6) for n in range(3)]
    estimated_beliefs = estimate_beliefs(pairs, rng=np.random.default_rng(0))
    assert (estimated_beliefs.after_wrong.value, estimated_beliefs.after_wrong.n) == (None, 0)
    assert astuple(estimated_beliefs.or_else(Beliefs())) == pytest.approx((0.4, 0.6, 0.551))
    beliefs, estimated = averages(pairs, {"after_right": 0.9}, rng=np.random.default_rng(0))
    assert astuple(beliefs) == pytest.approx((0.4, 0.9, 0.551))
    assert estimated is not None
    with pytest.raises(BadInput, match="from 0 to 1"):
        averages([], {"prior": 2.0}, rng=np.random.default_rng(0))


DATA = Path(os.environ.get("VIVA_DATA", "")) / "human_generalization"
data = [pytest.mark.data, pytest.mark.skipif(not DATA.is_dir(), reason="$VIVA_DATA does not name the research data folder")]
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
    highs = scipy.optimize.linprog(
        [0, 0, 0, 0], A_ub=rows, b_ub=[0] * len(rows), A_eq=[[0, 0, 1, 1]], b_eq=[1], bounds=[(0, 1)] * 4
    )
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
