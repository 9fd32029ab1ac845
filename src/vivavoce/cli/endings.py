"""How a command ends: exit codes, one line for each kind of error, and the limit on open files."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Collection, Coroutine, Iterable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout
from math import inf
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from vivavoce.errors import (
    CandidateUnreachable,
    TranscriptDamaged,
    TranscriptError,
    VivavoceError,
)

if TYPE_CHECKING:
    from vivavoce.interview.record import Head
    from vivavoce.interview.transcript import Transcript
    from vivavoce.studies.study import StudyFinding


Found = TypeVar("Found")

CLOSED_PIPE = 1
"""The reader of the output went away; not 0, which would be a verdict."""
BAD_INPUT = 2
NOT_NOW = 5
"""The candidate cannot be reached, or the transcript cannot be used."""
INTERRUPTED = 130
TERMINATED = 143

OF_VERDICT: Final = {"pass": 0, "fail": 3, "undecided": 4}

ON_RECORD = "what was answered is on record: run the same command again"
NOT_KEPT = "nothing was kept: give --transcript FILE, and the next run continues where this one stopped"
GOES_ON = "5 cannot continue now (with --transcript, run the same command again to continue where it stopped)"
"""For the help of whatever asks a candidate."""
NO_TRANSCRIPT = "5 the transcript was altered, is not whole, or is in use"
"""For the help of whatever reads what was asked before."""


def code_of_study(finding: StudyFinding[Any]) -> int:
    """0 for a pass, or if something was measured and no limit was asked for; 3 for a fail; 4 for the rest."""
    if finding.limit_test is not None:
        return {"pass": 0, "fail": OF_VERDICT["fail"]}.get(finding.limit_test.verdict, OF_VERDICT["undecided"])
    asked = "flip_limit" in finding.signature.settings
    return 0 if finding.measured and not asked else OF_VERDICT["undecided"]


class Interrupted(click.ClickException):
    """The user stopped the examination."""

    exit_code = INTERRUPTED


class NotNow(click.ClickException):
    """The examination cannot go on at present."""

    exit_code = NOT_NOW


@contextmanager
def records_at(*places: str | None, head: Head | None = None) -> Iterator[list[Transcript]]:
    """The transcripts at these places; whatever stops the examination inside, say how to go on.

    Which answers on record are paid for again is said before it begins.

    head: one that all of them must have begun like.
    """
    from vivavoce.certificate.first_draws import payment_notice
    from vivavoce.interview.transcript import Transcript

    remedy = NOT_KEPT if places[0] is None else ON_RECORD
    with ExitStack() as stack:
        before = payment_notice.set(lambda words: click.echo(f"viva: {words}", err=True))
        stack.callback(payment_notice.reset, before)
        opened: list[Transcript] = []
        try:
            for place in places:
                one = Transcript.open(place, expected=head)
                opened.append(stack.enter_context(one))
            yield opened
        except KeyboardInterrupt:
            raise Interrupted(f"interrupted; {_under_way(opened) or remedy}") from None
        except TranscriptDamaged:
            raise
        except (CandidateUnreachable, TranscriptError) as error:
            goes_on = _under_way(opened) if isinstance(error, CandidateUnreachable) else ""
            raise NotNow(f"{error}; {goes_on or remedy}") from error


def ask_in_loop(asking: Coroutine[Any, Any, Found]) -> Found:
    """Run this to its end; what a candidate's own code prints meanwhile goes to the standard error, apart from the result."""
    import asyncio

    with redirect_stdout(sys.stderr):
        return asyncio.run(asking)


def _under_way(transcripts: Iterable[Transcript]) -> str:
    left = sum(0 if one.by_batch is None else len(one.by_batch.left) for one in transcripts)
    if not left:
        return ""
    return (
        f"of {left} question{'' if left == 1 else 's'} by batch, what has reached the server goes on there, and is paid for: "
        "run the same command again, which finds it, waits for it and fetches its answers"
    )


def worst(verdicts: Collection[str]) -> int:
    """The exit code of several verdicts: 3 where anything fails, else 4 where anything is undecided."""
    return next(OF_VERDICT[one] for one in ("fail", "undecided", "pass") if one in verdicts)


def exit_codes(*others: str) -> str:
    """The last lines of a command's help: its exit codes, which are 0 and 2 and these others, each a number and what it says.

    >>> exit_codes("4 nothing to compare")
    'Exit codes: 0 done; 2 bad input; 4 nothing to compare.'
    >>> exit_codes("0 played", "2 bad input, such as a wrong token")
    'Exit codes: 0 played; 2 bad input, such as a wrong token.'
    """
    meanings = {code.partition(" ")[0]: code for code in ("0 done", "2 bad input", *others)}
    return f"Exit codes: {'; '.join(meanings[code] for code in sorted(meanings, key=int))}."


def ending(error: Exception) -> tuple[int, str]:
    """Exit code and line for an error that is the user's or the world's; any other is raised again, being ours."""
    if is_out_of_files(error):
        return BAD_INPUT, OUT_OF_FILES
    match error:
        case click.UsageError(ctx=click.Context() as context):
            return BAD_INPUT, f"{error.format_message()} See '{context.command_path} --help'."
        case click.ClickException():
            return error.exit_code, error.format_message()
        case CandidateUnreachable() | TranscriptError():
            return NOT_NOW, str(error)
        case VivavoceError():
            return BAD_INPUT, str(error)
        case OSError(filename=str() as file, strerror=str() as reason):
            return BAD_INPUT, f"{file}: {reason}"
        case OSError(errno=errno.ENOSPC | errno.EDQUOT | errno.EIO | errno.EFBIG, strerror=str() as reason):
            return BAD_INPUT, f"a file cannot be written: {reason}; make room, or choose another place"
        case _:
            raise error


MOST: Final = 65_536
"""More are not asked for."""
SPARE: Final = 40
"""For everything but connections: modules, the transcript, files of results, the page of `--watch`."""
OUT_OF_FILES: Final = (
    "too many files and connections are open: allow more ('ulimit -n 4096'), or ask fewer questions at once ('--concurrency 8')"
)


def allow_open_files() -> None:
    """Raise this process's limit to what its user may have; several hundred questions in flight need as many connections."""
    try:
        import resource
    except ImportError:  # Windows
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST if hard == resource.RLIM_INFINITY else min(hard, MOST)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def open_file_limit() -> float:
    """How many files this process may have open at once."""
    try:
        import resource
    except ImportError:  # Windows
        return inf
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return inf if limit == resource.RLIM_INFINITY else limit


def checked_concurrency(_: click.Context, __: click.Parameter, value: int | None) -> int | None:
    """The value of `--concurrency`, which leaves room for other open files. Raises `click.BadParameter`."""
    limit = open_file_limit()
    if value is None or value + SPARE <= limit:
        return value
    most = max(1, int(limit) - SPARE)
    raise click.BadParameter(
        f"{value} needs {value + SPARE} open files, and {limit} are allowed: give at most {most}, or allow more "
        "('ulimit -n 4096')."
    )


def is_out_of_files(error: BaseException | None) -> bool:
    """Whether this error, or one in the handling of which it came up, is that no more files could be opened.

    >>> is_out_of_files(OSError(errno.EMFILE, "Too many open files")), is_out_of_files(ImportError("no such module"))
    (True, False)
    """
    while error is not None:
        if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
            return True
        if isinstance(error, ImportError) and os.strerror(errno.EMFILE) in str(error):  # the linker's words
            return True
        error = error.__cause__ or error.__context__
    return False
