"""Scopes from a file of your own: ``file:FILE``, where FILE is JSON Lines, CSV or TSV, also gzipped (.gz), Parquet or Arrow.

One question a line (JSON Lines) or a row (the others; CSV and TSV with a header). `question` must be there, and `answer`,
`rubric` or `law`:

- `id`: unique; the number of the question in the file if absent
- `question`: the text
- `options`: the answers to choose from, at most 26; absent for a free answer (a number or a text)
- `answer`: what is right: a letter or an option's text where there are options, else a number or a text; may be several
- `rubric`: what earns points, for a judge or for people; a question without `answer` is graded by them alone
- `category`: free words
- `weight`: above 0 (and at most `HEAVIEST`), proportional to the probability of being drawn; 1 if absent
- `cluster`: questions with the same word here (paraphrases, one passage) are drawn and counted together
- `law`: what the answers in a cluster must keep, the same on each of its questions, such as `same` or `at most`; a question
  without `answer` is then judged by it alone (`answer_laws`)
- `match`: when a free answer is right: `exact`, `contains`, `number`, `regex` or `any` (see `questions.Match`); where absent,
  what `?match=RULE` behind FILE says, else if an accepted one stands at its end, or after "is" or "answer"
- `example`: `yes` for a question that is shown as a worked example (`?shots=N`), with its answer, and never asked
- `idk_score`: the score of "I don't know", from 0 to 1; 0 if absent
- `scores`: what each option or answer earns, from 0 to 1: an object in JSON Lines (`{"A": 1, "B": 0.5}`), in a cell
  `A=1|B=0.5`; what is not among them earns 1 if it is an `answer`, else 0. Without `answer` those with the highest score are
  right
- `ridiculous`: options or answers that are ridiculous, which a wrong answer as such is not; may hold "I don't know"
- `turns`: what is said after the answer, one turn after the other, at most 10; only conversations have them

Several values are a list in JSON Lines, Parquet and Arrow; in a cell of CSV or TSV they are parted by `|`, or written as a
JSON list. Other columns are ignored, and named with the verdict, unless their name looks like a slip of one of these. What
pandas writes for an empty cell (`nan`), an answer with a decimal comma, and two rows that ask the same with other right answers
are refused (`question_checks`). A `TEMPLATE` shows it all.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from string import ascii_uppercase
from typing import Annotated, Any, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from vivavoce.certificate.answer_laws import LONGEST_LAW
from vivavoce.certificate.question_checks import check_not_empty, check_question, contradiction, first_contradiction
from vivavoce.certificate.questions import LONGEST_RUBRIC, MAX_OPTIONS, Match, Question
from vivavoce.certificate.scopes.column_names import AS_THEY_ARE, ColumnNames
from vivavoce.certificate.scopes.listed import units_of
from vivavoce.certificate.unit_laws import check_law
from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.columnar import COLUMNAR, columnar_rows, there
from vivavoce.formats.lines import JSON_LINES, choose, ending, json_lines
from vivavoce.formats.tables import read_table
from vivavoce.interview.forms.ending import DONT_KNOW
from vivavoce.interview.forms.plain import fold

TEMPLATE = """\
{"id": "add-1", "question": "What is 1/2 + 1/4?", "answer": ["3/4", "0.75"], "category": "fractions", "ridiculous": ["2/6"]}
{"id": "cap-1", "question": "Capital of Italy?", "options": ["Milan", "Rome", "Oslo"], "answer": "B", "ridiculous": ["C"]}
{"id": "pnp-1", "question": "Is P equal to NP?", "options": ["Yes", "No"], "answer": "No", "idk_score": 0.9, "weight": 0.5}
{"id": "sq-1a", "question": "What is 7 times 7?", "answer": 49, "cluster": "seven squared"}
{"id": "sq-1b", "question": "What is 7 to the power of 2?", "answer": 49, "cluster": "seven squared"}
{"id": "riv-1", "question": "Which is longer?", "options": ["Don", "Ural"], "cluster": "rivers", "law": "different"}
{"id": "riv-2", "question": "Which is shorter?", "options": ["Don", "Ural"], "cluster": "rivers", "law": "different"}
"""
"""A file to start from."""

MOST_TURNS = 10
"""Of a question."""
HEAVIEST = 1e15
"""The largest weight, so that no sum of them overflows."""
_NO_FILE = Path("rows")
FORMATS = (*JSON_LINES, ".csv", ".tsv", *COLUMNAR)
"""How names of files of questions end, those of text also with `.gz` behind."""


def _as_list(value: Any) -> Any:
    return value if isinstance(value, list) else [value]


Texts = Annotated[list[Annotated[str, Field(min_length=1)]], BeforeValidator(_as_list)]


class Row(BaseModel):
    """One question as it stands in the file."""

    model_config = ConfigDict(coerce_numbers_to_str=True, str_strip_whitespace=True)

    id: str = ""
    question: str = Field(min_length=1)
    options: Texts = Field(default=[], max_length=MAX_OPTIONS)
    answer: Texts = []
    rubric: str = Field(default="", max_length=LONGEST_RUBRIC)
    category: str = ""
    weight: float = Field(default=1.0, gt=0, le=HEAVIEST, allow_inf_nan=False)
    cluster: str = ""
    law: str = Field(default="", max_length=LONGEST_LAW)
    idk_score: float = Field(default=0.0, ge=0, le=1)
    ridiculous: Texts = []
    scores: dict[str, Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]] = {}
    match: Match | None = None
    example: bool = False
    turns: Texts = Field(default=[], max_length=MOST_TURNS)


COLUMNS = tuple(Row.model_fields)
_TEXTS = ("id", "question", "category", "cluster", "rubric", "law")
_LISTS = ("options", "answer", "ridiculous", "turns")
_MATCHES: dict[str, Match] = {rule: rule for rule in get_args(Match)}


def file_questions(file: Path, *, match: str | None = None, names: ColumnNames = AS_THEY_ARE) -> tuple[Question, ...]:
    """The questions of a file that are asked; raises `BadFile` with the line and the remedy.

    match: the rule for free answers of questions that have none of their own; `UnknownName` for one that is not known.
    """
    asked = tuple(question for question, example in _questions(file, records_of(file, names), match) if not example)
    if not asked:
        raise BadFile(file, "holds no questions but worked examples: leave out 'example' where a question should be asked")
    return asked


def row_questions(rows: Iterable[Mapping[str, Any]], *, match: str | None = None) -> tuple[Question, ...]:
    """The questions of rows with the columns of a file, checked as those are; raises `BadInput` with the number of the row.

    What is None or not a number (NaN, as data frames have it for an empty cell) is absent.

    >>> row_questions([{"question": "What is 7 times 7?", "answer": 49, "category": None}])[0].accepted
    ('49',)
    >>> row_questions([{"question": "What is 7 times 7?", "anwser": 49}])
    Traceback (most recent call last):
    vivavoce.errors.BadInput: row 1: unknown column 'anwser': did you mean 'answer'?
    """
    records = ((number, there(row)) for number, row in enumerate(rows, 1))
    try:
        return tuple(question for question, example in _questions(_NO_FILE, records, match, record_is="row") if not example)
    except BadFile as error:
        where = "the questions" if error.line is None else f"row {error.line}"
        raise BadInput(f"{where}: {error.problem}") from None


def file_examples(file: Path, *, match: str | None = None, names: ColumnNames = AS_THEY_ARE) -> tuple[Question, ...]:
    """The questions of a file that are for worked examples, as above; raises `BadFile`."""
    return tuple(question for question, example in _questions(file, records_of(file, names), match) if example)


def _questions(
    file: Path, records: Iterable[tuple[int, dict[str, Any]]], match: str | None, *, record_is: str = "line"
) -> tuple[tuple[Question, bool], ...]:
    """Each question, and whether it is a worked example; `record_is`: what a record's number counts."""
    rule = None if match is None else _MATCHES[choose("match", match, tuple(_MATCHES))]
    questions: list[tuple[Question, bool]] = []
    lines: dict[str, int] = {}
    for line, record in records:
        row = _row(file, line, record)
        if row.match is None and (row.answer or row.scores) and not row.options:
            row = row.model_copy(update={"match": rule})
        question = _question(row, str(len(questions) + 1), file, line)
        if row.example and not question.accepted:
            raise BadFile(file, "a worked example without an 'answer': give one", line=line)
        if question.id in lines:
            raise BadFile(
                file, f"id '{question.id[:80]}' is already on {record_is} {lines[question.id]}: make it unique", line=line
            )
        lines[question.id] = line
        questions.append((question, row.example))
    if not questions:
        raise BadFile(file, "holds no questions")
    pair = first_contradiction(question for question, _ in questions)
    if pair:
        first, second = (lines[question.id] for question in pair)
        raise BadFile(file, f"{contradiction(*pair)} 'answer' of {record_is} {first}, and leave this one out", line=second)
    for unit in units_of([question for question, example in questions if not example]):
        try:
            check_law(unit)
        except BadInput as error:
            raise BadFile(file, str(error), line=lines[unit[0].id]) from None
    return tuple(questions)


