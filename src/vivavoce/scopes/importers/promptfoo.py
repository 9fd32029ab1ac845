"""Tests of promptfoo as rows of a question file.

A question is one test with one prompt, asked unchanged; its assertions are its `rule`, and `llm-rubric` is the rubric of a
judge. No code of the file is run, no file outside its folder is read, and nothing is fetched: entries that need it are refused
by name, and so is every assertion outside `CHECKS`.

Departures: templates are Jinja's, of which Nunjucks is a relative; a variable without a value is an error and no empty text.
Providers of the file are not asked: the candidate is.

Renders templates of other tools' files (Jinja) in a separate process with bounded time, memory and output.

They are untrusted. Jinja's sandbox keeps them from objects and files, and kernel limits keep them from using up the machine: a
nested loop could run for years.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, Final, Literal

from vivavoce.errors import BadFile, BadInput, MissingExtra
from vivavoce.formats.bounded_process import OutOfBoundsError, answers_of
from vivavoce.formats.lines import ending, whole_json, whole_text
from vivavoce.formats.records import sibling_path
from vivavoce.formats.yaml_file import MOST_VALUES, YamlSource, read_yaml
from vivavoce.scopes.importers.conversion import Conversion, SourceRow, check_fields, converted, fields_of
from vivavoce.scopes.importers.promptfoo_tests import (
    RUBRIC,
    UNMEASURED,
    PromptfooTest,
    case_of,
    cases_of,
    filled,
    kinds_of,
    measured,
    strings,
)
from vivavoce.scopes.question_rows import conversation_of
from vivavoce.scopes.questions import LONGEST_RUBRIC, Question
from vivavoce.scopes.rules.assertions import NOT, Assertion, Assertions, as_text

LONGEST: Final = 1 << 20
"""Most characters of a rendered template."""
MOST: Final = 256 << 20
"""Most characters of all templates that are rendered together, and of their values."""
_CHILD: Final = Path(__file__).with_name("template_child.py")
_MARKS: Final = ("{{", "{%", "{#")


@dataclass(frozen=True, slots=True)
class TemplateProblem:
    """A template that cannot be rendered for a row."""

    problem: str
    template: str


def rendered(
    rows: Iterable[tuple[Mapping[str, Any], Sequence[str]]], dialect: Literal["python", "javascript"] = "python"
) -> list[list[str] | TemplateProblem]:
    """The texts of all rows, or the first problem of a row. Raises `BadInput` if they take too long or too much together.

    Parameters
    ----------
    rows: variables, JSON values, and the templates that are rendered with them.
    dialect: how values are written into texts: as Python has them, or as JavaScript has, with lists and objects as JSON.

    >>> rendered([({"name": "Rome", "n": 2}, ["Where is {{ name }}?", "{{ n * 2 }}", "as it is"])])
    [['Where is Rome?', '4', 'as it is']]
    """
    numbers: dict[str, int] = {}
    numbered = [([numbers.setdefault(name, len(numbers)) for name in wanted], variables) for variables, wanted in rows]
    templates = list(numbers)
    plain = {index for index, template in enumerate(templates) if not any(mark in template for mark in _MARKS)}
    open_ones = [([index for index in wanted if index not in plain], variables) for wanted, variables in numbered]
    if not any(wanted for wanted, _ in open_ones):
        return [[templates[index] for index in wanted] for wanted, _ in numbered]
    asked = [(wanted, variables if wanted else {}) for wanted, variables in open_ones]
    if sum(_template_size(variables) for _, variables in asked) > MOST:
        raise BadInput(f"the values for its templates have more than {MOST:,} characters: split the file")
    return [
        TemplateProblem(given["problem"], templates[given["template"]])
        if isinstance(given, dict)
        else [templates[index] if index in plain else given.pop(0) for index in wanted]
        for (wanted, _), given in zip(numbered, _run(templates, asked, dialect), strict=True)
    ]


def _template_size(value: Any) -> int:
    """Roughly how many characters a value has as JSON."""
    if isinstance(value, Mapping):
        return sum(len(str(name)) + _template_size(inside) for name, inside in value.items())
    return sum(map(_template_size, value)) if isinstance(value, list | tuple) else len(value) if isinstance(value, str) else 8


def _run(templates: Sequence[str], rows: Sequence[tuple[list[int], Mapping[str, Any]]], dialect: str) -> list[Any]:
    asked = {"templates": templates, "rows": rows, "longest": LONGEST, "most": MOST, "dialect": dialect}
    try:
        words = next(answers_of(_CHILD, asked))
    except OutOfBoundsError as error:
        raise BadInput(f"its templates take {error}: make them simpler") from None
    result: list[Any] = words["rows"]
    return result


MOST_TESTS: Final = 100_000
_USED: Final = ("prompts", "tests", "defaultTest", "assertionTemplates")
_UNUSED: Final = (
    "providers", "targets", "description", "evaluateOptions", "outputPath", "sharing", "commandLineOptions", "env", "tags",
    "metadata", "writeLatestResults", "derivedMetrics",
)  # fmt: skip
_REFUSED: Final = {
    "scenarios": "write each combination as a test",
    "extensions": "they are code, which is not run",
    "nunjucksFilters": "they are code, which is not run",
    "redteam": "it makes its tests by code; write them to a file of tests",
}
_PARTED: Final = re.compile(r"^---\s*$", re.MULTILINE)
_PROMPT_FIELDS: Final = ("id", "raw", "label", "display", "description")
_REFUSED_IN_PROMPTS: Final = {"function": "it is code, which is not run", "config": "settings are the candidate's own"}
_BEFORE: Final = "#/assertionTemplates/"


def from_promptfoo(file: Path, prompt: str = "") -> Conversion:
    """The tests of a configuration with one of its prompts, as rows of a question file.

    prompt: the label or the number of a prompt, if there are several.

    Raises `BadFile` for a file that is not such a configuration, and for problems of all its tests.
    """
    form = ending(file, (".yaml", ".yml", ".json"))
    source = YamlSource(file, whole_json(file)) if form == ".json" else read_yaml(file, version="1.2")
    config = source.value
    if not isinstance(config, Mapping) or not {"prompts", "tests"} <= set(config):
        raise source.wrong(
            "is not a configuration of promptfoo: it needs 'prompts' and 'tests' (file://tests.csv names others)"
        )
    check_fields(source, config, (*_USED, *_UNUSED), _REFUSED, where=())
    source = with_templates(source)
    config = source.value
    asked = chosen(source, prompts_of(source, config["prompts"]), prompt)
    cases, refused = _cases(source, asked, case_of(source, config.get("defaultTest") or {}, ("defaultTest",)))
    rows = chain(refused, _rows(asked, cases))
    return converted(rows, unused=fields_of(config, _UNUSED), notes=_left_out(cases))


def _cases(
    source: YamlSource, asked: PromptTemplate, general: PromptfooTest
) -> tuple[list[tuple[str, PromptfooTest]], list[BadFile]]:
    """The tests for a prompt with their numbers, one for each combination of the values of their lists, and problems."""
    cases: list[tuple[str, PromptfooTest]] = []
    refused: list[BadFile] = []
    for number, case in enumerate(cases_of(source, source.value["tests"]), 1):
        if isinstance(case, BadFile):
            refused.append(BadFile(case.file, f"test {number}: {case.problem}", line=case.line))
            continue
        if case.prompts and asked.label not in case.prompts:
            continue
        case = case.over(general)
        size = case.size
        if not 0 < size <= MOST_TESTS - len(cases):
            problem = f"its lists make {size:,} tests, after {len(cases):,} others: give 1 to {MOST_TESTS:,} in all"
            raise case.source.wrong(problem, *case.where, "vars")
        cases += ((f"{number}/{part}" if size > 1 else str(number), entry) for part, entry in enumerate(case.expanded(), 1))
    if not cases and not refused:
        raise source.wrong("no tests for this prompt: there must be one at least", "tests")
    return cases, refused


def _left_out(cases: Sequence[tuple[str, PromptfooTest]]) -> tuple[str, ...]:
    """Notes on assertions that are not about the answer."""
    kinds = dict.fromkeys(kind for _, case in cases for kind in kinds_of(case.asserts) if kind in UNMEASURED)
    return (f"Assertions on {' and '.join(kinds)} were left out: the answer alone is graded.",) if kinds else ()


def _rows(asked: PromptTemplate, cases: Sequence[tuple[str, PromptfooTest]]) -> Iterator[SourceRow | BadFile]:
    rows = (
        (case.variables, [asked.system, case.prefix, asked.text, case.suffix, *chain(*asked.earlier), *strings(case.asserts)])
        for _, case in cases
    )
    turns = 2 * len(asked.earlier)
    for (number, case), texts in zip(cases, rendered(rows, "javascript"), strict=True):
        try:
            if isinstance(texts, TemplateProblem):
                raise BadInput(f"the template {texts.template[:80]!r}: {texts.problem}")
            yield SourceRow(case.source, case.where, f"test {number}", _question(number, case, texts, turns))
        except MissingExtra:
            raise
        except BadInput as error:
            problem = error.problem if isinstance(error, BadFile) else str(error)
            yield case.source.wrong(f"test {number}: {problem}", *case.where)


def _question(number: str, case: PromptfooTest, texts: Sequence[str], turns: int) -> Question:
    system, prefix, text, suffix, *others = texts
    said_before, values = others[:turns], others[turns:]
    earlier = tuple(zip(said_before[::2], said_before[1::2], strict=True))
    words = f"{prefix}{text}{suffix}".strip()
    if not words:
        raise BadInput("its prompt is empty")
    asserts = measured(case.source, filled(case.asserts, iter(values)), case.threshold, case.where)
    put = Question(number, words, category=case.category, system=system, earlier=earlier)
    if any(assertion.type.removeprefix(NOT) == RUBRIC for assertion in asserts):
        return replace(put, rubric=_rubric(case, asserts))
    rule = Assertions(parts=asserts, threshold=case.threshold)
    rule.check()
    return replace(put, rule=rule.text)


def _rubric(case: PromptfooTest, asserts: Sequence[Assertion]) -> str:
    if any(assertion.type != RUBRIC for assertion in asserts):
        raise BadInput(f"{RUBRIC} with other assertions: a judge grades a test alone, so make two tests of it")
    if case.threshold is not None or any(assertion.weight != 1 for assertion in asserts):
        raise BadInput(f"{RUBRIC} with a threshold or a weight: a judge gives points by one rubric, so leave these out")
    rubric = "\n".join(as_text(assertion.value) for assertion in asserts if assertion.value).strip()
    if not 0 < len(rubric) <= LONGEST_RUBRIC:
        raise BadInput(f"a rubric of {len(rubric):,} characters: give 1 to {LONGEST_RUBRIC:,}")
    return rubric


@dataclass(frozen=True, slots=True)
class PromptTemplate:
    """A prompt before its variables are filled in."""

    label: str
    text: str
    system: str = ""
    earlier: tuple[tuple[str, str], ...] = ()
    """Earlier messages: pairs of user and assistant."""


def prompts_of(source: YamlSource, given: Any) -> list[PromptTemplate]:
    """All prompts in the value, or in the files that it names. Raises `BadFile`."""
    listed = given if isinstance(given, list) else [given]
    templates: list[PromptTemplate] = []
    for index, entry in enumerate(listed):
        templates += _prompts(source, entry, ("prompts", index) if isinstance(given, list) else ("prompts",))
    return templates


def chosen(source: YamlSource, templates: list[PromptTemplate], wanted: str) -> PromptTemplate:
    """The prompt with that label or number. Raises `BadFile`, with all labels, if there are several and none is named."""
    if not wanted and len(templates) == 1:
        return templates[0]
    named = [template for template in templates if wanted and template.label == wanted]
    if not named and wanted.isdecimal() and 1 <= int(wanted) <= len(templates):
        named = [templates[int(wanted) - 1]]
    if named:
        return named[0]
    labels = ", ".join(f"{number} ({template.label[:40]!r})" for number, template in enumerate(templates, 1))
    problem = f"has no prompt '{wanted[:80]}'" if wanted else f"has {len(templates)} prompts, and each makes a file of its own"
    raise source.wrong(f"{problem}: name one by --prompt, {labels[:600]}", "prompts")


def _prompts(source: YamlSource, given: Any, where: tuple[str | int, ...]) -> list[PromptTemplate]:
    label = ""
    if isinstance(given, Mapping):
        check_fields(source, given, _PROMPT_FIELDS, _REFUSED_IN_PROMPTS, where=where)
        label = str(given.get("label") or "")
        given = given.get("raw") or given.get("id")
    if not isinstance(given, str) or not given.strip():
        raise source.wrong("a prompt is a text, or file://FILE", *where)
    if given.startswith("file://"):
        return _in_file(source, given, label, where)
    return [_of_text(source, given, label, where)]


def _in_file(source: YamlSource, named: str, label: str, where: tuple[str | int, ...]) -> list[PromptTemplate]:
    try:
        file = sibling_path(source.file, named)
        form = ending(file, (".txt", ".md", ".json", ".yaml", ".yml", ".j2"))
    except BadFile as error:
        raise source.wrong(error.problem, *where) from None
    if form == ".json":
        return [_of_turns(source, whole_json(file), label or named, where)]
    if form in (".yaml", ".yml"):
        return [_of_turns(source, read_yaml(file, version="1.2").value, label or named, where)]
    parts = [part.strip() for part in _PARTED.split(whole_text(file).strip()) if part.strip()]
    many = len(parts) > 1
    return [
        _of_text(source, part, f"{label or named}{f' {number}' if many else ''}", where) for number, part in enumerate(parts, 1)
    ]


def _of_text(source: YamlSource, text: str, label: str, where: tuple[str | int, ...]) -> PromptTemplate:
    """A text; a text that is a JSON list is a conversation."""
    if text.lstrip().startswith("["):
        try:
            return _of_turns(source, json.loads(text), label or text, where)
        except (ValueError, RecursionError):
            pass
    return PromptTemplate(label or text, text)


def _of_turns(source: YamlSource, turns: Any, label: str, where: tuple[str | int, ...]) -> PromptTemplate:
    try:
        conversation = conversation_of(turns)
    except BadInput as error:
        raise source.wrong(f"the prompt: {error}", *where) from None
    return PromptTemplate(label, conversation.asked, conversation.system, conversation.earlier)


def with_templates(source: YamlSource) -> YamlSource:
    """The configuration with each `$ref: '#/assertionTemplates/NAME'` replaced by the template of that name.

    Raises `BadFile` for an unknown name, and if the expanded configuration is too large.
    """
    templates = source.value.get("assertionTemplates") or {}
    if not isinstance(templates, Mapping):
        raise source.wrong("'assertionTemplates' is an object of names and assertions", "assertionTemplates")
    room = MOST_VALUES

    def filled(value: Any, where: tuple[str | int, ...]) -> Any:
        nonlocal room
        if isinstance(value, list):
            return [filled(entry, (*where, index)) for index, entry in enumerate(value)]
        if not isinstance(value, Mapping):
            return value
        name = value.get("$ref")
        if not isinstance(name, str) or not name.startswith(_BEFORE):
            return {key: filled(entry, (*where, key)) for key, entry in value.items()}
        template = templates.get(name.removeprefix(_BEFORE))
        if not isinstance(template, Mapping):
            named = ", ".join(map(str, templates))[:200] or "none"
            raise source.wrong(f"'{name[:120]}' is not there: the templates are {named}", *where, "$ref")
        room -= _size(template)
        if room < 0:
            raise source.wrong(f"more than {MOST_VALUES:,} values including references: such a file is not read", *where)
        return {**template, **{key: entry for key, entry in value.items() if key != "$ref"}}

    if not templates:
        return source
    try:
        rest = {key: value if key == "assertionTemplates" else filled(value, (key,)) for key, value in source.value.items()}
    except RecursionError:
        raise source.wrong("its values are nested too deeply: such a file is not read") from None
    return replace(source, value=rest)


def _size(value: Any) -> int:
    if isinstance(value, Mapping):
        return 1 + sum(map(_size, value.values()))
    return 1 + sum(map(_size, value)) if isinstance(value, list) else 1
