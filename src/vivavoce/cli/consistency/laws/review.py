"""`viva consistency review`: people look at tuples of questions in a spreadsheet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from vivavoce.cli import options
from vivavoce.cli.lazy import Group
from vivavoce.cli.output import print_json, say

if TYPE_CHECKING:
    from vivavoce.studies.forecasting.making.review import Review


@click.group(cls=Group)
def review() -> None:
    """Have people look at tuples of questions: export a sheet, and import what they decided."""


@review.command("export")
@click.argument("tuples", type=options.FILE)
@click.argument("sheet", type=options.FILE)
@options.JSON
def export_sheet(tuples: Path, sheet: Path, as_json: bool) -> None:
    """Write TUPLES (JSON Lines) to a new SHEET (CSV) for a spreadsheet program.

    \b
    viva consistency review export tuples.jsonl sheet.csv

    One tuple per row. Fill in 'keep' with yes or no, perhaps a 'reason', and correct the questions where they are wrong. A
    tuple whose 'keep' is left empty stays as it is. Cells that a spreadsheet program would run as formulas begin with an
    apostrophe.
    """
    from vivavoce.studies.forecasting.making.review import write_sheet
    from vivavoce.studies.forecasting.tuples import read_tuples

    found = read_tuples(tuples)
    write_sheet(sheet, found)
    words = f"{len(found)} tuples written to {sheet}: fill in 'keep' (yes or no), then 'viva consistency review import'"
    say({"tuples": len(found), "out": str(sheet)}, words, as_json)


@review.command("import")
@click.argument("tuples", type=options.FILE)
@click.argument("sheet", type=options.FILE)
@click.option(
    "--out", type=options.FILE, required=True, metavar="FILE", help="Where the reviewed tuples go; must be a new file."
)
@click.option("--by", default="", metavar="NAME", help="Who reviewed; kept with each decision.")
@options.JSON
def import_sheet(tuples: Path, sheet: Path, out: Path, by: str, as_json: bool) -> None:
    """Take over what people decided on a SHEET about TUPLES.

    \b
    viva consistency review import tuples.jsonl sheet.csv --by Ann --out reviewed.jsonl

    Each tuple must have its row. Where rows cannot be used, each is named with its line, and nothing is written.
    """
    from vivavoce.studies.forecasting.making.review import review as reviewed
    from vivavoce.studies.forecasting.tuples import read_tuples, write_tuples

    if out.exists():
        raise click.UsageError(f"'{out}' exists already: give another name, or remove it first.")
    found = reviewed(read_tuples(tuples), sheet, by=by)
    for problem in found.problems:
        where = f"{sheet}, line {problem.line}" if problem.line else str(sheet)
        click.echo(f"{where}: {problem.text}", err=True)
    if found.problems:
        number = len(found.problems)
        rows = "1 row" if number == 1 else f"{number} rows"
        raise click.UsageError(
            f"{rows} of '{sheet}' cannot be used, so nothing was written: correct the sheet and import it again."
        )
    write_tuples(out, found.tuples)
    _print(found, out, as_json)


def _print(found: Review, out: Path, as_json: bool) -> None:
    counts = {
        "tuples": len(found.tuples),
        "accepted": found.accepted,
        "edited": found.edited,
        "rejected": found.rejected,
        "undecided": found.undecided,
    }
    if as_json:
        print_json(counts | {"out": str(out)})
        return
    click.echo(
        f"By review {found.accepted} accepted ({found.edited} with other words), {found.rejected} rejected, "
        f"{found.undecided} left as they were."
    )
    click.echo(f"Tuples: {out}")
