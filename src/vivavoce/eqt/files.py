"""Files: the record of an examination as JSON, and a benchmark's accuracies of models, recorded answers and questions."""

from __future__ import annotations

import json
import math
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from statistics import fmean
from string import ascii_uppercase
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vivavoce.eqt.record import (
    Concept,
    ConceptRecord,
    EqtConfig,
    EqtRecord,
    EqtRole,
    ParsedAnswer,
    QuestionRecord,
    seeded_digest,
)
from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.interval import Interval
from vivavoce.formats.lines import JSON_LINES, ending, json_lines, write_whole
from vivavoce.formats.tables import read_table
from vivavoce.interview.candidate import OMITTED_AT_DEFAULT
from vivavoce.interview.forms.several_options import MOST_OPTIONS
from vivavoce.interview.forms.written_question import MultipleChoice
from vivavoce.statistics.clustered import bounded_share

_Pair = tuple[float, float] | None
COLUMNS: Final = ("model", "category", "accuracy")
RECORDED: Final = ("question_id", "category", "answer")
MOST_MODELS: Final = 1_000
MOST_ROWS: Final = 100_000
LONGEST: Final = 300
"""Maximum number of characters in the name of a model or category."""
MOST_QUESTIONS: Final = 200_000
LONGEST_QUESTION: Final = 60_000
"""Maximum number of characters in a question with its options."""
_FORMS: Final = (".csv", ".tsv", *JSON_LINES)


@dataclass(frozen=True, slots=True)
class Accuracy:
    """A model's share of right answers in one category, from 0 to 1."""

    model: str
    category: str
    accuracy: float
    interval: Interval | None = None
    """The interval at level 95%; None if unknown."""
    halves: tuple[float, float] | None = None
    """Accuracy on each half of the questions; None if unknown."""
    unparsed: int = 0
    """Number of recorded answers that could not be parsed; they count as wrong."""


def read_benchmark(file: Path) -> tuple[Accuracy, ...]:
    """Read accuracies by model and category from a CSV, TSV or JSON Lines file, also gzipped. Raises `BadFile`.

    Accuracies need the columns `model`, `category` and `accuracy`. They are shares from 0 to 1, or all of them are percentages,
    with or without the sign. Case, white space and underscores in a category's name are ignored. Optional columns are `lower`
    and `upper` for the interval, and `half_1` and `half_2` for the accuracy on each half of the questions.

    Recorded answers need the columns `question_id`, `category`, `answer` (the key), and a column of letters for each model. An
    empty cell is an unparsed answer and counts as wrong. Intervals treat questions as the sample. A question's half depends
    only on its id, so halves are the same for all models.
    """
    if ending(file, _FORMS) in JSON_LINES:
        return _accuracies(file, json_lines(file))
    names = {name.lower() for name in read_table(file, sought=(*COLUMNS, *RECORDED), others=False).names}
    if {*RECORDED} - {"category"} <= names:
        return _recorded_answers(file)
    return _accuracies(file, read_table(file, COLUMNS, small=True, others=False).rows)


def _recorded_answers(file: Path) -> tuple[Accuracy, ...]:
    table = read_table(file, RECORDED, cut=True)
    models = [name for name in table.names if name not in RECORDED]
    if not models or len(models) > MOST_MODELS or max(map(len, models)) > LONGEST:
        raise BadFile(file, f"must have 1 to {MOST_MODELS} columns of models, besides {', '.join(RECORDED)}")
    seen: set[str] = set()
    hits: dict[tuple[str, str], list[tuple[bool, bool, bool]]] = {}
    for line, values in table.rows:
        question, category, key = (values[name].strip() for name in RECORDED)
        if not question or not category or len(category) > LONGEST or not key:
            raise BadFile(file, "question_id, category and answer must not be empty", line=line)
        if question in seen:
            raise BadFile(file, f"the question '{question[:80]}' is listed twice", line=line)
        seen.add(question)
        is_first = seeded_digest("half", question)[0] % 2 == 0
        for model in models:
            answer = values[model].strip()
            hits.setdefault((model, category_name(category)), []).append((answer == key, not answer, is_first))
    if not hits:
        raise BadFile(file, "holds no answers")
    return tuple(_recorded(model, category, rows) for (model, category), rows in hits.items())


