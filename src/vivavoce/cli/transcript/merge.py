"""`viva transcript merge`: the records of shards as one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import click

from vivavoce.cli import options
from vivavoce.cli.endings import NO_TRANSCRIPT, exit_codes
from vivavoce.cli.output import say

if TYPE_CHECKING:
    from vivavoce.interview.merging import Merged

_FILES_EACH: Final = 8
"""Of a transcript and its write-ahead log, for two connections, and some to spare."""


@click.command(epilog=exit_codes("2 bad input, or answers that contradict each other", NO_TRANSCRIPT))
@click.argument("out")
@click.argument("transcripts", nargs=-1, required=True)
@options.QUIET
@options.JSON
def merge(out: str, transcripts: tuple[str, ...], quiet: bool, as_json: bool) -> None:
    """Bring the records of TRANSCRIPTS, each kept by a shard, together in OUT, which is begun where there is none.

    \b
    viva transcript merge run.sqlite shards/*.sqlite

    Each is verified first. One that was tampered with is refused by its name, and so are two different answers to one
    question; nothing is merged then. What is there already is counted and left as it is, so that the same merge may be made
    again, or later with more shards. Sealed exports may stand among TRANSCRIPTS.
    """
    from vivavoce.interview.merging import merge as merged

    _make_room_for(len(transcripts))
    with _progress(quiet=quiet) as told:
        found = merged(out, transcripts, told=told)
    say(found.as_json(), _words(found), as_json)


def _make_room_for(transcripts: int) -> None:
    """Let this process have as many files open as so many transcripts take, if it may."""
    try:
        import resource
    except ImportError:  # Windows, which has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES_EACH * (transcripts + 1) + 100
    if soft != resource.RLIM_INFINITY and soft < wanted:
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))


def _words(found: Merged) -> str:
    from vivavoce.formats.wording import count

    number, twice = len(found.brought), f", {count(found.twice)} of them answered twice, alike" if found.twice else ""
    return (
        f"{count(found.new)} new records from {count(number)} transcript{'' if number == 1 else 's'} in {found.name}, "
        f"{count(found.duplicates)} were there{twice}.\nTranscript: {found.name}, head {found.heads.records}"
    )


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """How far it has come, with the time that is left, on standard error where somebody looks on."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True, quiet=quiet)
    columns = TextColumn("records read"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console, transient=True, disable=quiet or not console.is_terminal) as progress:
        task = progress.add_task("", total=None)
        yield lambda read, total: progress.update(task, completed=read, total=total)
