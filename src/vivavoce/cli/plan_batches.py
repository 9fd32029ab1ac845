"""`viva plan --by-batch`: in how many batches, with how many questions in vain, and at which price."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from vivavoce.certificate.config import BATCH_DISCOUNT as USUAL_DISCOUNT
from vivavoce.cli import options

if TYPE_CHECKING:
    from vivavoce.certificate.batch_rounds import BatchedPower

BY_BATCH = click.option(
    "--by-batch",
    is_flag=True,
    help="Tell also what it takes by batch ('chat:...?batch=1'); takes a minute or so.",
)
BATCH_DISCOUNT = click.option(
    "--batch-discount",
    type=options.portion,
    metavar="X",
    default=USUAL_DISCOUNT,
    show_default=True,
    help="The part of the price that is not paid by batch.",
)


def print_batches(found: Mapping[str, BatchedPower], *, assumed: str, priced: bool, of_each: bool = False) -> None:
    """Print a table with a row for each candidate that is assumed.

    found: by how it is told. assumed: what that tells. of_each: batches and questions are of each of two candidates.
    """
    from rich.console import Console

    from vivavoce.formats.wording import count
    from vivavoce.render.terminal import table

    console = Console(highlight=False)
    rows = []
    for name, one in found.items():
        numbers = [f"{one.mean_batches:.1f}", count(one.p90_batches), count(round(one.asked)), f"{one.in_vain:.1f}"]
        rows.append((name, *numbers, *([f"{one.money:.2f}"] if priced else [])))
    heads = (assumed, "batches", "9 of 10", "asked", "in vain", *(("money",) if priced else ()))
    console.print()
    console.print(table(heads, rows, numbers=True))
    runs = next(iter(found.values())).simulations
    whose = ", of each candidate" if of_each else ""
    money = "; money at the price by batch" + (", of both candidates" if of_each else "") if priced else ""
    console.print(
        f"\nBy batch, in {runs} simulations: batches one after the other, each a wait of its own, mean and enough in 9 of 10; "
        f"questions that are asked, and of these drawn in vain, mean{whose}{money}.",
        soft_wrap=True,
    )


def by_batch_as_json(found: BatchedPower | None) -> dict[str, Any]:
    """For a row of the plan; nothing where it was not asked for."""
    return {} if found is None else {"by_batch": found.as_json()}
