import math
from typing import Any

import numpy as np
import pytest

from vivavoce.studies.rules.describe import change_in_words


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (np.array([1, 2]), np.array([1, 2, 3]), "a [1, 2] → [1, 2, 3], the other 1 the same"),
        (np.array([1, 2]), np.array([1, 3]), "a [1, 2] → [1, 3], the other 1 the same"),
        (np.array([math.nan, 1]), np.array([math.nan, 1]), "the same input again"),
        (math.nan, math.nan, "the same input again"),
        ("1", 1, "a 1 → 1, the other 1 the same"),
    ],
)
def test_what_differs_is_told_whatever_the_features_are(before: Any, after: Any, words: str) -> None:
    assert change_in_words([{"a": before, "b": 1}, {"a": after, "b": 1.0}]) == words
