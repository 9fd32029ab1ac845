"""Scopes from your own file: ``file:FILE``, where FILE is JSON, CSV, TSV (also .gz), Parquet, Arrow or .xlsx.

One question a line (JSON Lines), an object (of a list in JSON) or a row (the others; with a header). `question` must be
there, and `answer`, `rubric`, `rule` or `law`:

- `id`: unique; the number of the question in the file if absent
- `question`: the text, or a list of chat messages of which the user's is asked
- `options`: the answers to choose from, at most 26; absent for a free answer (a number or a text)
- `answer`: what is right: a letter or an option's text where there are options, else a number or a text; may be several
- `rubric`: what earns points, for a judge or for people; a question without `answer` is graded by them alone
- `category`: free words
- `weight`: above 0 (and at most `HEAVIEST`), proportional to the probability of being drawn; 1 if absent
- `cluster`: questions with the same word here (paraphrases, one passage) are drawn and counted together
- `law`: a law that the answers in a cluster must keep, the same on each of its questions, such as `same` or `at most`; a
  question without `answer` is then judged by it alone (`answer_laws`)
- `rule`: how the whole reply is scored, as an object of JSON (`rules`); then the question is asked without instructions on how
  to end a reply, and has no other columns on the right answer
- `match`: when a free answer is right: `exact`, `contains`, `number`, `regex` or `any` (see `questions.Match`); if absent:
  `?match=RULE` after FILE, else an accepted answer must be at its end, or after "is" or "answer"
- `example`: `yes` for a question that is shown as a worked example (`?shots=N`), with its answer, and never asked
- `idk_score`: the score of "I don't know", from 0 to 1; 0 if absent, and 1 if the answer is that nothing is known
- `scores`: what each option or answer earns, from 0 to 1: an object in JSON Lines (`{"A": 1, "B": 0.5}`), in a cell
  `A=1|B=0.5`; what is not among them earns 1 if it is an `answer`, else 0. Without `answer` those with the highest score are
  right
- `unacceptable`: options or answers that are unacceptable, which a wrong answer as such is not; may hold "I don't know"
- `turns`: further turns after the answer, in order, at most 10; for conversations only

Columns go by these names in any case, by other usual ones, or as `?question=COLUMN` says (`column_names`); options may have a
column each. Several values are a list in JSON Lines, Parquet and Arrow; in a cell they are parted by `|`, or written as a list
of Python, NumPy or JSON (`options`). A free answer that is a number to a reader is taken as that number (`written_numbers`).

`viva make questions` adds `passage`, `document`, `difficulty` and `made`, and a verdict says how the questions were made
(`made_questions`). Other columns are ignored, and named with the verdict, unless their name looks like a misspelling of one of
these. Values that would make a right answer wrong are refused with their line: what pandas writes for an empty cell (`nan`), a
spreadsheet's `#REF!`, an answer with a decimal comma, two rows that ask the same with other right answers (`question_checks`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from string import ascii_uppercase
from typing import Any, Final, NamedTuple

from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.lines import JSON_LINES, choose, ending, json_lines, text_encoding
from vivavoce.formats.numbers import as_number
from vivavoce.formats.records import COLUMNAR, WORKBOOK, columnar_rows, records, sheet_rows, there
from vivavoce.formats.tables import check_names, read_table
from vivavoce.formats.wording import numbered
from vivavoce.scopes.column_names import AS_THEY_ARE, ColumnNames, folded, slip_in
from vivavoce.scopes.listed_and_endless import units_of
from vivavoce.scopes.made_questions import MADE, making_of
from vivavoce.scopes.options import AS_TEXT, first_number
from vivavoce.scopes.question_checks import check_scoring, contradiction, contradictions
from vivavoce.scopes.question_rows import MATCHES, Conventions, question_of, row_of
from vivavoce.scopes.questions import Question
from vivavoce.scopes.unit_laws import check_law

FORMATS: Final = (*JSON_LINES, ".json", ".csv", ".tsv", *COLUMNAR, WORKBOOK)
"""Suffixes of question files; text files may also end in `.gz`."""

_RULE: Final = re.compile(r":?-+:?")
"""A cell of the line below the header of a Markdown table."""


class Records(NamedTuple):
    """The records of a file, with the file's own names."""

    file: Path
    columns: tuple[str, ...]
    """All names, in order of first occurrence."""
    rows: Sequence[tuple[int, Mapping[str, Any]]]
    """Each record with its line or number, without missing values."""
    head: int | None = None
    """The line of the header; None without one."""
    are_cells: bool = False
    """Whether all values are texts, in which `|` separates several values."""
    notes: tuple[str, ...] = ()
    """Notes on how it was read."""
    semicolons: bool = False
    """Whether semicolons separate cells, as when a comma is the decimal sign."""


