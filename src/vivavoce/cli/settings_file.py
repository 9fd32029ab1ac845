"""Defaults from `viva.toml`, or from `[tool.viva]` in `pyproject.toml`, in the current folder.

    model = "chat:llama3.2@http://localhost:11434/v1"
    scope = "file:questions.csv"
    passing_grade = 0.8
    budget = 5.0
    transcript = "run.sqlite"
    judge = "big"

    [models]
    big = "chat:qwen3@http://localhost:8000/v1"

    [certify]
    draws = 3
    timeout = 60

The command line overrides them.
A table such as `[certify]` or `[consistency.bail]` holds options and settings of that command.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from os.path import isfile
from pathlib import Path
from typing import Any, Final

import click

from vivavoce.errors import BadFile, BadInput, UnknownName

FILE: Final = "viva.toml"
PROJECT: Final = "pyproject.toml"
SECTION: Final = "tool.viva"


def shown_setting(name: str, value: object) -> str:
    """A setting as it is printed, without the user and the password of an address.

    >>> shown_setting("transcript", "postgresql://me:secret@db.example/viva")
    'transcript postgresql://db.example/viva'
    """
    return f"{name} {without_password(str(value))}"


def without_password(address: str) -> str:
    """The address without user and password."""
    return re.sub(r"(?<=://).*@", "", address)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


CHECKS: Final[Mapping[str, tuple[Callable[[object], bool], str]]] = {
    "model": (_is_text, "a text, such as 'chat:MODEL@URL'"),
    "scope": (_is_text, "a text, such as 'file:questions.csv'"),
    "passing_grade": (_is_number, "a number, such as 0.8"),
    "budget": (_is_number, "a number, such as 5.0"),
    "transcript": (_is_text, "a text, such as 'run.sqlite'"),
    "judge": (_is_text, "a text, such as 'chat:MODEL@URL'"),
}
"""The settings, with what is accepted."""
PARAMETERS: Final[Mapping[str, tuple[str, ...]]] = {
    "model": ("candidate", "new"),
    "scope": ("scopes", "scope_name", "scope"),
    "passing_grade": ("passing_grade",),
    "budget": ("money",),
    "transcript": ("transcript",),
    "judge": ("judge",),
}
"""The command parameters that each setting gives a default."""
SETTING_OF: Final = {name: setting for setting, names in PARAMETERS.items() for name in names}
TABLES: Final = ("try", "certify", "compare", "gate", "report", "consistency", "eqt", "people", "luna", "recheck", "mcp")
"""The commands and groups that may have a table of their own."""
SETTINGS: Final = "vivavoce.settings-file"
"""Key in a context for the file that its defaults come from."""
NEVER_IN_A_FILE: Final = ("trust_local",)
"""Options that let a candidate's tools act on this machine: a folder from elsewhere may bring its own settings file."""
COMMANDS: Final = ("try", "certify", "compare", "gate", "report", "consistency teach")
"""The commands that take defaults from the file, with the groups that they are in."""


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """Settings of the current folder."""

    source: str = ""
    """The name of the file; empty if there is none."""
    values: Mapping[str, Any] = field(default_factory=dict)
    """The settings of `CHECKS` that it has."""
    models: Mapping[str, str] = field(default_factory=dict)
    """Candidates by the short names that the user gives them."""
    tables: Mapping[str, Any] = field(default_factory=dict)
    """Options and settings of single commands."""

    def defaults(self, command: str, parameters: Sequence[str], arguments: Sequence[str]) -> dict[str, Any]:
        """Values by parameter, for one of `COMMANDS`; a plan or logs on the command line have their own scope and judge."""
        if command not in COMMANDS:
            return {}
        has_own = any(word.partition("=")[0] == "--plan" or word.endswith(".eval") for word in arguments)
        return {
            name: (value,) if name == "scopes" else value
            for setting, value in self.values.items()
            if not (has_own and setting in ("scope", "judge"))
            for name in PARAMETERS[setting]
            if name in parameters
        }

    def own_defaults(self, words: Sequence[str], options: Mapping[str, click.Option]) -> dict[str, Any]:
        """Values by parameter from the command's own table. Raises `BadInput` for a name that it does not have."""
        table: Any = self.tables
        for word in words:
            table = table.get(word) if isinstance(table, dict) else None
        values = {} if table is None else table
        label = f"{self.source}, [{'.'.join(words)}]"
        if not isinstance(values, dict):
            raise BadInput(f"{label}: give a table of settings")
        for name, value in values.items():
            if name not in options:
                raise BadInput(f"{label}: {UnknownName('setting', name, options)}")
            if name in NEVER_IN_A_FILE:
                raise BadInput(f"{label}: {name} is for the command line only, where you see what you allow")
            if not isinstance(value, str | int | float | list):
                raise BadInput(f"{label}: {name} must be a text, a number, true or false, or a list")
        return {str(options[name].name): _as_given(options[name], value) for name, value in values.items()}


def _as_given(option: click.Option, value: Any) -> Any:
    """The value as the command line gives it: texts, and true or false for a flag."""
    if isinstance(value, list):
        return tuple(map(_as_text, value))
    return (_as_text(value),) if option.multiple else value if isinstance(value, bool) and option.is_flag else _as_text(value)


def _as_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def read_settings(folder: Path | None = None) -> SettingsFile:
    """The settings of a folder (default: the current one); `viva.toml` before `pyproject.toml`.

    Raises `BadFile` for a file that can't be read, an unknown setting or a value of the wrong type.
    """
    where = Path() if folder is None else folder
    if isfile(where / FILE):
        return _checked(where / FILE, FILE, _read(where / FILE))
    if isfile(where / PROJECT):
        tool = _read(where / PROJECT).get("tool", {})
        if isinstance(tool, dict) and "viva" in tool:
            return _checked(where / PROJECT, f"[{SECTION}] of {PROJECT}", tool["viva"])
    return SettingsFile()


def _read(file: Path) -> dict[str, Any]:
    from vivavoce.formats.lines import whole_toml

    return whole_toml(file)


def _checked(file: Path, source: str, values: Any) -> SettingsFile:
    from difflib import get_close_matches

    if not isinstance(values, dict):
        raise BadFile(file, f"{source} must be a table of settings")
    models = values.get("models", {})
    if not isinstance(models, dict) or not all(map(_is_text, models.values())):
        raise BadFile(file, "[models] must give a candidate for each name, such as small = 'chat:MODEL@URL'")
    tables = {name: value for name, value in values.items() if name in TABLES}
    settings = {name: value for name, value in values.items() if name != "models" and name not in TABLES}
    for name, value in settings.items():
        if name not in CHECKS:
            nearest = get_close_matches(name, [*CHECKS, "models", *TABLES], n=1)
            meant = f"did you mean '{nearest[0]}'?" if nearest else f"settings are {', '.join((*CHECKS, 'models'))}"
            raise BadFile(file, f"there is no setting '{name[:80]}'; {meant}")
        is_right, wanted = CHECKS[name]
        if not is_right(value):
            raise BadFile(file, f"{name} is {value!r:.80}: give {wanted}")
    return SettingsFile(source, settings, models, tables)
