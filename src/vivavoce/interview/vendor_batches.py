"""Batches of a vendor: many questions are submitted together, and their answers arrive together, much later.

Vendors sell batches at half the price. A batch must be paid once, whatever happens to this program. So a row of the record
holds the questions of a batch before anything is sent, and thereby its id. The server knows the batch by that id, and a program
that finds unanswered questions in such a row looks for their batch first.

The split into batches changes no verdict: answers are returned in drawn order, and the evidence is computed answer by answer.
An examination that stops inside a block stops at the same answer as it would without blocks. Only the number of questions that
were not needed depends on the size of blocks.

An interview with a candidate that answers many questions per call, such as a pool of chess engines.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final, Generic, Protocol, TypeVar, runtime_checkable

from vivavoce.errors import CandidateError, VivavoceError
from vivavoce.interview.candidate import NoAnswer
from vivavoce.interview.progress import BatchAccount, BatchState, Progress, ProgressTally, tell
from vivavoce.interview.record import Key, OpenQuestion, digest_of, id_of_batch
from vivavoce.interview.requests import Notation, QuestionOutcome, question_text
from vivavoce.interview.results import AnswerEvent, ResultRows
from vivavoce.interview.schedule import Clock, Recorder
from vivavoce.interview.transcript import Transcript

Q = TypeVar("Q")
A = TypeVar("A")
Q_contra = TypeVar("Q_contra", contravariant=True)
A_co = TypeVar("A_co", covariant=True)
Q_co = TypeVar("Q_co", covariant=True)

GRACE: Final = 0.05
"""Seconds without any event before a batch is sent: an answer may lead to further questions."""


@dataclass(frozen=True, slots=True)
class VendorBatch(Generic[Q_co]):
    """Questions that are submitted together, each with an id within the batch."""

    id: str
    """Unique; on record before the batch is submitted."""
    questions: Mapping[str, Q_co]
    resumed: bool
    """Whether an earlier run may have submitted it, so that the server may have it."""


@runtime_checkable
class VendorBatchCandidate(Protocol[Q_contra, A_co]):
    """A candidate that is asked by batches. Its `answer` asks at once, at full price, and serves the first probe only."""

    @property
    def block(self) -> int | None:
        """Questions per batch; None: few at first, then growing (`drawing.block_after`)."""
        ...

    def fits(self, questions: Sequence[Q_contra]) -> int:
        """How many of these questions, from the first on, fit into one batch; at least 1."""
        ...

    async def carry_out(
        self, batch: VendorBatch[Q_contra], *, clock: Clock, tell: Callable[[BatchState], None]
    ) -> Mapping[str, A_co | VivavoceError] | None:
        """Get a batch answered; returns for every question its answer, or its error.

        Calling it again for a submitted batch costs nothing. Returns None if a resumed batch was never submitted. Raises
        `CandidateError` if the state of the batch is unknown for now, while it may continue.
        """
        ...


@dataclass(frozen=True, slots=True, eq=False)
class _QueuedQuestion(Generic[Q, A]):
    """A question on its way into a batch."""

    asking: OpenQuestion
    question: Q
    future: asyncio.Future[A]


class BatchQueue(Generic[Q, A]):
    """Collects questions until no further one can come before an answer, and submits them as one batch.

    Parameters
    ----------
    candidate: the system under examination.
    transcript: the record.
    recorder: writes it.
    clock: tells the time, and waits while a batch is under way.
    awaited: how many requests have no outcome yet and may come here.
    tell: called at every change of a batch's state.
    """

    def __init__(
        self,
        candidate: VendorBatchCandidate[Q, A],
        transcript: Transcript,
        recorder: Recorder,
        *,
        clock: Clock,
        awaited: Callable[[], int],
        tell: Callable[[], None],
    ) -> None:
        self.block = candidate.block
        """Questions per batch, if fixed."""
        self.account = transcript.by_batch = transcript.by_batch or BatchAccount()
        """Counts and costs of all batches of this run."""
        self.state: BatchState | None = None
        """State of the current batch."""
        self._candidate = candidate
        self._transcript = transcript
        self._recorder = recorder
        self._clock = clock
        self._awaited = awaited
        self._tell = tell
        self._gathered: dict[Key, _QueuedQuestion[Q, A]] = {}
        self._batches: set[asyncio.Task[None]] = set()
        self._open: set[Key] = set()
        """Submitted by the record, and without an outcome."""
        self._under_way: set[Key] = set()
        """In a batch whose end is unknown."""
        self._fetched: set[Key] = set()
        """Answered by a batch; a run that is interrupted before the answer is on record can fetch it again."""
        self._followed: set[Key] = set()
        """Questions whose batch of an earlier run has been looked for."""
        self.over = 0
        """Batches that have ended."""
        self._drawing = 0
        self._last = 0.0
        self._changed = asyncio.Event()

    async def answer(self, question: Q, asking: OpenQuestion) -> A:
        """The answer, from one of the next batches. Raises the candidate's error for this question."""
        future: asyncio.Future[A] = asyncio.get_running_loop().create_future()
        gathered = _QueuedQuestion(asking, question, future)
        self._gathered[asking.key] = gathered
        self.notice()
        try:
            return await future
        finally:
            if self._gathered.get(asking.key) is gathered:
                del self._gathered[asking.key]
            self.notice()

    def before(self, key: Key) -> bool:
        """Whether an earlier run submitted this question, so that it is paid for."""
        return key in self._transcript.orphans and key in self._transcript.batches and key not in self._followed

    def leaves_open(self, key: Key) -> bool:
        """Whether an unanswered question stays open on record: its batch has or may have its answer, or it was never in one."""
        return key in self._under_way or key in self._fetched or key not in self._open

    @property
    def settled(self) -> bool:
        """Whether every request has its outcome, or waits for the next batch."""
        return not self._batches and len(self._gathered) >= self._awaited()

    async def change(self) -> None:
        """Wait until something has happened."""
        self._changed.clear()
        await self._changed.wait()

    @contextmanager
    def drawing(self) -> Iterator[None]:
        """Send nothing inside this context, while further questions may be drawn."""
        self._drawing += 1
        try:
            yield
        finally:
            self._drawing -= 1
            self.notice()

    def notice(self) -> None:
        """Report a change: a new question, or an outcome."""
        loop = asyncio.get_running_loop()
        self._last = loop.time()
        self._changed.set()
        if self._ready:
            loop.call_later(GRACE, self._begin)

    async def ended(self) -> None:
        """Stop waiting for batches that no request needs any more; they continue at the server."""
        if self._batches and not self._awaited():
            self.account.left |= self._under_way
            for task in self._batches:
                task.cancel()
            await asyncio.gather(*self._batches, return_exceptions=True)

    @property
    def _ready(self) -> bool:
        return bool(self._gathered) and not self._drawing and self.settled

    def _begin(self) -> None:
        """Submit the queued questions; those of earlier batches come first."""
        if not self._ready or asyncio.get_running_loop().time() - self._last < GRACE * 0.9:
            return
        earlier: dict[str, list[_QueuedQuestion[Q, A]]] = {}
        for key, question in self._gathered.items():
            if self.before(key):
                earlier.setdefault(self._transcript.batches[key], []).append(question)
        for id_, members in earlier.items():
            self._start(members, self._follow(id_, members))
        if not earlier:
            waiting = list(self._gathered.values())
            members = waiting[: self._candidate.fits([question.question for question in waiting])]
            self._start(members, self._hand_in(members))

    def _start(self, members: Sequence[_QueuedQuestion[Q, A]], batch: Awaitable[None]) -> None:
        for question in members:
            del self._gathered[question.asking.key]
        task = asyncio.ensure_future(self._guarded(members, batch))
        self._batches.add(task)

        def over(_: object) -> None:
            self._batches.discard(task)
            self.notice()

        task.add_done_callback(over)

    async def _guarded(self, members: Sequence[_QueuedQuestion[Q, A]], batch: Awaitable[None]) -> None:
        try:
            await batch
        except Exception as error:
            self.over += 1
            self.account.left |= self._under_way
            for question in members:
                _fail(question.future, error)

    async def _follow(self, id_: str, members: Sequence[_QueuedQuestion[Q, A]]) -> None:
        """Fetch the answers of a batch of an earlier run; if it was never submitted, its questions wait for the next one.

        It is not submitted now: some of its questions may not have arrived yet, and would then be in no batch. All of them are
        closed on record, since some may never be asked again.
        """
        keys = {question.asking.key for question in members}
        self._open |= keys
        if await self._carry_out(id_, members, resumed=True):
            self._followed |= keys
            return
        unmade = dict.fromkeys([*(key for key, batch in self._transcript.batches.items() if batch == id_), *keys])
        await self._recorder.write_all([], [OpenQuestion("withdrawn", key, self._clock.stamp()) for key in unmade])
        self._transcript.orphans -= unmade.keys()
        self._open -= unmade.keys()
        self._gathered.update((question.asking.key, question) for question in members if not question.future.done())

    async def _hand_in(self, members: Sequence[_QueuedQuestion[Q, A]]) -> None:
        """Record a batch and submit it; questions still open in an earlier batch are closed first, since that one has ended."""
        at, keys = self._clock.stamp(), [question.asking.key for question in members]
        again = [replace(question.asking, kind="withdrawn", at=at) for question in members if question.asking.key in self._open]
        batch = [replace(question.asking, kind="batched", at=at) for question in members]
        self._open |= set(keys)
        self._under_way |= set(keys)
        await self._recorder.write_all([], [*again, *batch])
        await self._carry_out(id_of_batch(batch), members, resumed=False)

    async def _carry_out(self, id_: str, members: Sequence[_QueuedQuestion[Q, A]], *, resumed: bool) -> bool:
        """Return False if a batch of an earlier run was never submitted."""
        keys = {question.asking.key for question in members}
        self._under_way |= keys
        self.account.batches += 1
        number = self.account.batches

        def tell(state: BatchState) -> None:
            self.state = replace(state, number=number)
            self._tell()

        batch = VendorBatch(id_, {within_batch(question.asking.key): question.question for question in members}, resumed)
        results = await self._candidate.carry_out(batch, clock=self._clock, tell=tell)
        self.state = None
        self._under_way -= keys
        if results is None:
            self.account.batches -= 1
            return False
        self.over += 1
        for question in members:
            result = results[within_batch(question.asking.key)]
            if isinstance(result, VivavoceError):
                _fail(question.future, result)
                continue
            self._fetched.add(question.asking.key)  # also if an interrupt has cancelled the question meanwhile
            if not question.future.done():
                question.future.set_result(result)
        return True


