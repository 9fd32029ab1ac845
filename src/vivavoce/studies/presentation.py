"""Report blocks of a study: tables of treatments or of several subjects, the figure of rates, examples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from vivavoce.formats.interval import Interval
from vivavoce.formats.wording import clipped, count, exactly, name_of, percent_interval
from vivavoce.report import blocks
from vivavoce.report.cells import NOT_ASKED, TableCell, count_cell, observations
from vivavoce.report.figures import IntervalRow, IntervalRows, Kind
from vivavoce.studies.effects import LONGEST_LABEL, Effect, LimitTest, Rate, Treatment, points_interval

KEPT_TEXT: Final = 4_000
"""Most characters kept of a text in an example."""
SHOWN_TEXT: Final = 1_200
"""Most characters shown of a text on a page."""
SHOWN_LINE: Final = 70
MOST_COLUMNS: Final = 24
"""Most treatments in a table of several subjects."""
MOST_CELLS: Final = 1_500
"""Most cells of such a table, to keep a page below a megabyte."""
MOST_IN_SHORT: Final = 20
"""Most subjects shown in a terminal."""
MOST_TILES: Final = 3
"""Most rates in large figures, not counting the control."""
MOST_ROWS: Final = 30


@dataclass(frozen=True, slots=True)
class StudyExample:
    """A question on which an event happened, as labelled texts."""

    id: str
    treatment: str
    event: str
    """The event in words."""
    texts: tuple[tuple[str, str | blocks.TextDifference], ...]
    """Labelled texts; long ones are cut."""
    expected: str = ""
    """The right answer, if it is known and matters."""
    line: tuple[str, ...] = ()
    """The same as a few texts, for a terminal: the first is the quoted question, the others are answers."""

    def __post_init__(self) -> None:
        texts = ((label, text[:KEPT_TEXT] if isinstance(text, str) else text) for label, text in self.texts)
        object.__setattr__(self, "texts", tuple(texts))
        object.__setattr__(self, "line", tuple(text[:KEPT_TEXT] for text in self.line))

    @classmethod
    def of_answers(
        cls,
        id: str,  # noqa: A002 -- the field's name
        treatment: str,
        event: str,
        *,
        before: Text,
        after: Text,
        change: str,
        expected: str = "",
    ) -> StudyExample:
        """An example with a question and an answer before and after a change.

        before, after: the text of the question, and the answer to it. change: what was done, as a label.
        """
        (question, answer), (changed, other) = before, after
        texts = (("Question", question), ("Answer", answer), (change, changed), ("Answer to that", other))
        return cls(id, treatment, event, texts, expected, (changed, answer, other))


Get = Callable[[Effect], TableCell]
EffectColumn = tuple[blocks.Column, Get]
Text = tuple[str, str]
"""A column's head and its explanation."""


@dataclass(frozen=True, slots=True)
class EffectTable:
    """A table with a row for each treatment and control."""

    name: str
    head: str
    """Head of the column with the names of treatments."""
    columns: tuple[EffectColumn, ...]
    shows: Callable[[Treatment], bool] = lambda _: True
    """Selects the treatments and controls that have a row; a table without rows is left out."""
    stacked: tuple[Get, ...] = ()
    """Contents of a cell, one below another, if several subjects are compared. Subjects are then rows, treatments columns."""
    beneath: tuple[tuple[str, Get], ...] = ()
    """Reference rows below the subjects, by name."""
    cells: str = ""
    """A sentence on the content of the cells in such a table."""


def table_of(table: EffectTable, effects: Sequence[Effect], subject: str) -> tuple[blocks.Block, ...]:
    """Make a table with a row for each treatment or, if several subjects are compared, for each subject.

    subject: the kind of subject, as the head of their column.
    """
    if _several(effects):
        return _subjects_table(table, subject, effects)
    rows = [
        blocks.ReportRow(
            TableCell(effect.label, about=effect.treatment.about),
            tuple(get(effect) for _, get in table.columns),
            "control" if effect.treatment.is_control else "plain",
        )
        for effect in effects
        if table.shows(effect.treatment)
    ]
    if not rows:
        return ()
    return (
        blocks.ReportTable((blocks.Column(table.head), *(column for column, _ in table.columns)), tuple(rows), name=table.name),
    )


