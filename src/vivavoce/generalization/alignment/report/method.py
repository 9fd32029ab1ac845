"""How models were compared with people's beliefs about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from vivavoce.formats.wording import count
from vivavoce.report.blocks import Fold
from vivavoce.report.parts import method_of

LEAD: Final = (
    "Somebody sees a model answer one question, and expects it to get another right or wrong. Here these expectations are "
    "compared with what the model did."
)


def method(pairs: int, sources: Mapping[str, int]) -> Fold:
    """How the numbers were found."""
    beliefs = ", ".join(f"{count(number)} {source}" for source, number in sources.items())
    return method_of(
        (
            f"{count(pairs)} pairs of questions. Somebody saw the answer to the first, right or wrong, and believes with some "
            "chance that the second will be answered right. A model counts with what it really did: with the beliefs after a "
            f"right answer where it was right, after a wrong one where it was wrong. Beliefs: {beliefs}.",
            "A threshold is the chance of being right above which somebody trusts a model. At a threshold of 90% a trusted "
            "mistake weighs nine times as much as a right answer that was not used, and weighted accuracy and cross-entropy "
            "weigh likewise (vafa2024).",
            "Cost per question, which the paper does not have: a right answer counts with one less the threshold times the "
            "disbelief, a mistake with the threshold times the belief. It is not divided by how much a model is wrong.",
            "A model dominates another if it answers every question right that the other does, and more. It is also held to be "
            "better if it answers more of the same questions right, with an interval above 0.",
            "Differences are paired: they are taken on the pairs that both models answered. Their p-values are of a bootstrap "
            "of Student's t over sets of pairs that share nothing; with fewer than twenty such sets, of bets. They are not "
            "adjusted for their number.",
        )
    )
