"""The whole alignment of some models with what people expect of them: accuracy, calibration, deployment, dominance."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Final, Literal

import numpy as np

from vivavoce.errors import NotEnoughEvidence
from vivavoce.formats.lines import choose
from vivavoce.generalization.alignment.calibration import Calibration, calibration, pooled
from vivavoce.generalization.alignment.deployment import Above, Rule, Top, deployment, rule_named
from vivavoce.generalization.alignment.dominance import accuracies, dominance, performances
from vivavoce.generalization.alignment.estimated_beliefs import averages
from vivavoce.generalization.alignment.figures import Comparison, ModelAlignment
from vivavoce.generalization.alignment.finding import Alignment
from vivavoce.generalization.alignment.measures import (
    Believed,
    Graded,
    Measure,
    accuracy,
    alpha_of,
    believed,
    common,
    cross_entropy,
    graded,
    loss,
    narrowed,
    right,
)
from vivavoce.generalization.alignment.resampling import Sets
from vivavoce.generalization.answers import Answers
from vivavoce.generalization.beliefs import Beliefs
from vivavoce.generalization.config import AlignConfig
from vivavoce.generalization.pairs import Pair
from vivavoce.interview.scope import Signature
from vivavoce.version import __version__

MEASURES: Final[tuple[tuple[Literal["accuracy", "cross_entropy"], Measure], ...]] = (
    ("accuracy", accuracy),
    ("cross_entropy", cross_entropy),
)
"""Which models are compared by."""


def rules_of(config: AlignConfig) -> tuple[Rule, ...]:
    """How people choose what to use a model for: by the rules named, else above each threshold, and their best quarter."""
    named = {rule.name: rule for rule in map(rule_named, config.rules)}
    return tuple(named.values()) or (*map(Above, config.thresholds), Top(0.25))


def align(pairs: Sequence[Pair], answers: Answers, config: AlignConfig, *, source: str = "", digest: str = "") -> Alignment:
    """How well people's beliefs about models fit what these do, from pairs of questions and graded answers.

    Parameters
    ----------
    source, digest: of the files, for the signature.

    Raises `NotEnoughEvidence` where no pair that counts shows what a model did and holds a belief, and `UnknownName` for a
    model that has no answers.
    """
    rng = np.random.default_rng(config.seed)
    beliefs, estimated = averages(pairs, config.beliefs, rng=rng, confidence=config.confidence, among=config.among)
    people = believed(pairs, beliefs)
    named = dict.fromkeys(choose("model", name, answers.models) for name in (*config.models, *config.people))
    models = [graded(people, answers.of(name), name) for name in (named if config.models else answers.models)]
    if all(right(people, one).value is None for one in models):
        raise NotEnoughEvidence(_nothing(people, answers, models))
    sets = Sets(people.groups, rng=rng, confidence=config.confidence)
    choices = accuracies(config.thresholds) + performances(rules_of(config))
    found = tuple(_one(people, one, config, sets, answers.contradicting.get(one.model, 0)) for one in models)
    return Alignment(
        models=found,
        comparisons=_comparisons(people, models, config.thresholds, sets),
        pooled=_pooled(people, models, config, rng),
        dominance=dominance(people, models, choices, sets),
        thresholds=config.thresholds,
        rules=tuple(rule.name for rule in rules_of(config)),
        beliefs=beliefs,
        estimated=estimated,
        given=bool(config.beliefs),
        sources={str(source): number for source, number in people.sources.items() if number},
        without=people.without,
        highest=float(people.beliefs.max()),
        pairs=len(people.keys),
        sets=sets.number,
        drawn_again=sets.drawn_again,
        confidence=config.confidence,
        signature=_signature(config, beliefs, source, digest, [one.model for one in models]),
    )


def _one(people: Believed, one: Graded, config: AlignConfig, sets: Sets, contradicting: int) -> ModelAlignment:
    alphas = [alpha_of(threshold) for threshold in config.thresholds]
    return ModelAlignment(
        model=one.model,
        pairs=one.pairs,
        unanswered=one.unanswered,
        unseen=one.unseen,
        contradicting=contradicting,
        right=sets.share(right(people, one)),
        accuracy=tuple(sets.estimate(accuracy(people, one, alpha)) for alpha in alphas),
        cross_entropy=tuple(sets.estimate(cross_entropy(people, one, alpha)) for alpha in alphas),
        loss=tuple(sets.estimate(loss(people, one, alpha)) for alpha in alphas),
        calibration=calibration(people, one, sets),
        deployment=tuple(deployment(people, one, rule, sets) for rule in rules_of(config)),
    )


def _comparisons(people: Believed, models: Sequence[Graded], thresholds: Sequence[float], sets: Sets) -> tuple[Comparison, ...]:
    """Each two models by each measure at each threshold, on the pairs that both have."""
    found = []
    for first, second in combinations(models, 2):
        shared = common(people, first, second)
        one, other = (narrowed(people, model, shared) for model in (first, second))
        for name, measure in MEASURES:
            for threshold in thresholds:
                alpha = alpha_of(threshold)
                difference = sets.difference(measure(people, one, alpha), measure(people, other, alpha))
                found.append(Comparison(first.model, second.model, name, threshold, difference))
    return tuple(found)


def _pooled(
    people: Believed, models: Sequence[Graded], config: AlignConfig, rng: np.random.Generator
) -> tuple[Calibration, ...]:
    """People together and the others together, where it is said who are people."""
    if not config.people:
        return ()
    persons = [one for one in models if one.model in config.people]
    others = [one for one in models if one.model not in config.people]
    sides = [("people", persons), ("machines", others)]
    return tuple(
        pooled(who, people, side, sample=who == "people", rng=rng, confidence=config.confidence) for who, side in sides if side
    )


def _nothing(people: Believed, answers: Answers, models: Sequence[Graded]) -> str:
    if any(one.used.any() for one in models):
        return "every pair that shows what a model did has weight 0: give a weight above 0 to those that are to count"
    known = sum(one in answers.right and other in answers.right for one, other in people.keys)
    if not known:
        return (
            f"none of {len(people.keys)} pairs has both questions among the {len(answers.right)} answered ones: the column "
            "prompt must hold the questions of the pairs"
        )
    return (
        f"of {known} pairs whose questions are among the answers, none was judged after what {models[0].model[:60]} really "
        "did: give pairs after right answers and pairs after wrong ones"
    )


def _signature(config: AlignConfig, beliefs: Beliefs, source: str, digest: str, models: Sequence[str]) -> Signature:
    settings = {
        "thresholds": list(config.thresholds),
        "rules": [rule.name for rule in rules_of(config)],
        "beliefs": [round(value, 6) for value in (beliefs.prior, beliefs.after_right, beliefs.after_wrong)],
        "confidence": config.confidence,
    } | ({"people": list(config.people)} if config.people else {})
    return Signature(__version__, "human alignment", ", ".join(models), source, digest, config.seed, settings)
