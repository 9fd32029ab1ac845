"""The claims of a dossier as test cases, for JUnit XML."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from vivavoce.certificate.junit import Case, Outcome
from vivavoce.examination.cards import Card, Claim, Kind
from vivavoce.examination.dossier import Dossier

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