def _subjects_table(table: EffectTable, subject: str, effects: Sequence[Effect]) -> tuple[blocks.Block, ...]:
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
    return (blocks.InFull((whole, *blocks.notes(table.cells, left))), blocks.InShort((short, *blocks.notes(table.cells, cut))))


def _rows_of_subjects(
    table: EffectTable, subject: str, columns: Mapping[str, Mapping[str, Effect]], names: Sequence[str]
) -> blocks.ReportTable:
    of_columns = list(columns.values())
    sizes = [{effect.n for effect in column.values()} for column in of_columns]
    heads = (_column(next(iter(column.values())), sorted(numbers)) for column, numbers in zip(of_columns, sizes, strict=True))
    rows = tuple(
        blocks.ReportRow(
            TableCell(name_of(name)),
            tuple(
                _stacked(table, column.get(name), counted=len(numbers) > 1)
                for column, numbers in zip(of_columns, sizes, strict=True)
            ),
        )
        for name in names
    )
    foot = tuple(
        blocks.ReportRow(TableCell(name), tuple(_from_to(map(get, column.values())) for column in of_columns), "quiet")
        for name, get in table.beneath
    )
    return blocks.ReportTable((blocks.Column(subject), *heads), rows, foot, table.name)


def _column(effect: Effect, sizes: Sequence[int]) -> blocks.Column:
    below = observations(sizes[0]) if len(sizes) == 1 else ""
    treatment = effect.treatment
    return blocks.Column(effect.label, below, about=treatment.about, control=treatment.is_control)


def _stacked(table: EffectTable, effect: Effect | None, *, counted: bool) -> TableCell:
    if effect is None:
        return NOT_ASKED
    first, *others = (get(effect) for get in table.stacked)
    number = (observations(effect.n),) if counted else ()
    return replace(first, below=(*(cell.words for cell in others), *number))


def _from_to(cells: Iterable[TableCell]) -> TableCell:
    """Merge cells into one: the least and the greatest text if they differ."""
    texts = [cell.text for cell in sorted(cells, key=lambda cell: cell.value if isinstance(cell.value, float) else -1.0)]
    return TableCell(texts[0] if texts[0] == texts[-1] else f"{texts[0]} to {texts[-1]}", quiet=True)


def reference(*gets: Get) -> Get:
    """Make a cell with several numbers side by side, for a reference row below the subjects."""

    def cell(effect: Effect) -> TableCell:
        first, *others = (get(effect) for get in gets)
        return replace(first, text=" · ".join((first.text, *(other.text for other in others))))

    return cell


def _several(effects: Iterable[Effect]) -> bool:
    return len({effect.treatment.subject for effect in effects}) > 1


def rates_figure(
    effects: Sequence[Effect], event: str, axis: str, control_label: str, limit: float | None
) -> tuple[blocks.ReportFigure, ...]:
    """The rate of an event under each treatment and the control; empty if there are no treatments or too many."""
    alone = not _several(effects)
    shown = [effect for effect in effects if effect.rates[event].n]
    if all(effect.treatment.is_control for effect in shown) or (not alone and len(shown) > MOST_ROWS):
        return ()

    def row(effect: Effect) -> IntervalRow:
        treatment, rate = effect.treatment, effect.rates[event]
        label = control_label if treatment.is_control else effect.label
        name = label if alone else f"{label}, {clipped(treatment.subject, SHOWN_LINE)}"
        kind = "control" if treatment.is_control else "plain"
        return IntervalRow(name, rate.text, rate.least, rate.most, rate.interval, kind)  # type: ignore[arg-type]

    return (blocks.ReportFigure(IntervalRows(axis, tuple(map(row, shown)), limit)),)


