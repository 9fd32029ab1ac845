"""How participants answered a survey: flags, their own answers, and waves over time.

The findings on changes and yield share its shares and means, whose intervals allow for shared people and pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final

import numpy as np
from scipy.special import stdtrit

from vivavoce.errors import NotEnoughEvidence
from vivavoce.formats.interval import CONFIDENCE, Estimate, Interval
from vivavoce.generalization.evaluation.discrimination import weighted_interval, weighted_mean
from vivavoce.generalization.pairs import BeliefPair, Floats, labelled
from vivavoce.generalization.survey.arm_effects import BeliefMeasure, person_means
from vivavoce.generalization.survey.responses import FLAGS, Flag, SurveyResponse, with_both_beliefs
from vivavoce.report.blocks import Block, Column, Paragraph, ReportFigure, ReportRow, ReportSection, ReportTable
from vivavoce.report.cells import TableCell, count_cell, score_cell, share_cell, signed_cell
from vivavoce.report.figures import Axis, Line, LinePoint, Lines
from vivavoce.statistics.clustered import Groups, bounded_share, mean_estimate, share_estimate


def groups_of(pairs: Sequence[BeliefPair]) -> Groups:
    """Groups of dependent answers: by person, if known, and by pair."""
    return [
        {("pair", pair.q1, pair.q2, pair.previous_correct), *([("person", pair.person)] if pair.person else [])}
        for pair in pairs
    ]


UNKNOWN = "too little to say"


def shares_by_number(shares: Sequence[tuple[int, Estimate]], stage_name: str, alt: str, level: float | None = None) -> Lines:
    """Shares of changed beliefs by number, such as by stage.

    level: the share of all answers; None: not drawn.
    """
    across = Axis(stage_name[0].upper() + stage_name[1:], ticks=tuple((at, str(at)) for at, _ in shares))
    points = LinePoint.all_of((at for at, _ in shares), (share for _, share in shares))
    upwards = Axis("Answers that changed a belief (%)", "percent", span=(0.0, 1.0))
    return Lines(across, upwards, (Line("", points),), alt, None if level is None else (level, "all together"))


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
class Wave:
    """One wave of a survey."""

    wave: int
    people: int
    changed: Estimate
    after: Estimate
    """Mean second belief, over participants."""
    change: Estimate


@dataclass(frozen=True, slots=True)
class Waves:
    """Waves and their trends."""

    waves: tuple[Wave, ...]
    after_trend: Estimate
    """Change of the mean second belief per wave."""
    change_trend: Estimate


@dataclass(frozen=True, slots=True)
class SurveyConduct:
    """How participants answered a survey; None for unknown parts."""

    authenticity: Authenticity | None
    own_answers: OwnAnswers | None
    waves: Waves | None


def conduct_of(responses: Sequence[SurveyResponse], *, checked: bool) -> SurveyConduct:
    """How a survey was answered; `checked`: whether the export has flags."""
    has_waves = len({response.wave for response in responses}) > 1
    own_answers = [response for response in responses if response.own_asked]
    return SurveyConduct(
        _authenticity(responses) if checked else None,
        _own(own_answers) if own_answers else None,
        _waves(responses) if has_waves else None,
    )


def slope(places: Floats, values: Floats) -> Estimate:
    """The least-squares slope of values from -1 to 1 over positions.

    Its interval allows for unequal variances (HC2, `mackinnon1985`). With two positions it is a difference of two means, with
    Welch's standard error. With fewer than three values, or a single position, the slope is unknown.

    >>> import numpy as np
    >>> trend = slope(np.array([1.0, 1, 2, 2]), np.array([0.1, 0.3, 0.4, 0.6]))
    >>> round(trend.value, 3), round((trend.interval.upper - trend.value) / 4.3027, 4)  # t at 2 degrees; sqrt(.01 + .01)
    (0.3, 0.1414)
    """
    n = values.size
    nothing = Estimate(None, Interval(-2.0, 2.0), n)
    centred = places - places.mean() if n else places
    total = float(centred @ centred)
    if n < 3 or not total:
        return nothing
    value = float(centred @ values) / total
    leverage = 1 / n + centred**2 / total
    if leverage.max() >= 1 - 1e-9:  # a position with a single value has no spread
        return Estimate(value, nothing.interval, n)
    residuals = values - values.mean() - value * centred
    error = sqrt(float((centred**2 * residuals**2 / (1 - leverage)).sum())) / total
    half = float(stdtrit(n - 2, (1 + CONFIDENCE) / 2)) * error
    return Estimate(value, Interval(value - half, value + half), n)


def _authenticity(responses: Sequence[SurveyResponse]) -> Authenticity:
    flags = {response.pair.person: response.flags for response in responses if response.pair.person}
    left = [response for response in responses if not response.flags]
    shares: dict[str, Estimate] = {name: _share([name in flag for flag in flags.values()]) for name in FLAGS}
    shares["any"] = _share([bool(flag) for flag in flags.values()])
    return Authenticity(shares, _changed(left), _people_mean(left, "change", -1.0))


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
        before_right=_people_mean([answer for answer in graded if answer.own_right], "before"),
        before_wrong=_people_mean([answer for answer in graded if not answer.own_right], "before"),
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


def _waves(responses: Sequence[SurveyResponse]) -> Waves:
    numbers = sorted({response.wave for response in responses})
    by_wave = {number: [response for response in responses if response.wave == number] for number in numbers}
    waves = tuple(
        Wave(
            number,
            len({survey_response.pair.person for survey_response in some}),
            _changed(some),
            _people_mean(some, "after"),
            _people_mean(some, "change", -1.0),
        )
        for number, some in by_wave.items()
    )
    return Waves(waves, _trend(by_wave, "after"), _trend(by_wave, "change"))


def _trend(by_wave: dict[int, list[SurveyResponse]], measure: BeliefMeasure) -> Estimate:
    """Each participant is in a single wave."""
    means = {number: person_means(with_both_beliefs(some), measure) for number, some in by_wave.items()}
    places = np.concatenate([np.full(each.size, float(number)) for number, each in means.items()])
    return slope(places, np.concatenate(list(means.values())))


def _changed(responses: Sequence[SurveyResponse]) -> Estimate:
    """The share of changed beliefs; answers may share a participant or a pair."""
    known = labelled([response.pair for response in responses])
    return share_estimate([bool(pair.changed) for pair in known], groups_of(known))


def _share(hits: Sequence[bool]) -> Estimate:
    return share_estimate(hits, [()] * len(hits))


def _people_mean(responses: Sequence[SurveyResponse], measure: BeliefMeasure, smallest: float = 0.0) -> Estimate:
    return _mean(person_means(with_both_beliefs(responses), measure), smallest)


def _mean(values: Floats, smallest: float) -> Estimate:
    return mean_estimate(values, [()] * values.size, smallest=smallest)


OWN: Final = "Participants' own answers"
ABOUT_WAVES: Final = (
    "Participants were not assigned to waves at random: waves may differ by their participants, not only by time."
)
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
    if conduct.waves is not None:
        blocks.append(ReportSection("Waves", (ReportFigure(_wave_lines(conduct.waves)), waves_table(conduct.waves))))
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


def waves_table(waves: Waves) -> ReportTable:
    """The waves and their trend."""
    columns = (Column("Wave"), Column("Participants"), Column("Changes"), Column("Belief after"), Column("Change"))
    rows = tuple(
        ReportRow(
            TableCell(str(wave.wave), wave.wave),
            (count_cell(wave.people), share_cell(wave.changed), score_cell(wave.after), signed_cell(wave.change)),
        )
        for wave in waves.waves
    )
    empty = TableCell("")
    trend = ReportRow(
        TableCell("trend per wave"), (empty, empty, signed_cell(waves.after_trend), signed_cell(waves.change_trend)), kind="sum"
    )
    return ReportTable(columns, rows, (trend,), name="Waves")


def _wave_lines(waves: Waves) -> Lines:
    shown = [(wave.wave, wave.changed) for wave in waves.waves if wave.changed.value is not None]
    shares = ", ".join(f"{share_in_words(changed)} in wave {wave}" for wave, changed in shown)
    return shares_by_number(shown, "wave", f"Answers that changed a belief, with 95% intervals: {shares}.")


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
