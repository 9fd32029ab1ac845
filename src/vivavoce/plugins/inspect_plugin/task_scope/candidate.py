"""An Inspect model that is examined by running samples of a task, with the task's solver, tools and scorer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from inspect_ai.dataset import Sample

from vivavoce.candidates.inspect_ai import InspectOptions
from vivavoce.candidates.text import without_key
from vivavoce.errors import CandidateMisconfigured, ServiceFault
from vivavoce.formats.wording import clipped
from vivavoce.interview.candidate import Prompt, RepeatReason, Reply, Usage
from vivavoce.plugins.inspect_plugin.scored import in_a_line
from vivavoce.plugins.inspect_plugin.task_scope.evaluation import CandidateTask, TaskEvaluation
from vivavoce.plugins.inspect_plugin.task_scope.scores import reply_of, used_together


@dataclass(frozen=True, slots=True)
class TaskModel:
    """The model that runs a task, and the score that counts."""

    name: str
    """The name as Inspect writes it."""
    scorer: str
    options: InspectOptions
    key: str = ""
    """The API key, which is removed from messages."""

    @property
    def prices(self) -> dict[str, tuple[float, float]]:
        """Money per million tokens of prompt, and of reply, by the model's name."""
        return {self.name: (self.options.price_in, self.options.price_out)}


class TaskCandidate:
    """Runs the sample that a prompt names, and replies with the model's last text and its score. A repeated sample runs again,
    as another epoch. Tools that reach this machine may have ended the program themselves, so this candidate is not asked
    interrupted questions again; `ElsewhereCandidate` is.
    """

    time_out: float | None = None
    """No time limit here, because the task has its own limits."""

    def __init__(
        self, name: str, part: CandidateTask, evaluation: TaskEvaluation, samples: Mapping[str, Sample], model: TaskModel
    ) -> None:
        self.name = name
        self._part = part
        self._evaluation = evaluation
        self._samples = samples
        self._model = model

    def __repr__(self) -> str:
        return f"<{self.name}, {len(self._samples)} samples>"

    @property
    def logs(self) -> tuple[str, ...]:
        """The place of the evaluation's logs, known once it is closed."""
        return self._evaluation.logs

    @property
    def ran(self) -> tuple[int, Usage]:
        """Number of completed samples and their usage, including those that no caller waited for."""
        used = self._part.feed.used
        return len(used), sum((used_together(usage, self._model.prices) for usage in used), Usage())

    @property
    def prices(self) -> tuple[float, float]:
        """Money per million tokens of prompt, and of reply."""
        return self._model.prices[self._model.name]

    async def answer(self, question: Prompt, /) -> Reply:
        """Run the sample. Raises `ServiceFault` for an error before the model's first reply, `CandidateMisconfigured` if
        Inspect can't run the task, and `BadInput` for a score outside [0, 1].
        """
        sample = self._samples.get(question.id)
        if sample is None:
            raise CandidateMisconfigured(f"the task has no sample '{question.id[:80]}'")
        self._evaluation.begin()
        model, completed = self._model, await self._part.feed.run(sample)
        reply = reply_of(completed, model.scorer, model.prices, model.key)
        if completed.error is not None and not reply.usage.tokens:
            reason = clipped(without_key(in_a_line(completed.error.message), model.key), 400)
            raise ServiceFault(reason, worth_retrying=False)
        return reply

    async def close(self) -> None:
        """End the evaluation; samples in flight are awaited, and are in the log."""
        await self._evaluation.close(self._part)


class ElsewhereCandidate(TaskCandidate):
    """A candidate that can't end the program, so interrupted questions are asked again."""

    asked_again: RepeatReason = "elsewhere"
