"""Plans as TOML files: a commented template, reading, and writing."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, make_dataclass, replace
from functools import cache
from os.path import relpath
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final, get_type_hints

from pydantic import Field, TypeAdapter, ValidationError

from vivavoce.errors import BadFile, BadInput, UnknownName
from vivavoce.examination.plan import (
    STRICT,
    BudgetPlan,
    Move,
    Plan,
    PlanSection,
    as_named,
    from_named,
    is_config,
    names_in_a_plan,
)
from vivavoce.examination.rooms import PARTS, SECTIONS, Room
from vivavoce.formats.lines import expanded, file_digest, whole_toml, write_whole
from vivavoce.formats.wording import clipped
from vivavoce.scopes import bare_scope, moved_scope, open_scope

LARGEST: Final = 1_000_000
"""Largest size of a plan, in bytes."""

_GENERAL: Final = """\
# A plan of `viva report CANDIDATE --plan FILE`. Everything is optional: missing keys have the values here. Examinations whose
# section is commented out need a file of yours. Paths are relative to this file.

# seed = 0                       # seed of the questions, for examples; without it certificates draw theirs at random
# name = "Support bot"           # display name of the candidate
# examinations = ["certificate", "eqt"] # only these; otherwise all that suit the candidate, the cheapest first
correction = "fwer"              # of several scopes delta bounds the chance of any wrong verdict; or "fdr": their share

