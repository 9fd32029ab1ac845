"""Sends one question until it has an outcome: attempts, retries, time-outs and outages."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar, cast

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt, wait_exponential, wait_random

from vivavoce import errors
from vivavoce.formats.wording import duration
from vivavoce.interview.candidate import (
    TIME_OUT,
    Candidate,
    EnforcesTimeout,
    NoAnswer,
    Prompt,
    RepeatableCandidate,
    RepeatedRecording,
    has_own_errors,
)
from vivavoce.interview.drawing import BlockPlan
from vivavoce.interview.faults import Outage, QuestionInFlight
from vivavoce.interview.forms.form import ReplyFormat
from vivavoce.interview.record import OpenQuestion
from vivavoce.interview.requests import SentQuestion, bounded
from vivavoce.interview.schedule import Clock
from vivavoce.interview.tracing import TIMED_OUT, InterviewTracer
from vivavoce.interview.vendor_batches import BatchQueue

Q = TypeVar("Q")
A = TypeVar("A")

FIRST_PAUSE: Final = 0.5
"""Seconds; each further pause is twice as long."""
LONGEST_PAUSE: Final = 30.0
LONGEST_RETRY_AFTER: Final = 300.0
"""Seconds of the longest pause that a server can ask for; a hostile or mistaken one could ask for a year."""

LONG: Final = 60.0
"""Seconds; a longer pause that the server asks for is always logged."""

_log = logging.getLogger(__name__)
_back_off = wait_exponential(multiplier=FIRST_PAUSE, max=LONGEST_PAUSE)
_jitter = wait_random(0, FIRST_PAUSE)  # so that questions that failed together do not return together


@dataclass(frozen=True, slots=True)
class AskSettings:
    time_out: float | None = TIME_OUT
    """Seconds for one attempt; None: no limit."""
    attempts: int = 5
    """How often a question is sent at most."""
    reply_format: ReplyFormat | None = None
    """How prompts with a form ask for it; None: as each form says (`requests.QuestionWording`)."""
    strict_faults: bool = False
    """Whether a refused question counts as received (see `faults`)."""
    from_record: bool = False
    """Read the record only: a question without an answer on record raises `NotOnRecord`."""
    finishes: bool = False
    """Whether to wait at the end for questions that the candidate is answering, so that their answers go on record and other
    examinations can use them. Has no effect without a time-out."""
    blocks: BlockPlan | None = None
    """When to draw, as an earlier interview did by batch (`DrawnQuestions.blocks`), for a candidate without batches."""
    clock: Clock = field(default_factory=Clock)
    """Tells the time, and waits between attempts."""

    def check(self, concurrency: int) -> None:
        if concurrency < 1:
            raise errors.BadInput(f"concurrency is {concurrency}, it must be at least 1")
        if self.attempts < 1:
            raise errors.BadInput(f"attempts is {self.attempts}, it must be at least 1")
        if self.time_out is not None and not self.time_out > 0:
            raise errors.BadInput(f"time_out is {self.time_out} seconds, it must be above 0")


class Asker(Generic[Q, A]):
    """Sends questions to a candidate, and retries those that did not get through.

    A time-out is not retried, since retrying until an answer comes in time would favour a slow candidate. On this machine it is
    an outcome. Of a server elsewhere it is a fault of the service, unless the server's errors are declared the candidate's own:
    a slow service is not a wrong answer. A server that has never answered counts as unreachable. An unexpected exception is a
    bug of the candidate, and so an outcome. Errors that Vivavoce raises on purpose pass through.
    """

    def __init__(
        self,
        candidate: Candidate[Q, A],
        outage: Outage,
        settings: AskSettings,
        *,
        on_retry: Callable[[], None],
        batches: BatchQueue[Q, A] | None = None,
    ) -> None:
        self._candidate = candidate
        self._batches = batches
        self._by_draw = candidate if isinstance(candidate, RepeatedRecording) else None
        self._timed = candidate if isinstance(candidate, EnforcesTimeout) else None
        self._is_elsewhere = isinstance(candidate, RepeatableCandidate) and candidate.asked_again == "elsewhere"
        self._late_by_service = self._is_elsewhere and not has_own_errors(candidate)
        """Whether a time-out is a fault of the service."""
        self._outage = outage
        self._attempts = settings.attempts
        self._time_out = settings.time_out
        self._tracing = InterviewTracer.of(candidate)
        self._sent = 0
        """Questions so far, each counted once."""
        self._retrying = retrying(settings.attempts, sleep=settings.clock.sleep, on_retry=on_retry)

    async def outcome(self, sent: SentQuestion[Q], in_flight: QuestionInFlight, *, by_batch: bool = False) -> A | NoAnswer:
        """Return the answer, or why there is none. If the question may have been received, the fault is recorded before the
        next attempt.

        by_batch: whether to wait for a batch, which has no time-out but its own.

        Raises `CandidateMisconfigured`, `CandidateUnreachable`, and errors of the record.
        """
        attempts = first_fault = 0
        failed: errors.TransportFault | None = None
        self._sent += 1
        number = self._sent

        async def attempt() -> A | NoAnswer:
            nonlocal attempts, first_fault, failed
            if failed is not None:
                fault, failed = failed, None
                raise fault
            attempts += 1
            in_flight.begins()
            try:
                if self._tracing is None:
                    answer = await self._attempt(sent.question, in_flight.asking, attempts, by_batch=by_batch)
                else:
                    with self._tracing.attempt(sent, in_flight.asking.key, question=number, number=attempts) as span:
                        answer = await self._attempt(sent.question, in_flight.asking, attempts, by_batch=by_batch)
                        span.came(answer)
                await self._check_time_out(answer)
                return answer
            except errors.TransportFault as fault:
                first_fault = first_fault or self._outage.moment()
                await in_flight.failed(fault, again=fault.worth_retrying and attempts < self._attempts)
                raise

        try:
            try:
                return await attempt()
            except errors.TransportFault as fault:
                failed = fault  # retries are rare and slow to set up: they start only after a fault
            return await self._retrying.copy()(attempt)
        except errors.ParameterRefused as fault:
            return NoAnswer(bounded(fault.reason), attempts, by_service=True)  # a server that refuses is there
        except errors.TransportFault as fault:
            await self._outage.rule_out(fault, first_fault=first_fault)
            return self._outcome_of(fault, attempts)
        except errors.CandidateMisconfigured as error:
            if error.by_service and self._outage.has_answered:  # the settings were right before
                raise errors.CandidateUnreachable(str(error), hearing=error.hearing, by_service=True) from None
            raise

    async def _check_time_out(self, answer: A | NoAnswer) -> None:
        """Raise the fault of the service that a server's time-out is, or `CandidateUnreachable` if it has never answered."""
        if self._is_elsewhere and isinstance(answer, NoAnswer) and answer.reason.startswith(TIMED_OUT):
            fault = errors.ServiceFault(answer.reason, worth_retrying=False)
            if self._late_by_service:
                raise fault
            await self._outage.rule_out(fault, first_fault=self._outage.moment())

    def _outcome_of(self, fault: errors.TransportFault, attempts: int) -> NoAnswer:
        """The outcome after the last attempt failed. Raises `CandidateUnreachable` after too many such questions in a row."""
        if isinstance(fault, errors.ServiceFault):
            self._outage.failed(fault)
            return NoAnswer(bounded(fault.reason), attempts, by_service=True)
        self._outage.ended_otherwise()
        return NoAnswer(bounded(fault.reason), attempts)

    async def _attempt(self, question: Q, asking: OpenQuestion, number: int, *, by_batch: bool) -> A | NoAnswer:
        began = self._outage.moment()
        try:
            async with asyncio.timeout(None if by_batch or self._timed is not None else self._time_out) as limit:
                answer = await self._answer(question, asking, by_batch=by_batch)
        except errors.VivavoceError:
            raise
        except (Exception, asyncio.CancelledError) as error:
            if isinstance(error, asyncio.CancelledError) and _is_cancelled():
                raise
            if limit.expired() or (self._timed is not None and isinstance(error, TimeoutError)):
                if not self._late_by_service:
                    self._outage.ended_otherwise()
                return NoAnswer(f"{TIMED_OUT} after {self._time_out:g} s", number)
            self._outage.ended_otherwise()
            return NoAnswer(bounded(f"{type(error).__name__}: {error}"), number)
        self._outage.succeeded(began)
        return answer

    async def _answer(self, question: Q, asking: OpenQuestion, *, by_batch: bool) -> A:
        if by_batch and self._batches is not None:
            return await self._batches.answer(question, asking)
        if self._by_draw is not None and isinstance(question, Prompt):
            return cast("A", await self._by_draw.answer_draw(question, asking.key.draw))
        if self._timed is not None:
            return cast("A", await self._timed.answer_within(question, self._time_out))
        return await self._candidate.answer(question)


