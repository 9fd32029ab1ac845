"""`viva mcp`: an MCP server with which agents examine other models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.asking import asked_how, asking_of
from vivavoce.cli.endings import exit_codes, needs_extra
from vivavoce.cli.help import command
from vivavoce.cli.options import config_options
from vivavoce.cli.tracing import exporting
from vivavoce.plugins.mcp_server.limits import AllowanceConfig

if TYPE_CHECKING:
    from pathlib import Path


@command(epilog=exit_codes("0 the client has closed the connection", "5 the transcript can't be used"))
@click.option(
    "--candidate",
    "candidates",
    required=True,
    multiple=True,
    metavar="[ALIAS=]C",
    help="Offer this candidate to clients, by its alias if it has one. Repeatable.",
)
@click.option(
    "--scope",
    "scopes",
    required=True,
    multiple=True,
    metavar="[ALIAS=]S",
    help="Offer this scope to clients, by its alias if it has one. Repeatable.",
)
@config_options(AllowanceConfig, only=("questions", "per_call", "delta"))
@asked_how
@click.option(
    "--out",
    type=options.FOLDER,
    metavar="FOLDER",
    help="Also write each finding to this folder (JSON, for 'viva recheck').",
)
def mcp(
    candidates: tuple[str, ...],
    scopes: tuple[str, ...],
    out: Path | None,
    **given: Any,
) -> None:
    """Serve certify, compare and recheck as MCP tools for agents.

    \b
    viva mcp --candidate bot:calculator --scope arithmetic --questions 500
    viva mcp --candidate small=chat:llama3.2@http://localhost:11434/v1 --scope sums=arithmetic?operations=+ \\
        --questions 1000 --money 2 --transcript examined.sqlite

    Clients can use only these candidates and scopes. '--questions', '--set tokens' and '--money' limit all calls together for
    the life of the server. Attempts are counted as usual; without '--transcript' they are forgotten when the server ends.
    """
    asking = asking_of(given | {"quiet": True})
    allowed = options.taken_out({**given, "tokens": asking.tokens, "money": asking.money}, AllowanceConfig)
    with needs_extra("mcp", "mcp"):
        from vivavoce.plugins.mcp_server.server import McpServer, end_at_once, run, serve_stdio
    from vivavoce.interview.transcript import Transcript
    from vivavoce.plugins.mcp_server.examiner import Examiner, InterviewConduct
    from vivavoce.plugins.mcp_server.limits import Allowance
    from vivavoce.plugins.mcp_server.messages import OfferedChoices

    offered = OfferedChoices.opened(candidates, scopes)
    if asking.transcript is None:
        click.echo("viva: warning: without --transcript, answers and attempts are forgotten when the server ends", err=True)
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
    with Transcript.open(asking.transcript) as record, exporting():
        conduct = InterviewConduct(
            asking.concurrency, asking.time_out, asking.attempts, asking=asking.reply_format, strict_faults=asking.strict_faults
        )
        door = McpServer(Examiner(offered, Allowance(allowed), record, conduct, out=out))
        ended_by = run(serve_stdio(door.server()), door)
    if ended_by:
        end_at_once(ended_by)
