"""Human alignment: how well people's beliefs about models fit their answers (`align`), and the finding.

It does not use `studies.study`, which counts events under treatments and a control on the same questions: here ratios of
beliefs and answers are compared across models and thresholds, and no treatment is applied.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final, Literal

import numpy as np

from vivavoce.errors import NotEnoughEvidence
from vivavoce.formats.json_values import given
from vivavoce.formats.lines import choose
from vivavoce.formats.wording import count, name_of, percent, percent_interval
from vivavoce.generalization.alignment import alignment_report, measures
from vivavoce.generalization.alignment.deployment import AboveThreshold, TopShare, UseRule, model_use, rule_named
from vivavoce.generalization.alignment.model_alignment import (
    Calibration,
    Dominance,
    ModelAlignment,
    ModelDifference,
    TaskTrust,
    accuracies,
    calibration,
    dominance,
    performances,
    pooled,
    trust_by_task,
)
from vivavoce.generalization.alignment.resampling import IndependentSets
from vivavoce.generalization.config import AlignConfig
from vivavoce.generalization.pairs import BeliefPair, Beliefs, Floats, GradedAnswers
from vivavoce.interview.scope import Signature
from vivavoce.report.blocks import Caveats, Fold, InFull, Report, ReportFigure, ReportSection, paragraphs
from vivavoce.report.reported import ReportedFinding
from vivavoce.version import __version__


@dataclass(frozen=True, slots=True, repr=False)
class HumanAlignment(ReportedFinding):
    """The finding: some models compared with people's beliefs about them."""

    models: tuple[ModelAlignment, ...]
    comparisons: tuple[ModelDifference, ...]
    pooled: tuple[Calibration, ...]
    """Calibration of people together and of machines together; empty unless people are named."""
    dominance: Dominance
    thresholds: tuple[float, ...]
    rules: tuple[str, ...]
    beliefs: Beliefs
    """The averages behind beliefs that were not measured."""
    estimated: measures.EstimatedBeliefs | None
    """The averages of raw beliefs among the pairs; None without any."""
    given: bool
    """Whether the caller gave `beliefs`."""
    sources: Mapping[str, int]
    """Number of rows by the origin of their belief."""
    without: int
    """Rows without a belief."""
    highest: float
    """The highest belief."""
    pairs: int
    sets: int
    """Sets of pairs with nothing in common."""
    drawn_again: bool
    """Whether intervals come from resampling sets."""
    with_prediction_error: bool
    """Whether the intervals of accuracy, cross-entropy and cost include the error of predicted beliefs."""
    confidence: float
    signature: Signature
    tasks: tuple[TaskTrust, ...] = ()
    """Beliefs and answers by task, for one model; empty for several."""

    @property
    def best(self) -> ModelAlignment:
        """The model with most right answers. Raises `ValueError` without any model."""
        return max(
            (model for model in self.models if model.right.value is not None),
            key=lambda alignment: alignment.right.value or 0.0,
        )

    @property
    def headline(self) -> str:
        """The verdict in one sentence: is the best model also the best on the questions that people choose?"""
        known = [model for model in self.models if model.right.value is not None]
        best, strictest = self.best, max(self.thresholds)
        name = name_of(best.model)
        if len(known) == 1:
            return f"People's beliefs fit {name} with a weighted accuracy of {_fits(self)}."
        behind = _behind(self, best.model, strictest)
        others = f"{count(behind)} of {count(len(known) - 1)} other models" if len(known) > 2 else "the other model"
        if not _most_right(best, known):
            which = f"{name} is not shown to answer more right than {'all others' if len(known) > 2 else 'the other model'}"
            if behind:
                return f"{which}, and at a threshold of {percent(strictest)} people's beliefs fit {others} better."
            return f"{which}; beliefs fit no other model significantly better at any threshold."
        if behind:
            return (
                f"{name} answers most right, but at a threshold of {percent(strictest)} people's beliefs fit {others} better."
            )
        return f"{name} answers most right, and beliefs fit no other model significantly better at any threshold."

    @property
    def statement(self) -> str:
        """The result in plain words, the verdict first."""
        return f"{self.headline} {self.rest}".strip()

    @property
    def rest(self) -> str:
        """The numbers behind the verdict."""
        known, best = [model for model in self.models if model.right.value is not None], self.best
        right = f"{percent(best.right.value or 0.0)} {percent_interval(best.right.interval)} right"
        if len(known) == 1:
            return f"It answers {right}."
        return f"It answers {right}. Weighted accuracy is {_fits(self)}.{_cost(self, best, known)}"

    @property
    def caveats(self) -> tuple[str, ...]:
        """Limits of the finding."""
        sentences = (
            _of_levels(self),
            "Weighted accuracy is normalised by the model's own answers. At a high threshold it says how beliefs fit a model's "
            "mistakes, not how many there are; the cost per question counts them.",
            "How beliefs lead to use is an assumption: people may use a model above a threshold, for the questions they trust "
            "most, or in proportion. Each rule has its own row.",
            _of_intervals(self),
            *_of_gaps(self),
            _of_many(self),
            "People saw one answer to one question. Their behaviour after a week with a model was not studied, and they may "
            "not act on their beliefs.",
        )
        return tuple(filter(None, sentences))

    def report(self) -> Report:
        """The whole finding as blocks."""
        whom = f"{count(len(self.models))} models" if len(self.models) > 1 else name_of(self.models[0].model)
        return self.reported(
            "Human generalization: alignment",
            f"People's expectations of {whom}, and the results",
            InFull(paragraphs(self.rest, LEAD)),
            *self.first_figure(),
            Caveats(self.caveats),
            *self.sections(),
            self.method,
        )

    def first_figure(self) -> tuple[ReportFigure, ...]:
        """How well beliefs fit each model, drawn."""
        return (ReportFigure(alignment_report.fit_rows(alignment_report.ranked_models(self.models), self.thresholds)),)

    def sections(self) -> tuple[ReportSection, ...]:
        """Tables and figures by section."""
        models = alignment_report.ranked_models(self.models)
        return (
            alignment_report.fit_section(models, self.thresholds, self.best.model, self.comparisons),
            alignment_report.cost_section(models, self.thresholds),
            alignment_report.use_section(models, self.rules),
            alignment_report.reversals_section(self.dominance),
            alignment_report.trust_section(models, self.pooled),
            alignment_report.cross_entropy_section(models, self.thresholds),
        )

    @property
    def method(self) -> Fold:
        """How the numbers were computed."""
        return alignment_report.alignment_method(self.pairs, self.sources)

    @property
    def examined(self) -> tuple[str, ...]:
        """The names of the candidates."""
        return tuple(model.model for model in self.models)

    def figures(self) -> dict[str, Any]:
        """The numbers as JSON values; unknown ones are null."""
        beliefs = {name: getattr(self.beliefs, name) for name in ("prior", "after_right", "after_wrong")}
        return {
            "models": {model.model: model for model in self.models},
            "thresholds": [{"threshold": t, "alpha": measures.alpha_of(t)} for t in self.thresholds],
            "differences": self.comparisons,
            "pooled": {calibrated.who: calibrated for calibrated in self.pooled},
            "dominance": self.dominance,
            "beliefs": beliefs | {"estimated": self.estimated},
            "sources": self.sources,
            "without_belief": self.without,
            "pairs": self.pairs,
            "sets": self.sets,
            "confidence": self.confidence,
        }


