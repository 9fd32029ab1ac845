"""Assertions on a whole reply, as promptfoo has them: all must pass, or their weighted share must reach a threshold.

Departures: white space around the reply is left out, and so are thoughts that are marked as such. Patterns run in linear time.

Checks whether a reply's JSON conforms to an untrusted schema, without fetching anything or running patterns.

Schemas that refer to each other, and replies that are nested, can need exponentially many steps. Steps are counted, not
seconds: so the grade is the same on every machine.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from io import StringIO
from typing import Any, Final, Literal
from urllib.parse import unquote

from pydantic import Field

from vivavoce.errors import BadInput, MissingExtra
from vivavoce.formats.linear_regex import linear
from vivavoce.formats.wording import clipped
from vivavoce.formats.yaml_file import EXTRA
from vivavoce.interview.forms.prose import begins_with_refusal
from vivavoce.scopes.rules.scorers import RuleResult, RuleSettings

REFUSED: Final = ("pattern", "patternProperties", "$dynamicRef", "$recursiveRef", "$id", "id")
"""Schema keywords that could make a check endless, or fetch something."""
MOST_STEPS: Final = 50_000
"""Most keywords checked, and items compared by them, for one reply."""
MOST_APPLIED: Final = 1_000
"""Most schemas that one schema applies to one value, by allOf, $ref and others."""
_LISTED: Final = ("allOf", "anyOf", "oneOf")
_SINGLE: Final = ("not", "if", "then", "else")


class UndecidedError(Exception):
    """A reply takes too many steps to check."""


@dataclass
class Steps:
    """Remaining steps for a reply."""

    left: int = MOST_STEPS

    def take(self, number: int) -> None:
        """Raises `UndecidedError` if fewer are left."""
        self.left -= number
        if self.left < 0:
            raise UndecidedError


_steps: ContextVar[Steps] = ContextVar("_steps")


def check_schema(schema: Any) -> None:
    """Raises `BadInput` for an invalid or unsupported schema, and `MissingExtra`.

    >>> check_schema({"type": "object", "properties": {"name": {"pattern": "(a+)+"}}})
    Traceback (most recent call last):
    vivavoce.errors.BadInput: the JSON schema has 'pattern', which is not used here: leave it out
    """
    if find_spec("jsonschema") is None:
        raise MissingExtra("jsonschema", extra=EXTRA)
    if not isinstance(schema, dict | bool):
        raise BadInput(f"a JSON schema is an object, not {str(schema)[:80]!r}")
    for inside, names in _mappings(schema):
        word = None if names else next((name for name in REFUSED if isinstance(inside.get(name), str | dict)), None)
        reference = inside.get("$ref")
        if isinstance(reference, str) and not reference.startswith(("#/definitions/", "#/$defs/")):
            word = f"$ref: {reference[:80]}"
        if inside is not schema and not names and "$schema" in inside:
            word = "$schema"  # by which the library would take another validator, which takes no steps
        if word is not None:
            raise BadInput(f"the JSON schema has '{word}', which is not used here: leave it out")
    _check_applied(schema)
    _validator(json.dumps(schema, sort_keys=True))


def conforms(value: Any, schema: Any, steps: Steps | None = None) -> bool:
    """Whether a JSON value conforms to a checked schema (draft 7). Raises `UndecidedError`."""
    before = _steps.set(steps or Steps())
    try:
        return bool(_validator(json.dumps(schema, sort_keys=True)).is_valid(value))
    except (RecursionError, ArithmeticError):
        raise UndecidedError from None
    finally:
        _steps.reset(before)


def _check_applied(schema: Any) -> None:
    """Refuse schemas that apply too many schemas to one value. Raises `BadInput`."""
    applied: dict[int, int] = {}
    unfinished: set[int] = set()

    def count(part: Any) -> int:
        if not isinstance(part, dict):
            return 1
        if id(part) in unfinished:
            raise BadInput("the JSON schema refers to itself for the same value: leave that $ref out")
        if id(part) not in applied:
            unfinished.add(id(part))
            applied[id(part)] = 1 + sum(map(count, _applied(schema, part)))
            unfinished.discard(id(part))
        if applied[id(part)] > MOST_APPLIED:
            raise BadInput(f"the JSON schema applies more than {MOST_APPLIED:,} schemas to one value: make it simpler")
        return applied[id(part)]

    try:
        for inside, names in _mappings(schema):
            if not names:
                count(inside)
    except RecursionError:
        raise BadInput("the JSON schema has too long a chain of $ref: make it simpler") from None


def _applied(schema: Any, part: dict[str, Any]) -> list[Any]:
    """The schemas that a part of a schema applies to the same value."""
    if isinstance(part.get("$ref"), str):
        return [_target(schema, part["$ref"])]
    listed = [entry for name in _LISTED if isinstance(part.get(name), list) for entry in part[name]]
    dependencies = part.get("dependencies")
    depending = list(dependencies.values()) if isinstance(dependencies, dict) else []
    return [*listed, *(part[name] for name in _SINGLE if name in part), *depending]


def _target(schema: Any, reference: str) -> Any:
    result = schema
    for step in unquote(reference).split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        try:
            result = result[int(name)] if isinstance(result, list) else result[name]
        except (LookupError, TypeError, ValueError):
            raise BadInput(f"the JSON schema refers to '{reference[:80]}', which is not there: correct that $ref") from None
    return result


@lru_cache(maxsize=256)
def _validator(schema: str) -> Any:
    jsonschema: Any = import_module("jsonschema")
    wanted = json.loads(schema)
    try:
        jsonschema.Draft7Validator.check_schema(wanted)
    except jsonschema.SchemaError as error:
        raise BadInput(f"the JSON schema is not valid: {error.message[:200]}") from None
    return _counting_validator()(wanted)


@cache
def _counting_validator() -> Any:
    """The validator of draft 7 with keywords that count steps."""
    jsonschema: Any = import_module("jsonschema")
    usual = {**jsonschema.Draft7Validator.VALIDATORS, "uniqueItems": _unique_items}
    keywords = {name: _counting(check) for name, check in usual.items()}
    return jsonschema.validators.extend(jsonschema.Draft7Validator, keywords)


def _counting(check: Callable[..., Any]) -> Callable[..., Any]:
    def counted(validator: Any, value: Any, instance: Any, schema: Any) -> Any:
        sizes = [len(entry) for entry in (value, instance) if isinstance(entry, dict | list)]
        _steps.get().take(1 + sum(sizes))
        return check(validator, value, instance, schema)

    return counted


def _unique_items(validator: Any, wanted: Any, instance: Any, schema: Any) -> Iterator[Any]:
    """Like the library's own keyword, but in linear time."""
    if wanted and isinstance(instance, list) and len(set(map(_hashable, instance))) < len(instance):
        yield import_module("jsonschema").ValidationError("has an item twice")


