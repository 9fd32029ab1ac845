"""`viva diff`: compare reports."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vivavoce.certificate.comparison.config import ComparisonConfig
from vivavoce.cli import options
from vivavoce.cli.help import command
from vivavoce.cli.options import config_options
from vivavoce.cli.output import check_page, output_options, show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vivavoce.examination.dossier import Dossier
    from vivavoce.examination.paired import PairedDifferences


@command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=options.FILE)
@click.option(
    "--record",
    "records",
    multiple=True,
    metavar="FILE|URL",
    help="Transcript of each report, in order. [default: transcript.sqlite next to it]",
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
    delta={"help": "Bound the chance of any wrong statement, over all reports and scopes."},
)
@output_options
def diff(
    *,
    files: tuple[Path, ...],
    records: tuple[str, ...],
    scopes: tuple[str, ...],
    margin: float,
    delta: float,
    as_json: bool,
    html: Path | None,
) -> None:
    """Compare reports side by side (report.json of 'viva report').

    \b
    viva diff calculator/report.json eliza/report.json
    viva diff a/report.json b/report.json --html both.html
    viva diff a/report.json b/report.json --scope file:questions.jsonl

    If the transcripts are available, certificates on the same scope are also compared question by question: better, worse,
    equivalent within the margin, not worse, or undecided.
    """
    from vivavoce.examination.compare import compare
    from vivavoce.examination.dossier import read_dossier

    check_page(html)
    config = ComparisonConfig(margin=margin, delta=delta)
    if records and len(records) != len(files):
        raise click.UsageError(f"{len(records)} '--record' for {len(files)} reports: give one for each, in their order.")
    dossiers = [read_dossier(file).dossier for file in files]
    comparison = compare(dossiers)
    if len(dossiers) > 1:
        comparison = compare(dossiers, _paired(dossiers, files, records, scopes, config))
    show(comparison, as_json=as_json, html=html)


def _paired(
    dossiers: Sequence[Dossier],
    files: Sequence[Path],
    records: Sequence[str],
    scopes: Sequence[str],
    config: ComparisonConfig,
) -> PairedDifferences:
    """Comparisons by question, from the available transcripts."""
    from vivavoce.errors import TranscriptError
    from vivavoce.examination.paired import RecordedDossier, pair_up, scopes_beside
    from vivavoce.interview.transcript import Transcript

    with ExitStack() as stack:
        sides = []
        for index, (entry, file) in enumerate(zip(dossiers, files, strict=True)):
            beside = file.parent / "transcript.sqlite"
            if records:
                sides.append(RecordedDossier(entry, stack.enter_context(Transcript.open(records[index], must_exist=True))))
            elif not beside.is_file():
                sides.append(
                    RecordedDossier(entry, None, "there is no transcript.sqlite next to its report: name it with --record")
                )
            else:
                try:
                    sides.append(RecordedDossier(entry, stack.enter_context(Transcript.open(str(beside), must_exist=True))))
                except TranscriptError as error:
                    sides.append(RecordedDossier(entry, None, str(error)))
        folders = [Path(), *(file.parent for file in files)]
        return pair_up(sides, scopes=(*scopes, *scopes_beside(sides, folders)), config=config)
