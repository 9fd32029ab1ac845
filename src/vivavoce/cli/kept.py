"""What is printed of a finding, and what to remember of its transcript."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from vivavoce.interview.finding import Finding
    from vivavoce.interview.transcript import Transcript


@dataclass(frozen=True, slots=True)
class Kept:
    """A transcript's name, without a password, and its head as COUNT:DIGEST."""

    name: str
    head: str


def keepsake(transcript: Transcript, given: str | None) -> Kept | None:
    """What to remember of it; None for one in memory, for which no place was given."""
    return None if given is None else Kept(transcript.name, f"{transcript.head.count}:{transcript.head.digest}")


def print_finding(finding: Finding, printer: str, *, as_json: bool, kept: Kept | None) -> None:
    """Print a finding, and the head of its transcript: as JSON, or by the function of the dossier at `printer`, MODULE:NAME."""
    if as_json:
        import json

        click.echo(json.dumps(finding.as_json() | ({"transcript_head": kept.head} if kept else {}), allow_nan=False))
        return
    from importlib import import_module

    from rich.console import Console

    module, _, name = printer.partition(":")
    getattr(import_module(module), name)(finding, Console())
    if kept:
        click.echo(f"Transcript: {kept.name}, head {kept.head}")
