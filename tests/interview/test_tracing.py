"""Spans of attempts to ask, by OpenTelemetry's conventions for generative AI, kept by its own SDK.

The names of attributes are written out here as the conventions have them: nothing of the code under test is their witness.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from tests import tracing
from tests.candidates.conftest import seen, server
from tests.interview.candidates import Actor
from tests.interview_settings import interview_settings
from vivavoce.candidates import close_candidate, open_candidate
from vivavoce.errors import CandidateMisconfigured, TransportFault
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.record import digest_of
from vivavoce.interview.retries import AskSettings
from vivavoce.interview.schedule import Clock
from vivavoce.interview.tracing import CAPTURE, examining
from vivavoce.interview.transcript import Transcript

__all__ = ["seen", "server"]
SECRET = "a-key-that-nobody-may-see"


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    """What is kept of this test's spans."""
    monkeypatch.delenv(CAPTURE, raising=False)
    return tracing.in_memory(monkeypatch)


async def _asked(name: str, *prompts: Prompt, clock: Clock = Clock(), **how: Any) -> list[Reply | NoAnswer]:  # noqa: B008 -- frozen
    candidate = open_candidate(name)
    try:
        interview = Interview(candidate, answers=Reply, **interview_settings(clock=clock, **how))
        return [await interview.ask(prompt, topic="sums/first") for prompt in prompts]
    finally:
        await close_candidate(candidate)


async def _at_once(_: float) -> None:
    await asyncio.sleep(0)


def _of(span: ReadableSpan) -> Mapping[str, Any]:
    return dict(span.attributes or {})


async def test_a_call_to_a_model_has_the_attributes_of_the_conventions(spans: InMemorySpanExporter, server: str) -> None:
    prompt = Prompt("What is 2 + 3?", id="q7", temperature=0.5)
    [reply] = await _asked(f"chat:ok@{server}/v1?max_tokens=9&seed=4&stop=A&stop=B&price_in=1&price_out=2", prompt)
    assert isinstance(reply, Reply)
    probe, span = spans.get_finished_spans()
    assert _of(probe)["vivavoce.topic"] != "sums/first"  # whether the server takes a temperature was asked first
    assert (span.name, span.kind, span.status.status_code) == ("chat ok", SpanKind.CLIENT, StatusCode.UNSET)
    assert span.instrumentation_scope is not None
    assert span.instrumentation_scope.name == "vivavoce"
    values = dict(_of(span))
    assert len(values.pop("vivavoce.question.digest")) == len(digest_of(""))
    assert values == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "ok",
        "gen_ai.request.temperature": 0.5,
        "gen_ai.request.max_tokens": 9,
        "gen_ai.request.seed": 4,
        "gen_ai.request.stop_sequences": ("A", "B"),
        "gen_ai.output.type": "text",
        "gen_ai.response.model": "served-model",
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.usage.input_tokens": 7,
        "gen_ai.usage.output_tokens": 3,
        "server.address": "127.0.0.1",
        "server.port": int(server.rpartition(":")[2]),
        "vivavoce.candidate": f"chat:ok@{server}/v1?max_tokens=9&seed=4&stop=A&stop=B",
        "vivavoce.topic": "sums/first",
        "vivavoce.question.number": 2,
        "vivavoce.question.id": "q7",
        "vivavoce.draw": 0,
        "vivavoce.attempt": 1,
        "vivavoce.money": (7 * 1 + 3 * 2) / 1e6,
    }


async def test_attempts_have_spans_of_their_own_with_numbers(spans: InMemorySpanExporter, server: str) -> None:
    prompts = [Prompt("once more?", id="a"), Prompt("well, once?", id="b")]
    await _asked(f"chat:busy:2@{server}/v1?system=attempts", *prompts, clock=Clock(sleep=_at_once))
    rows = [
        (at["vivavoce.question.number"], at["vivavoce.attempt"], at.get("error.type"), span.status.status_code)
        for span in spans.get_finished_spans()
        for at in [_of(span)]
    ]
    assert rows == [
        (1, 1, "429", StatusCode.ERROR),
        (1, 2, "429", StatusCode.ERROR),
        (1, 3, None, StatusCode.UNSET),
        (2, 1, None, StatusCode.UNSET),
    ]


