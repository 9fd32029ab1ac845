"""The plot of explain-query-test compared with a benchmark: a point a model and category, as in Figure 3a of the paper."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from vivavoce.eqt.benchmark_finding import EqtBenchmark, Pairing
from vivavoce.formats.wording import count, percent, signed, signed_interval
from vivavoce.render.pages.eqt.tables import called
from vivavoce.render.plots import style
from vivavoce.render.plots.drawing import HALO, Plot, drawn
from vivavoce.render.plots.eqt_comparison import KEY_INCHES, LINES, LONGEST_KEY, MOST_DRAWN, keys

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_POINTS: Final = 2_000
PLOT_INCHES, FOOT_INCHES = 3.6, 0.6


def scatter(beside: EqtBenchmark, models: Sequence[str], name: str) -> Plot | None:
    """Each model and category by its figure in both tests, and the models' means, numbered; None for no pair.

    Up to five models have marks of their own.

    Parameters
    ----------
    models: those to be drawn, in the order of their numbers.
    name: begins every id in the picture.
    """
    own = {model: [pairing for pairing in beside.pairings if pairing.model == model] for model in models}
    points = [pairing for of_model in own.values() for pairing in of_model][:MOST_POINTS]
    if not points:
        return None
    found = beside.overall.pearson
    how = "unknown" if found.value is None else f"{signed(found.value)} {signed_interval(found.interval)}"
    told = "; ".join(
        f"{called(model)} {percent(_mean([p.benchmark for p in of_model]))} and {percent(_mean([p.eqt for p in of_model]))}"
        for model, of_model in own.items()
    )
    alt = (
        f"{count(len(points))} pairs of model and category by their accuracy in {called(beside.benchmark)} (across) and in the "
        f"explain-query-test (upwards); correlation {how}. Means: {told}."
    )
    few = len(models) <= MOST_DRAWN
    height = PLOT_INCHES + FOOT_INCHES + (KEY_INCHES * len(models) + 0.25 if few else 0.1)
    draw = partial(_draw, own=own, few=few, height=height, other=called(beside.benchmark))
    return Plot(drawn(draw, name, alt, height_inches=height), alt)


def _draw(figure: Figure, *, own: dict[str, list[Pairing]], few: bool, height: float, other: str) -> None:
    axes = figure.add_axes((0.145, FOOT_INCHES / height, 0.82, PLOT_INCHES / height))
    for number, of_model in enumerate(own.values()):
        colour, mark, _ = LINES[number] if few else (style.BLUE, "o", "-")
        axes.plot(
            [p.benchmark for p in of_model], [p.eqt for p in of_model], mark, color=colour, alpha=0.55, markersize=5,
            markeredgewidth=0,
        )  # fmt: skip
    means = [(_mean([p.benchmark for p in of_model]), _mean([p.eqt for p in of_model])) for of_model in own.values()]
    for number, (x, y) in enumerate(means):
        colour, mark, _ = LINES[number] if few else (style.BLUE, "o", "-")
        axes.plot([x], [y], mark, color=colour, markersize=10, markeredgecolor=style.INK, markeredgewidth=1.2, zorder=4)
        crowded = any(0 <= there - x < 0.06 and abs(up - y) < 0.04 for there, up in means[:number] + means[number + 1 :])
        axes.annotate(
            str(number + 1), (x, y), (-8 if crowded else 8, 0), textcoords="offset points", size=10.5, va="center",
            ha="right" if crowded else "left", bbox=HALO, zorder=5,
        )  # fmt: skip
    every = [pairing for of_model in own.values() for pairing in of_model]
    _span(axes, [p.benchmark for p in every], [p.eqt for p in every])
    axes.tick_params(length=0)
    axes.set_xlabel(f"accuracy in {other[:LONGEST_KEY]}")
    axes.set_ylabel("accuracy in explain-query-test")
    if few:
        keys(figure, [called(model)[:LONGEST_KEY] for model in own], lines=False)


def _span(axes: Axes, across: Sequence[float], upwards: Sequence[float]) -> None:
    """Both axes over what is there, in round percents."""
    for values, limit, ticks in ((across, axes.set_xlim, axes.set_xticks), (upwards, axes.set_ylim, axes.set_yticks)):
        low, high = math.floor(min(values) * 10) / 10, math.ceil(max(values) * 10) / 10
        low, high = (low, high) if high > low else (low - 0.1, high + 0.1)
        limit(low - 0.02, high + 0.02)
        step = 0.1 if high - low < 0.65 else 0.2 if high - low < 1.3 else (high - low) / 5
        places = [low + step * place for place in range(int((high - low) / step + 1e-6) + 1)]
        ticks(places, [percent(round(place, 6)) for place in places])


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
