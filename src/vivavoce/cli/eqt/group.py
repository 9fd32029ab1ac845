"""`viva eqt`: a candidate answers questions on its own explanations."""

from __future__ import annotations

from typing import Any

import click

from vivavoce.cli.lazy import LazyGroup

COMMANDS = {
    "examine": "vivavoce.cli.eqt.examine:examine",
    "compare": "vivavoce.cli.eqt.results:compare",
    "scope": "vivavoce.cli.eqt.results:scope",
    "show": "vivavoce.cli.eqt.results:show_again",
    "concepts": "vivavoce.cli.eqt.results:concepts",
    "extract": "vivavoce.cli.eqt.originals:extract",
    "overlap": "vivavoce.cli.eqt.originals:overlaps",
    "benchmark": "vivavoce.cli.eqt.originals:benchmark",
}
"""Where each command is."""


class _Examining(LazyGroup):
    """What begins with no command's name is examined: `viva eqt CANDIDATE` is `viva eqt examine CANDIDATE`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the command in that is meant."""
        if args and args[0] not in (*COMMANDS, *ctx.help_option_names):
            args = ["examine", *args]
        return super().parse_args(ctx, args)


@click.command(cls=_Examining, places=COMMANDS)
def eqt(**_: Any) -> None:
    """Can a candidate answer questions about what it has explained itself?

    \b
    viva eqt chat:llama3.2@http://localhost:11434/v1 --concepts math --limit 5 --transcript run.sqlite --html page.html
    viva eqt compare llama.json gpt.json --benchmark mmlu_pro.csv --html page.html
    viva eqt scope llama.json questions.jsonl

    'viva eqt CANDIDATE...' is short for 'viva eqt examine CANDIDATE...'; 'viva eqt examine --help' lists its options.
    """
