"""A finding as a page, from the command line: refused before anything is asked, or written when all is done."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vivavoce.render.junit import Case
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
        from vivavoce.render.junit import cases_of, properties_of

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
        from vivavoce.render.junit import write_junit

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
    """Refuse now a page that could not be written after all questions have been paid for."""
    check_writable("--html", file)


def check_writable(option: str, file: Path | None) -> None:
    """Refuse now a file that could not be written later; `option` is the one that names it."""
    if file is None:
        return
    folder = file.parent
    if not folder.is_dir():
        raise click.UsageError(f"{option} {file}: there is no folder '{folder}'; make it first.")
    if file.is_dir() or not os.access(file if file.exists() else folder, os.W_OK):
        raise click.UsageError(f"{option} {file}: it cannot be written; choose another place.")


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
