"""`viva luna`: the game in which people and machines interview each other."""

from __future__ import annotations

from typing import Any

import click

from vivavoce.cli.lazy import LazyGroup

COMMANDS = {
    "play": "vivavoce.cli.luna_play:play",
    "machine": "vivavoce.cli.luna_machine:machine",
    "export": "vivavoce.cli.luna_operator:export",
    "stats": "vivavoce.cli.luna_operator:stats",
    "rate": "vivavoce.cli.luna_rate:rate",
    "simulate": "vivavoce.cli.luna_simulate:simulate",
    "predict": "vivavoce.cli.luna_predict:predict",
    "reports": "vivavoce.cli.luna_operator:reports",
    "hide": "vivavoce.cli.luna_operator:hide",
    "ban": "vivavoce.cli.luna_operator:ban",
    "unban": "vivavoce.cli.luna_operator:unban",
    "dismiss": "vivavoce.cli.luna_operator:dismiss",
    "backup": "vivavoce.cli.luna_operator:backup",
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
