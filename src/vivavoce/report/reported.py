"""What every finding can do by its report: be a line, rows, a figure, a part of a notebook, a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from vivavoce.formats.wording import clipped
from vivavoce.interview.scope import Signature
from vivavoce.report.blocks import Block, Caveats, Report
from vivavoce.report.presenting import presenter
from vivavoce.report.rows import rows_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LONGEST_REPR: Final = 300
"""Characters of a finding's statement where it stands for the whole finding."""


class Reported:
    """A finding that reports in blocks.

    Nothing is inherited but these ways to make and look at `report()`; a finding is a frozen value of its own type.
    """

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def headline(self) -> str:
            """The result in one sentence."""
            ...

        @property
        def statement(self) -> str:
            """The result in plain words."""
            ...

        @property
        def caveats(self) -> tuple[str, ...]:
            """What it does not show."""
            ...

        @property
        def signature(self) -> Signature:
            """Enough for a stranger to have the numbers again."""
            ...

        def figures_as_json(self) -> dict[str, Any]:
            """The numbers as JSON values; null for what is not known."""
            ...

        def report(self) -> Report:
            """All of it as blocks."""
            ...

    @property
    def kind(self) -> str:
        """Of the JSON document."""
        return self.signature.examination

    @property
    def examined(self) -> tuple[str, ...]:
        """The names of the candidates; empty if there are none."""
        return ()

    @property
    def verdict_word(self) -> str | None:
        """The verdict in a word; None if the finding gives none."""
        return None

    def conduct_as_json(self) -> dict[str, Any]:
        """How it was carried out, as JSON values that follow the others: at least the seed."""
        return {"seed": self.signature.seed}

    def as_json(self) -> dict[str, Any]:
        """The finding as a JSON document, whose first keys are the same for all findings (`report.document`)."""
        from vivavoce.report.document import document

        return document(
            self.kind,
            statement=self.statement,
            verdict=self.verdict_word,
            candidates=self.examined,
            figures=self.figures_as_json(),
            caveats=self.caveats,
            signature=self.signature,
            **self.conduct_as_json(),
        )

    def while_running(self) -> Report:
        """The report while questions are still asked: without what may yet change, such as a verdict, and without caveats."""
        report = self.report()
        kept = tuple(block for block in report.blocks if not isinstance(block, Caveats))
        return replace(report, verdict=None, blocks=kept)

    def reported(self, kind: str, title: str, *blocks: Block, headline: str = "") -> Report:
        """These blocks as the finding's report; `headline`: where it is not the finding's own."""
        return Report(kind, title, headline or self.headline, blocks, self.statement, self.signature.line)

    def rows(self, table: int = 0) -> list[dict[str, Any]]:
        """A table of the report as a dictionary a row, for `pandas.DataFrame(...)` or `polars.DataFrame(...)`.

        table: which one, in the order of the page. Raises `IndexError` where there is none.
        """
        return rows_of(self.report().tables[table])

    def plot(self, figure: int = 0) -> Figure:
        """A figure of the report as one of matplotlib.

        figure: which one, in the order of the page. Raises `NotEnoughEvidence` where there is too little to draw.
        """
        return presenter().drawn(self.report(), figure)

    def save(self, file: str | Path) -> None:
        """Write the finding to a file: page (`.html`), values (`.json`), words (`.md`) or first table (`.csv`)."""
        presenter().saved(self, Path(file))

    def _repr_html_(self) -> str:
        return presenter().in_notebook(self.report())

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {clipped(self.statement, LONGEST_REPR)}>"
