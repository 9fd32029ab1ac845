"""The numbers of certificates: what was found of each, and what was required."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from vivavoce.certificate.claims import ClaimResult
from vivavoce.certificate.order import ScoreOrder
from vivavoce.certificate.report.bounds import rate_in_cell, score_in_cell, shown_of
from vivavoce.certificate.verdict import Criterion, Stratum
from vivavoce.formats.wording import clipped, count, exactly, score, score_interval, share, share_interval
from vivavoce.interview.candidate import Usage
from vivavoce.report.blocks import Column, Row, Table
from vivavoce.report.cells import Cell, count_cell
from vivavoce.scopes.unit_laws import BrokenLaws

MEAN_SCORE: Final = "Mean score"
SHOWN_STRATUM: Final = 60
NOT_LIMITED: Final = "not limited"
_NEXT_TO_NOTHING: Final = 0.01
_HUGE: Final = 1_000_000
"""E-values below the first and above the second are all the same to a reader."""


def numbers(*rows: Row) -> Table:
    """The findings in figures: what, how much with its interval and n, and what was required."""
    return Table((Column("What", short="what"), Column("Found", short="found"), Column("Required", short="required")), rows)


def mean_score(claim: ClaimResult, criterion: Criterion, what: str = MEAN_SCORE) -> Row:
    """The mean score, or what else the passing grade is required of, beside the passing grade."""
    return Row(Cell(what), (score_in_cell(claim, criterion).with_n(claim.score.n), Cell(required_score(criterion))))


def ridiculous_answers(claim: ClaimResult, criterion: Criterion) -> Row:
    """Their rate beside the limit."""
    return Row(
        Cell("Ridiculous answers"), (rate_in_cell(claim, criterion).with_n(claim.ridiculous.n), Cell(required_rate(criterion)))
    )


def two_sided(claim: ClaimResult, criterion: Criterion) -> tuple[Row, ...]:
    """The two-sided intervals in rows of their own, where one-sided bounds stand beside the values."""
    shown = shown_of(claim, criterion)
    rows = (
        (shown.score, "Interval of the score", score_interval(claim.score.interval)),
        (shown.rate, "Interval of the rate", share_interval(claim.ridiculous.interval)),
    )
    return tuple(Row(Cell(name), (Cell(ends), Cell("two-sided"))) for bound, name, ends in rows if bound is not None)


def number(what: str, found: int, required: str = "", *, short: str = "") -> Row:
    """Something that was counted; `short`: what was required, where there is little room."""
    return Row(Cell(what), (count_cell(found), Cell(required, short=short)))


def any_number(what: str, found: int, required: str = "", *, short: str = "") -> tuple[Row, ...]:
    """The same where there is any."""
    return (number(what, found, required, short=short),) if found else ()


def change_over_time(order: ScoreOrder | None) -> tuple[Row, ...]:
    """What speaks for a change of the candidate while it was asked, and where."""
    return () if order is None else (Row(Cell("Change over time"), (_changed(order), Cell("not part of the verdict"))),)


def broken_laws(laws: BrokenLaws | None) -> tuple[Row, ...]:
    """How many laws were broken, where there are any."""
    return () if laws is None else (number("Broken laws", laws.count, f"of {count(laws.judged)} that could be judged"),)


def spent(spending: Usage) -> tuple[Row, ...]:
    """Tokens and money, where they were counted."""
    money = Cell(f"{spending.money:.2f}", spending.money)
    return (
        *any_number("Tokens", spending.tokens),
        *((Row(Cell("Money"), (money, Cell("at the given prices"))),) if spending.money else ()),
    )


def strata(found: Sequence[Stratum]) -> tuple[Table, ...]:
    """For each stratum its share, questions, ridiculous answers and mean score; nothing where there are none."""
    if not found:
        return ()
    columns = (
        Column("Stratum", short="stratum"),
        Column("Share", short="share", number=True),
        Column("Questions", short="questions", number=True),
        Column("Ridiculous", short="ridiculous", number=True),
        Column("Mean score", short="mean score", number=True),
    )
    return (Table(columns, tuple(map(_stratum, found))),)


def required_score(criterion: Criterion) -> str:
    """The passing grade, as a requirement."""
    return f"at least {exactly(criterion.passing_grade, '')}"


def required_rate(criterion: Criterion) -> str:
    """The limit on ridiculous answers, as a requirement."""
    return NOT_LIMITED if criterion.ridiculous_limit is None else f"at most {exactly(criterion.ridiculous_limit)}"


def size(scope_size: int | None) -> str:
    """How large the scope is."""
    return "an endless scope" if scope_size is None else f"{count(scope_size)} in the scope"


def between(least: float, most: float | None, write: Callable[[float], str]) -> str:
    """A number, or from the least to the most that it may be.

    >>> between(0.5, 0.501, score), between(0.5, 0.75, score)
    ('0.50', '0.50 to 0.75')
    """
    return write(least) if most is None or write(most) == write(least) else f"{write(least)} to {write(most)}"


def _changed(order: ScoreOrder) -> Cell:
    if not order.changed:
        beyond = "e < 0.01" if order.e_value < _NEXT_TO_NOTHING else f"e = {order.e_value:.2g}"
        return Cell(f"none to be seen, {beyond}", order.e_value)
    value = f"e = {order.e_value:,.0f}" if order.e_value < _HUGE else f"e > {_HUGE:,}"
    before, since, after = score(order.before), score(order.since), count(order.after)
    return Cell(
        f"{before} in the first {after}, {since} in the {count(order.units - order.after)} after, {value}",
        order.e_value,
        short=f"{before}, then {since} after {after}, {value}",
    )


def _stratum(stratum: Stratum) -> Row:
    if stratum.score is None:
        mean = Cell("unknown", known=False)
    else:
        mean = Cell(between(stratum.score, stratum.upper, score), stratum.score)
    return Row(
        Cell(clipped(stratum.name, SHOWN_STRATUM) or "(no category)"),
        (Cell(share(stratum.mass), stratum.mass), count_cell(stratum.questions), count_cell(stratum.ridiculous), mean),
    )
