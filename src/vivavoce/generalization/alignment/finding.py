"""How well people's beliefs about models fit what these do, as a value: what it says, and what it does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from vivavoce.formats.wording import count, name_of, percent, percent_interval
from vivavoce.generalization.alignment.calibration import Calibration
from vivavoce.generalization.alignment.dominance import Dominance
from vivavoce.generalization.alignment.estimated_beliefs import EstimatedBeliefs
from vivavoce.generalization.alignment.figures import Comparison, ModelAlignment
from vivavoce.generalization.alignment.measures import NEAREST, Source, alpha_of
from vivavoce.generalization.alignment.report.cells import with_interval
from vivavoce.generalization.alignment.report.reversals import reversals
from vivavoce.generalization.alignment.report.tables import cost, cross_entropy, fit, left_out, ranked, trust, use
from vivavoce.generalization.beliefs import Beliefs
from vivavoce.interview.scope import Signature
from vivavoce.report.blocks import Caveats, Fold, InFull, Report, Section
from vivavoce.report.parts import method_of, paragraphs
from vivavoce.report.reported import Reported


@dataclass(frozen=True, slots=True, repr=False)
class Alignment(Reported):
    """Some models compared with people's beliefs about them."""

    models: tuple[ModelAlignment, ...]
    comparisons: tuple[Comparison, ...]
    pooled: tuple[Calibration, ...]
    """Of people together and of machines together, where it was said who are people."""
    dominance: Dominance
    thresholds: tuple[float, ...]
    rules: tuple[str, ...]
    beliefs: Beliefs
    """The averages behind beliefs that nobody said."""
    estimated: EstimatedBeliefs | None
    """The averages of the raw beliefs among the pairs; None where there are none."""
    given: bool
    """Whether `beliefs` were given by the caller."""
    sources: Mapping[str, int]
    """Rows by where their belief comes from."""
    without: int
    """Rows without any belief."""
    highest: float
    """Belief."""
    pairs: int
    """Pairs of questions with a belief."""
    sets: int
    """Of pairs that share nothing with one another."""
    drawn_again: bool
    """Whether intervals come from drawing sets again."""
    confidence: float
    signature: Signature

    @property
    def best(self) -> ModelAlignment:
        """The model that answers most right; raises `ValueError` where there is none."""
        return max((one for one in self.models if one.right.value is not None), key=lambda one: one.right.value or 0.0)

    @property
    def headline(self) -> str:
        """The verdict in one sentence."""
        return headline_of(self)

    @property
    def statement(self) -> str:
        """The result in plain words, the verdict first."""
        return f"{self.headline} {rest_of(self)}".strip()

    @property
    def caveats(self) -> tuple[str, ...]:
        """What was not shown."""
        return caveats_of(self)

    def report(self) -> Report:
        """All of it as blocks."""
        whom = f"{count(len(self.models))} models" if len(self.models) > 1 else name_of(self.models[0].model)
        return self.reported(
            "Human generalization: alignment",
            f"What people expect of {whom}, and what they do",
            InFull(paragraphs(rest_of(self), LEAD)),
            *self.sections(),
            Caveats(self.caveats),
            self.method,
        )

    def sections(self) -> tuple[Section, ...]:
        """Its tables and figures, a section each."""
        models = ranked(self.models)
        return (
            fit(models, self.thresholds, self.best.model, self.comparisons, left_out(len(self.models))),
            cost(models, self.thresholds),
            use(models, self.rules),
            reversals(self.dominance),
            trust(models, self.pooled),
            cross_entropy(models, self.thresholds),
        )

    @property
    def method(self) -> Fold:
        """How the numbers were found."""
        return method(self.pairs, self.sources)

    @property
    def examined(self) -> tuple[str, ...]:
        """The names of the candidates."""
        return tuple(one.model for one in self.models)

    def figures_as_json(self) -> dict[str, Any]:
        """The numbers as JSON values; null for what is not known."""
        beliefs = {name: getattr(self.beliefs, name) for name in ("prior", "after_right", "after_wrong")}
        return {
            "models": {one.model: one.as_json(self.thresholds) for one in self.models},
            "thresholds": [{"threshold": t, "alpha": alpha_of(t)} for t in self.thresholds],
            "differences": [one.as_json() for one in self.comparisons],
            "calibration": {one.who: one.as_json() for one in (*(model.calibration for model in self.models), *self.pooled)},
            "deployment": {
                model.model: {rule: one.as_json() for rule, one in zip(self.rules, model.deployment, strict=True)}
                for model in self.models
            },
            "dominance": self.dominance.as_json(),
            "beliefs": beliefs | {"estimated": self.estimated.as_json() if self.estimated else None},
            "sources": dict(self.sources),
            "without_belief": self.without,
            "pairs": self.pairs,
            "sets": self.sets,
            "confidence": self.confidence,
        }


