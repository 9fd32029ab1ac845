import gzip
import json
from pathlib import Path

import pytest

from vivavoce.errors import BadFile, BadInput
from vivavoce.relations import invariant, read_table

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


@pytest.mark.parametrize(
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
        (
            '{"inputs": [1, 2], "relation": "same", "tolerance": 1' + "0" * 400 + "}",
            "more than 308 digits",
        ),
        ('{"inputs": [1, 2], "relation": "same", "base": {"a": 1}}', "'base' must be"),
        ('{"inputs": [1, 2], "relation": "same", "id": []}', "'id' must be"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(BadInput) as error:
        read_table(written(tmp_path, f"{GOOD}{line}\n"))
    assert message in str(error.value)
    assert "line 4" in str(error.value)


@pytest.mark.parametrize(
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
