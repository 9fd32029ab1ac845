"""Commands that running text mentions, and those that are run only now and then, are such as `viva` has."""

from __future__ import annotations

import re

import click
import pytest

from tests.documents.here import NETWORKS, STUDIES
from tests.documents.reading import DOCUMENTS, ROOT, commands, mentioned, name, steps
from vivavoce.cli.viva import viva

MENTIONED = [(name(document), command) for document in DOCUMENTS for command in mentioned(document)]
SELDOM = [
    (name(document), command)
    for document in DOCUMENTS
    for step in steps(document)
    for command in commands(step.command)
    if command.startswith((*STUDIES, *NETWORKS))
]


def problem_of(typed: str) -> str:
    """What is wrong with a command of `viva`, of which words in capitals and dots stand for others."""
    command: click.Command = viva
    words = typed.split()[1:]
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        subcommand = command.get_command(click.Context(command), words[0])
        words = words[1:]
        if subcommand is None:
            return f"there is no such command: {typed}"
        command = subcommand
    known = {name for option in command.get_params(click.Context(command)) for name in (*option.opts, *option.secondary_opts)}
    unknown = [word for word in words if word.strip("[]").startswith("--") and word.strip("[]").partition("=")[0] not in known]
    return f"there is no such option: {unknown[0]}" if unknown else ""


@pytest.mark.parametrize(("page", "typed"), sorted({pair for pair in MENTIONED + SELDOM if pair[1].startswith("viva ")}))
def test_commands_of_viva_exist_with_their_options(page: str, typed: str) -> None:
    assert problem_of(typed) == ""


@pytest.mark.parametrize(
    ("typed", "problem"),
    [
        ("viva certify ... --judge", ""),
        ("viva --help", ""),
        ("viva diff FILE [--margin X]", ""),
        ("viva luna serve --worker N", "there is no such option: --worker"),
        ("viva luna prophesy", "there is no such command: viva luna prophesy"),
    ],
)
def test_a_command_that_does_not_exist_is_found_out(typed: str, problem: str) -> None:
    assert problem_of(typed) == problem


@pytest.mark.parametrize(("page", "typed"), sorted({pair for pair in MENTIONED + SELDOM if pair[1].startswith("python ")}))
def test_programs_exist(page: str, typed: str) -> None:
    program = typed.removeprefix("python ").split()
    if program[:2] == ["-m", "pytest"]:
        program = program[2:]
    file = ROOT / (f"{program[1].replace('.', '/')}.py" if program[0] == "-m" else program[0])
    assert file.is_file(), typed


def test_the_architecture_names_each_package_and_files_that_exist() -> None:
    source = ROOT / "src" / "vivavoce"
    named = set(re.findall(r"`([\w/.]+)`", (ROOT / "ARCHITECTURE.md").read_text()))
    assert {folder.name for folder in source.iterdir() if (folder / "__init__.py").exists()} <= named
    files = {name for name in named if name.endswith(".py") or "/" in name} - {"src/vivavoce"}
    assert files
    assert [name for name in files if not (source / name).exists()] == []