SHOWN_NAMES = 4


def headline_of(finding: Alignment) -> str:
    """The verdict in one sentence: does the best model stay the best where people choose?"""
    known = [one for one in finding.models if one.right.value is not None]
    best, strictest = finding.best, max(finding.thresholds)
    name = name_of(best.model)
    if len(known) == 1:
        return f"People's beliefs about {name} fit what it does with a weighted accuracy of {_fits(finding)}."
    behind = len(_behind(finding, best, strictest))
    others = f"{count(behind)} of {count(len(known) - 1)} other models" if len(known) > 2 else "the other model"
    if not _most_right(best, known):
        which = f"{name} is not shown to answer more right than {'all others' if len(known) > 2 else 'the other model'}"
        if behind:
            return f"{which}, and at a threshold of {percent(strictest)} people's beliefs fit {others} better."
        return f"{which}; at none of these thresholds do beliefs fit another model better beyond chance."
    if behind:
        return f"{name} answers most right, but at a threshold of {percent(strictest)} people's beliefs fit {others} better."
    return f"{name} answers most right, and at none of these thresholds do beliefs fit another model better beyond chance."


def _most_right(best: ModelAlignment, known: Sequence[ModelAlignment]) -> bool:
    return best.right.is_largest(one.right for one in known if one is not best)


def rest_of(finding: Alignment) -> str:
    """What follows the verdict: its numbers."""
    known, best = [one for one in finding.models if one.right.value is not None], finding.best
    right = f"{percent(best.right.value or 0.0)} {percent_interval(best.right.interval)} right"
    if len(known) == 1:
        return f"It answers {right}."
    return f"It answers {right}; weighted accuracy is {_fits(finding)}.{_cost(finding, best, known)}"


def caveats_of(finding: Alignment) -> tuple[str, ...]:
    """What was not shown, each in a sentence or two."""
    return tuple(
        sentence
        for sentence in (
            _of_levels(finding),
            "Weighted accuracy is divided by what a model's own answers weigh. At a high threshold it says how the beliefs fit "
            "a model's mistakes, not how many these are; the cost per question next to it counts them.",
            "How beliefs become use is an assumption: people may use a model above a threshold, in the part they trust most, "
            "or in proportion. Each rule is a line of its own.",
            _of_intervals(finding),
            *_of_gaps(finding),
            _of_many(finding),
            "People saw one answer, to one question. What they would do after a week with a model was not looked at, nor "
            "whether they act on what they believe.",
        )
        if sentence
    )


def _fits(finding: Alignment) -> str:
    """The best model's weighted accuracy at the lowest and at the highest threshold."""
    ends = dict.fromkeys((min(finding.thresholds), max(finding.thresholds)))
    return " and ".join(
        f"{with_interval(finding.best.accuracy[finding.thresholds.index(t)])} at a threshold of {percent(t)}" for t in ends
    )


def _cost(finding: Alignment, best: ModelAlignment, known: Sequence[ModelAlignment]) -> str:
    """That the best model makes the fewest mistakes after all, where wrong beliefs about it cost least a question."""
    place = finding.thresholds.index(max(finding.thresholds))
    others = [one.loss[place] for one in known if one is not best]
    if not _most_right(best, known) or not best.loss[place].is_smallest(others):
        return ""
    return " Counted by question, wrong beliefs about it still cost least, as it makes the fewest mistakes."


def _behind(finding: Alignment, best: ModelAlignment, threshold: float) -> list[str]:
    """Models that people's beliefs fit better than the best one at a threshold, by more than chance."""
    found = []
    for one in finding.comparisons:
        if one.measure == "accuracy" and one.threshold == threshold and best.model in (one.first, one.second):
            interval = one.difference.interval
            if best.model == one.first and interval.upper < 0:
                found.append(one.second)
            if best.model == one.second and interval.lower > 0:
                found.append(one.first)
    return found


