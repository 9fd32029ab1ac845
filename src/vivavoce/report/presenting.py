"""Who shows reports to people: findings know what they report, not how it looks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from vivavoce.report.blocks import Report


class Presenter(Protocol):
    """Shows reports."""

    def in_notebook(self, report: Report, /) -> str:
        """HTML that stands among other output."""
        ...

    def drawn(self, report: Report, number: int, /) -> Figure:
        """One of its figures."""
        ...

    def saved(self, finding: Any, file: Path, /) -> None:
        """Written to a file, of the kind that its name ends with."""
        ...


_found: list[Callable[[], Presenter]] = []


def present_with(find: Callable[[], Presenter]) -> None:
    """Show reports with what this finds; it is called when one is shown, as it takes a while to import."""
    _found[:] = [find]


def presenter() -> Presenter:
    """Who shows reports."""
    return _found[0]()
