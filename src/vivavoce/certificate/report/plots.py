"""The plots of a certificate: how the evidence grew, and the numbers beside what was required of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vivavoce.certificate.report.figures import EvidencePath, Intervals
from vivavoce.certificate.verdict import Evidence, Verdict
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import count, score, score_interval, share, share_interval
from vivavoce.render import canvas
from vivavoce.render.drawing import HALO, Drawing, across

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

VERDICT_COLOUR = {
    Verdict.UNDERSTANDS: canvas.GREEN,
    Verdict.DOES_NOT_UNDERSTAND: canvas.VERMILION,
    Verdict.NO_CONCLUSION: canvas.GREY,
}
VERDICT_MARKER = {Verdict.UNDERSTANDS: "o", Verdict.DOES_NOT_UNDERSTAND: "X", Verdict.NO_CONCLUSION: "D"}
_LN10 = math.log(10)


@dataclass(frozen=True, slots=True)
class _Line:
    """One course of evidence: what it is called and where it stood after each look."""

    label: str
    colour: str
    dashes: str | tuple[int, tuple[float, float]]
    heights: tuple[float, ...]
    """Decimal logarithms of e-values."""


def evidence_path_drawing(data: EvidencePath) -> Drawing | None:
    if len(data.path) < 2:
        return None
    return Drawing(lambda figure: _draw_evidence(figure, data), _evidence_in_words(data), 3.6)


def intervals_drawing(data: Intervals) -> Drawing:
    criterion = data.criterion
    mean, rate = data.score, data.ridiculous
    alt = (
        f"Two-sided intervals. {data.what or 'Score'} "
        f"{_value(mean.value, score, data.score_range)} {score_interval(mean.interval)}, "
        f"passing grade {score(criterion.passing_grade)}. "
        f"Ridiculous answers {_value(rate.value, share, data.ridiculous_range)} {share_interval(rate.interval)}, "
    ) + ("not limited." if criterion.ridiculous_limit is None else f"limit {share(criterion.ridiculous_limit)}.")
    return Drawing(lambda figure: _draw_intervals(figure, data), alt, 2.7)


def _value(value: float | None, write: Callable[[float], str], ends: Interval | None) -> str:
    most = "" if ends is None else f" to {write(ends.upper)}"
    return "unknown" if value is None else f"{write(value)}{most}"


def _evidence_in_words(data: EvidencePath) -> str:
    def crossing(course: Sequence[float | None], threshold: float) -> str:
        for evidence, height in zip(data.path, course, strict=True):
            if height is not None and height >= threshold:
                return f"was enough by question {count(evidence.questions)}"
        return "was never enough"

    path = data.path
    parts = [f"Evidence that the score is high {crossing([e.score_pass for e in path], data.pass_threshold)}"]
    if path[-1].ridiculous_pass is not None:
        rare = crossing([e.ridiculous_pass for e in path], data.pass_threshold)
        parts.append(f"evidence that ridiculous answers are rare {rare}")
    parts.append(f"evidence for a fail {crossing([e.fail for e in path], data.fail_threshold)}")
    after = f"after {count(data.questions)} questions"
    ended = f"No verdict {after}" if data.verdict is Verdict.NO_CONCLUSION else f"Verdict {after}: {data.verdict.word}"
    return f"{'; '.join(parts)}. {ended}."


def _lines(path: Sequence[Evidence]) -> list[_Line]:
    lines = [_Line("score is high enough", canvas.BLUE, "-", tuple(e.score_pass / _LN10 for e in path))]
    rare = [e.ridiculous_pass / _LN10 for e in path if e.ridiculous_pass is not None]
    if len(rare) == len(path):
        lines.append(_Line("few are ridiculous", canvas.GREEN, (0, (7, 1.5)), tuple(rare)))
    lines.append(_Line("fail", canvas.VERMILION, (0, (2.5, 1.2)), tuple(e.fail / _LN10 for e in path)))
    return lines


def _draw_evidence(figure: Figure, data: EvidencePath) -> None:
    axes = figure.add_axes((0.14, 0.15, 0.835, 0.81))
    questions = [evidence.questions for evidence in data.path]
    lines = _lines(data.path)
    enough = {round(height / _LN10, 9) for height in (data.pass_threshold, data.fail_threshold)}
    top, bottom = 1.75 * max(enough), -1.25 * max(enough)
    axes.set_xscale("log")
    axes.set_xlim(max(1, questions[0]), max(questions[-1], questions[0] + 1) * 1.04)
    axes.set_ylim(bottom, top)
    for height in sorted(enough):
        axes.axhline(height, color=canvas.INK, linewidth=1, linestyle=(0, (4, 3)))
        axes.annotate(
            f"{_power(height)}: enough for a verdict",
            (0, height), (2, 4), xycoords=("axes fraction", "data"), textcoords="offset points", size=10, bbox=HALO,
        )  # fmt: skip
    for line in lines:
        axes.plot(questions, line.heights, color=line.colour, linestyle=line.dashes)
    _label_lines(axes, questions, lines, (bottom, top))
    deciding = _deciding(lines, data.verdict)
    axes.plot(
        [questions[-1]], [min(max(deciding.heights[-1], bottom), top)],
        marker=VERDICT_MARKER[data.verdict], markersize=9, color=VERDICT_COLOUR[data.verdict],
        markeredgecolor=canvas.PAPER, clip_on=False, zorder=5,
    )  # fmt: skip
    axes.set_xlabel("Questions asked")
    axes.set_ylabel("Evidence (e-value)")
    _plain_ticks(axes, questions, (bottom, top))


def _plain_ticks(axes: Axes, questions: Sequence[int], heights: tuple[float, float]) -> None:
    from matplotlib.ticker import NullLocator

    first, last = max(1, questions[0]), questions[-1]
    ticks = [t * 10**p for p in range(8) for t in ((1, 3) if last / first < 300 else (1,)) if first <= t * 10**p <= last]
    axes.set_xticks(ticks, [count(tick) for tick in ticks])
    axes.xaxis.set_minor_locator(NullLocator())
    step = max(1, round((heights[1] - heights[0]) / 5))
    powers = range(math.ceil(heights[0]), math.floor(heights[1]) + 1, step)
    axes.set_yticks(list(powers), [_power(power) for power in powers])


def _label_lines(axes: Axes, questions: Sequence[int], lines: Sequence[_Line], heights: tuple[float, float]) -> None:
    """Each line's name where it is last seen, from the bottom up and never two at one height."""
    bottom, top = heights
    gap = (top - bottom) * 0.085
    anchors = []
    for line in lines:
        leaves = next((i for i, y in enumerate(line.heights) if not bottom + gap <= y <= top - gap), len(questions))
        last = max(0, leaves - 1)
        anchors.append((min(max(line.heights[last], bottom + gap), top - gap), questions[last], line))
    lowest = bottom
    for height, x, line in sorted(anchors, key=lambda anchor: anchor[0]):
        lowest = max(height, lowest + gap)
        left, rising = across(axes, x) > 0.5, line.heights[-1] > 0
        level = "center" if not left else "bottom" if rising else "top"
        axes.annotate(
            line.label, (x, lowest), (-9 if left else 9, 3 if rising else -3), textcoords="offset points",
            ha="right" if left else "left", va=level, size=10, bbox=HALO,
        )  # fmt: skip


