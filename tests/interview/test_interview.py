"""Asking: order, bounds, records, draws, clean ends."""

from __future__ import annotations

import asyncio
import gc
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import aclosing, closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.interview.candidates import Scripted, after_random_delays, at_once, never, questions
from vivavoce.errors import BadInput, TranscriptDamaged, TranscriptFull
from vivavoce.interview import Entry, Interview, NoAnswer, Prompt, Record, Reply, Transcript, Usage


async def collect(interview: Interview[Any, Any], asked: Any) -> list[Any]:
    return [(question, answer) async for question, answer in interview.ask_in_order(asked)]


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), number=st.integers(0, 60), slots=st.integers(1, 12), ahead=st.none() | st.integers(12, 40))
def test_answers_come_in_drawn_order_and_within_the_bounds(seed: int, number: int, slots: int, ahead: int | None) -> None:
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
        interview = Interview(candidate, answers=Reply, at_once=slots, look_ahead=ahead)
        seen: list[str] = []
        async for question, answer in interview.ask_in_order(counted()):
            most_outstanding = max(most_outstanding, drawn - len(seen))
            assert answer == Reply(question.text.upper())
            seen.append(question.id)
        return seen

    assert asyncio.run(run()) == [str(n) for n in range(number)]
    assert candidate.most_at_once <= slots
    assert most_outstanding <= (2 * slots if ahead is None else ahead)
    assert sorted(candidate.asked, key=int) == [str(n) for n in range(number)]


async def test_one_slow_answer_holds_up_the_later_ones_but_not_the_asking() -> None:
    gate = asyncio.Event()

    async def behaviour(question: Prompt) -> str:
        if question.id == "0":
            await gate.wait()
        return question.text

    candidate = Scripted(behaviour)
    interview = Interview(candidate, answers=Reply, at_once=2, look_ahead=7)
    async with aclosing(interview.ask_in_order(questions(100))) as stream:
        first = asyncio.ensure_future(anext(stream))
        for _ in range(2_000):
            await asyncio.sleep(0.01)
            if len(candidate.asked) >= 7:
                break
        await asyncio.sleep(0.1)  # time enough for one too many
        assert not first.done()
        # By hand: question 0 keeps one of two slots, questions 1 to 6 go through the other; then seven are drawn.
        assert candidate.asked == [str(n) for n in range(7)]
        gate.set()
        assert (await first)[0].id == "0"
        assert (await anext(stream))[0].id == "1"


async def test_at_once_is_reached() -> None:
    candidate = after_random_delays(1)
    await collect(Interview(candidate, answers=Reply, at_once=10), questions(100))
    assert candidate.most_at_once == 10


async def test_an_answer_is_on_record_before_anybody_sees_it(transcript: Transcript) -> None:
    interview = Interview(after_random_delays(3), answers=Reply, transcript=transcript, at_once=5)
    async for question, _ in interview.ask_in_order(questions(30)):
        assert any(f'"id":"{question.id}"' in record.question for record in transcript.records())
    assert transcript.verify().count == 30


async def test_what_is_on_record_costs_nothing(transcript: Transcript) -> None:
    first = Interview(at_once(Usage(3, 2, 0.5)), answers=Reply, transcript=transcript)
    once = await collect(first, questions(20))
    candidate = at_once()
    again = Interview(candidate, answers=Reply, transcript=transcript)
    assert await collect(again, questions(25)) == [*once, *((q, Reply(q.text.upper())) for q in list(questions(25))[20:])]
    assert candidate.asked == ["20", "21", "22", "23", "24"]
    assert again.progress.from_record == 20
    assert again.spending == Usage(60, 40, 10.0)
    assert transcript.head.count == 25


async def test_ask_finds_on_record_what_it_asked_before() -> None:
    candidate = at_once()
    interview = Interview(candidate, answers=Reply)
    answers = [await interview.ask(Prompt("why?", id="w")) for _ in range(3)]
    assert answers == [Reply("WHY?")] * 3
    assert candidate.asked == ["w"]
    await interview.ask(Prompt("why?", id="w"), draw=1)
    assert candidate.asked == ["w", "w"]


