"""What a survey of belief changes has found, as a value, and what it says and does not say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import count, percent, percent_interval, score, score_interval
from vivavoce.interview.finding import Signature, short
from vivavoce.version import __version__

CONFIDENCE: Final = 0.95


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of a survey."""

    stage: int | None
    """None where none was kept."""
    changed: Estimate
    """Share of answers with a belief change, of the pairs that were drawn for it."""
    weighted: Estimate | None
    """The same of all pairs from which they were drawn, by the weights; None where all have the same weight."""


@dataclass(frozen=True, slots=True)
class Direction:
    """What people did after they had seen a right answer, or a wrong one."""

    changed: Estimate
    risen: Estimate
    """Share of answers after which the belief was higher."""
    fallen: Estimate
    posterior: Estimate
    """Mean belief afterwards, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Spread:
    """How beliefs and their changes are spread (Figure 5 of `vafa2024`)."""

    prior: Estimate
    """Mean."""
    posterior: Estimate
    change: Estimate
    """Mean, up and down against each other."""
    slight: Estimate
    """Share of changes of 5 percent points or less."""
    priors: tuple[int, ...]
    """Answers with a belief from 0, from 10 ... from 90 to 100 percent."""
    posteriors: tuple[int, ...]
    changes: tuple[int, ...]
    """Answers that fell by 90 to 100 points ... by up to 10, that stayed, that rose by up to 10 ... by 90 to 100."""


@dataclass(frozen=True, slots=True)
class SurveyFinding:
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
        right, wrong = self.after_right.risen.value, self.after_wrong.fallen.value
        if right is not None and wrong is not None:
            told.append(f"Beliefs rose after {percent(right)} of right answers, and fell after {percent(wrong)} of wrong ones.")
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
            told.append(f"Of {count(self.unfinished)} pairs a first belief alone is known: they are in no figure.")
        if not self.people:
            told.append(
                "The answers do not say whose they are: intervals treat answers as by different persons, and may be too narrow."
            )
        if self.spread is None:
            told.append("Only changes are known: how sure people were, and how far they moved, cannot be said.")
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

    def __repr__(self) -> str:
        return short(self)

    def as_json(self) -> dict[str, Any]:
        """The figures as JSON values; null for what is not known."""
        spread = self.spread
        return {
            "statement": self.statement,
            "caveats": list(self.caveats),
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
            **{name: _direction(getattr(self, name)) for name in ("after_right", "after_wrong")},
            "spread": None
            if spread is None
            else {
                **{name: getattr(spread, name).as_json() for name in ("prior", "posterior", "change", "slight")},
                **{name: list(getattr(spread, name)) for name in ("priors", "posteriors", "changes")},
            },
            "signature": self.signature.line,
        }


def share_in_words(estimate: Estimate) -> str:
    """A share with its interval; says where there is none.

    >>> from vivavoce.formats.interval import Interval
    >>> share_in_words(Estimate(0.25, Interval(0.2, 0.3), 300)), share_in_words(Estimate(None, Interval(0, 1), 0))
    ('25% [20, 30]', 'too little to say')
    """
    if estimate.value is None:
        return "too little to say"
    return f"{percent(estimate.value)} {percent_interval(estimate.interval)}"


def belief_in_words(estimate: Estimate) -> str:
    """A mean belief with its interval.

    >>> from vivavoce.formats.interval import Interval
    >>> belief_in_words(Estimate(0.629, Interval(0.6, 0.66), 300))
    '0.63 [0.60, 0.66]'
    """
    if estimate.value is None:
        return "too little to say"
    return f"{score(estimate.value)} {score_interval(estimate.interval)}"


def _direction(found: Direction) -> dict[str, Any]:
    return {name: getattr(found, name).as_json() for name in ("changed", "risen", "fallen", "posterior")}