def _recorded(model: str, category: str, rows: Sequence[tuple[bool, bool, bool]]) -> Accuracy:
    right = [is_right for is_right, *_ in rows]
    first, second = ([is_right for is_right, _, is_first in rows if is_first is wanted] for wanted in (True, False))
    interval = Interval(*bounded_share(right, [(index,) for index in range(len(right))]))
    halves = (fmean(first), fmean(second)) if first and second else None
    return Accuracy(model, category, fmean(right), interval, halves, sum(is_empty for _, is_empty, _ in rows))


def _accuracies(file: Path, rows: Iterable[tuple[int, dict[str, Any]]]) -> tuple[Accuracy, ...]:
    result: dict[tuple[str, str], tuple[int, float]] = {}
    more: dict[tuple[str, str], tuple[tuple[float, float] | None, ...]] = {}
    percent: list[int] = []
    shares: list[int] = []
    for line, values in rows:
        if len(result) >= MOST_ROWS:
            raise BadFile(file, f"holds more than {MOST_ROWS} rows", line=line)
        model, category, accuracy, signed = _row(file, line, values)
        if (model, category) in result:
            raise BadFile(
                file, f"'{model[:80]}' on '{category[:80]}' is already on line {result[model, category][0]}", line=line
            )
        result[model, category] = line, accuracy
        more[model, category] = tuple(
            _number_pair(file, line, values, names) for names in (("lower", "upper"), ("half_1", "half_2"))
        )
        if signed or accuracy > 1:
            percent.append(line)
        elif accuracy > 0:
            shares.append(line)
    if not result:
        raise BadFile(file, "holds no accuracies")
    if percent and shares:
        problem = f"the accuracy is a percentage, but on line {shares[0]} a share: use one form"
        raise BadFile(file, problem, line=percent[0])
    scale = 100 if percent else 1
    return tuple(
        _accuracy(pair, value / scale, *(None if two is None else (two[0] / scale, two[1] / scale) for two in more[pair]))
        for pair, (_, value) in result.items()
    )


def _accuracy(pair: tuple[str, str], value: float, ends: _Pair, halves: _Pair) -> Accuracy:
    return Accuracy(*pair, value, None if ends is None else Interval(*ends), halves)


def _number_pair(file: Path, line: int, values: Mapping[str, Any], names: tuple[str, str]) -> _Pair:
    """Two optional numbers; None if either is missing."""
    results = [values.get(name) for name in names]
    if any(value is None or value == "" for value in results):
        return None
    try:
        first, second = (
            float(text.removesuffix("%") if isinstance(text, str) else text) for text in results if text is not None
        )
    except (TypeError, ValueError, OverflowError):
        raise BadFile(file, f"'{names[0]}' and '{names[1]}' must be numbers", line=line) from None
    if not (0 <= first <= 100 and 0 <= second <= 100):
        raise BadFile(file, f"'{names[0]}' and '{names[1]}' must be from 0 to 1, or percentages", line=line)
    return first, second


def _row(file: Path, line: int, values: Mapping[str, Any]) -> tuple[str, str, float, bool]:
    """Model, category, the number as written, and whether it has a percent sign."""
    texts = []
    for name in ("model", "category"):
        text = values.get(name)
        if not isinstance(text, str) or not text.strip() or len(text) > LONGEST:
            raise BadFile(file, f"'{name}' is {str(text)[:80]!r}: it must be a text of 1 to {LONGEST} characters", line=line)
        texts.append(text.strip())
    given = values.get("accuracy")
    words = given.strip() if isinstance(given, str) else given
    signed = isinstance(words, str) and words.endswith("%")
    try:
        if words is None or isinstance(words, bool | list | dict):
            raise ValueError
        accuracy = float(words.removesuffix("%") if isinstance(words, str) else words)
    except (ValueError, OverflowError):
        raise BadFile(file, f"'accuracy' is {str(given)[:80]!r}: it must be a number", line=line) from None
    if not (math.isfinite(accuracy) and 0 <= accuracy <= 100):
        raise BadFile(file, f"'accuracy' is {accuracy:g}: it must be a share from 0 to 1, or a percentage", line=line)
    return texts[0], category_name(texts[1]), accuracy, signed


