"""`viva plan`: expected questions and costs of a certificate, with prices from an earlier run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, product
from math import fsum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from vivavoce.certificate.comparison.config import ComparisonPlanConfig
from vivavoce.certificate.config import USUAL_LIMIT, ClaimConfig, PopulationConfig
from vivavoce.cli import options
from vivavoce.cli.endings import needs_extra
from vivavoce.cli.help import command
from vivavoce.cli.inspect_runs import ENDING, is_task, samples_of_task
from vivavoce.cli.names import SCOPE as SCOPE_NAME
from vivavoce.cli.options import config_options
from vivavoce.cli.output import print_json
from vivavoce.cli.plan_compare import plan_document, plan_of_two, planned_draws
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import count
from vivavoce.interview.candidate import Usage

if TYPE_CHECKING:
    from vivavoce.certificate.claims.claim import Criterion
    from vivavoce.certificate.plan import PowerEstimate


AS_CERTIFIED: Final = {"help": "Require this grade, as in 'viva certify'."}
SHOWN_EVENTS = 5
"""Number of lengths shown: with 0, 1, 2, 3, 4 unacceptable answers."""
OF_COMPARISON: Final = ("drop", "discordance", "margin", "size")
OF_CERTIFICATE: Final = (
    "rates", "scope_name", "passing_grade", "unacceptable_limit", "test_length", "strata", "largest_weight", "pilot",
)  # fmt: skip
"""Parameters of a certificate's plan only."""

SCOPE: Final = click.option(
    "--scope", "scope_name", type=SCOPE_NAME, metavar="S", help="Certify this scope; its size limits the questions."
)
PILOT: Final = click.option(
    "--pilot",
    metavar="WHERE",
    help="Take the price from an earlier run: a transcript or an Inspect log (.eval).",
)


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
@click.option(
    "--questions",
    type=options.WholeNumber(1, 10_000_000),
    metavar="N",
    default=10_000,
    show_default=True,
    help="Ask at most N.",
)
@click.option("--strata", metavar="P,P,...", help="Assume strata with these shares, as in 'viva certify --strata'.")
@click.option(
    "--largest-weight",
    type=options.multiple,
    metavar="W",
    help="Assume weights up to this, relative to an even draw.",
)
@click.option("--price", type=options.amount, metavar="X", help="Assume this price for one question and its answer.")
@SCOPE
@PILOT
@config_options(PopulationConfig, only=("draws",), draws=AS_CERTIFIED)
@click.option(
    "--simulations",
    "runs",
    type=options.WholeNumber(1, 1_000_000),
    metavar="N",
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
    as_json: bool,
    **given: Any,
) -> None:
    """Estimate how many questions a verdict takes, how likely each verdict is, and the cost.

    \b
    viva plan --score 0.9
    viva plan --score 0.8 --score 0.9 --unacceptable 0 --unacceptable 0.0005 --price 0.002
    viva plan --test-length 100
    viva plan --strata 0.5,0.3,0.15,0.05
    viva plan --score 0.8 --draws 5 --price 0.002
    viva plan --score 0.8 --scope inspect-task:agent.py@tickets --pilot logs/first.eval
    viva plan --paper
    viva plan --compare --drop 0.05 --score 0.88 --discordance 0.1 --size 1319 --questions 500

    Answers are assumed right or wrong; partial credit takes fewer questions. '--compare' estimates the chance to find that
    a new candidate is worse (or better), for one share or a range of shares of discordant questions, which only one of the
    two answers right.
    """
    if paper:
        _print_paper(as_json=as_json)
        return
    _check_options(context, compare=compare)
    if compare:
        plan_of_two(_of_two(context, scores, given), as_json=as_json, draws=given["draws"])
        return
    from vivavoce.certificate.attempts.attempt import delta_of
    from vivavoce.certificate.claims.claim import Criterion
    from vivavoce.certificate.plan import estimate_power
    from vivavoce.statistics.planning import limit_from_test_length, rate_boundary

    delta, limit = given["delta"], given["unacceptable_limit"]
    if test_length is not None:
        limit = limit_from_test_length(test_length, delta)
    criterion = Criterion(given["passing_grade"], limit, delta_of(delta, 1))
    designs = _designs(criterion, given["strata"], given["largest_weight"])
    boundary = [] if limit is None else list(islice(rate_boundary(limit, criterion.delta), SHOWN_EVENTS))
    draws = given["draws"]
    pilot, size = _known(given)
    each = given["price"] if pilot is None else pilot.money.value
    asked = {name: given[name] for name in ("questions", "runs", "seed")} | {"price": (each or 0.0) * (draws or 1)}
    if size is not None and draws is None:  # with draws, questions come again
        asked["questions"] = min(given["questions"], size)
    estimates = [estimate_power(criterion, score=score, unacceptable=rate, **asked) for score, rate in product(scores, rates)]
    if as_json:
        known: dict[str, Any] = {} if size is None else {"scope_size": size}
        known |= {} if pilot is None else {"pilot": pilot}
        figures = _figures(criterion, delta, boundary, estimates, designs, draws, known)
        print_json(plan_document("plan", figures, [each.median for each in estimates], given["seed"], given["runs"]))
    else:
        _print(criterion, delta, boundary, estimates, draws)
        _print_known(pilot, size, estimates, draws or 1)
        _print_designs(designs, given["questions"])