@pytest.mark.parametrize(
    ("model", "kind"),
    [("status-500", "500"), ("not-json", "NotAReply"), ("cut-within", "ClientPayloadError"), ("hang", "timeout")],
)
async def test_what_went_wrong_is_told_by_its_kind_alone(
    spans: InMemorySpanExporter, server: str, model: str, kind: str
) -> None:
    _, answer = await _asked(f"chat:{model}@{server}/v1", Prompt("well?"), Prompt("?"), attempts=1, time_out=0.3)
    assert isinstance(answer, NoAnswer)
    _, span = spans.get_finished_spans()
    assert _of(span)["error.type"] == kind
    assert span.status.status_code is StatusCode.ERROR
    assert not span.status.description  # a server's words may quote the prompt
    assert not span.events


async def test_no_connection_and_no_such_model_are_told_by_their_kind(
    spans: InMemorySpanExporter, server: str, unused_tcp_port: int
) -> None:
    candidate = open_candidate(f"chat:ok@http://127.0.0.1:{unused_tcp_port}/v1")
    with pytest.raises(TransportFault):
        await candidate.answer(Prompt("?"))
    interview = Interview(candidate, answers=Reply, settings=AskSettings(attempts=1))
    with pytest.raises(Exception, match="no connection"):
        await interview.ask(Prompt("?"))
    await close_candidate(candidate)
    with pytest.raises(CandidateMisconfigured):
        await _asked(f"chat:status-401@{server}/v1", Prompt("?"))
    kinds = [_of(span)["error.type"] for span in spans.get_finished_spans()]
    assert kinds == ["ClientConnectorError", "CandidateMisconfigured"]


@pytest.mark.parametrize(("setting", "captured"), [(None, False), ("false", False), ("event_only", False), ("true", True)])
async def test_what_was_said_is_told_only_where_it_is_asked_for(
    spans: InMemorySpanExporter, server: str, monkeypatch: pytest.MonkeyPatch, setting: str | None, captured: bool
) -> None:
    if setting is not None:
        monkeypatch.setenv(CAPTURE, setting)
    await _asked(f"chat:echo@{server}/v1?system=Be brief", Prompt("a word of mine", system="And kind"))
    [span] = spans.get_finished_spans()
    assert ("a word of mine" in span.to_json()) is captured
    assert ("And kind" in span.to_json()) is captured
    if captured:
        assert json.loads(_of(span)["gen_ai.input.messages"]) == [
            {"role": "user", "parts": [{"type": "text", "content": "a word of mine"}]}
        ]
        assert json.loads(_of(span)["gen_ai.output.messages"]) == [
            {"role": "assistant", "parts": [{"type": "text", "content": "a word of mine"}], "finish_reason": "stop"}
        ]
        assert json.loads(_of(span)["gen_ai.system_instructions"]) == [{"type": "text", "content": "Be brief\n\nAnd kind"}]


