"""`viva completion`, and how candidates, scopes and columns are completed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Final

import click

from vivavoce.cli.endings import exit_codes
from vivavoce.cli.help import command
from vivavoce.cli.options import Choice

BASH: Final = "COMP_WORDBREAKS=${COMP_WORDBREAKS//:}\n"
"""Names hold colons, at which bash would begin another word."""


@command(epilog=exit_codes())
@click.argument("shell", type=Choice(("bash", "zsh", "fish")))
def completion(shell: str) -> None:
    """Print the script that completes commands, candidates, scopes and columns in SHELL (bash, zsh or fish).

    \b
    viva completion bash >> ~/.bashrc
    viva completion zsh >> ~/.zshrc
    viva completion fish > ~/.config/fish/completions/viva.fish
    """
    from click.shell_completion import get_completion_class

    from vivavoce.cli.viva import viva

    shells = get_completion_class(shell)
    assert shells is not None
    if shell == "bash":  # click asks the bash of the machine for its version, which the script does not need
        source = shells.source_template % shells(viva, {}, "viva", "_VIVA_COMPLETE").source_vars()
        click.echo(BASH + source)
    else:
        click.echo(shells(viva, {}, "viva", "_VIVA_COMPLETE").source())


def complete_columns(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """The columns of the scopes that are named already, for options such as `--strata`."""
    scopes = ctx.params.get("scopes") or ctx.params.get("scope_name") or ctx.params.get("scope") or ()
    files = [scope.removeprefix("file:").partition("?")[0] for scope in ((scopes,) if isinstance(scopes, str) else scopes)]
    return [name for file in files for name in columns_of(file) if name.startswith(incomplete)]


def columns_of(file: str) -> list[str]:
    """The columns of a table, or the keys of the first line of JSON Lines; none for a file that can't be read."""
    import csv
    import json

    try:
        with open(file, encoding="utf-8-sig") as lines:
            first = lines.readline(1 << 20)
        if file.endswith(".jsonl"):
            return list(json.loads(first))
        return next(csv.reader([first], delimiter="\t" if file.endswith(".tsv") else ","), [])
    except (OSError, ValueError, TypeError):
        return []


def known_or_files(known: Iterable[str], incomplete: str) -> list[str]:
    """The known names that begin so; else files, with what stands before the last colon."""
    names = [name for name in known if name.startswith(incomplete)]
    kind, colon, start = incomplete.rpartition(":")
    return names or [f"{kind}{colon}{path}" for path in _paths(start)]


def _paths(start: str) -> Iterator[str]:
    folder, slash, begin = start.rpartition("/")
    try:
        entries = sorted(os.scandir(folder or slash or "."), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.name.startswith(begin) and (begin or not entry.name.startswith(".")):
            yield f"{folder}{slash}{entry.name}{'/' if entry.is_dir() else ''}"
