"""`viva people align` and `deploy`: compare people's expectations with models' answers, and derive what people would use them
for.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.endings import exit_codes
from vivavoce.cli.help import command
from vivavoce.cli.options import config_options, wants_json
from vivavoce.cli.output import output_options, say, show
from vivavoce.errors import BadInput
from vivavoce.formats.lines import file_digest
from vivavoce.generalization.config import MOST_THRESHOLDS, AlignConfig
from vivavoce.generalization.pairs import BeliefPair, GradedAnswers, key_of, read_answers, read_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vivavoce.generalization.alignment.deployment import ScopeOfUse


def thresholds(text: str) -> tuple[float, ...]:
    """One to twenty different numbers above 0 and below 1, separated by commas, in rising order."""
    parts = [part.strip() for part in text.split(",")]
    try:
        values = {float(part) for part in parts}
    except ValueError:
        values = set()
    if not 1 <= len(values) <= MOST_THRESHOLDS or not all(0 < value < 1 for value in values):
        raise click.BadParameter(f"'{text[:60]}' are not thresholds: give numbers above 0 and below 1, such as .5,.9,.95,.99.")
    return tuple(sorted(values))


_PAIRS = click.option(
    "--pairs",
    "pairs",
    multiple=True,
    required=True,
    type=options.FILE,
    help="Read pairs with beliefs from this CSV; columns are listed above. Repeatable.",
)
_MORE = click.argument("more", nargs=-1, type=options.FILE, metavar="[FILE]...")
_ANSWERS = click.option(
    "--answers", required=True, type=options.FILE, help="Read answers from CSV: prompt,MODEL... with 0, 1 or empty."
)
AMONG = {"option": "--means-over"}
BELIEFS = options.together(
    click.option(
        "--prior", type=options.portion, metavar="B", help="Mean belief before an answer. [default: the survey's, or .629]"
    ),
    click.option(
        "--after-right",
        type=options.portion,
        metavar="B",
        help="Mean belief after a right answer. [default: the survey's, or .663]",
    ),
    click.option(
        "--after-wrong",
        type=options.portion,
        metavar="B",
        help="Mean belief after a wrong answer. [default: the survey's, or .551]",
    ),
)


THRESHOLDS = {"type": thresholds, "default": ".5,.9,.95,.99", "multiple": False}


@command()
@_PAIRS
@_MORE
@_ANSWERS
@config_options(
    AlignConfig,
    models={"option": "--model"},
    thresholds=THRESHOLDS,
    rules={"option": "--rule"},
    among=AMONG,
)
@BELIEFS
@options.QUIET
@output_options
def align(*, pairs: tuple[Path, ...], more: tuple[Path, ...], answers: Path, quiet: bool, **given: Any) -> None:
    """Compare people's beliefs about models with what the models do, and rank models by how people would use them.

    \b
    viva people align --pairs predicted.csv --answers answers.csv --html page.html
    viva people align --pairs after-right.csv after-wrong.csv --answers answers.csv --thresholds .5,.98 --json
    viva people align --pairs survey.csv --answers answers.csv --rule above:.6 --rule top:.1

    A file of pairs has columns q1, q2, source1, source2, previous_correct and posterior, pred or belief_change.
    A belief is what a person said (posterior), or derived from the chance of a change (pred), or from whether it changed
    (belief_change). Each model is judged after its real answer to the first question of a pair.
    """
    from rich.console import Console

    from vivavoce.generalization.alignment.human_alignment import align

    beliefs = belief_averages(given)
    config, files = AlignConfig(**given, beliefs=beliefs), (*pairs, *more)
    with Console(stderr=True, quiet=quiet).status("Reading pairs and answers, drawing resamples"):
        table, belief_pairs = read_answers(answers), read_all(files)
        digest = hashlib.sha256("".join(file_digest(file) for file in (*files, answers)).encode()).hexdigest()
        source = ", ".join(file.name for file in (*files, answers))
        finding = align(belief_pairs, table, config, source=source, digest=digest)
    show(finding)


@dataclass(frozen=True, slots=True)
class UseRequest:
    """Files and the rule that say which questions people would use a model for."""

    pairs: tuple[Path, ...]
    more: tuple[Path, ...]
    answers: Path
    model: str | None
    rule: str
    scope: str | None
    out: Path
    whole: bool
    """Whether questions that no one would ask are included."""

    @property
    def files(self) -> tuple[Path, ...]:
        """The files of pairs."""
        return (*self.pairs, *self.more)


@command(epilog=exit_codes("2 bad input, such as a rule by which people use the model for nothing"))
@_PAIRS
@_MORE
@_ANSWERS
@click.option("--model", metavar="NAME", help="Take this column of answers, if there are several.")
@click.option(
    "--rule",
    metavar="RULE",
    default="top:0.25",
    show_default=True,
    help="What people use the model for: above:T, top:SHARE or proportional.",
)
@click.option("--scope", metavar="SCOPE", help="Scope with the right answers. [default: columns answer1, answer2]")
@click.option("--out", required=True, type=options.OUTPUT, metavar="FILE.jsonl", help="Write the questions with their weights.")
@click.option("--all-questions", "whole", is_flag=True, help="Include questions that no one would ask, with almost no weight.")
@BELIEFS
@config_options(AlignConfig, only=("among", "seed"), among=AMONG)
@options.QUIET
@options.JSON
def deploy(*, quiet: bool, **given: Any) -> None:
    """Write the questions that people would use a model for, with weights, as a scope for 'viva certify'.

    \b
    viva people deploy --pairs predicted.csv --answers answers.csv --model gpt-4 --rule top:.1 --out used.jsonl
    viva certify chat:gpt-4@https://api.example.org/v1 --scope file:used.jsonl

    A file of pairs has columns q1, q2, source1, source2, previous_correct and posterior, pred or belief_change.
    With --all-questions the file holds all questions, and 'viva certify --deployed' gives a verdict on both.
    """
    from vivavoce.generalization.alignment.deployment import write_scope

    request, beliefs = options.taken_out(given, UseRequest), belief_averages(given)
    out = request.out
    if out.suffix != ".jsonl":
        raise click.UsageError(f"--out {out}: the name must end in .jsonl.")
    table = read_answers(request.answers)
    if request.model is None and len(table.models) > 1:
        known = f"{request.answers} has {len(table.models)} models"
        raise BadInput(f"{known}: choose one with --model, such as {table.models[0]}")
    config = AlignConfig((request.model or table.models[0],), rules=(request.rule,), beliefs=beliefs, **given)
    written, figures = _questions_used(request, table, config)
    write_scope(out, written)
    if not (quiet or wants_json()) and written.left_out:
        click.echo(f"viva: {written.left_out} questions are left out: their right answers are unknown", err=True)
    others, option = (f", and {figures['unused']} others", " --deployed") if request.whole else ("", "")
    words = (
        f"{figures['questions']} questions that people would use {figures['model']} for by {figures['rule']}, an effective "
        f"sample size of {figures['effective']:.0f}{others}: {out}\n"
        f"Certify it on them: viva certify CANDIDATE --scope file:{out}{option}"
    )
    say(figures, words)


def belief_averages(given: dict[str, Any]) -> dict[str, float]:
    """Pop the averages from the command's options."""
    values = {name: given.pop(name) for name in ("prior", "after_right", "after_wrong")}
    return {name: value for name, value in values.items() if value is not None}