SHOWN_NAMES = 4


def _most_right(best: ModelAlignment, known: Sequence[ModelAlignment]) -> bool:
    return best.right.is_largest(model.right for model in known if model is not best)


def _fits(finding: HumanAlignment) -> str:
    """The best model's weighted accuracy at the lowest and at the highest threshold."""
    ends = dict.fromkeys((min(finding.thresholds), max(finding.thresholds)))
    return " and ".join(f"{alignment_report.fit_cell(finding.best.accuracy[t]).words} at threshold {percent(t)}" for t in ends)


def _cost(finding: HumanAlignment, best: ModelAlignment, known: Sequence[ModelAlignment]) -> str:
    """A sentence if wrong beliefs about the best model cost least per question."""
    strictest = max(finding.thresholds)
    others = [model.loss[strictest] for model in known if model is not best]
    if not _most_right(best, known) or not best.loss[strictest].is_smallest(others):
        return ""
    return " Per question, wrong beliefs about it still cost least, because it makes the fewest mistakes."


def _behind(finding: HumanAlignment, best: str, threshold: float) -> int:
    """How many models people's beliefs fit significantly better than the best one at a threshold."""
    compared = [pair for pair in finding.comparisons if pair.measure == "accuracy" and pair.threshold == threshold]
    return sum(
        pair.difference.interval.upper < 0 if pair.first == best else pair.difference.interval.lower > 0
        for pair in compared
        if best in (pair.first, pair.second)
    )


