"""Converts a record of a file of questions into a typed `QuestionRow`, and that into a question."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import date, time
from string import ascii_uppercase
from typing import Annotated, Any, Final, NamedTuple, Required, get_args

from pydantic import BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from vivavoce.errors import BadInput
from vivavoce.formats.numbers import bare, written_number
from vivavoce.formats.records import there
from vivavoce.interview.forms.asked_unit import asked_units
from vivavoce.interview.forms.ending import DONT_KNOW
from vivavoce.interview.forms.plain import fold
from vivavoce.interview.forms.written_number import units_named
from vivavoce.interview.record import canonical_json
from vivavoce.scopes.answer_laws import LONGEST_LAW
from vivavoce.scopes.options import Options, is_number_of_option, letter_of, marked, options_of, text_of, values_of
from vivavoce.scopes.question_checks import check_not_empty
from vivavoce.scopes.questions import LONGEST_RUBRIC, MAX_OPTIONS, Match, Question
from vivavoce.scopes.rules import rule_of

MOST_TURNS: Final = 10
"""Most turns of a question."""
HEAVIEST: Final = 1e15
"""The largest weight, so that no sum of them overflows."""
MATCHES: Final[dict[str, Match]] = {rule: rule for rule in get_args(Match)}
_AS_WRITTEN: Final = ("exact", "contains", "regex")
"""Rules that treat an answer as text, not as a number."""
_TEXTS: Final = frozenset({"id", "question", "category", "cluster", "rubric", "law"})
_NO_OPTIONS: Final = Options()
_QUANTITY = re.compile(r"(?P<number>[\d.,]{1,20})(?:\s(?P<unit>[A-Za-z][A-Za-z -]{1,30}))?")
_LISTS: Final = ("answer", "unacceptable", "turns")
_SYSTEM = ("system", "developer")


def _as_list(value: Any) -> Any:
    return value if isinstance(value, list | tuple) else (value,)


Texts = Annotated[tuple[Annotated[str, Field(min_length=1)], ...], BeforeValidator(_as_list)]


class QuestionRow(TypedDict, total=False):
    """One question in the format of the file; what it does not have is absent."""

    __pydantic_config__ = ConfigDict(coerce_numbers_to_str=True, str_strip_whitespace=True)  # type: ignore[misc]

    id: str
    question: Required[Annotated[str, Field(min_length=1)]]
    system: str
    """The system message, if the question is a list of messages."""
    earlier: tuple[tuple[str, str], ...]
    """Messages before the question, by the user and then by the assistant."""
    options: Annotated[Texts, Field(max_length=MAX_OPTIONS)]
    answer: Texts
    """Letters if there are options."""
    rubric: Annotated[str, Field(max_length=LONGEST_RUBRIC)]
    category: str
    weight: Annotated[float, Field(gt=0, le=HEAVIEST, allow_inf_nan=False)]
    cluster: str
    law: Annotated[str, Field(max_length=LONGEST_LAW)]
    rule: str
    """The rule as JSON (`rules`)."""
    idk_score: Annotated[float, Field(ge=0, le=1)]
    unacceptable: Texts
    scores: dict[Annotated[str, Field(min_length=1)], Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]] | None
    match: Match | None
    example: bool
    turns: Annotated[Texts, Field(max_length=MOST_TURNS)]


_ROW: Final = TypeAdapter(QuestionRow)
_RENAMED: Final = frozenset({"id", "question", "answer", "idk_score", "scores", "example"})
"""Columns that a `Question` has by other names or in other forms."""


class Conventions(NamedTuple):
    """Properties of all records of a file."""

    columns: tuple[str, ...]
    """All columns of the file."""
    are_cells: bool
    """Whether `|` in a text separates several values."""
    match: Match | None
    """The rule for free answers of questions without their own."""
    options: tuple[str, ...] = ()
    """Columns with one option each; empty if one column has all options."""
    first: str = ""
    """The number of the first option, if answers are numbers of options."""
    after: str = ""
    """The mark before the answers."""


def row_of(record: Mapping[str, Any], conventions: Conventions) -> QuestionRow:
    """A record by the roles of its columns, with letters as answers if there are options. Raises `BadInput`."""
    values = dict(record)
    if "question" not in values:
        named = ", ".join(conventions.columns)[:200]
        raise BadInput(f"no 'question': the columns are {named}; write ?question=COLUMN&answer=COLUMN after the file's name")
    asked = values["question"]
    if isinstance(asked, list) or (isinstance(asked, str) and asked.startswith("[{")):
        values |= _messages(asked)
    for name in values:
        if name in _TEXTS:
            values[name] = text = text_of(values[name])
            check_not_empty(name, text)
    match, options = values.get("match") or conventions.match, _NO_OPTIONS
    if "options" in values:
        options = options_of(values["options"])
        if len(options.texts) == 1:
            raise BadInput(
                f"'options' is {options.texts[0][:80]!r}, one option alone: give at least two, with '|' between them"
            )
        values["options"], match = options.texts, values.get("match") if options.texts else match
    for name in _LISTS:
        if name in values:
            of_options = bool(options.texts) and name == "answer"
            values[name] = _several(name, values[name], conventions, literal=match in _AS_WRITTEN, bare_list=of_options)
    if "rule" in values:
        values["rule"] = _rule(values["rule"])
    if "scores" in values:
        values["scores"] = _scores(values["scores"], are_cells=conventions.are_cells)
    for name in ("answer", "unacceptable", "scores"):
        if name in values:
            values[name] = _named(name, values[name], options, match, conventions)
    if match and (values.get("answer") or values.get("scores")):
        values["match"] = match
    return _checked(values)


def _rule(value: Any) -> str:
    """A rule for the whole reply, from an object or JSON text, as `Question.rule` has it. Raises `BadInput`."""
    try:
        given = there(value) if isinstance(value, Mapping) else value
        return rule_of(given if isinstance(given, str) else canonical_json(given)).text
    except (TypeError, ValueError) as error:
        raise BadInput(f"'rule' is {str(value)[:80]!r}: {error}") from None


def _checked(values: dict[str, Any]) -> QuestionRow:
    try:
        return _ROW.validate_python(values)
    except ValidationError as error:
        problem = error.errors()[0]
        name, wanted = str(problem["loc"][0]), problem["msg"]
        if name == "scores" and problem["type"] == "dict_type":
            wanted = 'give each answer its score, as {"A": 1, "B": 0.5}; only a cell of a table is written A=1|B=0.5'
        raise BadInput(f"'{name}' is {str(problem['input'])[:80]!r}: {wanted}") from error


def _messages(asked: Any) -> dict[str, Any]:
    """The question and the turns before it, from a list of chat messages. Raises `BadInput`."""
    messages = values_of(asked, cell=False)
    if isinstance(asked, str) and not all(isinstance(message, Mapping) for message in messages):
        return {}
    try:
        conversation = conversation_of(messages)
    except BadInput as error:
        raise BadInput(f"'question' is {str(asked)[:40]!r}: {error}") from None
    return {"question": conversation.asked, "system": conversation.system, "earlier": conversation.earlier}


def _several(name: str, value: Any, conventions: Conventions, *, literal: bool, bare_list: bool) -> list[Any]:
    """The values of a column that may have several. Raises `BadInput`."""
    try:
        values = values_of(value, cell=conventions.are_cells, literal=literal, bare_list=bare_list)
    except BadInput as error:
        raise BadInput(f"'{name}': {error}") from None
    if not isinstance(values, list):
        values = values.get("text")  # as data sets for reading have it, with the place of each
        if not isinstance(values, list) and isinstance(value, str):
            return [value]
        if not isinstance(values, list):
            raise BadInput(f"'{name}' is {str(value)[:80]!r}: write a text, or a list of texts")
    if values == [""]:
        return []
    if name == "answer" and conventions.after:
        return [_behind(answer, conventions.after) for answer in values]
    return values


def _behind(answer: Any, mark: str) -> str:
    before, text, behind = str(answer).rpartition(mark)
    if not text:
        raise BadInput(f"'answer' has no '{mark[:40]}': {(before or behind)[:80]!r}")
    return behind.strip()


def _scores(value: Any, *, are_cells: bool) -> Any:
    """Answers with their scores; the last `=` separates the two, so an answer may contain `=`. Raises `BadInput`."""
    if isinstance(value, Mapping):
        return there(value)
    if not are_cells or not isinstance(value, str):
        return value
    if value.lstrip().startswith("{"):
        try:
            return dict(json.loads(value))
        except (ValueError, RecursionError) as error:
            raise BadInput(f"{value[:40]!r} begins like a JSON object, but is not valid: {error}") from error
    parts = [part.rpartition("=") for part in value.split("|")]
    if not all(answer.strip() and sign for answer, sign, _ in parts):
        raise BadInput(f"'scores' is {value[:80]!r}: write ANSWER=SCORE, several separated by '|'")
    named = [answer.strip() for answer, _, _ in parts]
    if len(set(named)) < len(named):
        raise BadInput(f"'scores' is {value[:80]!r}: an answer is listed twice")
    return {answer.strip(): score.strip() for answer, _, score in parts}


def _named(name: str, values: Any, options: Options, match: str | None, conventions: Conventions) -> Any:
    """Answers in comparable form: letters of options, else numbers in one notation, and texts. Raises `BadInput`."""
    if not isinstance(values, list):
        return _named_scores(values, options, match, conventions) if isinstance(values, Mapping) else values
    if name == "answer" and options.texts and len(values) > 1:
        values = _of_marks(values, options, conventions)
    result: dict[str, None] = {}
    for value in values:
        if not options.texts and isinstance(value, str):
            result[_free(bare(value), match)] = None
            continue
        if isinstance(value, date | time):
            raise BadInput(
                f"'{name}' is the date or time {value}, which a spreadsheet makes of 3/4 or 1:2. Format the cell as text, "
                "and write the answer again"
            )
        try:
            text = "" if isinstance(value, bool) else text_of(value)
            if options.texts and not (name == "unacceptable" and fold(text) == fold(DONT_KNOW)):
                result[letter_of(value, options, first=conventions.first, columns=conventions.options)] = None
                continue
        except BadInput as error:
            raise BadInput(f"'{name}' {error}") from None
        result[_free(text or str(value), match)] = None
    return list(result)


def _of_marks(values: list[Any], options: Options, conventions: Conventions) -> list[Any]:
    """Several answers to options; a list of 0 and 1, one for each option, becomes the letters that it marks. Raises
    `BadInput`."""
    try:
        places = None if conventions.first and len(options.texts) == 2 else marked(values, options)
    except BadInput as error:
        raise BadInput(f"'answer' {error}") from None
    if places is not None:
        return [f"({ascii_uppercase[index]})" if not options.labels else options.labels[index] for index in places]
    numbers = [text_of(value) for value in values if is_number_of_option(value, options)]
    if len(set(numbers)) < len(numbers):
        raise BadInput(f"'answer' is {', '.join(map(str, values))[:80]}, with the number of an option twice: write each once")
    return values


def _free(answer: str, match: str | None) -> str:
    return answer if match in _AS_WRITTEN else written_number(answer)


def _named_scores(values: Mapping[str, Any], options: Options, match: str | None, conventions: Conventions) -> dict[str, Any]:
    scores: dict[str, Any] = {}
    for answer, score in values.items():
        for named in _named("scores", [answer], options, match, conventions):
            if scores.setdefault(named, score) != score:
                raise BadInput(f"'scores' gives '{named[:80]}' two scores")
    return scores


def question_of(row: QuestionRow, number: str) -> Question:
    """The question; `number`: its id where it has none. Raises `BadInput` if nothing says what is right."""
    if not any(map(row.get, ("answer", "rubric", "law", "rule", "scores"))):
        raise BadInput("no 'answer', 'rubric', 'rule' or 'law': give one, or write ?answer=COLUMN")
    scores = tuple((row.get("scores") or {}).items())
    accepted = row.get("answer", ())
    if scores and not accepted:
        best = max(score for _, score in scores)
        if best == 0:
            raise BadInput("'scores' gives no answer more than 0: give the best one more")
        accepted = tuple(answer for answer, score in scores if score == best)
    others: dict[str, Any] = {name: value for name, value in row.items() if name not in _RENAMED}
    if not (scores or others.keys() & {"options", "match", "unacceptable"}):
        accepted = without_asked_unit(accepted, row["question"])
    return Question(
        id=row.get("id") or number,
        text=row["question"],
        accepted=accepted,
        dont_know_score=row.get("idk_score", 0.0),
        scores=scores,
        **others,
    )


def without_asked_unit(answers: Sequence[str], question: str) -> tuple[str, ...]:
    """Answers as plain numbers, if each is a number in the unit that the question asks for; unchanged otherwise.

    >>> without_asked_unit(["30 days", "30"], "How many days do I have?"), without_asked_unit(["30 days"], "What is the limit?")
    (('30',), ('30 days',))
    """
    parts = [_QUANTITY.fullmatch(answer) for answer in answers]
    names = {part["unit"] for part in parts if part and part["unit"]}
    if None in parts or not names or not all(_asks_for(name, question) for name in names):
        return tuple(answers)
    return tuple(dict.fromkeys(written_number(part["number"]) for part in parts if part))


def _asks_for(unit: str, question: str) -> bool:
    units = asked_units(question)
    counted = re.search(rf"\bhow (?:many|much) (?:[a-z-]+ ){{0,2}}{re.escape(unit)}\b", question, re.IGNORECASE)
    return bool(counted) or (bool(units) and units_named(unit) == units)


class QuestionMessages(NamedTuple):
    """The question and the messages before it."""

    asked: str
    system: str = ""
    earlier: tuple[tuple[str, str], ...] = ()
    """Earlier messages: pairs of user and assistant."""


def conversation_of(messages: Any) -> QuestionMessages:
    """A list of messages with a `role` and a `content` each. Raises `BadInput` for any other.

    >>> conversation_of([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Capital of Italy?"}])
    QuestionMessages(asked='Capital of Italy?', system='Be brief.', earlier=())
    """
    if not isinstance(messages, list) or not messages or not all(isinstance(message, Mapping) for message in messages):
        raise BadInput("a conversation is a list of messages, each with a 'role' and a 'content'")
    roles = [message.get("role") for message in messages]
    texts = [_text_of(message.get("content")) for message in messages]
    first = int(roles[0] in _SYSTEM)
    if len(texts[first:]) % 2 == 0 or roles[first:] != [
        ("user", "assistant")[index % 2] for index in range(len(texts) - first)
    ]:
        raise BadInput(
            "a conversation is messages of the user and the assistant in turn, the last one of the user; a system message may "
            "come first"
        )
    *before, asked = texts[first:]
    return QuestionMessages(asked, texts[0] if first else "", tuple(zip(before[::2], before[1::2], strict=True)))


def _text_of(content: Any) -> str:
    """The text of a message, which may have several parts."""
    parts = content if isinstance(content, list) else [content]
    texts = [part.get("text") if isinstance(part, Mapping) and part.get("type") == "text" else part for part in parts]
    if not all(isinstance(text, str) for text in texts):
        raise BadInput("a message has content other than text: give text only")
    return "\n".join(map(str, texts))
