"""The settings of a certificate, each declared once, and the combinations that are refused, each with the reason.

`certify.Composition` adds what settings cannot hold: an open scope, a judge, people's grades, procedures. No other module
refuses a combination. What is not refused here is sound; the proof is in the inference or the procedure that does it:

- any way of drawing with any grades in [0, 1] that are taken in drawn order, looked at after each: `evidence.sequential`,
  `evidence.stratified`, `evidence.drawn_once`; once: `evidence.inference.FixedLook`,
  `evidence.stratified.StratifiedLook`, `evidence.drawn_once.WeightedLook`
- a judge alone or people alone, whatever is drawn: `graders.graders.Graders`; both together: `graders.judge`
- two verdicts on the same answers: `claims.deployed`; several scopes, by a rule or a judge: `claims.claim.MultipleTest`,
  `claims.many_scopes`
- a history, with any grades of questions that are drawn each once: `evidence.drawn_once`, `statistics.predictions`
- procedures, with strata and weights as well: `explanations.audit`, `explanations.known`
- several answers to each question, as the scope draws but with replacement, by a rule or a judge, clusters too: `claims.draws`
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal

from vivavoce.errors import BadInput
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
    """The graders: the scope's own rule, a judge, people, or both."""

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
    calibration: Path | None = setting(
        None, "Say how far the judge agrees with people, from 'viva people calibrate --out'.", metavar="FILE", expert=True
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
        """Whether a judge or people grade, in addition to the scope's own rule."""
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
    """All settings of a certificate."""

    population: PopulationConfig = PopulationConfig()
    grading: GradingConfig = GradingConfig()
    explanations: ExplanationsConfig = ExplanationsConfig()
    claim: ClaimConfig = ClaimConfig()
    predictions: PredictionsConfig = PredictionsConfig()
    length: LengthConfig = LengthConfig()


Feature = Literal[
    "rule", "judge", "people", "judge and people", "procedures", "asked again",
    "strata", "weights", "deployed", "several scopes",
    "fixed", "endurance", "history", "extended",
    "laws", "clusters", "each once",
    "draws", "several answers", "share of questions", "vote",
]  # fmt: skip
"""Features: grading, drawing, times of checking, properties of the scope, answers to each question."""

_LAWS: Final = "this scope has laws over its questions, which {} do not know: leave out one or the other"
_INDEPENDENT: Final = (
    "a judge and people together need questions drawn independently of each other, and have {}: leave one of them out"
)

_ONE_SCOPE: Final = "a history is of one scope, whose questions are drawn each once and count alike: leave out --history, or {}"
_EVENLY: Final = "'--deployed' draws evenly: leave out other designs"
_WITH_REPLACEMENT: Final = "--draws draws questions with replacement, as its claim is about probabilities: leave out {}"
_GRADED_ONCE: Final = "people grade an answer once, and --draws asks for many: have a rule or a judge grade"

_WAITING: Final = "people's grades are for one scope: an answer that waits for a grade would hold up all the others"
_ENDLESS: Final = "explanations can be asked for again only on an endless scope, with a check after each question"
_RULED: Final = "judges and people decide what is unacceptable, whatever the scope lists: leave out --set also-unacceptable"

REFUSED: Final[Mapping[frozenset[Feature], str]] = {
    frozenset({"deployed", "strata"}): _EVENLY,
    frozenset({"deployed", "weights"}): _EVENLY,
    frozenset({"fixed", "several scopes"}): "the fixed procedure is for one scope: of several, each stops when its own verdict "
    "stands",
    frozenset(
        {"endurance", "several scopes"}
    ): "--set min-questions and --set over-hours are for one scope: of several, each stops when its own verdict stands",
    frozenset({"deployed", "several scopes"}): "--deployed is for one scope: several would have two verdicts each",
    frozenset({"people", "several scopes"}): _WAITING,
    frozenset({"judge and people", "several scopes"}): _WAITING,
    frozenset({"procedures", "several scopes"}): "explanations are for one scope: name each procedure's own",
    frozenset({"judge and people", "strata"}): _INDEPENDENT.format("no strata"),
    frozenset({"judge and people", "weights"}): _INDEPENDENT.format("no evenly drawn weights"),
    frozenset({"judge and people", "deployed"}): _INDEPENDENT.format("no evenly drawn weights"),
    frozenset(
        {"judge and people", "fixed"}
    ): "the fixed procedure looks once at grades, and knows no predictions of them: leave out the judge or people",
    frozenset({"procedures", "deployed"}): "people ask the candidate, and not its procedures: leave out --deployed, or "
    "explanations",
    frozenset(
        {"procedures", "endurance"}
    ): "procedures never tire: leave out --set min-questions and --set over-hours, or explanations",
    frozenset({"procedures", "fixed", "strata"}): "the paper's procedure with explanations draws as the scope does: leave out "
    "--strata",
    frozenset({"procedures", "fixed", "weights"}): "the paper's procedure with explanations draws as the scope does: leave out "
    "--set importance-weighting",
    frozenset({"procedures", "fixed", "clusters"}): "the paper's procedure with explanations knows no clusters: use the "
    "sequential one",
    frozenset({"asked again", "fixed"}): _ENDLESS,
    frozenset({"asked again", "each once"}): _ENDLESS,
    frozenset({"draws", "strata"}): _WITH_REPLACEMENT.format("--strata"),
    frozenset({"draws", "weights"}): _WITH_REPLACEMENT.format("--set importance-weighting"),
    frozenset({"draws", "deployed"}): _WITH_REPLACEMENT.format("--deployed"),
    frozenset({"draws", "several scopes"}): "--draws is for one scope: examine each by itself",
    frozenset({"draws", "people"}): _GRADED_ONCE,
    frozenset({"draws", "judge and people"}): _GRADED_ONCE,
    frozenset({"draws", "procedures"}): "a procedure answers the same each time: leave out --draws, or explanations",
    frozenset({"several answers", "laws"}): "this scope has laws over answers that are given together, and of several draws "
    "none are: leave out one or the other, or give --draws 1",
    frozenset({"share of questions", "fixed"}): "the fixed procedure looks at one mean, and '--set draws-claim=share' rests on "
    "several: use the sequential one",
    frozenset({"history", "strata"}): _ONE_SCOPE.format("--strata, whose test knows no predictions"),
    frozenset({"history", "weights"}): _ONE_SCOPE.format("--set importance-weighting"),
    frozenset({"history", "deployed"}): _ONE_SCOPE.format("--deployed"),
    frozenset({"history", "several scopes"}): _ONE_SCOPE.format("all scopes but one"),
    frozenset(
        {"history", "fixed"}
    ): "the fixed procedure looks once, by a bound that knows no predictions: leave out --history",
    frozenset({"history", "draws"}): "--draws draws questions again and again, and a history needs each drawn once: leave out "
    "one of them",
    frozenset({"history", "procedures"}): "explanations have a ledger of their own, which knows no predictions: leave out "
    "--history, or explanations",
    frozenset({"history", "judge and people"}): "a judge and people together need questions drawn independently of each other, "
    "and a history questions drawn each once: leave out one of the three",
    frozenset({"vote", "judge"}): "a vote counts answers that are the same, which a rule reads and a judge does not: leave out "
    "--judge, or '--set draws-claim=vote'",
    frozenset({"extended", "judge"}): _RULED,
    frozenset({"extended", "people"}): _RULED,
    frozenset({"extended", "judge and people"}): _RULED,
    frozenset({"extended", "procedures"}): "procedures were checked by the list as it was: leave out explanations, or "
    "--set also-unacceptable",
    frozenset({"extended", "several scopes"}): "a list of unacceptable answers is of one scope: leave out all scopes but one",
    frozenset({"extended", "deployed"}): "--deployed gives two verdicts, and an extended list begins an attempt at one: leave "
    "out one or the other",
    frozenset(
        {"extended", "draws"}
    ): "--set also-unacceptable was made in view of answers, and a claim about probabilities needs new answers: "
    "write the list into the file of questions, which is then asked again, or leave out --draws",
    frozenset({"judge", "laws"}): _LAWS.format("graders"),
    frozenset({"people", "laws"}): _LAWS.format("graders"),
    frozenset({"judge and people", "laws"}): _LAWS.format("graders"),
    frozenset({"procedures", "laws"}): _LAWS.format("explanations"),
}
"""Features that exclude each other, with the message."""


def features_of(known: Set[Feature], drawing: Drawing, wanted: Mapping[Feature, bool]) -> frozenset[Feature]:
    """The known features, that of the drawing, and the wanted ones.

    >>> sorted(features_of({"judge"}, "strata", {"fixed": True, "history": False}))
    ['fixed', 'judge', 'strata']
    """
    design: frozenset[Feature] = frozenset() if drawing == "scope" else frozenset({drawing})
    return design | known | {feature for feature, asked in wanted.items() if asked}


def refusal(features: Set[Feature]) -> str:
    """Why these do not go together; empty if they do.

    >>> refusal({"judge", "strata"}), refusal({"fixed", "several scopes"})[:35]
    ('', 'the fixed procedure is for one scop')
    """
    return next((reason for together, reason in REFUSED.items() if together <= features), "")


def refuse(features: Set[Feature]) -> None:
    """Raise `BadInput` if these do not go together."""
    if reason := refusal(features):
        raise BadInput(reason)
