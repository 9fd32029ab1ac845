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
from vivavoce.candidates.elsewhere import elsewhere
from vivavoce.candidates.names import close_candidate, open_candidate
from vivavoce.errors import CandidateMisconfigured, VivavoceError
from vivavoce.interview.candidate import Candidate, HasConcurrency

TOPIC: Final = "vivavoce"
"""Topic under which the scheduler reports which questions have started."""


@dataclass(frozen=True, slots=True)
class _Held:
    """A candidate that was opened here."""

    candidate: Candidate[Any, Any]
    version: Version
    turns: asyncio.Semaphore | None
    """For one that bears only so many questions at once."""


_held: WeakKeyDictionary[Any, dict[str, asyncio.Task[_Held]]] = WeakKeyDictionary()
"""By Dask's worker, of which a process may have several, and the candidate's address."""
_loaded: dict[str, str] = {}
"""Digests of the source of each function when this process imported it: it does not do so again."""


async def put(question: Any, number: str, seconds: float | None, *, wanted: CandidateRequest, noted: bool) -> Outcome:
    """What the candidate says; the time that it may take begins when it is asked.

    noted: whether to report the start of this question to the scheduler before asking the candidate.
    """
    worker: Any = get_worker()
    try:
        held = await _holding(worker, wanted)
    except Exception as error:
        return RefusalOutcome.by(worker.address, error)
    if wanted.version is not None and (difference := wanted.version.differs(held.version)):
        return RefusalOutcome(worker.address, difference)
    if held.turns is None:
        return await _asked(worker, held, question, number, seconds, noted=noted)
    async with held.turns:
        return await _asked(worker, held, question, number, seconds, noted=noted)


async def describe(wanted: CandidateRequest, dask_worker: Any = None) -> CandidateDescription | RefusalOutcome:
    """What this worker, which Dask passes itself, holds under that address, opened if it is not."""
    try:
        held = await _holding(dask_worker, wanted)
    except Exception as error:
        return RefusalOutcome.by(dask_worker.address, error)
    return CandidateDescription(held.version, traits_of(held.candidate))


async def forget(address: str, dask_worker: Any = None) -> None:
    """Let go of the candidate of that address."""
    opening = _held.get(dask_worker, {}).pop(address, None)
    if opening is not None and opening.done() and not opening.cancelled() and opening.exception() is None:
        await close_candidate(opening.result().candidate)


async def _asked(worker: Any, held: _Held, question: Any, number: str, seconds: float | None, *, noted: bool) -> Outcome:
    if noted:
        await worker.scheduler.log_event(topic=TOPIC, msg=number)
    try:
        async with asyncio.timeout(seconds) as limit:
            return AnswerOutcome(await held.candidate.answer(question))
    except Exception as error:
        return TimeoutOutcome() if limit.expired() and not isinstance(error, VivavoceError) else ErrorOutcome.by(error)


async def _holding(worker: Any, wanted: CandidateRequest) -> _Held:
    """The candidate, opened by the first who asks for it; one that cannot be opened is tried again by the next."""
    here = _held.setdefault(worker, {})
    opening = here.get(wanted.address)
    if opening is None:
        opening = here[wanted.address] = asyncio.create_task(_opened(wanted))
    try:
        held = await asyncio.shield(opening)
    except Exception:
        if here.get(wanted.address) is opening:
            del here[wanted.address]
        raise
    if wanted.version is not None and wanted.version.source != held.version.source and here.get(wanted.address) is opening:
        del here[wanted.address]  # its file may have changed since; what has been imported tells
        return await _holding(worker, CandidateRequest(wanted.address, wanted.opener))
    return held


async def _opened(wanted: CandidateRequest) -> _Held:
    candidate = await asyncio.to_thread(_open, wanted)
    source = code_of(candidate)
    if source and _loaded.setdefault(wanted.address, source) != source:
        raise CandidateMisconfigured(
            f"the file of '{candidate.name}' was changed since this worker imported it: start the worker again"
        )
    at_once = candidate.concurrency if isinstance(candidate, HasConcurrency) else None
    turns = None if at_once is None else asyncio.Semaphore(at_once)
    return _Held(candidate, version_of(candidate), turns)


def _open(wanted: CandidateRequest) -> Candidate[Any, Any]:
    elsewhere.set(None)  # of this thread's own copy: it computes here
    return open_classifier(wanted.address) if wanted.opener == "classifier" else open_candidate(wanted.address)


def version_of(candidate: Candidate[Any, Any]) -> Version:
    """The version of a candidate that is opened in this process."""
    return Version(program(), candidate.name, code_of(candidate))


def code_of(candidate: object) -> str:
    """The digest of a function's file; empty for what is none."""
    return str(getattr(candidate, "source_digest", "") or getattr(candidate, "code", ""))
