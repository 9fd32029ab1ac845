"""Blocks of a study's report: tables of treatments, tables of several subjects, the figure of rates, examples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from vivavoce.formats.wording import clipped, count, name_of
from vivavoce.report.blocks import Block, Card, Column, Figure, InFull, InShort, Pairs, Row, Section, Table
from vivavoce.report.cells import Cell, observations
from vivavoce.report.figures import IntervalRow, IntervalRows
from vivavoce.report.parts import notes, paragraphs
from vivavoce.studies.effects import LONGEST_LABEL, Effect

if TYPE_CHECKING:
    from vivavoce.studies.study import EffectTable, Example, Get, StudyFinding

SHOWN_TEXT: Final = 1_200
"""Characters of a text on a page."""
SHOWN_LINE: Final = 70
MOST_COLUMNS: Final = 24
"""Treatments of a table of several subjects."""
MOST_CELLS: Final = 1_500
"""Of such a table, so that a page stays below a megabyte."""
MOST_IN_SHORT: Final = 20
"""Subjects in a terminal."""
MOST_ROWS: Final = 30
"""Of a figure."""
NOT_ASKED: Final = Cell("not asked", quiet=True, known=False)


def table_of(table: EffectTable, finding: StudyFinding[Any]) -> tuple[Block, ...]:
    """A row for each treatment, or, if there are several subjects, a row for each of them."""
    effects = (*finding.effects, *finding.control)
    if len(finding.subjects) > 1:
        return _subjects_table(table, finding.study.subject, effects)
    rows = [
        Row(
            Cell(effect.label, about=effect.treatment.about),
            tuple(get(effect) for _, get in table.columns),
            "control" if effect.treatment.is_control else "plain",
        )
        for effect in effects
    ]
    return (Table((Column(table.head), *(column for column, _ in table.columns)), tuple(rows), name=table.name),)


def _subjects_table(table: EffectTable, subject: str, effects: Sequence[Effect]) -> tuple[Block, ...]:
    by_treatment: dict[str, dict[str, Effect]] = {}
    for effect in effects:
        by_treatment.setdefault(effect.treatment.name, {})[effect.treatment.subject] = effect
    columns = dict(list(by_treatment.items())[:MOST_COLUMNS])
    everyone = tuple(dict.fromkeys(effect.treatment.subject for effect in effects))
    shown = everyone[: max(1, MOST_CELLS // len(columns))]
    few = shown[:MOST_IN_SHORT]
    left = ""
    if len(shown) < len(everyone) or len(columns) < len(by_treatment):
        left = (
            f"Shown: {count(len(shown))} of {count(len(everyone))} rows and {count(len(columns))} of "
            f"{count(len(by_treatment))} columns. The JSON has all of them."
        )
    whole, short = (_rows_of_subjects(table, subject, columns, names) for names in (shown, few))
    cut = f"The first {len(few)} of {count(len(everyone))}; the page has more." if len(few) < len(shown) else ""
    return (InFull((whole, *notes(table.cells, left))), InShort((short, *notes(table.cells, cut))))


def _rows_of_subjects(
    table: EffectTable, subject: str, columns: Mapping[str, Mapping[str, Effect]], names: Sequence[str]
) -> Table:
    of_columns = list(columns.values())
    sizes = [{effect.n for effect in column.values()} for column in of_columns]
    heads = (_column(next(iter(column.values())), sorted(numbers)) for column, numbers in zip(of_columns, sizes, strict=True))
    rows = tuple(
        Row(
            Cell(name_of(name)),
            tuple(
                _stacked(table, column.get(name), counted=len(numbers) > 1)
                for column, numbers in zip(of_columns, sizes, strict=True)
            ),
        )
        for name in names
    )
    foot = tuple(
        Row(Cell(name), tuple(_from_to(map(get, column.values())) for column in of_columns), "quiet")
        for name, get in table.beneath
    )
    return Table((Column(subject), *heads), rows, foot, table.name)


def _column(effect: Effect, sizes: Sequence[int]) -> Column:
    below = observations(sizes[0]) if len(sizes) == 1 else ""
    treatment = effect.treatment
    return Column(effect.label, below, about=treatment.about, control=treatment.is_control)


def _stacked(table: EffectTable, effect: Effect | None, *, counted: bool) -> Cell:
    if effect is None:
        return NOT_ASKED
    first, *others = (get(effect) for get in table.stacked)
    number = (observations(effect.n),) if counted else ()
    return replace(first, below=(*(cell.words for cell in others), *number))


def _from_to(cells: Iterable[Cell]) -> Cell:
    """One cell for several: the least and the greatest text if they differ."""
    texts = [cell.text for cell in sorted(cells, key=lambda cell: cell.value if isinstance(cell.value, float) else -1.0)]
    return Cell(texts[0] if texts[0] == texts[-1] else f"{texts[0]} to {texts[-1]}", quiet=True)


def reference(*gets: Get) -> Get:
    """A cell with several numbers, one after the other, for a row below subjects."""

    def cell(effect: Effect) -> Cell:
        first, *others = (get(effect) for get in gets)
        return replace(first, text=" · ".join((first.text, *(other.text for other in others))))

    return cell


def rates_figure(finding: StudyFinding[Any]) -> tuple[Figure, ...]:
    """The rate of the first event under each treatment and the control; nothing without any, or if there are too many."""
    event, test, alone = finding.study.events[0], finding.limit_test, len(finding.subjects) == 1
    control = finding.control[:1] if alone else finding.control
    shown = [effect for effect in (*control, *finding.effects) if effect.rates[event].n]
    if all(effect.treatment.is_control for effect in shown) or (not alone and len(shown) > MOST_ROWS):
        return ()

    def row(effect: Effect) -> IntervalRow:
        treatment, rate = effect.treatment, effect.rates[event]
        label = finding.study.control_label if treatment.is_control else effect.label
        name = label if alone else f"{label}, {clipped(treatment.subject, SHOWN_LINE)}"
        kind = "control" if treatment.is_control else "plain"
        return IntervalRow(name, rate.text, rate.least or 0.0, rate.most or 0.0, rate.interval, kind)  # type: ignore[arg-type]

    return (Figure(IntervalRows(finding.study.axis, tuple(map(row, shown)), None if test is None else test.limit)),)


def examples_of(finding: StudyFinding[Any]) -> tuple[Block, ...]:
    """The examples by treatment; in a terminal one line for each treatment."""
    groups: dict[str, list[Example]] = {}
    for example in finding.examples:
        groups.setdefault(clipped(example.treatment, LONGEST_LABEL), []).append(example)
    if not groups:
        return ()
    shown = finding.study.shown_examples
    cards = tuple(
        Section(f"{name}: {count(len(examples))}", tuple(map(_card, examples[:shown]))) for name, examples in groups.items()
    )
    lines = (f"{name}: {_line(examples[0])}" for name, examples in groups.items() if examples[0].line)
    return (Section(finding.study.examples_head, (InFull(cards), InShort(paragraphs(*lines)))),)


def _card(example: Example) -> Card:
    texts = tuple((label, clipped(text, SHOWN_TEXT) or "nothing") for label, text in example.texts)
    expected = f"Right: {clipped(example.expected, LONGEST_LABEL)}" if example.expected else ""
    return Card((Pairs(texts),), title=f"{example.event}: {clipped(example.id, 80)}", subtitle=expected)


def _line(example: Example) -> str:
    question, *answers = (clipped(" ".join(text.split())[:SHOWN_LINE], SHOWN_LINE) for text in example.line)
    return f"“{question}” {' → '.join(answer or '?' for answer in answers)}"


def values_of(effect: Effect) -> dict[str, object]:
    """An effect for JSON, without what is empty."""
    treatment = effect.treatment
    values = {
        "subject": treatment.subject,
        "name": treatment.name,
        "group": treatment.group,
        "about": treatment.about,
        "sources": treatment.sources,
        "n": effect.n,
        "rates": dict(effect.rates),
        "control": dict(effect.control),
        "excess": dict(effect.excess),
        "scores": dict(effect.scores),
        "numbers": dict(effect.numbers),
        "estimates": dict(effect.estimates),
    }
    return {name: value for name, value in values.items() if value not in ("", (), {})} | {"left_out": dict(effect.left_out)}
