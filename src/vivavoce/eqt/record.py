"""The record of an examination: its settings, concepts, questions and answers.

Reads and writes the record of an examination as a JSON file.
"""

from __future__ import annotations

import hashlib
import json
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.lines import write_whole
from vivavoce.interview.candidate import OMITTED_AT_DEFAULT
from vivavoce.interview.forms.several_options import MOST_OPTIONS, Choice
from vivavoce.interview.forms.written_question import MultipleChoice
from vivavoce.settings import CheckedConfig, Count, Seed, Temperature, Within, setting

Wording = Literal["own", "printed"]
"""Wording of the prompts: our own, or section 5 of `asgari2025` (`printed`)."""

MOST_NUMBERED: Final = 99
"""Maximum number of questions per concept, and of paraphrases per question. Numbers have two digits, so that paths sort in
order."""


@dataclass(frozen=True, slots=True)
class ConceptsConfig(CheckedConfig):
    """Settings of the concepts to explain."""

    concepts: tuple[str, ...] = setting(
        (), "Concepts to explain; may be repeated. By default all 280.", metavar="FILE|CATEGORY"
    )
    """Categories and files; empty: the whole built-in list."""
    limit: Count | None = setting(None, "Use this many concepts, drawn by the seed; else all.")


@dataclass(frozen=True, slots=True)
class EqtConfig(CheckedConfig):
    """Settings of an examination."""

    questions: Annotated[int, Within(1, MOST_NUMBERED)] = setting(5, "Questions per concept.")
    paraphrases: Annotated[int, Within(0, MOST_NUMBERED)] = setting(3, "Write this many paraphrases per question.")
    options: Annotated[int, Within(2, 10)] = setting(4, "Write this many options per question; the paper's sample has 10.")
    """The maximum is the number of letters that `MultipleChoice` has."""
    shuffle: bool = setting(True, "Shuffle the options by the seed.")
    """Otherwise they keep the writer's order."""
    checks: bool = setting(True, "Whether questions and wordings are checked.")
    """Checks cover keys, meaning and self-containment; open-book answers are always requested."""
    temperature: Temperature = setting(0.0, "Temperature of replies; none: the candidate's own.")
    """The temperature of answers and checks. Explanations, questions and paraphrases use the candidate's own."""
    seed: Seed = setting(0, "Draw concepts and shuffle options with this seed.")
    prompts: Wording = setting("own", "Words of the prompts: our own, or those printed in the paper.")


@dataclass(frozen=True, slots=True)
class ExtractionConfig(CheckedConfig):
    """Settings for extracting concepts from a benchmark's questions."""

    per_category: Count = setting(20, "Find this many concepts in each category; the paper uses 20.")
    tries: Annotated[int, Within(1, 100)] = setting(3, "Read at most this many questions for each wanted concept.")
    """Several questions may test one concept, and some replies name none."""
    seed: Seed = setting(0, "Draw the questions to read with this seed.")


ParseOutcome = Literal["strict", "lenient", "does not know", "unreadable", "copied", "cut off", "no answer"]
"""How a reply was parsed: in the requested form (strict), in another unambiguous form (lenient), or not."""
UNREAD: Final[frozenset[ParseOutcome]] = frozenset(("unreadable", "copied", "cut off"))
"""Outcomes of replies that arrived but could not be parsed."""
EqtRole = Literal["explainer", "writer", "paraphraser", "answerer", "checker"]
"""The roles of an examination; by default, the candidate has all of them."""

ROLES: Final[tuple[EqtRole, ...]] = ("explainer", "writer", "paraphraser", "answerer", "checker")


@dataclass(frozen=True, slots=True)
class Concept:
    """A concept to explain."""

    name: str
    category: str = "other"


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """The answer to one question, as parsed from the reply."""

    chosen: Choice | None
    """None if the reply could not be parsed; such an answer is kept."""
    parse: ParseOutcome
    problem: str = ""
    """Why the reply could not be parsed, in a word or two (`no option named`, `time-out`)."""
    after_turn: bool = False
    """Whether the answer comes from a follow-up that asked only for the final answer."""

    @property
    def unread(self) -> bool:
        """Whether a reply arrived but could not be parsed."""
        return self.parse in UNREAD


@dataclass(frozen=True, slots=True)
class Phrasing:
    """One wording of a question, and its closed-book answer."""

    stem: str | None
    """None if the paraphrase is missing."""
    answer: ParsedAnswer | None
    """None if it was not asked."""
    same_meaning: bool | None = None
    """The checker's verdict; None for the original, or if the checker gave none."""
    problem: str = ""
    """Why there is no paraphrase, or the checker's objection; empty otherwise."""