def _of_levels(finding: HumanAlignment) -> str:
    if set(finding.sources) == {str(measures.BeliefSource.RAW)}:
        return "Beliefs are from the people who were asked, about the questions that they saw."
    origin = "as given" if finding.given else "from the raw beliefs" if finding.estimated else "from the published study"
    sentence = (
        f"Levels of belief were not measured. They are derived from chances of a change and three averages, {origin}. The "
        f"averages are {finding.beliefs.prior:.3f} before, {finding.beliefs.after_right:.3f} after a right answer and "
        f"{finding.beliefs.after_wrong:.3f} after a wrong one."
    )
    above = [t for t in finding.thresholds if t >= finding.highest]
    if above:
        sentence += (
            f" No belief is above {finding.highest:.3f}, so at a threshold of {percent(min(above))} no model would be used."
        )
    return sentence


def _of_intervals(finding: HumanAlignment) -> str:
    how = (
        f"They come from a bootstrap over {count(finding.sets)} sets of pairs; pairs that share a question or a person are in "
        "one set."
        if finding.drawn_again
        else "The pairs are too few, or too dependent, for a bootstrap. Intervals are Student's t, with a variance that allows "
        "for shared questions and persons."
    )
    error = (
        " Those of accuracy, cross-entropy and cost include the error of the predictor, but not that of the averages."
        if finding.with_prediction_error
        else " They don't include the error of predicted beliefs."
        if str(measures.BeliefSource.PREDICTED) in finding.sources
        else ""
    )
    level = percent(finding.confidence)
    return f"Intervals are at level {level}. {how}{error} They hold for questions like these, not for others."


def _of_gaps(finding: HumanAlignment) -> list[str]:
    sentences = []
    for attribute, words in (
        ("unanswered", "without graded answers to both questions"),
        ("unseen", "without a belief after the model's actual result on the first question"),
    ):
        missing = [model for model in finding.models if getattr(model, attribute)]
        if missing:
            names = ", ".join(f"{name_of(model.model)} {count(getattr(model, attribute))}" for model in missing[:SHOWN_NAMES])
            more = f" and {count(len(missing) - SHOWN_NAMES)} other models" if len(missing) > SHOWN_NAMES else ""
            sentences.append(f"Of {count(finding.pairs)} pairs, those {words} are left out: {names}{more}.")
    double = [model for model in finding.models if model.contradicting]
    if double:
        names = ", ".join(f"{name_of(model.model)} {count(model.contradicting)}" for model in double[:SHOWN_NAMES])
        sentences.append(f"Questions that occur twice with different grades count as not answered: {names}.")
    if finding.without:
        rows = "1 row holds" if finding.without == 1 else f"{count(finding.without)} rows hold"
        sentences.append(f"{rows} no belief and no change: left out.")
    if str(measures.BeliefSource.RAW) in finding.sources:
        sentences.append(f"The cross-entropy clips beliefs to {measures.NEAREST:g} from 0 and 1.")
    return sentences


def _of_many(finding: HumanAlignment) -> str:
    made = finding.dominance.made
    by_chance = made * (1 - finding.confidence) / 2
    if by_chance < 1:
        return ""
    reversals = sum(reversal.beyond_chance for reversal in finding.dominance.reversals)
    return (
        f"{count(made)} comparisons were made of a better model with a worse one. By chance alone up to {by_chance:.0f} of "
        f"them would show a reversal; {count(reversals)} do."
    )


LEAD: Final = (
    "People see a model's answer to one question, and expect it to get another one right or wrong. These expectations are "
    "compared with the model's answers."
)


MEASURES: Final[tuple[tuple[Literal["accuracy", "cross_entropy"], measures.FitMeasure], ...]] = (
    ("accuracy", measures.weighted_accuracy),
    ("cross_entropy", measures.weighted_cross_entropy),
)
"""Measures by which models are compared."""


def rules_of(config: AlignConfig) -> tuple[UseRule, ...]:
    """The rules by which people use a model: the configured ones, or else above each threshold and the top quarter."""
    configured = {rule.name: rule for rule in map(rule_named, config.rules)}
    return tuple(configured.values()) or (*map(AboveThreshold, config.thresholds), TopShare(0.25))


