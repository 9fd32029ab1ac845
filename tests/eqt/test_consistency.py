"""The answer consistency score: cases by hand, the paper's table, what must not matter."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.papers.eqt_table1 import AVERAGES, MODELS, cells
from vivavoce.eqt.score import acs, acs_rescaled
from vivavoce.interview.forms.several_options import Choice

CHOICES = st.lists(st.one_of(st.none(), st.frozensets(st.integers(0, 5))), min_size=1, max_size=12)
A, B, C, D = (frozenset([index]) for index in range(4))

# By hand: answers, distinct ones, 1 - (distinct - 1) / n, 1 - (distinct - 1) / (n - 1).
CASES: list[tuple[list[Choice | None], float, float]] = [
    ([A, A, A, A], 1.0, 1.0),
    ([A, A, A, B], 1 - 1 / 4, 1 - 1 / 3),
    ([A, A, B, B], 1 - 1 / 4, 1 - 1 / 3),
    ([A, B, C, C], 1 - 2 / 4, 1 - 2 / 3),
    ([A, B, C, D], 1 / 4, 0.0),
    ([A | C, C | A, A], 1 - 1 / 3, 1 - 1 / 2),
    ([None, None, None], 1.0, 1.0),  # always unreadable is one value
    ([A, None, None], 1 - 1 / 3, 1 - 1 / 2),
    ([A, B], 1 / 2, 0.0),
    ([frozenset(), None], 1 / 2, 0.0),  # "none of them" is an answer
]


@pytest.mark.parametrize(("answers", "printed", "rescaled"), CASES)
def test_hand_cases(answers: list[Choice | None], printed: float, rescaled: float) -> None:
    assert acs(answers) == pytest.approx(printed)
    assert acs_rescaled(answers) == pytest.approx(rescaled)


@pytest.mark.parametrize("n", range(2, 12))
def test_the_floor_as_printed_is_one_over_n_and_not_0_as_the_paper_says(n: int) -> None:
    answers = [frozenset([index]) for index in range(n)]
    assert acs(answers) == pytest.approx(1 / n)
    assert acs_rescaled(answers) == 0


def test_one_answer_cannot_differ_and_none_has_no_score() -> None:
    assert (acs([A]), acs_rescaled([A])) == (1, None)
    assert (acs([]), acs_rescaled([])) == (None, None)


@pytest.mark.parametrize(("model", "average"), list(zip(MODELS, AVERAGES, strict=True)))
def test_the_papers_averages_follow_from_its_cells(model: str, average: float) -> None:
    column = [scores[MODELS.index(model)] for scores in cells().values()]
    assert len(column) == 14
    assert round(sum(column) / 14, 2) == average


@given(CHOICES, st.randoms())
def test_the_order_of_answers_does_not_matter(answers: list[Choice | None], random: object) -> None:
    shuffled = list(answers)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert acs(shuffled) == acs(answers)
    assert acs_rescaled(shuffled) == acs_rescaled(answers)


@given(CHOICES, st.permutations(range(6)))
def test_the_order_of_options_does_not_matter(answers: list[Choice | None], order: list[int]) -> None:
    moved = [None if answer is None else frozenset(order[index] for index in answer) for answer in answers]
    assert acs(moved) == acs(answers)
    assert acs_rescaled(moved) == acs_rescaled(answers)


@given(CHOICES)
def test_both_lie_within_their_bounds_and_agree_on_what_is_perfect(answers: list[Choice | None]) -> None:
    printed, rescaled = acs(answers), acs_rescaled(answers)
    assert printed is not None
    assert 1 / len(answers) - 1e-12 <= printed <= 1
    if rescaled is not None:
        assert 0 <= rescaled <= printed
        assert (rescaled == 1) == (printed == 1) == (len(set(answers)) == 1)
