"""The pictures of `statistics.md`, from the project's own code, one seeded run each.

`python docs/pictures.py` writes them to docs/pictures/ and prints what each shows: the page's alternative texts.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from math import log
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

from vivavoce.formats.interval import Interval
from vivavoce.formats.wording import count, score, score_interval, share
from vivavoce.render import canvas
from vivavoce.render.canvas import HALO, Drawing, svg
from vivavoce.render.colours import DARK, LIGHT
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.bounds import kl_lower
from vivavoce.statistics.confidence_sequences import (
    clean_answers,
    clean_answers_of_finite,
    mean_above,
    mean_bounds,
    rate_boundary,
)

FOLDER = Path(__file__).parent / "pictures"
GRADE, DELTA = 0.7, 0.05
ENOUGH = log(1 / DELTA)
LIMIT = 0.00052
DASHED = (0, (4, 3))
BOX = (0.16, 0.16, 0.78, 0.8)


def main(folder: Path = FOLDER) -> None:
    """Write all pictures into a folder, and say what they show."""
    folder.mkdir(exist_ok=True)
    for name, plot in pictures().items():
        (folder / f"{name}.svg").write_text(standing_alone(svg(plot, name)), encoding="utf-8")
        print(f"{name}: {plot.alt}")


def pictures() -> dict[str, Drawing]:
    """All pictures by the names of their files."""
    return {make.__name__: make() for make in PLOTS}


def standing_alone(svg: str) -> str:
    """An SVG that brings its colours along, light and dark, since no page does."""

    def rule(colours: dict[str, str]) -> str:
        return "svg{" + "".join(f"{variable}:{colour};" for variable, colour in colours.items()) + "}"

    light = {variable: LIGHT.variables[variable] for variable in canvas.VARIABLES.values()}
    dark = {variable: DARK.variables[variable] for variable, colour in light.items() if DARK.variables[variable] != colour}
    font = 'svg{--font:system-ui,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif}'
    head, _, body = svg.partition(">")
    return f"{head}><style>{font}{rule(light)}@media (prefers-color-scheme: dark){{{rule(dark)}}}</style>{body}\n"


def answers(candidates: int, questions: int, *, seed: int) -> Floats:
    """Right or wrong, of candidates whose true score is the grade: shape (candidates, questions)."""
    return (np.random.default_rng(seed).random((candidates, questions)) < GRADE).astype(float)


def picture(alt: str, draw: Callable[[Axes], None], *, box: tuple[float, float, float, float] = BOX) -> Drawing:
    """One pair of axes in the house's style."""

    def whole(figure: Figure) -> None:
        draw(figure.add_axes(box))

    return Drawing(whole, alt, 3.4)


def label(axes: Axes, words: str, at: tuple[float, float], colour: str = canvas.INK, **how: Any) -> None:
    """Words at a point of the data."""
    axes.annotate(words, at, **({"xytext": (4, 4), "textcoords": "offset points"} | how), color=colour, bbox=HALO)


def logarithmic(axes: Axes, ticks: Sequence[float], words: Sequence[str], which: str = "x") -> None:
    """A logarithmic axis with these ticks alone."""
    axes.set(**{f"{which}scale": "log"})
    axis = axes.xaxis if which == "x" else axes.yaxis
    axis.set_major_locator(FixedLocator(list(ticks)))
    axis.set_major_formatter(FixedFormatter(list(words)))
    axis.set_minor_locator(NullLocator())


def delta() -> Drawing:
    """Six hundred candidates at the boundary, and what became of each."""
    values = answers(600, 1_000, seed=0)
    passed = np.array([mean_above(GRADE).update(row).max() >= ENOUGH for row in values])
    wrong = int(passed.sum())
    alt = (
        f"600 dots, one a candidate whose true score just misses the passing grade. {wrong} of them, {share(wrong / 600)}, "
        f"were wrongly said to understand within 1 000 questions; delta allows 5%."
    )

    def draw(axes: Axes) -> None:
        x, y = np.divmod(np.arange(600), 20)
        axes.plot(x[~passed], y[~passed], "o", color=canvas.GREY, markersize=3, alpha=0.55)
        axes.plot(x[passed], y[passed], "X", color=canvas.VERMILION, markersize=8)
        axes.set_axis_off()
        axes.set_title(f"x  wrongly said to understand: {wrong} of 600", color=canvas.VERMILION, loc="left")

    return picture(alt, draw, box=(0.02, 0.02, 0.96, 0.86))


@cache
def needed_at(n: int) -> int:
    """The least number of right ones among n answers whose bound, good for one look, reaches the grade; n + 1: none."""
    least = needed_at(n - 1) if n > 1 else 1
    while least <= n and kl_lower(least / n, n, DELTA) < GRADE:
        least += 1
    return least


