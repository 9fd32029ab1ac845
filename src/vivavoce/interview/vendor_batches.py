"""Batches of a vendor: many questions are submitted together, and their answers arrive together, much later.

Vendors sell batches at half the price. A batch must be paid once, whatever happens to this program. So a row of the record
holds the questions of a batch before anything is sent, and thereby its id. The server knows the batch by that id, and a program
that finds unanswered questions in such a row looks for their batch first.

The split into batches changes no verdict: answers are returned in drawn order, and the evidence is computed answer by answer.
An examination that stops inside a block stops at the same answer as it would without blocks. Only the number of questions that
were not needed depends on the size of blocks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final, Generic, Protocol, TypeVar, runtime_checkable

from vivavoce.errors import VivavoceError
from vivavoce.interview.progress import BatchAccount, BatchState
from vivavoce.interview.record import Key, OpenQuestion, id_of_batch
from vivavoce.interview.recorder import Recorder
from vivavoce.interview.schedule import Clock
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
