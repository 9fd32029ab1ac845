"""The interview: many questions to one candidate, several at once, with every answer on record."""

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
from vivavoce.interview.budget import Budget, BudgetEnd, HearsAnswers, Limit, Limits, SpendingHistory
from vivavoce.interview.candidate import (
    CONCURRENCY,
    Candidate,
    NoAnswer,
    Prompt,
    RepeatableCandidate,
    Reply,
    Usage,
    usual_concurrency,
)
from vivavoce.interview.candidate_kinds import source_of
from vivavoce.interview.commitment import COMMITTER
from vivavoce.interview.drawing import DrawLimits, DrawnQuestions
from vivavoce.interview.progress import Progress, tell
from vivavoce.interview.question_runner import InterviewHooks, QuestionRunner
from vivavoce.interview.reading import REWORDED, FormReadings, asked_again_caveat, early_answers_caveat, settings_caveats
from vivavoce.interview.record import Key
from vivavoce.interview.requests import Occurrences, QuestionOutcome, Request, next_turn
from vivavoce.interview.results import AnswerEvent, ResultRows
from vivavoce.interview.retries import AskSettings
from vivavoce.interview.schedule import Clock
from vivavoce.interview.transcript import Transcript

Q = TypeVar("Q")
A = TypeVar("A")

LOOK_AHEAD: Final = 2
"""Questions drawn and not yet returned, per slot in flight: a slow question does not stop the others."""


@dataclass(frozen=True, slots=True)
class Monitor:
    """The reports of a running interview, and their listener."""

    expected: int | None = None
    """How many questions there will be, if known, for `on_progress` alone."""
    on_progress: Callable[[Progress], None] | None = None
    """Called after every outcome, within the event loop: it must be quick."""
    results: ResultRows | None = None
    """Gets every returned answer, as a row for spreadsheets and data frames."""


@dataclass(frozen=True, slots=True)
class DrawPlan:
    """When `ask_in_order` draws its questions, beyond one interview with one draw of each."""

    times: Iterator[datetime] | None = None
    """The earliest moment for each question, ascending and endless; None: at once. Recorded answers do not wait."""
    side_by_side: Callable[[], Iterable[Interview[Any, Any]]] = tuple
    """Interviews with other candidates about the same questions: all draw their blocks together."""
    steady: bool = False
    """Draw equally many ahead throughout, because the answers decide which question is drawn."""
    first_draw: int = 0
    """The first draw of each question; other callers asked the draws before it."""


