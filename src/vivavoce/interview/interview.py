"""The interview: questions to one candidate, several at once, every answer written down."""

from __future__ import annotations

import asyncio
from array import array
from collections import Counter, deque
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final, Generic, TypeVar, cast

from vivavoce.errors import BadInput, BudgetExhausted, NotOnRecord, TranscriptError
from vivavoce.formats.wording import clipped
from vivavoce.interview import caveats
from vivavoce.interview.asking import Asker, check_settings
from vivavoce.interview.askings import Asking
from vivavoce.interview.blocks import Block, Blocks
from vivavoce.interview.budget import Budget, Ended, Limit, Limits
from vivavoce.interview.candidate import (
    ORPHAN,
    AskedAgain,
    Candidate,
    NoAnswer,
    Prompt,
    Recording,
    Reply,
    Usage,
    usual_concurrency,
)
from vivavoce.interview.clock import Clock
from vivavoce.interview.commitment import COMMITTER
from vivavoce.interview.faults import Faults, Sent, worse
from vivavoce.interview.forms.form import Way
from vivavoce.interview.notation import Notation, Settled, entry
from vivavoce.interview.outage import Outage
from vivavoce.interview.parameters import TOPIC as PROBE_TOPIC
from vivavoce.interview.parameters import Parameters, Refusing
from vivavoce.interview.posing import further_turn, posed, way_for, ways_of
from vivavoce.interview.progress import Progress, Tally, tell
from vivavoce.interview.reading import read, wants_turn
from vivavoce.interview.readings import Readings, ReadingsTally
from vivavoce.interview.record import Entry, Key, Record
from vivavoce.interview.recorder import Recorder
from vivavoce.interview.requests import Put, Request
from vivavoce.interview.results import Heard, Results
from vivavoce.interview.schedule import Schedule
from vivavoce.interview.transcript import Transcript
from vivavoce.interview.versions import recorded

Q = TypeVar("Q")
A = TypeVar("A")

