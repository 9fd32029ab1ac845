"""The presenter of reports, so that findings need not know how they look. Small, since `vivavoce/__init__.py` imports it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from vivavoce.report.blocks import Report


class Presenter(Protocol):
    """Shows reports to people."""

    def in_notebook(self, report: Report, /) -> str:
        """The report as HTML for a notebook."""
        ...

    def drawn(self, report: Report, number: int, /) -> Figure:
        """One of its figures as a plot."""
        ...

    def saved(self, finding: Any, file: Path, /) -> None:
        """Save a finding in the format of the file's extension."""
        ...


_found: list[Callable[[], Presenter]] = []


def present_with(find: Callable[[], Presenter]) -> None:
    """Set the function that imports the presenter when a report is first shown."""
    _found[:] = [find]


def presenter() -> Presenter:
    """The presenter that was set."""
    return _found[0]()
