"""`viva transcript`: show, verify and export the record of questions and answers."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Any, TextIO

import click

from vivavoce.cli import options
from vivavoce.cli.endings import NO_TRANSCRIPT, exit_codes
from vivavoce.cli.help import CommandGroup
from vivavoce.cli.output import say
from vivavoce.errors import TranscriptDamaged
from vivavoce.formats.wording import clipped
from vivavoce.interview.candidate import done, said, thought

if TYPE_CHECKING:
    from vivavoce.interview.record import Record
    from vivavoce.interview.results import Format, ResultRow
    from vivavoce.interview.scope import Grade
    from vivavoce.interview.sealed_transcript import PublicKey, SigningKey
    from vivavoce.interview.transcript import Transcript


SHOWN_RECORDS = 20
SHOWN_CHARACTERS = 400
"""Longest question or answer shown without --full."""


@click.group(cls=CommandGroup)
def transcript() -> None:
    """Show, verify or export a transcript.

    WHERE is a file, or postgresql://USER@HOST/DATABASE; 'show' and 'verify' also take a sealed export.
    """


@transcript.command(epilog=exit_codes(NO_TRANSCRIPT))
@click.argument("where")
@click.option("--candidate", metavar="NAME", help="Only this candidate's answers.")
@click.option("--topic", metavar="PATH", help="Only records at or under this topic.")
@click.option("--concept", metavar="NAME", help="Show only records on this concept, in the order of the examination.")
@click.option("--limit", type=options.count, metavar="N", help="Show at most N records. [default: 20; all of a concept]")
@click.option("--full", is_flag=True, help=f"Show whole texts, not cut after {SHOWN_CHARACTERS} characters.")
@options.JSON
def show(where: str, candidate: str | None, topic: str | None, concept: str | None, limit: int | None, full: bool) -> None:
    """Show the questions and answers, topic by topic.

    \b
    viva transcript show run.sqlite --limit 5
    viva transcript show run.sqlite --concept 'Graph coloring' --full
    """
    with _records(where, candidate=candidate, topic=topic) as (records, total):
        if concept is not None:
            records = iter(_about(records, concept))
        entries = list(islice(records, limit or (SHOWN_RECORDS if concept is None else None)))
    if options.wants_json():
        click.echo(json.dumps([asdict(record) for record in entries], ensure_ascii=False, indent=2))
        return
    _tell(entries, None if full else SHOWN_CHARACTERS)
    click.echo(f"{len(entries)} of {total} records shown.")


@transcript.command(epilog=exit_codes(NO_TRANSCRIPT))
@click.argument("where")
@click.option("--expect", metavar="COUNT:DIGEST", help="Check that nothing before this earlier head was rewritten.")
@options.SIGNED_BY
@options.JSON
def verify(where: str, expect: str | None, signer: PublicKey | None) -> None:
    """Check that the transcript is complete and unaltered, and print its head as COUNT:DIGEST.

    Keep the head elsewhere: with --expect you can detect a transcript that was rewritten as a whole.

    \b
    viva transcript verify run.sqlite
    """
    from vivavoce.interview.sealed_transcript import is_sealed, read_sealed
    from vivavoce.interview.transcript import Transcript

    expected = None if expect is None else options.head(expect, "--expect")
    if is_sealed(where):
        sealed = read_sealed(Path(where), expected=expected)
        head = sealed.heads.records
        if signer is not None and (problem := signer.problem_with(sealed.first)):
            raise TranscriptDamaged(f"sealed export {where} is not the signed one: {problem}")
    elif signer is not None:
        raise click.UsageError("'--signed-by' is for a sealed export; a transcript is not signed: leave it out.")
    else:
        with Transcript.open(where, must_exist=True, verified=False) as record:
            head = record.verify(expected)
    say({"count": head.count, "digest": head.digest}, str(head))


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """What to export, and where to."""

    where: str
    file: Path | None
    sealed: bool
    sign: SigningKey | None
    form: Format | None
    as_records: bool
    candidate: str | None
    topic: str | None

    def check(self) -> None:
        """Refuse options that exclude each other."""
        parts = (self.form, self.as_records, self.candidate is not None, self.topic is not None)
        if self.sealed and (self.file is None or any(parts)):
            raise click.UsageError("'--sealed' writes the whole transcript to FILE: name one, and leave out the other options.")
        if self.sign is not None and not self.sealed:
            raise click.UsageError("'--sign' is for '--sealed': give both.")


@transcript.command(epilog=exit_codes(NO_TRANSCRIPT))
@click.argument("where")
@click.argument("file", type=options.FILE, required=False)
@click.option("--sealed", is_flag=True, help="Write one file with all that a third party needs to recheck it.")
@options.SIGN
@click.option(
    "--format",
    "form",
    type=options.Choice(["jsonl", "csv", "parquet"]),
    help="Write this format. [default: by FILE's extension, else jsonl]",
)
@click.option(
    "--records",
    "as_records",
    is_flag=True,
    help="Write every field of every record, with digests (jsonl, csv).",
)
@click.option("--candidate", metavar="NAME", help="Only this candidate's answers.")
@click.option("--topic", metavar="PATH", help="Only records at or under this topic.")
def export(**given: Any) -> None:
    """Write one row per question to FILE or standard output, with the columns of '--results'.

    Columns that the record does not hold are empty: how replies were parsed, what was expected, and scores other than a
    certificate's grades.

    \b
    viva transcript export run.sqlite answers.csv
    viva transcript export run.sqlite sealed.jsonl.gz --sealed
    """
    from vivavoce.interview.transcript import Transcript

    request = ExportRequest(**given)
    request.check()
    file = request.file
    if request.sealed and file is not None:
        _seal(request.where, file, request.sign)
        return
    form = request.form or _form(file)
    if request.as_records and form == "parquet":
        raise click.UsageError("'--records' is for .jsonl and .csv: give another --format.")
    _check_rows(file, form)
    with Transcript.open(request.where, must_exist=True, verified=False) as record:
        if request.as_records:
            with _sink(file) as sink:
                written = _write(record.records(candidate=request.candidate, topic=request.topic), form, sink)
        else:
            written = _write_rows(record, request, form)
    if file is not None:
        click.echo(f"{written} records written to {file}", err=True)


def _check_rows(file: Path | None, form: Format) -> None:
    """Refuse a format that can't be written, and an existing file."""
    from vivavoce.interview.results import check_format

    check_format(form)
    if file is not None and file.exists():
        raise _there(file)
    if file is None and form == "parquet":
        raise click.UsageError("Parquet is a binary format, not for standard output: name a FILE.")


