"""What an examination costs: estimates, budgets, and the order in which questions share a limit."""

from __future__ import annotations

import asyncio
import multiprocessing
import random
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.eqt import killed
from tests.eqt.examined import CONCEPTS, SET_UP, all_roles, examined
from tests.eqt.models import FAULTY, MindModel, MindProbabilities
from tests.eqt.server import serving
from vivavoce.eqt.examine import Examiner, PriorityLimiter, calls_ahead, cost_estimate, explain_query_test
from vivavoce.eqt.record import ROLES, Concept, EqtConfig, EqtRecord, EqtRole
from vivavoce.errors import BadInput
from vivavoce.interview import Budget, Interview, Prompt, Reply, Transcript, Usage
from vivavoce.interview.budget import SharedBudget


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
