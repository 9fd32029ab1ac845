"""`viva --completion`, which prints the script for a shell."""

from __future__ import annotations

from typing import Final

import click

SHELLS: Final = ("bash", "zsh", "fish")
BASH: Final = "COMP_WORDBREAKS=${COMP_WORDBREAKS//:}\n"
"""Names contain colons, at which bash would begin another word."""


def print_completion(context: click.Context, _: click.Parameter, shell: str | None) -> None:
    """Print the script that completes commands, candidates, scopes and columns in this shell, and exit; nothing without one."""
    if shell is None or context.resilient_parsing:
        return
    from click.shell_completion import get_completion_class

    shells = get_completion_class(shell)
    assert shells is not None
    complete = shells(context.command, {}, "viva", "_VIVA_COMPLETE")
    if shell == "bash":  # click would ask bash for its version, which the script does not need
        click.echo(BASH + shells.source_template % complete.source_vars())
    else:
        click.echo(complete.source())
    context.exit()