def read_records(file: Path, names: ColumnNames, *, sheet: str = "") -> Records:
    """The records of a file of any kind. Raises `BadFile`, and `MissingExtra`.

    Parameters
    ----------
    names: the meaning of its columns, which may help to find the delimiter of a table.
    sheet: the sheet of a workbook, if several are not empty.
    """
    form = ending(file, FORMATS)
    if sheet and form != WORKBOOK:
        raise BadInput(f"sheet={sheet[:40]}: only a workbook ({WORKBOOK}) has sheets")
    if form == WORKBOOK:
        return _of_sheet(file, sheet)
    if form in COLUMNAR:
        return _typed(file, [(number, there(row)) for number, row in enumerate(columnar_rows(file), 1)])
    if form == ".json":
        return _typed(file, list(records(file)))
    encoding = text_encoding(file)
    notes: tuple[str, ...] = ()
    if encoding.sample:
        notes = (f"The file is not UTF-8 and was read as Windows-1252, with words such as “{encoding.sample[:40]}”.",)
    if form in JSON_LINES:
        return _typed(file, list(json_lines(file, encoding=encoding.name)), notes)
    sought = tuple(column for columns in names.said.values() for column in columns)
    table = read_table(file, sought=sought, cut=True, encoding=encoding.name)
    rows = [(line, {name: cell for name, cell in row.items() if cell.strip()}) for line, row in table.rows]
    if table.delimiter == "|" and rows and all(map(_RULE.fullmatch, map(str.strip, rows[0][1].values()))):
        del rows[0]
    names_of = _filled(table.names, rows)
    return Records(file, names_of, rows, table.line, are_cells=True, notes=notes, semicolons=table.delimiter == ";")


def _filled(names: tuple[str, ...], rows: Sequence[tuple[int, Mapping[str, Any]]]) -> tuple[str, ...]:
    """The column names; an unnamed column counts only if it has values."""
    if "" in names and not any("" in row for _, row in rows):
        return tuple(filter(None, names))
    return tuple(dict.fromkeys(names))


def _typed(file: Path, rows: Sequence[tuple[int, Mapping[str, Any]]], notes: tuple[str, ...] = ()) -> Records:
    return Records(file, tuple(dict.fromkeys(column for _, row in rows for column in row)), rows, notes=notes)


def _of_sheet(file: Path, sheet: str) -> Records:
    """The records of a sheet; its first row that is not empty has the column names."""
    rows = list(sheet_rows(file, sheet))
    if not rows:
        return Records(file, (), [])
    head, cells = rows[0]
    names = tuple(str(cell).strip() for cell in cells)
    check_names(file, names, line=head)
    pairs = []
    for line, values in rows[1:]:
        if any(value != "" for value in values[len(names) :]):
            raise BadFile(file, f"{len(values)} cells under {len(names)} columns: name the columns of all of them", line=line)
        pairs.append((line, {name: value for name, value in zip(names, values, strict=False) if value != ""}))
    return Records(file, _filled(names, pairs), pairs, head, are_cells=True)


