"""Runs each question to an outcome on record: a recorded answer, or else a new one from the candidate."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final, Generic, TypeVar, cast, get_args

from vivavoce.errors import BadInput, TranscriptError, refused_parameter
from vivavoce.interview.asker import Asker, AskSettings, Outage
from vivavoce.interview.candidate import (
    INTERRUPTED,
    Candidate,
    NoAnswer,
    Prompt,
    Recording,
    RepeatableCandidate,
    Reply,
    Usage,
)
from vivavoce.interview.candidate_kinds import TOPIC as PROBE_TOPIC
from vivavoce.interview.candidate_kinds import ParameterProbe, ParameterRefuser, recorded_name, source_of
from vivavoce.interview.faults import FaultLog, QuestionInFlight, worse
from vivavoce.interview.forms.form import ReplyFormat
from vivavoce.interview.notation import Notation, QuestionOutcome, bounded, entry
from vivavoce.interview.progress import ProgressTally
from vivavoce.interview.reading import ReadingsTally, read, wants_turn
from vivavoce.interview.record import Asking, Entry, Key, Record
from vivavoce.interview.recorder import Recorder
from vivavoce.interview.requests import (
    Block,
    SentQuestion,
    follow_up_prompt,
    full_prompt,
    reply_format_for,
    reply_formats_of,
)
from vivavoce.interview.schedule import Clock, Schedule, Slots
from vivavoce.interview.transcript import Transcript
from vivavoce.interview.vendor_batches import BatchQueue, VendorBatchCandidate

Q = TypeVar("Q")
A = TypeVar("A")

FURTHER_TURN: Final = "/further turn"
"""The topic of a follow-up ends with this."""


async def no_wait() -> None:
    """Return at once."""


class QuestionRunner(Generic[Q, A]):
    """Runs each question to an outcome that is on record, including its follow-up.

    Parameters
    ----------
    candidate: the system under examination.
    transcript: the record.
    answers: the type of the candidate's answers.
    settings: time-outs, retries, and the reply format.
    clock: tells the time, and waits between attempts.
    hand_out: counts an answer that no room has requested, and returns it.
    tell: called after each outcome.
    room: how many questions may be in flight, which may change.
    awaited: how many requests in flight have no outcome yet.
    keep_questions: whether outcomes keep their questions as they were sent.
    """

    look_up: bool
    """Whether answers can be on record."""
    from_record: bool
    """Whether only the record is read."""
    asks_anew: bool = False
    """Whether the candidate has been asked a question that was not on record."""

    def __init__(
        self,
        candidate: Candidate[Q, A],
        transcript: Transcript,
        answers: type[A],
        settings: AskSettings,
        clock: Clock,
        *,
        hand_out: Callable[[QuestionOutcome[A]], A | NoAnswer],
        tell: Callable[[], None],
        room: Callable[[], int],
        awaited: Callable[[], int],
        keep_questions: bool,
    ) -> None:
        self.tally = ProgressTally()
        self.readings = ReadingsTally()
        """How answers to prompts with a form were read."""
        self.recorded_name, self.source = recorded_name(candidate), source_of(candidate)
        """The candidate's name in the record, and the digest of its source."""
        self.slots = Slots(room)
        self.outage = Outage(lambda: self.slots.count, lambda: self.recorder.answers(self.recorded_name))
        self.recorder = Recorder(transcript, lambda: self.outage.in_flight)
        self.faults = FaultLog(transcript, self.recorder, now=self._now, strict=settings.strict_faults)
        self.schedule = Schedule(self.recorder, clock, tell=tell)
        self.parameters = ParameterProbe(candidate, self._probe) if isinstance(candidate, ParameterRefuser) else None
        self.look_up = self.from_record = settings.from_record
        self._candidate = candidate
        self._transcript = transcript
        self._settings = settings
        self._clock = clock
        self._hand_out = hand_out
        self._tell = tell
        self._keep_questions = keep_questions
        self._ways = reply_formats_of(candidate)
        self._notation = Notation(answers)
        self.batches = self._batches(candidate, awaited) if isinstance(candidate, VendorBatchCandidate) else None
        """Collects the questions to a candidate that is asked by batch."""
        self._asker, self._by_batch = self._asker_by(None), self._asker_by(self.batches)
        self._broken: Exception | None = None
        self._unanswered: list[tuple[QuestionInFlight, SentQuestion[Q]]] = []
        """Questions without an answer, because their task ended before one came."""
        self._with_candidate: set[asyncio.Future[Any] | None] = set()
        """Tasks whose question the candidate has."""
        self.left: set[asyncio.Future[Any] | None] = set()
        """Those of them that no caller waits for: they end with the answer."""
        self._failed_now: set[Key] = set()
        """Questions that met a fault of the service in this run, which does not ask them again."""
        self._first_missing: tuple[Key, SentQuestion[Q]] | None = None
        """The first question that was missing on record."""

    def _batches(self, candidate: VendorBatchCandidate[Q, A], awaited: Callable[[], int]) -> BatchQueue[Q, A]:
        found: BatchQueue[Q, A] = BatchQueue(
            candidate,
            self._transcript,
            self.recorder,
            clock=self._clock,
            now=self._now,
            awaited=lambda: awaited() - self.outage.stuck,
            tell=self._tell,
        )
        self.outage.on_stuck = found.notice
        return found

    def _asker_by(self, batches: BatchQueue[Q, A] | None) -> Asker[Q, A]:
        """The asker; a batch has no time-out but its own."""
        settings = self._settings
        return Asker(
            self._candidate,
            self.outage,
            attempts=settings.attempts,
            time_out=settings.time_out if batches is None else None,
            sleep=self._clock.sleep,
            on_retry=self._count_retry,
            batches=batches,
        )

    def begin(self) -> None:
        """Forget the last error: all questions that were in flight then have raised it."""
        self._broken = None

    def put(self, question: Q, topic: str) -> SentQuestion[Q]:
        """The question as it is sent: the form of a prompt becomes words, or a schema."""
        if not isinstance(question, Prompt) or question.form is None:
            return SentQuestion(question, topic)
        return SentQuestion.in_form(question, topic, reply_format_for(question.form, self._settings.reply_format, self._ways))

    def digests(self, question: Q) -> set[str]:
        """All digests under which the question may be on record: for all reply formats, with and without refused parameters."""
        puts: list[SentQuestion[Q]] = [SentQuestion(question, "")]
        if isinstance(question, Prompt) and question.form is not None:
            puts = [SentQuestion.in_form(question, "", way) for way in get_args(ReplyFormat)]
        return {variant.digest for put in puts for variant in (put, self.fitted(put))}

    def as_sent(self, prompt: Prompt) -> Prompt:
        """A prompt as it was sent: its form in words, or as a schema if the server takes one."""
        if prompt.form is None:
            return prompt
        way = reply_format_for(prompt.form, self._settings.reply_format, self._ways)
        in_words = way == "schema" and self.parameters is not None and "schema" in self.parameters.refused
        return full_prompt(prompt, "text" if in_words else way)

    async def settle(
        self, key: Key, put: SentQuestion[Q], due: datetime | None, until_wanted: Callable[[], Awaitable[None]]
    ) -> QuestionOutcome[A]:
        """The outcome of one question, including its follow-up; it is always on record.

        until_wanted: awaited before the candidate is asked.
        """
        if self.tally.began is None:
            self.tally.began = self._clock.seconds()
        put = await self._fitted(put)  # a question that waits for the probe is not in flight: if the probe is stuck, all are
        key = Key(key.candidate, put.digest, key.draw)
        if due is not None:
            await self.schedule.wait(due, key, look_up=self.look_up, from_record=self.from_record)
        self.tally.asked += 1
        with self.outage:
            outcome, on_record = await self._outcome(key, put, until_wanted)
            self._pay(outcome, questions=1)
            if isinstance(put.question, Prompt) and put.question.form is not None:
                parent = outcome, on_record
                outcome, on_record = await self._in_form(key.draw, put.question, put.topic, *parent, until_wanted)
        return self._counted(put, outcome, on_record)

    async def settle_together(self, block: Block[A, Q]) -> None:
        """The same for questions to a candidate with known answers: all new ones are written in one transaction."""
        if self.tally.began is None:
            self.tally.began = self._clock.seconds()
        self.tally.asked += len(block)
        with self.outage:
            keys = [request.key for request, _ in block]
            known = await self.recorder.find_all(keys) if self.look_up else [None] * len(keys)
            new = [(key, put) for key, record, (_, put) in zip(keys, known, block, strict=True) if record is None]
            written = await self._answered_together(new)
            outcomes = []
            for (request, put), record in zip(block, known, strict=True):
                outcome = written[request.key] if record is None else self._as_recorded(request.key, record)
                on_record = record is not None
                if isinstance(put.question, Prompt) and put.question.form is not None and not outcome.missing:
                    outcome, on_record = await self._in_form(request.key.draw, put.question, put.topic, outcome, on_record)
                outcomes.append((outcome, on_record))
        for (request, put), (outcome, on_record) in zip(block, outcomes, strict=True):
            settled = self._counted(put, outcome, on_record)
            if not request.task.done():
                request.task.set_result(settled)

    def finishes(self, task: asyncio.Future[QuestionOutcome[A]]) -> bool:
        """Whether this task, which no caller waits for, must continue until its answer is on record."""
        return self._settings.finishes and self._settings.time_out is not None and task in self._with_candidate

    async def close_askings(self) -> None:
        """Record that unanswered questions are withdrawn, or that the candidate could not be reached."""
        unanswered, self._unanswered = self._unanswered, []
        if isinstance(self._broken, TranscriptError):
            return  # a record that cannot be written cannot take these rows
        failed = await self.faults.close([sent for sent, _ in unanswered], self._broken)
        puts = {sent.asking.key: put for sent, put in unanswered}
        entries = [self._failed(sent, puts[sent.asking.key]) for sent in failed]
        if entries:
            await self.recorder.write_all(entries)

    def _failed(self, sent: QuestionInFlight, put: SentQuestion[Q]) -> Entry:
        """The record entry of a question that was in flight when the service failed."""
        key = sent.asking.key
        self._failed_now.add(key.first)
        outcome, answer = self._notation.write(NoAnswer(bounded(sent.reason or str(self._broken)), by_service=True))
        at = sent.asking.at
        return entry(key, topic=put.topic, question=put.text, answer=answer, outcome=outcome, asked_at=at, seconds=0.0)

    def is_reworded(self) -> bool:
        """Whether the first question missing on record is there in other words."""
        if self._first_missing is None:
            return False
        key, put = self._first_missing
        name = put.question.id if isinstance(put.question, Prompt) else ""
        return bool(name) and self._transcript.knows_in_other_words(key, topic=put.topic, id=name)

    async def _answered_together(self, new: list[tuple[Key, SentQuestion[Q]]]) -> dict[Key, QuestionOutcome[A]]:
        """Ask the candidate and record its answers; if it fails, the answers before that are on record, too."""
        if self.from_record or not new:
            return {key: QuestionOutcome(NoAnswer("not on record"), Usage(), missing=put.text) for key, put in new}
        await self.recorder.claim(self.recorded_name)
        askings, entries, outcomes, found = [], [], [], {}
        try:
            for key, put in new:
                self._miss(key, put)
                asking, began = Asking("asked", key, self._now()), self._clock.seconds()
                answer = await self._asker.outcome(put, QuestionInFlight(asking, self.faults))
                outcome, written = self._notation.write(answer)
                askings.append(asking)
                outcomes.append(outcome)
                entries.append(self._entry(key, put, outcome, written, asking.at, began))
        finally:
            records = await self.recorder.write_asked(askings, entries) if entries else []
        for outcome, given, record in zip(outcomes, entries, records, strict=True):
            again = self._note_again(record.key, orphan=record.key in self._transcript.orphans)
            settled = replace(self._standing(outcome, given, record), again=again)
            found[record.key] = self.faults.marked(record.key, settled)
        return found

    def _counted(self, put: SentQuestion[Q], outcome: QuestionOutcome[A], on_record: bool) -> QuestionOutcome[A]:
        if not outcome.missing:
            self.tally.count(outcome.usage, absent=isinstance(outcome.answer, NoAnswer), from_record=on_record)
            self._transcript.origins["from record" if on_record else "new"] += 1
        self._tell()
        return replace(outcome, put=put.question) if self._keep_questions else outcome

    async def _outcome(
        self, key: Key, put: SentQuestion[Q], until_wanted: Callable[[], Awaitable[None]] = no_wait
    ) -> tuple[QuestionOutcome[A], bool]:
        """The outcome, and whether it was on record.

        A question that met a fault of the service in an earlier run is asked again.
        """
        failed: QuestionOutcome[A] | None = None
        for asked in key.each_run if self.look_up else (key,):
            record = await self.recorder.find(asked) if self.look_up else None
            if record is None:
                if failed is not None and self.from_record:
                    break
                return await self._new_outcome(asked, put, until_wanted), False
            failed = self._as_recorded(asked, record)
            if not self._asked_anew(key, failed.answer):
                self.outage.ended_otherwise()
                break
        assert failed is not None
        return failed, True

    def _asked_anew(self, key: Key, answer: A | NoAnswer) -> bool:
        """Whether this run asks the question again, because the service failed in an earlier run."""
        failed = isinstance(answer, NoAnswer) and answer.by_service and not refused_parameter(answer.reason)
        return failed and key not in self._failed_now and not isinstance(self._candidate, Recording)

    async def _new_outcome(
        self, key: Key, put: SentQuestion[Q], until_wanted: Callable[[], Awaitable[None]]
    ) -> QuestionOutcome[A]:
        """The candidate's outcome for a question that is not on record."""
        if self.from_record:
            return QuestionOutcome(NoAnswer("not on record"), Usage(), missing=put.text)
        self._end_if_left()
        await until_wanted()
        await self.recorder.claim(key.candidate)
        if self.batches is None and key in self._transcript.orphans and key in self._transcript.batches:
            raise BadInput(
                f"a batch with this question to {key.candidate} was handed in, and is paid for: give ?batch=1 to have its "
                "answers, or another transcript"
            )
        if key in self._transcript.orphans and not isinstance(self._candidate, RepeatableCandidate):
            return await self._lost(key, put)
        self._miss(key, put)
        orphan = key in self._transcript.orphans and not (self.batches is not None and self.batches.before(key))
        answered = await self._ask_candidate(key, put)
        return self.faults.marked(key, replace(answered, again=self._note_again(key, orphan=orphan)))

    def _note_again(self, key: Key, *, orphan: bool) -> bool:
        """Note for later readers that an orphan was asked again; returns whether this question ever was."""
        if orphan:
            self._transcript.asked_again.add(key)
        return key in self._transcript.asked_again

    def _as_recorded(self, key: Key, record: Record) -> QuestionOutcome[A]:
        found = replace(self._notation.read(record), again=key in self._transcript.asked_again)
        return self.faults.marked(key, found)

    async def _in_form(
        self,
        draw: int,
        prompt: Prompt,
        topic: str,
        parent: QuestionOutcome[A],
        on_record: bool,
        until_wanted: Callable[[], Awaitable[None]] = no_wait,
    ) -> tuple[QuestionOutcome[A], bool]:
        """The outcome of a prompt with a form, including its follow-up, which is a record of its own with the same draw."""
        assert prompt.form is not None
        outcome, answer = parent, cast("Reply | NoAnswer", parent.answer)
        reading = read(prompt, answer)
        by_turn = reply_format_for(prompt.form, self._settings.reply_format, self._ways) == "turn"
        calls = 1
        if by_turn and isinstance(answer, Reply) and wants_turn(reading, answer):
            calls, self.tally.turns = 2, self.tally.turns + 1
            put = SentQuestion(cast("Q", follow_up_prompt(prompt, answer)), f"{topic}{FURTHER_TURN}")
            last, last_on_record = await self._outcome(Key(self.recorded_name, put.digest, draw), put, until_wanted)
            if last.missing:
                return last, False
            self._pay(last)
            said = cast("Reply | NoAnswer", last.answer)
            further = said if isinstance(said, Reply) else None
            answer = replace(answer, further=further, met=worse(answer.met, said.met))
            again = parent.again or last.again
            seconds = parent.seconds + last.seconds
            outcome = QuestionOutcome(cast("A", answer), parent.usage + last.usage, parent.seq, again=again, seconds=seconds)
            on_record = on_record and last_on_record
            reading = read(prompt, answer)
        self.readings.add(prompt.form, reading, calls=calls)
        return outcome, on_record

    def _pay(self, outcome: QuestionOutcome[A], *, questions: int = 0) -> None:
        """Count the cost of a reply that came by batch; `questions`: 1 for the first reply to a question, else 0."""
        if self.batches is not None and not outcome.missing:
            self.batches.account.count(outcome.seq, outcome.usage, questions=questions)

    async def _fitted(self, put: SentQuestion[Q]) -> SentQuestion[Q]:
        """The question without the parameters that the server refuses, and without a schema if it takes none."""
        if self.parameters is not None and isinstance(put.question, Prompt):
            await self.parameters.settle(put.question)
        return self.fitted(put)

    def fitted(self, put: SentQuestion[Q]) -> SentQuestion[Q]:
        """The question without the parameters that the server is known to refuse."""
        parameters = self.parameters
        if parameters is None or not isinstance(put.question, Prompt) or not isinstance(put.given, Prompt):
            return put
        in_words = put.question.schema and "schema" in parameters.refused
        fitted = parameters.without_refused(full_prompt(put.given, "text") if in_words else put.question)
        return put if fitted == put.question else SentQuestion(cast("Q", fitted), put.topic)

    async def _probe(self, prompt: Prompt) -> A | NoAnswer:
        put = SentQuestion(cast("Q", prompt), PROBE_TOPIC)
        with self.outage:
            outcome, _ = await self._outcome(Key(self.recorded_name, put.digest, 0), put)
            self._pay(outcome)
        return self._hand_out(outcome)

    def _miss(self, key: Key, put: SentQuestion[Q]) -> None:
        """Remember the first question that is missing on record."""
        self.asks_anew = True
        # the words of a probe or a follow-up are not the room's: they depend on earlier questions
        is_later_turn = isinstance(put.question, Prompt) and bool(put.question.earlier)
        of_the_room = put.topic != PROBE_TOPIC and not put.topic.endswith(FURTHER_TURN) and not is_later_turn
        if self.look_up and self._first_missing is None and of_the_room:
            self._first_missing = key, put

    async def _lost(self, key: Key, put: SentQuestion[Q]) -> QuestionOutcome[A]:
        """Record the outcome of a question that an earlier run asked before it ended without an answer."""
        outcome, answer = self._notation.write(NoAnswer(INTERRUPTED))
        at = self._now()
        lost = entry(key, topic=put.topic, question=put.text, answer=answer, outcome=outcome, asked_at=at, seconds=0.0)
        return self._notation.read(await self.recorder.write(lost))

    async def _ask_candidate(self, key: Key, put: SentQuestion[Q]) -> QuestionOutcome[A]:
        """Ask the candidate and record its answer; the asking is on record before.

        For a candidate that may be asked again, the asking is recorded while the question waits for its slot, and the slot is
        free once the answer is on record. For others it is recorded just before sending, in one transaction with the previous
        answer. A batch is recorded just before it is submitted.
        """
        batches = None if put.topic == PROBE_TOPIC else self.batches  # a probe must be answered before anything is handed in
        early = (
            batches is not None or isinstance(self._candidate, RepeatableCandidate) or not self._transcript.outlasts_the_program
        )
        sent, answered = QuestionInFlight(Asking("asked", key, self._now()), self.faults), False
        noted = self.recorder.note_soon(sent.asking, early=True) if early and batches is None else None
        try:
            async with self.slots:
                if self._broken is not None:
                    raise self._broken
                asked_at, began = self._now(), self._clock.seconds()
                if batches is None:
                    noted = noted or self.recorder.note_soon(replace(sent.asking, at=asked_at))
                await self.recorder.noted(noted)
                if self._broken is not None:
                    raise self._broken
                with self._candidate_has_it():
                    answer = await (self._asker if batches is None else self._by_batch).outcome(put, sent)
                answered = True
                if early:
                    return await self._record(key, put, answer, asked_at, began)
            return await self._record(key, put, answer, asked_at, began)
        except BaseException as error:
            open_in_batch = batches is not None and batches.leaves_open(key)
            if not answered and (early or noted is not None) and not open_in_batch:
                self._unanswered.append((sent, put))
            if isinstance(error, Exception):
                self._broken = error  # set before the next question gets the slot: no further question is sent
                sent.ended(error)
            raise

    async def _record(
        self, key: Key, put: SentQuestion[Q], answered: A | NoAnswer, asked_at: str, began: float
    ) -> QuestionOutcome[A]:
        if isinstance(answered, NoAnswer) and answered.by_service:
            self._failed_now.add(key.first)
        outcome, answer = self._notation.write(answered)
        written = self._entry(key, put, outcome, answer, asked_at, began)
        return self._standing(outcome, written, await self.recorder.write(written))

    def _entry(
        self, key: Key, put: SentQuestion[Q], outcome: QuestionOutcome[A], answer: str, asked_at: str, began: float
    ) -> Entry:
        seconds = self._clock.seconds() - began
        return entry(
            key, topic=put.topic, question=put.text, answer=answer, outcome=outcome, asked_at=asked_at, seconds=seconds
        )

    def _standing(self, outcome: QuestionOutcome[A], written: Entry, record: Record) -> QuestionOutcome[A]:
        """The outcome by the record that counts: this one, or an earlier one of another program."""
        if record.answer == written.answer and record.asked_at == written.asked_at:
            return replace(outcome, seq=record.seq, seconds=record.seconds)
        return self._notation.read(record)

    def _count_retry(self) -> None:
        self._end_if_left()
        self.tally.retries += 1

    def _end_if_left(self) -> None:
        """Cancel the current task before the candidate is asked again, if no caller waits for it."""
        if asyncio.current_task() in self.left:
            raise asyncio.CancelledError

    @contextmanager
    def _candidate_has_it(self) -> Iterator[None]:
        task = asyncio.current_task()
        self._with_candidate.add(task)
        try:
            yield
        finally:
            self._with_candidate.discard(task)

    def _now(self) -> str:
        return self._clock.now().astimezone(UTC).isoformat()
