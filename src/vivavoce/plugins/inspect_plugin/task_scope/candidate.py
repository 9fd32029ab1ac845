"""An Inspect model that is examined by running samples of a task, and a task's scores as scores, replies, costs and steps."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.event import Event, ModelEvent, SpanBeginEvent, ToolEvent
from inspect_ai.log import EvalSample, resolve_sample_attachments
from inspect_ai.model import ModelUsage

from vivavoce.candidates.inspect_ai import InspectOptions, finish_of
from vivavoce.candidates.text import as_unicode, clean_steps, without_key
from vivavoce.errors import BadInput, CandidateMisconfigured, ServiceFault
from vivavoce.formats.records import with_score
from vivavoce.formats.wording import clipped
from vivavoce.interview.candidate import Prompt, RepeatReason, Reply, Step, Usage
from vivavoce.plugins.inspect_plugin.scored import chosen_scorer, in_a_line, number_of
from vivavoce.plugins.inspect_plugin.task_scope.evaluation import CandidateTask, TaskEvaluation


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


NO_ANSWER = "N"
"""Inspect's score for no answer; its metrics make it 0."""
LONGEST = 20_000
"""Characters of a reply that are kept."""


def reply_of(sample: EvalSample, scorer: str, prices: Mapping[str, tuple[float, float]], key: str = "") -> Reply:
    """The reply with its score, and the agent's steps before it. scorer: the scorer, or SCORER:VALUE if it gives several
    values.
    prices: by model, per million tokens of prompt and of reply.
    key: removed from the reply.

    Raises `BadInput` for a score outside of [0, 1], and where a value must be named; `UnknownName` for one that is not there.
    """
    output = sample.output.completion if sample.output.choices else ""
    if sample.error is not None:
        output = f"({clipped(in_a_line(sample.error.message), 400)})"
    text = with_score(clipped(as_unicode(without_key(output, key)), LONGEST), score(sample, scorer))
    usage = used_together(sample.model_usage, prices)
    return Reply(text, usage, sample.output.model, finish_of(sample.output), steps=steps_of(sample, key))


def score(sample: EvalSample, scorer: str) -> float | None:
    """The score in [0, 1]; None after an error, without a score, and without an answer."""
    scores = {} if sample.error is not None else sample.scores or {}
    name, value = (scorer, "") if scorer in scores else _parted(scorer, scores)
    if name not in scores:
        return None
    given: Any = scores[name].value
    if isinstance(given, dict):
        name, value = chosen_scorer({name: dict.fromkeys(map(str, given))}, f"{name}:{value}" if value else "", "the task")
        given = given[value]
    if given == NO_ANSWER:
        return None
    try:
        return number_of(given)
    except ValueError as error:
        raise BadInput(
            f"sample '{str(sample.id)[:80]}' of the task: {error}; only scores from 0 to 1 (or C, I, P, N) can be certified"
        ) from None


def _parted(scorer: str, scores: Collection[str]) -> tuple[str, str]:
    """SCORER:VALUE as scorer and value of an existing scorer; unchanged without one."""
    name = max((text for text in scores if scorer.startswith(f"{text}:")), key=len, default=scorer)
    return name, scorer[len(name) + 1 :]


def used_together(usage: Mapping[str, ModelUsage], prices: Mapping[str, tuple[float, float]] = MappingProxyType({})) -> Usage:
    """Usage of all models of a sample: at the given prices, others at those that Inspect knows."""
    total = Usage()
    for model, used in usage.items():
        total += _usage(used, prices.get(model, (0.0, 0.0)))
    return total


def _usage(used: ModelUsage, prices: tuple[float, float]) -> Usage:
    tokens_in = used.input_tokens + (used.input_tokens_cache_read or 0) + (used.input_tokens_cache_write or 0)
    money = (tokens_in * prices[0] + used.output_tokens * prices[1]) / 1e6
    return Usage(tokens_in, used.output_tokens, money or used.total_cost or 0.0)


def steps_of(sample: EvalSample, key: str = "") -> tuple[Step, ...]:
    """Models' texts and tool calls, in order, without those of scorers. None for a single turn, unless tools were offered: it
    is then shown that none was called. key: removed.
    """
    done = _of_solver(sample.events)
    turns = [event for event in done if isinstance(event, ModelEvent) and event.error is None]
    by_tools = any(isinstance(event, ToolEvent) for event in done) or any(event.tools for event in turns)
    if len(turns) < 2 and not by_tools:
        return ()
    events = _of_solver(resolve_sample_attachments(sample, "core").events)
    return clean_steps([step for event in events if (step := _step(event)) is not None], key)


def _of_solver(events: Sequence[Event]) -> list[Event]:
    """The events outside scorer spans, including nested ones."""
    scoring: set[str | None] = set()
    for event in events:
        if isinstance(event, SpanBeginEvent) and (
            event.name == "scorers" or event.type == "scorer" or event.parent_id in scoring
        ):
            scoring.add(event.id)
    return [event for event in events if event.span_id not in scoring]


def _step(event: Event) -> Step | None:
    """The step in an event; None for other events."""
    if isinstance(event, ModelEvent):
        output = event.output.message.text.strip() if event.output.choices else ""
        return Step(said=output or event.error or "", seconds=event.working_time or 0.0)
    if not isinstance(event, ToolEvent):
        return None
    return Step(
        tool=event.function,
        arguments=json.dumps(event.arguments, ensure_ascii=False),
        result=_in_words(event.result),
        error=_why(event),
        seconds=event.working_time or 0.0,
    )


def _why(event: ToolEvent) -> str:
    """Why a call failed, with the kind of error if known; empty for a success."""
    if event.error is None:
        return "failed" if event.failed else ""
    kind = "" if event.error.type == "unknown" else f"{event.error.type}: "
    return f"{kind}{event.error.message}"


def _in_words(result: object) -> str:
    """A tool's result; parts other than text by their kinds."""
    parts = result if isinstance(result, list) else [result]
    return "\n".join(part if isinstance(part, str) else _of_content(part) for part in parts)


def _of_content(part: object) -> str:
    text, kind = getattr(part, "text", None), getattr(part, "type", None)
    return text if isinstance(text, str) else str(part) if kind is None else f"({kind})"
