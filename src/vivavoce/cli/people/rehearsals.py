"""`viva people simulate`: a rehearsal of a survey on synthetic people."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.help import command
from vivavoce.cli.options import config_options
from vivavoce.cli.output import output_options, show
from vivavoce.generalization.config import RehearsalConfig
from vivavoce.generalization.predictors.registry import QUICK

if TYPE_CHECKING:
    from vivavoce.generalization.survey.rehearsal import SurveyRehearsal


@command()
@config_options(RehearsalConfig, predictor={"type": options.Choice(QUICK), "metavar": None})
@click.option("--out", type=options.OUTPUT, help="Write all answers as pairs with raw beliefs.")
@options.QUIET
@output_options
def simulate(*, quiet: bool, out: Path | None, **given: Any) -> None:
    """Rehearse a staged survey on synthetic people with known generalisation.

    \b
    viva people simulate
    viva people simulate --predictor previous-task --html rehearsal.html --out answers.csv

    Shows whether the bandit finds pairs that change beliefs, and whether the weights correct for its choice. 'fit' reads
    the answers.
    """
    finding = _rehearse(RehearsalConfig(**given), quiet=quiet)
    if out is not None:
        from vivavoce.generalization.pairs import write_pairs

        write_pairs(out, finding.result.pairs)
    show(finding)


def _rehearse(config: RehearsalConfig, *, quiet: bool) -> SurveyRehearsal:
    from vivavoce.formats.wording import percent
    from vivavoce.generalization.survey.rehearsal import RehearsedStage, SurveyRehearsal, rehearse
    from vivavoce.interview.scope import Signature
    from vivavoce.version import __version__

    def told(stage: RehearsedStage) -> None:
        if not quiet:
            click.echo(f"stage {stage.number} of {config.stages}: {percent(stage.changed.value or 0.0)} changed", err=True)

    return SurveyRehearsal(
        result=rehearse(config, on_stage=told),
        predictor=config.predictor,
        signature=Signature(
            version=__version__,
            examination="generalization simulate",
            candidate="synthetic people",
            scope=f"{config.questions} questions",
            scope_digest="",
            seed=config.seed,
            settings={name: value for name, value in sorted(asdict(config).items()) if name != "seed"},
        ),
    )
