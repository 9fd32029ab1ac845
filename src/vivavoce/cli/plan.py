"""`viva plan`: expected questions and costs of a certificate, or of a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, product
from math import inf, isfinite
from typing import TYPE_CHECKING, Any, Final

import click

from vivavoce.certificate.comparison.config import ComparisonPlanConfig
from vivavoce.certificate.config import USUAL_LIMIT, ClaimConfig, PopulationConfig
from vivavoce.cli import options
from vivavoce.cli.help import command
from vivavoce.cli.options import config_options, wants_json
from vivavoce.cli.output import print_json
from vivavoce.formats.wording import count, percent, percent_interval, score, share
from vivavoce.version import __version__

if TYPE_CHECKING:
    from vivavoce.certificate.claims.claim import Criterion
    from vivavoce.certificate.comparison.plan import ComparisonPlan, ComparisonPower
    from vivavoce.certificate.plan import PowerEstimate
    from vivavoce.formats.interval import Estimate


AS_CERTIFIED: Final = {"help": "Require this grade, as in 'viva certify'."}
SHOWN_EVENTS = 5
"""Number of lengths shown: with 0, 1, 2, 3, 4 unacceptable answers."""
OF_COMPARISON: Final = ("drop", "discordance", "margin", "size")
OF_CERTIFICATE: Final = (
    "rates", "passing_grade", "unacceptable_limit", "test_length",
)  # fmt: skip
"""Parameters of a certificate's plan only."""


@command()
@click.option("--compare", is_flag=True, help="Plan a comparison with a baseline ('viva compare'), not a certificate.")
@click.option(
    "--score",
    "scores",
    type=options.portion,
    metavar="X",
    multiple=True,
    default=(0.75, 0.8, 0.9, 0.95),
    show_default=True,
    help="Assume this mean score; with --compare, of the baseline. Repeatable.",
)
@click.option(
    "--unacceptable",
    "rates",
    type=options.portion,
    metavar="X",
    multiple=True,
    default=(0.0,),
    show_default=True,
    help="Assume this rate of unacceptable answers. Repeatable.",
)
@config_options(ClaimConfig, only=("passing_grade",), passing_grade=AS_CERTIFIED)
@click.option(
    "--unacceptable-limit",
    type=options.share_or_none,
    metavar="X|none",
    default=USUAL_LIMIT,
    show_default=True,
    help="Require this grade, as in 'viva certify'.",
)
@click.option(
    "--test-length",
    type=options.count,
    metavar="N",
    help="Set the limit at which N answers are likely all acceptable (1 - delta).",
)
@config_options(ClaimConfig, only=("delta",), delta=AS_CERTIFIED)
@click.option("--questions", type=options.WholeNumber(1, 10_000_000), default=10_000, show_default=True, help="Ask at most N.")
@click.option("--price", type=options.amount, metavar="X", help="Assume this price for one question and its answer.")
@config_options(PopulationConfig, only=("draws",), draws=AS_CERTIFIED)
@click.option(
    "--simulations",
    "runs",
    type=options.WholeNumber(1, 1_000_000),
    default=10_000,
    show_default=True,
    help=f"Simulated examinations. With '--compare' {ComparisonPlanConfig().simulations:,} if not given.",
)
@config_options(ComparisonPlanConfig, only=OF_COMPARISON, drop={"type": options.difference}, margin={"type": options.portion})
@click.option("--paper", is_flag=True, help="Print the paper's tables of bounds for a fixed number of answers, recomputed.")
@options.seed("Draw the simulated answers with this seed.")
@options.JSON
@click.pass_context
def plan(
    context: click.Context,
    /,
    paper: bool,
    scores: Sequence[float],
    rates: Sequence[float],
    test_length: int | None,
    compare: bool,
    **given: Any,
) -> None:
    """Estimate how many questions a verdict takes, how likely each verdict is, and the cost.

    \b
    viva plan --score 0.9
    viva plan --score 0.8 --score 0.9 --unacceptable 0 --unacceptable 0.0005 --price 0.002
    viva plan --test-length 100
    viva plan --score 0.8 --draws 5 --price 0.002
    viva plan --paper
    viva plan --compare --drop 0.05 --score 0.88 --discordance 0.1 --size 1319 --questions 500

    Answers are assumed right or wrong; partial credit takes fewer questions. '--compare' estimates the chance to find that
    a new candidate is worse (or better), for one share or a range of shares of discordant questions, which only one of the
    two answers right.
    """
    if paper:
        _print_paper()
        return
    _check_options(context, compare=compare)
    if compare:
        plan_of_two(_of_two(context, scores, given), given["draws"])
        return
    from vivavoce.certificate.attempts.attempt import delta_of
    from vivavoce.certificate.claims.claim import Criterion
    from vivavoce.certificate.plan import estimate_power
    from vivavoce.statistics.confidence_sequences import limit_from_test_length, rate_boundary

    delta, limit = given["delta"], given["unacceptable_limit"]
    if test_length is not None:
        limit = limit_from_test_length(test_length, delta)
    criterion = Criterion(given["passing_grade"], limit, delta_of(delta, 1))
    boundary = [] if limit is None else list(islice(rate_boundary(limit, criterion.delta), SHOWN_EVENTS))
    draws = given["draws"]
    asked = {name: given[name] for name in ("questions", "runs", "seed")} | {"price": (given["price"] or 0.0) * (draws or 1)}
    estimates = [estimate_power(criterion, score=score, unacceptable=rate, **asked) for score, rate in product(scores, rates)]
    if wants_json():
        figures = _figures(criterion, delta, boundary, estimates, draws)
        print_json(plan_document("plan", figures, [each.median for each in estimates], given["seed"], given["runs"]))
    else:
        _print(criterion, delta, boundary, estimates, draws)