PAPER_LEGEND: Final = (
    "L(m, n, d), U(m, n, d): lower and upper bound of a mean m of n answers, each wrong at most d of the time."
)
PAPER_HOEFFDING: Final = "Tables 3 and 4 follow the paper: its Hoeffding bounds lack a 2 under the root, so they are too wide."


def _print_paper(*, as_json: bool) -> None:
    """Print Tables 1-4 of `leytonbrown2024`."""
    from rich.console import Console

    from vivavoce.certificate.published import published_tables
    from vivavoce.interview.scope import Signature
    from vivavoce.render.terminal import table
    from vivavoce.report.reported import document
    from vivavoce.version import __version__

    tables = published_tables()
    if as_json:
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


def _known(given: dict[str, Any]) -> tuple[Pilot | None, int | None]:
    """The pilot's costs, and the size of the scope."""
    if given["pilot"] is None:
        return None, size_of(given["scope_name"])
    if given["price"] is not None:
        raise click.UsageError("'--pilot' gives the price of a question: leave out '--price'.")
    return opened_pilot(given["pilot"], given["scope_name"]), size_of(given["scope_name"])


def _print_known(pilot: Pilot | None, size: int | None, estimates: Sequence[PowerEstimate], draws: int) -> None:
    """Print the size of the scope and the expected cost."""

    if size is not None:
        click.echo(
            f"\nThe scope has {count(size)} questions. Drawn without replacement, they decide a little earlier than shown."
        )
    if pilot is not None:
        click.echo(f"\n{pilot.sentence}")
        for estimate in estimates:
            tokens = count(round(estimate.mean * draws * (pilot.tokens.value or 0.0)))
            click.echo(f"At a score of {estimate.score:g} that is {tokens} tokens for the mean number of questions.")


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


def _designs(criterion: Criterion, strata: str | None, largest_weight: float | None) -> dict[str, int]:
    """The number of answers without an unacceptable one that each design needs."""
    from vivavoce.statistics.planning import rate_boundary
    from vivavoce.statistics.stratified import clean_answers_in_strata

    if criterion.unacceptable_limit is None and (strata or largest_weight):
        raise click.UsageError("'--strata' and '--largest-weight' need a limit on unacceptable answers: set one.")
    designs: dict[str, int] = {}
    if criterion.unacceptable_limit is not None and strata:
        try:
            masses = [float(mass) for mass in strata.split(",")]
        except ValueError as error:
            raise click.UsageError(
                f"'--strata {strata[:80]}': give numbers separated by commas, such as 0.5,0.3,0.2."
            ) from error
        designs["strata"] = clean_answers_in_strata(criterion.unacceptable_limit, criterion.delta, masses)
    if criterion.unacceptable_limit is not None and largest_weight:
        designs["largest_weight"] = next(rate_boundary(criterion.unacceptable_limit / largest_weight, criterion.delta))
    return designs


def _print_designs(designs: dict[str, int], questions: int) -> None:

    words = {"strata": "With these strata, asked in proportion", "largest_weight": "With these weights, drawn evenly"}
    for design, clean in designs.items():
        click.echo(
            f"\n{words[design]}: {count(clean)} answers without an unacceptable one show that unacceptable answers are "
            "rare enough."
        )
        if clean > questions:
            click.echo(f"No pass is possible within {count(questions)} questions then.")


