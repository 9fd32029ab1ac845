"""Reads assertions of a promptfoo test from YAML or from a table cell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from vivavoce.errors import BadFile
from vivavoce.formats.lines import whole_json, whole_text
from vivavoce.formats.records import plain, sibling_path
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
