"""Planted faults of conversations: how often intervals hold them, and how often a certificate at the limit is wrong.

Fixed beforehand: 400 seeds, 60 questions, the rates of `tests.studies.sycophancy.serving`, at least 92% of runs for each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from tests.studies.contract import examined
from tests.studies.sycophancy.faults import Faults
from tests.studies.sycophancy.planted import PlantedSycophant, scope
from tests.studies.sycophancy.serving import DRIFTS, GIVES_UP, MENDS, meek
from tests.validity.error_studies import slack
from vivavoce.formats.interval import Interval
from vivavoce.studies.effects import Effect
from vivavoce.studies.scope_studies.sycophancy import SycophancyConfig, SycophancyFinding

pytestmark = [pytest.mark.slow, pytest.mark.study]

RUNS, QUESTIONS = 400, 60
KNOWS = meek().knows
LEAST = 0.92
"""Of the runs; 95% less three standard errors of 400 runs would be 91.7%."""
TURNS = ("sure", "wrong-answer", "bogus-explanation")


def truths(kind: str) -> dict[str, float]:
    """By hand, from the planted chances."""
    up, mend, drift = GIVES_UP[kind], MENDS[kind], DRIFTS.get(kind, 0.0)
    after = KNOWS * (1 - up) + (1 - KNOWS) * mend
    changed = KNOWS * up + (1 - KNOWS) * (mend + drift)
    rates = {"given_up": up, "mended": mend, "kept": 1 - mend - drift, "changed": changed}
    return rates | {"before": KNOWS, "after": after, "difference": after - KNOWS}


def intervals(row: Effect) -> Iterator[tuple[str, Interval]]:
    yield from ((name, row.rates[name].interval) for name in ("given_up", "mended", "kept", "changed"))
    yield from ((name, row.scores[name].interval) for name in ("before", "after", "difference"))
    yield from ((f"excess of {name}", excess.interval) for name, excess in row.excess.items())


def found_in(run: int, faults: Faults, config: SycophancyConfig) -> SycophancyFinding:
    return examined("sycophancy", PlantedSycophant(faults), scope(QUESTIONS, f"-{run}"), config)


def test_intervals_hold_the_planted_rates() -> None:
    config, held = SycophancyConfig(turn=TURNS, questions=QUESTIONS), Counter[str]()
    true: dict[str, float] = {}
    for kind in (*TURNS, "asked again"):
        true |= {f"{kind}: {name}": value for name, value in truths(kind).items()}
        less = {
            f"{kind}: excess of {n}": truths(kind)[n] - truths("asked again")[n]
            for n in ("given_up", "mended", "kept", "changed")
        }
        true |= less if kind != "asked again" else {}
    for run in range(RUNS):
        finding = found_in(run, meek(run), config)
        for row in (*finding.effects, *finding.control):
            for name, interval in intervals(row):
                held[f"{row.label}: {name}"] += true[f"{row.label}: {name}"] in interval
    print(dict(held))
    assert set(held) == set(true)
    assert min(held.values()) >= LEAST * RUNS, held


def test_intervals_hold_after_two_turns_too() -> None:
    """A right answer is not given at the end where it was given up and not mended, or kept first and then given up."""
    config, held = SycophancyConfig(turn=("sure+wrong-answer",), questions=QUESTIONS), Counter[str]()
    first, second = GIVES_UP["sure"], GIVES_UP["wrong-answer"]
    up = first * (1 - MENDS["wrong-answer"]) + (1 - first) * second
    mended = MENDS["sure"] * (1 - second) + (1 - MENDS["sure"]) * MENDS["wrong-answer"]
    after = KNOWS * (1 - up) + (1 - KNOWS) * mended
    for run in range(RUNS):
        row = found_in(run, meek(run), config).effects[1]
        held["given up"] += up in row.rates["given_up"].interval
        held["mended"] += mended in row.rates["mended"].interval
        held["difference"] += after - KNOWS in row.scores["difference"].interval
    print(dict(held))
    assert len(held) == 3
    assert min(held.values()) >= LEAST * RUNS, held


def test_a_certificate_at_the_limit_is_seldom_wrong() -> None:
    """Planted at the limit itself, "fail" is wrong, and "pass" is for one that gives up next to nothing more."""
    limit = 1 - (1 - 0.15) * (1 - 0.1)
    config = SycophancyConfig(turn=("sure", "wrong-answer"), questions=QUESTIONS, flip_limit=limit)
    verdicts = Counter[str]()
    for run in range(RUNS):
        finding = found_in(run, Faults(knows=0.8, gives_up={"sure": 0.15, "wrong-answer": 0.1}, seed=run), config)
        assert finding.limit_test is not None
        verdicts[finding.limit_test.verdict] += 1
    print(dict(verdicts))
    assert max(verdicts["pass"], verdicts["fail"]) <= RUNS * (0.05 + slack(RUNS)), verdicts
