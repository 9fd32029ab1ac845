"""What a plan knows of a scope, and of an earlier run: how many questions there are, and what one costs."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from vivavoce.cli.logs import ENDING
from vivavoce.cli.tasks import is_task, samples_of_task

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vivavoce.formats.interval import Estimate
    from vivavoce.interview.candidate import Usage

SCOPE: Final = click.option(
    "--scope", "scope_name", metavar="S", help="Scope that is to be certified: no more questions are asked than it has."
)
PILOT: Final = click.option(
    "--pilot",
    metavar="WHERE",
    help="An earlier run on the scope, a transcript or a log of Inspect (.eval): what a question cost there is the price.",
)


@dataclass(frozen=True, slots=True)
class Pilot:
    """What a question cost in an earlier run, with 95% intervals for the mean."""

    where: str
    tokens: Estimate
    money: Estimate

    @property
    def sentence(self) -> str:
        """The same in words."""
        from vivavoce.formats.wording import count

        low, high = (round(end) for end in (self.tokens.interval.lower, self.tokens.interval.upper))
        words = f"A question took {count(round(self.tokens.value or 0))} tokens [{count(max(0, low))}, {count(high)}]"
        if self.money.value:
            ends = self.money.interval
            words += f" and {self.money.value:.4g} of money [{max(0.0, ends.lower):.3g}, {ends.upper:.3g}]"
        return f"{words} on average in {self.where} ({count(self.tokens.n)} questions, 95% intervals)."

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        told = {"tokens": self.tokens, "money": self.money}
        return {"where": self.where, "questions": self.tokens.n} | {
            name: {"value": one.value, "lower": one.interval.lower, "upper": one.interval.upper} for name, one in told.items()
        }


def size_of(scope_name: str | None) -> int | None:
    """How many questions the scope has; None: no end, or no scope. Raises what opening a scope raises."""
    from vivavoce.scopes import open_scope

    if scope_name is None:
        return None
    return samples_of_task(scope_name) if is_task(scope_name) else open_scope(scope_name).population


def opened_pilot(where: str, scope_name: str | None) -> Pilot:
    """What a question cost there. Raises `NotEnoughEvidence` for fewer than three questions, and `BadFile`."""
    from vivavoce.errors import NotEnoughEvidence

    used = _of_log(Path(where)) if where.lower().endswith(ENDING) else _of_transcript(where, scope_name)
    name = where if "://" not in where else "the transcript"
    if len(used) < LEAST:
        raise NotEnoughEvidence(f"{name[:200]}: {len(used)} questions of the scope; what one costs needs at least {LEAST}")
    return Pilot(name.rpartition("/")[2], _mean([float(one.tokens) for one in used]), _mean([one.money for one in used]))


LEAST: Final = 3
"""Questions of a pilot."""


def _mean(values: Sequence[float]) -> Estimate:
    from vivavoce.formats.interval import Estimate, Interval
    from vivavoce.statistics.clustered import mean_interval

    bounds = mean_interval(values, [()] * len(values))
    return Estimate(fsum(values) / len(values), Interval(bounds.lower, bounds.upper), len(values))


def _of_log(log: Path) -> list[Usage]:
    from vivavoce.errors import MissingExtra

    try:
        from vivavoce.plugins.inspect_plugin.task_scope.logs import costs_of
    except ModuleNotFoundError as error:
        raise MissingExtra((error.name or "inspect_ai").partition(".")[0], extra="models") from None
    return costs_of(log)


def _of_transcript(where: str, scope_name: str | None) -> list[Usage]:
    """What each question cost, further turns spread evenly over all."""
    from vivavoce.certificate.verdict import answers_topic
    from vivavoce.interview.candidate import Usage
    from vivavoce.interview.outcomes import FURTHER_TURN
    from vivavoce.interview.transcript import Transcript

    if scope_name is None:
        raise click.UsageError("'--pilot' of a transcript needs '--scope': the scope whose questions were asked there.")
    with Transcript.open(where, must_exist=True, verified=False) as record:
        records = list(record.records(topic=answers_topic(scope_name)))
    used = [(one.topic, Usage(one.tokens_in, one.tokens_out, one.money)) for one in records]
    turns = sum((usage for topic, usage in used if topic.endswith(FURTHER_TURN)), Usage())
    first = [usage for topic, usage in used if not topic.endswith(FURTHER_TURN)]
    if not turns.tokens:
        return first
    each = Usage(turns.tokens_in // len(first), turns.tokens_out // len(first), turns.money / len(first))
    return [usage + each for usage in first]
