"""`viva generalization fit`, `predict`, `evaluate`, `influential`: predictors of belief change on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from vivavoce.cli import options
from vivavoce.cli.asking import Asking, asking_options, file_digest, taken_from
from vivavoce.cli.config_options import config_options
from vivavoce.cli.endings import GOES_ON, OF_VERDICT, exit_codes
from vivavoce.cli.generalization.fitting import chosen, fitted, predictor_options, sentence
from vivavoce.cli.generalization.predicting import CANDIDATE, Predicted, predicted, with_pred
from vivavoce.cli.output import print_json, show, tell
from vivavoce.cli.pages import check_output, check_page
from vivavoce.generalization.config import InfluentialConfig
from vivavoce.generalization.predictors.registry import PREDICTORS

NOTHING_TOLD = OF_VERDICT["undecided"]
_NOTHING = "4 nothing could be predicted (few-shot only: no reply could be read)"
_DEVICE = click.option("--device", metavar="NAME", help="For networks: as torch names it, such as cuda.")
_LISTED = "\n".join(f"      {kind.name:<16} {kind.explanation}" for kind in PREDICTORS.values())
FIT = f"""Fit a predictor of belief changes on TRAIN: pairs of questions, and whether somebody's belief changed.

    \b
    viva generalization fit survey.csv --predictor own --teacher predicted.csv --out model
    viva generalization fit survey.csv --predictor embeddings --embedder sentences:./minilm --out model
    viva generalization fit survey.csv --predictor few-shot --candidate chat:llama3.2@http://localhost:11434/v1 --out model

    \b
    TRAIN is CSV with q1,q2,source1,source2,previous_correct,belief_change[,weight,person,...]. Predictors:
{_LISTED}

    A MODEL that is there already is replaced; any other folder that is not empty is refused.
    """


@click.command(help=FIT)
@click.argument("train", nargs=-1, required=True, type=options.FILE, metavar="TRAIN...")
@click.option("--predictor", type=click.Choice(tuple(PREDICTORS)), required=True, help="Which predictor; see above.")
@click.option(
    "--teacher",
    multiple=True,
    type=options.FILE,
    metavar="FILE",
    help="Pairs with a soft label 'pred'; may be given several times.",
)
@click.option("--out", type=click.Path(path_type=Path), required=True, metavar="MODEL", help="Folder for the predictor.")
@options.seed("Seeds all random choices.")
@predictor_options
@options.QUIET
@options.JSON
def fit(
    train: tuple[Path, ...],
    predictor: str,
    teacher: tuple[Path, ...],
    out: Path,
    seed: int,
    *,
    quiet: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Replaced by FIT."""
    from vivavoce.generalization.predictors.model_store import check_replaceable, save_predictor

    check_replaceable(out)
    settings = chosen(predictor, given)
    if "candidate" in settings:
        _check_candidate(settings["candidate"])
    made, about, notes = fitted(predictor, train, teacher, settings, seed=seed, quiet=quiet)
    save_predictor(out, made, about)
    if as_json:
        print_json({**about.as_json(), "model": str(out), "notes": notes})
        return
    click.echo(sentence(about))
    for note in notes:
        click.echo(note)
    click.echo(f"Model: {out}. How well it predicts other pairs: viva generalization evaluate {out} HELD_OUT")


@click.command(epilog=exit_codes(_NOTHING, GOES_ON))
@click.argument("model", type=options.FOLDER)
@click.argument("pairs", type=options.FILE)
@click.option("--out", type=options.FILE, metavar="FILE", help="Write CSV there; by default to standard output.")
@_DEVICE
@CANDIDATE
@asking_options
def predict(model: Path, pairs: Path, out: Path | None, device: str | None, candidate: str | None, **given: Any) -> None:
    """Add the column 'pred' to PAIRS: the chance that the belief changes, as MODEL predicts it.

    \b
    viva generalization predict model pairs.csv --out predicted.csv
    viva generalization align --pairs predicted.csv --answers answers.csv
    """
    from vivavoce.formats.lines import write_whole
    from vivavoce.generalization.pairs import read_pairs
    from vivavoce.generalization.predictors.model_store import open_predictor

    asking: Asking = taken_from(given)["asking"]
    check_output("--out", out)
    told = read_pairs(pairs)
    predictor, _ = open_predictor(model, device=device)
    found = predicted(predictor, told, asking, candidate)
    table = with_pred(pairs, told, found.chances)
    _tell(found, asking)
    if out is None:
        click.echo(table, nl=False)
    else:
        write_whole(out, table)
        click.echo(f"{len(told)} predictions: {out}", err=True)
    if found.nothing:
        click.get_current_context().exit(NOTHING_TOLD)


