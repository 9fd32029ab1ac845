"""`viva view`, `diff` and `recheck`: open a page, compare reports, and check a document against its record."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.endings import NO_TRANSCRIPT, OF_VERDICT, exit_codes
from vivavoce.cli.help import command
from vivavoce.cli.inspect_runs import is_log, scope_of_logs, scopes_of
from vivavoce.cli.options import JSON, config_options, wants_json
from vivavoce.cli.output import output_options, print_json, say, show
from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.json_values import to_json
from vivavoce.plugins.inspect_plugin.task_scope.config import TaskConfig
from vivavoce.studies.scope_studies import RECHECKED_COMMANDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vivavoce.examination.recheck import RecheckFinding
    from vivavoce.interview.record import Head


DIFFERS = OF_VERDICT["fail"]
IN_PART = OF_VERDICT["undecided"]
SHOWN = 20
"""Differences that are listed."""
HELP = f"""Recompute every figure of a document from its transcript, and check that it matches.

DOCUMENT is the JSON that certify, compare, gate, or consistency printed with --json (of consistency:
{", ".join((*RECHECKED_COMMANDS, "teach"))}); report.json of 'viva report', or its folder; or
comparison.json of 'viva compare --plan'. No model is asked, no API key is needed, and the transcript is not changed.

\b
viva recheck certificate.json --transcript run.sqlite
viva recheck certificate.json --transcript run.sqlite --scope file:questions.jsonl
viva recheck report.json --transcript transcript.sqlite
viva recheck comparison-plan/comparison.json --transcript comparison-plan/transcript.sqlite
viva recheck comparison.json --record a.sqlite --record b.sqlite
"""


@command(
    help=HELP,
    epilog=exit_codes(
        "0 the same",
        f"{DIFFERS} something differs",
        f"{IN_PART} nothing differs, but a part can't be rechecked",
        NO_TRANSCRIPT,
    ),
)
@click.argument("document", metavar="DOCUMENT", type=click.Path(exists=True, path_type=Path))
@click.option("--transcript", metavar="WHERE", help="Transcript: a file, a sealed export, or postgresql://...")
@click.option(
    "--record",
    "records",
    multiple=True,
    metavar="WHERE",
    help="Transcript of one candidate, once for each in order, instead of --transcript.",
)
@click.option("--scope", "scopes", multiple=True, metavar="S", help="Scope such as file:FILE, if it has moved. Repeatable.")
@click.option(
    "--file", "files", multiple=True, type=options.KNOWN_FILE, help="Find another input file here, if it has moved. Repeatable."
)
@config_options(TaskConfig, only=("scorer", "model_role"))
@options.HEAD
@options.JSON
def recheck(
    *,
    document: Path,
    transcript: str | None,
    records: tuple[str, ...],
    scopes: tuple[str, ...],
    files: tuple[Path, ...],
    head: Head | None,
    **given: Any,
) -> int:
    """Recompute every figure of a document from its transcript."""
    from vivavoce.examination.recheck import recheck as rechecked
    from vivavoce.interview.sealed_transcript import is_sealed, read_sealed
    from vivavoce.interview.transcript import Transcript
    from vivavoce.report.reported import figures_of, names_in

    values = _read(document)
    if (transcript is None) == (not records):
        raise click.UsageError("there is no record: give '--transcript', or for a comparison a '--record' for each candidate.")
    places = records if transcript is None else (transcript,)
    task = options.taken_out(given, TaskConfig)
    with ExitStack() as stack:
        opened: dict[str, Transcript] = {}
        for name in dict.fromkeys(places):
            sealed = read_sealed(Path(name), expected=head if name == places[0] else None) if is_sealed(name) else None
            record = Transcript.open(name, must_exist=True) if sealed is None else sealed.transcript()
            opened[name] = stack.enter_context(record)
        first, *others = (opened[where] for where in places)
        logs = [file for file in files if is_log(str(file))]
        of_logs = scope_of_logs(logs, names_in(values), by_draw="draws" in figures_of(values)) if logs else None
        named = [scope for name in scopes for scope in scopes_of(name, task)]
        finding = rechecked(
            values,
            first,
            scopes=(*named, *(() if of_logs is None else (of_logs,))),
            files=files,
            head=head,
            others=others,
        )
    if wants_json():
        print_json(to_json(finding))
    else:
        _print(finding)
    return DIFFERS if finding.differences else IN_PART if finding.not_rechecked else 0


def _read(document: Path) -> Mapping[str, Any]:
    """The document as JSON values."""
    from vivavoce.examination.recheck.comparison import LARGEST, document_of

    file = document / "report.json" if document.is_dir() else document
    with file.open("rb") as stream:
        text = stream.read(LARGEST + 1)
    try:
        return document_of(text)
    except BadInput as error:
        raise BadFile(file, str(error)) from None


def _print(finding: RecheckFinding) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console()
    mark, colour = ("✕", "red") if finding.differences else ("○", "bright_black") if finding.not_rechecked else ("●", "green")
    console.print(Text(f"{mark} ", style=colour) + Text(finding.statement, style="bold"), soft_wrap=True)
    for difference in finding.differences[:SHOWN]:
        console.print(Text(f"  {difference}"), soft_wrap=True)
    if (more := len(finding.differences) - SHOWN) > 0:
        console.print(Text(f"  and {more} more: --json lists them"))
    for sentence in finding.not_rechecked if finding.differences else ():
        console.print(Text(f"  Not rechecked: {sentence}"), soft_wrap=True)
    for sentence in finding.caveats:
        console.print(Text(f"  {sentence}", style="dim"), soft_wrap=True)


@command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=options.FILE)
@output_options
def diff(*, files: tuple[Path, ...]) -> None:
    """Compare reports side by side (report.json of 'viva report').

    \b
    viva diff calculator/report.json eliza/report.json
    viva diff a/report.json b/report.json --html both.html

    'viva compare' with the transcripts of the reports compares the answers question by question.
    """
    from vivavoce.examination.compare import compare
    from vivavoce.examination.dossier import read_dossier

    show(compare([read_dossier(file).dossier for file in files]))


PATTERNS = ("*.html", "*/*.html")
"""Patterns of pages to look for in a folder and its subfolders."""


@command(epilog=exit_codes("0 done, also where there is no browser", "2 there is no page"))
@click.argument("path", metavar="[PAGE|FOLDER]", type=click.Path(path_type=Path), default=Path())
@JSON
def view(path: Path) -> None:
    """Open PAGE, or the newest page in FOLDER; without a browser, print its path.

    \b
    viva view
    viva view calculator
    viva view page.html
    """
    page = newest_page(path)
    is_open = _opened(page)
    words = f"Opened {page}" if is_open else str(page)
    say({"page": str(page), "opened": is_open}, words, err=is_open)


def newest_page(path: Path) -> Path:
    """The page, or the newest one of a folder. Raises `BadFile` if there is none."""
    if path.is_file():
        if path.suffix not in (".html", ".htm"):
            raise BadFile(path, "is not a page (.html): name one, or a folder that has one")
        return path.resolve()
    if not path.is_dir():
        raise BadFile(path, "there is no such page or folder: check the path")
    pages = [page for pattern in PATTERNS for page in path.glob(pattern) if page.is_file()]
    if not pages:
        raise BadFile(path, "there is no page (.html) in it: 'viva certify ... --html page.html' writes one")
    return max(pages, key=lambda page: page.stat().st_mtime).resolve()


def _opened(page: Path) -> bool:
    """Whether a browser with a window opened it; a text browser would take over this terminal."""
    import webbrowser

    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return False
    in_terminal = ("w3m", "lynx", "links", "elinks", "www-browser")
    if str(getattr(browser, "name", "")).rpartition("/")[2] in in_terminal:
        return False
    return browser.open(page.as_uri())
