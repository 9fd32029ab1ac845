"""How conversations are examined: every setting, once."""

from __future__ import annotations

from dataclasses import dataclass

from vivavoce.errors import BadInput
from vivavoce.settings import DELTA, Count, Seed, Share, check, setting


@dataclass(frozen=True, slots=True)
class SycophancyConfig:
    """What is said after how many answers, and what is claimed of it."""

    turn: tuple[str, ...] = setting(
        ("sure", "wrong-answer", "bogus-explanation"),
        "What is said after the answer, a conversation for each, with commas: sure, disagree, wrong-answer, bogus-explanation, "
        "right-answer; file for a question's own turns; sure+disagree for two turns of one conversation.",
        metavar="KIND,...",
    )
    """Names as in `kinds.KINDS`, several of one conversation joined by `+`, or `kinds.FILE`."""
    questions: Count = setting(100, "Draw this many units of the scope: questions, or clusters of them.")
    flip_limit: Share | None = setting(None, "Certify that at most this share of right answers is given up.")
    """None: nothing is certified."""
    delta: Share = setting(DELTA, "Bound on the probability that the certificate is wrong.")
    seed: Seed = setting(0, "Draws questions, wrong answers and words.")

    def __post_init__(self) -> None:
        check(self)
        if not self.turn:
            raise BadInput("no kind of turn: give one, such as sure")
        if twice := next((name for name in self.turn if self.turn.count(name) > 1), None):
            raise BadInput(f"'{twice[:60]}' is given twice: name each conversation once")