async def test_a_stream_finds_what_ask_asked_before() -> None:
    candidate = at_once()
    interview = Interview(candidate, answers=Reply)
    await interview.ask(Prompt("question 1", id="1"))
    await collect(interview, questions(3))
    assert sorted(candidate.asked) == ["0", "1", "2"]


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

    candidate = Scripted(behaviour)
    same = [Prompt("heads or tails?")] * 4
    transcript = Transcript.open(None)
    first = await collect(Interview(candidate, answers=Reply, transcript=transcript, at_once=1), same)
    assert [answer.text for _, answer in first] == ["0", "1", "2", "3"]
    assert [record.draw for record in transcript.records()] == [0, 1, 2, 3]
    resumed = await collect(Interview(candidate, answers=Reply, transcript=transcript), [*same, same[0]])
    assert [answer.text for _, answer in resumed] == ["0", "1", "2", "3", "4"]
    # Each stream counts for itself: the second one of an interview finds the draws of the first.
    interview = Interview(candidate, answers=Reply, transcript=transcript)
    await collect(interview, same)
    assert await collect(interview, same) == first


async def test_leaving_early_cancels_what_is_in_flight_and_leaves_no_task() -> None:
    async def behaviour(question: Prompt) -> str:
        if question.id not in "01":
            await asyncio.Event().wait()
        return question.text

    candidate = Scripted(behaviour)
    transcript = Transcript.open(None)
    interview = Interview(candidate, answers=Reply, transcript=transcript, at_once=4)
    async with aclosing(interview.ask_in_order(questions(100))) as stream:
        await anext(stream)
        await anext(stream)
        await asyncio.sleep(0.02)
    assert (candidate.now, candidate.cancelled) == (0, 4)
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert transcript.verify().count == 2
    assert interview.progress.in_flight == 0


async def test_cancelling_the_consumer_leaves_no_task() -> None:
    candidate = never()
    consumer = asyncio.create_task(collect(Interview(candidate, answers=Reply, at_once=4), questions(100)))
    await asyncio.sleep(0.02)
    assert candidate.now == 4
    consumer.cancel()
    with pytest.raises(asyncio.CancelledError):
        await consumer
    assert candidate.now == 0
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_an_error_of_the_questions_passes_and_cancels_the_rest() -> None:
    def broken() -> Iterator[Prompt]:
        yield from questions(3)
        raise BadInput("line 4 is broken")

    candidate = never()
    with pytest.raises(BadInput, match="line 4"):
        await collect(Interview(candidate, answers=Reply), broken())
    assert candidate.now == 0


async def test_no_error_is_left_unretrieved() -> None:
    complaints: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))

    class Full(Transcript):
        def append(self, entries: Sequence[Entry], *, wait: bool = True) -> list[Record]:
            raise TranscriptFull(f"no room left for {len(entries)} records")

    interview = Interview(after_random_delays(1), answers=Reply, transcript=Full.open(None), at_once=20)
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
        await asyncio.wait_for(collect(Interview(Scripted(behaviour), answers=Reply, time_out=None), questions(5)), 2)


@dataclass(frozen=True, slots=True)
class Position:
    board: tuple[int, ...]
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class Evaluation:
    win: float
    moves: tuple[str, ...]


class Engine:
    name = "uci:engine"
    answers = 0

    async def answer(self, question: Position, /) -> Evaluation:
        self.answers += 1
        return Evaluation(sum(question.board) / 10, ("e4", "e5"))


async def test_any_values_go_on_record_and_come_back(transcript: Transcript) -> None:
    engine = Engine()
    asked = [Position((1, 2)), Position((3, 4), "é\0🎓")]
    first = await collect(Interview(engine, answers=Evaluation, transcript=transcript), asked)
    again = await collect(Interview(engine, answers=Evaluation, transcript=transcript), asked)
    assert first == again == [(asked[0], Evaluation(0.3, ("e4", "e5"))), (asked[1], Evaluation(0.7, ("e4", "e5")))]
    assert engine.answers == 2
    assert next(transcript.records()).question == '{"board":[1,2],"comment":null}'


