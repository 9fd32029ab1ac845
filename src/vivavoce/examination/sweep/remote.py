"""Examines cells on the workers of an executor, such as Dask's. Workers ask questions; only the main process writes.

A cell is sent with its recorded answers, so that nothing is asked again, and with the key of the record, which its seed comes
from. So workers must be trusted like this process. A worker examines the cell over its own record, and returns what is new in
it.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from concurrent.futures import Executor
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from vivavoce.certificate.attempts.attempt import PAIRS
from vivavoce.certificate.certify import MANY_TOPIC
from vivavoce.certificate.claims.claim import answers_topic
from vivavoce.errors import CandidateError, OtherTerms, TranscriptError, VivavoceError
from vivavoce.examination.sweep.examiner import CellExaminer, InterviewMaker, ProgressKeeper, SweepScope, Tell, subjects_of
from vivavoce.examination.sweep.plan import CellOutcome, CellTask, SweepCell, SweepPlan
from vivavoce.examination.sweep.run import as_they_come
from vivavoce.interview.candidate_kinds import TOPIC as PROBE
from vivavoce.interview.candidate_kinds import recorded_name
from vivavoce.interview.commitment import COMMITTER
from vivavoce.interview.progress import Progress
from vivavoce.interview.record import ENTRY_FIELDS, Entry, canonical_json
from vivavoce.interview.transcript import Transcript
from vivavoce.interview.transcript_opening import KeyFile

AHEAD: Final = 2
"""Cells sent per cell that can be examined at once, so that the next one is there when one ends."""


@dataclass(frozen=True, slots=True)
class WorkerTask:
    """A cell sent to a worker."""

    plan: SweepPlan
    asks: InterviewMaker
    task: CellTask
    entries: tuple[Entry, ...]
    """Entries of the record for this cell."""
    key: bytes | None = field(repr=False)
    """Key of the record."""


@dataclass(frozen=True, slots=True)
class WorkerOutcome:
    """The result from a worker."""

    outcome: CellOutcome
    entries: tuple[Entry, ...]
    """New entries for the record."""
    progress: tuple[Progress, ...]
    """Progress of the cell's interviews."""


