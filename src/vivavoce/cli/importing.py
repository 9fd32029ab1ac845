"""`viva import`: convert files of other tools into question files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from vivavoce.cli import options
from vivavoce.cli.help import CommandGroup
from vivavoce.cli.output import check_output
from vivavoce.errors import BadFile, BadInput

if TYPE_CHECKING:
    from vivavoce.scopes.importers.conversion import Conversion

MOST_SHOWN: Final = 20
"""Largest number of refused rows to list."""
OUT = click.option("--out", type=options.FILE, metavar="FILE", help="A .jsonl file [default: standard output].")
FILE = click.argument("file", type=options.FILE)


@click.group("import", cls=CommandGroup)
def import_() -> None:
    """Convert a file of another tool into a question file.

    \b
    viva import promptfoo promptfooconfig.yaml > questions.jsonl
    viva import lm-eval task.yaml --filter strict --out questions.jsonl
    viva import hf-eval OWNER/NAME@COMMIT --task gpqa_diamond --out questions.jsonl
    viva import traces spans.jsonl --rubric '10 points: it helps' --out questions.jsonl
    viva certify CANDIDATE --scope file:questions.jsonl

    A row that a question file can't express is skipped, and listed with its line and the reason. Code in a file is never
    run.
    """


@import_.command()
@FILE
@click.option("--prompt", metavar="NAME", default="", help="Label or number of one of several prompts.")
@OUT
def promptfoo(file: Path, prompt: str, out: Path | None) -> None:
    """Convert the tests of promptfoo in FILE (YAML, JSON) with their assertions.

    \b
    viva import promptfoo promptfooconfig.yaml > questions.jsonl
    """
    from vivavoce.scopes.importers.promptfoo import from_promptfoo

    _write(str(file), lambda: from_promptfoo(file, prompt), out)


@import_.command("lm-eval")
@FILE
@click.option("--filter", "filter_name", metavar="NAME", help="One of several filters.")
@click.option("--shots", type=options.WholeNumber(min=0), help="Worked examples [default: num_fewshot of the task].")
@click.option("--revision", metavar="COMMIT", help="Commit of its data set on a hub: 40 digits.")
@OUT
def lm_eval(file: Path, filter_name: str | None, shots: int | None, revision: str | None, out: Path | None) -> None:
    """Convert a task FILE of lm-evaluation-harness: choices, and exact matches.

    \b
    viva import lm-eval task.yaml --filter strict > questions.jsonl
    """
    from vivavoce.scopes.importers.lm_eval import from_lm_eval

    _write(str(file), lambda: from_lm_eval(file, filter_name, shots, revision), out)


@import_.command("hf-eval")
@click.argument("place", metavar="OWNER/NAME@COMMIT|FILE")
@click.option("--task", metavar="ID", default="", help="One of several tasks.")
@OUT
def hf_eval(place: str, task: str, out: Path | None) -> None:
    """Convert a benchmark with an eval.yaml, from a hub or from FILE in a copy of it.

    \b
    viva import hf-eval data/eval.yaml --task gpqa_diamond > questions.jsonl
    """
    from vivavoce.scopes.importers.hf_eval import from_hf_eval

    _write(place, lambda: from_hf_eval(place, task), out)


@import_.command()
@FILE
@click.option("--rubric", required=True, metavar="TEXT", help="Rubric for a judge or people, the same for all questions.")
@OUT
def traces(file: Path, rubric: str, out: Path | None) -> None:
    """Convert the model calls in OpenTelemetry traces (OTLP in JSON).

    \b
    viva import traces spans.jsonl --rubric '10 points: it helps' > questions.jsonl
    """
    from vivavoce.scopes.importers.traces import from_traces

    _write(str(file), lambda: from_traces(file, rubric), out)


def _write(where: str, convert: Callable[[], Conversion], out: Path | None) -> None:
    """Write the rows, and report on standard error. Raises `BadInput` if there are none."""
    if out is not None:
        check_output("--out", out)
        if out.suffix != ".jsonl":
            raise BadInput(f"--out is '{out}': rows are JSON Lines, so name a file that ends in .jsonl")
    conversion = convert()
    for problem in conversion.refused[:MOST_SHOWN]:
        click.echo(f"refused: {problem}", err=True)
    if len(conversion.refused) > MOST_SHOWN:
        click.echo(f"refused: {len(conversion.refused) - MOST_SHOWN:,} more", err=True)
    asked = len(conversion.lines) - conversion.examples
    if not asked:
        raise BadInput(f"{where}: none of its {len(conversion.refused):,} rows can be a row of a question file")
    text = "".join(f"{line}\n" for line in conversion.lines)
    if out is None:
        click.echo(text.encode(), nl=False)  # UTF-8, whatever the terminal's encoding is
    else:
        try:
            out.write_text(text, encoding="utf-8", newline="")
        except OSError as error:
            raise BadFile(out, f"cannot be written: {error.strerror}") from None
    for note in conversion.notes:
        click.echo(note, err=True)
    if conversion.unused:
        click.echo(f"Fields that change no question and no score: {', '.join(conversion.unused)}", err=True)
    questions = f"{asked:,} question{'s' * (asked != 1)}"
    examples = f", {conversion.examples} worked example{'s' * (conversion.examples > 1)}" if conversion.examples else ""
    click.echo(f"Rows: {questions}{examples}, {len(conversion.refused):,} refused", err=True)
    shots = f"?shots={conversion.examples}" if conversion.examples else ""
    click.echo(f"As a scope: file:{out or 'FILE.jsonl'}{shots}", err=True)
