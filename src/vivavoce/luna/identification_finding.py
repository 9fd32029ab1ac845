"""The results on telling people from machines, as values, sentences, tables, JSON and two ladders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import count, name_of, numbered, percent, percent_interval
from vivavoce.luna.estimate_cells import TOO_LITTLE, number_cell
from vivavoce.luna.identification import (
    NOTHING,
    ConfidenceBin,
    Humanity,
    Identification,
    JudgementThird,
    JudgeSkill,
    calibration,
    called_human,
    called_machine,
    mean_points,
    thirds,
)
from vivavoce.report.blocks import Block, Column, Paragraph, ReportFigure, ReportRow, ReportTable
from vivavoce.report.cells import TableCell, count_cell
from vivavoce.report.figures import Axis, IntervalRow, IntervalRows, Line, LinePoint, Lines

CAVEATS: Final = (
    "Judges are people who accept machines; people who refuse them know the answer. Intervals allow for repeated "
    "judgements by one judge. They hold for the machines on this site, not for machines in general.",
)


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
    by_characters: tuple[JudgementThird, ...]
    """Shares by characters of all answers of the machine."""
    by_seconds: tuple[JudgementThird, ...]
    """Shares by seconds from the answers to the judge's guess."""
    calibration: tuple[ConfidenceBin, ...]
    points: Estimate
    """Mean points of all judgements."""

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
        shares = (
            tuple(ReportRow(TableCell(name), (share_cell(estimate), count_cell(estimate.n))) for name, estimate in kinds)
            if self._any
            else ()
        )
        machines = tuple(
            ReportRow(TableCell(rate.player), (share_cell(rate.taken_for_a_person), count_cell(rate.taken_for_a_person.n)))
            for rate in self.by_machine
        )
        sure = tuple(
            ReportRow(
                TableCell(f"{confidence_bin.lower} to {confidence_bin.upper}%"),
                (share_cell(confidence_bin.right), count_cell(confidence_bin.right.n)),
            )
            for confidence_bin in self.calibration
            if self._any
        )
        return (
            ("Person or machine?", ("What", "Share", "Judgements"), shares),
            ("Machines taken for people, by machine", ("Machine", "Share", "Judgements"), machines),
            ("Machines taken for people, by characters of their answers", _THIRD, _rows(self.by_characters, "characters")),
            ("Machines taken for people, by the judge's time for the answers", _THIRD, _rows(self.by_seconds, "seconds")),
            ("Right judgements by confidence", ("Sure", "Right", "Judgements"), sure),
        )

    @property
    def _any(self) -> bool:
        return bool(self.machines_taken_for_people.n or self.people_taken_for_machines.n)


_THIRD: Final = ("Third", "Share", "Judgements")


def identified(judgements: Sequence[Identification]) -> IdentificationFigures:
    """The figures of these judgements, which all count.

    >>> identified([]).machines_taken_for_people.value is None
    True
    """
    machines = [judgement for judgement in judgements if not judgement.human]
    names = sorted({machine.target for machine in machines})
    by_machine = [
        MachinePassRate(name, called_human([machine for machine in machines if machine.target == name])) for name in names
    ]
    return IdentificationFigures(
        machines_taken_for_people=called_human(machines),
        people_taken_for_machines=called_machine([judgement for judgement in judgements if judgement.human]),
        by_machine=tuple(sorted(by_machine, key=lambda rate: (-(rate.taken_for_a_person.value or 0.0), rate.player))),
        by_characters=thirds(machines, lambda identification: identification.characters),
        by_seconds=thirds(machines, lambda identification: identification.seconds),
        calibration=calibration(judgements),
        points=mean_points(judgements),
    )


def calibration_lines(bins: Sequence[ConfidenceBin]) -> Lines:
    """How often judgements are right, by how sure they are."""
    known = [confidence_bin for confidence_bin in bins if confidence_bin.right.value is not None]
    shares = "; ".join(
        f"{share_in_words(confidence_bin.right)} of {confidence_bin.right.n} at "
        f"{confidence_bin.lower} to {confidence_bin.upper} percent"
        for confidence_bin in known
    )
    alt = f"How often judgements of person or machine are right, by how sure they are: {shares}. Bars: 95% intervals."
    points = LinePoint.all_of(
        ((confidence_bin.confidence or 0.0) / 100 for confidence_bin in known),
        (confidence_bin.right for confidence_bin in known),
    )
    lines = (
        Line("judgements", points, joined=False),
        Line("as often right as sure", (LinePoint(0.5, 0.5), LinePoint(1.0, 1.0)), is_reference=True),
    )
    across = Axis("How sure (%)", "percent", span=(0.49, 1.01))
    return Lines(across, Axis("Right (%)", "percent", span=(0.0, 1.0)), lines, alt)