def align(
    pairs: Sequence[BeliefPair],
    answers: GradedAnswers,
    config: AlignConfig,
    *,
    source: str = "",
    digest: str = "",
    drawn: Floats | None = None,
) -> HumanAlignment:
    """Measure how well people's beliefs about models fit the models' answers.

    Parameters
    ----------
    source, digest: names and digest of the files, for the signature.
    drawn: other chances of a change that the predictor could have given, [draws, pairs]; intervals then include its error.

    Raises `NotEnoughEvidence` if no pair with a weight shows a model's actual result and holds a belief, and `UnknownName` for
    a model without answers.
    """
    rng = np.random.default_rng(config.seed)
    beliefs, estimated = measures.averages(pairs, config.beliefs, rng=rng, confidence=config.confidence, among=config.among)
    people = measures.believed_pairs(pairs, beliefs, drawn)
    named = dict.fromkeys(choose("model", name, answers.models) for name in (*config.models, *config.people))
    models = [measures.graded_model(people, answers.of(name), name) for name in (named if config.models else answers.models)]
    if all(measures.right_share(people, model).value is None for model in models):
        raise NotEnoughEvidence(_nothing(people, answers, models))
    sets = IndependentSets(people.groups, rng=rng, confidence=config.confidence)
    choices = accuracies(config.thresholds) + performances(rules_of(config))
    alignments = tuple(
        _model_alignment(people, model, config, sets, answers.contradicting.get(model.model, 0)) for model in models
    )
    return HumanAlignment(
        models=alignments,
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
        with_prediction_error=people.drawn is not None,
        confidence=config.confidence,
        signature=_signature(config, people, beliefs, source, digest, [model.model for model in models]),
        tasks=trust_by_task(people, models[0], answers.of(models[0].model)) if len(models) == 1 else (),
    )


def _model_alignment(
    people: measures.BelievedPairs, model: measures.GradedModel, config: AlignConfig, sets: IndependentSets, contradicting: int
) -> ModelAlignment:
    alphas = {threshold: measures.alpha_of(threshold) for threshold in config.thresholds}
    return ModelAlignment(
        model=model.model,
        pairs=model.pairs,
        unanswered=model.unanswered,
        unseen=model.unseen,
        contradicting=contradicting,
        right=sets.share(measures.right_share(people, model)),
        accuracy={t: sets.estimate(measures.weighted_accuracy(people, model, alpha)) for t, alpha in alphas.items()},
        cross_entropy={t: sets.estimate(measures.weighted_cross_entropy(people, model, alpha)) for t, alpha in alphas.items()},
        loss={t: sets.estimate(measures.cost_per_question(people, model, alpha)) for t, alpha in alphas.items()},
        calibration=calibration(people, model, sets),
        deployment={rule.name: model_use(people, model, rule, sets) for rule in rules_of(config)},
    )


def _comparisons(
    people: measures.BelievedPairs, models: Sequence[measures.GradedModel], thresholds: Sequence[float], sets: IndependentSets
) -> tuple[ModelDifference, ...]:
    """Each two models by each measure at each threshold, on their common pairs."""
    differences = []
    for first, second in combinations(models, 2):
        shared = measures.common_pairs(people, first, second)
        entry, other = (measures.narrowed(people, model, shared) for model in (first, second))
        for name, measure in MEASURES:
            for threshold in thresholds:
                alpha = measures.alpha_of(threshold)
                difference = sets.difference(measure(people, entry, alpha), measure(people, other, alpha))
                differences.append(ModelDifference(first.model, second.model, name, threshold, difference))
    return tuple(differences)


def _pooled(
    people: measures.BelievedPairs, models: Sequence[measures.GradedModel], config: AlignConfig, rng: np.random.Generator
) -> tuple[Calibration, ...]:
    """Calibration of all people and of all machines; empty unless people are named."""
    if not config.people:
        return ()
    persons = [model for model in models if model.model in config.people]
    others = [model for model in models if model.model not in config.people]
    sides = [("people", persons), ("machines", others)]
    return tuple(
        pooled(who, people, side, sample=who == "people", rng=rng, confidence=config.confidence) for who, side in sides if side
    )


def _nothing(people: measures.BelievedPairs, answers: GradedAnswers, models: Sequence[measures.GradedModel]) -> str:
    if any(model.used.any() for model in models):
        return "every pair that shows a model's actual result has weight 0: give it a weight above 0"
    known = sum(name in answers.right and other in answers.right for name, other in people.keys)
    if not known:
        return (
            f"none of {len(people.keys)} pairs has both questions among the {len(answers.right)} answered ones: write the "
            "questions of the pairs into the column prompt"
        )
    return (
        f"none of the {known} pairs with answers shows the actual result of {models[0].model[:60]}: give pairs after right "
        "answers and pairs after wrong ones"
    )


def _signature(
    config: AlignConfig, people: measures.BelievedPairs, beliefs: Beliefs, source: str, digest: str, models: Sequence[str]
) -> Signature:
    settings = {
        "thresholds": list(config.thresholds),
        "rules": [rule.name for rule in rules_of(config)],
        "beliefs": [round(value, 6) for value in (beliefs.prior, beliefs.after_right, beliefs.after_wrong)],
        "confidence": config.confidence,
    } | given(people=list(config.people), prediction_error=None if people.drawn is None else "included")
    return Signature(__version__, "human-alignment", ", ".join(models), source, digest, config.seed, settings)
