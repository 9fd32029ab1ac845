"""Files of forecasts: JSON Lines with a tuple a line, tables with a forecast a row, and published research tables.

Tuples of questions that a law relates, and the tables from which they are read, with a statement a row.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.lines import ending, json_lines, write_whole
from vivavoce.formats.numbers import as_number
from vivavoce.formats.tables import read_table
from vivavoce.formats.wording import first_problem
from vivavoce.laws.law import BUILT_IN, QUANTITIES, law_named
from vivavoce.laws.monotone import LARGEST, monotonicity

MOST_STATEMENTS: Final = 50
Status = Literal["accepted", "proposed", "rejected"]

LONGEST_QUESTION: Final = 20_000
"""Characters."""

COLUMNS: Final = ("law", "group", "statement", "question")
"""Columns of a table of questions; others are ignored."""
_BY_KEYS: Final[Mapping[frozenset[str], str]] = {frozenset(law.keys): law.name for law in BUILT_IN.values()} | {
    frozenset({"P", "para_P"}): "paraphrase"
}
"""The law by the names of its statements, for files that do not name the law."""


@dataclass(frozen=True, slots=True)
class QuestionTuple:
    """The full text of related questions, one for each statement of a law."""

    law: str
    questions: Mapping[str, str]
    """Name of the statement -> the question."""
    id: str = ""
    """Identifies the tuple; forecasters are compared on tuples with the same id."""
    base: tuple[str, ...] = ()
    """Ids of its base questions; tuples that share one are not independent."""
    status: Status = "accepted"
    reason: str = ""
    """Why it was rejected, or who accepted it."""


class _TupleLine(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)
    law: str = Field(min_length=1, max_length=2_000)
    questions: dict[str, str] = Field(min_length=2, max_length=MOST_STATEMENTS)
    id: str = Field("", max_length=200)
    base: list[str] = Field(default_factory=list, max_length=MOST_STATEMENTS)
    status: Status = "accepted"
    reason: str = ""


def read_tuples(file: Path) -> list[QuestionTuple]:
    r"""Read the tuples of a file, plain or gzipped, in order; the line number is the id of those without one.

    Each line is `{"law": ..., "questions": {statement: question}, "id": ..., "base":
    [...]}`. Lines may also be as in research data on forecasting: `{"P": {"title": ..., "body": ...}, "not_P": {...},
    "metadata": {...}}`, where the statements identify the law.

    A table (`.csv`, `.tsv`, also gzipped) has the columns law, group, statement and question, a question a row. The group is
    the id. A spreadsheet can bring other layouts, such as the paper's files, into this form.

    Raises `BadFile` with the line for anything else.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp(), "questions.csv")
    >>> _ = file.write_text("law,group,statement,question\nneg,7,P,Will it rain?\nneg,7,not_P,Will it stay dry?\n")
    >>> read_tuples(file)[0].questions
    {'P': 'Will it rain?', 'not_P': 'Will it stay dry?'}
    """
    lines = _of_table(file) if ending(file) in (".csv", ".tsv") else json_lines(file)
    tuples = [_tuple_of(file, number, values) for number, values in lines]
    if not tuples:
        raise BadFile(file, "holds no tuples")
    return tuples


def _of_table(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The tuples of a table in the form of JSON lines, each with the line on which it begins."""
    for line, (law, group), cells in groups_of(file, COLUMNS):
        yield line, {"law": law, "questions": {statement: cell.text for statement, cell in cells.items()}, "id": group}


def tuple_as_json(questions: QuestionTuple) -> dict[str, Any]:
    """The tuple as JSON values in the format that `read_tuples` reads.

    >>> tuple_as_json(QuestionTuple("neg", {"P": "Will it?", "not_P": "Will it not?"}, id="1"))
    {'law': 'neg', 'questions': {'P': 'Will it?', 'not_P': 'Will it not?'}, 'id': '1', 'base': [],
     'status': 'accepted', 'reason': ''}
    """
    return {
        "law": questions.law,
        "questions": dict(questions.questions),
        "id": questions.id,
        "base": list(questions.base),
        "status": questions.status,
        "reason": questions.reason,
    }


def write_tuples(file: Path, tuples: Iterable[QuestionTuple]) -> None:
    """Write tuples as JSON Lines. Raises `BadFile` if that fails."""
    write_whole(
        file, "".join(json.dumps(tuple_as_json(question_tuple), ensure_ascii=False) + "\n" for question_tuple in tuples)
    )


