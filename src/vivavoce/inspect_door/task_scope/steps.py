"""What an agent did in a sample, by the events of Inspect's transcript."""

from __future__ import annotations

import json
from collections.abc import Sequence

from inspect_ai.event import Event, ModelEvent, SpanBeginEvent, ToolEvent
from inspect_ai.log import EvalSample, resolve_sample_attachments

from vivavoce.candidates.steps import clean_steps
from vivavoce.interview.steps import Step


def steps_of(sample: EvalSample, key: str = "") -> tuple[Step, ...]:
    """What models said and which tools they called, in order, without what scorers did.

    None where there was but one turn, unless tools were offered: that none was called is then worth knowing.

    key: is left out.
    """
    done = _of_solver(sample.events)
    turns = [event for event in done if isinstance(event, ModelEvent) and event.error is None]
    by_tools = any(isinstance(event, ToolEvent) for event in done) or any(event.tools for event in turns)
    if len(turns) < 2 and not by_tools:
        return ()
    events = _of_solver(resolve_sample_attachments(sample, "core").events)
    return clean_steps([step for event in events if (step := _step(event)) is not None], key)


def _of_solver(events: Sequence[Event]) -> list[Event]:
    """The events that are in no scorer's span, nor in one within."""
    scoring: set[str | None] = set()
    for event in events:
        if isinstance(event, SpanBeginEvent) and (
            event.name == "scorers" or event.type == "scorer" or event.parent_id in scoring
        ):
            scoring.add(event.id)
    return [event for event in events if event.span_id not in scoring]


def _step(event: Event) -> Step | None:
    """What an event was of the agent's doing; None: nothing."""
    if isinstance(event, ModelEvent):
        said = event.output.message.text.strip() if event.output.choices else ""
        return Step(said=said or event.error or "", seconds=event.working_time or 0.0)
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
    """Why a call failed, with the kind of the error where that is known; empty where it did not."""
    if event.error is None:
        return "failed" if event.failed else ""
    kind = "" if event.error.type == "unknown" else f"{event.error.type}: "
    return f"{kind}{event.error.message}"


def _in_words(result: object) -> str:
    """What a tool gave back, with the kinds of what is no text."""
    parts = result if isinstance(result, list) else [result]
    return "\n".join(part if isinstance(part, str) else _of_content(part) for part in parts)


def _of_content(part: object) -> str:
    text, kind = getattr(part, "text", None), getattr(part, "type", None)
    return text if isinstance(text, str) else str(part) if kind is None else f"({kind})"
