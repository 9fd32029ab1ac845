"""Reports side by side: the same figures in one row, with differences if the same was asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, floor
from typing import Any, Final

from vivavoce.errors import BadInput
from vivavoce.examination.dossier import Dossier, joined, parts_of
from vivavoce.examination.part import ComparableFigure
from vivavoce.examination.parts.eqt import EqtPart
from vivavoce.examination.presentation import TEST_VERDICTS
from vivavoce.examination.rooms import QUESTIONS
from vivavoce.formats.interval import Interval
from vivavoce.formats.json_values import given
from vivavoce.formats.wording import capital, clipped, count, in_words
from vivavoce.interview.scope import Signature
from vivavoce.report import blocks
from vivavoce.report.cells import NBSP, TableCell
from vivavoce.report.reported import ReportedFinding
from vivavoce.version import __version__

KIND: Final = "reports"
"""Kind of the JSON document."""
MOST: Final = 20
"""Reports side by side."""
FEW: Final = 3
"""Most reports whose results are in the headline."""
SHOWN: Final = 300
"""Characters of a name on the page."""
OTHER: Final = "not comparable: other questions"
UNTOLD: Final = "not comparable: each answered different questions"
MISSING: Final = "not comparable: not examined"
LITTLE: Final = "not comparable: too little evidence"


@dataclass(frozen=True, slots=True)
class FigureDifference:
    """The difference of one figure: a later report minus the first."""

    difference: ComparableFigure | None
    why_not: str = ""
    """Why it is missing; empty if there is a difference."""
    beyond_chance: bool = False
    """Whether the interval of the difference is on one side of 0."""

    @property
    def in_words(self) -> str:
        """The difference in points with its interval, or why it is missing; empty if it was not examined."""
        if self.difference is None:
            return "" if self.why_not == MISSING else self.why_not
        return in_points(self.difference) + ("" if self.beyond_chance else ", may be chance")


@dataclass(frozen=True, slots=True)
class FigureRow:
    """One figure of all reports."""

    room: str
    name: str
    figures: tuple[ComparableFigure | None, ...]
    """One per report; None if it has no figure of that name."""
    differences: tuple[FigureDifference, ...]
    """One for each report after the first."""

    @property
    def titled(self) -> str:
        """The display title of the figure, from the first report that has one."""
        return next((figure.title for figure in self.figures if figure is not None and figure.title), self.name)


@dataclass(frozen=True, slots=True, repr=False)
class ReportComparison(ReportedFinding):
    """Several reports side by side."""

    dossiers: tuple[Dossier, ...]
    compared: tuple[FigureRow, ...]
    """Differences by examination, in order."""

    json_keys = "rows=compared"

    @property
    def headline(self) -> str:
        """Passed tests of each report if there are few; otherwise the number of significant differences."""
        return " ".join(dossier.headline for dossier in self.dossiers) if len(self.dossiers) <= FEW else self.significant

    @property
    def statement(self) -> str:
        """Passed tests of each report, if there are few, and the number of significant differences."""
        results = [dossier.headline for dossier in self.dossiers] if len(self.dossiers) <= FEW else []
        return " ".join([*results, self.significant])

    @property
    def significant(self) -> str:
        """The number of significant differences, in a sentence."""
        differences = [difference.beyond_chance for row in self.compared for difference in row.differences]
        return f"{count(sum(differences))} of {count(len(differences))} differences are significant."

    @property
    def signature(self) -> Signature:
        """The signature: version and number of candidates; a comparison draws nothing."""
        return Signature(__version__, KIND, f"{len(self.dossiers)} candidates", KIND, "", 0, {})

    @property
    def caveats(self) -> tuple[str, ...]:
        """Limits of the differences."""
        own = "Each candidate wrote the questions on its own explanations, which may be easier or harder than another's."
        return (
            "A difference is given only if both were asked the same: questions drawn from the same scope, or the same file.",
            "Its interval goes from the least of one interval to the most of the other. It is wider than necessary: two "
            "candidates may differ although it includes 0.",
            "Many differences were looked at (multiple comparisons): some intervals may exclude 0 by chance.",
            *((own,) if any(row.room == EqtPart.room for row in self.compared) else ()),
        )

    @property
    def examined(self) -> tuple[str, ...]:
        """The names of the candidates."""
        return tuple(dossier.candidate for dossier in self.dossiers)

    def provenance(self) -> dict[str, Any]:
        """Display names, and each report's answer."""
        named = any(dossier.name for dossier in self.dossiers)
        return {
            **given(names=named and [dossier.called for dossier in self.dossiers]),
            "answers": [dossier.statement for dossier in self.dossiers],
        }

    def report(self) -> blocks.Report:
        """All of it as blocks."""
        names = [clipped(dossier.called, SHOWN) for dossier in self.dossiers]
        rooms = dict.fromkeys(row.room for row in self.compared)
        small = "Small print: difference from the first candidate, in percentage points, with its interval."
        return self.reported(
            f"{in_words(len(names)).capitalize()} report{'' if len(names) == 1 else 's'} side by side",
            f"Reports of {' and '.join(names)}" if len(names) <= FEW else f"{len(names)} reports",
            blocks.ResultList(tuple(map(_result, self.dossiers))),
            *((blocks.Caveats(self.caveats),) if len(names) > 1 else ()),
            *(blocks.InFull(blocks.notes(small)) for _ in names[1:2]),
            *(
                blocks.ReportSection(QUESTIONS[room], _tables(names, [row for row in self.compared if row.room == room]))
                for room in rooms
            ),
            *(blocks.InFull((_answer(dossier),)) for dossier in self.dossiers),
            headline=self._short_headline,
        )

    @property
    def _short_headline(self) -> str:
        """The number of passed tests in each report, if there are few; the page's rows say which."""
        passes = (f"{clipped(dossier.called, SHOWN)} {dossier.answer.result.partition('. ')[0]}" for dossier in self.dossiers)
        return f"{'; '.join(passes)}." if len(self.dossiers) <= FEW else self.significant


