"""Classifiers whose model is in this process; a separate module to avoid a circular import."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from concurrent.futures import ThreadPoolExecutor

from vivavoce.errors import BadInput
from vivavoce.interview.candidate import RepeatReason
from vivavoce.interview.candidate_kinds import CaseJudgement, FactCase


class LocalClassifier(ABC):
    """A classifier whose model is in this process. It judges one case after another, in its own thread."""

    asked_again: RepeatReason = "same"
    """Why it may be asked again: it gives the same answer."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="classifier")

    def __repr__(self) -> str:
        return f"<{self.name}>"

    async def answer(self, question: FactCase, /) -> CaseJudgement:
        """Judge a case."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self.judge, question)

    async def close(self) -> None:
        """Close it; it takes no more questions."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    @abstractmethod
    def judge(self, case: FactCase) -> CaseJudgement:
        """Judge the case, in this thread."""


def check_weights(target: str, digest: str, named: str) -> None:
    """Raise `BadInput` if a name has a digest other than the weights in a folder; an empty one is ignored."""
    if named and named != digest:
        raise BadInput(f"'{target[:200]}' has weights {digest}, but the name says {named[:80]}: leave out 'weights='")
