"""`viva generalization align` and `deploy`: do people's expectations fit what models do, and what would they use them for?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from vivavoce.cli import options
from vivavoce.cli.asking import file_digest
from vivavoce.cli.endings import exit_codes
from vivavoce.cli.output import say, show
from vivavoce.cli.pages import check_page, check_writable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vivavoce.generalization.alignment.deployment import Rule
    from vivavoce.generalization.alignment.deployment_file import Written
    from vivavoce.generalization.alignment.finding import Alignment
    from vivavoce.generalization.answers import Answers
    from vivavoce.generalization.pairs import Pair


MOST_THRESHOLDS = 20


def thresholds(text: str) -> tuple[float, ...]:
    """One to twenty different numbers above 0 and below 1, separated by commas, in rising order."""
    parts = [part.strip() for part in text.split(",")]
    try:
        values = {float(part) for part in parts}
    except ValueError:
        values = set()
    if not 1 <= len(values) <= MOST_THRESHOLDS or not all(0 < value < 1 for value in values):
        raise click.BadParameter(f"'{text[:60]}' are no thresholds: give numbers above 0 and below 1, such as .5,.9,.95,.99.")
    return tuple(sorted(values))


@dataclass(frozen=True, slots=True)
class Order:
    """What was asked for on the command line."""

    pairs: tuple[Path, ...]
    more: tuple[Path, ...]
    answers: Path
    model: tuple[str, ...]
    people: tuple[str, ...]
    thresholds: tuple[float, ...]
    rule: tuple[str, ...]
    prior: float | None
    after_right: float | None
    after_wrong: float | None
    among: Literal["all", "changed"]
    confidence: float
    seed: int

    @property
    def files(self) -> tuple[Path, ...]:
        """All files of pairs."""
        return (*self.pairs, *self.more)

    @property
    def beliefs(self) -> dict[str, float]:
        """The averages that were given."""
        given = {"prior": self.prior, "after_right": self.after_right, "after_wrong": self.after_wrong}
        return {name: value for name, value in given.items() if value is not None}

    @property
    def rules(self) -> tuple[Rule, ...]:
        """As named; none where none is."""
        from vivavoce.generalization.alignment.deployment import rule_named

        return tuple({rule.name: rule for rule in map(rule_named, self.rule)}.values())


_PAIRS = click.option(
    "--pairs",
    "pairs",
    multiple=True,
    required=True,
    type=options.FILE,
    metavar="FILE",
    help="CSV with q1,q2,source1,source2,previous_correct and posterior, pred or belief_change; more files may follow.",
)
_MORE = click.argument("more", nargs=-1, type=options.FILE, metavar="[FILE]...")
_ANSWERS = click.option(
    "--answers", required=True, type=options.FILE, metavar="FILE", help="CSV with prompt,MODEL... and 0, 1 or empty."
)
_SEED = options.seed("Draws resamples.")
_BELIEFS = options.together(
    click.option(
        "--prior", type=options.portion, metavar="B", help="Mean belief before an answer is seen; else the survey's, or .629."
    ),
    click.option(
        "--after-right", type=options.portion, metavar="B", help="Mean belief after a right answer; else the survey's, or .663."
    ),
    click.option(
        "--after-wrong", type=options.portion, metavar="B", help="Mean belief after a wrong one; else the survey's, or .551."
    ),
    click.option(
        "--means-over",
        "among",
        type=click.Choice(["all", "changed"]),
        default="all",
        show_default=True,
        help="The beliefs that a survey's means are taken over: all, as in the paper, or those that changed.",
    ),
)


@click.command()
@_PAIRS
@_MORE
@_ANSWERS
@click.option("--model", multiple=True, metavar="NAME", help="Look at this column of answers only; may be given again.")
@click.option("--people", multiple=True, metavar="NAME", help="This column of answers is a person's; may be given again.")
@click.option(
    "--thresholds",
    type=thresholds,
    metavar="T,T,...",
    default=".5,.9,.95,.99",
    show_default=True,
    help="Chances of being right above which a model is trusted.",
)
@click.option(
    "--rule",
    multiple=True,
    metavar="RULE",
    help="What people use a model for: above:T, top:SHARE or proportional; may be given again. Else above each threshold, "
    "and top:0.25.",
)
@_BELIEFS
@click.option(
    "--confidence", type=options.share, metavar="C", default=0.95, show_default=True, help="Confidence level of the intervals."
)
@_SEED
@options.QUIET
@options.output_options
def align(*, as_json: bool, html: Path | None, quiet: bool, **given: Any) -> None:
    """Do people's beliefs about models fit what the models do, and does the best one stay the best once people choose?

    \b
    viva generalization align --pairs predicted.csv --answers answers.csv --html page.html
    viva generalization align --pairs after-right.csv after-wrong.csv --answers answers.csv --thresholds .5,.98 --json
    viva generalization align --pairs survey.csv --answers answers.csv --rule above:.6 --rule top:.1

    A belief is what somebody said (posterior), else made from the chance that it changed (pred), else from whether it did
    (belief_change). Each model counts after what it really did with the first question of a pair.
    """
    check_page(html)
    order = Order(**given)
    finding = _aligned(order, quiet=quiet)
    show(finding, as_json=as_json, html=html)


@click.command(epilog=exit_codes("2 bad input, such as a rule by which people would use it for nothing"))
@_PAIRS
@_MORE
@_ANSWERS
@click.option("--model", metavar="NAME", help="Column of answers; needed where there are several.")
@click.option(
    "--rule",
    metavar="RULE",
    default="top:0.25",
    show_default=True,
    help="What people use the model for: above:T, top:SHARE or proportional.",
)
@click.option("--scope", metavar="SCOPE", help="Take the right answers from its questions; else from columns answer1, answer2.")
@click.option(
    "--out", required=True, type=options.FILE, metavar="FILE.jsonl", help="Write the questions there, with their weights."
)
@click.option("--all-questions", "whole", is_flag=True, help="Include questions that nobody would ask, with almost no weight.")
@_BELIEFS
@_SEED
@options.QUIET
@options.JSON
def deploy(
    *, out: Path, as_json: bool, quiet: bool, model: str | None, rule: str, scope: str | None, whole: bool, **given: Any
) -> None:
    """Write the questions that people would use a model for, weighted, as a scope to certify it on.

    \b
    viva generalization deploy --pairs predicted.csv --answers answers.csv --model gpt-4 --rule top:.1 --out used.jsonl
    viva certify chat:gpt-4@https://api.example.org/v1 --scope file:used.jsonl

    With --all-questions the file holds all questions, and 'viva certify --deployed' gives a verdict on these and on their use.
    """
    from vivavoce.errors import BadInput
    from vivavoce.generalization.alignment.deployment_file import write_scope
    from vivavoce.generalization.answers import read_answers

    check_writable("--out", out)
    if out.suffix != ".jsonl":
        raise click.UsageError(f"--out {out}: the name must end in .jsonl, so that it is read as a scope.")
    names = (model,) if model else ()
    order = Order(**given, model=names, people=(), thresholds=(0.5,), rule=(rule,), confidence=0.95)
    _check_inputs_stay(order, out)
    answers = read_answers(order.answers)
    if model is None and len(answers.models) > 1:
        raise BadInput(
            f"{order.answers} has {len(answers.models)} models: choose one with --model, such as {answers.models[0]}"
        )
    written, told = _questions_used(order, answers, model or answers.models[0], scope, whole=whole)
    write_scope(out, written)
    if not (quiet or as_json) and written.left_out:
        click.echo(f"viva: {written.left_out} questions are left out: their right answer is not known", err=True)
    others, option = (f", and {told['unused']} others", " --deployed") if whole else ("", "")
    words = (
        f"{told['questions']} questions that people would use {told['model']} for by {told['rule']}, an effective "
        f"sample size of {told['effective']:.0f}{others}: {out}\n"
        f"Certify it on them: viva certify CANDIDATE --scope file:{out}{option}"
    )
    say(told, words, as_json)


def _aligned(order: Order, *, quiet: bool) -> Alignment:
    import hashlib

    from rich.console import Console

    from vivavoce.generalization.alignment.score import SetUp, align
    from vivavoce.generalization.answers import read_answers

    with Console(stderr=True, quiet=quiet).status("Reading pairs and answers, drawing resamples"):
        answers, pairs = read_answers(order.answers), read_all(order.files)
        digest = hashlib.sha256("".join(file_digest(file) for file in (*order.files, order.answers)).encode()).hexdigest()
        setup = SetUp(
            thresholds=order.thresholds,
            rules=order.rules,
            models=order.model,
            people=order.people,
            beliefs=order.beliefs,
            among=order.among,
            confidence=order.confidence,
            seed=order.seed,
        )
        source = ", ".join(file.name for file in (*order.files, order.answers))
        return align(pairs, answers, setup, source=source, digest=digest)


def read_all(files: Sequence[Path]) -> list[Pair]:
    """The pairs of some files. Raises `BadFile`."""
    from vivavoce.generalization.pairs import read_pairs

    return [pair for file in files for pair in read_pairs(file)]


def _check_inputs_stay(order: Order, out: Path) -> None:
    """Refuse to write over what is read."""
    for file in (*order.files, order.answers):
        if out.exists() and file.exists() and out.samefile(file):
            raise click.UsageError(f"--out {out}: that is one of the files that are read; choose another place.")


def _questions_used(
    order: Order, answers: Answers, model: str, scope: str | None, *, whole: bool
) -> tuple[Written, dict[str, Any]]:
    """The rows to write, and what to say about them."""
    import numpy as np

    from vivavoce.errors import BadInput
    from vivavoce.generalization.alignment.deployment import NEXT_TO_NOTHING, distribution, effective, unused
    from vivavoce.generalization.alignment.deployment_file import right_answers, scope_rows
    from vivavoce.generalization.alignment.estimated_beliefs import averages
    from vivavoce.generalization.alignment.measures import believed, graded

    pairs = read_all(order.files)
    beliefs, _ = averages(pairs, order.beliefs, rng=np.random.default_rng(order.seed), among=order.among)
    people = believed(pairs, beliefs)
    (rule,) = order.rules
    used = distribution(people, graded(people, answers.of(model), model), rule)
    known: Any = right_answers(order.files) if scope is None else _questions(scope)
    written = scope_rows((*used, *(unused(people, used) if whole else ())), known)
    weights = [row["weight"] for row in written.rows if row["weight"] > NEXT_TO_NOTHING]
    if not written.rows:
        where = "the files of pairs, which would have columns answer1 and answer2" if scope is None else f"'{scope}'"
        raise BadInput(f"the right answer to none of {len(used)} questions is in {where}: name their scope with --scope")
    told = {
        "model": model,
        "rule": rule.name,
        "questions": len(weights),
        "unused": len(written.rows) - len(weights),
        "effective": effective(weights),
        "left_out": written.left_out,
        "share": written.share,
    }
    return written, told


def _questions(scope: str) -> dict[str, dict[str, Any]]:
    """The questions of a scope as rows of a scope file, by key."""
    from vivavoce.certificate.scopes import open_scope
    from vivavoce.certificate.scopes.listed import ListedScope
    from vivavoce.errors import BadInput
    from vivavoce.generalization.answers import key_of
    from vivavoce.generalization.survey.cards import wording

    opened = open_scope(scope)
    if not isinstance(opened, ListedScope):
        raise BadInput(f"'{scope}' is endless: give a scope that is a list of questions")
    found = {}
    for one in opened.questions:
        row = {"id": one.id, "question": one.text, "options": list(one.options), "answer": list(one.accepted)}
        more = {"category": one.category, "idk_score": one.dont_know_score, "ridiculous": list(one.ridiculous)}
        found[key_of(wording(one))] = {name: value for name, value in (row | more).items() if value}
    return found
