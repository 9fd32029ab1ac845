"""Output of a finding: terminal, JSON, pages, JUnit, Markdown, rows, and the transcript's name."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from os.path import expanduser, realpath
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, cast

import click

from vivavoce.cli.options import JSON, OUTPUT, Command, check_writable, together, wants_json
from vivavoce.cli.progress import RecordSummary, bare_name, head_of, run_in_words, tell
from vivavoce.version import __version__

if TYPE_CHECKING:
    from vivavoce.certificate.attempts.attempt import AttemptHistory
    from vivavoce.certificate.claims.results import ClaimFinding
    from vivavoce.certificate.comparison.finding import Comparison
    from vivavoce.certificate.comparison.gate import Gate
    from vivavoce.certificate.report.junit import JUnitCase
    from vivavoce.interview.results import Front, ResultRows
    from vivavoce.report.blocks import Report
    from vivavoce.report.reported import ReportedFinding


_RUNNING: Final = "vivavoce.running"


@dataclass(slots=True)
class RunningCommand:
    """Files to which the running command writes its finding, and its transcript."""

    began: float = field(default_factory=monotonic)
    """Its start, by a monotonic clock."""
    files: dict[str, Path] = field(default_factory=dict)
    """Files by option name."""
    record: RecordSummary | None = None
    """The summary of the transcript; None for one in memory."""


def running() -> RunningCommand:
    """The state of the running command."""
    context = click.get_current_context(silent=True)
    state: RunningCommand = RunningCommand() if context is None else context.meta.setdefault(_RUNNING, RunningCommand())
    return state


def write_cases(suite: str, cases: Sequence[JUnitCase], properties: Mapping[str, object]) -> None:
    """Write JUnit XML if requested, and print its name."""
    state = running()
    if "--junit" in state.files:
        from vivavoce.certificate.report.junit import junit
        from vivavoce.formats.lines import write_whole

        took = monotonic() - state.began
        document = junit(suite, cases, properties=properties, seconds=took, made=datetime.now(UTC))
        write_whole(state.files["--junit"], document.decode())
        click.echo(f"JUnit: {state.files['--junit']}", err=wants_json())


def folder_for(candidate: str) -> Path:
    """The default folder of a report, named after the candidate.

    >>> folder_for("chat:llama3.2@http://localhost:11434/v1").name
    'chat-llama3.2-http-localhost-11434-v1'
    """
    return Path(re.sub(r"[^A-Za-z0-9.]+", "-", candidate).strip("-.")[:60] or "report")


def check_outputs(context: click.Context) -> None:
    """Refuse output files that the command also uses otherwise, before any question is paid for."""
    for param in context.command.params:
        if param.type is OUTPUT:
            check_not_used(param.opts[0], context.params.get(param.name or ""), _given(besides=param.opts[0]))
    check_files(_given())


def check_files(given: Mapping[str, Any]) -> None:
    """Refuse files for the finding that are also in these values."""
    for option, file in running().files.items():
        check_not_used(option, file, given)


def check_output(option: str, file: Path | None) -> None:
    """Refuse a file that can't be written, or that the command also uses otherwise."""
    if file is not None:
        check_writable(option, file)
        check_not_used(option, file, _given(besides=option))


def check_not_used(option: str, file: Path | None, given: Mapping[str, Any]) -> None:
    """Refuse a file that is also used otherwise, under any path or link; devices may have several uses."""
    if file is None or (file.exists() and not file.is_file()):
        return
    others = (*given.values(), *(other for name, other in running().files.items() if name != option))
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


def _check_format(_: click.Context, __: click.Parameter, file: Path | None) -> Path | None:
    if file is not None:
        from vivavoce.interview.results import format_of

        format_of(file)
    return file


RESULTS = click.option(
    "--results",
    type=OUTPUT,
    callback=_check_format,
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


def show(finding: ReportedFinding, *, more: Mapping[str, Any] | None = None, measured: bool = True) -> None:
    """Print a finding as JSON with `more` values or as a report, and write its page and other output files.

    measured: whether there was anything to measure, for a finding without a verdict.
    """
    kept = running().record
    if kept is not None:
        kept = replace(kept, finished_at=_finished_at(finding))
    try:
        if wants_json():
            print_json({**finding.as_json(), **(more or {}), **head_of(kept)})
        else:
            _print(finding, kept)
    finally:  # standard output may be closed; the files are written all the same
        _write_files(finding, kept, measured=measured)


def _write_files(finding: ReportedFinding, kept: RecordSummary | None, *, measured: bool) -> None:
    """Write the finding to all requested files, and print their names."""
    from vivavoce.formats.lines import write_whole

    files = running().files
    if "--html" in files:
        from vivavoce.render.page import page

        answers, recheck = run_in_words(kept), recheck_of(finding, kept, folders=False)
        text = page([finding], made=datetime.now(UTC), version=__version__, recheck=recheck, answers=answers)
        write_whole(files["--html"], text)
        click.echo(f"Page: {files['--html']}", err=wants_json())
    if "--junit" in files:
        from vivavoce.certificate.report.junit import cases_of, properties_of

        properties = properties_of(finding) | ({} if kept is None else {"transcript head": kept.head})
        report = finding.report()
        write_cases(f"{report.kind}: {report.title}", cases_of(finding, measured=measured), properties)
    if "--markdown" in files:
        from vivavoce.render.markdown import report_in_markdown

        write_whole(files["--markdown"], report_in_markdown(finding.report()))
        click.echo(f"Markdown: {files['--markdown']}", err=wants_json())


def print_finding(report: Report) -> None:
    """Print a report, or with `--quiet` its statement alone."""
    from rich.console import Console

    from vivavoce.render.console import print_report, print_statement

    (print_statement if quiet() else print_report)(report, Console())


def _print(finding: ReportedFinding, kept: RecordSummary | None) -> None:
    print_finding(finding.report())
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


def say(values: Mapping[str, Any], words: str, *, err: bool = False) -> None:
    """Print JSON or words; `err`: words go to standard error."""
    if wants_json():
        print_json(values)
    else:
        click.echo(words, err=err)


def print_json(values: object) -> None:
    """Print as JSON in one line. Raises `ValueError` for NaN and infinity."""
    click.echo(json.dumps(values, allow_nan=False))


def _keep_file(_: click.Context, option: click.Parameter, file: Path | None) -> None:
    if file is not None:
        running().files[option.opts[0]] = file


def _file_option(name: str, text: str) -> Callable[[Command], Command]:
    return click.option(name, type=OUTPUT, expose_value=False, callback=_keep_file, help=text)


JUNIT = _file_option("--junit", "Write JUnit XML, one test case per verdict.")
MARKDOWN = _file_option("--markdown", "Write Markdown, e.g. for a comment on a pull request.")
output_options = together(JSON, _file_option("--html", "Write an HTML page."))
verdict_options = together(output_options, JUNIT)
"""Output options of commands whose result a CI job checks."""
