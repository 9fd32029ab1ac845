"""Where the spans of an examination go, by the standard variables of OpenTelemetry; nothing is imported where none asks.

`OTEL_EXPORTER_OTLP_ENDPOINT` (or `..._TRACES_ENDPOINT`) sends them to a collector, over HTTP; `OTEL_TRACES_EXPORTER=console`
writes them to standard error, since standard output is for results. `OTEL_SDK_DISABLED=true` and `OTEL_TRACES_EXPORTER=none`
switch all of it off. What goes wrong with traces never ends an examination: it is told once.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import click

from vivavoce.interview.tracing import examining, tracer

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import SpanProcessor, TracerProvider

EXPORTERS: Final = ("otlp", "console")
"""That are known by name."""
PROTOCOL: Final = "http/protobuf"
SECONDS: Final = 3.0
"""For one export, unless a variable says otherwise: what is left when an examination ends holds its end up no longer."""
_ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_PROTOCOLS: Final = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
_TIME_OUTS: Final = ("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT")


def wanted(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The names of the exporters that the variables ask for; none where nobody asks.

    >>> wanted({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4318"}), wanted({})
    (('otlp',), ())
    >>> wanted({"OTEL_TRACES_EXPORTER": "console", "OTEL_SDK_DISABLED": "true"})
    ()
    """
    if environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return ()
    named = environment.get("OTEL_TRACES_EXPORTER", "").strip()
    if not named:
        return ("otlp",) if _first(environment, _ENDPOINTS) else ()
    names = dict.fromkeys(name.strip().lower() for name in named.split(","))
    return tuple(name for name in names if name not in ("", "none"))


@contextmanager
def traced(name: str) -> Iterator[None]:
    """One span of this name around the examination in this block, where the variables ask for traces."""
    with exporting(), examining(name, above=os.environ.get("TRACEPARENT", "")):
        yield


@contextmanager
def exporting() -> Iterator[None]:
    """Have the spans of this block go where the variables say; a process that has said so itself keeps its own way."""
    exporters = wanted(os.environ)
    provider = _provider(exporters) if exporters and tracer() is None else None
    if provider is None:
        yield
        return
    from opentelemetry import trace

    trace.set_tracer_provider(provider)
    with _told_once():
        try:
            yield
        finally:
            provider.shutdown()


def _provider(exporters: tuple[str, ...]) -> TracerProvider | None:
    """What collects spans and exports them; None, after a warning, where that cannot be had."""
    try:
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
    except ModuleNotFoundError:
        _warn("OTEL_* variables ask for traces, and 'opentelemetry-sdk' is not installed: pip install 'vivavoce[otel]'")
        return None
    from vivavoce.version import __version__

    processors = [processor for name in exporters if (processor := _processor(name)) is not None]
    if not processors:
        return None
    named = os.environ.get("OTEL_SERVICE_NAME") or "service.name=" in os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    about = {"service.version": __version__} | ({} if named else {"service.name": "vivavoce"})
    provider = TracerProvider(resource=Resource.create(about), shutdown_on_exit=False)
    for processor in processors:
        provider.add_span_processor(processor)
    return provider


def _processor(name: str) -> SpanProcessor | None:
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter, SimpleSpanProcessor

    if name == "console":
        return SimpleSpanProcessor(ConsoleSpanExporter(out=sys.stderr))
    if name != "otlp":
        _warn(f"OTEL_TRACES_EXPORTER names '{name[:80]}', which is not known: it takes {', '.join(EXPORTERS)} or none")
        return None
    if (protocol := _first(os.environ, _PROTOCOLS)) not in ("", PROTOCOL):
        _warn(f"traces are not sent: OTEL_EXPORTER_OTLP_PROTOCOL is '{protocol[:80]}', and only {PROTOCOL} is spoken")
        return None
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    except ModuleNotFoundError:
        _warn("traces are not sent: 'opentelemetry-exporter-otlp-proto-http' is not installed: pip install 'vivavoce[otel]'")
        return None
    return BatchSpanProcessor(OTLPSpanExporter(timeout=None if _first(os.environ, _TIME_OUTS) else SECONDS))


def _first(environment: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next((environment[name].strip() for name in names if environment.get(name, "").strip()), "")


@contextmanager
def _told_once() -> Iterator[None]:
    """Have whatever goes wrong with traces in this block told in one line, rather than in many of the SDK's own."""
    logger, handler = logging.getLogger("opentelemetry"), _Once()
    before, logger.propagate = logger.propagate, False
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = before


class _Once(logging.Handler):
    """Tells the first thing that goes wrong with traces, in words that hold no address or header, and no more."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._told = False

    def emit(self, record: logging.LogRecord) -> None:
        """Tell it, if it is the first."""
        if not self._told:
            self._told = True
            _warn("traces do not arrive where OTEL_* variables send them; the examination goes on, and tells this once")


def _warn(sentence: str) -> None:
    click.echo(f"viva: warning: {sentence}", err=True)
