"""The files that `viva eqt` writes besides its page: results, training pairs, a scope."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vivavoce.cli.asking import write_lines
from vivavoce.cli.pages import check_output

if TYPE_CHECKING:
    from vivavoce.eqt.questions import Record


@dataclass(frozen=True, slots=True)
class OutputFiles:
    """Where they go; None: not written."""

    out: Path | None
    pairs: Path | None
    scope_out: Path | None
    scope_all: bool
    """Whether the scope includes questions that failed the checks."""

    def check(self, asked: int, number: int) -> None:
        """Refuse now what could not be written after all questions have been paid for.

        asked: candidates that are asked; number: these, and those of result files.
        """
        if self.out is not None and not asked:
            raise click.UsageError("--out: all arguments are result files already; name a candidate to ask.")
        if self.scope_all and self.scope_out is None:
            raise click.UsageError("--scope-all is for --scope-out: give both.")
        for option, file in (("--pairs", self.pairs), ("--scope-out", self.scope_out)):
            if file is not None and file.suffix != ".jsonl":
                raise click.UsageError(f"{option} {file}: the name must end in .jsonl.")
        if self.scope_out is not None and number != 1:
            raise click.UsageError("--scope-out takes the questions of one candidate: name one.")
        if self.scope_out is not None and self.scope_out.exists():
            raise click.UsageError(f"--scope-out {self.scope_out}: the file exists already; choose another name.")
        for option, files in (("--out", numbered(self.out, asked)), ("--pairs", numbered(self.pairs, number))):
            for file in files:
                check_output(option, file)
        check_output("--scope-out", self.scope_out)

    def write(self, asked: Sequence[Record], records: Sequence[Record]) -> None:
        """Write them all, and name them on standard error; `asked`: the new ones among the records."""
        from vivavoce.eqt.record_file import write_record

        for file, record in zip(numbered(self.out, len(asked)), asked, strict=self.out is not None):
            write_record(file, record)
            click.echo(f"Results: {file}", err=True)
        for file, record in zip(numbered(self.pairs, len(records)), records, strict=self.pairs is not None):
            _write_pairs(file, record)
        if self.scope_out is not None:
            _write_scope(self.scope_out, records[0], only_valid=not self.scope_all)


def numbered(file: Path | None, number: int) -> list[Path]:
    """A file for each of several: NAME-1.json, NAME-2.json; the file itself if there is one.

    >>> [file.name for file in numbered(Path("run.json"), 2)], numbered(None, 2)
    (['run-1.json', 'run-2.json'], [])
    """
    if file is None:
        return []
    return [file] if number == 1 else [file.with_stem(f"{file.stem}-{place}") for place in range(1, number + 1)]


def _write_pairs(file: Path, record: Record) -> None:
    from vivavoce.eqt.pairs import training_pairs

    pairs = list(training_pairs(record))
    write_lines(file, pairs)
    kinds = Counter(pair["failure"] for pair in pairs)
    counts = ", ".join(f"{number} of {kind}" for kind, number in sorted(kinds.items())) or "no failure to learn from"
    click.echo(f"Training pairs: {file} ({counts})", err=True)


def _write_scope(file: Path, record: Record, *, only_valid: bool) -> None:
    from vivavoce.eqt.scope import scope_lines

    lines = list(scope_lines(record, only_valid=only_valid))
    if not lines:
        click.echo(f"viva: there are no {'valid ' * only_valid}questions: {file} was not written", err=True)
        return
    write_lines(file, lines)
    click.echo(f"Scope: {file} ({len(lines)} question{'s' * (len(lines) != 1)})", err=True)
