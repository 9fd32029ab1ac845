"""Flip rates of planted candidates: how often intervals hold them, and how often a certificate at the limit is wrong."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

import pytest

from tests.serving import ChatServer
from tests.studies.vary.favourites import GERMAN_FLIPS as GERMAN
from tests.studies.vary.favourites import NOISE, PREFERS_A
from tests.studies.vary.planted import PlantedVariations, examined, scope, translated
from tests.studies.vary.serving import serving
from tests.validity.error_studies import slack
from vivavoce.candidates import close_candidate, open_candidate
from vivavoce.examination.parts.studies import drawn
from vivavoce.interview.candidate import Reply
from vivavoce.interview.interview import Interview
from vivavoce.studies.config import VaryConfig
from vivavoce.studies.vary import VaryFinding, ask

pytestmark = [pytest.mark.slow, pytest.mark.study]

RUNS, QUESTIONS = 400, 80
OF_SERVER = 40
"""Questions of a run that asks a server: 64,000 requests in all."""
LEAST = 0.92
"""Of the runs; 95% less three standard errors of 400 runs would be 91.7%."""
BOTH = VaryConfig(vary=("order", "translate:de"), questions=QUESTIONS)


def truths() -> dict[str, float]:
    """By hand: each ask says its favourite with probability a, and each of the three others with probability b."""
    a, b = 1 - NOISE + NOISE / 4, NOISE / 4
    same, other = 1 - (a * a + 3 * b * b), 1 - (2 * a * b + 2 * b * b)
    rates = {"order": PREFERS_A * other + (1 - PREFERS_A) * same, "control": same}
    # who prefers A holds to what A is in the original when it is asked in German, unless it is another one there
    rates["translate:de"] = GERMAN * other + (1 - GERMAN) * same
    return rates | {f"excess of {name}": rates[name] - same for name in ("order", "translate:de")}


def test_intervals_hold_the_planted_rates() -> None:
    planted = (PlantedVariations(PREFERS_A, GERMAN, NOISE, seed=run) for run in range(RUNS))
    check(examined(who, scope(QUESTIONS, f"-{run}"), BOTH, in_german=True) for run, who in enumerate(planted))


def check(findings: Iterable[VaryFinding]) -> None:
    """That the intervals of enough findings hold the truth."""
    true, held = truths(), Counter[str]()
    for finding in findings:
        held["control"] += true["control"] in finding.control[0].rates["flipped"].interval
        for row in finding.effects:
            held[row.label] += true[row.label] in row.rates["flipped"].interval
            held[f"excess of {row.label}"] += true[f"excess of {row.label}"] in row.excess["flipped"].interval
    print(dict(held))
    assert set(held) == set(true)
    assert min(held.values()) >= LEAST * RUNS, held


def test_intervals_hold_the_planted_rates_of_a_server() -> None:
    """The same faults, played behind HTTP: prefers option A, and flips in German."""
    with serving() as server:
        check(asyncio.run(asked(server, run)) for run in range(RUNS))


async def asked(server: ChatServer, run: int) -> VaryFinding:
    config = replace(BOTH, questions=OF_SERVER)
    candidate = open_candidate(server.candidate(f"planted-{run}"))
    try:
        clusters, origin = drawn(scope(OF_SERVER, f"-{run}"), replace(config, vary=("order",)))
        interview = Interview(candidate, answers=Reply, concurrency=8)
        return await ask(interview, translated(clusters), config, origin)
    finally:
        await close_candidate(candidate)


def test_a_certificate_at_the_limit_is_seldom_wrong() -> None:
    """Planted at the limit itself, "fail" is wrong, and "pass" is for one that flips by next to nothing more."""
    config = VaryConfig(vary=("order", "translate:de"), questions=QUESTIONS, flip_limit=1 - (1 - PREFERS_A) * (1 - GERMAN))
    verdicts = Counter[str]()
    for run in range(RUNS):
        finding = examined(PlantedVariations(PREFERS_A, GERMAN), scope(QUESTIONS, f"-limit-{run}"), config, in_german=True)
        assert finding.limit_test is not None
        verdicts[finding.limit_test.verdict] += 1
    print(dict(verdicts))
    assert max(verdicts["pass"], verdicts["fail"]) <= RUNS * (0.05 + slack(RUNS)), verdicts
