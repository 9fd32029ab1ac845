"""Where a candidate computes: in this process, unless somebody has its questions dealt to others."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Final, Literal, Protocol

from vivavoce.interview.candidate import Candidate

Opener = Literal["candidate", "classifier"]
"""By which table of names a candidate is opened: `names.open_candidate` or `classifiers.open_classifier`."""


class Elsewhere(Protocol):
    """Opens candidates so that others compute for them."""

    def deal(self, name: str, opener: Opener, here: Callable[[], Candidate[Any, Any]], /) -> Candidate[Any, Any]:
        """The candidate of that name; `here` opens it in this process."""
        ...


elsewhere: Final[ContextVar[Elsewhere | None]] = ContextVar("elsewhere", default=None)
"""Who computes for candidates that are opened by name; None: this process."""


def opened(name: str, opener: Opener, here: Callable[[], Candidate[Any, Any]]) -> Candidate[Any, Any]:
    """The candidate of that name, wherever it is to compute."""
    others = elsewhere.get()
    return here() if others is None else others.deal(name.strip(), opener, here)
