"""`viva certify`: the certificate room on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.asking import asking_options, taken_from
from vivavoce.cli.certify.explaining import check_explaining, explained, explaining_from, explaining_options
from vivavoce.cli.certify.grading import check_graders, graded, grading_from, grading_options
from vivavoce.cli.certify.order import Many, Order
from vivavoce.cli.endings import GOES_ON, OF_VERDICT, exit_codes
from vivavoce.cli.output import Kept, show
from vivavoce.cli.pages import check_page
from vivavoce.cli.results import RESULTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vivavoce.certificate.finding import Certificate
    from vivavoce.certificate.naming import Naming
    from vivavoce.certificate.strata import Strata
    from vivavoce.certificate.weighing import Weighing
    from vivavoce.cli.certify.explaining import ExplainingOrder
    from vivavoce.cli.certify.grading import GradingOrder


@click.command(epilog=exit_codes("0 understands", "3 does not understand", "4 no conclusion", GOES_ON))
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
@options.output_options
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
    scopes, each, rule, deployed = given.pop("scope"), given.pop("each"), given.pop("rule"), given.pop("deployed")
    grading, explaining = grading_from(given), explaining_from(given)
    order = Order(scope=scopes[0], naming=_naming(given.pop("name"), scopes, given.pop("titles")), **taken_from(given))
    if order.sign is not None and not order.as_json:
        raise click.UsageError("'--sign' signs JSON: give '--json'.")
    if order.asking.head is not None and order.asking.transcript is None:
        raise click.UsageError("'--head' belongs to a transcript: give '--transcript'.")
    if grading and (len(scopes) > 1 or each):
        raise click.UsageError("graders ('--judge', '--grades', '--sheet', '--queue') are for one scope: give one '--scope'.")
    if explaining:
        check_explaining(order, others=bool(grading or len(scopes) > 1 or each))
    if deployed:
        from vivavoce.cli.certify.deployed import certify_deployed

        if grading or explaining or len(scopes) > 1 or each:
            raise click.UsageError("'--deployed' is for one scope that its own rule grades: leave out the other options.")
        context.exit(certify_deployed(order))
    if len(scopes) > 1 or each:
        from vivavoce.cli.certify.many import certify_many

        context.exit(certify_many(order, Many(scopes, bool(each), rule or "fdr")))
    _check(order)
    certificate, kept = _examine(order, grading, explaining)
    place = "vivavoce.render.terminals.certificate.terminal:print_certificate"
    show(order.naming.of(certificate), place, as_json=order.as_json, html=order.html, kept=kept, key=order.sign)
    context.exit(OF_VERDICT[certificate.verdict])


def _naming(name: str | None, scopes: Sequence[str], titles: Sequence[str]) -> Naming:
    from vivavoce.certificate.naming import Naming

    return Naming(name or "", options.titled(scopes, titles))


def _check(order: Order) -> None:
    """Refuse now what would otherwise fail after all questions have been paid for."""
    if order.procedure == "fixed" and order.questions is None:
        raise click.UsageError("'--procedure fixed' needs '--questions N': the number is chosen before anything is asked.")
    if order.procedure == "fixed" and (order.strata or order.evenly):
        raise click.UsageError("'--strata' and '--importance-weighting' need '--procedure sequential'.")
    order.endurance.check(order.procedure, order.questions)
    if order.strata and order.evenly:
        raise click.UsageError("'--strata' draws by weight within each category: leave out '--importance-weighting'.")
    check_page(order.html)


def _examine(order: Order, grading: GradingOrder | None, explaining: ExplainingOrder | None) -> tuple[Certificate, Kept | None]:
    """The certificate, and what to remember of the transcript; None for one in memory."""
    from vivavoce.candidates import open_candidate
    from vivavoce.certificate.examine import certify
    from vivavoce.certificate.scopes import open_scope

    scope = open_scope(order.scope, zero_is_ridiculous=order.zero_is_ridiculous)
    check_graders(order, grading, scope)
    if explaining:
        return explained(order, explaining, scope)
    design = _design(order, scope)
    candidate = open_candidate(order.candidate)
    if grading:
        return graded(order, grading, candidate, scope, design)
    return order.asking.examined(
        candidate,
        lambda interview: certify(
            interview,
            scope,
            order.criterion(interview, [scope]),
            seed=order.seed,
            procedure=order.procedure,
            questions=order.questions,
            design=design,
            unreadable=order.unreadable,
            again=order.again,
            endurance=order.endurance,
        ),
        expected=_expected(order, scope),
    )


def _design(order: Order, scope: Any) -> Strata | Weighing | None:
    """How questions are drawn if not as the scope draws them; says beforehand what weights will cost."""
    from vivavoce.certificate.strata import strata_of
    from vivavoce.certificate.weighing import weighing_of

    if order.strata:
        return strata_of(scope)
    if not order.evenly:
        return None
    weighing = weighing_of(scope)
    for sentence in () if order.asking.quiet else weighing.outlook(order.first_criterion(scope), order.questions):
        click.echo(sentence, err=True)
    return weighing


def _expected(order: Order, scope: Any) -> int | None:
    """About how many questions there will be, if nothing is ridiculous; for the progress line alone."""
    from itertools import islice

    from vivavoce.statistics.planning import rate_boundary

    first, population = order.first_criterion(scope), scope.population
    limit = first.ridiculous_limit if order.procedure == "sequential" else None
    clean = () if limit is None else islice(rate_boundary(limit, first.delta), 1)
    expected = min((n for n in (order.questions, population, *clean) if n is not None), default=None)
    least = min(n for n in (order.at_least or 0, population) if n is not None)
    return None if expected is None else max(expected, least)