def category_name(name: str) -> str:
    """The category's name, normalized for comparison.

    >>> category_name("Computer_Science ")
    'computer science'
    """
    return " ".join(name.replace("_", " ").lower().split())


@dataclass(frozen=True, slots=True)
class Original:
    """One question of a benchmark."""

    id: str
    category: str
    question: MultipleChoice


def read_originals(file: Path) -> tuple[Original, ...]:
    """Read questions from a JSON Lines file, also gzipped, in the format of MMLU-Pro. Raises `BadFile`.

    Fields: `question`, `options`, `answer` (a letter), and optionally `category` and `question_id`.

    >>> import json, tempfile
    >>> file = Path(tempfile.mkdtemp(), "q.jsonl")
    >>> line = {"question_id": 7, "category": "Computer_Science", "question": "2 + 3?", "options": ["5", "6"], "answer": "A"}
    >>> _ = file.write_text(json.dumps(line))
    >>> read_originals(file)[0].id, read_originals(file)[0].category
    ('7', 'computer science')
    """
    result: list[Original] = []
    ids: set[str] = set()
    for line, values in json_lines(file):
        try:
            original = _original(values, line)
        except BadInput as error:
            raise BadFile(file, str(error), line=line) from None
        if original.id in ids:
            raise BadFile(file, f"the question '{original.id[:80]}' is listed twice", line=line)
        ids.add(original.id)
        result.append(original)
        if len(result) > MOST_QUESTIONS:
            raise BadFile(file, f"more than {MOST_QUESTIONS:,} questions", line=line)
    if not result:
        raise BadFile(file, "holds no questions")
    return tuple(result)


def _original(values: Mapping[str, Any], line: int) -> Original:
    stem, options, answer = (values.get(name) for name in ("question", "options", "answer"))
    if not isinstance(stem, str) or not stem.strip():
        raise BadInput("'question' must be a text")
    if not isinstance(options, list) or not 1 <= len(options) <= len(ascii_uppercase):
        raise BadInput("'options' must be a list of 1 to 26 texts")
    if not all(isinstance(option, str) for option in options):
        raise BadInput("'options' must be texts")
    if len(stem) + sum(map(len, options)) > LONGEST_QUESTION:
        raise BadInput(f"the question has more than {LONGEST_QUESTION:,} characters")
    index = ascii_uppercase.find(answer.strip()) if isinstance(answer, str) and len(answer.strip()) == 1 else -1
    if not 0 <= index < len(options):
        raise BadInput(f"'answer' is {str(answer)[:40]!r}: it must be the letter of an option")
    name, category = values.get("question_id", line), values.get("category", "other")
    if isinstance(name, bool) or not isinstance(name, str | int) or not isinstance(category, str):
        raise BadInput("'question_id' and 'category' must be texts")
    question = MultipleChoice(stem.strip(), tuple(options), frozenset([index]))
    return Original(str(name)[:200], category_name(category[:200]) or "other", question)


FORM: Final = "vivavoce explain-query-test 1"
"""The first field of the file."""
MAX_BYTES: Final = 1 << 28
LONGEST_TEXT: Final = 4_000_000
"""Maximum number of characters in a text; a reply has at most as many bytes."""
LONGEST_NAME: Final = 1_000
MOST_SITTINGS: Final = 100_000
MOST_EACH: Final = 1_000
"""Maximum number of questions per concept, wordings per question, and visitors."""

