"""What a concept writer's reply names, as people read it in replies of a real model (`real_concepts.jsonl`)."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.eqt.benchmark_files import Original
from vivavoce.eqt.concept_extraction import LONGEST, MOST_WORDS, SENTENCE, concept_in, concept_prompt, name_in
from vivavoce.interview import Reply
from vivavoce.interview.forms.spellings import words_of
from vivavoce.interview.forms.written_question import MultipleChoice

FILE: Final = Path(__file__).with_name("real_concepts.jsonl")
RECORDED: Final[list[dict[str, Any]]] = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


def asked(record: dict[str, Any]) -> Original:
    """The question that the concept writer was shown."""
    match = re.fullmatch(r"<question>\n(.*)\n</question>\n\n.* The subject is (.*)\.", record["prompt"], re.DOTALL)
    assert match is not None
    shown, subject = match.groups()
    stem, _, options = shown.rpartition("\n\nA) ")
    texts = re.split(r"\n[B-J]\) ", options)
    return Original("1", subject, MultipleChoice(stem, tuple(texts), frozenset(["ABCDEFGHIJ".index(record["key"])])))


def test_real_replies_name_what_people_read_in_them() -> None:
    assert len(RECORDED) == 24
    for entry in RECORDED:
        original = asked(entry)
        assert concept_prompt(original).text == entry["prompt"]
        concept, problem = concept_in(original, Reply(entry["reply"], finish=entry["finish"]))
        assert ((concept and concept.name), bool(problem)) == (entry["concept"], entry["concept"] is None), entry["reply"]


def test_the_page_tells_the_same_counts() -> None:
    page = (Path(__file__).parents[2] / "docs/eqt-real.md").read_text(encoding="utf-8")
    problems = Counter(concept_in(asked(entry), Reply(entry["reply"], finish=entry["finish"]))[1] for entry in RECORDED)
    options = problems["gives the answer away"] + problems["repeats an option"]
    assert f"{problems['']} of {len(RECORDED)} replies name one" in page
    assert f"{options} repeat an option, {problems['cut off']} were cut off, {problems[SENTENCE]} are sentences" in page


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The concept is called: the Krebs cycle.", "Krebs cycle"),
        ("The key concept here is 'supply and demand'", "Supply and demand"),
        ("The Hague Conventions", "The Hague Conventions"),
        ("Is-ought problem", "Is-ought problem"),
        ("K-means clustering", "K-means clustering"),
        ("A priori knowledge", "A priori knowledge"),
        ("Concept of the corporation", "Concept of the corporation"),
        ("The concept is that prices fall.", ""),
        ("The concept of ", ""),
        ("The concept is", ""),
        ("It depends", ""),
    ],
)
def test_names_and_what_is_none(text: str, expected: str) -> None:
    assert name_in(text)[0] == expected


@given(
    st.text(max_size=300) | st.lists(st.sampled_from(["the ", "concept ", "is ", "of ", "understanding ", "x "])).map("".join)
)
def test_a_name_is_short_and_named_again_is_the_same(text: str) -> None:
    name, problem = name_in(text)
    assert bool(name) != bool(problem)
    if name:
        assert len(name) <= LONGEST
        assert len(words_of(name)) <= MOST_WORDS


def test_an_option_is_no_concept() -> None:
    original = Original("1", "law", MultipleChoice("Which tort?", ("Nuisance", "Trespass"), frozenset([0])))
    for text, problem in (
        ("nuisance", "gives the answer away"),
        ("B) Trespass", "repeats an option"),
        ("B", "repeats an option"),
    ):
        assert concept_in(original, Reply(f"Answer: {text}")) == (None, problem)