def _tuple_of(file: Path, number: int, values: dict[str, Any]) -> QuestionTuple:
    given = values if "questions" in values else _of_research_data(file, number, values)
    try:
        line = _TupleLine.model_validate(given)
    except ValidationError as error:
        raise BadFile(file, first_problem(error), line=number) from None
    for key, text in line.questions.items():
        if not text.strip() or len(text) > LONGEST_QUESTION:
            raise BadFile(file, f"the question '{key[:40]}' is empty or above {LONGEST_QUESTION} characters", line=number)
    try:
        keys = _keys(line.law, line.questions)
    except BadInput as error:
        raise BadFile(file, str(error), line=number) from None
    ordered = {key: line.questions[key] for key in keys}
    return QuestionTuple(line.law, ordered, line.id or f"line {number}", tuple(line.base), line.status, line.reason)


def _keys(law: str, questions: Mapping[str, str]) -> tuple[str, ...]:
    """The statements in the order of the law. Raises `BadInput` if they are not the law's."""
    if law in QUANTITIES:
        monotonicity(law, dict.fromkeys(questions, 0.0))
        return tuple(questions)
    return law_named(law, tuple(questions)).keys


def _of_research_data(file: Path, number: int, values: dict[str, Any]) -> dict[str, Any]:
    """Convert a line of research data to our format; the names of the statements identify the law."""
    document = {key: value for key, value in values.items() if key != "metadata"}
    law = _BY_KEYS.get(frozenset(document))
    if law is None:
        problem = f"no 'questions' and no statements of a known law: {', '.join(map(str, values))[:200]}"
        raise BadFile(file, problem, line=number)
    try:
        base = values.get("metadata", {}).get("base_sentences", {})
        ids = [str(sentence["id"]) for sentence in base.values()]
        questions = {key: "\n\n".join(filter(None, (value["title"], value.get("body")))) for key, value in document.items()}
    except (AttributeError, KeyError, TypeError):
        raise BadFile(file, "each statement must have a 'title' and each base sentence an 'id'", line=number) from None
    return {"law": law, "questions": questions, "base": ids}


class NumberedText(NamedTuple):
    """A row's text, with its line."""

    line: int
    text: str


class Group(NamedTuple):
    """The rows of one tuple."""

    line: int
    """Line on which it begins."""
    named: tuple[str, ...]
    """The cells that identify it; the last one is the group."""
    cells: dict[str, NumberedText]
    """Cells by statement, in the order of the file."""


def groups_of(file: Path, columns: Sequence[str]) -> Iterator[Group]:
    """Group the rows of a table into tuples, in order of their first rows.

    columns: the names of the tuple, the group last; then the statement, and its value.

    Raises `BadFile` with the line for a repeated statement, too many of them, or a single one in its group.
    """
    groups: dict[tuple[str, ...], Group] = {}
    for line, row in read_table(file, columns, small=True, others=False).rows:
        *names, statement, text = (row[column].strip() for column in columns)
        named = tuple(names)
        cells = groups.setdefault(named, Group(line, named, {})).cells
        if statement in cells:
            raise BadFile(file, f"'{statement[:80]}' occurs twice in group '{names[-1][:80]}': number the groups", line=line)
        if len(cells) == MOST_STATEMENTS:
            raise BadFile(file, f"group '{names[-1][:80]}' has more than {MOST_STATEMENTS} statements", line=line)
        cells[statement] = NumberedText(line, text)
    for group in groups.values():
        if len(group.cells) == 1:
            alone = f"'{next(iter(group.cells))[:80]}' is alone in group '{group.named[-1][:80]}'"
            raise BadFile(file, f"{alone}: give a row for each statement of the law, under the same group", line=group.line)
        yield group


LONGEST_NAME: Final = 300
MOST_DRAWS: Final = 1_000
"""Most single replies to one question."""
_PLAIN: Final = re.compile(r"[-+−]?\s?[\d.eE+-]+%?", re.ASCII)


def number_or_percentage(text: str) -> float | None:
    """A number with a decimal point, or a percentage with its sign as a share; None if it is neither.

    >>> number_or_percentage("30%"), number_or_percentage("0.3"), number_or_percentage("0,3")
    (0.3, 0.3, None)
    """
    number = as_number(text) if _PLAIN.fullmatch(text.strip()) else None
    return None if number is None else float(number / 100 if text.endswith("%") else number)


