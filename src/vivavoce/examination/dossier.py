"""A dossier: all findings on one candidate, and what they come to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, Literal

from vivavoce.certificate.claim_results import names_of
from vivavoce.certificate.report.junit import Case, Outcome
from vivavoce.examination.answer import Answer, SkippedRoom, answer_of
from vivavoce.examination.cards import Card, Claim, Kind
from vivavoce.examination.part import Nature
from vivavoce.examination.parts.certificate import CertificatePart
from vivavoce.formats.wording import name_of
from vivavoce.interview.budget import BudgetEnd
from vivavoce.interview.candidate import Usage
from vivavoce.interview.scope import Signature
from vivavoce.report.document import document, figures_of

KIND: Final = "dossier"
"""Of the JSON document."""


@dataclass(frozen=True, slots=True)
class Conduct:
    """How an examination was held: with its record all that it takes to hold it again."""

    candidate: str
    """As named by the caller, without folders."""
    plan: Mapping[str, Any]
    """All that was to be asked, as JSON values; files by their names."""
    files: tuple[tuple[str, str], ...]
    """Name and digest of each file and scope that the plan names."""
    ended: Mapping[str, tuple[BudgetEnd | None, ...]]
    """Where the budget ended the questions, for each interview of those rooms where it did."""
    strict_faults: bool = False
    """Whether questions that were turned away counted as heard."""
    source: str = ""
    """Digest of the candidate's source, where it is on record with one."""

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        ended = {room: [None if one is None else asdict(one) for one in several] for room, several in self.ended.items()}
        return {
            "candidate": self.candidate,
            "plan": dict(self.plan),
            "files": [list(file) for file in self.files],
            **({"budget_ended": ended} if ended else {}),
            **({"strict_faults": True} if self.strict_faults else {}),
            **({"source": self.source} if self.source else {}),
        }


@dataclass(frozen=True, slots=True)
class Dossier:
    """What an examination has found.

    >>> dossier = Dossier("bot:x", "bot", "ab", (), (SkippedRoom("luna", "left out by the plan"),), Usage())
    >>> dossier.answer.paragraph[:51]
    'May be trusted for: nothing was certified here. Not'
    """

    candidate: str
    """As on record."""
    nature: Nature
    plan_digest: str
    cards: tuple[Card, ...]
    absent: tuple[SkippedRoom, ...]
    """Rooms that found nothing, with the reasons."""
    spending: Usage
    """What all answers have cost that the findings rest on, recorded ones included; what was in flight when a verdict came is
    not in it, so that a run that was killed and resumed tells the same."""
    conduct: Conduct | None = field(default=None, compare=False)
    """None where the dossier was read from a file."""
    name: str = ""
    """Display name; empty: `candidate`."""

    @property
    def called(self) -> str:
        """The candidate in a reader's words."""
        if self.name:
            return name_of(self.name)
        if self.nature == "engine":
            from vivavoce.consistency.chess.comparison import engine

            return name_of(engine(self.candidate))
        return name_of(self.candidate)

    @property
    def answer(self) -> Answer:
        """What it may be trusted for, what not, and what is not known."""
        return answer_of(self.cards, self.absent)

    @property
    def verdict(self) -> Literal["pass", "fail", "undecided"] | None:
        """The worst verdict of all certificates and of all studies with a limit; None without any."""
        tested = (*self.of(CertificatePart.room), *(card for card in self.cards if figures_of(card.details).get("limit_test")))
        kinds = {claim.kind for card in tested for claim in card.claims}
        return "fail" if "not" in kinds else "undecided" if "unknown" in kinds else "pass" if kinds else None

    def of(self, room: str) -> Sequence[Card]:
        """The findings of one room."""
        return [card for card in self.cards if card.room == room]

    def as_json(self, *, made: datetime, version: str) -> dict[str, Any]:
        """The dossier as JSON values; the same findings differ in the date alone.

        Parameters
        ----------
        made: when, with its time zone; written in UTC.
        version: of the program.
        """
        seed = None if self.conduct is None else self.conduct.plan.get("seed")
        signature = Signature(version, KIND, self.candidate, "plan", self.plan_digest, seed or 0, {})
        return document(
            KIND,
            statement=self.answer.paragraph,
            verdict=self.verdict,
            candidates=(self.candidate,),
            figures={"spending": asdict(self.spending)},
            caveats=[f"Not examined: {room.question} ({room.reason})" for room in self.absent if room.fits],
            signature=signature,
            made=made.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            **names_of(name=self.name),
            nature=self.nature,
            plan_digest=self.plan_digest,
            cards=[_as_json(card) for card in self.cards],
            absent=[asdict(room) for room in self.absent],
            **({} if self.conduct is None else {"examination": self.conduct.as_json()}),
        )


def _as_json(card: Card) -> dict[str, Any]:
    plain = ("room", "statement", "command", "scope_digest", "signature")
    return {
        **{name: getattr(card, name) for name in plain},
        "claims": [asdict(claim) for claim in card.claims],
        "figures": [figure.as_json() for figure in card.figures],
        "caveats": list(card.caveats),
        "details": dict(card.details),
    }


OUTCOMES: Final[Mapping[Kind, Outcome]] = {"trusted": "passed", "measured": "passed", "not": "failed", "unknown": "skipped"}
VERDICTS: Final[Mapping[Kind, str]] = {
    "trusted": "may be trusted",
    "measured": "measured",
    "not": "may not be trusted",
    "unknown": "unknown",
}


def cases_of_dossier(dossier: Dossier) -> tuple[Case, ...]:
    """A case for each claim; rooms that found nothing are skipped, with the reason."""
    claims = (_case(card, claim) for card in dossier.cards for claim in card.claims)
    absent = (Case(one.room, "skipped", "not examined", one.reason) for one in dossier.absent)
    return (*claims, *absent)


def _case(card: Card, claim: Claim) -> Case:
    return Case(f"{card.room}: {claim.words}", OUTCOMES[claim.kind], VERDICTS[claim.kind], card.statement)