def ignored_columns(file: Path, *, names: ColumnNames = AS_THEY_ARE) -> tuple[str, ...]:
    """The columns that no question is made of, in the order in which they first occur; raises `BadFile`."""
    return tuple(dict.fromkeys(name for _, record in records_of(file, names) for name in record if name not in COLUMNS))


def records_of(file: Path, names: ColumnNames) -> Iterator[tuple[int, dict[str, Any]]]:
    """What stands in a file of questions, each with its line, by the names that questions have; raises `BadFile`."""
    form = ending(file, FORMATS)
    records = _table_records(file, names) if form in (".csv", ".tsv") else _typed_records(file, form, names)
    for line, record in records:
        try:
            yield line, names.completed(record)
        except BadInput as error:
            raise BadFile(file, str(error), line=line) from None


def _typed_records(file: Path, form: str, names: ColumnNames) -> Iterator[tuple[int, dict[str, Any]]]:
    """Records whose values have types; what is missing is left out where columns have one type, in `scores` as well."""
    for number, (line, record) in enumerate(enumerate(columnar_rows(file), 1) if form in COLUMNAR else json_lines(file)):
        if not number:
            _check(file, names, record, line)
        found = names.named(there(record) if form in COLUMNAR else record)
        if form in COLUMNAR and found.get("scores"):
            found["scores"] = there(dict(found["scores"]))
        yield line, found


