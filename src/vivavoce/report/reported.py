"""The outputs of every finding by its report: a line, rows, figures, notebook output and files. All kinds share the keys of
their JSON document.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from vivavoce.formats.json_values import to_json, values_by_key
from vivavoce.formats.wording import clipped
from vivavoce.interview.scope import Signature
from vivavoce.report.blocks import Block, Report, ReportTable
from vivavoce.report.presenting import presenter

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def rows_of(table: ReportTable) -> list[dict[str, Any]]:
    """One dictionary per row: column -> value, with `NAME, lower` and `NAME, upper` for values with intervals.

    All rows have the same keys.

    >>> from vivavoce.formats.interval import Estimate, Interval
    >>> from vivavoce.report.blocks import Column, ReportRow
    >>> from vivavoce.report.cells import TableCell, share_cell
    >>> half = share_cell(Estimate(0.5, Interval(0.25, 0.75), 10))
    >>> rows_of(ReportTable((Column("Law"), Column("Strong", short="strong")), (ReportRow(TableCell("Negation"), (half,)),)))
    [{'Law': 'Negation', 'strong': 0.5, 'strong, lower': 0.25, 'strong, upper': 0.75}]
    """
    result = []
    names = _names(table)
    with_bounds = {
        name for row in table.rows for name, cell in zip(names, (row.head, *row.cells), strict=True) if cell.bounds is not None
    }
    for row in table.rows:
        values: dict[str, Any] = {}
        for name, cell in zip(names, (row.head, *row.cells), strict=True):
            values[name] = cell.value if cell.value is not None or not cell.known else cell.text
            if name in with_bounds:
                values[f"{name}, lower"] = None if cell.bounds is None else _finite(cell.bounds.lower)
                values[f"{name}, upper"] = None if cell.bounds is None else _finite(cell.bounds.upper)
        result.append(values)
    return result


def _names(table: ReportTable) -> list[str]:
    """The labels of the columns, numbered if two are equal."""
    names: list[str] = []
    for index, column in enumerate(table.columns):
        label = column.short or " ".join(filter(None, (column.head, column.below))) or f"column {index + 1}"
        names.append(label if label not in names else f"{label} {index + 1}")
    return names


def _finite(end: float) -> float | None:
    return end if math.isfinite(end) else None


LONGEST_REPR: Final = 300
"""Characters of a finding's statement when it stands for the whole finding."""


class ReportedFinding:
    """A finding that reports in blocks. Subclasses inherit only ways to show `report()`; a finding is a frozen value of its own
    type.
    """

    __slots__ = ()
    document: ClassVar[str] = ""
    """The usual file name of its JSON in a recheck from a transcript; empty if it has none."""

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
            """Caveats of the result."""
            ...

        @property
        def signature(self) -> Signature:
            """Everything that others need to recompute the numbers."""
            ...

        def report(self) -> Report:
            """The whole finding as blocks."""
            ...

    @property
    def kind(self) -> str:
        """`kind` in the JSON document."""
        return self.signature.examination

    @property
    def examined(self) -> tuple[str, ...]:
        """The names of the candidates: `candidate`, unless the finding has none or several."""
        candidate = getattr(self, "candidate", None)
        return () if candidate is None else (candidate,)

    @property
    def verdict_word(self) -> str | None:
        """The verdict in a word; None for a finding without a verdict."""
        return None

    def figures(self) -> dict[str, Any]:
        """The numbers by name, for `to_json` to convert; None for what is not known."""
        return values_by_key(self)

    def provenance(self) -> dict[str, Any]:
        """The conduct of the examination, after the figures in the JSON document: at least the seed."""
        return {"seed": self.signature.seed}

    def as_json(self) -> dict[str, Any]:
        """The finding as a JSON document, whose first keys are the same for all findings."""

        return document(
            self.kind,
            statement=self.statement,
            verdict=self.verdict_word,
            candidates=self.examined,
            figures=self.figures(),
            caveats=self.caveats,
            signature=self.signature,
            **self.provenance(),
        )

    def reported(self, kind: str, title: str, *blocks: Block, headline: str = "") -> Report:
        """These blocks as the finding's report; `headline`: replaces the finding's own."""
        return Report(kind, title, headline or self.headline, blocks, self.statement, self.signature.line)

    def rows(self, table: int = 0) -> list[dict[str, Any]]:
        """A table of the report as a dictionary a row, for `pandas.DataFrame(...)` or `polars.DataFrame(...)`.

        table: its number, in the order of the page. Raises `IndexError` for an unknown one.
        """
        return rows_of(self.report().tables[table])

    def plot(self, figure: int = 0) -> Figure:
        """A figure of the report as one of matplotlib.

        figure: its number, in the order of the page. Raises `NotEnoughEvidence` if there is too little to draw.
        """
        return presenter().drawn(self.report(), figure)

    def save(self, file: str | Path) -> None:
        """Write the finding to a file: page (`.html`), values (`.json`), words (`.md`) or first table (`.csv`)."""
        presenter().saved(self, Path(file))

    def _repr_html_(self) -> str:
        return presenter().in_notebook(self.report())

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {clipped(self.statement, LONGEST_REPR)}>"


FORMAT: Final = 1


def document(
    kind: str,
    *,
    statement: str,
    verdict: str | None,
    candidates: Sequence[str],
    figures: Mapping[str, object],
    caveats: Sequence[str],
    signature: Signature,
    **more: object,
) -> dict[str, Any]:
    """The document of a finding; `more` follows the keys that all documents have."""
    return {
        "kind": kind,
        "format": FORMAT,
        "version": signature.version,
        "statement": statement,
        "verdict": verdict,
        "candidates": list(candidates),
        "figures": to_json(dict(figures)),
        "caveats": list(caveats),
        "signature": signature.line,
        **to_json(more),
    }


def figures_of(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """The numbers of a document; empty without any.

    >>> figures_of({"figures": {"n": 3}}), figures_of({"figures": 3})
    ({'n': 3}, {})
    """
    figures = document.get("figures")
    return figures if isinstance(figures, dict) else {}


def names_in(document: Mapping[str, Any]) -> list[str]:
    """The candidates of a document; empty without any."""
    named = document.get("candidates")
    return [name for name in named if isinstance(name, str)] if isinstance(named, list) else []
