"""What a claim was measured to be, what was shown of it, and what is required: in clauses, and in cells of tables.

A verdict is given by one-sided tests, and what is shown is a bound on its side alone: the requirement itself, or the end of
the two-sided interval where that says more. Such a bound is wrong with probability at most delta. Take a pass, so that it is a
lower bound. If the true value meets the requirement, the bound is wrong only where the lower end of the interval is. If the
true value does not, the bound is wrong only where the verdict is. Either event has a probability of at most delta, and only one
of them is possible for a given candidate. For a failure it is the mirror.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from vivavoce.certificate.claims import ClaimResult
from vivavoce.certificate.verdict import Criterion, Verdict
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import Unit, at_least, at_most, beside, exactly, percent_interval, score_interval
from vivavoce.report.cells import Cell

UNKNOWN: Final = "unknown"
_SIGNS: Final = {"at least": "≥", "at most": "≤", "below": "<", "above": ">"}


@dataclass(frozen=True, slots=True)
class Bound:
    """A one-sided bound by which a verdict was reached."""

    side: Literal["at least", "at most", "below", "above"]
    value: float
    required: float
    """What it was compared with; the bound lies on its side."""

    def words(self) -> str:
        """The bound with its side, in percent.

        >>> Bound("at most", 0.0098, 0.01).words()
        'at most 0.98%'
        """
        return f"{self.side} {self._number('%')}"

    def in_cell(self, unit: Unit) -> str:
        """The same as it stands in a table.

        >>> Bound("below", 0.6912, 0.7).in_cell("")
        '(< 0.70)'
        """
        return f"({_SIGNS[self.side]} {self._number(unit)})"

    def _number(self, unit: Unit) -> str:
        write = at_least if self.side in ("at least", "above") else at_most
        return write(self.value, self.required, unit)


class Shown(NamedTuple):
    """The bounds that a verdict rests on; None where there is none, or all is known."""

    score: Bound | None = None
    rate: Bound | None = None


def fails_by(claim: ClaimResult, criterion: Criterion) -> tuple[bool, bool]:
    """Whether score and rate speak against the claim, judged by the estimates, since the evidence is for either."""
    rate, limit = claim.ridiculous.value, criterion.ridiculous_limit
    most = claim.score.value if claim.score_range is None else claim.score_range.upper
    low = most is not None and most < criterion.passing_grade
    frequent = limit is not None and (claim.ridiculous.interval.lower if rate is None else rate) > limit
    return low or not frequent, frequent


def shown_of(claim: ClaimResult, criterion: Criterion) -> Shown:
    """The bounds by which the verdict on a claim was reached."""
    grade, limit = criterion.passing_grade, criterion.ridiculous_limit
    score, rate = claim.score.interval, claim.ridiculous.interval
    if claim.complete or claim.verdict is Verdict.UNDECIDED:
        return Shown()
    if claim.verdict is Verdict.PASS:
        rare = None if limit is None else Bound("at most", min(limit, rate.upper), limit)
        return Shown(Bound("at least", max(grade, score.lower), grade), rare)
    low, frequent = fails_by(claim, criterion)
    by_score, by_rate = score.upper < grade, limit is not None and rate.lower > limit
    return Shown(
        Bound("below", min(grade, score.upper), grade) if low and (by_score or not frequent) else None,
        Bound("above", max(limit, rate.lower), limit) if limit is not None and frequent and (by_rate or not low) else None,
    )


def in_figures(claim: ClaimResult, criterion: Criterion, claimed: str = "", *, joined: str = "; ") -> str:
    """What was measured of a claim, shown and required, in a clause: of a failure what speaks for it.

    claimed: what the passing grade is required of, as a subject; empty: the share that is correct.
    joined: what stands between score and ridiculous answers.
    """
    if claim.score.value is None and claim.verdict is Verdict.UNDECIDED:
        return ""
    low, frequent = fails_by(claim, criterion) if claim.verdict is Verdict.FAIL else (True, True)
    limit, shown = criterion.ridiculous_limit, shown_of(claim, criterion)
    clauses = []
    if low:
        told = measured(claim.score, claim.score_range, criterion.passing_grade)
        correct = _with_bound(told, shown.score, "{} correct" if not claimed else claimed + " is {}")
        clauses.append(f"{correct}, {exactly(criterion.passing_grade)} required")
    if frequent and limit is not None:
        told = measured(claim.ridiculous, claim.ridiculous_range, limit)
        clauses.append(f"{_with_bound(told, shown.rate, '{} ridiculous')}, at most {exactly(limit)} allowed")
    return (", or " if claim.verdict is Verdict.FAIL else joined).join(clauses)


def requirement(criterion: Criterion, claimed: str = "") -> str:
    """What is required, in a clause; `claimed` as in `in_figures`.

    >>> requirement(Criterion(0.7, 0.01)), requirement(Criterion(0.7, None))
    ('70% correct required, at most 1% ridiculous allowed', '70% correct required')
    """
    grade, limit = exactly(criterion.passing_grade), criterion.ridiculous_limit
    clauses = [f"{claimed} must be at least {grade}" if claimed else f"{grade} correct required"]
    return ", ".join(clauses if limit is None else [*clauses, f"at most {exactly(limit)} ridiculous allowed"])


def of_several(claims: Sequence[ClaimResult], criterion: Criterion) -> str:
    """The least and the most that was measured of several claims, and what is required of each; empty where nothing was."""
    limit = criterion.ridiculous_limit
    scores = _least_and_most([(one.score, one.score_range) for one in claims])
    rates = _least_and_most([(one.ridiculous, one.ridiculous_range) for one in claims])
    if scores is None or rates is None:
        return ""
    correct = f"{_from_to(scores, criterion.passing_grade)} correct, {exactly(criterion.passing_grade)} required"
    if limit is None:
        return correct
    return f"{correct}; {_from_to(rates, limit)} ridiculous, at most {exactly(limit)} allowed"


def measured(found: Estimate, ends: Interval | None, limit: float, unit: Unit = "%") -> str:
    """What was measured: a number, or from the least to the most that it may be, where some replies could not be graded.

    >>> found = Estimate(0.6, Interval(0.5, 0.9), 20)
    >>> measured(found, Interval(0.6, 0.8), 0.7), measured(found, None, 0.7)
    ('between 60% and 80%', '60%')
    """
    if found.value is None:
        return UNKNOWN
    return _between(Interval(found.value, found.value) if ends is None else ends, limit, unit)


def score_in_cell(claim: ClaimResult, criterion: Criterion) -> Cell:
    """The mean score with the bound that was shown; without a verdict by bounds, with its interval."""
    shown = shown_of(claim, criterion).score
    text = measured(claim.score, claim.score_range, criterion.passing_grade, "")
    return _cell(claim.score, text, score_interval(claim.score.interval) if shown is None else shown.in_cell(""))


def rate_in_cell(claim: ClaimResult, criterion: Criterion) -> Cell:
    """The rate of ridiculous answers, likewise."""
    shown = shown_of(claim, criterion).rate
    text = measured(claim.ridiculous, claim.ridiculous_range, criterion.ridiculous_limit or 0.0)
    return _cell(claim.ridiculous, text, percent_interval(claim.ridiculous.interval) if shown is None else shown.in_cell("%"))


def _cell(found: Estimate, text: str, beside_it: str) -> Cell:
    if found.value is None:
        return Cell(text, interval=beside_it, known=False)
    return Cell(text, found.value, found.interval, beside_it)


def _with_bound(told: str, bound: Bound | None, sentence: str) -> str:
    """A measured value in its sentence with the bound that was shown; where nothing was measured, the bound in its place."""
    if bound is None:
        return sentence.format(told)
    return sentence.format(bound.words()) if told == UNKNOWN else f"{sentence.format(told)} (shown: {bound.words()})"


def _between(ends: Interval, limit: float, unit: Unit = "%") -> str:
    least, most = beside(ends.lower, limit, unit), beside(ends.upper, limit, unit)
    return least if least == most else f"between {least} and {most}"


def _from_to(ends: Interval, limit: float) -> str:
    least, most = beside(ends.lower, limit), beside(ends.upper, limit)
    return least if least == most else f"{least} to {most}"


def _least_and_most(found: Sequence[tuple[Estimate, Interval | None]]) -> Interval | None:
    ends = [ends or Interval(one.value, one.value) for one, ends in found if one.value is not None]
    return Interval(min(one.lower for one in ends), max(one.upper for one in ends)) if ends else None