class RemoteCellRunner:
    """Runs cells on the workers of an executor, one cell per worker.

    concurrency: number of workers.
    """

    def __init__(self, examiner: CellExaminer, executor: Executor, *, concurrency: int) -> None:
        self._examiner = examiner
        self._executor = executor
        self._sent = asyncio.Semaphore(AHEAD * max(1, concurrency))
        self._begun: set[SweepCell] = set()

    async def carry_out(
        self, tasks: Sequence[CellTask], tell: Callable[[SweepCell], Callable[[], Tell]]
    ) -> AsyncIterator[CellOutcome]:
        """The outcomes in the order of arrival, which does not affect them."""
        missing = []
        for task in tasks:  # all attempts are numbered here, in the order of the plan
            outcome = await self._examiner.from_record(task, tell(task.cell))
            if outcome is not None:
                yield outcome
                continue
            missing.append(task)
            if task.cell not in self._begun:
                self._begun.add(task.cell)
                await self._examiner.begin(task)
        async with aclosing(as_they_come(map(self._fetched, missing))) as fetched:
            async for task, brought in fetched:
                outcome = await self._written(task, brought, tell)
                yield outcome

    async def _fetched(self, task: CellTask) -> tuple[CellTask, WorkerOutcome]:
        async with self._sent:
            entries = await asyncio.to_thread(self._on_record, task.cell)
            key = await asyncio.to_thread(self._examiner.transcript.secret_key, make=False)
            errand = WorkerTask(self._examiner.plan, self._examiner.asks, replace(task, again=False), entries, key)
            try:
                return task, await asyncio.wrap_future(self._executor.submit(examine_there, errand))
            except (VivavoceError, asyncio.CancelledError):
                raise
            except Exception as error:  # whatever becomes of a worker is none of the cell's doing
                reason = f"its worker was lost ({type(error).__name__}): the same command goes on with it"
                return task, WorkerOutcome(CellOutcome(task.cell, reason=reason, unreachable=True), (), ())

    def _on_record(self, cell: SweepCell) -> tuple[Entry, ...]:
        """Everything in the record that this cell may need; for an examination, all of its candidate's answers."""
        transcript, entries = self._examiner.transcript, []
        names = [self._examiner.candidate(candidate).name for candidate in cell.candidates]
        for candidate in cell.candidates:
            name = recorded_name(self._examiner.candidate(candidate))
            for topic in self._topics(cell):
                entries += [_entry(record) for record in transcript.records(candidate=name, topic=topic)]
        about = [canonical_json(name)[1:-1] for name in dict.fromkeys((*names, PAIRS))]
        own = transcript.records(candidate=COMMITTER)
        return (*(_entry(record) for record in own if any(name in record.question for name in about)), *entries)

    def _topics(self, cell: SweepCell) -> Iterable[str | None]:
        if cell.scope is None:
            return (None,)
        own = self._examiner.subjects[cell.scope]
        of = self._examiner.subjects if own.together else (own,)
        return *(answers_topic(subject.scope.name) for subject in of), MANY_TOPIC, PROBE

    async def _written(
        self, task: CellTask, brought: WorkerOutcome, tell: Callable[[SweepCell], Callable[[], Tell]]
    ) -> CellOutcome:
        """Write new entries to the record. If other entries were written there meanwhile, the cell is examined again, from the
        record."""
        made = tell(task.cell)
        for progress in brought.progress:
            made()(progress)
        transcript = self._examiner.transcript
        standing = await asyncio.to_thread(transcript.append, brought.entries)
        number = sum(entry.candidate != COMMITTER for entry in brought.entries)
        transcript.origins["new"] += number
        transcript.origins["from record"] += sum(progress.answered for progress in brought.progress) - number
        alike = all(record.answer == entry.answer for record, entry in zip(standing, brought.entries, strict=True))
        return brought.outcome if alike else await self._examiner.examine(replace(task, again=False), tell(task.cell))


def examine_there(errand: WorkerTask) -> WorkerOutcome:
    """Examine a cell in a worker, over a separate record that begins with the cell's recorded answers."""
    try:
        subjects = _subjects(errand.plan)
    except VivavoceError as error:  # a file that is here and not there
        return WorkerOutcome(CellOutcome(errand.task.cell, reason=f"on its worker: {error}", unreachable=True), (), ())
    with TemporaryDirectory(prefix="viva-cell-") as folder:
        path = Path(folder) / "cell.sqlite"
        if errand.key is not None:
            with open(os.open(KeyFile(path).name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
                stream.write(errand.key.hex() + "\n")
        with Transcript.open(path) as transcript:
            transcript.append(errand.entries)
            known = transcript.head.count
            examiner = CellExaminer(errand.plan, subjects, transcript, errand.asks)
            outcome, progress = asyncio.run(_examined(examiner, errand.task))
            new = tuple(_entry(record) for record in transcript.records() if record.seq > known)
        return WorkerOutcome(outcome, new, progress)


async def _examined(examiner: CellExaminer, task: CellTask) -> tuple[CellOutcome, tuple[Progress, ...]]:
    latest = ProgressKeeper()
    try:
        outcome = await examiner.examine(task, latest)
    except (OtherTerms, CandidateError):
        raise
    except TranscriptError as error:  # of its own record, which is gone with it
        outcome = CellOutcome(task.cell, reason=f"on its worker: {error}", unreachable=True)
    finally:
        await examiner.close()
    return outcome, latest.told


@lru_cache(maxsize=4)
def _subjects(plan: SweepPlan) -> tuple[SweepScope, ...]:
    """The scopes of a plan, which a worker opens once, not once per cell."""
    return subjects_of(plan)


def _entry(record: Entry) -> Entry:
    return Entry(**{name: getattr(record, name) for name in ENTRY_FIELDS})
