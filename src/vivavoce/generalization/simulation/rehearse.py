"""A rehearsal of a survey by stages on people whose generalisation is known: does the bandit find what moves them?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from vivavoce.errors import NotEnoughEvidence
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.generalization.beliefs import Floats
from vivavoce.generalization.config import RehearsalConfig
from vivavoce.generalization.evaluation.discrimination import auc
from vivavoce.generalization.pairs import Pair
from vivavoce.generalization.predictors.base import Predictor
from vivavoce.generalization.predictors.model_store import fit_predictor
from vivavoce.generalization.simulation.world import Places, SimulatedWorld, make_world
from vivavoce.generalization.survey.bandit import PairDraw, majority, sample_stage, sample_test, weighted_share
from vivavoce.statistics.clustered import share_interval

TENTHS: Final = 10
HELD_OUT: Final = 2_000
"""Pairs on which each refitted predictor is judged; nobody is asked about them in any stage."""
ANSWERS_EACH: Final = 8
"""To each pair of the test stage, as in `vafa2024`."""


@dataclass(frozen=True, slots=True)
class RehearsedStage:
    """One stage, and the predictor that was fitted after it."""

    number: int
    changed: Estimate
    """Share of its answers that are a change: the yield."""
    weighted: Estimate
    """The same with weights: an estimate of the share in the whole pool."""
    auc: float
    """On held-out pairs, of the predictor fitted to all answers so far."""
    tenths: tuple[float, ...]
    """Share of changes among held-out pairs by tenth of its ranking, the likeliest first (Figure 3, right)."""


@dataclass(frozen=True, slots=True)
class PairGroup:
    """Pairs of one sort: what is true of them, and what all stages say."""

    name: str
    truth: float
    weighted: Estimate
    unweighted: float


@dataclass(frozen=True, slots=True)
class RehearsalResult:
    """What a rehearsal yields."""

    truth: float
    """Share of the pool's pairs that change a belief, by the rule of this world."""
    stages: tuple[RehearsedStage, ...]
    cells: tuple[PairGroup, ...]
    test: Estimate
    """Share of the test pairs whose majority is a change; pairs on which people are divided are left out."""
    pairs: tuple[Pair, ...]
    """All answers, as a survey would export them."""


def rehearse(config: RehearsalConfig, *, on_stage: Callable[[RehearsedStage], None] | None = None) -> RehearsalResult:
    """Run all stages: draw, ask, refit. Raises `NotEnoughEvidence` where a stage changes nobody, or everybody."""
    rng = np.random.default_rng(config.seed)
    world = make_world(rng, questions=config.questions)
    places, held_out = world.pool(config.pool, rng), world.pool(HELD_OUT, rng)
    pool, judged = world.pairs(places), world.pairs(held_out)
    outcome = np.array([bool(said["belief_change"]) for said in world.asked(held_out, rng)])
    answers: list[Pair] = []
    drawn: list[Places] = []
    stages: list[RehearsedStage] = []
    predictor: Predictor | None = None
    for number in range(1, config.stages + 1):
        chances = None if predictor is None else predictor.predict(pool)
        draw = sample_stage(
            chances, config.answers, rng=rng, top=config.top, epsilon=config.epsilon, pool=None if predictor else config.pool
        )
        new = _asked(world, places, draw, pool, rng, stage=number, first_person=(number - 1) * config.answers)
        answers += new
        drawn.append(places[draw.indices])
        predictor = fit_predictor(config.predictor, answers, rng=rng)
        stages.append(_stage(number, new, predictor.predict(judged), outcome))
        if on_stage is not None:
            on_stage(stages[-1])
    assert predictor is not None
    test = _test(world, places, sample_test(predictor.predict(pool), config.test, rng=rng), rng)
    truth = world.true_shares(places)
    return RehearsalResult(
        float(truth.mean()), tuple(stages), _cells(world, places, drawn, answers, truth), test, tuple(answers)
    )


def _asked(
    world: SimulatedWorld,
    places: Places,
    draw: PairDraw,
    pool: Sequence[Pair],
    rng: np.random.Generator,
    *,
    stage: int,
    first_person: int,
) -> list[Pair]:
    said: list[dict[str, Any]] = world.asked(places[draw.indices], rng, first_person=first_person)
    return [
        replace(pool[index], stage=stage, weight=float(weight), **answer)
        for index, weight, answer in zip(draw.indices, draw.weights, said, strict=True)
    ]


def _stage(number: int, new: Sequence[Pair], chances: Floats, outcome: np.ndarray[Any, Any]) -> RehearsedStage:
    changed = [bool(pair.changed) for pair in new]
    order = np.argsort(-chances, kind="stable")
    return RehearsedStage(
        number=number,
        changed=Estimate(
            float(np.mean(changed)), Interval(*share_interval(changed, [(pair.person,) for pair in new])), len(changed)
        ),
        weighted=weighted_share(changed, [pair.weight for pair in new]),
        auc=auc(outcome, chances),
        tenths=tuple(float(part.mean()) for part in np.array_split(outcome[order], TENTHS)),
    )


def _test(world: SimulatedWorld, places: Places, draw: PairDraw, rng: np.random.Generator) -> Estimate:
    """Each pair is put to several people; what most of them said counts."""
    each = [world.asked(places[draw.indices], rng) for _ in range(ANSWERS_EACH)]
    votes = [majority([bool(one["belief_change"]) for one in said]) for said in zip(*each, strict=True)]
    clear = [vote for vote in votes if vote is not None]
    if len(clear) < 2:
        raise NotEnoughEvidence(f"{len(clear)} pairs of the test stage have a majority; a share needs at least 2")
    return Estimate(float(np.mean(clear)), Interval(*share_interval(clear, [()] * len(clear))), len(clear))


def _cells(
    world: SimulatedWorld, places: Places, drawn: Sequence[Places], answers: Sequence[Pair], truth: Floats
) -> tuple[PairGroup, ...]:
    """The generalisation function, by whether tasks are the same and whether the answer was right."""
    asked = np.concatenate(drawn)
    changed = np.array([bool(pair.changed) for pair in answers])
    weights = np.array([pair.weight for pair in answers])
    cells = []
    for same in (True, False):
        for right in (True, False):
            inside, mine = (
                ((world.task[first] == world.task[second]) == same) & (world.right[first] == right)
                for first, second in (places.T, asked.T)
            )
            if inside.any() and 0 < changed[mine].sum() < mine.sum():
                name = f"{'same' if same else 'other'} task, after a {'right' if right else 'wrong'} answer"
                weighted = weighted_share(changed[mine].tolist(), weights[mine])
                cells.append(PairGroup(name, float(truth[inside].mean()), weighted, float(changed[mine].mean())))
    return tuple(cells)
