"""What the figures of a Luna site say on a page: tables in words, and two plots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from vivavoce.formats.wording import clipped, count, percent, percent_interval
from vivavoce.luna.stats_finding import THESIS, LunaStatistics, SpreadAt, in_words
from vivavoce.render.plots import style
from vivavoce.render.plots.drawing import Plot, drawn, figure
from vivavoce.report.wording import NBSP

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN_NAME = 200

Row = tuple[str, str, str]
"""What, here, in the thesis."""
Grid = tuple[str, tuple[str, ...], list[tuple[str, ...]]]
"""Heading, heads of the columns, lines."""


class Spread(Protocol):
    """A finding that knows how far guesses about one person lie apart."""

    @property
    def spread(self) -> tuple[SpreadAt, ...]: ...


def luna_stats_title(finding: LunaStatistics) -> str:
    """What the page is."""
    return f"Figures of {clipped(finding.site, SHOWN_NAME) or 'a Luna site'}"


def luna_stats_body(finding: LunaStatistics, name: str) -> dict[str, Any]:
    """The values of the template; `name` begins every id of this section."""
    plots = [plot for plot in (histogram(finding, f"{name}h"), spread(finding, f"{name}s")) if plot]
    return {"finding": finding, "rows": rows(finding), "tables": tables(finding), "plots": [figure(plot) for plot in plots]}


def rows(finding: LunaStatistics) -> list[Row]:
    """The figures that the thesis has too, next to its own."""
    share = finding.share_finished
    finished = "none begun" if share.value is None else f"{percent(share.value)} {percent_interval(share.interval)}"
    kinds = ", ".join(f"{count(number)} {kind}{'s' if number != 1 else ''}" for kind, number in finding.players.items())
    games = f"{count(finding.games_begun)} begun, {count(finding.games_finished)} finished: {finished}"
    lengths = (finding.length_and_guess, finding.length_and_guess_with_machines)
    people, everybody = (f"{in_words(one, 2)}, n{NBSP}={NBSP}{count(one.n)}" for one in lengths)
    return [
        ("Players", kinds or "none", THESIS["players"]),
        ("Games", games, THESIS["games"]),
        ("Finished games of a person, mean", in_words(finding.games_per_person, 2), THESIS["games a person"]),
        ("Finished games of a person, median", in_words(finding.median_games), ""),
        ("Rating of people, mean", f"{in_words(finding.rating)}, n{NBSP}={NBSP}{count(finding.rating.n)}", THESIS["rating"]),
        ("Rating of people, median", in_words(finding.median_rating), ""),
        ("Length of answers against guess, people", people, THESIS["length and guess"]),
        ("Length of answers against guess, with machines", everybody, ""),
    ]


def tables(finding: LunaStatistics) -> list[Grid]:
    """Machines, spread, and newcomers by day; without those that would be empty."""
    machines = [
        (one.player, in_words(one.rating), count(one.rating.n), f"{one.lowest:g} to {one.highest:g}")
        for one in finding.machines
    ]
    spreads = [
        (
            count(one.games),
            count(one.deviation.n),
            in_words(one.deviation),
            "–" if one.between is None else f"{one.between:.1f}",
            f"{one.error:.1f}",
        )
        for one in finding.spread
    ]
    days = [(day.isoformat(), count(number)) for day, number in finding.newcomers]
    found: list[Grid] = [
        ("Machines", ("Machine", "Rating", "Guesses of people", "From – to"), list(machines)),
        (
            "How far guesses about a person lie apart",
            ("Guesses", "People", "Standard deviation", "Between people", "Standard error"),
            list(spreads),
        ),
        ("New people by day", ("Day", "People"), list(days)),
    ]
    return [grid for grid in found if grid[2]]


def histogram(finding: LunaStatistics, name: str) -> Plot | None:
    """How many people have which rating; None where nobody has one."""
    if not any(finding.histogram):
        return None
    told = ", ".join(f"{number} from {10 * place}" for place, number in enumerate(finding.histogram) if number)
    alt = f"Ratings of people: {told}."
    return Plot(drawn(lambda made: _draw_histogram(made, finding), name, alt, height_inches=2.4), alt)


def spread(finding: Spread, name: str) -> Plot | None:
    """Standard deviation of guesses against their number; None for fewer than two numbers."""
    if len(finding.spread) < 2:
        return None
    first, last = finding.spread[0], finding.spread[-1]
    alt = (
        f"How far guesses about one person lie apart: {in_words(first.deviation)} with {first.games} guesses, "
        f"{in_words(last.deviation)} with {last.games}. Bars: 95% intervals."
    )
    return Plot(drawn(lambda made: _draw_spread(made, finding), name, alt, height_inches=2.6), alt)


def _draw_histogram(made: Figure, finding: LunaStatistics) -> None:
    from matplotlib.ticker import MaxNLocator

    axes = made.add_axes((0.1, 0.22, 0.86, 0.66))
    axes.bar([10 * place + 5 for place in range(10)], finding.histogram, width=9, color=style.BLUE)
    axes.set_xlim(0, 100)
    axes.set_xticks(range(0, 101, 10))
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("Rating")
    axes.set_title("People", loc="left", size=11)


def _draw_spread(made: Figure, finding: Spread) -> None:
    from matplotlib.ticker import MaxNLocator

    axes = made.add_axes((0.1, 0.2, 0.86, 0.69))
    for one in finding.spread:
        value, interval = one.deviation.value or 0.0, one.deviation.interval
        axes.plot([one.games], [value], "o", color=style.BLUE)
        if max(abs(interval.lower), abs(interval.upper)) < 1e6:
            axes.plot([one.games] * 2, [max(0.0, interval.lower), interval.upper], color=style.BLUE)
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("Guesses that a person received")
    axes.set_title("Standard deviation of guesses, points", loc="left", size=11)