class Interview(Generic[Q, A]):
    """Asks one candidate many questions, several at once, and records every answer before returning it.

    A recorded question is not asked again. An interview that was killed at any point, and starts again over the same
    transcript, asks only the questions that were in flight. Nothing is dropped: each question gets an answer or a `NoAnswer`.

    Questions and answers are frozen dataclasses or plain values, anything that pydantic turns into JSON.

    Parameters
    ----------
    candidate: the system under examination.
    answers: the type of its answers, by which recorded ones are read.
    transcript: None keeps the record in memory.
    concurrency: questions in flight at most; None: the candidate's own number (`usual_concurrency`), which may change over
        time, e.g. as cluster workers join and leave.
    budget: limits on questions, tokens and money; a `SharedBudget.share()` where several interviews share them.
    settings: time-outs, retries, the form of replies, and the clock.
    monitor: listeners to outcomes while it runs.

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
    """The limit of the budget that ended the questions; empty while none has."""

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
    ) -> None:
        if candidate.name == COMMITTER:
            raise BadInput(f"a candidate can't be called '{COMMITTER}', which is reserved for the examiner: rename it")
        follows = concurrency is None and hasattr(candidate, "concurrency")
        self.concurrency = concurrency = usual_concurrency(candidate) if concurrency is None else concurrency
        """Questions in flight at most, at the start."""
        settings.check(concurrency)
        self.candidate = candidate
        self.transcript = Transcript.open(None) if transcript is None else transcript
        self.budget = budget
        self.spending = Usage()
        """Cost of all returned answers, recorded ones included, without cancelled questions."""
        self.results = ResultRows(wanted=False) if monitor.results is None else monitor.results
        """Rows of the returned answers; rooms grade them."""
        self.handed_out = array("q")
        """Numbers of the records behind the answers of `ask_in_order`, in that order."""
        self._spent = SpendingHistory()
        self._settings = settings
        self._monitor = monitor
        self._asked_by = _current_task()
        self._drawn = self._asked_again = 0
        self._begun = False
        self._requests: dict[Key, Request[A]] = {}
        self._runner = QuestionRunner(
            candidate,
            self.transcript,
            answers,
            settings,
            InterviewHooks(
                hand_out=self._hand_out,
                tell=lambda: tell(lambda: self.progress, monitor.on_progress),
                room=partial(usual_concurrency, candidate) if follows else lambda: concurrency,
                awaited=lambda: min(len(self._requests), concurrency),
                keep_questions=self.results.wanted,
            ),
        )
        self.drawing: DrawnQuestions[Q, A] = DrawnQuestions(self._runner.batches, settings.blocks)
        """The questions that the latest `ask_in_order` has drawn and not returned, and how it draws."""

    @property
    def budget(self) -> Limits:
        """The limits on questions, tokens and money."""
        return self._budget

    @budget.setter
    def budget(self, budget: Limits) -> None:
        self._budget = budget
        self._budget_hears = budget if isinstance(budget, HearsAnswers) else None  # not once an answer: it takes a while

    @property
    def name_on_record(self) -> str:
        """The candidate's name in the record."""
        return self._runner.recorded_name

    @property
    def clock(self) -> Clock:
        """The clock of this interview."""
        return self._settings.clock

    @property
    def from_record(self) -> bool:
        """Whether only the record is read."""
        return self._runner.from_record

    def read_record_only(self) -> None:
        """Only read the record from now on: a question without an answer on record raises `NotOnRecord`."""
        self._runner.from_record = self._runner.look_up = True

    @property
    def asks_anew(self) -> bool:
        """Whether the candidate has been asked a question that was not on record, or nothing is on record."""
        return self._runner.asks_anew or not self._runner.look_up

    @property
    def ahead(self) -> int:
        """How many answers may be taken before the earlier ones are graded. The number by batch is no larger than without
        batches: taking a whole block before the first grade would draw another block."""
        return LOOK_AHEAD * (self.concurrency if self._runner.batches is None else min(self.concurrency, CONCURRENCY))

    @property
    def ended(self) -> BudgetEnd | None:
        """The limit of the budget that ended the questions, known once all answers were returned; None if none did."""
        return BudgetEnd(self.exhausted, self._drawn) if self.exhausted else None

    @property
    def progress(self) -> Progress:
        """The progress at this moment."""
        progress = self._runner.tally.snapshot(
            now=self.clock.seconds(),
            in_flight=self._runner.outage.in_flight,
            expected=self._monitor.expected,
            seconds_to_next=self._runner.schedule.seconds_to_next,
        )
        batches = self._runner.batches
        return progress if batches is None else replace(progress, batch=batches.state)

    @property
    def readings(self) -> tuple[FormReadings, ...]:
        """How the answers to prompts with a form were read, by form."""
        return self._runner.readings.found

    @property
    def settings(self) -> dict[str, object]:
        """Its settings, for a finding's signature."""
        optional = {
            "left_out": self._runner.wording.left_out,
            "source": source_of(self.candidate),
            "strict_faults": self._settings.strict_faults,
        }
        return {"asking": self._settings.reply_format or "by form"} | {name: value for name, value in optional.items() if value}

    @property
    def caveats(self) -> tuple[str, ...]:
        """Caveats for readers of the findings on how the questions were asked."""
        return (*self.manner, *self._runner.faults.caveats(self.candidate.name))

    @property
    def manner(self) -> tuple[str, ...]:
        """The same for findings that report faults themselves, by `Reply.met`."""
        name = self.candidate.name
        texts = settings_caveats(name, self._runner.wording.left_out)
        if self._asked_again and isinstance(self.candidate, RepeatableCandidate) and self.candidate.asked_again == "elsewhere":
            texts.append(asked_again_caveat(name, self._asked_again))
        if self._runner.is_reworded():
            texts.append(REWORDED)
        if self._runner.schedule.early:
            texts.append(early_answers_caveat(self._runner.schedule.early))
        return tuple(texts)

    def spending_after(self, answers: int) -> Usage:
        """The spending after this many answers of `ask_in_order`, without those returned later."""
        return self._spent.after(answers) if 0 < answers <= len(self._spent) else self.spending

    def next_turn(self, asked: Prompt, reply: Reply, text: str, *, id: str) -> Prompt:  # noqa: A002 - Prompt's own word
        """The next turn of a conversation with the candidate, after the prompt that was really sent (`requests.next_turn`)."""
        return next_turn(self._runner.wording.as_sent(asked), reply, text, id=id)

    async def ask(self, question: Q, *, draw: int = 0, topic: str = "") -> A | NoAnswer:
        """Ask one question, or read its answer from the record.

        Two independent answers to one question differ by `draw`; the same draw returns the same answer. Two calls for the same
        draw at the same time share one request.

        Raises `BudgetExhausted`, `CandidateMisconfigured`, `CandidateUnreachable`, `TranscriptError`, `NotOnRecord`.
        """
        outcome = await self._ask(question, draw, topic)
        self._hear(AnswerEvent(self.candidate.name, outcome, topic, draw, asked=question))
        return outcome.answer

    async def ask_aside(self, question: Q, *, draw: int, topic: str = "") -> A | NoAnswer | None:
        """The same for a question whose answer is not part of the finding; returns None if the budget has no room for it."""
        try:
            return (await self._ask(question, draw, topic)).answer
        except BudgetExhausted:
            return None

    async def _ask(self, question: Q, draw: int, topic: str) -> QuestionOutcome[A]:
        self._begun = self._runner.look_up = True
        if self._out_of_budget():
            used = f"{self._drawn} questions, {self.spending.tokens} tokens, {self.spending.money:g} of money"
            raise BudgetExhausted(f"the budget of {self.exhausted} is used up: {used}")
        request = self._join(question, topic, draw=lambda _: draw)
        request.wanted.set()
        handed_out = False
        try:
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
        all_wanted: bool = False,
        plan: DrawPlan = DrawPlan(),
        remembers: bool = True,
    ) -> AsyncGenerator[tuple[Q, A | NoAnswer], None]:
        """Ask several at once, and yield each question with its answer in drawn order.

        Taking answers as they complete would bias every test that may stop early: a candidate that is slow when it is wrong
        shows its right answers first, and passes. So no answer overtakes: a slow one delays those drawn after it, and at most
        twice `concurrency` questions are drawn and not yet yielded. The limit follows the candidate's capacity, unless the draw
        itself depends on it: see `DrawPlan.steady`, and `Limits.by_answers`.

        A question that is not on record is asked once all recorded answers before it were yielded and one more is needed; from
        then on others are asked ahead. So nothing is asked while the record has enough.

        Questions are drawn lazily. The n-th occurrence of an equal question within one call is its n-th draw, a record of its
        own; the same call in a resumed run finds it again. When the budget runs out, no more are asked, answers in flight are
        yielded, and `exhausted` names the limit. Only yielded answers count for that, so a resumed run ends at the same
        question.

        all_wanted: all questions will be asked whatever the answers are, so that by batch (`vendor_batches`) they are one
            block. Otherwise a block is half as large as all before it (`drawing.block_after`).
        plan: when and how far ahead to draw, and the first draw of each question.
        remembers: whether `handed_out` and `spending_after` remember each answer, in 32 bytes.

        Close it (`contextlib.aclosing`) when leaving early: that cancels the questions in flight.

        Raises, at once, `CandidateMisconfigured`, `CandidateUnreachable`, `TranscriptError`, and errors of `questions`.
        """
        first, self._begun = not self._begun, True
        if not first or await self._runner.recorder.knows(self.name_on_record):
            self._runner.look_up = True
        self.handed_out, self._spent = array("q"), SpendingHistory()
        failure: asyncio.Future[BaseException] = asyncio.get_running_loop().create_future()
        slots, steady = self._runner.slots, plan.steady or self.budget.by_answers
        self.drawing = drawing = DrawnQuestions(
            self._runner.batches,
            self._settings.blocks,
            self._draw(iter(questions), topic, failure, plan),
            DrawLimits(
                most=self.concurrency,
                ahead=lambda: LOOK_AHEAD * (self.concurrency if steady else slots.count),
                all_wanted=all_wanted,
                on_record=self._runner.look_up,
                side_by_side=lambda: (other.drawing for other in plan.side_by_side()),
            ),
        )
        failed = True
        try:
            while await drawing.until_first(failure):
                outcome = drawing.first.result()
                question, request = drawing.hand_out()
                answer = self._hand_out(outcome)
                number = drawing.handed_out - 1
                self._hear(AnswerEvent(self.candidate.name, outcome, topic, request.key.draw, number, question))
                if remembers:
                    self.handed_out.append(outcome.seq)
                    self._spent.append(self.spending)
                yield question, answer
        except GeneratorExit:
            failed = False
            raise
        finally:
            if left := drawing.leave():
                self.exhausted = ""  # it ended for another reason, before the budget mattered
            await self._leave(left, failed=failed)

    async def recorded_draws(self, questions: Iterable[Q] | None) -> list[int]:
        """The highest draw on record of each of these questions that has one, in any reply format.

        questions: None for all questions that the candidate was ever asked.
        """
        last = await asyncio.to_thread(self.transcript.last_draws, self.name_on_record)
        if questions is None or not last:
            return list(last.values())
        digests = map(self._runner.wording.digests, questions)
        highest = (max((last.get(digest, -1) for digest in variants), default=-1) for variants in digests)
        return [draw for draw in highest if draw >= 0]

    def _draw(
        self, questions: Iterator[Q], topic: str, failure: asyncio.Future[BaseException], plan: DrawPlan
    ) -> Iterator[tuple[Q, Request[A]]]:
        """Draw questions and send each one, until they or the budget run out."""

        def notice(task: asyncio.Future[QuestionOutcome[A]]) -> None:
            error = None if task.cancelled() else task.exception()
            if error is not None and not failure.done():
                failure.set_result(error)

        if plan.times is not None and self._runner.batches is not None:
            raise BadInput("questions that are spread over time cannot be asked by batch: leave out ?batch=")
        occurrences = Occurrences()
        for question in questions:
            due = None if plan.times is None else next(plan.times)
            if self._out_of_budget():
                return
            request = self._join(question, topic, draw=lambda digest: plan.first_draw + occurrences.add(digest), due=due)
            request.task.add_done_callback(notice)
            yield question, request

    def _out_of_budget(self) -> bool:
        self.exhausted = self._use(0)
        return bool(self.exhausted)

    def _use(self, questions: int, usage: Usage | None = None) -> Limit:
        """Count questions and spending for all interviews that share the budget; returns the limit that is reached."""
        self._drawn += questions
        if usage is not None:
            self.spending += usage
        return self.budget.reached(questions=self._drawn, usage=self.spending)

    def _join(self, question: Q, topic: str, *, draw: Callable[[str], int], due: datetime | None = None) -> Request[A]:
        """Send a question, or share the request of an equal one; `draw` gets the question's digest."""
        sent = self._runner.wording.sent(question, topic)
        key = Key(self._runner.recorded_name, sent.digest, draw(sent.digest))
        request = self._requests.get(key)
        if request is None:
            if not self._requests:
                self._runner.begin()
            request = self._requests[key] = Request(key)
            request.task = asyncio.create_task(self._runner.outcome(key, sent, due, request.until_wanted))
            request.task.add_done_callback(partial(self._forget, request))
        request.sharers += 1
        self._use(1)
        return request

    def _forget(self, request: Request[A], _: object = None) -> None:
        if self._requests.get(request.key) is request:
            del self._requests[request.key]
        if self._runner.batches is not None:
            self._runner.batches.notice()

    async def _leave(self, requests: list[Request[A]], *, failed: bool = False) -> None:
        """Give up these requests, and return when they have ended. Requests that no other caller shares are cancelled, unless
        the candidate has them and their answers must go on record (`AskSettings.finishes`).

        failed: whether something failed.
        """
        abandoned, stops = [], failed or self._asked_by is None or self._asked_by.cancelling() > 0
        for request in requests:
            self._use(-1)
            request.sharers -= 1
            if not request.sharers:
                if stops or not self._runner.finishes(request.task):
                    request.task.cancel()
                else:
                    self._runner.left.add(request.task)
                self._forget(request)
                abandoned.append(request.task)
        try:
            await asyncio.gather(*abandoned, return_exceptions=True)
        finally:
            self._runner.left.difference_update(abandoned)
            if self._runner.batches is not None:
                await self._runner.batches.ended()
            await self._runner.close_askings()
            if abandoned:
                await self._runner.recorder.settled()

    def _hand_out(self, outcome: QuestionOutcome[A]) -> A | NoAnswer:
        if outcome.missing:
            raise NotOnRecord(f"the record lacks an answer of {self.candidate.name} to {clipped(outcome.missing, 200)}")
        self._use(0, outcome.usage)
        self._asked_again += outcome.again
        self._runner.faults.hand_out(outcome.answer)
        return outcome.answer

    def _hear(self, heard: AnswerEvent) -> None:
        self.results.hear(heard)
        if self._budget_hears is not None:
            self._budget_hears.heard(heard)


def _current_task() -> asyncio.Task[Any] | None:
    """The task that runs; None outside of an event loop."""
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None
