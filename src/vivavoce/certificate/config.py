"""The settings of a certificate, each declared once.

`certify.Composition` adds what settings cannot hold: an open scope, a judge, people's grades, procedures.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal

from vivavoce.settings import DELTA, Count, Seed, Share, Within, check, setting

Drawing = Literal["scope", "strata", "weights"]
"""How questions are drawn: as the scope draws them; its categories in proportion; or each once, counted by its weight."""
Procedure = Literal["sequential", "fixed"]
Unreadable = Literal["interval", "wrong"]
"""What a reply that cannot be read is worth: anything from 0 to 1, or 0."""
Correction = Literal["fdr", "fwer"]
"""False discovery rate by e-BH, or family-wise error rate."""
DrawsClaim = Literal["mean", "all-right", "share", "vote"]
"""Of several answers to each question: mean score, pass^N, the share that has a probability, or a vote (`draws.claim`)."""
Answers = Annotated[int, Within(1, 1000)]
"""To each question."""
DRAWS: Final = "Have each question answered afresh N times: the claim is about probabilities, and draws are with replacement."

PASSING_GRADE: Final = 0.7
USUAL_LIMIT: Final = 0.01
"""The limit on ridiculous answers where nobody gives one and some answer can be ridiculous."""
USUAL: Final = "usual"
Limit = Share | Literal["usual"] | None
"""The limit on ridiculous answers, as users give it: None for no limit, `usual` for what suits the scope."""

SAMPLES, BATCH, JUDGE_ONLY = 1, 20, 4
"""Judgements of an answer, answers that wait for people, and answers for the judge alone, if not given.

These settings are None then, since each is refused where nobody has a use for it.
"""
TRIED, MOST_TRIED = 5, 50
"""Questions of `viva try`, if not given, and at most."""
MOST_SAMPLES: Final = 100
MOST_EXPLANATIONS: Final = 20
"""Procedures that are read out of one reply at most."""
FEWEST_CHECKS, MOST_CHECKS = 10_000, 100_000
"""Draws on which a procedure is checked if nothing else is said."""


@dataclass(frozen=True, slots=True)
class PopulationConfig:
    """Which questions, and how they are drawn."""

    split_by: Literal["category"] | None = setting(None, "Each category of a file's questions as a scope of its own.")
    strata: Literal["category"] | None = setting(
        None, "Stratify: ask the categories of the scope in proportion to their share, and report each."
    )
    importance_weighting: bool = setting(
        False, "Draw the questions of a file evenly, each once, and count their answers by weight (importance weighting)."
    )
    deployed: bool = setting(
        False, "Give a second verdict, on the scope as people will use it, by the weights of its questions."
    )
    draws: Answers | None = setting(None, DRAWS)
    seed: Seed | None = setting(
        None,
        "Draws the questions; for examples and studies. [default: drawn at random, and committed to in the transcript before "
        "the first question]",
    )

    def __post_init__(self) -> None:
        check(self)

    @property
    def drawing(self) -> Drawing:
        """How questions of a scope are drawn, but for a second verdict."""
        return "strata" if self.strata else "weights" if self.importance_weighting else "scope"


@dataclass(frozen=True, slots=True)
class GradingConfig:
    """Who says what an answer is worth: the scope's own rule, a judge, people, or both."""

    zero_is_ridiculous: bool = setting(False, "Count every score of 0 as ridiculous, as the paper does.")
    also_ridiculous: Path | None = setting(
        None,
        "Further ridiculous answers, listed after answers were seen; with --new-attempt, on questions drawn from now on.",
        metavar="FILE",
    )
    unreadable: Unreadable = setting(
        "interval",
        "A reply that cannot be read may be worth anything, so that no verdict rests on it; or it counts as wrong.",
    )
    judge: str | None = setting(
        None, "Another candidate grades answers by a rubric, as no rule can (LLM as a judge).", metavar="CANDIDATE"
    )
    rubric: str | None = setting(
        None,
        "Rubric: what earns how many of 10 points; a question's own rubric takes precedence.",
        metavar="FILE|TEXT",
    )
    judge_samples: Annotated[int, Within(1, MOST_SAMPLES)] | None = setting(
        None, f"Judgements of each answer; {SAMPLES} if not given."
    )
    grades: Path | None = setting(None, "People's grades: CSV or JSON Lines with id, score, ridiculous.", metavar="FILE")
    sheet: Path | None = setting(None, "Write a new sheet of the answers that wait for people's grades.", metavar="FILE")
    batch: Count | None = setting(None, f"Stop when N answers wait for people; {BATCH} if not given.")

    def __post_init__(self) -> None:
        check(self)

    @property
    def by_people(self) -> bool:
        """Whether people grade; with a sheet alone they have not begun."""
        return self.grades is not None or self.sheet is not None

    @property
    def by_graders(self) -> bool:
        """Whether anybody grades besides the scope's own rule."""
        return bool(self.judge) or self.by_people


