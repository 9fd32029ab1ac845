"""`viva generalization survey yield`: how often beliefs change, by a predictor's rank of pairs that it has not seen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from vivavoce.cli import options
from vivavoce.cli.config_options import config_options
from vivavoce.cli.generalization.survey.exports import read_places
from vivavoce.cli.output import show
from vivavoce.cli.pages import check_page
from vivavoce.generalization.config import RehearsalConfig
from vivavoce.generalization.predictors.registry import PREDICTORS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vivavoce.generalization.pairs import Pair
    from vivavoce.generalization.predictors.base import Predictor

FITTED = tuple(name for name, kind in PREDICTORS.items() if not kind.asks)
"""Those that ask nobody."""


@click.command("yield")
@click.argument("places", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="FOLDER|FILE...")
@config_options(
    RehearsalConfig,
    only=("predictor",),
    predictor={"type": click.Choice(FITTED), "metavar": None, "help": "Predictor that is fitted."},
)
@click.option(
    "--fit",
    "earlier",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    metavar="FOLDER|FILE",
    help="Fit to these answers, such as earlier stages; pairs that are among them are left out. May be given again.",
)
@click.option("--folds", type=click.IntRange(2, 100), default=5, show_default=True, help="Without --fit: parts of the pairs.")
@options.seed("Draws folds, and breaks ties.")
@options.output_options
def yield_(
    places: tuple[Path, ...],
    predictor: str,
    earlier: tuple[Path, ...],
    folds: int,
    seed: int,
    as_json: bool,
    html: Path | None,
) -> None:
    """Does the predictor find the pairs that change people's beliefs? Share of changes by tenth of its ranking (Figure 3).

    \b
    viva generalization survey yield answers
    viva generalization survey yield stage-3 --fit stage-1 --fit stage-2 --predictor own --html yield.html

    Pairs are held out from the fit: those that are not in --fit, or in folds of the survey's own pairs.
    """
    import numpy as np

    from vivavoce.generalization.predictors.model_store import fit_predictor
    from vivavoce.generalization.survey.held_out_yield import held_out_yield

    check_page(html)
    rng = np.random.default_rng([seed, 1])

    def fit(pairs: Sequence[Pair]) -> Predictor:
        return fit_predictor(predictor, pairs, rng=rng)

    read = read_places(places)
    finding = held_out_yield(
        [one.pair for one in read.responses],
        fit,
        predictor=predictor,
        source=read.source,
        digest=read.digest,
        earlier=[one.pair for one in read_places(earlier).responses] if earlier else (),
        folds=folds,
        seed=seed,
    )
    show(finding, as_json=as_json, html=html)
