"""`viva import`: convert files of other tools into question files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from vivavoce.cli import options
from vivavoce.cli.help import command
from vivavoce.errors import BadFile, BadInput

if TYPE_CHECKING:
    from vivavoce.scopes.importers.conversion import Conversion

MOST_SHOWN: Final = 20
"""Largest number of refused rows to list."""
TOOLS: Final[Mapping[str, tuple[str, ...]]] = {
    "promptfoo": ("prompt",),
    "lm-eval": ("filter", "shots", "revision"),
    "hf-eval": ("task",),
    "traces": ("rubric", "names", "country", "every_call"),
}
"""The options of each tool."""
RARE_NAMES: Final = "Rare names may remain: list them with '--names FILE', and read the rows before you share them."
NEXT: Final = "Next: 'viva certify' on these rows with '--judge MODEL', or with '--sheet FILE' for people."


@command("import")
@click.argument("tool", type=options.Choice(tuple(TOOLS)))
@click.argument("file", metavar="FILE|OWNER/NAME@COMMIT")
@click.option("--prompt", metavar="NAME", help="promptfoo: label or number of one of several prompts.")
@click.option("--filter", metavar="NAME", help="lm-eval: one of several filters.")
@click.option("--shots", type=options.WholeNumber(min=0), help="lm-eval: worked examples. [default: num_fewshot of the task]")
@click.option("--revision", metavar="COMMIT", help="lm-eval: commit of the data set on a hub, 40 digits.")
@click.option("--task", metavar="ID", help="hf-eval: one of several tasks.")
@click.option("--rubric", metavar="FILE|TEXT", help="traces: rubric for a judge or people, the same for all questions.")
@click.option("--names", type=options.FILE, help="traces: also replace these rare names of people, one a line.")
@click.option(
    "--country", multiple=True, metavar="CC", help="traces: also replace telephone numbers as dialled there. Repeatable."
)
@click.option("--every-call", is_flag=True, help="traces: make each call a question, with the turns before it.")
@click.option("--out", type=options.OUTPUT, help="Write this .jsonl file. [default: standard output]")
def import_(tool: str, file: str, out: Path | None, **given: Any) -> None:
    """Convert a file of another TOOL into a question file.

    \b
    viva import promptfoo promptfooconfig.yaml > questions.jsonl
    viva import lm-eval task.yaml --filter strict --out questions.jsonl
    viva import hf-eval OWNER/NAME@COMMIT --task gpqa_diamond --out questions.jsonl
    viva import traces spans.jsonl --rubric '10 points: it helps' --out questions.jsonl
    viva import traces chats.jsonl --rubric rubric.txt --names staff.txt --country DE --out questions.jsonl
    viva certify CANDIDATE --scope file:questions.jsonl

    promptfoo: tests with their assertions (YAML, JSON). lm-eval: a task of lm-evaluation-harness, with choices or exact
    matches. hf-eval: a benchmark with an eval.yaml, from a hub or a copy. traces: what users asked first, with its
    frequency as weight, from OpenTelemetry traces (OTLP in JSON), chats (rows with messages, question or prompt) or Inspect
    logs; names of people, e-mail addresses, telephone and card numbers and the like are replaced.

    A row that a question file can't express is skipped, and listed with its line and the reason. Code in a file is never
    run.
    """
    for name, value in given.items():
        if value not in (None, (), False) and name not in TOOLS[tool]:
            takes = ", ".join(f"--{taken.replace('_', '-')}" for taken in TOOLS[tool])
            raise click.UsageError(f"'--{name.replace('_', '-')}' is not for {tool}, which takes {takes}.")
    if tool == "traces" and given["rubric"] is None:
        raise click.UsageError("Missing option '--rubric': traces hold no right answers.")
    if out is not None and out.suffix != ".jsonl":
        raise BadInput(f"--out is '{out}': rows are JSON Lines, so name a file that ends in .jsonl")
    _write(file, _converted(tool, file, given), out)


def _converted(tool: str, file: str, given: Mapping[str, Any]) -> Conversion:
    """The rows of the file, by the options of the tool. Raises `BadFile`."""
    if tool == "promptfoo":
        from vivavoce.scopes.importers.promptfoo import from_promptfoo

        return from_promptfoo(Path(file), given["prompt"] or "")
    if tool == "lm-eval":
        from vivavoce.scopes.importers.lm_eval import from_lm_eval

        return from_lm_eval(Path(file), given["filter"], given["shots"], given["revision"])
    if tool == "hf-eval":
        from vivavoce.scopes.importers.hf_eval import from_hf_eval

        return from_hf_eval(file, given["task"] or "")
    return _of_users(Path(file), given["rubric"] or "", given["names"], given["country"], every_call=given["every_call"])


def _of_users(file: Path, rubric: str, names: Path | None, countries: tuple[str, ...], *, every_call: bool) -> Conversion:
    """What users asked, without identifiers of people. Raises `BadFile`, `BadInput` and `MissingExtra`."""
    from vivavoce.certificate.graders.judge import rubric_of
    from vivavoce.cli.inspect_runs import logged_inputs
    from vivavoce.scopes.importers.deidentification import Deidentifier
    from vivavoce.scopes.importers.names import read_names
    from vivavoce.scopes.importers.traces import calls_of, from_calls, is_log

    hide = Deidentifier(() if names is None else read_names(names), countries)
    calls = logged_inputs(file) if is_log(file) else calls_of(file)
    conversion = from_calls(file, calls, rubric_of(rubric), hide, every_call=every_call)
    return replace(conversion, notes=(*conversion.notes, f"{hide.summary}.", RARE_NAMES, NEXT))


def _write(where: str, conversion: Conversion, out: Path | None) -> None:
    """Write the rows, and report on standard error. Raises `BadInput` if there are none."""
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
