"""Inspect's side of an examination: its model as a candidate, its samples, and the finding in its log. Unneeded samples are
stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import isfinite
from typing import Any, Protocol

from inspect_ai.dataset import Sample
from inspect_ai.log import EvalSpec
from inspect_ai.model import Model, get_model
from inspect_ai.scorer import SampleScore, Score
from inspect_ai.util import EarlyStop

from vivavoce.candidates.inspect_ai import InspectModel, InspectOptions
from vivavoce.errors import CandidateError, TransportFault, VivavoceError
from vivavoce.formats.interval import Estimate
from vivavoce.interview.asker import AskSettings
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
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

    scorer: its scores are taken. begin: makes the collector of one model's scores, from the candidate's name and the samples to
    run; one `Task` may examine several models at once.
    """

    def __init__(self, scorer: str, begin: Callable[[str, Sequence[Sample]], ScoreCollector]) -> None:
        self._scorer = scorer
        self._begin = begin
        self._collected: dict[str, ScoreCollector] = {}

    async def start_task(self, task: EvalSpec, samples: list[Sample], epochs: int) -> str:
        """Refuse epochs, because a repeated question is not a second question."""
        if epochs != 1:
            raise PrerequisiteError(f"{epochs} epochs: a repeated question is not another question; leave out --epochs")
        self._collected[str(get_model())] = self._begin(f"inspect:{get_model()}", samples)
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


CONCURRENCY = 64
"""Questions of one sample in flight; Inspect's own limits on connections also apply."""


class InspectFault(VivavoceError):
    """An error that Inspect raised while asking its model: a limit, or a fault after all retries."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(str(error))
        self.error = error
        """The original error."""


class ExaminedModel:
    """Inspect's model within a sample: Inspect retries, limits, caches and logs every call, and judges every fault."""

    def __init__(self, model: Model) -> None:
        self.name = f"inspect:{model}"
        self._model = InspectModel(self.name, model, InspectOptions())

    async def answer(self, question: Prompt, /) -> Reply:
        """Ask once. Raises `InspectFault`."""
        try:
            return await self._model.answer(question)
        except (TransportFault, CandidateError) as fault:
            raise InspectFault(fault.__context__ or fault) from None  # a fault of our own candidate


def interview_of(model: Model) -> Interview[Prompt, Reply]:
    """An interview that leaves retries and time limits to Inspect; its transcript ends with the sample, and the log has
    everything.
    """
    return Interview(
        ExaminedModel(model), answers=Reply, concurrency=CONCURRENCY, settings=AskSettings(time_out=None, attempts=1)
    )


@contextmanager
def back_to_inspect() -> Iterator[None]:
    """Raise Inspect's own error again: it ends the sample by a limit, retries it, or fails it."""
    try:
        yield
    except InspectFault as raised:
        raise raised.error from None
