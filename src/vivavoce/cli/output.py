"""What is printed and written of a finding: terminal, JSON, pages, JUnit, Markdown, rows, and where its transcript is."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from os.path import expanduser, realpath
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

import click

from vivavoce.cli import options
from vivavoce.cli.clustering import clustered

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from vivavoce.certificate.junit import Case
    from vivavoce.interview.batch_state import BatchAccount
    from vivavoce.interview.results import Front, Results
    from vivavoce.interview.transcript import Transcript
    from vivavoce.report.reported import Reported


_WANTED: Final = "vivavoce.wanted"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Files that a command is to write besides its page."""

    began: float = field(default_factory=monotonic)
    """When the command began, by a clock that only runs forward."""
    files: dict[str, Path] = field(default_factory=dict)
    """By the option that names each."""


def remember(context: click.Context, option: str, file: Path) -> None:
    """This file is wanted of the command that runs."""
    context.meta.setdefault(_WANTED, Wanted()).files[option] = file


def wanted() -> Wanted:
    """What was given to the command that runs."""
    context = click.get_current_context(silent=True)
    found: Wanted = Wanted() if context is None else context.meta.get(_WANTED, Wanted())
    return found


def write_wanted(finding: Reported, *, quietly: bool, measured: bool = True, head: str = "") -> None:
    """Write the finding to the files that are wanted, and name them; `quietly` on standard error.

    measured: of a finding without a verdict, whether there was anything to measure.
    head: of the transcript, as COUNT:DIGEST; empty where none is kept.
    """
    files = wanted().files
    if "--junit" in files:
        from vivavoce.certificate.junit import cases_of, properties_of

        report = finding.report()
        properties = properties_of(finding) | ({"transcript head": head} if head else {})
        write_cases(f"{report.kind}: {report.title}", cases_of(finding, measured=measured), properties, quietly=quietly)
    if "--markdown" in files:
        from vivavoce.formats.lines import write_whole
        from vivavoce.render.markdown import report_in_markdown

        write_whole(files["--markdown"], report_in_markdown(finding.report()))
        click.echo(f"Markdown: {files['--markdown']}", err=quietly)


def write_cases(suite: str, cases: Sequence[Case], properties: Mapping[str, object], *, quietly: bool) -> None:
    """Write JUnit XML, if it is wanted, and name it; `quietly` on standard error."""
    from datetime import UTC, datetime

    given = wanted()
    if "--junit" in given.files:
        from vivavoce.certificate.junit import write_junit

        took = monotonic() - given.began
        write_junit(given.files["--junit"], suite, cases, properties=properties, seconds=took, made=datetime.now(UTC))
        click.echo(f"JUnit: {given.files['--junit']}", err=quietly)


def folder_for(candidate: str) -> Path:
    """Where a dossier goes if nobody says where: a folder after the candidate's name.

    >>> folder_for("chat:llama3.2@http://localhost:11434/v1").name
    'chat-llama3.2-http-localhost-11434-v1'
    """
    return Path(re.sub(r"[^A-Za-z0-9.]+", "-", candidate).strip("-.")[:60] or "dossier")


def check_page(file: Path | None) -> None:
    """Refuse now a page, or another file that is wanted, that could not be written after all questions have been paid for."""
    check_output("--html", file)
    check_outputs(_given())


def check_output(option: str, file: Path | None) -> None:
    """Refuse now a file that could not be written later, or that the command reads or writes otherwise."""
    if file is None:
        return
    folder = file.parent
    if not folder.is_dir():
        raise click.UsageError(f"{option} {file}: there is no folder '{folder}'; make it first.")
    if file.is_dir() or not os.access(file if file.exists() else folder, os.W_OK):
        raise click.UsageError(f"{option} {file}: it cannot be written; choose another place.")
    check_not_used(option, file, _given(besides=option))


def check_outputs(given: Mapping[str, Any], outputs: Mapping[str, Path | None] | None = None) -> None:
    """Refuse files that are wanted, and these outputs, by their options, that are among what was given otherwise."""
    for option, file in (wanted().files | dict(outputs or {})).items():
        check_not_used(option, file, given)


