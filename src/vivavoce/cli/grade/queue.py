"""`viva grade queue`: what an operator does with the grading queues of a site."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.lazy import Group
from vivavoce.cli.output import print_json, say
from vivavoce.cli.pages import check_output
from vivavoce.cli.site_database import BASE_URL, DATABASE, site_address, site_database

if TYPE_CHECKING:
    from vivavoce.web.store.grading_export import ExportedGrade

_COLUMNS = ("id", "key", "score", "ridiculous", "grader", "second_score", "second_ridiculous", "second_grader")


@click.group(cls=Group)
def queue() -> None:
    """Have people grade answers one by one on the site, while the examination runs.

    \b
    viva serve --database luna.sqlite &
    viva grade queue open essays --database luna.sqlite
    viva grade queue invite essays --people 3 --database luna.sqlite
    viva certify chat:llama3.2@http://localhost:11434/v1 --scope file:essays.jsonl --transcript run.sqlite \\
        --queue luna.sqlite#essays
    viva grade queue status --database luna.sqlite
    """


@queue.command("open")
@click.argument("name")
@DATABASE
@click.option("--title", metavar="TEXT", help="What graders read above each page; name no candidate in it.")
@click.option(
    "--double-graded",
    "twice",
    type=options.portion,
    metavar="X",
    help="Share of the answers that two people grade; 0.2 if not given.",
)
@click.option(
    "--hold",
    type=click.IntRange(1, 10_080),
    metavar="MINUTES",
    help="How long an answer is held for a grader; 30 if not given.",
)
@options.JSON
def open_(name: str, database: str, title: str | None, twice: float | None, hold: int | None, as_json: bool) -> None:
    """Make the queue NAME, which nobody but its operator reads; or open it again after it was closed."""
    with site_database(database) as c:
        from vivavoce.web.store.grading import listed, make_queue, set_state

        found = next((one for one in listed(c) if one.slug == name), None)
        if found is None:
            given: dict[str, Any] = {"title": title, "twice": twice}
            chosen = {option: value for option, value in given.items() if value is not None}
            found = make_queue(c, name, datetime.now(UTC), lease=timedelta(minutes=hold or 30), **chosen)
        elif found.state == "open" or any(value is not None for value in (title, twice, hold)):
            raise click.UsageError(f"there is a queue '{name}' already: choose another name, or open it again without options.")
        else:
            found = set_state(c, found, "open")
    say({"queue": found.slug, "state": found.state}, f"'{found.slug}' is open; 'viva grade queue invite' makes links", as_json)


@queue.command()
@click.argument("name")
@DATABASE
@BASE_URL
@click.option("--people", type=click.IntRange(1, 1000), metavar="N", default=1, show_default=True, help="A link for each.")
@click.option(
    "--days", type=click.IntRange(1, 365), metavar="N", default=30, show_default=True, help="How long links are valid."
)
@options.JSON
def invite(name: str, database: str, base_url: str | None, people: int, days: int, as_json: bool) -> None:
    """Print links by which people can grade for the queue NAME, one for each person; they are shown this once.

    Anyone with a link grades as that person. The site keeps only a hash of its key.
    """
    now = datetime.now(UTC)
    with site_database(database) as c:
        from vivavoce.web.store.grading import named
        from vivavoce.web.store.grading_people import invite as invited

        found = named(c, name)
        keys = [invited(c, found, now + timedelta(days=days)) for _ in range(people)]
        links = [f"{site_address(c, base_url)}/grading/link?key={key}" for key in keys]
    say({"queue": found.slug, "links": links}, "\n".join(links), as_json)


@queue.command()
@click.argument("name")
@DATABASE
@options.JSON
def close(name: str, database: str, as_json: bool) -> None:
    """Hand out no more answers of the queue NAME.

    A 'viva certify' that waits for it ends with what it has; graders can still withdraw.
    """
    with site_database(database) as c:
        from vivavoce.web.store.grading import named, set_state

        found = set_state(c, named(c, name), "closed")
    say({"queue": found.slug, "state": found.state}, f"'{found.slug}' is closed", as_json)


@queue.command()
@DATABASE
@options.JSON
def status(database: str, as_json: bool) -> None:
    """List the queues of the site: how many answers wait, how many are graded, and how far two people agree."""
    from dataclasses import asdict

    with site_database(database, writes=False) as c:
        from vivavoce.certificate.graders.agreement import agreement_of
        from vivavoce.web.store.grading import listed
        from vivavoce.web.store.grading_export import counts, twice_graded

        rows = []
        for one in listed(c):
            pairs = twice_graded(c, one)
            told = {"queue": one.slug, "state": one.state, **asdict(counts(c, one, datetime.now(UTC)))}
            rows.append((told, agreement_of(pairs) if pairs else None))
    if as_json:
        found = [told | {"agreement": None if agreement is None else agreement.as_json()} for told, agreement in rows]
        print_json(found)
        return
    from rich.console import Console

    from vivavoce.certificate.report.grading import agreement_table
    from vivavoce.render.console import Screen, print_blocks

    for told, agreement in rows:
        click.echo(_in_words(told))
        if agreement is not None:
            print_blocks((agreement_table(agreement, "the first person", "the second"),), Screen(Console(highlight=False)))
    click.echo(f"{len(rows)} queue{'' if len(rows) == 1 else 's'}", err=True)


@queue.command()
@click.argument("name")
@DATABASE
@click.option("--out", type=options.FILE, required=True, metavar="FILE", help="A new CSV file of grades.")
@options.JSON
def export(name: str, database: str, out: Path, as_json: bool) -> None:
    """Write the grades of the queue NAME to a CSV file that 'viva certify --grades' reads.

    Second grades stand next to the ones that count. Graders have random names, new ones in each export.
    """
    check_output("--out", out)
    if out.exists():
        raise click.UsageError(f"--out {out}: it exists already, and may hold somebody's grades; give another name.")
    with site_database(database, writes=False) as c:
        from vivavoce.web.store.grading import named
        from vivavoce.web.store.grading_export import exported_grades

        rows = [_row(one) for one in exported_grades(c, named(c, name))]
    import csv

    with out.open("x", encoding="utf-8", errors="replace", newline="") as stream:
        table = csv.writer(stream, lineterminator="\n")
        table.writerow(_COLUMNS)
        table.writerows(rows)
    say({"queue": name, "grades": len(rows), "out": str(out)}, f"{len(rows)} grades written to {out}", as_json)


def _row(one: ExportedGrade) -> tuple[str, ...]:
    from vivavoce.formats.cells import guarded

    cells = [guarded(one.id), one.key]
    for grade, grader in ((one.grade, one.grader), (one.second, one.second_grader)):
        given = ("", "") if grade is None else (f"{grade.score:.6g}", "yes" if grade.ridiculous else "no")
        cells += [*given, grader]
    return tuple(cells)


def _in_words(told: dict[str, Any]) -> str:
    waiting = f"{told['waiting']} of {told['answers']} answers wait ({told['held']} of them are with a grader now"
    passed = f", and {told['passed_on']} somebody said they cannot grade)" if told["passed_on"] else ")"
    graded = f"{told['graded']} graded, {told['graded_twice']} of them twice; {told['settled']} are part of a verdict"
    people = f"{told['invited']} people invited, {told['agreed']} grade, {told['withdrawn']} withdrew"
    return f"{told['queue']}: {told['state']}; {waiting}{passed}; {graded}; {people}"
