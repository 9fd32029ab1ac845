"""What was asked for on the command line of `viva consistency cases`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vivavoce.cli.asking import Asking

if TYPE_CHECKING:
    from vivavoce.consistency.legal.cases.examine import SetUp


@dataclass(frozen=True, slots=True)
class Order:
    """What was asked for on the command line."""

    classifier: str
    asking: Asking
    cases: Path
    writer: str | None
    checker: str | None
    paraphrases_file: Path | None
    export: Path | None
    box: str
    importance: str
    paraphrases: int
    facts: int
    shortest: int
    skip_first: bool
    repeats: int
    threshold: float
    claim: str | None
    limit: int | None
    seed: int
    each: Path | None
    as_json: bool
    html: Path | None

    @property
    def setup(self) -> SetUp:
        """How cases are examined."""
        from vivavoce.consistency.legal.cases.examine import SetUp
        from vivavoce.consistency.legal.cases.trials import Box

        return SetUp(
            boxes=(Box.BLACK, Box.WHITE) if self.box == "both" else (Box(self.box),),
            importance=self.importance,  # type: ignore[arg-type]  # click allows no other
            paraphrases=self.paraphrases,
            facts=self.facts,
            shortest=self.shortest,
            skip_first=self.skip_first,
            repeats=self.repeats,
            threshold=self.threshold,
            seed=self.seed,
        )
