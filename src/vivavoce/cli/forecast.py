"""What questions to candidates that may answer differently each time will take, printed before any is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from vivavoce.cli.asking import Asking, price_in_words
from vivavoce.formats.wording import count

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from vivavoce.certificate.comparison.config import ComparisonConfig
    from vivavoce.certificate.forecast import Forecast
    from vivavoce.interview.candidate import Candidate, Prompt, Reply

DECLARE: Final = "viva: if a candidate always answers the same, declare it: 'NAME?deterministic=yes'"


def say_forecast(
    candidates: Sequence[Candidate[Prompt, Reply]], scope: Any, asking: Asking, forecast: Callable[[], Forecast]
) -> None:
    """Print questions, cost and the chance of a verdict, unless all candidates answer the same each time, or with '--quiet'."""
    from vivavoce.certificate.determinism import may_vary

    if asking.quiet or not any(map(may_vary, candidates)):
        return
    expected = forecast()
    click.echo(f"viva: {expected.words}", err=True)
    click.echo(DECLARE, err=True)
    questions = getattr(scope, "questions", ())[:100]
    tokens = sum(len(scope.prompt(one).text) for one in questions) // (4 * max(1, len(questions)))
    for one in candidates:
        if priced := price_in_words(one, expected.answers, expected.answers * tokens):
            click.echo(f"viva: {count(expected.answers)} answers of {one.name}{priced}", err=True)


def say_comparison(
    candidates: Sequence[Candidate[Prompt, Reply]], scope: Any, asking: Asking, config: ComparisonConfig
) -> None:
    """The same of a comparison, with the design by which a gate reads the same answers."""
    from vivavoce.certificate.determinism import may_vary
    from vivavoce.certificate.forecast import forecast_comparison

    if config.draws is None and scope.population is None:
        return
    size = None if config.draws else scope.population
    say_forecast(candidates, scope, asking, lambda: forecast_comparison(config, len(candidates), size))
    if asking.quiet or len(candidates) != 2 or config.rule != "any" or not any(map(may_vary, candidates)):
        return
    reads = "with the same '--transcript', '--seed', '--delta' and grading it reads these answers and asks nothing new"
    if config.draws is None:
        click.echo(f"viva: '--draws 1' tests the models, as 'viva gate' does: {reads}", err=True)
    else:
        click.echo(f"viva: 'viva gate' draws questions in the same way: {reads}", err=True)