PAPER_LEGEND: Final = (
    "L(m, n, d), U(m, n, d): lower and upper bound of a mean m of n answers, each wrong at most d of the time."
)
PAPER_HOEFFDING: Final = "Tables 3 and 4 follow the paper: its Hoeffding bounds lack a 2 under the root, so they are too wide."


def _print_paper() -> None:
    """Print Tables 1-4 of `leytonbrown2024`."""
    from rich.console import Console

    from vivavoce.certificate.plan import published_tables
    from vivavoce.interview.scope import Signature
    from vivavoce.render.terminal import table
    from vivavoce.report.reported import document

    tables = published_tables()
    if wants_json():
        figures = {"tables": [{"title": each.title, "heads": each.heads, "rows": each.rows} for each in tables]}
        signature = Signature(__version__, "paper bounds", "", "", "", 0, {})
        print_json(
            document(
                "paper bounds", statement=PAPER_LEGEND, verdict=None, candidates=(), figures=figures,
                caveats=(PAPER_HOEFFDING,), signature=signature,
            )
        )  # fmt: skip
        return
    for each in tables:
        click.echo(f"Table {each.title}")
        Console().print(table(each.heads, each.cells, numbers=True))
    click.echo(PAPER_LEGEND)
    click.echo(PAPER_HOEFFDING)


def _check_options(context: click.Context, *, compare: bool) -> None:
    """Refuse options of the other plan."""
    others = OF_CERTIFICATE if compare else OF_COMPARISON
    given = [option for option in context.command.params if option.name in others and _is_given(context, option.name)]
    if given:
        kind = "is for a certificate's plan: leave out this option or '--compare'" if compare else "needs '--compare'"
        raise click.UsageError(f"'{max(given[0].opts, key=len)}' {kind}.")


def _is_given(context: click.Context, name: str) -> bool:
    return context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT


