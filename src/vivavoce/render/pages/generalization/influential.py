"""What the most influential pairs say on their page: everything the template needs, already in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from vivavoce.embeddings.embedding import plain_text
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import clipped, percent, percent_interval, signed, signed_interval
from vivavoce.generalization.influential import InfluentialPairs, Predicted, in_words
from vivavoce.render.pages.generalization.evaluate import notes

SHOWN_CHARACTERS: Final = 600
"""Of a question."""
KINDS: Final = (
    ("A wrong answer that changes the belief", "highest_wrong"),
    ("A right answer that changes the belief", "highest_right"),
    ("A wrong answer that leaves it as it was", "lowest_wrong"),
    ("A right answer that leaves it as it was", "lowest_right"),
)


def influential_title(finding: InfluentialPairs) -> str:
    """What the page is."""
    return f"Answers that change beliefs, by {clipped(finding.predictor, 80) or 'a predictor'}"


def influential_body(finding: InfluentialPairs, name: str) -> dict[str, Any]:
    """The values of the template; there is nothing with an id in it, so `name` is not needed."""
    return {
        "finding": finding,
        "source": clipped(finding.source, 120) or "not named",
        "numbers": numbers(finding),
        "kinds": [(title, [shown(one, SHOWN_CHARACTERS) for one in pairs]) for title, pairs in kinds(finding)],
        "method": [
            f"{in_words(finding)[0].upper()}{in_words(finding)[1:]}. Means have Student's intervals at level 95%, which allow "
            "for pairs that share a question.",
            *notes(finding.notes),
        ],
    }


def numbers(finding: InfluentialPairs) -> list[tuple[str, str, str]]:
    """What is counted, the number and its interval."""
    return [
        ("After a wrong answer", *_share(finding.after_wrong)),
        ("After a right answer", *_share(finding.after_right)),
        ("Difference", signed(finding.difference.value or 0.0), signed_interval(finding.difference.interval)),
    ]


def kinds(finding: InfluentialPairs) -> list[tuple[str, Sequence[Predicted]]]:
    """The pairs of each kind, and what they are."""
    return [(title, getattr(finding, kind)) for title, kind in KINDS]


def shown(one: Predicted, limit: int) -> dict[str, str]:
    """A pair in words that can be shown."""
    pair = one.pair
    return {
        "chance": percent(one.change),
        "first": clipped(plain_text(pair.q1), limit),
        "second": clipped(plain_text(pair.q2), limit),
        "tasks": " → ".join(clipped(task.replace("_", " "), 60) for task in (pair.source1, pair.source2) if task),
    }


def _share(estimate: Estimate) -> tuple[str, str]:
    return percent(estimate.value or 0.0), percent_interval(estimate.interval)
