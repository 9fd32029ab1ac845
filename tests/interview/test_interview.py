"""Asking: order, bounds, records, draws, clean ends, and the number of questions in flight."""

from __future__ import annotations

import asyncio
import gc
import random
import threading
from collections.abc import Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.interview.candidates import Actor, after_random_delays, at_once, collect, never, questions, until
from tests.interview_settings import interview_settings
from vivavoce.errors import BadInput, TranscriptFull, TransportFault
from vivavoce.interview.budget import Budget, BudgetEnd, SharedBudget
from vivavoce.interview.candidate import Prompt, Reply, Usage
from vivavoce.interview.interview import LOOK_AHEAD, DrawPlan, Interview
from vivavoce.interview.record import Entry, OpenQuestion, Record
from vivavoce.interview.retries import AskSettings
from vivavoce.interview.schedule import Slots
from vivavoce.interview.transcript import Transcript


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), number=st.integers(0, 60), slots=st.integers(1, 12))
def test_answers_come_in_drawn_order_and_within_the_bounds(seed: int, number: int, slots: int) -> None:
    candidate = after_random_delays(seed)
    drawn = 0
    most_outstanding = 0

    def counted() -> Iterator[Prompt]:
        nonlocal drawn
        for question in questions(number):
            drawn += 1
            yield question

    async def run() -> list[str]:
        nonlocal most_outstanding
        interview = Interview(candidate, answers=Reply, concurrency=slots)
        seen: list[str] = []
        async for question, answer in interview.ask_in_order(counted()):
            most_outstanding = max(most_outstanding, drawn - len(seen))
            assert answer == Reply(question.text.upper())
            seen.append(question.id)
        return seen

    assert asyncio.run(run()) == [str(n) for n in range(number)]
    assert candidate.most_at_once <= slots
    assert most_outstanding <= 2 * slots
    assert sorted(candidate.asked, key=int) == [str(n) for n in range(number)]


async def test_one_slow_answer_holds_up_the_later_ones_but_not_the_asking() -> None:
    gate = asyncio.Event()

    async def behaviour(question: Prompt) -> str:
        if question.id == "0":
            await gate.wait()
        return question.text

    candidate = Actor(behaviour)
    interview = Interview(candidate, answers=Reply, concurrency=2)
    async with aclosing(interview.ask_in_order(questions(100))) as stream:
        first = asyncio.ensure_future(anext(stream))
        await until(lambda: len(candidate.asked) >= 4)
        await asyncio.sleep(0.1)  # time enough for one too many
        assert not first.done()
        # By hand: question 0 keeps one of two slots, questions 1 to 3 go through the other; then four are drawn.
        assert candidate.asked == [str(n) for n in range(4)]
        gate.set()
        assert (await first)[0].id == "0"
        assert (await anext(stream))[0].id == "1"


async def test_concurrency_is_reached() -> None:
    candidate = after_random_delays(1)
    await collect(Interview(candidate, answers=Reply, concurrency=10), questions(100))
    assert candidate.most_at_once == 10


async def test_two_asks_of_one_question_at_once_share_a_request() -> None:
    candidate = after_random_delays(5)
    interview = Interview(candidate, answers=Reply)
    answers = await asyncio.gather(*(interview.ask(Prompt("why?", id="w")) for _ in range(5)))
    assert answers == [Reply("WHY?")] * 5
    assert candidate.asked == ["w"]


async def test_one_who_leaves_does_not_cancel_what_another_waits_for() -> None:
    candidate = after_random_delays(5, longest=0.1)
    interview = Interview(candidate, answers=Reply)
    leaving, staying = (asyncio.create_task(interview.ask(Prompt("why?"))) for _ in range(2))
    await asyncio.sleep(0)
    leaving.cancel()
    assert await staying == Reply("WHY?")
    assert leaving.cancelled()
    assert candidate.cancelled == 0


