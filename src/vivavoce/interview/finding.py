"""What stands at the foot of every finding: enough for a stranger to have its numbers again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


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
