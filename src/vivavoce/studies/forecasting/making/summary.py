"""Summary of made tuples: how many were accepted, rejected (and why), or not checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vivavoce.formats.wording import count
from vivavoce.report.blocks import Caveats, Column, Items, Report, ReportRow, ReportSection, ReportTable
from vivavoce.report.cells import TableCell, count_cell
from vivavoce.studies.config import NOBODY, TEMPLATE
from vivavoce.studies.forecasting.making.making import BY_TEMPLATE
from vivavoce.studies.forecasting.tuples import QuestionTuple

SERIES = "series"
"""Name of the writer if templates made series."""


@dataclass(frozen=True, slots=True)
class TupleTally:
    """Counts of tuples by status."""

    tuples: int
    accepted: int
    proposed: int
    """Tuples that no one checked."""
    rejected: int
    reasons: Mapping[str, int]
    """Numbers of rejected tuples by reason, most frequent first."""


@dataclass(frozen=True, slots=True)
class MakingSummary:
    """Result of making tuples."""

    laws: Mapping[str, TupleTally]
    writer: str
    """The candidate's name, `template`, or `series` for series by template."""
    checker: str
    """The candidate's name, or `none`."""
    seed: int
    bodies: bool
    """Whether some base questions had bodies."""
    several: bool
    """Whether base questions were drawn together."""
    exhausted: str
    """The limit of the budget that ended the questions; empty if none did."""
    asked_so: tuple[str, ...] = ()
    """Caveats on how writer and checker were asked."""

    json_keys = "writer checker seed exhausted total laws caveats"

    @property
    def total(self) -> TupleTally:
        """Counts over all laws."""
        reasons, every = Counter[str](), self.laws.values()
        for tally in every:
            reasons.update(tally.reasons)
        return TupleTally(
            sum(tally.tuples for tally in every),
            sum(tally.accepted for tally in every),
            sum(tally.proposed for tally in every),
            sum(tally.rejected for tally in every),
            dict(reasons.most_common()),
        )

    @property
    def usable(self) -> bool:
        """Whether all was done and some tuples can be asked."""
        return not self.exhausted and self.total.rejected < self.total.tuples

    @property
    def statement(self) -> str:
        """The result in one sentence."""
        total = self.total
        parts = [f"{count(total.accepted)} of {count(total.tuples)} tuples accepted", f"{count(total.rejected)} rejected"]
        if total.proposed:
            parts.append(f"{count(total.proposed)} not checked")
        ended = f" The budget of {self.exhausted} ran out before the end." if self.exhausted else ""
        return f"{', '.join(parts)}.{ended}"

    @property
    def caveats(self) -> tuple[str, ...]:
        """Sentences on what accepted tuples do not guarantee, and on how writer and checker were asked."""
        return (*(sentence for sentence in _caveats(self) if sentence), *self.asked_so)

    def report(self) -> Report:
        """A report with the counts of each law, and reasons for rejections."""
        reasons = tuple(f"{count(number)}: {reason}" for reason, number in self.total.reasons.items())
        return Report(
            kind="Tuples of related questions",
            title=f"Tuples of related questions, written by {self.writer}",
            headline=self.statement,
            blocks=(_by_law(self.laws), Caveats(self.caveats), ReportSection("Rejected", (Items(reasons),) if reasons else ())),
            statement=self.statement,
        )


def tallies(made: Sequence[QuestionTuple]) -> dict[str, TupleTally]:
    """Counts by law, in order of first occurrence."""
    laws: dict[str, list[QuestionTuple]] = {}
    for question_tuple in made:
        laws.setdefault(question_tuple.law, []).append(question_tuple)
    return {law: _tally(of_law) for law, of_law in laws.items()}


def _by_law(laws: Mapping[str, TupleTally]) -> ReportTable:
    return ReportTable(
        tuple(map(Column, ("Law", "Tuples", "Accepted", "Rejected", "Not checked"))),
        tuple(
            ReportRow(TableCell(law), tuple(map(count_cell, (tally.tuples, tally.accepted, tally.rejected, tally.proposed))))
            for law, tally in laws.items()
        ),
    )


def _tally(made: Sequence[QuestionTuple]) -> TupleTally:
    status = Counter(question_tuple.status for question_tuple in made)
    reasons = Counter(question_tuple.reason.partition(":")[0] for question_tuple in made if question_tuple.status == "rejected")
    return TupleTally(len(made), status["accepted"], status["proposed"], status["rejected"], dict(reasons.most_common()))


def _caveats(summary: MakingSummary) -> tuple[str, ...]:
    written, proposed = summary.writer not in (TEMPLATE, SERIES), summary.total.proposed
    if summary.writer == SERIES:
        return ("Nothing here checks that each template obeys its law: that is up to its author.",)
    return (
        f"Statements are in the words of {summary.writer}, so its own forecasts of them may look too consistent. A "
        "contradiction counts; finding none may be due to the familiar words."
        if written
        else f"Statements were {BY_TEMPLATE}: contradictions may partly be due to the unusual wording.",
        "The writer checked itself, so it may repeat its own mistakes. Use another --checker, or people ('viva consistency "
        "forecasts review')."
        if written and summary.checker == summary.writer
        else "",
        f"No one checked {count(proposed)} tuple{'s' if proposed > 1 else ''}: questions that do not obey their law cause "
        "false contradictions."
        if proposed
        else "",
        "A checker makes mistakes, too: read a sample of accepted and of rejected tuples." if summary.checker != NOBODY else "",
        "Base questions were drawn together at random: most of their events have nothing to do with each other."
        if summary.several
        else "",
        "Forecasters are asked the questions alone, without the texts on how they are decided." if summary.bodies else "",
    )
