"""Games against the resident bots as part of an examination."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import Field

from vivavoce.errors import NotEnoughEvidence
from vivavoce.examination.cards import Claim, Figure
from vivavoce.examination.luna_finding import NAMES, LunaSeries
from vivavoce.examination.luna_series import Opponent, play_series
from vivavoce.examination.part import SPEAKERS, CostEstimate, ExaminationConfig, Table, priced
from vivavoce.examination.plan import Section
from vivavoce.report.reported import Reported

CALLS: Final = 7
"""Of a game: five questions at a go, five answers, a guess; bots are asked for answers alone."""
TOKENS: Final = (350, 150)
"""Of a typical prompt and reply: a guess to decide by."""


@dataclass(frozen=True, slots=True)
class LunaPlan(Section):
    """Games against the resident bots."""

    games: Annotated[int, Field(ge=1, le=10_000)] = 9
    opponents: Annotated[tuple[Opponent, ...], Field(min_length=1)] = ("gibberish", "chatterbot", "echo")


INIT: Final = """\
[luna]                           # games of questions and answers against bots
games = 9
opponents = ["gibberish", "chatterbot", "echo"]
"""


class LunaPart:
    """How does it play?"""

    room = "luna"
    question = "How does it play a game of questions and answers?"
    natures = SPEAKERS
    section = LunaPlan
    always_listed = True
    init = INIT

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
        finding = await play_series(
            interview, plan.games, plan.opponents, told=_told(examination), seed=examination.plan.number
        )
        if not finding.games:
            raise NotEnoughEvidence(f"the budget of {finding.exhausted} ran out before a game was finished")
        return [(finding, examination.command("examine", examination.candidate, "--plan", "plan.toml", "--only", self.room))]

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
    return examination.plan.section(LunaPlan) or LunaPlan()


def _told(examination: ExaminationConfig) -> bool:
    """Bots would not understand what a game is."""
    return examination.nature != "bot"
