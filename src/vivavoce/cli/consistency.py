"""`viva consistency`: the consistency room on the command line."""

from __future__ import annotations

import click

from vivavoce.cli.lazy import LazyGroup

COMMANDS = {
    "laws": "vivavoce.cli.laws:laws",
    "score": "vivavoce.cli.laws:score",
    "ask": "vivavoce.cli.laws_ask:ask",
    "bail": "vivavoce.cli.bail:bail",
    "make": "vivavoce.cli.laws_make:make",
    "review": "vivavoce.cli.laws_review:review",
    "cases": "vivavoce.cli.cases:cases",
    "chess": "vivavoce.cli.chess:chess",
    "chess-search": "vivavoce.cli.chess_search:chess_search",
    "chess-scaling": "vivavoce.cli.chess_scaling:chess_scaling",
    "metamorphic": "vivavoce.cli.relations:metamorphic",
}
"""Where each command is."""


@click.command(cls=LazyGroup, places=COMMANDS)
def consistency() -> None:
    """Where does a candidate contradict itself, although nobody knows the right answer?"""
