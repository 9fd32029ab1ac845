"""Sends questions to the candidate: a question is on record before it is sent, and its answer before it is returned."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from vivavoce.errors import BadInput, TranscriptError
from vivavoce.interview.candidate import INTERRUPTED, Candidate, NoAnswer, Recording, RepeatableCandidate
from vivavoce.interview.candidate_kinds import TOPIC as PROBE_TOPIC
from vivavoce.interview.candidate_kinds import recorded_name
from vivavoce.interview.faults import FaultLog, QuestionInFlight, met_service_fault
from vivavoce.interview.notation import Notation, QuestionOutcome, bounded
from vivavoce.interview.progress import ProgressTally
from vivavoce.interview.record import Entry, Key, OpenQuestion, Record
from vivavoce.interview.recorder import Recorder
from vivavoce.interview.requests import SentQuestion
from vivavoce.interview.retries import Asker, AskSettings, Outage
from vivavoce.interview.schedule import Slots
from vivavoce.interview.transcript import Transcript
from vivavoce.interview.vendor_batches import BatchQueue, VendorBatchCandidate

Q = TypeVar("Q")
A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class InterviewHooks(Generic[A]):
    """Functions and settings that an interview gives to the parts that ask its questions."""

    hand_out: Callable[[QuestionOutcome[A]], A | NoAnswer]
    """Counts an answer that no caller has requested, and returns it."""
    tell: Callable[[], None]
    """Called after each outcome."""
    room: Callable[[], int]
    """How many questions may be in flight, which may change."""
    awaited: Callable[[], int]
    """How many requests in flight have no outcome yet."""
    keep_questions: bool
    """Whether outcomes keep their questions as they were sent."""


class QuestionSender(Generic[Q, A]):
    """Asks one candidate questions that are not on record, and writes their outcomes.

    Parameters
    ----------
    candidate: the system under examination.
    transcript: the record.
    answers: the type of the candidate's answers.
    settings: time-outs, retries and the clock.
    hooks: how many questions may be in flight, and who hears of progress.
    """

    def __init__(
        self,
        candidate: Candidate[Q, A],
        transcript: Transcript,
        answers: type[A],
        settings: AskSettings,
        hooks: InterviewHooks[A],
    ) -> None:
        self.candidate = candidate
        self.transcript = transcript
        self.recorded_name = recorded_name(candidate)
        """The candidate's name in the record."""
        self.tally = ProgressTally()
        self.slots = Slots(hooks.room)
        self.outage = Outage(lambda: self.slots.count, lambda: self.recorder.answers(self.recorded_name))
        self.recorder = Recorder(transcript, lambda: self.outage.in_flight)
        self.faults = FaultLog(transcript, self.recorder, settings.clock, strict=settings.strict_faults)
        self.batches: BatchQueue[Q, A] | None = None
        """Collects the questions to a candidate that is asked by batch."""
        self._settings = settings
        self._clock = settings.clock
        self._notation = Notation(answers)
        self._asker = self._by_batch = Asker(candidate, self.outage, settings, on_retry=self._count_retry)
        if isinstance(candidate, VendorBatchCandidate):
            self.batches = BatchQueue(
                candidate,
                transcript,
                self.recorder,
                clock=self._clock,
                awaited=lambda: hooks.awaited() - self.outage.stuck,
                tell=hooks.tell,
            )
            self.outage.on_stuck = self.batches.notice
            self._by_batch = Asker(candidate, self.outage, settings, on_retry=self._count_retry, batches=self.batches)
        self._broken: Exception | None = None
        self._unanswered: list[tuple[QuestionInFlight, SentQuestion[Q]]] = []
        """Questions without an answer, because their task ended before one came."""
        self._with_candidate: set[asyncio.Future[Any] | None] = set()
        """Tasks whose question the candidate has."""
        self.left: set[asyncio.Future[Any] | None] = set()
        """Those of them that no caller waits for: they end with the answer."""
        self._failed_now: set[Key] = set()
        """Questions that met a fault of the service in this run, which does not ask them again."""

    def begin(self) -> None:
        """Forget the last error, once the questions that it left unanswered are closed on record."""
        if not self._unanswered:
            self._broken = None

    def as_recorded(self, key: Key, record: Record) -> QuestionOutcome[A]:
        """The outcome that was on record, with the faults of earlier attempts."""
        again = key in self.transcript.asked_again
        return self.faults.marked(key, self._notation.read(record, on_record=True, again=again))

    def is_asked_again(self, key: Key, outcome: QuestionOutcome[A]) -> bool:
        """Whether this run asks the question again, because the service failed in an earlier run."""
        failed = met_service_fault(outcome.answer)
        return failed and key not in self._failed_now and not isinstance(self.candidate, Recording)

    async def claim(self, key: Key) -> None:
        """Become the only run that asks the candidate. Raises `BadInput` for a question that an earlier run paid in a batch."""
        await self.recorder.claim(key.candidate)
        if self.batches is None and key in self.transcript.orphans and key in self.transcript.batches:
            raise BadInput(
                f"a batch with this question to {key.candidate} was submitted, and is paid for: give ?batch=1 to get its "
                "answers, or another transcript"
            )

    def is_interrupted(self, key: Key) -> bool:
        """Whether an earlier run asked the question and ended without an answer, and the candidate may not be asked again."""
        return key in self.transcript.orphans and not isinstance(self.candidate, RepeatableCandidate)

    async def record_interruption(self, key: Key, sent: SentQuestion[Q]) -> QuestionOutcome[A]:
        """Record the missing answer to an interrupted question."""
        _, lost = self._entry(key, sent, NoAnswer(INTERRUPTED), self._clock.stamp())
        return self._notation.read(await self.recorder.write(lost))

    async def ask(self, key: Key, sent: SentQuestion[Q]) -> QuestionOutcome[A]:
        """Ask the candidate, and record its answer."""
        orphan = key in self.transcript.orphans and not (self.batches is not None and self.batches.before(key))
        outcome = await self._ask_in_turn(key, sent)
        return self.faults.marked(key, replace(outcome, again=self._note_again(key, orphan=orphan)))

    async def ask_together(self, new: Sequence[tuple[Key, SentQuestion[Q]]]) -> dict[Key, QuestionOutcome[A]]:
        """Ask the candidate and record its answers; if it fails, the answers before that are on record, too."""
        await self.recorder.claim(self.recorded_name)
        askings: list[OpenQuestion] = []
        written: list[tuple[QuestionOutcome[A], Entry]] = []
        try:
            for key, sent in new:
                asking, began = OpenQuestion("asked", key, self._clock.stamp()), self._clock.seconds()
                answer = await self._asker.outcome(sent, QuestionInFlight(asking, self.faults))
                written.append(self._entry(key, sent, answer, asking.at, began))
                askings.append(asking)
        finally:
            records = await self.recorder.write_asked(askings, [entry for _, entry in written]) if written else []
        outcomes = {}
        for (outcome, entry), record in zip(written, records, strict=True):
            again = self._note_again(record.key, orphan=record.key in self.transcript.orphans)
            outcome = replace(self._notation.recorded(outcome, entry, record), again=again)
            outcomes[record.key] = self.faults.marked(record.key, outcome)
        return outcomes

    def end_if_left(self) -> None:
        """Cancel the current task before the candidate is asked again, if no caller waits for it."""
        if asyncio.current_task() in self.left:
            raise asyncio.CancelledError

    def finishes(self, task: asyncio.Future[QuestionOutcome[A]]) -> bool:
        """Whether this task, which no caller waits for, must continue until its answer is on record."""
        return self._settings.finishes and self._settings.time_out is not None and task in self._with_candidate

    async def close_askings(self) -> None:
        """Record that unanswered questions are withdrawn, or that the candidate could not be reached."""
        unanswered, self._unanswered = self._unanswered, []
        if isinstance(self._broken, TranscriptError):
            return  # a record that cannot be written cannot take these rows
        failed = await self.faults.close([in_flight for in_flight, _ in unanswered], self._broken)
        sent = {in_flight.asking.key: question for in_flight, question in unanswered}
        entries = [self._failed(in_flight, sent[in_flight.asking.key]) for in_flight in failed]
        if entries:
            await self.recorder.write_all(entries)

    def _failed(self, in_flight: QuestionInFlight, sent: SentQuestion[Q]) -> Entry:
        """The record entry of a question that was in flight when the service failed."""
        asking = in_flight.asking
        self._failed_now.add(asking.key.first)
        reason = bounded(in_flight.reason or str(self._broken))
        _, entry = self._entry(asking.key, sent, NoAnswer(reason, by_service=True), asking.at)
        return entry

    async def _ask_in_turn(self, key: Key, sent: SentQuestion[Q]) -> QuestionOutcome[A]:
        """Ask the candidate in a slot and record its answer; the asking is on record before.

        For a candidate that may be asked again, the asking is recorded while the question waits for its slot, and the slot is
        free once the answer is on record. For others it is recorded just before sending, in one transaction with the previous
        answer. A batch is recorded just before it is submitted.
        """
        batches = None if sent.topic == PROBE_TOPIC else self.batches  # a probe must be answered before anything is submitted
        early = (
            batches is not None or isinstance(self.candidate, RepeatableCandidate) or not self.transcript.outlasts_the_program
        )
        in_flight, answered = QuestionInFlight(OpenQuestion("asked", key, self._clock.stamp()), self.faults), False
        noted = self.recorder.note_soon(in_flight.asking, early=True) if early and batches is None else None
        try:
            async with self.slots:
                self._stop_if_broken()
                asked_at, began = self._clock.stamp(), self._clock.seconds()
                if batches is None:
                    noted = noted or self.recorder.note_soon(replace(in_flight.asking, at=asked_at))
                await self.recorder.noted(noted)
                self._stop_if_broken()
                with self._candidate_has_it():
                    answer = await (self._asker if batches is None else self._by_batch).outcome(sent, in_flight)
                answered = True
                if early:
                    return await self._record(key, sent, answer, asked_at, began)
            return await self._record(key, sent, answer, asked_at, began)
        except BaseException as error:
            open_in_batch = batches is not None and batches.leaves_open(key)
            if not answered and (early or noted is not None) and not open_in_batch:
                self._unanswered.append((in_flight, sent))
            if isinstance(error, Exception):
                self._broken = error  # set before the next question gets the slot: no further question is sent
                in_flight.ended(error)
            raise

    def _stop_if_broken(self) -> None:
        if self._broken is not None:
            raise self._broken

    async def _record(
        self, key: Key, sent: SentQuestion[Q], answer: A | NoAnswer, asked_at: str, began: float
    ) -> QuestionOutcome[A]:
        if isinstance(answer, NoAnswer) and answer.by_service:
            self._failed_now.add(key.first)
        outcome, entry = self._entry(key, sent, answer, asked_at, began)
        return self._notation.recorded(outcome, entry, await self.recorder.write(entry))

    def _entry(
        self, key: Key, sent: SentQuestion[Q], answer: A | NoAnswer, asked_at: str, began: float | None = None
    ) -> tuple[QuestionOutcome[A], Entry]:
        seconds = 0.0 if began is None else self._clock.seconds() - began
        return self._notation.entry(key, answer, topic=sent.topic, question=sent.text, asked_at=asked_at, seconds=seconds)

    def _note_again(self, key: Key, *, orphan: bool) -> bool:
        """Note for later readers that an orphan was asked again; returns whether this question ever was."""
        if orphan:
            self.transcript.asked_again.add(key)
        return key in self.transcript.asked_again

    def _count_retry(self) -> None:
        self.end_if_left()
        self.tally.retries += 1

    @contextmanager
    def _candidate_has_it(self) -> Iterator[None]:
        task = asyncio.current_task()
        self._with_candidate.add(task)
        try:
            yield
        finally:
            self._with_candidate.discard(task)
