"""`viva dossier`: compare dossiers."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vivavoce.certificate.comparison.config import ComparisonConfig
from vivavoce.cli import options
from vivavoce.cli.help import command
from vivavoce.cli.options import config_options
from vivavoce.cli.output import check_page, output_options, print_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vivavoce.examination.compare import Comparison
    from vivavoce.examination.dossier import Dossier
    from vivavoce.examination.paired import PairedDifferences


@command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=options.FILE)
@click.option(
    "--record",
    "records",
    multiple=True,
    metavar="FILE|URL",
    help="Transcript of each dossier, in order. [default: transcript.sqlite next to it]",
)
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    metavar="S",
    help="Scope such as file:FILE, if it has moved. Repeatable.",
)
@config_options(
    ComparisonConfig,
    only=("margin", "delta"),
    margin={"type": options.portion},
    delta={"help": "Bound the chance of any wrong statement, over all dossiers and scopes."},
)
@output_options
def dossier(
    *,
    files: tuple[Path, ...],
    records: tuple[str, ...],
    scopes: tuple[str, ...],
    margin: float,
    delta: float,
    as_json: bool,
    html: Path | None,
) -> None:
    """Compare dossiers side by side (dossier.json of 'viva examine').

    \b
    viva dossier calculator/dossier.json eliza/dossier.json
    viva dossier a/dossier.json b/dossier.json --html both.html
    viva dossier a/dossier.json b/dossier.json --scope file:questions.jsonl

    If the transcripts are available, certificates on the same scope are also compared question by question: better, worse,
    equivalent within the margin, not worse, or undecided.
    """
    from vivavoce.examination.compare import compare
    from vivavoce.examination.dossier_file import read_dossier

    check_page(html)
    config = ComparisonConfig(margin=margin, delta=delta)
    if records and len(records) != len(files):
        raise click.UsageError(f"{len(records)} '--record' for {len(files)} dossiers: give one for each, in their order.")
    dossiers = [read_dossier(file).dossier for file in files]
    found = compare(dossiers)
    if len(dossiers) > 1:
        found = compare(dossiers, _paired(dossiers, files, records, scopes, config))
    try:
        _print(found, as_json=as_json)
    finally:  # the reader of the output may have gone away; the page is wanted all the same
        _write(found, html, as_json=as_json)


def _paired(
    dossiers: Sequence[Dossier],
    files: Sequence[Path],
    records: Sequence[str],
    scopes: Sequence[str],
    config: ComparisonConfig,
) -> PairedDifferences:
    """Comparisons by question, from the available transcripts."""
    from vivavoce.errors import TranscriptError
    from vivavoce.examination.answers_on_record import RecordedDossier, scopes_beside
    from vivavoce.examination.paired import pair_up
    from vivavoce.interview.transcript import Transcript

    with ExitStack() as stack:
        sides = []
        for place, (one, file) in enumerate(zip(dossiers, files, strict=True)):
            beside = file.parent / "transcript.sqlite"
            if records:
                sides.append(RecordedDossier(one, stack.enter_context(Transcript.open(records[place], must_exist=True))))
            elif not beside.is_file():
                sides.append(
                    RecordedDossier(one, None, "there is no transcript.sqlite next to its dossier: name it with --record")
                )
            else:
                try:
                    sides.append(RecordedDossier(one, stack.enter_context(Transcript.open(str(beside), must_exist=True))))
                except TranscriptError as error:
                    sides.append(RecordedDossier(one, None, str(error)))
        folders = [Path(), *(file.parent for file in files)]
        return pair_up(sides, scopes=(*scopes, *scopes_beside(sides, folders)), config=config)


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
