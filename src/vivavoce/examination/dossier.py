"""A dossier: all findings on one candidate, and what they come to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from vivavoce.certificate.naming import names_of
from vivavoce.examination.answer import Absent, Answer, answer_of
from vivavoce.examination.cards import Card
from vivavoce.examination.part import Nature
from vivavoce.formats.wording import name_of
from vivavoce.interview.budget import BudgetEnd
from vivavoce.interview.candidate import Usage

FORMAT: Final = 1
"""Of the JSON file."""


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

    >>> dossier = Dossier("bot:x", "bot", "ab", (), (Absent("luna", "left out by the plan"),), Usage())
    >>> dossier.answer.paragraph[:51]
    'May be trusted for: nothing was certified here. Not'
    """

    candidate: str
    """As on record."""
    nature: Nature
    plan_digest: str
    cards: tuple[Card, ...]
    absent: tuple[Absent, ...]
    """Rooms that found nothing, with the reasons."""
    spending: Usage
    """What all answers have cost that the findings rest on, recorded ones included; what was in flight when a verdict came is
    not in it, so that a run that was killed and resumed tells the same."""
    conduct: Conduct | None = field(default=None, compare=False)
    """None where the dossier was read from a file."""
    name: str = ""
    """What readers are told in place of `candidate`; empty: that itself."""

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
        answer = self.answer
        return {
            "dossier": FORMAT,
            "version": version,
            "made": made.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "candidate": self.candidate,
            **names_of(name=self.name),
            "nature": self.nature,
            "plan_digest": self.plan_digest,
            "answer": answer.paragraph,
            "cards": [_as_json(card) for card in self.cards],
            "absent": [asdict(one) for one in self.absent],
            "spending": asdict(self.spending),
            **({} if self.conduct is None else {"examination": self.conduct.as_json()}),
        }


def _as_json(card: Card) -> dict[str, Any]:
    plain = ("room", "statement", "command", "scope_digest", "signature")
    return {
        **{name: getattr(card, name) for name in plain},
        "claims": [asdict(claim) for claim in card.claims],
        "figures": [figure.as_json() for figure in card.figures],
        "caveats": list(card.caveats),
        "details": dict(card.details),
    }
