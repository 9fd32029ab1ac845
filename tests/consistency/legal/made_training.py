"""A classifier trained once on made cases, whose planted fact decides."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache

from tests.studies.cases.made_cases import VIOLATION, made_cases
from vivavoce.consistency.config import TrainingConfig
from vivavoce.consistency.legal.case_files import LabelledCase
from vivavoce.consistency.legal.training import Training, divided, train
from vivavoce.consistency.legal.training_finding import TrainedOnCases, finding_of


def labelled(count: int, *, seed: int = 0, prefix: str = "c") -> list[LabelledCase]:
    """Made cases with what the rule says, and the fact that decides."""
    cases, planted = made_cases(count, seed=seed, prefix=prefix)
    return [LabelledCase(case, VIOLATION in case.facts[spot], (spot,)) for case, spot in zip(cases, planted, strict=True)]


def lines(cases: Sequence[LabelledCase]) -> str:
    """The cases as a file."""
    rows = (
        {"id": case.case.id, "facts": case.case.facts, "violation": case.violation, "decisive": case.decisive} for case in cases
    )
    return "".join(json.dumps(row) + "\n" for row in rows)


@cache
def training(count: int = 120, *, seed: int = 1, turned: int = 0) -> Training:
    """What came of it; the labels of the first `turned` cases are wrong."""
    cases = labelled(count, seed=seed)
    wrong = [LabelledCase(case.case, not case.violation, case.decisive) for case in cases[:turned]]
    return train(divided([*wrong, *cases[turned:]], None, None, TrainingConfig(seed=seed)), TrainingConfig(seed=seed))


def finding(count: int = 120, *, turned: int = 0) -> TrainedOnCases:
    """The finding on it."""
    return finding_of(training(count, turned=turned), TrainingConfig(seed=1), candidate="trained:judge", source="made cases")
