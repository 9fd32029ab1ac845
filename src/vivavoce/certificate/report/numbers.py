"""Numbers of certificates: measured, shown and required values, and the wording of verdicts.

Verdicts come from one-sided tests, so the report shows a bound on one side only: the requirement itself, or the end of the
two-sided interval if that says more. Such a bound is wrong with probability at most delta. Take a pass with its lower bound. If
the true value meets the requirement, the bound is wrong only if the lower end of the interval is. If the true value does not,
the bound is wrong only if the verdict is. Each event has a probability of at most delta, and only one of them is possible for a
given candidate. A failure is the mirror.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple

from vivavoce.certificate.claims.claim import Criterion, Stratum, Verdict, brief
from vivavoce.certificate.claims.results import ClaimResult
from vivavoce.certificate.evidence.inference import ScoreOrder
from vivavoce.certificate.report.caveats import UngradedReplies
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import (
    Unit,
    at_least,
    at_most,
    clipped,
    count,
    exactly,
    numbered,
    off_limit,
    percent_interval,
    score,
    score_interval,
    share,
    share_interval,
    with_technical,
)
from vivavoce.interview.candidate import Usage
from vivavoce.report import blocks
from vivavoce.report.blocks import Column, Paragraph, ReportRow, ReportTable, ResultLine, Tile, Tiles, notes
from vivavoce.report.cells import TableCell, Tone, count_cell
from vivavoce.report.figures import IntervalRow, IntervalRows, Kind
from vivavoce.scopes.unit_laws import BrokenLaws

UNKNOWN: Final = "unknown"
_SIGNS: Final = {"at least": "≥", "at most": "≤", "below": "<", "above": ">"}


@dataclass(frozen=True, slots=True)
class Bound:
    """A one-sided bound that decided a verdict."""

    side: Literal["at least", "at most", "below", "above"]
    value: float
    required: float
    """The limit that it was compared with."""

    def words(self) -> str:
        """The bound with its side, in percent.

        >>> Bound("at most", 0.0098, 0.01).words()
        'at most 0.98%'
        """
        return f"{self.side} {self._number('%')}"

    @property
    def region(self) -> Interval:
        """The values that the bound leaves.

        >>> Bound("at least", 0.83, 0.7).region, Bound("below", 0.6912, 0.7).region
        (Interval(lower=0.83, upper=1.0), Interval(lower=0.0, upper=0.6912))
        """
        return Interval(self.value, 1.0) if self.side in ("at least", "above") else Interval(0.0, self.value)

    def in_cell(self, unit: Unit) -> str:
        """The same as a table cell.

        >>> Bound("below", 0.6912, 0.7).in_cell("")
        '(< 0.70)'
        """
        return f"({_SIGNS[self.side]} {self._number(unit)})"

    def _number(self, unit: Unit) -> str:
        write = at_least if self.side in ("at least", "above") else at_most
        return write(self.value, self.required, unit)


class ShownBounds(NamedTuple):
    """The bounds that decided a verdict; None without a verdict, or if all is known."""

    score: Bound | None = None
    rate: Bound | None = None


def fails_by(claim: ClaimResult, criterion: Criterion) -> tuple[bool, bool]:
    """Whether score and rate speak against the claim, by the estimates, since the evidence covers both together."""
    rate, limit = claim.unacceptable.value, criterion.unacceptable_limit
    most = claim.score.value if claim.score_range is None else claim.score_range.upper
    low = most is not None and most < criterion.passing_grade
    frequent = limit is not None and (claim.unacceptable.interval.lower if rate is None else rate) > limit
    return low or not frequent, frequent


def shown_of(claim: ClaimResult, criterion: Criterion) -> ShownBounds:
    """The bounds that decided the verdict on a claim."""
    grade, limit = criterion.passing_grade, criterion.unacceptable_limit
    score, rate = claim.score.interval, claim.unacceptable.interval
    if claim.complete or claim.verdict is Verdict.UNDECIDED:
        return ShownBounds()
    if claim.verdict is Verdict.PASS:
        rare = None if limit is None else Bound("at most", min(limit, rate.upper), limit)
        return ShownBounds(Bound("at least", max(grade, score.lower), grade), rare)
    low, frequent = fails_by(claim, criterion)
    by_score, by_rate = score.upper < grade, limit is not None and rate.lower > limit
    return ShownBounds(
        Bound("below", min(grade, score.upper), grade) if low and (by_score or not frequent) else None,
        Bound("above", max(limit, rate.lower), limit) if limit is not None and frequent and (by_rate or not low) else None,
    )


def in_figures(
    claim: ClaimResult, criterion: Criterion, claimed: str = "", *, joined: str = "; ", deciding: bool = False
) -> str:
    """The measured, shown and required values of a claim, in a clause; for a failure only those behind it.

    claimed: the quantity that must reach the passing grade, as a subject; empty: the share that is correct.
    joined: the text between score and unacceptable answers.
    deciding: without bounds, and of a pass only the score.
    """
    if claim.score.value is None and claim.verdict is Verdict.UNDECIDED:
        return ""
    low, frequent = fails_by(claim, criterion) if claim.verdict is Verdict.FAIL else (True, not deciding)
    limit, shown = criterion.unacceptable_limit, ShownBounds() if deciding else shown_of(claim, criterion)
    clauses = []
    if low:
        text = measured(claim.score, claim.score_range, criterion.passing_grade)
        correct = _with_bound(text, shown.score, "{} correct" if not claimed else claimed + " is {}")
        clauses.append(f"{correct}, {exactly(criterion.passing_grade)} required")
    if frequent and limit is not None:
        text = measured(claim.unacceptable, claim.unacceptable_range, limit)
        clauses.append(f"{_with_bound(text, shown.rate, '{} unacceptable')}, at most {exactly(limit)} allowed")
    return (", or " if claim.verdict is Verdict.FAIL else joined).join(clauses)


def requirement(criterion: Criterion, claimed: str = "") -> str:
    """The requirements, in a clause; `claimed` as in `in_figures`.

    >>> requirement(Criterion(0.7, 0.01)), requirement(Criterion(0.7, None))
    ('70% correct required, at most 1% unacceptable allowed', '70% correct required')
    """
    grade, limit = exactly(criterion.passing_grade), criterion.unacceptable_limit
    clauses = [f"{claimed} must be at least {grade}" if claimed else f"{grade} correct required"]
    return ", ".join(clauses if limit is None else [*clauses, f"at most {exactly(limit)} unacceptable allowed"])


def of_several(claims: Sequence[ClaimResult], criterion: Criterion) -> str:
    """The range of measured values over several claims, and the requirements; empty if nothing was measured."""
    limit = criterion.unacceptable_limit
    scores = _least_and_most([(result.score, result.score_range) for result in claims])
    rates = _least_and_most([(result.unacceptable, result.unacceptable_range) for result in claims])
    if scores is None or rates is None:
        return ""
    correct = f"{_from_to(scores, criterion.passing_grade)} correct, {exactly(criterion.passing_grade)} required"
    if limit is None:
        return correct
    return f"{correct}; {_from_to(rates, limit)} unacceptable, at most {exactly(limit)} allowed"


def measured(estimate: Estimate, ends: Interval | None, limit: float, unit: Unit = "%") -> str:
    """The measured value: a number, or a range if some replies could not be graded.

    >>> estimate = Estimate(0.6, Interval(0.5, 0.9), 20)
    >>> measured(estimate, Interval(0.6, 0.8), 0.7), measured(estimate, None, 0.7)
    ('between 60% and 80%', '60%')
    """
    if estimate.value is None:
        return UNKNOWN
    return _between(Interval(estimate.value, estimate.value) if ends is None else ends, limit, unit)


def score_in_cell(claim: ClaimResult, criterion: Criterion) -> TableCell:
    """The mean score with the bound that was shown; without a verdict by bounds, with its interval."""
    shown = shown_of(claim, criterion).score
    text = measured(claim.score, claim.score_range, criterion.passing_grade, "")
    return _cell(claim.score, text, score_interval(claim.score.interval) if shown is None else shown.in_cell(""))


def rate_in_cell(claim: ClaimResult, criterion: Criterion) -> TableCell:
    """The rate of unacceptable answers."""
    shown = shown_of(claim, criterion).rate
    text = measured(claim.unacceptable, claim.unacceptable_range, criterion.unacceptable_limit or 0.0)
    return _cell(
        claim.unacceptable, text, percent_interval(claim.unacceptable.interval) if shown is None else shown.in_cell("%")
    )


def _cell(estimate: Estimate, text: str, beside_it: str) -> TableCell:
    if estimate.value is None:
        return TableCell(text, interval=beside_it, known=False)
    return TableCell(text, estimate.value, estimate.interval, beside_it)


def _with_bound(text: str, bound: Bound | None, sentence: str) -> str:
    """A measured value in its sentence with the bound that was shown; where nothing was measured, the bound in its place."""
    if bound is None:
        return sentence.format(text)
    return sentence.format(bound.words()) if text == UNKNOWN else f"{sentence.format(text)} (shown: {bound.words()})"


def _between(ends: Interval, limit: float, unit: Unit = "%") -> str:
    least, most = off_limit(ends.lower, limit, unit), off_limit(ends.upper, limit, unit)
    return least if least == most else f"between {least} and {most}"


def _from_to(ends: Interval, limit: float) -> str:
    least, most = off_limit(ends.lower, limit), off_limit(ends.upper, limit)
    return least if least == most else f"{least} to {most}"


def _least_and_most(rows: Sequence[tuple[Estimate, Interval | None]]) -> Interval | None:
    ends = [ends or Interval(estimate.value, estimate.value) for estimate, ends in rows if estimate.value is not None]
    return Interval(min(interval.lower for interval in ends), max(interval.upper for interval in ends)) if ends else None


TONES: Final[Mapping[Verdict, Tone]] = {
    Verdict.PASS: "good",
    Verdict.FAIL: "bad",
    Verdict.UNDECIDED: "open",
}
KINDS: Final[Mapping[Verdict, Kind]] = TONES
SHOWN_NAME: Final = 300
"""Characters of a name on record."""


def shown_verdict(verdict: Verdict, words: str = "") -> blocks.VerdictLabel:
    """A verdict with its meaning; `words` replaces its usual words."""
    return blocks.VerdictLabel((words or verdict.value).capitalize(), TONES[verdict])


def overall(verdicts: Collection[Verdict]) -> Verdict:
    """The joint verdict on several: pass only if all pass, fail if any fails.

    >>> overall([Verdict.PASS, Verdict.UNDECIDED])
    <Verdict.UNDECIDED: 'undecided'>
    """
    deciding = (Verdict.FAIL, Verdict.UNDECIDED, Verdict.PASS)
    return next(verdict for verdict in deciding if verdict in verdicts)


def names(shown: tuple[str, str], scopes: Sequence[tuple[str, str]]) -> tuple[Paragraph, ...]:
    """Candidate and scopes with their names on record, if display names are shown; each with its display name."""
    lines = [("Candidate", *shown), *(("Scope", title, brief(scope)) for title, scope in scopes)]
    return notes(*(f"{what}: {with_technical(text, clipped(name, SHOWN_NAME))}" for what, text, name in lines if text != name))


def further_questions(still_needed: int | None) -> str:
    """The sentence after the verdict: the questions still needed, if known."""
    if still_needed is None:
        return ""
    return f"A verdict needs about {count(still_needed)} more {'question' if still_needed == 1 else 'questions'}."


MEAN_SCORE: Final = "Mean score"
SHOWN_STRATUM: Final = 60
NOT_LIMITED: Final = "not limited"
_NEXT_TO_NOTHING: Final = 0.01
_HUGE: Final = 1_000_000
"""E-values below the first and above the second are not written out."""


def numbers(*rows: ReportRow) -> ReportTable:
    """A table of figures: quantity, value with interval and n, requirement."""
    return ReportTable(
        (Column("What", short="what"), Column("Found", short="found"), Column("Required", short="required")), rows
    )


def tiles(claim: ClaimResult, criterion: Criterion, what: str) -> Tiles:
    """The deciding numbers of a claim: score, unacceptable answers, questions.

    what: the label of the score.
    """
    grade, limit, shown = criterion.passing_grade, criterion.unacceptable_limit, shown_of(claim, criterion)
    correct = measured(claim.score, claim.score_range, grade)
    rare = measured(claim.unacceptable, claim.unacceptable_range, limit or 0.0)
    unread = UngradedReplies.of(claim.replies, max(1, claim.questions)).count
    return Tiles(
        (
            Tile(what, correct, (*_shown(shown.score), f"required: at least {exactly(grade)}"), _bar(claim, criterion)),
            Tile(
                "Unacceptable answers",
                rare,
                (*_shown(shown.rate), "not limited" if limit is None else f"allowed: at most {exactly(limit)}"),
            ),
            Tile(
                "Questions asked",
                count(claim.questions),
                (f"{count(unread)} could not be graded", f"{count(claim.replies.no_answers)} without an answer"),
            ),
        )
    )


def result(claim: ClaimResult, criterion: Criterion, title: str, claimed: str = "") -> ResultLine:
    """The verdict on one of several claims, with its deciding number on a scale.

    claimed: as in `in_figures`.
    """
    low, frequent = fails_by(claim, criterion) if claim.verdict is Verdict.FAIL else (True, False)
    grade, limit, shown = criterion.passing_grade, criterion.unacceptable_limit, shown_of(claim, criterion)
    value = measured(claim.score, claim.score_range, grade)
    correct, rare = f"{claimed} is {value}" if claimed else f"{value} correct", ""
    if limit is not None:
        rare = f"{measured(claim.unacceptable, claim.unacceptable_range, limit)} unacceptable, {exactly(limit)} allowed"
    asked = numbered(claim.questions, "question")
    if low or not frequent:
        value, bounds, bar = f"{correct}, {exactly(grade)} required", _shown(shown.score), _bar(claim, criterion)
        about = "; ".join(filter(None, (asked, rare)))
    else:
        value, bounds, bar = rare, _shown(shown.rate), _rate_bar(claim, limit or 0.0, shown.rate)
        about = f"{asked}; {correct}"
    about = claim.why_not or about
    row = replace(bar.rows[0], kind=KINDS[claim.verdict])
    value = "; ".join((value, *bounds))
    return ResultLine(shown_verdict(claim.verdict), title, about, value, replace(bar, rows=(row,)))


def _bar(claim: ClaimResult, criterion: Criterion) -> IntervalRows:
    """The score with the bound that the verdict rests on, or with its interval, and the line that it must reach."""
    required, ends = f"required {exactly(criterion.passing_grade)}", claim.score_range
    row, interval = _with_region(claim.score, ends, shown_of(claim, criterion).score)
    alt = f"{measured(claim.score, ends, criterion.passing_grade)}, {interval}; {required}."
    return IntervalRows("", (row,), criterion.passing_grade, required, alt)


def _rate_bar(claim: ClaimResult, limit: float, shown: Bound | None) -> IntervalRows:
    """The rate of unacceptable answers in the same way, and the limit."""
    rate, ends, allowed = claim.unacceptable, claim.unacceptable_range, f"allowed {exactly(limit)}"
    row, interval = _with_region(rate, ends, shown)
    alt = f"{measured(rate, ends, limit)}, {interval}; {allowed}."
    span = (0.0, min(1.0, 1.1 * max(limit, rate.interval.upper)))
    return IntervalRows("", (row,), limit, allowed, alt, span=span)


def _with_region(estimate: Estimate, ends: Interval | None, shown: Bound | None) -> tuple[IntervalRow, str]:
    """The row of a bar with the region of its bound, and the bound in words; without a bound, both of the interval."""
    row = IntervalRow.of("", "", estimate, ends=ends)
    if shown is None:
        return row, f"interval {percent_interval(estimate.interval)}"
    return row.within(shown.region, (shown.value, shown.words())), f"shown: {shown.words()}"


def _shown(bound: Bound | None) -> tuple[str, ...]:
    return () if bound is None else (f"shown: {bound.words()}",)


def mean_score(claim: ClaimResult, criterion: Criterion, what: str = MEAN_SCORE) -> ReportRow:
    """The mean score, or another quantity of the claim, and the passing grade."""
    return ReportRow(
        TableCell(what), (score_in_cell(claim, criterion).with_n(claim.score.n), TableCell(required_score(criterion)))
    )


def unacceptable_answers(claim: ClaimResult, criterion: Criterion) -> ReportRow:
    """Their rate and the limit."""
    return ReportRow(
        TableCell("Unacceptable answers"),
        (rate_in_cell(claim, criterion).with_n(claim.unacceptable.n), TableCell(required_rate(criterion))),
    )


def two_sided(claim: ClaimResult, criterion: Criterion) -> tuple[ReportRow, ...]:
    """Rows of two-sided intervals, for values shown with one-sided bounds."""
    shown = shown_of(claim, criterion)
    rows = (
        (shown.score, "Interval of the score", score_interval(claim.score.interval)),
        (shown.rate, "Interval of the rate", share_interval(claim.unacceptable.interval)),
    )
    return tuple(
        ReportRow(TableCell(name), (TableCell(ends), TableCell("two-sided"))) for bound, name, ends in rows if bound is not None
    )


def number(what: str, value: int, required: str = "", *, short: str = "") -> ReportRow:
    """A count as a table row; `short`: the requirement for narrow screens."""
    return ReportRow(TableCell(what), (count_cell(value), TableCell(required, short=short)))


def any_number(what: str, value: int, required: str = "", *, short: str = "") -> tuple[ReportRow, ...]:
    """The same row, if the count is not 0."""
    return (number(what, value, required, short=short),) if value else ()


def change_over_time(order: ScoreOrder | None) -> tuple[ReportRow, ...]:
    """The evidence for a change of the candidate during the examination, and its position."""
    return (
        ()
        if order is None
        else (ReportRow(TableCell("Change over time"), (_changed(order), TableCell("not part of the verdict"))),)
    )


def broken_laws(laws: BrokenLaws | None) -> tuple[ReportRow, ...]:
    """How many laws were broken, where there are any."""
    return () if laws is None else (number("Broken laws", laws.count, f"of {count(laws.judged)} that could be judged"),)


def spent(spending: Usage) -> tuple[ReportRow, ...]:
    """Tokens and money, where they were counted."""
    money = TableCell(f"{spending.money:.2f}", spending.money)
    return (
        *any_number("Tokens", spending.tokens),
        *((ReportRow(TableCell("Money"), (money, TableCell("at the given prices"))),) if spending.money else ()),
    )


def strata(estimates: Sequence[Stratum]) -> tuple[ReportTable, ...]:
    """For each stratum its share, questions, unacceptable answers and mean score; nothing if there are none."""
    if not estimates:
        return ()
    columns = (
        Column("Stratum", short="stratum"),
        Column("Share", short="share", number=True),
        Column("Questions", short="questions", number=True),
        Column("Unacceptable", short="unacceptable", number=True),
        Column("Mean score", short="mean score", number=True),
    )
    return (ReportTable(columns, tuple(map(_stratum, estimates))),)


def required_score(criterion: Criterion) -> str:
    """The passing grade, as a requirement."""
    return f"at least {exactly(criterion.passing_grade, '')}"


def required_rate(criterion: Criterion) -> str:
    """The limit on unacceptable answers, as a requirement."""
    return NOT_LIMITED if criterion.unacceptable_limit is None else f"at most {exactly(criterion.unacceptable_limit)}"


def size(scope_size: int | None) -> str:
    """How large the scope is."""
    return "an endless scope" if scope_size is None else f"{count(scope_size)} in the scope"


def between(least: float, most: float | None, write: Callable[[float], str]) -> str:
    """A number, or from the least to the most that it may be.

    >>> between(0.5, 0.501, score), between(0.5, 0.75, score)
    ('0.50', '0.50 to 0.75')
    """
    return write(least) if most is None or write(most) == write(least) else f"{write(least)} to {write(most)}"


def _changed(order: ScoreOrder) -> TableCell:
    if not order.changed:
        beyond = "e < 0.01" if order.e_value < _NEXT_TO_NOTHING else f"e = {order.e_value:.2g}"
        return TableCell(f"none to be seen, {beyond}", order.e_value)
    value = f"e = {order.e_value:,.0f}" if order.e_value < _HUGE else f"e > {_HUGE:,}"
    before, since, after = score(order.score_before), score(order.score_since), count(order.change_after)
    return TableCell(
        f"{before} in the first {after}, {since} in the {count(order.units - order.change_after)} after, {value}",
        order.e_value,
        short=f"{before}, then {since} after {after}, {value}",
    )


def _stratum(stratum: Stratum) -> ReportRow:
    if stratum.score is None:
        mean = TableCell("unknown", known=False)
    else:
        mean = TableCell(between(stratum.score, stratum.upper, score), stratum.score)
    return ReportRow(
        TableCell(clipped(stratum.name, SHOWN_STRATUM) or "(no category)"),
        (TableCell(share(stratum.mass), stratum.mass), count_cell(stratum.questions), count_cell(stratum.unacceptable), mean),
    )