def _of_two(context: click.Context, scores: Sequence[float], given: dict[str, Any]) -> ComparisonPlanConfig:
    """The assumptions about two candidates."""
    if not _is_given(context, "scores") or len(scores) != 1:
        raise click.UsageError("'--compare' needs one '--score': the mean score of the baseline.")
    draws = given["draws"] or 1
    if given["draws"] is not None and given["size"] is not None:
        raise click.UsageError("'--draws' draws questions with replacement, without end: leave out '--size'.")
    usual = {} if _is_given(context, "runs") else {"simulations": ComparisonPlanConfig().simulations}
    values = {"score": scores[0], "price": (given["price"] or 0.0) * draws, "simulations": given["runs"]} | usual
    return ComparisonPlanConfig(**values, **{name: given[name] for name in ("delta", "questions", "seed", *OF_COMPARISON)})


def _figures(
    criterion: Criterion,
    delta: float,
    boundary: Sequence[int],
    estimates: Sequence[PowerEstimate],
    draws: int | None,
) -> dict[str, Any]:
    rows = [
        {
            "score": estimate.score,
            "unacceptable": estimate.unacceptable,
            "chances": {verdict.value: _chance(chance) for verdict, chance in estimate.chances.items()},
            "questions": {"median": estimate.median, "p90": estimate.p90, "mean": estimate.mean},
            **({} if draws is None else {"answers": answers_of(estimate, draws)}),
            "money": estimate.money,
        }
        for estimate in estimates
    ]
    return {
        **({} if draws is None else {"draws": draws}),
        "passing_grade": criterion.passing_grade,
        "unacceptable_limit": criterion.unacceptable_limit,
        "delta": delta,
        "attempt_delta": criterion.delta,
        "questions_with_unacceptable_answers": list(boundary),
        "forecasts": rows,
    }


def answers_of(estimate: PowerEstimate, draws: int) -> dict[str, float]:
    """Expected answers, with several per question."""
    return {"median": estimate.median * draws, "p90": estimate.p90 * draws, "mean": estimate.mean * draws}


def _print(
    criterion: Criterion, delta: float, boundary: Sequence[int], estimates: Sequence[PowerEstimate], draws: int | None
) -> None:
    from rich.console import Console

    from vivavoce.certificate.claims.claim import Verdict
    from vivavoce.render.terminal import table

    console = Console(highlight=False)
    limit = "not limited" if criterion.unacceptable_limit is None else f"at most {share(criterion.unacceptable_limit)}"
    console.print(
        f"Understanding: a mean score of at least {score(criterion.passing_grade)}, unacceptable answers {limit}; "
        f"a wrong verdict at most {share(delta)} of the time over all attempts ({criterion.delta * 100:.3g}% in the first).",
        soft_wrap=True,
    )
    if boundary:
        lengths = ", ".join(f"{count(n)} with {events}" for events, n in enumerate(boundary))
        console.print(f"To show that unacceptable answers are rare enough: {lengths} among them, and so on.", soft_wrap=True)
    priced = any(estimate.money for estimate in estimates)
    heads = ["score", "unacceptable", "pass", "fail", "undecided", "median", "9 of 10", "mean"]
    heads += ([] if draws is None else ["answers"]) + (["money"] if priced else [])
    rows = []
    for estimate in estimates:
        chances = [share(estimate.chances[verdict].value or 0.0) for verdict in Verdict]
        numbers = [count(estimate.median), count(estimate.p90), count(round(estimate.mean))]
        numbers += [] if draws is None else [count(round(estimate.mean * draws))]
        money = [f"{estimate.money:.2f}"] if priced else []
        rows.append((score(estimate.score), share(estimate.unacceptable), *chances, *numbers, *money))
    console.print()
    console.print(table(heads, rows, numbers=True))
    console.print(
        "\nChance of each verdict; questions until the end: median, enough in 9 of 10 examinations, mean.", soft_wrap=True
    )
    if draws is not None:
        console.print(planned_draws(draws), soft_wrap=True)


