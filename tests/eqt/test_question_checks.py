"""Faults of questions: in their words, by the checker, and counted."""

from __future__ import annotations

import gzip
import json
import os
from collections import defaultdict
from dataclasses import replace
from difflib import SequenceMatcher
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.eqt.records import answer, concept_record, item, record
from vivavoce.eqt.question_checks import duplicates, faults, pointing, validity
from vivavoce.eqt.record import Concept, ConceptRecord, EqtConfig, ParsedAnswer, Phrasing, QuestionRecord
from vivavoce.interview.forms.spellings import folded
from vivavoce.interview.forms.written_question import MultipleChoice, pointing_words

FILE = Path(os.environ.get("VIVA_DATA", "")) / "mmlu_pro" / "questions.jsonl.gz"
OPTIONS = (
    "It is a connected graph that contains no cycles at all",
    "It is a graph in which every vertex has the same degree",
    "It is a graph whose edges all carry a weight above zero",
    "It is a graph that can be drawn without crossing any edges",
)
TREE = MultipleChoice("Which of these statements best describes what a tree is in graph theory?", OPTIONS, frozenset((0,)))


def twin(question: MultipleChoice) -> bool:
    return duplicates([(1, TREE), (2, question)]) == {2: 1}


def test_twins() -> None:
    assert twin(TREE)
    assert twin(MultipleChoice(TREE.stem.upper(), OPTIONS[::-1], frozenset((3,))))
    assert twin(MultipleChoice(TREE.stem, OPTIONS, frozenset((1,))))  # another key to the same words: one of them is wrong
    # It has 52 different triples. A word of the stem exchanged for two: 49 of 56 are left. Two of an option for one: 48 of 55.
    assert twin(MultipleChoice(TREE.stem.replace("best", "most closely"), OPTIONS, frozenset((0,))))
    where = OPTIONS[1].replace("in which", "where")
    assert twin(MultipleChoice(TREE.stem, (OPTIONS[0], where, *OPTIONS[2:]), frozenset((0,))))


def test_no_twins() -> None:
    assert not twin(MultipleChoice(TREE.stem.replace("a tree", "a planar graph"), OPTIONS, frozenset((3,))))
    other = "It is a graph where each vertex has an equal number of neighbours"  # 43 of 62 triples, 0.69
    assert not twin(MultipleChoice(TREE.stem, (OPTIONS[0], other, *OPTIONS[2:]), frozenset((0,))))
    assert not twin(MultipleChoice("What do we call a tree with a root?", ("Rooted", "Bare"), frozenset((0,))))
    two = MultipleChoice(
        "A tree has 7 vertices. How many edges has it, whatever its form is?", ("One fewer", "More"), frozenset((0,))
    )
    nine = MultipleChoice(two.stem.replace("7", "9"), two.options, two.key)
    assert duplicates([(1, two), (2, nine)]) == {}


def test_the_first_of_several_is_named() -> None:
    other = MultipleChoice("What is a path?", ("A row of edges", "A way"), frozenset((0,)))
    assert duplicates([(2, TREE), (3, other), (5, TREE), (7, other), (9, TREE)]) == {5: 2, 7: 3, 9: 2}
    assert duplicates([]) == {}


@given(st.lists(st.text(max_size=30), min_size=3, max_size=6, unique_by=folded), st.randoms(use_true_random=False))
def test_a_question_is_its_own_twin_in_any_order(texts: list[str], rng: object) -> None:
    stem, *options = texts
    order = list(range(len(options)))
    rng.shuffle(order)  # type: ignore[attr-defined]
    question = MultipleChoice(stem, tuple(options), frozenset((0,)))
    shuffled = MultipleChoice(f" {stem} ", tuple(options[index] for index in order), frozenset((order.index(0),)))
    assert duplicates([(1, question), (2, shuffled)]) == {2: 1}


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.skipif(not FILE.is_file(), reason="$VIVA_DATA does not name the research data folder")
def test_on_real_questions_only_copies_are_twins() -> None:
    """Of MMLU-Pro questions of one subject, twins that are not equal to the letter have nearly equal stems.

    Python's own `SequenceMatcher` is the witness: by letters, not by words, and of the stem alone.
    """
    groups: dict[tuple[str, str], list[MultipleChoice]] = defaultdict(list)
    for line in gzip.decompress(FILE.read_bytes()).splitlines():
        value = json.loads(line)
        right = frozenset((value["answer_index"],))
        question = MultipleChoice(value["question"], tuple(value["options"]), right)
        groups[value["category"], folded(value["options"][value["answer_index"]])].append(question)
    alike, pairs = [], 0
    for questions in groups.values():
        pairs += len(questions) * (len(questions) - 1) // 2
        for second, first in duplicates(list(enumerate(questions))).items():
            matcher = SequenceMatcher(None, questions[first].stem, questions[second].stem, autojunk=False)
            alike.append(matcher.ratio())
    assert pairs == 3_791
    assert len(alike) > 200
    assert sum(ratio > 0.9 for ratio in alike) >= 0.97 * len(alike)
    assert min(alike) > 0.5


