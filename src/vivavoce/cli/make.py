"""`viva make questions` and `review` write questions about one's own documents; `viva import` converts other tools' files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from vivavoce.cli import options
from vivavoce.cli.asking import (
    NOBODY,
    AskOptions,
    asking_of,
    asking_options,
    close_all,
    on_record,
    open_each,
    write_lines,
)
from vivavoce.cli.endings import GOES_ON, OF_VERDICT, exit_codes
from vivavoce.cli.help import command
from vivavoce.cli.options import config_options, wants_json
from vivavoce.cli.output import print_finding, print_json, running
from vivavoce.cli.progress import head_of, tell
from vivavoce.documents.reading import QuestionMakingConfig
from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.json_values import to_json
from vivavoce.formats.wording import percent, signed

if TYPE_CHECKING:
    from collections.abc import Callable

    from vivavoce.documents.review import MadeQuestions, QuestionReview
    from vivavoce.documents.writing import QuestionDraft
    from vivavoce.interview.progress import Progress
    from vivavoce.interview.transcript import Transcript
    from vivavoce.scopes.importers.conversion import Conversion


@dataclass(frozen=True, slots=True)
class MadeFiles:
    """The files that the command writes."""

    out: Path
    rejected: Path | None
    sheet: Path | None

    def check(self) -> None:
        """Refuse files that can't be written, and a sheet that exists."""
        for option, file in (("--out", self.out), ("--rejected", self.rejected)):
            if file is not None and file.suffix != ".jsonl":
                raise click.UsageError(f"{option} is '{file}': it is JSON Lines, so name a file that ends in .jsonl.")
        if self.sheet is not None and self.sheet.exists():
            raise click.UsageError(f"'{self.sheet}' exists already, and may have a person's review: give another name.")

    def write(self, made: MadeQuestions) -> list[str]:
        """Write all of them; returns a line for each. A sheet is never replaced, so it is written when all is done."""
        from vivavoce.documents.review import write_sheet

        rows = made.rows
        write_lines(self.out, rows)
        lines = [f"Questions: {self.out}"]
        if self.rejected is not None:
            write_lines(self.rejected, made.rejected_rows)
            lines.append(f"Rejected: {self.rejected}")
        if self.sheet is not None and made.exhausted:
            lines.append("Sheet: not written, because the budget ran out")
        elif self.sheet is not None:
            write_sheet(self.sheet, rows)
            lines.append(f"Sheet: {self.sheet}")
        return lines


