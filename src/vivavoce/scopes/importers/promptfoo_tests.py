"""The tests of a promptfoo configuration: inline, or in files of YAML, JSON, JSON Lines or CSV."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count, product
from math import prod
from typing import Any, Final

from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.lines import ending, json_lines, whole_json
from vivavoce.formats.records import plain, sibling_path
from vivavoce.formats.tables import read_table
from vivavoce.formats.yaml_file import YamlSource, read_yaml
from vivavoce.scopes.importers.conversion import check_fields
from vivavoce.scopes.importers.promptfoo_assertions import assertion_in_cell, assertion_of, named_value, share_of
from vivavoce.scopes.rules.assertions import Assertion

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
