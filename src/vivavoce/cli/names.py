"""Names of candidates and scopes as users type them: a file, a built-in name or a model, besides `KIND:NAME`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from os.path import isfile
from pathlib import Path
from typing import Any, Final

import click

from vivavoce.cli.settings_file import read_settings
from vivavoce.errors import BadInput


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
