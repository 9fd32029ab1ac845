"""`viva consistency check`: a rule of one's own, on a function or a candidate of one's own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli.asking import Asking, asking_options, file_digest, output_options, taken_from
from vivavoce.cli.endings import OF_VERDICT, resumable
from vivavoce.cli.kept import Kept, keepsake, print_finding
from vivavoce.cli.pages import check_page, write_finding

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from vivavoce.consistency.relations import Related, RelationFinding, Rule, Source
    from vivavoce.interview.candidate import Candidate, Prompt, Reply
    from vivavoce.interview.progress import Progress
    from vivavoce.interview.transcript import Transcript

FUNCTION = "function:"
"""Begins the name of what is called with inputs as they are, and not asked in words."""


@dataclass(frozen=True, slots=True)
class Order:
    """What was asked for on the command line."""

    candidate: str
    asking: Asking
    table: Path
    rule: str | None
    batch: bool
    task: str
    seed: int
    each: bool
    as_json: bool
    html: Path | None

    @property
    def is_function(self) -> bool:
        """Whether inputs are handed over as they are."""
        return self.candidate.strip().startswith(FUNCTION)


@click.command()
@click.argument("candidate")
@click.option(
    "--table",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help='Tuples of inputs: JSON Lines {"inputs": [x1, x2], "relation": "same"}, or CSV.',
)
@click.option("--rule", metavar="MODULE:RULE", help="A rule in Python for all lines, in place of their relations.")
@click.option("--batch", is_flag=True, help="The function takes a list of inputs and returns a list of outputs.")
@click.option(
    "--task", metavar="TEXT", default="", help="For a candidate that is asked in words: what is said before each input."
)
@click.option("--seed", type=click.IntRange(min=0), metavar="N", default=0, show_default=True, help="Of the shuffled outputs.")
@click.option("--each", is_flag=True, help="With --json: what became of every tuple, not only the counts.")
@asking_options
@output_options
@click.pass_context
def check(context: click.Context, /, **given: Any) -> None:
    """How often does CANDIDATE break rules on inputs that hang together?

    \b
    viva consistency check function:my_model:price --table pairs.jsonl
    viva consistency check function:my_model:model.predict --batch --table pairs.csv --rule my_rules:larger_is_dearer
    viva consistency check chat:llama3.2@http://localhost:11434/v1 --table pairs.jsonl --task 'What is it worth, in euros?'

    A relation says what the first output must be, compared with the others: "same", "at least" or "at most", each with a
    "tolerance" if need be. Tuples that were made from the same thing name it as their "base".
    A function is called with each input as it is. Any other candidate is told it in words, and its number is
    what stands behind [Answer] on the last line.

    \b
    Exit codes: 0 done, 4 no tuple has all its answers, 2 bad input,
    5 cannot go on now (with --transcript, the same command again goes on where it stopped).
    """
    order = Order(**taken_from(given))
    _check_order(order)
    check_page(order.html)
    finding, kept = _examine(order)
    try:
        print_finding(finding, "vivavoce.dossier.relations_terminal:print_relations", as_json=order.as_json, kept=kept)
    finally:  # whoever reads the output may have gone away; the page is wanted all the same
        write_finding(order.html, finding, quietly=order.as_json)
    context.exit(0 if finding.compared else OF_VERDICT["no conclusion"])


def _check_order(order: Order) -> None:
    if order.each and not order.as_json:
        raise click.UsageError("--each lists every tuple as JSON: give --json, too.")
    if order.batch and not order.is_function:
        raise click.UsageError("--batch is for functions; other candidates are asked one input at a time.")
    if order.is_function and (order.task or order.asking.transcript is not None):
        option = "--task" if order.task else "--transcript"
        raise click.UsageError(f"{option} is for candidates that are asked in words; a function is called with each input.")


def _examine(order: Order) -> tuple[RelationFinding, Kept | None]:
    """The finding, and what to remember of the transcript; None where there is none."""
    import sys
    from contextlib import redirect_stdout

    from vivavoce.consistency.relations import read_table

    with redirect_stdout(sys.stderr):  # a stranger's module may print, and standard output is for the finding
        rule = None if order.rule is None else _rule(order.rule)
        tuples = read_table(order.table, rule)
        return (_call(order, tuples, rule), None) if order.is_function else _ask_all(order, tuples, rule)


def _rule(target: str) -> Rule:
    from vivavoce.candidates.function import named_object
    from vivavoce.consistency.relations import Rule
    from vivavoce.errors import BadInput

    if ":" not in target:
        raise click.UsageError(f"--rule {target}: give a module and a name in it, such as my_rules:larger_is_dearer.")
    rule = named_object(target, example="my_rules:larger_is_dearer")
    if not isinstance(rule, Rule):
        raise BadInput(f"'{target}' is a {type(rule).__name__}, not a vivavoce.consistency.relations.Rule")
    return rule


def _call(order: Order, tuples: Sequence[Related], rule: Rule | None) -> RelationFinding:
    from vivavoce.candidates.function import named_object
    from vivavoce.consistency.relations import check
    from vivavoce.errors import BadInput

    target = order.candidate.strip().removeprefix(FUNCTION)
    function = named_object(target, example="function:my_model:price")
    if not callable(function):
        raise BadInput(f"'{target}' is a {type(function).__name__}, it cannot be called: name a function")
    return check(
        function,
        tuples,
        rule,
        batch=order.batch,
        name=f"{FUNCTION}{target}",
        source=_source(order),
        seed=order.seed,
        each=order.each,
    )


def _ask_all(order: Order, tuples: Sequence[Related], rule: Rule | None) -> tuple[RelationFinding, Kept | None]:
    import asyncio

    from rich.console import Console

    from vivavoce.candidates import open_candidate
    from vivavoce.consistency.relations.examine import ahead
    from vivavoce.dossier.terminal import ProgressLine
    from vivavoce.interview.transcript import Transcript

    candidate = open_candidate(order.candidate)
    questions = ahead(tuples, rule)
    if not order.asking.quiet:
        click.echo(f"viva: {len(tuples)} tuples, {questions} questions, less those on record", err=True)
    with resumable(order.asking.transcript), Transcript.open(order.asking.transcript) as transcript:
        with ProgressLine(Console(stderr=True, quiet=order.asking.quiet)) as progress:
            finding = asyncio.run(_ask(order, candidate, (tuples, rule, questions), transcript, progress))
        return finding, keepsake(transcript, order.asking.transcript)


async def _ask(
    order: Order,
    candidate: Candidate[Prompt, Reply],
    material: tuple[Sequence[Related], Rule | None, int],
    transcript: Transcript,
    on_progress: Callable[[Progress], None],
) -> RelationFinding:
    from vivavoce.candidates import close_candidate
    from vivavoce.consistency.relations import ask

    tuples, rule, questions = material
    interview = order.asking.interview(candidate, transcript, expected=questions, on_progress=on_progress)
    try:
        return await ask(interview, tuples, rule, task=order.task, source=_source(order), seed=order.seed, each=order.each)
    finally:
        await close_candidate(candidate)


def _source(order: Order) -> Source:
    from vivavoce.consistency.relations import Source

    return Source(order.table.name, file_digest(order.table))