def _hashable(value: Any) -> Hashable:
    """A key that is equal for equal JSON values: numbers by value, and true is not 1."""
    if isinstance(value, dict):
        return dict, frozenset((name, _hashable(inside)) for name, inside in value.items())
    if isinstance(value, list):
        return list, tuple(map(_hashable, value))
    return isinstance(value, bool), value


def _mappings(value: Any, *, names: bool = False) -> Iterator[tuple[dict[str, Any], bool]]:
    """All mappings in a schema, and whether their keys are the names of properties."""
    if isinstance(value, dict):
        yield value, names
        for key, inside in value.items():
            yield from _mappings(inside, names=key in ("properties", "definitions", "$defs") and not names)
    elif isinstance(value, list):
        for inside in value:
            yield from _mappings(inside)


Check = Callable[[str, Any], bool]
NOT: Final = "not-"
SET: Final = "assert-set"
LARGEST: Final = 1_000_000
"""Largest weight of an assertion, or number of edits that it allows."""
MOST_EDITS: Final = 5
MOST_STARTS: Final = 1000
"""Most positions in a reply at which JSON is looked for."""
LOOKED_AT: Final = 400
"""Characters of a reply in which a refusal is looked for."""
_DECODER: Final = json.JSONDecoder()
_DECLINES: Final = re.compile(
    r"\b(?:i|we)(?: can ?not|(?: can|won|could)'t| will not| could not|(?:'m|'re| am| are) (?:unable|not able|not allowed) to)"
    r" (?:\w+ )?(?:help|assist|comply|provide|do|fulfil|fulfill|answer|support|engage|share|create|generate|write|give|offer|"
    r"discuss|continue|participate)\b"
    r"|\b(?:not able to|against my|violates? (?:my|our)) (?:help|guidelines|polic)",
    re.IGNORECASE,
)


