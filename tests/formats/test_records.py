"""Rows of other tools' data, and files that a file may name."""

from __future__ import annotations

from pathlib import Path

import pytest

from vivavoce.errors import BadFile
from vivavoce.formats.records import records, sibling_path


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("a.jsonl", '{"a": 1}\n\n{"a": [2]}\n', [(1, {"a": 1}), (3, {"a": [2]})]),
        ("a.json", '[{"a": 1}, {"a": null}]', [(1, {"a": 1}), (2, {"a": None})]),
        ("a.json", '{"version": 2, "data": [{"a": 1}]}', [(1, {"a": 1})]),
        ("a.json", '{"a": 1}\n{"a": 2}\n', [(1, {"a": 1}), (2, {"a": 2})]),
        ("a.csv", "a,b\n1,x|y\n", [(2, {"a": "1", "b": "x|y"})]),
    ],
)
def test_rows_keep_their_values(tmp_path: Path, name: str, text: str, wanted: list[object]) -> None:
    file = tmp_path / name
    file.write_text(text)
    assert list(records(file)) == wanted


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("a.json", "{", "line 1: not JSON"),
        ("a.json", '{"a": 1}', "holds one object without a list of rows"),
        ("a.json", "[1, 2]", "must hold a list of objects"),
        ("a.xlsx", "PK", "the name must end in"),
    ],
)
def test_what_holds_no_rows_is_told(tmp_path: Path, name: str, text: str, problem: str) -> None:
    file = tmp_path / name
    file.write_text(text)
    with pytest.raises(BadFile, match=problem):
        list(records(file))


def test_a_field_says_where_rows_are(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text('{"train": [{"a": 1}], "test": [{"a": 2}]}')
    assert list(records(file, field="test")) == [(1, {"a": 2})]
    with pytest.raises(BadFile, match="holds one object without a list 'dev'"):
        list(records(file, field="dev"))


def test_only_what_lies_in_the_folder_may_be_named(tmp_path: Path) -> None:
    folder = tmp_path / "task"
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "a.csv").write_text("a\n1\n")
    (tmp_path / "secret.csv").write_text("a\n1\n")
    (folder / "link.csv").symlink_to(tmp_path / "secret.csv")
    task = folder / "task.yaml"
    assert sibling_path(task, "file://data/a.csv") == folder / "data" / "a.csv"
    for named in (
        "../secret.csv",
        str(tmp_path / "secret.csv"),
        "link.csv",
        "https://example.org/a.csv",
        "data/../../secret.csv",
    ):
        with pytest.raises(BadFile, match="which is not in its folder"):
            sibling_path(task, named)
    with pytest.raises(BadFile, match="which does not exist"):
        sibling_path(task, "data/b.csv")
    for named in ("a" * 5000, "a\0b"):
        with pytest.raises(BadFile, match="which is not in its folder"):
            sibling_path(task, named)
