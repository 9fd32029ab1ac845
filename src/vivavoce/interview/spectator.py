"""Who looks on while an examination is held, and changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Final, Protocol

from vivavoce.interview.results import Heard

UNDER_WAY: Final = "under way"
"""In place of what ended an examination, where its finding is made while it goes on."""


class Spectator(Protocol):
    """Somebody who looks on. Must be quick, and raise nothing."""

    def heard(self, heard: Heard) -> None:
        """An answer was handed out."""
        ...

    def stands(self, finding: Callable[[], object]) -> None:
        """Answers were taken. `finding` makes what would be found if no more came; it takes time, and is called now or not."""
        ...


spectator: ContextVar[Spectator | None] = ContextVar("spectator", default=None)
"""Who looks on at what is examined in this context."""


def stands(finding: Callable[[], object]) -> None:
    """Tell whoever looks on how the examination stands."""
    found = spectator.get()
    if found is not None:
        found.stands(finding)


def ended_by(exhausted: str) -> str:
    """Why no more questions came, in a clause; `exhausted`: the limit that was reached, or `UNDER_WAY`.

    >>> ended_by("money"), ended_by(UNDER_WAY)
    ('the budget for money is used up', 'it is under way')
    """
    return "it is under way" if exhausted == UNDER_WAY else f"the budget for {exhausted} is used up"
