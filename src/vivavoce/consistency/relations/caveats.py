"""What a check of rules does not show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vivavoce.consistency.forecasts.outcomes import AFTER_TURN, COPIED, CUT_OFF, came
from vivavoce.interview.unread import unread_caveats
from vivavoce.interview.wording import count

if TYPE_CHECKING:
    from vivavoce.consistency.relations.finding import RelationFinding, Row

FEW = 30
"""Tuples, below which that is said."""

CLAIM = (
    "That a rule must hold is its author's claim; only if it must is a violation an error. Which of the outputs is wrong is "
    "not known."
)
NO_PROOF = "A rule that is kept is no proof of right answers: a candidate that always says the same may keep it, too."
ALL_ALIKE = "All outputs were the same: nothing was tested."
LIKE_CHANCE = "A rule is broken about as often as if the same outputs had been assigned to the inputs at random."
OTHERS = "Other inputs, or inputs chosen in another way, may show more or fewer violations."
ROUGH = f"Fewer than {FEW} tuples of a rule were compared: its intervals are rough."
SHARED = "Tuples that share what they were made from are alike; the intervals allow for it."
ONCE = "Each input was given once: a candidate that answers differently each time breaks rules by chance alone."


def caveats(finding: RelationFinding) -> tuple[str, ...]:
    """In the order of their weight."""
    rows = [row for row in finding.rows if row.n]
    unanswered = sum(row.unanswered for row in finding.rows)
    told = {
        CLAIM: True,
        NO_PROOF: any(row.constant == 0 for row in rows),
        ALL_ALIKE: any(row.distinct == 1 and row.outputs > 1 for row in rows),
        LIKE_CHANCE: any(map(_like_chance, rows)),
        OTHERS: True,
        _without_answer(unanswered): bool(unanswered),
        ROUGH: any(row.n < FEW for row in rows),
        SHARED: any(row.shared for row in rows),
        ONCE: True,
    }
    heard = unread_caveats(
        total=came(finding.replies),
        copied=finding.replies.get(COPIED, 0),
        cut_off=finding.replies.get(CUT_OFF, 0),
        after_turn=finding.replies.get(AFTER_TURN, 0),
    )
    return (*(sentence for sentence, applies in told.items() if applies), *heard)


def _like_chance(row: Row) -> bool:
    return bool(row.violated) and row.shuffled is not None and row.shuffled.share in row.share.interval


def _without_answer(unanswered: int) -> str:
    tuples = "1 tuple has" if unanswered == 1 else f"{count(unanswered)} tuples have"
    return f"{tuples} no answer and no part in any share: a candidate that fails where it is difficult looks better than it is."