@dataclass(frozen=True, slots=True)
class ExplanationsConfig:
    """Procedures that the candidate hands over, or that are given, and that answer for it."""

    explanations: Annotated[int, Within(1, MOST_EXPLANATIONS)] | None = setting(
        None, "Ask the candidate first for at most N procedures (Python code), which then answer what they cover."
    )
    explain_again: Annotated[int, Within(1, MOST_EXPLANATIONS)] | None = setting(
        None, "Ask for one more after a ridiculous answer, at most N times; part of the error is set aside for it."
    )
    explanation_file: tuple[Path, ...] = setting(
        (),
        "A procedure from a file: a program (.py), or a table of questions and answers (.json, .csv, .tsv). Repeatable.",
        metavar="FILE",
    )
    checks: Annotated[int, Within(1, 10_000_000)] | None = setting(
        None,
        "Questions on which each procedure is checked, at no cost to the candidate; "
        f"{FEWEST_CHECKS:_} to {MOST_CHECKS:_} if not given.".replace("_", " "),
    )
    programs_cpu: Annotated[float, Within(above=0)] = setting(
        3600,
        "Seconds of CPU that all programs may use together, checks included; then no more is asked.",
        metavar="S",
    )

    def __post_init__(self) -> None:
        check(self)

    @property
    def wanted(self) -> bool:
        """Whether there are to be procedures."""
        return bool(self.explanations or self.explain_again or self.explanation_file)


@dataclass(frozen=True, slots=True)
class ClaimConfig:
    """What is shown, and how surely."""

    passing_grade: Share = setting(PASSING_GRADE, "Required mean score.")
    ridiculous_limit: Limit = setting(
        "usual",
        f"Highest acceptable rate of ridiculous answers. [default: {USUAL_LIMIT}; none where no answer can be ridiculous]",
        metavar="X|none",
    )
    delta: Share = setting(DELTA, "Bound on the chance of a wrong verdict, over all attempts.")
    correction: Correction = setting(
        "fdr",
        "Of many scopes, what delta bounds: the share of wrong verdicts (fdr, the default), or the chance of any (fwer).",
    )
    procedure: Procedure = setting(
        "sequential", "Look after every answer and stop at the verdict, or ask --questions and look once."
    )
    draws_claim: DrawsClaim | None = setting(
        None,
        "With '--draws', what the passing grade is required of: the mean score (mean, if not given), the probability that all "
        "N answers are right (all-right, pass^N), the share of questions that have '--reliability', or the mean score of the "
        "answer that most of the N agree on (vote).",
    )
    reliability: Share | None = setting(
        None, "With '--draws-claim share': the probability of a right answer that a question must have to count.", metavar="R"
    )

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, slots=True)
class PredictionsConfig:
    """What is known of a grade before it is given."""

    history: tuple[str, ...] = setting(
        (),
        "What others answered or earned on these questions, so that fewer show a verdict: a transcript, a file of results, or "
        "FILE#COLUMN of recorded answers. Repeatable.",
        metavar="WHERE",
    )
    judge_only: Annotated[int, Within(1, 1000)] | None = setting(
        None,
        f"With a judge and people: N answers graded by the judge alone for each that people grade; {JUDGE_ONLY} if not given.",
    )

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, slots=True)
class LengthConfig:
    """How many questions are asked, and over how long."""

    questions: Count | None = setting(None, "Ask at most N; with 'fixed', exactly N.")
    min_questions: Count | None = setting(
        None,
        "No pass before N questions, for candidates that may tire; all of a shorter scope is enough.",
    )
    over_hours: Annotated[float, Within(above=0)] | None = setting(
        None,
        "Ask these N (of '--min-questions', or of 'fixed') at random times over so many hours; further ones at the same rate.",
        metavar="HOURS",
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