async def test_repeated_questions_are_independent_draws_and_found_again() -> None:
    serial = iter(range(100))

    async def behaviour(_: Prompt) -> str:
        return str(next(serial))

    candidate = Actor(behaviour)
    same = [Prompt("heads or tails?")] * 4
    transcript = Transcript.open(None)
    first = await collect(Interview(candidate, answers=Reply, transcript=transcript, concurrency=1), same)
    assert [answer for _, answer in first] == [Reply(n) for n in "0123"]
    assert [record.draw for record in transcript.records()] == [0, 1, 2, 3]
    resumed = await collect(Interview(candidate, answers=Reply, transcript=transcript), [*same, same[0]])
    assert [answer for _, answer in resumed] == [Reply(n) for n in "01234"]
    # Each stream counts for itself: the second one of an interview finds the draws of the first.
    interview = Interview(candidate, answers=Reply, transcript=transcript)
    await collect(interview, same)
    assert await collect(interview, same) == first


async def test_leaving_early_cancels_what_is_in_flight_and_leaves_no_task() -> None:
    async def behaviour(question: Prompt) -> str:
        if question.id not in "01":
            await asyncio.Event().wait()
        return question.text

    candidate = Actor(behaviour)
    transcript = Transcript.open(None)
    interview = Interview(candidate, answers=Reply, transcript=transcript, concurrency=4)
    async with aclosing(interview.ask_in_order(questions(100))) as stream:
        await anext(stream)
        await anext(stream)
        await until(lambda: candidate.now == 4)
    assert (candidate.now, candidate.cancelled) == (0, 4)
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert transcript.verify().count == 2
    assert interview.progress.in_flight == 0


async def test_cancelling_the_consumer_leaves_no_task() -> None:
    candidate = never()
    consumer = asyncio.create_task(collect(Interview(candidate, answers=Reply, concurrency=4), questions(100)))
    await until(lambda: candidate.now == 4)
    consumer.cancel()
    with pytest.raises(asyncio.CancelledError):
        await consumer
    assert candidate.now == 0
    assert asyncio.all_tasks() == {asyncio.current_task()}


FINISHES = AskSettings(finishes=True, attempts=3)


async def test_what_the_candidate_has_may_be_waited_for_and_goes_on_record() -> None:
    candidate = Actor(slowly)
    with Transcript.open(None) as transcript:
        interview = Interview(candidate, answers=Reply, transcript=transcript, concurrency=4, settings=FINISHES)
        async with aclosing(interview.ask_in_order(questions(100))) as stream:
            await anext(stream)
        assert (candidate.now, candidate.cancelled) == (0, 0)
        assert len(candidate.asked) < 2 * 4  # what waited for a free slot is not sent
        assert transcript.verify().count == len(candidate.asked)
        assert interview.spending == Usage()
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def slowly(question: Prompt) -> str:
    await asyncio.sleep(0.01 if question.id == "0" else 0.02)
    return question.text


@pytest.mark.parametrize("while_leaving", [False, True])
async def test_a_consumer_that_is_cancelled_waits_for_nothing(while_leaving: bool) -> None:
    async def behaviour(question: Prompt) -> str:
        if question.id != "0":
            await asyncio.Event().wait()
        return question.text

    candidate, leaving = Actor(behaviour), asyncio.Event()

    async def consume() -> None:
        interview = Interview(candidate, answers=Reply, concurrency=4, settings=FINISHES)
        async with aclosing(interview.ask_in_order(questions(100))) as stream:
            await anext(stream)
            await until(lambda: candidate.now == 4)
            if not while_leaving:
                await anext(stream)
            leaving.set()

    consumer = asyncio.create_task(consume())
    await until(lambda: candidate.now == 4)
    if while_leaving:
        await leaving.wait()
        await asyncio.sleep(0.01)
        assert candidate.now == 4
    consumer.cancel()
    with pytest.raises(asyncio.CancelledError):
        await consumer
    assert (candidate.now, candidate.cancelled) == (0, 4)
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_what_is_waited_for_when_nothing_more_is_wanted_is_not_sent_once_more() -> None:
    async def behaviour(question: Prompt) -> str:
        if question.id != "0":
            await asyncio.sleep(0.02)
            raise TransportFault("500 Internal Server Error")
        return question.text

    candidate = Actor(behaviour)
    with Transcript.open(None) as transcript:
        interview = Interview(candidate, answers=Reply, transcript=transcript, concurrency=4, settings=FINISHES)
        async with aclosing(interview.ask_in_order(questions(100))) as stream:
            await anext(stream)
        assert max(candidate.times.values()) == 1
        assert transcript.verify().count == 1
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_an_error_of_the_questions_passes_and_cancels_the_rest() -> None:
    def broken() -> Iterator[Prompt]:
        yield from questions(3)
        raise BadInput("line 4 is broken")

    candidate = never()
    with pytest.raises(BadInput, match="line 4"):
        await collect(Interview(candidate, answers=Reply), broken())
    assert candidate.now == 0


