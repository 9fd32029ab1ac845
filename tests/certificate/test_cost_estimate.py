"""How far it is to a verdict, where there is next to nothing to go on."""

from __future__ import annotations

import numpy as np
import pytest

from vivavoce.certificate.claims.claim import Criterion
from vivavoce.certificate.evidence.inference import still_needed

SCORES = np.array([1.0] * 13 + [0.0] * 7)
NONE = np.zeros(20)


@pytest.mark.parametrize("gap", [0.0, 1e-16, 1e-12, 1e-9])
@pytest.mark.parametrize("side", [-1, 1])
def test_at_the_grade_itself_nothing_can_be_told(gap: float, side: int) -> None:
    # by Taylor, growth is gap² / (2 · .65 · .35) a question, 2e-18 at 1e-9
    for limit in (None, 0.01):
        criterion = Criterion(0.65 + side * gap, limit, 0.1)
        assert still_needed(SCORES, SCORES, NONE, criterion, population=None) is None
        assert still_needed(SCORES, SCORES, NONE, criterion, population=240) == 220