def read_all(files: Sequence[Path]) -> list[BeliefPair]:
    """The pairs of some files. Raises `BadFile`."""
    return [pair for file in files for pair in read_pairs(file)]


def _questions_used(request: UseRequest, answers: GradedAnswers, config: AlignConfig) -> tuple[ScopeOfUse, dict[str, Any]]:
    """The rows to write, with their figures."""
    import numpy as np

    from vivavoce.generalization.alignment.deployment import (
        NEXT_TO_NOTHING,
        effective_number,
        right_answers,
        scope_rows,
        unused_questions,
        used_questions,
    )
    from vivavoce.generalization.alignment.human_alignment import rules_of
    from vivavoce.generalization.alignment.measures import averages, believed_pairs, graded_model

    (model,), pairs, scope = config.models, read_all(request.files), request.scope
    beliefs, _ = averages(pairs, config.beliefs, rng=np.random.default_rng(config.seed), among=config.among)
    people = believed_pairs(pairs, beliefs)
    (rule,) = rules_of(config)
    used = used_questions(people, graded_model(people, answers.of(model), model), rule)
    known: Any = right_answers(request.files) if scope is None else _questions(scope)
    written = scope_rows((*used, *(unused_questions(people, used) if request.whole else ())), known)
    weights = [row["weight"] for row in written.rows if row["weight"] > NEXT_TO_NOTHING]
    if not written.rows:
        where = "the files of pairs (columns answer1 and answer2)" if scope is None else f"'{scope}'"
        raise BadInput(f"no right answer to the {len(used)} questions is in {where}: name their scope with --scope")
    figures = {
        "model": model,
        "rule": rule.name,
        "questions": len(weights),
        "unused": len(written.rows) - len(weights),
        "effective": effective_number(weights),
        "left_out": written.left_out,
        "share": written.share,
    }
    return written, figures


def _questions(scope: str) -> dict[str, dict[str, Any]]:
    """The questions of a scope as rows of a scope file, by key."""
    from vivavoce.generalization.survey.cards import wording
    from vivavoce.scopes import open_scope
    from vivavoce.scopes.listed_and_endless import ListedScope

    opened = open_scope(scope)
    if not isinstance(opened, ListedScope):
        raise BadInput(f"'{scope}' is endless: give a scope that is a list of questions")
    result = {}
    for question in opened.questions:
        row = {
            "id": question.id,
            "question": question.text,
            "options": list(question.options),
            "answer": list(question.accepted),
        }
        more = {
            "category": question.category,
            "idk_score": question.dont_know_score,
            "unacceptable": list(question.unacceptable),
        }
        result[key_of(wording(question))] = {name: value for name, value in (row | more).items() if value}
    return result
