"""`viva candidates` and `viva scopes`: list what the command line accepts."""

from __future__ import annotations

from collections.abc import Iterable

import click

from vivavoce.cli import options
from vivavoce.cli.help import command
from vivavoce.cli.inspect_runs import TASK

Row = tuple[str, str, str]
"""Form, example, explanation."""


@command()
@options.JSON
def candidates(as_json: bool) -> None:
    """List all kinds of candidates, with examples."""
    from vivavoce.candidates import BOTS, KINDS

    _show([(kind.form, kind.example, kind.explanation) for kind in (*KINDS, *BOTS)], as_json)


@command()
@options.JSON
def scopes(as_json: bool) -> None:
    """List all kinds of scopes, with examples."""
    from vivavoce.scopes import KINDS

    _show([*((kind.form, kind.example, kind.explanation) for kind in KINDS), TASK], as_json)


def _show(rows: Iterable[Row], as_json: bool) -> None:
    if as_json:
        import json

        click.echo(
            json.dumps([{"form": form, "example": example, "explanation": text} for form, example, text in rows], indent=2)
        )
        return
    for form, example, explanation in rows:
        click.secho(form, bold=True)
        click.echo(click.wrap_text(explanation, width=96, initial_indent="    ", subsequent_indent="    "))
        if example != form:
            click.echo(f"    for example: {example}")
        click.echo()
