"""`viva list`: kinds of candidates and scopes, rules of consistency, and concepts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import click

from vivavoce.cli.help import command
from vivavoce.cli.options import JSON, Choice, wants_json
from vivavoce.cli.output import print_json


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
