"""How a command ends: its exit codes, and the one line for each kind of error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from vivavoce.errors import (
    CandidateMisconfigured,
    CandidateUnreachable,
    TranscriptDamaged,
    TranscriptError,
    VivavoceError,
)

CLOSED_PIPE = 1
"""Whoever read the output went away; not 0, which would be a verdict."""
BAD_INPUT = 2
NOT_NOW = 5
"""The candidate cannot be reached, or the transcript cannot be used."""
INTERRUPTED = 130

OF_VERDICT = {"understands": 0, "does not understand": 3, "no conclusion": 4}

ON_RECORD = "what was answered is on record: run the same command again"
NOT_KEPT = "nothing was kept: give --transcript FILE, and the next run goes on where this one stops"


class Interrupted(click.ClickException):
    """The user stopped the examination."""

    exit_code = INTERRUPTED


class NotNow(click.ClickException):
    """The examination cannot go on at present."""

    exit_code = NOT_NOW


@contextmanager
def resumable(transcript: str | None) -> Iterator[None]:
    """Whatever stops the examination inside, say how to go on."""
    remedy = NOT_KEPT if transcript is None else ON_RECORD
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted(f"interrupted; {remedy}") from None
    except TranscriptDamaged:
        raise
    except (CandidateUnreachable, TranscriptError) as error:
        raise NotNow(f"{error}; {remedy}") from error


def ending(error: Exception) -> tuple[int, str]:
    """Exit code and line for an error that is the user's or the world's; any other is raised again, being ours."""
    match error:
        case click.UsageError(ctx=click.Context() as context):
            return BAD_INPUT, f"{error.format_message()} See '{context.command_path} --help'."
        case click.ClickException():
            return error.exit_code, error.format_message()
        case CandidateUnreachable() | TranscriptError():
            return NOT_NOW, str(error)
        case CandidateMisconfigured() | VivavoceError():
            return BAD_INPUT, str(error)
        case OSError(filename=str() as file, strerror=str() as reason):
            return BAD_INPUT, f"{file}: {reason}"
        case _:
            raise error
