"""Reviews of made questions by people: sheets for their decisions, which are read back into the question file.

A sheet has a row for each question, with `number`, `question`, `answer` and `passage`, and empty `keep` (yes or no) and
`reason`. Reviewers may correct questions and answers. With several sheets, a question is kept if all keep it.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import numpy as np

from vivavoce.documents.writing import answers_in, fault_of_words, grading
from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.interval import Estimate
from vivavoce.formats.lines import JSON_LINES, ending, json_lines
from vivavoce.formats.tables import guarded, read_table, unguarded
from vivavoce.formats.wording import clipped
from vivavoce.interview.forms.ending import DONT_KNOW
from vivavoce.scopes.made_questions import making_record
from vivavoce.scopes.question_file import row_questions
from vivavoce.statistics.agreement import krippendorff_alpha

COLUMNS: Final = ("number", "question", "answer", "passage", "keep", "reason")
_DELIMITERS: Final = ",;\t"
_SEPARATOR: Final = " | "


@dataclass(frozen=True, slots=True)
class ReviewerAgreement:
    """The agreement of two sheets on the questions that both decide."""

    first: str
    second: str
    questions: int
    share: float | None
    """The share on which both say the same; None without any such question."""
    alpha: Estimate
    """Krippendorff's alpha with its 95% interval; without a value where it is not estimable."""


@dataclass(frozen=True, slots=True)
class QuestionReview:
    """The questions after a review."""

    rows: tuple[dict[str, Any], ...]
    """The rows of the question file that are kept."""
    kept: int
    """Questions that every reviewer keeps."""
    rejected: int
    edited: int
    """Kept questions with another question or answer than before."""
    undecided: int
    """Questions that no one rejects, and not all decide; they stay as they were."""
    agreement: tuple[ReviewerAgreement, ...]
    """For each pair of sheets."""


@dataclass(frozen=True, slots=True)
class SheetDecision:
    """A reviewer's decision on one question."""

    keep: bool | None
    """None: not decided."""
    question: str
    """Its words; empty if they are unchanged."""
    answer: tuple[str, ...] | None
    """Right answers, empty for "I don't know"; None if unchanged."""


def read_made(file: Path) -> list[dict[str, Any]]:
    """The rows of a file of `viva make questions`. Raises `BadFile` for any other."""
    ending(file, JSON_LINES)
    rows = []
    for line, row in json_lines(file):
        if making_record(row.get("made")) is None or not isinstance(row.get("passage"), str):
            raise BadFile(file, "no 'made' and 'passage': give a file of 'viva make questions'", line=line)
        rows.append(row)
    if not rows:
        raise BadFile(file, "holds no questions")
    row_questions(rows)
    return rows


def sheet_rows(rows: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, str]]:
    """The rows of a new sheet."""
    for number, row in enumerate(rows, 1):
        cells = (str(number), row["question"], _SEPARATOR.join(_answers(row)) or DONT_KNOW, row["passage"], "", "")
        yield dict(zip(COLUMNS, cells, strict=True))


