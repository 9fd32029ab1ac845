"""What an evaluation of a predictor does not show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from vivavoce.interview.wording import count

if TYPE_CHECKING:
    from vivavoce.generalization.evaluation import Evaluation

FEW: Final = 100
"""Pairs, below which that is said."""

WHETHER = (
    "Whether a belief changes is predicted, not in which direction, nor by how much: a person may trust the model more after a "
    "wrong answer."
)
IN_SAMPLE = (
    "The predictor was fitted on these very pairs: the figures say how well it remembers, not how well it predicts. Evaluate "
    "it on pairs that were held out."
)
SAME_PAIRS = (
    "Pairs that the predictor was fitted on are predicted better than others. This is another file than it was fitted on; "
    "whether single pairs are in both is not checked."
)
OTHERS = "Other questions, other people and other models that people have heard of by then may be predicted worse."
LABELS = (
    "It is not known who was asked. Labels of a single person are noisy, which bounds how well anybody can predict them; "
    "those of a majority are less so."
)
TARGETED = "Pairs that a survey picked for their chance to change are predicted better, or worse, than pairs drawn at random."
WEIGHTED = "Pairs count by their weights: few heavy ones can carry the figures; the intervals allow for it."
ROUGH = f"Fewer than {FEW} pairs: all figures are rough, those by task most of all."
TASKS = "Of many tasks some come out high or low by chance alone: figures by task are no ranking."


def caveats(finding: Evaluation) -> tuple[str, ...]:
    """In the order of their weight."""
    told = {
        IN_SAMPLE: finding.in_sample,
        SAME_PAIRS: not finding.in_sample,
        WHETHER: True,
        OTHERS: True,
        TARGETED: True,
        LABELS: not finding.people,
        WEIGHTED: finding.weighted,
        _left_out(finding.unlabelled): bool(finding.unlabelled),
        ROUGH: finding.overall.n < FEW,
        TASKS: len(finding.by_task_from) + len(finding.by_task_to) + len(finding.by_task_pair) > 1,
    }
    return tuple(sentence for sentence, applies in told.items() if applies)


def _left_out(unlabelled: int) -> str:
    pairs = "1 pair does" if unlabelled == 1 else f"{count(unlabelled)} pairs do"
    return f"{pairs} not say whether the belief changed and {'has' if unlabelled == 1 else 'have'} no part in any figure."
