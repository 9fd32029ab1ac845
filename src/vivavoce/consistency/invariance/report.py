"""What varying questions reports: the certificate, a table and a plot of kinds, flips as examples, the method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from vivavoce.consistency.invariance.summary import Excess, Flip, FlipRate, KindSummary, Ranged, Robustness, RobustnessVerdict
from vivavoce.consistency.invariance.words import between, excess_points, points_interval, rate_in_words
from vivavoce.formats.wording import clipped, count, percent_interval, share
from vivavoce.report.blocks import (
    Block,
    Card,
    Column,
    Figure,
    Fold,
    InFull,
    InShort,
    Pairs,
    Paragraph,
    Row,
    Section,
    Table,
    Verdict,
)
from vivavoce.report.cells import Cell, Tone, count_cell
from vivavoce.report.parts import method_of, notes, paragraphs

TONES: Final[Mapping[RobustnessVerdict, Tone]] = {"robust": "good", "not robust": "bad", "no conclusion": "open"}
SHOWN_FLIPS: Final = 3
"""Of each kind, on a page."""
IN_SHORT: Final = 1
"""The same in a terminal."""
SHOWN_TEXT: Final = 400
SHOWN_ANSWER: Final = 120
IN_A_LINE: Final = 70


@dataclass(frozen=True, slots=True)
class FlipRates:
    """Flip rates with their intervals, to be drawn: the control first."""

    plot: ClassVar[str] = "vivavoce.consistency.invariance.plots:flip_rates_drawing"
    rows: tuple[tuple[str, Ranged], ...]
    limit: float | None
    """What the certificate is about; None: there is none."""
    of: str = "questions on which the answer flips"
    """What the shares are of."""


def certificate(found: Robustness | None) -> tuple[Block, ...]:
    """What a certificate rests on."""
    if found is None:
        return ()
    which = "these variations of any kind"
    return paragraphs(
        f"Under at least one of {which}, the answer flips on {between(found.rate)}; the limit is {share(found.limit)}."
    )


def verdict(found: Robustness) -> Verdict:
    """The verdict in a word, and what it means."""
    return Verdict(found.verdict.capitalize(), TONES[found.verdict])


def rates(kinds: Sequence[KindSummary], control: FlipRate) -> Table:
    """A row a kind, and the control."""
    columns = (
        Column("Varied"),
        Column("Questions", number=True),
        Column("Flipped", about="Share of questions on which at least one answer is another one"),
        Column("Asked again", about="The same for the identical question, on the same questions", control=True),
        Column("Excess in points", short="Excess", about="Flipped less asked again, in percentage points"),
        Column("Open", about="Questions of which nobody can tell", number=True, detail=True),
        Column("Not varied", about="Questions without variants of this kind", number=True, detail=True),
    )
    rows = [
        Row(
            Cell(row.name, about=row.about),
            (
                count_cell(row.rate.n),
                rate_cell(row.rate),
                rate_cell(row.control),
                excess_cell(row.excess),
                count_cell(row.rate.unknown),
                count_cell(sum(row.left_out.values())),
            ),
        )
        for row in kinds
    ]
    nothing = Cell("", known=False)
    again = (count_cell(control.n), rate_cell(control), nothing, nothing, count_cell(control.unknown), nothing)
    return Table(columns, (*rows, Row(Cell("identical question"), again, "control")), name="Flip rates by kind of variation")


def plotted(kinds: Sequence[KindSummary], control: FlipRate, limit: float | None) -> tuple[Figure, ...]:
    """The rates of the control and of all kinds that apply."""
    rows = tuple((row.name, row.rate) for row in kinds if row.rate.n)
    return (Figure(FlipRates((("asked again", control), *rows), limit)),) if rows else ()


def examples(flips: Sequence[Flip]) -> tuple[Block, ...]:
    """Some flips of each kind."""
    by_kind: dict[str, list[Flip]] = {}
    for flip in flips:
        by_kind.setdefault(flip.kind, []).append(flip)
    if not by_kind:
        return ()
    cards = tuple(
        Section(f"{kind}: {count(len(found))}", tuple(map(_card, found[:SHOWN_FLIPS]))) for kind, found in by_kind.items()
    )
    lines = tuple(_line(flip) for found in by_kind.values() for flip in found[:IN_SHORT])
    return (Section("Flips", (InFull(cards), InShort(paragraphs(*lines)))),)


def method(kinds: Sequence[KindSummary], variants: int) -> Fold:
    """How the numbers were found."""
    number = "one variant" if variants == 1 else f"{count(variants)} variants"
    reasons = [
        f"Not varied by {row.name}: {', '.join(f'{clipped(why, 100)} ({count(n)})' for why, n in row.left_out.items())}."
        for row in kinds
        if row.left_out
    ]
    sources: tuple[Paragraph, ...] = notes(*reasons)
    return method_of(
        (
            f"Each question has {number} of each kind, fixed before anything was asked, and is asked again as it is as often. "
            "It flips if two of the answers differ; options are compared by their content, not their letter.",
            "Intervals are at level 95%: those of Clopper and Pearson for rates, and for the excess one that is made of both "
            "(zou2008).",
            f"Sources: {', '.join(f'{row.name} {row.source}' for row in kinds)}.",
        ),
        *sources,
    )


def rate_cell(rate: Ranged) -> Cell:
    """A share with its interval."""
    if rate.least is None:
        return Cell("unknown", known=False)
    return Cell(rate_in_words(rate), rate.least, rate.interval, percent_interval(rate.interval))


def excess_cell(excess: Excess) -> Cell:
    """A difference of shares with its interval."""
    if excess.least is None:
        return Cell("unknown", known=False)
    return Cell(excess_points(excess), excess.least, excess.interval, points_interval(excess.interval))


def _card(flip: Flip) -> Card:
    return Card(
        (
            Pairs(
                (
                    ("Question", clipped(flip.question, SHOWN_TEXT)),
                    ("Answer", clipped(flip.answer, SHOWN_ANSWER)),
                    ("Varied", clipped(flip.varied, SHOWN_TEXT)),
                    ("Answer to that", clipped(flip.other, SHOWN_ANSWER)),
                )
            ),
        ),
        title=clipped(flip.id, 80),
    )


def _line(flip: Flip) -> str:
    words = [clipped(" ".join(text.split())[:IN_A_LINE], IN_A_LINE) for text in (flip.varied, flip.answer, flip.other)]
    return f"{flip.kind}: “{words[0]}”: {words[1]} → {words[2]}"
