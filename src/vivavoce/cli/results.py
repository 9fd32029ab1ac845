"""`--results FILE`: a row a question, refused before anything is asked if it could not be written, and written at the end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vivavoce.cli import options
from vivavoce.cli.pages import check_output

if TYPE_CHECKING:
    from vivavoce.interview.results import Front, Results

RESULTS = click.option(
    "--results",
    type=options.FILE,
    metavar="FILE",
    help="Write a row a question, for a spreadsheet or a data frame (.csv, .jsonl, .parquet): question, reply, how it was "
    "read, score, time and tokens.",
)


def check_results(file: Path | None) -> None:
    """Refuse now a file that could not be written later, or that is read from or goes to something else of this command."""
    if file is None:
        return
    from vivavoce.interview.result_files import format_of

    check_output("--results", file)
    format_of(file)


@contextmanager
def rows_into(file: Path | None, *front: Front) -> Iterator[Results | None]:
    """Collects rows for that file; None where none is wanted.

    They are written when the command is at its end, however it ends: after what it found was shown, since a file that cannot be
    written then must not cost the finding. A run that fails before the first answer leaves what was there.
    """
    if file is None:
        yield None
        return
    from vivavoce.interview.results import Results

    results, finished = Results(front), False

    def write() -> None:
        from vivavoce.interview.result_files import write_results

        if (rows := results.rows) or finished:
            number = write_results(file, rows, front=front)
            click.echo(f"Rows: {number} in {file}", err=True)

    click.get_current_context().call_on_close(write)
    yield results
    finished = True
