"""The most influential pairs as a value: what it says, and what it does not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import clipped, share, share_interval
from vivavoce.generalization.evaluation.report import LEAD, asked
from vivavoce.generalization.influential.report import Predicted, means, method, pairs
from vivavoce.interview.scope import Signature
from vivavoce.report.blocks import Caveats, InFull, Report
from vivavoce.report.parts import paragraphs
from vivavoce.report.reported import Reported


@dataclass(frozen=True, slots=True, repr=False)
class InfluentialPairs(Reported):
    """What `influential_pairs` returns."""

    predictor: str
    source: str
    n: int
    """Pairs of questions; each is predicted after a right answer and after a wrong one."""
    questions: int
    """Different ones."""
    after_right: Estimate
    """Mean predicted chance of a change."""
    after_wrong: Estimate
    difference: Estimate
    """After a wrong answer less after a right one, pair by pair."""
    highest_right: tuple[Predicted, ...]
    """After a right answer, the highest chance first."""
    lowest_right: tuple[Predicted, ...]
    """After a right answer, the lowest chance first."""
    highest_wrong: tuple[Predicted, ...]
    lowest_wrong: tuple[Predicted, ...]
    notes: tuple[str, ...]
    """How the chances were obtained, each in a sentence."""
    signature: Signature

    @property
    def statement(self) -> str:
        """The result in plain words."""
        right, wrong = (
            f"{share(one.value or 0.0)} {share_interval(one.interval)}" for one in (self.after_right, self.after_wrong)
        )
        name = f"The predictor “{clipped(self.predictor, 80)}”" if self.predictor else "The predictor"
        return (
            f"{name} predicts that a wrong answer changes the belief about another question in {wrong} of cases, "
            f"and a right one in {right}: {self.compared}."
        )

    @property
    def compared(self) -> str:
        """Which of them tells people more."""
        ends = self.difference.interval
        if ends.lower > 0:
            return "a wrong answer tells people more"
        return "a right answer tells people more" if ends.upper < 0 else "neither clearly tells people more"

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the numbers do not show."""
        return (
            "These are predictions, not answers of people: what looks informative to the predictor need not be so to people.",
            "The highest and the lowest of many predictions are where the predictor errs most, too.",
            "The intervals are for other pairs of questions, not for another predictor: 'evaluate' shows how far off it is.",
            "Whether a belief changes is predicted, not in which direction.",
        )

    def report(self) -> Report:
        """All of it as blocks."""
        return self.reported(
            "The most telling answers",
            f"Answers that change beliefs, by {clipped(self.predictor, 80) or 'a predictor'}",
            InFull(paragraphs(f"{LEAD} Questions: {clipped(self.source, 120) or 'not named'}.")),
            means(self.after_wrong, self.after_right, self.difference),
            *pairs("A wrong answer that changes the belief", self.highest_wrong),
            *pairs("A right answer that changes the belief", self.highest_right),
            *pairs("A wrong answer that leaves it as it was", self.lowest_wrong),
            *pairs("A right answer that leaves it as it was", self.lowest_right),
            asked(self.notes),
            Caveats(self.caveats),
            method(self.n, self.questions, self.notes),
            headline=self.statement,
        )

    def figures_as_json(self) -> dict[str, Any]:
        """The numbers as JSON values; null for what is not known."""
        return {
            "predictor": self.predictor,
            "source": self.source,
            "n": self.n,
            "questions": self.questions,
            "after_right": self.after_right.as_json(),
            "after_wrong": self.after_wrong.as_json(),
            "difference": self.difference.as_json(),
            **{
                name: [one.as_json() for one in getattr(self, name)]
                for name in ("highest_right", "lowest_right", "highest_wrong", "lowest_wrong")
            },
            "notes": list(self.notes),
        }
