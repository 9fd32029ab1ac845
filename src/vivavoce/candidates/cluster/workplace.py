"""Runs on a worker: opens each candidate once and asks it the dealt questions; the messages for that, and counts of the run."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final
from weakref import WeakKeyDictionary

from distributed import get_worker

from vivavoce.candidates.classifiers import open_classifier
from vivavoce.candidates.cluster.scheduler import Opener, elsewhere
from vivavoce.candidates.names import close_candidate, open_candidate
from vivavoce.candidates.text import shortened
from vivavoce.errors import CandidateMisconfigured, VivavoceError
from vivavoce.interview.candidate import Candidate, Usage
from vivavoce.version import __version__

TRAITS: Final = (
    "ways", "time_out", "asked_again", "declared_deterministic", "never_sent", "prices", "source_digest", "converses",
    "concurrency", "errors_are_own",
)  # fmt: skip
"""Properties of a candidate that an interview reads."""
_SHOWN: Final = 12
"""Digits of a digest."""


def traits_of(candidate: object) -> dict[str, Any]:
    """The properties in `TRAITS` that a candidate has."""
    return {name: getattr(candidate, name) for name in TRAITS if hasattr(candidate, name)}


@dataclass(frozen=True, slots=True)
class Version:
    """The version of everything that an answer depends on, if known."""

    program: str
    """Vivavoce, with a digest of its source."""
    name: str
    """The candidate's name, which contains an engine's weights and program."""
    source: str
    """Digest of a function's file; empty for other candidates."""

    def differs(self, here: Version) -> str:
        """How `here` is another version, as a clause; empty if it is the same.

        >>> Version("vivavoce 1", "function:m:f", "aa").differs(Version("vivavoce 1", "function:m:f", "bb"))
        "'function:m:f' has the source bb there, not aa"
        """
        if self.program != here.program:
            return f"'{shortened(here.program, 80)}' is installed there, not '{self.program}'"
        if self.name != here.name:
            return f"the candidate is '{shortened(here.name, 200)}' there, not '{self.name}'"
        if self.source != here.source:
            return f"'{self.name}' has the source {here.source or 'of no file'} there, not {self.source or 'of no file'}"
        return ""


@dataclass(frozen=True, slots=True)
class CandidateRequest:
    """Which candidate a worker must open."""

    address: str
    """The candidate's name as given, which opens it."""
    opener: Opener
    version: Version | None = None
    """None: any version."""


@dataclass(frozen=True, slots=True)
class CandidateDescription:
    version: Version
    traits: dict[str, Any]
    """The properties in `TRAITS` that it has."""


@dataclass(frozen=True, slots=True)
class AnswerOutcome:
    answer: Any


@dataclass(frozen=True, slots=True)
class TimeoutOutcome:
    """The candidate took longer than it may."""


@dataclass(frozen=True, slots=True)
class ErrorOutcome:
    kind: type[VivavoceError] | str
    """One of ours, or the name of any other."""
    text: str
    attributes: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def by(cls, error: BaseException) -> ErrorOutcome:
        if isinstance(error, VivavoceError):
            return cls(type(error), str(error), dict(error.__dict__))
        return cls(type(error).__name__, str(error))

    @property
    def error(self) -> Exception:
        if isinstance(self.kind, str):
            named: type[Exception] = type(self.kind, (Exception,), {})
            return named(self.text)
        error: Exception = self.kind.__new__(self.kind, self.text)
        error.__dict__.update(self.attributes)
        return error


@dataclass(frozen=True, slots=True)
class RefusalOutcome:
    """The worker does not have this version of the candidate."""

    worker: str
    reason: str

    @classmethod
    def by(cls, worker: str, error: Exception) -> RefusalOutcome:
        """An outcome for an error while the candidate was opened on the worker."""
        return cls(worker, str(error) if isinstance(error, VivavoceError) else f"{type(error).__name__}: {error}")


Outcome = AnswerOutcome | TimeoutOutcome | ErrorOutcome | RefusalOutcome