FURTHER_TURN: Final = "/further turn"
"""Ends the topic of a further turn."""
LOOK_AHEAD: Final = 2
"""Questions that are drawn but not yet handed out, for each that may be in flight: while one is slow, the others go on."""


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
    concurrency: questions in flight at most; None: as many as the candidate wishes (`usual_concurrency`).
    time_out: seconds for one attempt; None: no limit.
    attempts: how often a question is put at most if it does not get through.
    budget: limits on questions, tokens and money; a `SharedBudget.share()` where several interviews share them.
    expected: how many questions there will be, if that is known, for `progress` alone.
    on_progress: called after every outcome, within the event loop: it must be quick.
    clock: tells the time, and waits between attempts.
    asking: how prompts with a form are asked; None: as each form says (`posing.way_for`).
    strict_faults: whether what was turned away counts as heard (see `faults`).
    from_record: nobody is asked: a question whose answer is wanted, and is not on record, raises `NotOnRecord`.
    results: hear every answer that is handed out, as a row for people who go on with them elsewhere.

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
    _first_missing: tuple[Key, Put[Q]] | None = None
    """The first question that was looked for on record, and was not there."""
    _broken: Exception | None = None
    _drawn = 0
    _asked_again = 0
    _begun = False

    def __init__(
        self,
        candidate: Candidate[Q, A],
        *,
        answers: type[A],
        transcript: Transcript | None = None,
        concurrency: int | None = None,
        time_out: float | None = 120.0,
        attempts: int = 5,
        budget: Limits = Budget(),  # noqa: B008 -- frozen
        expected: int | None = None,
        on_progress: Callable[[Progress], None] | None = None,
        clock: Clock = Clock(),  # noqa: B008 -- frozen
        asking: Way | None = None,
        strict_faults: bool = False,
        from_record: bool = False,
        results: Results | None = None,
    ) -> None:
        if candidate.name == COMMITTER:
            raise BadInput(f"no candidate can be called '{COMMITTER}': records of that name are the examiner's own")
        self.concurrency = concurrency = usual_concurrency(candidate) if concurrency is None else concurrency
        """Questions in flight at most."""
        check_settings(concurrency=concurrency, attempts=attempts, time_out=time_out)
        self.candidate = candidate
        self.transcript = Transcript.open(None) if transcript is None else transcript
        self._recorded = recorded(candidate, self.transcript)
        self.budget = budget
        self.spending = Usage()
        """Cost of all answers that were handed out, recorded ones included; what was cancelled on the way is not in it."""
        self._asking = asking
        self._ways = ways_of(candidate)
        self._parameters = Parameters(candidate, self._probe) if isinstance(candidate, Refusing) else None
        self._notation = Notation(answers)
        self._look_ahead = LOOK_AHEAD * concurrency
        self._expected = expected
        self.results = Results(wanted=False) if results is None else results
        """Rows of what is handed out; rooms mark them."""
        self._on_progress = on_progress
        self._clock = clock
        self._slots = asyncio.Semaphore(concurrency)
        self._tally = Tally()
        self._readings = ReadingsTally()
        self._outage = Outage(concurrency, lambda: self._recorder.answers(self._recorded.name))
        self._recorder = Recorder(self.transcript, lambda: self._outage.in_flight)
        self._faults = Faults(self.transcript, self._recorder, now=self._now, strict=strict_faults)
        self._asker: Asker[Q, A] = Asker(
            candidate, self._outage, attempts=attempts, time_out=time_out, sleep=clock.sleep, on_retry=self._count_retry
        )
        self._requests: dict[Key, Request[A]] = {}
        self._blocks: Blocks[Q, A] = Blocks(self._settle_together)
        self._at_hand = (
            isinstance(candidate, AskedAgain) and candidate.asked_again == "same" and isinstance(candidate, Recording)
        )
        """Whether the candidate has its answers at hand."""
        self._unanswered: list[Sent] = []
        """What was to be sent and has no answer, because its task ended before one came."""
        self._from_record = from_record
        self._look_up = from_record
        self._schedule = Schedule(self._recorder, clock, tell=self._tell)
        self.handed_out = array("q")
        """Numbers of the records behind what `ask_in_order` has handed out, in that order."""
        self._spent: list[Usage] = []
        """The spending after each of these."""

    @property
    def clock(self) -> Clock:
        """What tells it the time."""
        return self._clock

    @property
    def ended(self) -> Ended | None:
        """Where the budget ended the questions, to be asked once all answers were handed out; None where it did not."""
        return Ended(self.exhausted, self._drawn) if self.exhausted else None

    @property
    def progress(self) -> Progress:
        """How far it has come."""
        wait = self._schedule.seconds_to_next
        return self._tally.snapshot(
            now=self._clock.seconds(), in_flight=self._outage.in_flight, expected=self._expected, seconds_to_next=wait
        )

    @property
    def readings(self) -> tuple[Readings, ...]:
        """How the answers to prompts with a form were read, form by form."""
        return self._readings.found

    @property
    def settings(self) -> dict[str, object]:
        """How it asks, for a finding's signature."""
        left_out = [] if self._parameters is None else sorted(self._parameters.left_out)
        found: dict[str, object] = {"asking": self._asking or "by form"} | ({"left_out": left_out} if left_out else {})
        found |= {"source": self._recorded.source} if self._recorded.source else {}
        return found | ({"strict_faults": True} if self._faults.strict else {})

    @property
    def caveats(self) -> tuple[str, ...]:
        """What a reader of the findings must know about how it was asked."""
        return (*self.manner, *self._faults.caveats(self.candidate.name))

    @property
    def manner(self) -> tuple[str, ...]:
        """The same for findings that tell about faults themselves, by `Reply.met`."""
        name = self.candidate.name
        found = [] if self._parameters is None else caveats.left_out(name, sorted(self._parameters.left_out))
        if self._asked_again and isinstance(self.candidate, AskedAgain) and self.candidate.asked_again == "elsewhere":
            found.append(caveats.asked_again(name, self._asked_again))
        if self.transcript.format == 1:
            found.append(caveats.OLD)
        if self._is_reworded():
            found.append(caveats.REWORDED)
        if self._schedule.early:
            found.append(caveats.early(self._schedule.early))
        return tuple(found)

    def _is_reworded(self) -> bool:
        """Whether the first question that was not on record is there in other words."""
        if self._first_missing is None:
            return False
        key, put = self._first_missing
        name = put.question.id if isinstance(put.question, Prompt) else ""
        return bool(name) and self.transcript.knows_in_other_words(key, topic=put.topic, id=name)

    def spending_after(self, answers: int) -> Usage:
        """The spending when `ask_in_order` had handed out this many, whatever was handed out since to be graded ahead."""
        return self._spent[answers - 1] if 0 < answers <= len(self._spent) else self.spending

    async def ask(self, question: Q, *, draw: int = 0, topic: str = "") -> A | NoAnswer:
        """Ask one question, or read the answer where it is on record.

        Two independent answers to one question differ by `draw`; without that the same answer is returned again. Two asks
        of the same draw at the same time share one request.

        Raises `BudgetExhausted`, `CandidateMisconfigured`, `CandidateUnreachable`, `TranscriptError`, `NotOnRecord`.
        """
        self._begun = self._look_up = True
        if self._out_of_budget():
            used = f"{self._drawn} questions, {self.spending.tokens} tokens, {self.spending.money:g} of money"
            raise BudgetExhausted(f"the budget of {self.exhausted} is used up: {used}")
        request = self._join(question, topic, draw=lambda _: draw)
        handed_out = False
        try:
            self._blocks.begin()
            outcome = await asyncio.shield(request.task)
            handed_out = True
        finally:
            if not handed_out:
                await self._leave([request])
        answer = self._hand_out(outcome)
        self.results.hear(Heard(self.candidate.name, outcome, topic, draw, asked=question))
        return answer

    async def ask_in_order(
        self, questions: Iterable[Q], *, topic: str = "", times: Iterator[datetime] | None = None
    ) -> AsyncGenerator[tuple[Q, A | NoAnswer], None]:
        """Ask several at once, and hand out each question with its answer in the order in which they were drawn.

        Results taken as they complete would bias every test that may stop early: a candidate that is slow when it is wrong
        shows its right answers first, and passes. Hence nothing overtakes: a slow answer holds up those drawn after it, and
        at most twice `concurrency` questions are drawn but not yet handed out.

        Questions are drawn lazily. The n-th occurrence of an equal question within one call is its n-th draw, a record of its
        own; the same call in a resumed run finds it again. When the budget runs out no more are asked, what is in flight is
        handed out, and `exhausted` says which limit it was. That is judged by the answers handed out so far, never by those
        that happen to be complete: a resumed run ends at the same question.

        times: for each question the moment before which it is not asked, ascending and without an end; None: as soon as there
        is room. What is on record waits for nothing.

        Close it (`contextlib.aclosing`) when leaving early: that cancels what is in flight.

        Raises, at once, `CandidateMisconfigured`, `CandidateUnreachable`, `TranscriptError`, and what `questions` raises.
        """
        first, self._begun = not self._begun, True
        if not first or await self._recorder.knows(self._recorded.name):
            self._look_up = True
        self.handed_out, self._spent = array("q"), []
        failure: asyncio.Future[BaseException] = asyncio.get_running_loop().create_future()
        line: deque[tuple[Q, Request[A]]] = deque()
        drawn = self._draw(iter(questions), topic, failure, times)
        try:
            while True:
                while len(line) < self._look_ahead and (further := next(drawn, None)) is not None:
                    line.append(further)
                if not line:
                    return
                question, request = line[0]
                if not request.task.done():
                    self._blocks.begin()
                    await asyncio.wait((request.task, failure), return_when=asyncio.FIRST_COMPLETED)
                if failure.done():
                    raise failure.result()
                outcome = request.task.result()
                line.popleft()
                self.handed_out.append(outcome.seq)
                answer = self._hand_out(outcome)
                self.results.hear(Heard(self.candidate.name, outcome, topic, request.key.draw, len(self._spent), question))
                self._spent.append(self.spending)
                yield question, answer
        finally:
            if line:
                self.exhausted = ""  # left for another reason, before the budget mattered
            await self._leave([request for _, request in line])

    def _draw(
        self, questions: Iterator[Q], topic: str, failure: asyncio.Future[BaseException], times: Iterator[datetime] | None
    ) -> Iterator[tuple[Q, Request[A]]]:
        """Questions as they are drawn, each already on its way, until they or the budget run out."""

        def notice(task: asyncio.Future[Settled[A]]) -> None:
            error = None if task.cancelled() else task.exception()
            if error is not None and not failure.done():
                failure.set_result(error)

        occurrences: Counter[str] = Counter()
        for question in questions:
            if self._out_of_budget():
                return
            request = self._join(question, topic, draw=occurrences.__getitem__, due=None if times is None else next(times))
            request.task.add_done_callback(notice)
            occurrences[request.key.question_digest] += 1
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
        put = self._put(question, topic)
        key = Key(self._recorded.name, put.digest, draw(put.digest))
        request = self._requests.get(key) or self._send(key, put, due)
        request.sharers += 1
        self._use(1)
        return request

    def _put(self, question: Q, topic: str) -> Put[Q]:
        """The question as it is put: a prompt with a form has it in words, or as a schema, from here on."""
        if not isinstance(question, Prompt) or question.form is None:
            return Put(question, topic)
        return Put.in_form(question, topic, way_for(question.form, self._asking, self._ways))

    def _send(self, key: Key, put: Put[Q], due: datetime | None) -> Request[A]:
        if not self._requests:
            self._broken = None  # all that were on their way when it broke have been told; this is a new beginning
        if self._at_hand and due is None:
            request: Request[A] = Request(key, asyncio.get_running_loop().create_future())
            self._blocks.put(request, put)
        else:
            request = Request(key, asyncio.create_task(self._settle(key, put, due)))
        request.task.add_done_callback(lambda _: self._forget(request))
        self._requests[key] = request
        return request

    def _forget(self, request: Request[A]) -> None:
        if self._requests.get(request.key) is request:
            del self._requests[request.key]

    async def _leave(self, requests: list[Request[A]]) -> None:
        """Give up these requests; those that nobody else waits for are cancelled. Returns when they are at an end."""
        abandoned = []
        for request in requests:
            self._use(-1)
            request.sharers -= 1
            if not request.sharers:
                request.task.cancel()
                self._forget(request)
                abandoned.append(request.task)
        await asyncio.gather(*abandoned, return_exceptions=True)
        await self._blocks.ended()
        await self._close_askings()
        if abandoned:
            await self._recorder.settled()

    async def _close_askings(self) -> None:
        """Put on record that what was sent is not waited for any more, or that the candidate could not be reached."""
        unanswered, self._unanswered = self._unanswered, []
        if not isinstance(self._broken, TranscriptError):  # the record that cannot be written cannot say so either
            await self._faults.close(unanswered, self._broken)

    def _hand_out(self, outcome: Settled[A]) -> A | NoAnswer:
        if outcome.missing:
            raise NotOnRecord(f"the record lacks an answer of {self.candidate.name} to {clipped(outcome.missing, 200)}")
        self._use(0, outcome.usage)
        self._asked_again += outcome.again
        self._faults.hand_out(outcome.answer)
        return outcome.answer

    async def _settle(self, key: Key, put: Put[Q], due: datetime | None) -> Settled[A]:
        """The outcome of one question, its further turn included, on record in any case."""
        if self._tally.began is None:
            self._tally.began = self._clock.seconds()
        put = await self._fitted(put)  # who waits for the probe is not in flight: where it is stuck, all are
        key = Key(key.candidate, put.digest, key.draw)
        if due is not None:
            await self._schedule.wait(due, key, look_up=self._look_up, from_record=self._from_record)
        self._tally.asked += 1
        with self._outage:
            outcome, on_record = await self._outcome(key, put)
            if isinstance(put.question, Prompt) and put.question.form is not None:
                outcome, on_record = await self._in_form(key.draw, put.question, put.topic, outcome, on_record)
        return self._counted(put, outcome, on_record)

    def _counted(self, put: Put[Q], outcome: Settled[A], on_record: bool) -> Settled[A]:
        absent = isinstance(outcome.answer, NoAnswer)
        self._tally.count(outcome.usage, absent=absent, from_record=on_record)
        self.transcript.origins["from record" if on_record else "new"] += 1
        self._tell()
        return replace(outcome, put=put.question) if self.results.wanted else outcome

    async def _settle_together(self, block: Block[A, Q]) -> None:
        """The same for questions to a candidate that has its answers at hand: all that is new is written in one transaction."""
        if self._tally.began is None:
            self._tally.began = self._clock.seconds()
        self._tally.asked += len(block)
        with self._outage:
            keys = [request.key for request, _ in block]
            known = await self._recorder.find_all(keys) if self._look_up else [None] * len(keys)
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

    async def _answered_together(self, new: list[tuple[Key, Put[Q]]]) -> dict[Key, Settled[A]]:
        """What the candidate says, on record; where it fails, what it said before that is, too."""
        if self._from_record or not new:
            return {key: Settled(NoAnswer("not on record"), Usage(), missing=put.text) for key, put in new}
        await self._recorder.claim(self._recorded.name)
        askings, entries, outcomes, found = [], [], [], {}
        try:
            for key, put in new:
                self._miss(key, put)
                asking, began = Asking("asked", key, put.text, self._now()), self._clock.seconds()
                answer = await self._asker.outcome(put.question, Sent(asking, self._faults))
                outcome, written = self._notation.write(answer)
                askings.append(asking)
                outcomes.append(outcome)
                entries.append(self._entry(key, put, outcome, written, asking.at, began))
        finally:
            records = await self._recorder.write_asked(askings, entries) if entries else []
        for outcome, given, record in zip(outcomes, entries, records, strict=True):
            again = record.key in self.transcript.orphans or record.key in self.transcript.asked_again
            settled = replace(self._standing(outcome, given, record), again=again)
            found[record.key] = self._faults.marked(record.key, settled)
        return found

    def _standing(self, outcome: Settled[A], written: Entry, record: Record) -> Settled[A]:
        """The outcome by the record that stands for what was written: this one, or what another program wrote before."""
        if record.answer == written.answer and record.asked_at == written.asked_at:
            return replace(outcome, seq=record.seq, seconds=record.seconds)
        return self._notation.read(record)

    def _tell(self) -> None:
        tell(self.progress, self._on_progress)

    async def _fitted(self, put: Put[Q]) -> Put[Q]:
        """The question without the parameters that the server refuses; under no schema if it takes none."""
        parameters = self._parameters
        if parameters is None or not isinstance(put.question, Prompt) or not isinstance(put.given, Prompt):
            return put
        await parameters.settle(put.question)
        in_words = put.question.schema and "schema" in parameters.refused
        fitted = parameters.without_refused(posed(put.given, "text") if in_words else put.question)
        return put if fitted == put.question else Put(cast("Q", fitted), put.topic)

    async def _probe(self, prompt: Prompt) -> A | NoAnswer:
        put = Put(cast("Q", prompt), PROBE_TOPIC)
        with self._outage:
            outcome, _ = await self._outcome(Key(self._recorded.name, put.digest, 0), put)
        return self._hand_out(outcome)

    async def _outcome(self, key: Key, put: Put[Q]) -> tuple[Settled[A], bool]:
        """What is on record, else what the candidate says; and whether it was on record."""
        record = await self._recorder.find(key) if self._look_up else None
        if record is not None:
            return self._as_recorded(key, record), True
        if self._from_record:
            return Settled(NoAnswer("not on record"), Usage(), missing=put.text), False
        await self._recorder.claim(key.candidate)
        if key in self.transcript.orphans and not isinstance(self.candidate, AskedAgain):
            return await self._lost(key, put), False
        self._miss(key, put)
        again = key in self.transcript.orphans or key in self.transcript.asked_again
        answered = replace(await self._ask_candidate(key, put), again=again)
        return self._faults.marked(key, answered), False

    def _as_recorded(self, key: Key, record: Record) -> Settled[A]:
        found = replace(self._notation.read(record), again=key in self.transcript.asked_again)
        return self._faults.marked(key, found)

    def _miss(self, key: Key, put: Put[Q]) -> None:
        """Remember the first question that was looked for on record, and is not there."""
        # the words of a probe and of a further turn are not the room's: they depend on what was asked before
        of_the_room = put.topic != PROBE_TOPIC and not put.topic.endswith(FURTHER_TURN)
        if self._look_up and self._first_missing is None and of_the_room:
            self._first_missing = key, put

    async def _lost(self, key: Key, put: Put[Q]) -> Settled[A]:
        """The outcome of what an earlier run asked and got no answer to, because it ended: on record as such."""
        outcome, answer = self._notation.write(NoAnswer(ORPHAN))
        at = self._now()
        lost = entry(key, topic=put.topic, question=put.text, answer=answer, outcome=outcome, asked_at=at, seconds=0.0)
        return self._notation.read(await self._recorder.write(lost))

    def _now(self) -> str:
        return self._clock.now().astimezone(UTC).isoformat()

    async def _in_form(
        self, draw: int, prompt: Prompt, topic: str, parent: Settled[A], on_record: bool
    ) -> tuple[Settled[A], bool]:
        """The outcome of a prompt with a form, its further turn included: a record of its own, of the parent's draw."""
        assert prompt.form is not None
        outcome, answer = parent, cast("Reply | NoAnswer", parent.answer)
        reading = read(prompt, answer)
        by_turn = way_for(prompt.form, self._asking, self._ways) == "turn"
        calls = 1
        if by_turn and isinstance(answer, Reply) and wants_turn(reading, answer):
            calls, self._tally.turns = 2, self._tally.turns + 1
            put = Put(cast("Q", further_turn(prompt, answer)), f"{topic}{FURTHER_TURN}")
            last, last_on_record = await self._outcome(Key(self._recorded.name, put.digest, draw), put)
            if last.missing:
                return last, False
            said = cast("Reply | NoAnswer", last.answer)
            further = said if isinstance(said, Reply) else None
            answer = replace(answer, further=further, met=worse(answer.met, said.met))
            again = parent.again or last.again
            seconds = parent.seconds + last.seconds
            outcome = Settled(cast("A", answer), parent.usage + last.usage, parent.seq, again=again, seconds=seconds)
            on_record = on_record and last_on_record
            reading = read(prompt, answer)
        self._readings.add(prompt.form, reading, calls=calls)
        return outcome, on_record

    async def _ask_candidate(self, key: Key, put: Put[Q]) -> Settled[A]:
        """What the candidate says, on record; that it is asked is on record before.

        Of who is asked again anyway it is so while the question waits for its turn, which ends when the answer is on record.
        Else it is put on record when it is about to be sent, in one transaction with the answer before.
        """
        early = isinstance(self.candidate, AskedAgain) or not self.transcript.keeps_askings
        sent, answered = Sent(Asking("asked", key, put.text, self._now()), self._faults), False
        noted = self._recorder.note_soon(sent.asking, early=True) if early else None
        try:
            async with self._slots:
                if self._broken is not None:
                    raise self._broken
                asked_at, began = self._now(), self._clock.seconds()
                noted = noted or self._recorder.note_soon(replace(sent.asking, at=asked_at))
                await self._recorder.noted(noted)
                if self._broken is not None:
                    raise self._broken
                answer = await self._asker.outcome(put.question, sent)
                answered = True
                if early:
                    return await self._record(key, put, answer, asked_at, began)
            return await self._record(key, put, answer, asked_at, began)
        except BaseException as error:
            if not answered and (early or noted is not None):
                self._unanswered.append(sent)
            if isinstance(error, Exception):
                self._broken = error  # before the next one that waits for the slot goes on: nobody else is asked
                sent.ended(error)
            raise

    async def _record(self, key: Key, put: Put[Q], answered: A | NoAnswer, asked_at: str, began: float) -> Settled[A]:
        outcome, answer = self._notation.write(answered)
        written = self._entry(key, put, outcome, answer, asked_at, began)
        return self._standing(outcome, written, await self._recorder.write(written))

    def _entry(self, key: Key, put: Put[Q], outcome: Settled[A], answer: str, asked_at: str, began: float) -> Entry:
        seconds = self._clock.seconds() - began
        return entry(
            key, topic=put.topic, question=put.text, answer=answer, outcome=outcome, asked_at=asked_at, seconds=seconds
        )

    def _count_retry(self) -> None:
        self._tally.retries += 1
