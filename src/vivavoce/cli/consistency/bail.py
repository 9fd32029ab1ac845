"""`viva consistency bail`: does a worse record win what a milder one lost?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.asking import Asking, asking_options, taken_from, write_lines
from vivavoce.cli.endings import GOES_ON, OF_VERDICT, exit_codes
from vivavoce.cli.output import Kept, show
from vivavoce.cli.pages import check_page, check_writable
from vivavoce.cli.results import RESULTS

if TYPE_CHECKING:
    from vivavoce.consistency.legal.bail.examine import SetUp
    from vivavoce.consistency.legal.bail.finding import BailConsistency

NOTHING_COMPARED = OF_VERDICT["no conclusion"]


@dataclass(frozen=True, slots=True)
class Order:
    """What was asked for on the command line."""

    candidate: str
    asking: Asking
    defendants: Path
    limit: int
    variants: int
    largest_step: int
    keep_charge: bool
    temperature: float | None
    repeats: int
    control: int
    seed: int
    each: Path | None
    as_json: bool
    html: Path | None

    @property
    def setup(self) -> SetUp:
        """How the examination is run."""
        from vivavoce.consistency.legal.bail.counterfactuals import Variation
        from vivavoce.consistency.legal.bail.examine import SetUp

        variation = Variation(self.variants, self.largest_step, self.keep_charge)
        return SetUp(self.limit, variation, self.temperature, self.repeats, self.control, self.seed)


@click.command(epilog=exit_codes("4 no two decisions to compare", GOES_ON))
@click.argument("candidate")
@click.option(
    "--defendants",
    required=True,
    type=options.FILE,
    metavar="FILE",
    help="CSV with columns id, sex, age, c_charge_desc, c_charge_degree (F or M), priors_count, juv_fel_count, juv_misd_count.",
)
@click.option("--limit", type=options.count, metavar="N", default=200, show_default=True, help="Defendants, drawn at random.")
@click.option(
    "--variants",
    type=click.IntRange(1, 50),
    metavar="N",
    default=5,
    show_default=True,
    help="Milder records of each defendant, and as many more severe ones.",
)
@click.option(
    "--largest-step",
    type=click.IntRange(1, 100),
    metavar="N",
    default=3,
    show_default=True,
    help="Change a number of crimes by 1 to this many.",
)
@click.option("--keep-charge", is_flag=True, help="Never replace the charge, change numbers only.")
@options.TEMPERATURE
@click.option(
    "--repeats",
    type=click.IntRange(1, 101),
    metavar="N",
    default=1,
    show_default=True,
    help="Replies per record; the majority counts.",
)
@click.option(
    "--control",
    type=click.IntRange(min=0),
    metavar="N",
    default=100,
    show_default=True,
    help="Judge this many defendants twice on the same record.",
)
@options.seed("Draws defendants and changes.")
@click.option(
    "--details",
    "each",
    type=options.FILE,
    metavar="FILE",
    help="Write every pair of records with both decisions, as JSON Lines.",
)
@RESULTS
@asking_options
@options.output_options
@click.pass_context
def bail(context: click.Context, /, **given: Any) -> None:
    """When CANDIDATE decides on bail, does a worse record ever get a milder decision, or a milder record a harsher one?

    \b
    viva consistency bail chat:llama3.2@http://localhost:11434/v1 --defendants defendants.csv --transcript run.sqlite
    viva consistency bail inspect:openai/gpt-4o --defendants defendants.csv --limit 1560 --html page.html
    viva consistency bail function:my_judge:decide --defendants defendants.csv --keep-charge --details pairs.jsonl

    A defendant takes eleven questions, and one more for the control.
    """
    order = Order(**taken_from(given))
    check_page(order.html)
    _check_each(order)
    finding, kept = _examine(order)
    try:
        show(finding, "vivavoce.render.terminals.bail:print_bail", as_json=order.as_json, html=order.html, kept=kept)
    finally:  # the reader of the output may have gone away; the file is wanted all the same
        _write_each(order, finding)
    if order.limit > finding.reach.chosen and not order.asking.quiet:
        click.echo(f"viva: the file has only {finding.reach.chosen} defendants, not {order.limit}", err=True)
    if finding.counts.defendants.any.value is None:
        context.exit(NOTHING_COMPARED)


def _check_each(order: Order) -> None:
    """Refuse now what would otherwise fail after all questions have been paid for."""
    check_writable("--details", order.each)
    if order.each is not None and order.each.exists() and order.defendants.exists() and order.each.samefile(order.defendants):
        raise click.UsageError(f"--details {order.each}: that is the file of the defendants; choose another place.")


def _examine(order: Order) -> tuple[BailConsistency, Kept | None]:
    """The finding, and what to remember of the transcript; None for one in memory."""
    from vivavoce.candidates import open_candidate
    from vivavoce.consistency.legal.bail.defendants import read_defendants
    from vivavoce.consistency.legal.bail.examine import Dataset, cases_of, judge_bail, questions_in
    from vivavoce.formats.lines import file_digest

    dataset = Dataset(read_defendants(order.defendants), title=order.defendants.name, digest=file_digest(order.defendants))
    return order.asking.examined(
        open_candidate(order.candidate),
        lambda interview: judge_bail(interview, dataset, order.setup),
        expected=questions_in(cases_of(dataset, order.setup), order.setup),
    )


def _write_each(order: Order, finding: BailConsistency) -> None:
    if order.each is None:
        return
    write_lines(order.each, (pair.as_json() for pair in finding.pairs))
    click.echo(f"Pairs: {order.each}", err=order.as_json)
