"""Checks of engines: counts as effects and findings, report blocks, and the printed tables."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import ceil, floor
from typing import Final
from urllib.parse import parse_qsl

from vivavoce.consistency.chess.comparison import NAME, OCCASION, ChessCheck, ChessComparison, board_pair, engine, in_words
from vivavoce.consistency.chess.counting import BINS, CheckedPositions, CheckSummary, Fit
from vivavoce.consistency.config import TELLING, THRESHOLDS
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import count, numbered, percent_interval, score, score_interval
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
from vivavoce.statistics.bounds import clopper_pearson_lower, clopper_pearson_upper
from vivavoce.studies.effects import Effect, Rate, Treatment, listed_reasons
from vivavoce.studies.presentation import EffectTable, cases_of, estimate_of, left_out, number_of, rate_of
from vivavoce.studies.study import Source, Study, StudyFinding, signature_of

TAIL: Final = 0.025
"""Tail probability on each side of an interval."""
ROUNDING: Final = 1e-6
"""Tolerance for rounding errors in a count."""


@dataclass(frozen=True, slots=True)
class PublishedChessRow:
    """A row of a table: shares in percent above .05, .1, .25, .5, .75 and 1, as printed."""

    check: ChessCheck
    n: int | None
    """Number of positions; None if the paper does not give it."""
    printed: tuple[str, ...]
    nodes: int

    @property
    def shares(self) -> tuple[Estimate, ...]:
        """The shares with their intervals."""
        return tuple(share(printed, self.n) for printed in self.printed)


@dataclass(frozen=True, slots=True)
class PublishedChecks:
    """A table of the paper."""

    number: int
    engine: str
    """Description."""
    rows: tuple[PublishedChessRow, ...]

    def of(self, check: str) -> PublishedChessRow | None:
        """The first row of a check."""
        return next((row for row in self.rows if row.check == check), None)


def share(printed: str, n: int | None) -> Estimate:
    """Convert a printed percentage to a share with Clopper and Pearson's interval at level 95%.

    The paper prints rounded shares, so the interval covers every count that rounds to the printed one. A bound ("<0.01") has no
    value. Positions are treated as independent, although several may come from one game. Without `n`, the interval covers
    rounding only.

    >>> estimate = share("0.5", 1000)  # 5 of 1,000, and no other count is printed so
    >>> estimate.value, round(estimate.interval.lower, 4), round(estimate.interval.upper, 4)
    (0.005, 0.0016, 0.0116)
    >>> share("<0.01", 400_000).value is None
    True
    """
    if printed.startswith("<"):
        least, most, value = 0.0, float(printed[1:]) / 100, None
    else:
        decimals = len(printed.partition(".")[2])
        half = 0.0 if printed == "0" else 0.5 * 10.0**-decimals / 100
        value = float(printed) / 100
        least, most = max(0.0, value - half), min(1.0, value + half)
    if n is None:
        return Estimate(value, Interval(least, most), 0)
    lowest, highest = ceil(least * n - ROUNDING), floor(most * n + ROUNDING)
    return Estimate(value, Interval(clopper_pearson_lower(lowest, n, TAIL), clopper_pearson_upper(highest, n, TAIL)), n)


@cache
def published_table(number: int) -> PublishedChecks:
    """Table 1, 6, 8, 9 or 10 of the paper.

    >>> published_table(1).engine
    'Leela Chess Zero 0.29 (T807785) at 400 nodes'
    """
    text = files("vivavoce.consistency.chess").joinpath("published.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)[f"table-{number}"]
    return PublishedChecks(number, table["engine"], tuple(map(_row, table["rows"].split("\n")[:-1])))


def _row(line: str) -> PublishedChessRow:
    check, thousands, nodes, *printed = line.split()
    return PublishedChessRow(ChessCheck(check), None if thousands == "-" else int(thousands) * 1000, tuple(printed), int(nodes))


def tables_beside(candidate: str) -> tuple[PublishedChecks, ...]:
    """Published tables for the same engine: Leela's, or Stockfish's with the same kind of evaluation; empty for others.

    >>> [table.number for table in tables_beside("uci:stockfish?nodes=1000&Use NNUE=false&engine=Stockfish 15.1")]
    [9, 10]
    """
    options = _options(candidate)
    called = options.get("engine", "")
    if called.startswith("Lc0 "):
        return (published_table(1),)
    if not called.startswith("Stockfish "):
        return ()
    numbers = (9, 10) if options.get("Use NNUE") == "false" else (8,)
    return tuple(map(published_table, numbers))


def _options(candidate: str) -> Mapping[str, str]:
    return dict(parse_qsl(candidate.partition("?")[2].replace("+", "%2B"), keep_blank_values=True))


OVER: Final[Mapping[float, str]] = {threshold: f"over_{threshold:g}" for threshold in THRESHOLDS}
"""Event names by threshold: the difference of the two values is larger."""
CONTRADICTED: Final = OVER[TELLING]
EVENTS: Final = (CONTRADICTED, *(event for event in OVER.values() if event != CONTRADICTED))
AT_AN_END: Final = "at_an_end"
"""Event: one of the two values is at an end of the scale."""


@dataclass(frozen=True, slots=True)
class CheckDetails:
    """Results of one check besides its rates."""

    name: str
    check: str
    no_answers: Mapping[str, int]
    """Numbers of positions without evaluation, by reason."""
    histogram: tuple[int, ...]
    """Numbers of pairs by difference, in `BINS` bins from 0 to 2."""
    worst: tuple[ChessComparison, ...]


@dataclass(frozen=True, slots=True)
class EngineDetails:
    """Data that only studies of engines have."""

    checks: tuple[CheckDetails, ...]
    made_forced: int
    """Positions with a forced move that were made by us, not found."""
    half_turn_only: bool
    """Whether boards were compared with their rotation by 180 degrees alone."""
    each: tuple[ChessComparison, ...]
    """All comparisons, if requested."""
    fits: tuple[Fit, ...] = ()
    """Lines fitted over numbers of nodes."""

    @property
    def kinds(self) -> frozenset[str]:
        """Names of all checks."""
        return frozenset(details.check for details in self.checks)


EngineFinding = StudyFinding[EngineDetails]


TREATMENTS: Final[Mapping[str, Treatment]] = {
    check: Treatment(check, OCCASION[check], label=name, group=name.lower()) for check, name in NAME.items()
}
"""A treatment for each check, by its name."""


def finding_of(
    study: Study[EngineDetails], checked: CheckedPositions, treatments: Sequence[Treatment], fits: tuple[Fit, ...] = ()
) -> EngineFinding:
    """Make the finding of a study.

    treatments: one for each summary. fits: lines over numbers of nodes.
    """
    pairs = list(zip(treatments, checked.summaries, strict=True))
    return StudyFinding(
        study,
        engine(checked.candidate),
        checked.source,
        effects=tuple(effect_of(treatment, summary) for treatment, summary in pairs),
        details=EngineDetails(
            tuple(
                CheckDetails(treatment.name, summary.check, summary.no_answers, summary.histogram, summary.worst)
                for treatment, summary in pairs
            ),
            checked.made_forced,
            bool(checked.settings.get("half_turn_only")),
            checked.each,
            fits,
        ),
        signature=signature_of(
            study, checked.candidate, Source(checked.source, checked.digest), checked.seed, checked.settings
        ),
        candidates=(checked.candidate,),
    )


def effect_of(treatment: Treatment, summary: CheckSummary) -> Effect:
    """Make the effect from the counts of one check; intervals are over games."""
    shares = dict(zip(OVER.values(), summary.over, strict=True))
    shares[AT_AN_END] = summary.saturated
    return Effect(
        treatment,
        summary.n,
        {event: _rate(share) for event, share in shares.items()},
        control={},
        excess={},
        scores={},
        left_out=summary.skipped,
        numbers={"largest": summary.largest, "games": summary.games, "no_answers": sum(summary.no_answers.values())},
        estimates={"mean_difference": summary.mean_difference, "mean_signed": summary.mean_signed},
    )


def estimate_of_rate(rate: Rate) -> Estimate:
    """A rate of these studies as an estimate; none of its cases is unknown."""
    return Estimate(rate.least, rate.interval, rate.n)


def _rate(share: Estimate) -> Rate:
    events = 0 if share.value is None else round(share.value * share.n)
    return Rate(share.n, events, 0, share.value, share.value, share.interval)


DRAWN_BINS: Final = 40
SHOWN_PAIRS: Final = 6
"""Pairs of boards on a page; each check gets at least three."""
MOST_IN_SHORT: Final = 2
"""Pairs of each check shown in a terminal."""
BOARDS_ABOUT: Final = (
    "One position of each game. Arrows show the engine’s best moves, bars its evaluations from −1 (lost) to 1 (won). If the "
    "engine gives a share d of drawn games, the chance of winning is (q + 1 − d) / 2 for an evaluation q."
)
NO_SIGN: Final = "boards"
"""The check without signed differences: it compares the highest value with the lowest."""


def tables_of(head: str) -> tuple[EffectTable, ...]:
    """Tables of how often values differ, and by how much.

    head: head of the column with the names of treatments.
    """
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


def largest_differences(checks: Sequence[CheckDetails], labels: Mapping[str, str]) -> ReportSection:
    """The largest differences of each check, one of each game: as boards on a page, as sentences in a terminal."""
    most = max(3, SHOWN_PAIRS // max(1, len(checks)))
    lines = (
        line
        for details in checks
        for pair in _worst(details, MOST_IN_SHORT)
        for line in (*paragraphs(f"{labels[details.name]}. {in_words(pair)}"), *notes(pair.positions[0]))
    )
    none = paragraphs("No difference was found.")
    drawn = (ReportSection(labels[details.name], tuple(map(board_pair, _worst(details, most))) or none) for details in checks)
    return ReportSection("Largest differences", (InFull((Paragraph(BOARDS_ABOUT, quiet=True), *drawn)), InShort(tuple(lines))))


def largest_difference(finding: EngineFinding) -> tuple[Block, ...]:
    """The largest difference of all checks, as boards."""
    labels = {effect.treatment.name: effect.label for effect in finding.effects}
    pairs = [(pair, check) for check in finding.details.checks for pair in _worst(check, 1)]
    if not pairs:
        return ()
    pair, check = max(pairs, key=lambda result: result[0].difference)
    return (ReportSection(f"Largest difference: {labels[check.name].lower()}", (board_pair(pair),)),)


def absences(finding: EngineFinding) -> tuple[Paragraph, ...]:
    """A sentence for each check on why positions have no evaluation."""
    labels = {effect.treatment.name: effect.label for effect in finding.effects}
    return notes(
        *(
            f"No answer, {labels[details.name].lower()}: {listed_reasons(details.no_answers)}."
            for details in finding.details.checks
            if details.no_answers
        )
    )


def _worst(check: CheckDetails, most: int) -> list[ChessComparison]:
    """The largest differences, at most one of each game."""
    by_game: dict[str, ChessComparison] = {}
    for pair in check.worst:
        if pair.difference > 0:
            by_game.setdefault(pair.game, pair)
    return list(by_game.values())[:most]


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
