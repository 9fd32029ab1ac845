"""What simulated games say on a page: figures in both readings, tables of where they end, and the table of attacks."""

from __future__ import annotations

from typing import Any

from vivavoce.formats.interval import Estimate
from vivavoce.luna.chapter3 import Curve
from vivavoce.luna.ratings import METHODS
from vivavoce.luna.simulation_finding import SLIPS, LunaSimulation
from vivavoce.render.plots.drawing import figure
from vivavoce.render.plots.luna.simulate import curves

PRINTED = {
    "3.2": "ratings quickly come to intelligence",
    "3.3": "from 0 to half of the range",
    "3.5": "a collapse",
    "3.7": "better after a delay, yet far off",
    "3.8": "3.5 more for each tenth",
}
"""What the thesis' text says about its figures."""


def luna_simulate_title(finding: LunaSimulation) -> str:
    """What the page is."""
    return "Luna's rating in simulated games"


def luna_simulate_body(finding: LunaSimulation, name: str) -> dict[str, Any]:
    """The values of the template; `name` begins every id of this section."""
    return {
        "finding": finding,
        "ends": ends(finding),
        "figures": [
            {"heading": f"Figure {one.figure.number}. {one.figure.title}"} | figure(curves(one, f"{name}f{place}"))
            for place, one in enumerate(finding.figures)
        ],
        "methods": list(METHODS),
        "attacks": attacks(finding),
        "slips": SLIPS,
    }


def ends(finding: LunaSimulation) -> list[tuple[str, str, str, str, str]]:
    """Figure, title, where it ends as the text reads, as published, and what the thesis says."""
    return [
        (
            drawn.figure.number,
            drawn.figure.title,
            end_of(drawn.corrected),
            end_of(drawn.as_published),
            PRINTED.get(drawn.figure.number, ""),
        )
        for drawn in finding.figures
    ]


def end_of(curve: Curve) -> str:
    """Mean and largest distance at the end, and the slope."""
    slope = "" if curve.slope is None else f"; {curve.slope:.2f} a tenth"
    return f"{_number(curve.last.mean)} / {_number(curve.last.largest, 1)}{slope}"


def attacks(finding: LunaSimulation) -> list[tuple[str, list[tuple[str, str]], bool]]:
    """What goes wrong; for each rating the mean distance and its interval; whether it is about one player."""
    return [
        (row.attack.words, [(_number(found), _ends(found)) for found in row.mean.values()], row.attack.about_one)
        for row in finding.attacks
    ]


def _number(found: Estimate, decimals: int = 2) -> str:
    if found.value is None:
        return "–"
    return f"{found.value:.{decimals if abs(found.value) < 10 else 1}f}".replace("-", "−")


def _ends(found: Estimate) -> str:
    return f"[{found.interval.lower:.2f}, {found.interval.upper:.2f}]".replace("-", "−")
