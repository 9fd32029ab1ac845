"""Responses of a survey as exported, shares among them, and participants' own answers.

Intervals of shares and means allow for shared people and pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from vivavoce.errors import BadFile, BadInput, NotEnoughEvidence
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.tables import read_table
from vivavoce.generalization.evaluation.discrimination import weighted_interval, weighted_mean
from vivavoce.generalization.pairs import NEEDED, BeliefPair, Floats, flag, read_pairs
from vivavoce.report.blocks import Column, Paragraph, ReportRow, ReportSection, ReportTable
from vivavoce.report.cells import TableCell, count_cell, score_cell, share_cell, signed_cell
from vivavoce.report.figures import Axis, Line, LinePoint, Lines
from vivavoce.statistics.clustered import Groups, bounded_share, mean_estimate, share_estimate


@dataclass(frozen=True, slots=True)
class SurveyResponse:
    """A participant's beliefs about a pair, before and after."""

    pair: BeliefPair
    own_asked: bool = False
    """Whether the survey asks participants for their own answers."""
    own_right: bool | None = None
    """Whether the participant's own answer to the second question is right; None if unknown."""


def read_responses(file: Path) -> list[SurveyResponse]:
    """Read the responses of an exported table, in its order; columns may be missing. Raises `BadFile`, with the line."""
    pairs, table = read_pairs(file), read_table(file, NEEDED)
    own_asked = "own_right" in table.names
    responses = []
    for pair, (line, row) in zip(pairs, table.rows, strict=True):
        try:
            cell = row.get("own_right", "").strip()
            responses.append(SurveyResponse(pair, own_asked=own_asked, own_right=flag(cell, "own_right") if cell else None))
        except BadInput as error:
            raise BadFile(file, str(error), line=line) from None
    return responses


def groups_of(pairs: Sequence[BeliefPair]) -> Groups:
    """Groups of dependent answers: by person, if known, and by pair."""
    return [
        {("pair", pair.q1, pair.q2, pair.previous_correct), *([("person", pair.person)] if pair.person else [])}
        for pair in pairs
    ]


def shares_by_number(shares: Sequence[tuple[int, Estimate]], what: str, alt: str, level: float | None = None) -> Lines:
    """Shares of changed beliefs by number, such as by stage.

    level: the share of all answers; None: not drawn.
    """
    across = Axis(what, ticks=tuple((at, str(at)) for at, _ in shares))
    points = LinePoint.all_of((at for at, _ in shares), (share for _, share in shares))
    upwards = Axis("Answers that changed a belief (%)", "percent", span=(0.0, 1.0))
    return Lines(across, upwards, (Line("", points),), alt, None if level is None else (level, "all together"))


UNKNOWN = "too little to say"


def share_in_words(estimate: Estimate) -> str:
    """A share with its interval, or `too little to say`.

    >>> from vivavoce.formats.interval import Interval
    >>> share_in_words(Estimate(0.25, Interval(0.2, 0.3), 300)), share_in_words(Estimate(None, Interval(0, 1), 0))
    ('25% [20, 30]', 'too little to say')
    """
    cell = share_cell(estimate)
    return f"{cell.text} {cell.interval}" if cell.known else UNKNOWN


def share(pairs: Sequence[BeliefPair], hit: Callable[[BeliefPair], bool]) -> Estimate:
    """The share of answers for which `hit` holds; without a value if there are no answers."""
    return share_estimate([hit(pair) for pair in pairs], groups_of(pairs))


def weighted_share(pairs: Sequence[BeliefPair]) -> Estimate:
    """The share of all pairs of the pool that change a belief, by sampling weights.

    It is the ratio estimator (`hajek1971`), with an interval from linearised values that allows for shared people and pairs.
    """
    weights = np.asarray([pair.weight for pair in pairs])
    if not weights.sum() > 0:
        return Estimate(None, Interval(0.0, 1.0), len(pairs))
    changed = np.asarray([bool(pair.changed) for pair in pairs], dtype=float)
    try:
        interval = Interval(*weighted_interval(changed, weights, groups_of(pairs)))
    except NotEnoughEvidence:
        interval = Interval(0.0, 1.0)
    within = Interval(max(0.0, interval.lower), min(1.0, interval.upper))
    return Estimate(weighted_mean(changed, weights), within, len(pairs))


