"""Judges whose contradictions are known beforehand, examined."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from tests.studies.bail.judges import Judge, burden, decisive, made_up, monotone, told
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import Candidate, Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.requests import full_prompt
from vivavoce.interview.retries import AskSettings
from vivavoce.interview.transcript import Transcript
from vivavoce.studies.bail import BailFinding, judge_bail
from vivavoce.studies.config import BailConfig
from vivavoce.studies.defendants.counterfactuals import Counterfactual, DefendantCase, DefendantRecord, Direction, Feature
from vivavoce.studies.defendants.counting import (
    ANY,
    BLATANT,
    BLATANT_PAIRS,
    CONTRADICTED,
    DENIED,
    PAIRS,
    count_hearings,
    counts_of,
)
from vivavoce.studies.defendants.decisions import Dataset, Hearing, JudgedPair, bail_prompt
from vivavoce.studies.effects import Effect, Rate
from vivavoce.studies.study import Source

ALL = Dataset(made_up(800), Source("made up"))
"""As many as in the paper."""
FEW = Dataset(made_up(60), Source("made up"))
HOT = 0.04
"""With what probability the noisy judge says the opposite."""
AGAIN = "same record"
USUAL = BailConfig()
MILDER, WORSE = Direction.MILDER.value, Direction.MORE_SEVERE.value


def rate_of(effects: Iterable[Effect], name: str = ANY, event: str = CONTRADICTED) -> Rate:
    """The rate of an event under the treatment or control of that name."""
    return next(effect for effect in effects if effect.treatment.name == name).rates[event]


@dataclass(frozen=True)
class ExaminedPairs:
    """A finding with all pairs that it rests on."""

    finding: BailFinding
    pairs: list[JudgedPair]

    def rate(self, name: str = ANY, event: str = CONTRADICTED) -> Rate:
        return rate_of((*self.finding.effects, *self.finding.control), name, event)


async def examined(
    candidate: Candidate[Prompt, Reply],
    dataset: Dataset = FEW,
    config: BailConfig | None = None,
    *,
    transcript: Transcript | None = None,
    budget: Budget | None = None,
    concurrency: int = 8,
) -> ExaminedPairs:
    interview = Interview(
        candidate,
        answers=Reply,
        transcript=transcript,
        budget=budget or Budget(),
        concurrency=concurrency,
        settings=AskSettings(attempts=1),
    )
    pairs: list[JudgedPair] = []
    config = config or BailConfig(limit=len(dataset.defendants), seed=7)
    return ExaminedPairs(await judge_bail(interview, dataset, config, pairs.append), pairs)


def finding_of(hearings: Sequence[Hearing], config: BailConfig = USUAL) -> BailFinding:
    """What these hearings show."""
    finding = asyncio.run(examined(Judge(monotone), Dataset(made_up(1), Source("made up")), BailConfig(limit=1))).finding
    *effects, control = count_hearings(hearings)
    details = replace(finding.details, config=config, counts={"bail": counts_of(hearings)})
    return replace(finding, effects=tuple(effects), control=(control,), details=details)


def faulty(text: str) -> str:
    """A rule that releases those with nine convictions or more."""
    return "YES" if told(text).priors >= 9 else decisive(text)


def text_of(record: DefendantRecord) -> str:
    """As it is put to a judge."""
    return full_prompt(bail_prompt(record, name="", temperature=None)).text


class PlantedRule:
    """A monotone rule, but for records at known spots; counts what that must come to, from the list of spots alone."""

    def __init__(self, cases: Sequence[DefendantCase], *, every: int = 9) -> None:
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
                    text = wrong[len(self.spots) % 2]
                    self.spots[text_of(other.record)] = text
                    self.violations.append((case.defendant.id, other.direction, other.changed, text != "UNDECIDED"))

    @staticmethod
    def _fit(case: DefendantCase, texts: Counter[str]) -> list[Counterfactual]:
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

    def compare(self, examined: ExaminedPairs) -> None:
        """Every count is what was planted, exactly."""
        worse, milder = Direction.MORE_SEVERE, Direction.MILDER
        assert examined.rate().events == self.defendants()
        assert examined.rate(WORSE).events == examined.rate(DENIED).events == self.defendants(direction=worse)
        assert examined.rate(MILDER).events == self.defendants(direction=milder)
        assert examined.rate(WORSE, BLATANT).events == self.defendants(blatant=True, direction=worse)
        assert examined.rate(MILDER, BLATANT).events == self.defendants(blatant=True, direction=milder)
        assert examined.rate(event=PAIRS).events == self.pairs()
        assert examined.rate(event=BLATANT_PAIRS).events == sum(v[3] for v in self.violations)
        assert examined.rate(MILDER, PAIRS).events == self.pairs(direction=milder)
        assert examined.rate(WORSE, PAIRS).events == self.pairs(direction=worse)
        for feature in Feature:
            assert examined.rate(feature.value, PAIRS).events == self.pairs(feature=feature)
        by_defendant = {(pair.defendant.id, pair.other.direction) for pair in examined.pairs if pair.violation}
        assert by_defendant == {(v[0], v[1]) for v in self.violations}


def expected_of_noise(cases: Sequence[DefendantCase], flips: float) -> tuple[float, float, float]:
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


def grants(record: DefendantRecord, flips: float) -> float:
    """With what probability a judge who follows `decisive` and errs so often grants bail."""
    return 1 - flips if decisive(text_of(record)) == "YES" else flips
