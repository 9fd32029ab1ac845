"""Report blocks of engine studies: tables of checks, histograms, the largest differences on boards."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil
from typing import Any, Final

from vivavoce.consistency.chess.comparison import ChessCheck
from vivavoce.consistency.chess.counting import BINS
from vivavoce.consistency.chess.published import PublishedChessRow, published_table, tables_beside
from vivavoce.consistency.config import THRESHOLDS
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import clipped, count, numbered, percent_interval, score, score_interval
from vivavoce.report.blocks import (
    Block,
    Column,
    InFull,
    InShort,
    Panels,
    Paragraph,
    ReportFigure,
    ReportRow,
    ReportSection,
    ReportTable,
    notes,
    paragraphs,
)
from vivavoce.report.cells import TableCell, signed_cell
from vivavoce.report.figures import Histogram
from vivavoce.studies.effects import Effect
from vivavoce.studies.engine_checks.counting import AT_AN_END, CONTRADICTED, OTHER_MOVE, OVER, CheckDetails, EngineFinding
from vivavoce.studies.presentation import EffectTable, cases_of, estimate_of, left_out, number_of, rate_of

DRAWN_BINS: Final = 40
"""Most bins drawn in a histogram."""
SHOWN_PAIRS: Final = 6
"""Pairs of boards on a page; each check gets at least three."""
MOST_IN_SHORT: Final = 2
"""Pairs of each check shown in a terminal."""
NO_SIGN: Final = "boards"
"""The check without signed differences: it compares the highest value with the lowest."""


def tables_of(head: str, *, compares_moves: bool) -> tuple[EffectTable, ...]:
    """Tables of how often values differ, and by how much.

    head: head of the column with the names of treatments. compares_moves: whether best moves were compared.
    """
    moves = (Column("Another move", about="Its best move is not the image of the other"), _other_move)
    return (
        EffectTable(
            "How often the two values differ",
            head,
            (
                (Column("Positions", number=True), cases_of(CONTRADICTED)),
                *((Column(f"Over {threshold:g}"), rate_of(OVER[threshold])) for threshold in THRESHOLDS),
            ),
        ),
        EffectTable(
            "How much the two values differ",
            head,
            (
                (Column("Mean", about="Mean difference"), estimate_of("mean_difference", score, score_interval)),
                (Column("With sign", about="After a move, above 0: it prefers to have the move"), _signed),
                (Column("Largest", number=True), number_of("largest", "{:.2f}".format)),
                (Column("At an end", about="Won or lost for certain: may hide a difference"), rate_of(AT_AN_END)),
                *((moves,) if compares_moves else ()),
                (Column("Games", number=True, about="That positions come from"), number_of("games", _whole)),
                (Column("No answer", number=True, detail=True), number_of("no_answers", _whole)),
                (Column("Skipped", number=True, detail=True), left_out),
            ),
        ),
    )


def histograms(checks: Sequence[CheckDetails], labels: Mapping[str, str]) -> Panels:
    """Histograms of differences, a panel for each check (Figure 8 of `fluri2024`).

    labels: display names of the checks.
    """
    shown = [(details, details.worst[0].difference) for details in checks if details.worst]
    bins = min(BINS, ceil(BINS / 2 * (1.08 * max((largest for _, largest in shown), default=0.0) + 0.04)))
    joined = -(-bins // DRAWN_BINS)
    counts = [
        tuple(sum(details.histogram[first : first + joined]) for first in range(0, joined * ceil(bins / joined), joined))
        for details, _ in shown
    ]
    most = max(map(max, counts), default=0)
    return Panels(
        tuple(
            _histogram(labels[details.name], numbers, joined * 2 / BINS, largest, most)
            for (details, largest), numbers in zip(shown, counts, strict=True)
        )
    )


def largest_differences(
    checks: Sequence[CheckDetails],
    labels: Mapping[str, str],
    draw: Callable[[Any], ReportFigure],
    describe: Callable[[Any], str],
    about: str,
) -> ReportSection:
    """The largest differences of each check, one of each game: as boards on a page, as sentences in a terminal.

    draw, describe: turn a comparison into a figure and into a sentence. about: how to read the figures.
    """
    most = max(3, SHOWN_PAIRS // max(1, len(checks)))
    lines = (
        line
        for details in checks
        for pair in _worst(details, MOST_IN_SHORT)
        for line in (*paragraphs(f"{labels[details.name]}. {describe(pair)}"), *notes(pair.positions[0]))
    )
    drawn = (ReportSection(labels[details.name], _drawn(_worst(details, most), draw)) for details in checks)
    return ReportSection("Largest differences", (InFull((Paragraph(about, quiet=True), *drawn)), InShort(tuple(lines))))


def largest_difference(finding: EngineFinding, draw: Callable[[Any], ReportFigure]) -> tuple[Block, ...]:
    """The largest difference of all checks, as boards."""
    labels = {effect.treatment.name: effect.label for effect in finding.effects}
    pairs = [(pair, check) for check in finding.details.checks for pair in _worst(check, 1)]
    if not pairs:
        return ()
    pair, check = max(pairs, key=lambda result: result[0].difference)
    return (ReportSection(f"Largest difference: {labels[check.name].lower()}", (draw(pair),)),)


def absences(finding: EngineFinding) -> tuple[Paragraph, ...]:
    """A sentence for each check on why positions have no evaluation."""
    labels = {effect.treatment.name: effect.label for effect in finding.effects}
    return notes(
        *(
            f"No answer, {labels[details.name].lower()}: "
            f"{', '.join(f'{clipped(reason, 100)} ({count(number)})' for reason, number in details.no_answers.items())}."
            for details in finding.details.checks
            if details.no_answers
        )
    )


def _worst(check: CheckDetails, most: int) -> list[Any]:
    """The largest differences, at most one of each game."""
    by_game: dict[str, Any] = {}
    for pair in check.worst:
        if pair.difference > 0:
            by_game.setdefault(pair.game, pair)
    return list(by_game.values())[:most]


def _drawn(pairs: Sequence[Any], draw: Callable[[Any], ReportFigure]) -> tuple[Block, ...]:
    return tuple(map(draw, pairs)) or paragraphs("No difference was found.")


def _histogram(name: str, counts: tuple[int, ...], width: float, largest: float, most: int) -> ReportFigure:
    """A histogram on a logarithmic axis up to `most`, the greatest count of all panels."""
    alt = f"{name}: positions by the difference of their two values, on a logarithmic scale. The largest is {largest:.2f}."
    return ReportFigure(
        Histogram(
            0.0, width, counts, alt, "Difference", "Positions", limit=None, mark=(largest, f"largest {largest:.2f}"),
            logarithmic=True, top=most,
        ),
        title=name,
    )  # fmt: skip


def _signed(effect: Effect) -> TableCell:
    if effect.treatment.name == NO_SIGN:
        return TableCell("none", known=False)
    return signed_cell(effect.estimates["mean_signed"])


def _other_move(effect: Effect) -> TableCell:
    return rate_of(OTHER_MOVE)(effect) if effect.rates[OTHER_MOVE].n else TableCell("none", known=False)


def _whole(number: float) -> str:
    return count(round(number))


HEADING = "Compared with the paper"
PAPER = "The paper is Fluri, Paleka and Tramèr, “Evaluating Superhuman Models with Consistency Checks” (2024)."
CAUTION = (
    "Its positions are middle games of another collection, and its search may be longer or shorter. No test compares the "
    "tables. Its intervals take positions for independent, and allow for the rounding of the printed shares."
)


def compared_with_paper(candidate: str, effects: Sequence[Effect]) -> tuple[Block, ...]:
    """Each check with the paper's row of the same engine; empty if the paper does not have the engine."""
    tables = tables_beside(candidate)
    rows: list[ReportRow] = []
    for effect in (effect for effect in effects if effect.n):
        shares = (rate_of(event)(effect) for event in OVER.values())
        rows.append(ReportRow(TableCell(f"{effect.label}: here"), (TableCell(count(effect.n), effect.n), *shares)))
        for table in tables:
            row = table.of(effect.treatment.name)
            if row is not None:
                rows.append(_published(f"Table {table.number}", row))
    if not tables or not rows:
        return ()
    text = " ".join((*(f"Table {table.number}: {table.engine}." for table in tables), PAPER, CAUTION))
    return (InFull((ReportSection(HEADING, (_table("Check", rows, HEADING), *notes(text))),)),)