@pytest.mark.parametrize("model", ["leak-reply", "leak-error", "leak-text"])
async def test_no_span_holds_the_key(
    spans: InMemorySpanExporter, server: str, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    monkeypatch.setenv("VIVA_API_KEY", SECRET)
    monkeypatch.setenv(CAPTURE, "true")
    await _asked(f"chat:{model}@{server}/v1", Prompt("well?"), Prompt("?"), attempts=1)
    _, span = spans.get_finished_spans()
    assert SECRET not in span.to_json()


async def test_what_is_no_model_has_a_span_without_words_about_models(spans: InMemorySpanExporter) -> None:
    async def wrong(_: Prompt) -> str:
        raise ValueError("what was said")

    await _asked("bot:calculator", Prompt("What is 2 + 3?"))
    await Interview(Actor(wrong), answers=Reply).ask(Prompt("?"))
    first, second = spans.get_finished_spans()
    assert (first.name, first.kind) == ("ask bot:calculator", SpanKind.INTERNAL)
    assert not [name for name in _of(first) if not name.startswith("vivavoce.")]
    assert _of(second)["error.type"] == "ValueError"
    assert "what was said" not in second.to_json()


async def test_what_the_examiner_withdraws_is_no_error(spans: InMemorySpanExporter, server: str) -> None:
    task = asyncio.create_task(_asked(f"chat:hang@{server}/v1", Prompt("withdrawn?")))
    await asyncio.sleep(0.1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    [span] = spans.get_finished_spans()
    assert _of(span)["vivavoce.withdrawn"] is True
    assert span.status.status_code is StatusCode.UNSET


async def test_calls_belong_to_the_examination_and_what_a_candidate_does_to_its_call(spans: InMemorySpanExporter) -> None:
    async def thinks(_: Prompt) -> str:
        with trace.get_tracer("of the candidate").start_as_current_span("thinks"):
            return "Answer: 5"

    with examining("viva certify"):
        interview = Interview(Actor(thinks), answers=Reply)
        await asyncio.gather(*[interview.ask(Prompt(str(number))) for number in range(3)])
    by_name: dict[str, list[ReadableSpan]] = {}
    for span in spans.get_finished_spans():
        by_name.setdefault(span.name.partition(" ")[0], []).append(span)
    [root] = by_name["viva"]
    assert root.context is not None
    assert root.kind is SpanKind.INTERNAL
    calls = {span.context.span_id for span in by_name["ask"] if span.context is not None}
    assert len(calls) == 3
    assert {span.parent.span_id for span in by_name["ask"] if span.parent} == {root.context.span_id}
    assert {span.parent.span_id for span in by_name["thinks"] if span.parent} == calls


async def test_what_is_on_record_has_no_span(spans: InMemorySpanExporter) -> None:
    with Transcript.open(None) as transcript:
        for _ in range(2):
            await Interview(open_candidate("bot:calculator"), answers=Reply, transcript=transcript).ask(Prompt("1 + 1?"))
    assert len(spans.get_finished_spans()) == 1


def test_an_examination_that_fails_has_a_span_that_failed(spans: InMemorySpanExporter) -> None:
    above = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    with pytest.raises(OSError, match="full"), examining("viva certify", above=above):
        raise OSError("the disk is full")
    [span] = spans.get_finished_spans()
    assert span.context is not None
    assert f"{span.context.trace_id:032x}" == "0af7651916cd43dd8448eb211c80319c"
    assert _of(span)["error.type"] == "OSError"
    assert span.status.status_code is StatusCode.ERROR


@pytest.mark.parametrize("set_up", [False, True])
def test_nothing_is_imported_and_no_span_made_where_nobody_asks(set_up: bool) -> None:
    program = f"""
import asyncio, sys
from vivavoce.candidates import open_candidate
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.retries import AskSettings
if {set_up}:
    import opentelemetry.trace
asyncio.run(Interview(open_candidate("bot:calculator"), answers=Reply).ask(Prompt("What is 2 + 3?")))
print(*[name for name in sys.modules if name.startswith("opentelemetry")])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert ("opentelemetry.sdk" in done.stdout, bool(done.stdout.strip())) == (False, set_up)


def test_who_asks_is_asked_again_whenever_an_interview_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask() -> None:
        await Interview(open_candidate("bot:calculator"), answers=Reply).ask(Prompt("What is 2 + 3?"))

    tracing.untraced(monkeypatch)
    asyncio.run(ask())
    spans = tracing.in_memory(monkeypatch)
    asyncio.run(ask())
    assert len(spans.get_finished_spans()) == 1
