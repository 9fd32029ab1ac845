"""What of `viva consistency make` is refused before anything is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from vivavoce.cli.pages import check_writable

if TYPE_CHECKING:
    from vivavoce.cli.laws_make import Order

BY_TEMPLATE, NOBODY = "template", "none"
"""In place of a candidate's name."""


def check_order(order: Order) -> None:
    """Refuse what does not fit together, and a file that cannot be written."""
    if order.questions is None:
        _check_series(order)
    else:
        _check_questions(order)
    check_writable("--out", order.out)
    for name in ("questions", "templates"):
        source = getattr(order, name)
        if source is not None and order.out.exists() and source.exists() and order.out.samefile(source):
            raise click.UsageError(f"--out {order.out} would replace --{name}: give another name.")


def _check_series(order: Order) -> None:
    if (order.template is None) == (order.templates is None):
        raise click.UsageError("Give --questions FILE, or --template TEXT with --values, or --templates FILE: one of them.")
    if order.writer is not None or order.checker is not None:
        raise click.UsageError("Series need no --writer and no --checker: give --questions FILE for those.")
    if order.template is not None and order.values is None:
        raise click.UsageError("--template needs --values X,X,...: what goes into its gap {}.")
    if order.templates is not None and order.values is not None:
        raise click.UsageError("--values is for --template; with --templates they stand in the file.")
    if order.template is not None and order.law is None:
        raise click.UsageError("--template needs --law: increasing, decreasing or chain.")


def _check_questions(order: Order) -> None:
    if order.template is not None or order.templates is not None or order.values is not None:
        raise click.UsageError("--questions and series do not go together: make two files.")
    if not order.laws:
        raise click.UsageError("--questions needs --law LAW,...: which statements should be made?")
    if order.writer is None:
        raise click.UsageError("--questions needs --writer CANDIDATE, or --writer template to do without a model.")
