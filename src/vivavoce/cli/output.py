"""Output of a finding: terminal, JSON, pages, JUnit, Markdown, rows, and the transcript's name."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from os.path import expanduser, realpath
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, cast

import click

from vivavoce.cli import options
from vivavoce.cli.record_summary import RecordSummary, bare_name, head_of, run_in_words, tell

if TYPE_CHECKING:
    from vivavoce.certificate.attempts.attempt import AttemptHistory
    from vivavoce.certificate.claims.results import ClaimFinding
    from vivavoce.certificate.comparison.finding import Comparison
    from vivavoce.certificate.comparison.gate import Gate
    from vivavoce.certificate.report.junit import JUnitCase
    from vivavoce.interview.results import Front, ResultRows
    from vivavoce.report.reported import ReportedFinding


_WANTED: Final = "vivavoce.wanted"


@dataclass(frozen=True, slots=True)
class OutputFiles:
    """Files that a command writes besides its page."""

    began: float = field(default_factory=monotonic)
    """Start of the command, by a monotonic clock."""
    files: dict[str, Path] = field(default_factory=dict)
    """Files by option name."""


def remember(context: click.Context, option: str, file: Path) -> None:
    """Register a file that the running command should write."""
    context.meta.setdefault(_WANTED, OutputFiles()).files[option] = file


def wanted() -> OutputFiles:
    """The files registered for the running command."""
    context = click.get_current_context(silent=True)
    files: OutputFiles = OutputFiles() if context is None else context.meta.get(_WANTED, OutputFiles())
    return files


def write_wanted(finding: ReportedFinding, *, quietly: bool, measured: bool = True, head: str = "") -> None:
    """Write the finding to all registered files, and print their names; `quietly`: on standard error.

    measured: whether there was anything to measure, for a finding without a verdict.
    head: the transcript's head as COUNT:DIGEST; empty without a transcript.
    """
    files = wanted().files
    if "--junit" in files:
        from vivavoce.certificate.report.junit import cases_of, properties_of

        report = finding.report()
        properties = properties_of(finding) | ({"transcript head": head} if head else {})
        write_cases(f"{report.kind}: {report.title}", cases_of(finding, measured=measured), properties, quietly=quietly)
    if "--markdown" in files:
        from vivavoce.formats.lines import write_whole
        from vivavoce.render.markdown import report_in_markdown

        write_whole(files["--markdown"], report_in_markdown(finding.report()))
        click.echo(f"Markdown: {files['--markdown']}", err=quietly)


def write_cases(suite: str, cases: Sequence[JUnitCase], properties: Mapping[str, object], *, quietly: bool) -> None:
    """Write JUnit XML if requested, and print its name; `quietly`: on standard error."""
    from datetime import UTC, datetime

    given = wanted()
    if "--junit" in given.files:
        from vivavoce.certificate.report.junit import junit
        from vivavoce.formats.lines import write_whole

        took = monotonic() - given.began
        document = junit(suite, cases, properties=properties, seconds=took, made=datetime.now(UTC))
        write_whole(given.files["--junit"], document.decode())
        click.echo(f"JUnit: {given.files['--junit']}", err=quietly)


def folder_for(candidate: str) -> Path:
    """The default folder of a report, named after the candidate.

    >>> folder_for("chat:llama3.2@http://localhost:11434/v1").name
    'chat-llama3.2-http-localhost-11434-v1'
    """
    return Path(re.sub(r"[^A-Za-z0-9.]+", "-", candidate).strip("-.")[:60] or "report")


def check_page(file: Path | None) -> None:
    """Refuse a page or other output file that can't be written, before any question is paid for."""
    check_output("--html", file)
    check_outputs(_given())


def check_output(option: str, file: Path | None) -> None:
    """Refuse a file that can't be written, or that the command also uses otherwise."""
    if file is None:
        return
    _check_writable(option, file)
    check_not_used(option, file, _given(besides=option))


def _check_writable(option: str, file: Path) -> None:
    folder = file.parent
    if not folder.is_dir():
        raise click.UsageError(f"{option} {file}: the folder '{folder}' does not exist; create it first.")
    if file.is_dir() or not os.access(file if file.exists() else folder, os.W_OK):
        raise click.UsageError(f"{option} {file}: can't be written; choose another place.")