def rate_tile(label: str, rate: Rate) -> blocks.Tile:
    """A rate in large figures, with its interval."""
    interval = f"interval {percent_interval(rate.interval)}"
    bar = IntervalRows("", (IntervalRow("", "", rate.least, rate.most, rate.interval),), alt=f"{rate.text}, {interval}.")
    return blocks.Tile(label, rate.text, (interval, observations(rate.n)), bar)


def rate_tiles(effects: Sequence[Effect], event: str, head: str, *, named: bool) -> list[blocks.Tile]:
    """The rate of an event under each treatment. named: add the subject to the label."""
    labels = [
        f"{effect.label}, {clipped(effect.treatment.subject, SHOWN_LINE)}" if named else effect.label for effect in effects
    ]
    return [rate_tile(f"{head}: {label}", effect.rates[event]) for label, effect in zip(labels, effects, strict=True)]


def limit_tile(test: LimitTest, label: str) -> blocks.Tile:
    """The rate that was tested against a limit, with the bound shown."""
    shown = f"shown: {test.shown}" if test.verdict != "undecided" else f"interval {percent_interval(test.rate.interval)}"
    return blocks.Tile(label, test.measured, (shown, f"allowed: at most {exactly(test.limit)}"), limit_bar(test))


def limit_bar(test: LimitTest, kind: Kind = "plain") -> IntervalRows:
    """The tested rate on a scale, with the bound that the verdict rests on, or with its interval, and the limit."""
    rate, allowed = test.rate, f"allowed {exactly(test.limit)}"
    row, interval = (
        IntervalRow("", "", rate.least, rate.most, rate.interval, kind),
        f"interval {percent_interval(rate.interval)}",
    )
    if test.bound is not None:
        region = Interval(0.0, test.bound) if test.verdict == "pass" else Interval(test.bound, 1.0)
        row, interval = row.within(region, (test.bound, test.shown)), f"shown: {test.shown}"
    alt = f"{test.measured}, {interval}; {allowed}."
    return IntervalRows("", (row,), test.limit, allowed, alt, span=(0.0, min(1.0, 1.1 * max(test.limit, rate.interval.upper))))


def examples_of(examples: Iterable[StudyExample], head: str, most: int) -> tuple[blocks.Block, ...]:
    """Examples by treatment, at most `most` of each; in a terminal, one line for each treatment."""
    groups: dict[str, list[StudyExample]] = {}
    for example in examples:
        groups.setdefault(clipped(example.treatment, LONGEST_LABEL), []).append(example)
    if not groups:
        return ()
    cards = tuple(
        blocks.ReportSection(f"{name}: {count(len(some))}", tuple(map(_card, some[:most]))) for name, some in groups.items()
    )
    lines = (f"{name}: {_line(some[0])}" for name, some in groups.items() if some[0].line)
    return (blocks.ReportSection(head, (blocks.InFull(cards), blocks.InShort(blocks.paragraphs(*lines)))),)


def worst_of_examples(examples: Sequence[StudyExample]) -> tuple[blocks.Block, ...]:
    """The first example, as the worst case."""
    return (blocks.ReportSection("For example", (_card(examples[0]),)),) if examples else ()


def _card(example: StudyExample) -> blocks.CaseCard:
    texts = tuple(
        (label, (clipped(text, SHOWN_TEXT) or "nothing") if isinstance(text, str) else text) for label, text in example.texts
    )
    expected = f"Right: {clipped(example.expected, LONGEST_LABEL)}" if example.expected else ""
    return blocks.CaseCard(
        (blocks.Pairs(texts, 2 if len(texts) == 4 else 0),),
        title=f"{example.event}: {clipped(example.id, 80)}",
        subtitle=expected,
    )


def _line(example: StudyExample) -> str:
    question, *answers = (clipped(" ".join(text.split())[:SHOWN_LINE], SHOWN_LINE) for text in example.line)
    return f"“{question}” {' → '.join(answer or '?' for answer in answers)}"


