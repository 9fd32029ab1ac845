"""Runs each question to an outcome on record: a recorded answer, or else a new one from the candidate."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, Generic, TypeVar, cast

from vivavoce.errors import BadInput, TranscriptError
from vivavoce.interview.candidate import INTERRUPTED, Candidate, NoAnswer, Prompt, Recording, RepeatableCandidate, Reply
from vivavoce.interview.candidate_kinds import recorded_name
from vivavoce.interview.faults import FaultLog, Outage, QuestionInFlight, met_service_fault, worse
from vivavoce.interview.progress import ProgressTally
from vivavoce.interview.reading import ReadingsTally, read, wants_turn
from vivavoce.interview.record import Entry, Key, OpenQuestion, Record
from vivavoce.interview.requests import (
    PROBE_TOPIC,
    Notation,
    QuestionOutcome,
    QuestionWording,
    SentQuestion,
    bounded,
    follow_up_prompt,
    missing_on_record,
)
from vivavoce.interview.retries import Asker, AskSettings
from vivavoce.interview.schedule import Recorder, Schedule, Slots
from vivavoce.interview.transcript import Transcript
from vivavoce.interview.vendor_batches import BatchQueue, VendorBatchCandidate

Q = TypeVar("Q")
A = TypeVar("A")

FURTHER_TURN: Final = "/further turn"
"""The topic of a follow-up ends with this."""


@dataclass(frozen=True, slots=True)
class InterviewHooks(Generic[A]):
    """Functions and settings that an interview gives to the runner of its questions."""

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


class QuestionRunner(Generic[Q, A]):
    """Runs each question, with its follow-up, to a recorded outcome.

    A question is on record before it is sent, and its answer before it is returned.

    Parameters
    ----------
    candidate: the system under examination.
    transcript: the record.
    answers: the type of the candidate's answers.
    settings: time-outs, retries, the reply format and the clock.
    hooks: how many questions may be in flight, and who hears of progress.
    """

    asks_anew: bool = False
    """Whether the candidate has been asked a question that was not on record."""

    def __init__(
        self,
        candidate: Candidate[Q, A],
        transcript: Transcript,
        answers: type[A],
        settings: AskSettings,
        hooks: InterviewHooks[A],
    ) -> None:
        self.recorded_name = recorded_name(candidate)
        """The candidate's name in the record."""
        self.look_up = self.from_record = settings.from_record
        """Whether answers can be on record, and whether only the record is read."""
        self.tally = ProgressTally()
        self.slots = Slots(hooks.room)
        self.recorder = Recorder(transcript, lambda: self.outage.in_flight)
        self.schedule = Schedule(self.recorder, settings.clock, tell=hooks.tell)
        self.outage = Outage(lambda: self.slots.count, lambda: self.recorder.answers(self.recorded_name))
        self.faults = FaultLog(transcript, self.recorder, settings.clock, strict=settings.strict_faults)
        self.readings = ReadingsTally()
        """How answers to prompts with a form were read."""
        self.wording: QuestionWording[Q] = QuestionWording(candidate, settings.reply_format, self._probe)
        self.batches: BatchQueue[Q, A] | None = None
        """Collects the questions to a candidate that is asked by batch."""
        if isinstance(candidate, VendorBatchCandidate):
            self.batches = BatchQueue(
                candidate,
                transcript,
                self.recorder,
                clock=settings.clock,
                awaited=lambda: hooks.awaited() - self.outage.stuck,
                tell=hooks.tell,
            )
            self.outage.on_stuck = self.batches.notice
        self._asker = Asker(candidate, self.outage, settings, on_retry=self._count_retry, batches=self.batches)
        self._candidate = candidate
        self._transcript = transcript
        self._settings = settings
        self._clock = settings.clock
        self._notation = Notation(answers)
        self._hooks = hooks
        self._may_repeat = isinstance(candidate, RepeatableCandidate)
        """Whether the candidate may be asked again what an earlier run asked without getting an answer."""
        self._first_missing: tuple[Key, SentQuestion[Q]] | None = None
        """The first question that was missing on record."""
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

    async def outcome(
        self, key: Key, sent: SentQuestion[Q], due: datetime | None, until_wanted: Callable[[], Awaitable[None]]
    ) -> QuestionOutcome[A]:
        """The outcome of one question, including its follow-up; it is always on record.

        until_wanted: awaited before the candidate is asked.
        """
        self.tally.begin(self._clock.seconds())
        # a question that waits for the probe is not in flight: if the probe is stuck, all are
        sent = await self.wording.accepted(sent)
        key = Key(key.candidate, sent.digest, key.draw)
        if due is not None:
            await self.schedule.wait(due, key, look_up=self.look_up, from_record=self.from_record)
        self.tally.asked += 1
        with self.outage:
            outcome = await self._recorded_or_new(key, sent, until_wanted)
            self._pay(outcome, questions=1)
            outcome = await self._with_follow_up(key, sent, outcome, until_wanted)
        return self._counted(sent, outcome)

    def is_reworded(self) -> bool:
        """Whether the first question missing on record is there in other words."""
        if self._first_missing is None:
            return False
        key, sent = self._first_missing
        name = sent.question.id if isinstance(sent.question, Prompt) else ""
        return bool(name) and self._transcript.knows_in_other_words(key, topic=sent.topic, id=name)

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
        entries = []
        for in_flight in failed:
            asking = in_flight.asking
            self._failed_now.add(asking.key.first)
            reason = bounded(in_flight.reason or str(self._broken))
            entries.append(self._entry(asking.key, sent[asking.key], NoAnswer(reason, by_service=True), asking.at)[1])
        if entries:
            await self.recorder.write_all(entries)

    async def _recorded_or_new(
        self, key: Key, sent: SentQuestion[Q], until_wanted: Callable[[], Awaitable[None]] | None = None
    ) -> QuestionOutcome[A]:
        """The outcome on record, or else a new one. A question whose service failed in an earlier run is asked again."""
        outcome: QuestionOutcome[A] | None = None
        for key_of_run in key.each_run if self.look_up else (key,):
            record = await self.recorder.find(key_of_run) if self.look_up else None
            if record is None:
                if outcome is not None and self.from_record:
                    break
                return await self._new(key_of_run, sent, until_wanted)
            outcome = self._as_recorded(key_of_run, record)
            failed_before = met_service_fault(outcome.answer) and key not in self._failed_now
            if not failed_before or isinstance(self._candidate, Recording):
                self.outage.ended_otherwise()
                break
        assert outcome is not None
        return outcome

    def _as_recorded(self, key: Key, record: Record) -> QuestionOutcome[A]:
        """The outcome that was on record, with the faults of earlier attempts."""
        again = key in self._transcript.asked_again
        return self.faults.marked(key, self._notation.read(record, on_record=True, again=again))

    async def _new(
        self, key: Key, sent: SentQuestion[Q], until_wanted: Callable[[], Awaitable[None]] | None
    ) -> QuestionOutcome[A]:
        """The candidate's answer, or the missing one to a question that an earlier run asked in vain."""
        if self.from_record:
            return missing_on_record(sent.text)
        self._end_if_left()
        if until_wanted is not None:
            await until_wanted()
        await self.recorder.claim(key.candidate)
        orphan = key in self._transcript.orphans
        if orphan and self.batches is None and key in self._transcript.batches:
            raise BadInput(
                f"a batch with this question to {key.candidate} was submitted, and is paid for: give ?batch=1 to get its "
                "answers, or another transcript"
            )
        if orphan and not self._may_repeat:
            _, lost = self._entry(key, sent, NoAnswer(INTERRUPTED), self._clock.stamp())
            return self._notation.read(await self.recorder.write(lost))
        self._note_missing(key, sent)
        orphan = orphan and not (self.batches is not None and self.batches.before(key))
        outcome = await self._ask(key, sent)
        return self.faults.marked(key, replace(outcome, again=self._note_again(key, orphan=orphan)))

    async def _ask(self, key: Key, sent: SentQuestion[Q]) -> QuestionOutcome[A]:
        """Ask the candidate in a slot and record its answer; the asking is on record before.

        For a candidate that may be asked again, the asking is recorded while the question waits for its slot, and the slot is
        free once the answer is on record. For others it is recorded just before sending, in one transaction with the previous
        answer. A batch is recorded just before it is submitted.
        """
        batches = None if sent.topic == PROBE_TOPIC else self.batches  # a probe must be answered before anything is submitted
        early = batches is not None or self._may_repeat or not self._transcript.outlasts_the_program
        in_flight, answered = QuestionInFlight(OpenQuestion("asked", key, self._clock.stamp()), self.faults), False
        noted = self.recorder.note_soon(in_flight.asking, early=True) if early and batches is None else None
        task = asyncio.current_task()
        try:
            async with self.slots:
                self._stop_if_broken()
                asked_at, began = self._clock.stamp(), self._clock.seconds()
                if batches is None:
                    noted = noted or self.recorder.note_soon(replace(in_flight.asking, at=asked_at))
                await self.recorder.noted(noted)
                self._stop_if_broken()
                self._with_candidate.add(task)
                try:
                    answer = await self._asker.outcome(sent, in_flight, by_batch=batches is not None)
                finally:
                    self._with_candidate.discard(task)
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

    async def _with_follow_up(
        self, key: Key, sent: SentQuestion[Q], first: QuestionOutcome[A], until_wanted: Callable[[], Awaitable[None]]
    ) -> QuestionOutcome[A]:
        """The outcome of a prompt with a form, including its follow-up, which is a record of its own with the same draw."""
        prompt, answer = sent.question, cast("Reply | NoAnswer", first.answer)
        if not isinstance(prompt, Prompt) or prompt.form is None or first.missing:
            return first
        given = cast("Prompt", sent.given)  # the grader has the same, and need not read the reply again
        outcome, reading, calls = first, read(given, answer), 1
        by_turn = self.wording.reply_format(prompt.form) == "turn"
        if by_turn and isinstance(answer, Reply) and wants_turn(reading, answer):
            self.tally.turns += 1
            follow_up = SentQuestion(cast("Q", follow_up_prompt(prompt, answer)), f"{sent.topic}{FURTHER_TURN}")
            last = await self._recorded_or_new(Key(key.candidate, follow_up.digest, key.draw), follow_up, until_wanted)
            if last.missing:
                return last
            self._pay(last)
            outcome, calls = _joined(first, last), 2
            reading = read(given, cast("Reply", outcome.answer))
        self.readings.add(prompt.form, reading, calls=calls)
        return outcome

    async def _probe(self, prompt: Prompt) -> A | NoAnswer:
        sent = SentQuestion(cast("Q", prompt), PROBE_TOPIC)
        with self.outage:
            outcome = await self._recorded_or_new(Key(self.recorded_name, sent.digest, 0), sent)
            self._pay(outcome)
        return self._hooks.hand_out(outcome)

    def _counted(self, sent: SentQuestion[Q], outcome: QuestionOutcome[A]) -> QuestionOutcome[A]:
        if not outcome.missing:
            self.tally.count(outcome)
            self._transcript.origins["from record" if outcome.on_record else "new"] += 1
        self._hooks.tell()
        return replace(outcome, put=sent.question) if self._hooks.keep_questions else outcome

    def _pay(self, outcome: QuestionOutcome[A], *, questions: int = 0) -> None:
        """Count the cost of a reply that came by batch; `questions`: 1 for the first reply to a question, else 0."""
        if self.batches is not None and not outcome.missing:
            self.batches.account.count(outcome.seq, outcome.usage, questions=questions)

    def _note_missing(self, key: Key, sent: SentQuestion[Q]) -> None:
        self.asks_anew = True
        # the words of a probe or a follow-up are not the room's: they depend on earlier questions
        is_later_turn = isinstance(sent.question, Prompt) and bool(sent.question.earlier)
        of_the_room = sent.topic != PROBE_TOPIC and not sent.topic.endswith(FURTHER_TURN) and not is_later_turn
        if self.look_up and self._first_missing is None and of_the_room:
            self._first_missing = key, sent

    def _note_again(self, key: Key, *, orphan: bool) -> bool:
        """Note for later readers that an orphan was asked again; returns whether this question ever was."""
        if orphan:
            self._transcript.asked_again.add(key)
        return key in self._transcript.asked_again

    def _stop_if_broken(self) -> None:
        if self._broken is not None:
            raise self._broken

    def _end_if_left(self) -> None:
        """Cancel the current task before the candidate is asked again, if no caller waits for it."""
        if asyncio.current_task() in self.left:
            raise asyncio.CancelledError

    def _count_retry(self) -> None:
        self._end_if_left()
        self.tally.retries += 1


def _joined(first: QuestionOutcome[A], last: QuestionOutcome[A]) -> QuestionOutcome[A]:
    """One outcome of a reply and the reply to its follow-up."""
    answer, final = cast("Reply", first.answer), cast("Reply | NoAnswer", last.answer)
    further = final if isinstance(final, Reply) else None
    return QuestionOutcome(
        cast("A", replace(answer, further=further, met=worse(answer.met, final.met))),
        first.usage + last.usage,
        first.seq,
        on_record=first.on_record and last.on_record,
        again=first.again or last.again,
        seconds=first.seconds + last.seconds,
    )
