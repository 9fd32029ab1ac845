"""Two forecasters on the same tuples: on which laws one is more consistent, and where it may be chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from vivavoce.consistency.forecasts.report.view import law_label
from vivavoce.consistency.forecasts.summary import Paired
from vivavoce.consistency.forecasts.wording import law_name
from vivavoce.formats.wording import count, name_of
from vivavoce.report.blocks import Block, Column, Fold, InFull, InShort, Items, Paragraph, Row, Section, Table
from vivavoce.report.cells import Cell, observations, signed_cell
from vivavoce.report.wording import listed, p_value

LEVEL: Final = 0.05
"""Adjusted p at most so large is not put down to chance."""
MOST_COMPARISONS: Final = 300
"""In the tables of a page."""
MOST_PAIRS: Final = 10
"""Pairs of forecasters in a terminal."""


def comparisons(paired: Sequence[Paired]) -> Section:
    """Who is more consistent: a sentence for each two forecasters, and tables."""
    pairs = by_pair(paired)
    shown = by_pair(paired[:MOST_COMPARISONS])
    sentences = tuple(in_words(first, second, of) for first, second, of in pairs)
    left = f"… and {count(len(pairs) - MOST_PAIRS)} more pairs"
    tables: tuple[Block, ...] = ()
    if len(pairs) == 1:
        tables = _comparison(*pairs[0])
    elif pairs:
        each = tuple(
            Section(f"{name_of(first)} compared with {name_of(second)}", _comparison(first, second, of))
            for first, second, of in shown
        )
        tables = (Fold("All comparisons", each, main=True),)
    return Section(
        "Who is more consistent",
        (
            InFull(tuple(Paragraph(sentence) for sentence in sentences[: len(shown)])),
            InShort((Items(sentences[:MOST_PAIRS]), *((Paragraph(left, quiet=True),) if len(pairs) > MOST_PAIRS else ()))),
            *tables,
        )
        if pairs
        else (),
    )


def by_pair(comparisons: Sequence[Paired]) -> list[tuple[str, str, list[Paired]]]:
    """The comparisons of each two forecasters together."""
    pairs: dict[tuple[str, str], list[Paired]] = {}
    for comparison in comparisons:
        pairs.setdefault((comparison.first, comparison.second), []).append(comparison)
    return [(first, second, of) for (first, second), of in pairs.items()]


def in_words(first: str, second: str, comparisons: Sequence[Paired]) -> str:
    """Which of two forecasters is more consistent on which laws, in one sentence.

    >>> from vivavoce.formats.interval import Estimate, Interval
    >>> neg = Paired("neg", "A", "B", 90, Estimate(-0.2, Interval(-0.3, -0.1), 90), 0.001, 3, 30, 0.001, 0.002)
    >>> in_words("A", "B", [neg])
    'A is more consistent than B on Negation.'
    """
    sure = [row for row in comparisons if row.p_adjusted is not None and row.p_adjusted <= LEVEL and row.difference.value]
    more = [law_name(row.law) for row in sure if (row.difference.value or 0.0) < 0]
    less = [law_name(row.law) for row in sure if (row.difference.value or 0.0) > 0]
    one, other = name_of(first), name_of(second)
    if not sure:
        laws = law_name(comparisons[0].law) if len(comparisons) == 1 else f"none of {count(len(comparisons))} laws"
        apart = "is not shown to be" if len(comparisons) == 1 else "is"
        return f"Between {one} and {other} the difference on {laws} {apart} larger than chance explains."
    sentence = f"{one} is {'more' if more else 'less'} consistent than {other} on {listed(more or less)}"
    if more and less:
        sentence += f", and less on {listed(less)}"
    return sentence + ("; on the others chance may explain the difference." if len(sure) < len(comparisons) else ".")


def _comparison(first: str, second: str, comparisons: Sequence[Paired]) -> tuple[Block, ...]:
    return (
        Table(
            (
                Column("Law", short="law", percent=24),
                Column("Difference", short="difference"),
                Column("p"),
                Column("p after Holm", short="after Holm"),
                Column("Strong in one alone", short="strong in one alone"),
            ),
            tuple(_row(comparison) for comparison in comparisons),
        ),
        InFull(
            (
                Paragraph(
                    f"Mean metric of {name_of(first)} minus that of {name_of(second)}, on the same tuples: below 0 the first "
                    "is more consistent. Last column: tuples that are strong contradictions of the first alone, and of the "
                    "second alone.",
                    quiet=True,
                ),
            )
        ),
    )


def _row(comparison: Paired) -> Row:
    strong = f"{count(comparison.first_only)} : {count(comparison.second_only)}"
    return Row(
        Cell(law_name(comparison.law), short=law_label(comparison.law), n=observations(comparison.n)),
        (
            signed_cell(comparison.difference),
            Cell(p_value(comparison.p), comparison.p),
            Cell(p_value(comparison.p_adjusted), comparison.p_adjusted),
            Cell(strong, below=(f"p {p_value(comparison.p_strong)}",)),
        ),
    )