def rate_of(event: str) -> Get:
    """A column with the rate of an event."""
    return lambda effect: _rate_cell(effect.rates.get(event))


def control_of(event: str) -> Get:
    """A column with the rate of an event under the control."""
    return lambda effect: _rate_cell(effect.control.get(event))


def excess_of(event: str) -> Get:
    """A column with the rate of an event minus that under the control."""

    def cell(effect: Effect) -> TableCell:
        excess = effect.excess.get(event)
        if excess is None:
            return _NOTHING
        return (
            _UNKNOWN
            if excess.least is None
            else TableCell(excess.text, excess.least, excess.interval, points_interval(excess.interval))
        )

    return cell


def cases_of(event: str) -> Get:
    """A column with the number of cases in which an event could happen."""
    return lambda effect: count_cell(effect.rates[event].n)


def score_of(name: str) -> Get:
    """A column with a mean score, or a difference of mean scores."""

    def cell(effect: Effect) -> TableCell:
        mean = effect.scores[name]
        return _UNKNOWN if mean.least is None else TableCell(mean.text, mean.least, mean.interval, mean.interval_text)

    return cell


def number_of(name: str, write: Callable[[float], str]) -> Get:
    """A column with a number that the study computes itself."""

    def cell(effect: Effect) -> TableCell:
        number = effect.numbers.get(name)
        return _UNKNOWN if number is None else TableCell(write(number), number)

    return cell


def estimate_of(name: str, write: Callable[[float], str], write_interval: Callable[[Interval], str]) -> Get:
    """A column with an estimate that the study computes itself."""
    return lambda effect: TableCell.of(effect.estimates[name], write, write_interval)


def rate_columns(
    event: str, cases: Text, rate: Text, control: Text, *more: EffectColumn, unknown: str, without: Text
) -> tuple[EffectColumn, ...]:
    """Columns that compare the rate of an event with the control's.

    cases, rate, control, without: heads and explanations; `without` counts questions that did not get the treatment. more:
    columns after the excess. unknown: the cases, before "whose outcome is unknown".
    """
    return (
        (blocks.Column(cases[0], about=cases[1], number=True), cases_of(event)),
        (blocks.Column(rate[0], about=rate[1]), rate_of(event)),
        (blocks.Column(control[0], about=control[1], control=True), control_of(event)),
        (blocks.Column("Excess in points", short="Excess", about=f"{rate[0]} minus {control[0].lower()}"), excess_of(event)),
        *more,
        unknown_column(event, unknown),
        (blocks.Column(without[0], about=without[1], number=True, detail=True), left_out),
    )


def unknown_column(event: str, cases: str) -> EffectColumn:
    """A column with the number of cases whose outcome is unknown."""
    column = blocks.Column("Unknown", about=f"{cases} whose outcome is unknown", number=True, detail=True)
    return column, lambda effect: count_cell(effect.rates[event].unknown)


def scores_table(head: str) -> EffectTable:
    """A table of mean scores before and after each treatment. head: head of the column with the names of treatments."""
    columns = (
        (blocks.Column("Before", about="Mean score of the first answers"), score_of("before")),
        (blocks.Column("After", about="Mean score after the turn"), score_of("after")),
        (blocks.Column("Difference", about="After minus before, paired by question"), score_of("difference")),
    )
    return EffectTable("Mean scores before and after", head, columns)


def left_out(effect: Effect) -> TableCell:
    """A column with the number of questions that did not get the treatment."""
    return count_cell(sum(effect.left_out.values())) if not effect.treatment.is_control else _NOTHING


_NOTHING: Final = TableCell("", known=False)
_UNKNOWN: Final = TableCell("unknown", known=False)


def _rate_cell(rate: Rate | None) -> TableCell:
    if rate is None:
        return _NOTHING
    return _UNKNOWN if rate.least is None else TableCell(rate.text, rate.least, rate.interval, percent_interval(rate.interval))
