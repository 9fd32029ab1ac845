"""The groups of commands, the module of each command, and `viva list`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

import click

from vivavoce.cli.help import LazyGroup, command
from vivavoce.cli.options import JSON, Choice, wants_json
from vivavoce.cli.output import print_json
from vivavoce.studies.scope_studies import COMMAND_NAMES

CONSISTENCY = {
    "forecasts": "vivavoce.cli.groups:forecasts",
    "prompts": "vivavoce.cli.consistency.forecasts:prompts",
    "rules": "vivavoce.cli.consistency.studies:rules",
    "bail": "vivavoce.cli.consistency.legal:bail",
    "cases": "vivavoce.cli.consistency.legal:cases",
    **{name: f"vivavoce.cli.consistency.studies:{study}" for study, name in COMMAND_NAMES.items()},
    "vary": "vivavoce.cli.consistency.studies:vary",
    "teach": "vivavoce.cli.compare:teach",
    "chess": "vivavoce.cli.groups:chess",
}
"""Module and function of each command, as for the groups below."""


@click.command(
    cls=LazyGroup,
    places=CONSISTENCY,
    former={"laws": "forecasts", "metamorphic": "rules", "sycophancy": "conversations", "variants": "prompts"},
)
def consistency() -> None:
    """Find contradictions, even without right answers, and what changes answers."""


FORECASTS = {
    "ask": "vivavoce.cli.consistency.forecasts:ask",
    "score": "vivavoce.cli.consistency.forecasts:score",
    "make": "vivavoce.cli.consistency.forecast_files:make",
    "review": "vivavoce.cli.consistency.forecast_files:review",
}


@click.command(cls=LazyGroup, places=FORECASTS)
def forecasts() -> None:
    """Ask for forecasts, and measure how often they contradict each other.

    \b
    viva consistency forecasts make --questions questions.txt --law neg,and --out tuples.jsonl
    viva consistency forecasts ask chat:llama3.2@http://localhost:11434/v1 --tuples tuples.jsonl
    viva consistency forecasts score forecasts.jsonl
    """


CHESS = {
    "check": "vivavoce.cli.consistency.chess:check",
    "search": "vivavoce.cli.consistency.chess:search",
    "scaling": "vivavoce.cli.consistency.chess:scaling",
}


@click.command(cls=LazyGroup, places=CHESS)
def chess() -> None:
    """Check that a chess engine evaluates a position and its mirror image alike.

    \b
    viva consistency chess check uci:stockfish --limit 100
    viva consistency chess search 'uci:stockfish?nodes=1000'
    viva consistency chess scaling uci:stockfish --nodes 10,100,1000
    """


MAKE = {
    "questions": "vivavoce.cli.make:questions",
    "review": "vivavoce.cli.make:review",
}


@click.command(cls=LazyGroup, places=MAKE)
def make() -> None:
    """Make questions with answers about your documents, and have people review them.

    \b
    viva make questions handbook.pdf policies/ --writer chat:A@http://localhost:11434/v1 --out questions.jsonl --sheet sheet.csv
    viva make review questions.jsonl sheet.csv --out reviewed.jsonl
    viva certify chat:BOT@http://localhost:8000/v1 file:reviewed.jsonl
    """


PEOPLE = {
    "survey": "vivavoce.cli.people.survey.group:survey",
    "predict": "vivavoce.cli.groups:predict",
    "align": "vivavoce.cli.people.align:align",
    "measure": "vivavoce.cli.people.measure:measure",
    "deploy": "vivavoce.cli.people.align:deploy",
    "grade": "vivavoce.cli.people.grade:grade",
    "calibrate": "vivavoce.cli.people.grade:calibrate",
    "simulate": "vivavoce.cli.people.survey.group:simulate",
}


@click.command(cls=LazyGroup, places=PEOPLE)
def people() -> None:
    """Have people grade answers, and measure how they generalise from answers and where they wrongly rely on a model.

    \b
    viva people predict fit pairs.csv --predictor stacked-logistic --out model
    viva people predict evaluate model held-out.csv
    viva people align --pairs predicted.csv --answers answers.csv --thresholds .5,.9,.95,.99
    viva people measure chat:A@http://localhost:11434/v1 chat:B@http://localhost:11434/v1 mmlu:FOLDER
    viva people grade export run.sqlite --out sheet.csv
    viva people calibrate chat:llama3.2@http://localhost:11434/v1 --sheet graded.csv --out calibration.json
    viva people survey create trust --scope file:questions.jsonl --candidate chat:llama3.2@http://localhost:11434/v1
    """


PREDICT = {
    "fit": "vivavoce.cli.people.predict:fit",
    "apply": "vivavoce.cli.people.predict:apply",
    "evaluate": "vivavoce.cli.people.predict:evaluate",
    "influential": "vivavoce.cli.people.predict:influential",
}


@click.command(cls=LazyGroup, places=PREDICT)
def predict() -> None:
    """Predict how an answer changes what people expect of other answers.

    \b
    viva people predict fit pairs.csv --predictor stacked-logistic --out model
    viva people predict apply model questions.csv --out predicted.csv
    viva people predict evaluate model held-out.csv
    """


LUNA = {
    "serve": "vivavoce.cli.luna.serve:serve",
    "play": "vivavoce.cli.luna.serve:play",
    "rate": "vivavoce.cli.luna.ratings:rate",
    "simulate": "vivavoce.cli.luna.ratings:simulate",
    "predict": "vivavoce.cli.luna.ratings:predict",
    "machine": "vivavoce.cli.luna.admin:machine",
    "admin": "vivavoce.cli.groups:admin",
}


@click.command(cls=LazyGroup, places=LUNA)
def luna() -> None:
    """Run and rate Luna games, in which people and machines interview each other.

    \b
    viva luna serve --demo
    viva luna machine add "My model" --database luna.sqlite
    viva luna play chat:llama3.2@http://localhost:11434/v1 --server https://luna.example --token-file token.txt --games 5
    viva luna play control:gibberish --server http://localhost:8000 --token-file token.txt
    viva luna admin stats --database luna.sqlite
    viva luna admin export --database luna.sqlite --out games
    viva luna rate games --html ratings.html
    viva luna simulate --all --html chapter3.html
    viva luna predict fit graded.csv --out model.json
    viva luna predict apply model.json answers.csv --json
    """


ADMIN = {
    name: f"vivavoce.cli.luna.admin:{name}" for name in ("stats", "export", "reports", "hide", "flags", "ban", "void", "backup")
}


@click.command(cls=LazyGroup, places=ADMIN, former={"unban": "ban --undo"})
def admin() -> None:
    """Operate a site: figures, exports, reports of players, bans and backups.

    \b
    viva luna admin stats --database luna.sqlite
    viva luna admin reports --database luna.sqlite
    viva luna admin backup --database luna.sqlite luna-2026-06-14.sqlite
    """


if TYPE_CHECKING:
    pass


def _print_kinds(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        click.secho(row["form"], bold=True)
        click.echo(click.wrap_text(row["explanation"], width=96, initial_indent="    ", subsequent_indent="    "))
        if row["example"] != row["form"]:
            click.echo(f"    for example: {row['example']}")
        click.echo()


def _candidates() -> list[dict[str, Any]]:
    from vivavoce.candidates import BOTS, KINDS

    return [{"form": kind.form, "example": kind.example, "explanation": kind.explanation} for kind in (*KINDS, *BOTS)]


def _scopes() -> list[dict[str, Any]]:
    from vivavoce.cli.inspect_runs import TASK
    from vivavoce.scopes import KINDS

    rows = [*((kind.form, kind.example, kind.explanation) for kind in KINDS), TASK]
    return [{"form": form, "example": example, "explanation": text} for form, example, text in rows]


def _rules() -> list[dict[str, Any]]:
    from vivavoce.laws.law import ABOUT, BUILT_IN, NAMES
    from vivavoce.laws.violation import FORMULA

    lines = {name: BUILT_IN[name].line.partition(": ")[2] if name in BUILT_IN else ABOUT[name] for name in NAMES}
    return [{"name": name, "statements": lines[name], "metric": FORMULA[name]} for name in NAMES]


def _print_rules(rows: list[dict[str, Any]]) -> None:
    from rich.console import Console

    from vivavoce.render.terminal import table

    Console().print(table(("Rule", "Statements", "Metric"), [tuple(row.values()) for row in rows]))


def _concepts() -> list[dict[str, Any]]:
    from vivavoce.eqt.concepts import chosen_concepts

    return [{"category": concept.category, "name": concept.name} for concept in chosen_concepts(())]


def print_concepts(rows: list[dict[str, Any]]) -> None:
    """Print concepts as a file that `viva eqt --concepts` takes."""
    category = None
    for row in rows:
        if row["category"] != category:
            category = row["category"]
            click.echo(f"[{category}]")
        click.echo(row["name"])


LISTS: Final[Mapping[str, tuple[Callable[[], list[dict[str, Any]]], Callable[[list[dict[str, Any]]], None]]]] = {
    "candidates": (_candidates, _print_kinds),
    "scopes": (_scopes, _print_kinds),
    "rules": (_rules, _print_rules),
    "concepts": (_concepts, print_concepts),
}
"""How each list is made and printed."""


@command("list")
@click.argument("what", type=Choice(tuple(LISTS)))
@JSON
def list_(what: str) -> None:
    """List kinds of candidates or scopes with examples, rules of consistency, or concepts of 'viva eqt'.

    \b
    viva list candidates
    viva list scopes
    viva list rules
    viva list concepts > concepts.txt

    A rule is a law of probability that forecasts can break ('viva consistency forecasts score'). Write your own in one
    line: [NAME:] STATEMENT, STATEMENT, ... [where CONSTRAINT; CONSTRAINT]. A statement is a formula of events with ~ & ^ |
    and brackets, or FORMULA given FORMULA, and may have a name: not_P = ~P. A constraint is a formula, A implies B, A iff
    B, or exactly one of A, B, C (at most one of, at least one of).
    """
    rows_of, show = LISTS[what]
    rows = rows_of()
    if wants_json():
        print_json(rows)
    else:
        show(rows)
