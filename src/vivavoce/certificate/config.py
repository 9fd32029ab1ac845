"""The settings of a certificate, each declared once.

`certify.Composition` adds what settings cannot hold: an open scope, a judge, people's grades, procedures.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal

from vivavoce.settings import DELTA, Count, Seed, Share, Within, check, setting

Drawing = Literal["scope", "strata", "weights"]
"""Ways to draw questions: as the scope does; its categories in proportion; or each once, counted by weight."""
Procedure = Literal["sequential", "fixed"]
Unreadable = Literal["interval", "wrong"]
"""How to score an unparsed reply: as anything from 0 to 1, or 0."""
Correction = Literal["fdr", "fwer"]
"""False discovery rate by e-BH, or family-wise error rate."""
DrawsClaim = Literal["mean", "all-right", "share", "vote"]
"""Claims about several answers to each question: mean score, pass^N, share of reliable questions, or a vote
(`claims.draws`).
"""
Answers = Annotated[int, Within(1, 1000)]
"""To each question."""
DRAWS: Final = "Ask each question afresh N times, drawn with replacement (tests the model)."

PASSING_GRADE: Final = 0.7
USUAL_LIMIT: Final = 0.01
"""The limit on unacceptable answers if nobody gives one and some answer can be unacceptable."""
USUAL: Final = "usual"
Limit = Share | Literal["usual"] | None
"""The limit on unacceptable answers, as users give it: None for no limit, `usual` for the scope's default."""

SAMPLES, BATCH, JUDGE_ONLY = 1, 20, 4
"""Defaults: judgements of each answer, waiting answers, and answers for the judge alone.

These settings are None then, since each is refused if no one has a use for it.
"""
TRIED, MOST_TRIED = 5, 50
"""Questions of `viva try`, if not given, and at most."""
MOST_SAMPLES: Final = 100
MOST_EXPLANATIONS: Final = 20
"""The most procedures that are read from one reply."""
FEWEST_CHECKS, MOST_CHECKS = 10_000, 100_000
"""Default number of draws on which a procedure is checked."""


@dataclass(frozen=True, slots=True)
class PopulationConfig:
    """The questions and how they are drawn."""

    split_by: Literal["category"] | None = setting(None, "Certify each category of a file's questions as a scope of its own.")
    strata: Literal["category"] | None = setting(None, "Ask the categories in proportion to their shares, and report each.")
    importance_weighting: bool = setting(False, "Draw the questions of a file evenly and weight their answers.", expert=True)
    deployed: bool = setting(False, "Also give a verdict on the scope as people will use it.")
    draws: Answers | None = setting(None, DRAWS)
    seed: Seed | None = setting(
        None,
        "Fix the questions, for examples. [default: random, on record in advance]",
    )

    def __post_init__(self) -> None:
        check(self)

    @property
    def drawing(self) -> Drawing:
        """How questions of a scope are drawn, apart from a second verdict."""
        return "strata" if self.strata else "weights" if self.importance_weighting else "scope"


@dataclass(frozen=True, slots=True)
class GradingConfig:
    """Who grades: the scope's own rule, a judge, people, or both."""

    zero_is_unacceptable: bool = setting(False, "Count every score of 0 as unacceptable, as the paper does.", expert=True)
    also_unacceptable: Path | None = setting(
        None,
        "Further unacceptable answers, for a new attempt on new questions.",
        metavar="FILE",
        expert=True,
    )
    unreadable: Unreadable = setting(
        "interval",
        "Count unparsed replies against either verdict (interval), or as wrong.",
        expert=True,
    )
    judge: str | None = setting(None, "Let this model grade answers by a rubric (LLM as a judge).", metavar="CANDIDATE")
    rubric: str | None = setting(
        None,
        "Say what earns how many of 10 points; a question's own rubric comes first.",
        metavar="FILE|TEXT",
    )
    judge_samples: Annotated[int, Within(1, MOST_SAMPLES)] | None = setting(
        None, f"Judgements of each answer. [default: {SAMPLES}]", expert=True
    )
    grades: Path | None = setting(None, "People's grades: CSV or JSON Lines with id, score, unacceptable.", metavar="FILE")
    sheet: Path | None = setting(None, "Write a sheet of the answers that people should grade.", metavar="FILE")
    batch: Count | None = setting(None, f"Stop when N answers wait for people. [default: {BATCH}]", expert=True)

    def __post_init__(self) -> None:
        check(self)

    @property
    def by_people(self) -> bool:
        """Whether people grade; with a sheet alone there are no grades yet."""
        return self.grades is not None or self.sheet is not None

    @property
    def by_graders(self) -> bool:
        """Whether anybody grades besides the scope's own rule."""
        return bool(self.judge) or self.by_people


