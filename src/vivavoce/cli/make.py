"""`viva make questions` and `viva make review`: questions with answers about one's own documents."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
from vivavoce.cli.record_summary import head_of, tell
from vivavoce.documents.kinds import QuestionMakingConfig
from vivavoce.formats.json_values import to_json
from vivavoce.formats.wording import percent, signed

if TYPE_CHECKING:
    from collections.abc import Callable

    from vivavoce.documents.results import MadeQuestions
    from vivavoce.documents.review import QuestionReview
    from vivavoce.documents.writing import QuestionDraft
    from vivavoce.interview.progress import Progress
    from vivavoce.interview.transcript import Transcript


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
    from vivavoce.documents.kinds import draws
    from vivavoce.documents.making import check, checks_wanted, write
    from vivavoce.documents.passages import passages
    from vivavoce.documents.reading import read_documents
    from vivavoce.documents.results import MadeQuestions
    from vivavoce.documents.writing import without_duplicates

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
