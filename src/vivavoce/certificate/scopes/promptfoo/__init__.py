"""Scopes from test files of promptfoo: ``promptfoo:FILE[#PROMPT]``.

A question is one test with one prompt, asked as it stands; its score is whether the test passes. `llm-rubric` becomes the
rubric of a judge. No code of the file is run, no file outside its folder is read, and nothing is fetched: what would need
that is refused by name.

Departures: templates are Jinja's, of which Nunjucks is a relative; a variable without a value is an error and no empty text.
Providers of the file are not asked: the candidate is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Final

from vivavoce.certificate.questions import LONGEST_RUBRIC, Question
from vivavoce.certificate.rules.assertions import NOT, Assertion, Assertions, as_text
from vivavoce.certificate.scopes.promptfoo.asserting import RUBRIC, UNMEASURED, checked, filled, kinds_of, measured, strings
from vivavoce.certificate.scopes.promptfoo.assertion_templates import with_templates
from vivavoce.certificate.scopes.promptfoo.cases import Case, case_of, cases_of
from vivavoce.certificate.scopes.promptfoo.prompts import Asked, chosen, prompts_of
from vivavoce.certificate.scopes.read import Read, bounded, check_fields, fields_of
from vivavoce.certificate.scopes.templates import TemplateProblem, Templates
from vivavoce.errors import BadFile
from vivavoce.formats.lines import ending, expanded, whole_json
from vivavoce.formats.yaml_file import Source, read_yaml

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


def read_promptfoo(place: str) -> Read:
    """The tests of a configuration with one of its prompts, as questions.

    place: the file, and behind a "#" the label or the number of a prompt, where there are several.

    Raises `BadFile` for what cannot be asked or checked here, with its line and the remedy.
    """
    path, _, wanted = place.partition("#")
    file = expanded(path)
    form = ending(file, (".yaml", ".yml", ".json"))
    source = Source(file, whole_json(file)) if form == ".json" else read_yaml(file, version="1.2")
    config = source.value
    if not isinstance(config, Mapping) or not {"prompts", "tests"} <= set(config):
        raise source.wrong("is no configuration of promptfoo: it needs 'prompts' and 'tests' (file://tests.csv names others)")
    check_fields(source, config, (*_USED, *_UNUSED), _REFUSED, where=())
    source = with_templates(source)
    config = source.value
    asked = chosen(source, prompts_of(source, config["prompts"]), wanted)
    cases = _cases(source, asked, case_of(source, config.get("defaultTest") or {}, ("defaultTest",)))
    return Read(bounded(source, _questions(asked, cases)), unused=fields_of(config, _UNUSED), notes=_left_out(cases))


def _cases(source: Source, asked: Asked, general: Case) -> list[tuple[str, Case]]:
    """The tests for a prompt with their numbers, one for each combination of the values of their lists."""
    cases: list[tuple[str, Case]] = []
    for number, case in enumerate(cases_of(source, source.value["tests"]), 1):
        if case.prompts and asked.label not in case.prompts:
            continue
        case = case.over(general)
        size = case.size
        if not 0 < size <= MOST_TESTS - len(cases):
            problem = f"its lists make {size:,} tests, after {len(cases):,} others: give 1 to {MOST_TESTS:,} in all"
            raise case.source.wrong(problem, *case.where, "vars")
        cases += ((f"{number}/{part}" if size > 1 else str(number), one) for part, one in enumerate(case.expanded(), 1))
    if not cases:
        raise source.wrong("no tests for this prompt: there must be one at least", "tests")
    return cases


def _left_out(cases: Sequence[tuple[str, Case]]) -> tuple[str, ...]:
    """What to say about assertions that are not about the answer."""
    kinds = dict.fromkeys(kind for _, case in cases for kind in kinds_of(case.asserts) if kind in UNMEASURED)
    return (f"Assertions on {' and '.join(kinds)} were left out: the answer alone is graded.",) if kinds else ()


def _questions(asked: Asked, cases: Sequence[tuple[str, Case]]) -> Iterator[Question]:
    waiting = Templates("javascript")
    for _, case in cases:
        waiting.add(
            case.variables, asked.system, case.prefix, asked.text, case.suffix, *chain(*asked.earlier), *strings(case.asserts)
        )
    try:
        rendered = waiting.rendered()
    except TemplateProblem as error:
        number, case = cases[error.row]
        raise case.source.wrong(f"test {number}: the template {error.template[:80]!r}: {error.problem}", *case.where) from None
    turns = 2 * len(asked.earlier)
    return (_question(number, case, texts, turns) for (number, case), texts in zip(cases, rendered, strict=True))


def _question(number: str, case: Case, texts: Sequence[str], turns: int) -> Question:
    system, prefix, text, suffix, *others = texts
    said_before, values = others[:turns], others[turns:]
    earlier = tuple(zip(said_before[::2], said_before[1::2], strict=True))
    said = f"{prefix}{text}{suffix}".strip()
    if not said:
        raise _wrong(case, number, "its prompt is empty")
    asserts = measured(case.source, filled(case.asserts, iter(values)), case.threshold, case.where)
    judged = [one for one in asserts if one.type.removeprefix(NOT) == RUBRIC]
    if judged:
        rubric = _rubric(case, number, asserts)
        return Question(number, said, category=case.category, rubric=rubric, system=system, earlier=earlier)
    for one in asserts:
        checked(case.source, one, case.where)
    if not any(one.weight for one in asserts):
        raise _wrong(case, number, "it asserts nothing, so nothing could be wrong: give it an 'assert'")
    rule = Assertions(parts=asserts, threshold=case.threshold)
    return Question(number, said, category=case.category, system=system, rule=rule.text, earlier=earlier)


def _rubric(case: Case, number: str, asserts: Sequence[Assertion]) -> str:
    if any(one.type != RUBRIC for one in asserts):
        raise _wrong(case, number, f"{RUBRIC} beside other assertions: a judge grades a test alone, so make two tests of it")
    rubric = "\n".join(as_text(one.value) for one in asserts if one.value).strip()
    if not 0 < len(rubric) <= LONGEST_RUBRIC:
        raise _wrong(case, number, f"a rubric of {len(rubric):,} characters: give 1 to {LONGEST_RUBRIC:,}")
    return rubric


def _wrong(case: Case, number: str, problem: str) -> BadFile:
    return case.source.wrong(f"test {number}: {problem}", *case.where)