Count = Annotated[int, Field(ge=0)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class _VisitorAnswer(_Strict):
    concept: str
    number: int
    answer: ParsedAnswer


class _VisitorAnswers(_Strict):
    name: str = Field(max_length=LONGEST_NAME)
    answers: tuple[_VisitorAnswer, ...]


class _RecordDocument(_Strict):
    form: Literal["vivavoce explain-query-test 1"]
    roles: dict[EqtRole, str]
    config: EqtConfig
    concept_records: Annotated[tuple[ConceptRecord, ...], Field(max_length=MOST_SITTINGS)]
    planned: Count
    calls: Count
    tokens_in: Count
    tokens_out: Count
    money: Annotated[float, Field(ge=0)]
    exhausted: Annotated[str, Field(max_length=LONGEST_NAME)]
    settings: dict[str, dict[str, Any]] = Field(default_factory=dict, max_length=MOST_EACH)
    caveats: Annotated[tuple[str, ...], Field(max_length=MOST_EACH)] = ()
    visitors: Annotated[tuple[_VisitorAnswers, ...], Field(max_length=MOST_EACH)] | None


def record_as_json(record: EqtRecord) -> dict[str, Any]:
    """Convert a record to JSON values, for `record_from_json`.

    Sets become sorted lists. A lone surrogate, which UTF-8 can't encode, becomes a question mark.
    """
    values: dict[str, Any] = {"form": FORM} | {
        field.name: _plain(getattr(record, field.name)) for field in fields(EqtRecord) if field.name != "visitors"
    }
    values["visitors"] = None if record.visitors is None else [
        {
            "name": _plain(name),
            "answers": [
                {"concept": _plain(concept), "number": number, "answer": _plain(answer)}
                for (concept, number), answer in answers.items()
            ],
        }
        for name, answers in record.visitors.items()
    ]  # fmt: skip
    return values


def record_from_json(values: Mapping[str, Any]) -> EqtRecord:
    """Convert JSON values to a record; raises `BadInput` if they are not one, or are inconsistent."""
    return _record(json.dumps(values))


def write_record(file: Path, record: EqtRecord) -> None:
    """Write the record as JSON; raises `BadFile` if the file can't be written."""
    write_whole(file, json.dumps(record_as_json(record), ensure_ascii=False, indent=1, allow_nan=False) + "\n")


def read_record(file: Path) -> EqtRecord:
    """Read a record from a file; raises `BadFile` if the file does not contain one."""
    try:
        with file.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise BadFile(file, f"cannot be read: {error.strerror or error}") from error
    if len(content) > MAX_BYTES:
        raise BadFile(file, f"larger than {MAX_BYTES >> 20} MiB, the limit for a result")
    try:
        return _record(content.removeprefix(BOM_UTF8))
    except BadInput as error:
        raise BadFile(file, str(error)) from None


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        held = [(field, getattr(value, field.name)) for field in fields(value)]
        omitted = {field.name for field, entry in held if OMITTED_AT_DEFAULT in field.metadata and entry == field.default}
        return {field.name: _plain(entry) for field, entry in held if field.name not in omitted}
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, Mapping):
        return {_plain(name): _plain(entry) for name, entry in value.items()}
    return value.encode(errors="replace").decode() if isinstance(value, str) else value


def _record(text: str | bytes) -> EqtRecord:
    try:
        written = _RecordDocument.model_validate_json(text)
    except ValidationError as error:
        raise BadInput(_first_problem(error)) from None
    values = {field.name: getattr(written, field.name) for field in fields(EqtRecord) if field.name != "visitors"}
    visitors = None
    if written.visitors is not None:
        visitors = {
            visitor.name: {(visit.concept, visit.number): visit.answer for visit in visitor.answers}
            for visitor in written.visitors
        }
    record = EqtRecord(**values, visitors=visitors)
    for problem in _contradictions(record, written):
        raise BadInput(problem)
    return record


def _first_problem(error: ValidationError) -> str:
    problem = error.errors(include_url=False, include_input=False, include_context=False)[0]
    if problem["type"] == "json_invalid":
        return f"not a file that 'viva eqt --out' wrote: not JSON, {problem['msg'].removeprefix('Invalid JSON: ')}"
    where = ".".join(str(part)[:40] for part in problem["loc"])
    if where == "form":
        return f"not a file that 'viva eqt --out' wrote: its 'form' must be '{FORM}'"
    return f"not a file that 'viva eqt --out' wrote: '{where}': {problem['msg']}"


