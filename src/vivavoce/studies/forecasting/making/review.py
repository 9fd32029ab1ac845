"""The summary of made tuples, and their review: sheets for people's decisions, which are read back into the tuples."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from vivavoce.errors import BadInput
from vivavoce.formats.tables import guarded, read_table, unguarded
from vivavoce.formats.wording import clipped, count
from vivavoce.report.blocks import Caveats, Column, Items, Report, ReportRow, ReportSection, ReportTable
from vivavoce.report.cells import TableCell, count_cell
from vivavoce.studies.config import NOBODY, TEMPLATE
from vivavoce.studies.forecasting.forecast_files import QuestionTuple
from vivavoce.studies.forecasting.making.making import BY_TEMPLATE, NOT_WRITTEN, fault_in


@dataclass(frozen=True, slots=True)
class RowProblem:
    """Why a row can't be used."""

    line: int
    """Line in the sheet; 0 if a row is missing."""
    text: str


@dataclass(frozen=True, slots=True)
class Review:
    """Tuples after a review, or the sheet's problems."""

    tuples: tuple[QuestionTuple, ...]
    """The same number of tuples as before, in the same order; empty if there are problems."""
    accepted: int
    rejected: int
    edited: int
    """Tuples accepted with changed words."""
    undecided: int
    """Tuples left as they were, because `keep` is empty."""
    problems: tuple[RowProblem, ...]


class _Unusable(Exception):
    """Raised for a row that can't be used."""


def review(tuples: Sequence[QuestionTuple], sheet: Path, *, by: str = "") -> Review:
    """Apply a sheet's decisions to the tuples: `keep` is yes or no, perhaps with a reason and other words.

    Every tuple must have its row, in any order, identified by the columns `number`, `law` and `id`. Changes of white space are
    ignored. `by` names the reviewer. Raises `BadFile` if the file is not a sheet. Problems of single rows are in `problems`;
    then no decision is applied.
    """
    decided: dict[int, QuestionTuple] = {}
    lines: dict[int, int] = {}
    problems: list[RowProblem] = []
    for line, cells in read_sheet(sheet):
        try:
            number = _number(cells, tuples)
            if number in lines:
                raise _Unusable(f"number {number} is on line {lines[number]} already: keep one of them")
            lines[number] = line
            decided[number] = _decided(tuples[number - 1], cells, by)
        except _Unusable as unusable:
            problems.append(RowProblem(line, str(unusable)))
    for number, question_tuple in enumerate(tuples, start=1):
        if number not in lines:
            known = f"number {number} ({_said(question_tuple.law)}, {_said(question_tuple.id)})"
            problems.append(RowProblem(0, f"no row for {known}: put it back; 'keep' no rejects it"))
    if problems:
        return Review((), 0, 0, 0, 0, tuple(problems))
    pairs = [(question_tuple, decided[number]) for number, question_tuple in enumerate(tuples, start=1)]
    touched = [(before, after) for before, after in pairs if after is not before]
    accepted = [(before, after) for before, after in touched if after.status == "accepted"]
    return Review(
        tuple(after for _, after in pairs),
        accepted=len(accepted),
        rejected=len(touched) - len(accepted),
        edited=sum(before.questions != after.questions for before, after in accepted),
        undecided=len(pairs) - len(touched),
        problems=(),
    )


def _number(cells: Mapping[str, str], tuples: Sequence[QuestionTuple]) -> int:
    """The number of the tuple that a row is about, from 1."""
    given = cells["number"].strip().removesuffix(".0")
    if not (given.isascii() and given.isdigit() and len(given) < 10 and 1 <= int(given) <= len(tuples)):
        raise _Unusable(f"number '{_said(given)}': the tuples have the numbers 1 to {len(tuples)}")
    question_tuple = tuples[int(given) - 1]
    for column, own in (("law", question_tuple.law), ("id", question_tuple.id)):
        if _flat(cells[column]) != _flat(own):
            raise _Unusable(
                f"{column} '{_said(cells[column])}', but number {given} has '{_said(own)}': is this the sheet of these tuples?"
            )
    return int(given)