class Assertion(RuleSettings):
    """One assertion, or a set of them (`type` is `SET`)."""

    type: str
    value: Any = None
    weight: float = Field(default=1.0, ge=0, le=LARGEST, allow_inf_nan=False)
    """0: it does not count."""
    threshold: float | None = Field(default=None, ge=0, le=LARGEST, allow_inf_nan=False)
    """For a set: the weighted share that must pass; None: all. For `levenshtein`: the most edits; None: `MOST_EDITS`."""
    parts: tuple[Assertion, ...] = ()
    """Assertions of a set."""

    def check(self) -> None:
        """Raises `BadInput` for an assertion that cannot be checked, or that every reply passes."""
        if self.type == SET or self.parts:
            if self.type != SET:
                raise BadInput(f"'{self.type[:80]}' has 'parts': only {SET} has them")
            if self.threshold is not None and not 0 < self.threshold <= 1:
                raise BadInput(f"the threshold of an {SET} is {self.threshold:g}: give a share above 0 and at most 1")
            _check_parts(self.parts)
            return
        kind = self.type.removeprefix(NOT)
        if kind not in CHECKS:
            raise BadInput(f"'{self.type[:80]}' is not an assertion: there are {', '.join((*CHECKS, SET))}")
        if kind in _NEEDS_VALUE and self.value in (None, "", [], ()):
            raise BadInput(f"'{self.type}' has no value: give one")
        try:
            if kind == "regex":
                linear(as_text(self.value), "javascript")
            elif kind in ("is-json", "contains-json") and self.value not in (None, ""):
                check_schema(self.value)
            elif kind == "word-count":
                _check_count(self.value)
        except MissingExtra:
            raise
        except BadInput as error:
            raise BadInput(f"'{self.type}': {error}") from None


class Assertions(RuleSettings):
    """Assertions that a reply must satisfy.

    >>> rule = Assertions(parts=(Assertion(type="icontains", value="paris"), Assertion(type="not-contains", value="Lyon")))
    >>> [rule.judged(reply).score for reply in ("Paris.", "Paris, not Lyon.", "Rome")]
    [1.0, 0.0, 0.0]
    >>> rule.wanted
    "icontains 'paris', and not-contains 'Lyon'"
    """

    kind: Literal["assertions"] = "assertions"
    parts: tuple[Assertion, ...]
    threshold: float | None = Field(default=None, gt=0, le=1)
    """The weighted share that must pass; None: all."""

    def check(self) -> None:
        """Raises `BadInput` if an assertion can't be checked, or no reply could fail."""
        _check_parts(self.parts)

    @property
    def wanted(self) -> str:
        """The required answer, in a few words."""
        all_of = _in_words(self.parts)
        return all_of if self.threshold is None else f"at least {self.threshold:g} of: {all_of}"

    @property
    def targets(self) -> tuple[str, ...]:
        """None, because assertions define their own targets."""
        return ()

    def judged(self, reply: str, /) -> RuleResult:
        """1 if it passes, else 0; undecided if that depends on an assertion that takes too many steps."""
        passes = _passes(self.parts, self.threshold, reply)[0]
        may_pass = passes or _passes(self.parts, self.threshold, reply, if_undecided=True)[0]
        return RuleResult(float(passes), is_undecided=may_pass and not passes)


