"""`viva consistency make`: tuples of questions for the laws, from base questions or by template."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from vivavoce.cli import options
from vivavoce.cli.asking import Asking, asking_options, on_record, taken_from
from vivavoce.cli.endings import GOES_ON, OF_VERDICT, exit_codes
from vivavoce.cli.output import Kept, head_of, print_json, tell
from vivavoce.cli.pages import check_writable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from vivavoce.consistency.forecasts.making.making import Draft
    from vivavoce.consistency.forecasts.making.series import Way
    from vivavoce.consistency.forecasts.making.summary import Summary
    from vivavoce.consistency.forecasts.tuples import QuestionTuple
    from vivavoce.interview.candidate import Candidate, Prompt, Reply, Usage
    from vivavoce.interview.interview import Interview
    from vivavoce.interview.progress import Progress
    from vivavoce.interview.transcript import Transcript


_FREE = click.IntRange(1, 40)


@dataclass(frozen=True, slots=True)
class Order:
    """What was asked for on the command line."""

    questions: Path | None
    asking: Asking
    law: str | None
    writer: str | None
    checker: str | None
    paraphrases: int
    further: int
    pairs: int | Literal["all"] | None
    limit: int | None
    template: str | None
    values: str | None
    implies: Way
    templates: Path | None
    out: Path
    seed: int
    as_json: bool

    @property
    def laws(self) -> tuple[str, ...]:
        """Each law once, in the order given."""
        return tuple(dict.fromkeys(name.strip() for name in (self.law or "").split(",") if name.strip()))

    @property
    def checked_by(self) -> str:
        """The checker's name: the writer's where none is given, and nobody's where a template writes."""
        return self.checker or (NOBODY if self.writer == BY_TEMPLATE else self.writer or NOBODY)


@click.command(epilog=exit_codes("4 the budget ran out or all was rejected (FILE is written all the same)", GOES_ON))
@click.option("--questions", type=options.FILE, metavar="FILE", help="Base questions: JSON Lines, or one a line.")
@click.option("--law", metavar="LAW,...", help="Which laws; see above.")
@click.option("--writer", metavar="CANDIDATE|template", help="Who proposes the further statements.")
@click.option("--checker", metavar="CANDIDATE|none", help="Who verifies them; by default the writer, in fresh conversations.")
@click.option("--paraphrases", type=_FREE, metavar="N", default=3, show_default=True, help="Of each question (law paraphrase).")
@click.option(
    "--statements",
    "further",
    type=_FREE,
    metavar="N",
    default=3,
    show_default=True,
    help="Statements besides P (exclusive, partition, chain).",
)
@click.option(
    "--pairs", type=options.count_or_all, metavar="N|all", help="How many groups of base questions; by default each leads one."
)
@click.option("--limit", type=options.count, metavar="N", help="Use N base questions, drawn by the seed.")
@click.option("--template", metavar="TEXT", help="A series without a model: a question with {} where the values go.")
@click.option("--values", metavar="X,X,...", help="The values of --template.")
@click.option(
    "--implies",
    type=click.Choice(["lower", "higher"]),
    default="lower",
    show_default=True,
    help="In a chain: 'more than 30' implies the lower, 'by 2030' the higher value.",
)
@click.option("--templates", type=options.FILE, metavar="FILE", help="Many series: JSON Lines with template, values, law.")
@options.seed("Draws base questions.")
@click.option(
    "--out",
    type=options.FILE,
    required=True,
    metavar="FILE",
    help="Write the tuples to this file, as JSON Lines; it is replaced.",
)
@asking_options
@options.JSON
@click.pass_context
def make(context: click.Context, /, **given: Any) -> None:
    """Make tuples of questions whose answers are related by a law.

    \b
    viva consistency make --questions base.jsonl --law neg,paraphrase --writer chat:llama3.2@http://localhost:11434/v1 \\
        --transcript run.sqlite --out tuples.jsonl
    viva consistency make --questions base.txt --law and,cond --writer template --out tuples.jsonl
    viva consistency make --template 'How many people will have walked on the moon by {}?' --values 2030,2040,2050 \\
        --law increasing --out series.jsonl

    \b
    Laws for a writer: neg and or and-or but cond cond-cond expected-evidence bayes consequence paraphrase
    exclusive partition chain; for '--writer template' all of these but consequence, paraphrase and chain;
    for series: increasing and decreasing (quantities), chain (probabilities).

    What fails is kept in FILE with its reason; what nobody checked is 'proposed'. People review with 'viva consistency review'.
    """
    order = Order(**taken_from(given))
    _check_order(order)
    made, summary, kept = _series(order) if order.questions is None else _from_questions(order)
    from vivavoce.consistency.forecasts.tuples import write_tuples

    write_tuples(order.out, made)
    _print(order, summary, kept)
    context.exit(0 if summary.usable else OF_VERDICT["no conclusion"])