def nodes_in_paper(check: str) -> tuple[Block, ...]:
    """Table 6, the data of Figure 7; empty for any check but recommended moves."""
    if check != ChessCheck.RECOMMENDED:
        return ()
    table = published_table(6)
    rows = [_published(numbered(row.nodes, "node"), row) for row in table.rows]
    text = (
        f"Table 6 and Figure 7 of the paper: {table.engine}. {PAPER} It does not say how many positions there were; "
        "brackets hold what the rounding leaves open. Nodes of its tree search are not nodes of an alpha-beta search."
    )
    return (InFull((ReportSection(HEADING, (_table("Leela", rows, "Table 6 of the paper"), *notes(text))),)),)


def _table(first: str, rows: Sequence[ReportRow], name: str) -> ReportTable:
    heads = (Column(first), Column("Positions"), *(Column(f"Over {threshold:g}") for threshold in THRESHOLDS))
    return ReportTable(heads, tuple(rows), name=name)


def _published(name: str, row: PublishedChessRow) -> ReportRow:
    n = TableCell("not given", known=False) if row.n is None else TableCell(count(row.n), row.n)
    cells = (_share(printed, share) for printed, share in zip(row.printed, row.shares, strict=True))
    return ReportRow(TableCell(name), (n, *cells), kind="quiet")


def _share(printed: str, share: Estimate) -> TableCell:
    """A share as printed, with its interval."""
    if share.value is None:
        return TableCell(f"< {printed[1:]}%", share.interval.upper, share.interval, percent_interval(share.interval))
    return TableCell(f"{printed}%", share.value, share.interval, percent_interval(share.interval))