@cache
def program() -> str:
    """The version of Vivavoce that runs here, with a digest of its source.

    >>> program().startswith("vivavoce ")
    True
    """
    digest, folder = hashlib.sha256(), Path(__file__).parents[2]
    for file in sorted(folder.rglob("*.py")):
        digest.update(f"{file.relative_to(folder).as_posix()}\n".encode() + file.read_bytes())
    return f"vivavoce {__version__} ({digest.hexdigest()[:_SHOWN]})"


TOPIC: Final = "vivavoce"
"""Topic under which the scheduler reports which questions have started."""


@dataclass(frozen=True, slots=True)
class _OpenCandidate:
    candidate: Candidate[Any, Any]
    version: Version
    turns: asyncio.Semaphore | None
    """Limits its questions at a time; None: no limit."""


_open_candidates: WeakKeyDictionary[Any, dict[str, asyncio.Task[_OpenCandidate]]] = WeakKeyDictionary()
"""Opened candidates, by Dask's worker (a process may have several) and the candidate's address."""
_loaded: dict[str, str] = {}
"""Digest of the source of each function when this process imported it; it is imported once."""


async def put(question: Any, number: str, seconds: float | None, *, wanted: CandidateRequest, noted: bool) -> Outcome:
    """The outcome of a question; its time begins when the candidate is asked.

    noted: whether to report the start of this question to the scheduler before asking the candidate.
    """
    worker: Any = get_worker()
    try:
        opened = await _holding(worker, wanted)
    except Exception as error:
        return RefusalOutcome.by(worker.address, error)
    if wanted.version is not None and (difference := wanted.version.differs(opened.version)):
        return RefusalOutcome(worker.address, difference)
    if opened.turns is None:
        return await _outcome(worker, opened, question, number, seconds, noted=noted)
    async with opened.turns:
        return await _outcome(worker, opened, question, number, seconds, noted=noted)


async def describe(wanted: CandidateRequest, dask_worker: Any = None) -> CandidateDescription | RefusalOutcome:
    """The candidate of this worker, which Dask passes, at this address; it is opened if necessary."""
    try:
        opened = await _holding(dask_worker, wanted)
    except Exception as error:
        return RefusalOutcome.by(dask_worker.address, error)
    return CandidateDescription(opened.version, traits_of(opened.candidate))


async def forget(address: str, dask_worker: Any = None) -> None:
    opening = _open_candidates.get(dask_worker, {}).pop(address, None)
    if opening is not None and opening.done() and not opening.cancelled() and opening.exception() is None:
        await close_candidate(opening.result().candidate)


async def _outcome(
    worker: Any, opened: _OpenCandidate, question: Any, number: str, seconds: float | None, *, noted: bool
) -> Outcome:
    if noted:
        await worker.scheduler.log_event(topic=TOPIC, msg=number)
    try:
        async with asyncio.timeout(seconds) as limit:
            return AnswerOutcome(await opened.candidate.answer(question))
    except Exception as error:
        return TimeoutOutcome() if limit.expired() and not isinstance(error, VivavoceError) else ErrorOutcome.by(error)


async def _holding(worker: Any, wanted: CandidateRequest) -> _OpenCandidate:
    """The candidate, opened by the first caller; if that fails, the next one tries again."""
    here = _open_candidates.setdefault(worker, {})
    opening = here.get(wanted.address)
    if opening is None:
        opening = here[wanted.address] = asyncio.create_task(_opened(wanted))
    try:
        opened = await asyncio.shield(opening)
    except Exception:
        if here.get(wanted.address) is opening:
            del here[wanted.address]
        raise
    if wanted.version is not None and wanted.version.source != opened.version.source and here.get(wanted.address) is opening:
        del here[wanted.address]  # its file may have changed since; the imported source tells
        return await _holding(worker, CandidateRequest(wanted.address, wanted.opener))
    return opened


