"""Models measured on pairs of questions: the alignment with what people believe, misplaced trust, and the trend by size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vivavoce.generalization.alignment.measures import believed_pairs, graded_model
from vivavoce.generalization.alignment.resampling import IndependentSets
from vivavoce.generalization.alignment.score import align
from vivavoce.generalization.answers import GradedAnswers
from vivavoce.generalization.config import AlignConfig, MeasureConfig
from vivavoce.generalization.measurement.candidates import MeasuredCandidate
from vivavoce.generalization.measurement.finding import Measurement
from vivavoce.generalization.measurement.replies import ModelReplies
from vivavoce.generalization.measurement.trend import size_trend
from vivavoce.generalization.measurement.trust import misplaced_trust
from vivavoce.generalization.pairs import Pair


@dataclass(frozen=True, slots=True)
class MeasurementOrigin:
    """Where questions and beliefs come from, for the record."""

    scopes: tuple[str, ...] = ()
    beliefs: str = ""
    digest: str = ""
    """SHA-256 in hex of scopes and beliefs."""
    questions: int = 0
    """In the pool."""
    left_out: int = 0
    """Questions of the scopes that are not in the pool."""
    missing: int = 0
    """Questions of the pairs that no scope holds."""


def measure(
    pairs: Sequence[Pair],
    answers: GradedAnswers,
    measured: Sequence[MeasuredCandidate],
    config: MeasureConfig,
    how: AlignConfig,
    *,
    replies: Sequence[ModelReplies] = (),
    origins: MeasurementOrigin = MeasurementOrigin(),
) -> Measurement:
    """Section 5 of `vafa2024` for some models, from beliefs about pairs of questions and graded answers.

    Raises `NotEnoughEvidence` where no pair shows what a model did and holds a belief.
    """
    source = ", ".join(filter(None, (origins.beliefs, *origins.scopes)))
    aligned = align(pairs, answers, how, source=source, digest=origins.digest)
    people = believed_pairs(pairs, aligned.beliefs)
    sets = IndependentSets(people.groups, rng=np.random.default_rng([config.seed, 1]), confidence=how.confidence)
    models = [graded_model(people, answers.of(one.model), one.model) for one in aligned.models]
    sizes = {one.name: one.size for one in measured if one.size is not None}
    strictest = max(how.thresholds)
    return Measurement(
        alignment=aligned,
        trust=misplaced_trust(people, models, aligned.beliefs, sets, threshold=strictest, most=config.most),
        trend=size_trend(people, models, sizes, how.thresholds, sets),
        sized=len(sizes),
        replies=tuple(replies),
        pool=origins.questions,
        left_out=origins.left_out,
        missing=origins.missing,
    )
