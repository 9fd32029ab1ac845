"""Faults of the service are not answers: they end a run when they persist, and the next run asks anew."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.interview.candidates import Actor, questions
from tests.interview_settings import interview_settings
from vivavoce.errors import CandidateMisconfigured, CandidateUnreachable, ServiceFault, TransportFault
from vivavoce.interview.candidate import NoAnswer, PriorAttempt, Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.record import RUNS, Key
from vivavoce.interview.retries import Asker
from vivavoce.interview.schedule import Clock
from vivavoce.interview.scope import FAULTED, unknowable
from vivavoce.interview.transcript import Transcript

BLOCKED = ServiceFault("status 403: blocked", worth_retrying=False, status=403)


async def no_wait(_: float) -> None:
    await asyncio.sleep(0)


class FailingActor(Actor):
    """Fails as `failing` says of each question and how often it has been asked, and answers else."""

    asked_again = "elsewhere"

    def __init__(self, failing: Callable[[int, int], Exception | None]) -> None:
        async def behaviour(question: Prompt) -> str:
            error = failing(int(question.id), self.times[question.id])
            if error is not None:
                raise error
            return "yes"

        super().__init__(behaviour)


def interview(candidate: Any, transcript: Transcript | None = None, **more: Any) -> Interview[Prompt, Reply]:
    settings = {"concurrency": 1} | more
    return Interview(
        candidate, answers=Reply, transcript=transcript, **interview_settings(clock=Clock(sleep=no_wait), **settings)
    )


async def collect(asking: Interview[Prompt, Reply], number: int) -> list[Reply | NoAnswer]:
    result = []
    async with aclosing(asking.ask_in_order(questions(number))) as answers:
        async for _, answer in answers:
            result.append(answer)
    return result


def shown(answers: list[Reply | NoAnswer]) -> list[str | PriorAttempt]:
    return [answer.met if isinstance(answer, Reply) else "absent" if answer.by_service else "own" for answer in answers]


@pytest.fixture
def where(tmp_path: Path) -> str:
    return str(tmp_path / "t.sqlite")


async def test_a_single_fault_of_the_service_is_worth_anything_and_asked_again_by_the_next_run(where: str) -> None:
    server = FailingActor(lambda question, time: BLOCKED if question == 2 and time == 1 else None)
    with Transcript.open(where) as transcript:
        first = await collect(interview(server, transcript), 5)
    assert shown(first) == ["", "", "absent", "", ""]
    assert unknowable(first[2]) is FAULTED
    with Transcript.open(where) as transcript:
        second = interview(server, transcript)
        assert shown(await collect(second, 5)) == ["", "", "asked again", "", ""]
        assert any("1 question met a fault of the service in an earlier run" in caveat for caveat in second.caveats)
    assert server.times == {"0": 1, "1": 1, "2": 2, "3": 1, "4": 1}
    with Transcript.open(where) as transcript:
        third = await collect(interview(server, transcript, from_record=True), 5)
        assert shown(third) == ["", "", "asked again", "", ""]
        assert transcript.verify().count == 6


async def test_within_one_run_it_is_not_asked_again(where: str) -> None:
    server = FailingActor(lambda question, time: BLOCKED if question == 1 else None)
    with Transcript.open(where) as transcript:
        asking = interview(server, transcript)
        await collect(asking, 3)
        assert shown(await collect(asking, 3)) == ["", "absent", ""]
    assert server.times["1"] == 1


async def test_after_faults_in_three_runs_it_stays_unknown_for_good(where: str) -> None:
    server = FailingActor(lambda question, time: BLOCKED if question == 1 and time <= RUNS else None)
    for run in range(1, RUNS + 3):
        with Transcript.open(where) as transcript:
            assert shown(await collect(interview(server, transcript), 3)) == ["", "absent", ""]
        assert server.times["1"] == min(run, RUNS)


async def test_an_answer_after_two_runs_counts(where: str) -> None:
    server = FailingActor(lambda question, time: BLOCKED if question == 1 and time < RUNS else None)
    for _ in range(RUNS - 1):
        with Transcript.open(where) as transcript:
            await collect(interview(server, transcript), 3)
    with Transcript.open(where) as transcript:
        assert shown(await collect(interview(server, transcript), 3)) == ["", "asked again", ""]


async def test_what_failed_first_within_the_later_run_stays_worth_anything(where: str) -> None:
    cut = ServiceFault("cut in mid-reply")
    server = FailingActor(lambda question, time: None if question != 1 or time == 3 else BLOCKED if time == 1 else cut)
    for expected in (["", "absent", ""], ["", "fault", ""], ["", "fault", ""]):
        with Transcript.open(where) as transcript:
            assert shown(await collect(interview(server, transcript), 3)) == expected


async def test_what_the_candidate_did_itself_is_never_asked_again(where: str) -> None:
    own = TransportFault("raised ValueError", worth_retrying=False)
    server = FailingActor(lambda question, time: own if question in (1, 2, 3, 4) else None)
    for _ in range(2):
        with Transcript.open(where) as transcript:
            answers = await collect(interview(server, transcript), 6)
            assert shown(answers) == ["", "own", "own", "own", "own", ""]
            assert unknowable(answers[1]) is None
    assert server.times["1"] == 1


async def test_three_in_a_row_end_the_run_with_the_servers_words(where: str) -> None:
    server = FailingActor(lambda question, time: BLOCKED if question >= 4 and time == 1 else None)
    with Transcript.open(where) as transcript, pytest.raises(CandidateUnreachable, match=r"3 questions in a row.*403: blocked"):
        await collect(interview(server, transcript), 20)
    assert server.asked == ["0", "1", "2", "3", "4", "5", "6"]
    with Transcript.open(where) as transcript, pytest.raises(CandidateUnreachable):
        await collect(interview(server, transcript), 20)  # what failed is answered now, and the next three fail
    assert [server.times[str(number)] for number in range(9)] == [1, 1, 1, 1, 2, 2, 2, 1, 1]


async def test_two_in_a_row_and_a_fault_of_its_own_between_do_not_end_it() -> None:
    own = TransportFault("raised ValueError", worth_retrying=False)
    server = FailingActor(lambda question, time: own if question == 5 else BLOCKED if question in (3, 4, 6, 7) else None)
    answers = await collect(interview(server), 9)
    assert shown(answers) == ["", "", "", "absent", "absent", "own", "absent", "absent", ""]


class SlowActor(FailingActor):
    """Answers these questions too late."""

    def __init__(self, *slow: int) -> None:
        super().__init__(lambda question, time: None)
        self.slow = slow

    async def answer(self, question: Prompt, /) -> Reply:
        reply = await super().answer(question)
        if int(question.id) in self.slow:
            await asyncio.sleep(60)
        return reply


async def test_a_time_out_of_a_server_is_a_fault_that_is_not_retried_and_asked_again_by_the_next_run(where: str) -> None:
    server = SlowActor(1, 3)
    with Transcript.open(where) as transcript:
        first = await collect(interview(server, transcript, time_out=0.05), 5)
    assert first[1] == NoAnswer("time-out after 0.05 s", by_service=True)
    assert unknowable(first[1]) is FAULTED
    assert shown(first) == ["", "absent", "", "absent", ""]
    server.slow = (3,)
    with Transcript.open(where) as transcript:
        assert shown(await collect(interview(server, transcript, time_out=0.05), 5)) == ["", "asked again", "", "absent", ""]
    assert server.times == {"0": 1, "1": 2, "2": 1, "3": 2, "4": 1}


async def test_three_time_outs_in_a_row_end_the_run() -> None:
    server = SlowActor(2, 3, 4)
    with pytest.raises(CandidateUnreachable, match=r"3 questions .* time-out after 0.05 s \('--set timeout' allows more\)"):
        await collect(interview(server, time_out=0.05), 9)


@pytest.mark.parametrize("kind", ["errors of its own", "on this machine"])
async def test_a_time_out_is_an_outcome_where_it_is_the_candidates_own(kind: str) -> None:
    server: Any = SlowActor(1, 2, 3, 4)
    if kind == "errors of its own":
        server.errors_are_own = True
    else:
        server.asked_again = "same"
    answers = await collect(interview(server, time_out=0.05), 6)
    assert shown(answers) == ["", "own", "own", "own", "own", ""]
    assert unknowable(answers[1]) is None


@pytest.mark.parametrize("error", [CandidateMisconfigured, CandidateUnreachable])
async def test_an_error_that_names_key_or_credit_ends_a_run_under_way_as_unreachable(
    where: str, error: type[CandidateMisconfigured | CandidateUnreachable]
) -> None:
    problem = error("status 400; the key is wrong: API key expired", hearing="refused", by_service=True)
    broken = True
    server = FailingActor(lambda question, time: problem if broken and question >= 2 else None)
    with Transcript.open(where) as transcript, pytest.raises(CandidateUnreachable, match="API key expired") as caught:
        await collect(interview(server, transcript), 6)
    assert caught.value.by_service
    broken = False
    with Transcript.open(where) as transcript:
        assert shown(await collect(interview(server, transcript), 6)) == ["", "", "asked again", "", "", ""]


async def test_at_the_start_of_a_run_a_wrong_key_stays_a_wrong_key(where: str) -> None:
    problem = CandidateMisconfigured("status 401; the key is wrong", hearing="refused", by_service=True)
    server = FailingActor(lambda question, time: problem)
    with Transcript.open(where) as transcript, pytest.raises(CandidateMisconfigured):
        await collect(interview(server, transcript), 6)
    with Transcript.open(where) as transcript:
        assert transcript.head.count == 0
        honest = FailingActor(lambda question, time: None)
        assert shown(await collect(interview(honest, transcript), 2)) == ["turned away", ""]


async def test_what_was_in_flight_when_the_service_failed_is_asked_again(where: str) -> None:
    gone = CandidateUnreachable("no credit left", hearing="refused", by_service=True)
    released = asyncio.Event()

    class Together(FailingActor):
        async def answer(self, question: Prompt, /) -> Reply:
            if 2 <= int(question.id) <= 5 and self.times[question.id] == 0:
                self.asked.append(question.id)
                if question.id == "5":
                    released.set()
                    raise gone
                await released.wait()
                await asyncio.sleep(60)
            return await super().answer(question)

    server = Together(lambda question, time: None)
    with Transcript.open(where) as transcript, pytest.raises(CandidateUnreachable):
        await collect(interview(server, transcript, concurrency=4), 8)
    with Transcript.open(where) as transcript:
        assert transcript.orphans == frozenset()
        answers = shown(await collect(interview(server, transcript, concurrency=4), 8))
    assert answers == ["", "", *["asked again"] * 4, "", ""]


async def test_what_fails_while_the_room_is_busy_is_asked_again(where: str) -> None:
    gone = CandidateUnreachable("no credit left", hearing="refused", by_service=True)
    broken = True
    server = FailingActor(lambda question, time: gone if broken and question == 3 else None)

    async def hear_slowly(asking: Interview[Prompt, Reply]) -> None:
        async with aclosing(asking.ask_in_order(questions(12))) as answers:
            async for _ in answers:
                await asyncio.sleep(0.02)  # long enough for the next question to fail

    with Transcript.open(where) as transcript, pytest.raises(CandidateUnreachable):
        await hear_slowly(interview(server, transcript))
    assert server.asked == ["0", "1", "2", "3"]
    broken = False
    with Transcript.open(where) as transcript:
        assert transcript.orphans == frozenset()
        assert shown(await collect(interview(server, transcript), 6)) == ["", "", "", "asked again", "", ""]


@given(draw=st.integers(0, 10**6), other=st.integers(0, 10**6), run=st.integers(0, RUNS - 1), another=st.integers(0, RUNS - 1))
def test_no_two_draws_share_a_key_in_any_run(draw: int, other: int, run: int, another: int) -> None:
    pair, two = [*Key("c", "q", draw).each_run][run], [*Key("c", "q", other).each_run][another]
    assert pair.first == Key("c", "q", draw)
    assert (pair == two) == ((draw, run) == (other, another))


async def test_a_long_pause_is_said_once_for_all_that_wait(caplog: pytest.LogCaptureFixture) -> None:
    limit = ServiceFault("status 429", reached=False, hearing="turned away", retry_after=3600.0)
    server = FailingActor(lambda question, time: limit if time == 1 else None)
    with caplog.at_level(logging.WARNING, Asker.__module__):
        await collect(interview(server, concurrency=4), 4)
    assert [record.getMessage() for record in caplog.records] == [
        "the server asks for a pause of 60 min (Retry-After); the next try is in 5 min"
    ]


async def test_a_short_pause_is_not_worth_a_word(caplog: pytest.LogCaptureFixture) -> None:
    limit = ServiceFault("status 429", reached=False, hearing="turned away", retry_after=59.0)
    await collect(interview(FailingActor(lambda question, time: limit if time == 1 else None)), 2)
    assert not caplog.records