def write_sheet(file: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write a new sheet: JSON Lines if its name says so, else CSV that spreadsheet programs read as UTF-8.

    Raises `BadInput` if the file exists, as it may hold someone's work.
    """
    try:
        if file.suffix.lower() in JSON_LINES:
            with file.open("x", encoding="utf-8", errors="replace") as stream:
                stream.writelines(f"{json.dumps(row, ensure_ascii=False)}\n" for row in sheet_rows(rows))
            return
        with file.open("x", encoding="utf-8-sig", errors="replace", newline="") as stream:
            sheet = csv.writer(stream, quoting=csv.QUOTE_ALL, lineterminator="\n")
            sheet.writerow(COLUMNS)
            sheet.writerows([guarded(cell) for cell in row.values()] for row in sheet_rows(rows))
    except FileExistsError:
        raise BadInput(f"'{file}' exists already, and may have a person's review: give another name") from None


def review(rows: Sequence[Mapping[str, Any]], sheets: Sequence[Path]) -> QuestionReview:
    """Apply the decisions of one or more sheets to made questions.

    Raises `BadFile`, with the line, for a sheet of other questions, a row that is missing or unusable, and corrections that
    differ; and `BadInput` if nothing is kept, or a corrected question can't be asked.
    """
    decided = [_decisions(rows, sheet) for sheet in sheets]
    together = list(zip(*decided, strict=True))
    votes = [[decision.keep for decision in decisions] for decisions in together]
    kept, edited = [], 0
    for number, (row, decisions) in enumerate(zip(rows, together, strict=True), 1):
        if any(decision.keep is False for decision in decisions):
            continue
        changed = _corrected(dict(row), [entry for entry in decisions if entry.keep], number, sheets[-1])
        edited += changed != row
        kept.append(changed)
    if not kept:
        raise BadInput("the reviewers keep no question: make more with another --seed")
    unanimous = sum(all(vote) for vote in votes)
    rejected = len(rows) - len(kept)
    for row in kept:
        before = making_record(row["made"])
        assert before is not None
        row["made"] = before.model_copy(update={"kept": len(kept), "reviewed": unanimous}).model_dump()
    row_questions(kept)
    return QuestionReview(
        tuple(kept), unanimous, rejected, edited, len(kept) - unanimous,
        tuple(_agreement(sheets, votes, first, second) for first, second in combinations(range(len(sheets)), 2)),
    )  # fmt: skip


def _agreement(sheets: Sequence[Path], votes: Sequence[Sequence[bool | None]], first: int, second: int) -> ReviewerAgreement:
    pairs = [(vote[first], vote[second]) for vote in votes if vote[first] is not None and vote[second] is not None]
    here, there = (np.array([pair[side] for pair in pairs], dtype=float) for side in (0, 1))
    share = float((here == there).mean()) if pairs else None
    return ReviewerAgreement(sheets[first].name, sheets[second].name, len(pairs), share, krippendorff_alpha(here, there))


def _decisions(rows: Sequence[Mapping[str, Any]], sheet: Path) -> list[SheetDecision]:
    decisions: dict[int, SheetDecision] = {}
    for line, cells in _read_sheet(sheet):
        number = _number(cells, rows, sheet, line)
        if number in decisions:
            raise BadFile(sheet, f"number {number} has two rows: keep one of them", line=line)
        decisions[number] = _decision(rows[number - 1], cells, sheet, line)
    if missing := [number for number in range(1, len(rows) + 1) if number not in decisions]:
        raise BadFile(sheet, f"no row for number {missing[0]}: put it back; 'keep' no rejects it")
    return [decisions[number] for number in range(1, len(rows) + 1)]


def _read_sheet(sheet: Path) -> Iterator[tuple[int, Mapping[str, str]]]:
    if sheet.suffix.lower() in JSON_LINES:
        for line, row in json_lines(sheet):
            if missing := [name for name in COLUMNS if name not in row]:
                raise BadFile(sheet, f"no '{missing[0]}': a sheet has {', '.join(COLUMNS)}", line=line)
            yield line, {name: "" if row[name] is None else str(row[name]) for name in COLUMNS}
        return
    for line, cells in read_table(sheet, COLUMNS, delimiters=_DELIMITERS, cut=True).rows:
        yield line, {name: unguarded(cell) for name, cell in cells.items()}


def _number(cells: Mapping[str, str], rows: Sequence[Mapping[str, Any]], sheet: Path, line: int) -> int:
    text = cells["number"].strip().removesuffix(".0")
    if not (text.isascii() and text.isdigit() and len(text) < 10 and 1 <= int(text) <= len(rows)):
        raise BadFile(sheet, f"number '{clipped(text, 40)}': the questions have the numbers 1 to {len(rows)}", line=line)
    if _flat(cells["passage"]) != _flat(rows[int(text) - 1]["passage"]):
        raise BadFile(sheet, f"number {text} has another passage: is this the sheet of these questions?", line=line)
    return int(text)


def _decision(row: Mapping[str, Any], cells: Mapping[str, str], sheet: Path, line: int) -> SheetDecision:
    keep, question = cells["keep"].strip().lower(), _flat(cells["question"])
    given = answers_in(*cells["answer"].partition("|")[::2])
    answer = () if _flat(cells["answer"]).removesuffix(".") == DONT_KNOW else given
    decision = SheetDecision(
        {"yes": True, "no": False, "": None}.get(keep),
        question if question != _flat(row["question"]) else "",
        answer if answer != tuple(_answers(row)) else None,
    )
    if keep not in ("yes", "no", ""):
        raise BadFile(sheet, f"'keep' is '{clipped(keep, 40)}': write yes or no, or leave it empty", line=line)
    if decision.keep is None and (decision.question or decision.answer is not None or cells["reason"].strip()):
        raise BadFile(sheet, "question, answer or reason changed, but 'keep' is empty: write yes or no", line=line)
    if decision.keep and (not question or not _flat(cells["answer"])):
        raise BadFile(sheet, "'keep' is yes, but the question or the answer is empty: write it, or keep no", line=line)
    if decision.keep and decision.question and (fault := fault_of_words(question, answer)):
        raise BadFile(sheet, f"'keep' is yes, but the question has a fault: {fault}", line=line)
    return decision


def _corrected(row: dict[str, Any], decisions: Sequence[SheetDecision], number: int, sheet: Path) -> dict[str, Any]:
    """The row with the reviewers' corrections. Raises `BadFile` if they differ."""
    questions = {entry.question for entry in decisions if entry.question}
    answers = {entry.answer for entry in decisions if entry.answer is not None}
    if len(questions) > 1 or len(answers) > 1:
        raise BadFile(sheet, f"the sheets correct number {number} in different ways: agree on one, and write it in each")
    for question in questions:
        row = row | {"question": question}
    for answer in answers:
        row = {name: value for name, value in row.items() if name != "match"} | grading(answer)
    return row


def _answers(row: Mapping[str, Any]) -> list[str]:
    """The right answers of a row; none if "I don't know" is right."""
    given = row["answer"] if isinstance(row["answer"], list) else [row["answer"]]
    return [] if row.get("idk_score") == 1 else [str(answer) for answer in given]


def _flat(text: str) -> str:
    return " ".join(text.split())
