"""What a writer proposes: seen through where it is none, and brought back from a file as it was written."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, replace

import pytest

from vivavoce.errors import BadInput
from vivavoce.examination.varied import subjects_of
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question
from vivavoce.studies.config import VaryConfig
from vivavoce.studies.variations import writing
from vivavoce.studies.variations.varied_question import VariedQuestion, vary

QUESTION = Question("1", "Which is the largest city of Norway?", ("Oslo", "Bergen"), ("A",))
TEXT = Question("2", "Who wrote Emma?", accepted=("Jane Austen",))
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


@pytest.mark.parametrize(
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
    drafts = {draft.id: draft for draft in written("Neu: {name}?", QUESTION, TEXT, SUM)}
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
    (cluster,) = writing.with_drafts(clusters(TEXT), written("Neu: {name}?", TEXT), CONFIG, checked=False)
    assert set(cluster.variants) == {"paraphrase"}
    assert cluster.left_out == {"translate:de": "does not apply"}
