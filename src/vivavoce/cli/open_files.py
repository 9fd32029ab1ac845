"""How many files and connections may be open at once, which the operating system limits for each process."""

from __future__ import annotations

import errno
import os
from math import inf
from typing import Final

import click

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
