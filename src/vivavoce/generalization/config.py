"""How people's beliefs are asked for, rehearsed, and compared with what models do: every setting, once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Final, Literal

from vivavoce.errors import BadInput
from vivavoce.formats.interval import CONFIDENCE
from vivavoce.generalization.pairs import LAST_STAGE
from vivavoce.generalization.predictors.registry import STACKED_LOGISTIC, predictor_kind
from vivavoce.generalization.survey.card_file import By
from vivavoce.generalization.survey.plan import PAIRS_EACH
from vivavoce.settings import Seed, Share, Within, check, setting

Among = Literal["all", "changed"]
"""Over which beliefs averages are taken."""
MOST_THRESHOLDS: Final = 20
PAIRS: Final = 300
"""Of a survey, unless it is said."""
MOST_ASKED: Final = 500
"""Questions put to the candidate, unless it is said."""
LONGEST: Final = 750
"""Characters of a question with its options: `vafa2024` did not ask about longer ones (appendix A)."""
TOP: Final = 0.1
"""Of the ranking: most pairs of a stage come from it (section 3 of `vafa2024`)."""
EPSILON: Final = 0.3
"""Share of a stage that is drawn from below the top. The paper says only that it is the minority."""


@dataclass(frozen=True, slots=True)
class AlignConfig:
    """How models are aligned."""

    models: tuple[str, ...] = setting((), "Look at this column of answers only; may be given again.", metavar="NAME")
    """All if none are named."""
    people: tuple[str, ...] = setting((), "This column of answers is a person's; may be given again.", metavar="NAME")
    """The calibration of all people is pooled, and so is that of the others."""
    thresholds: tuple[Share, ...] = setting(
        (0.5, 0.9, 0.95, 0.99), "Chances of being right above which a model is trusted.", metavar="T,T,..."
    )
    rules: tuple[str, ...] = setting(
        (),
        "What people use a model for: above:T, top:SHARE or proportional; may be given again. Else above each threshold, and "
        "top:0.25.",
        metavar="RULE",
    )
    among: Among = setting(
        "all", "The beliefs that a survey's means are taken over: all, as in the paper, or those that changed."
    )
    confidence: Share = setting(CONFIDENCE, "Confidence level of the intervals.")
    seed: Seed = setting(0, "Draws resamples.")
    beliefs: Mapping[str, float] = field(default_factory=dict)
    """Averages of `Beliefs` that are given by name; the others are those of the raw beliefs, else those of the paper."""

    def __post_init__(self) -> None:
        check(self)
        if not 1 <= len(self.thresholds) <= MOST_THRESHOLDS:
            raise BadInput(f"there are {len(self.thresholds)} thresholds: give 1 to {MOST_THRESHOLDS}")


@dataclass(frozen=True, slots=True)
class InfluentialConfig:
    """Which pairs are looked at, and how many are shown."""

    drawn: Annotated[int, Within(1, 10_000_000)] = setting(10_000, "Pairs to draw from questions.")
    most: Annotated[int, Within(1, 100)] = setting(5, "Pairs of each kind to show.")
    seed: Seed = setting(0, "Draws the pairs.")

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, slots=True)
class MeasureConfig:
    """Which pairs of questions models are measured on."""

    pairs: Annotated[int, Within(1, 1_000_000)] = setting(500, "Pairs of questions to draw, where the beliefs bring none.")
    """As many as in section 5 of `vafa2024`."""
    longest: Annotated[int, Within(1, 20_000)] = setting(LONGEST, "Characters of a question; longer ones are left out.")
    most: Annotated[int, Within(1, 1_000)] = setting(20, "Pairs with misplaced trust to list.")
    seed: Seed = setting(0, "Draws pairs and resamples.")

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, slots=True)
class SurveyConfig:
    """Which pairs a survey asks about."""

    by: By = setting("machine", "Whether the candidate's answers are a machine's; a recording may hold a person's.")
    pairs: Annotated[int, Within(1, 1_000_000)] | None = setting(
        None, f"Pairs of the survey: {PAIRS}, or all that are recorded."
    )
    questions: Annotated[int, Within(2, 1_000_000)] | None = setting(
        None, f"Questions put to the candidate, once each: by default twice the pairs, and {MOST_ASKED} at most."
    )
    longest: Annotated[int, Within(1, 20_000)] = setting(LONGEST, "Characters of a question; longer ones are left out.")
    stage: Annotated[int, Within(1, LAST_STAGE)] | None = setting(None, "Stage of the survey, kept with the answers.")
    balanced: bool = setting(False, "A test stage: 2/3 from the predictor's top hundredth, 1/3 from its bottom.")
    seed: Seed = setting(0, "Draws questions and pairs.")

    def __post_init__(self) -> None:
        check(self)

    @property
    def wanted(self) -> int:
        """Questions that the candidate is asked at most."""
        return self.questions or min(MOST_ASKED, 2 * (self.pairs or PAIRS))


@dataclass(frozen=True, slots=True)
class RehearsalConfig:
    """How large a rehearsed survey is, and what is fitted to its answers."""

    predictor: str = setting(STACKED_LOGISTIC.name, "Predictor that is refitted after each stage.")
    stages: Annotated[int, Within(1, 50)] = setting(7, "Number of stages.")
    answers: Annotated[int, Within(PAIRS_EACH, 100_000)] = setting(300, "Answers per stage.")
    """One a pair."""
    pool: Annotated[int, Within(100, 1_000_000)] = setting(5_000, "Pairs to choose from.")
    test: Annotated[int, Within(2, 10_000)] = setting(60, "Pairs of the test stage.")
    top: Share = setting(TOP, "Share of the ranking that counts as its top.", metavar="SHARE")
    epsilon: Share = setting(EPSILON, "Share of a stage that is drawn from below the top.", metavar="SHARE")
    questions: Annotated[int, Within(20, 100_000)] = setting(400, "Questions in the simulated world.")
    """At least one a task."""
    seed: Seed = setting(0, "Draws people, questions and answers.")

    def __post_init__(self) -> None:
        check(self)
        predictor_kind(self.predictor)
        if self.pool < self.answers:
            raise BadInput(f"the pool has {self.pool} pairs, and a stage {self.answers} answers: give at least as many pairs")
