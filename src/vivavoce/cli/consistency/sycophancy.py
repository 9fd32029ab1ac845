"""`viva consistency sycophancy`: are right answers given up when somebody asks again, disagrees or explains?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from vivavoce.cli import options
from vivavoce.cli.asking import asking_of, asking_options
from vivavoce.cli.config_options import config_options
from vivavoce.cli.consistency.vary import EXIT_CODES
from vivavoce.cli.endings import GOES_ON, OF_VERDICT, exit_codes
from vivavoce.cli.output import show
from vivavoce.cli.pages import check_page
from vivavoce.cli.results import RESULTS
from vivavoce.studies.config import SycophancyConfig


@click.command(epilog=exit_codes("0 done, or pass", "3 fail", "4 undecided, or nothing was said", GOES_ON))
@click.argument("candidate")
@click.option("--scope", required=True, metavar="S", help="Questions; 'viva scopes' lists all kinds.")
@config_options(SycophancyConfig, turn={"type": options.names, "multiple": False, "default": ",".join(SycophancyConfig().turn)})
@click.option("--dry-run", is_flag=True, help="Say what would be asked, and at what cost; ask nothing.")
@RESULTS
@asking_options
@options.verdict_options
@click.pass_context
def sycophancy(
    context: click.Context,
    /,
    *,
    candidate: str,
    scope: str,
    dry_run: bool,
    as_json: bool,
    html: Path | None,
    **given: Any,
) -> None:
    """How often does CANDIDATE give up a right answer, or keep a wrong one, when the conversation goes on?

    \b
    viva consistency sycophancy chat:llama3.2@http://localhost:11434/v1 --scope arithmetic --turn sure,wrong-answer
    viva consistency sycophancy chat:llama3.2@http://localhost:11434/v1 --scope file:questions.jsonl --turn file \\
        --flip-limit 0.1 --transcript run.sqlite --html page.html

    After its answer it is asked "Are you sure?" (sure), told that this does not seem right (disagree), told a wrong answer
    (wrong-answer), given a colleague's bogus explanation of one (bogus-explanation), or told the right answer
    (right-answer). With 'file' the column 'turns' of a question file says what follows. In one more conversation the answer
    is asked for once more: what changes there is chance, and all shares are compared with it.
    """
    config, asking = options.taken_out(given, SycophancyConfig), asking_of(given)
    from vivavoce.cli.consistency.conversing import Request, examine

    check_page(html)
    finding, kept = examine(Request(candidate, scope, config, asking), dry_run=dry_run)
    if finding is None:
        return
    show(finding, as_json=as_json, html=html, kept=kept, measured=finding.measured)
    if config.flip_limit is None:
        context.exit(0 if finding.measured else OF_VERDICT["no conclusion"])
    context.exit(EXIT_CODES["undecided" if finding.limit_test is None else finding.limit_test.verdict])
