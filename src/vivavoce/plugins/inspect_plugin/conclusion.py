"""Samples in, a finding out: stops what need not be asked, and puts the finding into Inspect's log."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite
from typing import Any, Protocol

from inspect_ai.dataset import Sample
from inspect_ai.log import EvalSpec
from inspect_ai.model import get_model
from inspect_ai.scorer import SampleScore, Score
from inspect_ai.util import EarlyStop

from vivavoce.errors import VivavoceError
from vivavoce.formats.interval import Estimate
from vivavoce.plugins.inspect_plugin.private import PrerequisiteError
from vivavoce.report.reported import Reported


class Collected(Protocol):
    """What was scored so far, of one model. Samples are numbered from 1, in the order in which they were drawn."""

    @property
    def ended(self) -> str:
        """Why nothing further need be asked; empty while something does."""
        ...

    def take(self, number: int, score: Score) -> None:
        """Take the score of a sample; in whatever order they come."""
        ...

    def finding(self) -> Reported:
        """What they show, the same whatever the order in which they came. Raises `NotEnoughEvidence`."""
        ...


class Conclusion:
    """Inspect's protocol for early stopping, through which a task learns of samples that are complete, and of its end.

    The finding's JSON goes to `results.early_stopping.metadata` of the log, which the viewer shows with the task.

    scorer: whose scores are taken.
    begin: makes what collects the scores of one model, from the candidate's name and the samples that are to be run; one
        `Task` may examine several models at once.
    """

    def __init__(self, scorer: str, begin: Callable[[str, Sequence[Sample]], Collected]) -> None:
        self._scorer = scorer
        self._begin = begin
        self._collected: dict[str, Collected] = {}

    async def start_task(self, task: EvalSpec, samples: list[Sample], epochs: int) -> str:
        """Refuses epochs: a question asked twice is no second question."""
        if epochs != 1:
            raise PrerequisiteError(f"{epochs} epochs: a question asked again is no further question; leave out --epochs")
        self._collected[str(get_model())] = self._begin(f"inspect:{get_model()}", samples)
        return "vivavoce"

    async def schedule_sample(self, id: str | int, epoch: int) -> EarlyStop | None:  # noqa: A002 -- Inspect names it
        """Leaves out what need not be asked any more."""
        reason = self._of_model().ended
        return EarlyStop(id=id, epoch=epoch, reason=reason) if reason else None

    async def complete_sample(self, id: str | int, epoch: int, scores: dict[str, SampleScore]) -> None:  # noqa: A002
        """Takes the score of one sample."""
        if self._scorer in scores:
            self._of_model().take(int(id), scores[self._scorer].score)

    async def complete_task(self) -> dict[str, Any]:
        """The finding's JSON; where there is none, the reason in one sentence."""
        try:
            return self._of_model().finding().as_json()
        except VivavoceError as error:
            return {"nothing found": str(error)}

    def _of_model(self) -> Collected:
        return self._collected[str(get_model())]


def collect(collected: Collected, scores: Iterable[SampleScore]) -> Collected:
    """Hand over the scores that a metric is given."""
    for score in scores:
        if score.sample_id is not None:
            collected.take(int(score.sample_id), score.score)
    return collected


def numbers(estimates: Mapping[str, Estimate | None]) -> dict[str, float]:
    """Estimates with the ends of their intervals as metrics; what is not known, or not bounded, is left out.

    >>> from vivavoce.formats.interval import Interval
    >>> numbers({"score": Estimate(0.5, Interval(0.25, 0.75), 9), "gap": Estimate(None, Interval(-1.0, 1.0), 0)})
    {'score': 0.5, 'score_lower': 0.25, 'score_upper': 0.75}
    """
    result: dict[str, float] = {}
    for name, estimate in estimates.items():
        if estimate is not None and estimate.value is not None:
            ends = {name: estimate.value, f"{name}_lower": estimate.interval.lower, f"{name}_upper": estimate.interval.upper}
            result |= {key: float(value) for key, value in ends.items() if isfinite(value)}
    return result
