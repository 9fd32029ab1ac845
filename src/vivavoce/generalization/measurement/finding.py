"""Models measured on pairs of questions, as a value: what it says, and what it does not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vivavoce.formats.wording import count, name_of, percent, percent_interval
from vivavoce.generalization.alignment.finding import Alignment, rest_of
from vivavoce.generalization.measurement.replies import ModelReplies
from vivavoce.generalization.measurement.report import misplaced, replies_table, trend_section
from vivavoce.generalization.measurement.trend import FEWEST, Trend
from vivavoce.generalization.measurement.trust import MisplacedTrust, ModelTrust
from vivavoce.interview.scope import Signature
from vivavoce.report.blocks import Caveats, InFull, Report
from vivavoce.report.parts import paragraphs
from vivavoce.report.reported import Reported

MANY_UNREAD = 0.2
"""Share of a model's replies: more are said in the first lines."""


@dataclass(frozen=True, slots=True, repr=False)
class Measurement(Reported):
    """What `measure` returns."""

    alignment: Alignment
    trust: MisplacedTrust
    trend: Trend | None
    """None where too few sizes are known."""
    sized: int
    """Models whose size is known."""
    replies: tuple[ModelReplies, ...]
    pool: int
    """Questions that pairs are drawn from."""
    left_out: int
    """Questions of the scopes that are not in the pool."""
    missing: int
    """Questions of the pairs that no scope holds."""

    @property
    def signature(self) -> Signature:
        """That of the alignment."""
        return self.alignment.signature

    @property
    def headline(self) -> str:
        """The verdict in one sentence."""
        return self.alignment.headline

    @property
    def statement(self) -> str:
        """The result in plain words, the verdict first."""
        return " ".join(filter(None, (self.alignment.statement, self._of_trust, self._of_size, self._of_replies)))

    @property
    def caveats(self) -> tuple[str, ...]:
        """What was not shown."""
        own = (
            "A reply that cannot be read counts as not right, for whoever asked has nothing of it. A model that was not "
            "understood here may know more.",
            f"{count(self.left_out)} questions of the scopes are not in the pool: too long, for graders, or there twice."
            if self.left_out
            else "",
            f"{count(self.missing)} questions of the pairs are in no scope, and were not asked." if self.missing else "",
            "The slope over sizes is of these models alone: other models of these sizes may lie elsewhere."
            if self.trend
            else f"There is no trend by size: it needs {FEWEST} different sizes, and {count(self.sized)} are known.",
            "Of many pairs the costliest are listed: that a model is wrong on each of them is no estimate of how often it is.",
        )
        return (*filter(None, own), *self.alignment.caveats)

    def report(self) -> Report:
        """All of it as blocks."""
        models = self.alignment.models
        whom = f"{count(len(models))} models" if len(models) > 1 else name_of(models[0].model)
        told = (rest_of(self.alignment), self._of_trust, self._of_size, self._of_replies)
        return self.reported(
            "Human generalization: measured models",
            f"Will people use {whom} where they fail?" if len(models) > 1 else f"Will people use {whom} where it fails?",
            InFull(paragraphs(*told)),
            misplaced(self.trust),
            *self.alignment.sections(),
            *trend_section(self.trend),
            *replies_table(self.replies),
            Caveats(self.caveats),
            self.alignment.method,
        )

    @property
    def examined(self) -> tuple[str, ...]:
        """The names of the candidates."""
        return tuple(one.model for one in self.replies)

    def figures_as_json(self) -> dict[str, Any]:
        """The numbers as JSON values; null for what is not known."""
        return {
            "replies": {one.model: one.as_json() for one in self.replies},
            "pool": self.pool,
            "left_out": self.left_out,
            "missing": self.missing,
            "misplaced_trust": self.trust.as_json(),
            "trend": self.trend.as_json() if self.trend else None,
            "alignment": self.alignment.as_json(),
        }

    @property
    def _of_trust(self) -> str:
        trusted = [one for one in self.trust.models if one.of_trusted.value is not None]
        if not trusted:
            return "No right answer raised a belief: there is no trust to be misplaced."
        if not self.trust.found:
            least_known = max(trusted, key=lambda one: one.of_trusted.interval.upper)
            which = f" with {name_of(least_known.model)}, of which least is known" if len(trusted) > 1 else ""
            return f"Where a right answer raised people's beliefs, no model was wrong: {_mistakes(least_known)}{which}."
        worst = trusted[0]
        whose = ""
        if len(self.trust.models) > 1:
            most = worst.cost.is_largest(one.cost for one in self.trust.models if one is not worst)
            whose = f"Misplaced trust {'costs' if most else 'is not shown to cost'} most with {name_of(worst.model)}: "
        return f"{whose}where a right answer raised people's beliefs in it, it was wrong in {_mistakes(worst)}."

    @property
    def _of_size(self) -> str:
        if self.trend is None:
            return ""
        low, high = min(self.alignment.thresholds), max(self.alignment.thresholds)
        one, other = (_direction(self.trend, t) for t in (low, high))
        if one == other:
            ends = f"a threshold of {percent(low)}" if low == high else f"thresholds of {percent(low)} and {percent(high)}"
            return f"Beliefs fit larger models {one} at {ends}."
        return f"Beliefs fit larger models {one} at a threshold of {percent(low)}, and {other} at {percent(high)}."

    @property
    def _of_replies(self) -> str:
        unread = [one for one in self.replies if one.asked and one.unread / one.asked > MANY_UNREAD]
        ended = [one for one in self.replies if one.exhausted]
        names = ", ".join(f"{name_of(one.model)} {count(one.unread)} of {count(one.asked)}" for one in unread[:4])
        of_unread = f"Many replies could not be read: {names}." if unread else ""
        of_budget = f"The budget of {ended[0].exhausted} ended the questions before all were asked." if ended else ""
        return " ".join(filter(None, (of_unread, of_budget)))


def _mistakes(model: ModelTrust) -> str:
    """How often it was wrong where it was trusted more."""
    return f"{percent(model.of_trusted.value or 0.0)} {percent_interval(model.of_trusted.interval)} of cases"


def _direction(trend: Trend, threshold: float) -> str:
    interval = trend.of("accuracy", threshold).interval
    if interval.lower > 0:
        return "better"
    return "worse" if interval.upper < 0 else "neither better nor worse beyond chance"
