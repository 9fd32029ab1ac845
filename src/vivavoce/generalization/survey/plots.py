"""The plots of a survey: belief changes by stage, and how beliefs and changes are spread (Figures 3 and 5 of `vafa2024`)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from vivavoce.formats.wording import percent
from vivavoce.generalization.survey.figures import Stage
from vivavoce.generalization.survey.report import BeliefsFigure, ChangesFigure, StagesFigure, share_in_words
from vivavoce.render import canvas
from vivavoce.render.drawing import Drawing

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def stages_drawing(data: StagesFigure) -> Drawing | None:
    shown = [one for one in data.stages if one.stage is not None and one.changed.value is not None]
    if len(shown) < 2:
        return None
    told = ", ".join(f"{share_in_words(one.changed)} in stage {one.stage}" for one in shown)
    alt = f"Answers that changed a belief, with 95% intervals: {told}."
    return Drawing(partial(_draw_stages, stages=shown), alt, 2.6)


def beliefs_drawing(data: BeliefsFigure) -> Drawing:
    spread = data.spread
    unsure = [sum(counts[3:7]) / spread.prior.n for counts in (spread.priors, spread.posteriors)]
    alt = f"Beliefs in percent: {percent(unsure[0])} of those before and {percent(unsure[1])} of those after are from 30 to 69."
    return Drawing(partial(_draw_beliefs, priors=spread.priors, posteriors=spread.posteriors), alt, 2.5)


def changes_drawing(data: ChangesFigure) -> Drawing:
    changes, answers = data.spread.changes, data.spread.prior.n
    stayed, rose = changes[len(changes) // 2] / answers, sum(changes[len(changes) // 2 + 1 :]) / answers
    alt = f"Changes in percent points: {percent(stayed)} of the beliefs stayed, {percent(rose)} rose, and the others fell."
    return Drawing(partial(_draw_changes, changes=changes), alt, 2.5)


def _draw_stages(figure: Figure, *, stages: Sequence[Stage]) -> None:
    axes = figure.add_axes((0.13, 0.2, 0.83, 0.76))
    places = [one.stage or 0 for one in stages]
    axes.plot(places, [100 * (one.changed.value or 0) for one in stages], "o-", color=canvas.BLUE)
    for place, one in zip(places, stages, strict=True):
        axes.plot([place] * 2, [100 * one.changed.interval.lower, 100 * one.changed.interval.upper], color=canvas.BLUE)
    axes.set_ylim(0, 100)
    axes.set_xticks(sorted(set(places)))
    axes.set_xlabel("stage")
    axes.set_ylabel("% that changed")


def _draw_beliefs(figure: Figure, *, priors: Sequence[int], posteriors: Sequence[int]) -> None:
    total = sum(priors)
    for place, (counts, words) in enumerate(((priors, "before"), (posteriors, "after"))):
        axes = figure.add_axes((0.13 + 0.44 * place, 0.22, 0.39, 0.66))
        axes.bar([10 * at + 5 for at in range(10)], [100 * one / total for one in counts], width=9, color=canvas.BLUE)
        axes.set_xlim(0, 100)
        axes.set_ylim(0, 110 * max(*priors, *posteriors) / total)
        axes.set_xticks((0, 25, 50, 75, 100))
        axes.set_title(words, fontsize=11)
        axes.set_xlabel("belief in %")
        if place:
            axes.tick_params(labelleft=False)
        else:
            axes.set_ylabel("% of answers")


def _draw_changes(figure: Figure, *, changes: Sequence[int]) -> None:
    axes = figure.add_axes((0.13, 0.22, 0.83, 0.74))
    half, total = len(changes) // 2, sum(changes)
    # a bar of its own for those that stayed: fallen ones end at 0, risen ones begin there
    for at, one in enumerate(changes):
        stayed = at == half
        centre = 0.0 if stayed else 10 * (at - half) + (5 if at < half else -5)
        axes.bar(
            centre,
            100 * one / total,
            width=3 if stayed else 9,
            color=canvas.GREY if stayed else canvas.BLUE,
            zorder=2 + stayed,
            label="no change" if stayed else None,
        )
    axes.legend(loc="upper right", frameon=False, fontsize=10)
    axes.set_xlim(-100, 100)
    axes.set_xlabel("change in percent points")
    axes.set_ylabel("% of answers")
