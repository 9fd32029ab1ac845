"""Runs each question to an outcome on record: a recorded answer, or else a new one from the candidate."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime
from typing import Final, Generic, TypeVar, cast

from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.candidate_kinds import TOPIC as PROBE_TOPIC
from vivavoce.interview.faults import worse
from vivavoce.interview.notation import QuestionOutcome, missing_on_record
from vivavoce.interview.question_sender import InterviewHooks, QuestionSender
from vivavoce.interview.reading import ReadingsTally, read, wants_turn
from vivavoce.interview.record import Key
from vivavoce.interview.requests import Block, QuestionWording, SentQuestion, follow_up_prompt
from vivavoce.interview.retries import AskSettings
from vivavoce.interview.schedule import Schedule

Q = TypeVar("Q")
A = TypeVar("A")

FURTHER_TURN: Final = "/further turn"
"""The topic of a follow-up ends with this."""


async def no_wait() -> None:
    """Return at once."""


class QuestionRunner(Generic[Q, A]):
    """Runs each question, with its follow-up, to a recorded outcome.

    Parameters
    ----------
    sender: asks the candidate what is not on record.
    settings: the reply format, and whether only the record is read.
    hooks: how outcomes are counted.
    """

    asks_anew: bool = False
    """Whether the candidate has been asked a question that was not on record."""

    def __init__(self, sender: QuestionSender[Q, A], settings: AskSettings, hooks: InterviewHooks[A]) -> None:
        self.look_up = self.from_record = settings.from_record
        """Whether answers can be on record, and whether only the record is read."""
        self.readings = ReadingsTally()
        """How answers to prompts with a form were read."""
        self.schedule = Schedule(sender.recorder, settings.clock, tell=hooks.tell)
        self.wording: QuestionWording[Q] = QuestionWording(sender.candidate, settings.reply_format, self._probe)
        self._clock = settings.clock
        self._hooks = hooks
        self._sender = sender
        self._tally = sender.tally
        self._first_missing: tuple[Key, SentQuestion[Q]] | None = None
        """The first question that was missing on record."""

    async def outcome(
        self, key: Key, sent: SentQuestion[Q], due: datetime | None, until_wanted: Callable[[], Awaitable[None]]
    ) -> QuestionOutcome[A]:
        """The outcome of one question, including its follow-up; it is always on record.

        until_wanted: awaited before the candidate is asked.
        """
        self._tally.begin(self._clock.seconds())
        # a question that waits for the probe is not in flight: if the probe is stuck, all are
        sent = await self.wording.accepted(sent)
        key = Key(key.candidate, sent.digest, key.draw)
        if due is not None:
            await self.schedule.wait(due, key, look_up=self.look_up, from_record=self.from_record)
        self._tally.asked += 1
        with self._sender.outage:
            outcome = await self._recorded_or_new(key, sent, until_wanted)
            self._pay(outcome, questions=1)
            outcome = await self._with_follow_up(key, sent, outcome, until_wanted)
        return self._counted(sent, outcome)

    async def outcomes_together(self, block: Block[A, Q]) -> None:
        """The same for questions to a candidate with known answers: all new ones are written in one transaction."""
        self._tally.begin(self._clock.seconds())
        self._tally.asked += len(block)
        with self._sender.outage:
            outcomes = await self._recorded_or_new_together([(request.key, sent) for request, sent in block])
            for request, sent in block:
                outcomes[request.key] = await self._with_follow_up(request.key, sent, outcomes[request.key])
        for request, sent in block:
            outcome = self._counted(sent, outcomes[request.key])
            if not request.task.done():
                request.task.set_result(outcome)

    def is_reworded(self) -> bool:
        """Whether the first question missing on record is there in other words."""
        if self._first_missing is None:
            return False
        key, sent = self._first_missing
        name = sent.question.id if isinstance(sent.question, Prompt) else ""
        return bool(name) and self._sender.transcript.knows_in_other_words(key, topic=sent.topic, id=name)

    async def _recorded_or_new(
        self, key: Key, sent: SentQuestion[Q], until_wanted: Callable[[], Awaitable[None]] = no_wait
    ) -> QuestionOutcome[A]:
        """The outcome on record, or else a new one. A question whose service failed in an earlier run is asked again."""
        outcome: QuestionOutcome[A] | None = None
        for key_of_run in key.each_run if self.look_up else (key,):
            record = await self._sender.recorder.find(key_of_run) if self.look_up else None
            if record is None:
                if outcome is not None and self.from_record:
                    break
                return await self._new(key_of_run, sent, until_wanted)
            outcome = self._sender.as_recorded(key_of_run, record)
            if not self._sender.is_asked_again(key, outcome):
                self._sender.outage.ended_otherwise()
                break
        assert outcome is not None
        return outcome

    async def _new(self, key: Key, sent: SentQuestion[Q], until_wanted: Callable[[], Awaitable[None]]) -> QuestionOutcome[A]:
        if self.from_record:
            return missing_on_record(sent.text)
        self._sender.end_if_left()
        await until_wanted()
        await self._sender.claim(key)
        if self._sender.is_interrupted(key):
            return await self._sender.record_interruption(key, sent)
        self._note_missing(key, sent)
        return await self._sender.ask(key, sent)

    async def _recorded_or_new_together(self, block: list[tuple[Key, SentQuestion[Q]]]) -> dict[Key, QuestionOutcome[A]]:
        keys = [key for key, _ in block]
        records = await self._sender.recorder.find_all(keys) if self.look_up else [None] * len(keys)
        outcomes = {
            key: self._sender.as_recorded(key, record) for key, record in zip(keys, records, strict=True) if record is not None
        }
        new = [(key, sent) for key, sent in block if key not in outcomes]
        if self.from_record:
            return outcomes | {key: missing_on_record(sent.text) for key, sent in new}
        for key, sent in new:
            self._note_missing(key, sent)
        return outcomes | (await self._sender.ask_together(new) if new else {})

    async def _with_follow_up(
        self,
        key: Key,
        sent: SentQuestion[Q],
        first: QuestionOutcome[A],
        until_wanted: Callable[[], Awaitable[None]] = no_wait,
    ) -> QuestionOutcome[A]:
        """The outcome of a prompt with a form, including its follow-up, which is a record of its own with the same draw."""
        prompt, answer = sent.question, cast("Reply | NoAnswer", first.answer)
        if not isinstance(prompt, Prompt) or prompt.form is None or first.missing:
            return first
        given = cast("Prompt", sent.given)  # the grader has the same, and need not read the reply again
        outcome, reading, calls = first, read(given, answer), 1
        by_turn = self.wording.reply_format(prompt.form) == "turn"
        if by_turn and isinstance(answer, Reply) and wants_turn(reading, answer):
            self._tally.turns += 1
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
        with self._sender.outage:
            outcome = await self._recorded_or_new(Key(self._sender.recorded_name, sent.digest, 0), sent)
            self._pay(outcome)
        return self._hooks.hand_out(outcome)

    def _counted(self, sent: SentQuestion[Q], outcome: QuestionOutcome[A]) -> QuestionOutcome[A]:
        if not outcome.missing:
            self._tally.count(outcome)
            self._sender.transcript.origins["from record" if outcome.on_record else "new"] += 1
        self._hooks.tell()
        return replace(outcome, put=sent.question) if self._hooks.keep_questions else outcome

    def _pay(self, outcome: QuestionOutcome[A], *, questions: int = 0) -> None:
        """Count the cost of a reply that came by batch; `questions`: 1 for the first reply to a question, else 0."""
        if self._sender.batches is not None and not outcome.missing:
            self._sender.batches.account.count(outcome.seq, outcome.usage, questions=questions)

    def _note_missing(self, key: Key, sent: SentQuestion[Q]) -> None:
        """Remember the first question that is missing on record."""
        self.asks_anew = True
        # the words of a probe or a follow-up are not the room's: they depend on earlier questions
        is_later_turn = isinstance(sent.question, Prompt) and bool(sent.question.earlier)
        of_the_room = sent.topic != PROBE_TOPIC and not sent.topic.endswith(FURTHER_TURN) and not is_later_turn
        if self.look_up and self._first_missing is None and of_the_room:
            self._first_missing = key, sent


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
