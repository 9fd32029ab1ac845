"""`viva teach`: what does a dialogue with a teacher change?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from vivavoce.certificate.comparison.config import ComparisonConfig
from vivavoce.cli import options
from vivavoce.cli.asking import asking_of, asking_options
from vivavoce.cli.config_options import config_options
from vivavoce.cli.endings import GOES_ON, OF_VERDICT, exit_codes
from vivavoce.cli.output import show
from vivavoce.cli.pages import check_page
from vivavoce.cli.results import RESULTS
from vivavoce.examination.teaching_config import TeachingConfig

_COMPARISON = ("margin", "delta", "questions", "unreadable", "seed")


@click.command(epilog=exit_codes("4 undecided", GOES_ON))
@click.argument("candidate")
@click.option("--teacher", required=True, metavar="CANDIDATE", help="Who speaks with CANDIDATE.")
@click.option("--scope", "scope_name", required=True, metavar="S", help="Questions; 'viva scopes' lists all kinds.")
@config_options(TeachingConfig)
@config_options(ComparisonConfig, only=_COMPARISON, margin={"type": options.portion})
@click.option("--dry-run", is_flag=True, help="Show what the teacher is told; ask nothing.")
@options.AGAIN
@RESULTS
@asking_options
@options.verdict_options
@click.pass_context
def teach(
    context: click.Context,
    /,
    *,
    candidate: str,
    teacher: str,
    scope_name: str,
    dry_run: bool,
    again: bool,
    as_json: bool,
    html: Path | None,
    **given: Any,
) -> None:
    """Is CANDIDATE better on a scope after a dialogue with a teacher than before?

    \b
    viva teach chat:SMALL@http://localhost:11434/v1 --teacher chat:LARGE@http://localhost:11434/v1 --scope intervals \\
        --dialogue-turns 3 --transcript run.sqlite --html page.html

    The teacher is shown some questions of the scope, and leads the dialogue by questions of its own. Then the same questions,
    others than these, are asked with the dialogue before them and without it, until it is clear what has changed: better,
    worse, equivalent within the margin, not worse by more than it, or undecided.
    """
    teaching, config = options.taken_out(given, TeachingConfig), options.taken_out(given, ComparisonConfig)
    asking = asking_of(given)
    from vivavoce.cli.teaching import Request, examine

    check_page(html)
    finding, kept = examine(Request(candidate, teacher, scope_name, teaching, config, asking), again=again, dry_run=dry_run)
    if finding is None:
        return
    show(finding, as_json=as_json, html=html, kept=kept)
    if finding.comparison.verdict == "undecided":
        context.exit(OF_VERDICT["undecided"])
