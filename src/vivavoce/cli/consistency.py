"""`viva consistency`: the consistency room on the command line."""

from __future__ import annotations

import click

from vivavoce.cli.lazy import LazyGroup

COMMANDS = {
    "chess": "vivavoce.cli.chess:chess",
    "chess-search": "vivavoce.cli.chess_search:chess_search",
    "chess-scaling": "vivavoce.cli.chess_scaling:chess_scaling",
}
"""Where each command is."""


@click.command(cls=LazyGroup, places=COMMANDS)
def consistency() -> None:
    """Where does a candidate contradict itself, although nobody knows the right answer?"""
