"""Spans of `viva certify` as a collector has them that speaks OTLP over HTTP, and what happens where there is none."""

from __future__ import annotations

import sys

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from tests import tracing
from tests.candidates.conftest import server
from tests.cli.conftest import Viva

__all__ = ["server"]
CERTIFY = ("certify", "--scope", "arithmetic", "--seed", "0", "--questions", "6", "--json", "--quiet")


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable of the environment asks for traces, and no test affects the next."""
    tracing.untraced(monkeypatch)
    for name in ("OTEL_TRACES_EXPORTER", "OTEL_SDK_DISABLED", "OTEL_EXPORTER_OTLP_ENDPOINT", "TRACEPARENT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "60")  # however busy the machine is


def test_a_collector_gets_the_examination_and_its_calls(viva: Viva, server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20of-the-collector")
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test")
    monkeypatch.setenv("TRACEPARENT", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
    with tracing.collecting() as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.address)
        ended = viva(*CERTIFY, f"chat:calculator@{server}/v1")
    assert ended.values["figures"]["questions"] == 6
    assert not ended.err
    assert {headers["authorization"] for headers in collector.headers} == {"Bearer of-the-collector"}
    resource = {pair.key: pair.value.string_value for pair in collector.requests[0].resource_spans[0].resource.attributes}
    assert (resource["service.name"], resource["deployment.environment.name"]) == ("vivavoce", "test")
    *calls, root = collector.spans
    assert root.name == "viva certify"
    assert root.parent_span_id.hex() == "b7ad6b7169203331"
    assert {span.trace_id.hex() for span in collector.spans} == {"0af7651916cd43dd8448eb211c80319c"}
    asked = [span for span in calls if tracing.values(span)["vivavoce.topic"] == "certificate/arithmetic"]
    assert len(asked) == 6
    for span in asked:
        values = tracing.values(span)
        assert (span.name, span.kind) == ("chat calculator", Span.SPAN_KIND_CLIENT)
        assert span.parent_span_id == root.span_id
        assert values["gen_ai.usage.input_tokens"] == 7
        assert values["gen_ai.response.finish_reasons"] == ["stop"]


def test_without_a_collector_the_examination_goes_on_with_one_warning(
    viva: Viva, unused_tcp_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = viva(*CERTIFY, "bot:calculator")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://me:secret@127.0.0.1:{unused_tcp_port}")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "0.2")
    ended = viva(*CERTIFY, "bot:calculator")
    assert (ended.code, ended.out) == (plain.code, plain.out)
    assert ended.err.startswith("viva: warning: traces can't be sent")
    assert ended.err.count("\n") == 1


def test_a_collector_that_refuses_is_told_once(viva: Viva, monkeypatch: pytest.MonkeyPatch) -> None:
    with tracing.collecting(status=400) as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", f"{collector.address}/v1/traces")
        ended = viva(*CERTIFY, "bot:calculator")
    assert collector.spans
    assert ended.err.count("viva: warning: traces can't be sent") == ended.err.count("\n") == 1


def test_the_console_is_standard_error(viva: Viva, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = viva(*CERTIFY, "bot:calculator")
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "console")
    ended = viva(*CERTIFY, "bot:calculator")
    assert ended.out == plain.out
    assert ended.err.count('"name": "ask bot:calculator"') == 6
    assert ended.err.count('"name": "viva certify"') == 1


@pytest.mark.parametrize(
    ("variables", "warning"),
    [
        ({"OTEL_SDK_DISABLED": "true"}, ""),
        ({"OTEL_TRACES_EXPORTER": "none"}, ""),
        ({"OTEL_TRACES_EXPORTER": "jaeger"}, "OTEL_TRACES_EXPORTER names 'jaeger', which is unknown"),
        ({"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, "OTEL_EXPORTER_OTLP_PROTOCOL is 'grpc', and only http/protobuf is supported"),
    ],
)
def test_variables_that_switch_it_off_or_ask_for_what_there_is_not(
    viva: Viva, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], warning: str
) -> None:
    with tracing.collecting() as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.address)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        ended = viva(*CERTIFY, "bot:calculator")
    assert ended.values["figures"]["questions"] == 6
    assert not collector.requests
    assert warning in ended.err
    assert ended.err.count("\n") == bool(warning)


def test_a_question_that_failed_has_that_status_there(viva: Viva, server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with tracing.collecting() as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.address)
        viva(*CERTIFY, f"chat:hang@{server}/v1", "--set", "timeout=0.2")
    failed = [span for span in collector.spans if span.status.code == Status.STATUS_CODE_ERROR]
    assert {tracing.values(span)["error.type"] for span in failed} == {"timeout", "CandidateUnreachable"}
    assert len(failed) >= 6


@pytest.mark.parametrize(
    ("module", "package"),
    [
        ("opentelemetry.sdk.resources", "opentelemetry-sdk"),
        ("opentelemetry.exporter.otlp.proto.http.trace_exporter", "opentelemetry-exporter-otlp-proto-http"),
    ],
)
def test_without_the_extra_the_examination_goes_on_with_the_remedy(
    viva: Viva, monkeypatch: pytest.MonkeyPatch, module: str, package: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    ended = viva(*CERTIFY, "bot:calculator")
    assert ended.values["figures"]["questions"] == 6
    assert f"'{package}' is not installed: pip install 'vivavoce[otel]'" in ended.err
    assert ended.err.count("\n") == 1
