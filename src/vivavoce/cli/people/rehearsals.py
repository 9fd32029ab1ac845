"""Rehearsals of surveys on synthetic people: `viva people simulate` and `survey rehearse`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.endings import exit_codes
from vivavoce.cli.help import command
from vivavoce.cli.options import config_options
from vivavoce.cli.output import check_output, check_page, output_options, say, show
from vivavoce.generalization.config import RehearsalConfig
from vivavoce.generalization.predictors.registry import QUICK

if TYPE_CHECKING:
    from vivavoce.generalization.survey.rehearsal import SurveyRehearsal
    from vivavoce.web.survey_bots import SimulatedRespondent


@command()
@config_options(RehearsalConfig, predictor={"type": options.Choice(QUICK), "metavar": None})
@click.option("--out", type=options.FILE, metavar="FILE", help="Write all answers as pairs with raw beliefs.")
@options.QUIET
@output_options
def simulate(*, as_json: bool, html: Path | None, quiet: bool, out: Path | None, **given: Any) -> None:
    """Rehearse a staged survey on synthetic people with known generalisation.

    \b
    viva people simulate
    viva people simulate --predictor previous-task --html rehearsal.html --out answers.csv

    Shows whether the bandit finds pairs that change beliefs, and whether the weights correct for its choice. 'fit' reads
    the answers.
    """
    check_page(html)
    check_output("--out", out)
    finding = _rehearse(RehearsalConfig(**given), quiet=quiet)
    if out is not None:
        from vivavoce.generalization.pairs import write_pairs

        write_pairs(out, finding.result.pairs)
    show(finding, as_json=as_json, html=html)


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


PROBLEMS_FOUND = 1


@command(
    epilog=exit_codes(
        "0 every bot ended where it should, and the browser reported no problem", f"{PROBLEMS_FOUND} some bots did not"
    )
)
@click.argument("address", metavar="URL")
@click.option(
    "--bots", type=options.WholeNumber(1, 1000), default=15, show_default=True, metavar="N", help="Run this many bots."
)
@click.option(
    "--concurrency",
    "at_once",
    type=options.WholeNumber(1, 64),
    default=4,
    show_default=True,
    metavar="N",
    help="Run this many bots at the same time.",
)
@options.seed("Draw the bots' answers with this seed.")
@options.QUIET
@options.JSON
def rehearse(address: str, bots: int, at_once: int, seed: int, as_json: bool, quiet: bool) -> None:
    """Have careful and careless bots take the survey at URL in a real browser, and check that everything works.

    \b
    viva people survey rehearse "$(viva people survey open trust --preview --database luna.sqlite)"
    viva people survey rehearse http://127.0.0.1:8000/surveys/dress-rehearsal --bots 50 --json

    Some bots fail the comprehension questions, reload, go back, submit twice, use two tabs, change the browser, withdraw or
    stop. A preview stores nothing. An open survey stores the bots' answers, so rehearse on a separate one.
    """
    from vivavoce.web.survey_bots import Habit
    from vivavoce.web.survey_bots import rehearse as play

    done = 0

    def told(played: SimulatedRespondent) -> None:
        nonlocal done
        done += 1
        if not quiet:
            click.echo(f"{done} of {bots}: {in_words(played)}", err=True)

    habits = list(islice(cycle(Habit), bots))
    played = asyncio.run(play(address, habits, at_once=at_once, seed=seed, on_done=told))
    troubled = sum(bool(respondent.problems) for respondent in played)
    say({"bots": [asdict(respondent) for respondent in played], "troubled": troubled}, summary(played), as_json)
    if troubled:
        click.get_current_context().exit(PROBLEMS_FOUND)


def in_words(played: SimulatedRespondent) -> str:
    """The outcome of one bot."""
    end = f"ended as {played.end} with code {played.code}" if played.end else "stopped on the way"
    problems = f"; {'; '.join(played.problems)}" if played.problems else ""
    return f"{played.habit}: {end}, {len(played.said)} pairs, {played.seconds:.0f} s{problems}"


def summary(played: Sequence[SimulatedRespondent]) -> str:
    """The outcomes of all bots."""
    troubled = [respondent for respondent in played if respondent.problems]
    if not troubled:
        return f"All {len(played)} bots ended where they should."
    return "\n".join(
        [f"{len(troubled)} of {len(played)} bots met a problem:", *(in_words(respondent) for respondent in troubled)]
    )
