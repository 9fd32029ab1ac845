"""What `fluri2024` reports of its own classifier of cases, to stand beside what is found here."""

from __future__ import annotations

from typing import Final

ACCURACY: Final = 0.816
"""Table 15, on the test set of `chalkidis2019`; the paper gives no interval."""
PRECISION: Final = 0.814
RECALL: Final = 0.933
F1: Final = 0.869
EPOCHS: Final = 7
"""Table 14, as the next three."""
BATCH: Final = 64
RATE: Final = 0.001
WARM_UP: Final = 0
TO_VIOLATION: Final = 0.50
"""Section 7.3, white box: cases decided as no violation where a paraphrase of the most important fact flips the decision."""
FROM_VIOLATION: Final = 0.07
"""The same of cases decided as a violation."""
