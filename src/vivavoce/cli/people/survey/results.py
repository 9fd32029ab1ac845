"""`viva people survey` commands that read answers: report, arms, yield."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.help import command
from vivavoce.cli.options import config_options
from vivavoce.cli.output import check_page, output_options, show
from vivavoce.errors import BadFile
from vivavoce.formats.lines import file_digest, whole_json
from vivavoce.generalization.config import RehearsalConfig
from vivavoce.generalization.pairs import NEEDED, BeliefPair
from vivavoce.generalization.predictors.registry import PREDICTORS

if TYPE_CHECKING:
    from vivavoce.generalization.predictors.base import Predictor
    from vivavoce.generalization.survey.responses import SurveyResponse


@dataclass(frozen=True, slots=True)
class SurveyExports:
    """The answers of one or several places."""

    responses: Sequence[SurveyResponse]
    """Answers with unchanged pseudonyms: exports have different ones."""
    columns: frozenset[str]
    """Columns that some of the tables have."""
    source: str
    digest: str


def read_places(places: Sequence[Path]) -> SurveyExports:
    """The answers of all places, in their order. Raises `BadFile`, with the line."""
    from hashlib import sha256

    from vivavoce.formats.tables import read_table
    from vivavoce.generalization.survey.responses import read_responses

    responses: list[SurveyResponse] = []
    columns: set[str] = set()
    digests = []
    for path in places:
        file = path / "pairs.csv" if path.is_dir() else path
        responses += read_responses(file)
        columns |= set(read_table(file, NEEDED).names)
        digests.append(file_digest(file))
    digest = digests[0] if len(digests) == 1 else sha256("".join(digests).encode()).hexdigest()
    return SurveyExports(responses, frozenset(columns), ", ".join(path.name for path in places), digest)


def is_count(number: object) -> bool:
    """Whether this value can be a number of respondents."""
    return type(number) is int and number >= 0


def whole_export(file: Path) -> dict[str, Any]:
    """The JSON file of an export. Raises `BadFile`."""
    result = whole_json(file)
    if not isinstance(result, dict):
        raise BadFile(file, "is not an export of a survey: 'survey export' writes one")
    return result


_ENDS = ("begun", "agreed", "done", "failed", "withdrawn", "unfinished")


@command()
@click.argument("places", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="FOLDER|FILE...")
@output_options
def report(places: tuple[Path, ...], as_json: bool, html: Path | None) -> None:
    """Report how often answers changed beliefs, by stage and direction, and how beliefs are distributed.

    \b
    viva people survey report answers
    viva people survey report stage-1 stage-2 stage-3 --html page.html
    viva people survey report pairs.csv --json

    Reads one or several folders written by 'export', or any file of pairs with belief changes.
    """
    from vivavoce.generalization.survey.belief_changes import score_survey
    from vivavoce.generalization.survey.conduct import conduct_of

    check_page(html)
    read = read_places(places)
    asked = {"flags", "own_right", "wave"} & read.columns
    conduct = conduct_of(read.responses, checked="flags" in asked) if asked else None
    pairs = [response.pair for response in read.responses]
    finding = score_survey(pairs, source=read.source, digest=read.digest, counts=_counts(places), conduct=conduct)
    show(finding, as_json=as_json, html=html)


def _counts(places: Sequence[Path]) -> Mapping[str, int] | None:
    """Respondents by end, over all folders; None if a folder does not say."""
    total = dict.fromkeys(_ENDS, 0)
    for path in places:
        file = path / "survey.json"
        if not path.is_dir() or not file.is_file():
            return None
        try:
            words = whole_export(file)["counts"]
            values = {name: words[name] for name in _ENDS}
        except (KeyError, TypeError) as error:
            raise BadFile(file, f"is not an export of a survey ({type(error).__name__}): 'survey export' writes one") from None
        if not all(map(is_count, values.values())):
            raise BadFile(file, "its 'counts' are not whole numbers")
        for name in _ENDS:
            total[name] += values[name]
    return total


@command()
@click.argument("places", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="FOLDER|FILE...")
@click.option("--reference", metavar="ARM", help="Compare the other arms with this one. [default: plain]")
@output_options
def arms(places: tuple[Path, ...], reference: str | None, as_json: bool, html: Path | None) -> None:
    """Estimate how an explanation, a stated confidence, a model card or several answers change beliefs.

    \b
    viva people survey arms answers
    viva people survey arms wave-1 wave-2 --reference plain --html arms.html

    Differences between the arms' participants in beliefs, belief changes and misplaced trust, with 95% intervals. Reads the
    export of a survey with arms.
    """
    from vivavoce.generalization.survey.arm_effects import compare_arms

    check_page(html)
    read = read_places(places)
    finding = compare_arms(
        read.responses, source=read.source, digest=read.digest, reference=reference, finished=_finished(places)
    )
    show(finding, as_json=as_json, html=html)


def _finished(places: Sequence[Path]) -> dict[str, tuple[int, int]]:
    """Respondents by arm who began with the pairs, and who finished; empty if the export lacks them. Raises `BadInput`."""
    from vivavoce.generalization.survey.plan import Arm

    result: dict[str, tuple[int, int]] = {}
    for path in places:
        file = path / "survey.json"
        if not path.is_dir() or not file.is_file():
            return {}
        try:
            rows = [(row["arm"], row["began"], row["finished"]) for row in whole_export(file).get("arms", [])]
        except (KeyError, TypeError):
            rows = [("", None, None)]
        for arm, began, done in rows:
            if not (isinstance(arm, str) and is_count(began) and is_count(done)):
                raise BadFile(file, "its 'arms' are not counts: 'survey export' writes them")
            if arm:
                before = result.get(str(Arm.named(arm)), (0, 0))
                result[arm] = (before[0] + began, before[1] + done)
    return result


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
