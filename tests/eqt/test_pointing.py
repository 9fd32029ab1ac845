"""Words that point at a text: found where they do, and not where a text is what the question is about."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

from vivavoce.eqt.wording_checks import pointing, pointing_words
from vivavoce.interview.forms.written_question import MultipleChoice

FILE = Path(os.environ.get("VIVA_DATA", "")) / "mmlu_pro" / "questions.jsonl.gz"


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("According to the text, what is a tree?", "According to the text"),
        ("Which is right, as stated in the explanation?", "stated in the explanation"),
        ("As described above, which of these hold?", "As described above"),
        ("Which concept, as mentioned earlier, explains it?", "as mentioned earlier"),
        ("In the passage, why do graphs matter?", "In the passage"),
        ("The explanation states that trees have no cycles. Why?", "The explanation states"),
        ("The provided text also mentions Euler. For what?", "The provided text also mentions"),
        ("What does this text say about cycles?", "What does this text say"),
        ("Based on the information provided, which hold?", "Based on the information provided"),
        ("Based on the explanation, which hold?", "Based on the explanation"),
        ("Which of these is discussed in the given excerpt?", "discussed in the given excerpt"),
        ("As explained, which of these hold?", "As explained"),
        ("Which, according to the information above, hold?", "according to the information above"),
        ("The above passage is about which of these?", "above passage"),
        ("What does the author of the text regard as a tree?", "The author of the text"),
    ],
)
def test_pointers(question: str, words: str) -> None:
    assert pointing_words(question).lower() == words.lower()


@pytest.mark.parametrize(
    "question",
    [
        "How fast does it fall, as described by Newton's second law?",
        "According to Ohm's law, what is the current?",
        "According to the theory of plate tectonics, what moves?",
        "In the text of the treaty, who is bound?",
        "Which passage of the Iliad names him?",
        "How does the passage of time change entropy?",
        "What is the explanation of tides by Newton?",
        "Which of the following descriptions fits a tree?",
        "The masses are listed below: 1 g, 2 g. Which is larger?",
        "Which of these cannot be determined from the information given?",
        "Is a plain-text file compressed?",
        "What does Darwin's explanation suggest?",
        "Which graph is shown in Euler's paper?",
        "As stated by the first law, energy is conserved. Which follows?",
        "A text is encrypted. Which key opens it?",
        "Based on the principle of comparative advantage, who trades?",
        "Which information does the genome contain?",
        "He advised her based on the information provided by her bank. Is he liable?",
    ],
)
def test_no_pointers(question: str) -> None:
    assert pointing_words(question) == ""


def test_options_are_looked_at_and_line_ends_do_not_hide() -> None:
    question = MultipleChoice("Which hold?", ("Trees are graphs", "What is stated in\nthe text"), frozenset((0,)))
    assert pointing(question) == "stated in the text"


@pytest.mark.data
@pytest.mark.skipif(not FILE.is_file(), reason="$VIVA_DATA does not name the research data folder")
def test_false_alarms_on_real_questions() -> None:
    """12,032 questions of MMLU-Pro: those on history show a passage and point at it; of the others hardly any does.

    Two do: "based on the facts stated above", of a long law case, and "the passage suggests"; both point indeed.
    """
    found: dict[bool, int] = {True: 0, False: 0}
    total = 0
    for line in gzip.decompress(FILE.read_bytes()).splitlines():
        value = json.loads(line)
        total += 1
        is_history = "history" in value["src"]
        if is_history or total % 4 == 0:  # of the others every fourth
            question = MultipleChoice(value["question"], tuple(value["options"]), frozenset())
            found[is_history] += bool(pointing(question))
    assert total == 12_032
    assert found[False] <= 2
    assert found[True] >= 25
