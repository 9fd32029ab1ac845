"""What a candidate tells of a call to a model, for whoever traces or counts such calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from vivavoce.interview.candidate import Prompt


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One request to a model as it is about to be sent. Holds no secret."""

    model: str
    """As it stands in the request."""
    provider: str
    """Who offers it, by OpenTelemetry's list of names where that has one."""
    address: str = ""
    """Name or number of the server's machine; empty where it is not known."""
    port: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What the request sets, by the names of the OpenAI-compatible protocol: `temperature`, `max_tokens` and so on."""
    system: str = ""
    """The system text, as it is sent."""


@runtime_checkable
class CallsModel(Protocol):
    """A candidate each of whose answers is one request to a model that is elsewhere."""

    def call(self, question: Prompt, /) -> ModelCall:
        """The request that this question becomes."""
        ...