def _deciding(lines: Sequence[_Line], verdict: Verdict) -> _Line:
    """The line that the verdict waited for."""
    if verdict is Verdict.DOES_NOT_UNDERSTAND:
        return lines[-1]
    return min(lines[:-1], key=lambda line: line.heights[-1])


def _power(height: float) -> str:
    """An e-value given as its decimal logarithm: plain where it is short."""
    if -2 <= height <= 4:
        return count(round(10**height)) if height >= 0 else f"{10**height:.4g}"
    return f"10{str(round(height)).translate(str.maketrans('-0123456789', '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'))}"


def _draw_intervals(figure: Figure, data: Intervals) -> None:
    criterion = data.criterion
    above, below = figure.add_axes((0.06, 0.69, 0.88, 0.12)), figure.add_axes((0.06, 0.15, 0.88, 0.12))
    above.set_xlim(0, 1)
    above.set_title(data.what or "Mean score", loc="left", size=11, pad=20)
    _bar(above, data.score, 0.0, data.score_range)
    _limit(above, criterion.passing_grade, f"passing grade {score(criterion.passing_grade)}")
    limit, upper = criterion.ridiculous_limit, data.ridiculous.interval.upper
    least = 10.0 ** math.floor(math.log10(max(min(limit or upper, upper or 1.0), 1e-7)) - 1)
    decades = [10.0**power for power in range(round(math.log10(least)), 1)]
    below.set_xscale("log")
    below.set_xlim(least, 1)
    below.set_xticks(decades, [f"{decade * 100:.10g}%" for decade in decades], minor=False)
    below.minorticks_off()
    below.set_title("Rate of ridiculous answers (logarithmic)", loc="left", size=11, pad=20)
    _bar(below, data.ridiculous, least, data.ridiculous_range)
    if limit is not None:
        _limit(below, limit, f"limit {share(limit)}")


def _bar(axes: Axes, estimate: Estimate, least: float, ends: Interval | None) -> None:
    """An estimate, or the range that it is in, and its interval; from `least` where they lie below what the axis can show."""
    lower, upper = max(estimate.interval.lower, least), max(estimate.interval.upper, least)
    axes.plot([lower, upper], [0, 0], color=canvas.BLUE, linewidth=5, alpha=0.5, marker="|", markersize=11, clip_on=False)
    if estimate.value is not None:
        values = [estimate.value] if ends is None else [ends.lower, ends.upper]
        axes.plot([max(v, least) for v in values], [0] * len(values), "o-", markersize=6, color=canvas.BLUE, clip_on=False)
    axes.set_ylim(-1, 1)
    axes.set_yticks([])


def _limit(axes: Axes, value: float, name: str) -> None:
    axes.axvline(value, color=canvas.INK, linewidth=1.2, linestyle=(0, (4, 3)))
    x = across(axes, value)
    axes.annotate(name, (value, 1), (0, 4), xycoords=("data", "axes fraction"), textcoords="offset points", size=10,
                  ha="right" if x > 0.7 else "center" if x > 0.3 else "left")  # fmt: skip