@click.command(
    epilog=exit_codes(
        "2 bad input, such as pairs without labels",
        "4 all beliefs changed or none did, or no reply of a few-shot model could be read",
        GOES_ON,
    )
)
@click.argument("model", type=options.FOLDER)
@click.argument("pairs", type=options.FILE)
@_DEVICE
@CANDIDATE
@asking_options
@options.output_options
def evaluate(model: Path, pairs: Path, device: str | None, candidate: str | None, **given: Any) -> None:
    """How well does MODEL predict whose belief changes in PAIRS, after right and wrong answers, and by task?

    \b
    viva generalization evaluate model held-out.csv
    viva generalization evaluate model held-out.csv --json --html page.html
    """
    from vivavoce.errors import BadInput
    from vivavoce.generalization.evaluation.predictor_evaluation import evaluate as evaluated
    from vivavoce.generalization.pairs import PredictionOrigin, labelled, read_pairs
    from vivavoce.generalization.predictors.model_store import open_predictor

    asking: Asking = taken_from(given)["asking"]
    check_page(given["html"])
    told = read_pairs(pairs)
    known = labelled(told)
    if not known:
        raise BadInput(
            f"{pairs}: none of {len(told)} pairs says whether the belief changed: add 'belief_change' (0 or 1), "
            "or 'prior' and 'posterior'"
        )
    predictor, about = open_predictor(model, device=device)
    digest = file_digest(pairs)
    found = predicted(predictor, known, asking, candidate)
    origin = PredictionOrigin(
        predictor=about.predictor,
        source=pairs.name,
        digest=digest,
        seed=about.seed,
        in_sample=digest in {of for _, of in about.training},
        unlabelled=len(told) - len(known),
        notes=found.notes,
    )
    finding = evaluated(known, found.chances, origin=origin)
    show(finding, as_json=given["as_json"], html=given["html"], kept=found.kept)
    if finding.overall.auc.value is None or found.nothing:
        click.get_current_context().exit(NOTHING_TOLD)


@click.command(epilog=exit_codes(_NOTHING, GOES_ON))
@click.argument("model", type=options.FOLDER)
@click.argument("file", type=options.FILE, metavar="QUESTIONS|PAIRS")
@config_options(InfluentialConfig, drawn={"option": "--pairs"}, most={"option": "--top"})
@_DEVICE
@CANDIDATE
@asking_options
@options.output_options
def influential(model: Path, file: Path, device: str | None, candidate: str | None, **given: Any) -> None:
    """Which answers does MODEL predict to change beliefs most, and how often does it predict a change at all?

    \b
    viva generalization influential model questions.jsonl --pairs 1000
    viva generalization influential model answers.csv --html page.html
    viva generalization influential model pairs.csv --json

    The file has pairs (q1,q2,...), or questions under 'question' or 'prompt' (CSV, TSV or JSON Lines, also .gz), of which
    --pairs are drawn at random. Each pair is predicted after a right answer and after a wrong one.
    """
    import numpy as np

    from vivavoce.generalization.evaluation.influential_pairs import both_ways, influential_pairs, read_drawn
    from vivavoce.generalization.pairs import PredictionOrigin
    from vivavoce.generalization.predictors.model_store import open_predictor

    asking: Asking = taken_from(given)["asking"]
    check_page(given["html"])
    config = options.taken_out(given, InfluentialConfig)
    pairs = both_ways(read_drawn(file, config.drawn, rng=np.random.default_rng(config.seed)))
    predictor, about = open_predictor(model, device=device)
    found = predicted(predictor, pairs, asking, candidate)
    origin = PredictionOrigin(about.predictor, file.name, file_digest(file), config.seed, notes=found.notes)
    finding = influential_pairs(pairs, found.chances, config, origin=origin)
    show(finding, as_json=given["as_json"], html=given["html"], kept=found.kept)
    if found.nothing:
        click.get_current_context().exit(NOTHING_TOLD)


def _tell(found: Predicted, asking: Asking) -> None:
    """On standard error, since standard output may be the table."""
    from vivavoce.formats.wording import clipped

    for note in found.notes:
        click.echo(clipped(note, 600), err=True)
    if not asking.quiet:
        tell(found.kept, err=True)


def _check_candidate(name: str) -> None:
    """Refuse now a language model that cannot be asked later."""
    import asyncio

    from vivavoce.candidates import close_candidate, open_candidate

    asyncio.run(close_candidate(open_candidate(name)))