_NO_FILE: Final = Path("rows")
GSM8K: Final = "####"
"""The mark before the answers of GSM8K."""
_WORKED: Final = re.compile(r"\S.*####[ \t]*[^\s#][^#]*", re.DOTALL)
_Named = Sequence[tuple[int, Mapping[str, Any]]]
_THOUSANDS: Final = re.compile(r"\D*[1-9]\d{0,2}\.\d{3}\D*")
_WITH_POINT: Final = re.compile(r"\D*\d*\.\d+\D*")
_NOTHING: Final = frozenset({"None", "NA"})
"""Texts that programs write for an empty cell, and people for an answer."""
_INDEX: Final = re.compile(r"(?:(?:correct|right|gold)_)?(?:answer|label|option|choice|target|correct|gold)_(?:index|idx)")
_WHOLE: Final = re.compile(r"\d{1,3}(?:\.0+)?")


class ParsedQuestions(NamedTuple):
    """The questions of a file, and its unused parts."""

    questions: tuple[Question, ...]
    examples: tuple[Question, ...] = ()
    """Worked examples."""
    ignored: tuple[str, ...] = ()
    """Columns that no question is made of."""
    notes: tuple[str, ...] = ()
    """Notes on how the file was read, in sentences."""


def read_question_file(
    file: Path, *, match: str | None = None, names: ColumnNames = AS_THEY_ARE, sheet: str = ""
) -> ParsedQuestions:
    """Read a file: its questions, its worked examples and its unused columns; raises `BadFile` with the line and the remedy.

    Parameters
    ----------
    match: the rule for free answers of questions without their own; `UnknownName` for an unknown one.
    names: what its columns mean.
    sheet: the sheet of a workbook, if several are not empty.
    """
    return read_questions(read_records(file, names, sheet=sheet), match=match, names=names)


def row_questions(rows: Iterable[Mapping[str, Any]]) -> ParsedQuestions:
    """The questions of rows with the columns of a file, with the same checks; raises `BadInput` with the number of the row.

    None and NaN (a data frame's empty cell) count as absent.

    >>> row_questions([{"question": "What is 7 times 7?", "answer": 49, "category": None}]).questions[0].accepted
    ('49',)
    >>> row_questions([{"question": "What is 7 times 7?", "anwser": 49}])
    Traceback (most recent call last):
    vivavoce.errors.BadInput: row 1: unknown column 'anwser': did you mean 'answer'?
    """
    pairs = [(number, {str(name): value for name, value in row.items()}) for number, row in enumerate(rows, 1)]
    columns = tuple(dict.fromkeys(column for _, row in pairs for column in row))
    return numbered_questions(Records(_NO_FILE, columns, [(number, there(row)) for number, row in pairs]))


def numbered_questions(records: Records, *, match: str | None = None, names: ColumnNames = AS_THEY_ARE) -> ParsedQuestions:
    """The questions of records that are counted as rows; raises `BadInput` with the number of the row."""
    try:
        return read_questions(records, match=match, names=names, record_is="row")
    except BadFile as error:
        where = "the questions" if error.line is None else f"row {error.line}"
        raise BadInput(f"{where}: {error.problem}") from None


