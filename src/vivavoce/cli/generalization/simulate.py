"""`viva generalization simulate`, `combine` and `heterogeneity`: surveys rehearsed, answers combined, people told apart."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.config_options import config_options
from vivavoce.cli.output import print_json, say, show
from vivavoce.cli.pages import check_output, check_page
from vivavoce.generalization.config import RehearsalConfig
from vivavoce.generalization.predictors.registry import QUICK

if TYPE_CHECKING:
    from vivavoce.generalization.people import Differences
    from vivavoce.generalization.simulation.finding import SurveyRehearsal

CAVEATS = (
    "By a rule, not from people who saw several answers: the beliefs have no intervals.",
    "The rule takes answers for independent: those that resemble each other are counted too much.",
)
"""Of `combine`."""


@click.command()
@config_options(RehearsalConfig, predictor={"type": click.Choice(QUICK), "metavar": None})
@click.option("--out", type=options.FILE, metavar="FILE", help="Write all answers as a file of pairs, with raw beliefs.")
@options.QUIET
@options.output_options
def simulate(*, as_json: bool, html: Path | None, quiet: bool, out: Path | None, **given: Any) -> None:
    """Rehearse a survey by stages on synthetic people whose generalisation is known.

    \b
    viva generalization simulate
    viva generalization simulate --predictor previous-task --html rehearsal.html --out answers.csv

    Does the bandit find pairs that change beliefs, and do the weights undo its choice? The answers may be fed to
    'fit' and 'heterogeneity' to see what these make of them.
    """
    check_page(html)
    check_output("--out", out)
    finding = _rehearse(RehearsalConfig(**given), quiet=quiet)
    if out is not None:
        from vivavoce.generalization.pairs import write_pairs

        write_pairs(out, finding.result.pairs)
    show(finding, as_json=as_json, html=html)


def _rehearse(config: RehearsalConfig, *, quiet: bool) -> SurveyRehearsal:
    from dataclasses import asdict

    from vivavoce.formats.wording import percent
    from vivavoce.generalization.simulation.finding import SurveyRehearsal
    from vivavoce.generalization.simulation.rehearse import Stage, rehearse
    from vivavoce.interview.finding import Signature
    from vivavoce.version import __version__

    def told(stage: Stage) -> None:
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


@click.command()
@click.argument("pairs", type=options.KNOWN_FILE)
@click.option(
    "--prior",
    type=options.share,
    metavar="BELIEF",
    default=0.629,
    show_default=True,
    help="Prior belief where a pair has no raw belief.",
)
@options.JSON
def combine(pairs: Path, prior: float, as_json: bool) -> None:
    """Belief about each question after all answers that PAIRS show, by Bayes' rule in odds.

    \b
    viva generalization combine predicted.csv

    PAIRS holds, for each second question, a row for each answer that somebody saw. Each row's belief after it is 'posterior'
    where that is given, else it comes from 'pred'. An answer that several people saw counts once, by the mean of what it did
    to their log odds. The rule assumes that answers are independent: answers that resemble each other are counted too much.
    Whether people keep to it: 'viva generalization several test'.
    """
    from vivavoce.errors import BadFile, BadInput
    from vivavoce.generalization.pairs import read_pairs
    from vivavoce.generalization.several import combined

    told = read_pairs(pairs)
    try:
        rows = combined(told, prior)
    except BadInput as error:
        raise BadFile(pairs, str(error)) from None
    if as_json:
        listed = [{"q2": row.question, "answers": row.answers, "belief": row.belief} for row in rows]
        print_json({"questions": listed, "caveats": list(CAVEATS)})
        return
    from rich.console import Console

    from vivavoce.formats.wording import clipped
    from vivavoce.render.terminal import table

    cells = [(f"{row.belief:.2f}", str(row.answers), clipped(row.question, 200)) for row in rows]
    Console().print(table(("belief", "answers", "question"), cells))
    for caveat in CAVEATS:
        click.echo(caveat, err=True)


@click.command()
@click.argument("pairs", type=options.KNOWN_FILE)
@options.JSON
def heterogeneity(pairs: Path, as_json: bool) -> None:
    """How much do people differ in how readily they change a belief?

    \b
    viva generalization heterogeneity survey.csv

    PAIRS comes from a survey of your own: it names who answered ('person'). With predictions ('pred') in it, differences
    between the pairs that people happened to see are allowed for.
    """
    from vivavoce.generalization.pairs import read_pairs
    from vivavoce.generalization.people import differences

    found = differences(read_pairs(pairs))
    typical = [found.typical.lower, found.typical.upper]
    values = {"sigma": found.sigma.as_json(), "p": found.p, "typical": typical, "answers": found.answers}
    say(values, _in_words(found), as_json)


def _in_words(found: Differences) -> str:
    from vivavoce.formats.wording import count, percent

    ends = found.sigma.interval
    return (
        f"{count(found.answers)} answers of {count(found.sigma.n)} people. Standard deviation between people: "
        f"{found.sigma.value:.2f} in log-odds, 95% interval [{ends.lower:.2f}, {ends.upper:.2f}] (0: all alike; "
        f"p = {found.p:.2g}).\n"
        f"At an average pair, one in twenty people changes a belief less often than {percent(found.typical.lower)} of the "
        f"time, and one in twenty more often than {percent(found.typical.upper)}."
    )
