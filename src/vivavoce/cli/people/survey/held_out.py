"""`viva people survey yield`: does the predictor find pairs that change beliefs?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vivavoce.cli import options
from vivavoce.cli.help import command
from vivavoce.cli.options import config_options
from vivavoce.cli.output import check_page, output_options, show
from vivavoce.cli.people.survey.group import read_places
from vivavoce.generalization.config import RehearsalConfig
from vivavoce.generalization.predictors.registry import PREDICTORS

if TYPE_CHECKING:
    from vivavoce.generalization.pairs import BeliefPair
    from vivavoce.generalization.predictors.base import Predictor

FITTED = tuple(name for name, kind in PREDICTORS.items() if not kind.asks)
"""Predictors that ask no model."""


@command("yield")
@click.argument("places", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="FOLDER|FILE...")
@config_options(
    RehearsalConfig,
    only=("predictor",),
    predictor={"type": options.Choice(FITTED), "metavar": None, "help": "Fit this predictor."},
)
@click.option(
    "--fit",
    "earlier",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    metavar="FOLDER|FILE",
    help="Fit to these answers, and leave their pairs out of the test. Repeatable.",
)
@click.option(
    "--folds",
    type=options.WholeNumber(2, 100),
    default=5,
    show_default=True,
    help="Split the pairs into this many folds, without --fit.",
)
@options.seed("Draw folds and break ties with this seed.")
@output_options
def yield_(
    places: tuple[Path, ...],
    predictor: str,
    earlier: tuple[Path, ...],
    folds: int,
    seed: int,
    as_json: bool,
    html: Path | None,
) -> None:
    """Check whether the predictor finds pairs that change beliefs: changes by tenth of its ranking (Figure 3).

    \b
    viva people survey yield answers
    viva people survey yield stage-3 --fit stage-1 --fit stage-2 --predictor stacked-logistic --html yield.html

    The test uses pairs outside the fit: those outside --fit, or folds of the survey's own pairs.
    """
    import numpy as np

    from vivavoce.generalization.predictors.model_store import fit_predictor
    from vivavoce.generalization.survey.held_out_yield import held_out_yield

    check_page(html)
    rng = np.random.default_rng([seed, 1])

    def fit(pairs: Sequence[BeliefPair]) -> Predictor:
        return fit_predictor(predictor, pairs, rng=rng)

    read = read_places(places)
    finding = held_out_yield(
        [response.pair for response in read.responses],
        fit,
        predictor=predictor,
        source=read.source,
        digest=read.digest,
        earlier=[response.pair for response in read_places(earlier).responses] if earlier else (),
        folds=folds,
        seed=seed,
    )
    show(finding, as_json=as_json, html=html)
