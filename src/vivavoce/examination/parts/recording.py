"""The content of a recording, as part of an examination."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vivavoce.examination.part import Claim, ExaminationConfig, ExaminationContext, ExaminationCost, ExaminationPart
from vivavoce.formats.wording import count, name_of, numbered
from vivavoce.interview.scope import Signature
from vivavoce.report.blocks import Caveats, Report
from vivavoce.report.reported import ReportedFinding
from vivavoce.version import __version__


@dataclass(frozen=True, slots=True, repr=False)
class Holdings(ReportedFinding):
    """How many answers a recording has.

    >>> Holdings("replay:a.csv#x", 12, 3, Signature("0", "recording", "", "", "", 0, {})).statement
    'replay:a.csv#x holds 12 answers, 3 of them empty.'
    """

    candidate: str
    answers: int
    empty: int
    signature: Signature

    json_keys = "answers empty"

    @property
    def statement(self) -> str:
        """The result in one sentence."""
        answers = numbered(self.answers, "answer")
        empty = "none of them empty" if not self.empty else f"{count(self.empty)} of them empty"
        return f"{name_of(self.candidate)} holds {answers}, {empty}."

    @property
    def caveats(self) -> tuple[str, ...]:
        """Limits of the result."""
        return ("Nothing was asked: a file can't show whether the candidate gave these answers, and would give them again.",)

    def report(self) -> Report:
        """All of it as blocks."""
        return self.reported(
            "",
            f"What {name_of(self.candidate)} holds",
            Caveats(self.caveats),
            headline=self.statement,
        )


class RecordingPart(ExaminationPart):
    """How many answers are there, and how many of them are empty?"""

    room = "recording"
    question = "What is in the recording?"
    section = None
    init = ""
    natures = ("recording",)

    def cost_estimate(self, examination: ExaminationConfig, candidate: object) -> ExaminationCost:
        """Nothing is asked."""
        return ExaminationCost(0, note="nothing is asked: the answers in the file are counted")

    async def run(self, table: ExaminationContext) -> list[tuple[ReportedFinding, str]]:
        """One finding."""
        from vivavoce.candidates.replay import Replay

        assert isinstance(table.candidate, Replay)
        answers = table.candidate.recorded
        name = table.candidate.name
        signature = Signature(__version__, "recording", name, name, "", 0, {})
        finding = Holdings(name, len(answers), sum(not text.strip() for text in answers.values()), signature)
        return [(finding, table.examination.command("report", table.examination.candidate, "--only", self.room))]

    def claims(self, finding: Any) -> tuple[Claim, ...]:
        """There is no verdict."""
        return (Claim("measured", finding.statement),)
