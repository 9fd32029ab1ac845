"""Inspect's side of an examination: its samples, and the finding in its log. Unneeded samples are stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
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
from vivavoce.report.reported import ReportedFinding


class ScoreCollector(Protocol):
    """The scores of one model so far. Samples are numbered from 1, in drawn order."""

    @property
    def ended(self) -> str:
        """Why nothing more need be asked; empty while something does."""
        ...

    def take(self, number: int, score: Score) -> None:
        """Take the score of a sample; samples come in any order."""
        ...

    def finding(self) -> ReportedFinding:
        """The finding, which does not depend on the order of arrival. Raises `NotEnoughEvidence`."""
        ...


class Conclusion:
    """Inspect's protocol for early stopping, which tells a task about completed samples and its end.

    The finding's JSON goes to `results.early_stopping.metadata` of the log, which the viewer shows with the task.

    scorer: its scores are taken. begin: makes the collector of one model's scores, from the candidate's name; one `Task` may
    examine several models at once.
    """

    def __init__(self, scorer: str, begin: Callable[[str], ScoreCollector]) -> None:
        self._scorer = scorer
        self._begin = begin
        self._collected: dict[str, ScoreCollector] = {}

    async def start_task(self, task: EvalSpec, samples: list[Sample], epochs: int) -> str:
        """Refuse epochs, because a repeated question is not a second question."""
        if epochs != 1:
            raise PrerequisiteError(f"{epochs} epochs: a repeated question is not another question; leave out --epochs")
        self._collected[str(get_model())] = self._begin(f"inspect:{get_model()}")
        return "vivavoce"

    async def schedule_sample(self, id: str | int, epoch: int) -> EarlyStop | None:  # noqa: A002 -- Inspect names it
        """Skips samples that need not be asked any more."""
        reason = self._of_model().ended
        return EarlyStop(id=id, epoch=epoch, reason=reason) if reason else None

    async def complete_sample(self, id: str | int, epoch: int, scores: dict[str, SampleScore]) -> None:  # noqa: A002
        """Takes the score of one sample."""
        if self._scorer in scores:
            self._of_model().take(int(id), scores[self._scorer].score)

    async def complete_task(self) -> dict[str, Any]:
        """The finding's JSON; without a finding, the reason in one sentence."""
        try:
            return self._of_model().finding().as_json()
        except VivavoceError as error:
            return {"nothing found": str(error)}

    def _of_model(self) -> ScoreCollector:
        return self._collected[str(get_model())]


def collect(collected: ScoreCollector, scores: Iterable[SampleScore]) -> ScoreCollector:
    """Return the scores of a metric unchanged."""
    for score in scores:
        if score.sample_id is not None:
            collected.take(int(score.sample_id), score.score)
    return collected


def numbers(estimates: Mapping[str, Estimate | None]) -> dict[str, float]:
    """Estimates with the ends of their intervals as metrics; unknown and unbounded values are left out."""
    result: dict[str, float] = {}
    for name, estimate in estimates.items():
        if estimate is not None and estimate.value is not None:
            ends = {name: estimate.value, f"{name}_lower": estimate.interval.lower, f"{name}_upper": estimate.interval.upper}
            result |= {key: float(value) for key, value in ends.items() if isfinite(value)}
    return result
