"""The public API: the names that `import vivavoce as viva` offers, for scripts and notebooks.

Procedures are `async`; `run` returns their results, in notebooks too. Import other names from their modules.
"""

from __future__ import annotations

import asyncio
import atexit
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import Future, wait
from contextvars import copy_context
from pathlib import Path
from typing import Any, TypeVar, overload

from vivavoce.candidates import open_candidate
from vivavoce.certificate.attempts.log import usual_limit
from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.certify import Composition
from vivavoce.certificate.certify import certify as certify_interview
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.claims.many_scopes_finding import ManyScopes
from vivavoce.certificate.comparison.compare import compare
from vivavoce.certificate.comparison.config import ComparisonConfig, GateConfig
from vivavoce.certificate.comparison.finding import Comparison
from vivavoce.certificate.comparison.gate import Gate, gate
from vivavoce.eqt.examine import explain_query_test
from vivavoce.errors import BadInput, BudgetExhausted, CandidateError, NotEnoughEvidence, TranscriptError, VivavoceError
from vivavoce.examination.parts.studies import ask_variations
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import Candidate, NoAnswer, Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.scope import Scope
from vivavoce.interview.transcript import Transcript
from vivavoce.relations import ask as ask_relations
from vivavoce.relations import check as check_relations
from vivavoce.render.terminal import shown_progress
from vivavoce.report.reported import ReportedFinding as Finding
from vivavoce.scopes import Frame, open_scope
from vivavoce.scopes.questions import Question
from vivavoce.studies.bail import judge_bail
from vivavoce.studies.config import VaryConfig
from vivavoce.studies.forecasting.asking import ask_forecasts

__all__ = [
    "BadInput",
    "Budget",
    "BudgetExhausted",
    "Candidate",
    "CandidateError",
    "Certificate",
    "Comparison",
    "ComparisonConfig",
    "Criterion",
    "Estimate",
    "Finding",
    "Gate",
    "GateConfig",
    "Interval",
    "Interview",
    "NoAnswer",
    "NotEnoughEvidence",
    "Prompt",
    "Question",
    "Reply",
    "Transcript",
    "TranscriptError",
    "VaryConfig",
    "Verdict",
    "VivavoceError",
    "ask_forecasts",
    "ask_relations",
    "ask_variations",
    "certify",
    "check_relations",
    "compare",
    "explain_query_test",
    "gate",
    "judge_bail",
    "open_candidate",
    "open_scope",
    "run",
]

T = TypeVar("T")


class _SharedLoop:
    """An event loop in its own thread, for everything that `run` runs.

    Interviews and candidates belong, with their connections, to the loop in which they were first used. So there is only one.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def running(self) -> asyncio.AbstractEventLoop:
        """The loop; a new one at the first call and in a forked process."""
        with self._lock:
            if self._loop is None or self._thread is None or not self._thread.is_alive():
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._run, args=(self._loop,), daemon=True, name="vivavoce.run")
                self._thread.start()
            return self._loop

    def is_here(self) -> bool:
        """Whether the caller is in the thread of the loop."""
        return threading.current_thread() is self._thread

    def end(self) -> None:
        """Cancel running tasks, and close the loop."""
        if self._loop is not None and self._thread is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()

    @staticmethod
    def _run(loop: asyncio.AbstractEventLoop) -> None:
        async def end() -> None:
            left = asyncio.all_tasks() - {asyncio.current_task()}
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)
            await loop.shutdown_asyncgens()

        loop.run_forever()
        loop.run_until_complete(end())
        loop.close()


_shared = _SharedLoop()
atexit.register(_shared.end)


def run(procedure: Coroutine[Any, Any, T]) -> T:
    """Run a procedure and return its result, in scripts and also in notebooks, where a loop is already running.

    It runs in its own thread, and the caller waits; a notebook shows a line of progress. An interview can be used in several
    runs, one after the other. Raises the procedure's errors, and `BadInput` inside another procedure.

    >>> import vivavoce as viva
    >>> def bot(question: str) -> str:
    ...     _, _, a, _, b = question.splitlines()[0].rstrip("?").split()
    ...     return f"Answer: {int(a) + int(b)}"
    >>> sums = [{"question": f"What is {n} + 1?", "answer": n + 1} for n in range(50)]
    >>> interview = viva.Interview(viva.open_candidate(bot), answers=viva.Reply)
    >>> certificate = viva.run(viva.certify(interview, viva.open_scope(sums, name="sums"), viva.Criterion(0.8, None), seed=0))
    >>> certificate.verdict
    <Verdict.PASS: 'pass'>
    """
    loop = _shared.running()
    if _shared.is_here():
        procedure.close()
        raise BadInput("viva.run was called inside a procedure that viva.run runs: await the inner procedure instead")
    with shown_progress():
        return _result_in(loop, procedure)


def _result_in(loop: asyncio.AbstractEventLoop, procedure: Coroutine[Any, Any, T]) -> T:
    """Run the procedure in the loop of another thread, with the context of this one; return its result."""
    outcome: Future[T] = Future()

    async def finish() -> None:
        try:
            outcome.set_result(await procedure)
        except BaseException as error:
            outcome.set_exception(error)

    task: list[asyncio.Task[None]] = []

    def begin() -> None:
        task.append(loop.create_task(finish()))
        task[0].add_done_callback(end)

    def end(_: object) -> None:  # a task that was cancelled before it began has no outcome
        procedure.close()
        if not outcome.done():
            outcome.set_exception(asyncio.CancelledError())

    loop.call_soon_threadsafe(begin, context=copy_context())
    try:
        return outcome.result()
    except KeyboardInterrupt:
        if not outcome.done():
            loop.call_soon_threadsafe(lambda: task[0].cancel())
            wait([outcome])
        raise


@overload
def certify(
    candidate: str | Callable[..., Any],
    scope: str | Path | Sequence[Mapping[str, Any]] | Frame,
    criterion: Criterion | None = ...,
    **settings: Any,
) -> Certificate: ...


@overload
def certify(
    candidate: Interview[Prompt, Reply], scope: Scope[Question], criterion: Criterion, *settings: Composition, **more: Any
) -> Coroutine[Any, Any, Certificate]: ...


@overload
def certify(
    candidate: Interview[Prompt, Reply],
    scope: Sequence[Scope[Question]],
    criterion: Criterion,
    *settings: Composition,
    **more: Any,
) -> Coroutine[Any, Any, ManyScopes]: ...


def certify(candidate: Any, scope: Any, criterion: Criterion | None = None, *settings: Any, **more: Any) -> Any:
    """Certify a candidate on a scope. Returns the certificate for names, functions and rows; a coroutine for an interview.

    Parameters
    ----------
    candidate: a name as on the command line, or a function from a question to an answer; or an interview, for `run`.
    scope: a name as on the command line, a file, or rows.
    criterion: as for `vivavoce.certificate.certify.certify`, which also takes the other settings; None: as on the command line,
    with a limit on unacceptable answers if an answer can be unacceptable.

    >>> import vivavoce as viva
    >>> viva.certify("bot:calculator", "arithmetic", seed=0).verdict
    <Verdict.PASS: 'pass'>
    """
    if isinstance(candidate, Interview):
        return certify_interview(candidate, scope, criterion or Criterion(), *settings, **more)
    questions = open_scope(scope)
    required = criterion or Criterion(unacceptable_limit=usual_limit([questions]))
    interview = Interview(open_candidate(candidate), answers=Reply)
    return run(certify_interview(interview, questions, required, *settings, **more))
