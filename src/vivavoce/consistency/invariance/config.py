"""How invariances are examined: every setting, once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from vivavoce.errors import BadInput
from vivavoce.settings import DELTA, Count, Seed, Share, Within, check, setting

SAME: Final = "same"
MOST_VARIANTS: Final = 10
"""The tables of sentences hold at least as many."""


@dataclass(frozen=True, slots=True)
class InvarianceConfig:
    """Which variations of how many questions, and what is claimed of them."""

    vary: tuple[str, ...] = setting(
        ("order", "typos", "context", "persona"),
        "Kinds of variation, with commas: order, typos, context, persona, turn; with a writer paraphrase, translate:LANGUAGE.",
        metavar="KIND,...",
    )
    """Names as in `kinds.KINDS`; a language is a code such as `de`, or its English name."""
    variants: Annotated[int, Within(1, MOST_VARIANTS)] = setting(
        1, "Variants of each question for each kind; the identical question is asked again as often."
    )
    """Fixed beforehand. A question flips if any of them is answered otherwise, so more variants find more."""
    law: str = setting(
        SAME,
        "What must hold between the answer to a question as it is and those to its variants: same, or of numbers same within "
        "0.5, at most (as it is no higher than varied), at least.",
        metavar="LAW",
    )
    """As a question file writes laws; only such as an answer keeps with itself."""
    questions: Count = setting(100, "Draw this many units of the scope: questions, or clusters of them.")
    flip_limit: Share | None = setting(None, "Certify that the answer flips on at most this share of questions.")
    """None: nothing is certified."""
    delta: Share = setting(DELTA, "Bound on the probability that the certificate is wrong.")
    seed: Seed = setting(0, "Draws questions and variants.")

    def __post_init__(self) -> None:
        check(self)
        if not self.vary:
            raise BadInput("no kind of variation: give one, such as order")
        if twice := next((name for name in self.vary if self.vary.count(name) > 1), None):
            raise BadInput(f"'{twice[:60]}' is given twice: name each kind once")
