"""The tests of a promptfoo configuration: inline, or in files of YAML, JSON, JSON Lines or CSV.

Reads assertions of a promptfoo test from YAML or from a table cell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, product
from math import prod
from typing import Any, Final

from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.lines import ending, json_lines, whole_json, whole_text
from vivavoce.formats.records import plain, sibling_path
from vivavoce.formats.tables import read_table
from vivavoce.formats.yaml_file import YamlSource, read_yaml
from vivavoce.scopes.importers.conversion import check_fields
from vivavoce.scopes.rules.assertions import CHECKS, LARGEST, NOT, SET, Assertion, listed

RUBRIC: Final = "llm-rubric"
CODE: Final = ("javascript", "python", "ruby", "webhook")
UNMEASURED: Final = ("latency", "cost")
"""Assertions that are not about the answer, and are left out."""
_OTHERS: Final = (
    "answer-relevance", "bleu", "classifier", "contains-html", "contains-sql", "contains-xml",
    "context-faithfulness", "context-recall", "context-relevance", "factuality", "finish-reason", "g-eval",
    "gleu", "guardrails", "is-html", "is-sql", "is-valid-function-call", "is-valid-openai-function-call",
    "is-valid-openai-tools-call", "is-xml", "max-score", "meteor", "model-graded-closedqa",
    "model-graded-factuality", "moderation", "perplexity", "perplexity-score", "pi", "rouge-n", "search-rubric",
    "select-best", "similar", "tool-call-f1",
)  # fmt: skip
"""Known assertions that are not supported."""
_CELL: Final = re.compile(
    rf"(?P<type>(?:not-)?(?:{'|'.join(map(re.escape, (*CHECKS, RUBRIC, *UNMEASURED, *_OTHERS, *CODE)))}))"
    r"(?:\((?P<threshold>\d{1,9}(?:\.\d{1,9})?)\))?(?::(?P<value>.*))?",
    re.DOTALL,
)
_FIELDS: Final = ("type", "value", "weight", "threshold", "metric", "assert", "provider", "description")
_REFUSED: Final = {
    "transform": "it is code, which is not run",
    "contextTransform": "it is code, which is not run",
    "config": "it is for code, which is not run",
    "normalizeUnicode": "write texts in one form",
    "$ref": "only '#/assertionTemplates/NAME' of the same file is read",
    "rubricPrompt": "a judge is asked in its own words; put what matters into the value",
    "metricOnly": "leave the assertion out",
}


def assertion_of(source: YamlSource, given: Any, where: tuple[str | int, ...]) -> Assertion:
    """One entry of `assert` with its values unchanged. Raises `BadFile` with the name of an unsupported one."""
    if not isinstance(given, Mapping):
        raise source.wrong("an assertion is an object with a 'type', such as {type: contains, value: Paris}", *where)
    check_fields(source, given, _FIELDS, _REFUSED, where=where)
    kind = str(given.get("type", ""))
    _check_kind(source, kind, where)
    weight = number_of(source, given, "weight", where)
    if kind == SET:
        threshold = share_of(source, given.get("threshold"), (*where, "threshold"))
        inside = given.get("assert")
        if not isinstance(inside, list) or not inside:
            raise source.wrong("an assert-set without a list 'assert'", *where)
        parts = tuple(assertion_of(source, entry, (*where, "assert", index)) for index, entry in enumerate(inside))
        if any(RUBRIC in part.type for part in parts):
            raise source.wrong(
                f"an assert-set with {RUBRIC}: a judge grades it by itself, so make it a test of its own", *where
            )
        return Assertion(type=kind, weight=1.0 if weight is None else weight, threshold=threshold, parts=parts)
    if kind == RUBRIC and given.get("threshold") is not None:
        raise source.wrong(f"'{RUBRIC}' with a threshold: a judge gives points, so leave it out", *where, "threshold")
    value = valued(source, plain(given.get("value")), where)
    threshold = number_of(source, given, "threshold", where) if kind.removeprefix(NOT) == "levenshtein" else None
    return Assertion(type=kind, value=value, weight=1.0 if weight is None else weight, threshold=threshold)


def assertion_in_cell(source: YamlSource, cell: str) -> Assertion:
    """The assertion in a cell of a column `__expected`: `contains: Paris`, or a text that is expected exactly. Raises
    `BadFile`."""
    text = cell.strip()
    for name in ("fn", "eval", *CODE):
        if text.startswith(f"{name}:"):
            _check_kind(source, "javascript" if name in ("fn", "eval") else name, ())
    if text.startswith("file://") and re.search(r"\.(?:py|js|ts|mjs|cjs)(?::|$)", text):
        _check_kind(source, "python" if ".py" in text else "javascript", ())
    if text.startswith("grade:"):
        text = RUBRIC + text.removeprefix("grade")
    match = _CELL.fullmatch(text)
    if not match:
        return Assertion(type="equals", value=text)
    _check_kind(source, match["type"], ())
    value: Any = None if match["value"] is None else match["value"].strip()
    if match["type"].removeprefix(NOT).endswith(("-any", "-all")) and value is not None:
        value = listed(value)
    if match["threshold"] and match["type"] == RUBRIC:
        raise source.wrong(f"'{RUBRIC}' with a threshold: a judge gives points, so leave it out")
    threshold = float(match["threshold"]) if match["threshold"] and match["type"].endswith("levenshtein") else None
    return Assertion(type=match["type"], value=valued(source, value or None, ()), threshold=threshold)


def valued(source: YamlSource, value: Any, where: tuple[str | int, ...]) -> Any:
    """A value, or the content of the file that it names."""
    if not isinstance(value, str) or not value.startswith("file://"):
        return value
    return named_value(source, value, (*where, "value"))


def named_value(source: YamlSource, named: str, where: tuple[str | int, ...]) -> Any:
    """The content of a file that another file names: an object of JSON or YAML, else a text. Raises `BadFile`."""
    try:
        file = sibling_path(source.file, named)
    except BadFile as error:
        raise source.wrong(error.problem, *where) from None
    match file.suffix.lower():
        case ".json":
            return whole_json(file)
        case ".yaml" | ".yml":
            return plain(read_yaml(file, version="1.2").value)
        case ".txt" | ".md":
            return whole_text(file).strip()
    raise source.wrong(f"names '{named[:120]}': only .txt, .md, .json and .yaml are read, and no code is run", *where)


def measured(
    source: YamlSource, parts: Sequence[Assertion], threshold: float | None, where: tuple[str | int, ...]
) -> tuple[Assertion, ...]:
    """Assertions without those on time and cost. Raises `BadFile` if these count in a weighted share."""
    left_out = [assertion for assertion in parts if assertion.type.removeprefix(NOT) in UNMEASURED]
    if threshold is not None and any(assertion.weight for assertion in left_out):
        problem = "'threshold' counts an assertion on time or cost, which is not graded: give that 'weight: 0'"
        raise source.wrong(problem, *where)
    kept = (assertion for assertion in parts if assertion not in left_out)
    return tuple(
        assertion.model_copy(update={"parts": measured(source, assertion.parts, assertion.threshold, where)})
        if assertion.parts
        else assertion
        for assertion in kept
    )


def kinds_of(parts: Sequence[Assertion]) -> Iterator[str]:
    """The types of assertions, and of those in sets of them, without `not-`."""
    for assertion in parts:
        yield assertion.type.removeprefix(NOT)
        yield from kinds_of(assertion.parts)


def strings(value: Any) -> Iterator[str]:
    """All texts in a value, in the order in which `filled` replaces them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Assertion):
        yield from strings(value.value)
        for part in value.parts:
            yield from strings(part)
    elif isinstance(value, Mapping | Sequence):
        for entry in value.values() if isinstance(value, Mapping) else value:
            yield from strings(entry)


