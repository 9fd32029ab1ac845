"""What a recording holds, as part of an examination."""

from __future__ import annotations

from typing import Any

from vivavoce.examination.cards import Claim, Figure
from vivavoce.examination.holdings import Holdings
from vivavoce.examination.part import CostEstimate, ExaminationConfig, Nature, Table
from vivavoce.interview.finding import Signature
from vivavoce.report.reported import Reported
from vivavoce.version import __version__


class RecordingPart:
    """How many answers are there, and how many of them are empty?"""

    room = "recording"
    question = "What does the recording hold?"
    natures: tuple[Nature, ...] = ("recording",)
    section = None
    init = ""

    def absent(self, examination: ExaminationConfig) -> str:
        """What is there can be counted."""
        return ""

    def cost_estimate(self, examination: ExaminationConfig, candidate: object) -> CostEstimate:
        """Nothing is asked."""
        return CostEstimate(0, note="nothing is asked: the file is counted")

    async def run(self, table: Table) -> list[tuple[Reported, str]]:
        """One finding."""
        from vivavoce.candidates.replay import Replay

        assert isinstance(table.candidate, Replay)
        answers = table.candidate.recorded
        name = table.candidate.name
        signature = Signature(__version__, "recording", name, name, "", 0, {})
        finding = Holdings(name, len(answers), sum(not text.strip() for text in answers.values()), signature)
        return [(finding, table.examination.command("examine", table.examination.candidate, "--only", self.room))]

    def claims(self, finding: Any) -> tuple[Claim, ...]:
        """There is no verdict."""
        return (Claim("measured", finding.statement),)

    def figures(self, finding: Any) -> tuple[Figure, ...]:
        """A count has no interval."""
        return ()
