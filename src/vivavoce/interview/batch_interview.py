"""An interview with a candidate that answers many questions per call, such as a pool of chess engines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Generic, Protocol, TypeVar

from vivavoce.errors import CandidateError
from vivavoce.interview.candidate import NoAnswer
from vivavoce.interview.notation import Notation, QuestionOutcome, question_text
from vivavoce.interview.progress import Progress, ProgressTally, tell
from vivavoce.interview.record import Key, digest_of
from vivavoce.interview.recorder import Recorder
from vivavoce.interview.results import AnswerEvent, ResultRows
from vivavoce.interview.schedule import Clock
from vivavoce.interview.transcript import Transcript

Q_contra = TypeVar("Q_contra", contravariant=True)
A_co = TypeVar("A_co", covariant=True)
Q = TypeVar("Q")
A = TypeVar("A")


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
