"""`viva consistency bail`: does a worse record ever get a milder decision?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.asking import asking_of, examining_options, writing_after
from vivavoce.cli.endings import GOES_ON, OF_VERDICT, exit_codes
from vivavoce.cli.help import command
from vivavoce.cli.names import CANDIDATE
from vivavoce.cli.options import config_options
from vivavoce.cli.output import show
from vivavoce.formats.json_values import to_json
from vivavoce.studies.config import BailConfig

if TYPE_CHECKING:
    from vivavoce.studies.defendants.decisions import JudgedPair


@command(epilog=exit_codes("4 no two decisions to compare", GOES_ON))
@click.argument("candidate", type=CANDIDATE)
@click.option(
    "--defendants",
    required=True,
    type=options.KNOWN_FILE,
    help="Read the defendants' records from this CSV; columns are listed above.",
)
@config_options(BailConfig)
@click.option("--details", "each", type=options.OUTPUT, help="Write each pair of records with both decisions (JSON Lines).")
@examining_options
def bail(*, candidate: str, defendants: Path, each: Path | None, **given: Any) -> int:
    """Check that a worse record never gets a milder bail decision than a better one.

    \b
    viva consistency bail chat:llama3.2@http://localhost:11434/v1 --defendants defendants.csv --transcript run.sqlite
    viva consistency bail inspect:openai/gpt-4o --defendants defendants.csv --limit 1560 --html page.html
    viva consistency bail function:my_judge:decide --defendants defendants.csv --keep-charge --details pairs.jsonl

    The file has columns id, sex, age, c_charge_desc, c_charge_degree (F or M), priors_count, juv_fel_count and
    juv_misd_count. Each defendant takes eleven questions, and one for the control; twice as many with --recidivism.
    """
    from vivavoce.candidates import open_candidate
    from vivavoce.studies.bail import judge_bail
    from vivavoce.studies.defendants.asking import cases_of, open_dataset, questions_in

    config, asking = options.taken_out(given, BailConfig), asking_of(given)
    pairs: list[JudgedPair] = []
    dataset = open_dataset(defendants)
    finding = asking.examined(
        open_candidate(candidate),
        lambda interview: judge_bail(interview, dataset, config, pairs.append),
        expected=questions_in(cases_of(dataset, config), config),
    )
    with writing_after(each, "Pairs", lambda: map(to_json, pairs)):
        show(finding, measured=finding.measured)
    if config.limit > finding.details.chosen and not asking.quiet:
        click.echo(f"viva: the file has only {finding.details.chosen} defendants, not {config.limit}", err=True)
    return 0 if finding.measured else OF_VERDICT["undecided"]
