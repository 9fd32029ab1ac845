"""Settings of alignment, influential pairs, measurement, surveys and rehearsals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Final, Literal

from vivavoce.errors import BadInput
from vivavoce.formats.interval import CONFIDENCE
from vivavoce.formats.lines import MATERIAL
from vivavoce.generalization.pairs import LAST_STAGE
from vivavoce.generalization.predictors.base import STACKED_LOGISTIC, predictor_kind
from vivavoce.generalization.survey.plan import PAIRS_EACH, By
from vivavoce.settings import CheckedConfig, Seed, Share, Within, check, setting

Among = Literal["all", "changed"]
"""The beliefs that averages are taken over."""
MOST_THRESHOLDS: Final = 20
PAIRS: Final = 300
"""Default number of pairs in a survey."""
MOST_ASKED: Final = 500
"""Default limit of questions that the candidate is asked."""
BELIEFS: Final = f"{MATERIAL}beliefs"
"""The built-in model of beliefs; `docs/material.md` says how it was fitted."""
LONGEST: Final = 750
"""Characters of a question with its options; `vafa2024` left out longer ones (appendix A)."""
TOP: Final = 0.1
"""Top share of the ranking; most pairs of a stage come from it (section 3 of `vafa2024`)."""
EPSILON: Final = 0.3
"""Share of a stage that is drawn from below the top. The paper says only that it is the minority."""


@dataclass(frozen=True, slots=True)
class AlignConfig:
    """How models are compared with people's beliefs."""

    models: tuple[str, ...] = setting((), "Use only this column of answers (repeatable).", metavar="NAME")
    """Empty: all models."""
    people: tuple[str, ...] = setting((), "This column holds a person's answers (repeatable).", metavar="NAME")
    """The calibration of people is pooled, and so is the calibration of models."""
    thresholds: tuple[Share, ...] = setting(
        (0.5, 0.9, 0.95, 0.99), "Trust a model above these chances of being right.", metavar="T,T,..."
    )
    rules: tuple[str, ...] = setting(
        (), "What people use a model for: above:T, top:SHARE or proportional (repeatable).", metavar="RULE"
    )
    """Empty: above each threshold, and top:0.25."""
    among: Among = setting("all", "Average a survey's beliefs over all, as in the paper, or those that changed.")
    confidence: Share = setting(CONFIDENCE, "Give intervals of this confidence level.")
    seed: Seed = setting(0, "Draw resamples with this seed.")
    beliefs: Mapping[str, float] = field(default_factory=dict)
    """Averages of `Beliefs` by name. Averages not given here come from the raw beliefs, or else from the paper."""

    def __post_init__(self) -> None:
        check(self)
        if not 1 <= len(self.thresholds) <= MOST_THRESHOLDS:
            raise BadInput(f"there are {len(self.thresholds)} thresholds: give 1 to {MOST_THRESHOLDS}")


@dataclass(frozen=True, slots=True)
class InfluentialConfig(CheckedConfig):
    """How many pairs are drawn, and how many are shown."""

    drawn: Annotated[int, Within(1, 10_000_000)] = setting(10_000, "Draw this many pairs from questions.")
    most: Annotated[int, Within(1, 100)] = setting(5, "Show this many pairs of each kind.")
    seed: Seed = setting(0, "Draw the pairs with this seed.")


@dataclass(frozen=True, slots=True)
class MeasureConfig(CheckedConfig):
    """The pairs of questions that models are measured on."""

    pairs: Annotated[int, Within(1, 1_000_000)] = setting(500, "Draw this many pairs of questions, if beliefs name none.")
    """The default is the number in section 5 of `vafa2024`."""
    longest: Annotated[int, Within(1, 20_000)] = setting(LONGEST, "Leave out questions of more characters.")
    most: Annotated[int, Within(1, 1_000)] = setting(20, "List this many pairs with misplaced trust.")
    seed: Seed = setting(0, "Draw pairs and resamples with this seed.")


@dataclass(frozen=True, slots=True)
class SurveyConfig(CheckedConfig):
    """The pairs that a survey asks about."""

    by: By = setting("machine", "Who gave the candidate's answers; a recording may hold a person's.")
    pairs: Annotated[int, Within(1, 1_000_000)] | None = setting(None, f"Pairs of the survey [{PAIRS}, or all recorded ones].")
    questions: Annotated[int, Within(2, 1_000_000)] | None = setting(
        None, f"Ask the candidate this many questions [2 x pairs, at most {MOST_ASKED}]."
    )
    longest: Annotated[int, Within(1, 20_000)] = setting(LONGEST, "Leave out questions of more characters.")
    stage: Annotated[int, Within(1, LAST_STAGE)] | None = setting(None, "Stage of the survey, kept with the answers.")
    balanced: bool = setting(False, "Draw a test stage: 2/3 from the ranking's top hundredth, 1/3 from its bottom.")
    seed: Seed = setting(0, "Draw questions and pairs with this seed.")

    @property
    def wanted(self) -> int:
        """Questions that the candidate is asked at most."""
        return self.questions or min(MOST_ASKED, 2 * (self.pairs or PAIRS))


@dataclass(frozen=True, slots=True)
class RehearsalConfig:
    """The size of a rehearsed survey, and the predictor that is fitted to its answers."""

    predictor: str = setting(STACKED_LOGISTIC.name, "Refit this predictor after each stage.")
    stages: Annotated[int, Within(1, 50)] = setting(7, "Simulate this many stages.")
    answers: Annotated[int, Within(PAIRS_EACH, 100_000)] = setting(300, "Simulate this many answers per stage.")
    """One per pair."""
    pool: Annotated[int, Within(100, 1_000_000)] = setting(5_000, "Choose from this many pairs.")
    test: Annotated[int, Within(2, 10_000)] = setting(60, "Use this many pairs in the test stage.")
    top: Share = setting(TOP, "Share of the ranking that counts as its top.", metavar="SHARE")
    epsilon: Share = setting(EPSILON, "Share of a stage that is drawn from below the top.", metavar="SHARE")
    questions: Annotated[int, Within(20, 100_000)] = setting(400, "Questions in the simulated world.")
    """Number of questions, at least one per task."""
    seed: Seed = setting(0, "Draw people, questions and answers with this seed.")

    def __post_init__(self) -> None:
        check(self)
        predictor_kind(self.predictor)
        if self.pool < self.answers:
            raise BadInput(f"the pool has {self.pool} pairs and a stage {self.answers} answers: give at least as many pairs")