def _from_percentage(value: object) -> object:
    """A percentage becomes a share; anything else is returned unchanged."""
    share = number_or_percentage(value) if isinstance(value, str) and value.endswith("%") else None
    return value if share is None else share


Forecast = Annotated[float, Field(allow_inf_nan=False), BeforeValidator(_from_percentage)]
Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]


@dataclass(frozen=True, slots=True)
class Row:
    """A forecaster's forecasts for one tuple."""

    forecaster: str
    law: str
    forecasts: Mapping[str, float | None]
    """Name of the statement -> probability, or a quantity for laws on quantities; None for an unparsed forecast."""
    id: str = ""
    """Identifies the tuple: forecasters are compared on tuples with the same id."""
    base: tuple[str, ...] = ()
    """Ids of what it shares with other tuples, such as base questions."""
    questions: Mapping[str, str] = field(default_factory=dict)
    """Full text of the questions, if known."""
    replies: Mapping[str, int] = field(default_factory=dict)
    """Numbers of single replies by outcome: `read`, or why not."""
    line: int = 0
    """Line in the file; 0 without a file."""
    draws: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """Name of the statement -> the parsed single replies whose median is the forecast, if known."""

    @property
    def readable(self) -> bool:
        """Whether every statement has a forecast."""
        return None not in self.forecasts.values()


class _ForecastLine(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)
    forecaster: Name
    law: str = Field(min_length=1, max_length=2_000)
    forecasts: dict[str, Forecast | None] = Field(min_length=2, max_length=MOST_STATEMENTS)
    id: str | int = ""
    base: list[str] = Field(default_factory=list, max_length=MOST_STATEMENTS)
    questions: dict[str, str] = Field(default_factory=dict, max_length=MOST_STATEMENTS)
    replies: dict[str, Annotated[int, Field(ge=0)]] = Field(default_factory=dict)
    draws: dict[str, Annotated[list[Forecast], Field(max_length=MOST_DRAWS)]] = Field(
        default_factory=dict, max_length=MOST_STATEMENTS
    )


def read_forecasts(file: Path, *, own: Mapping[str, str] | None = None) -> Iterator[Row]:
    """Read forecasts from JSON Lines or a table of either kind. own: as for `read_rows`. Raises `BadFile`."""
    if ending(file) != ".csv":
        return read_rows(file, own=own)
    is_published = set(RESEARCH_COLUMNS) <= set(read_table(file).names)
    return read_research(file) if is_published else read_tidy(file, own=own)


def read_rows(file: Path, *, own: Mapping[str, str] | None = None) -> Iterator[Row]:
    """The rows of a JSON Lines file, plain or gzipped, in order; their statements are in the order of the law.

    Each line is `{"forecaster": ..., "law": ..., "forecasts": {statement:
    probability}}`; "30%" is 0.3, and null is an unparsed forecast. `id`, `base`, `questions`, `replies` and `draws` (lists of
    single replies) are optional.

    own: the user's own laws by name, each in the line that `parse_law` reads.

    Raises `BadFile` with the line for anything else.
    """
    for number, values in json_lines(file):
        yield checked_row(file, number, values, own=own)


def checked_row(file: Path, number: int, values: Mapping[str, Any], *, own: Mapping[str, str] | None = None) -> Row:
    """Make a row of these values and check it, as `read_rows` does; `number` is its line in the file."""
    try:
        line = _ForecastLine.model_validate(values)
    except ValidationError as error:
        raise BadFile(file, first_problem(error), line=number) from None
    law = (own or {}).get(line.law, line.law)
    try:
        forecasts = checked_forecasts(law, line.forecasts)
        draws = _checked_draws(law, forecasts, line.draws)
    except BadInput as error:
        raise BadFile(file, str(error), line=number) from None
    return Row(line.forecaster, law, forecasts, str(line.id), tuple(line.base), line.questions, line.replies, number, draws)


def row_as_json(row: Row) -> dict[str, Any]:
    """The row as JSON values in the format that `read_rows` reads.

    >>> row_as_json(Row("model", "neg", {"P": 0.3, "not_P": None}, id="1"))
    {'forecaster': 'model', 'law': 'neg', 'forecasts': {'P': 0.3, 'not_P': None}, 'id': '1'}
    """
    more = {
        "base": list(row.base),
        "questions": dict(row.questions),
        "replies": dict(row.replies),
        "draws": {key: list(values) for key, values in row.draws.items()},
    }
    document = {"forecaster": row.forecaster, "law": row.law, "forecasts": dict(row.forecasts), "id": row.id}
    return document | {name: value for name, value in more.items() if value}


