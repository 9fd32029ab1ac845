"""Spans as tests see them: kept in memory, or received over HTTP as a collector would."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from aiohttp import web
from multidict import CIMultiDictProxy
from opentelemetry import trace
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest, ExportTraceServiceResponse
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.util._once import Once


def untraced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody has said in this process where spans go, and whoever does says it for this test alone."""
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", None)
    monkeypatch.setattr(trace, "_TRACER_PROVIDER_SET_ONCE", Once())


def in_memory(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    """Keeps the spans of this process for the time of a test."""
    untraced(monkeypatch)
    provider, spans = TracerProvider(shutdown_on_exit=False), InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    trace.set_tracer_provider(provider)
    return spans


class Collector:
    """What has arrived at a collector that speaks OTLP over HTTP.

    status: what it answers.
    """

    def __init__(self, status: int = 200) -> None:
        self.requests: list[ExportTraceServiceRequest] = []
        self.headers: list[CIMultiDictProxy[str]] = []
        self.address = ""
        self._status = status

    @property
    def spans(self) -> list[Span]:
        """All spans, in the order in which they came."""
        scopes = [scope for request in self.requests for resource in request.resource_spans for scope in resource.scope_spans]
        return [span for scope in scopes for span in scope.spans]

    async def take(self, request: web.Request) -> web.Response:
        """One export."""
        assert request.content_type == "application/x-protobuf"
        self.headers.append(request.headers)
        self.requests.append(ExportTraceServiceRequest.FromString(await request.read()))
        body = ExportTraceServiceResponse().SerializeToString()
        return web.Response(status=self._status, body=body, content_type="application/x-protobuf")


@contextmanager
def collecting(status: int = 200) -> Iterator[Collector]:
    """A collector on a loopback port, in a thread of its own."""
    collector, loop = Collector(status), asyncio.new_event_loop()

    async def serve() -> web.AppRunner:
        app = web.Application()
        app.router.add_post("/v1/traces", collector.take)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        collector.address = f"http://127.0.0.1:{runner.addresses[0][1]}"
        return runner

    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    runner = asyncio.run_coroutine_threadsafe(serve(), loop).result(timeout=30)
    try:
        yield collector
    finally:
        asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result(timeout=30)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(timeout=30)
        loop.close()


def values(span: Span) -> dict[str, object]:
    """The attributes of a span as it came."""
    result: dict[str, object] = {}
    for pair in span.attributes:
        kind = pair.value.WhichOneof("value") or "string_value"
        value = getattr(pair.value, kind)
        result[pair.key] = [entry.string_value for entry in value.values] if kind == "array_value" else value
    return result
