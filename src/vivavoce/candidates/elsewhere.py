"""Chooses where a candidate computes: in this process, or on the workers of a cluster."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Final, Literal, Protocol

from vivavoce.interview.candidate import Candidate

Opener = Literal["candidate", "classifier"]
"""By which table of names a candidate is opened: `names.open_candidate` or `classifiers.open_classifier`."""


class Elsewhere(Protocol):
    """Opens candidates that compute on other machines."""

    def deal(self, name: str, opener: Opener, here: Callable[[], Candidate[Any, Any]], /) -> Candidate[Any, Any]:
        """The candidate of that name; `here` opens it in this process."""
        ...


elsewhere: Final[ContextVar[Elsewhere | None]] = ContextVar("elsewhere", default=None)
"""Opens candidates on other machines; None: candidates compute in this process."""


def opened(name: str, opener: Opener, here: Callable[[], Candidate[Any, Any]]) -> Candidate[Any, Any]:
    """The candidate of that name, opened here or elsewhere."""
    others = elsewhere.get()
    return here() if others is None else others.deal(name.strip(), opener, here)
