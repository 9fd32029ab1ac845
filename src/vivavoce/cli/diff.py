"""`viva diff`: compare reports."""

from __future__ import annotations

from pathlib import Path

import click

from vivavoce.cli import options
from vivavoce.cli.help import command
from vivavoce.cli.output import check_page, output_options, show


@command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=options.FILE)
@output_options
def diff(*, files: tuple[Path, ...], as_json: bool, html: Path | None) -> None:
    """Compare reports side by side (report.json of 'viva report').

    \b
    viva diff calculator/report.json eliza/report.json
    viva diff a/report.json b/report.json --html both.html

    'viva compare' with the transcripts of the reports compares the answers question by question.
    """
    from vivavoce.examination.compare import compare
    from vivavoce.examination.dossier import read_dossier

    check_page(html)
    show(compare([read_dossier(file).dossier for file in files]), as_json=as_json, html=html)
