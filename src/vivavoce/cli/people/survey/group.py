"""`viva people survey`: an operator's commands for the surveys of a site; `viva people simulate`: a rehearsal of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.endings import exit_codes
from vivavoce.cli.help import LazyGroup, command
from vivavoce.cli.options import config_options, wants_json
from vivavoce.cli.output import output_options, print_json, say, show
from vivavoce.cli.site_database import BASE_URL, DATABASE, site_address, site_database
from vivavoce.errors import BadFile, UnknownName
from vivavoce.formats.json_values import to_json
from vivavoce.formats.lines import file_digest, whole_json
from vivavoce.formats.wording import percent
from vivavoce.generalization.config import RehearsalConfig
from vivavoce.generalization.pairs import BeliefPair, write_pairs
from vivavoce.generalization.predictors.base import PREDICTORS, QUICK
from vivavoce.version import __version__

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from vivavoce.generalization.predictors.base import Predictor
    from vivavoce.generalization.survey.rehearsal import SurveyRehearsal
    from vivavoce.generalization.survey.responses import SurveyResponse
    from vivavoce.web.store.surveys import Survey

COMMANDS = {
    "create": "vivavoce.cli.people.survey.create:create",
    "open": "vivavoce.cli.people.survey.group:open_",
    "close": "vivavoce.cli.people.survey.group:close",
    "list": "vivavoce.cli.people.survey.group:list_",
    "export": "vivavoce.cli.people.survey.group:export",
    "report": "vivavoce.cli.people.survey.group:report",
    "yield": "vivavoce.cli.people.survey.group:yield_",
}
"""The place of each command."""
PLATFORM = "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
"""Placeholders that Prolific fills in."""


@click.command(cls=LazyGroup, places=COMMANDS)
def survey() -> None:
    """Ask people how an answer to one question changes what they expect of another.

    \b
    viva luna serve &
    viva people survey create trust --scope file:questions.jsonl --candidate chat:llama3.2@http://localhost:11434/v1 \\
        --database luna.sqlite
    viva people survey open trust --preview --database luna.sqlite
    viva people survey open trust --database luna.sqlite
    viva people survey export trust --database luna.sqlite --out answers
    viva people survey report answers
    """


@command("open")
@click.argument("name")
@DATABASE
@BASE_URL
@click.option("--preview", is_flag=True, help="Only print the address of a preview, which stores nothing.")
@options.JSON
def open_(name: str, database: str, base_url: str | None, preview: bool) -> None:
    """Open the survey NAME to respondents; a closed one can be reopened.

    Anyone with the address of a preview sees the questions, so share it with care.

    Prints the address for respondents, and the one to give to Prolific.
    """
    if preview:
        with site_database(database, writes=False) as c:
            survey = _survey(c, name)
            address = preview_address(survey, site_address(c, base_url))
        say({"survey": survey.plan.slug, "preview": address}, address)
        return

    with site_database(database) as c:
        from vivavoce.web.store.surveys import set_state

        survey = set_state(c, name, "open", datetime.now(UTC))
        address = f"{site_address(c, base_url)}/surveys/{survey.plan.slug}"
    if wants_json():
        document: dict[str, Any] = {
            "survey": survey.plan.slug,
            "state": survey.state,
            "address": address,
            "platform": f"{address}?{PLATFORM}",
        }
        print_json(document)
        return
    click.echo(address)
    click.echo(f"{address}?{PLATFORM}")
    click.echo(f"Open. Completion codes: {codes_in_words(survey)}.", err=True)


@command()
@click.argument("name")
@DATABASE
@options.JSON
def close(name: str, database: str) -> None:
    """Close the survey NAME to new respondents; those who have started may finish."""
    with site_database(database) as c:
        from vivavoce.web.store.surveys import set_state

        survey = set_state(c, name, "closed", datetime.now(UTC))
    say({"survey": survey.plan.slug, "state": survey.state}, "Closed.", err=True)


@command("list")
@DATABASE
@options.JSON
def list_(database: str) -> None:
    """List the site's surveys: respondents who started, finished and withdrew, and pairs with enough answers."""
    with site_database(database, writes=False) as c:
        from vivavoce.web.store.surveys import listed

        rows = [_listed(c, entry) for entry in listed(c)]
    if wants_json():
        print_json(rows)
        return
    for row in rows:
        click.echo(
            f"{row['survey']}: {row['state']} since {row['since']}, {row['begun']} began, {row['done']} finished, "
            f"{row['failed']} failed the questions on the task, {row['withdrawn']} withdrew; {row['answers']} answers, "
            f"{row['enough']} of {row['pairs']} pairs have enough"
        )
    click.echo(f"{len(rows)} survey{'' if len(rows) == 1 else 's'}", err=True)


