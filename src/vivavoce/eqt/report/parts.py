"""Shared elements of EQT report parts: their type, table cells, and the figure of shares.

Cards of example questions, with all answers to them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from vivavoce.eqt.record import ParsedAnswer, Phrasing, QuestionRecord
from vivavoce.eqt.result import ExampleQuestion, Figures
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import clipped, count, name_of, percent, percent_interval, score, score_interval
from vivavoce.interview.forms.several_options import Choice, letters
from vivavoce.interview.forms.written_question import MultipleChoice
from vivavoce.report import blocks
from vivavoce.report.blocks import Block, ReportFigure
from vivavoce.report.cells import NBSP, TableCell
from vivavoce.report.figures import IntervalRow, IntervalRows, Kind

IN_LINES: Final = ("closed", "closed_originals", "open_book", "gap", "acs")
"""The figures of a category or concept."""
MOST_GROUPS: Final = 24
"""Maximum number of categories in figures."""
MOST_ROWS: Final = 48
"""Maximum number of rows in one figure; further rows get a second one."""
LONGEST_LABEL: Final = 18


@dataclass(frozen=True, slots=True)
class ReportPart:
    """One part of a report: on a candidate, several candidates, a benchmark, or near-duplicate questions."""

    heading: str
    title: str
    """The page title if this part comes first; other parts show `heading`."""
    headline: str
    """The result in one sentence."""
    others: str
    """Further sentences; may be empty."""
    lead: str
    """A description of the procedure for readers who do not know EQT."""
    blocks: tuple[Block, ...]
    caveats: tuple[str, ...]
    method: tuple[str, ...]
    first: tuple[Block, ...] = ()
    """The decisive numbers and the worst case, shown before the caveats of a page."""
    closing: tuple[Block, ...] = ()
    """Blocks shown after the caveats."""


@dataclass(frozen=True, slots=True)
class ShareRow:
    """One share in a figure."""

    group: str
    label: str
    estimate: Estimate
    highest: float | None = None
    """The highest possible value if replies could not be parsed; otherwise None."""
    kind: Kind = "plain"


def shares_figure(rows: Iterable[ShareRow], axis: str, caption: str) -> tuple[ReportFigure, ...]:
    """Figures of shares with their intervals, grouped; as many figures as the rows need, empty without a known share."""
    known = [row for row in rows if row.estimate.value is not None]
    groups: dict[str, list[IntervalRow]] = {}
    for row in known:
        groups.setdefault(row.group, []).append(_interval_row(row))
    pages: list[list[IntervalRow]] = [[]] if groups else []
    for of_group in groups.values():
        if pages[-1] and len(pages[-1]) + len(of_group) > MOST_ROWS:
            pages.append([])
        pages[-1] += of_group
    return tuple(
        ReportFigure(IntervalRows(axis, tuple(page), alt=_in_words(axis, page)), caption if page is pages[-1] else "")
        for page in pages
    )


def _in_words(axis: str, rows: Sequence[IntervalRow]) -> str:
    return f"Share of {axis}: {'; '.join(f'{display_name(row.group)}, {row.label} {row.text}' for row in rows)}."


def _interval_row(row: ShareRow) -> IntervalRow:
    least = row.estimate.value or 0.0
    ends = Interval(least, least if row.highest is None else row.highest)
    text = _line(share_cell(row.estimate, row.highest))
    return IntervalRow.of(row.label, text, row.estimate, row.kind, row.group, ends)


def without_and_with(group: str, figures: Figures) -> tuple[ShareRow, ShareRow]:
    """Original wordings answered without the explanation, and with it."""
    return (
        ShareRow(group, "without", figures.closed_originals, figures.highest.get("closed_originals")),
        ShareRow(group, "with", figures.open_book, figures.highest.get("open_book"), "control"),
    )


def display_name(name: str) -> str:
    """A candidate's name on one line, shortened.

    >>> display_name("a\\nb"), len(display_name("x" * 500))
    ('a b', 60)
    """
    return name_of(" ".join(name.split()))


def short_label(name: str) -> str:
    """A shortened name as a row label.

    >>> short_label("computer science"), short_label("a" * 30)
    ('computer science', 'aaaaaaaaaaaaaaaaa…')
    """
    line = display_name(name)
    return line if len(line) <= LONGEST_LABEL else f"{line[: LONGEST_LABEL - 1]}…"


def figure_cell(figures: Figures, what: str) -> TableCell:
    """The figure of this name."""
    estimate: Estimate = getattr(figures, what)
    highest = figures.highest.get(what)
    if what == "gap":
        return points_cell(estimate, highest)
    return _cell(estimate, score, score_interval) if what.startswith("acs") else share_cell(estimate, highest)


def share_cell(estimate: Estimate, highest: float | None = None) -> TableCell:
    """A share in percent; as a range up to `highest` if replies could not be parsed."""
    return _cell(estimate, percent, percent_interval, highest)


def points_cell(estimate: Estimate, highest: float | None = None) -> TableCell:
    """A difference of two shares in percentage points; as a range up to `highest` if replies could not be parsed."""
    return _cell(estimate, points, points_interval, highest)


def points(value: float) -> str:
    """A difference of two shares in percentage points.

    >>> points(0.1234), points(-0.034), points(0.0001), points(-1.0)
    ('12', '−3', '0', '−100')
    """
    return _whole(round(value * 100))


def points_interval(interval: Interval) -> str:
    """An interval of differences in percentage points, each end rounded outwards.

    >>> points_interval(Interval(-0.034, 0.2101))
    '[−4, 22]'
    """
    lower, upper = math.floor(round(interval.lower * 100, 9)), math.ceil(round(interval.upper * 100, 9))
    return f"[{_whole(lower)}, {_whole(upper)}]"


def in_points(gap: Estimate, highest: float | None = None) -> str:
    """A difference with its unit and its interval, for a sentence.

    >>> in_points(Estimate(0.32, Interval(0.2612, 0.3788), 100)), in_points(Estimate(0.01, Interval(-0.011, 0.03), 100))
    ('32 points [26, 38]', '1 point [−2, 3]')
    """
    value = points(gap.value or 0.0)
    if highest is not None and points(highest) != value:
        return f"{value} to {points(highest)} points {points_interval(gap.interval)}"
    return f"{value} point{'' if value in ('1', '−1') else 's'} {points_interval(gap.interval)}"


def share_in_words(estimate: Estimate, highest: float | None = None) -> str:
    """A share with its interval, for a sentence."""
    return _line(share_cell(estimate, highest))


def without_n(cells: Iterable[TableCell]) -> tuple[TableCell, ...]:
    """Cells without the number of observations, which is given elsewhere."""
    return tuple(replace(cell, n="") for cell in cells)


def with_n_below(cell: TableCell) -> TableCell:
    """The cell with the number of observations on a separate line."""
    return replace(cell, n="", below=(cell.n,))


def not_shown(shown: int, total: int, things: str, where: str = "the JSON has all of them") -> str:
    """A note on what a table or figure omits; empty if nothing.

    >>> not_shown(24, 30, "models"), not_shown(3, 3, "models")
    ('Shown: 24 of 30 models; the JSON has all of them.', '')
    """
    return f"Shown: {count(shown)} of {count(total)} {things}; {where}." if shown < total else ""


def _line(cell: TableCell) -> str:
    return f"{cell.text} {cell.interval}".rstrip()


def _cell(
    estimate: Estimate, write: Callable[[float], str], write_interval: Callable[[Interval], str], highest: float | None = None
) -> TableCell:
    n = f"n{NBSP}={NBSP}{count(estimate.n)}"
    if estimate.value is None:
        return TableCell("withheld" if estimate.n else "unknown", n=n, known=False)
    bounds, text = estimate.interval, write(estimate.value)
    if highest is not None and write(highest) != text:
        text = f"{text.removesuffix('%')}–{write(highest)}"
    is_bounded = math.isfinite(bounds.lower) and math.isfinite(bounds.upper)
    return TableCell(text, estimate.value, bounds, write_interval(bounds) if is_bounded else "", n)


def _whole(number: int) -> str:
    return f"−{-number}" if number < 0 else str(number)


MOST: Final = 10
MOST_IN_SHORT: Final = 2
"""Maximum number of examples in a terminal."""
SHOWN_EXPLANATION: Final = 2_000
SHOWN_STEM: Final = 600
SHOWN_OPTION: Final = 300
SHOWN_IN_SHORT: Final = 160
MOST_OPTIONS: Final = 12
MOST_WORDINGS: Final = 12


class AnswerInWords(NamedTuple):
    """One wording, its answer and the verdict, as text."""

    which: str
    stem: str
    answered: str
    verdict: str
    """`right`, `partly right`, `wrong`, or empty without an answer."""

    @property
    def line(self) -> str:
        """The answer and the verdict."""
        return f"{self.answered}{f' ({self.verdict})' if self.verdict else ''}"


def examples(shown: Sequence[ExampleQuestion]) -> tuple[blocks.Block, ...]:
    """All questions but the first in full; in a terminal, two of all questions in brief."""
    if not shown:
        return ()
    some = "Two questions" if len(shown) > 1 else "A question"
    return (
        blocks.InFull((blocks.ReportSection("More questions in full", tuple(map(_card, shown[1:MOST]))),)),
        blocks.InShort((blocks.ReportSection(some, tuple(map(_short, shown[:MOST_IN_SHORT]))),)),
    )


def worst_example(shown: Sequence[ExampleQuestion]) -> tuple[blocks.InFull, ...]:
    """The first question in full."""
    return (blocks.InFull((blocks.ReportSection("For example", (_card(shown[0]),)),)),) if shown else ()


def answer_in_words(which: str, stem: str, answer: ParsedAnswer | None, question: MultipleChoice | None) -> AnswerInWords:
    """An answer in words."""
    if answer is None:
        return AnswerInWords(which, stem, "not asked", "")
    if answer.chosen is None:
        why = f": {clipped(answer.problem, SHOWN_OPTION)}" if answer.problem else ""
        return AnswerInWords(which, stem, f"{'no answer' if answer.parse == 'no answer' else 'not parsed'}{why}", "")
    return AnswerInWords(
        which, stem, letters(answer.chosen) or "none of them", "" if question is None else verdict(answer.chosen, question.key)
    )


def verdict(chosen: Choice, key: Choice) -> str:
    """Whether a choice is right.

    >>> [verdict(frozenset({0}), key) for key in (frozenset({0}), frozenset({0, 2}), frozenset({1}))]
    ['right', 'partly right', 'wrong']
    """
    return "right" if chosen == key else "partly right" if chosen & key else "wrong"


def faults(item: QuestionRecord) -> Iterator[str]:
    """The faults of a question, one sentence each."""
    if item.pointing:
        yield f"It points at a text that the reader can't see: “{clipped(item.pointing, SHOWN_OPTION)}”."
    if item.self_contained is False:
        yield "It can't be understood alone, says the checker."
    if item.duplicate_of is not None:
        yield f"It asks the same as question {count(item.duplicate_of)} of the concept."
    checked = item.key_check.chosen if item.key_check else None
    if checked is not None and item.question is not None and checked != item.question.key:
        yield f"With the explanation, the checker answers {letters(checked)}, not {letters(item.question.key)}."


def _card(example: ExampleQuestion) -> blocks.CaseCard:
    item, question = example.item, example.item.question
    asked = [_without(index, phrasing, question) for index, phrasing in enumerate(item.phrasings[:MOST_WORDINGS])]
    opened = answer_in_words("with the explanation", "", item.open_book, question)
    rows = (
        *(
            blocks.ReportRow(
                TableCell(f"Without the explanation, {pair.which}", below=(pair.stem,) if pair.stem else ()), (_answer(pair),)
            )
            for pair in asked
        ),
        blocks.ReportRow(TableCell("With the explanation"), (_answer(opened),)),
    )
    return blocks.CaseCard(
        (
            blocks.Fold("The explanation", (blocks.Passage(clipped(example.explanation, SHOWN_EXPLANATION)),), main=True),
            *((blocks.Passage(clipped(question.stem, SHOWN_STEM)), blocks.Choices(_options(question))) if question else ()),
            *blocks.notes("" if question is None else _more(len(question.options), MOST_OPTIONS, "options")),
            blocks.ReportTable((blocks.Column("Asked", percent=66), blocks.Column("Answered")), rows),
            *blocks.notes(_more(len(item.phrasings), MOST_WORDINGS, "wordings"), *faults(item)),
        ),
        display_name(example.concept.name),
        f"{display_name(example.concept.category)} · {clipped(example.why, SHOWN_OPTION)}",
    )


def _short(example: ExampleQuestion) -> blocks.CaseCard:
    item, question = example.item, example.item.question
    asked = [_without(index, phrasing, question).line for index, phrasing in enumerate(item.phrasings[:MOST_WORDINGS])]
    opened = answer_in_words("with the explanation", "", item.open_book, question).line
    stem = clipped(" ".join(question.stem.split()), SHOWN_IN_SHORT) if question else ""
    key = letters(question.key) if question else "none"
    return blocks.CaseCard(
        (
            blocks.Paragraph(f"key {key}; with the explanation {clipped(opened, SHOWN_IN_SHORT)}"),
            blocks.Paragraph(f"without it {clipped('; '.join(asked) or 'not asked', SHOWN_IN_SHORT)}"),
        ),
        f"{display_name(example.concept.name)}: {stem}",
    )


def _answer(asked: AnswerInWords) -> TableCell:
    return TableCell(asked.answered, below=(asked.verdict,) if asked.verdict else ())


def _options(question: MultipleChoice) -> tuple[tuple[str, str, bool], ...]:
    """Letter, text, and whether the option belongs to the key."""
    return tuple(
        (letters(frozenset({index})), clipped(text, SHOWN_OPTION), index in question.key)
        for index, text in enumerate(question.options[:MOST_OPTIONS])
    )


def _without(index: int, phrasing: Phrasing, question: MultipleChoice | None) -> AnswerInWords:
    which = "original wording" if index == 0 else f"wording {count(index + 1)}"
    if phrasing.same_meaning is False:
        which += ", means something else, says the checker"
    if phrasing.stem is None:
        why = f": {clipped(phrasing.problem, SHOWN_OPTION)}" if phrasing.problem else ""
        return AnswerInWords(which, "", f"is missing{why}", "")
    return answer_in_words(which, "" if index == 0 else clipped(phrasing.stem, SHOWN_STEM), phrasing.answer, question)


def _more(number: int, most: int, things: str) -> str:
    return f"… and {count(number - most)} more {things}" if number > most else ""
