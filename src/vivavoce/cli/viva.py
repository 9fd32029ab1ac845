"""The command `viva`: its commands, its help, and how errors end it with one line and an exit code."""

from __future__ import annotations

import atexit
import gc
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from io import TextIOWrapper
from types import FrameType

import click

from vivavoce.cli.endings import BAD_INPUT, CLOSED_PIPE, INTERRUPTED, TERMINATED, SeveralErrors, allow_open_files, ending
from vivavoce.cli.help import LazyGroup
from vivavoce.errors import BadInput
from vivavoce.version import __version__

LONGEST_LINE = 2_000
"""Characters of an error."""
OBJECTS_BEFORE_COLLECTION = 50_000
"""With Python's own number, 700, collecting garbage takes a seventh of the time of a start."""
ONE_TERMINATION = 1.0
"""Seconds in which further SIGTERMs count as the first."""

COMMANDS = {
    "Test a model": {
        "try": ("vivavoce.cli.first_steps:try_model", "Ask a few questions, and show how replies are graded."),
        "certify": ("vivavoce.cli.certify:certify", "Test whether a model passes, with a bounded error."),
        "compare": ("vivavoce.cli.compare:compare", "Rank models on the same questions."),
        "gate": ("vivavoce.cli.compare:gate", "Check that a new model is not worse than the old one."),
        "probe": ("vivavoce.cli.probe:probe", "Follow up, find failures, and say how common they are."),
        "report": ("vivavoce.cli.report:report", "Run every suitable test, and write one report."),
        "plan": ("vivavoce.cli.plan:plan", "Estimate questions and cost before a test."),
    },
    "Study one question": {
        "consistency": ("vivavoce.cli.groups:consistency", "Find contradictions, and what changes answers."),
        "eqt": ("vivavoce.cli.eqt.command:eqt", "Question a model on its own explanations."),
        "people": ("vivavoce.cli.groups:people", "Have people grade answers; measure what they expect."),
        "luna": ("vivavoce.cli.groups:luna", "Play and rate interview games of people and machines."),
    },
    "Use results": {
        "view": ("vivavoce.cli.results:view", "Open the newest page."),
        "diff": ("vivavoce.cli.results:diff", "Compare reports side by side."),
        "recheck": ("vivavoce.cli.results:recheck", "Recompute a result from its transcript."),
        "transcript": ("vivavoce.cli.transcript:transcript", "Show, verify or export a transcript."),
    },
    "Set up": {
        "init": ("vivavoce.cli.first_steps:init", "Write settings, questions and a CI workflow."),
        "doctor": ("vivavoce.cli.first_steps:doctor", "Check the installation and whether a model answers."),
        "list": ("vivavoce.cli.groups:list_", "List candidates, scopes, rules or concepts."),
        "make": ("vivavoce.cli.groups:make", "Make questions about your documents."),
        "import": ("vivavoce.cli.make:import_", "Convert question files of other tools."),
        "mcp": ("vivavoce.cli.mcp:mcp", "Serve certify, compare and recheck to agents (MCP)."),
    },
}
"""The commands under their heads in the help: module and name, imported when needed, and a summary."""
FORMER = {
    "examine": "report",
    "dossier": "diff",
    "sweep": "compare --plan",
    "generalization": "people",
    "candidates": "list candidates",
    "scopes": "list scopes",
    "laws": "list rules",
    "rules": "list rules",
    "concepts": "list concepts",
    "metamorphic": "consistency rules",
    "teach": "consistency teach",
    "grade": "people grade",
}
"""Other names that people try, and what to write."""

HELP = """Test what an AI system understands, and bound the chance that the verdict is wrong.

    \b
    viva init
    viva try bot:timekeeper intervals
    viva certify bot:timekeeper intervals --html page.html
    viva view
    viva compare bot:calculator 'bot:calculator?wrong=0.1' --scope arithmetic
    viva gate bot:calculator --baseline 'bot:calculator?wrong=0.1' --scope arithmetic
    viva report bot:calculator --out calculator
    viva diff calculator/report.json eliza/report.json
    viva recheck certificate.json --transcript run.sqlite
    viva plan --score 0.9
    viva consistency chess check uci:stockfish --limit 100
    viva eqt chat:llama3.2@http://localhost:11434/v1 --concepts math --limit 5
    viva luna serve --demo
    viva transcript show run.sqlite
    viva list candidates
    viva mcp --candidate bot:calculator --scope arithmetic --questions 500

    \b
    Exit codes:
      0  done; with a verdict: pass
      2  bad input: option, file, API key, model name or URL
      3  fail
      4  undecided
      5  the candidate can't be reached, or the transcript can't be used
      130  interrupted (Ctrl-C)
      143  terminated (SIGTERM); answers are kept as after Ctrl-C
    """