def _table_records(file: Path, names: ColumnNames) -> Iterator[tuple[int, dict[str, Any]]]:
    """Rows as records; empty cells are absent, cells of several values are lists."""
    table = read_table(file, sought=names.columns or COLUMNS, cut=True)
    _check(file, names, table.names, 1)
    for line, row in table.rows:
        cells = names.named({name: cell.strip() for name, cell in row.items() if cell.strip()})
        lists = {name: _values(file, line, cell) for name, cell in cells.items() if name in _LISTS and isinstance(cell, str)}
        yield line, cells | lists | ({"scores": _scores(file, line, cells["scores"])} if "scores" in cells else {})


def _check(file: Path, names: ColumnNames, columns: Collection[str], line: int) -> None:
    try:
        names.check(columns)
    except BadInput as error:
        raise BadFile(file, str(error), line=line) from None


def _values(file: Path, line: int, cell: str) -> list[Any]:
    if not cell.startswith('["'):
        return [value.strip() for value in cell.split("|")]
    try:
        values = json.loads(cell)
    except (ValueError, RecursionError) as error:
        raise BadFile(file, f"{cell[:40]!r} begins like a JSON list, but is none: {error}", line=line) from error
    return list(values)


def _scores(file: Path, line: int, cell: str) -> dict[str, str]:
    """Answers with their scores; the last `=` parts the two, so that an answer may have others."""
    if cell.startswith("{"):
        try:
            found = json.loads(cell)
        except (ValueError, RecursionError) as error:
            raise BadFile(file, f"{cell[:40]!r} begins like a JSON object, but is none: {error}", line=line) from error
        return dict(found)
    parts = [part.rpartition("=") for part in cell.split("|")]
    if not all(answer.strip() and sign for answer, sign, _ in parts):
        raise BadFile(file, f"'scores' is {cell[:80]!r}: write ANSWER=SCORE, several parted by '|'", line=line)
    named = [answer.strip() for answer, _, _ in parts]
    if len(set(named)) < len(named):
        raise BadFile(file, f"'scores' is {cell[:80]!r}: an answer stands there twice", line=line)
    return {answer.strip(): score.strip() for answer, _, score in parts}