def _write_rows(transcript: Transcript, request: ExportRequest, form: Format) -> int:
    from vivavoce.interview.commitment import COMMITTER
    from vivavoce.interview.results import write_results, write_rows

    candidate, topic = request.candidate, request.topic
    names = {record.candidate for record in transcript.records(candidate=candidate, topic=topic)}
    several = len(names - {COMMITTER}) > 1
    rows = rows_on_record(transcript, candidate=candidate, topic=topic, several=several)
    front = ("candidate",) if several else ()
    if request.file is not None:
        return write_results(request.file, rows, front=front, form=form)
    return write_rows(sys.stdout.buffer, rows, front=front, form=form)


def _seal(where: str, file: Path, key: SigningKey | None) -> None:
    from vivavoce.interview.sealed_transcript import write_sealed
    from vivavoce.interview.transcript import Transcript

    if not file.name.lower().endswith((".jsonl", ".jsonl.gz")):
        raise click.UsageError(f"'{file}' does not end in .jsonl or .jsonl.gz: give another name")
    with Transcript.open(where, must_exist=True) as record:
        try:
            heads = write_sealed(file, record, key=key)
        except FileExistsError:
            raise _there(file) from None
    click.echo(f"{heads.records.count} records sealed in {file}, head {heads.records}", err=True)


@contextmanager
def _records(where: str, *, candidate: str | None, topic: str | None) -> Iterator[tuple[Iterator[Record], int]]:
    """The records of a transcript or a sealed export, and their number."""
    from vivavoce.interview.sealed_transcript import is_sealed, read_sealed
    from vivavoce.interview.transcript import Transcript

    sealed = read_sealed(Path(where)) if is_sealed(where) else None
    with Transcript.open(where, must_exist=True, verified=False) if sealed is None else sealed.transcript() as record:
        yield record.records(candidate=candidate, topic=topic), record.head.count


def _about(records: Iterable[Record], concept: str) -> list[Record]:
    """The records whose topic contains the concept, sorted by topic."""
    from vivavoce.eqt.record import level

    wanted = level(concept).casefold()
    return sorted(
        (record for record in records if wanted in record.topic.casefold().split("/")),
        key=lambda record: (record.topic, record.seq),
    )


