"""How often people take machines for people, and people for machines: counts, intervals, sentences and tables.

Only judgements by people count, about players who could be either. Excluded are judgements by machines, by players who refuse
machines, with a voided guess, or after a machine took over a seat.

A judge who calls every player a person does so repeatedly, so judgements by one judge are not independent. Intervals are
Clopper and Pearson's at the effective number of judgements, robust to shared judges
(`vivavoce.statistics.clustered.share_interval`). For judged people, they are also robust to a shared person. They are not
robust to a shared machine: they cover other judges of these machines, not other machines, of which a site has too few. A
bootstrap over players has no interval if all judgements agree, which is common with few.

Formats estimates as table cells and in words, and draws how much guesses about one person vary. Findings on ratings, sites
and predictions all import this module.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Final

import numpy as np

from vivavoce.errors import NotEnoughEvidence
from vivavoce.formats.interval import CONFIDENCE, Estimate, Interval
from vivavoce.formats.wording import numbered, percent, percent_interval
from vivavoce.luna.games_file import ExportedSeat
from vivavoce.report.blocks import ReportRow
from vivavoce.report.cells import TableCell, count_cell
from vivavoce.report.figures import Axis, Line, LinePoint, Lines
from vivavoce.statistics.clustered import share_interval

TOO_LITTLE = "(too little for an interval)"


def number_cell(estimate: Estimate, decimals: int, *, unknown: str = "too little data") -> TableCell:
    """A number with its interval, or a note that there is too little data.

    >>> from vivavoce.formats.interval import Interval
    >>> number_cell(Estimate(68.94, Interval(66.0, 71.5), 220), 1)
    TableCell('68.9', interval='[66.0, 71.5]')
    >>> number_cell(Estimate(None, Interval(0, 1), 0), 1)
    TableCell('too little data')
    """
    if estimate.value is None:
        return TableCell(unknown, known=False)
    ends = estimate.interval
    if not (isfinite(ends.lower) and isfinite(ends.upper)):
        return TableCell(_written(estimate.value, decimals), estimate.value, interval=TOO_LITTLE)
    bounds = f"[{_written(ends.lower, decimals)}, {_written(ends.upper, decimals)}]"
    return TableCell(_written(estimate.value, decimals), estimate.value, ends, bounds)


def _written(value: float, decimals: int) -> str:
    return f"{value:.{decimals}f}".replace("-", "−")


def in_words(estimate: Estimate, decimals: int = 1) -> str:
    """A number with its interval, or a note that there is too little data.

    >>> from vivavoce.formats.interval import Interval
    >>> in_words(Estimate(68.94, Interval(66.0, 71.5), 220)), in_words(Estimate(None, Interval(0, 1), 0))
    ('68.9 [66.0, 71.5]', 'too little data')
    """
    return number_cell(estimate, decimals).words


@dataclass(frozen=True, slots=True)
class SpreadAt:
    """How much guesses vary, for people who received this many (Figure 6.6 of `silver2016`)."""

    games: int
    deviation: Estimate
    """Mean standard deviation of a person's guesses; n people."""
    between: float | None
    """Standard deviation of these over people, the bars of Figure 6.6; None for a single person."""
    error: float
    """The mean standard deviation over the root of the number of guesses: the uncertainty of such a rating."""


def spread_lines(spread: Sequence[SpreadAt]) -> Lines:
    """Standard deviation of guesses by their number."""
    alt = ""
    if spread:
        first, last = (f"{in_words(end.deviation)} with {end.games} guesses" for end in (spread[0], spread[-1]))
        alt = f"How far guesses about one person are apart: {first}, {last}. Bars: 95% intervals."
    points = LinePoint.all_of((spread_at.games for spread_at in spread), (spread_at.deviation for spread_at in spread))
    ends = [point.y for point in points] + [
        point.interval.upper for point in points if point.interval is not None and isfinite(point.interval.upper)
    ]
    upwards = Axis("Standard deviation of guesses, points", span=(0.0, 1.05 * max(ends, default=1.0) or 1.0))
    return Lines(Axis("Guesses that a person received", whole=True), upwards, (Line("", points, joined=False),), alt)


NOTHING: Final = Interval(0.0, 1.0)
CAVEAT: Final = (
    "Judges are people who accept machines; people who refuse them know the answer. Intervals allow for repeated "
    "judgements by one judge. They hold for the machines on this site, not for machines in general."
)


@dataclass(frozen=True, slots=True)
class Identification:
    """A person's judgement of one player, and the player's true kind."""

    judge: str
    target: str
    human: bool
    """Whether the target is a person."""
    says_human: bool
    """Whether the judge calls the target a person."""


