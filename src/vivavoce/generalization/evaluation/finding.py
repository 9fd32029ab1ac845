"""What an evaluation finds: how well belief changes are predicted, as a value with its statement."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from vivavoce.formats.interval import CONFIDENCE
from vivavoce.formats.wording import clipped, count, score, share, share_interval, signed, signed_interval
from vivavoce.generalization.evaluation.figures import Bin, ByTask, Curve, Part
from vivavoce.generalization.evaluation.report import LEAD, asked, by_task, drawn, method, numbers
from vivavoce.interview.scope import Signature
from vivavoce.report.blocks import Caveats, InFull, Report
from vivavoce.report.parts import paragraphs
from vivavoce.report.reported import Reported


@dataclass(frozen=True, slots=True, repr=False)
class Evaluation(Reported):
    """What `evaluate` returns."""

    predictor: str
    source: str
    overall: Part
    right: Part
    """After a right answer."""
    wrong: Part
    by_task_from: tuple[ByTask, ...]
    """By the task of the question that was shown; the highest AUC first."""
    by_task_to: tuple[ByTask, ...]
    by_task_pair: tuple[ByTask, ...]
    bins: tuple[Bin, ...]
    """By the predicted chance, from the lowest."""
    curve: Curve | None
    in_sample: bool
    """Whether the predictor was fitted on these very pairs."""
    notes: tuple[str, ...]
    """How the chances were obtained, each in a sentence."""
    unlabelled: int
    """Pairs that were left out."""
    people: int
    """Who were asked, where that is known; else 0."""
    weighted: bool
    """Whether some pairs count more than others."""
    signature: Signature

    @property
    def parts(self) -> Mapping[str, Part]:
        """By name, as in the JSON."""
        return {"overall": self.overall, "right": self.right, "wrong": self.wrong}

    @property
    def name(self) -> str:
        """The predictor's, fit to begin a sentence."""
        return f"The predictor “{clipped(self.predictor, 80)}”" if self.predictor else "The predictor"

    @property
    def statement(self) -> str:
        """The result in plain words."""
        return f"{self.headline} {self.likelihood}"

    @property
    def headline(self) -> str:
        """How well it tells changed beliefs from unchanged ones, in one sentence."""
        part, auc = self.overall, self.overall.auc
        if auc.value is None:
            return f"{self.name} cannot be judged by its ranking: {auc.reason} in {count(part.n)} pairs."
        ends = f" {share_interval(auc.interval)}" if auc.interval else ""
        judged = "better than chance" if auc.interval and auc.interval.lower > 0.5 else "not shown to be better than chance"
        if auc.interval and auc.interval.upper < 0.5:
            judged = "worse than chance"
        where = ", on the very pairs that it was fitted on" if self.in_sample else ""
        ranked = f"{self.name} ranks a belief that changed above one that did not in {share(auc.value)}{ends} of comparisons"
        return f"{ranked}{where}: {judged}."

    @property
    def likelihood(self) -> str:
        """Whether its chances can be taken at their word, in one sentence."""
        gain = self.overall.gain
        by = f"{signed(gain.value or 0.0)}{f' {signed_interval(gain.interval)}' if gain.interval else ''}"
        if gain.interval and gain.interval.lower > 0:
            judged = "its chances say more than the share of changes alone"
        elif gain.interval and gain.interval.upper < 0:
            judged = "the share of changes alone would have done better"
        else:
            judged = "that is not shown to differ from the share of changes alone"
        return f"Its NLL is {score(self.overall.nll.value or 0.0)}, a gain of {by} over a constant: {judged}."

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the numbers do not show."""
        return _caveats(self)

    def report(self) -> Report:
        """All of it as blocks."""
        return self.reported(
            "Predictor of belief changes",
            f"Belief changes predicted by {clipped(self.predictor, 80) or 'a predictor'}",
            InFull(paragraphs(self.likelihood, f"{LEAD} Pairs: {clipped(self.source, 120) or 'not named'}.")),
            numbers(self.overall, self.right, self.wrong),
            *drawn(self.curve, self.overall.auc, self.bins),
            *by_task("By the task of the question that was shown", self.by_task_from),
            *by_task("By the task of the question that the belief is about", self.by_task_to),
            *by_task("By both tasks", self.by_task_pair),
            asked(self.notes),
            Caveats(self.caveats),
            method(self.people, self.notes),
        )

    def figures_as_json(self) -> dict[str, Any]:
        """The numbers as JSON values; null for what is not known."""

        def each(value: Callable[[Part], Any]) -> dict[str, Any]:
            return {name: value(part) for name, part in self.parts.items()}

        reasons = {
            f"{measure}/{name}": getattr(part, measure).reason
            for name, part in self.parts.items()
            for measure in ("auc", "nll")
            if getattr(part, measure).reason
        }
        return {
            "predictor": self.predictor,
            "source": self.source,
            "auc": each(lambda part: part.auc.value),
            "nll": each(lambda part: part.nll.value),
            "intervals": {
                "auc": each(lambda part: part.auc.ends),
                "nll": each(lambda part: part.nll.ends),
                "gain": each(lambda part: part.gain.ends),
            },
            "confidence": CONFIDENCE,
            "n": each(lambda part: part.n),
            "changed": each(lambda part: part.changed),
            "share": each(lambda part: part.share),
            "nll_baseline": each(lambda part: part.nll_baseline.value),
            "gain": each(lambda part: part.gain.value),
            "reasons": reasons,
            "by_task_from": [row.as_json() for row in self.by_task_from],
            "by_task_to": [row.as_json() for row in self.by_task_to],
            "by_task_pair": [row.as_json() for row in self.by_task_pair],
            "calibration": [
                {"predicted": one.predicted, "n": one.n, "changed": one.changed.value, "interval": one.changed.ends}
                for one in self.bins
            ],
            "in_sample": self.in_sample,
            "notes": list(self.notes),
            "unlabelled": self.unlabelled,
            "people": self.people,
        }


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


def _caveats(finding: Evaluation) -> tuple[str, ...]:
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