def retrying(
    attempts: int, *, sleep: Callable[[float], Awaitable[None]], on_retry: Callable[[], None] = lambda: None
) -> AsyncRetrying:
    """Retry with growing pauses whatever did not get through, and raise the last fault.

    A long pause that the server asks for is logged once for all questions that wait for it.
    """
    silent_until = 0.0

    def before_pause(state: RetryCallState) -> None:
        nonlocal silent_until
        on_retry()
        now, wished = asyncio.get_running_loop().time(), _wished(state)
        if wished > LONG and now >= silent_until and state.next_action is not None:
            silent_until = now + state.next_action.sleep
            pause = duration(state.next_action.sleep)
            _log.warning("the server asks for a pause of %s (Retry-After); the next try is in %s", duration(wished), pause)

    return AsyncRetrying(
        sleep=sleep,
        stop=stop_after_attempt(attempts),
        wait=_pause,
        retry=retry_if_exception(lambda error: isinstance(error, errors.TransportFault) and error.worth_retrying),
        before_sleep=before_pause,
        reraise=True,
    )


def _is_cancelled() -> bool:
    """Whether this task is being cancelled; a `CancelledError` can also leak from the candidate, which is its bug."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


def _pause(state: RetryCallState) -> float:
    return max(_back_off(state), min(_wished(state), LONGEST_RETRY_AFTER)) + _jitter(state)


def _wished(state: RetryCallState) -> float:
    """Seconds of the pause that the server asked for."""
    fault = state.outcome.exception() if state.outcome else None
    return fault.retry_after if isinstance(fault, errors.TransportFault) and fault.retry_after is not None else 0.0
