"""Options of 400 published questions: replies in usual words are read, and none is read as another option."""

from __future__ import annotations

import gzip
import json
import os
from collections import Counter
from pathlib import Path
from random import Random
from string import ascii_uppercase

import pytest

from vivavoce.interview.forms.one_option import OneOption

FILE = Path(os.environ.get("VIVA_DATA", "")) / "mmlu_pro" / "questions.jsonl.gz"
pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not FILE.is_file(), reason="$VIVA_DATA does not name the research data folder"),
]

CHOSEN = (
    "Answer: {X}", "The answer is ({X}) {text}.", "{X}. {text}", "Answer: {text}", "Therefore, option ({X}) is correct.",
    "{question}\n\n{all}\n\nTherefore, the answer is ({X}) {text}.",
    "{X}\n\nExplanation: {text} is what follows. {other} is not it.",
    "The answer is {X}, because {text} is right and {other} is wrong.", "Answer: {Y}. Wait, no: {X}.",
    "({X}) {text}: correct\n({Y}) {other}: incorrect", "Answer: {X}\n\nQuestion: {question}\nAnswer: {Y}", "Not {Y}. {X}.",
)  # fmt: skip
NOT_CHOSEN = ("({X}) is incorrect.", "{text} is wrong.", "Answer: {X}) {other}", "{X} and {Y}", "The answer is not {X}.")


@pytest.mark.long
def test_options_of_published_questions_are_read_as_they_are_named() -> None:
    with gzip.open(FILE, "rt", encoding="utf-8") as file:
        questions = [json.loads(line) for line in file]
    random = Random(0)
    unread, wrong = Counter[str](), Counter[str]()
    for question in random.sample(questions, 400):
        options = tuple(map(str, question["options"]))
        index = random.randrange(len(options))
        near = (index + 1) % len(options)
        words = {
            "X": ascii_uppercase[index],
            "Y": ascii_uppercase[near],
            "text": options[index],
            "other": options[near],
            "question": question["question"],
            "all": "\n".join(f"({letter}) {option}" for letter, option in zip(ascii_uppercase, options, strict=False)),
        }
        form = OneOption(options)
        for frame in CHOSEN:
            letter = form.read(frame.format(**words)).value
            unread[frame] += letter is None
            wrong[frame] += letter not in (None, words["X"])
        for frame in NOT_CHOSEN:
            wrong[frame] += form.read(frame.format(**words)).value is not None
    assert all(count <= 8 for count in unread.values()), unread
    assert all(count <= 4 for count in wrong.values()), wrong
    assert wrong.total() <= 8, wrong