def check_not_used(option: str, file: Path | None, given: Mapping[str, Any]) -> None:
    """Refuse a file that is among what was given otherwise, by whatever path or link; devices may have several uses."""
    if file is None or (file.exists() and not file.is_file()):
        return
    others = (*given.values(), *(other for name, other in wanted().files.items() if name != option))
    if any(_are_same(file, expanduser(name)) for name in _named(others)):
        raise click.UsageError(f"{option} {file}: that file is used for something else; choose another place.")


def _given(besides: str = "") -> dict[str, Any]:
    """What was given to the command that runs, without that option."""
    context = click.get_current_context(silent=True)
    if context is None:
        return {}
    return {
        param.human_readable_name: context.params.get(param.name or "")
        for param in context.command.params
        if besides not in (*param.opts, param.human_readable_name)
    }


def _are_same(file: Path, name: str) -> bool:
    try:
        return realpath(file) == realpath(name) or (file.exists() and os.path.samefile(file, name))
    except OSError:
        return False


def _named(values: Iterable[Any]) -> Iterator[str]:
    """What may name a file: a text, or what follows its kind as in file:questions.csv?match=exact."""
    for value in values:
        if isinstance(value, Mapping):
            yield from _named(value.values())
        elif isinstance(value, list | tuple):
            yield from _named(value)
        elif isinstance(value, Path):
            yield str(value)
        elif isinstance(value, str) and "\0" not in value:
            place = value.partition(":")[2]
            for name in (value, place):
                yield from filter(None, (name, name.partition("?")[0], name.partition("?")[0].partition("#")[0]))


def write_finding(
    file: Path | None, finding: Reported, *, quietly: bool, recheck: str = "", answers: str = "", document: str = ""
) -> None:
    """Write the page, if one is wanted, and name it; `quietly` on standard error, where standard output is for JSON alone.

    recheck: the command that has the finding again from its record; answers: how many were on record already; document: the
    JSON that the page carries. Empty where there is none.
    """
    if file is None:
        return
    from datetime import UTC, datetime

    from vivavoce.render.page import write_page
    from vivavoce.version import __version__

    write_page(
        file, [finding], made=datetime.now(UTC), version=__version__, recheck=recheck, answers=answers, document=document
    )
    click.echo(f"Page: {file}", err=quietly)


RESULTS = click.option(
    "--results",
    type=options.FILE,
    metavar="FILE",
    help="Write a row a question, for a spreadsheet or a data frame (.csv, .jsonl, .parquet): question, reply, how it was "
    "read, score, time and tokens.",
)


def check_results(file: Path | None) -> None:
    """Refuse now a file that could not be written later, or that is read from or goes to something else of this command."""
    if file is None:
        return
    from vivavoce.interview.result_files import format_of

    check_output("--results", file)
    format_of(file)


@contextmanager
def rows_into(file: Path | None, *front: Front) -> Iterator[Results | None]:
    """Collects rows for that file; None where none is wanted.

    They are written when the command is at its end, however it ends: after what it found was shown, since a file that cannot be
    written then must not cost the finding. A run that fails before the first answer leaves what was there.
    """
    if file is None:
        yield None
        return
    from vivavoce.interview.results import Results

    results, finished = Results(front), False

    def write() -> None:
        from vivavoce.interview.result_files import write_results

        if (rows := results.rows) or finished:
            number = write_results(file, rows, front=front)
            click.echo(f"Rows: {number} in {file}", err=True)

    click.get_current_context().call_on_close(write)
    yield results
    finished = True


@dataclass(frozen=True, slots=True)
class Kept:
    """A transcript's name, without a password, and its head as COUNT:DIGEST."""

    name: str
    head: str
    from_record: int = 0
    """Answers that were there already."""
    new: int = 0
    """Answers that were asked for."""
    asked_again: int = 0
    """Questions that were on their way when an earlier run ended."""
    by_batch: BatchAccount | None = None
    """What came of batches; None where nobody was asked by batch."""
    others: tuple[Kept, ...] = ()
    """Of candidates with a transcript each those of the further ones, in their order."""
    finished_at: str = ""
    """When an earlier run had this result, UTC in ISO 8601; empty where this run asked for it."""

    @property
    def answers(self) -> str:
        """Where they came from, in a line."""
        if self.finished_at and not self.new:
            return f"Answers: from the record of {self.finished_at[:10]}, nothing asked"
        return f"Answers: {self.from_record} from the record, {self.new} new"

    @property
    def batches(self) -> str:
        """What came of batches, in a line; empty where there were none."""
        if (found := self.by_batch) is None or not found.asked:
            return ""
        money = f"; money {found.paid.money:.2g}" if found.paid.money else ""
        return f"Batches: {found.batches} in this run, with {found.asked} questions{money}"


