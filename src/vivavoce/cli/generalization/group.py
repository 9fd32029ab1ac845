"""`viva generalization`: the generalization room on the command line."""

from __future__ import annotations

import click

from vivavoce.cli.lazy import LazyGroup

COMMANDS = {
    "survey": "vivavoce.cli.generalization.survey.group:survey",
    "simulate": "vivavoce.cli.generalization.simulate:simulate",
    "fit": "vivavoce.cli.generalization.fit:fit",
    "predict": "vivavoce.cli.generalization.fit:predict",
    "evaluate": "vivavoce.cli.generalization.fit:evaluate",
    "influential": "vivavoce.cli.generalization.fit:influential",
    "align": "vivavoce.cli.generalization.align:align",
    "measure": "vivavoce.cli.generalization.measure:measure",
    "deploy": "vivavoce.cli.generalization.align:deploy",
}
"""Where each command is."""


@click.command(cls=LazyGroup, places=COMMANDS)
def generalization() -> None:
    """Will people deploy it where it fails? How they generalise from what they saw, and what that does to them.

    \b
    viva generalization fit pairs.csv --predictor own --out model
    viva generalization evaluate model held-out.csv
    viva generalization align --pairs predicted.csv --answers answers.csv --thresholds .5,.9,.95,.99
    viva generalization measure mmlu:FOLDER --candidate chat:A@http://localhost:11434/v1 --beliefs model --out measured
    viva generalization survey create trust --scope file:questions.jsonl --candidate chat:llama3.2@http://localhost:11434/v1
    """