@click.command(
    cls=LazyGroup,
    places={name: location for rows in COMMANDS.values() for name, (location, _) in rows.items()},
    summaries={head: {name: summary for name, (_, summary) in rows.items()} for head, rows in COMMANDS.items()},
    former=FORMER,
    help=HELP,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(__version__, prog_name="viva", message="%(prog)s %(version)s")
def viva() -> None:
    """Replaced by HELP."""


@cache
def _collect_less_garbage() -> None:
    """Collect it less often, and not once more while the process ends, which takes a fifth of a second."""
    gc.set_threshold(OBJECTS_BEFORE_COLLECTION)
    atexit.register(gc.freeze)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `viva` with these arguments, or those of the process; returns the exit code."""
    _collect_less_garbage()
    with _terminated_as_interrupted() as terminations:
        code = _run(arguments)
    return TERMINATED if terminations and code == INTERRUPTED else code


@contextmanager
def _terminated_as_interrupted() -> Iterator[list[float]]:
    """Handle SIGTERM like Ctrl-C; the list gets the time of each SIGTERM handled.

    A second SIGTERM within a second is ignored: `timeout` and process managers may send two.
    """
    terminations: list[float] = []
    process = os.getpid()

    def terminate(number: int, frame: FrameType | None) -> None:
        if os.getpid() != process:  # a forked child, which this signal ends as usual
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.raise_signal(signal.SIGTERM)
            return
        now = time.monotonic()
        if terminations and now - terminations[-1] < ONE_TERMINATION:
            return
        terminations.append(now)
        interrupt = signal.getsignal(signal.SIGINT)
        if callable(interrupt):
            interrupt(signal.SIGINT, frame)
        else:  # in the background of a shell, SIGINT is ignored
            raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield terminations
        return
    before = signal.signal(signal.SIGTERM, terminate)
    try:
        yield terminations
    finally:
        signal.signal(signal.SIGTERM, before)


def _run(arguments: Sequence[str] | None) -> int:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # so that a terminal with few letters does not fail
    allow_open_files()
    try:
        code = _called(sys.argv[1:] if arguments is None else arguments)
    except BrokenPipeError:
        _forget_output()
        return CLOSED_PIPE
    except click.exceptions.NoArgsIsHelpError as help_wanted:
        click.echo(help_wanted.format_message())
        return BAD_INPUT
    except click.Abort:
        click.echo("viva: interrupted", err=True)
        return INTERRUPTED
    except Exception as error:
        code = BAD_INPUT
        for single in error.errors if isinstance(error, SeveralErrors) else (error,):
            code, line = ending(single)
            click.echo(f"viva: {_in_a_line(line)}", err=True)
        with suppress(OSError, ValueError):
            sys.stdout.flush()
            return code
        _forget_output()
    return code


def _called(arguments: Sequence[str]) -> int:
    for argument in arguments:
        if not argument.isascii() and any("\ud800" <= letter <= "\udfff" for letter in argument):
            raise BadInput(f"'{argument[:80]}' is not valid UTF-8: rename it")
    with _warnings_shown():
        code = viva.main(arguments, prog_name="viva", standalone_mode=False)
    if sys.stdout is not None:
        sys.stdout.flush()
    return code if isinstance(code, int) else 0


class _ToStandardError(logging.Handler):
    """Prints each warning on its own line, also with '--quiet'."""

    def emit(self, record: logging.LogRecord) -> None:
        click.echo(f"viva: {_in_a_line(record.getMessage())}", err=True)


@contextmanager
def _warnings_shown() -> Iterator[None]:
    """Print warnings of the interview on standard error while a command runs."""
    handler, log = _ToStandardError(logging.WARNING), logging.getLogger("vivavoce.interview")
    log.addHandler(handler)
    try:
        yield
    finally:
        log.removeHandler(handler)


def _in_a_line(text: str) -> str:
    """The text without line breaks and control characters, which file names and contents may hold."""
    from vivavoce.formats.wording import clipped

    return clipped(" ".join(text.split()), LONGEST_LINE)


def _forget_output() -> None:
    """Discard the remaining output, so that the interpreter's flush at exit does not fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