def test_no_thread_stays_behind() -> None:
    async def run() -> list[Interview[Prompt, Reply]]:
        interviews = [Interview(at_once(), answers=Reply) for _ in range(5)]
        for interview in interviews:
            await collect(interview, questions(3))
            await interview.ask(Prompt("question 1", id="1"))
        return interviews

    before = threading.enumerate()
    kept = asyncio.run(run())
    assert threading.enumerate() == before
    assert len(kept) == 5


async def test_no_error_is_left_unretrieved() -> None:
    complaints: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))

    class Full(Transcript):
        def append(self, entries: Sequence[Entry], *, askings: Sequence[OpenQuestion] = (), wait: bool = True) -> list[Record]:
            raise TranscriptFull(f"no room left for {len(entries)} records")

    interview = Interview(after_random_delays(1), answers=Reply, transcript=Full.open(None), concurrency=20)
    with pytest.raises(TranscriptFull):
        await collect(interview, questions(100))
    del interview
    gc.collect()
    await asyncio.sleep(0)
    assert complaints == []


async def test_an_error_does_not_wait_for_those_drawn_before() -> None:
    async def behaviour(question: Prompt) -> str:
        if question.id == "0":
            await asyncio.Event().wait()
        raise BadInput("the recording has no such question")

    with pytest.raises(BadInput, match="no such question"):
        await asyncio.wait_for(
            collect(Interview(Actor(behaviour), answers=Reply, settings=AskSettings(time_out=None)), questions(5)), 30
        )


@pytest.mark.parametrize(
    ("wrong", "message"),
    [({"concurrency": 0}, "concurrency is 0"), ({"attempts": 0}, "attempts is 0"), ({"time_out": 0.0}, "above 0")],
)
def test_impossible_settings_are_told(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        Interview(at_once(), answers=Reply, **interview_settings(**wrong))


async def test_the_spending_up_to_an_answer_does_not_depend_on_what_was_handed_out_since() -> None:
    async def yes(_: Prompt) -> str:
        return "yes"

    interview = Interview(Actor(yes, usage=Usage(tokens_in=10, tokens_out=1)), answers=Reply)
    assert interview.spending_after(0) == Usage()
    async for _ in interview.ask_in_order(questions(4)):
        pass
    assert [interview.spending_after(n).tokens for n in (1, 2, 3, 4)] == [11, 22, 33, 44]


async def settled() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=12))
def test_it_follows_what_is_wished(wishes: Sequence[int]) -> None:
    """30 questions; after each change one that is in flight leaves, by which the change is noticed."""

    async def check() -> None:
        wished = [wishes[0]]
        slots = Slots(lambda: wished[0])
        leave: list[asyncio.Event] = []

        async def question() -> None:
            async with slots:
                leave.append(asyncio.Event())
                await leave[-1].wait()

        tasks = [asyncio.create_task(question()) for _ in range(30)]
        await settled()
        left = 0
        for wish in wishes:
            before, wished[0] = len(leave) - left, wish
            leave[left].set()
            left += 1
            await settled()
            assert len(leave) - left == slots.count == max(wish, before - 1)  # no further one is let in, or as many as fit
        while left < 30:
            leave[left].set()
            left += 1
            await settled()
            assert len(leave) - left <= slots.count
        await asyncio.gather(*tasks)
        assert slots.count == wishes[-1]

    asyncio.run(check())


async def test_who_gives_up_waiting_takes_no_room() -> None:
    slots = Slots(lambda: 1)
    async with slots:
        waiting = asyncio.create_task(slots.__aenter__())
        await settled()
        waiting.cancel()
        await settled()
    async with asyncio.timeout(10), slots:
        assert slots.count == 1


