"""The procedure: what is asked when, in which order results come, what it costs, and what becomes of all that can go wrong."""

from __future__ import annotations

import asyncio
import multiprocessing
import random
import signal
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.eqt import killed
from tests.eqt.examined import CONCEPTS, SET_UP, FailingMind, Performer, all_roles, examined
from tests.eqt.models import FAULTY, MindModel, MindProbabilities
from tests.eqt.server import serving
from vivavoce.candidates import close_candidate, open_candidate
from vivavoce.eqt.examine import Examiner, PriorityLimiter, calls_ahead, cost_estimate, explain_query_test
from vivavoce.eqt.record import ROLES, Concept, EqtConfig, EqtRecord, EqtRole, QuestionRecord, concept_topic
from vivavoce.errors import BadInput, CandidateMisconfigured, TransportFault
from vivavoce.interview.budget import Budget, SharedBudget
from vivavoce.interview.candidate import Prompt, Reply, Usage
from vivavoce.interview.interview import Interview
from vivavoce.interview.transcript import Transcript


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
        assert 1 < slow.most_at_once <= 7
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


@settings(max_examples=10)
@given(
    questions=st.integers(1, 4),
    paraphrases=st.integers(0, 3),
    checks=st.booleans(),
    concepts=st.integers(0, 3),
    visitors=st.integers(0, 2),
)
def test_calls_ahead_is_exact_without_failures(
    questions: int, paraphrases: int, checks: bool, concepts: int, visitors: int
) -> None:
    config = EqtConfig(questions=questions, paraphrases=paraphrases, checks=checks)
    mind, guests = (
        MindModel(MindProbabilities(recall=0.5)),
        [MindModel(MindProbabilities(seed=number), f"test:guest {number}") for number in range(visitors)],
    )
    record = asyncio.run(
        explain_query_test(
            all_roles(Interview(mind, answers=Reply)),
            [Concept(f"Concept {number}") for number in range(concepts)],
            config,
            visitors={guest.name: Interview(guest, answers=Reply) for guest in guests},
        )
    )
    assert record.calls == calls_ahead(concepts, config, visitors=visitors)
    assert record.calls == len(mind.asked) + sum(len(guest.asked) for guest in guests)


async def test_a_budget_ends_it_with_complete_sittings_and_is_gone_on_from(tmp_path: Path) -> None:
    concepts = [Concept(f"Concept {number}", "math") for number in range(8)]
    config = EqtConfig(questions=2, paraphrases=1)
    whole = await examined(MindProbabilities(recall=0.5), concepts, config)
    a_concept = calls_ahead(1, config)
    per_call = (whole.tokens_in + whole.tokens_out) / whole.calls
    for budget, limit in (
        (Budget(questions=5 * a_concept), "questions"),
        (Budget(tokens=int(5 * a_concept * per_call)), "tokens"),
        (Budget(money=0.001 * 5 * a_concept), "money"),
    ):
        with Transcript.open(tmp_path / f"{limit}.sqlite") as transcript:
            mind = MindModel(MindProbabilities(recall=0.5))
            interview = Interview(mind, answers=Reply, transcript=transcript, concurrency=4, budget=budget)
            record = await explain_query_test(all_roles(interview), concepts, config, concurrency=4)
            assert (record.exhausted, record.planned) == (limit, 8)
            # Five concepts are paid for; earlier ones go first, so that at most those in flight were begun in vain.
            assert 3 <= len(record.concept_records) <= 5
            assert record.concept_records == whole.concept_records[: len(record.concept_records)]
            assert record.calls == len(mind.asked)
            first = len(mind.asked)
            interview = Interview(mind, answers=Reply, transcript=transcript, concurrency=4)
            again = await explain_query_test(all_roles(interview), concepts, config, concurrency=4)
            assert again == whole
            assert len(mind.asked) - first == whole.calls - first  # nothing twice


async def test_a_purse_for_all_roles_together() -> None:
    """No role is asked when another has used up what they share; what is there is complete."""
    shared_budget = SharedBudget(Budget(money=0.03))
    interviews: dict[EqtRole, Examiner] = {
        role: Interview(
            MindModel(MindProbabilities(), f"test:{role}"), answers=Reply, concurrency=2, budget=shared_budget.share()
        )
        for role in ROLES
    }
    record = await explain_query_test(interviews, CONCEPTS, EqtConfig(questions=2, paraphrases=1), concurrency=2)
    assert record.exhausted == "money"
    assert [concept_record.concept for concept_record in record.concept_records] == CONCEPTS[: len(record.concept_records)]
    assert 30 <= record.calls <= 30 + 5 * 2
    assert record.money == pytest.approx(0.001 * record.calls)


async def test_nothing_to_spend_is_nothing_sat() -> None:
    interview = Interview(MindModel(MindProbabilities()), answers=Reply, budget=Budget(questions=0))
    record = await explain_query_test(all_roles(interview), CONCEPTS, SET_UP)
    assert (record.concept_records, record.planned, record.calls, record.exhausted) == ((), 3, 0, "questions")