@dataclass(frozen=True, slots=True)
class QuestionRecord:
    """One question on a concept, with its answers and checks."""

    number: int
    """The number within its concept, from 1."""
    kind: str
    """The kind of question that the writer was asked for."""
    question: MultipleChoice | None
    """None if the writer's reply contains none."""
    parse: ParseOutcome
    """How the writer's reply was parsed."""
    problem: str = ""
    """Why there is no question; empty if there is one."""
    phrasings: tuple[Phrasing, ...] = ()
    """The original first, then its paraphrases."""
    open_book: ParsedAnswer | None = None
    """The answerer's answer to the original, with the explanation."""
    key_check: ParsedAnswer | None = None
    """The checker's answer to the original, with the explanation; it should equal the key."""
    pointing: str = ""
    """Words of the question that refer to a text ("according to the passage"), found without a model."""
    self_contained: bool | None = None
    """The checker's verdict; None if it gave none."""
    duplicate_of: int | None = None
    """The number of an earlier question on the concept that asks the same."""
    source_book: ParsedAnswer | None = field(default=None, metadata={OMITTED_AT_DEFAULT: True})
    """The answerer's answer to the original, with the user's source; None without a source."""
    source_check: ParsedAnswer | None = field(default=None, metadata={OMITTED_AT_DEFAULT: True})
    """The checker's answer with the source; it should equal the key."""


@dataclass(frozen=True, slots=True)
class ConceptRecord:
    """The explanation of one concept, and the questions on it."""

    concept: Concept
    explanation: str | None
    """None if there is none."""
    problem: str
    """Why there is no explanation; empty if there is one."""
    items: tuple[QuestionRecord, ...]
    source: str = field(default="", metadata={OMITTED_AT_DEFAULT: True})
    """The user's source text on the concept; empty without one."""
    ends_early: bool = field(default=False, metadata={OMITTED_AT_DEFAULT: True})
    """Whether a token limit cut the explanation off; it is used nevertheless."""


@dataclass(frozen=True, slots=True)
class EqtRecord:
    """The record of an examination, in the order of the concepts."""

    roles: Mapping[EqtRole, str]
    """Maps a role to the candidate's name."""
    config: EqtConfig
    concept_records: tuple[ConceptRecord, ...]
    planned: int
    """Number of concepts planned; with fewer records, the budget was spent."""
    calls: int
    """Number of questions asked, including recorded ones."""
    tokens_in: int
    tokens_out: int
    money: float
    exhausted: str = ""
    """The budget limit that ended the examination; empty if none did."""
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Maps a candidate to its settings (`Interview.settings`)."""
    caveats: tuple[str, ...] = ()
    """Caveats about how candidates were asked (`Interview.caveats`)."""
    visitors: Mapping[str, Mapping[tuple[str, int], ParsedAnswer]] | None = None
    """Cross-examination: maps another candidate's name, a concept and a number to its closed-book answer to the original."""


def concept_topic(concept: Concept) -> str:
    """The topic path of a concept.

    A slash in a name becomes the division slash, since a plain slash would begin another level.

    >>> concept_topic(Concept("TCP/IP", "computer science"))
    'eqt/computer science/TCP∕IP'
    """
    return f"eqt/{level(concept.category)}/{level(concept.name)}"


def question_topic(concept: Concept, number: int) -> str:
    """The topic path of a question; numbers begin at 1.

    >>> question_topic(Concept("Graph theory", "math"), 3)
    'eqt/math/Graph theory/question 03'
    """
    return f"{concept_topic(concept)}/question {number:02d}"


def level(name: str) -> str:
    """A name as one level of a path: on one line, without slashes, and not empty.

    >>> level("  and / or\\n"), level("")
    ('and ∕ or', '-')
    """
    return " ".join(name.split()).replace("/", "∕") or "-"


def seeded_digest(*parts: object) -> bytes:
    """A digest used as a random draw: equal for equal parts, on every machine and in every run."""
    return hashlib.sha256("\x1f".join(map(str, parts)).encode("utf-8", "replace")).digest()


FORM: Final = "vivavoce explain-query-test 1"
"""The first field of the file."""
MAX_BYTES: Final = 1 << 28
LONGEST: Final = 4_000_000
"""Maximum number of characters in a text; a reply has at most as many bytes."""
LONGEST_NAME: Final = 1_000
MOST_SITTINGS: Final = 100_000
MOST_EACH: Final = 1_000
"""Maximum number of questions per concept, wordings per question, and visitors."""


_Tally = Annotated[int, Field(ge=0)]


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
    planned: _Tally
    calls: _Tally
    tokens_in: _Tally
    tokens_out: _Tally
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