class GrowingCandidate:
    """Wishes for two questions at once, and for ten once it has been asked."""

    name = "test:growing"

    def __init__(self) -> None:
        self.concurrency = 2

    async def answer(self, question: int, /) -> int:
        self.concurrency = 10
        return question


@each_case(
    ("settings", "steady", "drawn"),
    [
        ({}, False, LOOK_AHEAD * 10),
        ({}, True, LOOK_AHEAD * 2),
        ({"budget": Budget(questions=90)}, False, LOOK_AHEAD * 10),
        ({"budget": Budget(tokens=90)}, False, LOOK_AHEAD * 2),
        ({"budget": Budget(money=9.0)}, False, LOOK_AHEAD * 2),
        ({"budget": SharedBudget(Budget()).share()}, False, LOOK_AHEAD * 10),
        ({"budget": SharedBudget(Budget(questions=90)).share()}, False, LOOK_AHEAD * 2),
        ({"budget": BudgetEnd("tokens", 90)}, False, LOOK_AHEAD * 10),
        ({"concurrency": 3}, False, LOOK_AHEAD * 3),
    ],
)
async def test_as_many_are_drawn_ahead_as_fit_unless_that_decides_anything(
    settings: dict[str, object], steady: bool, drawn: int
) -> None:
    """What is drawn when the fifth answer is taken, of which four were handed out before."""
    numbers = iter(range(100))
    interview: Interview[int, int] = Interview(GrowingCandidate(), answers=int, **interview_settings(**settings))
    answers = interview.ask_in_order(numbers, plan=DrawPlan(steady=steady))
    for _ in range(5):
        await anext(answers)
    assert next(numbers) == 4 + drawn
    await answers.aclose()


RUNS, LOOKED_AT, AT_ONCE = 12, 60, 100
WRONG = 0.3


@dataclass
class SlowWhenWrong:
    """Wrong 30% of the time, and three times slower then."""

    seed: int
    name: str = "bot:slow-when-wrong"

    async def answer(self, question: Prompt, /) -> Reply:
        rng = random.Random(f"{self.seed}/{question.id}")
        wrong = rng.random() < WRONG
        await asyncio.sleep((0.15 if wrong else 0.05) * rng.uniform(0.8, 1.2))
        return Reply("wrong" if wrong else "right")


async def first_in_drawn_order(seed: int) -> list[str]:
    interview = Interview(SlowWhenWrong(seed), answers=Reply, concurrency=AT_ONCE)
    seen: list[str] = []
    async with aclosing(interview.ask_in_order(questions(1000))) as stream:
        async for _, answer in stream:
            assert isinstance(answer, Reply)
            seen.append(answer.text)
            if len(seen) == LOOKED_AT:
                break
    return seen


async def first_as_completed(seed: int) -> list[str]:
    candidate = SlowWhenWrong(seed)
    tasks = [asyncio.create_task(candidate.answer(question)) for question in questions(AT_ONCE)]
    seen = [(await task).text for task in asyncio.as_completed(tasks)]
    return seen[:LOOKED_AT]


async def test_drawn_order_shows_the_true_rate_of_errors_and_completion_order_does_not() -> None:
    in_order = [seen.count("wrong") for seen in await asyncio.gather(*map(first_in_drawn_order, range(RUNS)))]
    completed = [seen.count("wrong") for seen in await asyncio.gather(*map(first_as_completed, range(RUNS)))]
    # Binomial: 12 · 60 = 720 answers, 30% wrong: 216 are expected, with a standard deviation of sqrt(720 · .3 · .7) = 12.3.
    assert abs(sum(in_order) - 216) < 3 * 12.3
    # Exactly those that are wrong among the first 60 drawn.
    by_hand = [sum(random.Random(f"{seed}/{number}").random() < WRONG for number in range(LOOKED_AT)) for seed in range(RUNS)]
    assert in_order == by_hand
    # Of 100 in flight some 70 are right and fast: they are the first 60 to arrive.
    assert sum(completed) < 216 / 10