@command(epilog=exit_codes("4 the budget ran out or all was rejected (the files are written all the same)", GOES_ON))
@click.argument("documents", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--writer", required=True, metavar="CANDIDATE", help="Let this model write the questions.")
@click.option(
    "--checker", metavar="CANDIDATE|none", help="Let this model check them. [default: the writer, in new conversations]"
)
@config_options(QuestionMakingConfig, questions={"type": options.count})
@click.option("--out", type=options.OUTPUT, required=True, help="Write the questions (JSON Lines); replaces the file.")
@click.option("--rejected", type=options.OUTPUT, help="Write the rejected ones with reasons (JSON Lines).")
@click.option("--sheet", type=options.OUTPUT, help="Write a new sheet for reviewers (CSV or JSON Lines).")
@asking_options
@options.JSON
def questions(*, documents: tuple[Path, ...], writer: str, checker: str | None, **given: Any) -> int:
    """Make questions with answers about DOCUMENTS.

    \b
    viva make questions handbook.pdf --writer chat:A@http://localhost:11434/v1 --out questions.jsonl
    viva make questions policies/ manual.docx --writer chat:A@http://localhost:11434/v1 \\
        --checker chat:B@http://localhost:11434/v1 --transcript make.sqlite --out questions.jsonl --sheet sheet.csv

    DOCUMENTS are .txt, .md, .html, .pdf and .docx files, and folders of them.

    The checker must find the answer with the passage and not without it. Review the rest ('viva make review'), and test a bot
    on them ('viva certify BOT file:FILE').
    """
    from vivavoce.documents.reading import draws, passages, read_documents
    from vivavoce.documents.review import MadeQuestions
    from vivavoce.documents.writing import check, checks_wanted, without_duplicates, write

    config, asking = options.taken_out(given, QuestionMakingConfig), asking_of(given)
    files = options.taken_out(given, MadeFiles)
    files.check()
    read = read_documents(documents)
    passages_read = passages(read)
    drawn = draws(passages_read, config)
    writes, checks = open_each(writer, checker or writer)
    assert writes is not None

    async def ask(
        transcript: Transcript, on_progress: Callable[[Progress], None]
    ) -> tuple[list[QuestionDraft], str, tuple[str, ...]]:
        interview = partial(AskOptions.interview, transcript=transcript, on_progress=on_progress)
        try:
            writing = interview(asking, writes, expected=len(drawn))
            drafts, exhausted, asked_so = await write(writing, drawn), writing.exhausted, dict.fromkeys(writing.caveats)
            if checks is not None:
                checking = interview(asking.after(writing.spending), checks, expected=checks_wanted(drafts))
                drafts = await check(checking, drafts, passages_read)
                exhausted = exhausted or checking.exhausted
                asked_so |= dict.fromkeys(checking.caveats)
        finally:
            await close_all(writes, checks)
        return drafts, exhausted, tuple(asked_so)

    drafts, exhausted, asked_so = on_record(asking.transcript, ask, quiet=asking.quiet)
    made = MadeQuestions(
        without_duplicates(drafts),
        writes.name,
        NOBODY if checks is None else checks.name,
        documents=len(read),
        passages=len(passages_read),
        seed=config.seed,
        exhausted=exhausted,
        asked_so=asked_so,
    )
    lines = files.write(made)
    if wants_json():
        print_json({**to_json(made), "out": str(files.out), **head_of(running().record)})
    else:
        print_finding(made.report())
        click.echo("\n".join(lines))
        tell(running().record)
    return 0 if made.finished else OF_VERDICT["undecided"]


@command()
@click.argument("questions", type=options.FILE)
@click.argument("sheets", nargs=-1, required=True, type=options.FILE, metavar="SHEET...")
@click.option("--out", type=options.OUTPUT, required=True, help="Write the reviewed questions to this new file.")
@options.JSON
def review(questions: Path, sheets: tuple[Path, ...], out: Path) -> None:
    """Import reviewers' decisions on QUESTIONS.

    \b
    viva make review questions.jsonl ann.csv ben.csv --out reviewed.jsonl

    Reviewers fill in 'keep' (yes or no) and optionally a 'reason', and correct questions and answers; several right answers
    have '|' between them. A question is kept if all reviewers keep it; without a decision it stays as it is. The order of
    a sheet is random: a review of its first rows limits the faults in the others.
    """
    from vivavoce.documents.review import read_made
    from vivavoce.documents.review import review as reviewed

    if out.exists():
        raise click.UsageError(f"'{out}' exists already: give another name, or remove it first.")
    result = reviewed(read_made(questions), sheets)
    write_lines(out, result.rows)
    if wants_json():
        counts = {name: getattr(result, name) for name in ("kept", "edited", "rejected", "undecided", "agreement")}
        sample = result.sample and {**result.sample.model_dump(), "faults_left": result.sample.faults_left}
        print_json({**to_json(counts), "sample": sample, "out": str(out)})
    else:
        _print_review(result, out)


def _undecided_in_words(result: QuestionReview) -> str:
    sample = result.sample
    if sample is None:
        return "How many of the others have a fault is unknown: decide rows of the sheet in its order, from the top."
    return (
        f"From the top of the sheet, {sample.faults} of {sample.decided} had a fault, so at most {sample.faults_left} of the "
        "others have one (95% confidence)."
    )


def _print_review(result: QuestionReview, out: Path) -> None:
    click.echo(
        f"By review {result.kept} kept, {result.rejected} rejected, {result.undecided} left as they were; "
        f"{result.edited} with other words."
    )
    if result.undecided:
        click.echo(_undecided_in_words(result))
    for pair in result.agreement:
        agreed = "unknown" if pair.share is None else percent(pair.share)
        alpha = "unknown" if pair.alpha.value is None else signed(pair.alpha.value)
        click.echo(
            f"{pair.first} and {pair.second} agree on {agreed} of {pair.questions} questions (Krippendorff's alpha: {alpha})."
        )
    click.echo(f"Questions: {out}")


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
    from vivavoce.scopes.importers.names import read_names
    from vivavoce.scopes.importers.traces import Deidentifier, calls_of, from_calls, is_log

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
