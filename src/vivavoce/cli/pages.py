"""A finding as a page, from the command line: refused before anything is asked, or written when all is done."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from os.path import expanduser, realpath
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vivavoce.certificate.junit import Case
    from vivavoce.report.reported import Reported

_WANTED: Final = "vivavoce.wanted"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Files that a command is to write besides its page."""

    began: float = field(default_factory=monotonic)
    """When the command began, by a clock that only runs forward."""
    files: dict[str, Path] = field(default_factory=dict)
    """By the option that names each."""


def remember(context: click.Context, option: str, file: Path) -> None:
    """This file is wanted of the command that runs."""
    context.meta.setdefault(_WANTED, Wanted()).files[option] = file


def wanted() -> Wanted:
    """What was given to the command that runs."""
    context = click.get_current_context(silent=True)
    found: Wanted = Wanted() if context is None else context.meta.get(_WANTED, Wanted())
    return found


def write_wanted(finding: Reported, *, quietly: bool, measured: bool = True, head: str = "") -> None:
    """Write the finding to the files that are wanted, and name them; `quietly` on standard error.

    measured: of a finding without a verdict, whether there was anything to measure.
    head: of the transcript, as COUNT:DIGEST; empty where none is kept.
    """
    files = wanted().files
    if "--junit" in files:
        from vivavoce.certificate.junit import cases_of, properties_of

        report = finding.report()
        properties = properties_of(finding) | ({"transcript head": head} if head else {})
        write_cases(f"{report.kind}: {report.title}", cases_of(finding, measured=measured), properties, quietly=quietly)
    if "--markdown" in files:
        from vivavoce.formats.lines import write_whole
        from vivavoce.render.markdown import report_in_markdown

        write_whole(files["--markdown"], report_in_markdown(finding.report()))
        click.echo(f"Markdown: {files['--markdown']}", err=quietly)


def write_cases(suite: str, cases: Sequence[Case], properties: Mapping[str, object], *, quietly: bool) -> None:
    """Write JUnit XML, if it is wanted, and name it; `quietly` on standard error."""
    from datetime import UTC, datetime

    given = wanted()
    if "--junit" in given.files:
        from vivavoce.certificate.junit import write_junit

        took = monotonic() - given.began
        write_junit(given.files["--junit"], suite, cases, properties=properties, seconds=took, made=datetime.now(UTC))
        click.echo(f"JUnit: {given.files['--junit']}", err=quietly)


def folder_for(candidate: str) -> Path:
    """Where a dossier goes if nobody says where: a folder after the candidate's name.

    >>> folder_for("chat:llama3.2@http://localhost:11434/v1").name
    'chat-llama3.2-http-localhost-11434-v1'
    """
    return Path(re.sub(r"[^A-Za-z0-9.]+", "-", candidate).strip("-.")[:60] or "dossier")


def check_page(file: Path | None) -> None:
    """Refuse now a page, or another file that is wanted, that could not be written after all questions have been paid for."""
    check_output("--html", file)
    check_outputs(_given())


def check_output(option: str, file: Path | None) -> None:
    """Refuse now a file that could not be written later, or that the command reads or writes otherwise."""
    if file is None:
        return
    folder = file.parent
    if not folder.is_dir():
        raise click.UsageError(f"{option} {file}: there is no folder '{folder}'; make it first.")
    if file.is_dir() or not os.access(file if file.exists() else folder, os.W_OK):
        raise click.UsageError(f"{option} {file}: it cannot be written; choose another place.")
    check_not_used(option, file, _given(besides=option))


def check_outputs(given: Mapping[str, Any], outputs: Mapping[str, Path | None] | None = None) -> None:
    """Refuse files that are wanted, and these outputs, by their options, that are among what was given otherwise."""
    for option, file in (wanted().files | dict(outputs or {})).items():
        check_not_used(option, file, given)


def check_not_used(option: str, file: Path | None, given: Mapping[str, Any]) -> None:
    """Refuse a file that is among what was given otherwise, by whatever path or link; devices may have several uses."""
    if file is None or (file.exists() and not file.is_file()):
        return
    others = (*given.values(), *(other for name, other in wanted().files.items() if name != option))
    if any(_are_same(file, expanduser(name)) for name in _named(others)):
        raise click.UsageError(f"{option} {file}: that file is used for something else; choose another place.")


def _given(besides: str = "") -> dict[str, Any]:
    """What was given to the command that runs, without that option."""
    context = click.get_current_context(silent=True)
    if context is None:
        return {}
    return {
        param.human_readable_name: context.params.get(param.name or "")
        for param in context.command.params
        if besides not in (*param.opts, param.human_readable_name)
    }


def _are_same(file: Path, name: str) -> bool:
    try:
        return realpath(file) == realpath(name) or (file.exists() and os.path.samefile(file, name))
    except OSError:
        return False


def _named(values: Iterable[Any]) -> Iterator[str]:
    """What may name a file: a text, or what follows its kind as in file:questions.csv?match=exact."""
    for value in values:
        if isinstance(value, Mapping):
            yield from _named(value.values())
        elif isinstance(value, list | tuple):
            yield from _named(value)
        elif isinstance(value, Path):
            yield str(value)
        elif isinstance(value, str) and "\0" not in value:
            place = value.partition(":")[2]
            for name in (value, place):
                yield from filter(None, (name, name.partition("?")[0], name.partition("?")[0].partition("#")[0]))


def write_finding(
    file: Path | None, finding: Reported, *, quietly: bool, recheck: str = "", answers: str = "", document: str = ""
) -> None:
    """Write the page, if one is wanted, and name it; `quietly` on standard error, where standard output is for JSON alone.

    recheck: the command that has the finding again from its record; answers: how many were on record already; document: the
    JSON that the page carries. Empty where there is none.
    """
    if file is None:
        return
    from datetime import UTC, datetime

    from vivavoce.render.page import write_page
    from vivavoce.version import __version__

    write_page(
        file, [finding], made=datetime.now(UTC), version=__version__, recheck=recheck, answers=answers, document=document
    )
    click.echo(f"Page: {file}", err=quietly)
