"""The public face: what `import vivavoce as viva` offers, for scripts and notebooks.

Procedures are `async`; `run` has their results, in a notebook as well. All else is imported from where it stands.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from contextvars import copy_context
from typing import Any, TypeVar

from vivavoce.candidates import open_candidate
from vivavoce.certificate.comparison.compare import compare
from vivavoce.certificate.comparison.config import ComparisonConfig, GateConfig
from vivavoce.certificate.comparison.finding import Comparison
from vivavoce.certificate.comparison.gate import gate
from vivavoce.certificate.comparison.gate_finding import Gate
from vivavoce.certificate.examine import certify
from vivavoce.certificate.finding import Certificate
from vivavoce.certificate.questions import Question
from vivavoce.certificate.scopes import open_scope
from vivavoce.certificate.verdict import Criterion, Verdict
from vivavoce.consistency.forecasts.asking import ask_forecasts
from vivavoce.consistency.invariance.config import InvarianceConfig
from vivavoce.consistency.legal.bail.examine import judge_bail
from vivavoce.consistency.relations import ask as ask_relations
from vivavoce.consistency.relations import check as check_relations
from vivavoce.eqt.examine import explain_query_test
from vivavoce.errors import BadInput, BudgetExhausted, CandidateError, NotEnoughEvidence, TranscriptError, VivavoceError
from vivavoce.examination.varied import ask_variations
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import Candidate, NoAnswer, Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.transcript import Transcript
from vivavoce.render.notebook_progress import shown_progress
from vivavoce.report.reported import Reported as Finding

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
    "InvarianceConfig",
    "NoAnswer",
    "NotEnoughEvidence",
    "Prompt",
    "Question",
    "Reply",
    "Transcript",
    "TranscriptError",
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


def run(procedure: Coroutine[Any, Any, T]) -> T:
    """What a procedure returns: `asyncio.run`, also where a loop is running already, as in a notebook.

    There it runs in a thread of its own, and the cell waits for it, with a line of progress. Raises what the procedure raises.

    >>> import vivavoce as viva
    >>> def bot(question: str) -> str:
    ...     _, _, a, _, b = question.splitlines()[0].rstrip("?").split()
    ...     return f"Answer: {int(a) + int(b)}"
    >>> sums = [{"question": f"What is {n} + 1?", "answer": n + 1} for n in range(50)]
    >>> interview = viva.Interview(viva.open_candidate(bot), answers=viva.Reply)
    >>> certificate = viva.run(viva.certify(interview, viva.open_scope(sums, name="sums"), viva.Criterion(0.8, None), seed=0))
    >>> certificate.verdict
    <Verdict.UNDERSTANDS: 'understands'>
    """
    with shown_progress():
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(procedure)
        return _run_elsewhere(procedure)


def _run_elsewhere(procedure: Coroutine[Any, Any, T]) -> T:
    """In a thread of its own, with what holds here."""
    outcome: list[T] = []
    errors: list[BaseException] = []
    context = copy_context()

    def run_there() -> None:
        try:
            outcome.append(context.run(asyncio.run, procedure))
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run_there, daemon=True)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return outcome[0]
