"""In a worker process, of this machine or of a Dask cluster: engines that wait for the next chunk of questions."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from vivavoce.errors import CandidateMisconfigured


class Closable(Protocol):
    """An engine."""

    def close(self) -> None:
        """End its process."""
        ...


E = TypeVar("E", bound=Closable)
E_co = TypeVar("E_co", bound=Closable, covariant=True)


@dataclass(frozen=True, slots=True)
class Made(Generic[E_co]):
    """How an engine is made; sent to workers, which know it by this again."""

    kind: Callable[[Any], E_co]
    settings: Any

    def __call__(self) -> E_co:
        """A new one."""
        return self.kind(self.settings)


_idle: dict[Made[Any], list[Any]] = {}
"""As many as the process has threads. They die with the process."""


@contextmanager
def engine_of(made: Made[E]) -> Iterator[E]:
    """An engine that lives on for the next chunk. One that is another than it should be is told with its worker."""
    idle = _idle.setdefault(made, [])
    engine = idle.pop() if idle else made()
    try:
        yield engine
    except CandidateMisconfigured as error:
        raise CandidateMisconfigured(f"{_on_worker()}{error}") from None
    finally:
        idle.append(engine)


def end_engines(made: Made[Any]) -> None:
    """In a worker process that others use as well: end the engines that wait."""
    for engine in _idle.pop(made, []):
        engine.close()


def _on_worker() -> str:
    """Which worker of a Dask cluster this is, as the beginning of a sentence; nothing in any other process."""
    dask = sys.modules.get("distributed")
    try:
        return "" if dask is None else f"worker {dask.get_worker().address}: "
    except (AttributeError, ValueError):
        return ""
