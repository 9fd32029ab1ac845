"""OpenTelemetry spans for attempts to ask, if this process is traced.

Names follow OpenTelemetry's conventions for generative AI (spans of client inference; `opentelemetry2026`). This module uses
only the OpenTelemetry API; the host process configures the exporter, as the command line does (`cli.tracing`). Without one,
nothing is imported, and an answer costs one test of an attribute for None.

A span is one request: each retry has a span of its own, with its number. No attribute holds prompts or replies, and no error
description does, which may quote them, unless `CAPTURE` is set. A question that is answered from the record has no span.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from vivavoce.errors import TransportFault
from vivavoce.interview.candidate import Candidate, ModelCall, ModelCaller, NoAnswer, Prompt, Reply

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

    from vivavoce.interview.record import Key
    from vivavoce.interview.requests import SentQuestion

CAPTURE: Final = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
"""The environment variable that turns prompts and replies into attributes."""
_CAPTURES: Final = frozenset({"true", "span_only", "span_and_event"})
_API: Final = "opentelemetry.trace"
TIMED_OUT: Final = "time-out"
"""The first word of the reason for a missing answer after a time-out."""
_REQUEST: Final = {
    "temperature": "gen_ai.request.temperature",
    "top_p": "gen_ai.request.top_p",
    "max_tokens": "gen_ai.request.max_tokens",
    "max_completion_tokens": "gen_ai.request.max_tokens",
    "seed": "gen_ai.request.seed",
    "stop": "gen_ai.request.stop_sequences",
    "reasoning_effort": "gen_ai.request.reasoning.level",
}


def tracer() -> Tracer | None:
    """The tracer of this process; None without a configured exporter."""
    if _API not in sys.modules:
        return None
    from opentelemetry import trace

    from vivavoce.version import __version__

    provider = trace.get_tracer_provider()
    if isinstance(provider, trace.ProxyTracerProvider | trace.NoOpTracerProvider):
        return None
    return provider.get_tracer("vivavoce", __version__)


@contextmanager
def examining(name: str, *, above: str = "") -> Iterator[None]:
    """A span of this name around the examination in this block, if this process is traced.

    above: the parent span, as a `traceparent` of the W3C; empty: the current span.
    """
    active = tracer()
    if active is None:
        yield
        return
    from opentelemetry.trace import StatusCode
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    context = TraceContextTextMapPropagator().extract({"traceparent": above}) if above else None
    with active.start_as_current_span(name, context, record_exception=False, set_status_on_exception=False) as span:
        try:
            yield
        except BaseException as error:
            span.set_attribute("error.type", type(error).__name__)
            span.set_status(StatusCode.ERROR)
            raise


class InterviewTracer:
    """Makes the spans of the attempts of one interview.

    capture: whether prompts and replies become attributes.
    """

    def __init__(self, tracer: Tracer, candidate: Candidate[Any, Any], *, capture: bool) -> None:
        self._tracer = tracer
        self._candidate = candidate
        self._calls = candidate if isinstance(candidate, ModelCaller) else None
        self._capture = capture

    @classmethod
    def of(cls, candidate: Candidate[Any, Any]) -> InterviewTracer | None:
        """The spans of an interview with this candidate; None if the process is not traced."""
        active = tracer()
        if active is None:
            return None
        return cls(active, candidate, capture=os.environ.get(CAPTURE, "").strip().lower() in _CAPTURES)

    @contextmanager
    def attempt(self, sent: SentQuestion[Any], key: Key, *, question: int, number: int) -> Iterator[AttemptSpan]:
        """The span of one attempt, current within this block; an error ends it.

        question: the number of the question among all that this interview sent, from 1; `number`: of the attempt, from 1.
        """
        from opentelemetry.trace import SpanKind

        asked = sent.question
        call = self._calls.call(asked) if self._calls is not None and isinstance(asked, Prompt) else None
        attributes: dict[str, Any] = {
            "vivavoce.candidate": self._candidate.name,
            "vivavoce.topic": sent.topic,
            "vivavoce.question.number": question,
            "vivavoce.question.digest": key.question_digest,
            "vivavoce.draw": key.draw,
            "vivavoce.attempt": number,
        }
        if isinstance(asked, Prompt) and asked.id:
            attributes["vivavoce.question.id"] = asked.id
        if call is not None and isinstance(asked, Prompt):
            attributes |= _of_call(call, asked)
            attributes |= _said(call, asked) if self._capture else {}
        name = f"ask {self._candidate.name}" if call is None else f"chat {call.model}"
        kind = SpanKind.INTERNAL if call is None else SpanKind.CLIENT
        with self._tracer.start_as_current_span(
            name, kind=kind, attributes=attributes, record_exception=False, set_status_on_exception=False
        ) as span:
            attempt = AttemptSpan(span, model=call is not None, capture=self._capture)
            try:
                yield attempt
            except BaseException as error:
                attempt.raised(error)
                raise


class AttemptSpan:
    """The span of one attempt, until its end.

    model: whether a model was called, by the words of the conventions.
    """

    __slots__ = ("_capture", "_model", "_span")

    def __init__(self, span: Span, *, model: bool, capture: bool) -> None:
        self._span = span
        self._model = model
        self._capture = capture

    def came(self, answer: object) -> None:
        """Note the result: a reply, or a missing answer."""
        if isinstance(answer, NoAnswer):
            first = answer.reason.partition(":")[0]
            timed_out = answer.reason.startswith(TIMED_OUT)
            self._failed("timeout" if timed_out else first if first.isidentifier() else "no_answer", answer.reason)
        elif isinstance(answer, Reply):
            self._span.set_attributes(_of_reply(answer, model=self._model))
            if self._model and self._capture:
                self._span.set_attribute("gen_ai.output.messages", json.dumps([_message(answer)]))

    def raised(self, error: BaseException) -> None:
        """Note that it did not get through, or that the examiner withdrew it, which is not an error of the candidate."""
        if isinstance(error, asyncio.CancelledError | GeneratorExit):
            self._span.set_attribute("vivavoce.withdrawn", True)
            return
        status = error.status if isinstance(error, TransportFault) else None
        cause = error if error.__context__ is None or not isinstance(error, TransportFault) else error.__context__
        self._failed(type(cause).__name__ if status is None else str(status), str(error))

    def _failed(self, kind: str, reason: str) -> None:
        from opentelemetry.trace import StatusCode

        self._span.set_attribute("error.type", kind)
        self._span.set_status(StatusCode.ERROR, reason if self._capture else None)


def _of_call(call: ModelCall, asked: Prompt) -> dict[str, Any]:
    result: dict[str, Any] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": call.provider,
        "gen_ai.request.model": call.model,
        "gen_ai.output.type": "json" if asked.schema else "text",
    }
    if call.address:
        result["server.address"] = call.address
        if call.port is not None:
            result["server.port"] = call.port
    for name, attribute in _REQUEST.items():
        if (value := call.settings.get(name)) is not None:
            result[attribute] = value
    return result


def _of_reply(reply: Reply, *, model: bool) -> dict[str, Any]:
    """Facts about a reply other than its words; tokens are left out if unknown."""
    result: dict[str, Any] = {"vivavoce.money": reply.usage.money} if reply.usage.money else {}
    if not model:
        return result
    if reply.model:
        result["gen_ai.response.model"] = reply.model
    if reply.finish:
        result["gen_ai.response.finish_reasons"] = [reply.finish]
    if reply.usage.tokens:
        result |= {"gen_ai.usage.input_tokens": reply.usage.tokens_in, "gen_ai.usage.output_tokens": reply.usage.tokens_out}
    return result


def _said(call: ModelCall, asked: Prompt) -> Mapping[str, str]:
    """The prompt, by the conventions' schema of messages."""
    messages = [{"role": role, "parts": [_text(text)]} for role, text in asked.conversation]
    values = {"gen_ai.input.messages": json.dumps(messages)}
    return values | ({"gen_ai.system_instructions": json.dumps([_text(call.system)])} if call.system else {})


def _message(reply: Reply) -> dict[str, Any]:
    thoughts = [{"type": "reasoning", "content": reply.thoughts}] if reply.thoughts else []
    return {"role": "assistant", "parts": [*thoughts, _text(reply.text)], "finish_reason": reply.finish}


def _text(content: str) -> dict[str, str]:
    return {"type": "text", "content": content}
