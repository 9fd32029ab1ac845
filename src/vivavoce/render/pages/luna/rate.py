"""What a set of games says about its players on a page: ratings, ladder, whom to look at, and how far guesses lie apart."""

from __future__ import annotations

from typing import Any

from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import clipped, count, name_of
from vivavoce.luna.rate_finding import LunaRating
from vivavoce.luna.ratings import METHODS
from vivavoce.render.pages.luna.stats import spread
from vivavoce.render.plots.drawing import figure

SHOWN = 500
"""Players in a table."""


def luna_rate_title(finding: LunaRating) -> str:
    """What the page is."""
    return f"Ratings from {clipped(finding.signature.scope, 200) or 'games'}"


def luna_rate_body(finding: LunaRating, name: str) -> dict[str, Any]:
    """The values of the template; `name` begins every id of this section."""
    plot = spread(finding, f"{name}s")
    return {
        "finding": finding,
        "methods": list(METHODS.items()),
        "players": players(finding)[:SHOWN],
        "ladder": ladder(finding)[:SHOWN],
        "left": max(0, len(finding.players) - SHOWN),
        "plot": None if plot is None else figure(plot),
        "counted": f"{count(finding.games)} games; {count(finding.guesses)} guesses of people count, "
        f"{count(finding.by_machines)} of machines do not.",
    }


def players(finding: LunaRating) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """Player, number of guesses, and for each way of rating the value and its interval."""
    return [
        (shown(one.name, one.machine), count(one.ratings["mean"].n), [_cell(one.ratings[method]) for method in METHODS])
        for one in finding.players
    ]


def ladder(finding: LunaRating) -> list[tuple[str, str, str, str]]:
    """Player, standing, skill with its deviation, and matches won of all."""
    return [
        (
            shown(one.name, one.machine),
            f"{one.rung.standing:.1f}".replace("-", "−"),
            f"{one.rung.mu:.1f} ± {one.rung.sigma:.1f}",
            f"{one.rung.nearer} of {one.rung.matches}",
        )
        for one in finding.ladder or ()
    ]


def shown(name: str, machine: bool) -> str:
    """A stranger's name, and whether it is a machine's."""
    return f"{name_of(name)} (machine)" if machine else name_of(name)


def _cell(found: Estimate) -> tuple[str, str]:
    if found.value is None:
        return "–", "nobody guessed"
    if found.n < 2:
        return f"{found.value:.1f}", "one guess"
    return f"{found.value:.1f}", f"[{found.interval.lower:.1f}, {found.interval.upper:.1f}]"