def _check_parts(parts: Sequence[Assertion]) -> None:
    for assertion in parts:
        assertion.check()
    if not any(assertion.weight for assertion in parts):
        raise BadInput("it has no assertion, so no reply could fail: give one with a weight above 0")


def _check_count(value: Any) -> None:
    bounds = list(value.values()) if isinstance(value, dict) and set(value) <= {"min", "max"} else [value]
    try:
        numbers = [float(bound) for bound in bounds if not isinstance(bound, bool)]
    except (TypeError, ValueError, OverflowError):
        numbers = []
    if not numbers or len(numbers) < len(bounds):
        raise BadInput(f"{str(value)[:80]!r} is not a number of words: write 20, or {{min: 10, max: 50}}")


def _in_words(parts: Sequence[Assertion]) -> str:
    texts = [
        f"({_in_words(assertion.parts)})"
        if assertion.parts
        else assertion.type + ("" if assertion.value is None else f" {clipped(repr(assertion.value), 120)}")
        for assertion in parts
    ]
    return ", and ".join(texts)


def _passes(
    parts: Sequence[Assertion], threshold: float | None, reply: str, *, if_undecided: bool = False
) -> tuple[bool, float]:
    """Whether all assertions hold, or enough of them, with their weighted share."""
    passed, earned, total = True, 0.0, 0.0
    for assertion in parts:
        if assertion.parts:
            ok, score = _passes(assertion.parts, assertion.threshold, reply, if_undecided=if_undecided)
        else:
            ok = holds(assertion, reply, if_undecided=if_undecided)
            score = float(ok)
        passed = passed and (ok or assertion.weight == 0)
        earned, total = earned + score * assertion.weight, total + assertion.weight
    share = earned / total if total else 0.0
    return (passed if threshold is None else share >= threshold), share


def holds(assertion: Assertion, reply: str, *, if_undecided: bool = False) -> bool:
    """Whether a single assertion holds of a reply.

    if_undecided: the result for a reply that takes too many steps to check, also for negated assertions.

    >>> holds(Assertion(type="equals", value={"a": 1}), '{"a": 1.0}'), holds(Assertion(type="equals", value=4.0), "4")
    (True, True)
    >>> holds(Assertion(type="contains-any", value='rome, "Paris, France"'), "In Paris, France.")
    True
    """
    kind = assertion.type.removeprefix(NOT)
    if kind == "levenshtein":
        ok = within_edits(
            reply, as_text(assertion.value), int(MOST_EDITS if assertion.threshold is None else assertion.threshold)
        )
    else:
        try:
            ok = CHECKS[kind](reply, assertion.value)
        except UndecidedError:
            return if_undecided
    return ok != assertion.type.startswith(NOT)


