"""What a survey of belief changes has found, as a value, and what it says and does not say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from vivavoce.formats.interval import CONFIDENCE, Estimate
from vivavoce.formats.wording import clipped, count, percent, percent_interval
from vivavoce.generalization.survey.conduct import Conduct
from vivavoce.generalization.survey.conduct_report import ABOUT_WAVES, sections
from vivavoce.generalization.survey.figures import Direction, Spread, Stage
from vivavoce.generalization.survey.report import (
    changes,
    directions,
    drawn,
    means,
    respondents,
    share_in_words,
    stage_lines,
    table,
)
from vivavoce.interview.scope import Signature
from vivavoce.report.blocks import Caveats, Figure, InFull, Report
from vivavoce.report.parts import paragraphs
from vivavoce.report.reported import Reported
from vivavoce.version import __version__

SHOWN_SOURCE: Final = 200
"""Characters."""


@dataclass(frozen=True, slots=True, repr=False)
class SurveyFinding(Reported):
    """The figures of a survey."""

    source: str
    digest: str
    counts: Mapping[str, int] | None
    """Respondents: begun, agreed, done, failed, withdrawn, unfinished; None where it is not known."""
    unfinished: int
    """Answers with a first belief alone."""
    people: int
    """0 where answers name nobody."""
    distinct: int
    """Pairs."""
    changed: Estimate
    stages: tuple[Stage, ...]
    after_right: Direction
    after_wrong: Direction
    spread: Spread | None
    """None where only changes are known, not beliefs."""
    conduct: Conduct | None = None
    """How it was answered; None where an export does not say."""

    @property
    def statement(self) -> str:
        """The result in up to three plain sentences."""
        return " ".join((self.headline, *self.more))

    @property
    def headline(self) -> str:
        """How often beliefs changed."""
        who = f" by {count(self.people)} {'person' if self.people == 1 else 'people'}" if self.people else ""
        answers = f"{count(self.changed.n)} answer{'' if self.changed.n == 1 else 's'}{who}"
        return (
            "Seeing an answer to one question changed the belief about another in "
            f"{percent(self.changed.value or 0.0)} {percent_interval(self.changed.interval)} of {answers}."
        )

    @property
    def more(self) -> tuple[str, ...]:
        """What there is to say about stages and directions, a sentence each."""
        told = []
        numbered = [one for one in self.stages if one.stage is not None]
        if len(numbered) > 1:
            first, last = (f"{share_in_words(one.changed)} in stage {one.stage}" for one in (numbered[0], numbered[-1]))
            told.append(f"It was {first} and {last}.")
        right, wrong = self.after_right.risen, self.after_wrong.fallen
        if right.value is not None and wrong.value is not None:
            told.append(
                f"Beliefs rose after {share_in_words(right)} of right answers, and fell after {share_in_words(wrong)} of wrong "
                "ones."
            )
        return tuple(told)

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the figures do not show, each in a sentence."""
        told = [
            "People who answer surveys chose to (self-selection): nothing here holds for people at large.",
            "Any difference of the two numbers counts as a change, also of one point. Nobody was asked twice without an answer "
            "in between, so how much of it is chance is not known.",
            "Respondents may take all answers for those of one answerer: answers seen earlier in a survey may affect later "
            "beliefs.",
        ]
        if any(one.weighted is not None for one in self.stages):
            told.append("Shares of a stage are of the pairs that were drawn for it; the weighted ones are of all pairs.")
        if self.unfinished:
            pairs = "1 pair" if self.unfinished == 1 else f"{count(self.unfinished)} pairs"
            told.append(f"Of {pairs} a first belief alone is known: such pairs are in no figure.")
        if not self.people:
            told.append(
                "The answers do not say whose they are: intervals treat answers as by different persons, and may be too narrow."
            )
        if self.spread is None:
            told.append("Only changes are known: how sure people were, and how far they moved, cannot be said.")
        if self.conduct is not None and self.conduct.waves is not None:
            told.append(ABOUT_WAVES)
        lost = 0 if self.counts is None else self.counts.get("unfinished", 0) + self.counts.get("withdrawn", 0)
        if lost:
            told.append(
                f"{count(lost)} of {count((self.counts or {})['begun'])} respondents stopped, have not finished yet, or "
                "withdrew."
            )
        return tuple(told)

    @property
    def signature(self) -> Signature:
        """How these figures were made."""
        settings = {"confidence": CONFIDENCE, "answers": self.changed.n, "people": self.people}
        return Signature(__version__, "generalization survey", "people", self.source, self.digest, 0, settings)

    def report(self) -> Report:
        """All of it as blocks."""
        return self.reported(
            "Survey of belief changes",
            f"Belief changes in {clipped(self.source, SHOWN_SOURCE)}",
            InFull(paragraphs(" ".join(self.more))),
            Figure(stage_lines(self.stages)),
            *drawn(self.spread),
            table(changes(self.changed, self.stages), directions(self.after_right, self.after_wrong), means(self.spread)),
            *paragraphs(respondents(self.counts)),
            *(sections(self.conduct, self.changed) if self.conduct is not None else ()),
            Caveats(self.caveats),
        )

    def figures_as_json(self) -> dict[str, Any]:
        """The numbers as JSON values; null for what is not known."""
        spread = self.spread
        return {
            "counts": None if self.counts is None else dict(self.counts),
            "unfinished": self.unfinished,
            "people": self.people,
            "pairs": self.distinct,
            "changed": self.changed.as_json(),
            "stages": [
                {
                    "stage": one.stage,
                    "changed": one.changed.as_json(),
                    "weighted": None if one.weighted is None else one.weighted.as_json(),
                }
                for one in self.stages
            ],
            "after_right": self.after_right.as_json(),
            "after_wrong": self.after_wrong.as_json(),
            "spread": None
            if spread is None
            else {
                **{name: getattr(spread, name).as_json() for name in ("prior", "posterior", "change", "slight")},
                **{name: list(getattr(spread, name)) for name in ("priors", "posteriors", "changes")},
            },
            **(self.conduct.as_json() if self.conduct is not None else {}),
        }