def _row(file: Path, line: int, record: dict[str, Any]) -> Row:
    """The record, checked."""
    for name in record:
        known = name in COLUMNS or name.strip().lower() == "score"  # that is what results call what an answer earned
        slip = [] if known else get_close_matches(name.strip().lower(), COLUMNS, n=1, cutoff=0.75)
        if slip:
            raise BadFile(file, f"unknown column '{name[:40]}': did you mean '{slip[0]}'?", line=line)
    for name in _TEXTS:
        try:
            check_not_empty(name, str(record.get(name, "")))
        except BadInput as error:
            raise BadFile(file, str(error), line=line) from None
    try:
        return Row.model_validate({name: value for name, value in record.items() if value is not None})
    except ValidationError as error:
        problem = error.errors()[0]
        name = str(problem["loc"][0])
        if problem["type"] == "missing":
            raise BadFile(file, f"no '{name}': columns are {', '.join(COLUMNS)}", line=line) from error
        if name == "scores" and problem["type"] == "dict_type":
            wanted = 'give each answer its score, as {"A": 1, "B": 0.5}; only a cell of a table is written A=1|B=0.5'
        else:
            wanted = problem["msg"]
        raise BadFile(file, f"'{name}' is {str(problem['input'])[:80]!r}: {wanted}", line=line) from error


def _question(row: Row, number: str, file: Path, line: int) -> Question:
    if not (row.answer or row.rubric or row.law or row.scores):
        problem = "no 'answer', and no 'rubric' by which others grade, nor a 'law'"
        raise BadFile(file, f"{problem}: columns are {', '.join(COLUMNS)}", line=line)
    options = tuple(row.options)
    accepted = tuple(_named(answer, options, "answer", file, line) for answer in row.answer)
    ridiculous = tuple(_named(answer, options, "ridiculous", file, line) for answer in row.ridiculous)
    scores = tuple((_named(answer, options, "scores", file, line), score) for answer, score in row.scores.items())
    best = max((score for _, score in scores), default=0.0)
    if scores and not row.answer:
        if best == 0:
            raise BadFile(file, "'scores' gives no answer more than 0: give the best one more", line=line)
        accepted = tuple(answer for answer, score in scores if score == best)
    question = Question(
        id=row.id or number,
        text=row.question,
        options=options,
        accepted=accepted,
        category=row.category,
        weight=row.weight,
        cluster=row.cluster,
        dont_know_score=row.idk_score,
        ridiculous=ridiculous,
        rubric=row.rubric,
        law=row.law,
        match=row.match,
        scores=scores,
        turns=tuple(row.turns),
    )
    try:
        check_question(question)
    except BadInput as error:
        raise BadFile(file, str(error), line=line) from None
    return question


def _named(answer: str, options: tuple[str, ...], column: str, file: Path, line: int) -> str:
    """An answer as it is compared: the letter of an option given by letter or text, or the answer itself if it is free."""
    if not options or (column == "ridiculous" and fold(answer) == fold(DONT_KNOW)):
        return answer
    letters = ascii_uppercase[: len(options)]
    if len(answer) == 1 and answer in letters:
        return answer
    for letter, option in zip(letters, options, strict=True):
        if fold(option) == fold(answer):
            return letter
    raise BadFile(file, f"'{column}' is '{answer[:80]}', which is no option: give a letter from A to {letters[-1]}", line=line)
