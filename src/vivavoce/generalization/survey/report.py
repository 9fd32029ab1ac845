"""What a survey of belief changes reports: how often beliefs changed, whereto, and who was asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import count
from vivavoce.generalization.survey.figures import Direction, Spread, Stage
from vivavoce.report.blocks import Column, Figure, Row, Table
from vivavoce.report.cells import Cell, count_cell, score_cell, share_cell, signed_cell

UNKNOWN = "too little to say"


@dataclass(frozen=True, slots=True)
class StagesFigure:
    """How often beliefs changed in each stage."""

    plot: ClassVar[str] = "vivavoce.generalization.survey.plots:stages_drawing"
    stages: tuple[Stage, ...]


@dataclass(frozen=True, slots=True)
class BeliefsFigure:
    """Beliefs before and after (Figure 5 of `vafa2024`)."""

    plot: ClassVar[str] = "vivavoce.generalization.survey.plots:beliefs_drawing"
    spread: Spread


@dataclass(frozen=True, slots=True)
class ChangesFigure:
    """How far beliefs moved (Figure 5 of `vafa2024`)."""

    plot: ClassVar[str] = "vivavoce.generalization.survey.plots:changes_drawing"
    spread: Spread


def drawn(spread: Spread | None) -> tuple[Figure, ...]:
    """How beliefs and their changes are spread; nothing where only changes are known."""
    return () if spread is None else (Figure(BeliefsFigure(spread)), Figure(ChangesFigure(spread)))


def table(*parts: Sequence[Row]) -> Table:
    """All figures, a line each."""
    return Table((Column("What"), Column("Here"), Column("Answers")), tuple(row for rows in parts for row in rows))


def changes(changed: Estimate, stages: Sequence[Stage]) -> list[Row]:
    """How often beliefs changed: on the whole, and by stage where there are several."""
    rows = [_share("Answers that changed a belief", changed)]
    for stage in stages:
        if stage.stage is None and len(stages) == 1:
            name = ""
        else:
            name = f" in stage {stage.stage}" if stage.stage is not None else " without a stage"
            rows.append(_share(f"Changed{name}", stage.changed))
        if stage.weighted is not None:
            rows.append(_share(f"Of all pairs of the pool{name}, by weights", stage.weighted, f"Changed{name}, weighted"))
    return rows


def directions(after_right: Direction, after_wrong: Direction) -> list[Row]:
    """What a right answer and a wrong one did to beliefs."""
    return _directed("right", after_right) + _directed("wrong", after_wrong)


def means(spread: Spread | None) -> list[Row]:
    """Mean beliefs and changes; none where only changes are known."""
    if spread is None:
        return []
    return [
        _row("Belief before, mean", score_cell(spread.prior), spread.prior.n),
        _row("Belief after, mean", score_cell(spread.posterior), spread.posterior.n),
        _row("Change, mean", signed_cell(spread.change), spread.change.n),
        _share("Changes of 5 points or less", spread.slight),
    ]


def respondents(counts: Mapping[str, int] | None) -> str:
    """How many came to which end, in a sentence; empty where it is not known."""
    if counts is None:
        return ""
    number = {name: count(counts.get(name, 0)) for name in ("begun", "done", "failed", "withdrawn", "unfinished")}
    return (
        f"{number['begun']} began the survey: {number['done']} finished it, {number['failed']} did not pass the questions on "
        f"the task, {number['withdrawn']} withdrew, {number['unfinished']} stopped early or have not finished yet."
    )


def share_in_words(estimate: Estimate) -> str:
    """A share with its interval; says where there is none.

    >>> from vivavoce.formats.interval import Interval
    >>> share_in_words(Estimate(0.25, Interval(0.2, 0.3), 300)), share_in_words(Estimate(None, Interval(0, 1), 0))
    ('25% [20, 30]', 'too little to say')
    """
    cell = share_cell(estimate)
    return f"{cell.text} {cell.interval}" if cell.known else UNKNOWN


def _directed(kind: str, direction: Direction) -> list[Row]:
    rows = [_share(f"Changed after a {kind} answer", direction.changed)]
    if direction.risen.value is not None:
        rows += [
            _share(f"Belief rose after a {kind} answer", direction.risen),
            _share(f"Belief fell after a {kind} answer", direction.fallen),
            _row(f"Belief after a {kind} answer, mean", score_cell(direction.posterior), direction.posterior.n),
        ]
    return rows


def _share(what: str, estimate: Estimate, short: str = "") -> Row:
    return _row(what, share_cell(estimate), estimate.n, short)


def _row(what: str, cell: Cell, n: int, short: str = "") -> Row:
    return Row(Cell(what, short=short), (cell if cell.known else Cell(UNKNOWN, known=False), count_cell(n)))
