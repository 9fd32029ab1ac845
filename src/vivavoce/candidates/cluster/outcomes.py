"""Messages between the main process and its workers: the candidate, its version, and the outcome of a question."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

from vivavoce.candidates.cluster.scheduler import Opener
from vivavoce.candidates.text import shortened
from vivavoce.errors import VivavoceError
from vivavoce.version import __version__

TRAITS: Final = (
    "ways", "time_out", "asked_again", "declared_deterministic", "never_sent", "prices", "source_digest", "converses",
    "concurrency", "errors_are_own",
)  # fmt: skip
"""Properties of a candidate that an interview reads."""
_SHOWN: Final = 12
"""Digits of a digest."""


def traits_of(candidate: object) -> dict[str, Any]:
    """The properties in `TRAITS` that a candidate has."""
    return {name: getattr(candidate, name) for name in TRAITS if hasattr(candidate, name)}


@dataclass(frozen=True, slots=True)
class Version:
    """The version of everything that an answer depends on, if known."""

    program: str
    """Vivavoce, with a digest of its source."""
    name: str
    """The candidate's name, which contains an engine's weights and program."""
    source: str
    """Digest of a function's file; empty for other candidates."""

    def differs(self, here: Version) -> str:
        """How `here` is another version, as a clause; empty if it is the same.

        >>> Version("vivavoce 1", "function:m:f", "aa").differs(Version("vivavoce 1", "function:m:f", "bb"))
        "'function:m:f' has the source bb there, not aa"
        """
        if self.program != here.program:
            return f"'{shortened(here.program, 80)}' is installed there, not '{self.program}'"
        if self.name != here.name:
            return f"the candidate is '{shortened(here.name, 200)}' there, not '{self.name}'"
        if self.source != here.source:
            return f"'{self.name}' has the source {here.source or 'of no file'} there, not {self.source or 'of no file'}"
        return ""


@dataclass(frozen=True, slots=True)
class CandidateRequest:
    """Which candidate a worker must open."""

    address: str
    """The candidate's name as given, which opens it."""
    opener: Opener
    version: Version | None = None
    """None: any version."""


@dataclass(frozen=True, slots=True)
class CandidateDescription:
    version: Version
    traits: dict[str, Any]
    """The properties in `TRAITS` that it has."""


@dataclass(frozen=True, slots=True)
class AnswerOutcome:
    answer: Any


@dataclass(frozen=True, slots=True)
class TimeoutOutcome:
    """The candidate took longer than it may."""


@dataclass(frozen=True, slots=True)
class ErrorOutcome:
    kind: type[VivavoceError] | str
    """One of ours, or the name of any other."""
    text: str
    attributes: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def by(cls, error: BaseException) -> ErrorOutcome:
        if isinstance(error, VivavoceError):
            return cls(type(error), str(error), dict(error.__dict__))
        return cls(type(error).__name__, str(error))

    @property
    def error(self) -> Exception:
        if isinstance(self.kind, str):
            named: type[Exception] = type(self.kind, (Exception,), {})
            return named(self.text)
        error: Exception = self.kind.__new__(self.kind, self.text)
        error.__dict__.update(self.attributes)
        return error


@dataclass(frozen=True, slots=True)
class RefusalOutcome:
    """The worker does not have this version of the candidate."""

    worker: str
    reason: str

    @classmethod
    def by(cls, worker: str, error: Exception) -> RefusalOutcome:
        """An outcome for an error while the candidate was opened on the worker."""
        return cls(worker, str(error) if isinstance(error, VivavoceError) else f"{type(error).__name__}: {error}")


Outcome = AnswerOutcome | TimeoutOutcome | ErrorOutcome | RefusalOutcome


@cache
def program() -> str:
    """The version of Vivavoce that runs here, with a digest of its source.

    >>> program().startswith("vivavoce ")
    True
    """
    digest, folder = hashlib.sha256(), Path(__file__).parents[2]
    for file in sorted(folder.rglob("*.py")):
        digest.update(f"{file.relative_to(folder).as_posix()}\n".encode() + file.read_bytes())
    return f"vivavoce {__version__} ({digest.hexdigest()[:_SHOWN]})"
