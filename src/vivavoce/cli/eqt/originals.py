"""`viva eqt extract`, `overlap`, `benchmark`: what is made from a benchmark's questions and answers."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.asking import asking_of, asking_options, file_digest
from vivavoce.cli.config_options import config_options
from vivavoce.cli.endings import GOES_ON, OF_VERDICT, exit_codes
from vivavoce.cli.output import head_of, say, show, tell
from vivavoce.cli.pages import check_output, check_page
from vivavoce.eqt.config import ExtractionConfig

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vivavoce.eqt.extraction import Extraction
    from vivavoce.interview.candidate import Prompt, Reply
    from vivavoce.interview.interview import Interview


@click.command(epilog=exit_codes("4 no concept was found", GOES_ON))
@click.argument("candidate")
@click.argument("questions", type=options.FILE)
@click.option("--category", multiple=True, metavar="NAME", help="Only this category; may be repeated.")
@config_options(ExtractionConfig)
@click.option("--out", type=options.FILE, required=True, metavar="FILE.csv", help="Where the concepts go; --concepts takes it.")
@asking_options
@options.JSON
@click.pass_context
def extract(
    context: click.Context,
    /,
    *,
    candidate: str,
    questions: Path,
    category: tuple[str, ...],
    out: Path,
    as_json: bool,
    **given: Any,
) -> None:
    """Have CANDIDATE, the concept writer, name the concepts that QUESTIONS examine.

    \b
    viva eqt extract chat:llama3.2@http://localhost:11434/v1 mmlu_pro.jsonl.gz --category math --out concepts.csv
    viva eqt CANDIDATE --concepts concepts.csv

    QUESTIONS is MMLU-Pro, or a file like it (JSON Lines with question, options, answer and category).
    """
    from vivavoce.candidates import open_candidate
    from vivavoce.eqt.benchmark_file import category_name
    from vivavoce.eqt.extraction import extract_concepts
    from vivavoce.eqt.originals import read_originals
    from vivavoce.errors import UnknownName

    config, asking = options.taken_out(given, ExtractionConfig), asking_of(given)
    if out.suffix != ".csv":
        raise click.UsageError(f"'{out}' must end in .csv.")
    check_output("--out", out)
    originals = read_originals(questions)
    there = {one.category for one in originals}
    for name in category:
        if category_name(name) not in there:
            raise UnknownName("category", name, sorted(there))
    wanted = {category_name(name) for name in category} or there

    async def asked(interview: Interview[Prompt, Reply]) -> Extraction:
        return await extract_concepts(interview, [one for one in originals if one.category in wanted], config)

    found, kept = asking.examined(open_candidate(candidate), asked, expected=None)
    rows = [
        {"concept": one.name, "category": one.category, "questions": " ".join(found.questions[one])} for one in found.concepts
    ]
    _write_table(out, ("concept", "category", "questions"), rows)
    values = {
        "concepts": len(found.concepts), "read": found.read, "problems": dict(found.problems), "short": dict(found.short),
        "exhausted": found.exhausted, "out": str(out),
    }  # fmt: skip
    say({**values, **head_of(kept)}, _extracted(found, out), as_json)
    if not as_json:
        tell(kept)
    context.exit(0 if found.concepts else OF_VERDICT["undecided"])


def _extracted(found: Extraction, out: Path) -> str:
    """What was found, what is missing and why, in a line."""
    from vivavoce.formats.wording import count

    told = f"{_number(len(found.concepts), 'concept')} from {_number(found.read, 'question')} written to {out}"
    if found.exhausted:
        told += f"; the budget of {found.exhausted} ran out before all were found"
    elif found.short:
        told += f"; {count(sum(found.short.values()))} fewer than wanted"
    if found.problems:
        named = ", ".join(f"{why}: {count(number)}" for why, number in found.problems.items())
        told += f"; replies that name none: {named}"
    return told


def _number(number: int, of: str) -> str:
    """How many there are of a thing, in words.

    >>> _number(1, "concept"), _number(2, "concept")
    ('1 concept', '2 concepts')
    """
    from vivavoce.formats.wording import count

    return f"{count(number)} {of}{'s' * (number != 1)}"


@click.command("overlap")
@click.argument("result", type=options.FILE)
@click.argument("questions", type=options.FILE)
@options.output_options
def overlaps(result: Path, questions: Path, as_json: bool, html: Path | None) -> None:
    """Show which questions of RESULT are near-duplicates of the benchmark's QUESTIONS.

    \b
    viva eqt overlap llama.json mmlu_pro.jsonl.gz --html page.html
    """
    from vivavoce.eqt.originals import read_originals
    from vivavoce.eqt.overlap import overlap
    from vivavoce.eqt.record_file import read_record

    check_page(html)
    found = overlap(read_record(result), read_originals(questions), source=questions.name, digest=file_digest(questions))
    show(found, as_json=as_json, html=html)


@click.command()
@click.argument("answers", type=options.FILE)
@click.argument("file", type=options.FILE)
@click.option("--model", multiple=True, metavar="NAME", help="Only this model; may be repeated.")
@options.JSON
def benchmark(answers: Path, file: Path, model: tuple[str, ...], as_json: bool) -> None:
    """Write accuracies by model and category from recorded ANSWERS to FILE, as 'viva eqt compare --benchmark' takes them.

    \b
    viva eqt benchmark predictions.csv.gz mmlu_pro.csv
    viva eqt compare llama.json gpt.json --benchmark mmlu_pro.csv

    ANSWERS is a table with question_id, category, answer and a column of letters a model; an empty cell is unreadable and
    counts as wrong.
    """
    from vivavoce.eqt.recorded_accuracy import benchmark_rows, recorded_accuracies

    check_output("FILE", file)
    if file.suffix != ".csv":
        raise click.UsageError(f"'{file}' must end in .csv.")
    found = recorded_accuracies(answers, model)
    rows = list(benchmark_rows(found))
    _write_table(file, tuple(rows[0]), rows)
    models, categories = len({one.model for one in found}), len({one.category for one in found})
    told = f"{_number(models, 'model')} in {categories} categor{'ies' if categories != 1 else 'y'} written to {file}"
    say({"models": models, "categories": categories, "rows": len(rows), "out": str(file)}, told, as_json)


def _write_table(file: Path, names: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
    """A CSV as a whole; cells that a spreadsheet would take for a formula begin with an apostrophe."""
    from vivavoce.formats.cells import guarded
    from vivavoce.formats.lines import write_whole

    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: guarded(value) if isinstance(value, str) else value for name, value in row.items()} for row in rows)
    write_whole(file, text.getvalue())