def _decided(question_tuple: QuestionTuple, cells: Mapping[str, str], by: str) -> QuestionTuple:
    """The tuple with the row's decision; unchanged if nothing was decided."""
    questions = _questions(question_tuple, cells)
    changed = [name for name, text in questions.items() if text != question_tuple.questions[name]]
    keep, reason = cells["keep"].strip().lower(), " ".join(cells["reason"].split())
    reviewer = f" of {by}" if by else ""
    match keep:
        case "":
            if changed or reason:
                what = f"the words of {', '.join(changed)} were changed" if changed else "a reason is given"
                raise _Unusable(f"{what}, but 'keep' is empty: write yes or no")
            return question_tuple
        case "yes":
            _check(questions)
            words = f", words changed: {', '.join(changed)}" if changed else ""
            why = _why(f"accepted by review{reviewer}{words}", reason, question_tuple)
            return replace(question_tuple, questions=questions, status="accepted", reason=why)
        case "no":
            return replace(
                question_tuple, status="rejected", reason=_why(f"rejected by review{reviewer}", reason, question_tuple)
            )
    raise _Unusable(f"'keep' is '{_said(keep)}': write yes or no, or leave it empty")


def _why(decision: str, reason: str, before: QuestionTuple) -> str:
    text = f"{decision}: {reason}" if reason else decision
    return f"{text} (before: {before.reason})" if before.reason else text


def _questions(question_tuple: QuestionTuple, cells: Mapping[str, str]) -> dict[str, str]:
    """The questions of a row; unchanged if only white space differs."""
    for column, text in cells.items():
        if column.startswith(QUESTION) and column.removeprefix(QUESTION) not in question_tuple.questions and text.strip():
            raise _Unusable(f"a text in column '{_said(column)}', which this law does not have: move it or remove it")
    questions = {}
    for name, before in question_tuple.questions.items():
        if f"{QUESTION}{name}" not in cells:
            raise _Unusable(f"there is no column '{_said(QUESTION + name)}': put it back")
        text = cells[f"{QUESTION}{name}"]
        questions[name] = before if _flat(text) == _flat(before) else text.strip()
    return questions


def _check(questions: Mapping[str, str]) -> None:
    unwritten = [name for name, text in questions.items() if text == NOT_WRITTEN]
    if unwritten:
        raise _Unusable(f"'keep' is yes, but {', '.join(unwritten)} is not written: write it, or keep no")
    if fault := fault_in(questions):
        raise _Unusable(f"'keep' is yes, but {fault}: correct it, or keep no")


def _flat(text: str) -> str:
    return " ".join(text.split())


def _said(text: str) -> str:
    return clipped(_flat(text), 60)


BEFORE = ("number", "law", "id")
AFTER = ("verdict", "keep", "reason")
QUESTION = "question "
"""Prefix of the columns with questions."""
MOST_COLUMNS = 200
_DELIMITERS = ",;\t"
"""Delimiters: spreadsheet programs write semicolons where the comma is the decimal mark."""


def write_sheet(file: Path, tuples: Sequence[QuestionTuple]) -> None:
    """Write tuples as a new CSV file, one a row, with empty columns `keep` and `reason`.

    It begins with a byte order mark, so that spreadsheet programs detect UTF-8. Raises `BadInput` if the file exists, as it may
    hold someone's work, or if the laws have too many statements of different names.
    """
    names = tuple(dict.fromkeys(name for question_tuple in tuples for name in question_tuple.questions))
    if len(names) > MOST_COLUMNS:
        raise BadInput(f"{len(names)} statements of different names are too many columns: export one law at a time")
    try:
        with file.open("x", encoding="utf-8-sig", errors="replace", newline="") as stream:
            sheet = csv.writer(stream, quoting=csv.QUOTE_ALL, lineterminator="\n")
            sheet.writerow((*BEFORE, *(guarded(f"{QUESTION}{name}") for name in names), *AFTER))
            for number, question_tuple in enumerate(tuples, start=1):
                questions = (question_tuple.questions.get(name, "") for name in names)
                verdict = (
                    f"{question_tuple.status}: {question_tuple.reason}" if question_tuple.reason else question_tuple.status
                )
                cells = (str(number), question_tuple.law, question_tuple.id, *questions, verdict, "", "")
                sheet.writerow([guarded(cell) for cell in cells])
    except FileExistsError:
        raise BadInput(f"'{file}' exists already, and may have a person's review: give another name") from None


