"""Kinds of variations, and the writers of them."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.errors import BadInput, UnknownName
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question
from vivavoce.studies.config import MOST_VARIANTS, VaryConfig
from vivavoce.studies.scope_subjects import subjects_of
from vivavoce.studies.variations import writing
from vivavoce.studies.variations.kinds import (
    CONTEXTS,
    KINDS,
    PERSONAS,
    TURNS,
    Wording,
    in_words,
    mistyped,
    reordered,
    variation,
    with_typos,
)
from vivavoce.studies.variations.varied_question import VariedQuestion, vary

BIBLIOGRAPHY = Path(__file__).parents[3] / "docs" / "references.bib"


@given(st.integers(2, 9), st.integers(1, MOST_VARIANTS), st.integers(0, 2**32))
def test_orders_are_others_and_each_option_is_found_again(size: int, number: int, seed: int) -> None:
    options = tuple(f"option {i}" for i in range(size))
    wordings = reordered(Wording("Which?", options), number, np.random.default_rng(seed))
    assert len(wordings) == number
    for entry in wordings:
        assert entry.options != options
        assert [options[entry.original_place(i)] for i in range(size)] == list(entry.options)
    different = {entry.options for entry in wordings}
    # of n things there are n! - 1 other orders
    assert len(different) == min(number, {2: 1, 3: 5}.get(size, number))
    moved_all = [entry for entry in wordings if all(entry.places[i] != i for i in range(size))]
    assert len({entry.options for entry in moved_all}) >= min(number, size - 1)


@each_case(
    ("text", "options"),
    [
        ("Which?", ("one",)),
        ("Which?", ()),
        ("Is option B better?", ("yes", "no")),
        ("Which?", ("1", "2", "A and B")),
        ("Which?", ("1", "2", "Both A and B")),
        ("Which?", ("None of the above", "2", "3")),
    ],
)
def test_what_names_options_by_their_place_is_not_reordered(text: str, options: tuple[str, ...]) -> None:
    assert reordered(Wording(text, options), 1, np.random.default_rng(0)) == ()


def test_an_option_about_the_others_stays_last() -> None:
    wording = Wording("Which?", ("1", "2", "3", "All of the above"))
    assert {entry.options[-1] for entry in reordered(wording, 5, np.random.default_rng(0))} == {"All of the above"}


TEXT = 'Ann Lovelace of Geneva sold 1250 parcels at 3.75 each; "parcel" means exactly `box_count`. What did Lovelace receive?'


@given(st.integers(0, 2**32))
def test_a_typing_error_leaves_numbers_names_quotations_and_code(seed: int) -> None:
    varied = mistyped(TEXT, np.random.default_rng(seed))
    assert varied is not None
    assert varied != TEXT
    for kept in ("Ann Lovelace of Geneva", "1250", "3.75", '"parcel"', "`box_count`", "Lovelace receive"[:8]):
        assert kept in varied
    before, after = TEXT.split(), varied.split()
    wrong = [(name, other) for name, other in zip(before, after, strict=True) if name != other]
    assert len(wrong) == 1  # a tenth of its 6 words that may be touched, and at least one
    assert wrong[0][0][0] == wrong[0][1][0]
    assert abs(len(wrong[0][0]) - len(wrong[0][1])) <= 1
    assert Counter(re.findall(r"\d", TEXT)) == Counter(re.findall(r"\d", varied))


def test_where_no_word_may_be_touched_there_is_no_variant() -> None:
    assert with_typos(Wording("7 + 8 = ?"), 3, np.random.default_rng(0)) == ()


@pytest.mark.parametrize(
    "kind", [kind for kind in KINDS if not kind.written and kind.name not in ("order", "turn")], ids=lambda kind: kind.name
)
def test_other_kinds_leave_options_alone_and_hold_the_question(kind: object) -> None:
    wording = Wording("Which colour is largest?", ("red", "blue"))
    make = kind.make(wording, MOST_VARIANTS, np.random.default_rng(3))  # type: ignore[attr-defined]
    assert len(make) == MOST_VARIANTS
    assert all(entry.options == wording.options and entry.text != wording.text for entry in make)
    if kind.name != "typos":  # type: ignore[attr-defined]
        assert len({entry.text for entry in make}) == MOST_VARIANTS
        assert all(entry.text.endswith(f"\n\n{wording.text}") for entry in make)


def test_a_turn_before_leaves_the_question_as_it_is() -> None:
    wording = Wording("Which colour is largest?", ("red", "blue"))
    function = variation("turn").kind.make
    assert function is not None
    variants = function(wording, MOST_VARIANTS, np.random.default_rng(3))
    assert len({variant.before for variant in variants}) == MOST_VARIANTS
    assert {replace(variant, before=()) for variant in variants} == {wording}
    assert in_words(variants[0]) == f"[{variants[0].before[0].asked} / {variants[0].before[0].replied}] {in_words(wording)}"


def test_sentences_hold_no_number_that_could_be_an_answer() -> None:
    assert min(len(CONTEXTS), len(PERSONAS), len(TURNS)) >= MOST_VARIANTS
    turns = (sentence for turn in TURNS for sentence in (turn.asked, turn.replied))
    assert not any(re.search(r"\d", sentence) for sentence in (*CONTEXTS, *PERSONAS, *turns))


def test_each_kind_has_a_source_in_the_bibliography() -> None:
    keys = set(re.findall(r"^@\w+\{(\w+),", BIBLIOGRAPHY.read_text(encoding="utf-8"), flags=re.MULTILINE))
    assert {kind.source for kind in KINDS} <= keys


def test_names() -> None:
    assert variation("translate:fr").spoken == "French"
    assert variation("translate:Basque").about == "a translation into Basque"
    for name, error in (("ordre", UnknownName), ("order:de", BadInput), ("translate", BadInput), ("translate:\x1b", BadInput)):
        with pytest.raises(error):
            variation(name)
    with pytest.raises(BadInput, match="twice"):
        VaryConfig(vary=("order", "order"))
    with pytest.raises(BadInput, match="no kind"):
        VaryConfig(vary=())


QUESTION = Question("1", "Which is the largest city of Norway?", ("Oslo", "Bergen"), ("A",))
OPEN_QUESTION = Question("2", "Who wrote Emma?", accepted=("Jane Austen",))
SUM = Question("3", "17 + 4 = ?", accepted=("21",))
CONFIG = VaryConfig(vary=("paraphrase", "translate:de"), questions=3)


@dataclass
class ConstantReply:
    """Replies with the same to whatever it is asked; `{name}` is the name of the statement."""

    says: str
    name: str = "test:writer"

    async def answer(self, question: Prompt, /) -> Reply:
        names = re.findall(r"^- (\w+): ", question.text, flags=re.MULTILINE)
        return Reply("\n".join(f"[Statement {name}] {self.says.format(name=name)}" for name in names) or self.says)


def clusters(*questions: Question, config: VaryConfig = CONFIG) -> list[VariedQuestion]:
    return vary(subjects_of(ListedScope("some", questions), config), config)


def written(says: str, *questions: Question, config: VaryConfig = CONFIG) -> list[writing.VariantsDraft]:
    begun = writing.begin(clusters(*questions, config=config), config)
    return asyncio.run(writing.write(Interview(ConstantReply(says), answers=Reply), begun, config))


@each_case(
    ("says", "fault"),
    [
        ("Which is the largest city of Norway?", "a statement is a copy"),
        ("which is the  largest city of Norway", "a statement is a copy"),
        ("Norway's largest city? (A) Oslo (B) Bergen", "the options are in the text, too"),
        ("Which\x1b[2J city?", "characters that steer a terminal"),
        ("x" * 2_001, "longer than 2,000"),
        ("[Cannot] no", "cannot be written"),
        ("", "a statement is empty"),
    ],
)
def test_what_is_no_paraphrase_is_seen_without_a_model(says: str, fault: str) -> None:
    config = VaryConfig(vary=("paraphrase",), questions=1)
    (draft,) = written(says, QUESTION, config=config)
    assert fault in str(draft.fault)
    assert draft.as_tuple().status == "rejected"
    (cluster,) = writing.with_drafts(clusters(QUESTION, config=config), [draft], config, checked=True)
    assert not cluster.variants
    assert list(cluster.left_out) == ["paraphrase"]


def test_what_applies_is_asked_for_and_options_are_translated_with_the_text() -> None:
    drafts = {draft.id: draft for draft in written("Neu: {name}?", QUESTION, OPEN_QUESTION, SUM)}
    # answers in free text cannot be compared in two languages
    assert set(drafts) == {"paraphrase/1", "translate:de/1", "paraphrase/2", "paraphrase/3", "translate:de/3"}
    assert drafts["translate:de/1"].variants[0].options == ("Neu: option_A?", "Neu: option_B?")
    assert drafts["paraphrase/1"].variants[0].options == ("Oslo", "Bergen")


def test_a_checker_rejects_what_it_says_no_to_and_what_it_does_not_say() -> None:
    drafts = written("Neu: {name}?", QUESTION)
    ends = {"Answer: YES": "accepted", "Reason: no.\nAnswer: NO": "rejected", "Well.": "rejected"}
    for key, status in ends.items():
        checked = asyncio.run(writing.check(Interview(ConstantReply(key), answers=Reply), drafts))
        assert {draft.as_tuple().status for draft in checked} == {status}, key


def test_a_budget_that_ends_leaves_the_rest_unwritten_or_unchecked() -> None:
    begun = writing.begin(clusters(QUESTION, SUM), CONFIG)
    budget = Budget(questions=1)
    drafts = asyncio.run(
        writing.write(Interview(ConstantReply("Neu: {name}?"), answers=Reply, budget=budget, concurrency=1), begun, CONFIG)
    )
    assert [draft.fault is None for draft in drafts] == [True, False, False, False]
    whole = written("Neu: {name}?", QUESTION, SUM)
    checked = asyncio.run(
        writing.check(Interview(ConstantReply("Answer: YES"), answers=Reply, budget=budget, concurrency=1), whole)
    )
    assert [draft.as_tuple().status for draft in checked] == ["accepted", "proposed", "proposed", "proposed"]
    questions = writing.with_drafts(clusters(QUESTION, SUM), checked, CONFIG, checked=True)
    assert sum(len(cluster.variants) for cluster in questions) == 1


def test_a_file_gives_back_what_was_written() -> None:
    config = replace(CONFIG, variants=2)
    drafts = [replace(draft, vouched="accepted by Ann") for draft in written("Neu: {name}?", QUESTION, SUM, config=config)]
    tuples = [draft.as_tuple() for draft in drafts]
    some = clusters(QUESTION, SUM, config=config)
    assert writing.with_tuples(some, tuples, config) == writing.with_drafts(some, drafts, config, checked=True)
    fewer = [
        replace(question_tuple, questions={"P": question_tuple.questions["P"], "para_P": question_tuple.questions["para_P"]})
        for question_tuple in tuples
    ]
    for cluster in writing.with_tuples(some, fewer, config):
        assert not cluster.variants
        assert set(cluster.left_out.values()) == {"fewer than 2 variants in the file"}
    lost = [
        replace(question_tuple, questions={**question_tuple.questions, "para_P": "Neu? (A) Oslo"}) for question_tuple in tuples
    ]
    with pytest.raises(BadInput, match="needs its 2 options below it"):
        writing.with_tuples(some, lost, config)


def test_a_kind_that_does_not_apply_is_told() -> None:
    (cluster,) = writing.with_drafts(clusters(OPEN_QUESTION), written("Neu: {name}?", OPEN_QUESTION), CONFIG, checked=False)
    assert set(cluster.variants) == {"paraphrase"}
    assert cluster.left_out == {"translate:de": "does not apply"}