def planned_draws(draws: int, candidates: str = "") -> str:
    """The assumption of a plan with several answers per question.

    candidates: a phrase for the number of answers per candidate.

    >>> planned_draws(5)[:66]
    "Each question is answered 5 times: 'answers' are 5 times the mean "
    """

    number = count(draws)
    return (
        f"Each question is answered {number} time{'' if draws == 1 else 's'}: 'answers' are {number} times the mean number of "
        f"questions{candidates}. The plan assumes that all answers to a question are alike, the worst case for a mean score. "
        "For '--set draws-claim=all-right', the score is the assumed chance that all are right."
    )


def plan_document(kind: str, figures: dict[str, Any], medians: Sequence[float], seed: int, simulations: int) -> dict[str, Any]:
    """The JSON document of a plan. medians: of questions until the verdict; infinite: it is not reached."""
    from vivavoce.interview.scope import Signature
    from vivavoce.report.reported import document

    numbers = [round(median) for median in medians if isfinite(median)]
    ends = dict.fromkeys(map(count, (min(numbers), max(numbers)))) if numbers else {}
    return document(
        kind,
        statement=f"A verdict takes {' to '.join(ends)} questions (median)."
        if ends
        else "No verdict is likely within these questions.",
        verdict=None,
        candidates=(),
        figures=figures,
        caveats=("Simulated: answers are assumed right or wrong, with the chances that you gave.",),
        signature=Signature(__version__, kind, "", "", "", seed, {"simulations": simulations}),
    )


def plan_of_two(config: ComparisonPlanConfig, draws: int | None) -> None:
    """Print the plan; `draws`: answers per question, if several."""
    from vivavoce.certificate.comparison.plan import plan_comparison

    plan = plan_comparison(config)
    if wants_json():
        figures, medians = _values(plan, draws), [inf if row.median.value is None else row.median.value for row in plan.rows]
        print_json(plan_document("comparison-plan", figures, medians, config.seed, config.simulations))
    else:
        _print_comparison(plan, draws)


def _values(plan: ComparisonPlan, draws: int | None) -> dict[str, Any]:
    config = plan.config
    return ({} if draws is None else {"draws": draws}) | {
        "goal": plan.goal,
        "drop": config.drop,
        "score": config.score,
        "discordances": list(config.discordances),
        "margin": config.margin,
        "delta": config.delta,
        "attempt_delta": plan.delta,
        "questions": config.questions,
        "size": config.size,
        "least_questions": plan.least,
        "exact_at_the_end": plan.whole,
        "wrong_verdicts": list(plan.wrong_verdicts),
        "forecasts": [_row(row, draws) for row in plan.rows],
    }


def _row(row: ComparisonPower, draws: int | None) -> dict[str, Any]:
    return {
        "discordance": row.answers.discordance,
        "drop": row.answers.drop,
        "only_baseline_right": row.answers.lost,
        "only_new_right": row.answers.won,
        "power": _chance(row.power),
        "power_before_all_are_asked": _chance(row.early),
        "wrong": _chance(row.wrong),
        "chances": {verdict: _chance(estimate) for verdict, estimate in row.chances.items()},
        "questions": {"median": _quantile(row.median), "p90": _quantile(row.p90), "mean": row.mean},
        **({} if draws is None else {"answers": {"mean": row.mean * draws}}),
        "money": row.money,
    }


def _chance(estimate: Estimate) -> dict[str, float | None]:
    return {"chance": estimate.value, "lower": estimate.interval.lower, "upper": estimate.interval.upper}


def _quantile(estimate: Estimate) -> dict[str, float | None]:
    """Null if too few runs reach it."""
    ends = {"value": estimate.value, "lower": estimate.interval.lower, "upper": estimate.interval.upper}
    return {name: value if value is not None and isfinite(value) else None for name, value in ends.items()}


