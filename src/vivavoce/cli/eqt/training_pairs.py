"""`--pairs FILE`: failures as training pairs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from vivavoce.cli.asking import write_lines
from vivavoce.cli.pages import check_output

if TYPE_CHECKING:
    from vivavoce.eqt.questions import Record


def check_pairs(file: Path) -> None:
    """Refuse now what could not be written after all questions have been paid for."""
    if file.suffix != ".jsonl":
        raise click.UsageError(f"'{file}' must end in .jsonl.")
    check_output("--pairs", file)


def write_pairs(file: Path, record: Record) -> None:
    """Write them; how many of each kind is said on standard error."""
    from collections import Counter

    from vivavoce.eqt.pairs import training_pairs

    pairs = list(training_pairs(record))
    write_lines(file, pairs)
    kinds = Counter(pair["failure"] for pair in pairs)
    told = ", ".join(f"{number} of {kind}" for kind, number in sorted(kinds.items())) or "no failure to learn from"
    click.echo(f"Training pairs: {file} ({told})", err=True)
