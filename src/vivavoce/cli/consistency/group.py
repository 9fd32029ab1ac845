"""`viva consistency`: the consistency room on the command line."""

from __future__ import annotations

import click

from vivavoce.cli.lazy import LazyGroup
from vivavoce.studies.config import SCOPE_STUDIES

COMMANDS = {
    "laws": "vivavoce.cli.consistency.laws.score:laws",
    "score": "vivavoce.cli.consistency.laws.score:score",
    "ask": "vivavoce.cli.consistency.laws.ask:ask",
    "variants": "vivavoce.cli.consistency.laws.variants:variants",
    "bail": "vivavoce.cli.consistency.bail:bail",
    "make": "vivavoce.cli.consistency.laws.make:make",
    "review": "vivavoce.cli.consistency.laws.review:review",
    "cases": "vivavoce.cli.consistency.cases.group:cases",
    "chess": "vivavoce.cli.consistency.chess.command:chess",
    "chess-search": "vivavoce.cli.consistency.chess.search:chess_search",
    "chess-scaling": "vivavoce.cli.consistency.chess.scaling:chess_scaling",
    "games": "vivavoce.cli.consistency.games.command:games",
    "metamorphic": "vivavoce.cli.consistency.metamorphic:metamorphic",
    **{name: f"vivavoce.cli.consistency.scope_study:{name}" for name in SCOPE_STUDIES},
    "vary": "vivavoce.cli.consistency.vary:vary",
}
"""Where each command is."""


@click.command(cls=LazyGroup, places=COMMANDS)
def consistency() -> None:
    """Where does a candidate contradict itself, although nobody knows the right answer?"""