def read_sheet(file: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a sheet by column, each with its line number. Raises `BadFile` for any other file."""
    for line, row in read_table(file, (*BEFORE, *AFTER), delimiters=_DELIMITERS, cut=True).rows:
        yield line, {name: unguarded(cell) for name, cell in row.items()}


SERIES = "series"
"""Name of the writer if templates made series."""


@dataclass(frozen=True, slots=True)
class TupleTally:
    """Counts of tuples by status."""

    tuples: int
    accepted: int
    proposed: int
    """Tuples that no one checked."""
    rejected: int
    reasons: Mapping[str, int]
    """Numbers of rejected tuples by reason, most frequent first."""


@dataclass(frozen=True, slots=True)
class MakingSummary:
    """Result of making tuples."""

    laws: Mapping[str, TupleTally]
    writer: str
    """The candidate's name, `template`, or `series` for series by template."""
    checker: str
    """The candidate's name, or `none`."""
    seed: int
    bodies: bool
    """Whether some base questions had bodies."""
    several: bool
    """Whether base questions were drawn together."""
    exhausted: str
    """The limit of the budget that ended the questions; empty if none did."""
    asked_so: tuple[str, ...] = ()

    json_keys = "writer checker seed exhausted total laws caveats"

    @property
    def total(self) -> TupleTally:
        """Counts over all laws."""
        reasons, every = Counter[str](), self.laws.values()
        for tally in every:
            reasons.update(tally.reasons)
        return TupleTally(
            sum(tally.tuples for tally in every),
            sum(tally.accepted for tally in every),
            sum(tally.proposed for tally in every),
            sum(tally.rejected for tally in every),
            dict(reasons.most_common()),
        )

    @property
    def usable(self) -> bool:
        """Whether all was done and some tuples can be asked."""
        return not self.exhausted and self.total.rejected < self.total.tuples

    @property
    def statement(self) -> str:
        """The result in one sentence."""
        total = self.total
        parts = [f"{count(total.accepted)} of {count(total.tuples)} tuples accepted", f"{count(total.rejected)} rejected"]
        if total.proposed:
            parts.append(f"{count(total.proposed)} not checked")
        ended = f" The budget of {self.exhausted} ran out before the end." if self.exhausted else ""
        return f"{', '.join(parts)}.{ended}"

    @property
    def caveats(self) -> tuple[str, ...]:
        """Sentences on what accepted tuples do not guarantee, and on how writer and checker were asked."""
        return (*(sentence for sentence in _caveats(self) if sentence), *self.asked_so)

    def report(self) -> Report:
        """A report with the counts of each law, and reasons for rejections."""
        reasons = tuple(f"{count(number)}: {reason}" for reason, number in self.total.reasons.items())
        rows = tuple(
            ReportRow(TableCell(law), tuple(map(count_cell, (tally.tuples, tally.accepted, tally.rejected, tally.proposed))))
            for law, tally in self.laws.items()
        )
        table = ReportTable(tuple(map(Column, ("Law", "Tuples", "Accepted", "Rejected", "Not checked"))), rows)
        return Report(
            kind="Tuples of related questions",
            title=f"Tuples of related questions, written by {self.writer}",
            headline=self.statement,
            blocks=(table, Caveats(self.caveats), ReportSection("Rejected", (Items(reasons),) if reasons else ())),
            statement=self.statement,
        )


def tallies(made: Sequence[QuestionTuple]) -> dict[str, TupleTally]:
    """Counts by law, in order of first occurrence."""
    laws: dict[str, list[QuestionTuple]] = {}
    for question_tuple in made:
        laws.setdefault(question_tuple.law, []).append(question_tuple)
    return {law: _tally(of_law) for law, of_law in laws.items()}


def _tally(made: Sequence[QuestionTuple]) -> TupleTally:
    status = Counter(question_tuple.status for question_tuple in made)
    reasons = Counter(question_tuple.reason.partition(":")[0] for question_tuple in made if question_tuple.status == "rejected")
    return TupleTally(len(made), status["accepted"], status["proposed"], status["rejected"], dict(reasons.most_common()))


def _caveats(summary: MakingSummary) -> tuple[str, ...]:
    written, proposed = summary.writer not in (TEMPLATE, SERIES), summary.total.proposed
    if summary.writer == SERIES:
        return ("Nothing here checks that each template obeys its law: that is up to its author.",)
    return (
        f"Statements are in the words of {summary.writer}, so its own forecasts of them may look too consistent. A "
        "contradiction counts; finding none may be due to the familiar words."
        if written
        else f"Statements were {BY_TEMPLATE}: contradictions may partly be due to the unusual wording.",
        "The writer checked itself, so it may repeat its own mistakes. Use another --checker, or people ('viva consistency "
        "forecasts review')."
        if written and summary.checker == summary.writer
        else "",
        f"No one checked {count(proposed)} tuple{'s' if proposed > 1 else ''}: questions that do not obey their law cause "
        "false contradictions."
        if proposed
        else "",
        "A checker makes mistakes, too: read a sample of accepted and of rejected tuples." if summary.checker != NOBODY else "",
        "Base questions were drawn together at random: most of their events have nothing to do with each other."
        if summary.several
        else "",
        "Forecasters are asked the questions alone, without the texts on how they are decided." if summary.bodies else "",
    )