def _series(order: Order) -> tuple[list[QuestionTuple], Summary, None]:
    from vivavoce.consistency.forecasts.making.series import Template, read_templates, series, split_values
    from vivavoce.consistency.forecasts.making.summary import SERIES, Summary, tallies

    if order.templates is not None:
        templates = read_templates(order.templates, law=order.law, implies=order.implies)
    else:
        templates = [Template(order.template or "", split_values(order.values or ""), order.law or "", order.implies)]
    made = series(templates)
    summary = Summary(tallies(made), SERIES, NOBODY, order.seed, bodies=False, several=False, exhausted="")
    return made, summary, None


def _from_questions(order: Order) -> tuple[list[QuestionTuple], Summary, Kept | None]:
    from vivavoce.candidates import open_candidate
    from vivavoce.consistency.forecasts.making.making import compose
    from vivavoce.consistency.forecasts.making.questions import read_questions
    from vivavoce.consistency.forecasts.making.summary import Summary, tallies

    assert order.questions is not None
    assert order.writer is not None
    base = read_questions(order.questions)
    drafts = _drafts(order, base)
    writer = None if order.writer == BY_TEMPLATE else open_candidate(order.writer)
    checker = writer if order.checked_by == order.writer else None
    if order.checked_by not in (NOBODY, order.writer):
        checker = open_candidate(order.checked_by)
    begun = compose(drafts) if writer is None else drafts
    (made, exhausted, asked_so), kept = on_record(
        order.asking.transcript,
        lambda transcript, on_progress: _ask(_Desk(order, transcript, on_progress), begun, writer, checker),
        quiet=order.asking.quiet,
    )
    tuples = [draft.as_tuple() for draft in made]
    summary = Summary(
        tallies(tuples),
        order.writer if writer is None else writer.name,
        NOBODY if checker is None else checker.name,
        order.seed,
        bodies=any(question.body for question in base),
        several=any(len(draft.base) > 1 for draft in made),
        exhausted=exhausted,
        asked_so=asked_so,
    )
    return tuples, summary, kept


def _drafts(order: Order, base: Sequence[Any]) -> list[Draft]:
    """What to make: base questions drawn together for each law, by a seed of its own."""
    import numpy as np

    from vivavoce.consistency.forecasts.making.making import drafts
    from vivavoce.consistency.forecasts.making.pairing import groups
    from vivavoce.consistency.forecasts.making.recipes import composed_recipe, written_recipe

    if order.limit is not None and order.limit < len(base):
        drawn = np.random.default_rng(order.seed).permutation(len(base))[: order.limit]
        base = [base[i] for i in sorted(drawn)]
    begun: list[Draft] = []
    for law in order.laws:
        if order.writer == BY_TEMPLATE:
            recipe = composed_recipe(law)
        else:
            recipe = written_recipe(law, paraphrases=order.paraphrases, further=order.further)
        rng = np.random.default_rng([order.seed, *law.encode()])  # whichever other laws are made
        grouped = groups(base, len(recipe.base), pairs=order.pairs, rng=rng, symmetric=recipe.symmetric)
        begun += drafts(recipe, grouped)
    return begun