@each_case(
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


@each_case(
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
    values: dict[bool, int] = {True: 0, False: 0}
    total = 0
    for line in gzip.decompress(FILE.read_bytes()).splitlines():
        value = json.loads(line)
        total += 1
        is_history = "history" in value["src"]
        if is_history or total % 4 == 0:  # of the others every fourth
            question = MultipleChoice(value["question"], tuple(value["options"]), frozenset())
            values[is_history] += bool(pointing(question))
    assert total == 12_032
    assert values[False] <= 2
    assert values[True] >= 25


GOOD = item(1, "A A")


def test_each_fault_by_itself() -> None:
    assert faults(GOOD, checked=True) == ()
    assert faults(replace(GOOD, pointing="the passage"), checked=True) == ("points at a text",)
    assert faults(replace(GOOD, self_contained=False), checked=True) == ("not self-contained",)
    assert faults(replace(GOOD, duplicate_of=1), checked=True) == ("a duplicate",)
    assert faults(replace(GOOD, key_check=answer("B")), checked=True) == ("key not reproduced",)
    assert faults(replace(GOOD, key_check=answer("?")), checked=True) == ("key not confirmed",)
    assert faults(replace(GOOD, key_check=None), checked=True) == ("key not confirmed",)


def test_a_set_key_must_be_reproduced_whole() -> None:
    two = item(1, "AC", key="AC")
    assert faults(two, checked=True) == ()
    assert faults(replace(two, key_check=answer("A")), checked=True) == ("key not reproduced",)
    assert faults(replace(two, key_check=answer("CA")), checked=True) == ()


def test_unknown_self_containment_is_taken_on_trust_and_so_are_keys_that_nobody_checks() -> None:
    assert faults(replace(GOOD, self_contained=None), checked=True) == ()
    assert faults(replace(GOOD, key_check=None, self_contained=None), checked=False) == ()


def test_every_count_by_hand() -> None:
    unwritten = QuestionRecord(4, "recall", None, "unreadable", "no key")
    missing = Phrasing(None, None, problem="empty")
    changed = Phrasing("Other?", answer("B"), same_meaning=False)
    unchecked = Phrasing("Same?", answer("A"))
    sentences = validity(
        record(
            [
                concept_record(
                    "one", [item(1, "A A A"), replace(item(2, "A"), key_check=answer("B")), item(3, "?", pointing="above")]
                ),
                concept_record(
                    "two",
                    [
                        replace(GOOD, phrasings=(*GOOD.phrasings, changed)),  # 2 paraphrases, one changed
                        replace(item(2, "A"), phrasings=(Phrasing("Q?", answer("A")), missing, unchecked)),
                        replace(item(3, "A", key_check=answer("-")), duplicate_of=1, parse="lenient"),
                        unwritten,
                    ],
                ),
                ConceptRecord(Concept("three"), None, "time-out", ()),
            ],
            config=EqtConfig(questions=4, paraphrases=2),
        )
    )
    # 3 sittings of 4; 3 + 3 written; one without a key, one of the first never asked for, four without explanation.
    assert (sentences.wanted, sentences.written) == (12, 6)
    assert sentences.not_written == {"no explanation": 4, "never asked for": 1, "no key": 1}
    assert sentences.parses == {"strict": 5, "lenient": 1, "unreadable": 1}
    assert (sentences.pointing, sentences.not_self_contained, sentences.duplicates) == (1, 0, 1)
    assert (sentences.key_checked, sentences.key_failed, sentences.key_unreadable) == (6, 1, 1)
    # 6 questions x 2; made: 2 + 0 + 0 + 2 + 1 + 0; one could not be made, six were never asked for.
    assert (sentences.paraphrases_wanted, sentences.paraphrases_made) == (12, 5)
    assert sentences.not_paraphrased == {"never asked for": 6, "empty": 1}
    assert (sentences.paraphrases_changed, sentences.paraphrases_unchecked) == (1, 1)
    # 1 of "one" (2 fails its key, 3 points), 1 and 2 of "two" (3 is a duplicate whose key is not confirmed).
    assert sentences.valid == 3
    assert sentences.wanted == sentences.written + sum(sentences.not_written.values())
    assert sentences.paraphrases_wanted == sentences.paraphrases_made + sum(sentences.not_paraphrased.values())


def test_what_was_never_asked_for_is_counted() -> None:
    sentences = validity(record([concept_record("one", [GOOD])], config=EqtConfig(questions=99, paraphrases=99)))
    assert sentences.not_written == {"never asked for": 98}
    assert sentences.not_paraphrased == {"never asked for": 98}


def test_more_than_was_asked_for_is_no_negative_count() -> None:
    sentences = validity(
        record([concept_record("one", [GOOD, item(2, "A A A A")])], config=EqtConfig(questions=1, paraphrases=1))
    )
    assert (sentences.not_written, sentences.not_paraphrased) == ({}, {})


def test_the_answers_of_a_question_do_not_touch_what_it_is_worth() -> None:
    wrong = replace(GOOD, phrasings=(Phrasing("Q?", ParsedAnswer(None, "unreadable", "x")),), open_book=answer("D"))
    assert faults(wrong, checked=True) == ()
