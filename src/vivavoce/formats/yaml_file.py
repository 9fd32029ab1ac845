"""Reads YAML files of other tools, which may be hostile: bounded, without running code, with the line of each value (extra
`task-files`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Literal

from vivavoce.errors import BadFile, BadInput, MissingExtra
from vivavoce.formats.bounds import DEEPEST, count_values
from vivavoce.formats.lines import whole_text

EXTRA: Final = "task-files"
LONGEST: Final = 8 << 20
"""The most characters of a file."""
MOST_VALUES: Final = 200_000
"""The most values of a file, including those that aliases stand for."""
_TAGS: Final = "tag:yaml.org,2002:"
_LONGEST_NUMBER: Final = 400
"""The most characters of a scalar that is read as a number."""
_NUMBERS_1_2: Final = {
    "bool": (r"(?:true|True|TRUE|false|False|FALSE)\Z", "tTfF"),
    "int": (r"[-+]?(?:0b[01_]+|0o[0-7_]+|0x[0-9a-fA-F_]+|[0-9][0-9_]*)\Z", "-+0123456789"),
    "float": (
        r"(?:[-+]?(?:(?:[0-9][0-9_]*)(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?"
        r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))\Z",
        "-+.0123456789",
    ),
}
"""Truth values and numbers in YAML 1.2, as js-yaml reads them: pattern and first characters."""


@dataclass(frozen=True, slots=True)
class YamlSource:
    """The text of a file, or of one line."""

    file: Path
    value: Any
    """None if the file is empty."""
    node: Any = None
    """The text as written; None if unknown."""
    first: int | None = None
    """The line of the whole text, if nothing more is known."""

    def line(self, *steps: str | int) -> int | None:
        """The first line of the value at these steps, or of the last step that exists; None if not even the first exists."""
        node = self.node
        for number, step in enumerate(steps):
            child = _child(node, step)
            if child is None and not number and isinstance(step, str):
                return self.first
            if child is None:
                break
            node = child
        return self.first if node is None else int(node.start_mark.line) + 1

    def wrong(self, problem: str, *steps: str | int) -> BadFile:
        """The error for the value at these steps."""
        return BadFile(self.file, problem, line=self.line(*steps))


def read_yaml(file: Path, *, version: Literal["1.1", "1.2"] = "1.1") -> YamlSource:
    """One document, as `yaml.safe_load` reads it.

    version: of YAML. In 1.2 `yes`, `no`, `on`, `off` and `12:30` are texts, and `010` is ten.

    Raises `BadFile` for a file that is not YAML, too long or too deep, or grows by its aliases, for a repeated key, and for a
    tag that would run code (`!function`); the message names it. Raises `MissingExtra` without the package.
    """
    if find_spec("yaml") is None:
        raise MissingExtra("yaml", extra=EXTRA)
    yaml: Any = import_module("yaml")
    text = whole_text(file, longest=LONGEST)
    loader = _loader(yaml, version)
    try:
        _check_events(file, yaml, yaml.parse(text, Loader=loader))
        reading = loader(text)
        try:
            node = reading.get_single_node()
            if node is None:
                return YamlSource(file, None, None)
            _check_size(file, node)
            return YamlSource(file, reading.construct_document(node), node)
        finally:
            reading.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise BadFile(file, f"not YAML: {error.problem}", line=None if mark is None else mark.line + 1) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise BadFile(file, f"not YAML: {str(error)[:200]}") from None


def _loader(yaml: Any, version: str) -> Any:
    """PyYAML's safe loader; a scalar that does not fit its tag is an error with its line."""
    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    def construct_object(loader: Any, node: Any, deep: bool = False) -> Any:
        is_scalar = isinstance(node, yaml.ScalarNode)
        kind = node.tag.removeprefix(_TAGS)
        if is_scalar and kind in ("int", "float") and len(node.value) > _LONGEST_NUMBER:
            problem = f"a number of {len(node.value):,} characters: write it in quotation marks"
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark)
        try:
            value = base.construct_object(loader, node, deep)
            if is_scalar:
                count_values(value)
        except BadInput as error:
            raise yaml.constructor.ConstructorError(None, None, str(error), node.start_mark) from None
        except (LookupError, ValueError, OverflowError, AttributeError, TypeError):
            shown = f"'{node.value[:80]}'" if is_scalar else "what is marked so"
            problem = f"{shown} is not of type {kind}: write it in quotation marks"
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark) from None
        return value

    made: Any = type("Loader", (base,), {"construct_object": construct_object})
    if version == "1.2":
        changed = {_TAGS + name for name in _NUMBERS_1_2}
        made.yaml_implicit_resolvers = {
            first: [pair for pair in pairs if pair[0] not in changed] for first, pairs in base.yaml_implicit_resolvers.items()
        }
        for name, (pattern, first) in _NUMBERS_1_2.items():
            made.add_implicit_resolver(_TAGS + name, re.compile(pattern), list(first))
        made.add_constructor(_TAGS + "int", lambda loader, node: _whole_number(loader.construct_scalar(node)))
        made.add_constructor(_TAGS + "float", lambda loader, node: _decimal_number(loader.construct_scalar(node)))
    return made


