"""`--results FILE`: a row a question, refused before anything is asked if it could not be written, and written at the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from os.path import expanduser, realpath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.pages import check_writable

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

    check_writable("--results", file)
    format_of(file)
    given = click.get_current_context().params
    check_not_used(file, {name: value for name, value in given.items() if name != "results"})


def check_not_used(file: Path | None, given: Mapping[str, Any]) -> None:
    """Refuse a file that is among what was given otherwise."""
    if file is not None and realpath(file) in (realpath(expanduser(named)) for named in _named(given.values())):
        raise click.UsageError(f"--results {file}: that file is used for something else; choose another place.")


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
            place = value.partition(":")[2].partition("?")[0].partition("#")[0]
            yield from (value, place or value)


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