async def _opened(wanted: CandidateRequest) -> _OpenCandidate:
    candidate = await asyncio.to_thread(_open, wanted)
    source = code_of(candidate)
    if source and _loaded.setdefault(wanted.address, source) != source:
        raise CandidateMisconfigured(
            f"the file of '{candidate.name}' was changed since this worker imported it: start the worker again"
        )
    at_once: int | None = getattr(candidate, "concurrency", None)
    turns = None if at_once is None else asyncio.Semaphore(at_once)
    return _OpenCandidate(candidate, version_of(candidate), turns)


def _open(wanted: CandidateRequest) -> Candidate[Any, Any]:
    elsewhere.set(None)  # in this thread's copy: it computes here
    return open_classifier(wanted.address) if wanted.opener == "classifier" else open_candidate(wanted.address)


def version_of(candidate: Candidate[Any, Any]) -> Version:
    return Version(program(), candidate.name, code_of(candidate))


def code_of(candidate: object) -> str:
    """The digest of a function's file; empty for other candidates."""
    return str(getattr(candidate, "source_digest", "") or getattr(candidate, "code", ""))


MOST: Final = 10_000
"""Questions in flight, however many threads there are."""


@dataclass(slots=True)
class ClusterRun:
    """Running counts over all candidates that workers ask."""

    say: Callable[[str], object] = len
    """Called with one-sentence messages for the user who waits."""
    began: float = field(default_factory=time.monotonic)
    workers: set[str] = field(default_factory=set)
    """Addresses of all workers so far."""
    threads: Mapping[str, int] = field(default_factory=dict)
    """Threads of the present workers, by their address."""
    lost: int = 0
    """Workers that were lost."""
    refused: dict[str, str] = field(default_factory=dict)
    """Why workers are not asked, by their address."""
    dealt: int = 0
    """Questions sent; a question that is sent twice counts twice."""
    answered: int = 0
    """Answers received."""
    late: int = 0
    """Questions that timed out."""
    failed: int = 0
    """Failed attempts, including those that were retried."""
    heard_twice: int = 0
    """Questions that a lost worker had started, for a candidate whose next answer could differ."""
    usage: Usage = field(default_factory=Usage)
    """The cost of all answers."""

    _room: dict[int | None, int] = field(default_factory=dict)
    """Results of `room`, until workers join or leave."""

    @property
    def able(self) -> frozenset[str]:
        return frozenset(self.threads) - self.refused.keys()

    def sees(self, threads: Mapping[str, int]) -> None:
        """Note the present workers, with their threads."""
        self.lost += len(self.threads.keys() - threads.keys())
        self.threads = threads
        self.workers |= threads.keys()
        self._room.clear()

    def room(self, each: int | None) -> int:
        """Questions that keep all workers busy: one per thread, or fewer if a process can handle only `each`."""
        if each not in self._room:
            threads = [self.threads[worker] for worker in self.able]
            self._room[each] = min(MOST, max(1, sum(number if each is None else min(number, each) for number in threads)))
        return self._room[each]

    def refuse(self, worker: str, reason: str) -> None:
        """Stop asking this worker, and say so once."""
        if worker not in self.refused:
            self._room.clear()
            self.refused[worker] = shortened(reason, 300)
            self.say(f"worker {worker} is refused: {self.refused[worker]}")

    @property
    def figures(self) -> dict[str, Any]:
        return {
            "seconds": round(time.monotonic() - self.began, 3),
            "workers": {"seen": len(self.workers), "lost": self.lost, "refused": self.refused},
            "questions": {
                "dealt": self.dealt,
                "answered": self.answered,
                "timed_out": self.late,
                "failed_attempts": self.failed,
                "heard_twice": self.heard_twice,
            },
            "spending": {"tokens": self.usage.tokens, "money": self.usage.money},
        }

    @property
    def statement(self) -> str:
        seconds = time.monotonic() - self.began
        lost = f", {self.lost} lost" if self.lost else ""
        refused = f", {len(self.refused)} refused" if self.refused else ""
        rate = f" ({self.answered / seconds:.3g}/s)" if seconds > 0 else ""
        return f"Cluster: {len(self.workers)} workers{lost}{refused}; {self.answered} answers in {seconds:.1f} s{rate}"
