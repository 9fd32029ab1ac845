"""Where a person sits, and how a sitting may end before the questions do."""

from __future__ import annotations

from typing import Protocol

from vivavoce.candidates.human.item import Item
from vivavoce.interview.progress import Progress


class Left(Exception):
    """The person stops here."""


class Declined(Exception):
    """The person does not agree to be asked."""


class Desk(Protocol):
    """Where a person sits."""

    async def agree(self, alias: str, terms: tuple[str, ...]) -> None:
        """Show what is kept, and wait until the person agrees; at once if the person has. Raises `Declined` and `Left`."""
        ...

    async def ask(self, alias: str, item: Item, progress: Progress | None) -> str:
        """Put one question; the reply. Raises `Left`."""
        ...

    async def close(self) -> None:
        """There is no further question."""
        ...
