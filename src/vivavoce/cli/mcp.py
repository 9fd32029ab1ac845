"""`viva mcp`: an MCP server with which agents examine other models."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.asking import asked_how, asking_of
from vivavoce.cli.endings import exit_codes
from vivavoce.cli.help import command
from vivavoce.cli.options import config_options
from vivavoce.cli.tracing import exporting
from vivavoce.plugins.mcp_server.config import AllowanceConfig

if TYPE_CHECKING:
    from pathlib import Path

    from vivavoce.plugins.mcp_server.examiner import Examiner


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
@click.option(
    "--http",
    "port",
    type=options.WholeNumber(0, 65_535),
    metavar="PORT",
    help="Serve HTTP here (0: any free port); token in $VIVA_MCP_TOKEN. [default: stdio]",
)
def mcp(
    candidates: tuple[str, ...],
    scopes: tuple[str, ...],
    out: Path | None,
    port: int | None,
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
    try:
        from vivavoce.plugins.mcp_server.server import McpServer  # noqa: F401 -- told before anything is opened
    except ModuleNotFoundError:
        from vivavoce.errors import MissingExtra

        raise MissingExtra("mcp", extra="mcp") from None
    from vivavoce.interview.transcript import Transcript
    from vivavoce.plugins.mcp_server.allowance import Allowance
    from vivavoce.plugins.mcp_server.examiner import Examiner, InterviewConduct
    from vivavoce.plugins.mcp_server.offered import OfferedChoices
    from vivavoce.plugins.mcp_server.serving import end_at_once

    offered = OfferedChoices.opened(candidates, scopes)
    if asking.transcript is None:
        click.echo("viva: warning: without --transcript, answers and attempts are forgotten when the server ends", err=True)
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
    with Transcript.open(asking.transcript) as record, exporting():
        conduct = InterviewConduct(
            asking.concurrency, asking.time_out, asking.attempts, asking=asking.asking, strict_faults=asking.strict_faults
        )
        ended_by = _serve(Examiner(offered, Allowance(allowed), record, conduct, out=out), port)
    if ended_by:
        end_at_once(ended_by)


def _serve(examiner: Examiner, port: int | None) -> int:
    """The signal that ended it, or 0 if the client disconnected."""
    from vivavoce.plugins.mcp_server.server import McpServer
    from vivavoce.plugins.mcp_server.serving import HOST, PATH, TOKEN, listening, run, serve_http, serve_stdio, token_of

    door = McpServer(examiner)
    server = door.server()
    if port is None:
        serving = serve_stdio(server)
    else:
        token, at = token_of(os.environ.get(TOKEN, "")), listening(port)
        click.echo(f"MCP: http://{HOST}:{at.getsockname()[1]}{PATH}", err=True)
        serving = serve_http(server, at, token)
    return run(serving, door)
