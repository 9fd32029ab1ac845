"""Two models of which the better one does worse once people choose, with the questions that show it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from vivavoce.formats.wording import clipped, count, name_of, percent
from vivavoce.generalization.alignment.deployment import rule_in_words
from vivavoce.generalization.alignment.dominance import Dominance, Reversal, ReversalEvidence
from vivavoce.generalization.alignment.report.cells import points, signed_thousandths
from vivavoce.generalization.answers import plain
from vivavoce.report.blocks import Card, Fold, Pairs, Paragraph, Section

MOST: Final = 6
SHOWN_EVIDENCE: Final = 3
SHOWN_QUESTION: Final = 600
"""Characters."""


def reversals_section(dominance: Dominance) -> Section:
    """How often the better model does worse once people choose, and the clearest cases."""
    cards = tuple(map(_card, clearest_reversals(dominance.reversals)))
    return Section("Does the better model stay better?", (Paragraph(dominance_in_words(dominance)), *cards))


def clearest_reversals(reversals: Sequence[Reversal]) -> list[Reversal]:
    """Those beyond chance, one for each two models, the clearest first."""
    first: dict[tuple[str, str], Reversal] = {}
    for reversal in reversals:
        if reversal.beyond_chance:
            first.setdefault((reversal.better, reversal.worse), reversal)
    return list(first.values())[:MOST]


def dominance_in_words(dominance: Dominance) -> str:
    """How many pairs of models there are in which one is better, and in how many this turns."""
    if not dominance.compared:
        return "There are no two models to compare."
    turned = len({(case.better, case.worse) for case in dominance.reversals if case.beyond_chance})
    strict = "none of them by answering everything right that the other does" if not dominance.dominating else (
        f"in {count(len(dominance.dominating))} because it answers everything right that the other does"
    )  # fmt: skip
    return (
        f"Of {count(dominance.compared)} pairs of models one is better in {count(dominance.ordered)}, {strict}. In "
        f"{count(turned)} the better one does worse by some measure once people choose, beyond chance."
    )


def _card(reversal: Reversal) -> Card:
    gap, chosen = reversal.overall, reversal.chosen
    better, worse = name_of(reversal.better), name_of(reversal.worse)
    how = f"answers everything right that {worse} does, and more" if reversal.dominates else (
        f"answers {points(gap.value or 0.0)} points more of the same questions right than {worse} "
        f"[{points(gap.interval.lower)}, {points(gap.interval.upper)}]"
    )  # fmt: skip
    kind, _, value = reversal.by.partition(":")
    by = f"weighted accuracy at a threshold of {percent(float(value))}" if kind == "accuracy" else rule_in_words(reversal.by)
    sentence = (
        f"{better} {how}. Once people choose it does worse: {by}, {signed_thousandths(chosen.value or 0.0)} "
        f"[{signed_thousandths(chosen.interval.lower)}, {signed_thousandths(chosen.interval.upper)}]."
    )
    evidence = tuple(Card((_evidence(instance, better, worse),)) for instance in reversal.evidence[:SHOWN_EVIDENCE])
    return Card((Paragraph(sentence), Fold("Questions that show it", evidence)), f"{better} and {worse}")


def _evidence(instance: ReversalEvidence, better: str, worse: str) -> Pairs:
    """A pair of questions in words: what was shown, what was asked about, what people believed."""
    first, second = (clipped(plain(text), SHOWN_QUESTION) for text in (instance.first, instance.second))
    beliefs = f"{percent(instance.beliefs[0])} that {better} gets it right, {percent(instance.beliefs[1])} that {worse} does"
    answers = f"{better} {'right' if instance.right[0] else 'wrong'}, {worse} {'right' if instance.right[1] else 'wrong'}"
    return Pairs((("Seen", first), ("Expected", second), ("Belief", beliefs), ("Answers", answers)))