@command(epilog=exit_codes("2 bad input, such as a folder that is not empty"))
@click.argument("name")
@DATABASE
@click.option(
    "--out", "folder", type=options.FOLDER, required=True, metavar="FOLDER", help="Write to this folder, new or empty."
)
@click.option("--majority", is_flag=True, help="Also write one majority label per pair, for a test stage.")
@click.option("--no-times", is_flag=True, help="Leave out answer times, e.g. before publishing.")
@click.option("--scope", metavar="S", help="Scope that grades participants' own answers. [default: the survey's]")
@options.JSON
def export(name: str, database: str, folder: Path, majority: bool, no_times: bool, scope: str | None) -> None:
    """Export the answers to the survey NAME: CSV for the other commands, JSON, and a codebook.

    \b
    viva people survey export trust --database luna.sqlite --out answers
    viva people predict fit answers/pairs.csv --predictor own --out model

    Includes only respondents who consented and did not withdraw. Each export has new pseudonyms; no one, not even the
    operator, can link them to people.
    """
    with site_database(database, writes=False) as c:
        from vivavoce.web.survey_release import own_answers_graded, write_survey

        survey = _survey(c, name)
        graded = own_answers_graded(survey.plan, scope) if survey.plan.own_answers else None
        counts = write_survey(folder, c, survey, now=datetime.now(UTC), majority=majority, times=not no_times, graded=graded)
    if wants_json():
        print_json(to_json(counts) | {"folder": str(folder)})
        return
    people = counts.counts
    click.echo(
        f"{counts.answers} answers of {counts.respondents} respondents written to {folder}; codebook.md describes the files. "
        f"{people.begun} began: {people.done} finished, {people.failed} failed the questions on the task, "
        f"{people.withdrawn} withdrew, {people.unfinished} stopped early or have not finished yet."
    )
    if counts.ungraded:
        click.echo(
            f"{counts.ungraded} of the participants' own answers could not be graded: they can't be parsed, or their "
            "questions are not in the scope (see --scope).",
            err=True,
        )
    if counts.divided:
        click.echo(f"{counts.divided} pairs have no majority: too few answers, or a tie.", err=True)


@dataclass(frozen=True, slots=True)
class SurveyExports:
    """The answers of one or several places."""

    responses: Sequence[SurveyResponse]
    """Answers with unchanged pseudonyms: exports have different ones."""
    source: str
    digest: str


def read_places(places: Sequence[Path]) -> SurveyExports:
    """The answers of all places, in their order. Raises `BadFile`, with the line."""
    from vivavoce.generalization.survey.responses import read_responses

    responses: list[SurveyResponse] = []
    digests = []
    for path in places:
        file = path / "pairs.csv" if path.is_dir() else path
        responses += read_responses(file)
        digests.append(file_digest(file))
    digest = digests[0] if len(digests) == 1 else sha256("".join(digests).encode()).hexdigest()
    return SurveyExports(responses, ", ".join(path.name for path in places), digest)


_ENDS = ("begun", "agreed", "done", "failed", "withdrawn", "unfinished")


