"""`viva luna`: the game in which people and machines interview each other."""

from __future__ import annotations

from typing import Any

import click

from vivavoce.cli.lazy import LazyGroup

COMMANDS = {
    "play": "vivavoce.cli.luna.play:play",
    "machine": "vivavoce.cli.luna.machine:machine",
    "export": "vivavoce.cli.luna.operator:export",
    "stats": "vivavoce.cli.luna.operator:stats",
    "rate": "vivavoce.cli.luna.rate:rate",
    "simulate": "vivavoce.cli.luna.simulate:simulate",
    "predict": "vivavoce.cli.luna.predict.group:predict",
    "reports": "vivavoce.cli.luna.operator:reports",
    "hide": "vivavoce.cli.luna.operator:hide",
    "flags": "vivavoce.cli.luna.sanctions:flags",
    "ban": "vivavoce.cli.luna.sanctions:ban",
    "void": "vivavoce.cli.luna.sanctions:void",
    "unban": "vivavoce.cli.luna.sanctions:unban",
    "dismiss": "vivavoce.cli.luna.operator:dismiss",
    "backup": "vivavoce.cli.luna.operator:backup",
}
"""Where each command is."""


@click.command(cls=LazyGroup, places=COMMANDS)
def luna(**_: Any) -> None:
    """How smart do people and machines find each other, when they interview each other?

    \b
    viva luna machine add "My model" --database luna.sqlite
    viva luna play chat:llama3.2@http://localhost:11434/v1 --server https://luna.example --token-file token.txt --games 5
    viva luna play control:gibberish --server http://localhost:8000 --token-file token.txt
    viva luna stats --database luna.sqlite
    viva luna export --database luna.sqlite --out games
    viva luna rate games --html ratings.html
    viva luna simulate --all --html chapter3.html
    viva luna predict fit graded.csv --out model.json
    viva luna predict apply model.json answers.csv --json
    """
