"""What is asked again and what is not: faults, outages, and parameters that a server refuses."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from tests.each_case import each_case
from tests.interview.candidates import Actor, at_once, collect, questions
from tests.interview.test_turns import Colour
from vivavoce.errors import BadInput, CandidateMisconfigured, CandidateUnreachable, ParameterRefused, TransportFault
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply, Usage
from vivavoce.interview.faults import Outage
from vivavoce.interview.forms.form import ReplyFormat
from vivavoce.interview.interview import Interview
from vivavoce.interview.retries import AskSettings
from vivavoce.interview.schedule import Clock
from vivavoce.interview.transcript import Transcript


class PauseList(list[float]):
    """Takes the place of waiting, and notes how long it would have been."""

    async def __call__(self, seconds: float) -> None:
        self.append(seconds)
        await asyncio.sleep(0)


def without_pauses() -> AskSettings:
    """Settings of an interview that does not wait."""
    return AskSettings(clock=Clock(sleep=PauseList()))


def failing(fault: Callable[[], Exception], *, only: Callable[[Prompt], bool] = lambda _: True, times: int = 10**9) -> Actor:
    """Fails so many times at each of these questions, and answers then."""
    candidate: Actor

    async def behaviour(question: Prompt) -> str:
        if only(question) and candidate.times[question.id] <= times:
            raise fault()
        return question.text.upper()

    candidate = Actor(behaviour)
    return candidate


def unreached() -> TransportFault:
    return TransportFault("connection refused", reached=False)


def refused() -> TransportFault:
    return TransportFault("500 Internal Server Error")


async def answers_to(interview: Interview[Any, Any], number: int) -> list[Any]:
    return [answer async for _, answer in interview.ask_in_order(questions(number))]


async def test_a_fault_is_retried_with_pauses_that_double() -> None:
    pauses = PauseList()
    candidate = failing(unreached, times=4)
    interview = Interview(candidate, answers=Reply, settings=AskSettings(clock=Clock(sleep=pauses)))
    assert await interview.ask(Prompt("?", id="q")) == Reply("?")
    assert candidate.asked == ["q"] * 5
    assert interview.progress.retries == 4
    # 0.5 s doubled each time, and up to half a second of jitter.
    for pause, least in zip(pauses, [0.5, 1, 2, 4], strict=True):
        assert least <= pause <= least + 0.5


async def test_pauses_end_at_half_a_minute() -> None:
    pauses = PauseList()
    await Interview(
        failing(unreached, times=11), answers=Reply, settings=AskSettings(clock=Clock(sleep=pauses), attempts=12)
    ).ask(Prompt("?"))
    # By hand: 0.5 · 2⁶ = 32 would be the seventh.
    assert all(30 <= pause <= 30.5 for pause in pauses[6:])
    assert 16 <= pauses[5] <= 16.5


@each_case(
    ("wished", "least", "most"), [(20.0, 20, 20.5), (1e9, 300, 300.5), (-5.0, 0.5, 1), (float("nan"), 0.5, 1), (0.1, 0.5, 1)]
)
async def test_the_other_sides_wish_is_heeded_within_reason(wished: float, least: float, most: float) -> None:
    pauses = PauseList()
    candidate = failing(lambda: TransportFault("429 Too Many Requests", retry_after=wished), times=1)
    interview = Interview(candidate, answers=Reply, settings=AskSettings(clock=Clock(sleep=pauses)))
    assert await interview.ask(Prompt("?")) == Reply("?")
    assert least <= pauses[0] <= most


async def test_what_cannot_get_better_is_not_retried() -> None:
    candidate = failing(lambda: TransportFault("prompt too long", worth_retrying=False), only=lambda q: q.id == "1")
    interview = Interview(candidate, answers=Reply, concurrency=1)
    assert await answers_to(interview, 3) == [Reply("QUESTION 0"), NoAnswer("prompt too long", 1), Reply("QUESTION 2")]
    assert candidate.times["1"] == 1


async def test_a_time_out_is_an_outcome_and_not_retried(transcript: Transcript) -> None:
    async def behaviour(question: Prompt) -> str:
        await asyncio.sleep(5 if question.id == "1" else 0)
        return question.text

    candidate = Actor(behaviour)
    interview = Interview(candidate, answers=Reply, transcript=transcript, settings=AskSettings(time_out=0.05))
    answers = await answers_to(interview, 3)
    assert answers == [Reply("question 0"), NoAnswer("time-out after 0.05 s", 1), Reply("question 2")]
    assert candidate.times["1"] == 1
    assert await answers_to(Interview(candidate, answers=Reply, transcript=transcript), 3) == answers
    assert candidate.times["1"] == 1
    assert [record.kind for record in transcript.records()].count("no answer") == 1


async def test_a_bug_of_the_candidate_is_an_outcome_of_bounded_length() -> None:
    candidate = failing(lambda: ValueError("x" * 10_000 + "\ud800"))
    answer = await Interview(candidate, answers=Reply).ask(Prompt("?"))
    assert answer == NoAnswer("ValueError: " + "x" * 288, 1)  # 300 characters in all
    odd = await Interview(failing(lambda: KeyError("\ud800")), answers=Reply).ask(Prompt("?"))
    assert isinstance(odd, NoAnswer)


async def test_the_candidates_own_time_out_error_is_no_time_out_of_ours() -> None:
    answer = await Interview(failing(lambda: TimeoutError("inner")), answers=Reply).ask(Prompt("?"))
    assert answer == NoAnswer("TimeoutError: inner", 1)


async def test_the_candidates_own_cancellation_is_none_of_ours() -> None:
    async def behaviour(question: Prompt) -> str:
        if question.id == "1":
            raise asyncio.CancelledError("mine")
        return question.text.upper()

    answers = await answers_to(Interview(Actor(behaviour), answers=Reply), 3)
    assert answers == [Reply("QUESTION 0"), NoAnswer("CancelledError: mine", 1), Reply("QUESTION 2")]


@pytest.mark.parametrize("error", [CandidateMisconfigured("401: wrong key"), BadInput("no such column")])
async def test_what_is_raised_on_purpose_passes_at_once(transcript: Transcript, error: Exception) -> None:
    candidate = failing(lambda: error)
    with pytest.raises(type(error), match=str(error)):
        await answers_to(Interview(candidate, answers=Reply, transcript=transcript, concurrency=3), 10)
    assert len(candidate.asked) == 1
    assert transcript.head.count == 0


@pytest.mark.parametrize("fault", [unreached, refused])
@pytest.mark.parametrize("slots", [1, 4])
async def test_who_never_answered_is_unreachable_and_nothing_is_recorded(
    transcript: Transcript, fault: Callable[[], TransportFault], slots: int
) -> None:
    candidate = failing(fault)
    interview = Interview(candidate, answers=Reply, transcript=transcript, concurrency=slots, settings=without_pauses())
    with pytest.raises(CandidateUnreachable, match=f"does not answer: {fault().reason}$"):
        await answers_to(interview, 20)
    assert len(candidate.asked) == 5 * slots
    assert transcript.head.count == 0
    assert (interview.progress.in_flight, candidate.now) == (0, 0)


@pytest.mark.parametrize("slots", [1, 8])
async def test_an_outage_in_the_middle_is_no_verdict(transcript: Transcript, slots: int) -> None:
    working = True

    async def behaviour(question: Prompt) -> str:
        await asyncio.sleep(0)
        if not working:
            raise unreached()
        return question.text.upper()

    async def until_outage() -> None:
        nonlocal working
        async for question, answer in interview.ask_in_order(questions(100)):
            assert isinstance(answer, Reply)
            if question.id == "29":
                working = False

    interview = Interview(Actor(behaviour), answers=Reply, transcript=transcript, concurrency=slots, settings=without_pauses())
    with pytest.raises(CandidateUnreachable, match=r"does not answer after \d+ answers?: "):
        await until_outage()
    assert {record.kind for record in transcript.records()} == {"answer"}
    assert 30 <= transcript.verify().count <= 30 + 2 * slots
    candidate = at_once()
    resumed = await answers_to(Interview(candidate, answers=Reply, transcript=transcript), 100)
    assert resumed == [Reply(f"QUESTION {n}") for n in range(100)]
    assert max(candidate.times.values()) == 1


@pytest.mark.parametrize("fault", [unreached, refused])
async def test_one_question_that_fails_among_others_that_do_not_is_recorded(fault: Callable[[], TransportFault]) -> None:
    candidate = failing(fault, only=lambda q: q.id == "7")
    interview = Interview(candidate, answers=Reply, concurrency=4, settings=without_pauses())
    answers = await answers_to(interview, 40)
    assert answers[7] == NoAnswer(fault().reason, 5)
    assert [answer for n, answer in enumerate(answers) if n != 7] == [Reply(f"QUESTION {n}") for n in range(40) if n != 7]
    assert candidate.times["7"] == 5


async def test_alone_and_refused_is_an_outcome_once_the_candidate_has_answered(transcript: Transcript) -> None:
    candidate = failing(refused, only=lambda q: q.id in "24")
    interview = Interview(candidate, answers=Reply, transcript=transcript, concurrency=1, settings=without_pauses())
    assert (await answers_to(interview, 3))[2] == NoAnswer("500 Internal Server Error", 5)
    resumed = Interview(candidate, answers=Reply, transcript=transcript, concurrency=1, settings=without_pauses())
    assert await resumed.ask(Prompt("question 4", id="4")) == NoAnswer("500 Internal Server Error", 5)


async def test_alone_and_not_reached_is_an_outage_even_then() -> None:
    candidate = failing(unreached, only=lambda q: q.id == "2")
    with pytest.raises(CandidateUnreachable, match="does not answer after 2 answers: "):
        await answers_to(Interview(candidate, answers=Reply, concurrency=1, settings=without_pauses()), 3)


async def test_after_an_outage_the_same_interview_may_go_on() -> None:
    candidate = failing(unreached, times=5)
    interview = Interview(candidate, answers=Reply, settings=without_pauses())
    with pytest.raises(CandidateUnreachable):
        await interview.ask(Prompt("?", id="q"))
    assert await interview.ask(Prompt("?", id="q")) == Reply("?")


async def test_who_waits_for_a_turn_is_waited_for() -> None:
    outage = Outage(lambda: 2, no_answers)
    with outage, outage, outage:  # two in flight, one that waits for its turn
        first = await in_a_task(outage.rule_out(unreached(), first_fault=outage.moment()))
        assert not first.done()
        second = await in_a_task(outage.rule_out(unreached(), first_fault=outage.moment()))
        for stuck in (first, second):
            with pytest.raises(CandidateUnreachable):
                await stuck


async def no_answers() -> int:
    return 0


async def in_a_task(work: Awaitable[None]) -> asyncio.Future[None]:
    task = asyncio.ensure_future(work)
    await asyncio.sleep(0.01)
    return task


async def test_an_answer_to_an_earlier_attempt_does_not_end_an_outage() -> None:
    outage = Outage(lambda: 8, no_answers)
    with outage, outage:
        before = outage.moment()
        stuck = await in_a_task(outage.rule_out(unreached(), first_fault=outage.moment()))
        outage.succeeded(before)  # the server still finished what it had begun
        await asyncio.sleep(0.01)
        assert not stuck.done()
        outage.succeeded(outage.moment())
        await stuck


async def test_any_answer_frees_one_that_did_reach_the_candidate() -> None:
    outage = Outage(lambda: 8, no_answers)
    with outage, outage:
        before = outage.moment()
        stuck = await in_a_task(outage.rule_out(refused(), first_fault=outage.moment()))
        assert not stuck.done()
        outage.succeeded(before)
        await stuck


async def test_the_last_to_leave_tells_those_who_are_stuck() -> None:
    outage = Outage(lambda: 8, no_answers)
    with outage:
        with outage:
            stuck = await in_a_task(outage.rule_out(unreached(), first_fault=outage.moment()))
            assert not stuck.done()
        with pytest.raises(CandidateUnreachable, match="connection refused"):
            await stuck


async def test_one_who_is_cancelled_is_not_waited_for() -> None:
    outage = Outage(lambda: 8, no_answers)
    with outage, outage:
        first = await in_a_task(outage.rule_out(unreached(), first_fault=outage.moment()))
        first.cancel()
        await asyncio.sleep(0.01)
        second = await in_a_task(outage.rule_out(unreached(), first_fault=outage.moment()))
        assert not second.done()  # of two in flight one is stuck: the cancelled one no longer counts
        third = await in_a_task(outage.rule_out(unreached(), first_fault=outage.moment()))
        for stuck in (second, third):
            with pytest.raises(CandidateUnreachable):
                await stuck


SENT_AS = {"temperature": "temperature", "max_tokens": "max_tokens", "first_tokens": "logprobs", "schema": "response_format"}


@dataclass
class ParameterServer:
    """Refuses some parameters, and some of them only for one question."""

    refuses: frozenset[str] = frozenset()
    refuses_for: Mapping[str, str] = field(default_factory=dict)
    never_sent: frozenset[str] = frozenset()
    name: str = "test:server"
    ways: tuple[ReplyFormat, ...] = ("text", "schema", "turn")
    asked: list[Prompt] = field(default_factory=list)

    async def answer(self, question: Prompt, /) -> Reply:
        self.asked.append(question)
        borne = [sent for name, sent in SENT_AS.items() if getattr(question, name) not in (None, 0, "")]
        for name in borne:
            if name in self.refuses or self.refuses_for.get(question.id) == name:
                raise ParameterRefused(name, "not supported with this model")
        return Reply("blue", Usage(1, 1, 0.0))


def warm(*names: str) -> list[Prompt]:
    return [Prompt(f"What colour is {name}?", id=name, temperature=0.7) for name in names]


async def test_one_probe_decides_for_all_questions(transcript: Transcript) -> None:
    server = ParameterServer(refuses=frozenset({"temperature"}))
    interview: Interview[Prompt, Reply | NoAnswer] = Interview(server, answers=Reply, transcript=transcript)
    answers = await collect(interview, warm("sky", "sun", "sea"))
    assert [answer.text for _, answer in answers if isinstance(answer, Reply)] == ["blue"] * 3
    assert [asked.id for asked in server.asked if asked.temperature is not None] == ["probe"]
    assert sorted(asked.id for asked in server.asked) == ["probe", "sea", "sky", "sun"]
    assert interview.settings["left_out"] == ["temperature"]
    assert interview.caveats == ("test:server refuses the setting 'temperature': it was left out of all questions.",)
    assert transcript.head.count == 4


async def test_a_resumed_run_reads_the_probe_from_the_record(transcript: Transcript) -> None:
    await collect(
        Interview(ParameterServer(refuses=frozenset({"temperature"})), answers=Reply, transcript=transcript), warm("sky")
    )
    server = ParameterServer()  # even if the server would take it now
    interview = Interview(server, answers=Reply, transcript=transcript)
    await collect(interview, warm("sky", "sun"))
    assert [(asked.id, asked.temperature) for asked in server.asked] == [("sun", None)]
    assert interview.settings["left_out"] == ["temperature"]


async def test_several_parameters_are_told_apart_in_one_go() -> None:
    server = ParameterServer(refuses=frozenset({"temperature", "response_format"}))
    prompt = Prompt("What colour is sky?", id="sky", temperature=0.7, max_tokens=9, form=Colour())
    interview = Interview(server, answers=Reply, settings=AskSettings(reply_format="schema"))
    assert isinstance(await interview.ask(prompt), Reply)
    assert [asked.id for asked in server.asked] == ["probe", "probe", "probe", "sky"]
    last = server.asked[-1]
    assert (last.temperature, last.max_tokens, last.schema) == (None, 9, "")
    assert last.text.endswith(Colour.instruction)
    assert interview.settings["left_out"] == ["schema", "temperature"]


async def test_a_later_refusal_is_the_outcome_of_its_question() -> None:
    server = ParameterServer(refuses_for={"sun": "temperature"})
    interview: Interview[Prompt, Reply | NoAnswer] = Interview(server, answers=Reply)
    outcomes = dict(await collect(interview, warm("sky", "sun", "sea")))
    absent = outcomes[warm("sun")[0]]
    assert isinstance(absent, NoAnswer)
    assert absent.attempts == 1
    assert [asked.id for asked in server.asked].count("sun") == 1
    assert "left_out" not in interview.settings


async def test_what_is_known_to_be_refused_is_left_out_without_a_probe() -> None:
    server = ParameterServer(refuses=frozenset({"temperature"}), never_sent=frozenset({"temperature"}))
    interview = Interview(server, answers=Reply)
    await collect(interview, warm("sky"))
    assert [(asked.id, asked.temperature) for asked in server.asked] == [("sky", None)]
    assert interview.settings["left_out"] == ["temperature"]


@pytest.mark.parametrize("refuses", [frozenset(), frozenset({"temperature"})])
async def test_equal_questions_are_draws_of_their_own_whatever_is_left_out(
    refuses: frozenset[str], transcript: Transcript
) -> None:
    server = ParameterServer(refuses=refuses)
    await collect(Interview(server, answers=Reply, transcript=transcript), warm("sky") * 4)
    draws = sorted(record.draw for record in transcript.records() if record.topic != "probe")
    assert draws == [0, 1, 2, 3]
    assert all(replace(asked, temperature=None) == replace(warm("sky")[0], temperature=None) for asked in server.asked[1:])