[budget]                         # for all examinations together; without a line, no limit
# questions = 5000
# tokens = 2000000
# money = 5.0                    # at the candidate's prices, as in chat:MODEL@URL?price_in=0.5&price_out=1.5
"""
INIT: Final = "\n".join([_GENERAL, *sorted((part.init for part in PARTS if part.init), key=lambda text: text[0] == "#")])
"""The plan that `viva report --init` prints: examinations that need no file come first."""
ABOVE: Final[Mapping[str, type[Any]]] = {"budget": BudgetPlan, **SECTIONS}
"""Fields that get a heading of their own in a plan."""


def read_plan(file: Path) -> Plan:
    """Read the plan in a file; its paths become relative to the current folder.

    Raises `BadFile` for invalid TOML and values out of range, and `UnknownName` for an unknown key, with the nearest known one.
    """
    return placed(checked_plan(file, whole_toml(file, longest=LARGEST)), from_here(file.parent))


def plan_of(text: str) -> Plan:
    """Read a plan from text; paths do not change.

    >>> plan_of("seed = 7").seed
    7
    >>> plan_of("[luna]\\ngamse = 3")
    Traceback (most recent call last):
    ...
    vivavoce.errors.UnknownName: there is no key of [luna] 'gamse'; did you mean 'games'? There are: games, opponents
    """
    return checked_plan(Path("plan"), tomllib.loads(text))


def write_plan(file: Path, plan: Plan) -> None:
    """Write a plan, with paths relative to its file."""
    write_whole(file, as_toml(placed(plan, _seen_from(file.parent))))


def values_of(plan: Plan) -> dict[str, Any]:
    """All values of a plan that are not defaults, as plain values; examinations in the order of a report.

    >>> values_of(plan_of("examinations = ['luna']"))["examinations"]
    ('luna',)
    """
    values = {field.name: getattr(plan, field.name) for field in fields(plan) if field.name != "sections"}
    for room, kind in SECTIONS.items():
        values[room] = (plan.sections_of(kind) or None) if kind.most > 1 else plan.section(kind)
    return {name: _as_written(value) for name, value in values.items() if value is not None}


def _as_written(value: Any) -> Any:
    """A section as plain values, with the settings of its configurations among its own keys."""
    if isinstance(value, tuple):
        return tuple(map(_as_written, value))
    if not is_dataclass(value):
        return value
    result: dict[str, Any] = {}
    for field in fields(value):
        inner = getattr(value, field.name)
        result |= as_named(inner) if is_config(type(inner)) else {field.name: _as_written(inner)}
    return result


def digest_of_plan(plan: Plan) -> str:
    """SHA-256 in hex of everything that a plan asks. Equal digests mean the same questions, from files of the same names.

    The budget, the number of workers, folders and display names are not in it.
    """
    values = _in_sections(bare_values(replace(plan, name=None)), _without_labels)
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def bare_values(plan: Plan) -> dict[str, Any]:
    """Everything that a plan asks, as JSON values: the content of its digest, and display names."""
    values = _in_sections(values_of(placed(plan, lambda name: Path(name).name)), _unhurried)
    result: dict[str, Any] = json.loads(json.dumps({**values, "budget": None}))
    return result


def from_bare_values(values: Mapping[str, Any]) -> Plan:
    """Make a plan from such values, without limits; paths are names of files. Raises `BadFile` and `UnknownName` for invalid
    values.

    >>> from_bare_values(bare_values(Plan(seed=3))) == Plan(seed=3)
    True
    """
    given = {name: value for name, value in values.items() if value is not None}
    return checked_plan(Path("the plan"), _in_sections(given, lambda _, section: _without_none(section)))


def _in_sections(
    values: Mapping[str, Any], change: Callable[[type[PlanSection], Mapping[str, Any]], dict[str, Any]]
) -> dict[str, Any]:
    """The values of a plan with those of each section changed."""
    result = dict(values)
    for room, kind in SECTIONS.items():
        value = result.get(room)
        if isinstance(value, Mapping):
            result[room] = change(kind, value)
        elif isinstance(value, list | tuple):
            result[room] = [change(kind, entry) if isinstance(entry, Mapping) else entry for entry in value]
    return result


def _without_none(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _unhurried(kind: type[PlanSection], values: Mapping[str, Any]) -> dict[str, Any]:
    return _without_none(values) | dict.fromkeys(kind.speed)


def _without_labels(kind: type[PlanSection], values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name not in kind.labels}


def files_of(plan: Plan, tasks: Mapping[str, str] = MappingProxyType({})) -> tuple[tuple[str, str], ...]:
    """The files and scopes that a plan names, without folders, each with its digest.

    A file's digest is SHA-256 of its content; a scope's digest is that of its questions. Raises `BadInput` for an
    unreadable file.

    tasks: digests of scopes that are tasks of Inspect, by their names in the plan.
    """
    files: list[tuple[str, str]] = []
    scopes: list[tuple[str, str]] = []

    def file(name: str) -> str:
        files.append((Path(name).name, file_digest(expanded(name))))
        return name

    def scope(name: str) -> str:
        if ":" in name:
            digest = tasks[name] if name in tasks else open_scope(name).digest
            scopes.append((bare_scope(name), digest))
        return name

    plan.moved(file, scope)
    return *files, *scopes


def as_toml(plan: Plan) -> str:
    """The plan as TOML, written out in full.

    >>> plan_of(as_toml(Plan(seed=3))) == Plan(seed=3)
    True
    """
    tables: list[str] = []
    single: list[str] = []
    for name, value in values_of(plan).items():
        if isinstance(value, Mapping):
            tables += ["", f"[{name}]", *_lines(value)]
        elif isinstance(value, tuple) and value and isinstance(value[0], Mapping):
            for entry in value:
                tables += ["", f"[[{name}]]", *_lines(entry)]
        else:
            single += _lines({name: value})
    return "\n".join([*single, *tables, ""])


def _lines(values: Mapping[str, Any]) -> list[str]:
    # Every JSON text, number and list of these is TOML, too, but for DEL, which must be escaped there, and escapes in pairs.
    written = ((name, json.dumps(value, ensure_ascii=False)) for name, value in values.items() if value is not None)
    return [f"{name} = {text}".replace("\x7f", "\\u007f") for name, text in written]


def checked_plan(file: Path, values: Mapping[str, Any]) -> Plan:
    """The plan of a file's values; errors name the file. Raises `BadFile`, `UnknownName`."""
    values = {name: _with_configs(name, section) for name, section in values.items()}
    try:
        text = json.dumps(values)
    except (TypeError, ValueError, RecursionError):
        raise BadFile(file, "contains a date or a time: no key takes one") from None
    try:
        whole = _adapter().validate_json(text)
    except ValidationError as error:
        raise _problem(file, error) from None
    except BadInput as error:
        raise BadFile(file, str(error)) from None
    given = {entry.name: value for entry in fields(whole) if (value := getattr(whole, entry.name)) is not None}
    results = [given.pop(field) for field in map(_field, SECTIONS) if field in given]
    sections = (section for some in results for section in (some if isinstance(some, tuple) else (some,)))
    return Plan(**given, sections=tuple(sections))


def _with_configs(name: str, section: Any) -> Any:
    """A section with the settings of its configurations separate from its own keys, and with a plan's defaults filled in.

    Raises `UnknownName` for a key that it does not have.
    """
    if name not in SECTIONS or SECTIONS[name].most == 1:
        return _with_settings_apart(name, section)
    return [_with_settings_apart(name, entry) for entry in section] if isinstance(section, list) else section