@command()
@click.argument("places", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="FOLDER|FILE...")
@output_options
def report(places: tuple[Path, ...]) -> None:
    """Report how often answers changed beliefs, by stage and direction, and how beliefs are distributed.

    \b
    viva people survey report answers
    viva people survey report stage-1 stage-2 stage-3 --html page.html
    viva people survey report pairs.csv --json

    Reads one or several folders written by 'export', or any file of pairs with belief changes.
    """
    from vivavoce.generalization.survey.belief_changes import score_survey
    from vivavoce.generalization.survey.responses import own_answers_of

    read = read_places(places)
    pairs = [response.pair for response in read.responses]
    finding = score_survey(
        pairs, source=read.source, digest=read.digest, counts=_counts(places), own_answers=own_answers_of(read.responses)
    )
    show(finding)


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
) -> None:
    """Check whether the predictor finds pairs that change beliefs: changes by tenth of its ranking (Figure 3).

    \b
    viva people survey yield answers
    viva people survey yield stage-3 --fit stage-1 --fit stage-2 --predictor stacked-logistic --html yield.html

    The test uses pairs outside the fit: those outside --fit, or folds of the survey's own pairs.
    """
    import numpy as np

    from vivavoce.generalization.predictors.model_store import fit_predictor
    from vivavoce.generalization.survey.responses import held_out_yield

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
    show(finding)


def _counts(places: Sequence[Path]) -> Mapping[str, int] | None:
    """Respondents by end, over all folders; None if a folder does not say."""
    total = dict.fromkeys(_ENDS, 0)
    for path in places:
        file = path / "survey.json"
        if not path.is_dir() or not file.is_file():
            return None
        try:
            words = whole_json(file)["counts"]
            values = {name: words[name] for name in _ENDS}
        except (KeyError, TypeError) as error:
            raise BadFile(file, f"is not an export of a survey ({type(error).__name__}): 'survey export' writes one") from None
        if not all(type(number) is int and number >= 0 for number in values.values()):
            raise BadFile(file, "its 'counts' are not whole numbers")
        for name in _ENDS:
            total[name] += values[name]
    return total


def _listed(c: Connection, survey: Survey) -> dict[str, Any]:
    """The counts of a survey."""
    from vivavoce.web.store.surveys import answers_by_card, counts

    plan, by_card, survey_counts = survey.plan, answers_by_card(c, survey), counts(c, survey)
    row: dict[str, Any] = {"survey": plan.slug, "title": plan.title, "state": survey.state}
    row |= {"since": survey.since.isoformat(timespec="seconds")}
    row |= {
        "created": survey.created.isoformat(timespec="seconds"),
        **asdict(survey_counts),
        "unfinished": survey_counts.unfinished,
    }
    row |= {"pairs": len(by_card), "answers": sum(by_card.values())}
    row |= {"enough": sum(number >= plan.answers_each for number in by_card.values())}
    return row


def preview_address(survey: Survey, site: str) -> str:
    """The address of a survey's preview."""
    return f"{site}/surveys/{survey.plan.slug}/preview?key={survey.preview_key}"


def codes_in_words(survey: Survey) -> str:
    """Codes for the platform."""
    codes = survey.plan.codes
    again = f", {codes.again} took part before" if codes.again else ""
    return f"{codes.done} finished, {codes.failed} asked to return the study, {codes.withdrawn} withdrew{again}"


def _survey(c: Connection, name: str) -> Survey:
    from vivavoce.web.store.surveys import listed
    from vivavoce.web.store.surveys import survey as find

    survey = find(c, name)
    if survey is None:
        raise UnknownName("survey", name, [entry.plan.slug for entry in listed(c)])
    return survey


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
        write_pairs(out, finding.result.pairs)
    show(finding)


def _rehearse(config: RehearsalConfig, *, quiet: bool) -> SurveyRehearsal:
    from vivavoce.generalization.survey.rehearsal import RehearsedStage, SurveyRehearsal, rehearse
    from vivavoce.interview.scope import Signature

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