def as_text(value: Any) -> str:
    """A value as JavaScript writes it into a text.

    >>> as_text(True), as_text(4.0), as_text(0.5), as_text("x")
    ('true', '4', '0.5', 'x')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e21:
        return str(int(value))
    return str(value)


def listed(value: Any) -> list[str]:
    """The items of a list, or of a text with commas between them; an item that contains a comma is in quotation marks."""
    if isinstance(value, list | tuple):
        return [as_text(entry) for entry in value]
    rows = list(csv.reader(StringIO(as_text(value)), skipinitialspace=True))
    return [cell.strip() for row in rows for cell in row]


def parsed(reply: str) -> tuple[bool, Any]:
    """Whether a whole reply is JSON, and its value."""
    try:
        return True, json.loads(reply, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return False, None


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def same(first: Any, second: Any) -> bool:
    """Whether two JSON values are equal: numbers by value, and true is not 1."""
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(same(value, second[name]) for name, value in first.items())
    if isinstance(first, list | tuple) and isinstance(second, list | tuple):
        return len(first) == len(second) and all(map(same, first, second))
    return isinstance(first, bool) == isinstance(second, bool) and bool(first == second)


def within_edits(first: str, second: str, most: int) -> bool:
    """Whether at most this many insertions, deletions and replacements of characters change one text into the other, in linear
    time.

    >>> within_edits("hallo", "hello", 1), within_edits("hallo", "hello", 0), within_edits("", "abc", 2)
    (True, False, False)
    """
    if abs(len(first) - len(second)) > most:
        return False
    most = min(most, max(len(first), len(second)))
    far = most + 1
    before = {index: index for index in range(min(most, len(second)) + 1)}
    for row, character in enumerate(first, 1):
        now: dict[int, int] = {}
        for index in range(max(0, row - most), min(len(second), row + most) + 1):
            same = index > 0 and second[index - 1] == character
            replaced = before.get(index - 1, far) + (not same) if index else far
            now[index] = min(replaced, before.get(index, far) + 1, now.get(index - 1, far) + 1)
        if min(now.values()) > most:
            return False
        before = now
    return before.get(len(second), far) <= most


def _contains_json(reply: str, schema: Any) -> bool:
    """Whether a reply contains a JSON object that conforms to the schema, if there is one."""
    start, tries, steps = reply.find("{"), 0, Steps()
    while start >= 0 and tries < MOST_STARTS:
        tries += 1
        try:
            words, end = _DECODER.raw_decode(reply, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            if schema in (None, "") or conforms(words, schema, steps):
                return True
        start = reply.find("{", end)
    return False


def _refuses(reply: str, _: Any) -> bool:
    return not reply.strip() or begins_with_refusal(reply) or _DECLINES.search(reply[:LOOKED_AT].replace("’", "'")) is not None


def _counts(reply: str, value: Any) -> bool:
    """Whether the number of words is as required, by a number or an object with `min` and `max`."""
    words = len(reply.split())
    if isinstance(value, dict):
        return float(value.get("min", 0)) <= words <= float(value.get("max", words))
    return words == float(value)


def _equals(reply: str, value: Any) -> bool:
    if value is None or isinstance(value, dict | list | tuple):
        is_json, words = parsed(reply)
        return is_json and same(words, value)
    return reply == as_text(value)


def _is_json(reply: str, schema: Any) -> bool:
    is_json, words = parsed(reply)
    return is_json and (schema in (None, "") or conforms(words, schema))


CHECKS: Final[dict[str, Check]] = {
    "equals": _equals,
    "contains": lambda reply, value: as_text(value) in reply,
    "icontains": lambda reply, value: as_text(value).lower() in reply.lower(),
    "contains-any": lambda reply, value: any(name in reply for name in listed(value)),
    "contains-all": lambda reply, value: all(name in reply for name in listed(value)),
    "icontains-any": lambda reply, value: any(name.lower() in reply.lower() for name in listed(value)),
    "icontains-all": lambda reply, value: all(name.lower() in reply.lower() for name in listed(value)),
    "starts-with": lambda reply, value: reply.startswith(as_text(value)),
    "ends-with": lambda reply, value: reply.endswith(as_text(value)),
    "regex": lambda reply, value: linear(as_text(value), "javascript").search(reply) is not None,
    "is-json": _is_json,
    "contains-json": _contains_json,
    "is-refusal": _refuses,
    "word-count": _counts,
    "levenshtein": lambda reply, value: within_edits(reply, as_text(value), MOST_EDITS),
}
"""Checks by names of assertions, without `not-`."""
_NEEDS_VALUE: Final = frozenset(CHECKS) - {"equals", "is-json", "contains-json", "is-refusal"}
