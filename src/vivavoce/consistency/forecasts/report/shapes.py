"""Figures 3 and 14 of `fluri2024`: pairs of forecasts that should fit each other, and series over the years."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from vivavoce.consistency.forecasts.each import Scored
from vivavoce.consistency.forecasts.report.view import View
from vivavoce.consistency.forecasts.summary import Summary
from vivavoce.consistency.forecasts.wording import law_name
from vivavoce.formats.wording import clipped, name_of
from vivavoce.laws import QUANTITIES
from vivavoce.report.blocks import Figure, InFull, Panels, Paragraph, Section

OUT_OF_ORDER: Final = 3
"""Series that go the wrong way, as in the paper's figure; with one that does not."""
MOST_PANELS: Final = 24
SHOWN_TITLE: Final = 70


@dataclass(frozen=True, slots=True)
class ForecastPairs:
    """Forecasts of an event and its negation, or of wordings of one question, against each other."""

    plot: ClassVar[str] = "vivavoce.consistency.forecasts.report.plots:forecast_pairs_drawing"
    summary: Summary
    """With at least one point."""


@dataclass(frozen=True, slots=True)
class ForecastSeries:
    """Forecasts of a quantity for several years, with the spread of single replies where that is known."""

    plot: ClassVar[str] = "vivavoce.consistency.forecasts.report.plots:forecast_series_drawing"
    scored: Scored


def shapes(view: View, about_drawn: str) -> InFull:
    """Scatters of negation and paraphrases, then series; nothing where neither was asked."""
    rows = [row for law in view.laws for row in view.of_law(law) if row.forecaster in view.in_full and row.n]
    pairs = [row for row in rows if row.points][:MOST_PANELS]
    series = [(row, one) for row in rows if row.law in QUANTITIES for one in _chosen(row)][:MOST_PANELS]
    return InFull((*_pairs(pairs, view, about_drawn), *_series(series, view, about_drawn)))


def _pairs(rows: Sequence[Summary], view: View, about_drawn: str) -> tuple[Section, ...]:
    if not rows:
        return ()
    explained = (
        "Each mark is a pair of forecasts, larger where it was given more often. On the line the two fit each other; outside "
        f"of the band the contradiction is strong. {about_drawn}"
    )
    figures = tuple(Figure(ForecastPairs(row), title=_title(row, view)) for row in rows)
    return (Section("Forecasts that belong together", (Paragraph(explained.strip(), quiet=True), Panels(figures))),)


def _series(series: Sequence[tuple[Summary, Scored]], view: View, about_drawn: str) -> tuple[Section, ...]:
    if not series:
        return ()
    explained = (
        "Series that go the wrong way most, and one that does not. Each line joins the forecasts; a box holds the middle half "
        f"of the single replies, where there are several. Dashed: the nearest series in the right order. {about_drawn}"
    )
    figures = tuple(Figure(ForecastSeries(one), title=_question(one) or _title(row, view)) for row, one in series)
    return (Section("Series over time", (Paragraph(explained.strip(), quiet=True), Panels(figures))),)


def _chosen(row: Summary) -> tuple[Scored, ...]:
    return (*row.worst[:OUT_OF_ORDER], *((row.in_order,) if row.in_order else ()))


def _title(row: Summary, view: View) -> str:
    return law_name(row.law) if view.alone else f"{law_name(row.law)}, {name_of(row.forecaster)}"


def _question(scored: Scored) -> str:
    first = next(iter(scored.row.questions.values()), "")
    return clipped(" ".join(first.split()), SHOWN_TITLE)
