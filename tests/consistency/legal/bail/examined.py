"""Judges whose contradictions are known beforehand, examined."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from tests.consistency.legal.bail.judges import burden, decisive, made_up, monotone
from vivavoce.consistency.legal.bail.config import BailConfig
from vivavoce.consistency.legal.bail.counterfactuals import Case, Counterfactual, Direction, Feature
from vivavoce.consistency.legal.bail.defendants import Record
from vivavoce.consistency.legal.bail.examine import Dataset, judge_bail
from vivavoce.consistency.legal.bail.finding import BailConsistency
from vivavoce.consistency.legal.bail.prompts import bail_prompt
from vivavoce.interview import Budget, Candidate, Interview, Prompt, Reply, Transcript
from vivavoce.interview.outcomes import AskSettings
from vivavoce.interview.posing import posed

ALL = Dataset(made_up(800), title="made up")
"""As many as in the paper."""
FEW = Dataset(made_up(60), title="made up")
HOT = 0.04
"""With what probability the noisy judge says the opposite."""


async def examined(
    candidate: Candidate[Prompt, Reply],
    dataset: Dataset = FEW,
    config: BailConfig | None = None,
    *,
    transcript: Transcript | None = None,
    budget: Budget | None = None,
    concurrency: int = 8,
) -> BailConsistency:
    interview = Interview(
        candidate,
        answers=Reply,
        transcript=transcript,
        budget=budget or Budget(),
        concurrency=concurrency,
        settings=AskSettings(attempts=1),
    )
    return await judge_bail(interview, dataset, config or BailConfig(limit=len(dataset.defendants), seed=7))


def text_of(record: Record) -> str:
    """As it is put to a judge."""
    return posed(bail_prompt(record, name="", temperature=None)).text


class Planted:
    """A monotone rule, but for records at known spots; counts what that must come to, from the list of spots alone."""

    def __init__(self, cases: Sequence[Case], *, every: int = 9) -> None:
        self.spots: dict[str, str] = {}
        self.violations: list[tuple[str, Direction, tuple[Feature, ...], bool]] = []
        texts = Counter(
            text_of(record) for case in cases for record in (case.defendant.record, *(o.record for o in case.counterfactuals))
        )
        for case in cases[::every]:
            original = monotone(text_of(case.defendant.record))
            for other in self._fit(case, texts)[:2]:
                worse = other.direction is Direction.MORE_SEVERE
                wrong = {("NO", True): ("YES", "UNDECIDED"), ("YES", False): ("NO", "UNDECIDED")}.get((original, worse))
                if wrong is not None:
                    said = wrong[len(self.spots) % 2]
                    self.spots[text_of(other.record)] = said
                    self.violations.append((case.defendant.id, other.direction, other.changed, said != "UNDECIDED"))

    @staticmethod
    def _fit(case: Case, texts: Counter[str]) -> list[Counterfactual]:
        """Records that no other defendant shares, one of each direction first."""
        fit = [other for other in case.counterfactuals if texts[text_of(other.record)] == 1]
        return fit[-2:] if burden(text_of(case.defendant.record)) > 5 else fit[:2]

    def decide(self, text: str) -> str:
        return self.spots.get(text) or monotone(text)

    def defendants(self, *, blatant: bool = False, direction: Direction | None = None) -> int:
        chosen = (v for v in self.violations if (v[3] or not blatant) and direction in (None, v[1]))
        return len({v[0] for v in chosen})

    def pairs(self, *, direction: Direction | None = None, feature: Feature | None = None) -> int:
        return sum(direction in (None, v[1]) and (feature is None or feature in v[2]) for v in self.violations)

    def compare(self, finding: BailConsistency) -> None:
        """Every count is what was planted, exactly."""
        found, worse, milder = finding.counts.defendants, Direction.MORE_SEVERE, Direction.MILDER
        assert found.any.count == self.defendants()
        assert found.worse_more_lenient.count == found.denied_then_lenient.count == self.defendants(direction=worse)
        assert found.milder_harsher.count == self.defendants(direction=milder)
        assert found.bail_won.count == self.defendants(blatant=True, direction=worse)
        assert found.bail_lost.count == self.defendants(blatant=True, direction=milder)
        every, *ways = finding.counts.pairs
        assert every.violations.count == self.pairs()
        assert every.blatant.count == sum(v[3] for v in self.violations)
        assert [way.violations.count for way in ways] == [self.pairs(direction=milder), self.pairs(direction=worse)]
        assert {row.name: row.violations.count for row in finding.counts.features} == {
            feature.value: self.pairs(feature=feature) for feature in Feature
        }
        by_defendant = {(pair.defendant.id, pair.other.direction) for pair in finding.pairs if pair.violation}
        assert by_defendant == {(v[0], v[1]) for v in self.violations}


def expected_of_noise(cases: Sequence[Case], flips: float) -> tuple[float, float, float]:
    """For a judge who follows `decisive` and errs independently: expected defendants with a violation, the standard deviation
    of their number, and the expected share of pairs. A violation is a NO that a more severe record turns to YES, or a YES
    that a milder one turns to NO.
    """
    defendants = variance = pairs = 0.0
    number = 0
    for case in cases:
        yes = grants(case.defendant.record, flips)
        worse = [grants(o.record, flips) for o in case.counterfactuals if o.direction is Direction.MORE_SEVERE]
        milder = [grants(o.record, flips) for o in case.counterfactuals if o.direction is Direction.MILDER]
        violated = (1 - yes) * (1 - math.prod(1 - p for p in worse)) + yes * (1 - math.prod(milder))
        defendants += violated
        variance += violated * (1 - violated)
        pairs += sum((1 - yes) * p for p in worse) + sum(yes * (1 - p) for p in milder)
        number += len(worse) + len(milder)
    return defendants, math.sqrt(variance), pairs / number


def grants(record: Record, flips: float) -> float:
    """With what probability a judge who follows `decisive` and errs so often grants bail."""
    return 1 - flips if decisive(text_of(record)) == "YES" else flips
