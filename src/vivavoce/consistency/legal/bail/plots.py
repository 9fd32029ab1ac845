"""The plots of the bail examination: from which decision to which, and how often against the order of the records."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from vivavoce.consistency.legal.bail.counterfactuals import Direction
from vivavoce.consistency.legal.bail.counts import Counts, OfPairs
from vivavoce.consistency.legal.bail.decisions import Decision
from vivavoce.consistency.legal.bail.hearing import violates
from vivavoce.consistency.legal.bail.report import ContradictionRates, DecisionTransitions
from vivavoce.formats.wording import count, percent
from vivavoce.render import canvas
from vivavoce.render.drawing import HALO, Drawing, across

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FAINTEST, STRONGEST = 0.06, 0.5
"""Opacity of a cell with nothing in it, and of one with all pairs of its row."""
LEAST_WRONG = 0.3
"""Opacity of a cell with a contradiction at least, however rare: one is one too many."""
HEAD_INCHES, CELL_INCHES = 0.72, 0.5
ROW_INCHES = 0.34


def decision_transitions_drawing(data: DecisionTransitions) -> Drawing | None:
    """From the decision on the record as it is to that on the changed one, a panel a direction; None for no pairs."""
    counts = data.counts
    if not counts.pairs[0].violations.n:
        return None
    shown = [decision for decision in Decision if decision is not Decision.UNDECIDED or counts.decisions[decision]]
    wrong = {
        way: sum(number for first, row in table.items() for second, number in row.items() if violates(way, first, second))
        for way, table in counts.transitions.items()
    }
    alt = (
        f"How many pairs went from which decision (rows) to which (columns). Contradictions: "
        f"{count(wrong[Direction.MILDER])} with a milder record, {count(wrong[Direction.MORE_SEVERE])} with a more severe one."
    )
    height = len(Direction) * (HEAD_INCHES + CELL_INCHES * len(shown))
    return Drawing(partial(_draw_transitions, counts=counts, shown=shown), alt, height)


def contradiction_rates_drawing(data: ContradictionRates) -> Drawing | None:
    """Share of pairs with a violation, by direction and by what was changed, with intervals; None where there is none."""
    counts = data.counts
    rows = [*counts.pairs, *counts.features]
    if not counts.pairs[0].violations.count:
        return None
    shares = "; ".join(f"{_label(row)} {percent(row.violations.value or 0)}" for row in rows if row.violations.n)
    chance = counts.control.by_chance
    alt = f"Share of pairs that contradict each other: {shares}." + (
        f" By chance alone: {percent(chance[0])}." if chance else ""
    )
    height = 0.85 + ROW_INCHES * len(rows)
    return Drawing(partial(_draw_rates, counts=counts, rows=rows, height=height), alt, height)


def _draw_transitions(figure: Figure, *, counts: Counts, shown: list[Decision]) -> None:
    part, words = 1 / len(Direction), [decision.value for decision in shown]
    head = HEAD_INCHES / (HEAD_INCHES + CELL_INCHES * len(shown))
    for place, way in enumerate(Direction):
        axes = figure.add_axes((0.27, 1 - part * (place + 1), 0.73, part * (1 - head)))
        axes.set_xlim(-0.5, len(shown) - 0.5)
        axes.set_ylim(len(shown) - 0.5, -0.5)
        axes.grid(visible=False)
        axes.xaxis.tick_top()
        axes.set_xticks(range(len(shown)), words)
        axes.set_yticks(range(len(shown)), words)
        axes.tick_params(length=0)
        axes.set_title(f"Decision with a {way.value} record", size=11, pad=22)
        axes.annotate("As it is", (0, 1), (-8, 7), xycoords="axes fraction", textcoords="offset points", size=11, ha="right")
        for i, first in enumerate(shown):
            row = counts.transitions[way][first]
            total = sum(row.values())
            for j, second in enumerate(shown):
                _cell(axes, (j, i), row[second], row[second] / total if total else 0.0, wrong=violates(way, first, second))


def _cell(axes: Axes, place: tuple[int, int], number: int, share: float, *, wrong: bool) -> None:
    from matplotlib.patches import Rectangle

    x, y = place
    opacity = FAINTEST + (STRONGEST - FAINTEST) * share
    if wrong and number:
        opacity = max(opacity, LEAST_WRONG)
    colour = canvas.VERMILION if wrong else canvas.BLUE
    axes.add_patch(Rectangle((x - 0.49, y - 0.47), 0.98, 0.94, facecolor=colour, alpha=opacity, linewidth=0))
    axes.text(x, y - (0.17 if wrong else 0), count(number), ha="center", va="center", size=11)
    if wrong:
        axes.text(x, y + 0.24, f"contradiction{'' if number == 1 else 's'}", ha="center", va="center", size=9.5)


def _draw_rates(figure: Figure, *, counts: Counts, rows: list[OfPairs], height: float) -> None:
    axes = figure.add_axes((0.34, 0.5 / height, 0.62, (height - 0.85) / height))
    end = max(row.violations.interval.upper for row in rows if row.violations.n > 1) * 1.05
    axes.set_xlim(0, min(1.0, end))
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")
    axes.set_yticks(range(len(rows)), [_label(row) for row in rows])
    for y, row in enumerate(rows):
        share = row.violations
        if share.value is not None:
            axes.hlines(y, share.interval.lower, share.interval.upper, color=canvas.BLUE, linewidth=3, alpha=0.4)
            axes.plot([share.value], [y], "o", color=canvas.BLUE, markersize=5)
    chance = counts.control.by_chance
    if chance is not None and chance[0] <= end:
        axes.axvspan(chance[1].lower, min(chance[1].upper, end), color=canvas.ORANGE, alpha=0.15, linewidth=0)
        axes.axvline(chance[0], color=canvas.ORANGE, linewidth=1.4, linestyle=(0, (4, 3)))
        side = "left" if across(axes, chance[0]) < 0.6 else "right"
        axes.annotate(
            "by chance alone", (chance[0], 1.0), (4 if side == "left" else -4, 5), xycoords=("data", "axes fraction"),
            textcoords="offset points", size=10, ha=side, va="bottom", bbox=HALO, annotation_clip=False,
        )  # fmt: skip
    ticks = [tick for tick in axes.get_xticks() if 0 <= tick <= end][:: 1 + (len(axes.get_xticks()) > 6)]
    axes.set_xticks(ticks, [percent(round(tick, 6)) for tick in ticks])
    axes.set_xlim(0, min(1.0, end))
    axes.set_xlabel("Pairs that contradict each other")


def _label(row: OfPairs) -> str:
    return {"all": "all pairs", "milder": "milder record", "more severe": "more severe record"}.get(row.name, row.name)