def check_outputs(given: Mapping[str, Any], outputs: Mapping[str, Path | None] | None = None) -> None:
    """Refuse output files that are also inputs of the command."""
    for option, file in (wanted().files | dict(outputs or {})).items():
        check_not_used(option, file, given)


def check_not_used(option: str, file: Path | None, given: Mapping[str, Any]) -> None:
    """Refuse a file that is also used otherwise, under any path or link; devices may have several uses."""
    if file is None or (file.exists() and not file.is_file()):
        return
    others = (*given.values(), *(other for name, other in wanted().files.items() if name != option))
    if any(_are_same(file, expanduser(name)) for name in _named(others)):
        raise click.UsageError(f"{option} {file}: this command already uses that file; choose another.")


def _given(besides: str = "") -> dict[str, Any]:
    """The running command's parameters, without that option."""
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
    """Texts that may name a file: the value itself, or the part after its kind as in file:questions.csv?match=exact."""
    for value in values:
        if isinstance(value, Mapping):
            yield from _named(value.values())
        elif isinstance(value, list | tuple):
            yield from _named(value)
        elif isinstance(value, Path):
            yield str(value)
        elif isinstance(value, str) and "\0" not in value:
            where = value.partition(":")[2]
            for name in (value, where):
                yield from filter(None, (name, name.partition("?")[0], name.partition("?")[0].partition("#")[0]))


def write_finding(
    file: Path | None,
    finding: ReportedFinding,
    *,
    quietly: bool,
    recheck: str = "",
    answers: str = "",
) -> None:
    """Write the page if requested, and print its name; `quietly`: on standard error, when standard output is JSON.

    recheck: the command that recomputes the finding from its record.
    answers: how many answers came from the record.
    """
    if file is None:
        return
    from datetime import UTC, datetime

    from vivavoce.formats.lines import write_whole
    from vivavoce.render.page import page
    from vivavoce.version import __version__

    text = page([finding], made=datetime.now(UTC), version=__version__, recheck=recheck, answers=answers)
    write_whole(file, text)
    click.echo(f"Page: {file}", err=quietly)


def _checked_early(_: click.Context, option: click.Parameter, file: Path | None) -> Path | None:
    """Check that a file can be written, together with all other options."""
    if file is not None:
        _check_writable(option.opts[0], file)
        if option.name == "results":
            from vivavoce.interview.results import format_of

            format_of(file)
    return file


HTML = click.option("--html", type=options.FILE, metavar="FILE", callback=_checked_early, help="Write an HTML page.")
RESULTS = click.option(
    "--results",
    type=options.FILE,
    metavar="FILE",
    callback=_checked_early,
    help="Write one row per question with reply, score and cost (.csv, .jsonl, .parquet).",
)


@contextmanager
def rows_into(file: Path | None, *front: Front) -> Iterator[ResultRows | None]:
    """Collect rows for that file; None without a file.

    They are written when the command ends, however it ends, and after its finding is shown: a file that can't be written
    must not cost the finding. A run that fails before the first answer leaves the old file.
    """
    if file is None:
        yield None
        return
    from vivavoce.interview.results import ResultRows

    results, finished = ResultRows(front), False

    def write() -> None:
        from vivavoce.interview.results import write_results

        if (rows := results.rows) or finished:
            number = write_results(file, rows, front=front)
            click.echo(f"Rows: {number} in {file}", err=True)

    click.get_current_context().call_on_close(write)
    yield results
    finished = True


def show(
    finding: ReportedFinding,
    *,
    as_json: bool,
    html: Path | None,
    kept: RecordSummary | None = None,
    more: Mapping[str, Any] | None = None,
    measured: bool = True,
) -> None:
    """Print a finding as JSON with `more` values or as a report, and write its page and other output files.

    measured: whether there was anything to measure, for a finding without a verdict.
    """
    if kept is not None:
        kept = replace(kept, finished_at=_finished_at(finding))
    try:
        if as_json:
            print_json({**finding.as_json(), **(more or {}), **head_of(kept)})
        else:
            _print(finding, kept)
    finally:  # standard output may be closed; the page is written all the same
        answers, recheck = run_in_words(kept), recheck_of(finding, kept, folders=False)
        write_finding(html, finding, quietly=as_json, recheck=recheck, answers=answers)
        write_wanted(finding, quietly=as_json, measured=measured, head="" if kept is None else kept.head)


