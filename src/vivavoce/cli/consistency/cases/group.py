"""`viva consistency cases`: examine a classifier of legal cases, or train one."""

from __future__ import annotations

from typing import Any

import click

from vivavoce.cli.lazy import LazyGroup

COMMANDS = {
    "examine": "vivavoce.cli.consistency.cases.command:cases",
    "train": "vivavoce.cli.consistency.cases.train:train",
}
"""Where each command is."""


class _Examining(LazyGroup):
    """What begins with no command's name is examined: `cases CLASSIFIER` is `cases examine CLASSIFIER`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the command in that is meant."""
        if args and args[0] not in (*COMMANDS, *ctx.help_option_names):
            args = ["examine", *args]
        return super().parse_args(ctx, args)


@click.command(cls=_Examining, places=COMMANDS)
def cases(**_: Any) -> None:
    """Does a classifier change its decision on a legal case when one fact is paraphrased?

    \b
    viva consistency cases train train.jsonl --test test.jsonl --encoder sentences:./legal-bert --out judge --html training.html
    viva consistency cases trained:judge --cases test.jsonl --facts 10 --writer chat:llama3.2@http://localhost:11434/v1
    viva consistency cases hf:legal-bert --cases cases.jsonl --writer chat:llama3.2@http://localhost:11434/v1 --html page.html

    'viva consistency cases CLASSIFIER...' is short for 'viva consistency cases examine CLASSIFIER...';
    'viva consistency cases examine --help' lists its options.
    """
