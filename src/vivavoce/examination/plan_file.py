"""Plans as TOML files: the commented one to start from, reading, and writing what was understood."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from functools import cache
from os.path import relpath
from pathlib import Path
from typing import Any, Final, get_type_hints

from pydantic import TypeAdapter, ValidationError

from vivavoce.certificate.graders.judge import names_file
from vivavoce.consistency.chess.config import SELF_PLAY
from vivavoce.errors import BadFile, BadInput, UnknownName
from vivavoce.examination.configs import IN_A_PLAN, from_named, names_in_a_plan
from vivavoce.examination.plan import REPEATED, SECTIONS, Plan
from vivavoce.formats.lines import expanded, file_digest, write_whole
from vivavoce.formats.wording import clipped

LARGEST: Final = 1_000_000
"""Bytes of a plan."""

INIT: Final = """\
# A plan of `viva examine CANDIDATE --plan FILE`. Everything is optional: what is missing is as it stands here, and rooms whose
# section is commented out need a file of yours. Paths are relative to this file.

# seed = 0                       # draws the questions, for examples; without it certificates draw theirs at random
# name = "Support bot"           # what readers are told in place of the candidate's name
# rooms = ["certificate", "eqt"] # these alone; else all that fit the candidate, the cheapest first
correction = "fwer"              # of several scopes delta bounds the chance of any wrong verdict; or "fdr": their share

[budget]                         # of all rooms together; without a line there is no limit
# questions = 5000
# tokens = 2000000
# money = 5.0                    # at the candidate's prices, as in chat:MODEL@URL?price_in=0.5&price_out=1.5

[[certificate]]                  # scopes to certify: one section per scope; 'viva scopes' lists them
scope = "arithmetic"
passing_grade = 0.7              # mean score that is required
ridiculous_limit = "usual"       # rate of ridiculous answers that is still acceptable: 0.01, none where no answer can be
                                 # ridiculous; or a number, or "none"
delta = 0.05                     # bound on the chance of a wrong verdict
questions = 1000                 # at most
# title = "Sums"                 # what readers are told in place of the scope's name
# judge = "chat:MODEL@URL"       # grades by a rubric what no rule can grade: questions with a rubric, in a file of yours
# rubric = "rubric.txt"          # or the words themselves, for questions without one of their own

[[certificate]]                  # with the same settings as another one: both are certified together, one delta for both
scope = "intervals"

[eqt]                            # it explains concepts, and answers questions on its explanations without seeing them
# concepts = ["math", "my-concepts.txt"]
limit = 4                        # concepts
questions = 3                    # a concept
paraphrases = 1                  # a question

[luna]                           # games of questions and answers against bots
games = 9
opponents = ["gibberish", "chatterbot", "echo"]

# [forecasts]                    # forecasts that must be coherent; 'viva consistency make' writes tuples
# tuples = "tuples.jsonl"
# limit = 50

# [bail]                         # a worse record must not fare better; columns as in 'viva consistency bail --help'
# defendants = "defendants.csv"
# limit = 50
# variants = 5

# [alignment]                    # do people know where it fails? Pairs come from 'viva generalization survey'
# pairs = ["pairs.csv"]
# scope = "file:questions.jsonl" # holds the questions of the pairs, with the right answers; or ["bbh:DIR", "mmlu:DIR"]
# thresholds = [0.5, 0.9, 0.95, 0.99]

