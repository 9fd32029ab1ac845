"""The interview: questions to one candidate, several at once, every answer written down."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, Final, Generic, TypeVar

from vivavoce.errors import BadInput, BudgetExhausted, NotOnRecord
from vivavoce.formats.wording import clipped
from vivavoce.interview.budget import Budget, Ended, Limit, Limits, SpendingHistory
from vivavoce.interview.candidate import (
    CONCURRENCY,
    AskedAgain,
    Candidate,
    NoAnswer,
    Paced,
    Prompt,
    Recording,
    Reply,
    Usage,
    usual_concurrency,
)
from vivavoce.interview.commitment import COMMITTER
from vivavoce.interview.drawing import Drawing
from vivavoce.interview.notation import Settled
from vivavoce.interview.outcomes import AskSettings, Outcomes
from vivavoce.interview.progress import Progress, tell
from vivavoce.interview.reading import REWORDED, Readings, asked_again_caveat, early_answers_caveat, settings_caveats
from vivavoce.interview.record import Key
from vivavoce.interview.requests import Blocks, Occurrences, Put, Request, next_turn
from vivavoce.interview.results import Heard, Results, spectator
from vivavoce.interview.schedule import Clock
from vivavoce.interview.transcript import Transcript

Q = TypeVar("Q")
A = TypeVar("A")

LOOK_AHEAD: Final = 2
"""Questions that are drawn but not yet handed out, for each that may be in flight: while one is slow, the others go on."""


@dataclass(frozen=True, slots=True)
class Monitor:
    """Who hears about outcomes while an interview runs."""

    expected: int | None = None
    """How many questions there will be, if that is known, for `on_progress` alone."""
    on_progress: Callable[[Progress], None] | None = None
    """Called after every outcome, within the event loop: it must be quick."""
    results: Results | None = None
    """Hears every answer that is handed out, as a row for spreadsheets and data frames."""


class Interview(Generic[Q, A]):
    """Puts questions to one candidate, several at once, and has every answer on record before anybody sees it.

    What is on record is not asked again: an interview that was killed at any point and is started again over the same
    transcript asks only what was in flight. Nothing is dropped: a question gets an answer or a `NoAnswer`.

    Questions and answers are frozen dataclasses or plain values, anything that pydantic turns into JSON.

    Parameters
    ----------
    candidate: who is asked.
    answers: the type of its answers, by which recorded ones are read.
    transcript: None keeps the record in memory.
    concurrency: questions in flight at most; None: as many as the candidate wishes (`usual_concurrency`), which may change over
        time, as cluster workers join and leave.
    budget: limits on questions, tokens and money; a `SharedBudget.share()` where several interviews share them.
    settings: time-outs, retries and the form of replies.
    monitor: who hears about outcomes while it runs.
    clock: tells the time, and waits between attempts.

    >>> class Echo:
    ...     name = "bot:echo"
    ...     async def answer(self, question: str, /) -> str:
    ...         return question.upper()
    >>> async def examine():
    ...     interview = Interview(Echo(), answers=str)
    ...     return [answer async for _, answer in interview.ask_in_order(["one", "two"])]
    >>> asyncio.run(examine())
    ['ONE', 'TWO']
    """

    exhausted: Limit = ""
    """Which limit of the budget ended the questions; empty while none has."""

    def __init__(
        self,
        candidate: Candidate[Q, A],
        *,
        answers: type[A],
        transcript: Transcript | None = None,
        concurrency: int | None = None,
        budget: Limits = Budget(),  # noqa: B008 -- frozen
        settings: AskSettings = AskSettings(),  # noqa: B008
        monitor: Monitor = Monitor(),
        clock: Clock = Clock(),  # noqa: B008
    ) -> None:
        if candidate.name == COMMITTER:
            raise BadInput(f"no candidate can be called '{COMMITTER}': records of that name are the examiner's own")
        follows = concurrency is None and isinstance(candidate, Paced)
        self.concurrency = concurrency = usual_concurrency(candidate) if concurrency is None else concurrency
        """Questions in flight at most, as it began."""
        settings.check(concurrency)
        self.candidate = candidate
        self.transcript = Transcript.open(None) if transcript is None else transcript
        self.budget = budget
        self.spending = Usage()
        """Cost of all answers that were handed out, recorded ones included; what was cancelled on the way is not in it."""
        self.results = Results(wanted=False) if monitor.results is None else monitor.results
        """Rows of what is handed out; rooms mark them."""
        self.handed_out = array("q")
        """Numbers of the records behind what `ask_in_order` has handed out, in that order."""
        self._spent = SpendingHistory()
        self._asking = settings.reply_format
        self._monitor = monitor
        self._clock = clock
        self._asked_by = _current_task()
        self._drawn = self._asked_again = 0
        self._begun = False
        self._outcomes: Outcomes[Q, A] = Outcomes(
            candidate,
            self.transcript,
            answers,
            settings,
            clock,
            hand_out=self._hand_out,
            tell=self._tell,
            room=partial(usual_concurrency, candidate) if follows else lambda: concurrency,
            awaited=lambda: min(len(self._requests), concurrency),
            keep_questions=self.results.wanted,
        )
        self._requests: dict[Key, Request[A]] = {}
        self._followed = settings.blocks
        self.drawing: Drawing[Q, A] = Drawing(self._outcomes.batches, settings.blocks)
        """What the latest `ask_in_order` has drawn and not handed out, and how it draws."""
        self._blocks: Blocks[Q, A] = Blocks(self._outcomes.settle_together)
        self._at_hand = (
            isinstance(candidate, AskedAgain) and candidate.asked_again == "same" and isinstance(candidate, Recording)
        )
        """Whether the candidate has its answers at hand."""

    @property
    def name_on_record(self) -> str:
        """The candidate's, by which its answers are found."""
        return self._outcomes.recorded_name

    @property
    def clock(self) -> Clock:
        """What tells it the time."""
        return self._clock

    @property
    def from_record(self) -> bool:
        """Whether nobody is asked."""
        return self._outcomes.from_record

    def read_record_only(self) -> None:
        """Ask nothing from now on: a question whose answer is wanted, and is not on record, raises `NotOnRecord`."""
        self._outcomes.from_record = self._outcomes.look_up = True

    @property
    def asks_anew(self) -> bool:
        """Whether the candidate has been asked what was not on record, or nothing is on record."""
        return self._outcomes.asks_anew or not self._outcomes.look_up

    @property
    def ahead(self) -> int:
        """Answers that may be taken before those in front of them are graded. By batch that is no more than one by one: who
        takes a whole block before the first grade draws another."""
        return LOOK_AHEAD * (self.concurrency if self._outcomes.batches is None else min(self.concurrency, CONCURRENCY))

    @property
    def ended(self) -> Ended | None:
        """Where the budget ended the questions, to be asked once all answers were handed out; None where it did not."""
        return Ended(self.exhausted, self._drawn) if self.exhausted else None

    @property
    def progress(self) -> Progress:
        """How far it has come."""
        wait = self._outcomes.schedule.seconds_to_next
        found = self._outcomes.tally.snapshot(
            now=self._clock.seconds(),
            in_flight=self._outcomes.outage.in_flight,
            expected=self._monitor.expected,
            seconds_to_next=wait,
        )
        batches = self._outcomes.batches
        return found if batches is None else replace(found, batch=batches.state)

    @property
    def readings(self) -> tuple[Readings, ...]:
        """How the answers to prompts with a form were read, form by form."""
        return self._outcomes.readings.found

    @property
    def settings(self) -> dict[str, object]:
        """How it asks, for a finding's signature."""
        left_out = [] if self._outcomes.parameters is None else sorted(self._outcomes.parameters.left_out)
        found: dict[str, object] = {"asking": self._asking or "by form"} | ({"left_out": left_out} if left_out else {})
        found |= {"source": self._outcomes.source} if self._outcomes.source else {}
        return found | ({"strict_faults": True} if self._outcomes.faults.strict else {})

    @property
    def caveats(self) -> tuple[str, ...]:
        """What a reader of the findings must know about how it was asked."""
        return (*self.manner, *self._outcomes.faults.caveats(self.candidate.name))

    @property
    def manner(self) -> tuple[str, ...]:
        """The same for findings that tell about faults themselves, by `Reply.met`."""
        name = self.candidate.name
        found = [] if self._outcomes.parameters is None else settings_caveats(name, sorted(self._outcomes.parameters.left_out))
        if self._asked_again and isinstance(self.candidate, AskedAgain) and self.candidate.asked_again == "elsewhere":
            found.append(asked_again_caveat(name, self._asked_again))
        if self._outcomes.is_reworded():
            found.append(REWORDED)
        if self._outcomes.schedule.early:
            found.append(early_answers_caveat(self._outcomes.schedule.early))
        return tuple(found)

    def spending_after(self, answers: int) -> Usage:
        """The spending when `ask_in_order` had handed out this many, whatever was handed out since to be graded ahead."""
        return self._spent.after(answers) if 0 < answers <= len(self._spent) else self.spending

    def next_turn(self, asked: Prompt, reply: Reply, text: str, *, id: str) -> Prompt:  # noqa: A002 - Prompt's own word
        """The next turn of a conversation with the candidate, after what was really sent and replied (`requests.next_turn`)."""
        return next_turn(self._outcomes.as_sent(asked), reply, text, id=id)

    async def ask(self, question: Q, *, draw: int = 0, topic: str = "") -> A | NoAnswer:
        """Ask one question, or read the answer where it is on record.

        Two independent answers to one question differ by `draw`; without that the same answer is returned again. Two asks
        of the same draw at the same time share one request.

        Raises `BudgetExhausted`, `CandidateMisconfigured`, `CandidateUnreachable`, `TranscriptError`, `NotOnRecord`.
        """
        outcome = await self._ask(question, draw, topic)
        self._hear(Heard(self.candidate.name, outcome, topic, draw, asked=question))
        return outcome.answer

    async def ask_aside(self, question: Q, *, draw: int, topic: str = "") -> A | NoAnswer | None:
        """The same of a question whose answer is no part of what is found; None where the budget has no room for it."""
        try:
            return (await self._ask(question, draw, topic)).answer
        except BudgetExhausted:
            return None

    async def _ask(self, question: Q, draw: int, topic: str) -> Settled[A]:
        self._begun = self._outcomes.look_up = True
        if self._out_of_budget():
            used = f"{self._drawn} questions, {self.spending.tokens} tokens, {self.spending.money:g} of money"
            raise BudgetExhausted(f"the budget of {self.exhausted} is used up: {used}")
        request = self._join(question, topic, draw=lambda _: draw)
        request.wanted.set()
        handed_out = False
        try:
            self._blocks.begin()
            outcome = await asyncio.shield(request.task)
            handed_out = True
        finally:
            if not handed_out:
                await self._leave([request])
        self._hand_out(outcome)
        return outcome

    async def ask_in_order(
        self,
        questions: Iterable[Q],
        *,
        topic: str = "",
        times: Iterator[datetime] | None = None,
        all_wanted: bool = False,
        beside: Callable[[], Iterable[Interview[Q, A]]] = tuple,
        steady: bool = False,
        first_draw: int = 0,
        remembers: bool = True,
    ) -> AsyncGenerator[tuple[Q, A | NoAnswer], None]:
        """Ask several at once, and hand out each question with its answer in the order in which they were drawn.

        Results taken as they complete would bias every test that may stop early: a candidate that is slow when it is wrong
        shows its right answers first, and passes. Hence nothing overtakes: a slow answer holds up those drawn after it, and
        at most twice `concurrency` questions are drawn but not yet handed out. Where the candidate comes to bear more or fewer
        they become more or fewer, too, unless it depends on their number what is drawn: see `steady`, and `Limits.by_answers`.

        What is not on record is asked once all answers before it that are there were handed out, and one more is wanted; from
        then on others are asked ahead. So whoever finds enough on record has nobody asked.

        Questions are drawn lazily. The n-th occurrence of an equal question within one call is its n-th draw, a record of its
        own; the same call in a resumed run finds it again. When the budget runs out no more are asked, what is in flight is
        handed out, and `exhausted` says which limit it was. That is judged by the answers handed out so far, never by those
        that happen to be complete: a resumed run ends at the same question.

        times: for each question the moment before which it is not asked, ascending and without an end; None: as soon as there
        is room. What is on record waits for nothing.
        all_wanted: all questions will be asked whatever is answered, so that by batch (`batched`) they are one block. Else a
            block is half as large as all before it (`drawing.block_after`).
        beside: interviews with others that are asked the same questions side by side: blocks of all are drawn together.
        steady: as many are drawn ahead throughout, since it depends on answers which question is drawn.
        first_draw: of each question; those before were asked by others.
        remembers: whether `handed_out` and `spending_after` tell of each answer, which takes 32 bytes.

        Close it (`contextlib.aclosing`) when leaving early: that cancels what is in flight.

        Raises, at once, `CandidateMisconfigured`, `CandidateUnreachable`, `TranscriptError`, and what `questions` raises.
        """
        first, self._begun = not self._begun, True
        if not first or await self._outcomes.recorder.knows(self._outcomes.recorded_name):
            self._outcomes.look_up = True
        self.handed_out, self._spent = array("q"), SpendingHistory()
        failure: asyncio.Future[BaseException] = asyncio.get_running_loop().create_future()
        self.drawing = drawing = Drawing(
            self._outcomes.batches,
            self._followed,
            self._draw(iter(questions), topic, failure, times, first_draw),
            all_wanted=all_wanted,
            beside=lambda: (other.drawing for other in beside()),
            most=self.concurrency,
            ahead=partial(self._room_ahead, steady=steady or self.budget.by_answers),
            on_record=self._outcomes.look_up,
        )
        failed = True
        try:
            while True:
                await drawing.until_first(failure, self._blocks.begin)
                if failure.done():
                    raise failure.result()
                if not drawing:
                    return
                outcome = drawing.first.result()
                question, request = drawing.hand_out()
                answer = self._hand_out(outcome)
                self._hear(Heard(self.candidate.name, outcome, topic, request.key.draw, drawing.handed_out - 1, question))
                if remembers:
                    self.handed_out.append(outcome.seq)
                    self._spent.append(self.spending)
                yield question, answer
        except GeneratorExit:
            failed = False
            raise
        finally:
            if left := drawing.leave():
                self.exhausted = ""  # left for another reason, before the budget mattered
            await self._leave(left, failed=failed)

    async def recorded_draws(self, questions: Iterable[Q] | None) -> list[int]:
        """The highest draw on record of each of these questions that has one, however its form was asked for.

        questions: None for all that the candidate was ever asked.
        """
        last = await asyncio.to_thread(self.transcript.last_draws, self.name_on_record)
        if questions is None or not last:
            return list(last.values())
        highest = (max((last.get(digest, -1) for digest in self._outcomes.digests(one)), default=-1) for one in questions)
        return [draw for draw in highest if draw >= 0]

    def _room_ahead(self, *, steady: bool) -> int:
        """Questions that may be drawn and not handed out."""
        return LOOK_AHEAD * (self.concurrency if steady else self._outcomes.slots.count)

    def _draw(
        self,
        questions: Iterator[Q],
        topic: str,
        failure: asyncio.Future[BaseException],
        times: Iterator[datetime] | None,
        first_draw: int,
    ) -> Iterator[tuple[Q, Request[A]]]:
        """Questions as they are drawn, each already on its way, until they or the budget run out."""

        def notice(task: asyncio.Future[Settled[A]]) -> None:
            error = None if task.cancelled() else task.exception()
            if error is not None and not failure.done():
                failure.set_result(error)

        if times is not None and self._outcomes.batches is not None:
            raise BadInput("questions that are spread over time cannot be asked by batch: leave out ?batch=")
        occurrences = Occurrences()
        for question in questions:
            due = None if times is None else next(times)
            if self._out_of_budget():
                return
            request = self._join(question, topic, draw=lambda digest: first_draw + occurrences[digest], due=due)
            request.task.add_done_callback(notice)
            occurrences.add(request.key.question_digest)
            yield question, request

    def _out_of_budget(self) -> bool:
        self.exhausted = self._use(0)
        return bool(self.exhausted)

    def _use(self, questions: int, usage: Usage = Usage()) -> Limit:  # noqa: B008 -- frozen
        """Count what was drawn and spent, so that all who share the budget know at once; returns which limit is reached."""
        self._drawn += questions
        self.spending += usage
        return self.budget.reached(questions=self._drawn, usage=self.spending)

    def _join(self, question: Q, topic: str, *, draw: Callable[[str], int], due: datetime | None = None) -> Request[A]:
        """Send a question on its way, or join those who wait for the same one; `draw` is told the question's digest."""
        put = self._outcomes.put(question, topic)
        key = Key(self._outcomes.recorded_name, put.digest, draw(put.digest))
        request = self._requests.get(key) or self._send(key, put, due)
        request.sharers += 1
        self._use(1)
        return request

    def _send(self, key: Key, put: Put[Q], due: datetime | None) -> Request[A]:
        if not self._requests:
            self._outcomes.begin()
        request: Request[A] = Request(key)
        if self._at_hand and due is None:
            request.task = asyncio.get_running_loop().create_future()
            self._blocks.put(request, put)
        else:
            request.task = asyncio.create_task(self._outcomes.settle(key, put, due, request.until_wanted))
        request.task.add_done_callback(lambda _: self._forget(request))
        self._requests[key] = request
        return request

    def _forget(self, request: Request[A]) -> None:
        if self._requests.get(request.key) is request:
            del self._requests[request.key]
        if self._outcomes.batches is not None:
            self._outcomes.batches.notice()

    async def _leave(self, requests: list[Request[A]], *, failed: bool = False) -> None:
        """Give up these requests; those that nobody else waits for are cancelled, unless the candidate has them and their
        answers are to go on record (`AskSettings.finishes`). Returns when they are at an end.

        failed: whether something failed.
        """
        abandoned, stops = [], failed or self._asked_by is None or self._asked_by.cancelling() > 0
        for request in requests:
            self._use(-1)
            request.sharers -= 1
            if not request.sharers:
                if stops or not self._outcomes.finishes(request.task):
                    request.task.cancel()
                else:
                    self._outcomes.left.add(request.task)
                self._forget(request)
                abandoned.append(request.task)
        try:
            await asyncio.gather(*abandoned, return_exceptions=True)
        finally:
            self._outcomes.left.difference_update(abandoned)
            await self._blocks.ended()
            if self._outcomes.batches is not None:
                await self._outcomes.batches.ended()
            await self._outcomes.close_askings()
            if abandoned:
                await self._outcomes.recorder.settled()

    def _hand_out(self, outcome: Settled[A]) -> A | NoAnswer:
        if outcome.missing:
            raise NotOnRecord(f"the record lacks an answer of {self.candidate.name} to {clipped(outcome.missing, 200)}")
        self._use(0, outcome.usage)
        self._asked_again += outcome.again
        self._outcomes.faults.hand_out(outcome.answer)
        return outcome.answer

    def _hear(self, heard: Heard) -> None:
        self.results.hear(heard)
        looks_on = spectator.get()
        if looks_on is not None:
            looks_on.heard(heard)

    def _tell(self) -> None:
        tell(self.progress, self._monitor.on_progress)


def _current_task() -> asyncio.Task[Any] | None:
    """The task that runs; None outside of an event loop."""
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None
