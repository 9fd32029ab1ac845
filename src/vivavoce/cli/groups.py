"""The groups of commands, and where each of their commands is."""

from __future__ import annotations

from typing import Any

import click

from vivavoce.cli.help import LazyGroup
from vivavoce.studies.scope_studies import SCOPE_STUDIES

CONSISTENCY = {
    "laws": "vivavoce.cli.consistency.forecasts:laws",
    "score": "vivavoce.cli.consistency.forecasts:score",
    "ask": "vivavoce.cli.consistency.forecasts:ask",
    "variants": "vivavoce.cli.consistency.forecasts:variants",
    "bail": "vivavoce.cli.consistency.bail:bail",
    "make": "vivavoce.cli.consistency.forecast_files:make",
    "review": "vivavoce.cli.consistency.forecast_files:review",
    "cases": "vivavoce.cli.consistency.cases:cases",
    "chess": "vivavoce.cli.consistency.engines:chess",
    "chess-search": "vivavoce.cli.consistency.engines:chess_search",
    "chess-scaling": "vivavoce.cli.consistency.engines:chess_scaling",
    "games": "vivavoce.cli.consistency.engines:games",
    "metamorphic": "vivavoce.cli.consistency.metamorphic:metamorphic",
    **{name: f"vivavoce.cli.consistency.scope_study:{name}" for name in SCOPE_STUDIES},
    "vary": "vivavoce.cli.consistency.vary:vary",
}
"""Where each command is."""


@click.command(cls=LazyGroup, places=CONSISTENCY)
def consistency() -> None:
    """Find contradictions, even where no one knows the right answer."""


GENERALIZATION = {
    "survey": "vivavoce.cli.generalization.survey.group:survey",
    "simulate": "vivavoce.cli.generalization.rehearsals:simulate",
    "fit": "vivavoce.cli.generalization.predictors:fit",
    "predict": "vivavoce.cli.generalization.predictors:predict",
    "evaluate": "vivavoce.cli.generalization.predictors:evaluate",
    "influential": "vivavoce.cli.generalization.predictors:influential",
    "align": "vivavoce.cli.generalization.align:align",
    "measure": "vivavoce.cli.generalization.measure:measure",
    "deploy": "vivavoce.cli.generalization.align:deploy",
}
"""Where each command is."""


@click.command(cls=LazyGroup, places=GENERALIZATION)
def generalization() -> None:
    """Measure how people generalise from a model's answers, and whether they rely on it where it fails.

    \b
    viva generalization fit pairs.csv --predictor stacked-logistic --out model
    viva generalization evaluate model held-out.csv
    viva generalization align --pairs predicted.csv --answers answers.csv --thresholds .5,.9,.95,.99
    viva generalization measure mmlu:FOLDER --candidate chat:A@http://localhost:11434/v1 --beliefs model --out measured
    viva generalization survey create trust --scope file:questions.jsonl --candidate chat:llama3.2@http://localhost:11434/v1
    """


LUNA = {
    "play": "vivavoce.cli.luna.play:play",
    "machine": "vivavoce.cli.luna.operator:machine",
    "export": "vivavoce.cli.luna.operator:export",
    "stats": "vivavoce.cli.luna.operator:stats",
    "rate": "vivavoce.cli.luna.rate:rate",
    "simulate": "vivavoce.cli.luna.rate:simulate",
    "predict": "vivavoce.cli.luna.predict:predict",
    "reports": "vivavoce.cli.luna.operator:reports",
    "hide": "vivavoce.cli.luna.operator:hide",
    "flags": "vivavoce.cli.luna.operator:flags",
    "ban": "vivavoce.cli.luna.operator:ban",
    "void": "vivavoce.cli.luna.operator:void",
    "unban": "vivavoce.cli.luna.operator:unban",
    "dismiss": "vivavoce.cli.luna.operator:dismiss",
    "backup": "vivavoce.cli.luna.operator:backup",
}
"""Where each command is."""


@click.command(cls=LazyGroup, places=LUNA)
def luna(**_: Any) -> None:
    """Run and rate Luna games, in which people and machines interview each other.

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
