"""`viva consistency cases`: does a classifier decide otherwise when a fact is put in other words?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from vivavoce.cli import options
from vivavoce.cli.asking import asking_options, on_record, taken_from, write_lines
from vivavoce.cli.consistency.cases.order import Order
from vivavoce.cli.endings import GOES_ON, OF_VERDICT, exit_codes
from vivavoce.cli.output import Kept, show
from vivavoce.cli.pages import check_writable
from vivavoce.cli.results import RESULTS, rows_into

if TYPE_CHECKING:
    from collections.abc import Callable

    from vivavoce.consistency.legal.cases.finding import CaseConsistency
    from vivavoce.consistency.legal.cases.trials import LegalCase
    from vivavoce.interview.progress import Progress
    from vivavoce.interview.transcript import Transcript

NOTHING_COMPARED = OF_VERDICT["no conclusion"]
NOT_CHOSEN: Final = 1 << 30
"""Added to the seed, so that which cases are drawn does not depend on what is drawn within them."""


@click.command(epilog=exit_codes("4 nothing could be compared", GOES_ON))
@click.argument("classifier")
@click.option(
    "--cases", type=options.KNOWN_FILE, required=True, metavar="FILE", help='JSON Lines: {"id": "1", "facts": [...]}.'
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
@click.option(
    "--box",
    type=click.Choice(["both", "black", "white"]),
    default="both",
    show_default=True,
    help="Reword a fact drawn at random (black), the most important one (white), or each.",
)
@click.option(
    "--importance",
    type=click.Choice(["auto", "attention", "leave-one-out"]),
    default="auto",
    show_default=True,
    help="How importance is measured: by the classifier's attention, or by leaving out each fact; auto: attention where "
    "available.",
)
@click.option(
    "--paraphrases", type=click.IntRange(1, 100), metavar="N", default=3, show_default=True, help="Paraphrases of each fact."
)
@click.option(
    "--facts",
    type=click.IntRange(1, 1_000),
    metavar="N",
    default=1,
    show_default=True,
    help="Facts drawn at random from each case.",
)
@click.option(
    "--min-characters",
    "shortest",
    type=click.IntRange(0),
    metavar="N",
    default=120,
    show_default=True,
    help="Fewest characters of a fact to reword.",
)
@click.option("--skip-first/--keep-first", default=True, show_default=True, help="Never reword the first fact of a case.")
@click.option(
    "--repeats",
    type=click.IntRange(0, 100),
    metavar="N",
    default=1,
    show_default=True,
    help="The control: ask each case again as it is.",
)
@click.option(
    "--threshold",
    type=options.share,
    metavar="X",
    default=0.5,
    show_default=True,
    help="Probability from which on a decision is a violation.",
)
@click.option("--claim", metavar="SENTENCE", help="The claim whose probability a language model is asked for.")
@click.option("--limit", type=options.count, metavar="N", help="Cases at most; drawn at random if there are more.")
@options.seed("Draws cases and facts.")
@click.option("--details", "each", type=options.FILE, metavar="FILE", help="Write every trial to this file, as JSON Lines.")
@RESULTS
@asking_options
@options.output_options
@click.pass_context
def cases(context: click.Context, /, **given: Any) -> None:
    """Does CLASSIFIER change its decision on a case when one fact is paraphrased?

    \b
    viva consistency cases hf:legal-bert --cases cases.jsonl --writer chat:llama3.2@http://localhost:11434/v1 --html page.html
    viva consistency cases function:my_model:probability --cases cases.jsonl --paraphrases-file reviewed.jsonl
    viva consistency cases chat:llama3.2@http://localhost:11434/v1 --cases cases.jsonl --writer chat:qwen3@http://localhost:8000/v1

    \b
    CLASSIFIER is one of
      hf:FOLDER                 a sequence classifier of Hugging Face (pip install 'vivavoce[neural]'); options positive
                                (label), layer (whose attention; -1 is the final one), pool (mean or sum), join (space,
                                newline, separator), max_length, device
      function:MODULE:NAME      a Python function from facts to a probability, or an object with 'probability' and perhaps
                                'importance'
      any language model        as 'viva candidates' lists them; it is asked for the probability of --claim
    """
    from vivavoce.consistency.legal.cases.trials import Box

    order = Order(**taken_from(given))
    _check(order)
    finding, kept = _examine(order)
    try:
        show(finding, as_json=order.as_json, html=order.html, kept=kept)
    finally:  # the reader of the output may have gone away; the files are wanted all the same
        _write(order, finding)
    if not any(row.trials for row in finding.counts.rows if row.box is not Box.AGAIN):
        context.exit(NOTHING_COMPARED)


def _check(order: Order) -> None:
    """Refuse now what would otherwise fail after all questions have been paid for."""
    if order.writer is None and order.paraphrases_file is None:
        raise click.UsageError("who paraphrases the facts? Give --writer CANDIDATE or --paraphrases-file FILE.")
    if order.checker is not None and order.writer is None:
        raise click.UsageError("--checker looks at what a --writer writes: give --writer, too.")
    for name, file in (("--html", order.html), ("--details", order.each), ("--export-paraphrases", order.export)):
        check_writable(name, file)
        for given in filter(None, (order.cases, order.paraphrases_file)):
            if file is not None and file.exists() and file.samefile(given):
                raise click.UsageError(f"{name} {file}: that file is an input; choose another place.")


def _examine(order: Order) -> tuple[CaseConsistency, Kept | None]:
    """The finding, and what to remember of the transcript; None for one in memory."""
    from vivavoce.cli.consistency.cases.bench import expected, opened
    from vivavoce.consistency.legal.cases.examine import examine_cases
    from vivavoce.consistency.legal.cases.files import read_cases, read_paraphrases
    from vivavoce.interview.progress import Together

    setup, chosen = order.setup, drawn(read_cases(order.cases), order.limit, order.seed)
    known = None if order.paraphrases_file is None else read_paraphrases(order.paraphrases_file)

    async def ask(transcript: Transcript, on_progress: Callable[[Progress], None]) -> CaseConsistency:
        together = Together(on_progress, expected=expected(order, setup, chosen))
        async with opened(order, known, transcript, together, results) as bench:
            return await examine_cases(bench, chosen, setup)

    with rows_into(order.asking.results) as results:
        return on_record(order.asking.transcript, ask, quiet=order.asking.quiet)


def drawn(every: tuple[LegalCase, ...], limit: int | None, seed: int) -> tuple[LegalCase, ...]:
    """This many of the cases at random, in the order of the file."""
    if limit is None or limit >= len(every):
        return every
    import numpy as np

    numbers = np.random.default_rng(NOT_CHOSEN + seed).permutation(len(every))[:limit]
    return tuple(every[number] for number in sorted(numbers))


def _write(order: Order, finding: CaseConsistency) -> None:
    """The files that are wanted besides the page."""
    from vivavoce.consistency.legal.cases.files import write_paraphrases

    if order.each is not None:
        write_lines(order.each, (trial.as_json(order.threshold) for trial in finding.trials))
        click.echo(f"Trials: {order.each}", err=order.as_json)
    if order.export is not None:
        number = write_paraphrases(order.export, (one for examined in finding.examined for one in examined.paraphrases))
        click.echo(f"Paraphrases: {number} in {order.export}", err=order.as_json)