@pytest.mark.parametrize(
    "reply",
    [
        Reply("\ud800"),
        Reply("x", Usage(money=float("nan"))),
        Reply("x", Usage(tokens_in=-1)),
        Reply("x", Usage(tokens_out=2**63)),
        "no reply at all",
        None,
    ],
)
async def test_an_answer_that_cannot_be_recorded_is_none(reply: Any) -> None:
    class Odd:
        name = "bot:odd"

        async def answer(self, _: Prompt, /) -> Reply:
            answer: Reply = reply
            return answer

    with Transcript.open(None) as transcript:
        live = await Interview(Odd(), answers=Reply, transcript=transcript).ask(Prompt("?"))
        assert isinstance(live, NoAnswer)
        assert live.reason.startswith("the answer cannot be recorded")
        assert len(live.reason) <= 300
        recorded = await Interview(Odd(), answers=Reply, transcript=transcript).ask(Prompt("?"))
        assert recorded == live
        assert transcript.verify().count == 1


async def test_a_record_of_another_kind_of_answer_is_told() -> None:
    with Transcript.open(None) as transcript:
        await Interview(at_once(), answers=Reply, transcript=transcript).ask(Prompt("?"))
        wrong: Any = int
        with pytest.raises(TranscriptDamaged, match="record 1 holds no answer of the kind"):
            await Interview(at_once(), answers=wrong, transcript=transcript).ask(Prompt("?"))


async def test_what_a_record_says() -> None:
    seconds = iter(range(100))
    noon = datetime(2025, 6, 1, 14, tzinfo=timezone(timedelta(hours=2)))
    with Transcript.open(None) as transcript:
        interview = Interview(
            at_once(Usage(5, 6, 0.25)),
            answers=Reply,
            transcript=transcript,
            topic="certificate",
            clock=lambda: float(next(seconds)),
            now=lambda: noon,
        )
        await interview.ask(Prompt("?", id="q"), topic="arithmetic/sums")
        (record,) = transcript.records()
    assert (record.candidate, record.topic, record.kind) == ("bot:scripted", "certificate/arithmetic/sums", "answer")
    assert record.asked_at == datetime(2025, 6, 1, 12, tzinfo=UTC).isoformat()
    assert (record.tokens_in, record.tokens_out, record.money, record.seconds) == (5, 6, 0.25, 1.0)
    assert record.question == '{"id":"q","max_tokens":null,"shown":[],"system":"","temperature":null,"text":"?"}'


async def test_a_record_that_another_process_wrote_first_stays() -> None:
    with Transcript.open(None) as transcript:
        other = Scripted(at_once().behaviour)

        async def overtaken(question: Prompt) -> str:
            if not other.asked:
                await Interview(other, answers=Reply, transcript=transcript).ask(question)
            return "too late"

        interview = Interview(Scripted(overtaken), answers=Reply, transcript=transcript)
        assert await collect(interview, questions(1)) == [(Prompt("question 0", id="0"), Reply("QUESTION 0"))]
        assert transcript.verify().count == 1


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"at_once": 0}, "at_once is 0"),
        ({"attempts": 0}, "attempts is 0"),
        ({"look_ahead": 7}, "at least at_once"),
        ({"time_out": 0.0}, "above 0"),
    ],
)
def test_impossible_settings_are_told(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        Interview(at_once(), answers=Reply, **wrong)


async def test_a_question_that_cannot_be_recorded_is_told() -> None:
    with pytest.raises(BadInput, match="of type object cannot be recorded"):
        await Interview(at_once(), answers=Reply).ask(object())  # type: ignore[arg-type]


async def test_a_file_that_is_locked_for_a_while_holds_up_the_record_but_not_the_loop(tmp_path: Path) -> None:
    file = tmp_path / "t.sqlite"
    with Transcript.open(file) as transcript, closing(sqlite3.connect(file, isolation_level=None)) as other:
        interview = Interview(at_once(), answers=Reply, transcript=transcript)
        other.execute("BEGIN IMMEDIATE")
        asking = asyncio.create_task(interview.ask(Prompt("question")))
        turns = 0
        while turns < 30:  # 0.3 s if the loop goes round, more than the patience of 5 s if it is held up
            await asyncio.sleep(0.01)
            turns += 1
            assert not asking.done()
        assert transcript.head.count == 0
        other.execute("ROLLBACK")
        assert isinstance(await asking, Reply)
        assert transcript.head.count == 1
