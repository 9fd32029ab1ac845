"""`viva consistency rules`: test your own rule on a function or a candidate."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.asking import AskOptions, asking_of, examining_options
from vivavoce.cli.endings import GOES_ON, OF_VERDICT, exit_codes
from vivavoce.cli.help import command
from vivavoce.cli.names import CANDIDATE
from vivavoce.cli.options import config_options, wants_json
from vivavoce.cli.output import rows_into, show
from vivavoce.consistency.config import RelationsConfig
from vivavoce.errors import BadInput
from vivavoce.formats.lines import file_digest

if TYPE_CHECKING:
    from collections.abc import Callable

    from vivavoce.relations import RelationFinding, Rule

FUNCTION = "function:"
"""Prefix of candidates that are called with inputs unchanged, not asked in words."""


@command(epilog=exit_codes("4 no tuple has all its answers", GOES_ON))
@click.argument("candidate", type=CANDIDATE)
@click.option(
    "--table",
    required=True,
    type=options.KNOWN_FILE,
    help='Read tuples: JSON Lines {"inputs": [x1, x2], "relation": "same"}, or CSV.',
)
@click.option("--rule", metavar="MODULE:RULE", help="Use this Python rule for all lines, instead of their relations.")
@config_options(RelationsConfig)
@click.option("--details", "each", is_flag=True, help="With --json: list each tuple.")
@examining_options
def rules(*, candidate: str, table: Path, rule: str | None, each: bool, **given: Any) -> int:
    """Count how often CANDIDATE breaks rules on related inputs (metamorphic relations).

    \b
    viva consistency rules function:my_model:price --table pairs.jsonl
    viva consistency rules function:my_model:model.predict --batch --table pairs.csv --rule my_rules:larger_is_dearer
    viva consistency rules chat:llama3.2@http://localhost:11434/v1 --table pairs.csv --task 'What is it worth in euros?'

    A relation compares the first output with the others: "same", "at least" or "at most", each with an optional
    "tolerance". Tuples made from the same item name it as their "base". A function is called with each input. Any other
    candidate is asked in words, and its output is the one number that a reply states as its answer. If a reply has none,
    the candidate is asked once more, provided that it can hold a conversation; replies that still can't be parsed count as
    no answer.
    """
    config, asking = options.taken_out(given, RelationsConfig), asking_of(given)
    if each and not wants_json():
        raise click.UsageError("--details lists every tuple as JSON: give --json, too.")
    name = candidate.strip()
    config.check_fits(function=name.startswith(FUNCTION))
    if name.startswith(FUNCTION) and asking.transcript is not None:
        raise click.UsageError("--transcript is for candidates that are asked in words; a function is called with each input.")
    with redirect_stdout(sys.stderr):  # the user's module may print, and standard output is for the finding
        finding = _examine(name, table, None if rule is None else _rule(rule), config, asking, each=each)
    show(finding, measured=finding.measured)
    return 0 if finding.measured else OF_VERDICT["undecided"]


def _examine(
    name: str, table: Path, rule: Rule | None, config: RelationsConfig, asking: AskOptions, *, each: bool
) -> RelationFinding:
    from vivavoce.candidates import open_candidate
    from vivavoce.relations import Source, ask, check, read_table
    from vivavoce.studies.rules.asking import expected_questions

    tuples, source = read_table(table, rule), Source(table.name, file_digest(table))
    if name.startswith(FUNCTION):
        function = _function(name.removeprefix(FUNCTION))
        with rows_into(asking.results) as results:
            return check(function, tuples, rule, config, name=name, source=source, each=each, results=results)
    candidate, questions = open_candidate(name), expected_questions(tuples, rule)
    if not asking.quiet:
        click.echo(f"viva: {len(tuples)} tuples, {questions} questions, less those on record", err=True)
    return asking.examined(
        candidate,
        lambda interview: ask(interview, tuples, rule, config, source=source, each=each),
        expected=questions,
    )


def _function(target: str) -> Callable[[Any], Any]:
    from vivavoce.candidates.function import named_object

    function: object = named_object(target, example="function:my_model:price")
    if not callable(function):
        raise BadInput(f"'{target}' is a {type(function).__name__}, which can't be called: name a function")
    return function


def _rule(target: str) -> Rule:
    from vivavoce.candidates.function import named_object
    from vivavoce.relations import Rule

    if ":" not in target:
        raise click.UsageError(f"--rule {target}: write MODULE:NAME, such as my_rules:larger_is_dearer.")
    rule = named_object(target, example="my_rules:larger_is_dearer")
    if not isinstance(rule, Rule):
        raise BadInput(f"'{target}' is a {type(rule).__name__}, not a vivavoce.relations.Rule")
    return rule
