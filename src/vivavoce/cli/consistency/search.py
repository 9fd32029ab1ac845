"""`viva consistency search`: in which ways does a candidate contradict itself?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from vivavoce.cli import options
from vivavoce.cli.asking import asking_of, asking_options
from vivavoce.cli.config_options import config_options
from vivavoce.cli.consistency.vary import names
from vivavoce.cli.endings import GOES_ON, OF_VERDICT, exit_codes
from vivavoce.cli.output import show
from vivavoce.cli.pages import check_page
from vivavoce.cli.results import RESULTS
from vivavoce.consistency.search.config import ContradictionSearchConfig


@click.command(epilog=exit_codes("4 no attempt could be read", GOES_ON))
@click.argument("candidate")
@click.argument("what", required=False, metavar="[bail]", type=click.Choice(["bail"]))
@click.option("--scope", metavar="S", help="Vary the questions of this scope; 'viva scopes' lists all kinds.")
@click.option("--tuples", type=options.KNOWN_FILE, metavar="FILE", help="Search tuples of questions that laws relate.")
@click.option(
    "--questions",
    type=options.KNOWN_FILE,
    metavar="FILE",
    help="Compose such tuples of these questions, one a line or JSON Lines.",
)
@click.option(
    "--defendants", type=options.KNOWN_FILE, metavar="FILE", help="Search decisions on bail, as 'viva consistency bail'."
)
@click.option(
    "--vary",
    type=names,
    metavar="KIND,...",
    help="Kinds of variation that are combined: order, typos, context, persona. [default: all that apply]",
)
@click.option(
    "--law", multiple=True, metavar="LAW,...", help="Only tuples of these laws; for --questions such as templates can compose."
)
@config_options(ContradictionSearchConfig)
@click.option("--dry-run", is_flag=True, help="Say what would be asked, and at what cost; ask nothing.")
@RESULTS
@asking_options
@options.verdict_options
@click.pass_context
def search(
    context: click.Context,
    /,
    *,
    candidate: str,
    what: str | None,
    dry_run: bool,
    as_json: bool,
    html: Path | None,
    **given: Any,
) -> None:
    """Search for contradictions of CANDIDATE, and draw at random beside it with as many calls.

    \b
    viva consistency search chat:llama3.2@http://localhost:11434/v1 --scope file:questions.jsonl --vary order,typos,persona
    viva consistency search chat:llama3.2@http://localhost:11434/v1 --tuples tuples.jsonl --law and,cond --calls 1000
    viva consistency search function:my_judge:decide bail --defendants defendants.csv --transcript run.sqlite --html page.html

    Every contradiction is shrunk until no change can go, and confirmed on fresh answers. A search is no rate: for how often
    a candidate contradicts itself see 'viva consistency vary', 'ask' and 'bail'.
    """
    from vivavoce.cli.consistency.searching import Request, Where, examine

    config, asking = options.taken_out(given, ContradictionSearchConfig), asking_of(given)
    where = options.taken_out(given, Where)
    if what is not None and where.defendants is None:
        raise click.UsageError("'bail' is about defendants: give --defendants FILE, as 'viva consistency bail' takes it.")
    _check(where)
    check_page(html)
    finding, kept = examine(Request(candidate, where, config, asking), dry_run=dry_run)
    if finding is None:
        return
    show(finding, as_json=as_json, html=html, kept=kept, measured=finding.measured)
    context.exit(0 if finding.measured else OF_VERDICT["no conclusion"])


def _check(where: Any) -> None:
    """Refuse what does not fit together."""
    given = [name for name in ("scope", "tuples", "questions", "defendants") if getattr(where, name) is not None]
    if len(given) != 1:
        raise click.UsageError(
            "Give one of --scope, --tuples, --questions and --defendants: where contradictions are searched."
        )
    if where.law and where.tuples is None and where.questions is None:
        raise click.UsageError("--law is for --tuples and --questions.")
    if where.vary and where.defendants is not None:
        raise click.UsageError("--vary is for questions and tuples; records of defendants have changes of their own.")
