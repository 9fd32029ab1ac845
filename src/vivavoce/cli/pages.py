"""A finding as a page, from the command line: refused before anything is asked, or written when all is done."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from vivavoce.report.reported import Reported


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


def write_finding(file: Path | None, finding: Reported, *, quietly: bool, recheck: str = "", answers: str = "") -> None:
    """Write the page, if one is wanted, and name it; `quietly` on standard error, where standard output is for JSON alone.

    recheck: the command that has the finding again from its record; answers: how many were on record already. Empty where there
    is none.
    """
    if file is None:
        return
    from datetime import UTC, datetime

    from vivavoce.render.page import write_page
    from vivavoce.version import __version__

    write_page(file, [finding], made=datetime.now(UTC), version=__version__, recheck=recheck, answers=answers)
    click.echo(f"Page: {file}", err=quietly)
