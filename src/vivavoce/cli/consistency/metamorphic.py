"""`viva consistency metamorphic`: a rule of your own, on a function or a candidate of your own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.asking import Asking, asking_options, file_digest, taken_from
from vivavoce.cli.endings import GOES_ON, OF_VERDICT, exit_codes
from vivavoce.cli.output import Kept, show
from vivavoce.cli.pages import check_page
from vivavoce.cli.results import RESULTS, rows_into

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vivavoce.consistency.relations import Related, RelationFinding, Rule, Source

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


@click.command(epilog=exit_codes("4 no tuple has all its answers", GOES_ON))
@click.argument("candidate")
@click.option(
    "--table",
    required=True,
    type=options.KNOWN_FILE,
    metavar="FILE",
    help='Tuples of inputs: JSON Lines {"inputs": [x1, x2], "relation": "same"}, or CSV.',
)
@click.option("--rule", metavar="MODULE:RULE", help="A rule in Python for all lines, instead of their relations.")
@click.option("--batch", is_flag=True, help="The function takes a list of inputs and returns a list of outputs.")
@click.option("--task", metavar="TEXT", default="", help="For a candidate that is asked in words: the text before each input.")
@options.seed("Shuffles the outputs.")
@click.option("--details", "each", is_flag=True, help="With --json: what became of every tuple, not only the counts.")
@RESULTS
@asking_options
@options.output_options
@click.pass_context
def metamorphic(context: click.Context, /, **given: Any) -> None:
    """How often does CANDIDATE break rules on related inputs (metamorphic relations)?

    \b
    viva consistency metamorphic function:my_model:price --table pairs.jsonl
    viva consistency metamorphic function:my_model:model.predict --batch --table pairs.csv --rule my_rules:larger_is_dearer
    viva consistency metamorphic chat:llama3.2@http://localhost:11434/v1 --table pairs.csv --task 'What is it worth in euros?'

    A relation says what the first output must be, compared with the others: "same", "at least" or "at most", each with a
    "tolerance" if need be. Tuples that were made from the same thing name it as their "base".
    A function is called with each input as it is. Any other candidate is given it in words, and its output is the one
    number that a reply states as its answer. A reply without one is asked for it once more where the candidate holds a
    conversation; what cannot be read then is counted as no answer.
    """
    order = Order(**taken_from(given))
    _check_order(order)
    check_page(order.html)
    finding, kept = _examine(order)
    show(finding, as_json=order.as_json, html=order.html, kept=kept)
    context.exit(0 if finding.compared else OF_VERDICT["no conclusion"])


def _check_order(order: Order) -> None:
    if order.each and not order.as_json:
        raise click.UsageError("--details lists every tuple as JSON: give --json, too.")
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
    with rows_into(order.asking.results) as results:
        return check(
            function,
            tuples,
            rule,
            batch=order.batch,
            name=f"{FUNCTION}{target}",
            source=_source(order),
            seed=order.seed,
            each=order.each,
            results=results,
        )


def _ask_all(order: Order, tuples: Sequence[Related], rule: Rule | None) -> tuple[RelationFinding, Kept | None]:
    from vivavoce.candidates import open_candidate
    from vivavoce.consistency.relations import ask
    from vivavoce.consistency.relations.examine import expected_questions

    candidate = open_candidate(order.candidate)
    questions = expected_questions(tuples, rule)
    if not order.asking.quiet:
        click.echo(f"viva: {len(tuples)} tuples, {questions} questions, less those on record", err=True)
    return order.asking.examined(
        candidate,
        lambda interview: ask(
            interview, tuples, rule, task=order.task, source=_source(order), seed=order.seed, each=order.each
        ),
        expected=questions,
    )


def _source(order: Order) -> Source:
    from vivavoce.consistency.relations import Source

    return Source(order.table.name, file_digest(order.table))
