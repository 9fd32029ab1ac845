"""YAML of strangers: bounded, without code, with lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from vivavoce.errors import BadFile
from vivavoce.formats.yaml_file import read_yaml

pytest.importorskip("yaml")


def written(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "a.yaml"
    file.write_text(text)
    return file


def test_values_have_lines(tmp_path: Path) -> None:
    source = read_yaml(written(tmp_path, "# head\na:\n  - 1\n  - b: 2\n    c: &x [3]\nd: *x\n"))
    assert source.value == {"a": [1, {"b": 2, "c": [3]}], "d": [3]}
    assert [source.line(*steps) for steps in ((), ("a",), ("a", 1, "c"), ("a", 1, "lost"), ("lost",))] == [2, 3, 5, 4, None]
    assert str(source.wrong("no", "a", 0)).endswith("a.yaml, line 3: no")


def test_what_is_a_truth_value_depends_on_the_version(tmp_path: Path) -> None:
    file = written(tmp_path, "[yes, no, on, true, False, null, 1.5]")
    assert read_yaml(file).value == [True, False, True, True, False, None, 1.5]
    assert read_yaml(file, version="1.2").value == ["yes", "no", "on", True, False, None, 1.5]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("f: !function utils.process", "line 1: '!function utils.process' is code of another program, which is not run: write"),
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
        read_yaml(written(tmp_path, text))
    assert wanted in str(caught.value)


@pytest.mark.parametrize("step", ["{after}: &{after} [{many}]", "{after}: &{after}\n  <<: [{many}]\n  k{after}: 1"])
def test_aliases_that_multiply_are_refused_before_they_do(tmp_path: Path, step: str) -> None:
    lines = ["a: &a {x: 1}"]
    for before, after in zip("abcdefgh", "bcdefghi", strict=True):
        lines.append(step.format(after=after, many=", ".join([f"*{before}"] * 10)))
    with pytest.raises(BadFile, match="values, aliases included"):
        read_yaml(written(tmp_path, "\n".join(lines)))


def test_a_long_file_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    with file.open("wb") as stream:
        stream.write((b"- " + b"a" * (1 << 20) + b"\n") * 9)
    with pytest.raises(BadFile, match="longer than 8,388,608 characters"):
        read_yaml(file)
