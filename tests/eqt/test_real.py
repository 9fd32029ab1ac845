"""Recordings of real models, checked again without one: examinations, concept names, and what the page says."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.eqt_real import CONCEPTS, RECORDING, SETTING, TABLE_1, examined, found, read_recording, table
from tests.each_case import each_case
from tests.papers.eqt_table1 import AVERAGES, MODELS
from vivavoce.eqt.concept_extraction import LONGEST, MOST_WORDS, SENTENCE, concept_in, concept_prompt, name_in
from vivavoce.eqt.files import Original
from vivavoce.eqt.record import EqtRecord
from vivavoce.eqt.result import EqtResult
from vivavoce.interview.candidate import Reply
from vivavoce.interview.forms.spellings import words_of
from vivavoce.interview.forms.written_question import MultipleChoice

PAGE = Path(__file__).parents[2] / "docs/eqt-real.md"


@pytest.fixture(scope="module")
def record() -> EqtRecord:
    return asyncio.run(examined(read_recording()))


@pytest.fixture(scope="module")
def finding(record: EqtRecord) -> EqtResult:
    return found(record)


def test_it_is_the_papers_table_beside_it() -> None:
    assert tuple(TABLE_1.items()) == tuple(zip(MODELS, AVERAGES, strict=True))
    assert (len(CONCEPTS), SETTING.paraphrases) == (20, 3)


def test_every_reply_is_asked_for_once_and_nothing_else_is() -> None:
    asked: list[tuple[str, bool]] = []

    class RecordingListener:
        recorded = read_recording()
        name, ways = recorded.name, recorded.ways

        async def answer(self, question):  # type: ignore[no-untyped-def]
            asked.append((question.id, bool(question.shown)))
            return await self.recorded.answer(question)

    asyncio.run(examined(RecordingListener()))
    assert sorted(asked) == sorted(read_recording().replies)


def test_what_is_said_of_it_follows_from_its_replies_by_hand(record: EqtRecord, finding: EqtResult) -> None:
    """From the raw lines: letters of answers, and lists of right options under the schema, without the pipeline's readers."""
    lines = [json.loads(line) for line in RECORDING.read_text(encoding="utf-8").splitlines()[1:]]
    replies = {line["id"]: line for line in lines}
    written = [reply for reply in replies if reply.endswith("/written")]
    assert len(written) == 20
    assert sum(replies[entry]["finish"] == "length" for entry in written) == finding.validity.not_written["cut off"]
    kept = [
        (concept_record, item)
        for concept_record in record.concept_records
        for item in concept_record.items
        if item.question is not None
    ]
    assert len(kept) == finding.validity.written
    right, agree = [], []
    for concept_record, item in kept:
        where = f"eqt/{concept_record.concept.category}/{concept_record.concept.name}/question 01"
        fields = json.loads(replies[f"{where}/written"]["text"])
        assert item.question is not None
        keyed = {item.question.options[option] for option in item.question.key}
        assert keyed <= {text.strip() for text in fields["right_answers"]}
        results, wordings = [], set()
        for word in ("original", "paraphrase 01", "paraphrase 02", "paraphrase 03"):
            wording = json.loads(replies[f"{where}/{word}"]["text"])["paraphrase"] if word != "original" else ""
            if f"{where}/answer {word}" in replies and wording.strip(" .?").lower() not in wordings:
                wordings.add(wording.strip(" .?").lower())
                names = replies[f"{where}/answer {word}"]["text"].strip().removeprefix("Answer: ").split(", ")
                assert all(len(name) == 1 for name in names)
                results.append(frozenset(names))
        right.append(results[0] == {"ABCDEFGHIJ"[option] for option in item.question.key})
        agree += [1 - (len(set(results)) - 1) / len(results)] if len(results) > 1 else []
    assert finding.whole.closed_originals.value == pytest.approx(sum(right) / len(right))
    assert finding.whole.acs.value == pytest.approx(sum(agree) / len(agree))


def test_the_page_says_what_was_found(record: EqtRecord, finding: EqtResult) -> None:
    page = PAGE.read_text(encoding="utf-8")
    stems = [
        item.question.stem
        for concept_record in record.concept_records
        for item in concept_record.items
        if item.question is not None
    ]
    without = sum("?" not in stem for stem in stems)
    checked, whole = finding.validity, finding.whole
    for text in (
        f"{checked.written} of {checked.wanted} questions",
        f"{checked.paraphrases_made} of {checked.paraphrases_wanted} paraphrases",
        f"{checked.not_written['cut off']} were cut off",
        f"{whole.acs.value:.2f} [{whole.acs.interval.lower:.2f}, {whole.acs.interval.upper:.2f}]",
        f"{round(100 * (whole.closed_originals.value or 0))}%",
        f"{sum(finding.unread.values())} of {whole.unreadable.n} answers",
        f"{finding.cut_explanations} of {finding.completed}; all end at the limit",
        f"{without} of {checked.written} stems have no question mark",
    ):
        assert text in page, text
    for row in table(finding)[1:6]:
        assert row.split()[-2] in page


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


@each_case(
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
