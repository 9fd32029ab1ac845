"""The same examination in words and under schemas, against servers that keep to them or take no notice."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from tests.eqt.examined import CONCEPTS, SET_UP, all_roles, examined
from tests.eqt.models import FAULTY, MindModel, MindProbabilities, explanation
from tests.eqt.server import PlantedServer, serving
from vivavoce.candidates import close_candidate, open_candidate
from vivavoce.eqt.examine import explain_query_test
from vivavoce.eqt.grounding import grounding
from vivavoce.eqt.record import EqtRecord, QuestionRecord
from vivavoce.eqt.score import score
from vivavoce.interview import Interview, Reply
from vivavoce.interview.asker import AskSettings
from vivavoce.interview.forms.form import ReplyFormat

MIND = replace(FAULTY, seed=3)


async def served(server: PlantedServer, asking: ReplyFormat | None = None) -> EqtRecord:
    candidate = open_candidate(server.candidate(3))
    try:
        return await explain_query_test(
            all_roles(Interview(candidate, answers=Reply, settings=AskSettings(reply_format=asking))), CONCEPTS, SET_UP
        )
    finally:
        await close_candidate(candidate)


def fingerprint(record: EqtRecord) -> list[tuple[object, ...]]:
    """What was asked and answered, whatever order options of a question came in."""
    return [_of_item(item) for concept_record in record.concept_records for item in concept_record.items]


def _of_item(item: QuestionRecord) -> tuple[object, ...]:
    question = item.question
    if question is None:
        return (item.number, item.kind, None)
    answers = [item.open_book, item.key_check, *(phrasing.answer for phrasing in item.phrasings)]
    chosen = [a and a.chosen is not None and frozenset(question.options[index] for index in a.chosen) for a in answers]
    wordings = [(phrasing.stem, phrasing.same_meaning) for phrasing in item.phrasings]
    return (item.number, question.stem, {question.options[index] for index in question.key}, wordings, chosen)


def test_questions_paraphrases_and_verdicts_come_under_schemas_where_the_server_keeps_to_them() -> None:
    mind = replace(MIND, unwritten=0.0)  # what is no question in words may well be one in fields
    with serving(mind, schemas=True) as server:
        record = asyncio.run(served(server))
        asked = server.seen()
    assert fingerprint(record) == fingerprint(asyncio.run(examined(mind)))
    written = [item for concept_record in record.concept_records for item in concept_record.items]
    paraphrases = sum(len(item.phrasings) - 1 for item in written if item.question)
    made = sum(phrasing.stem is not None or "repeats" in phrasing.problem for i in written for phrasing in i.phrasings[1:])
    probe = 1
    assert asked["under a schema"] == 2 * len(written) + paraphrases + made + probe  # and whether each stands by itself
    assert {item.parse for item in written} == {
        "strict",
        "lenient",
    }  # some have another number of right options than asked for


@pytest.mark.long
def test_a_server_that_takes_no_notice_is_read_in_words() -> None:
    with serving(MIND) as server:
        record = asyncio.run(served(server))
        assert server.seen()["under a schema"] == 0
    assert fingerprint(record) == fingerprint(asyncio.run(examined(MIND)))


@pytest.mark.long
def test_how_it_was_asked_stands_in_the_signature() -> None:
    with serving(MIND) as server:
        in_words = asyncio.run(served(server, "text"))
        assert server.seen()["requests"] == in_words.calls + 1  # neither turns nor schemas; the temperature is probed
    assert score(in_words).signature.settings["asking"] == "text"
    assert score(asyncio.run(examined(MIND))).signature.settings["asking"] == "by form"


@pytest.mark.long
def test_sources_are_put_to_a_server_as_to_a_mind_in_this_process() -> None:
    """Planted failures of each kind, over the line and under schemas, fall where they fall without either."""
    mind = MindProbabilities(seed=3, mistaken=0.4, broken=0.5, recall=0.6)
    sources = {concept.name: explanation(concept.name) for concept in CONCEPTS}
    near = asyncio.run(
        explain_query_test(all_roles(Interview(MindModel(mind), answers=Reply)), CONCEPTS, SET_UP, sources=sources)
    )

    async def over_the_line(server: PlantedServer) -> EqtRecord:
        candidate = open_candidate(server.candidate(3))
        try:
            return await explain_query_test(all_roles(Interview(candidate, answers=Reply)), CONCEPTS, SET_UP, sources=sources)
        finally:
            await close_candidate(candidate)

    with serving(mind, schemas=True) as server:
        far = asyncio.run(over_the_line(server))
    here, there = grounding(near), grounding(far)
    assert here is not None
    assert there is not None
    assert here.counts == there.counts
    assert {name for name, number in here.counts.items() if number} == {"explaining", "writing", "answering", "none"}