def read_questions(records: Records, *, match: str | None, names: ColumnNames, record_is: str = "line") -> ParsedQuestions:
    """The questions of records; `record_is`: what a record's number counts. Raises `BadFile`."""
    file = records.file
    rule = None if match is None else MATCHES[choose("match", match, tuple(MATCHES))]
    if not records.rows:
        raise BadFile(file, "holds no questions")
    first = records.rows[0][0]
    if not names.answer:
        check_columns(records)
    try:
        roles = names.roles(records.columns)
    except BadInput as error:
        raise BadFile(file, str(error), line=records.head or first) from None
    if roles.slip:
        column, problem = roles.slip
        raise BadFile(file, problem, line=next((line for line, row in records.rows if column in row), first))
    named = records.rows if records.are_cells and roles.are_own else [(line, roles.named(row)) for line, row in records.rows]
    columns = tuple(roles.columns.get("options", ()))
    conventions = Conventions(records.columns, records.are_cells, rule, columns if len(columns) > 1 else ())
    conventions, notes = _with_marks(conventions, names, named, file)
    questions: list[Question] = []
    shown: set[str] = set()
    lines: dict[str, int] = {}
    for (line, record), (_, as_it_is) in zip(named, records.rows, strict=True):
        try:
            row = row_of(record, conventions)
            question = question_of(row, str(len(questions) + 1))
            check_scoring(question)  # the row's types and texts are checked
        except BadInput as error:
            slip = None if "answer" in record else slip_in((name for name in as_it_is if name in roles.ignored), record)
            raise BadFile(file, slip[1] if slip else str(error), line=line) from None
        if question.id in lines:
            raise BadFile(
                file, f"id '{question.id[:80]}' is already on {record_is} {lines[question.id]}: make it unique", line=line
            )
        if row.get("example"):
            shown.add(question.id)
            if not question.accepted:
                raise BadFile(file, "a worked example without an 'answer': give one", line=line)
        lines[question.id] = line
        questions.append(question)
    asked = tuple(question for question in questions if question.id not in shown)
    _check_together(file, questions, asked, lines, record_is)
    check_answers(records, questions, lines)
    check_indices(records, roles.ignored, questions, lines)
    asked = _closed(asked) if names.closed == "yes" else asked
    if not asked:
        raise BadFile(file, "has only worked examples: leave out 'example' for questions to ask")
    examples = tuple(question for question in questions if question.id in shown)
    known, made = making_of(records.rows) if MADE in records.columns else ((), "")
    notes = tuple(filter(None, (made, *records.notes, roles.note, *notes, _note_on_alternatives(asked))))
    return ParsedQuestions(asked, examples, tuple(name for name in roles.ignored if name not in known), notes)


def _note_on_alternatives(questions: Sequence[Question]) -> str:
    """A sentence if some questions have several right options, since a reply is right with one of them."""
    number = sum(len(question.accepted) > 1 for question in questions if question.options)
    have = "has" if number == 1 else "have"
    return (
        f"{numbered(number, 'question')} {have} several right options: a reply is right if it names one of them."
        if number
        else ""
    )


def _closed(questions: Sequence[Question]) -> tuple[Question, ...]:
    """The questions, if no other free answers are possible than those accepted for one of them."""
    free = [question for question in questions if not question.options and question.accepted]
    answers = tuple(dict.fromkeys(answer for question in free for answer in question.accepted))
    return tuple(replace(question, closed=answers) if not question.options else question for question in questions)


def _check_together(
    file: Path, questions: Sequence[Question], asked: Sequence[Question], lines: Mapping[str, int], record_is: str
) -> None:
    """No two questions contradict each other, and laws hold in their clusters."""
    pair = next(contradictions(questions), None)
    if pair:
        first, second = (lines[question.id] for question in pair)
        raise BadFile(file, f"{contradiction(*pair)} 'answer' of {record_is} {first}, and leave this one out", line=second)
    if any(question.law for question in asked):
        for unit in units_of(asked):
            try:
                check_law(unit)
            except BadInput as error:
                raise BadFile(file, str(error), line=lines[unit[0].id]) from None


def _with_marks(conventions: Conventions, names: ColumnNames, named: _Named, file: Path) -> tuple[Conventions, tuple[str, ...]]:
    """The file's way to write answers, as given or as all answers show, with a sentence about it."""
    first = "" if names.first == AS_TEXT else names.first
    conventions, notes = conventions._replace(first=first, after=names.after), []
    if not names.after and conventions.match not in ("exact", "regex") and _are_worked(named, file):
        conventions = conventions._replace(after=GSM8K)
        notes.append(f"Answers were read from behind their last “{GSM8K}”, which each of them has.")
    if not names.first and (first := first_number(file, named, are_cells=conventions.are_cells)):
        conventions = conventions._replace(first=first)
        notes.append(f"Answers were read as numbers of options, counted from {first}: no other count fits all of them.")
    return conventions, tuple(notes)


