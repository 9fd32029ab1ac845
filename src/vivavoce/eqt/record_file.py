"""Reads and writes the record of an examination as a JSON file."""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vivavoce.eqt.record import Concept, ConceptRecord, EqtConfig, EqtRecord, EqtRole, ParsedAnswer, QuestionRecord
from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.lines import write_whole
from vivavoce.interview.candidate import OMITTED_AT_DEFAULT
from vivavoce.interview.forms.several_options import MOST_OPTIONS
from vivavoce.interview.forms.written_question import MultipleChoice

FORM: Final = "vivavoce explain-query-test 1"
"""The first field of the file."""
MAX_BYTES: Final = 1 << 28
LONGEST: Final = 4_000_000
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
    if max(len(concept_record.explanation or ""), len(concept_record.source)) > LONGEST:
        yield f"the explanation or the source is longer than {LONGEST} characters"
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
    if not question.stem.strip() or sum(map(len, stems)) > LONGEST:
        yield f"the question must have a text, of at most {LONGEST} characters with all options and wordings"


def _within(answer: ParsedAnswer, question: MultipleChoice) -> bool:
    return answer.chosen is None or answer.chosen <= set(range(len(question.options)))