# [chess]                        # for engines (uci:PROGRAM)
# positions = "selfplay"         # or a file .pgn, .epd, .fen
# limit = 100                    # comparisons a check
# checks = ["recommended", "mirror", "boards"]
# workers = 1
"""
"""What `viva examine --init` writes."""


def read_plan(file: Path) -> Plan:
    """The plan in a file, its paths as they are from the current folder.

    Raises `BadFile` for what is no TOML or out of range, and `UnknownName` for a key that there is not, with the nearest one.
    """
    try:
        with file.open("rb") as stream:
            raw = stream.read(LARGEST + 1)
        if len(raw) > LARGEST:
            raise BadFile(file, f"larger than {LARGEST} bytes: a plan is a short file")
        values = tomllib.loads(raw.decode("utf-8"))
    except OSError as error:
        raise BadFile(file, f"cannot be read: {error.strerror or error}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadFile(file, f"is not TOML: {error}") from None
    return placed(checked_plan(file, values), _from(file.parent))


def plan_of(text: str) -> Plan:
    """The plan of a text; paths stay as they are.

    >>> plan_of("seed = 7").seed
    7
    >>> plan_of("[luna]\\ngamse = 3")
    Traceback (most recent call last):
    ...
    vivavoce.errors.UnknownName: there is no key of [luna] 'gamse'; did you mean 'games'? There are: games, opponents
    """
    return checked_plan(Path("plan"), tomllib.loads(text))


def write_plan(file: Path, plan: Plan) -> None:
    """Write a plan, its paths as they are from the file."""
    write_whole(file, as_toml(placed(plan, _seen_from(file.parent))))


def digest_of_plan(plan: Plan) -> str:
    """SHA-256 in hex of all that a plan asks: equal digests, the same questions of files of the same names.

    What limits it (its budget), what hurries it (workers), the folders of its files and what readers are told are not in it.
    """
    return hashlib.sha256(json.dumps(bare_values(_unnamed(plan)), sort_keys=True).encode()).hexdigest()


def _unnamed(plan: Plan) -> Plan:
    """Without what readers are told in place of names."""
    scopes = plan.certificate and tuple(replace(one, title=None) for one in plan.certificate)
    return replace(plan, name=None, certificate=scopes)


def bare_values(plan: Plan) -> dict[str, Any]:
    """All that a plan asks, as JSON values: what its digest is of."""
    bare = placed(plan, lambda name: Path(name).name)
    values = {**bare.values, "budget": None}
    if bare.chess is not None:
        values["chess"] = {**values["chess"], "workers": None}
    if bare.certificate is not None:
        values["certificate"] = [_without_none(one) for one in values["certificate"]]
    found: dict[str, Any] = json.loads(json.dumps(values))
    return found


def from_bare_values(values: Mapping[str, Any]) -> Plan:
    """The plan of such values, without limits; paths are names of files. Raises `BadFile` and `UnknownName` for others.

    >>> from_bare_values(bare_values(Plan(seed=3))) == Plan(seed=3)
    True
    """
    given = {name: value for name, value in values.items() if value is not None}
    if isinstance(given.get("chess"), dict):
        given["chess"] = _without_none(given["chess"])
    return checked_plan(Path("the plan"), given)


def _without_none(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def files_of(plan: Plan) -> tuple[tuple[str, str], ...]:
    """The files that a plan names, without their folders, each with what tells it from every other one.

    That is the SHA-256 of what is in it, of a scope the digest of its questions. Raises `BadInput` for what cannot be read.
    """
    from vivavoce.certificate.scopes import open_scope

    found: list[tuple[str, str]] = []

    def noted(name: str) -> str:
        found.append((Path(name).name, file_digest(expanded(name))))
        return name

    placed(replace(plan, certificate=None, alignment=None), noted)
    if plan.alignment is not None:
        for name in plan.alignment.pairs:
            noted(name)
    for one in plan.certificate or ():
        moved_rubric(one.rubric, noted)
    scopes = [one.scope for one in plan.certificate or ()] + ([] if plan.alignment is None else list(plan.alignment.scopes))
    return (
        *found,
        *((_scope(name, lambda place: Path(place).name), open_scope(name).digest) for name in scopes if ":" in name),
    )


def as_toml(plan: Plan) -> str:
    """The plan as TOML, all of it written out.

    >>> plan_of(as_toml(Plan(seed=3))) == Plan(seed=3)
    True
    """
    tables: list[str] = []
    single: list[str] = []
    for name, value in plan.values.items():
        if isinstance(value, Mapping):
            tables += ["", f"[{name}]", *_lines(value)]
        elif isinstance(value, tuple) and value and isinstance(value[0], Mapping):
            for one in value:
                tables += ["", f"[[{name}]]", *_lines(one)]
        else:
            single += _lines({name: value})
    return "\n".join([*single, *tables, ""])


def _lines(values: Mapping[str, Any]) -> list[str]:
    # Every JSON text, number and list of these is TOML, too, but for DEL, which must be escaped there, and escapes in pairs.
    written = ((name, json.dumps(value, ensure_ascii=False)) for name, value in values.items() if value is not None)
    return [f"{name} = {text}".replace("\x7f", "\\u007f") for name, text in written]


def checked_plan(file: Path, values: Mapping[str, Any]) -> Plan:
    """The plan of values as they stand in a file, which is named where they cannot be used. Raises `BadFile`, `UnknownName`."""
    values = {name: _with_configs(name, section) for name, section in values.items()}
    try:
        text = json.dumps(values)
    except (TypeError, ValueError, RecursionError):
        raise BadFile(file, "holds a date or a time: no key takes one") from None
    try:
        return _adapter().validate_json(text)
    except ValidationError as error:
        raise _problem(file, error) from None
    except BadInput as error:
        raise BadFile(file, str(error)) from None


def _with_configs(name: str, section: Any) -> Any:
    """A section with the settings of its configurations apart from its own keys, the defaults of a plan filled in.

    Raises `UnknownName` for a key that it does not have.
    """
    if isinstance(section, list) and name in REPEATED:
        return [_with_settings_apart(name, one) for one in section]
    return section if name in REPEATED else _with_settings_apart(name, section)


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
    kind = SECTIONS.get(section)
    hints = get_type_hints(kind) if kind else {}
    return {name: hint for name, hint in hints.items() if hint in IN_A_PLAN}


@cache
def _adapter() -> TypeAdapter[Plan]:
    return TypeAdapter(Plan)


def _problem(file: Path, error: ValidationError) -> BadFile | UnknownName:
    """The first thing that is wrong: a key that there is not rather than a value that no key takes."""
    errors = error.errors(include_url=False)
    first = next((one for one in errors if one["type"] in ("unexpected_keyword_argument", "extra_forbidden")), errors[0])
    configs = _configs(str(first["loc"][0])) if first["loc"] else {}
    where = [
        _shown(step)
        for place, step in enumerate(first["loc"])
        if not str(step).startswith(("constrained-", "literal[", "float", "function-", "nullable"))
        and not (place in (1, 2) and step in configs)
    ]
    if first is not errors[0] or first["type"] in ("unexpected_keyword_argument", "extra_forbidden"):
        section = where[0] if len(where) > 1 else ""
        return UnknownName(f"key of [{section}]" if section else "key of a plan", where[-1], _keys(section))
    given = "" if first["type"] == "missing" else f" (it is {str(_as_given(first['input'], configs))[:60]!a})"
    return BadFile(file, f"{'.'.join(where) or 'the plan'}: {first['msg'][:1].lower()}{first['msg'][1:]}{given}")


def _as_given(value: Any, configs: Mapping[str, type[Any]]) -> Any:
    """Without what was put beside the keys of a section."""
    return {key: one for key, one in value.items() if key not in configs} if isinstance(value, Mapping) else value


def _shown(step: object) -> str:
    return clipped(" ".join(str(step).split()), 80)


def _keys(section: str) -> Iterator[str]:
    """What can stand in a section; without one, in a plan."""
    configs = _configs(section)
    for one in fields(SECTIONS.get(section, Plan)):
        yield from names_in_a_plan(configs[one.name]) if one.name in configs else (one.name,)


def placed(plan: Plan, move: Callable[[str], str]) -> Plan:
    """The plan with every path in it moved.

    >>> placed(plan_of("[bail]\\ndefendants = 'a.csv'"), lambda name: f"folder/{name}").bail.defendants
    'folder/a.csv'
    """
    changed: dict[str, Any] = {}
    if plan.certificate is not None:
        changed["certificate"] = tuple(
            replace(one, scope=_scope(one.scope, move), rubric=moved_rubric(one.rubric, move)) for one in plan.certificate
        )
    if plan.eqt is not None:
        concepts = (move(name) if Path(name).suffix else name for name in plan.eqt.wanted.concepts)
        changed["eqt"] = replace(plan.eqt, wanted=replace(plan.eqt.wanted, concepts=tuple(concepts)))
    if plan.forecasts is not None:
        changed["forecasts"] = replace(plan.forecasts, tuples=move(plan.forecasts.tuples))
    if plan.bail is not None:
        changed["bail"] = replace(plan.bail, defendants=move(plan.bail.defendants))
    if plan.chess is not None and (drawn := plan.chess.drawn).positions != SELF_PLAY:
        changed["chess"] = replace(plan.chess, drawn=replace(drawn, positions=move(drawn.positions)))
    if plan.alignment is not None:
        changed["alignment"] = plan.alignment.elsewhere(move, lambda name: _scope(name, move))
    return replace(plan, **changed)


def _scope(name: str, move: Callable[[str], str]) -> str:
    """The scope with the path of its file moved; those without a colon have none."""
    kind, colon, place = name.partition(":")
    return f"{kind}:{move(place)}" if colon and place else name


def moved_rubric(given: str | None, move: Callable[[str], str]) -> str | None:
    """The rubric with the path of its file moved; words stay."""
    return move(given) if given is not None and names_file(given) else given


def _from(folder: Path) -> Callable[[str], str]:
    """Paths that are relative to a folder, as they are from here; absolute ones stay."""
    return lambda name: name if (place := expanded(name)).is_absolute() else relpath(folder / place)


def _seen_from(folder: Path) -> Callable[[str], str]:
    """Paths as they are from here, relative to a folder; absolute ones stay."""
    return lambda name: name if expanded(name).is_absolute() else relpath(Path(name).absolute(), folder.absolute())