def looking() -> Drawing:
    """How often a candidate that just fails is let pass, by how often one looks."""
    questions = 2_000
    values = answers(1_000, questions, seed=2)
    for n in range(1, questions):
        needed_at(n)  # each is found from the one before, so from the first on
    bound = np.array([needed_at(n) for n in range(1, questions + 1)])
    ways = {
        "a one-look bound after every answer": (np.cumsum(values, axis=1) >= bound, canvas.VERMILION, "-"),
        "e-process": (np.array([mean_above(GRADE).update(row) for row in values]) >= ENOUGH, canvas.BLUE, (0, (7, 1.5))),
    }
    ever = {name: np.maximum.accumulate(found, axis=1).mean(axis=0) for name, (found, _, _) in ways.items()}
    ends = [share(float(course[-1])) for course in ever.values()]
    alt = (
        f"Of 1 000 candidates that just fail, {ends[0]} were wrongly passed within 2 000 questions where a bound made for one "
        f"look was looked at after every answer, and {ends[1]} by the e-process; both promise 5%."
    )

    def draw(axes: Axes) -> None:
        for name, course in ever.items():
            axes.plot(np.arange(1, questions + 1), course, color=ways[name][1], linestyle=ways[name][2])
            label(axes, name, (questions, float(course[-1])), ways[name][1], ha="right", xytext=(0, 7))
        axes.axhline(DELTA, color=canvas.INK, linewidth=1, linestyle=DASHED)
        label(axes, "promised: 5%", (10, DELTA))
        logarithmic(axes, (10, 100, 1_000), ("10", "100", count(1_000)))
        axes.set_yticks([0, 0.05, 0.1, 0.15], ["0", "5%", "10%", "15%"])
        axes.set(xlim=(10, questions), ylim=(0, 0.16), xlabel="Questions asked so far", ylabel="Wrongly passed, share")

    return picture(alt, draw)


def sequence() -> Drawing:
    """An interval that holds at every moment."""
    truth = 0.84
    values = (np.random.default_rng(8).random(1_000) < truth).astype(float)
    moments = np.unique(np.geomspace(5, 1_000, 60).astype(int))
    bounds = np.array([mean_bounds(values[:n], DELTA) for n in moments])
    first = int(moments[np.argmax(bounds[:, 0] > GRADE)])
    last = Interval(*map(float, bounds[-1]))
    alt = (
        f"The interval for a score narrows with the questions, to {score_interval(last)} after 1 000, and holds the true score "
        f"{score(truth)} all the way. By question {first} it lies above the passing grade."
    )

    def draw(axes: Axes) -> None:
        axes.fill_between(moments, bounds[:, 0], bounds[:, 1], color=canvas.BLUE, alpha=0.25, linewidth=0)
        axes.plot(moments, np.cumsum(values)[moments - 1] / moments, color=canvas.BLUE)
        axes.axhline(GRADE, color=canvas.INK, linewidth=1, linestyle=DASHED)
        axes.axhline(truth, color=canvas.GREEN, linewidth=1.2, linestyle=(0, (1, 1.5)))
        label(axes, "passing grade", (6, GRADE), xytext=(0, -13))
        label(axes, "true score", (1_000, truth), canvas.GREEN, ha="right", xytext=(0, -14))
        logarithmic(axes, (10, 100, 1_000), ("10", "100", count(1_000)))
        axes.set(xlim=(5, 1_000), ylim=(0, 1.02), xlabel="Questions asked so far", ylabel="Score and its interval")

    return picture(alt, draw)


def completed(right: Floats, concurrency: int) -> Iterator[float]:
    """Answers as they arrive: so many in flight, a wrong one takes three times as long."""
    queue = [(3.0 - 2.0 * value, place) for place, value in enumerate(right[:concurrency])]
    heapq.heapify(queue)
    for following in range(concurrency, right.size + concurrency):
        clock, place = heapq.heappop(queue)
        yield float(right[place])
        if following < right.size:
            heapq.heappush(queue, (clock + 3.0 - 2.0 * float(right[following]), following))


