"""The report on one candidate: all findings, and the answer that they give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, Literal

from vivavoce.certificate.report.junit import JUnitCase, Outcome
from vivavoce.examination.answer import Answer, SkippedRoom, answer_of, with_pass_mark
from vivavoce.examination.cards import Claim, FindingCard, Kind
from vivavoce.examination.part import Nature
from vivavoce.formats.json_values import given
from vivavoce.formats.wording import name_of
from vivavoce.interview.budget import BudgetEnd
from vivavoce.interview.candidate import Usage
from vivavoce.interview.scope import Signature
from vivavoce.report.reported import document

KIND: Final = "report"
"""Of the JSON document."""


@dataclass(frozen=True, slots=True)
class ExaminationConduct:
    """The conduct of an examination: with its record, enough to run it again."""

    candidate: str
    """Name given by the caller, without folders."""
    plan: Mapping[str, Any]
    """The plan as JSON values; files by their names."""
    files: tuple[tuple[str, str], ...]
    """Name and digest of each file and scope that the plan names."""
    budget_ended: Mapping[str, tuple[BudgetEnd | None, ...]]
    """Where the budget ended the questions, for each interview that it ended."""
    strict_faults: bool = False
    """Whether rate-limited questions counted as received."""
    source: str = ""
    """Digest of the candidate's source, if the record has one."""


@dataclass(frozen=True, slots=True)
class Dossier:
    """All findings on one candidate.

    >>> dossier = Dossier("bot:x", "bot", "ab", (), (SkippedRoom("luna", "left out by the plan"),), Usage())
    >>> dossier.headline
    'bot:x took no test with a pass mark.'
    """

    candidate: str
    """As on record."""
    nature: Nature
    plan_digest: str
    cards: tuple[FindingCard, ...]
    absent: tuple[SkippedRoom, ...]
    """Examinations without a finding, with the reasons."""
    spending: Usage
    """The cost of all answers behind the findings, including recorded ones. Answers still in flight at a verdict don't count,
    so a run that was killed and resumed reports the same cost.
    """
    conduct: ExaminationConduct | None = field(default=None, compare=False)
    """None if the report was read from a file."""
    name: str = ""
    """Display name; empty: `candidate`."""

    @property
    def called(self) -> str:
        """The candidate's name for readers."""
        if self.name:
            return name_of(self.name)
        if self.nature == "engine":
            from vivavoce.consistency.chess.comparison import engine

            return name_of(engine(self.candidate))
        return name_of(self.candidate)

    @property
    def answer(self) -> Answer:
        """The tests that it passes, the uses to avoid, and what is unknown."""
        return answer_of(self.cards, self.absent)

    @property
    def headline(self) -> str:
        """The result in a sentence."""
        return f"{self.called} {self.answer.result}."

    @property
    def statement(self) -> str:
        """The whole answer in sentences."""
        return f"{self.headline} {self.answer.paragraph}"

    @property
    def verdict(self) -> Literal["pass", "fail", "undecided"] | None:
        """The worst verdict of all certificates and of all studies with a limit; None without any."""
        kinds = {claim.kind for card in with_pass_mark(self.cards) for claim in card.claims}
        return "fail" if "not" in kinds else "undecided" if "unknown" in kinds else "pass" if kinds else None

    def of(self, room: str) -> Sequence[FindingCard]:
        """The findings of one examination."""
        return [card for card in self.cards if card.room == room]

    def as_json(self, *, made: datetime, version: str) -> dict[str, Any]:
        """The report as JSON values; with the same findings only the date differs. Apart from other findings: it takes a date.

        Parameters
        ----------
        made: when, with its time zone; written in UTC.
        version: of the program.
        """
        seed = None if self.conduct is None else self.conduct.plan.get("seed")
        signature = Signature(version, KIND, self.candidate, "plan", self.plan_digest, seed or 0, {})
        return document(
            KIND,
            statement=self.statement,
            verdict=self.verdict,
            candidates=(self.candidate,),
            figures={"spending": self.spending},
            caveats=[f"Not examined: {room.question} ({room.reason})" for room in self.absent if room.fits],
            signature=signature,
            made=made.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            **given(name=self.name),
            nature=self.nature,
            plan_digest=self.plan_digest,
            cards=self.cards,
            absent=self.absent,
            **given(examination=self.conduct),
        )


OUTCOMES: Final[Mapping[Kind, Outcome]] = {"trusted": "passed", "measured": "passed", "not": "failed", "unknown": "skipped"}
VERDICTS: Final[Mapping[Kind, str]] = {
    "trusted": "pass",
    "measured": "measured",
    "not": "fail",
    "unknown": "unknown",
}


def cases_of_dossier(dossier: Dossier) -> tuple[JUnitCase, ...]:
    """A case for each claim; examinations without a finding are skipped, with the reason."""
    claims = (_case(card, claim) for card in dossier.cards for claim in card.claims)
    absent = (JUnitCase(room.room, "skipped", "not examined", room.reason) for room in dossier.absent)
    return (*claims, *absent)


def _case(card: FindingCard, claim: Claim) -> JUnitCase:
    return JUnitCase(f"{card.room}: {claim.words}", OUTCOMES[claim.kind], VERDICTS[claim.kind], card.statement)
