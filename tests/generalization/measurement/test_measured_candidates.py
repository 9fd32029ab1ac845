"""Who is measured, by files and names."""

from __future__ import annotations

from pathlib import Path

import pytest

from vivavoce.errors import BadFile, BadInput
from vivavoce.generalization.measurement.measured_candidates import (
    MeasuredCandidate,
    checked_candidates,
    read_candidates,
    size_of,
)


def test_name_and_size_may_be_left_out(tmp_path: Path) -> None:
    file = tmp_path / "models.csv"
    file.write_text("size,candidate,name\n7B,bot:calculator,Seven\n,bot:gibberish,\n")
    assert read_candidates(file) == [
        MeasuredCandidate("bot:calculator", "Seven", 7e9),
        MeasuredCandidate("bot:gibberish", "bot:gibberish"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name\nx\n", "no column candidate"),
        ("candidate\n", "no candidates below"),
        ("candidate,name\n,x\n", "line 2: candidate is empty"),
        ('candidate,name\nbot:x,"a\nb"\n', "not one line of printable characters"),
        ("candidate,size\nbot:x,big\n", "line 2: size is 'big'"),
        ("candidate,size\nbot:x,0\n", "a number above 0"),
        ("candidate,size\nbot:x,-7B\n", "a number above 0"),
        ("candidate,size\nbot:x,nan\n", "a number above 0"),
    ],
)
def test_rubbish_is_named_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "models.csv"
    file.write_text(text)
    with pytest.raises(BadFile, match=message):
        read_candidates(file)


def test_names_are_columns() -> None:
    for names, text in ((["a", "a"], "two candidates"), (["prompt"], "can't be a column's name"), ([], "0 candidates")):
        with pytest.raises(BadInput, match=text):
            checked_candidates([MeasuredCandidate(f"bot:{index}", name) for index, name in enumerate(names)])
    with pytest.raises(BadInput, match="occurs twice"):
        checked_candidates([MeasuredCandidate("bot:x", "one"), MeasuredCandidate("bot:x", "two")])


def test_sizes_by_hand() -> None:
    assert [size_of(text) for text in ("0.5B", "70 b", "1.5T", "1e6", "12K")] == [5e8, 7e10, 1.5e12, 1e6, 12e3]
