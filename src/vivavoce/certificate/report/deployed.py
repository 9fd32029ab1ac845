"""Two verdicts on the same answers, side by side: as a whole, and as people will use it."""

from __future__ import annotations

from dataclasses import replace

from vivavoce.certificate.attempts import Attempt
from vivavoce.certificate.report.attempts import spending
from vivavoce.certificate.report.numbers import required_rate, required_score
from vivavoce.certificate.verdict import Criterion, Verdict
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import count, score_interval, share, share_interval
from vivavoce.report.blocks import Column, Fold, Row, Table
from vivavoce.report.cells import Cell, count_cell, observations
from vivavoce.report.parts import method_of
from vivavoce.scopes.unit_laws import BrokenLaws

Both = tuple[Cell, Cell]
"""As a whole, and as people will use it."""


def both_verdicts(verdicts: tuple[Verdict, Verdict]) -> str:
    """Both in a few words."""
    whole, deployed = verdicts
    return f"{whole.value} as a whole; {deployed.value} as used"


def side_by_side(*rows: Row) -> Table:
    """Both verdicts in figures."""
    heads = (("What", "what"), ("As a whole", "as a whole"), ("As people will use it", "as used"), ("Required", "required"))
    return Table(tuple(Column(head, short=short) for head, short in heads), rows)


def verdict_row(verdicts: tuple[Verdict, Verdict]) -> Row:
    """What was concluded."""
    whole, deployed = verdicts
    return _row("Verdict", (Cell(whole.value), Cell(deployed.value)), "")


def score_row(cells: Both, criterion: Criterion) -> Row:
    """Mean scores beside the passing grade."""
    return _row("Mean score", cells, required_score(criterion))


def ridiculous_row(cells: Both, criterion: Criterion) -> Row:
    """Rates of ridiculous answers beside the limit."""
    return _row("Ridiculous answers", cells, required_rate(criterion))


def questions_row(numbers: tuple[int, int], scope_size: int | None) -> Row:
    """On how many questions each verdict rests."""
    whole, deployed = map(count_cell, numbers)
    return _row("Questions it rests on", (whole, deployed), f"of {count(scope_size or 0)} in the file")


def laws_row(whole: BrokenLaws | None, deployed: BrokenLaws | None) -> tuple[Row, ...]:
    """How many laws were broken, where there are any."""
    if whole is None or deployed is None:
        return ()
    cells = (_of_judged(whole), _of_judged(deployed))
    return (_row("Broken laws", cells, "of those that could be judged", short="of those judged"),)


def interval_rows(scores: tuple[Estimate, Estimate], rates: tuple[Estimate, Estimate]) -> tuple[Row, Row]:
    """The two-sided intervals, of which bounds show one side above."""
    score_ends = (Cell(score_interval(scores[0].interval)), Cell(score_interval(scores[1].interval)))
    rate_ends = (Cell(share_interval(rates[0].interval)), Cell(share_interval(rates[1].interval)))
    return (
        _row("Interval of the score", score_ends, "two-sided"),
        _row("Interval of the rate", rate_ends, "two-sided"),
    )


def counted_below(cell: Cell, found: Estimate) -> Cell:
    """A number with its observations below it: a row of their own says them again where there is little room."""
    return replace(cell, below=(observations(found.n),))


def use(most_used: float) -> str:
    """How unevenly people will use it, in a sentence."""
    return f"People will put {share(most_used)} of all their questions to the tenth of the file that they ask most."


def method(delta: float, attempt: Attempt | None) -> Fold:
    """How the verdicts were reached."""
    return method_of([*_METHOD, *filter(None, (spending(delta, attempt).strip(),))])


_METHOD = (
    "Questions are drawn evenly, each once in random order, and answers are taken in the order of drawing. For the first "
    "verdict each answer counts the same. For the second it counts by how often people will ask its question, as far as the "
    "heaviest question allows (importance weights with a cap).",
    "Each verdict is given at half of the attempt's share of δ, so that either of the two is wrong with probability at most "
    "that share, however often one looks (anytime-valid).",
    "How often people will ask each question comes from what they believe the candidate can do, by the rule that the file of "
    "questions was written with.",
)


def _row(what: str, cells: Both, required: str, *, short: str = "") -> Row:
    return Row(Cell(what), (*cells, Cell(required, short=short, quiet=True)))


def _of_judged(laws: BrokenLaws) -> Cell:
    return Cell(f"{count(laws.count)} of {count(laws.judged)}", laws.count)
