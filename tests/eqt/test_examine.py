"""The procedure: what is asked when, in which order results come, and what becomes of all that can go wrong."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from tests.eqt.examined import CONCEPTS, SET_UP, FailingMind, Performer, all_roles, examined
from tests.eqt.models import FAULTY, MindModel, MindProbabilities
from tests.eqt.server import serving
from vivavoce.candidates import close_candidate, open_candidate
from vivavoce.eqt.examine import Examiner, explain_query_test
from vivavoce.eqt.record import ROLES, Concept, EqtConfig, QuestionRecord, concept_topic
from vivavoce.errors import BadInput, CandidateMisconfigured, TransportFault
from vivavoce.interview import Budget, Interview, Prompt, Reply, Transcript


async def test_the_same_behind_a_real_server_as_in_process() -> None:
    with serving(FAULTY) as server:
        candidate = open_candidate(server.candidate(5))
        interview: Examiner = Interview(candidate, answers=Reply, concurrency=20)
        served = await explain_query_test(all_roles(interview), CONCEPTS, SET_UP)
        await close_candidate(candidate)
        seen = server.seen()
    own = await examined(replace(FAULTY, seed=5))
    assert served.concept_records == own.concept_records
    assert served.calls == own.calls
    # Only a server is probed: for the temperature of the first question, and for the schema of the first that has one.
    assert seen["requests"] == seen["different"] == own.calls + 2
    # Tokens are counted alike, "ready" as one, but the server does not see system texts.
    assert (served.planned, served.exhausted, served.tokens_out) == (3, "", own.tokens_out + 2)
    assert served.roles == dict.fromkeys(ROLES, candidate.name)


async def test_results_come_in_the_order_of_concepts_and_numbers() -> None:
    """Whatever is answered first: delays are random, the record is not."""
    rng = random.Random(1)
    plain = await examined()
    for _ in range(3):
        mind = MindModel(FAULTY)

        async def slowly(question: Prompt, mind: MindModel = mind) -> Reply:
            await asyncio.sleep(rng.random() * 0.01)
            return await mind.answer(question)

        slow = Performer(slowly)
        record = await explain_query_test(
            all_roles(Interview(slow, answers=Reply, concurrency=7)), CONCEPTS, SET_UP, concurrency=7
        )
        assert record == plain
        assert slow.most_at_once == 7
    assert [concept_record.concept for concept_record in plain.concept_records] == CONCEPTS
    assert all([item.number for item in concept_record.items] == [1, 2, 3] for concept_record in plain.concept_records)


@pytest.mark.parametrize(
    ("held", "lost"),
    # Per concept 1 + 3 x (1 written + 2 paraphrases + 3 answers + open + key + self-contained + 2 meanings) = 34 calls. Held
    # back are: all on one concept; all on one question; in each concept a paraphrase, its answer and its check.
    [("Graph theory/explanation", 34), ("Graph theory/question 02/written", 11), ("question 01/paraphrase 02", 3 * 3)],
)
async def test_nothing_waits_for_another_concept_or_question(held: str, lost: int) -> None:
    """A reply is held back until all that does not need it is answered: waiting for it would never end."""
    release, all_others = asyncio.Event(), asyncio.Event()
    mind = MindModel(MindProbabilities())

    async def behaviour(question: Prompt) -> Reply:
        if question.id.endswith(held):
            await release.wait()
        reply = await mind.answer(question)
        if len(mind.asked) == 3 * 34 - lost:
            all_others.set()
        return reply

    interview: Examiner = Interview(Performer(behaviour), answers=Reply, concurrency=50)
    run = asyncio.create_task(explain_query_test(all_roles(interview), CONCEPTS, SET_UP))
    await asyncio.wait_for(all_others.wait(), 10)
    assert not run.done()
    release.set()
    assert (await run).calls == 3 * 34


async def test_what_does_not_come_is_kept_with_its_reason() -> None:
    def failure(question: Prompt) -> str | Exception | None:
        match question.id.removeprefix("eqt/").split("/")[1:]:
            case ["Graph theory", "explanation"]:
                return "I'm sorry, but I can't explain this."
            case ["TCP∕IP", "question 01", "written"]:
                return TransportFault("the prompt is too long", worth_retrying=False)
            case ["TCP∕IP", "question 02", "written"]:
                return "I cannot write questions."
            case ["TCP∕IP", "question 03", "paraphrase 01"]:
                return ""
            case ["TCP∕IP", "question 03", "paraphrase 02"]:
                return TransportFault("time-out", worth_retrying=False)
            case ["TCP∕IP", "question 03", "answer original"]:
                return "Answer: A\nAnswer: B"
            case ["TCP∕IP", "question 03", "open book"]:
                return RuntimeError("a bug")
            case ["TCP∕IP", "question 03", "key check" | "self-contained"]:
                return "Hm."
            case ["Habeas corpus", "question 01", "paraphrase 02"]:
                return "Paraphrase: Of aspect 1 of «Habeas corpus», which hold?"
            case ["Habeas corpus", "question 01", "paraphrase 01"]:
                return "**Paraphrase:** of Aspect 1 of «Habeas corpus» which hold"
        return None

    odd = FailingMind(failure)
    record = await explain_query_test(all_roles(Interview(odd, answers=Reply)), CONCEPTS, SET_UP)
    graphs, internet, corpus = record.concept_records
    assert (graphs.explanation, graphs.problem, graphs.items) == (None, "refused", ())
    first, second, third = internet.items
    assert (first.question, first.parse, first.problem) == (None, "no answer", "no answer")
    assert (second.question, second.parse, second.problem) == (None, "unreadable", "refused")
    assert [phrasing.problem for phrasing in third.phrasings] == ["", "empty", "time-out"]
    assert [phrasing.answer for phrasing in third.phrasings[1:]] == [None, None]
    original = third.phrasings[0].answer
    assert original is not None
    assert (original.chosen, original.parse, original.problem) == (None, "unreadable", "several answers")
    assert third.open_book is not None
    assert (third.open_book.parse, third.open_book.problem) == ("no answer", "no answer")
    assert third.key_check is not None
    assert (third.key_check.parse, third.self_contained) == ("unreadable", None)
    # Two paraphrases with the same words are one; which of them came first does not matter.
    assert [phrasing.problem for phrasing in corpus.items[0].phrasings] == ["", "", "repeats another paraphrase"]
    # Nobody was asked what cannot be answered: no question on graphs, one of three on TCP/IP.
    assert not [asked for asked in odd.asked if "Graph theory/question" in asked]
    assert Counter(odd.asked).most_common(1)[0][1] == 1
    # Graph theory: 1. TCP/IP: explanation, 3 questions; of the third 2 paraphrases, original, open book, key, self-contained.
    assert record.calls == 1 + (1 + 3 + 6) + (1 + 3 * 11)


async def test_a_candidate_that_cannot_be_asked_ends_it_with_its_own_error() -> None:
    odd = FailingMind(
        lambda question: CandidateMisconfigured("no such model") if "question 02/written" in question.id else None
    )
    interview = Interview(odd, answers=Reply, concurrency=4)
    with pytest.raises(CandidateMisconfigured, match="no such model"):
        await explain_query_test(all_roles(interview), CONCEPTS, SET_UP, concurrency=4)
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_each_role_is_asked_its_own(tmp_path: Path) -> None:
    minds = {role: MindModel(MindProbabilities(), f"test:{role}") for role in ROLES}
    with Transcript.open(tmp_path / "t.sqlite") as transcript:
        interviews = {role: Interview(minds[role], answers=Reply, transcript=transcript) for role in ROLES}
        record = await explain_query_test(interviews, CONCEPTS[:1], SET_UP)
    kinds = {role: {name.rpartition("/")[2].rstrip("0123456789 ") for name in mind.asked} for role, mind in minds.items()}
    assert kinds == {
        "explainer": {"explanation"},
        "writer": {"written"},
        "paraphraser": {"paraphrase"},
        "answerer": {"answer original", "answer paraphrase", "open book"},
        "checker": {"key check", "self-contained", "meaning of paraphrase"},
    }
    assert record.roles == {role: f"test:{role}" for role in ROLES}


async def test_closed_book_answers_see_no_explanation_and_no_key() -> None:
    seen: dict[str, Prompt] = {}

    def note(question: Prompt) -> None:
        seen[question.id] = question

    odd = FailingMind(note)
    record = await explain_query_test(all_roles(Interview(odd, answers=Reply)), CONCEPTS[:1], replace(SET_UP, temperature=0.5))
    explanation = record.concept_records[0].explanation
    assert explanation is not None
    for name, prompt in seen.items():
        step = name.rpartition("/")[2]
        assert (explanation in prompt.text) == (step in ("written", "open book", "key check"))
        assert not prompt.shown
        assert "Correct:" not in prompt.text or step == "written"
        asks = step.startswith(("explanation", "written", "paraphrase"))
        assert prompt.temperature == (None if asks else 0.5)


async def test_without_checks_and_shuffling() -> None:
    plain = await examined(MindProbabilities(), CONCEPTS[:1], replace(SET_UP, checks=False, shuffle=False))
    for item in plain.concept_records[0].items:
        assert (item.key_check, item.self_contained) == (None, None)
        assert [phrasing.same_meaning for phrasing in item.phrasings] == [None] * 3
        assert item.question is not None
        assert [option[0] for option in item.question.options] == ["w", "x", "y", "z"]  # as the writer gave them
    shuffled = await examined(MindProbabilities(), CONCEPTS[:1], SET_UP)
    assert any(item.question and item.question.options[0][0] != "w" for item in shuffled.concept_records[0].items)


async def test_visitors_answer_all_originals() -> None:
    guests = {
        name: MindModel(MindProbabilities(seed=seed, recall=recall), name)
        for name, seed, recall in (("a/b", 7, 0.0), ("checker", 8, 1.0))
    }
    own = MindModel(MindProbabilities(unwritten=0.3))
    broke: Examiner = Interview(MindModel(MindProbabilities(), "poor"), answers=Reply, budget=Budget(questions=2))
    with Transcript.open(None) as transcript:
        visitors = {name: Interview(guest, answers=Reply, transcript=transcript) for name, guest in guests.items()}
        record = await explain_query_test(
            all_roles(Interview(own, answers=Reply, transcript=transcript)),
            CONCEPTS,
            SET_UP,
            visitors={**visitors, "poor": broke},
        )
        topics = {entry.topic for entry in transcript.records(candidate="a/b")}
    assert record.visitors is not None
    put = {
        (concept_record.concept.name, item.number): item
        for concept_record in record.concept_records
        for item in concept_record.items
        if item.question
    }
    assert 0 < len(put) < 9
    for name, right in (("a/b", False), ("checker", True)):
        assert record.visitors[name].keys() == put.keys()
        assert all((answer.chosen == _key(put[key])) is right for key, answer in record.visitors[name].items())
    start = "eqt/computer science/TCP∕IP/question"
    assert {f"{start} {number:02d}/8 visitor a∕b" for name, number in put if name == "TCP/IP"} <= topics
    assert len(topics) == len(put)
    # A visitor whose budget runs out does not break off the candidate's sittings.
    assert len(record.visitors["poor"]) == 2
    assert (len(record.concept_records), record.exhausted) == (3, "questions")


def _key(item: QuestionRecord) -> frozenset[int]:
    assert item.question is not None
    return item.question.key


async def test_topics_in_order_tell_the_examination(tmp_path: Path) -> None:
    with Transcript.open(tmp_path / "t.sqlite") as transcript:
        interview = Interview(MindModel(MindProbabilities()), answers=Reply, transcript=transcript, concurrency=50)
        await explain_query_test(all_roles(interview), CONCEPTS, EqtConfig(questions=11, paraphrases=1))
        topics = sorted(record.topic for record in transcript.records(topic=concept_topic(CONCEPTS[1])))
    start = "eqt/computer science/TCP∕IP"
    assert topics[0] == f"{start}/1 explanation"
    steps = ["1 written", "2 paraphrase 01", "3 answer original", "3 answer paraphrase 01", "4 open book", "5 key check"]
    steps += ["6 self-contained", "7 meaning of paraphrase 01"]
    assert topics[1:] == [f"{start}/question {number:02d}/{step}" for number in range(1, 12) for step in steps]


async def test_concepts_that_cannot_be_told_apart_and_roles_that_nobody_has() -> None:
    interview: Examiner = Interview(MindModel(MindProbabilities()), answers=Reply)
    twice = [Concept("game theory", "math"), Concept("game theory", "economics")]
    record = await explain_query_test(all_roles(interview), twice, EqtConfig(questions=1, paraphrases=0))
    assert len(record.concept_records) == 2
    with pytest.raises(BadInput, match="'game theory' is listed 2 times"):
        await explain_query_test(all_roles(interview), twice, visitors={"guest": interview})
    with pytest.raises(BadInput, match="is listed 2 times"):
        await explain_query_test(all_roles(interview), [Concept("a/b"), Concept("a∕b")])
    with pytest.raises(BadInput, match="no interview has the role 'writer'"):
        await explain_query_test({"explainer": interview}, twice)
