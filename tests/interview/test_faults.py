"""What a candidate may have heard and not answered is on record before it is put again, whoever ends the program and when."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.interview.candidates import Actor, questions
from tests.interview_settings import interview_settings
from vivavoce.candidates.function import Function
from vivavoce.errors import BadInput, CandidateMisconfigured, CandidateUnreachable, Hearing, TransportFault, VivavoceError
from vivavoce.interview.candidate import NoAnswer, PriorAttempt, Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.record import AskingKind
from vivavoce.interview.retries import AskSettings
from vivavoce.interview.schedule import Clock
from vivavoce.interview.transcript import Transcript

HEARINGS: Final[tuple[Hearing, ...]] = ("unheard", "turned away", "heard")


@pytest.fixture(params=["file", pytest.param("postgres", marks=pytest.mark.postgres)])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(tmp_path / "t.sqlite") if request.param == "file" else str(request.getfixturevalue("postgres_address"))


async def no_wait(_: float) -> None:
    await asyncio.sleep(0)


def interview(candidate: Any, transcript: Transcript | None = None, **more: Any) -> Interview[Prompt, Reply]:
    return Interview(candidate, answers=Reply, transcript=transcript, **interview_settings(clock=Clock(sleep=no_wait), **more))


def answering(*attempts: Hearing | VivavoceError | None, after: str = "yes") -> Actor:
    """Fails so at the first attempts of every question, one after the other (None: answers), then answers."""
    candidate: Actor

    async def behaviour(question: Prompt) -> str:
        number = candidate.times[question.id] - 1
        failure = attempts[number] if number < len(attempts) else None
        if isinstance(failure, VivavoceError):
            raise failure
        if failure is not None:
            raise TransportFault("no", reached=failure == "heard", hearing=failure)
        return after

    candidate = Actor(behaviour)
    return candidate


async def met(candidate: Any, transcript: Transcript | None = None, *, number: int = 1, **more: Any) -> list[PriorAttempt]:
    return [answer.met async for _, answer in interview(candidate, transcript, **more).ask_in_order(questions(number))]


def kinds(where: str) -> list[AskingKind]:
    with Transcript.open(where) as transcript:
        return [row.kind for row in transcript.askings()]


@pytest.mark.parametrize(
    ("hearing", "prior", "on_record"),
    [
        ("unheard", "", ["asked"]),
        ("turned away", "turned away", ["asked", "turned away"]),
        ("heard", "fault", ["asked", "fault"]),
    ],
)
async def test_what_was_heard_is_on_record_before_the_retry(
    where: str, hearing: Hearing, prior: PriorAttempt, on_record: list[AskingKind]
) -> None:
    at_retry: list[tuple[int, int]] = []
    candidate: Actor

    async def behaviour(_: Prompt) -> str:
        if len(candidate.asked) > 1:
            with Transcript.open(where) as record:
                at_retry.append((len(record.faults), len(record.turned_away)))
            return "yes"
        raise TransportFault("no", reached=False, hearing=hearing)

    candidate = Actor(behaviour)
    with Transcript.open(where) as transcript:
        assert await met(candidate, transcript) == [prior]
    assert at_retry == [(hearing == "heard", hearing == "turned away")]
    assert kinds(where) == on_record
    with Transcript.open(where) as transcript:
        assert await met(answering(), transcript) == [prior]  # from the record
        assert transcript.verify().count == 1


@pytest.mark.long
@given(
    attempts=st.lists(st.sampled_from(HEARINGS), max_size=4),
    resumed=st.lists(st.sampled_from(HEARINGS), max_size=4),
    strict=st.booleans(),
)
@settings(max_examples=25, deadline=None)
def test_the_worst_of_all_attempts_counts_whatever_was_said_and_whichever_run_it_was(
    attempts: list[Hearing], resumed: list[Hearing], strict: bool
) -> None:
    """A first run that only fails, a second one that fails and then is answered, a third that reads the record."""

    async def runs(where: str) -> list[PriorAttempt]:
        with Transcript.open(where) as transcript:
            if attempts:
                with pytest.raises(CandidateUnreachable):
                    await met(answering(*attempts), transcript, attempts=len(attempts), strict_faults=strict)
        with Transcript.open(where) as transcript:
            [second] = await met(answering(*resumed), transcript, attempts=len(resumed) + 1, strict_faults=strict)
        with Transcript.open(where) as transcript:
            [third] = await met(answering(), transcript, strict_faults=strict)
            assert transcript.orphans == frozenset()
        return [second, third]

    failed = {*attempts, *resumed}
    heard = "heard" in failed or (strict and "turned away" in failed)
    expected = "fault" if heard else "turned away" if "turned away" in failed else ""
    with TemporaryDirectory() as folder:
        assert asyncio.run(runs(f"{folder}/t.sqlite")) == [expected] * 2


async def test_strictness_is_a_matter_of_reading(where: str) -> None:
    with Transcript.open(where) as transcript:
        assert await met(answering("turned away"), transcript) == ["turned away"]
    with Transcript.open(where) as transcript:
        assert await met(answering(), transcript, strict_faults=True) == ["fault"]


@pytest.mark.parametrize("last", ["unheard", "turned away", "heard"])
@pytest.mark.parametrize("attempts", [1, 3])
async def test_who_cannot_be_reached_leaves_faults_only_where_it_may_have_heard(
    where: str, last: Hearing, attempts: int
) -> None:
    with Transcript.open(where) as transcript, pytest.raises(CandidateUnreachable):
        await met(answering(*[last] * attempts), transcript, number=4, concurrency=2, attempts=attempts)
    expected = {"unheard": "", "turned away": "turned away", "heard": "fault"}[last]
    with Transcript.open(where) as transcript:
        assert await met(answering(), transcript, number=4) == [expected, expected, "", ""]


class OneBreaks:
    """Question 0 ends the run with an error when the others have been under way for a while."""

    name = "bot:scripted"

    def __init__(self, error: Exception, *, answers: Sequence[str] = ()) -> None:
        self._error = error
        self._answers = answers

    async def answer(self, question: Prompt, /) -> Reply:
        if question.id in self._answers:
            return Reply("yes")
        await asyncio.sleep(0.02 if question.id == "0" else 60)
        raise self._error


@pytest.mark.parametrize(
    ("error", "answers", "expected"),
    [
        # the request as a whole was refused, and nobody of that name has ever answered
        (CandidateMisconfigured("wrong key", hearing="refused"), (), ["turned away"] * 3),
        # someone has: what is refused from then on was heard, and so is what was under way
        (CandidateMisconfigured("wrong key", hearing="refused"), ("1",), ["fault", "", "fault"]),
        (CandidateMisconfigured("no such person"), (), ["fault"] * 3),
        (CandidateMisconfigured("no secure connection", hearing="unheard"), (), ["", "fault", "fault"]),
        (BadInput("no such column"), (), ["fault"] * 3),
    ],
)
async def test_what_is_under_way_when_a_run_breaks_was_heard(
    where: str, error: Exception, answers: Sequence[str], expected: list[PriorAttempt]
) -> None:
    with Transcript.open(where) as transcript, pytest.raises(type(error)):
        await met(OneBreaks(error, answers=answers), transcript, number=3, concurrency=3)
    with Transcript.open(where) as transcript:
        assert transcript.orphans == frozenset()
        assert await met(answering(), transcript, number=3) == expected


async def test_a_wrong_key_after_a_fault_does_not_wash_it_away(where: str) -> None:
    candidate = answering("heard", CandidateMisconfigured("wrong key", hearing="refused"))
    with Transcript.open(where) as transcript, pytest.raises(CandidateMisconfigured):
        await met(candidate, transcript)
    with Transcript.open(where) as transcript:
        assert await met(answering(), transcript) == ["fault"]


@pytest.mark.parametrize("error", [CandidateUnreachable("gone"), BadInput("mend me"), CandidateMisconfigured("no")])
async def test_a_function_that_has_been_called_has_heard(where: str, error: Exception) -> None:
    def gives_up(_: str) -> str:
        raise error

    with Transcript.open(where) as transcript, pytest.raises(type(error)):
        await met(Function("function:m:f", gives_up), transcript, concurrency=1)
    with Transcript.open(where) as transcript:
        assert await met(Function("function:m:f", str.upper), transcript) == ["fault"]


async def test_a_function_that_loses_its_connection_has_heard_as_well() -> None:
    calls: list[str] = []

    def lost_at_first(text: str) -> str:
        calls.append(text)
        if len(calls) == 1:
            raise ConnectionRefusedError("at the candidate's own side of the call")
        return text

    assert await met(Function("function:m:f", lost_at_first)) == ["fault"]


@pytest.mark.parametrize(("first", "expected"), [("heard", "fault"), ("turned away", "turned away"), ("unheard", "")])
async def test_an_interrupt_between_two_attempts_forgets_nothing(where: str, first: Hearing, expected: PriorAttempt) -> None:
    waiting = asyncio.Event()

    async def waits(_: float) -> None:
        waiting.set()
        await asyncio.Event().wait()

    async def run(transcript: Transcript) -> None:
        asker: Interview[Prompt, Reply] = Interview(
            answering(first), answers=Reply, transcript=transcript, settings=AskSettings(clock=Clock(sleep=waits))
        )
        async with aclosing(asker.ask_in_order(questions(1))) as answers:
            async for _ in answers:
                pass

    with Transcript.open(where) as transcript:
        task = asyncio.create_task(run(transcript))
        await waiting.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    with Transcript.open(where) as transcript:
        assert transcript.orphans == frozenset()
        assert await met(answering(), transcript) == [expected]


async def test_what_fails_once_and_is_not_asked_again_is_an_outcome() -> None:
    candidate = answering(None, after="yes")
    assert await met(candidate) == [""]
    hopeless = Actor(raising(TransportFault("too long", worth_retrying=False)))
    well = [answer async for _, answer in interview(TwoModels(hopeless, answering())).ask_in_order(questions(3))]
    assert well[1] == NoAnswer("too long")
    assert [answer.met for answer in well] == ["", "", ""]


async def test_even_no_answer_after_a_retry_is_a_second_try() -> None:
    hopeless = Actor(raising(TransportFault("status 503", reached=False)))
    answers = [answer async for _, answer in interview(TwoModels(hopeless, answering()), attempts=3).ask_in_order(questions(9))]
    assert answers[1] == NoAnswer("status 503", 3)
    assert answers[1].met == "fault"


class TwoModels:
    """Question 1 goes to one, all others to another."""

    name = "bot:mixed"

    def __init__(self, actor: Actor, others: Actor) -> None:
        self._one, self._others = actor, others

    async def answer(self, question: Prompt, /) -> Reply:
        return await (self._one if question.id == "1" else self._others).answer(question)


def raising(error: Exception) -> Callable[[Prompt], Any]:
    async def behaviour(_: Prompt) -> str:
        raise error

    return behaviour


async def test_a_reader_of_other_rooms_is_told_how_many_had_a_second_try() -> None:
    fails = {"1": "heard", "2": "turned away", "3": "heard", "8": "heard"}
    candidate: Actor

    async def behaviour(question: Prompt) -> str:
        if question.id in fails and candidate.times[question.id] == 1:
            raise TransportFault("no", hearing=fails[question.id])  # type: ignore[arg-type]
        return "yes"

    candidate = Actor(behaviour)
    asker = interview(candidate, concurrency=1)
    async with aclosing(asker.ask_in_order(questions(9))) as answers:
        async for question, answer in answers:
            assert answer == Reply("yes")  # the answer to the second try counts there
            if question.id == "5":
                break
    assert any(caveat.startswith("2 questions to bot:scripted met a fault") for caveat in asker.caveats)
    assert any(caveat.startswith("1 question was turned away") for caveat in asker.caveats)
    assert asker.manner == ()
    assert "strict_faults" not in asker.settings
    assert interview(candidate, strict_faults=True).settings["strict_faults"] is True


async def test_two_interviews_over_one_record_in_memory_know_of_each_others_faults() -> None:
    with Transcript.open(None) as transcript:
        assert await met(answering("heard"), transcript) == ["fault"]
        assert await met(answering(), transcript) == ["fault"]
