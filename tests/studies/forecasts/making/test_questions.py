import gzip
import json
from pathlib import Path

import pytest

from vivavoce.errors import BadFile
from vivavoce.studies.forecasting.making.questions import BaseQuestion, read_questions


def test_one_question_a_line(tmp_path: Path) -> None:
    file = tmp_path / "base.txt"
    file.write_text("\ufeffWill it  rain?\n\n  Will it snow?\n", encoding="utf-8")
    assert read_questions(file) == (BaseQuestion("1", "Will it rain?"), BaseQuestion("3", "Will it snow?"))


def test_json_lines_with_question_or_title(tmp_path: Path) -> None:
    file = tmp_path / "base.jsonl.gz"
    lines = [
        {"question": "Will it\nrain?"},
        {"title": "Will it snow?", "body": " Yes if a flake falls. ", "id": 7, "resolution": True},
        {"question": "Will it hail?", "title": None, "body": None, "id": "hail"},
    ]
    file.write_bytes(gzip.compress("".join(json.dumps(line) + "\n" for line in lines).encode()))
    assert read_questions(file) == (
        BaseQuestion("1", "Will it rain?"),
        BaseQuestion("7", "Will it snow?", "Yes if a flake falls."),
        BaseQuestion("hail", "Will it hail?"),
    )


@pytest.mark.parametrize(
    ("text", "line", "remedy"),
    [
        ('{"text": "Will it?"}', 1, '"question"'),
        ('{"question": "a?"}\n{"question": " "}', 2, "empty"),
        ('{"question": ["a?"]}', 1, "must be a text"),
        ('{"question": "a?", "body": 3}', 1, "must be a text"),
        ('{"question": "a?", "id": true}', 1, "whole number"),
        ('{"question": "a?", "id": ""}', 1, "1 to 200"),
        ('{"question": "a?", "id": "%s"}' % ("x" * 201), 1, "1 to 200"),
        ('{"question": "a?", "id": "x"}\n{"question": "b?", "id": "x"}', 2, "make it unique"),
        ('{"question": "a?"}\n{"question": "b?", "id": 1}', 2, "make it unique"),
        (r'{"question": "a \ud83d?"}', 1, "half a surrogate pair"),
        ("[1]", 1, "JSON object"),
        ("", None, "no questions"),
    ],
)
def test_what_is_no_question_is_named_with_its_line(tmp_path: Path, text: str, line: int | None, remedy: str) -> None:
    file = tmp_path / "base.jsonl"
    file.write_text(text)
    with pytest.raises(BadFile, match=remedy) as raised:
        read_questions(file)
    assert raised.value.line == line


def test_json_lines_under_another_name_are_told_apart(tmp_path: Path) -> None:
    file = tmp_path / "base.txt"
    file.write_text('{"question": "a?"}\n')
    with pytest.raises(BadFile, match=r"ends in \.jsonl"):
        read_questions(file)