def keepsake(transcript: Transcript, given: str | None) -> Kept | None:
    """What to remember of it; None for one in memory, for which no place was given."""
    return None if given is None else kept_of(transcript)


def kept_of(transcript: Transcript) -> Kept:
    """The same of one that is kept for certain."""
    again = len(transcript.asked_again | transcript.orphans)
    origins = transcript.origins
    return Kept(transcript.name, str(transcript.head), origins["from record"], origins["new"], again, transcript.by_batch)


def show(
    finding: Reported,
    *,
    as_json: bool,
    html: Path | None,
    kept: Kept | None = None,
    more: Mapping[str, Any] | None = None,
    measured: bool = True,
) -> None:
    """Print a finding and the head of its transcript, and write its page and whatever else is wanted of it.

    It is printed as JSON with `more` values, or as the terminal shows its report.

    measured: of a finding without a verdict, whether there was anything to measure.
    """

    if kept is not None:
        kept = replace(kept, finished_at=_finished_at(finding))

    def values() -> Mapping[str, Any]:
        return {**finding.as_json(), **(more or {}), **head_of(kept)}

    try:
        if as_json:
            print_json(values())
        else:
            _print(finding, kept)
    finally:  # the reader of the output may have gone away; the page is wanted all the same
        answers, recheck = run_in_words(kept), recheck_of(finding, kept, folders=False)
        document = _as_text(values()) if html is not None and recheck and _is_side_by_side(finding) else ""
        write_finding(html, finding, quietly=as_json, recheck=recheck, answers=answers, document=document)
        write_wanted(finding, quietly=as_json, measured=measured, head="" if kept is None else kept.head)


def _is_side_by_side(finding: Reported) -> bool:
    """Whether its page carries its JSON, so that the page can be rechecked."""
    from vivavoce.certificate.comparison.finding import Comparison
    from vivavoce.certificate.comparison.gate_finding import Gate

    return isinstance(finding, Comparison | Gate)


def _print(finding: Reported, kept: Kept | None) -> None:
    from rich.console import Console

    from vivavoce.render.console import print_report, print_statement

    (print_statement if quiet() else print_report)(finding.report(), Console())
    tell(kept)
    if (command := recheck_of(finding, kept)) and not quiet():
        click.echo(f"Recheck: {command}, with what --json prints as {_document_of(finding)}")