@dataclass(frozen=True, slots=True)
class ExplanationsConfig:
    """Procedures, from the candidate or given, that answer for it."""

    explanations: Annotated[int, Within(1, MOST_EXPLANATIONS)] | None = setting(
        None, "First ask for at most N procedures (Python), which answer what they cover."
    )
    explain_again: Annotated[int, Within(1, MOST_EXPLANATIONS)] | None = setting(
        None, "Ask for another procedure after an unacceptable answer, at most N times.", expert=True
    )
    explanation_file: tuple[Path, ...] = setting(
        (),
        "Read a procedure: a program (.py), or a table (.json, .csv, .tsv). Repeatable.",
        metavar="FILE",
        expert=True,
    )
    checks: Annotated[int, Within(1, 10_000_000)] | None = setting(
        None,
        f"Questions to check each procedure on, at no cost. [default: {FEWEST_CHECKS:_} to {MOST_CHECKS:_}]".replace("_", " "),
        expert=True,
    )
    programs_cpu: Annotated[float, Within(above=0)] = setting(
        3600,
        "Seconds of CPU for all programs together.",
        metavar="S",
        expert=True,
    )

    def __post_init__(self) -> None:
        check(self)

    @property
    def wanted(self) -> bool:
        """Whether there are to be procedures."""
        return bool(self.explanations or self.explain_again or self.explanation_file)


@dataclass(frozen=True, slots=True)
class ClaimConfig:
    """The claim, with its error bound."""

    passing_grade: Share = setting(PASSING_GRADE, "Require this mean score.")
    unacceptable_limit: Limit = setting(
        "usual",
        f"Allow this rate of unacceptable answers. [default: {USUAL_LIMIT}; none if none can be]",
        metavar="X|none",
    )
    delta: Share = setting(DELTA, "Bound the chance of a wrong verdict, over all attempts.")
    correction: Correction = setting(
        "fdr",
        "With several scopes, bound the share of wrong verdicts, or any. [default: fdr]",
        expert=True,
    )
    procedure: Procedure = setting("sequential", "Check after every answer, or once after --questions.", expert=True)
    draws_claim: DrawsClaim | None = setting(
        None,
        "With --draws, grade the mean, all N (pass^N), or majorities. [default: mean]",
        expert=True,
    )
    reliability: Share | None = setting(
        None, "With share: probability of a right answer that makes a question reliable.", metavar="R", expert=True
    )

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, slots=True)
class PredictionsConfig:
    """Predictions of grades: earlier results, and a judge."""

    history: tuple[str, ...] = setting(
        (),
        "Use others' answers (transcript, rows or FILE#COLUMN) to ask less. Repeatable.",
        metavar="WHERE",
    )
    judge_only: Annotated[int, Within(1, 1000)] | None = setting(
        None,
        f"Let the judge alone grade N answers for each of people. [default: {JUDGE_ONLY}]",
        expert=True,
    )

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, slots=True)
class LengthConfig:
    """How many questions are asked, and over how long."""

    questions: Count | None = setting(None, "Ask at most N; exactly N if fixed.")
    min_questions: Count | None = setting(
        None,
        "No pass before N questions, for candidates that may change.",
        expert=True,
    )
    over_hours: Annotated[float, Within(above=0)] | None = setting(
        None,
        "Spread these questions over so many hours, at random times.",
        metavar="HOURS",
        expert=True,
    )

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, slots=True)
class CertificateConfig:
    """All of them."""

    population: PopulationConfig = PopulationConfig()
    grading: GradingConfig = GradingConfig()
    explanations: ExplanationsConfig = ExplanationsConfig()
    claim: ClaimConfig = ClaimConfig()
    predictions: PredictionsConfig = PredictionsConfig()
    length: LengthConfig = LengthConfig()
