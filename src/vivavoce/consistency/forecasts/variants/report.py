"""What ways to ask report: differences from the first way, and a plot of all ways by law."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from vivavoce.consistency.forecasts.report.method import sentences
from vivavoce.consistency.forecasts.report.view import View, law_label
from vivavoce.consistency.forecasts.summary import Summary
from vivavoce.consistency.forecasts.variants.effects import Effect, Word, by_cell
from vivavoce.consistency.forecasts.wording import law_name
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import name_of
from vivavoce.report.blocks import Block, Column, Figure, Fold, InFull, Paragraph, Row, Section, Table
from vivavoce.report.cells import Cell, Tone, observations, signed_cell
from vivavoce.report.parts import method_of
from vivavoce.report.wording import p_value
from vivavoce.studies.rates import points, points_interval

MOST_ROWS: Final = 200
"""Of the table of differences."""
MOST_DRAWN: Final = 60
"""Dots of the plot."""
TONES: Final[dict[Word, Tone | None]] = {"mended": "good", "harmed": "bad", "not shown": "open", "too few": "open"}


@dataclass(frozen=True, slots=True)
class Dot:
    """One way on one law, to be drawn."""

    variant: str
    mean: Estimate
    word: Word | None
    """What is said of it against the first way; None for that itself."""


@dataclass(frozen=True, slots=True)
class WaysByLaw:
    """The mean metric of each way with its interval, law by law, the first way first."""

    plot: ClassVar[str] = "vivavoce.consistency.forecasts.variants.plots:ways_by_law_drawing"
    laws: tuple[tuple[str, tuple[Dot, ...]], ...]


def differences(effects: Sequence[Effect], first: str) -> tuple[Block, ...]:
    """A row a way and law."""
    if not effects:
        return ()
    columns = (
        Column("Way to ask", short="way"),
        Column("Law", short="law"),
        Column("Mean metric", short="mean", about=f"Less that of {name_of(first)}"),
        Column("Strong, in points", short="strong", about="Difference of the shares of strong contradictions"),
        Column("p", detail=True),
        Column("p after Holm", short="after Holm"),
        Column("Effect", short="effect"),
    )
    rows = tuple(map(_row, effects[:MOST_ROWS]))
    lead = (
        f"Each way less {name_of(first)}, on the same tuples: below 0 it contradicts itself less. An effect is said to be "
        "there where the adjusted p is at most 0.05."
    )
    return (
        Section(
            "Mended and harmed",
            (
                Table(columns, rows, name="Differences from the first way, by way and law"),
                InFull((Paragraph(lead, quiet=True),)),
            ),
        ),
    )


def plotted(
    summaries: Sequence[Summary], effects: Sequence[Effect], variants: Sequence[str], laws: Sequence[str]
) -> tuple[Figure, ...]:
    """All ways by law, as far as there is room."""
    cells, by_place = by_cell(effects), {(row.forecaster, row.law): row for row in summaries}
    groups: list[tuple[str, tuple[Dot, ...]]] = []
    for law in laws:
        rows = [(variant, by_place[variant, law]) for variant in variants if (variant, law) in by_place]
        dots = tuple(Dot(name_of(variant), row.mean, _word(cells.get((variant, law)))) for variant, row in rows if row.n)
        if dots and sum(len(of) for _, of in groups) + len(dots) <= MOST_DRAWN:
            groups.append((law_name(law), dots))
    return (Figure(WaysByLaw(tuple(groups))),) if groups else ()


def method(view: View, summaries: Sequence[Summary], first: str) -> Fold:
    """How the numbers were found."""
    own = (
        f"Every way was asked the same tuples; each but {name_of(first)} is compared with that on those that both answered "
        "readably. The difference of the mean metric has an interval of Student's t that allows for shared base questions; its "
        "p-value comes from flipping the signs of differences at random, adjusted after Holm (holm1979) for all ways and laws.",
        "Asked together, the questions of a tuple stand in one conversation, in an order drawn by the seed; each has the real "
        "replies before it, and the first is put as where it stands alone.",
    )
    metrics = tuple(Row(Cell(law_name(law)), (Cell(of[0].metric),)) for law in view.laws if (of := view.of_law(law)))
    return method_of((*own, *sentences(summaries, compared=False)), Table((Column("Law"), Column("Its metric")), metrics))


def _row(effect: Effect) -> Row:
    return Row(
        Cell(name_of(effect.variant), n=observations(effect.n)),
        (
            Cell(law_name(effect.law), short=law_label(effect.law)),
            signed_cell(effect.mean),
            Cell.of(effect.strong, points, points_interval),
            Cell(p_value(effect.p), effect.p),
            Cell(p_value(effect.p_adjusted), effect.p_adjusted),
            Cell(effect.word, tone=TONES[effect.word]),
        ),
    )


def _word(effect: Effect | None) -> Word | None:
    return None if effect is None else effect.word
