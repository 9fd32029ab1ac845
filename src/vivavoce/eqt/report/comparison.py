"""Several candidates beside one another, each on its own explanations."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from vivavoce.eqt.figures import Figures
from vivavoce.eqt.finding import ExplainQueryTest
from vivavoce.eqt.report.cells import called, figure_cell, share_cell, without_n
from vivavoce.eqt.report.figures import CategoryPanel, CategorySpider
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import count, percent
from vivavoce.report.blocks import Block, Column, Figure, Fold, InFull, InShort, Panels, Row, Section, Table
from vivavoce.report.cells import Cell, Tint
from vivavoce.report.parts import method_of, notes

MOST_CANDIDATES: Final = 24
"""In a table."""
MOST_CATEGORIES: Final = 60
MOST_DRAWN: Final = 5
"""Candidates in one picture: more cannot be told from one another."""
MOST_PANELS: Final = 24
TINTS: Final = (0.2, 0.4, 0.6, 0.8)
"""Shares from which a cell of the matrix is tinted more."""
OVERVIEW: Final = ("closed", "closed_originals", "open_book", "gap", "acs", "acs_rescaled")
HEADS: Final = (
    Column("Without", "all wordings", "closed book"),
    Column("Without", "original", "closed book, original", detail=True),
    Column("With", "original", "open book"),
    Column("Gap", "points", "gap"),
    Column("ACS", "as printed", "ACS"),
    Column("ACS", "rescaled", "ACS, rescaled", detail=True),
    Column("Valid", "questions", "valid questions", detail=True),
)
"""Of `OVERVIEW`, and how many questions are valid."""
NOT_ASKED: Final = Cell("not asked", quiet=True, known=False)


def categories_of(findings: Sequence[ExplainQueryTest]) -> list[str]:
    """All categories, in the order in which they first occur."""
    return list(dict.fromkeys(figures.name for finding in findings for figures in finding.categories))[:MOST_CATEGORIES]


def overview(findings: Sequence[ExplainQueryTest]) -> tuple[Block, ...]:
    """One line a candidate: its figures over all its questions, and how many of these are valid."""
    rows = tuple(
        Row(
            Cell(f"{count(number)} · {called(finding.candidate)}", called(finding.candidate)),
            (*(_with_n_below(figure_cell(finding.whole, what)) for what in OVERVIEW), _valid(finding)),
        )
        for number, finding in enumerate(findings, 1)
    )
    about = (
        "Share of questions answered exactly, with 95% intervals. Gap: with less without the explanation, question by "
        "question. ACS: how alike answers to the wordings of one question are."
    )
    table = Table((Column("Candidate", short="candidate"), *HEADS), rows, name="The candidates side by side")
    return table, InFull(notes(about))


def left_out(every: Sequence[ExplainQueryTest], shown: Sequence[ExplainQueryTest], categories: Sequence[str]) -> str:
    """What there is no room for, in words."""
    number = len({figures.name for finding in shown for figures in finding.categories})
    if len(every) == len(shown) and number == len(categories):
        return ""
    return (
        f"There is room for {count(len(shown))} of {count(len(every))} candidates and {count(len(categories))} of "
        f"{count(number)} categories; the JSON has all of them."
    )


def accuracy(findings: Sequence[ExplainQueryTest], categories: Sequence[str]) -> Section:
    """Closed-book accuracy by category, drawn and in numbers (Table 1 of the paper)."""
    shown = findings[:MOST_DRAWN]
    spider = CategorySpider(
        tuple(called(finding.candidate) for finding in shown),
        tuple(categories),
        tuple(_shares(finding, categories) for finding in shown),
    )
    caption = (
        "The farther out, the more questions answered exactly, over all wordings; the outer ring is 100%. The table has the "
        f"intervals. {_drawn(findings)}"
    )
    return Section(
        "Right without the explanation, by category",
        (
            Figure(spider, caption.rstrip()),
            *_by_category(findings, categories, "closed", "Right without the explanation, by category and candidate"),
        ),
    )


def panels(findings: Sequence[ExplainQueryTest], categories: Sequence[str]) -> Section:
    """A small picture a category: accuracy without the explanation and with it."""
    figures = tuple(
        Figure(CategoryPanel(category, _of_category(findings[:MOST_DRAWN], category)), title=called(category))
        for category in categories[:MOST_PANELS]
    )
    about = (
        "Share of questions answered exactly. Solid: without the explanation, all wordings. Hatched: with it. Lines are 95% "
        f"intervals; the numbers are those of the candidates above. {_drawn(findings)}"
    )
    return Section(
        "Without the explanation and with it", (InFull((*notes(about.rstrip()), Panels(figures))),) if figures else ()
    )


def consistency(findings: Sequence[ExplainQueryTest], categories: Sequence[str]) -> Section:
    """Answer consistency by category."""
    about = (
        "1 where all wordings of a question get the same answer, right or wrong; as printed in the paper, so that it cannot "
        "reach 0."
    )
    return Section(
        "Answer consistency (ACS) by category",
        (
            *_by_category(findings, categories, "acs", "Answer consistency by category and candidate"),
            InFull(notes(about)),
        ),
    )


def by_category(findings: Sequence[ExplainQueryTest], categories: Sequence[str], what: str) -> tuple[Row, ...]:
    """One figure, categories down and candidates across, over all questions last, as Table 1 of the paper has it."""
    found = [{figures.name: figures for figures in finding.categories} for finding in findings]
    whole = Row(Cell("All questions"), without_n([figure_cell(finding.whole, what) for finding in findings]), "sum")
    if len(categories) < 2:
        return (whole,)
    rows = (Row(Cell(called(name)), tuple(_figure(by_name.get(name), what) for by_name in found)) for name in categories)
    return (*rows, whole)


def matrix(
    owners: Sequence[ExplainQueryTest], found: Mapping[str, Mapping[str, Estimate]], everywhere: Mapping[str, float]
) -> Section:
    """Who answers whose questions; nothing where nobody was asked another's.

    found: whose questions -> who answers them -> accuracy; everywhere: who answers -> the mean of these, where it is known.
    """
    names = list(
        dict.fromkeys([*(owner.candidate for owner in owners), *(name for owner in owners for name in owner.visitors)])
    )
    shown = names[:MOST_CANDIDATES]
    if not any(owner.visitors for owner in owners):
        return Section("", ())
    rows = tuple(_owner(number, owner.candidate, found[owner.candidate], shown) for number, owner in enumerate(owners, 1))
    means = tuple(Cell(percent(everywhere[name]), everywhere[name]) if name in everywhere else Cell("") for name in shown)
    foot = (Row(Cell("All of these"), means, "sum"),) if everywhere else ()
    in_full = Table(
        (Column("Questions of"), *(Column("answered by", called(name)) for name in shown)),
        rows,
        foot,
        "Who answers whose questions",
    )
    in_short = Table(
        (Column("questions of"), *(Column(f"answered by {count(number)}") for number in range(1, len(shown) + 1))), rows, foot
    )
    about = "Original wordings answered exactly without the explanation; a stronger tint means more of them."
    if everywhere:
        about += " All of these: the mean of the column, each set of questions counting the same."
    return Section(
        "Who answers whose questions",
        (InFull((in_full, *notes(about))), InShort((in_short, *notes(_also_asked(owners, shown))))),
    )


def tint(share: float) -> int:
    """How much a cell is tinted, from 0 to 4.

    >>> tint(0.0), tint(0.2), tint(0.79), tint(1.0)
    (0, 1, 3, 4)
    """
    return bisect_right(TINTS, share)


def method(findings: Sequence[ExplainQueryTest]) -> Fold:
    """How the figures were found."""
    crossed = (
        "Who answers whose questions: the original wordings, without the explanation, in a conversation of its own. A row is "
        "one set of questions, so that figures in a row can be compared."
    )
    return method_of(
        [
            "Each candidate explained the concepts, wrote questions on its own explanations and answered them without seeing "
            "these again; where others took part, its own page says so. So each has questions of its own, and a candidate "
            "that writes harder ones gets lower figures.",
            *((crossed,) if any(finding.visitors for finding in findings) else ()),
            "Intervals are at level 95% and allow for questions on one concept being alike.",
        ]
    )


def _by_category(findings: Sequence[ExplainQueryTest], categories: Sequence[str], what: str, name: str) -> tuple[Block, ...]:
    """The table with names over its columns, and where there is little room with numbers."""
    rows = by_category(findings, categories, what)
    named = (Column(count(number), called(finding.candidate)) for number, finding in enumerate(findings, 1))
    numbered = (Column(count(number)) for number in range(1, len(findings) + 1))
    return (
        InFull((Table((Column("Category"), *named), rows, name=name),)),
        InShort((Table((Column("category"), *numbered), rows),)),
    )


def _owner(number: int, owner: str, answered: Mapping[str, Estimate], names: Sequence[str]) -> Row:
    cells = tuple(_crossed(answered.get(name), own=name == owner) for name in names)
    return Row(Cell(called(owner), short=f"{count(number)} {called(owner)}"), cells)


def _crossed(estimate: Estimate | None, *, own: bool) -> Cell:
    if estimate is None:
        return NOT_ASKED
    cell = _with_n_below(share_cell(estimate))
    level = Tint(0 if estimate.value is None else tint(estimate.value), "plain", framed=own)
    return replace(cell, text=f"{cell.text} its own" if own else cell.text, short=cell.text, tint=level)


def _also_asked(owners: Sequence[ExplainQueryTest], names: Sequence[str]) -> str:
    """Those who answer others' questions and have none of their own, by their numbers."""
    own = {owner.candidate for owner in owners}
    guests = [f"{count(number)} {called(name)}" for number, name in enumerate(names, 1) if name not in own]
    return f"also asked: {', '.join(guests)}" if guests else ""


def _figure(figures: Figures | None, what: str) -> Cell:
    return NOT_ASKED if figures is None else replace(figure_cell(figures, what), n="")


def _with_n_below(cell: Cell) -> Cell:
    return replace(cell, n="", below=(cell.n,))


def _of_category(findings: Sequence[ExplainQueryTest], category: str) -> tuple[tuple[int, str, Figures], ...]:
    return tuple(
        (number, finding.candidate, figures)
        for number, finding in enumerate(findings, 1)
        for figures in finding.categories
        if figures.name == category
    )


def _shares(finding: ExplainQueryTest, categories: Sequence[str]) -> tuple[float | None, ...]:
    found = {figures.name: figures.closed.value for figures in finding.categories}
    return tuple(found.get(category) for category in categories)


def _valid(finding: ExplainQueryTest) -> Cell:
    return Cell(f"{count(finding.validity.valid)} of {count(finding.validity.written)}", finding.validity.valid)


def _drawn(findings: Sequence[ExplainQueryTest]) -> str:
    return f"Drawn are the first {count(MOST_DRAWN)} of {count(len(findings))}." if len(findings) > MOST_DRAWN else ""
