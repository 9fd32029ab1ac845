"""`viva dossier`: dossiers side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from vivavoce.cli import options
from vivavoce.cli.output import print_json
from vivavoce.cli.pages import check_page

if TYPE_CHECKING:
    from vivavoce.examination.compare import Comparison


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=options.FILE)
@options.output_options
def dossier(*, files: tuple[Path, ...], as_json: bool, html: Path | None) -> None:
    """Put dossiers (dossier.json of 'viva examine') side by side: figures by room, and how they differ from the first one.

    \b
    viva dossier calculator/dossier.json eliza/dossier.json
    viva dossier a/dossier.json b/dossier.json --html both.html
    """
    from vivavoce.examination.compare import compare
    from vivavoce.examination.dossier_file import read_dossier

    check_page(html)
    found = compare([read_dossier(file).dossier for file in files])
    try:
        _print(found, as_json=as_json)
    finally:  # the reader of the output may have gone away; the page is wanted all the same
        _write(found, html, as_json=as_json)


def _print(found: Comparison, *, as_json: bool) -> None:
    if as_json:
        print_json(found.as_json())
        return
    from rich.console import Console

    from vivavoce.examination.compare_page import print_comparison

    print_comparison(found, Console())


def _write(found: Comparison, html: Path | None, *, as_json: bool) -> None:
    if html is None:
        return
    from datetime import UTC, datetime

    from vivavoce.examination.compare_page import write_comparison
    from vivavoce.version import __version__

    write_comparison(html, found, made=datetime.now(UTC), version=__version__)
    click.echo(f"Page: {html}", err=as_json)
