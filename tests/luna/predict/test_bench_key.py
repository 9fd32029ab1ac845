"""The key of the benchmark against the three people who graded the answers."""

from __future__ import annotations

import csv
import os
import re
from collections import defaultdict
from pathlib import Path

import pytest

FILE = Path(os.environ.get("VIVA_DATA", "")) / "powergrading" / "answers.tsv"
KEY = Path(__file__).parents[3] / "bench" / "powergrading_key.csv"


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z0-9]+", text.lower().replace("'s", ""))) - {
        "the",
        "a",
        "of",
        "our",
        "or",
        "because",
        "there",
        "were",
    }


@pytest.mark.data
@pytest.mark.skipif(not FILE.is_file(), reason="$VIVA_DATA does not name the research data folder")
def test_whoever_says_what_the_key_says_is_right_by_all_graders() -> None:
    with KEY.open(encoding="utf-8") as file:
        key = {row.pop("question"): [_words(text) for text in row.values() if text] for row in csv.DictReader(file)}
    said: dict[str, list[bool]] = defaultdict(list)
    with FILE.open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            grades = [row[grader] for grader in ("G1", "G2", "G3")]
            if row["Q#"] in key and "-1" not in grades and any(one <= _words(row["answer"]) for one in key[row["Q#"]]):
                said[row["Q#"]].append(grades == ["1", "1", "1"])
    assert set(said) == set(key)
    for question, right in said.items():
        assert len(right) > 70, question
        assert sum(right) > 0.9 * len(right), question
