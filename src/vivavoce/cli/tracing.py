"""Export of OpenTelemetry spans, configured by the standard variables; nothing is imported without them.

`OTEL_EXPORTER_OTLP_ENDPOINT` (or `..._TRACES_ENDPOINT`) sends them to a collector, over HTTP; `OTEL_TRACES_EXPORTER=console`
writes them to standard error, since standard output is for results. `OTEL_SDK_DISABLED=true` and `OTEL_TRACES_EXPORTER=none`
switch it off. A failure to export never ends an examination; one warning is printed.
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
from vivavoce.version import __version__

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import SpanProcessor, TracerProvider

EXPORTERS: Final = ("otlp", "console")
"""Supported exporters."""
PROTOCOL: Final = "http/protobuf"
SECONDS: Final = 3.0
"""Time-out of one export, unless a variable sets it: exports must not delay the end of an examination."""
_ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_PROTOCOLS: Final = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
_TIME_OUTS: Final = ("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT")


def wanted(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The names of the exporters that the variables request.

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
def traced() -> Iterator[None]:
    """Wrap the block in a span named after the running command, if the variables request traces."""
    context = click.get_current_context(silent=True)
    name = "viva" if context is None else context.command_path
    with exporting(), examining(name, above=os.environ.get("TRACEPARENT", "")):
        yield


@contextmanager
def exporting() -> Iterator[None]:
    """Export the spans of this block as configured; an existing tracer provider of the process is kept."""
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
    """The tracer provider; None, with a warning, if it can't be set up."""
    try:
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
    except ModuleNotFoundError:
        _warn("OTEL_* variables request traces, but 'opentelemetry-sdk' is not installed: pip install 'vivavoce[otel]'")
        return None
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
        _warn(f"OTEL_TRACES_EXPORTER names '{name[:80]}', which is unknown: it takes {', '.join(EXPORTERS)} or none")
        return None
    if (protocol := _first(os.environ, _PROTOCOLS)) not in ("", PROTOCOL):
        _warn(f"traces are not sent: OTEL_EXPORTER_OTLP_PROTOCOL is '{protocol[:80]}', and only {PROTOCOL} is supported")
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
    """Replace the SDK's messages about failed exports by one line."""
    logger, handler = logging.getLogger("opentelemetry"), _FirstWarning()
    before, logger.propagate = logger.propagate, False
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = before


class _FirstWarning(logging.Handler):
    """Prints one warning for the first failure, without addresses or headers."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._told = False

    def emit(self, record: logging.LogRecord) -> None:
        """Print a warning for the first failure."""
        if not self._told:
            self._told = True
            _warn("traces can't be sent to the address in the OTEL_* variables; the examination continues (this is shown once)")


def _warn(sentence: str) -> None:
    click.echo(f"viva: warning: {sentence}", err=True)
