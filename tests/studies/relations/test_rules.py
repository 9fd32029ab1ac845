"""Rules, related inputs, tables of them, and changes in words."""

import gzip
import json
import math
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.errors import BadFile, BadInput
from vivavoce.relations import (
    Rule,
    at_least,
    at_most,
    changed,
    decreasing,
    equal,
    increasing,
    invariant,
    raised,
    read_table,
    replaced,
)
from vivavoce.studies.rules.judging import change_in_words
from vivavoce.studies.rules.rules import with_value

outputs = st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=8)


@given(values=outputs)
def test_gaps_are_the_largest_over_all_pairs(values: list[float]) -> None:
    pairs = list(combinations(values, 2))
    assert invariant().distance(values) == max(abs(value - other) for value, other in pairs)
    assert increasing().distance(values) == max(before - after for before, after in pairs)
    assert decreasing().distance(values) == pytest.approx(max(after - before for before, after in pairs))
    assert at_least().distance(values) == max(other - values[0] for other in values[1:])
    assert at_most().distance(values) == max(values[0] - other for other in values[1:])


@given(values=outputs)
def test_increasing_is_decreasing_backwards(values: list[float]) -> None:
    assert increasing().violation(values) == pytest.approx(decreasing().violation(values[::-1]))
    assert (increasing(0).violation(values) == 0) == (values == sorted(values))


@given(value=st.floats(-1e6, 1e6), times=st.integers(1, 5))
def test_a_constant_breaks_no_ready_made_rule(value: float, times: int) -> None:
    for rule in (invariant(), increasing(), decreasing(), at_least(), at_most(), equal()):
        assert rule.violation([value] * times) == 0


def test_what_is_within_the_tolerance_is_no_violation_and_what_is_beyond_counts_in_full() -> None:
    assert invariant(0.25).violation([0.5, 0.75]) == 0
    assert invariant(0.25).violation([0.5, 0.875]) == 0.375
    assert increasing().violation([0.1 + 0.2, 0.3]) == 0  # 5.6e-17 too much


def test_labels_are_the_same_or_not() -> None:
    assert equal().violation(["bail", "bail", "bail"]) == 0
    assert equal().violation(["bail", "bail", "no bail"]) == 1


def test_a_rule_that_fails_is_the_fault_of_its_writer() -> None:
    with pytest.raises(BadInput, match=r"'odd' cannot be applied to outputs \(IndexError"):
        Rule("odd", gap=lambda y: y[7]).violation([1.0])
    with pytest.raises(BadInput, match="'odd' gives nan, not a finite number"):
        Rule("odd", gap=lambda y: float("nan")).violation([1.0])
    with pytest.raises(BadInput, match=r"'odd' cannot be applied to inputs \(KeyError"):
        Rule("odd", gap=lambda y: 0.0, applies=lambda x: bool(x[0]["age"])).holds_of([{}])
    with pytest.raises(BadInput, match="tolerance of 'the same output' is -1"):
        invariant(-1)


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


GOOD = """\
{"inputs": [1, 2], "relation": "same", "tolerance": 0.5, "base": ["a", 7], "id": 3}

{"inputs": ["x", "y", "z"], "relation": "at most"}
"""


def written(tmp_path: Path, text: str, name: str = "pairs.jsonl") -> Path:
    file = tmp_path / name
    file.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return file


@pytest.mark.parametrize("name", ["pairs.jsonl", "pairs.jsonl.gz"])
def test_json_lines(tmp_path: Path, name: str) -> None:
    first, second = read_table(written(tmp_path, GOOD, name))
    assert (first.inputs, first.base, first.id) == ((1, 2), ("a", "7"), "3")
    assert first.rule is not None
    assert first.rule.violation([1.0, 1.5]) == 0
    assert first.rule.violation([1.0, 2.0]) == 1
    assert (second.inputs, second.base) == (("x", "y", "z"), ())
    assert second.rule is not None
    assert second.rule.violation([1.0, 2.0, 3.0]) == 0
    assert second.rule.violation([3.0, 2.0, 1.0]) == 2


TABLE = """\
tuple,relation,tolerance,base,rooms,area,city,code
1,at most,,h1,2,50.5,Rome,007
1,,,h1,3,50.5,Rome,007
2,same,0.25,h1,2,,Oslo,12
2,same,0.25,h2,2,70,Bergen,12
"""


@pytest.mark.parametrize(("name", "text"), [("t.csv", TABLE), ("t.tsv", TABLE.replace(",", "\t")), ("t.csv.gz", TABLE)])
def test_rows_of_one_tuple_follow_one_another(tmp_path: Path, name: str, text: str) -> None:
    first, second = read_table(written(tmp_path, text, name))
    # whole numbers, fractions with an empty cell, texts, and a code that is no number
    assert first.inputs == (
        {"rooms": 2, "area": 50.5, "city": "Rome", "code": "007"},
        {"rooms": 3, "area": 50.5, "city": "Rome", "code": "007"},
    )
    assert second.inputs[0] == {"rooms": 2, "area": None, "city": "Oslo", "code": "12"}
    assert (first.base, second.base) == (("h1",), ("h1", "h2"))
    assert first.rule is not None
    assert second.rule is not None
    assert (first.rule.name, second.rule.tolerance) == ("the first output at most as high as the others", 0.25)


