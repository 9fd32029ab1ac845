"""`viva plan --compare`: power, expected questions and cost of a comparison."""

from __future__ import annotations

from math import inf, isfinite
from typing import TYPE_CHECKING, Any, Final

from vivavoce.cli.output import print_json
from vivavoce.formats.wording import count, percent, percent_interval, score, share

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vivavoce.certificate.comparison.config import ComparisonPlanConfig
    from vivavoce.certificate.comparison.plan import ComparisonPlan, ComparisonPower
    from vivavoce.formats.interval import Estimate


NO_VERDICT: Final = "No verdict is likely within these questions."


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
    from vivavoce.version import __version__

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


def plan_of_two(config: ComparisonPlanConfig, *, as_json: bool, draws: int | None = None) -> None:
    """Print the plan; `draws`: answers per question, if several."""
    from vivavoce.certificate.comparison.plan import plan_comparison

    plan = plan_comparison(config)
    if as_json:
        figures, medians = _values(plan, draws), [inf if row.median.value is None else row.median.value for row in plan.rows]
        print_json(plan_document("comparison-plan", figures, medians, config.seed, config.simulations))
    else:
        _print(plan, draws)


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


def _print(plan: ComparisonPlan, draws: int | None) -> None:
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
