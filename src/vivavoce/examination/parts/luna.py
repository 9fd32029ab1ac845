"""Games against the resident bots as part of an examination."""

from __future__ import annotations

from typing import Any, Final

from vivavoce.errors import NotEnoughEvidence
from vivavoce.examination.cards import Claim, Figure
from vivavoce.examination.luna_finding import NAMES, LunaSeries
from vivavoce.examination.luna_series import play_series
from vivavoce.examination.part import SPEAKERS, CostEstimate, ExaminationConfig, Table, priced
from vivavoce.examination.plan import LunaPlan
from vivavoce.examination.rooms import Room
from vivavoce.report.reported import Reported

CALLS: Final = 7
"""Of a game: five questions at a go, five answers, a guess; bots are asked for answers alone."""
TOKENS: Final = (350, 150)
"""Of a typical prompt and reply: a guess to decide by."""


class LunaPart:
    """How does it play?"""

    room: Room = "luna"
    natures = SPEAKERS

    def absent(self, examination: ExaminationConfig) -> str:
        """Anything that speaks can play."""
        return ""

    def cost_estimate(self, examination: ExaminationConfig, candidate: object) -> CostEstimate:
        """Calls of all games."""
        games = _plan(examination).games
        calls = games * (CALLS if _told(examination) else CALLS - 2)
        return priced(candidate, calls, calls * TOKENS[0], calls * TOKENS[1], f"{games} games")

    async def run(self, table: Table) -> list[tuple[Reported, str]]:
        """Raises `NotEnoughEvidence` where the budget left no room for a game."""
        examination, plan = table.examination, _plan(table.examination)
        interview = table.interview(self.cost_estimate(examination, table.candidate).calls)
        finding = await play_series(interview, plan, told=_told(examination), seed=examination.plan.number)
        if not finding.games:
            raise NotEnoughEvidence(f"the budget of {finding.exhausted} ran out before a game was finished")
        return [(finding, examination.command("examine", examination.candidate, "--plan", "plan.toml", "--only", "luna"))]

    def claims(self, finding: Any) -> tuple[Claim, ...]:
        """There is no verdict."""
        return (Claim("measured", finding.headline),)

    def figures(self, finding: Any) -> tuple[Figure, ...]:
        """How smart it finds each kind of bot; nothing where it was not asked."""
        found: LunaSeries = finding
        if not found.told:
            return ()
        asked = f"luna/{'+'.join(found.opponents)}"
        return tuple(
            Figure.of(f"how smart it finds {NAMES.get(o, o)}", found.guesses(o), "points", asked) for o in found.opponents
        )


def _plan(examination: ExaminationConfig) -> LunaPlan:
    return examination.plan.luna or LunaPlan()


def _told(examination: ExaminationConfig) -> bool:
    """Bots would not understand what a game is."""
    return examination.nature != "bot"