def test_a_column_input_is_the_input_itself(tmp_path: Path) -> None:
    (pair,) = read_table(written(tmp_path, "tuple,input\na,It rains.\na,Rain falls.\n", "t.csv"), invariant())
    assert pair.inputs == ("It rains.", "Rain falls.")


@each_case(
    ("line", "message"),
    [
        ("[1, 2]", "JSON object"),
        ("{", "not JSON"),
        ('{"inputs": [1, 2], "relation": "same", "tolerence": 1}', "'tolerence' is not known"),
        ('{"relation": "same"}', "'inputs' is missing"),
        ('{"inputs": "ab", "relation": "same"}', "'inputs' is missing"),
        ('{"inputs": [], "relation": "same"}', "'inputs' is missing"),
        ('{"inputs": [1], "relation": "same"}', "at least two inputs"),
        ('{"inputs": [1, 2]}', "'relation' is missing"),
        ('{"inputs": [1, 2], "relation": ["same"]}', "there is no relation"),
        ('{"inputs": [1, 2], "relation": "at lest"}', "did you mean 'at least'"),
        ('{"inputs": [1, 2], "relation": "same", "tolerance": -1}', "'tolerance' is -1"),
        ('{"inputs": [1, 2], "relation": "same", "tolerance": NaN}', "'tolerance' is NaN"),
        ('{"inputs": [1, 2], "relation": "same", "tolerance": true}', "'tolerance' is true"),
        ('{"inputs": [1, 2], "relation": "same", "tolerance": "much"}', "'tolerance' is"),
        ('{"inputs": [1, 2], "relation": "same", "tolerance": 1' + "0" * 400 + "}", "more than 308 digits"),
        ('{"inputs": [1, 2], "relation": "same", "base": {"a": 1}}', "'base' must be"),
        ('{"inputs": [1, 2], "relation": "same", "id": []}', "'id' must be"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(BadInput) as error:
        read_table(written(tmp_path, f"{GOOD}{line}\n"))
    assert message in str(error.value)
    assert "line 4" in str(error.value)


@each_case(
    ("name", "text", "message"),
    [
        ("t.txt", "", "the name must end in .csv, .tsv, .json, .jsonl"),
        ("t.jsonl", "\n", "holds no tuples"),
        ("t.csv", "", "empty: the first line must name tuple"),
        ("t.csv", "tuple,input\n", "holds no tuples"),
        ("t.csv", "a,b\n1,2\n", "no column tuple"),
        ("t.csv", "tuple,a,\n1,2,3\n", "line 1: a column has no name"),
        ("t.csv", "tuple,a,a\n1,2,3\n", "two columns are named 'a'"),
        ("t.csv", "tuple,a\n1,2,3\n", "line 2: 3 cells under 2 columns"),
        ("t.csv", "tuple,relation\n1,same\n", "has no inputs"),
        ("t.csv", "tuple,relation,a\n1,same,1\n1,at most,2\n", "line 2: the rows of one tuple differ in 'relation'"),
        ("t.csv", "tuple,relation,a\n1,same,1\n2,same,2\n", "line 2: 'same' needs at least two inputs"),
        ("t.csv", 'tuple,a\n1,"2\n', "not a table"),
    ],
)
def test_files_that_are_no_tables(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(BadFile, match=message):
        read_table(written(tmp_path, text, name))


def test_a_rule_and_a_relation_do_not_go_together(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="line 1: has a relation of its own"):
        read_table(written(tmp_path, GOOD), invariant())
    (alone,) = read_table(written(tmp_path, json.dumps({"inputs": [1]})), invariant())
    assert alone.inputs == (1,)


@each_case(
    ("before", "after", "words"),
    [
        (np.array([1, 2]), np.array([1, 2, 3]), "a [1, 2] → [1, 2, 3], the other 1 the same"),
        (np.array([1, 2]), np.array([1, 3]), "a [1, 2] → [1, 3], the other 1 the same"),
        (np.array([math.nan, 1]), np.array([math.nan, 1]), "the same input again"),
        (math.nan, math.nan, "the same input again"),
        ("1", 1, "a 1 → 1, the other 1 the same"),
    ],
)
def test_what_differs_is_told_whatever_the_features_are(before: Any, after: Any, words: str) -> None:
    assert change_in_words([{"a": before, "b": 1}, {"a": after, "b": 1.0}]) == words