def _with_settings_apart(name: str, section: Any) -> Any:
    configs = _configs(name)
    if not configs or not isinstance(section, Mapping):
        return section
    known = tuple(_keys(name))
    for key in section:
        if key not in known:
            raise UnknownName(f"key of [{name}]", _shown(key), known)
    apart = {field: from_named(kind, section) for field, kind in configs.items()}
    return {key: value for key, value in section.items() if not any(key in of for of in apart.values())} | apart


def _configs(section: str) -> dict[str, type[Any]]:
    """The fields of a section that hold a configuration."""
    kind = ABOVE.get(section)
    hints = get_type_hints(kind) if kind else {}
    return {name: hint for name, hint in hints.items() if is_config(hint)}


@cache
def _adapter() -> TypeAdapter[Any]:
    return TypeAdapter(_plan_in_a_file())


@cache
def _plan_in_a_file() -> type[Any]:
    """A plan with a field for each examination instead of `sections`; None if the file has no section."""
    hints = get_type_hints(Plan, include_extras=True) | {"examinations": tuple[Room, ...] | None}
    own = [(field.name, hints[field.name], None) for field in fields(Plan) if field.name != "sections"]
    rooms = [(_field(room), Annotated[_one_or_several(kind), Field(alias=room)], None) for room, kind in SECTIONS.items()]
    return make_dataclass("PlanInAFile", [*own, *rooms], frozen=True, namespace={"__pydantic_config__": STRICT})


def _field(room: str) -> str:
    """The name of an examination as a field name: command names may have hyphens."""
    return room.replace("-", "_")


def _one_or_several(kind: Any) -> Any:
    return Annotated[tuple[kind, ...], Field(min_length=1, max_length=kind.most)] | None if kind.most > 1 else kind | None


def _problem(file: Path, error: ValidationError) -> BadFile | UnknownName:
    """The first problem; an unknown key comes before an invalid value."""
    errors = error.errors(include_url=False)
    first = next((entry for entry in errors if entry["type"] in ("unexpected_keyword_argument", "extra_forbidden")), errors[0])
    configs = _configs(str(first["loc"][0])) if first["loc"] else {}
    where = [
        _shown(step)
        for index, step in enumerate(first["loc"])
        if not str(step).startswith(("constrained-", "literal[", "float", "function-", "nullable"))
        and not (index in (1, 2) and step in configs)
    ]
    if first is not errors[0] or first["type"] in ("unexpected_keyword_argument", "extra_forbidden"):
        section = where[0] if len(where) > 1 else ""
        return UnknownName(f"key of [{section}]" if section else "key of a plan", where[-1], _keys(section))
    given = "" if first["type"] == "missing" else f" (it is {str(_as_given(first['input'], configs))[:60]!a})"
    return BadFile(file, f"{'.'.join(where) or 'the plan'}: {first['msg'][:1].lower()}{first['msg'][1:]}{given}")


def _as_given(value: Any, configs: Mapping[str, type[Any]]) -> Any:
    """The keys of a section without those that were added."""
    return {key: entry for key, entry in value.items() if key not in configs} if isinstance(value, Mapping) else value


def _shown(step: object) -> str:
    return clipped(" ".join(str(step).split()), 80)


def _keys(section: str) -> Iterator[str]:
    """The keys of a section, or of a plan if no section is given."""
    configs, rooms = _configs(section), {_field(room): room for room in SECTIONS}
    for field in fields(ABOVE.get(section, _plan_in_a_file())):
        yield from names_in_a_plan(configs[field.name]) if field.name in configs else (rooms.get(field.name, field.name),)


def placed(plan: Plan, move: Move) -> Plan:
    """The plan with every path in it moved.

    >>> values_of(placed(plan_of("[bail]\\ndefendants = 'a.csv'"), lambda name: f"folder/{name}"))["bail"]["defendants"]
    'folder/a.csv'
    """
    return plan.moved(move, lambda name: moved_scope(name, move))


def from_here(folder: Path) -> Move:
    """A path relative to a folder, as a path from the current folder; absolute paths stay."""
    return lambda name: name if (path := expanded(name)).is_absolute() else relpath(folder / path)


def _seen_from(folder: Path) -> Move:
    """A path from the current folder, as a path relative to a folder; absolute paths stay."""
    return lambda name: name if expanded(name).is_absolute() else relpath(Path(name).absolute(), folder.absolute())