def identifications(pairs: Iterable[tuple[ExportedSeat, ExportedSeat]]) -> list[Identification]:
    """The judgements that count, from pairs of a judge's seat and the other's seat."""
    return [
        Identification(own.player, other.player, other.kind != "machine", own.judged_human)
        for own, other in pairs
        if own.kind != "machine" and not own.voided and own.judged_human is not None and own.right is not None
    ]


def called_human(judgements: Sequence[Identification]) -> Estimate:
    """The share of judgements "person", with an interval for these players; no value without judgements.

    >>> says = {name: name == "ann" for name in ("ann", "bob", "eve", "kim")}
    >>> # one of four, by Clopper and Pearson
    >>> called = called_human([Identification(name, "bot", False, human) for name, human in says.items()])
    >>> called.value, round(called.interval.lower, 4), round(called.interval.upper, 4)
    (0.25, 0.0063, 0.8059)
    """
    return _share([judgement.says_human for judgement in judgements], [(judgement.judge,) for judgement in judgements])


def _share(hits: Sequence[bool], groups: Sequence[tuple[str, ...]]) -> Estimate:
    if not hits:
        return Estimate(None, NOTHING, 0)
    try:
        bounds = Interval(*share_interval(hits, groups, confidence=CONFIDENCE))
    except NotEnoughEvidence:
        bounds = NOTHING
    return Estimate(float(np.mean(hits)), bounds, len(hits))


@dataclass(frozen=True, slots=True)
class MachinePassRate:
    """How often people take a machine for a person."""

    player: str
    taken_for_a_person: Estimate


@dataclass(frozen=True, slots=True)
class IdentificationFigures:
    """How well people recognise machines and people."""

    machines_taken_for_people: Estimate
    """Share of people's judgements of machines that say "person": how often machines pass."""
    people_taken_for_machines: Estimate
    """Share of people's judgements of people that say "machine"."""
    by_machine: tuple[MachinePassRate, ...]
    """The most often called a person first."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """The result, one sentence each."""
        sentences = []
        if self.machines_taken_for_people.value is not None:
            sentences.append(f"Machines passed for people in {_share_of(self.machines_taken_for_people)}.")
        if self.people_taken_for_machines.value is not None:
            sentences.append(f"People were called machines in {_share_of(self.people_taken_for_machines)}.")
        return tuple(sentences)

    @property
    def tables(self) -> tuple[tuple[str, tuple[str, ...], tuple[ReportRow, ...]], ...]:
        """Titles, column heads and rows; tables may be empty."""
        kinds = (
            ("Machines taken for people", self.machines_taken_for_people),
            ("People taken for machines", self.people_taken_for_machines),
        )
        shares = tuple(_row(name, estimate) for name, estimate in kinds) if any(estimate.n for _, estimate in kinds) else ()
        machines = tuple(_row(rate.player, rate.taken_for_a_person) for rate in self.by_machine)
        return (
            ("Person or machine?", ("What", "Share", "Judgements"), shares),
            ("Machines taken for people, by machine", ("Machine", "Share", "Judgements"), machines),
        )


def identified(judgements: Sequence[Identification]) -> IdentificationFigures:
    """The figures of these judgements, which all count.

    >>> identified([]).machines_taken_for_people.value is None
    True
    """
    machines = [judgement for judgement in judgements if not judgement.human]
    people = [judgement for judgement in judgements if judgement.human]
    both = [(f"by {judgement.judge}", f"of {judgement.target}") for judgement in people]  # to cover other people, too
    by_machine = [
        MachinePassRate(name, called_human([judgement for judgement in machines if judgement.target == name]))
        for name in {judgement.target for judgement in machines}
    ]
    return IdentificationFigures(
        machines_taken_for_people=called_human(machines),
        people_taken_for_machines=_share([not judgement.says_human for judgement in people], both),
        by_machine=tuple(sorted(by_machine, key=lambda rate: (-(rate.taken_for_a_person.value or 0.0), rate.player))),
    )


def _row(name: str, share: Estimate) -> ReportRow:
    return ReportRow(TableCell(name), (_share_cell(share), count_cell(share.n)))


def _share_of(share: Estimate) -> str:
    return f"{_share_cell(share).words} of {numbered(share.n, 'judgement')}"


def _share_cell(share: Estimate) -> TableCell:
    """A share in percent with its interval, or a note that there is too little data."""
    if share.value is None:
        return TableCell("too little data", known=False)
    if share.interval == NOTHING:
        return TableCell(percent(share.value), share.value, interval=TOO_LITTLE)
    return TableCell(percent(share.value), share.value, share.interval, percent_interval(share.interval))
