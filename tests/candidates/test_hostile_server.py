"""From end to end: an interview with a hostile server retries or records, and loses nothing."""

from __future__ import annotations

import asyncio
import gc
import json
import tracemalloc
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path

import pytest

from tests.interview_settings import interview_settings
from vivavoce.candidates.chat.candidate import open_chat
from vivavoce.errors import CandidateUnreachable
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.retries import AskSettings
from vivavoce.interview.schedule import Clock
from vivavoce.interview.transcript import Transcript


async def no_wait(_: float) -> None:
    await asyncio.sleep(0)


async def examine(server: str, model: str, prompts: list[Prompt], **settings: object) -> list[Reply | NoAnswer]:
    """All answers in order, read back from the record."""
    candidate = open_chat(f"{model}@{server}/v1", "max_reply=1000000", environment={})
    interview: Interview[Prompt, Reply] = Interview(
        candidate, answers=Reply, **interview_settings(clock=Clock(sleep=no_wait), **settings)
    )
    try:
        async with aclosing(interview.ask_in_order(prompts)) as asked:
            answers = [answer async for _, answer in asked]
    finally:
        await candidate.close()
    assert len({record.key.first for record in interview.transcript.records()}) == len(prompts)
    interview.transcript.verify()
    return answers


async def test_every_question_is_answered_by_a_server_that_fails_each_one_once(
    server: str, seen: Callable[[], dict[str, int]]
) -> None:
    prompts = [Prompt(f"question {i}", id=str(i)) for i in range(200)]
    answers = await examine(server, "moody", prompts, concurrency=20)
    assert [answer.text if isinstance(answer, Reply) else answer.reason for answer in answers] == ["Answer: C"] * 200
    assert seen()["moody"] == 400  # each question twice: one fault, one answer


@pytest.mark.parametrize(
    ("model", "reason", "attempts"),
    [
        ("busy", "status 429: slow down", 3),
        ("broken", "status 500", 3),
        ("not-json", "not JSON", 3),
        ("bad-utf8", "not valid UTF-8", 3),
        ("no-choices", "no choices", 3),
        ("cut-within", "cut in mid-reply", 3),
        ("status-400", "status 400", 1),
        ("huge", "reply larger than 1000000 bytes", 1),
        ("hang", "time-out", 1),
    ],
)
async def test_a_fault_that_stays_is_recorded_with_its_reason(server: str, model: str, reason: str, attempts: int) -> None:
    """`echo` answers before and after, so that the server counts as there: the failure is that question's outcome."""
    candidate = open_chat(f"{model}:99@{server}/v1", "max_reply=1000000", environment={})
    well = open_chat(f"echo@{server}/v1", "", environment={})

    class MixedServer:
        name = "chat:mixed"

        async def answer(self, question: Prompt, /) -> Reply:
            return await (candidate if question.id == "bad" else well).answer(question)

    time_out = 0.5 if model == "hang" else 30
    interview = Interview(
        MixedServer(),
        answers=Reply,
        concurrency=2,
        settings=AskSettings(clock=Clock(sleep=no_wait), attempts=3, time_out=time_out),
    )
    prompts = [Prompt("one"), Prompt("two", id="bad"), *(Prompt(f"{number} more") for number in range(20))]
    async with aclosing(interview.ask_in_order(prompts)) as asked:
        answers = [answer async for _, answer in asked]
    await candidate.close()
    await well.close()
    failed = answers[1]
    assert isinstance(failed, NoAnswer)
    assert reason in failed.reason
    assert failed.attempts == attempts
    others = [answer.text for answer in answers if isinstance(answer, Reply)]
    assert others == [prompt.text for prompt in prompts if prompt.id != "bad"]


@pytest.mark.parametrize(
    ("model", "reason", "attempts", "concurrency", "least"),
    [("quota:1", "no credit left", 1, 4, 2), ("busy:3", "status 429: slow down", 3, 1, 13)],
)
async def test_a_limit_of_the_account_is_no_verdict_and_the_next_run_goes_on(
    server: str, tmp_path: Path, model: str, reason: str, attempts: int, concurrency: int, least: int
) -> None:
    """The server turns each question away so many times, but for the first ten; of each run all that was answered stays.

    Those that may be tried again are asked one by one: of several, one could be turned away while others are answered, which is
    its own outcome and not that of the account.
    """
    prompts = [Prompt(f"well, {number}") for number in range(10)] + [Prompt(f"{tmp_path} {number}") for number in range(12)]
    answers: list[Reply | NoAnswer] = []
    runs = 0
    with Transcript.open(tmp_path / "t.sqlite") as transcript:
        while not answers:
            try:
                answers = await examine(
                    server, model, prompts, transcript=transcript, concurrency=concurrency, attempts=attempts
                )
            except CandidateUnreachable as error:
                assert reason in str(error)  # noqa: PT017 -- there are several
            runs += 1
            failed = [json.loads(record.answer) for record in transcript.records() if record.kind == "no answer"]
            assert all(absence["by_service"] for absence in failed)
    # of 12 questions at least one, and at most those in flight, were turned away in each run but the last
    assert least <= runs <= 13
    assert all(isinstance(answer, Reply) for answer in answers)


async def test_ten_replies_of_fifty_megabytes_at_once_stay_in_bounds(server: str) -> None:
    await examine(server, "ok", [Prompt("warm up")])
    gc.collect()
    tracemalloc.start()
    with pytest.raises(CandidateUnreachable, match="reply larger"):
        await examine(server, "huge", [Prompt(str(i)) for i in range(10)], concurrency=10)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # ten replies of at most 1 MB, each at most doubled as its buffer grows, and some for the rest; 500 MB were sent
    assert peak < 30_000_000
