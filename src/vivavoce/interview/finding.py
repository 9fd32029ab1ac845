"""What an examination has found: numbers with intervals, in plain words, with caveats and a signature."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Interval:
    """All values from `lower` to `upper`, ends included.

    >>> 0.5 in Interval(0.4, 0.6)
    True
    """

    lower: float
    upper: float

    def __contains__(self, value: float) -> bool:
        return self.lower <= value <= self.upper


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its interval and the number of observations behind it."""

    value: float | None
    """None where nothing was observed; never 0 in its place."""
    interval: Interval
    n: int

    def as_json(self) -> dict[str, Any]:
        """The estimate as JSON values; null in place of what is not known, or not bounded.

        >>> Estimate(0.5, Interval(0.0, math.inf), 1).as_json()
        {'value': 0.5, 'lower': 0.0, 'upper': None, 'n': 1}
        """
        ends = (end if math.isfinite(end) else None for end in (self.interval.lower, self.interval.upper))
        return {"value": self.value, **dict(zip(("lower", "upper"), ends, strict=True)), "n": self.n}


@dataclass(frozen=True, slots=True)
class Signature:
    """Enough for a stranger to have the number again."""

    version: str
    examination: str
    candidate: str
    scope: str
    scope_digest: str
    """Empty where the scope has none, as positions that were made."""
    seed: int | None
    """None while it is a secret, since questions may still be drawn by it."""
    settings: Mapping[str, Any]

    @property
    def line(self) -> str:
        """One line for the foot of a finding.

        >>> Signature("0.1.0", "certificate", "bot:x", "sums", "ab" * 32, 0, {"delta": 0.05}).line
        'vivavoce 0.1.0 · certificate · bot:x · sums · scope abababababab · seed 0 · {"delta": 0.05}'
        """
        parts = [f"vivavoce {self.version}", self.examination, self.candidate, self.scope]
        if self.scope_digest:
            parts.append(f"scope {self.scope_digest[:12]}")
        return " · ".join(
            [
                *parts,
                "seed not revealed yet" if self.seed is None else f"seed {self.seed}",
                json.dumps(dict(self.settings), sort_keys=True),
            ]
        )


class Finding(Protocol):
    """What every examination returns."""

    @property
    def statement(self) -> str:
        """The result in one plain sentence."""
        ...

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the result does not show, each in a sentence."""
        ...

    @property
    def signature(self) -> Signature: ...

    def as_json(self) -> dict[str, Any]:
        """The finding as JSON values."""
        ...