def order() -> Drawing:
    """The same candidate, the same test, two orders of answers."""
    runs = answers(200, 400, seed=4)
    orders = {"as they arrive": [np.array(list(completed(run, 100))) for run in runs], "in the order of the draw": list(runs)}
    paths = {name: np.array([mean_above(GRADE).update(run) for run in values]) for name, values in orders.items()}
    shares = [share(float((path.max(axis=1) >= ENOUGH).mean())) for path in paths.values()]
    crossing = int(np.argmax(paths["as they arrive"][0] >= ENOUGH)) + 1
    alt = (
        f"Evidence for a candidate that just fails and is three times slower when it is wrong, 100 questions in flight. Taken "
        f"as they arrive, its answers are enough to pass after {crossing}; in the order of the draw they never are. Of 200 "
        f"such candidates {shares[0]} pass the one way and {shares[1]} the other."
    )

    def draw(axes: Axes) -> None:
        for (name, path), colour, dashes in zip(
            paths.items(), (canvas.VERMILION, canvas.BLUE), ("-", (0, (7, 1.5))), strict=True
        ):
            axes.plot(np.arange(1, 401), path[0] / log(10), color=colour, linestyle=dashes)
            label(axes, name, (8, 3.4) if colour == canvas.VERMILION else (8, -1.6), colour, xytext=(0, 0))
        axes.axhline(ENOUGH / log(10), color=canvas.INK, linewidth=1, linestyle=DASHED)
        label(axes, "20: enough for a verdict", (200, ENOUGH / log(10)), ha="right", xytext=(0, 4))
        axes.set_yticks([-2, 0, 2, 4], ["1/100", "1", "100", count(10**4)])
        axes.set(xlim=(0, 200), ylim=(-2.5, 4.2), xlabel="Answers taken", ylabel="Evidence (e-value)")

    return picture(alt, draw, box=(0.17, 0.16, 0.8, 0.8))


def rare() -> Drawing:
    """What it costs to show that something is rare."""

    def needed(limit: float) -> str:
        return count(clean_answers(limit, DELTA))

    limits = np.geomspace(0.0001, 0.1, 40)
    clean, first = [clean_answers(limit, DELTA) for limit in limits], next(rate_boundary(LIMIT, DELTA))
    alt = (
        f"Questions without a single failure that show failures to be rarer than a limit: {needed(0.1)} for one in 10, "
        f"{needed(0.01)} for one in 100, {needed(0.001)} for one in 1 000. At {share(LIMIT)} it is {needed(LIMIT)} for one "
        f"look and {count(first)} for a look after every answer."
    )

    def draw(axes: Axes) -> None:
        axes.plot(limits, clean, color=canvas.BLUE)
        label(axes, "one look, no failure", (0.01, clean_answers(0.01, DELTA)), canvas.BLUE, xytext=(8, 6))
        axes.plot([LIMIT], [first], "D", color=canvas.ORANGE, markersize=7)
        label(axes, f"a look after every answer: {count(first)}", (LIMIT, first), xytext=(-10, 0), ha="right")
        logarithmic(axes, (0.1, 0.01, 0.001, 0.0001), ("1 in 10", "1 in 100", f"1 in {count(1_000)}", f"1 in {count(10_000)}"))
        logarithmic(axes, (10, 100, 1_000, 10_000), ("10", "100", count(1_000), count(10_000)), "y")
        axes.set(xlim=(0.1, 0.0001), xlabel="Failures allowed", ylabel="Questions needed")

    return picture(alt, draw, box=(0.21, 0.16, 0.69, 0.8))


def finite() -> Drawing:
    """What it saves that a scope has an end."""
    sizes = np.unique(np.geomspace(300, 100_000, 60).astype(int))
    needed = [clean_answers_of_finite(LIMIT, DELTA, int(size)) for size in sizes]
    endless = clean_answers(LIMIT, DELTA)
    small, large = (count(clean_answers_of_finite(LIMIT, DELTA, size)) for size in (1_000, 10_000))
    alt = (
        f"Of a scope of 1 000 questions {small} have to be asked, of 10 000 {large}, of one without an end {count(endless)}, "
        f"to show that failures are rarer than {share(LIMIT)}, none being seen."
    )

    def draw(axes: Axes) -> None:
        axes.plot(sizes, needed, color=canvas.BLUE)
        axes.axhline(endless, color=canvas.INK, linewidth=1, linestyle=DASHED)
        label(axes, f"a scope without an end: {count(endless)}", (320, endless), xytext=(0, -14))
        logarithmic(axes, (1_000, 10_000, 100_000), (count(1_000), count(10_000), count(100_000)))
        axes.set(xlim=(300, 100_000), ylim=(0, 6_200), xlabel="Questions in the scope", ylabel="To be asked")
        axes.set_yticks([0, 2_000, 4_000, 6_000], ["0", count(2_000), count(4_000), count(6_000)])

    return picture(alt, draw, box=(0.17, 0.16, 0.74, 0.8))


PLOTS = (delta, looking, sequence, order, rare, finite)
"""Functions that make a picture, by whose names the files are called."""


if __name__ == "__main__":
    main()