def _of_levels(finding: Alignment) -> str:
    if set(finding.sources) == {str(Source.RAW)}:
        return "Beliefs are those of the people who were asked, about the questions that they were shown."
    whence = (
        "given" if finding.given else "of the raw beliefs among the pairs" if finding.estimated else "of the published study"
    )
    told = (
        f"Levels of belief were not measured but made from chances of a change and three averages, {whence}: "
        f"{finding.beliefs.prior:.3f} before, {finding.beliefs.after_right:.3f} after a right answer, "
        f"{finding.beliefs.after_wrong:.3f} after a wrong one."
    )
    above = [t for t in finding.thresholds if t >= finding.highest]
    if above:
        told += (
            f" No belief is above {finding.highest:.3f}: at a threshold of {percent(min(above))} nobody would use any model."
        )
    return told


def _of_intervals(finding: Alignment) -> str:
    how = (
        f"They come from resampling {count(finding.sets)} sets of pairs (bootstrap); pairs that share a question or a "
        "person are in one set."
        if finding.drawn_again
        else "Pairs depend on one another too much, or are too few, to be resampled: they are Student's t with a variance "
        "that allows for shared questions and persons."
    )
    return f"Intervals are at level {percent(finding.confidence)}. {how} They hold for questions like these, not for others."


def _of_gaps(finding: Alignment) -> list[str]:
    told = []
    for what, words in (
        ("unanswered", "without a graded answer to one of the two questions"),
        ("unseen", "that nobody judged after what the model really did with the first"),
    ):
        missing = [one for one in finding.models if getattr(one, what)]
        if missing:
            names = ", ".join(f"{name_of(one.model)} {count(getattr(one, what))}" for one in missing[:SHOWN_NAMES])
            more = f" and {count(len(missing) - SHOWN_NAMES)} other models" if len(missing) > SHOWN_NAMES else ""
            told.append(f"Of {count(finding.pairs)} pairs, those {words} are left out: {names}{more}.")
    double = [one for one in finding.models if one.contradicting]
    if double:
        names = ", ".join(f"{name_of(one.model)} {count(one.contradicting)}" for one in double[:SHOWN_NAMES])
        told.append(f"Questions that stand twice among the answers with different grades count as not answered: {names}.")
    if finding.without:
        rows = "1 row holds" if finding.without == 1 else f"{count(finding.without)} rows hold"
        told.append(f"{rows} no belief and no change: left out.")
    if str(Source.RAW) in finding.sources:
        told.append(f"In the cross-entropy a belief counts as at least {NEAREST:g} away from 0 and 1.")
    return told


def _of_many(finding: Alignment) -> str:
    made = finding.dominance.made
    by_chance = made * (1 - finding.confidence) / 2
    if by_chance < 1:
        return ""
    found = sum(one.beyond_chance for one in finding.dominance.reversals)
    return (
        f"{count(made)} comparisons were made of a better model with a worse one. By chance alone up to {by_chance:.0f} of "
        f"them would show a reversal; {count(found)} do."
    )


LEAD: Final = (
    "Somebody sees a model answer one question, and expects it to get another right or wrong. Here these expectations are "
    "compared with what the model did."
)


def method(pairs: int, sources: Mapping[str, int]) -> Fold:
    """How the numbers were found."""
    beliefs = ", ".join(f"{count(number)} {source}" for source, number in sources.items())
    return method_of(
        (
            f"{count(pairs)} pairs of questions. Somebody saw the answer to the first, right or wrong, and believes with some "
            "chance that the second will be answered right. A model counts with what it really did: with the beliefs after a "
            f"right answer where it was right, after a wrong one where it was wrong. Beliefs: {beliefs}.",
            "A threshold is the chance of being right above which somebody trusts a model. At a threshold of 90% a trusted "
            "mistake weighs nine times as much as a right answer that was not used, and weighted accuracy and cross-entropy "
            "weigh likewise (vafa2024).",
            "Cost per question, which the paper does not have: a right answer counts with one less the threshold times the "
            "disbelief, a mistake with the threshold times the belief. It is not divided by how much a model is wrong.",
            "A model dominates another if it answers every question right that the other does, and more. It is also held to be "
            "better if it answers more of the same questions right, with an interval above 0.",
            "Differences are paired: they are taken on the pairs that both models answered. Their p-values are of a bootstrap "
            "of Student's t over sets of pairs that share nothing; with fewer than twenty such sets, of bets. They are not "
            "adjusted for their number.",
        )
    )
