"""`viva transcript`: read the record of what was asked and answered."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from vivavoce.cli import options
from vivavoce.cli.endings import NO_TRANSCRIPT, exit_codes
from vivavoce.cli.kept import say
from vivavoce.cli.lazy import Group

if TYPE_CHECKING:
    from vivavoce.interview.record import Record

SHOWN_RECORDS = 20
SHOWN_CHARACTERS = 400
"""Of one question or answer, unless --full is given."""


@click.group(cls=Group)
def transcript() -> None:
    """Read a transcript: show it, verify it, export it.

    WHERE is a file, or postgresql://USER@HOST/DATABASE.
    """


@transcript.command(epilog=exit_codes(NO_TRANSCRIPT))
@click.argument("where")
@click.option("--candidate", metavar="NAME", help="Only this candidate's answers.")
@click.option("--topic", metavar="PATH", help="Only what was asked at or under this topic.")
@click.option("--concept", metavar="NAME", help="Only what was asked about this concept, in the order of a story.")
@click.option("--limit", type=options.count, metavar="N", help="At most so many records; by default 20, of a concept all.")
@click.option("--full", is_flag=True, help=f"Texts as they are, not cut after {SHOWN_CHARACTERS} characters.")
@options.JSON
def show(
    where: str, candidate: str | None, topic: str | None, concept: str | None, limit: int | None, full: bool, as_json: bool
) -> None:
    """Tell the interview as a story, topic by topic.

    \b
    viva transcript show run.sqlite --limit 5
    viva transcript show run.sqlite --concept 'Graph coloring' --full
    """
    import json
    from itertools import islice

    from vivavoce.interview.transcript import Transcript

    with Transcript.open(where, must_exist=True, verified=False) as record:
        records = record.records(candidate=candidate, topic=topic)
        if concept is not None:
            records = iter(_about(records, concept))
        found = list(islice(records, limit or (SHOWN_RECORDS if concept is None else None)))
        total = record.head.count
    if as_json:
        click.echo(json.dumps([asdict(one) for one in found], ensure_ascii=False, indent=2))
        return
    _tell(found, None if full else SHOWN_CHARACTERS)
    click.echo(f"{len(found)} of {total} records shown.")


@transcript.command(epilog=exit_codes(NO_TRANSCRIPT))
@click.argument("where")
@click.option("--expect", metavar="COUNT:DIGEST", help="A head that was printed earlier: was anything before it rewritten?")
@options.JSON
def verify(where: str, expect: str | None, as_json: bool) -> None:
    """Check that the transcript is whole and unaltered, and print its head as COUNT:DIGEST.

    Keep the head elsewhere: with --expect it also shows whether somebody rewrote the whole transcript.

    \b
    viva transcript verify run.sqlite
    """
    from vivavoce.interview.transcript import Transcript

    expected = None if expect is None else options.head(expect, "--expect")
    with Transcript.open(where, must_exist=True, verified=False) as record:
        head = record.verify(expected)
    say({"count": head.count, "digest": head.digest}, f"{head.count}:{head.digest}", as_json)


@transcript.command(epilog=exit_codes(NO_TRANSCRIPT))
@click.argument("where")
@click.argument("file", type=options.FILE, required=False)
@click.option("--format", "form", type=click.Choice(["jsonl", "csv"]), help="Else by the ending of FILE; else jsonl.")
@click.option(
    "--eval",
    "log",
    type=options.FILE,
    metavar="FILE.eval",
    help="A log for Inspect's viewer instead, a sample a record.",
)
@click.option("--candidate", metavar="NAME", help="Only this candidate's answers.")
@click.option("--topic", metavar="PATH", help="Only what was asked at or under this topic.")
def export(where: str, file: Path | None, form: str | None, log: Path | None, candidate: str | None, topic: str | None) -> None:
    """Write all records to FILE, or to standard output.

    \b
    viva transcript export run.sqlite answers.csv
    viva transcript export run.sqlite --eval logs/run.eval
    """
    from vivavoce.interview.transcript import Transcript

    if log is not None:
        if file is not None or form is not None:
            raise click.UsageError("--eval writes a file of its own: leave out FILE and --format.")
        _export_log(where, log, candidate=candidate, topic=topic)
        return
    form = form or _form(file)
    with Transcript.open(where, must_exist=True, verified=False) as record, _sink(file) as sink:
        written = _write(record.records(candidate=candidate, topic=topic), form, sink)
    if file is not None:
        click.echo(f"{written} records written to {file}", err=True)


def _export_log(where: str, log: Path, *, candidate: str | None, topic: str | None) -> None:
    from vivavoce.errors import MissingExtra
    from vivavoce.interview.transcript import Transcript

    try:
        from vivavoce.inspect_door.logs import write_log
    except ModuleNotFoundError as error:
        raise MissingExtra((error.name or "inspect_ai").partition(".")[0], extra="models") from None
    with Transcript.open(where, must_exist=True, verified=False) as record:
        written = write_log(log, record.records(candidate=candidate, topic=topic), source=record.name, head=record.head)
    click.echo(f"{written} records written to {log}", err=True)


def _about(records: Iterable[Record], concept: str) -> list[Record]:
    """The records with that concept as a level of their topic, as one would read them: by topic, not as they were answered."""
    from vivavoce.eqt.topics import level

    wanted = level(concept).casefold()
    return sorted(
        (record for record in records if wanted in record.topic.casefold().split("/")),
        key=lambda record: (record.topic, record.seq),
    )


def _tell(records: Iterable[Record], limit: int | None) -> None:
    from textwrap import indent

    from vivavoce.interview.said import said, thought
    from vivavoce.interview.wording import clipped

    topic = None
    for record in records:
        if record.topic != topic:
            topic = record.topic
            click.secho(clipped(topic, 200) or "(no topic)", bold=True)
        asked, thoughts, answered = said(record.question), thought(record.answer), said(record.answer)
        cut = limit or max(len(asked), len(thoughts), len(answered))
        draw = f", draw {record.draw}" if record.draw else ""
        click.echo(f"  {record.seq}. {record.asked_at} · {clipped(record.candidate, 200)}{draw} · {record.seconds:.2f} s")
        for name, text in (("asked", asked), ("thoughts", thoughts), (record.kind, answered)):
            if text or name != "thoughts":
                click.echo(indent(f"{name}: {clipped(text, cut)}", "     "))


def _form(file: Path | None) -> str:
    if file is None:
        return "jsonl"
    if file.suffix in (".jsonl", ".csv"):
        return file.suffix[1:]
    raise click.UsageError(f"'{file}' ends neither in .jsonl nor in .csv: give --format")


@contextmanager
def _sink(file: Path | None) -> Iterator[TextIO]:
    if file is None:
        yield sys.stdout
        return
    try:
        sink = file.open("x", encoding="utf-8", newline="")
    except FileExistsError:
        raise click.UsageError(f"'{file}' exists already: give another name, or remove it first") from None
    with sink:
        yield sink


def _write(records: Iterable[Record], form: str, sink: TextIO) -> int:
    import csv
    import json

    from vivavoce.interview.record import RECORD_FIELDS

    rows: Iterator[dict[str, Any]] = (asdict(record) for record in records)
    written = 0
    table = csv.DictWriter(sink, RECORD_FIELDS, lineterminator="\n")
    if form == "csv":
        table.writeheader()
    for row in rows:
        written += 1
        if form == "csv":
            table.writerow(row)
        else:
            sink.write(json.dumps(row, ensure_ascii=False) + "\n")
    return written
