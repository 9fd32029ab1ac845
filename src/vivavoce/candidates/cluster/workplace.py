"""Runs on a worker: opens each candidate once and asks it the dealt questions."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, Final
from weakref import WeakKeyDictionary

from distributed import get_worker

from vivavoce.candidates.classifiers import open_classifier
from vivavoce.candidates.cluster.outcomes import (
    AnswerOutcome,
    CandidateDescription,
    CandidateRequest,
    ErrorOutcome,
    Outcome,
    RefusalOutcome,
    TimeoutOutcome,
    Version,
    program,
    traits_of,
)
from vivavoce.candidates.cluster.scheduler import elsewhere
from vivavoce.candidates.names import close_candidate, open_candidate
from vivavoce.errors import CandidateMisconfigured, VivavoceError
from vivavoce.interview.candidate import Candidate

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