def _whole_number(text: str) -> int:
    digits = text.replace("_", "")
    return int(digits, 0 if digits.lstrip("+-")[:2] in ("0b", "0o", "0x") else 10)


def _decimal_number(text: str) -> float:
    digits = text.replace("_", "").lower()
    return float(digits.replace(".inf", "inf").replace(".nan", "nan"))


def _check_events(file: Path, yaml: Any, events: Any) -> None:
    """Check depth, number and tags before anything is built from them."""
    depth = 0
    for number, event in enumerate(events):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        tag = getattr(event, "tag", None) or ""
        line = event.start_mark.line + 1
        if tag and not tag.startswith(_TAGS) and tag != "!":
            text = f"{tag} {getattr(event, 'value', '')}".strip()[:120]
            raise BadFile(file, f"'{text}' is code, which is not run: write the value itself", line=line)
        if depth > DEEPEST or number > MOST_VALUES:
            bound = f"deeper than {DEEPEST} levels" if depth > DEEPEST else f"more than {MOST_VALUES:,} values"
            raise BadFile(file, f"{bound}: such a file is not read", line=line)


def _check_size(file: Path, root: Any) -> None:
    """Count an alias as its value, each time, and refuse cycles and duplicate keys."""
    sizes: dict[int, int] = {}
    open_ones: set[int] = set()

    def size(node: Any) -> int:
        if id(node) in sizes:
            return sizes[id(node)]
        if id(node) in open_ones:
            raise BadFile(file, "a value contains itself: the file is not read", line=node.start_mark.line + 1)
        open_ones.add(id(node))
        total = 1 + sum(size(child) for child in _children(file, node))
        open_ones.discard(id(node))
        if total > MOST_VALUES:
            problem = f"more than {MOST_VALUES:,} values, aliases included: the file is not read"
            raise BadFile(file, problem, line=node.start_mark.line + 1)
        sizes[id(node)] = total
        return total

    size(root)


def _children(file: Path, node: Any) -> list[Any]:
    if not isinstance(node.value, list):
        return []
    if not node.value or not isinstance(node.value[0], tuple):
        return list(node.value)
    seen: set[str] = set()
    for key, _ in node.value:
        text = key.value if isinstance(key.value, str) else ""
        if text and text != "<<" and text in seen:
            raise BadFile(file, f"'{text[:80]}' occurs twice: leave one out", line=key.start_mark.line + 1)
        seen.add(text)
    return [child for pair in node.value for child in pair]


def _child(node: Any, step: str | int) -> Any:
    inside = node.value if node is not None and isinstance(node.value, list) else []
    if isinstance(step, int):
        return inside[step] if step < len(inside) and not isinstance(inside[step], tuple) else None
    return next((value for key, value in inside if key.value == step), None) if _pairs(inside) else None


def _pairs(inside: Sequence[Any]) -> bool:
    return bool(inside) and isinstance(inside[0], tuple)
