"""`viva luna simulate`: chapter 3 of the thesis again, and which rating withstands what."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from vivavoce.cli import options
from vivavoce.cli.config_options import config_options
from vivavoce.cli.output import show
from vivavoce.cli.pages import check_page
from vivavoce.luna.settings import SimulationConfig


@click.command()
@click.option(
    "--figure", "figures", multiple=True, metavar="3.N", help="One of the thesis' figures 3.1 to 3.8; may be repeated."
)
@click.option("--all", "everything", is_flag=True, help="All figures of the chapter.")
@click.option("--attacks", is_flag=True, help="The table of ratings against dishonest, colluding and changing players.")
@config_options(SimulationConfig, only=("rating", "players", "trials", "variance", "seed"))
@options.PROCESSES
@options.QUIET
@options.output_options
def simulate(
    *,
    figures: tuple[str, ...],
    everything: bool,
    attacks: bool,
    workers: int,
    as_json: bool,
    html: Path | None,
    quiet: bool,
    **given: Any,
) -> None:
    """Play simulated Luna games: how far do ratings end up from intelligence, if some guess by a rule?

    \b
    viva luna simulate --figure 3.8
    viva luna simulate --all --html chapter3.html
    viva luna simulate --attacks --workers 2 --json

    Each figure is played in two readings: as the thesis' text has it, and as its figures seem to have been made, with four
    slips of an early program. The page shows both.
    """
    check_page(html)
    from vivavoce.luna.simulation_finding import examine_simulation
    from vivavoce.luna.simulation_tables import FIGURES

    numbers = tuple(FIGURES) if everything else tuple(dict.fromkeys(figures))
    if not (numbers or attacks):
        raise click.UsageError("Nothing to play: give --figure 3.1, --all or --attacks.")
    with options.pool(workers) as executor:
        found = examine_simulation(
            numbers,
            SimulationConfig(**given),
            attacks=attacks,
            executor=executor,
            on_progress=None if quiet else partial(click.echo, err=True),
        )
    show(found, as_json=as_json, html=html)
