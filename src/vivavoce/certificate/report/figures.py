"""The figures of certificates, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from vivavoce.certificate.verdict import Criterion, Evidence, Verdict
from vivavoce.formats.interval import Estimate, Interval


@dataclass(frozen=True, slots=True)
class EvidencePath:
    """How the evidence grew with the questions."""

    plot: ClassVar[str] = "vivavoce.certificate.report.plots:evidence_path_drawing"
    path: tuple[Evidence, ...]
    """Fewer than two looks are not drawn."""
    pass_threshold: float
    fail_threshold: float
    questions: int
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Intervals:
    """Score and rate of ridiculous answers with their intervals, beside what was required of them."""

    plot: ClassVar[str] = "vivavoce.certificate.report.plots:intervals_drawing"
    criterion: Criterion
    score: Estimate
    ridiculous: Estimate
    score_range: Interval | None = None
    """From the least to the most that it may be; None where that is one number."""
    ridiculous_range: Interval | None = None
    what: str = ""
    """What the score is; empty: the mean score."""


@dataclass(frozen=True, slots=True)
class ScopeEvidence:
    """The evidence on one scope of several, at its end."""

    name: str
    verdict: Verdict
    log_e_understands: float
    log_e_fails: float


@dataclass(frozen=True, slots=True)
class EvidenceByScope:
    """The evidence of several scopes side by side."""

    plot: ClassVar[str] = "vivavoce.certificate.report.many_plots:evidence_by_scope_drawing"
    scopes: tuple[ScopeEvidence, ...]
    thresholds: tuple[float, float]
    """How large the two logarithms had to be for a verdict, in the end."""


@dataclass(frozen=True, slots=True)
class CandidateOnScope:
    """One candidate on one scope."""

    verdict: Verdict | None
    """None: it was not examined."""
    score: Estimate | None


@dataclass(frozen=True, slots=True)
class VerdictsFigure:
    """All candidates on all scopes."""

    plot: ClassVar[str] = "vivavoce.certificate.report.sweep_plots:verdicts_drawing"
    candidates: tuple[str, ...]
    scopes: tuple[str, ...]
    grades: tuple[float, ...]
    """What is required on each."""
    cells: tuple[tuple[CandidateOnScope, ...], ...]
    """A row a scope, a cell a candidate."""