def checked_forecasts(law: str, forecasts: Mapping[str, float | None]) -> dict[str, float | None]:
    """The forecasts in the order of the law's statements. Raises `BadInput` for invalid ones."""
    if law in QUANTITIES:
        monotonicity(law, {key: value or 0.0 for key, value in forecasts.items()})
        return dict(forecasts)
    for key, value in forecasts.items():
        if value is not None and not 0 <= value <= 1:
            raise BadInput(f"the forecast {value:g} of '{key[:40]}' is not a probability: give a number from 0 to 1, or null")
    return {key: forecasts[key] for key in law_named(law, tuple(forecasts)).keys}


def _checked_draws(
    law: str, forecasts: Mapping[str, float | None], draws: Mapping[str, list[float]]
) -> dict[str, tuple[float, ...]]:
    """The draws in the order of the statements; each must be a valid forecast. Raises `BadInput`."""
    for key, values in draws.items():
        if key not in forecasts:
            raise BadInput(f"'draws' has '{key[:40]}', which has no forecast")
        lowest, highest = (-LARGEST, LARGEST) if law in QUANTITIES else (0, 1)
        for value in values:
            if not lowest <= value <= highest:
                raise BadInput(f"the draw {value:g} of '{key[:40]}' is not between {lowest:g} and {highest:g}")
    return {key: tuple(draws[key]) for key in forecasts if key in draws}


TIDY_COLUMNS: Final = ("forecaster", "law", "group", "statement", "probability")


def read_tidy(file: Path, *, own: Mapping[str, str] | None = None) -> Iterator[Row]:
    r"""The tuples of a table with these columns, in order of their first rows.

    Rows with the same forecaster, law and group form a tuple. An empty probability is an unparsed forecast; "30%" is 0.3.

    own: the user's own laws by name, each in the line that `parse_law` reads.

    Raises `BadFile` with the line of the invalid row, or of the first row of an invalid tuple.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp(), "said.csv")
    >>> _ = file.write_text("forecaster,law,group,statement,probability\nme,neg,1,P,30%\nme,neg,1,not_P,0.5\n")
    >>> [row.forecasts for row in read_tidy(file)]
    [{'P': 0.3, 'not_P': 0.5}]
    """
    for first, (forecaster, law, group), cells in groups_of(file, TIDY_COLUMNS):
        document = {statement: _tidy_probability(file, text, line) for statement, (line, text) in cells.items()}
        yield checked_row(file, first, {"forecaster": forecaster, "law": law, "forecasts": document, "id": group}, own=own)


def _tidy_probability(file: Path, text: str, line: int) -> float | None:
    if not text:
        return None
    number = number_or_percentage(text)
    if number is None:
        raise BadFile(file, f"'probability' is '{text[:40]}': write a number from 0 to 1, or a percentage", line=line)
    return number


RESEARCH_COLUMNS: Final = ("run", "checker", "row", "keys", "probs")
"""Columns: forecaster and question set, law, number, statements and probabilities (separated by `|`). Others are ignored."""


def read_research(file: Path) -> Iterator[Row]:
    """The rows of a published table of forecasts, in order.

    Two forecasters' tuples are the same if their numbers and the text after `_tuples_` in their runs are the same.

    Raises `BadFile` with the line.
    """
    for number, cells in read_table(file, RESEARCH_COLUMNS, others=False).rows:
        try:
            run, checker, row, keys, probabilities = (cells[column] for column in RESEARCH_COLUMNS)
            values = (float(text) if text.strip() else None for text in probabilities.split("|"))
            forecasts = dict(zip(keys.split("|"), values, strict=True))
            law = law_of_checker(checker)
            given = checked_forecasts(law, forecasts)
        except (BadInput, ValueError) as error:
            raise BadFile(file, str(error), line=number) from None
        yield Row(run, law, given, f"{run.partition('_tuples_')[2]} {row}".strip(), line=number)


def law_of_checker(checker: str) -> str:
    """The law that the research code calls a checker.

    >>> law_of_checker("ExpectedEvidence"), law_of_checker("CondCond"), law_of_checker("Neg")
    ('expected-evidence', 'cond-cond', 'neg')
    """
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", checker).lower()
