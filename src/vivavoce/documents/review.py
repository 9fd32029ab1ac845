"""Reviews of made questions by people: sheets for their decisions, which are read back into the question file.

A sheet has a row for each question, with `number`, `question`, `answer` and `passage`, and empty `keep` (yes or no) and
`reason`. Reviewers may correct questions and answers. With several sheets, a question is kept if all keep it.

The order of a sheet is random, so the rows that are decided from its top without a gap are a random sample.

Files of made questions, of rejected ones, and the summary that counts them by kind and by reason.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, takewhile
from pathlib import Path
from typing import Any, Final

import numpy as np

from vivavoce.documents.reading import KINDS
from vivavoce.documents.writing import QuestionDraft, QuestionRejection, answers_in, fault_of_words, grading
from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.interval import Estimate
from vivavoce.formats.lines import JSON_LINES, ending, json_lines, text_encoding
from vivavoce.formats.tables import guarded, read_table, unguarded
from vivavoce.formats.wording import clipped, count, numbered
from vivavoce.interview.forms.ending import DONT_KNOW
from vivavoce.interview.forms.spellings import words_of
from vivavoce.report.blocks import Caveats, Column, Items, Report, ReportRow, ReportSection, ReportTable
from vivavoce.report.cells import TableCell, count_cell
from vivavoce.scopes.made_questions import MOST_SAMPLED, UNCHECKED, MakingRecord, ReviewSample, making_record
from vivavoce.scopes.question_file import row_questions
from vivavoce.statistics.agreement import krippendorff_alpha

COLUMNS: Final = ("number", "question", "answer", "passage", "keep", "reason")
_DELIMITERS: Final = ",;\t"
_SEPARATOR: Final = " | "
_KEEP: Final = {"yes": True, "y": True, "true": True, "1": True, "no": False, "n": False, "false": False, "0": False, "": None}


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
    sample: ReviewSample | None
    """The decisions from the top of the sheets without a gap; None if the first question is undecided."""
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


def review_order(rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """The places of the questions in the order of a sheet: random, and the same each time, whatever was corrected."""
    keys = [hashlib.sha256(f"{row.get('id')}\x1f{row['passage']}".encode(errors="replace")).digest() for row in rows]
    return sorted(range(len(rows)), key=keys.__getitem__)


def sheet_rows(rows: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, str]]:
    """The rows of a new sheet."""
    for index in review_order(rows):
        row = rows[index]
        cells = (str(index + 1), row["question"], _SEPARATOR.join(_answers(row)) or DONT_KNOW, row["passage"], "", "")
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
    kept, faulty = [], [any(decision.keep is False for decision in decisions) for decisions in together]
    for number, (row, decisions) in enumerate(zip(rows, together, strict=True), 1):
        if not faulty[number - 1]:
            kept.append(_corrected(dict(row), [entry for entry in decisions if entry.keep], number, sheets[-1]))
            faulty[number - 1] = kept[-1] != row
    if not kept:
        raise BadInput("the reviewers keep no question: make more with another --seed")
    unanimous = sum(all(vote) for vote in votes)
    rejected = len(rows) - len(kept)
    edited, sample = sum(faulty) - rejected, _sample(rows, votes, faulty)
    for row in kept:
        before = making_record(row["made"])
        assert before is not None
        after = before.model_copy(update={"kept": len(kept), "reviewed": unanimous, "sample": sample})
        row["made"] = after.model_dump(exclude_none=True)
    row_questions(kept)
    return QuestionReview(
        tuple(kept), unanimous, rejected, edited, len(kept) - unanimous, sample,
        tuple(_agreement(sheets, votes, first, second) for first, second in combinations(range(len(sheets)), 2)),
    )  # fmt: skip


def _sample(
    rows: Sequence[Mapping[str, Any]], votes: Sequence[Sequence[bool | None]], faulty: Sequence[bool]
) -> ReviewSample | None:
    decided = list(takewhile(lambda index: all(votes[index]) or False in votes[index], review_order(rows)))
    if not decided or len(rows) > MOST_SAMPLED:
        return None
    return ReviewSample(questions=len(rows), decided=len(decided), faults=sum(faulty[index] for index in decided))


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
    encoding = text_encoding(sheet).name
    for line, cells in read_table(sheet, COLUMNS, delimiters=_DELIMITERS, cut=True, encoding=encoding).rows:
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
    answer = () if words_of(cells["answer"]) == words_of(DONT_KNOW) else given
    decision = SheetDecision(
        _KEEP.get(keep),
        question if question != _flat(row["question"]) else "",
        answer if answer != tuple(_answers(row)) else None,
    )
    if keep not in _KEEP:
        raise BadFile(sheet, f"'keep' is '{clipped(keep, 40)}': write yes or no, or leave it empty", line=line)
    if decision.keep is None and (decision.question or decision.answer is not None or cells["reason"].strip()):
        raise BadFile(sheet, "question, answer or reason changed, but 'keep' is empty: write yes or no", line=line)
    if decision.keep and (not question or not _flat(cells["answer"])):
        raise BadFile(sheet, "'keep' is yes, but the question or the answer is empty: write it, or keep no", line=line)
    if decision.keep and decision.question and (fault := fault_of_words(question, answer)):
        raise BadFile(sheet, f"'keep' is yes, but the question has a fault: {fault}", line=line)
    return decision


def _corrected(row: dict[str, Any], decisions: Sequence[SheetDecision], number: int, sheet: Path) -> dict[str, Any]:
    """The row with the reviewers' corrections. Raises `BadFile` if they differ, or can't be asked."""
    questions = {entry.question for entry in decisions if entry.question}
    answers = {entry.answer for entry in decisions if entry.answer is not None}
    if len(questions) > 1 or len(answers) > 1:
        raise BadFile(sheet, f"the sheets correct number {number} in different ways: agree on one, and write it in each")
    for question in questions:
        row = row | {"question": question}
    for answer in answers:
        row = {name: value for name, value in row.items() if name != "match"} | grading(answer)
    try:
        row_questions([row])
    except BadInput as error:
        raise BadFile(sheet, f"number {number}: {str(error).removeprefix('row 1: ')}") from None
    return row


def _answers(row: Mapping[str, Any]) -> list[str]:
    """The right answers of a row; none if "I don't know" is right."""
    given = row["answer"] if isinstance(row["answer"], list) else [row["answer"]]
    return [] if row.get("idk_score") == 1 else [str(answer) for answer in given]


def _flat(text: str) -> str:
    return " ".join(text.split())


_NOT_DONE: Final = (QuestionRejection.NOT_WRITTEN, QuestionRejection.UNCHECKED)


@dataclass(frozen=True, slots=True)
class KindTally:
    """Counts of the draws of one kind."""

    drawn: int
    kept: int

    @property
    def rejected(self) -> int:
        """How many were rejected."""
        return self.drawn - self.kept

    json_keys = "drawn kept rejected"


@dataclass(frozen=True)
class MadeQuestions:
    """All drafts of a run."""

    drafts: Sequence[QuestionDraft]
    writer: str
    checker: str
    """Its name, or `none`."""
    documents: int
    passages: int
    seed: int
    exhausted: str = ""
    """The limit of the budget that ended the questions; empty if none did."""
    asked_so: tuple[str, ...] = ()
    """Caveats on how writer and checker were asked."""

    json_keys = "writer checker documents passages seed exhausted drawn kept kinds reasons caveats"

    @cached_property
    def decided(self) -> Sequence[QuestionDraft]:
        """The drafts that were written, and checked if they had to be: all, unless the budget ran out."""
        return [draft for draft in self.drafts if draft.fault is None or draft.fault.reason not in _NOT_DONE]

    @property
    def drawn(self) -> int:
        """How many draws were decided."""
        return len(self.decided)

    @property
    def kept(self) -> int:
        """How many questions the file has."""
        return sum(draft.fault is None for draft in self.drafts)

    @property
    def record(self) -> MakingRecord:
        """How the questions were made, for each row."""
        return MakingRecord(
            writer=self.writer,
            checker=self.checker,
            documents=self.documents,
            drawn=self.drawn,
            kept=self.kept,
            reviewed=0,
        )

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows of the question file."""
        made = self.record.model_dump(exclude_none=True)
        return [{**draft.row, **_origin(draft), "made": made} for draft in self.drafts if draft.fault is None]

    @property
    def rejected_rows(self) -> list[dict[str, Any]]:
        """The rejected questions with their reasons."""
        return [
            {
                "id": draft.id,
                "reason": str(draft.fault),
                "question": draft.text,
                "answer": list(draft.answers),
                "category": draft.draw.kind.name,
                **_origin(draft),
            }
            for draft in self.drafts
            if draft.fault is not None
        ]

    @property
    def kinds(self) -> Mapping[str, KindTally]:
        """Counts by kind."""
        drawn = Counter(draft.draw.kind.name for draft in self.decided)
        kept = Counter(draft.draw.kind.name for draft in self.decided if draft.fault is None)
        return {kind.name: KindTally(drawn[kind.name], kept[kind.name]) for kind in KINDS}

    @property
    def reasons(self) -> Mapping[str, int]:
        """Numbers of rejected questions by reason, most frequent first."""
        return dict(Counter(draft.fault.reason.value for draft in self.drafts if draft.fault).most_common())

    @property
    def finished(self) -> bool:
        """Whether every draw was decided, and some questions were kept."""
        return not self.exhausted and self.kept > 0

    @property
    def statement(self) -> str:
        """The result in one sentence."""
        ended = f" The budget of {self.exhausted} ran out before the end." if self.exhausted else ""
        return (
            f"{count(self.kept)} of {numbered(self.drawn, 'question')} kept, {count(self.drawn - self.kept)} rejected.{ended}"
        )

    @property
    def caveats(self) -> tuple[str, ...]:
        """Sentences on what kept questions do not guarantee, and on how writer and checker were asked."""
        sentences = (
            "No one has reviewed the questions. People find faults that models miss: 'viva make review' reads their sheets.",
            "No model checked the questions: some have wrong answers, or can be answered without the documents."
            if self.checker == UNCHECKED
            else "The writer checked itself, so it may repeat its own mistakes: name another model as --checker."
            if self.checker == self.writer
            else "A checker makes mistakes, too: read a sample of kept and of rejected questions.",
        )
        return (*sentences, *self.asked_so)

    def report(self) -> Report:
        """A report with the counts of each kind, and of each reason for rejections."""
        kinds = [*self.kinds.items()]
        reasons = tuple(f"{count(number)}: {reason}" for reason, number in self.reasons.items())
        total = KindTally(self.drawn, self.kept)
        return Report(
            kind="Questions about documents",
            title=f"Questions about {numbered(self.documents, 'document')}, written by {self.writer}",
            headline=self.statement,
            blocks=(
                ReportTable(
                    tuple(map(Column, ("Kind", "Drawn", "Kept", "Rejected"))),
                    tuple(_row(name, tally) for name, tally in kinds),
                    foot=(_row("all", total),),
                ),
                Caveats(self.caveats),
                ReportSection("Rejected", (Items(reasons),) if reasons else ()),
            ),
            statement=self.statement,
        )


def _row(name: str, tally: KindTally) -> ReportRow:
    return ReportRow(TableCell(name), tuple(map(count_cell, (tally.drawn, tally.kept, tally.rejected))))


def _origin(draft: QuestionDraft) -> dict[str, str]:
    passage = draft.draw.passage
    return {"passage": passage.text, "document": passage.where, "difficulty": draft.difficulty}