def _print_comparison(plan: ComparisonPlan, draws: int | None) -> None:
    from rich.console import Console

    from vivavoce.render.terminal import table

    console, priced = Console(highlight=False), plan.config.price > 0
    for sentence in _assumed(plan):
        console.print(sentence, soft_wrap=True, markup=False)
    early = ["early"] if plan.whole else []
    heads = ["discordant", f"'{plan.goal}' found", *early, "wrong", "median", "9 of 10", "mean"]
    heads += ([] if draws is None else ["answers"]) + (["money"] if priced else [])
    rows = []
    for row in plan.rows:
        chances = [
            _share(row.power),
            *(percent(estimate.value or 0.0) for estimate in (row.early, row.wrong)[0 if plan.whole else 1 :]),
        ]
        ends = [_questions(row.median), _questions(row.p90, alone=True), count(round(row.mean))]
        ends += [] if draws is None else [count(round(row.mean * draws))]
        money = [f"{row.money:.2f}"] if priced else []
        rows.append((share(row.answers.discordance), *chances, *ends, *money))
    console.print()
    console.print(table(heads, rows, numbers=True))
    told_early = " Early: before all are asked." if plan.whole else ""
    money_for = "; money for the mean, of both candidates" if priced else ""
    console.print(
        f"\n{count(plan.config.simulations)} simulations, intervals at 95%. Questions for each candidate: median, and enough "
        f"in 9 of 10 comparisons, until '{plan.goal}' is found; mean until the end{money_for}.{told_early}",
        soft_wrap=True,
        markup=False,
    )
    if draws is not None:
        console.print(planned_draws(draws, " to each candidate"), soft_wrap=True, markup=False)


def _assumed(plan: ComparisonPlan) -> list[str]:
    """Sentences on the assumptions, on what can be found, and on which verdict would be wrong."""

    config, answers = plan.config, plan.rows[0].answers
    least, most = (share(end) for end in config.discordances)
    asked, goal = min(config.questions, config.size or config.questions), f"'{plan.goal}'"
    scope = "an endless scope" if config.size is None else f"a scope of {count(config.size)}"
    result = [
        f"A new candidate with a mean score of {score(config.score - config.drop)}, a baseline with {score(config.score)}, "
        f"at most {count(asked)} questions of {scope}. "
        f"From {least} to {most} of the questions can be discordant: one model has them right, the other wrong."
    ]
    if config.size is not None:
        net = abs(round(answers.drop * config.size))
        result.append(f"In whole questions the difference is {count(net)} of {count(config.size)}.")
    if plan.whole:
        result.append(
            "After the last question, the difference on these questions is known exactly, so any difference is found then. "
            "For a claim beyond these questions, leave out '--size'."
        )
    if config.drop and plan.least is None:
        result.append(f"Within {count(asked)} questions, {goal} can't be shown, even if all evidence for it came first.")
    elif plan.least is not None:
        result.append(f"If all evidence for it came first, {count(plan.least)} questions would show {goal}.")
    wrong = [f"'{verdict}'" for verdict in plan.wrong_verdicts]
    names = " or ".join(filter(None, [", ".join(wrong[:-1]), wrong[-1]]))
    result.append(
        f"With a margin of {config.margin:g} a finding of {names} would be wrong: at most {share(config.delta)} of the time "
        f"over all attempts ({plan.delta * 100:.3g}% in the first)."
    )
    return result


def _share(estimate: Estimate) -> str:

    return f"{percent(estimate.value or 0.0)} {percent_interval(estimate.interval)}"


def _questions(estimate: Estimate, *, alone: bool = False) -> str:
    """A quantile with its interval, or alone."""

    if estimate.value is None or not isfinite(estimate.value):
        return "not reached"
    if alone:
        return count(round(estimate.value))
    upper = count(round(estimate.interval.upper)) if isfinite(estimate.interval.upper) else "…"
    return f"{count(round(estimate.value))} [{count(round(estimate.interval.lower))}, {upper}]"
