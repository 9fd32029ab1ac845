"""Findings on several answers to each question."""

from __future__ import annotations

import asyncio

from tests.certificate.candidates import interview
from tests.certificate.claims.unsure import of, tasks
from vivavoce.certificate.certify import Composition, certify
from vivavoce.certificate.claims.claim import Criterion
from vivavoce.certificate.claims.draws import Draws
from vivavoce.certificate.comparison.compare import compare
from vivavoce.certificate.comparison.config import ComparisonConfig, GateConfig
from vivavoce.certificate.comparison.gate import gate
from vivavoce.report.reported import Reported

SCOPE = tasks(40)
GRADE_ONLY = Criterion(0.7, None)


def certificate(draws: Draws, *p: float) -> Reported:
    asked = interview(of(SCOPE, *p), concurrency=1)
    return asyncio.run(certify(asked, SCOPE, GRADE_ONLY, Composition(draws=draws), seed=0, questions=200))


def all_right() -> Reported:
    return certificate(Draws(4, "all-right"), 1.0, 0.95)


def share() -> Reported:
    return certificate(Draws(4, "share", 0.9), 0.97, 0.9)


def compared() -> Reported:
    asked = [interview(of(SCOPE, *p, name=f"test:{name}"), concurrency=1) for name, p in (("a", (1.0,)), ("b", (0.9, 0.4)))]
    return asyncio.run(compare(asked, SCOPE, ComparisonConfig(seed=0, draws=3, draws_claim="all-right")))


def gated() -> Reported:
    asked = [interview(of(SCOPE, p, name=f"test:{name}"), concurrency=1) for name, p in (("a", 0.95), ("b", 0.9))]
    return asyncio.run(gate(asked, SCOPE, GateConfig(seed=0, draws=3, questions=60)))
