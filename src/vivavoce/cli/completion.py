"""`viva completion`, which prints the script for a shell."""

from __future__ import annotations

from typing import Final

import click

from vivavoce.cli.endings import exit_codes
from vivavoce.cli.help import command
from vivavoce.cli.options import Choice

BASH: Final = "COMP_WORDBREAKS=${COMP_WORDBREAKS//:}\n"
"""Names contain colons, at which bash would begin another word."""


@command(epilog=exit_codes())
@click.argument("shell", type=Choice(("bash", "zsh", "fish")))
def completion(shell: str) -> None:
    """Print the script that completes commands, candidates, scopes and columns in SHELL (bash, zsh or fish).

    \b
    viva completion bash >> ~/.bashrc
    viva completion zsh >> ~/.zshrc
    viva completion fish > ~/.config/fish/completions/viva.fish
    """
    from click.shell_completion import get_completion_class

    from vivavoce.cli.viva import viva

    shells = get_completion_class(shell)
    assert shells is not None
    if shell == "bash":  # click would ask bash for its version, which the script does not need
        source = shells.source_template % shells(viva, {}, "viva", "_VIVA_COMPLETE").source_vars()
        click.echo(BASH + source)
    else:
        click.echo(shells(viva, {}, "viva", "_VIVA_COMPLETE").source())
