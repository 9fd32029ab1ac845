"""Which faults a report says that measurements show: the tests of all of them share one bound on the chance of a wrong one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from vivavoce.examination.part import Claim, FindingCard
from vivavoce.examination.parts.certificate import CertificatePart
from vivavoce.formats.wording import share
from vivavoce.settings import DELTA

FAULT_DELTA: Final = DELTA / 3
"""Bound on the chance that a report says any fault that is not there. The certificates of the default plan have the rest."""
FAULT_TESTS: Final = 5
"""Tests for faults in the default report. A test that ends early counts as well: otherwise its end could help the others."""


def judged_cards(cards: Sequence[FindingCard]) -> tuple[FindingCard, ...]:
    """The cards with the faults that their measurements show, the worst first.

    By Holm's rule (`holm1979`), the chance of any wrong one is at most `FAULT_DELTA`, however the tests depend on each other.
    Certificates stay first. Then come contradictions, which need no test because they can be read, and faults by p-value.
    """
    tests = sorted(claim.fault.p for card in cards for claim in card.claims if claim.fault is not None)
    number = max(FAULT_TESTS, len(tests))
    held = next((rank for rank, p in enumerate(tests) if p > FAULT_DELTA / (number - rank)), len(tests))
    largest = tests[held - 1] if held else -1.0
    judged = [replace(card, claims=tuple(_judged(claim, largest) for claim in card.claims)) for card in cards]
    return tuple(sorted(judged, key=_order))


def faults_guarantee(cards: Sequence[FindingCard]) -> str:
    """The bound on wrong faults, in a sentence; empty without a test."""
    if not any(claim.fault for card in cards for claim in card.claims):
        return ""
    return f"Measurements are tested for faults: any fault named is wrong at most {share(FAULT_DELTA)} of the time."


def _judged(claim: Claim, largest: float) -> Claim:
    if (fault := claim.fault) is None or fault.p > largest:
        return claim
    return replace(claim, kind="not", words=fault.words, subject=fault.subject)


def _order(card: FindingCard) -> tuple[int, float]:
    faults = [claim for claim in card.claims if claim.kind == "not"]
    if card.room == CertificatePart.room:
        return 0, 0.0
    return (1, min(claim.fault.p if claim.fault else -1.0 for claim in faults)) if faults else (2, 0.0)