def _are_worked(named: _Named, file: Path) -> bool:
    """Whether each free answer is a worked solution with a mark before its end. Raises `BadFile` if only some are."""
    answers = [
        (line, record["answer"])
        for line, record in named
        if "answer" in record and "options" not in record and "match" not in record
    ]
    plain = [line for line, answer in answers if not (isinstance(answer, str) and "##" in answer and _WORKED.fullmatch(answer))]
    if plain and len(plain) < len(answers):
        problem = f"'answer' has no '{GSM8K}' with an answer behind it, as other rows have"
        remedy = "write one, or ?match=exact after the file's name if all answers are meant as they stand"
        raise BadFile(file, f"{problem}: {remedy}", line=plain[0])
    return bool(answers) and not plain


def check_columns(records: Records) -> None:
    """Refuse a table of promptfoo, whose answers are assertions, and a column of tolerances. Raises `BadFile`."""
    if tolerance := next((column for column in records.columns if folded(column) == "tolerance"), ""):
        raise BadFile(
            records.file,
            f"'{tolerance}': question files have no tolerance: list every accepted number in 'answer', and rename this column",
            line=records.head,
        )
    if any(column.strip().startswith("__expected") for column in records.columns):
        raise BadFile(
            records.file,
            "'__expected' is promptfoo's column of assertions: name this file in the 'tests' of a configuration, and convert "
            "that by viva import promptfoo promptfooconfig.yaml",
            line=records.head,
        )


def check_answers(records: Records, questions: Sequence[Question], lines: Mapping[str, int]) -> None:
    """Raise `BadFile` for free answers whose meaning differs, as other answers of the file show."""
    free = [
        question for question in questions if not question.options and question.accepted and question.match in (None, "number")
    ]
    answers = [(answer, lines[question.id]) for question in free for answer in question.accepted]
    empty = next(((answer, line) for answer, line in answers if answer in _NOTHING), None)
    if empty and any(answer not in _NOTHING for answer, _ in answers):
        problem = f"an answer is '{empty[0]}', as programs write an empty cell: leave it empty"
        raise BadFile(records.file, f"{problem}, or give 'match' exact if it is meant", line=empty[1])
    points = [(answer, line) for answer, line in answers if _WITH_POINT.fullmatch(answer) and as_number(answer) is not None]
    doubtful = [(answer, line) for answer, line in points if _THOUSANDS.fullmatch(answer)]
    if doubtful and len(doubtful) == len(points) and (records.semicolons or all(".000" in answer for answer, _ in doubtful)):
        answer, line = doubtful[0]
        whole, short = answer.replace(".", ""), answer.replace(".000", "")
        raise BadFile(
            records.file,
            f"the answer '{answer[:40]}' may be {whole[:40]}, if the point separates thousands: "
            f"write {whole[:40]} or {short[:40]}{'0' if short == answer else ''}, or give 'match' exact if it is a text",
            line=line,
        )


def check_indices(records: Records, ignored: Iterable[str], questions: Sequence[Question], lines: Mapping[str, int]) -> None:
    """Refuse a second column whose number names another right option. Raises `BadFile`."""
    column = next((name for name in ignored if _INDEX.fullmatch(folded(name))), None)
    if column is None:
        return
    rows = dict(records.rows)
    firsts: set[int] = set()
    for question in questions:
        line = lines[question.id]
        number = _whole(rows[line].get(column))
        if number is None or len(question.accepted) != 1 or question.accepted[0] not in question.letters:
            continue
        first = number - ascii_uppercase.index(question.accepted[0])
        firsts.add(first)
        if len(firsts) > 1 or first not in (0, 1):
            raise BadFile(
                records.file,
                f"'{column[:40]}' is {number}, but the answer is option {question.accepted[0]}: correct one of them, or leave "
                f"'{column[:40]}' out",
                line=line,
            )


def _whole(value: Any) -> int | None:
    text = "" if isinstance(value, bool) else str(value).strip()
    return int(float(text)) if _WHOLE.fullmatch(text) else None
