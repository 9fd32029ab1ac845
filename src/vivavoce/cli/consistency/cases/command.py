"""`viva consistency cases`: does a classifier decide otherwise when a fact is put in other words?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.asking import Asking, asking_of, asking_options, on_record, write_lines
from vivavoce.cli.config_options import config_options
from vivavoce.cli.consistency.cases.cast import Cast
from vivavoce.cli.endings import GOES_ON, OF_VERDICT, exit_codes
from vivavoce.cli.output import Kept, show
from vivavoce.cli.pages import check_output
from vivavoce.cli.results import RESULTS, rows_into
from vivavoce.consistency.legal.cases.config import CasesConfig

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from vivavoce.consistency.legal.cases.trials import Examined
    from vivavoce.interview.progress import Progress
    from vivavoce.interview.transcript import Transcript
    from vivavoce.studies.cases import CasesFinding


@click.command(epilog=exit_codes("4 nothing could be compared", GOES_ON))
@click.argument("classifier")
@click.option(
    "--cases",
    type=click.Path(exists=True, path_type=Path),
    required=True,
    metavar="FILE",
    help='JSON Lines: {"id": "1", "facts": [...]}; ECtHR, or a folder of ECHR, as published.',
)
@click.option("--writer", metavar="CANDIDATE", help="The language model that paraphrases facts.")
@click.option("--checker", metavar="CANDIDATE", help="A language model that checks whether a paraphrase means the same.")
@click.option(
    "--paraphrases-file",
    type=options.KNOWN_FILE,
    metavar="FILE",
    help="Take paraphrases from this file, by their facts; --writer writes the missing ones.",
)
@click.option(
    "--export-paraphrases",
    "export",
    type=options.FILE,
    metavar="FILE",
    help="Write all paraphrases to this file, for people to review.",
)
@config_options(CasesConfig, shortest={"option": "--min-characters"})
@click.option("--claim", metavar="SENTENCE", help="The claim whose probability a language model is asked for.")
@click.option("--details", "each", type=options.FILE, metavar="FILE", help="Write every trial to this file, as JSON Lines.")
@RESULTS
@asking_options
@options.verdict_options
@click.pass_context
def cases(
    context: click.Context,
    /,
    *,
    cases: Path,
    each: Path | None,
    export: Path | None,
    as_json: bool,
    html: Path | None,
    **given: Any,
) -> None:
    """Does CLASSIFIER change its decision on a case when one fact is paraphrased?

    \b
    viva consistency cases hf:legal-bert --cases cases.jsonl --writer chat:llama3.2@http://localhost:11434/v1 --html page.html
    viva consistency cases trained:judge --cases cases.jsonl --facts 10 --writer chat:llama3.2@http://localhost:11434/v1
    viva consistency cases function:my_model:probability --cases cases.jsonl --paraphrases-file reviewed.jsonl
    viva consistency cases chat:llama3.2@http://localhost:11434/v1 --cases cases.jsonl --writer chat:qwen3@http://localhost:8000/v1

    \b
    CLASSIFIER is one of
      hf:FOLDER                 a sequence classifier of Hugging Face (pip install 'vivavoce[neural]'); options positive
                                (label), layer (whose attention; -1 is the final one), pool (mean or sum), join (space,
                                newline, separator), max_length, device
      trained:FOLDER            one that 'viva consistency cases train' made, with its attention over facts
      function:MODULE:NAME      a Python function from facts to a probability, or an object with 'probability' and perhaps
                                'importance'
      any language model        as 'viva candidates' lists them; it is asked for the probability of --claim
    """
    config, asking, cast = options.taken_out(given, CasesConfig), asking_of(given), Cast(**given)
    written = {"--html": html, "--details": each, "--export-paraphrases": export}
    _check(cast, written)
    examined: list[Examined] = []
    finding, kept = _examine(cast, cases, config, asking, examined)
    try:
        show(finding, as_json=as_json, html=html, kept=kept, measured=finding.measured)
    finally:  # the reader of the output may have gone away; the files are wanted all the same
        _write_each(each, examined, config.threshold, quietly=as_json)
        _export(export, examined, quietly=as_json)
    context.exit(0 if finding.measured else OF_VERDICT["no conclusion"])


def _check(cast: Cast, written: Mapping[str, Path | None]) -> None:
    """Refuse now what would otherwise fail after all questions have been paid for."""
    if cast.writer is None and cast.paraphrases_file is None:
        raise click.UsageError("who paraphrases the facts? Give --writer CANDIDATE or --paraphrases-file FILE.")
    if cast.checker is not None and cast.writer is None:
        raise click.UsageError("--checker looks at what a --writer writes: give --writer, too.")
    for name, file in written.items():
        check_output(name, file)


def _examine(
    cast: Cast, file: Path, config: CasesConfig, asking: Asking, examined: list[Examined]
) -> tuple[CasesFinding, Kept | None]:
    """The finding, and what to remember of the transcript; None for one in memory."""
    from vivavoce.cli.consistency.cases.bench import expected, opened
    from vivavoce.consistency.legal.cases.examine import chosen_cases
    from vivavoce.consistency.legal.cases.files import read_cases, read_paraphrases
    from vivavoce.interview.progress import Together
    from vivavoce.studies.cases import judge_cases

    chosen = chosen_cases(read_cases(file), config)
    known = None if cast.paraphrases_file is None else read_paraphrases(cast.paraphrases_file)

    async def ask(transcript: Transcript, on_progress: Callable[[Progress], None]) -> CasesFinding:
        together = Together(on_progress, expected=expected(cast, config, chosen))
        async with opened(cast, known, asking, (transcript, together, results)) as bench:
            return await judge_cases(replace(bench, source=file.name, on_case=examined.append), chosen, config)

    with rows_into(asking.results) as results:
        return on_record(asking.transcript, ask, quiet=asking.quiet)


def _write_each(each: Path | None, examined: list[Examined], threshold: float, *, quietly: bool) -> None:
    if each is not None:
        write_lines(each, (trial.as_json(threshold) for one in examined for trial in one.trials))
        click.echo(f"Trials: {each}", err=quietly)


def _export(export: Path | None, examined: list[Examined], *, quietly: bool) -> None:
    from vivavoce.consistency.legal.cases.files import write_paraphrases

    if export is not None:
        number = write_paraphrases(export, (one for case in examined for one in case.paraphrases))
        click.echo(f"Paraphrases: {number} in {export}", err=quietly)