def quiet() -> bool:
    """Whether the command that runs was given `--quiet`."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.params.get("quiet"))


def recheck_of(finding: Reported, kept: Kept | None, *, folders: bool = True) -> str:
    """The command that has a finding again from its record; empty for what cannot be had so, and where no record is kept.

    folders: whether the record is named with them; a page tells nothing of the examiner's machine.
    """
    document = _document_of(finding)
    if kept is None or not document:
        return ""

    def name(one: Kept) -> str:
        return one.name if folders or "://" in one.name else one.name.replace("\\", "/").rpartition("/")[2]

    context = click.get_current_context(silent=True)
    given = {} if context is None else context.params
    scopes = scope_words(given.get("scopes") or [given.get("scope_name") or ""], folders=folders)
    if not kept.others:
        return shlex.join(["viva", "recheck", document, "--transcript", name(kept), *scopes])
    records = [word for one in (kept, *kept.others) for word in ("--record", name(one))]
    return shlex.join(["viva", "recheck", document, *records, *scopes])


def scope_words(addresses: Iterable[str], *, folders: bool = True) -> list[str]:
    """What a recheck needs to be told of these scopes: those that are not generated, which it opens once more.

    >>> scope_words(["arithmetic?digits=2", "file:mine/law.csv"]), scope_words(["file:mine/law.csv"], folders=False)
    (['--scope', 'file:mine/law.csv'], ['--scope', 'file:law.csv'])
    """
    from vivavoce.examination.plan_file import bare_scope
    from vivavoce.examination.recheck.scopes import GENERATED

    named = [one for one in addresses if one and one.partition("?")[0] not in GENERATED]
    return [word for one in named for word in ("--scope", one if folders else bare_scope(one))]


def _finished_at(finding: Reported) -> str:
    """When an earlier run had this comparison's or gate's result; empty where this run asked for it, and for other findings."""
    from vivavoce.certificate.comparison.finding import Comparison
    from vivavoce.certificate.comparison.gate_finding import Gate

    attempt = finding.attempt if isinstance(finding, Comparison | Gate) else None
    return "" if attempt is None else attempt.finished_at


def _document_of(finding: Reported) -> str:
    """The name of the file that would hold its JSON in a recheck; empty for a finding that cannot be rechecked."""
    from vivavoce.certificate.claims import ClaimFinding
    from vivavoce.certificate.comparison.finding import Comparison
    from vivavoce.certificate.comparison.gate_finding import Gate

    match finding:
        case ClaimFinding():
            name = "certificate.json"
        case Comparison():
            name = "comparison.json"
        case Gate():
            name = "gate.json"
        case _:
            return ""
    return "" if finding.attempt is None else name


def head_of(kept: Kept | None) -> dict[str, Any]:
    """The head of a transcript, where there is one, as a part of what is printed as JSON; of several, all of them.

    Where a cluster answered it stands in a part `run`, with all that is of the run alone: the rest is that of one machine.
    """
    heads: dict[str, Any] = {}
    if kept is not None:
        all_heads = [one.head for one in (kept, *kept.others)]
        heads = {"transcript_head": kept.head} | ({"record_heads": all_heads} if kept.others else {})
    batches = {} if kept is None else _run_of(kept.by_batch)
    if (cluster := clustered()) is None:
        return heads | ({"run": batches} if batches else {})
    answers = {} if kept is None else {"from_record": kept.from_record, "new": kept.new, "asked_again": kept.asked_again}
    return {"run": {**cluster.run, **batches, **({"answers": answers} if answers else {}), **heads}}


def run_in_words(kept: Kept | None) -> str:
    """Where answers came from, and who computed them, for the foot of a page; empty where neither is known."""
    cluster = clustered()
    return " · ".join(filter(None, ("" if kept is None else kept.answers, "" if cluster is None else cluster.statement)))


def _run_of(found: BatchAccount | None) -> dict[str, Any]:
    """What is of this run alone, and would be otherwise in one that is resumed: the batches."""
    if found is None:
        return {}
    return {"batch": {"batches": found.batches, "asked": found.asked, "money": found.paid.money}}


def tell(kept: Kept | None, *, err: bool = False) -> None:
    """Say where the transcript is, its head, and how many answers were there already, where there is one."""
    if kept is not None:
        click.echo(f"Transcript: {kept.name}, head {kept.head} · {kept.answers}", err=err)
        if kept.batches:
            click.echo(kept.batches, err=err)


def say(values: Mapping[str, Any], words: str, as_json: bool, *, err: bool = False) -> None:
    """What was done, as JSON or in words; `err`: words go to standard error, where they are no result."""
    if as_json:
        print_json(values)
    else:
        click.echo(words, err=err)


def print_json(values: object) -> None:
    """Print as JSON, in a line; a number that JSON does not know is a mistake of ours."""
    click.echo(_as_text(values))


def _as_text(values: object) -> str:
    import json

    return json.dumps(values, allow_nan=False)


def _to_be_written(context: click.Context, option: click.Parameter, file: Path | None) -> None:
    """Refuse now a file that could not be written later; remember one that can, until there is a finding."""
    if file is not None:
        check_output(option.opts[0], file)
        remember(context, option.opts[0], file)


JUNIT = click.option(
    "--junit",
    type=options.FILE,
    metavar="FILE",
    expose_value=False,
    callback=_to_be_written,
    help="Write JUnit XML, a test case a verdict, as GitHub, GitLab and Jenkins read it.",
)
MARKDOWN = click.option(
    "--markdown",
    type=options.FILE,
    metavar="FILE",
    expose_value=False,
    callback=_to_be_written,
    help="Write Markdown, such as for a comment on a pull request.",
)
verdict_options = options.together(options.output_options, JUNIT)
"""Of commands that give verdicts, or measure what a change may have made worse."""