def filled(value: Any, texts: Iterator[str]) -> Any:
    """The value with its texts replaced by these."""
    if isinstance(value, str):
        return next(texts)
    if isinstance(value, Assertion):
        own = filled(value.value, texts)
        return value.model_copy(update={"value": own, "parts": tuple(filled(part, texts) for part in value.parts)})
    if isinstance(value, Mapping):
        return {name: filled(entry, texts) for name, entry in value.items()}
    if isinstance(value, Sequence):
        return [filled(entry, texts) for entry in value]
    return value


def _check_kind(source: YamlSource, kind: str, where: tuple[str | int, ...]) -> None:
    bare = kind.removeprefix(NOT)
    if bare in CHECKS or bare in UNMEASURED or kind in (RUBRIC, SET):
        return
    used = ", ".join((*CHECKS, SET, RUBRIC))
    if bare in CODE:
        raise source.wrong(
            f"the assertion '{kind}' runs code, which is not done here: write it as contains, regex, is-json or the like",
            *where,
        )
    known = f"the assertion '{kind[:80]}' is not used here" if kind else "an assertion without a 'type'"
    raise source.wrong(f"{known}: there are {used}, and the same with not-, except those that need a judge", *where)


def number_of(source: YamlSource, given: Mapping[str, Any], name: str, where: tuple[str | int, ...]) -> float | None:
    """A number from 0 to `LARGEST`; None without one. Raises `BadFile`."""
    value = given.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LARGEST:
        raise source.wrong(f"'{name}' is {str(value)[:80]!r}: give a number from 0 to {LARGEST:,}", *where, name)
    return float(value)


