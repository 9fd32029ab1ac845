import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.errors import BadInput
from vivavoce.relations import changed, raised, replaced
from vivavoce.studies.rules.related import with_value


@given(rows=st.lists(st.fixed_dictionaries({"a": st.integers(-9, 9), "b": st.integers(0, 3)}), min_size=1, max_size=12))
def test_one_feature_differs_and_rows_stay_as_they_were(rows: list[dict[str, int]]) -> None:
    before = [dict(row) for row in rows]
    for number, pair in enumerate(raised(rows, "a", by=2), start=1):
        row, other = pair.inputs
        assert row is rows[number - 1]
        assert other == {**row, "a": row["a"] + 2}
        assert pair.base == (f"row {number}",)
    assert rows == before


@given(colours=st.lists(st.sampled_from("rgb"), min_size=2, max_size=12), seed=st.integers(0, 9))
def test_the_other_value_is_one_of_another_row(colours: list[str], seed: int) -> None:
    rows = [(colour, 1) for colour in colours]
    if len(set(colours)) == 1:
        with pytest.raises(BadInput, match="in every row"):
            list(replaced(rows, 0, rng=np.random.default_rng(seed)))
        return
    pairs = list(replaced(rows, 0, rng=np.random.default_rng(seed)))
    assert [pair.inputs[0] for pair in pairs] == rows
    assert all(pair.inputs[1][0] in set(colours) - {pair.inputs[0][0]} for pair in pairs)
    assert all(isinstance(pair.inputs[1], tuple) for pair in pairs)


def test_a_value_that_is_rare_is_found_after_many_draws() -> None:
    rows = [[0]] * 1_500 + [[1]]
    assert all(pair.inputs[0] != pair.inputs[1] for pair in replaced(rows, 0, rng=np.random.default_rng(0)))


def test_arrays_keep_their_kind_and_whole_numbers_may_become_fractions() -> None:
    table = np.array([[1, 2], [3, 4]])
    (first, second) = raised(table, 1, by=0.5)
    assert first.inputs[1].tolist() == [1, 2.5]
    assert second.inputs[1].tolist() == [3, 4.5]
    assert table.tolist() == [[1, 2], [3, 4]]
    assert with_value([1, 2], 0, 7) == [7, 2]


def test_a_function_may_alter_what_it_is_given_or_leave_a_row_out() -> None:
    rows = [{"tags": ["a"]}, {"tags": []}]

    def tagged(row: dict[str, list[str]]) -> dict[str, list[str]] | None:
        if not row["tags"]:
            return None
        row["tags"].append("b")
        return row

    assert [pair.inputs for pair in changed(rows, tagged)] == [({"tags": ["a"]}, {"tags": ["a", "b"]})]
    assert rows == [{"tags": ["a"]}, {"tags": []}]


def test_a_feature_that_is_not_there_or_no_number_is_refused() -> None:
    with pytest.raises(BadInput, match="row 2 has no 'age'"):
        list(raised([{"age": 1}, {}], "age", by=1))
    with pytest.raises(BadInput, match="row 1 has no '5'"):
        list(raised([[1, 2]], 5, by=1))
    with pytest.raises(BadInput, match="cannot be raised"):
        list(raised([{"age": "old"}], "age", by=1))