def mean(pairs: Sequence[BeliefPair], values: Sequence[float], *, lowest: float = 0.0) -> Estimate:
    """The mean of numbers from `lowest` to 1; without a value if there are none."""
    return mean_estimate(values, groups_of(pairs), smallest=lowest)


@dataclass(frozen=True, slots=True)
class OwnAnswers:
    """Participants' own answers, and their beliefs by these answers."""

    right: Estimate
    """Share of right answers among graded ones; the interval covers the cases that none or all of the others are right."""
    unreadable: int
    """Own answers that could not be graded."""
    before_right: Estimate
    """Mean first belief if the participant's own answer is right."""
    before_wrong: Estimate
    difference: Estimate
    """The former minus the latter, within participants who have both."""


def own_answers_of(responses: Sequence[SurveyResponse]) -> OwnAnswers | None:
    """Participants' own answers; None if no survey asked for them."""
    responses = [response for response in responses if response.own_asked]
    if not responses:
        return None
    graded = [response for response in responses if response.own_right is not None]
    by_person: dict[str, dict[bool, list[float]]] = {}
    for answer in graded:
        if answer.pair.prior is not None:
            by_person.setdefault(answer.pair.person, {True: [], False: []})[bool(answer.own_right)].append(answer.pair.prior)
    within = np.array(
        [np.mean(times[True]) - np.mean(times[False]) for times in by_person.values() if times[True] and times[False]]
    )
    return OwnAnswers(
        right=_own_right(responses),
        unreadable=len(responses) - len(graded),
        before_right=_belief_before([answer for answer in graded if answer.own_right]),
        before_wrong=_belief_before([answer for answer in graded if not answer.own_right]),
        difference=_mean(within, -1.0),
    )


def _own_right(responses: Sequence[SurveyResponse]) -> Estimate:
    """Answers to the same question, which may be in several pairs, are grouped too."""
    pairs = [response.pair for response in responses]
    groups = [{*group, ("question", pair.q2)} for group, pair in zip(groups_of(pairs), pairs, strict=True)]
    least, most = (
        bounded_share([bool(response.own_right) or (response.own_right is None and unread) for response in responses], groups)
        for unread in (False, True)
    )
    graded = [bool(response.own_right) for response in responses if response.own_right is not None]
    return Estimate(float(np.mean(graded)) if graded else None, Interval(least.lower, most.upper), len(graded))


def _belief_before(responses: Sequence[SurveyResponse]) -> Estimate:
    """The mean over participants of the mean of each one's first beliefs, of answers with both."""
    by_person: dict[str, list[float]] = {}
    for response in responses:
        if response.pair.prior is not None and response.pair.posterior is not None:
            by_person.setdefault(response.pair.person, []).append(response.pair.prior)
    return _mean(np.array([float(np.mean(values)) for values in by_person.values()]), 0.0)


def _mean(values: Floats, smallest: float) -> Estimate:
    return mean_estimate(values, [()] * values.size, smallest=smallest)


OWN: Final = "Participants' own answers"


def own_section(own: OwnAnswers) -> ReportSection:
    """The share of right own answers, and beliefs by own answer."""
    about = about_own(own)
    return ReportSection(OWN, (own_table(own), *((Paragraph(about, quiet=True),) if about else ())))


def about_own(own: OwnAnswers) -> str:
    """A note on own answers that could not be graded; empty if there are none."""
    if not own.unreadable:
        return ""
    number = "1 own answer" if own.unreadable == 1 else f"{own.unreadable} own answers"
    are = "is" if own.unreadable == 1 else "are"
    return (
        f"{number} could not be graded and {are} left out. The interval of the share of right answers covers the cases that "
        "none or all of them are right."
    )


def own_table(own: OwnAnswers) -> ReportTable:
    """The share of right own answers, and beliefs by own answer."""
    columns = (Column("What"), Column("Here"), Column("n"))
    rows = (
        _row("Own answers that are right", share_cell(own.right), own.right),
        _row("Belief before, own answer right", score_cell(own.before_right), own.before_right),
        _row("Belief before, own answer wrong", score_cell(own.before_wrong), own.before_wrong),
        _row("Difference, within participants", signed_cell(own.difference), own.difference),
    )
    return ReportTable(columns, rows)


def _row(what: str, cell: TableCell, estimate: Estimate) -> ReportRow:
    return ReportRow(TableCell(what), (cell, count_cell(estimate.n)))
