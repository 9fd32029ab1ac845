"""Figures of certificates: growth of the evidence, and numbers with their requirements."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

from vivavoce.certificate.claims.claim import Criterion, Evidence, Verdict
from vivavoce.certificate.claims.results import ScopeResult
from vivavoce.certificate.report.numbers import KINDS
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import count, score, score_interval, share, share_interval
from vivavoce.report.figures import Bar, Bars, EvidenceLine, EvidencePath, IntervalRow, IntervalRows, Kind

KEY: Final[tuple[tuple[Kind, str], ...]] = tuple((kind, verdict.value) for verdict, kind in KINDS.items())
_LN10: Final = math.log(10)
_LEAST_RATE: Final = 1e-7
"""The left end of an axis of rates, at the least."""


def evidence_path(path: Sequence[Evidence], thresholds: tuple[float, float], questions: int, verdict: Verdict) -> EvidencePath:
    """How the evidence grew with the questions."""
    lines = [EvidenceLine("score is high enough", "plain", tuple(evidence.score_pass / _LN10 for evidence in path))]
    rare = [evidence.unacceptable_pass / _LN10 for evidence in path if evidence.unacceptable_pass is not None]
    if len(rare) == len(path):
        lines.append(EvidenceLine("few are unacceptable", "good", tuple(rare)))
    lines.append(EvidenceLine("fail", "bad", tuple(evidence.fail / _LN10 for evidence in path)))
    deciding = len(lines) - 1
    if path and verdict is not Verdict.FAIL:
        deciding = min(range(len(lines) - 1), key=lambda index: lines[index].heights[-1])
    return EvidencePath(
        tuple(evidence.questions for evidence in path),
        tuple(lines),
        tuple(threshold / _LN10 for threshold in thresholds),
        deciding,
        KINDS[verdict],
        _path_in_words(path, thresholds, questions, verdict) if path else "",
    )


def _path_in_words(path: Sequence[Evidence], thresholds: tuple[float, float], questions: int, verdict: Verdict) -> str:
    def crossing(course: Sequence[float | None], threshold: float) -> str:
        for evidence, height in zip(path, course, strict=True):
            if height is not None and height >= threshold:
                return f"was enough by question {count(evidence.questions)}"
        return "was never enough"

    to_pass, to_fail = thresholds
    parts = [f"Evidence that the score is high {crossing([look.score_pass for look in path], to_pass)}"]
    if path[-1].unacceptable_pass is not None:
        parts.append(
            f"evidence that unacceptable answers are rare {crossing([look.unacceptable_pass for look in path], to_pass)}"
        )
    parts.append(f"evidence for a fail {crossing([look.fail for look in path], to_fail)}")
    after = f"after {count(questions)} questions"
    ended = f"No verdict {after}" if verdict is Verdict.UNDECIDED else f"Verdict {after}: {verdict.value}"
    return f"{'; '.join(parts)}. {ended}."


def score_interval_rows(criterion: Criterion, estimate: Estimate, ends: Interval | None, what: str = "") -> IntervalRows:
    """The score with its two-sided interval, and the passing grade.

    Parameters
    ----------
    ends: the smallest and the largest possible score; None if they are equal.
    what: what the score is; empty: the mean score.
    """
    passing = f"passing grade {score(criterion.passing_grade)}"
    what = what or "Mean score"
    alt = f"{what} {_value(estimate, score, ends)}, two-sided interval {score_interval(estimate.interval)}; {passing}."
    return IntervalRows(what, (_row(estimate, score, ends),), criterion.passing_grade, passing, alt, unit="number")


def rate_interval_rows(criterion: Criterion, estimate: Estimate, ends: Interval | None) -> IntervalRows:
    """The rate of unacceptable answers with its two-sided interval, and its limit."""
    limit = criterion.unacceptable_limit
    limit_label = "" if limit is None else f"limit {share(limit)}"
    alt = (
        f"Unacceptable answers {_value(estimate, share, ends)}, two-sided interval {share_interval(estimate.interval)}; "
        f"{limit_label or 'not limited'}."
    )
    upper = estimate.interval.upper
    least = 10.0 ** math.floor(math.log10(max(min(limit or upper, upper or 1.0), _LEAST_RATE)) - 1)
    axis = "Rate of unacceptable answers, logarithmic"
    return IntervalRows(axis, (_row(estimate, share, ends),), limit, limit_label, alt, span=(least, 1.0), logarithmic=True)


def _row(estimate: Estimate, write: Callable[[float], str], ends: Interval | None) -> IntervalRow:
    return IntervalRow.of("", _value(estimate, write, ends), estimate, ends=ends)


def _value(estimate: Estimate, write: Callable[[float], str], ends: Interval | None) -> str:
    most = "" if ends is None else f" to {write(ends.upper)}"
    return "unknown" if estimate.value is None else f"{write(estimate.value)}{most}"


def evidence_by_scope(names: Sequence[str], scopes: Sequence[ScopeResult], thresholds: tuple[float, float]) -> Bars:
    """The evidence on each scope at its end, for a pass on the right and for a fail on the left.

    thresholds: how large the natural logarithms had to be to pass and to fail, in the end.
    """
    verdicts = [scope.verdict for scope in scopes]
    words = "; ".join(f"{verdict.value} {verdicts.count(verdict)}" for verdict in KINDS if verdict in verdicts)
    to_pass, to_fail = (threshold / _LN10 for threshold in thresholds)
    reach = 1.6 * max(to_pass, to_fail)
    rows = tuple(Bar(name, _strongest(scope), KINDS[scope.verdict]) for name, scope in zip(names, scopes, strict=True))
    limits = tuple((side * power, f"{count(round(10**power))} is enough") for side, power in ((-1, to_fail), (1, to_pass)))
    alt = f"The evidence on each of {len(scopes)} scopes at its end: {words}."
    return Bars(
        "e-value", rows, alt, "powers", (-reach, reach), limits,
        ("for a fail", "for a pass"), tuple((kind, word) for kind, word in KEY if kind in {row.kind for row in rows}),
    )  # fmt: skip


def _strongest(scope: ScopeResult) -> float:
    """The larger e-value as a decimal logarithm: positive for a pass, negative for a fail; 0 where both are below 1."""
    if scope.log_e_understands > scope.log_e_fails:
        return max(0.0, scope.log_e_understands / _LN10)
    return -max(0.0, scope.log_e_fails / _LN10)
