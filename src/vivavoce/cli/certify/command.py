"""`viva certify`: the certificate room on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from vivavoce.cli import options
from vivavoce.cli.asking import asking_options, taken_from
from vivavoce.cli.certify.explaining import explained_by, explaining_from, explaining_options
from vivavoce.cli.certify.graded import graded
from vivavoce.cli.certify.grading import check_graders, grading_from, grading_options
from vivavoce.cli.certify.order import Chosen, Order, verdicts_of
from vivavoce.cli.endings import GOES_ON, exit_codes, worst
from vivavoce.cli.headed import HeadedCommand
from vivavoce.cli.output import Kept, show
from vivavoce.cli.pages import check_page
from vivavoce.cli.results import RESULTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vivavoce.certificate.course import Finding
    from vivavoce.certificate.naming import Naming
    from vivavoce.interview.candidate import Prompt, Reply
    from vivavoce.interview.interview import Interview

HEADS: Final = {
    "Population: which questions, and how they are drawn": (
        "--scope", "--split-by", "--strata", "--importance-weighting", "--deployed", "--seed",
    ),
    "Grading: who says what an answer is worth": (
        "--zero-is-ridiculous", "--unreadable", "--judge", "--rubric", "--judge-samples", "--grades", "--sheet", "--batch",
        "--queue", "--poll", "--explanations", "--explain-again", "--explanation-file", "--checks", "--programs-cpu",
    ),
    "Claim: what is shown, and how surely": (
        "--passing-grade", "--ridiculous-limit", "--delta", "--correction", "--procedure",
    ),
    "Predictions: what is known of a grade before people give it": ("--judge-only",),
    "Asking": (
        "--questions", "--min-questions", "--over-hours", "--transcript", "--new-attempt", "--head", "--concurrency",
        "--tokens", "--budget", "--timeout", "--max-tries", "--reply-format", "--temperature", "--strict-faults",
    ),
    "Output": ("--name", "--title", "--results", "--json", "--html", "--junit", "--sign", "--quiet", "--help"),
}  # fmt: skip
"""The options in the four parts of a certificate, and what is about asking and output."""


@click.command(
    cls=HeadedCommand, heads=HEADS, epilog=exit_codes("0 understands", "3 does not understand", "4 no conclusion", GOES_ON)
)
@click.argument("candidate")
@click.option(
    "--scope", required=True, multiple=True, metavar="S", help="Scope to certify; 'viva scopes' lists them. Repeatable."
)
@options.NAME
@options.TITLE
@click.option(
    "--split-by", "each", type=click.Choice(["category"]), help="Each category of a file's questions as a scope of its own."
)
@click.option(
    "--correction",
    "rule",
    type=click.Choice(["fdr", "fwer"]),
    help="Of many scopes, what delta bounds: the share of wrong verdicts (fdr, the default), or the chance of any (fwer).",
)
@click.option("--passing-grade", type=options.share, metavar="X", default=0.7, show_default=True, help="Required mean score.")
@options.RIDICULOUS_LIMIT
@click.option(
    "--delta",
    type=options.share,
    metavar="X",
    default=0.05,
    show_default=True,
    help="Bound on the chance of a wrong verdict, over all attempts.",
)
@click.option(
    "--procedure",
    type=click.Choice(["sequential", "fixed"]),
    default="sequential",
    show_default=True,
    help="Look after every answer and stop at the verdict, or ask --questions and look once.",
)
@click.option("--questions", type=options.count, metavar="N", help="Ask at most N; with 'fixed', exactly N.")
@click.option(
    "--min-questions",
    "at_least",
    type=options.count,
    metavar="N",
    help="No verdict 'understands' before N questions, for candidates that may tire; all of a shorter scope is enough.",
)
@click.option(
    "--over-hours",
    "spread",
    type=options.amount,
    metavar="HOURS",
    help="Ask these N (of '--min-questions', or of 'fixed') at random times over so many hours; further ones at the same rate.",
)
@options.DRAWN_SEED
@click.option(
    "--strata",
    type=click.Choice(["category"]),
    help="Stratify: ask the categories of the scope in proportion to their share, and report each.",
)
@click.option(
    "--importance-weighting",
    "evenly",
    is_flag=True,
    help="Draw the questions of a file evenly, each once, and count their answers by weight (importance weighting).",
)
@click.option(
    "--deployed",
    is_flag=True,
    help="Give a second verdict, on the scope as people will use it, by the weights of its questions.",
)
@click.option("--zero-is-ridiculous", is_flag=True, help="Count every score of 0 as ridiculous, as the paper does.")
@click.option(
    "--unreadable",
    type=click.Choice(["interval", "wrong"]),
    default="interval",
    show_default=True,
    help="A reply that cannot be read may be worth anything, so that no verdict rests on it; or it counts as wrong.",
)
@options.AGAIN
@options.HEAD
@options.SIGN
@explaining_options
@grading_options
@RESULTS
@asking_options
@options.verdict_options
@click.pass_context
def certify(context: click.Context, /, **given: Any) -> None:
    """Find out whether CANDIDATE understands a scope, with a bound on the chance of a wrong verdict.

    \b
    viva certify bot:timekeeper --scope intervals
    viva certify bot:calculator?wrong=0.1 --scope arithmetic --html page.html
    viva certify bot:calculator --scope arithmetic --strata category
    viva certify 'bot:calculator?explains=multiplication' --scope arithmetic --explanations 1
    viva certify chat:llama3.2@http://localhost:11434/v1 --scope arithmetic --transcript run.sqlite
    viva certify bot:calculator --scope 'arithmetic?operations=+' --scope 'arithmetic?operations=/'
    viva certify bot:eliza --scope file:essays.jsonl --judge chat:llama3.2@http://localhost:11434/v1 --rubric rubric.txt
    viva certify bot:calculator --scope file:used.jsonl --deployed
    viva certify bot:eliza --scope mmlu-pro:questions.jsonl.gz --split-by category --correction fwer

    Of many scopes exit code 0 says that all are understood, 3 that at least one is not, 4 neither.
    """
    chosen = Chosen(given.pop("scope"), bool(given.pop("each")), given.pop("rule") or "fdr", given.pop("deployed"))
    grading, explaining = grading_from(given), explaining_from(given)
    naming = _naming(given.pop("name"), chosen.names, given.pop("titles"))
    order = Order(chosen=chosen, naming=naming, grading=grading, explaining=explaining, **taken_from(given))
    _check(order)
    finding, kept = _examine(order)
    show(order.naming.of(finding), as_json=order.as_json, html=order.html, kept=kept, key=order.sign)
    context.exit(worst(verdicts_of(finding)))


def _naming(name: str | None, scopes: Sequence[str], titles: Sequence[str]) -> Naming:
    from vivavoce.certificate.naming import Naming

    return Naming(name or "", options.titled(scopes, titles))


def _check(order: Order) -> None:
    """Refuse now what would otherwise fail after all questions have been paid for."""
    from vivavoce.certificate.features import refusal

    if order.sign is not None and not order.as_json:
        raise click.UsageError("'--sign' signs JSON: give '--json'.")
    if order.asking.head is not None and order.asking.transcript is None:
        raise click.UsageError("'--head' belongs to a transcript: give '--transcript'.")
    if order.grading and order.explaining:
        raise click.UsageError("explanations are graded by the scope's own rule: leave them out, or '--judge' and the like.")
    if order.strata and order.evenly:
        raise click.UsageError("'--strata' draws by weight within each category: leave out '--importance-weighting'.")
    if order.chosen.deployed and (order.strata or order.evenly):
        raise click.UsageError("'--deployed' draws evenly: leave out other designs.")
    if order.chosen.deployed and order.grading and order.grading.queue is not None:
        raise click.UsageError("'--deployed' waits for no queue: have people grade with '--sheet' and '--grades'.")
    if reason := refusal(order.features):
        raise click.UsageError(f"{reason}.")
    if order.procedure == "fixed" and order.questions is None:
        raise click.UsageError("'--procedure fixed' needs '--questions N': the number is chosen before anything is asked.")
    order.endurance.check(order.procedure, order.questions)
    check_page(order.html)


def _examine(order: Order) -> tuple[Finding, Kept | None]:
    """The finding, and what to remember of the transcript; None for one in memory."""
    from vivavoce.candidates import open_candidate
    from vivavoce.certificate.examine import certify
    from vivavoce.certificate.grading import ByRule
    from vivavoce.certificate.scopes import open_scope
    from vivavoce.certificate.scopes.categories import by_category

    named = [open_scope(name, zero_is_ridiculous=order.zero_is_ridiculous) for name in order.chosen.names]
    opened = by_category(named) if order.chosen.by_category else named
    check_graders(order.grading, opened)
    explaining = None if order.explaining is None else explained_by(order.explaining, order.unreadable)
    _say_the_cost(order, opened[0])
    candidate, asked = open_candidate(order.candidate), opened if order.chosen.several else opened[0]
    if order.grading is not None:
        return graded(order, order.grading, candidate, opened)
    composition = order.composition(explaining or ByRule(order.unreadable))

    async def examine(interview: Interview[Prompt, Reply]) -> Finding:
        criterion = order.criterion(interview, opened)
        found: Finding = await certify(
            interview, asked, criterion, composition, seed=order.seed, questions=order.questions, again=order.again
        )
        return found

    expected = order.questions if order.chosen.several or order.explaining else _expected(order, opened[0])
    return order.asking.examined(candidate, examine, expected=expected, front=("scope",) if order.chosen.several else ())


def _say_the_cost(order: Order, scope: Any) -> None:
    """Say beforehand what weights will cost."""
    from vivavoce.certificate.deployed import deployment_of, of_either
    from vivavoce.certificate.importance_weighting import importance_weighting_of

    if not (order.evenly or order.chosen.deployed) or order.chosen.several:
        return
    first = order.first_criterion(scope)
    if order.chosen.deployed:
        first = of_either(first)
    weighting = deployment_of(scope).weighting if order.chosen.deployed else importance_weighting_of(scope)
    for sentence in () if order.asking.quiet else weighting.cost_estimate(first, order.questions):
        click.echo(sentence, err=True)


def _expected(order: Order, scope: Any) -> int | None:
    """About how many questions there will be, if nothing is ridiculous; for the progress line alone."""
    from itertools import islice

    from vivavoce.statistics.planning import rate_boundary

    size, population = getattr(scope, "size", None), scope.population
    if order.chosen.deployed:
        return min((n for n in (order.questions, size) if n is not None), default=None)
    first = order.first_criterion(scope)
    limit = first.ridiculous_limit if order.procedure == "sequential" else None
    clean = () if limit is None else islice(rate_boundary(limit, first.delta), 1)
    expected = min((n for n in (order.questions, population, *clean) if n is not None), default=None)
    least = min(n for n in (order.at_least or 0, population) if n is not None)
    return None if expected is None else max(expected, least)
