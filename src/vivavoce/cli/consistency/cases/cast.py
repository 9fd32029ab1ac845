"""Who takes part in `viva consistency cases`, as named on the command line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Cast:
    """Who takes part."""

    classifier: str
    claim: str | None
    """The claim whose probability a language model is asked for in place of a classifier; None: the usual one."""
    writer: str | None
    """The language model that paraphrases facts."""
    checker: str | None
    paraphrases_file: Path | None
    """Paraphrases that are there already."""