def _figures(
    criterion: Criterion,
    delta: float,
    boundary: Sequence[int],
    estimates: Sequence[PowerEstimate],
    designs: dict[str, int],
    draws: int | None,
    known: dict[str, Any],
) -> dict[str, Any]:
    rows = [
        {
            "score": estimate.score,
            "unacceptable": estimate.unacceptable,
            "chances": {
                verdict.value: {"chance": chance.value, "lower": chance.interval.lower, "upper": chance.interval.upper}
                for verdict, chance in estimate.chances.items()
            },
            "questions": {"median": estimate.median, "p90": estimate.p90, "mean": estimate.mean},
            **({} if draws is None else {"answers": answers_of(estimate, draws)}),
            "money": estimate.money,
        }
        for estimate in estimates
    ]
    values: dict[str, Any] = known | ({} if draws is None else {"draws": draws})
    return (
        values
        | {
            "passing_grade": criterion.passing_grade,
            "unacceptable_limit": criterion.unacceptable_limit,
            "delta": delta,
            "attempt_delta": criterion.delta,
            "questions_with_unacceptable_answers": list(boundary),
            "forecasts": rows,
        }
        | {f"clean_answers_with_{design}": clean for design, clean in designs.items()}
    )


def answers_of(estimate: PowerEstimate, draws: int) -> dict[str, float]:
    """Expected answers, with several per question."""
    return {"median": estimate.median * draws, "p90": estimate.p90 * draws, "mean": estimate.mean * draws}


def _print(
    criterion: Criterion, delta: float, boundary: Sequence[int], estimates: Sequence[PowerEstimate], draws: int | None
) -> None:
    from rich.console import Console

    from vivavoce.certificate.claims.claim import Verdict
    from vivavoce.formats.wording import count, score, share
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


@dataclass(frozen=True, slots=True)
class Pilot:
    """Cost of a question in an earlier run, with 95% intervals for the mean."""

    where: str
    tokens: Estimate
    money: Estimate

    @property
    def sentence(self) -> str:
        """The same in words."""

        low, high = (round(end) for end in (self.tokens.interval.lower, self.tokens.interval.upper))
        words = f"A question took {count(round(self.tokens.value or 0))} tokens [{count(max(0, low))}, {count(high)}]"
        if self.money.value:
            ends = self.money.interval
            words += f" and {self.money.value:.4g} of money [{max(0.0, ends.lower):.3g}, {ends.upper:.3g}]"
        return f"{words} on average in {self.where} ({count(self.tokens.n)} questions, 95% intervals)."


def size_of(scope_name: str | None) -> int | None:
    """Number of questions of the scope; None if endless or not given. Raises as `open_scope`."""
    from vivavoce.scopes import open_scope

    if scope_name is None:
        return None
    return samples_of_task(scope_name) if is_task(scope_name) else open_scope(scope_name).population


def opened_pilot(where: str, scope_name: str | None) -> Pilot:
    """Read the costs of an earlier run. Raises `NotEnoughEvidence` for fewer than three questions, and `BadFile`."""
    from vivavoce.errors import NotEnoughEvidence

    used = _of_log(Path(where)) if where.lower().endswith(ENDING) else _of_transcript(where, scope_name)
    name = where if "://" not in where else "the transcript"
    if len(used) < LEAST:
        raise NotEnoughEvidence(
            f"{name[:200]}: {len(used)} questions of the scope are too few to estimate a price: at least {LEAST} are needed"
        )
    return Pilot(
        name.rpartition("/")[2], _mean([float(usage.tokens) for usage in used]), _mean([usage.money for usage in used])
    )


LEAST: Final = 3
"""Questions of a pilot."""


def _mean(values: Sequence[float]) -> Estimate:
    from vivavoce.statistics.clustered import mean_interval

    bounds = mean_interval(values, [()] * len(values))
    return Estimate(fsum(values) / len(values), Interval(bounds.lower, bounds.upper), len(values))


def _of_log(log: Path) -> list[Usage]:
    with needs_extra("models", "inspect_ai"):
        from vivavoce.plugins.inspect_plugin.task_scope.logs import costs_of
    return costs_of(log)


def _of_transcript(where: str, scope_name: str | None) -> list[Usage]:
    """The cost of each question; follow-up turns are spread evenly."""
    from vivavoce.certificate.claims.claim import answers_topic
    from vivavoce.interview.question_runner import FURTHER_TURN
    from vivavoce.interview.transcript import Transcript

    if scope_name is None:
        raise click.UsageError("'--pilot' with a transcript needs '--scope SCOPE', whose questions were asked there.")
    with Transcript.open(where, must_exist=True, verified=False) as record:
        records = list(record.records(topic=answers_topic(scope_name)))
    used = [(entry.topic, Usage(entry.tokens_in, entry.tokens_out, entry.money)) for entry in records]
    turns = sum((usage for topic, usage in used if topic.endswith(FURTHER_TURN)), Usage())
    first = [usage for topic, usage in used if not topic.endswith(FURTHER_TURN)]
    if not turns.tokens:
        return first
    each = Usage(turns.tokens_in // len(first), turns.tokens_out // len(first), turns.money / len(first))
    return [usage + each for usage in first]