def _print(finding: ReportedFinding, kept: RecordSummary | None) -> None:
    from rich.console import Console

    from vivavoce.render.console import print_report, print_statement

    (print_statement if quiet() else print_report)(finding.report(), Console())
    tell(kept)
    if (command := recheck_of(finding, kept)) and not quiet():
        click.echo(f"Recheck: {command}, with what --json prints as {_document_of(finding)}")


def quiet() -> bool:
    """Whether the running command has `--quiet`."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.params.get("quiet"))


def recheck_of(finding: ReportedFinding, kept: RecordSummary | None, *, folders: bool = True) -> str:
    """The command that recomputes a finding from its record; empty if it can't be recomputed or no record is kept.

    folders: whether to name the record with its folders, which a page must not reveal.
    """
    document = _document_of(finding)
    if kept is None or not document:
        return ""

    def name(summary: RecordSummary) -> str:
        return summary.name if folders else bare_name(summary)

    context = click.get_current_context(silent=True)
    given = {} if context is None else context.params
    scopes = scope_words(given.get("scopes") or [given.get("scope_name") or ""], folders=folders)
    if not kept.others:
        return shlex.join(["viva", "recheck", document, "--transcript", name(kept), *scopes])
    records = [word for summary in (kept, *kept.others) for word in ("--record", name(summary))]
    return shlex.join(["viva", "recheck", document, *records, *scopes])


def scope_words(addresses: Iterable[str], *, folders: bool = True) -> list[str]:
    """The `--scope` options of a recheck: scopes that are not built in must be opened again.

    >>> scope_words(["arithmetic?digits=2", "file:mine/law.csv"]), scope_words(["file:mine/law.csv"], folders=False)
    (['--scope', 'file:mine/law.csv'], ['--scope', 'file:law.csv'])
    """
    from vivavoce.scopes import BUILT_IN, bare_scope

    named = [address for address in addresses if address and address.partition("?")[0] not in BUILT_IN]
    return [word for name in named for word in ("--scope", name if folders else bare_scope(name))]


def _attempt_of(finding: ReportedFinding) -> AttemptHistory | None:
    return cast("ClaimFinding | Comparison | Gate", finding).attempt if finding.document else None


def _finished_at(finding: ReportedFinding) -> str:
    """When an earlier run had this result; empty where this run asked for it, and for findings that are no attempts."""
    attempt = _attempt_of(finding)
    return "" if attempt is None else attempt.finished_at


def _document_of(finding: ReportedFinding) -> str:
    """The usual file name of its JSON in a recheck; empty for a finding that can't be rechecked."""
    return "" if _attempt_of(finding) is None else finding.document


def say(values: Mapping[str, Any], words: str, as_json: bool, *, err: bool = False) -> None:
    """Print JSON or words; `err`: words go to standard error."""
    if as_json:
        print_json(values)
    else:
        click.echo(words, err=err)


def print_json(values: object) -> None:
    """Print as JSON in one line. Raises `ValueError` for NaN and infinity."""
    import json

    click.echo(json.dumps(values, allow_nan=False))


def _to_be_written(context: click.Context, option: click.Parameter, file: Path | None) -> None:
    """Check that the file can be written, and register it."""
    if file is not None:
        check_output(option.opts[0], file)
        remember(context, option.opts[0], file)


JUNIT = click.option(
    "--junit",
    type=options.FILE,
    metavar="FILE",
    expose_value=False,
    callback=_to_be_written,
    help="Write JUnit XML, one test case per verdict.",
)
MARKDOWN = click.option(
    "--markdown",
    type=options.FILE,
    metavar="FILE",
    expose_value=False,
    callback=_to_be_written,
    help="Write Markdown, e.g. for a comment on a pull request.",
)
output_options = options.together(options.JSON, HTML)
verdict_options = options.together(output_options, JUNIT)
"""Output options of commands whose result a CI job checks."""
