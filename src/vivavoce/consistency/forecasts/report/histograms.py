"""How large contradictions between forecasts are: a small histogram a law and forecaster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from vivavoce.consistency.forecasts.report.view import View
from vivavoce.consistency.forecasts.summary import Summary
from vivavoce.consistency.forecasts.wording import law_name
from vivavoce.formats.wording import name_of
from vivavoce.report.blocks import Figure, InFull, Panels, Paragraph, Section

MOST_PANELS: Final = 60
"""Histograms on a page."""


@dataclass(frozen=True, slots=True)
class LawHistogram:
    """How many tuples of one forecaster and law have how large a metric (Figure 12 of `fluri2024`)."""

    plot: ClassVar[str] = "vivavoce.consistency.forecasts.report.plots:law_histogram_drawing"
    summary: Summary
    """With at least one tuple that could be read."""
    most: float
    """The share of tuples at the top of the axis, the same in histograms to be compared."""


def histograms(view: View, about_drawn: str) -> InFull:
    """The histograms in groups: all laws of a single forecaster together, else the forecasters of each law."""
    rows = [row for law in view.laws for row in view.of_law(law) if row.forecaster in view.in_full and row.n][:MOST_PANELS]
    if not rows:
        return InFull(())
    explained = (
        "Across the metric, from 0 to 1; upwards the share of tuples. Beyond the dashed line a contradiction is strong. "
        f"{about_drawn}"
    )
    if view.alone:
        groups = [Section("", (_panels(rows, [law_name(row.law) for row in rows]),))]
    else:
        by_law = {law: [row for row in rows if row.law == law] for law in view.laws}
        groups = [
            Section(law_name(law), (_panels(of_law, [name_of(row.forecaster) for row in of_law]),))
            for law, of_law in by_law.items()
            if of_law
        ]
    return InFull((Section("How large the contradictions are", (Paragraph(explained.strip(), quiet=True), *groups)),))


def _panels(rows: Sequence[Summary], titles: Sequence[str]) -> Panels:
    most = max(max(row.histogram) / row.n for row in rows)
    return Panels(tuple(Figure(LawHistogram(row, most), title=title) for row, title in zip(rows, titles, strict=True)))
