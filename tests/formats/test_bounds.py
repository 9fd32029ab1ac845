"""Bounds that hold for files of every format, and YAML of strangers."""

from __future__ import annotations

import gzip
import tracemalloc
from collections import deque
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.errors import BadFile, BadInput
from vivavoce.formats import bounds, lines
from vivavoce.formats.bounds import DEEPEST, count_values, most_unpacked
from vivavoce.formats.lines import json_lines, table_rows, text_lines, whole_json, whole_toml
from vivavoce.formats.yaml_file import read_yaml

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_infinity=False) | st.text(),
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(st.text(), inside, max_size=4),
    max_leaves=20,
)


def written(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.write_text(text)
    return file


def counted(value: Any) -> int:
    """By the number of calls that a plain recursion takes."""
    if isinstance(value, dict):
        return 1 + sum(map(counted, value.values()))
    return 1 + sum(map(counted, value)) if isinstance(value, list) else 1


@given(VALUES)
def test_ordinary_values_are_counted_and_not_refused(value: Any) -> None:
    assert count_values(value) == counted(value)


@given(VALUES, st.sampled_from([10**309, -(10**400), 1e999, "\ud800", "a\udfffb"]), st.booleans())
def test_what_no_format_can_keep_is_refused_wherever_it_stands(value: Any, bad: Any, in_list: bool) -> None:
    with pytest.raises(BadInput, match=r"write it in quotation marks|write the whole character"):
        count_values([value, {"answer": [bad] if in_list else bad}])


@given(st.integers(0, 2 * DEEPEST))
def test_nesting_is_bounded(depth: int) -> None:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    if depth <= DEEPEST:
        assert count_values(value) == depth + 1
    else:
        with pytest.raises(BadInput, match="more than 64 levels deep: make it flatter"):
            count_values(value)


BAD_JSON = [
    ('{"answer": 1' + "0" * 5000 + "}", "a whole number of more than 308 digits: write it in quotation marks"),
    ('{"answer": 1' + "0" * 400 + "}", "'answer': a whole number of more than 308 digits"),
    ('{"weight": 1e309}', "'weight': inf is not a finite number or is too large"),
    ('{"answer": "\\ud800"}', r"'answer': a text with half a surrogate pair (\ud800): write the whole character"),
    ('{"a\\udfff": 1}', r"a text with half a surrogate pair (\udfff)"),
    ('{"answer": ' + "[" * 100_000, "more than 64 levels deep"),
    ('{"answer": ' + "[" * 80 + "]" * 80 + "}", "more than 64 levels deep"),
]


@each_case(("text", "problem"), BAD_JSON)
def test_json_is_refused_with_its_line(tmp_path: Path, text: str, problem: str) -> None:
    file = written(tmp_path, "rows.jsonl", '{"answer": 1}\n' + text + "\n")
    with pytest.raises(BadFile) as caught:
        list(json_lines(file))
    assert problem in str(caught.value)
    assert caught.value.line == 2
    with pytest.raises(BadFile) as caught:
        whole_json(written(tmp_path, "whole.json", text))
    assert problem in str(caught.value)


@each_case("value", ["9" * 5000, "1e999", "2026-99-99", "[" * 2000, '"\\ud800"'])
def test_toml_is_refused_without_another_error(tmp_path: Path, value: str) -> None:
    with pytest.raises(BadFile, match=r"is not TOML|not a finite number"):
        whole_toml(written(tmp_path, "plan.toml", f"a = {value}\n"))


def test_rows_values_and_lines_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MOST_ROWS", 3)
    monkeypatch.setattr(bounds, "MOST_VALUES", 7)
    monkeypatch.setattr(lines, "MOST_LINES", 6)
    with pytest.raises(BadFile, match="line 5: more than 3 rows: split it"):
        list(json_lines(written(tmp_path, "a.jsonl", "{}\n\n" + "{}\n" * 3)))
    with pytest.raises(BadFile, match="line 3: more than 7 values: split it, or leave columns out"):
        list(table_rows(written(tmp_path, "a.csv", "a,b,c\n1,2,3\n4,5,6\n")))
    with pytest.raises(BadFile, match="line 7: more than 6 lines: split it"):
        list(text_lines(written(tmp_path, "a.txt", "\n" * 7)))


def test_a_packed_file_unpacks_to_a_hundred_times_its_size_at_most(tmp_path: Path) -> None:
    """100 MiB in 100 KB: refused before they are unpacked, and read where they are 64 MiB."""
    file = tmp_path / "lines.txt.gz"
    line = b"x" * ((1 << 20) - 1) + b"\n"
    for size in (64, 100):
        with gzip.open(file, "wb") as stream:
            for _ in range(size):
                stream.write(line)
        assert most_unpacked(file.stat().st_size) == 64 << 20
        if size == 64:
            assert sum(map(len, text_lines(file))) == 64 << 20
    tracemalloc.start()
    with pytest.raises(BadFile, match=r"lines\.txt\.gz: unpacks to more than 64 MiB: split it, or unpack it"):
        deque(text_lines(file), maxlen=0)
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert used < 16 << 20


def test_time_for_unpacking_is_bounded(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv.gz"
    file.write_bytes(gzip.compress(b"a,b\n" * 100_000))
    seconds = iter(range(0, 10_000, 50))
    slow = bounds._BoundedGzip(file, clock=lambda: next(seconds))
    with pytest.raises(BadFile, match="takes more than 60 s to unpack: unpack it"):
        slow.readall()


@each_case(
    ("text", "problem"),
    [
        ("a: 1\nb: !!bool maybe", "line 2: not YAML: 'maybe' is not of type bool: write it in quotation marks"),
        ("a: 1\nb: !!int abc", "line 2: not YAML: 'abc' is not of type int"),
        ("a: 1\nb: !!float x", "line 2: not YAML: 'x' is not of type float"),
        ('a: 1\nb: !!timestamp "2001-99-99"', "line 2: not YAML: '2001-99-99' is not of type timestamp"),
        ("a: 1\nb: 0x" + "f" * 300, "line 2: not YAML: a whole number of more than 308 digits: write it in quotation marks"),
        ("a: 1\nb: 0x" + "f" * 20_000, "line 2: not YAML: a number of 20,002 characters: write it in quotation marks"),
        ("a: 1\nb: " + ":".join(["1"] * 200_000), "line 2: not YAML: a number of 399,999 characters"),
        ("a: 1\nb: 1.0e+999", "line 2: not YAML: inf is not a finite number"),
        ("a: 1\nb: !!omap {a: b}", "line 2: not YAML"),
        ("a: 1\nb: !!set [a]", "line 2: not YAML"),
    ],
)
def test_yaml_is_refused_with_its_line(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(BadFile) as caught:
        read_yaml(written(tmp_path, "a.yaml", text))
    assert problem in str(caught.value)


def test_numbers_of_yaml_1_2_are_those_of_js_yaml(tmp_path: Path) -> None:
    """By YAML 1.2.2, section 10.3.2, and js-yaml 4: no base 60, no octal by a leading 0, an exponent without a point."""
    text = "[12:30, 190:20:30, 010, 0o10, 0x1F, 0b11, 1e3, -1_000, .5, -.inf2, yes, 1.5e-3, '7', +12]"
    file = written(tmp_path, "a.yaml", text)
    assert read_yaml(file, version="1.2").value == [
        "12:30", "190:20:30", 10, 8, 31, 3, 1000.0, -1000, 0.5, "-.inf2", "yes", 0.0015, "7", 12,
    ]  # fmt: skip
    assert read_yaml(file).value[:3] == [750, 685230, 8]  # as PyYAML, which lm-evaluation-harness reads files by


def test_values_have_lines(tmp_path: Path) -> None:
    source = read_yaml(written(tmp_path, "a.yaml", "# head\na:\n  - 1\n  - b: 2\n    c: &x [3]\nd: *x\n"))
    assert source.value == {"a": [1, {"b": 2, "c": [3]}], "d": [3]}
    assert [source.line(*steps) for steps in ((), ("a",), ("a", 1, "c"), ("a", 1, "lost"), ("lost",))] == [2, 3, 5, 4, None]
    assert str(source.wrong("no", "a", 0)).endswith("a.yaml, line 3: no")


def test_what_is_a_truth_value_depends_on_the_version(tmp_path: Path) -> None:
    file = written(tmp_path, "a.yaml", "[yes, no, on, true, False, null, 1.5]")
    assert read_yaml(file).value == [True, False, True, True, False, None, 1.5]
    assert read_yaml(file, version="1.2").value == ["yes", "no", "on", True, False, None, 1.5]


@each_case(
    ("text", "wanted"),
    [
        ("f: !function utils.process", "line 1: '!function utils.process' is code, which is not run: write"),
        ("f: !!python/object/apply:os.system [ls]", "line 1: not YAML: could not determine a constructor"),
        ("a: 1\nb: 2\na: 3\n", "line 3: 'a' occurs twice"),
        ("a: &a [*a]", "line 1: a value contains itself"),
        ("[" * 100_000, "line 1: deeper than 64 levels"),
        ("a: [1\nb: 2", "line 2: not YAML"),
        ("x: 2026-99-99", "line 1: not YAML: '2026-99-99' is not of type timestamp"),
        ("? {a: 1}\n: 2", "line 1: not YAML: found unhashable key"),
    ],
)
def test_what_is_refused_is_named(tmp_path: Path, text: str, wanted: str) -> None:
    with pytest.raises(BadFile) as caught:
        read_yaml(written(tmp_path, "a.yaml", text))
    assert wanted in str(caught.value)


@pytest.mark.parametrize("step", ["{after}: &{after} [{many}]", "{after}: &{after}\n  <<: [{many}]\n  k{after}: 1"])
def test_aliases_that_multiply_are_refused_before_they_do(tmp_path: Path, step: str) -> None:
    lines = ["a: &a {x: 1}"]
    for before, after in zip("abcdefgh", "bcdefghi", strict=True):
        lines.append(step.format(after=after, many=", ".join([f"*{before}"] * 10)))
    with pytest.raises(BadFile, match="values, aliases included"):
        read_yaml(written(tmp_path, "a.yaml", "\n".join(lines)))


def test_a_long_file_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    with file.open("wb") as stream:
        stream.write((b"- " + b"a" * (1 << 20) + b"\n") * 9)
    with pytest.raises(BadFile, match="longer than 8,388,608 characters"):
        read_yaml(file)
