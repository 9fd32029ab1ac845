"""The certificate: a verdict on understanding, what it rests on and what it does not show."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

from vivavoce.interview.candidate import Usage
from vivavoce.interview.finding import Estimate, Signature
from vivavoce.interview.scope import Outcome

Procedure = Literal["sequential", "fixed"]


class Verdict(StrEnum):
    """What an examination concludes about understanding."""

    UNDERSTANDS = "understands"
    DOES_NOT_UNDERSTAND = "does not understand"
    NO_CONCLUSION = "no conclusion"


@dataclass(frozen=True, slots=True)
class Criterion:
    """When a candidate counts as understanding (Definition 3.2 of `leytonbrown2024`), and how sure one wants to be."""

    passing_grade: float = 0.7
    """The mean score that understanding requires, in (0, 1)."""
    ridiculous_limit: float | None = 0.001
    """The largest acceptable probability of a ridiculous answer, in (0, 1); None: not examined."""
    delta: float = 0.05
    """Bound on the probability that a verdict is given and is wrong."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence after so many questions, as natural logarithms of e-values (0 is none, ln(1/delta) is enough).

    With the fixed procedure there is one look only, and no path.
    """

    questions: int
    score_pass: float
    """Against "the mean score is below the passing grade"."""
    ridiculous_pass: float | None
    """Against "ridiculous answers are too frequent"; None where they are not examined."""
    fail: float
    """Against "the candidate understands"."""


@dataclass(frozen=True, slots=True)
class GradedAnswer:
    """One question of the examination with its answer, as shown among the worst."""

    id: str
    question: str
    answer: str
    expected: str
    score: float
    ridiculous: bool
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Certificate:
    """What `certify` returns."""

    verdict: Verdict
    candidate: str
    scope: str
    scope_size: int | None
    """Number of questions in the scope; None if endless."""
    criterion: Criterion
    procedure: Procedure
    questions: int
    """Questions on which the verdict rests."""
    score: Estimate
    """Mean score; interval at level 1 - delta, valid at the moment the examination chose to stop."""
    ridiculous: Estimate
    """Rate of ridiculous answers, likewise."""
    ridiculous_count: int
    unreadable: int
    no_answers: int
    dont_know: int
    path: tuple[Evidence, ...]
    """Evidence over questions, thinned to at most 1,000 points, the last one included."""
    pass_threshold: float
    """ln(1/delta): where `score_pass` and `ridiculous_pass` must each have been once."""
    fail_threshold: float
    """ln(1/delta): where `fail` must be."""
    worst: tuple[GradedAnswer, ...]
    """Up to ten answers, ridiculous ones first, then by score."""
    why_not: str
    """Why there is no conclusion, in a clause; empty where there is one."""
    still_needed: int | None
    """Estimate of the further questions a verdict needs; None where there is a verdict or no estimate."""
    spending: Usage
    caveats: tuple[str, ...]
    signature: Signature

    @property
    def statement(self) -> str:
        """The verdict in one plain sentence."""
        questions = f"{self.questions:,}".replace(",", "\N{NARROW NO-BREAK SPACE}") + (
            " question" if self.questions == 1 else " questions"
        )
        if self.verdict is Verdict.NO_CONCLUSION:
            return f"No conclusion on whether {self.candidate} understands {self.scope}, after {questions}: {self.why_not}."
        # Not "this verdict is wrong with probability at most delta": the guarantee is on the procedure, before it is run.
        guarantee = f"the procedure gives a wrong verdict at most {self.criterion.delta * 100:.3g}% of the time"
        return f"{self.candidate} {self.verdict.value} {self.scope}: after {questions}; {guarantee}."

    def as_json(self) -> dict[str, Any]:
        """The certificate as JSON values; the names are part of the public face."""
        return {
            "verdict": self.verdict.value,
            "statement": self.statement,
            "candidate": self.candidate,
            "scope": self.scope,
            "scope_size": self.scope_size,
            "scope_digest": self.signature.scope_digest,
            "passing_grade": self.criterion.passing_grade,
            "ridiculous_limit": self.criterion.ridiculous_limit,
            "delta": self.criterion.delta,
            "procedure": self.procedure,
            "questions": self.questions,
            "score": {"mean": self.score.value, "lower": self.score.interval.lower, "upper": self.score.interval.upper},
            "ridiculous": {
                "rate": self.ridiculous.value,
                "lower": self.ridiculous.interval.lower,
                "upper": self.ridiculous.interval.upper,
                "count": self.ridiculous_count,
            },
            "unreadable": self.unreadable,
            "no_answers": self.no_answers,
            "dont_know": self.dont_know,
            "log_e_values": None
            if not self.path
            else {
                "score_pass": self.path[-1].score_pass,
                "ridiculous_pass": self.path[-1].ridiculous_pass,
                "fail": self.path[-1].fail,
                "pass_threshold": self.pass_threshold,
                "fail_threshold": self.fail_threshold,
            },
            "path": [[e.questions, e.score_pass, e.ridiculous_pass, e.fail] for e in self.path],
            "worst": [
                {
                    "id": a.id,
                    "question": a.question,
                    "answer": a.answer,
                    "expected": a.expected,
                    "score": a.score,
                    "ridiculous": a.ridiculous,
                    "outcome": a.outcome.value,
                }
                for a in self.worst
            ],
            "why_not": self.why_not,
            "still_needed": self.still_needed,
            "tokens": self.spending.tokens,
            "money": self.spending.money,
            "seed": self.signature.seed,
            "caveats": list(self.caveats),
            "signature": self.signature.line,
        }
