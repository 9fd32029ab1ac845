"""Names of candidates and scopes as users type them: a file, a built-in name or a model, besides `KIND:NAME`.

Defaults from `viva.toml`, or from `[tool.viva]` in `pyproject.toml`, in the current folder.

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

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
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


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider whose models are recognised by name."""

    name: str
    url: str
    key: str
    """The environment variable with the key."""
    models: tuple[str, ...]
    """Patterns of names."""

    def candidate(self, model: str) -> str:
        """The candidate with this model."""
        return f"chat:{model}@{self.url}?key={self.key}"


PROVIDERS: Final = (
    Provider("OpenAI", "https://api.openai.com/v1", "OPENAI_API_KEY", ("gpt-*", "chatgpt-*", "o1*", "o3*", "o4*")),
    Provider("Anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY", ("claude-*",)),
    Provider("Google", "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY", ("gemini-*",)),
    Provider("Mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY", ("mistral-*", "ministral-*", "magistral-*")),
    Provider("DeepSeek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY", ("deepseek-*",)),
    Provider("xAI", "https://api.x.ai/v1", "XAI_API_KEY", ("grok-*",)),
)
"""Each name is the model's at its own provider; other servers need `chat:MODEL@URL`."""


def candidate_name(typed: str, environment: Mapping[str, str] = os.environ) -> str:
    """The candidate in full; a name without a match is returned unchanged.

    A prefix (`chat:`) wins. Else it is a function in a file (`bot.py:answer`), a model of `viva.toml`, a bot, or a model of
    a provider whose key is set. Raises `BadInput` for several matches, and for a model whose provider's key is missing.

    >>> candidate_name("calculator?wrong=0.1"), candidate_name("chat:m@http://localhost:8000/v1")
    ('bot:calculator?wrong=0.1', 'chat:m@http://localhost:8000/v1')
    >>> candidate_name("gpt-4o-mini", {"OPENAI_API_KEY": "..."})
    'chat:gpt-4o-mini@https://api.openai.com/v1?key=OPENAI_API_KEY'
    >>> candidate_name("gpt-4o-mini", {})
    Traceback (most recent call last):
    vivavoce.errors.BadInput: 'gpt-4o-mini' is a model of OpenAI, and $OPENAI_API_KEY is not set: set it, or write ...
    """
    from vivavoce.candidates.names import BOTS, KINDS

    name = typed.strip()
    if name.partition(":")[0] in {kind.prefix for kind in KINDS} and ":" in name:
        return typed
    if name.endswith(".toml") and isfile(name):
        raise BadInput(f"'{name[:200]}' is a plan, not a model: write --plan {name[:200]}")
    matches = {}
    file = name.rpartition(":")[0]
    if file.endswith(".py") and isfile(file):
        matches["a function of a file"] = _function(name)
    settings = read_settings()
    if name in settings.models:
        matches[f"a model of {settings.source}"] = settings.models[name]
    if name.partition("?")[0] in {bot.prefix for bot in BOTS}:
        matches["a bot"] = f"bot:{name}"
    provider = next((provider for provider in PROVIDERS if any(fnmatch(name, model) for model in provider.models)), None)
    if provider is not None and environment.get(provider.key):
        matches[f"a model of {provider.name}"] = provider.candidate(name)
    if not matches and provider is not None:
        missing = f"'{name[:80]}' is a model of {provider.name}, and ${provider.key} is not set"
        raise BadInput(f"{missing}: set it, or write chat:{name[:80]}@URL")
    return _only(name, matches) or typed


def scope_name(typed: str) -> str:
    """The scope in full; a name without a match is returned unchanged.

    A prefix (`file:`) wins. Else it is a file of questions, or a built-in scope. Raises `BadInput` if it is both.

    >>> scope_name("arithmetic?digits=2"), scope_name("mmlu:FOLDER")
    ('arithmetic?digits=2', 'mmlu:FOLDER')
    """
    from vivavoce.scopes import KINDS

    name = typed.strip()
    prefixes = {kind.prefix for kind in KINDS}
    head = name.partition("?")[0]
    if (":" in head and head.partition(":")[0] in prefixes) or not isfile(head):
        return typed
    return _only(name, {"a file": f"file:{name}"} | ({"a built-in scope": f"{name}?"} if head in prefixes else {})) or typed


def is_scope(typed: str) -> bool:
    """Whether a name among candidates can only be a scope: a file other than an Inspect log, or a kind that only scopes have.

    >>> [is_scope(name) for name in ("arithmetic?digits=2", "file:support.csv", "bot:calculator", "calculator", "new.eval")]
    [True, True, False, False, False]
    """
    from vivavoce.candidates.names import KINDS as CANDIDATES
    from vivavoce.scopes import KINDS

    head = typed.strip().partition("?")[0]
    prefixes = {kind.prefix for kind in KINDS} - {kind.prefix for kind in CANDIDATES}
    return head.partition(":")[0] in prefixes or (isfile(head) and not head.endswith(".eval"))


def _only(name: str, matches: Mapping[str, str]) -> str | None:
    """The only match; None without one."""
    if len(matches) > 1:
        both = " and ".join(f"{what} ({value})" for what, value in matches.items())
        raise BadInput(f"'{name[:80]}' is {both}: write one of them in full")
    return next(iter(matches.values()), None)


def _function(name: str) -> str:
    """`function:MODULE:NAME` for `FILE.py:NAME`, a file in the current folder or below."""
    file, _, function = name.rpartition(":")
    path = Path(file)
    try:
        path = path.resolve().relative_to(Path.cwd())
    except ValueError:
        raise BadInput(f"{file[:200]} is not in the current folder: run the command where the file is") from None
    return f"function:{'.'.join(path.with_suffix('').parts)}:{function}"


class CandidateType(click.ParamType):  # type: ignore[type-arg]  # not generic in earlier versions
    """The name of a candidate; a completed name is printed before anything is asked."""

    name = "candidate"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name in full."""
        full = candidate_name(value)
        if full != value and full.startswith("chat:"):
            model, _, rest = full.removeprefix("chat:").rpartition("@")
            address, _, key = rest.partition("?key=")
            click.echo(f"viva: {value} is the model {model} at {address}{f', with the key in ${key}' if key else ''}", err=True)
        return full


class ScopeType(click.ParamType):  # type: ignore[type-arg]  # not generic in earlier versions
    """The name of a scope."""

    name = "scope"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name in full."""
        return scope_name(value)


CANDIDATE: Final = CandidateType()
SCOPE: Final = ScopeType()