def _tell(records: Iterable[Record], limit: int | None) -> None:
    topic = None
    for record in records:
        if record.topic != topic:
            topic = record.topic
            click.secho(clipped(topic, 200) or "(no topic)", bold=True)
        asked, thoughts, answered = said(record.question), thought(record.answer), said(record.answer)
        steps = done(record.answer)
        cut = limit or max(map(len, (asked, thoughts, answered, *steps)))
        number = record.key.first.draw
        draw = f", draw {number}" if number else ""
        draw += ", asked again" if record.draw < 0 else ""
        click.echo(f"  {record.seq}. {record.asked_at} · {clipped(record.candidate, 200)}{draw} · {record.seconds:.2f} s")
        did = [(f"step {number}", step) for number, step in enumerate(steps, 1)]
        for name, text in (("asked", asked), ("thoughts", thoughts), *did, (record.kind, answered)):
            if text or name != "thoughts":
                click.echo(indent(f"{name}: {clipped(text, cut)}", "     "))


def _form(file: Path | None) -> Format:
    from vivavoce.interview.results import named_format

    if file is None:
        return "jsonl"
    if (result := named_format(file)) is not None:
        return result
    raise click.UsageError(f"'{file}' does not end in .jsonl, .csv or .parquet: give --format")


@contextmanager
def _sink(file: Path | None) -> Iterator[TextIO]:
    if file is None:
        yield sys.stdout
        return
    try:
        sink = file.open("x", encoding="utf-8", newline="")
    except FileExistsError:
        raise _there(file) from None
    with sink:
        yield sink


def _there(file: Path) -> click.UsageError:
    return click.UsageError(f"'{file}' exists already: give another name, or remove it first")


def _write(records: Iterable[Record], form: str, sink: TextIO) -> int:
    from vivavoce.interview.record import RECORD_FIELDS
    from vivavoce.interview.results import line_of

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
            sink.write(f"{line_of(row)}\n")
    return written


def rows_on_record(transcript: Transcript, *, candidate: str | None, topic: str | None, several: bool) -> Iterator[ResultRow]:
    """One row per record in order, without the examiner's own entries.

    Parameters
    ----------
    several: whether the first column is the candidate.
    """
    from vivavoce.interview.commitment import COMMITTER

    grades = grades_on_record(transcript)
    for record in transcript.records(candidate=candidate, topic=topic):
        if record.candidate != COMMITTER:
            yield _row(record, grades.get(record.seq), (record.candidate,) if several else ())


def grades_on_record(transcript: Transcript) -> dict[int, Grade]:
    """The last grade of each answer by record number; people's grades take precedence.

    Raises `TranscriptDamaged` for an entry of grades that holds none.
    """
    from vivavoce.certificate.attempts.grades_log import TOPIC, book_of
    from vivavoce.interview.commitment import COMMITTER
    from vivavoce.interview.scope import Grade

    result: dict[int, Grade] = {}
    for record in transcript.records(candidate=COMMITTER, topic=TOPIC):
        book = book_of(record)
        if book.grades is not None:
            result |= dict(zip(book.grades.records, book.grades.each, strict=True))
        result |= {grade.record: Grade(grade.score, grade.unacceptable) for grade in book.people}
    return result


def _row(record: Record, grade: Grade | None, front: tuple[str, ...]) -> ResultRow:
    from vivavoce.interview.question_runner import FURTHER_TURN
    from vivavoce.interview.results import ResultRow

    try:
        question = json.loads(record.question)
        is_position = isinstance(question, dict) and question.keys() == {"fen"}
        words = str(question["fen"]) if is_position else said(record.question)
        reply = "" if record.kind == "no answer" else said(record.answer)
        outcome = _outcome(record, grade)
    except (ValueError, RecursionError):
        raise TranscriptDamaged(f"{record} has content that no interview writes: restore an unchanged copy") from None
    name = str(question.get("id") or "") if isinstance(question, dict) else ""
    turn = FURTHER_TURN if name and record.topic.endswith(FURTHER_TURN) else ""
    return ResultRow(
        id=(name or record.topic) + turn,
        question=words,
        reply=reply,
        read_as="",
        score=None if grade is None else grade.score,
        outcome=outcome,
        seconds=record.seconds,
        tokens=record.tokens_in + record.tokens_out,
        front=front,
    )


def _outcome(record: Record, grade: Grade | None) -> str:
    """The outcome as far as the record shows it."""
    from vivavoce.interview.forms.form import Outcome
    from vivavoce.interview.results import absence

    if record.kind == "no answer" and (grade is None or grade.outcome is not Outcome.ORPHAN):
        return absence(said(record.answer), by_service=bool(json.loads(record.answer).get("by_service")))
    return "" if grade is None else Outcome(grade.outcome).value
