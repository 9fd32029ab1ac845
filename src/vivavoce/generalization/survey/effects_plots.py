"""The plots of arms, waves and held-out yield of a survey."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import signed, signed_interval
from vivavoce.generalization.survey.conduct_report import WavesFigure
from vivavoce.generalization.survey.effects import MEASURES, ArmFigures
from vivavoce.generalization.survey.effects_report import HEADS, EffectsFigure
from vivavoce.generalization.survey.held_out import YieldByRankFigure
from vivavoce.generalization.survey.report import share_in_words
from vivavoce.render import canvas
from vivavoce.render.drawing import Drawing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROW_INCHES = 0.26


def effects_drawing(data: EffectsFigure) -> Drawing | None:
    reference, *others = data.arms
    told = "; ".join(
        f"{one.arm} {signed(found.value)} {signed_interval(found.interval)}"
        for one in others
        if (found := one.differences["after"]).value is not None
    )
    if not told:
        return None
    rows = sum(one.differences[measure].value is not None for one in others for measure in MEASURES)
    height = 0.75 + ROW_INCHES * (rows + 1.2 * len(MEASURES))
    alt = f"Differences from the arm {reference.arm} in four measures, with 95% intervals; of the belief after: {told}."
    return Drawing(partial(_draw_effects, arms=others, reference=reference.arm, height=height), alt, height)


def waves_drawing(data: WavesFigure) -> Drawing | None:
    waves = [one for one in data.waves.waves if one.changed.value is not None]
    if len(waves) < 2:
        return None
    told = ", ".join(f"{share_in_words(one.changed)} in wave {one.wave}" for one in waves)
    return Drawing(
        partial(_draw_points, places=[one.wave for one in waves], shares=[one.changed for one in waves], label="wave"),
        f"Answers that changed a belief, with 95% intervals: {told}.",
        2.6,
    )


def yield_by_rank_drawing(data: YieldByRankFigure) -> Drawing | None:
    tenths = [(place, one) for place, one in enumerate(data.tenths, 1) if one.value is not None]
    if len(tenths) < 2:
        return None
    first, last = tenths[0][1], tenths[-1][1]
    return Drawing(
        partial(
            _draw_points,
            places=[place for place, _ in tenths],
            shares=[one for _, one in tenths],
            label="tenth of the predictor's ranking, the likeliest first",
            level=data.overall.value,
        ),
        f"Answers that changed a belief among held-out pairs, by tenth of the predictor's ranking, with 95% intervals: "
        f"{share_in_words(first)} in the first tenth, {share_in_words(last)} in the last.",
        2.8,
    )


def _draw_effects(figure: Figure, *, arms: Sequence[ArmFigures], reference: str, height: float) -> None:
    axes = figure.add_axes((0.32, 0.55 / height, 0.65, (height - 0.65) / height))
    axes.axvline(0, color=canvas.INK, linewidth=1.2, linestyle=(0, (4, 3)))
    ticks, names, place = [], [], 0.0
    for measure in MEASURES:
        shown = [one for one in arms if one.differences[measure].value is not None]
        if not shown:
            continue
        axes.annotate(
            HEADS[measure], (0, place), (-8, 0), xycoords=("axes fraction", "data"), textcoords="offset points",
            ha="right", va="center", fontsize=10, fontweight="bold",
        )  # fmt: skip
        for one in shown:
            place += 1
            found = one.differences[measure]
            axes.hlines(
                place, 100 * found.interval.lower, 100 * found.interval.upper, color=canvas.BLUE, linewidth=3, alpha=0.4
            )
            axes.plot([100 * (found.value or 0.0)], [place], "o", color=canvas.BLUE, markersize=4.5)
            ticks.append(place)
            names.append(one.arm)
        place += 1.2
    axes.set_ylim(place - 0.5, -0.6)
    axes.set_yticks(ticks, names)
    axes.grid(visible=False, axis="y")
    axes.locator_params(axis="x", nbins=6)
    axes.set_xlabel(f"percent points more than in the arm {reference}")


def _draw_points(
    figure: Figure, *, places: Sequence[int], shares: Sequence[Estimate], label: str, level: float | None = None
) -> None:
    axes = figure.add_axes((0.13, 0.2, 0.83, 0.74))
    if level is not None:
        axes.axhline(100 * level, color=canvas.INK, linewidth=1.2, linestyle=(0, (4, 3)))
        axes.annotate(
            "all together", (1, 100 * level), (-2, 3), xycoords=("axes fraction", "data"), textcoords="offset points",
            ha="right", fontsize=10,
        )  # fmt: skip
    axes.plot(places, [100 * (one.value or 0) for one in shares], "o-", color=canvas.BLUE, clip_on=False)
    for place, one in zip(places, shares, strict=True):
        axes.plot([place] * 2, [100 * one.interval.lower, 100 * one.interval.upper], color=canvas.BLUE, clip_on=False)
    axes.set_ylim(0, 100)
    axes.set_xticks(list(places))
    axes.set_xlabel(label)
    axes.set_ylabel("% that changed")