def share_in_words(share: Estimate) -> str:
    """A share in percent with its interval, or a note that there is too little data.

    >>> from vivavoce.formats.interval import Interval
    >>> share_in_words(Estimate(0.25, Interval(0.1, 0.5), 40)), share_in_words(Estimate(None, NOTHING, 0))
    ('25% [10, 50]', 'too little data')
    """
    return share_cell(share).words


def _share_of(share: Estimate) -> str:
    return f"{share_in_words(share)} of {numbered(share.n, 'judgement')}"


def share_cell(share: Estimate) -> TableCell:
    """A share in percent with its interval, or a note that there is too little data."""
    if share.value is None:
        return TableCell("too little data", known=False)
    if share.interval == NOTHING:
        return TableCell(percent(share.value), share.value, interval=TOO_LITTLE)
    return TableCell(percent(share.value), share.value, share.interval, percent_interval(share.interval))


def _rows(parts: Sequence[JudgementThird], unit: str) -> tuple[ReportRow, ...]:
    return tuple(
        ReportRow(
            TableCell(f"{part.lower:.0f} to {part.upper:.0f} {unit}"),
            (share_cell(part.taken_for_a_person), count_cell(part.taken_for_a_person.n)),
        )
        for part in parts
    )


SHOWN: Final = 500
"""The most players in a table."""
DRAWN: Final = 30
"""The most players in a figure."""
HUMANITY_CAVEAT: Final = (
    "Humanity says how often people on this site call a player a person, from words alone. It is not smartness. "
    "Judges who follow a rule change it: players who always say 'machine' lower all shares in proportion."
)
METHOD: Final = (
    "Humanity is the share of people's judgements that say 'person'; judgements by machines do not count. Its "
    "interval is Clopper and Pearson's, robust to repeated judgements by one judge. The order is by the expected "
    "share of further judgements, in a beta-binomial model of all players.",
    "Judges get 100 points if certain and right, 0 for a coin, -300 if certain and wrong (Brier's score). People "
    "and machines weigh the same, so a constant answer expects at most 0. The order is by the mean, shrunk towards "
    "the mean of all judges.",
)


def humanity_blocks(players: Sequence[Humanity]) -> tuple[Block, ...]:
    """A figure and a table; empty if no player was judged."""
    if not players:
        return ()
    rows = tuple(
        ReportRow(
            TableCell(shown_name(player)),
            (
                count_cell(player.share.n),
                share_cell(player.share),
                TableCell(percent(player.expected.value or 0.0), player.expected.value),
            ),
        )
        for player in players[:SHOWN]
    )
    heads = (Column("Player"), Column("Judgements"), Column("Say person"), Column("Expected share"))
    return (ReportFigure(humanity_rows(players[:DRAWN])), ReportTable(heads, rows), *_left(len(players)))


def humanity_rows(players: Sequence[Humanity]) -> IntervalRows:
    """How often people take each player for a person, the most human first."""
    first, last = (f"{shown_name(humanity)}, {share_in_words(humanity.share)}" for humanity in (players[0], players[-1]))
    rows = tuple(
        IntervalRow.of(
            name_of(player.player), share_in_words(player.share), player.share, "plain" if player.human else "reference"
        )
        for player in players
    )
    alt = f"How often people take players for people, of {len(players)} players: from {first}, to {last}."
    return IntervalRows("taken for a person", rows, alt=alt, key=(("plain", "people"), ("reference", "machines")))


def judge_skills_blocks(judges: Sequence[JudgeSkill] | None) -> tuple[Block, ...]:
    """A table; empty if judges cannot be ordered."""
    if not judges:
        return ()
    rows = tuple(
        ReportRow(
            TableCell(name_of(judge.player)),
            (
                TableCell(f"{judge.expected:.0f}".replace("-", "\N{MINUS SIGN}"), judge.expected),
                number_cell(judge.points, 0),
                TableCell(f"{count(judge.right)} of {count(judge.points.n)}", judge.right),
            ),
        )
        for judge in judges[:SHOWN]
    )
    return (ReportTable((Column("Judge"), Column("Standing"), Column("Points"), Column("Right")), rows), *_left(len(judges)))


def shown_name(player: Humanity) -> str:
    """A player's name, marked if it is a machine's."""
    return name_of(player.player) if player.human else f"{name_of(player.player)} (machine)"


def _left(number: int) -> tuple[Block, ...]:
    return (Paragraph(f"{count(number - SHOWN)} more are in the JSON."),) if number > SHOWN else ()
