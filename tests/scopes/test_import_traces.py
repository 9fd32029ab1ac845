"""Calls of a model in traces as question files: spans as the SDK of OpenTelemetry encodes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.scopes.imported import as_scope
from vivavoce.errors import BadFile, BadInput
from vivavoce.scopes.importers.conversion import Conversion
from vivavoce.scopes.importers.traces import calls_of, from_calls

json_format = pytest.importorskip("google.protobuf.json_format")
encoder = pytest.importorskip("opentelemetry.exporter.otlp.proto.common.trace_encoder")
sdk = pytest.importorskip("opentelemetry.sdk.trace")

RUBRIC = "10 points: the answer helps.\n0 points: it does not."


def from_traces(file: Path, rubric: str = RUBRIC) -> Conversion:
    """Each call as a question, with the texts as they are."""
    return from_calls(file, calls_of(file), rubric, str, every_call=True)


def text(role: str, content: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": content}]}


def export(*spans: dict[str, Any]) -> str:
    """One export in OTLP's JSON: a span of each of these attributes, each in a trace of its own."""
    tracer = sdk.TracerProvider(shutdown_on_exit=False).get_tracer("an application")
    ended = []
    for attributes in spans:
        with tracer.start_as_current_span("chat", attributes=attributes) as span:
            pass
        ended.append(span)
    return json.dumps(json_format.MessageToDict(encoder.encode_spans(ended)))


def call(*messages: dict[str, Any], **others: Any) -> dict[str, Any]:
    named = {f"gen_ai.{name.replace('__', '.')}": value for name, value in others.items()}
    return {"gen_ai.operation.name": "chat", "gen_ai.input.messages": json.dumps(messages), **named}


def test_calls_are_asked_again_with_what_stood_before_them(tmp_path: Path) -> None:
    system = json.dumps([{"type": "text", "content": "Be brief."}])
    asked, replied = text("user", "Capital of Italy?"), text("assistant", "Rome.")
    file = tmp_path / "spans.jsonl"
    file.write_text(
        export(call(asked, conversation__id="c1", system_instructions=system), {"gen_ai.operation.name": "execute_tool"})
        + "\n"
        + export(call(asked, replied, text("user", "And of Peru?"), conversation__id="c1"), {"http.method": "GET"})
        + "\n"
        + export(call(text("user", "Hello?")))
        + "\n"
    )
    conversion = from_traces(file)
    assert not conversion.refused
    first, second, third = as_scope(conversion, tmp_path).questions
    assert (first.text, first.system, first.earlier, first.rubric) == ("Capital of Italy?", "Be brief.", (), RUBRIC)
    assert (second.text, second.earlier) == ("And of Peru?", (("Capital of Italy?", "Rome."),))
    assert (first.cluster, second.cluster, third.cluster) == ("c1", "c1", ""), "calls of one conversation count together"
    assert len({first.id, second.id, third.id}) == 3
    assert first.open_ended


def test_calls_that_cannot_be_asked_are_named_with_their_line(tmp_path: Path) -> None:
    picture = {"role": "user", "parts": [{"type": "uri", "modality": "image", "uri": "https://example.org/a.png"}]}
    file = tmp_path / "spans.jsonl"
    bad = [
        ({"gen_ai.operation.name": "chat"}, "has no gen_ai.input.messages: set OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE"),
        (call(picture), "content other than text"),
        (call(text("user", "Hi?"), text("assistant", "Hello.")), "the last one of the user"),
        (call(text("tool", "42")), "messages of the user and the assistant in turn"),
        ({"gen_ai.input.messages": "[{"}, "which is not JSON"),
        ({"gen_ai.input.messages": "{}"}, "a list is needed"),
        ({"gen_ai.input.messages": '["Hi?"]'}, "a message is a text: an object with a 'role'"),
    ]
    file.write_text("".join(export(attributes) + "\n" for attributes, _ in (*bad, (call(text("user", "Hello?")), ""))))
    conversion = from_traces(file)
    assert len(conversion.lines) == 1
    for line, (problem, (_, expected)) in enumerate(zip(conversion.refused, bad, strict=True), 1):
        assert f"spans.jsonl, line {line}: span " in str(problem)
        assert expected in str(problem)


def test_rows_of_chats_in_which_nothing_is_asked_are_named(tmp_path: Path) -> None:
    file = tmp_path / "chats.jsonl"
    file.write_text('{"messages": null}\n{"question": "Hi?"}\n{"prompt": ""}\n')
    conversion = from_traces(file)
    assert len(conversion.lines) == 1
    assert [str(problem).removeprefix(f"{file}, ") for problem in conversion.refused] == [
        "line 1: row 1: nothing in messages", "line 3: row 3: nothing in prompt",
    ]  # fmt: skip


def test_files_without_a_call_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "spans.json"
    file.write_text(export({"gen_ai.operation.name": "embeddings"}))
    with pytest.raises(BadFile, match="has no span of a model call"):
        from_traces(file)
    file.write_text('{"question": "Hi?"}')
    with pytest.raises(BadFile, match="is not an export of traces: it needs 'resourceSpans'"):
        from_traces(file)
    file.write_text('{"resourceSpans": [{"scopeSpans": [3]}]}')
    with pytest.raises(BadFile, match="'scopeSpans' is a list of objects"):
        from_traces(file)
    with pytest.raises(BadInput, match="a rubric of 0 characters"):
        from_traces(file, "  ")
