"""`viva consistency score` and `viva consistency laws`: forecasts measured against laws of probability."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from vivavoce.cli import options
from vivavoce.cli.asking import file_digest, write_lines
from vivavoce.cli.output import show
from vivavoce.cli.pages import check_output, check_page

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@click.command()
@click.argument("file", type=options.FILE)
@click.option(
    "--law", multiple=True, metavar="LAW", help="A law of your own, such as 'won: P, C where P implies C'; may be repeated."
)
@click.option("--laws", type=options.FILE, metavar="FILE", help="Laws of your own, one a line.")
@click.option(
    "--compare",
    nargs=2,
    multiple=True,
    metavar="A B",
    help="Compare these two forecasters; may be repeated. By default all pairs of up to five.",
)
@options.seed("Draws the resamples of the paired test.")
@click.option("--details", "each", type=options.FILE, metavar="FILE", help="Write every tuple with its numbers, as JSON Lines.")
@options.output_options
def score(
    file: Path,
    law: tuple[str, ...],
    laws: Path | None,
    compare: tuple[tuple[str, str], ...],
    seed: int,
    each: Path | None,
    as_json: bool,
    html: Path | None,
) -> None:
    """How often and how far do the forecasts in FILE contradict each other?

    FILE has JSON lines {"forecaster": NAME, "law": LAW, "forecasts": {STATEMENT: PROBABILITY}}, where null is a forecast that
    could not be read. 'viva consistency laws' lists the laws and the names of their statements. A line may also have an "id"
    (forecasters are compared on tuples of one id), "base" (a list of what it shares with other tuples) and "questions". A table
    (.csv, also .csv.gz) has the columns forecaster, law, group, statement and probability, a forecast a row; or run, checker,
    row, keys and probs, as research has published it. A probability may be a percentage, such as 30%.

    \b
    viva consistency score forecasts.jsonl
    viva consistency score forecasts.csv
    viva consistency score forecasts.jsonl --details tuples.jsonl --html page.html
    viva consistency score forecasts.jsonl --law 'won: P, C where P implies C' --json
    """

    from vivavoce.studies.forecasting.forecast_files import read_forecasts
    from vivavoce.studies.forecasting.scoring import score_each
    from vivavoce.studies.forecasts import finding_of
    from vivavoce.studies.study import Source

    check_page(html)
    check_output("--details", each)
    scored = score_each(list(read_forecasts(file, own=_own(law, laws))))
    source = Source(file.name, file_digest(file))
    finding = finding_of(scored, source=source, compare=compare or None, seed=seed)
    try:
        show(finding, as_json=as_json, html=html)
    finally:  # the reader of the output may have gone away; the file is wanted all the same
        if each is not None:
            write_lines(each, (one.as_json() for one in scored))
            click.echo(f"Tuples: {each}", err=as_json)


@click.command()
@options.JSON
def laws(as_json: bool) -> None:
    """The laws that have a name: their statements, and how a contradiction is measured.

    Laws of your own are written in a line: [NAME:] STATEMENT, STATEMENT, ... [where CONSTRAINT; CONSTRAINT]. A statement is a
    formula of events joined by ~ & ^ | and brackets, or FORMULA given FORMULA, and may be named: not_P = ~P. A constraint is a
    formula, A implies B, A iff B, or exactly one of A, B, C (at most one of, at least one of).
    """
    from vivavoce.laws.law import ABOUT, BUILT_IN, NAMES
    from vivavoce.laws.violation import FORMULA

    told = {name: BUILT_IN[name].line.partition(": ")[2] if name in BUILT_IN else ABOUT[name] for name in NAMES}
    if as_json:
        import json

        values = [{"name": name, "statements": told[name], "metric": FORMULA[name]} for name in NAMES]
        click.echo(json.dumps(values, ensure_ascii=False))
        return
    from rich.console import Console

    from vivavoce.render.terminal import table

    Console().print(table(("Law", "Statements", "Metric"), [(name, told[name], FORMULA[name]) for name in NAMES]))


def _own(lines: Sequence[str], file: Path | None) -> Mapping[str, str]:
    """The user's own laws by name, refused now if one of them cannot be."""
    from vivavoce.errors import BadInput
    from vivavoce.formats.lines import text_lines
    from vivavoce.laws import parse_law
    from vivavoce.laws.law import NAMES

    found: dict[str, str] = {}
    written = [line.strip() for line in text_lines(file)] if file else []
    for line in (*lines, *(line for line in written if line and not line.startswith("#"))):
        law = parse_law(line)
        if law.name in NAMES or law.name in found:
            raise BadInput(f"there is a law '{law.name[:80]}' already: give yours another name")
        found[law.name] = line
    return found
