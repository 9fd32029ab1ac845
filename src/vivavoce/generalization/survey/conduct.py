"""How participants answered a survey: flags, and their own answers.

Intervals of shares and means allow for shared people and pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from vivavoce.errors import NotEnoughEvidence
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.generalization.evaluation.discrimination import weighted_interval, weighted_mean
from vivavoce.generalization.pairs import BeliefPair, Floats, labelled
from vivavoce.generalization.survey.responses import FLAGS, Flag, SurveyResponse
from vivavoce.report.blocks import Block, Column, Paragraph, ReportRow, ReportSection, ReportTable
from vivavoce.report.cells import TableCell, count_cell, score_cell, share_cell, signed_cell
from vivavoce.report.figures import Axis, Line, LinePoint, Lines
from vivavoce.statistics.clustered import Groups, bounded_share, mean_estimate, share_estimate


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
class Authenticity:
    """Flagged participants, and the survey's figures without them."""

    flagged: dict[str, Estimate]
    """The share of participants by flag; `any`: with at least one flag."""
    unflagged_changed: Estimate
    """Share of answers that changed a belief, without flagged participants."""
    unflagged_change: Estimate
    """Mean change without them."""


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


@dataclass(frozen=True, slots=True)
class SurveyConduct:
    """How participants answered a survey; None for unknown parts."""

    authenticity: Authenticity | None
    own_answers: OwnAnswers | None


def conduct_of(responses: Sequence[SurveyResponse], *, checked: bool) -> SurveyConduct:
    """How a survey was answered; `checked`: whether the export has flags."""
    own_answers = [response for response in responses if response.own_asked]
    return SurveyConduct(
        _authenticity(responses) if checked else None,
        _own(own_answers) if own_answers else None,
    )


def _authenticity(responses: Sequence[SurveyResponse]) -> Authenticity:
    flags = {response.pair.person: response.flags for response in responses if response.pair.person}
    left = [response for response in responses if not response.flags]
    shares: dict[str, Estimate] = {name: _share([name in flag for flag in flags.values()]) for name in FLAGS}
    shares["any"] = _share([bool(flag) for flag in flags.values()])
    return Authenticity(shares, _changed(left), _people_mean(left, lambda response: response.change, -1.0))


def _own(responses: Sequence[SurveyResponse]) -> OwnAnswers:
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
        before_right=_people_mean([answer for answer in graded if answer.own_right], _before),
        before_wrong=_people_mean([answer for answer in graded if not answer.own_right], _before),
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


def _changed(responses: Sequence[SurveyResponse]) -> Estimate:
    """The share of changed beliefs; answers may share a participant or a pair."""
    known = labelled([response.pair for response in responses])
    return share_estimate([bool(pair.changed) for pair in known], groups_of(known))


def _share(hits: Sequence[bool]) -> Estimate:
    return share_estimate(hits, [()] * len(hits))


def _before(response: SurveyResponse) -> float:
    return response.pair.prior or 0.0


def _people_mean(
    responses: Sequence[SurveyResponse], measure: Callable[[SurveyResponse], float], smallest: float = 0.0
) -> Estimate:
    """The mean over participants of the mean of each one's answers with both beliefs."""
    by_person: dict[str, list[float]] = {}
    for response in responses:
        if response.pair.prior is not None and response.pair.posterior is not None:
            by_person.setdefault(response.pair.person, []).append(measure(response))
    return _mean(np.array([float(np.mean(values)) for values in by_person.values()]), smallest)


def _mean(values: Floats, smallest: float) -> Estimate:
    return mean_estimate(values, [()] * values.size, smallest=smallest)


OWN: Final = "Participants' own answers"
SHORT_LABELS: Final[Mapping[Flag, str]] = {
    "planted": "Wrote the planted word",
    "pasted": "Pasted at least half of a text",
    "fast": "Under 4 seconds for half of the pairs",
}
FLAGGED: Final = "Flags"
ABOUT_FLAGS: Final = (
    "A flag is a sign, not a proof. Flagged participants are left out in the last row only. Pasting is not seen without a "
    "script, and a machine's text that was typed by hand is not detected."
)


def conduct_sections(conduct: SurveyConduct, changed: Estimate) -> tuple[Block, ...]:
    """A section for each known part; `changed`: the share among all answers."""
    blocks: list[Block] = []
    if conduct.own_answers is not None:
        about = about_own(conduct.own_answers)
        blocks.append(ReportSection(OWN, (own_table(conduct.own_answers), *((Paragraph(about, quiet=True),) if about else ()))))
    if conduct.authenticity is not None:
        blocks.append(ReportSection(FLAGGED, (flags_table(conduct.authenticity, changed), Paragraph(ABOUT_FLAGS, quiet=True))))
    return tuple(blocks)


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


def flags_table(authenticity: Authenticity, changed: Estimate) -> ReportTable:
    """The share of flagged participants, and of changed beliefs with and without them."""
    rows = [
        _row(
            f"Participants who {words}",
            share_cell(authenticity.flagged[flag]),
            authenticity.flagged[flag],
            short=SHORT_LABELS[flag],
        )
        for flag, words in FLAGS.items()
    ]
    flagged = authenticity.flagged["any"]
    rows += [
        _row("Participants with any of these", share_cell(flagged), flagged),
        _row("Answers that changed a belief, all participants", share_cell(changed), changed),
        _row("Without flagged participants", share_cell(authenticity.unflagged_changed), authenticity.unflagged_changed),
    ]
    return ReportTable((Column("What"), Column("Here"), Column("n")), tuple(rows))


def _row(what: str, cell: TableCell, estimate: Estimate, *, short: str = "") -> ReportRow:
    return ReportRow(TableCell(what, short=short), (cell, count_cell(estimate.n)))