@dataclass(frozen=True, slots=True)
class _Desk:
    """Where interviews are held."""

    order: Order
    transcript: Transcript
    on_progress: Callable[[Progress], None]

    def interview(self, candidate: Candidate[Prompt, Reply], expected: int, spent: Usage) -> Interview[Prompt, Reply]:
        """An interview within what is left of the budget."""
        return self.order.asking.interview(
            candidate, self.transcript, expected=expected, on_progress=self.on_progress, spent=spent
        )


async def _ask(
    desk: _Desk,
    begun: list[Draft],
    writer: Candidate[Prompt, Reply] | None,
    checker: Candidate[Prompt, Reply] | None,
) -> tuple[list[Draft], str, tuple[str, ...]]:
    """The drafts at their end, which limit of the budget ended the questions, and what to know of how they were asked."""
    from vivavoce.candidates import close_candidate
    from vivavoce.consistency.forecasts.making.making import check, checks_wanted, write
    from vivavoce.interview.candidate import Usage

    made, spent, exhausted = begun, Usage(), ""
    asked_so: dict[str, None] = {}  # one candidate may write and check
    try:
        if writer is not None:
            writing = desk.interview(writer, sum(draft.fault is None for draft in begun), spent)
            made = await write(writing, begun)
            spent, exhausted = writing.spending, writing.exhausted
            asked_so |= dict.fromkeys(writing.caveats)
        if checker is not None:
            checking = desk.interview(checker, checks_wanted(made), spent)
            made = await check(checking, made)
            exhausted = exhausted or checking.exhausted
            asked_so |= dict.fromkeys(checking.caveats)
    finally:
        for candidate in {id(one): one for one in (writer, checker) if one is not None}.values():
            await close_candidate(candidate)
    return made, exhausted, tuple(asked_so)


def _print(order: Order, summary: Summary, kept: Kept | None) -> None:
    if order.as_json:
        print_json({**summary.as_json(), "out": str(order.out), **head_of(kept)})
        return
    from rich.console import Console

    from vivavoce.render.console import print_report, print_statement

    (print_statement if order.asking.quiet else print_report)(summary.report(), Console(highlight=False))
    click.echo(f"Tuples: {order.out}")
    tell(kept)


BY_TEMPLATE, NOBODY = "template", "none"
"""In place of a candidate's name."""


def _check_order(order: Order) -> None:
    """Refuse what does not fit together, and a file that cannot be written."""
    if order.questions is None:
        _check_series(order)
    else:
        _check_questions(order)
    check_writable("--out", order.out)
    for name in ("questions", "templates"):
        source = getattr(order, name)
        if source is not None and order.out.exists() and source.exists() and order.out.samefile(source):
            raise click.UsageError(f"--out {order.out} would replace --{name}: give another name.")


def _check_series(order: Order) -> None:
    if (order.template is None) == (order.templates is None):
        raise click.UsageError("Give --questions FILE, or --template TEXT with --values, or --templates FILE: one of them.")
    if order.writer is not None or order.checker is not None:
        raise click.UsageError("Series need no --writer and no --checker: give --questions FILE for those.")
    if order.template is not None and order.values is None:
        raise click.UsageError("--template needs --values X,X,...: what goes into its gap {}.")
    if order.templates is not None and order.values is not None:
        raise click.UsageError("--values is for --template; with --templates they stand in the file.")
    if order.template is not None and order.law is None:
        raise click.UsageError("--template needs --law: increasing, decreasing or chain.")


def _check_questions(order: Order) -> None:
    if order.template is not None or order.templates is not None or order.values is not None:
        raise click.UsageError("--questions and series do not go together: make two files.")
    if not order.laws:
        raise click.UsageError("--questions needs --law LAW,...: which statements should be made?")
    if order.writer is None:
        raise click.UsageError("--questions needs --writer CANDIDATE, or --writer template to do without a model.")
