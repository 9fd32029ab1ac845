"""Random search: what the others must beat."""

from __future__ import annotations

from vivavoce.consistency.chess.search.assessor import Assessor
from vivavoce.consistency.chess.search.variation import Variation

BATCH = 256
"""Boards that are assessed together; it has no influence on the result."""


async def random_search(assessor: Assessor, variation: Variation) -> None:
    """Assess boards drawn at random until the budget is used up."""
    while not assessor.exhausted:
        await assessor.differences(variation.fresh(BATCH))
