"""What a survey of belief changes reports: how often beliefs changed, whereto, and who was asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import count, percent
from vivavoce.generalization.survey.figures import AnswerEffect, BeliefSpread, StageShares
from vivavoce.report.blocks import Block, Column, Figure, Panels, Row, Table
from vivavoce.report.cells import Cell, count_cell, score_cell, share_cell, signed_cell
from vivavoce.report.figures import Axis, Histogram, Line, Lines, Point

UNKNOWN = "too little to say"


def spread_figures(spread: BeliefSpread | None) -> tuple[Block, ...]:
    """How beliefs and their changes are spread (Figure 5 of `vafa2024`); nothing where only changes are known."""
    if spread is None:
        return ()
    most = max(*spread.priors, *spread.posteriors) / spread.prior.n
    before, after = (_beliefs(counts, most, when) for when, counts in (("before", spread.priors), ("after", spread.posteriors)))
    return Panels((before, after)), Figure(_changes_histogram(spread.changes))


def _beliefs(counts: Sequence[int], most: float, when: str) -> Figure:
    shares = tuple(number / sum(counts) for number in counts)
    alt = f"Beliefs {when} the answer was seen: {percent(sum(shares[3:7]))} are from 30 to 69 percent."
    data = Histogram(0.0, 10.0, shares, alt, "Belief (%)", "Answers", "percent", limit=None, top=most)
    return Figure(data, title=f"Beliefs {when}")


def _changes_histogram(changes: Sequence[int]) -> Histogram:
    """Those that stayed have a bin of their own in the middle; it is told by a mark, and not drawn as a change."""
    half, answers = len(changes) // 2, sum(changes)
    stayed, rose = changes[half] / answers, sum(changes[half + 1 :]) / answers
    moved = tuple(number / answers for place, number in enumerate(changes) if place != half)
    alt = f"Changes in percent points: {percent(stayed)} of the beliefs stayed, {percent(rose)} rose, and the others fell."
    return Histogram(
        -10.0 * half, 10.0, moved, alt, "Change in percent points", "Answers", "percent", limit=None,
        mark=(0.0, f"no change: {percent(stayed)}"),
    )  # fmt: skip


def shares_by_number(shares: Sequence[tuple[int, Estimate]], place: str, alt: str, level: float | None = None) -> Lines:
    """How often beliefs changed at each of several places in order, such as stages.

    level: the share of all; None: not drawn.
    """
    across = Axis(place[0].upper() + place[1:], ticks=tuple((at, str(at)) for at, _ in shares))
    points = Point.all_of((at for at, _ in shares), (share for _, share in shares))
    upwards = Axis("Answers that changed a belief (%)", "percent", span=(0.0, 1.0))
    return Lines(across, upwards, (Line("", points),), alt, None if level is None else (level, "all together"))


def stage_lines(stages: Sequence[StageShares]) -> Lines:
    """How often beliefs changed in each stage."""
    shown = [(one.stage, one.changed) for one in stages if one.stage is not None and one.changed.value is not None]
    told = ", ".join(f"{share_in_words(changed)} in stage {stage}" for stage, changed in shown)
    return shares_by_number(shown, "stage", f"Answers that changed a belief, with 95% intervals: {told}.")


def belief_table(*parts: Sequence[Row]) -> Table:
    """All figures, a line each."""
    return Table((Column("What"), Column("Here"), Column("Answers")), tuple(row for rows in parts for row in rows))


def change_rows(changed: Estimate, stages: Sequence[StageShares]) -> list[Row]:
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


def direction_rows(after_right: AnswerEffect, after_wrong: AnswerEffect) -> list[Row]:
    """What a right answer and a wrong one did to beliefs."""
    return _directed("right", after_right) + _directed("wrong", after_wrong)


def mean_rows(spread: BeliefSpread | None) -> list[Row]:
    """Mean beliefs and changes; none where only changes are known."""
    if spread is None:
        return []
    return [
        _row("Belief before, mean", score_cell(spread.prior), spread.prior.n),
        _row("Belief after, mean", score_cell(spread.posterior), spread.posterior.n),
        _row("Change, mean", signed_cell(spread.change), spread.change.n),
        _share("Changes of 5 points or less", spread.slight),
    ]


def respondents_in_words(counts: Mapping[str, int] | None) -> str:
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


def _directed(kind: str, direction: AnswerEffect) -> list[Row]:
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
