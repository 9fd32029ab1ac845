"""The section of a finding inside a dossier: its own page, one heading lower."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from markupsafe import Markup

from vivavoce.examination.holdings import Holdings
from vivavoce.examination.luna_finding import NAMES, LunaSeries
from vivavoce.formats.wording import clipped, count
from vivavoce.interview.finding import Finding
from vivavoce.render.html import report_in_html
from vivavoce.render.page import environment, section_of
from vivavoce.report.reported import Reported

SHOWN: Final = 2_000
"""Characters of what was said in a game."""
_HEADING = re.compile(r"(</?h)([1-4])(?=[ >])")


def section(finding: Finding, name: str) -> Markup:
    """What a finding puts into a dossier; `name` begins every id in it."""
    if isinstance(finding, LunaSeries):
        return lowered(_rendered("luna_series.html.j2", _of_series(finding)))
    if isinstance(finding, Holdings):
        return lowered(_rendered("holdings.html.j2", {"finding": finding}))
    if isinstance(finding, Reported):
        return report_in_html(finding.report(), name, level=3)
    return lowered(section_of(finding, name).body)


def lowered(body: Markup) -> Markup:
    """The same with every heading two steps lower, since it stands under two others; words in it are escaped already.

    >>> lowered(Markup("<h1>All</h1><p>&lt;h1></p>"))
    Markup('<h3>All</h3><p>&lt;h1></p>')
    """
    return Markup(_HEADING.sub(lambda found: f"{found[1]}{int(found[2]) + 2}", body))  # noqa: S704 - as it was


def _rendered(template: str, values: Mapping[str, object]) -> Markup:
    return Markup(environment().get_template(template).render(values))  # noqa: S704 - made by a template that escapes


def _of_series(finding: LunaSeries) -> dict[str, object]:
    guesses = [(name, finding.guesses(name)) for name in finding.opponents]
    return {
        "finding": finding,
        "headline": clipped(finding.headline, SHOWN),
        "rows": [
            (
                NAMES.get(name, name),
                count(sum(game.opponent == name for game in finding.games)),
                "not asked" if one.value is None else f"{one.value:.0f}",
                "" if one.value is None else f"[{one.interval.lower:.0f}, {one.interval.upper:.0f}]",
            )
            for name, one in guesses
        ],
        "game": _of_game(finding),
    }


def _of_game(finding: LunaSeries) -> dict[str, object]:
    """The first game in full words: what it asked and was told, what it was asked and told."""
    game = finding.games[0]
    asked = zip(game.questions, game.replies, strict=True)
    told = zip(game.asked, game.answers, strict=True)
    return {
        "opponent": NAMES.get(game.opponent, game.opponent),
        "asked": [(clipped(q, SHOWN), clipped(a, SHOWN)) for q, a in asked],
        "told": [(clipped(q, SHOWN), clipped(a, SHOWN)) for q, a in told],
        "guess": f"{game.guess:.0f}" if game.guessed else "",
    }
