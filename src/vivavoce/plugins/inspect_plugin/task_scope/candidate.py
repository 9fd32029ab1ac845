"""A model of Inspect that is examined by running samples of a task: solver, tools and scorer are the task's."""

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
from vivavoce.plugins.inspect_plugin.task_scope.evaluation import Evaluation, Part
from vivavoce.plugins.inspect_plugin.task_scope.scores import reply_of, used_together


@dataclass(frozen=True, slots=True)
class TaskModel:
    """The model that runs a task, and which of the task's scores counts."""

    name: str
    """As Inspect writes it."""
    scorer: str
    options: InspectOptions
    key: str = ""
    """The API key, which is cut out of messages."""

    @property
    def prices(self) -> dict[str, tuple[float, float]]:
        """Money per million tokens of prompt, and of reply, by the model's name."""
        return {self.name: (self.options.price_in, self.options.price_out)}


class TaskCandidate:
    """Runs the sample that a prompt names, and replies what the model said last, with the score that it earned.

    A sample that is asked for once more runs again, as a further epoch of it.

    A run whose tools reach this machine may have ended the program itself: this candidate is not asked again what was under way
    then. `ElsewhereCandidate` is.
    """

    time_out: float | None = None
    """An agent takes as long as the task's own limits let it."""

    def __init__(self, name: str, part: Part, evaluation: Evaluation, samples: Mapping[str, Sample], model: TaskModel) -> None:
        self.name = name
        self._part = part
        self._evaluation = evaluation
        self._samples = samples
        self._model = model

    def __repr__(self) -> str:
        return f"<{self.name}, {len(self._samples)} samples>"

    @property
    def logs(self) -> tuple[str, ...]:
        """Where the logs of the evaluation are; known once it is closed."""
        return self._evaluation.logs

    @property
    def ran(self) -> tuple[int, Usage]:
        """How many samples completed, and what they used, with those that no caller waited for at the end."""
        used = self._part.feed.used
        return len(used), sum((used_together(usage, self._model.prices) for usage in used), Usage())

    @property
    def prices(self) -> tuple[float, float]:
        """Money per million tokens of prompt, and of reply."""
        return self._model.prices[self._model.name]

    async def answer(self, question: Prompt, /) -> Reply:
        """Run the sample.

        Raises `ServiceFault` for an error before the model replied anything, `CandidateMisconfigured` where Inspect cannot
        run the task, and `BadInput` for a score outside of [0, 1].
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
        """Let the evaluation end; what is under way is waited for, and is in the log."""
        await self._evaluation.close(self._part)


class ElsewhereCandidate(TaskCandidate):
    """One that cannot end the program: whatever was under way when it ended is asked again."""

    asked_again: RepeatReason = "elsewhere"
