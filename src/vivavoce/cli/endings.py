"""How a command ends: exit codes, one line for each kind of error, and the limit on open files."""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Callable, Collection, Coroutine, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stdout
from difflib import get_close_matches
from math import inf
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from vivavoce.errors import (
    BadInput,
    CandidateUnreachable,
    MissingExtra,
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
"""The reader of standard output closed it (SIGPIPE); not 0, which would be a verdict."""
BAD_INPUT = 2
CANNOT_CONTINUE = 5
"""The candidate can't be reached, or the transcript can't be used."""
INTERRUPTED = 130
TERMINATED = 143

OF_VERDICT: Final = {"pass": 0, "fail": 3, "undecided": 4}

ON_RECORD = "answers so far are on record: run the same command again to resume"
NOT_KEPT = "nothing was saved: use --transcript FILE to be able to resume"
GOES_ON = "5 cannot continue now (with --transcript, run the same command again to resume)"
"""For the help of commands that ask a candidate."""
NO_TRANSCRIPT = "5 the transcript was altered, is incomplete, or is in use"
"""For the help of commands that read a transcript."""


def code_of_study(finding: StudyFinding[Any]) -> int:
    """0 for a pass, or for a measurement without a limit; 3 for a fail; 4 otherwise."""
    if finding.limit_test is not None:
        return {"pass": 0, "fail": OF_VERDICT["fail"]}.get(finding.limit_test.verdict, OF_VERDICT["undecided"])
    asked = "flip_limit" in finding.signature.settings
    return 0 if finding.measured and not asked else OF_VERDICT["undecided"]


class InterruptedByUser(click.ClickException):
    """The user interrupted the examination."""

    exit_code = INTERRUPTED


class CannotContinue(click.ClickException):
    """The examination can't continue at present."""

    exit_code = CANNOT_CONTINUE


class SeveralErrors(click.ClickException):
    """Several wrong values in one command, each with its own reason."""

    exit_code = BAD_INPUT

    def __init__(self, errors: Sequence[click.ClickException | VivavoceError]) -> None:
        super().__init__("; ".join(map(str, errors)))
        self.errors = errors


def raise_together(errors: Sequence[click.ClickException | VivavoceError]) -> None:
    """Raise the only error, or `SeveralErrors`; nothing without errors."""
    if errors:
        raise SeveralErrors(errors) if len(errors) > 1 else errors[0]


def all_of(*actions: Callable[[], Any]) -> list[Any]:
    """The results of independent actions. Raises the error of the only one that fails, or `SeveralErrors`."""
    results, errors = list[Any](), list[click.ClickException | VivavoceError]()
    for action in actions:
        try:
            results.append(action())
        except (BadInput, click.UsageError) as error:
            errors.append(error)
    raise_together(errors)
    return results


@contextmanager
def records_at(*places: str | None, head: Head | None = None) -> Iterator[list[Transcript]]:
    """Open the transcripts at these places; an error inside says how to resume.

    A message lists the recorded answers that will be paid for again.

    head: a head that each transcript must extend.
    """
    from vivavoce.certificate.attempts.log import payment_notice
    from vivavoce.interview.transcript import Transcript

    remedy = NOT_KEPT if places[0] is None else ON_RECORD
    with ExitStack() as stack:
        before = payment_notice.set(lambda words: click.echo(f"viva: {words}", err=True))
        stack.callback(payment_notice.reset, before)
        opened: list[Transcript] = []
        try:
            for where in places:
                transcript = Transcript.open(where, expected=head)
                opened.append(stack.enter_context(transcript))
            yield opened
        except KeyboardInterrupt:
            raise InterruptedByUser(f"interrupted; {_under_way(opened) or remedy}") from None
        except TranscriptDamaged:
            raise
        except (CandidateUnreachable, TranscriptError) as error:
            goes_on = _under_way(opened) if isinstance(error, CandidateUnreachable) else ""
            raise CannotContinue(f"{error}; {goes_on or remedy}") from error


def ask_in_loop(asking: Coroutine[Any, Any, Found]) -> Found:
    """Run a coroutine; output of a candidate's own code goes to standard error, so that it does not mix with the result."""
    import asyncio

    with redirect_stdout(sys.stderr):
        return asyncio.run(asking)


def _under_way(transcripts: Iterable[Transcript]) -> str:
    left = sum(0 if transcript.by_batch is None else len(transcript.by_batch.left) for transcript in transcripts)
    if not left:
        return ""
    return (
        f"{left} question{'' if left == 1 else 's'} asked by batch may still run on the server, and be billed: "
        "run the same command again to fetch the answers"
    )


@contextmanager
def needs_extra(extra: str, module: str) -> Iterator[None]:
    """For imports that need an extra, in which `module` is. Raises `MissingExtra` if it is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingExtra((error.name or module).partition(".")[0], extra=extra) from None


def worst(verdicts: Collection[str]) -> int:
    """The exit code of several verdicts: 3 if any fails, else 4 if any is undecided."""
    return next(OF_VERDICT[name] for name in ("fail", "undecided", "pass") if name in verdicts)


def exit_codes(*others: str) -> str:
    """The last lines of a command's help: exit codes 0, 2 and these others, each "NUMBER meaning".

    >>> exit_codes("4 nothing to compare")
    'Exit codes: 0 done; 2 bad input; 4 nothing to compare.'
    >>> exit_codes("0 played", "2 bad input, such as a wrong token")
    'Exit codes: 0 played; 2 bad input, such as a wrong token.'
    """
    meanings = {code.partition(" ")[0]: code for code in ("0 done", "2 bad input", *others)}
    return f"Exit codes: {'; '.join(meanings[code] for code in sorted(meanings, key=int))}."


def ending(error: Exception) -> tuple[int, str]:
    """Exit code and line for an expected error; any other is a bug, and raised again."""
    if is_out_of_files(error):
        return BAD_INPUT, OUT_OF_FILES
    match error:
        case click.UsageError(ctx=click.Context() as context):
            return BAD_INPUT, f"{_as_sentence(_in_our_words(error))} See '{context.command_path} --help'."
        case click.UsageError():
            return BAD_INPUT, _as_sentence(_in_our_words(error))
        case click.ClickException():
            return error.exit_code, error.format_message()
        case CandidateUnreachable() | TranscriptError():
            return CANNOT_CONTINUE, str(error)
        case VivavoceError():
            return BAD_INPUT, f"{error}{_remedy(str(error))}"
        case OSError(filename=str() as file, strerror=str() as reason):
            return BAD_INPUT, f"{file}: {reason}{_remedy(reason)}"
        case OSError(errno=errno.ENOSPC | errno.EDQUOT | errno.EIO | errno.EFBIG, strerror=str() as reason):
            return BAD_INPUT, f"a file can't be written: {reason}; free some space, or choose another place"
        case _:
            raise error


CLICK_WORDS: Final = (
    (
        r"Got unexpected extra arguments? \((?P<value>.*)\)",
        "'{value:.80}' is one argument too many: leave it out, or name the option that it belongs to",
    ),
    (r"Invalid value for (?P<of>.*): \w+ (?P<value>'.*') does not exist\.", "{value} for {of} does not exist: check the path"),
    (r"Invalid value for (?P<of>.*): \w+ (?P<value>'.*') is a directory\.", "{value} is a folder: name a file for {of}"),
    (r"Invalid value for (?P<of>.*): \w+ (?P<value>'.*') is a file\.", "{value} is a file: name a folder for {of}"),
    (r"Option (?P<of>'.*') requires an argument\.", "{of} needs a value: write one after it"),
)
"""Messages of click, and what is printed instead."""
REMEDIES: Final = {
    "No such file or directory": "check the path",
    "Is a directory": "name a file in it",
    "Not a directory": "check the path",
    "Permission denied": "allow access to it, or name another file",
}
"""What to do about an error of the system that ends a message."""


def _in_our_words(error: click.UsageError) -> str:
    """The message with the wrong value and what to write instead.

    >>> _in_our_words(click.UsageError("Got unexpected extra argument (bot:eliza)"))
    "'bot:eliza' is one argument too many: leave it out, or name the option that it belongs to"
    >>> _in_our_words(click.NoSuchOption("--scop", possibilities=["--json", "--scope"]))
    "there is no option '--scop': did you mean '--scope'?"
    """
    message = error.format_message()
    if isinstance(error, click.NoSuchOption):
        nearest = get_close_matches(error.option_name, error.possibilities or (), n=1, cutoff=0)
        meant = f"did you mean '{nearest[0]}'?" if nearest else "leave it out"
        return f"there is no option '{error.option_name}': {meant}"
    for pattern, words in CLICK_WORDS:
        if match := re.fullmatch(pattern, message, re.DOTALL):
            return words.format(**match.groupdict())
    return message


def _remedy(message: str) -> str:
    """What to do, for a message that ends with an error of the system.

    >>> _remedy("a.csv: cannot be read: No such file or directory")
    '; check the path'
    """
    return next((f"; {remedy}" for end, remedy in REMEDIES.items() if message.endswith(end)), "")


def _as_sentence(message: str) -> str:
    """The message with a full stop."""
    return message if message.endswith((".", "?", "!", "?)")) else f"{message}."


MOST: Final = 65_536
"""Largest limit to request."""
SPARE: Final = 40
"""Reserved for files other than connections: modules, transcript, results."""
OUT_OF_FILES: Final = (
    "too many open files and connections: raise the limit ('ulimit -n 4096'), or ask fewer questions at once ('--concurrency "
    "8')"
)


def allow_open_files() -> None:
    """Raise this process's limit to the user's maximum: each question in flight needs a connection."""
    try:
        import resource
    except ImportError:  # Windows
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST if hard == resource.RLIM_INFINITY else min(hard, MOST)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def open_file_limit() -> float:
    """The number of files that this process may have open."""
    try:
        import resource
    except ImportError:  # Windows
        return inf
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return inf if limit == resource.RLIM_INFINITY else limit


def checked_concurrency(_: click.Context, __: click.Parameter, value: int | None) -> int | None:
    """Check that `--concurrency` leaves room for other open files. Raises `click.BadParameter`."""
    limit = open_file_limit()
    if value is None or value + SPARE <= limit:
        return value
    most = max(1, int(limit) - SPARE)
    raise click.BadParameter(
        f"{value} needs {value + SPARE} open files, and the limit is {limit}: give at most {most}, or raise the limit "
        "('ulimit -n 4096')."
    )


def is_out_of_files(error: BaseException | None) -> bool:
    """Whether this error, or one of its causes, is that no more files could be opened.

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