def _fail(future: asyncio.Future[A], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)
        future.exception()  # marks it as retrieved: the caller may be gone


def within_batch(key: Key) -> str:
    """The id of a question within its batch, in at most 64 characters, as vendors require.

    >>> within_batch(Key("bot:x", "ab" * 32, 2))
    'abababababababababababababababababababababababab-2'
    """
    return f"{key.question_digest[:48]}-{key.draw}"


class BatchCandidate(Protocol[Q_contra, A_co]):
    """A candidate that spreads many questions over its workers.

    A question that fails (an engine dies or hangs) gets a `NoAnswer`; the candidate decides about retries. It raises
    `CandidateError` if no answer is available at all.
    """

    @property
    def name(self) -> str:
        """Stable from run to run: it is part of every record's key."""
        ...

    @property
    def size(self) -> int:
        """Questions that should be sent together."""
        ...

    @property
    def concurrency(self) -> int:
        """Batches that keep all workers busy."""
        ...

    async def answer_all(self, questions: Sequence[Q_contra], /) -> Sequence[A_co | NoAnswer]:
        """Answer every question, in their order."""
        ...


class BatchInterview(Generic[Q, A]):
    """Sends batches of questions to one candidate, and records every answer before returning it.

    The promises of `Interview` hold: a recorded question is not asked again, nothing is dropped, one process writes. Use it
    for candidates that answer within milliseconds, since an event-loop task per question would cost as much as the answer. A
    question has one answer here (draw 0): engines are deterministic.

    Parameters
    ----------
    candidate: the system under examination.
    answers: the type of its answers, by which recorded ones are read.
    transcript: None keeps the record in memory.
    expected: how many questions there will be, if known, for `progress` alone.
    on_progress: called after every batch.
    clock: tells the time.
    results: get every answer; equal questions count once.

    >>> import asyncio
    >>> class Doubles:
    ...     name, size, concurrency = "test:doubles", 100, 1
    ...     async def answer_all(self, questions: Sequence[int], /) -> list[int]:
    ...         return [2 * question for question in questions]
    >>> asyncio.run(BatchInterview(Doubles(), answers=int).ask_together([3, 4, 3]))
    [6, 8, 6]
    """

    def __init__(
        self,
        candidate: BatchCandidate[Q, A],
        *,
        answers: type[A],
        transcript: Transcript | None = None,
        expected: int | None = None,
        on_progress: Callable[[Progress], None] | None = None,
        clock: Clock = Clock(),  # noqa: B008 -- frozen
        results: ResultRows | None = None,
    ) -> None:
        self.candidate = candidate
        self.transcript = Transcript.open(None) if transcript is None else transcript
        self._notation = Notation(answers)
        self._recorder = Recorder(self.transcript, lambda: 0)
        self._expected = expected
        self._on_progress = on_progress
        self._clock = clock
        self._tally = ProgressTally()
        self._in_flight = 0
        self._look_up: bool | None = None
        self.results = ResultRows(wanted=False) if results is None else results
        """Rows of the answers; rooms grade them."""
        self._told: set[str] = set()

    @property
    def progress(self) -> Progress:
        """How far it has come."""
        return self._tally.snapshot(now=self._clock.seconds(), in_flight=self._in_flight, expected=self._expected)

    async def ask_together(self, questions: Sequence[Q], *, topic: str = "") -> list[A | NoAnswer]:
        """Ask all of them, or read their answers from the record; equal questions are asked once.

        Several calls may run at the same time. Raises `CandidateError` and `TranscriptError`: then nothing of this batch is on
        record, and everything before it is.
        """
        self._tally.begin(self._clock.seconds())
        if self._look_up is None:
            self._look_up = await self._recorder.knows(self.candidate.name)
        texts = [question_text(question) for question in questions]
        asked = dict(zip(texts, questions, strict=True))
        self._tally.asked += len(asked)
        outcomes = await self._recorded(list(asked)) if self._look_up else {}
        self._count(outcomes.values())
        missing = [text for text in asked if text not in outcomes]
        if missing:
            outcomes |= await self._ask(missing, [asked[text] for text in missing], topic)
        tell(lambda: self.progress, self._on_progress)
        for text in (new for new in asked if self.results.wanted and new not in self._told):
            self._told.add(text)
            self.results.hear(
                AnswerEvent(self.candidate.name, replace(outcomes[text], put=asked[text]), topic, asked=asked[text])
            )
        return [outcomes[text].answer for text in texts]

    async def _recorded(self, texts: list[str]) -> dict[str, QuestionOutcome[A]]:
        records = await self._recorder.find_all([Key(self.candidate.name, digest_of(text), 0) for text in texts])
        return {
            text: replace(self._notation.read(record), on_record=True)
            for text, record in zip(texts, records, strict=True)
            if record is not None
        }

    async def _ask(self, texts: list[str], questions: list[Q], topic: str) -> dict[str, QuestionOutcome[A]]:
        asked_at, began = self._clock.stamp(), self._clock.seconds()
        self._in_flight += len(questions)
        try:
            answers = await self.candidate.answer_all(questions)
        finally:
            self._in_flight -= len(questions)
        if len(answers) != len(questions):
            raise CandidateError(f"{self.candidate.name} gave {len(answers)} answers to {len(questions)} questions")
        seconds = (self._clock.seconds() - began) / len(questions)
        written = [
            self._notation.entry(
                Key(self.candidate.name, digest_of(text), 0),
                answer,
                topic=topic,
                question=text,
                asked_at=asked_at,
                seconds=seconds,
            )
            for text, answer in zip(texts, answers, strict=True)
        ]
        records = await self._recorder.write_all([entry for _, entry in written])
        outcomes = {
            text: self._notation.recorded(outcome, entry, record)
            for text, (outcome, entry), record in zip(texts, written, records, strict=True)
        }
        self._count(outcomes.values())
        return outcomes

    def _count(self, outcomes: Iterable[QuestionOutcome[A]]) -> None:
        for outcome in outcomes:
            self._tally.count(outcome)
            self.transcript.origins["from record" if outcome.on_record else "new"] += 1