def share_of(source: YamlSource, value: Any, where: tuple[str | int, ...]) -> float | None:
    """The weighted share of assertions that must pass; None without one.

    At 0 every reply would pass.
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1:
        raise source.wrong(f"the threshold is {str(value)[:80]!r}: give a share above 0 and at most 1", *where)
    return float(value)


FIELDS: Final = (
    *("vars", "assert", "description", "metadata", "threshold", "options", "provider", "providers", "prompts", "type"),
)
"""Fields of a test; `provider`, `description` and others have no effect here."""
_CODE: Final = "it is code, which is not run"
REFUSED: Final = {
    "assertScoringFunction": _CODE,
    "providerOutput": "a candidate is asked here; take recorded answers by replay:FILE#COLUMN",
    "provider_output": "a candidate is asked here; take recorded answers by replay:FILE#COLUMN",
}
_OPTIONS: Final = (
    "prefix", "suffix", "provider", "rubricPrompt", "disableVarExpansion", "disableDefaultAsserts", "repeat", "timeout",
)  # fmt: skip
_REFUSED_OPTIONS: Final = {
    **dict.fromkeys(("transform", "postprocess", "transformVars"), _CODE),
    **dict.fromkeys(("storeOutputAs", "runSerially", "conversationId"), "each question is asked by itself"),
}
_FILES: Final = (".yaml", ".yml", ".json", ".jsonl", ".ndjson", ".csv")
_SPECIAL: Final = "__"
DEEPEST: Final = 5
"""Most files that name each other."""
MOST_FILES: Final = 1_000


@dataclass(frozen=True, slots=True)
class PromptfooTest:
    """One test."""

    source: YamlSource
    where: tuple[str | int, ...]
    variables: Mapping[str, Any]
    asserts: tuple[Assertion, ...] = ()
    threshold: float | None = None
    prefix: str = ""
    suffix: str = ""
    category: str = ""
    prompts: tuple[str, ...] = ()
    """Labels of the prompts that it applies to; empty: all."""
    expands: bool = True
    """Whether a variable with a list makes one test for each value."""
    own_alone: bool = False
    """Whether the assertions for all tests do not apply to it."""

    def over(self, general: PromptfooTest) -> PromptfooTest:
        """The test merged with the settings for all tests."""
        return replace(
            self,
            variables={**general.variables, **self.variables},
            asserts=self.asserts if self.own_alone else (*general.asserts, *self.asserts),
            threshold=general.threshold if self.threshold is None else self.threshold,
            prefix=self.prefix or general.prefix,
            suffix=self.suffix or general.suffix,
        )

    @property
    def size(self) -> int:
        """Number of tests that its lists make."""
        return prod(len(self.variables[name]) for name in self._lists)

    def expanded(self) -> Iterator[PromptfooTest]:
        """One test for each combination of the values of lists."""
        for values in product(*(self.variables[name] for name in self._lists)):
            yield replace(self, variables={**self.variables, **dict(zip(self._lists, values, strict=True))})

    @property
    def _lists(self) -> list[str]:
        return [name for name, value in self.variables.items() if isinstance(value, list)] if self.expands else []


@dataclass(slots=True)
class NamedFiles:
    """Counts the named files of tests, which may name other files, and themselves."""

    depth: int = 0
    counted: Iterator[int] = field(default_factory=lambda: count(1))
    """The count for a whole configuration."""

    def below(self) -> NamedFiles:
        """The counter for the next named file. Raises `BadInput`."""
        if self.depth == DEEPEST or next(self.counted) > MOST_FILES:
            bound = f"{DEEPEST} files name each other" if self.depth == DEEPEST else f"{MOST_FILES:,} files are named"
            raise BadInput(f"more than {bound}: put the tests into fewer files")
        return NamedFiles(self.depth + 1, self.counted)


def cases_of(
    source: YamlSource, tests: Any, where: tuple[str | int, ...] = ("tests",), files: NamedFiles | None = None
) -> Iterator[PromptfooTest | BadFile]:
    """The tests in the value or in the files that it names, with a problem for each invalid one.

    Raises `BadFile` for a file that cannot be read.
    """
    files = files or NamedFiles()
    if isinstance(tests, str):
        yield from _named(source, tests, where, files)
    elif isinstance(tests, list):
        for index, test in enumerate(tests):
            steps = (*where, index)
            if isinstance(test, str):
                yield from _named(source, test, steps, files)
            elif isinstance(test, Mapping) and "path" not in test:
                yield _case_or_problem(source, test, steps)
            else:
                yield source.wrong(
                    "a test is an object with 'vars' and 'assert', or file://FILE; no code makes tests here", *steps
                )
    else:
        raise source.wrong("'tests' is a list of tests, or file://FILE", *where)


def case_of(source: YamlSource, given: Mapping[str, Any], where: tuple[str | int, ...]) -> PromptfooTest:
    """One test in the format of the file. Raises `BadFile`."""
    check_fields(source, given, FIELDS, REFUSED, where=where)
    options = given.get("options") or {}
    if not isinstance(options, Mapping):
        raise source.wrong("'options' is an object", *where, "options")
    check_fields(source, options, _OPTIONS, _REFUSED_OPTIONS, where=(*where, "options"))
    asserts = given.get("assert") or []
    if not isinstance(asserts, list):
        raise source.wrong("'assert' is a list of assertions", *where, "assert")
    metadata, prompts = given.get("metadata"), given.get("prompts") or []
    category = metadata.get("category") if isinstance(metadata, Mapping) else None
    return PromptfooTest(
        source,
        where,
        _variables(source, given.get("vars") or {}, (*where, "vars")),
        tuple(assertion_of(source, entry, (*where, "assert", index)) for index, entry in enumerate(asserts)),
        share_of(source, given.get("threshold"), (*where, "threshold")),
        str(options.get("prefix") or ""),
        str(options.get("suffix") or ""),
        category if isinstance(category, str) else "",
        tuple(map(str, prompts if isinstance(prompts, list) else [prompts])),
        not options.get("disableVarExpansion"),
        bool(options.get("disableDefaultAsserts")),
    )


def _case_or_problem(source: YamlSource, given: Mapping[str, Any], where: tuple[str | int, ...]) -> PromptfooTest | BadFile:
    try:
        return case_of(source, given, where)
    except BadFile as problem:
        return problem


def _variables(source: YamlSource, given: Any, where: tuple[str | int, ...]) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise source.wrong("'vars' is an object of names and values", *where)
    result = {}
    for name, value in given.items():
        steps = (*where, name)
        value = plain(value)
        if isinstance(value, str) and value.startswith("file://"):
            value = named_value(source, value, steps)
        if _templated(value):
            raise source.wrong(f"the variable '{str(name)[:80]}' is a template: write the text itself", *steps)
        result[str(name)] = value
    return result


def _templated(value: Any) -> bool:
    if isinstance(value, dict | list):
        return any(map(_templated, value.values() if isinstance(value, dict) else value))
    return isinstance(value, str) and ("{{" in value or "{%" in value)


def _named(
    source: YamlSource, named: str, where: tuple[str | int, ...], files: NamedFiles
) -> Iterator[PromptfooTest | BadFile]:
    """The tests of a file, or of all files that fit a pattern with `*`."""
    names = [named]
    if "*" in named and "://" not in named.removeprefix("file://"):
        pattern = named.removeprefix("file://").removeprefix("./")
        if pattern.startswith("/") or ".." in pattern.split("/"):
            raise source.wrong(f"names '{named[:120]}', which is not in its folder: put those files there", *where)
        try:
            names = sorted(str(path.relative_to(source.file.parent)) for path in source.file.parent.glob(pattern))
        except (ValueError, NotImplementedError, OSError) as error:
            raise source.wrong(f"'{named[:120]}' is not a pattern of files: {error}", *where) from None
        if not names:
            raise source.wrong(f"no file fits '{named[:120]}'", *where)
    for name in names:
        try:
            below = files.below()
            file = sibling_path(source.file, name)
            form = ending(file, _FILES)
        except BadFile as error:
            raise source.wrong(error.problem, *where) from None
        except BadInput as error:
            raise source.wrong(str(error), *where) from None
        if form == ".csv":
            yield from _of_table(YamlSource(file, None))
        elif form in (".jsonl", ".ndjson"):
            for line, row in json_lines(file):
                yield _case_or_problem(YamlSource(file, row, first=line), row, ())
        else:
            inside = YamlSource(file, whole_json(file)) if form == ".json" else read_yaml(file, version="1.2")
            if isinstance(inside.value, Mapping):
                yield _case_or_problem(inside, inside.value, ())
            elif isinstance(inside.value, list):
                yield from cases_of(inside, inside.value, (), below)
            else:
                raise inside.wrong("a file of tests holds a list of tests, or one test")


def _of_table(source: YamlSource) -> Iterator[PromptfooTest | BadFile]:
    table = read_table(source.file, cut=True)
    for name in table.names:
        base = name.partition(":")[0]
        known = base.startswith("__expected") or base in (
            "__prefix", "__suffix", "__description", "__metric", "__threshold", "__metadata", "__config",
        )  # fmt: skip
        if name.startswith(_SPECIAL) and not known:
            raise BadFile(source.file, f"unknown column '{name[:80]}': {', '.join(REFUSED)} and more are not supported", line=1)
        if base == "__config" and not name.endswith(":threshold"):
            raise BadFile(source.file, f"the column '{name[:80]}' is not used here: leave it out", line=1)
    for line, row in table.rows:
        try:
            yield _case_in_row(YamlSource(source.file, row, first=line), row)
        except BadFile as problem:
            yield problem


def _case_in_row(at: YamlSource, row: Mapping[str, str]) -> PromptfooTest:
    cells = [cell for name, cell in row.items() if name.startswith("__expected") and cell.strip()]
    threshold = row.get("__threshold", "").strip()
    try:
        level = float(threshold) if threshold else None
    except ValueError:
        raise at.wrong(f"'__threshold' is '{threshold[:80]}': give a share above 0 and at most 1") from None
    return PromptfooTest(
        at,
        (),
        _variables(at, {name: cell for name, cell in row.items() if name and not name.startswith(_SPECIAL)}, ()),
        tuple(assertion_in_cell(at, cell) for cell in cells),
        share_of(at, level, ("__threshold",)),
        row.get("__prefix", ""),
        row.get("__suffix", ""),
        row.get("__metadata:category", "").strip(),
    )
