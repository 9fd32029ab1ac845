"""Interviews by batches: what goes together, what is on record before, and that nothing is paid for twice."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import repeat
from pathlib import Path

import pytest

from tests.interview.candidates import at_once, collect, questions, until
from tests.interview_settings import interview_settings
from vivavoce.errors import BadInput, CandidateMisconfigured, CandidateUnreachable, TransportFault, VivavoceError
from vivavoce.interview.candidate import NoAnswer, Prompt, RepeatReason, Reply, Usage
from vivavoce.interview.interview import DrawPlan, Interview
from vivavoce.interview.progress import BatchState
from vivavoce.interview.record import batch_id
from vivavoce.interview.schedule import Clock
from vivavoce.interview.transcript import Transcript
from vivavoce.interview.vendor_batches import VendorBatch
from vivavoce.scopes.questions import Question
from vivavoce.scopes.questions import prompt as prompt_of

Result = Reply | VivavoceError


async def at_no_time(_: float) -> None:
    """A wait that takes none."""


CLOCK = Clock(sleep=at_no_time)


def upper(question: Prompt, _: int) -> Result:
    return Reply(question.text.upper())


@dataclass
class ScriptedVendor:
    """Answers batches, each once, and knows them by their ids when they are asked for again."""

    behaviour: Callable[[Prompt, int], Result] = upper
    """What comes of a question, and of how often it has been asked, from 1."""
    block: int | None = None
    most: int = 1_000
    hangs: bool = False
    steps: int = 0
    """Of the event loop, before the answers arrive."""
    name: str = "chat:vendor"
    asked_again: RepeatReason = "elsewhere"
    concurrency: int = 1_000
    never_sent: frozenset[str] = frozenset()
    ways: tuple[str, ...] = ("text", "turn")
    on_batch: Callable[[VendorBatch[Prompt]], None] = lambda _: None
    batches: dict[str, dict[str, Result]] = field(default_factory=dict)
    asked: list[list[str]] = field(default_factory=list)
    """By batch, the texts of its questions."""
    resumed: list[str] = field(default_factory=list)
    at_once: list[str] = field(default_factory=list)
    paid: Counter[str] = field(default_factory=Counter)

    async def answer(self, question: Prompt, /) -> Reply:
        self.at_once.append(question.text)
        return Reply("ready")

    def fits(self, questions: Sequence[Prompt]) -> int:
        return min(len(questions), self.most)

    async def carry_out(
        self, batch: VendorBatch[Prompt], *, clock: Clock, tell: Callable[[BatchState], None]
    ) -> Mapping[str, Result] | None:
        self.on_batch(batch)
        if batch.resumed:
            self.resumed.append(batch.id)
            if batch.id not in self.batches:
                return None
        if batch.id not in self.batches:
            self.asked.append([question.text for question in batch.questions.values()])
            results = {}
            for name, question in batch.questions.items():
                self.paid[question.text] += 1
                results[name] = self.behaviour(question, self.paid[question.text])
            self.batches[batch.id] = results
        tell(BatchState("in_progress", len(batch.questions), 1, 0, 1.0))
        if self.hangs:
            await asyncio.Event().wait()
        for _ in range(self.steps):
            await asyncio.sleep(0)
        return dict(reversed(self.batches[batch.id].items()))


def interview(vendor: ScriptedVendor, transcript: Transcript | None = None, **more: object) -> Interview[Prompt, Reply]:
    return Interview(vendor, answers=Reply, transcript=transcript, **interview_settings(clock=CLOCK, **more))


async def left_in_mid_batch(vendor: ScriptedVendor, where: Path, number: int) -> None:
    """A run that is interrupted while its first batch is under way."""
    vendor.hangs = True
    with Transcript.open(where) as transcript:
        running = asyncio.create_task(collect(interview(vendor, transcript), questions(number)))
        await until(lambda: bool(vendor.asked))
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert transcript.by_batch is not None
        assert len(transcript.by_batch.left) == len(vendor.asked[0])
    vendor.hangs = False


async def test_answers_come_in_drawn_order_whatever_the_order_within_a_batch() -> None:
    vendor = ScriptedVendor()
    rows = await collect(interview(vendor), questions(180))
    assert [answer.text for _, answer in rows if isinstance(answer, Reply)] == [f"QUESTION {n}" for n in range(180)]
    assert list(map(len, vendor.asked)) == [20, 20, 20, 30, 45, 45]  # each half as many as all before, 20 at least


@pytest.mark.parametrize(
    ("more", "sizes"), [({"block": 70}, [70, 70, 40]), ({"most": 15}, [15] * 12), ({"block": 1_000}, [180])]
)
async def test_the_size_of_a_batch_may_be_set_or_bounded(more: dict[str, int], sizes: list[int]) -> None:
    vendor = ScriptedVendor(**more)  # type: ignore[arg-type]
    await collect(interview(vendor), questions(180))
    assert list(map(len, vendor.asked)) == sizes


async def test_concurrency_bounds_a_batch() -> None:
    vendor = ScriptedVendor()
    await collect(interview(vendor, concurrency=20), questions(50))
    assert list(map(len, vendor.asked)) == [20, 20, 10]


async def test_where_all_is_asked_whatever_is_answered_it_goes_at_once() -> None:
    vendor = ScriptedVendor()
    asked = interview(vendor)
    prompts = [question async for question, _ in asked.ask_in_order(questions(120), all_wanted=True)]
    assert len(prompts) == 120
    assert list(map(len, vendor.asked)) == [120]


def unreadable_at_first(question: Prompt, _: int) -> Result:
    if question.shown:
        return Reply("Answer: 4")
    return Reply("Well." if question.id in ("2", "3") else "Answer: 4")


async def test_second_turns_go_with_the_next_block() -> None:
    vendor = ScriptedVendor(unreadable_at_first)
    prompts = [prompt_of(Question(str(n), f"What is 2 + 2, number {n}?", accepted=("4",))) for n in range(50)]
    asked = interview(vendor)
    results = [answer async for _, answer in asked.ask_in_order(prompts)]
    assert [isinstance(answer, Reply) and answer.further is not None for answer in results] == [False] * 2 + [True] * 2 + [
        False
    ] * 46
    assert list(map(len, vendor.asked)) == [20, 2 + 20, 10]


def busy_once(question: Prompt, times: int) -> Result:
    failing = question.id == "1" and times == 1
    return TransportFault("status 429", reached=False, hearing="turned away") if failing else upper(question, times)


async def test_a_line_that_failed_goes_with_the_next_block(tmp_path: Path) -> None:
    vendor = ScriptedVendor(busy_once, block=5)
    with Transcript.open(tmp_path / "t.sqlite") as transcript:
        rows = await collect(interview(vendor, transcript), questions(10))
    assert [answer.met for _, answer in rows] == ["", "turned away", *[""] * 8]
    assert list(map(len, vendor.asked)) == [5, 6]
    with Transcript.open(tmp_path / "t.sqlite") as transcript:  # closed before it was asked again
        assert (transcript.orphans, transcript.asked_again) == (frozenset(), set())


async def test_what_never_gets_through_is_an_outcome_after_all_tries() -> None:
    vendor = ScriptedVendor(
        lambda question, times: TransportFault("status 500") if question.id == "0" else upper(question, times), block=3
    )
    rows = await collect(interview(vendor, attempts=2), questions(6))
    assert rows[0][1] == NoAnswer("status 500", 2, met="fault")
    assert list(map(len, vendor.asked)) == [3, 4]


async def test_the_questions_of_a_batch_are_on_record_before_it_is_handed_in(tmp_path: Path) -> None:
    where, seen = tmp_path / "t.sqlite", list[tuple[str, int]]()

    def look(batch: VendorBatch[Prompt]) -> None:
        with Transcript.open(where) as another:
            row = list(another.askings())[-1]
            assert row.kind == "batched"
            seen.append((batch_id(row.candidate, row.at, row.keys), len(row.of)))
            assert seen[-1] == (batch.id, len(batch.questions))
            assert set(another.batches.values()) == {batch.id}

    with Transcript.open(where) as transcript:
        await collect(interview(ScriptedVendor(on_batch=look), transcript), questions(30))
    assert [number for _, number in seen] == [20, 10]
    assert seen[0][0] != seen[1][0]


async def test_a_run_that_is_left_in_mid_batch_finds_it_again(tmp_path: Path) -> None:
    where, vendor = tmp_path / "t.sqlite", ScriptedVendor()
    await left_in_mid_batch(vendor, where, 60)
    with Transcript.open(where) as transcript:
        assert len(transcript.orphans) == len(transcript.batches) == 20
        asked = interview(vendor, transcript)
        rows = await collect(asked, questions(60))
        assert transcript.verify().count == 60
    assert len(rows) == 60
    assert vendor.resumed == list(vendor.batches)[:1]
    assert set(vendor.paid.values()) == {1}
    assert asked.caveats == ()  # it was not asked again
    with Transcript.open(where) as transcript:
        assert (transcript.orphans, transcript.asked_again) == (frozenset(), set())


@pytest.mark.parametrize("steps", range(8))
async def test_a_run_that_is_interrupted_as_its_answers_arrive_pays_for_none_twice(tmp_path: Path, steps: int) -> None:
    where, vendor = tmp_path / "t.sqlite", ScriptedVendor(steps=steps)
    with Transcript.open(where) as transcript:
        running = asyncio.create_task(collect(interview(vendor, transcript), questions(30)))

        def interrupt(_: object) -> None:
            """Takes effect before, when or after the answers arrive, and before they are on record."""
            running.cancel()

        vendor.on_batch = interrupt
        with pytest.raises(asyncio.CancelledError):
            await running
    vendor.on_batch = lambda _: None
    assert len(vendor.asked) == 1
    with Transcript.open(where) as transcript:
        rows = await collect(interview(vendor, transcript), questions(30))
    assert len(rows) == 30
    assert set(vendor.paid.values()) == {1}


async def test_a_batch_is_found_again_however_little_of_it_is_drawn_at_once(tmp_path: Path) -> None:
    where, vendor = tmp_path / "t.sqlite", ScriptedVendor()
    await left_in_mid_batch(vendor, where, 20)
    vendor.block = 7
    with Transcript.open(where) as transcript:
        await collect(interview(vendor, transcript), questions(22))
    assert vendor.resumed == list(vendor.batches)[:1] * 3  # 7 at a time, 20 in all
    assert set(vendor.paid.values()) == {1}
    assert vendor.asked[1:] == [["question 20", "question 21"]]


@pytest.mark.parametrize("block", [None, 7])
async def test_questions_of_a_batch_that_never_came_about_go_into_the_next_one(tmp_path: Path, block: int | None) -> None:
    """However few of them are there when it is looked for: none is taken for one that the server forgot to answer."""
    where, vendor = tmp_path / "t.sqlite", ScriptedVendor()
    await left_in_mid_batch(vendor, where, 20)
    vendor.batches.clear()
    vendor.paid.clear()
    vendor.asked.clear()
    vendor.block = block
    with Transcript.open(where) as transcript:
        asked = interview(vendor, transcript)
        rows = await collect(asked, questions(20))
        assert asked.caveats == ()
        assert transcript.by_batch is not None
        assert transcript.by_batch.batches == len(vendor.asked)
    with Transcript.open(where) as transcript:
        assert (transcript.orphans, transcript.faults, transcript.asked_again) == (frozenset(), set(), set())
    assert [answer.text for _, answer in rows if isinstance(answer, Reply)] == [f"QUESTION {n}" for n in range(20)]
    assert sum(map(len, vendor.asked)) == 20
    assert set(vendor.paid.values()) == {1}


async def test_a_batch_that_never_came_about_leaves_no_question_open(tmp_path: Path) -> None:
    """Also none that the next run no longer needs."""
    where, vendor = tmp_path / "t.sqlite", ScriptedVendor()
    await left_in_mid_batch(vendor, where, 20)
    vendor.batches.clear()
    with Transcript.open(where) as transcript:
        await collect(interview(vendor, transcript), questions(5))
        assert [row.kind for row in transcript.askings()] == ["batched", "withdrawn", "batched"]
    with Transcript.open(where) as transcript:
        assert (transcript.orphans, transcript.batches) == (frozenset(), {})


async def test_whoever_asks_without_batches_is_told_of_one_that_is_paid_for(tmp_path: Path) -> None:
    where, vendor = tmp_path / "t.sqlite", ScriptedVendor()
    await left_in_mid_batch(vendor, where, 20)
    direct = at_once()
    direct.name = vendor.name
    with Transcript.open(where) as transcript, pytest.raises(BadInput, match="is paid for: give \\?batch=1"):
        await collect(Interview(direct, answers=Reply, transcript=transcript), questions(20))
    assert direct.asked == []


async def test_nothing_is_lost_where_a_batch_cannot_be_looked_at(tmp_path: Path) -> None:
    where, vendor = tmp_path / "t.sqlite", ScriptedVendor()

    def away(_: VendorBatch[Prompt]) -> None:
        raise CandidateUnreachable("no connection")

    vendor.on_batch = away
    with Transcript.open(where) as transcript, pytest.raises(CandidateUnreachable):
        await collect(interview(vendor, transcript), questions(20))
    vendor.on_batch = lambda _: None
    with Transcript.open(where) as transcript:
        assert len(transcript.batches) == 20
        assert transcript.faults == set()
        await collect(interview(vendor, transcript), questions(20))
    assert len(vendor.resumed) == 1


async def test_a_batch_that_is_refused_is_closed_and_another_one_made(tmp_path: Path) -> None:
    where = tmp_path / "t.sqlite"
    refused = ScriptedVendor(lambda *_: CandidateMisconfigured("no such model", hearing="unheard"))
    with Transcript.open(where) as transcript, pytest.raises(CandidateMisconfigured):
        await collect(interview(refused, transcript), questions(20))
    vendor = ScriptedVendor()
    with Transcript.open(where) as transcript:
        assert transcript.batches == {}
        assert (transcript.orphans, transcript.faults) == (frozenset(), set())
        await collect(interview(vendor, transcript), questions(20))
    assert (vendor.resumed, len(vendor.asked)) == ([], 1)


async def test_what_is_asked_together_goes_together() -> None:
    vendor = ScriptedVendor()
    asked = interview(vendor)
    replies = await asyncio.gather(*(asked.ask(question) for question in questions(30)))
    assert [reply.text for reply in replies if isinstance(reply, Reply)] == [f"QUESTION {n}" for n in range(30)]
    assert list(map(len, vendor.asked)) == [30]


async def test_conversations_go_on_side_by_side() -> None:
    vendor = ScriptedVendor()
    asked = interview(vendor)

    async def converse(first: Prompt) -> str:
        reply = await asked.ask(first)
        assert isinstance(reply, Reply)
        last = await asked.ask(asked.next_turn(first, reply, "sure?", id=f"{first.id}/sure"))
        assert isinstance(last, Reply)
        return last.text

    assert set(await asyncio.gather(*map(converse, questions(20)))) == {"SURE?"}
    assert list(map(len, vendor.asked)) == [20, 20]


async def test_a_question_between_answers_is_not_waited_for_in_vain() -> None:
    vendor = ScriptedVendor(block=3)
    asked, results = interview(vendor), []
    async with aclosing(asked.ask_in_order(questions(6))) as answers:
        async for question, _ in answers:
            results.append(await asked.ask(Prompt(f"and {question.text}", id=f"{question.id}/and")))
    assert len(results) == 6


async def test_answers_that_were_not_needed_are_on_record_and_told() -> None:
    vendor = ScriptedVendor(block=20)
    asked = interview(vendor)
    async with aclosing(asked.ask_in_order(questions(100))) as answers:
        async for question, _ in answers:
            if question.id == "24":
                break
    account = asked.transcript.by_batch
    assert account is not None
    assert (account.batches, account.asked) == (2, 40)
    assert asked.transcript.head.count == 40


async def test_an_answer_that_two_parts_look_at_is_told_once() -> None:
    vendor, transcript = ScriptedVendor(lambda asked, _: Reply(asked.text, Usage(1, 2))), Transcript.open(None)
    for _ in range(2):
        asked = interview(vendor, transcript)
        assert len([answer async for _, answer in asked.ask_in_order(questions(40))]) == 40
    account = transcript.by_batch
    assert account is not None
    assert (account.batches, account.asked, account.paid.tokens) == (2, 40, 120)


async def test_a_parameter_is_tried_at_once_before_a_batch_is_handed_in() -> None:
    vendor = ScriptedVendor()
    await collect(interview(vendor), [Prompt(f"{n}?", id=str(n), temperature=0.0) for n in range(3)])
    assert vendor.at_once == ["Reply with the word ready."]
    assert list(map(len, vendor.asked)) == [3]


async def test_questions_over_time_are_refused() -> None:
    asked = interview(ScriptedVendor())
    with pytest.raises(BadInput, match="leave out \\?batch="):
        await anext(asked.ask_in_order(questions(3), plan=DrawPlan(times=repeat(datetime.now(UTC)))))


async def test_progress_tells_of_the_batch() -> None:
    states: list[BatchState | None] = []
    vendor = ScriptedVendor()
    await collect(interview(vendor, on_progress=lambda progress: states.append(progress.batch)), questions(30))
    assert [state for state in states if state is not None] == [
        BatchState("in_progress", 20, 1, 0, 1.0, number=1),
        BatchState("in_progress", 10, 1, 0, 1.0, number=2),
    ]
