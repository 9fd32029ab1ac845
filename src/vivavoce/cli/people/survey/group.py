"""`viva people survey`: an operator's commands for the surveys of a site."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.endings import exit_codes
from vivavoce.cli.help import LazyGroup, command
from vivavoce.cli.output import print_json, say
from vivavoce.cli.site_database import BASE_URL, DATABASE, site_address, site_database
from vivavoce.formats.json_values import to_json

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from vivavoce.web.store.surveys import Survey

COMMANDS = {
    "create": "vivavoce.cli.people.survey.create:create",
    "rehearse": "vivavoce.cli.people.rehearsals:rehearse",
    "open": "vivavoce.cli.people.survey.group:open_",
    "close": "vivavoce.cli.people.survey.group:close",
    "list": "vivavoce.cli.people.survey.group:list_",
    "export": "vivavoce.cli.people.survey.group:export",
    "report": "vivavoce.cli.people.survey.results:report",
    "arms": "vivavoce.cli.people.survey.results:arms",
    "yield": "vivavoce.cli.people.survey.results:yield_",
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
@click.option("--new-wave", is_flag=True, help="Start the next wave.")
@click.option("--preview", is_flag=True, help="Only print the address of a preview, which stores nothing.")
@options.JSON
def open_(name: str, database: str, base_url: str | None, new_wave: bool, preview: bool, as_json: bool) -> None:
    """Open the survey NAME to respondents; a closed one can be reopened.

    Anyone with the address of a preview sees the questions, so share it with care.

    With --new-wave, later respondents belong to the next wave. No one takes part in two waves.

    Prints the address for respondents, and the one to give to Prolific.
    """
    if preview:
        with site_database(database, writes=False) as c:
            survey = _survey(c, name)
            address = preview_address(survey, site_address(c, base_url))
        say({"survey": survey.plan.slug, "preview": address}, address, as_json)
        return

    with site_database(database) as c:
        from vivavoce.web.store.surveys import open_survey

        survey = open_survey(c, name, datetime.now(UTC), new_wave=new_wave)
        address = f"{site_address(c, base_url)}/surveys/{survey.plan.slug}"
    if as_json:
        document: dict[str, Any] = {
            "survey": survey.plan.slug,
            "state": survey.state,
            "address": address,
            "platform": f"{address}?{PLATFORM}",
        }
        document |= {"wave": survey.wave} if survey.wave > 1 else {}
        print_json(document)
        return
    click.echo(address)
    click.echo(f"{address}?{PLATFORM}")
    wave = f" for wave {survey.wave}" if survey.wave > 1 else ""
    click.echo(f"Open{wave}. Completion codes: {codes_in_words(survey)}.", err=True)


@command()
@click.argument("name")
@DATABASE
@options.JSON
def close(name: str, database: str, as_json: bool) -> None:
    """Close the survey NAME to new respondents; those who have started may finish."""
    with site_database(database) as c:
        from vivavoce.web.store.surveys import close_survey

        survey = close_survey(c, name, datetime.now(UTC))
    say({"survey": survey.plan.slug, "state": survey.state}, "Closed.", as_json, err=True)


@command("list")
@DATABASE
@options.JSON
def list_(database: str, as_json: bool) -> None:
    """List the site's surveys: respondents who started, finished and withdrew, and pairs with enough answers.

    For surveys with arms or waves, also respondents who started and finished in each; those who withdrew are in none.
    """
    with site_database(database, writes=False) as c:
        from vivavoce.web.store.surveys import listed

        rows = [_listed(c, entry) for entry in listed(c)]
    if as_json:
        print_json(rows)
        return
    for row in rows:
        wave = f" (wave {row['wave']})" if "wave" in row else ""
        click.echo(
            f"{row['survey']}: {row['state']}{wave} since {row['since']}, {row['begun']} began, {row['done']} finished, "
            f"{row['failed']} failed the questions on the task, {row['withdrawn']} withdrew; {row['answers']} answers, "
            f"{row['enough']} of {row['pairs']} pairs have enough"
        )
        for some in row.get("arms", ()):
            arm = f"arm {some['arm']}" if some["arm"] else "no arm"
            click.echo(f"  {arm}, wave {some['wave']}: {some['began']} began with the pairs, {some['finished']} finished")
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
def export(name: str, database: str, folder: Path, majority: bool, no_times: bool, scope: str | None, as_json: bool) -> None:
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
    if as_json:
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


def _listed(c: Connection, survey: Survey) -> dict[str, Any]:
    """The counts of a survey; by arm and wave if it has several."""
    from dataclasses import asdict

    from vivavoce.web.store.surveys import answers_by_card, counts, respondents_by_arm

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
    if survey.wave > 1:
        row |= {"wave": survey.wave}
    if plan.arms or survey.wave > 1:
        names = ("arm", "wave", "began", "finished")
        row |= {"arms": [dict(zip(names, (*key, *some), strict=True)) for key, some in respondents_by_arm(c, survey).items()]}
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
    from vivavoce.errors import UnknownName
    from vivavoce.web.store.surveys import listed
    from vivavoce.web.store.surveys import survey as find

    survey = find(c, name)
    if survey is None:
        raise UnknownName("survey", name, [entry.plan.slug for entry in listed(c)])
    return survey