def _contradictions(record: EqtRecord, written: _RecordDocument) -> Iterator[str]:
    """Inconsistencies that types do not show: texts too long, missing options, duplicate questions."""
    if "answerer" not in record.roles:
        yield "'roles' names no 'answerer'"
    if any(len(name) > LONGEST_NAME for name in record.roles.values()):
        yield f"a name in 'roles' is longer than {LONGEST_NAME} characters"
    concepts: set[Concept] = set()
    places: dict[tuple[str, int], MultipleChoice | None] = {}
    visitors = written.visitors or ()
    for concept_record in record.concept_records:
        if concept_record.concept in concepts:
            yield f"the concept '{concept_record.concept.name[:80]}' is listed twice"
        concepts.add(concept_record.concept)
        yield from (f"'{concept_record.concept.name[:80]}': {problem}" for problem in _of_sitting(concept_record))
        places.update({(concept_record.concept.name, item.number): item.question for item in concept_record.items})
    if visitors and len({concept.name for concept in concepts}) < len(concepts):
        yield "two concepts have the same name, so the answers of 'visitors' are ambiguous"
    if len({visitor.name for visitor in visitors}) < len(visitors):
        yield "a visitor is listed twice"
    for visitor in visitors:
        if len({(visit.concept, visit.number) for visit in visitor.answers}) < len(visitor.answers):
            yield f"the visitor '{visitor.name[:80]}' answers a question twice"
        for visit in visitor.answers:
            question = places.get((visit.concept, visit.number))
            if question is None or not _within(visit.answer, question):
                where = f"question {visit.number} on '{visit.concept[:80]}'"
                yield f"'visitors' answer {where}, which is missing or has other options"


def _of_sitting(concept_record: ConceptRecord) -> Iterator[str]:
    if (
        not concept_record.concept.name.strip()
        or max(len(concept_record.concept.name), len(concept_record.concept.category)) > LONGEST_NAME
    ):
        yield f"a concept and its category must be named in at most {LONGEST_NAME} characters"
    if max(len(concept_record.explanation or ""), len(concept_record.source)) > LONGEST_TEXT:
        yield f"the explanation or the source is longer than {LONGEST_TEXT} characters"
    if len(concept_record.items) > MOST_EACH or len({item.number for item in concept_record.items}) < len(concept_record.items):
        yield f"there are more than {MOST_EACH} questions, or two with the same number"
    for item in concept_record.items:
        yield from (f"question {item.number}: {problem}" for problem in _of_item(item))


def _of_item(item: QuestionRecord) -> Iterator[str]:
    question = item.question
    with_source = (item.source_book, item.source_check)
    answers = [item.open_book, item.key_check, *with_source, *(phrasing.answer for phrasing in item.phrasings)]
    if question is None:
        if item.phrasings or any(answers):
            yield "there is no question, but there are answers"
        return
    if not 2 <= len(question.options) <= MOST_OPTIONS:
        yield f"{len(question.options)} options: there must be 2 to {MOST_OPTIONS}"
    if not question.key or not question.key <= set(range(len(question.options))):
        yield "the key must name at least one option, and existing ones only"
    if any(answer is not None and not _within(answer, question) for answer in answers):
        yield "an answer names an option that does not exist"
    if len(item.phrasings) > MOST_EACH or any(p.stem is None and p.answer is not None for p in item.phrasings):
        yield f"there are more than {MOST_EACH} wordings, or an answer without a wording"
    stems = [question.stem, *question.options, *(phrasing.stem or "" for phrasing in item.phrasings)]
    if not question.stem.strip() or sum(map(len, stems)) > LONGEST_TEXT:
        yield f"the question must have a text, of at most {LONGEST_TEXT} characters with all options and wordings"


def _within(answer: ParsedAnswer, question: MultipleChoice) -> bool:
    return answer.chosen is None or answer.chosen <= set(range(len(question.options)))
