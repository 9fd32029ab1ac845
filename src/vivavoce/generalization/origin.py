"""Where chances and pairs come from, for the record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vivavoce.interview.scope import Signature
from vivavoce.version import __version__


@dataclass(frozen=True, slots=True)
class Origin:
    """What gave the chances, and where the pairs are from."""

    predictor: str = ""
    source: str = ""
    """Name of the file of the pairs."""
    digest: str = ""
    """SHA-256 in hex of that file."""
    seed: int = 0
    in_sample: bool = False
    """Whether the predictor was fitted on these very pairs."""
    unlabelled: int = 0
    """Pairs that were left out before, because they have no label."""
    notes: tuple[str, ...] = ()
    """How the chances were obtained, where there is something to say about it; each in a sentence."""

    def signature(self, examination: str, settings: Mapping[str, Any]) -> Signature:
        """The signature of a finding on these."""
        return Signature(
            version=__version__,
            examination=examination,
            candidate=self.predictor or "chances",
            scope=self.source or "pairs",
            scope_digest=self.digest,
            seed=self.seed,
            settings=settings,
        )