def compare(dossiers: Sequence[Dossier]) -> ReportComparison:
    """Put reports side by side. Raises `BadInput` for none, and for more than `MOST`.

    >>> compare([]).compared
    Traceback (most recent call last):
    ...
    vivavoce.errors.BadInput: 0 reports: give 1 to 20
    """
    if not 1 <= len(dossiers) <= MOST:
        raise BadInput(f"{len(dossiers)} reports: give 1 to {MOST}")
    by_name = [_figures(dossier) for dossier in dossiers]
    names = list(dict.fromkeys(key for figures in by_name for key in figures))
    names.sort(key=lambda key: list(QUESTIONS).index(key[0]))
    rows = []
    for room, name in names:
        figures = tuple(known.get((room, name)) for known in by_name)
        rows.append(FigureRow(room, name, figures, tuple(_difference(figures[0], other) for other in figures[1:])))
    return ReportComparison(tuple(dossiers), tuple(rows))


def _figures(dossier: Dossier) -> dict[tuple[str, str], ComparableFigure]:
    """Figures by examination and name; the first of several with one name."""
    result: dict[tuple[str, str], ComparableFigure] = {}
    for card in dossier.cards:
        for figure in card.figures:
            result.setdefault((card.room, figure.name), figure)
    return result


def _difference(first: ComparableFigure | None, other: ComparableFigure | None) -> FigureDifference:
    """The other figure minus the first."""
    if first is None or other is None:
        return FigureDifference(None, MISSING)
    if not first.asked or not other.asked:
        return FigureDifference(None, UNTOLD)
    if first.asked != other.asked or first.unit != other.unit:
        return FigureDifference(None, OTHER)
    bounds = (first.value, first.lower, first.upper, other.value, other.lower, other.upper)
    if any(bound is None for bound in bounds):
        return FigureDifference(None, LITTLE)
    value, lower, upper, of_other, other_lower, other_upper = (float(bound) for bound in bounds if bound is not None)
    least, most = other_lower - upper, other_upper - lower
    difference = replace(other, value=of_other - value, lower=least, upper=most, n=min(first.n, other.n))
    return FigureDifference(difference, beyond_chance=least > 0 or most < 0)


def in_points(figure: ComparableFigure) -> str:
    """A difference with its sign, in points of percent or of the scale, the interval rounded outwards.

    >>> in_points(ComparableFigure("x", -0.125, -0.301, 0.05, 9, "share", ""))
    '−12 points [−31, +5]'
    """
    scale = 1 if figure.unit == "points" else 100
    value, lower, upper = (scale * (bound or 0.0) for bound in (figure.value, figure.lower, figure.upper))
    return f"{_signed(round(value))} points [{_signed(floor(round(lower, 9)))}, {_signed(ceil(round(upper, 9)))}]"


def _signed(number: int) -> str:
    return f"{'+' if number > 0 else '−' if number < 0 else ''}{abs(number)}"


def _result(dossier: Dossier) -> blocks.ResultLine:
    """The answer of a report in a row."""
    verdict = blocks.VerdictLabel("No test", "open") if dossier.verdict is None else TEST_VERDICTS[dossier.verdict]
    result = dossier.answer.result
    return blocks.ResultLine(verdict, clipped(dossier.called, SHOWN), clipped(f"{capital(result)}.", SHOWN))


def _answer(dossier: Dossier) -> blocks.Block:
    pairs = tuple((heading, clipped(joined(kind, texts), 2_000)) for kind, heading, texts in parts_of(dossier.answer))
    return blocks.ReportSection(
        clipped(dossier.called, SHOWN), (blocks.Pairs(pairs), *blocks.paragraphs(dossier.answer.guarantee))
    )


def _tables(names: Sequence[str], rows: Sequence[FigureRow]) -> tuple[blocks.Block, ...]:
    """A table for a page, with differences as small print, and one for a terminal, with differences as rows."""
    columns = (blocks.Column("Figure", short=" "), *(blocks.Column(name) for name in names))
    full = blocks.ReportTable(columns, tuple(map(_row, rows)), name="Figures of each report" if len(names) > 2 else "")
    short = [line for row in rows for line in (_row(row), _row_of_differences(row)) if line is not None]
    return blocks.InFull((full,)), blocks.InShort((blocks.ReportTable(columns, tuple(short)),))


def _row_of_differences(row: FigureRow) -> blocks.ReportRow | None:
    cells = ("", *(difference.in_words for difference in row.differences))
    return blocks.ReportRow(TableCell("  minus the first"), tuple(map(TableCell, cells)), kind="quiet") if any(cells) else None


def _row(row: FigureRow) -> blocks.ReportRow:
    differences = ("", *(difference.in_words for difference in row.differences))
    cells = (_cell(figure, below) for figure, below in zip(row.figures, differences, strict=True))
    return blocks.ReportRow(TableCell(clipped(row.titled, SHOWN)), tuple(cells))


def _cell(figure: ComparableFigure | None, below: str) -> TableCell:
    if figure is None:
        return TableCell("not examined", known=False)
    bounds = None if figure.lower is None or figure.upper is None else Interval(figure.lower, figure.upper)
    return TableCell(
        figure.shown + figure.in_words.removeprefix(figure.shown).replace(" ", NBSP),
        figure.value,
        bounds,
        below=(below,) if below else (),
    )