async def test_a_second_run_asks_nothing_and_a_larger_one_only_what_is_new() -> None:
    with Transcript.open(None) as transcript:

        async def run(config: EqtConfig) -> tuple[EqtRecord, int]:
            mind = MindModel(FAULTY)
            record = await explain_query_test(
                all_roles(Interview(mind, answers=Reply, transcript=transcript)), CONCEPTS, config
            )
            return record, len(mind.asked)

        first, asked = await run(SET_UP)
        assert asked == first.calls
        assert await run(SET_UP) == (first, 0)
        larger, new = await run(replace(SET_UP, questions=5, paraphrases=3))
        assert new == larger.calls - first.calls
        assert larger == await examined(FAULTY, CONCEPTS, replace(SET_UP, questions=5, paraphrases=3))


async def test_spending_is_that_of_this_examination_alone() -> None:
    interview = Interview(MindModel(MindProbabilities()), answers=Reply)
    await interview.ask(Prompt("Explain the concept «x» please"))
    assert interview.spending != Usage()
    record = await explain_query_test(all_roles(interview), CONCEPTS, SET_UP)
    assert record == await examined(MindProbabilities(), CONCEPTS, SET_UP)
    assert record.money == pytest.approx(0.001 * record.calls)


def turns(record: EqtRecord) -> int:
    """Answers that could not be read, each asked for once more."""
    items = [item for concept_record in record.concept_records for item in concept_record.items]
    answers = [answer for item in items for answer in (item.open_book, item.key_check, *(p.answer for p in item.phrasings))]
    return sum(answer is not None and answer.parse == "unreadable" for answer in answers)


@pytest.mark.slow
def test_killed_and_resumed_without_asking_twice(tmp_path: Path) -> None:
    where, kills = tmp_path / "t.sqlite", 4
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(["tests.eqt.killed"])
    rng, on_record = random.Random(7), [0]
    with serving(FAULTY, latency=0.05) as server:
        for _ in range(kills):
            process = processes.Process(target=killed.run, args=(server.candidate(3), where))
            process.start()
            enough = server.seen()["requests"] + rng.randrange(10, 35)
            while server.seen()["requests"] < enough:
                assert process.is_alive()
                time.sleep(0.003)
            process.kill()
            process.join()
            assert process.exitcode == -signal.SIGKILL
            with Transcript.open(where) as transcript:
                on_record.append(transcript.verify().count)
        resumed = asyncio.run(killed.examined(server.candidate(3), where))
        seen = server.seen()
        probes = 2  # of a temperature, and of a schema
        assert seen["different"] == resumed.calls + turns(resumed) + probes
        assert sorted(set(on_record)) == on_record  # each run went on from where the one before was killed
        assert on_record[-1] < resumed.calls  # and there was work left
        assert 0 < seen["requests"] - seen["different"] <= kills * killed.AT_ONCE
        assert asyncio.run(killed.examined(server.candidate(3), where)) == resumed
        assert server.seen() == seen
    assert (
        resumed.concept_records
        == asyncio.run(examined(replace(FAULTY, seed=3), killed.CONCEPTS, killed.SET_UP)).concept_records
    )


async def test_turns_survive_those_who_leave() -> None:
    turns, order = PriorityLimiter(1), list[int]()
    begun = asyncio.Event()

    async def one(concept: int) -> None:
        async with turns.slot(concept):
            order.append(concept)
            await begun.wait()

    tasks = [asyncio.create_task(one(concept)) for concept in (5, 4, 3, 2)]
    await asyncio.sleep(0)
    tasks[3].cancel()  # it waits, and would be next
    begun.set()
    await asyncio.sleep(0)
    tasks[2].cancel()  # by now it has been called, or is about to be
    await asyncio.gather(*tasks, return_exceptions=True)
    await asyncio.wait_for(one(1), 1)
    assert order[0] == 5
    assert order[-2:] == [4, 1]


@pytest.mark.parametrize("concurrency", [0, -1])
def test_none_at_once_would_wait_for_ever_and_is_refused(concurrency: int) -> None:
    with pytest.raises(BadInput, match=f"concurrency is {concurrency}"):
        PriorityLimiter(concurrency)


@given(st.integers(1, 20), st.integers(0, 5), st.integers(1, 9), st.integers(0, 3))
def test_the_outlook_counts_every_call(questions: int, paraphrases: int, concepts: int, visitors: int) -> None:
    config = EqtConfig(questions=questions, paraphrases=paraphrases)
    values = cost_estimate(concepts, config, visitors=visitors)
    # The notes: a concept is 1 + q + q k + q (1 + k) calls; here also q open book, q for each visitor, and checks: q + q + q k
    without_checks = 1 + questions * (1 + paraphrases + 1 + paraphrases + 1 + visitors)
    assert sum(share.calls for share in values.values()) == concepts * (without_checks + questions * (2 + paraphrases))
    assert all(share.tokens_in >= share.calls and share.tokens_out >= share.calls for share in values.values())
