"""The command group, and how its errors end: one line with the remedy, and an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper

import click

from vivavoce import __version__
from vivavoce.cli.endings import BAD_INPUT, CLOSED_PIPE, INTERRUPTED, ending
from vivavoce.cli.lazy import LazyGroup

COMMANDS = {
    "examine": "vivavoce.cli.examine:examine",
    "dossier": "vivavoce.cli.dossier_site:dossier",
    "certify": "vivavoce.cli.certify:certify",
    "consistency": "vivavoce.cli.consistency:consistency",
    "eqt": "vivavoce.cli.eqt:eqt",
    "generalization": "vivavoce.cli.generalization:generalization",
    "grade": "vivavoce.cli.grade:grade",
    "luna": "vivavoce.cli.luna:luna",
    "plan": "vivavoce.cli.plan:plan",
    "candidates": "vivavoce.cli.names:candidates",
    "scopes": "vivavoce.cli.names:scopes",
    "transcript": "vivavoce.cli.transcript:transcript",
    "serve": "vivavoce.cli.serve:serve",
}
"""Where each command is; none is imported before it is needed."""

HELP = """Oral examinations for AI systems: what does a candidate understand, and where does it contradict itself?

    \b
    viva examine bot:calculator --out calculator
    viva certify bot:timekeeper --scope intervals --html page.html
    viva consistency chess uci:stockfish --limit 100
    viva eqt chat:llama3.2@http://localhost:11434/v1 --concepts math --limit 5
    viva serve --demo
    viva plan --score 0.9
    viva candidates
    viva transcript show run.sqlite

    \b
    Exit codes:
      0  done; where there is a verdict: the candidate understands
      2  what was given cannot be used, or a wrong key, model name or address
      3  the candidate does not understand
      4  no conclusion
      5  the candidate cannot be reached, or the transcript cannot be used
      130  interrupted
    """


@click.command(
    cls=LazyGroup,
    places=COMMANDS,
    help=HELP,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(__version__, prog_name="viva", message="%(prog)s %(version)s")
def viva() -> None:
    """Replaced by HELP."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `viva` with these arguments, or those of the process; returns the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that knows few letters is no reason to fail
    try:
        code = viva.main(arguments, prog_name="viva", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # lest the interpreter complain when it flushes
        return CLOSED_PIPE
    except click.exceptions.NoArgsIsHelpError as help_wanted:
        click.echo(help_wanted.format_message())
        return BAD_INPUT
    except click.Abort:
        click.echo("viva: interrupted", err=True)
        return INTERRUPTED
    except Exception as error:
        code, line = ending(error)
        click.echo(f"viva: {line}", err=True)
    return code if isinstance(code, int) else 0
