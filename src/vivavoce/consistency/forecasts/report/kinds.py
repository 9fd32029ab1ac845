"""What appendix C.3 of `fluri2024` looks at besides: round numbers, kinds of failed negation, and the spread of series."""

from __future__ import annotations

from collections.abc import Sequence

from vivavoce.consistency.forecasts.negations import FailedNegations, Failure
from vivavoce.consistency.forecasts.report.view import View
from vivavoce.consistency.forecasts.rounding import TWO_DECIMALS, Rounding
from vivavoce.consistency.forecasts.spread import MonotoneSeries
from vivavoce.formats.wording import count, name_of, percent
from vivavoce.report.blocks import Block, Column, InFull, Paragraph, Row, Section, Table
from vivavoce.report.cells import Cell, observations, share_cell


def failures(found: Sequence[FailedNegations], view: View) -> tuple[Block, ...]:
    """The strong contradictions on negation by kind, a row a forecaster; nothing where there are none."""
    shown = [one for one in found if one.forecaster in view.forecasters]
    if not shown:
        return ()
    rows = tuple(
        Row(Cell(name_of(one.forecaster), n=observations(one.n)), tuple(share_cell(one.kinds[kind]) for kind in Failure))
        for one in shown
    )
    return (
        Section(
            "How negation fails",
            (
                Table((Column("Strong contradictions of"), *(Column(kind.value.capitalize()) for kind in Failure)), rows),
                InFull(
                    (
                        Paragraph(
                            "Of the strong contradictions between an event and its negation. Same number: they differ by at "
                            "most 0.05, as if “not” were not there or misread, or the answer given for the event. Of the "
                            "others, both high or low: neither is below, or above, 50%. One high, one low: the negation was "
                            "heard, but they do not sum to 1.",
                            quiet=True,
                        ),
                    )
                ),
            ),
        ),
    )


def round_numbers(found: Sequence[Rounding], view: View) -> tuple[Block, ...]:
    """Shares of multiples of 5% and 10%, a row a forecaster; nothing where no probability was given."""
    shown = [one for one in found if one.forecaster in view.forecasters]
    if not shown:
        return ()
    rows = tuple(
        Row(Cell(name_of(one.forecaster), n=observations(one.fives.n)), (share_cell(one.fives), share_cell(one.tens)))
        for one in shown
    )
    fives, tens = map(percent, TWO_DECIMALS)
    return (
        Section(
            "Round numbers",
            (
                Table((Column("Probabilities of"), Column("Multiples of 5%"), Column("Multiples of 10%")), rows),
                InFull(
                    (
                        Paragraph(
                            f"Of forecasts of different questions. Of all whole percentages, {fives} and {tens} are such "
                            "multiples. Who rounds to 5% contradicts itself by up to 0.05 on some laws for that reason alone.",
                            quiet=True,
                        ),
                    )
                ),
            ),
        ),
    )


def spreads(found: Sequence[MonotoneSeries], view: View) -> tuple[Block, ...]:
    """Shares of series that are monotone, a row a forecaster; nothing where no draws are known."""
    shown = [one for one in found if one.forecaster in view.forecasters]
    if not shown:
        return ()
    rows = tuple(
        Row(
            Cell(name_of(one.forecaster), n=observations(one.n)),
            tuple(share_cell(share) for share in (one.strong, one.median, one.weak)),
        )
        for one in shown
    )
    without = sum(one.without for one in shown)
    left = f" {count(without)} series without two readable replies to each question are left out." if without else ""
    return (
        Section(
            "How far series are monotone",
            (
                Table((Column("Series of"), Column("Whole intervals"), Column("Medians"), Column("Some curve")), rows),
                InFull(
                    (
                        Paragraph(
                            "Each question was put several times. Medians: they never go the wrong way. Whole intervals: nor "
                            "does either end of what the replies span. Some curve: at least one monotone curve runs through "
                            f"all of these intervals. An interval is what the whiskers of a box plot span.{left}",
                            quiet=True,
                        ),
                    )
                ),
            ),
        ),
    )
