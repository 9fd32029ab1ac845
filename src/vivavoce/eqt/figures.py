"""The figures of an examination on a candidate's own explanations, what its questions are worth, and one of them in full."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from vivavoce.eqt.questions import Concept, Item, Manner
from vivavoce.formats.interval import Estimate


@dataclass(frozen=True, slots=True)
class Shown:
    """How often an answer is the example that the printed prompt shows, and how often it would be right."""

    answers: int
    of_answers: int
    """That could be read."""
    keys: int
    of_keys: int


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of one examination, category or concept.

    Intervals are 95%, clustered by concept; where there is one concept only, by question, and then they speak of other
    questions on that concept. Where there is too little for an interval it is all that is possible; a value is None where
    nothing was seen.
    """

    name: str
    """A category or concept; empty for the whole."""
    concepts: int
    """Concepts with a question at least."""
    questions: int
    """Questions that were written."""
    closed: Estimate
    """Share of closed-book answers that are exactly the key, over originals and paraphrases.

    This, and all that follows up to the gap, counts replies that could not be read against the figure: see `highest`.

    What was never put, as the budget had run out, is no answer: it is not among them, and counted in `not_asked`.
    """
    closed_originals: Estimate
    """The same over originals alone."""
    partial: Estimate
    """Partial credit over both: options chosen and right over options chosen or right (Jaccard)."""
    open_book: Estimate
    """Share of originals answered exactly with the explanation at hand."""
    gap: Estimate
    """The comprehension gap: open-book less closed-book accuracy, paired by question, over originals that were asked both."""
    acs: Estimate
    """Mean answer consistency, as printed: 1 - (distinct answers - 1) / answers; its floor is 1 / answers.

    Over questions that were asked in two wordings at least: one answer alone is neither consistent nor inconsistent.
    """
    acs_rescaled: Estimate
    """1 - (distinct - 1) / (answers - 1), which does reach 0."""
    unreadable: Estimate
    """Share of closed-book answers that could not be read or did not come."""
    highest: Mapping[str, float] = field(default_factory=dict)
    """Name of a figure -> what it would be if every reply that came, and could not be read, were counted in its favour.

    The figure itself counts these against it, so that the truth lies between the two; so does its interval, at either end.
    A figure that does not depend on such replies is not among them.
    """

    def as_json(self) -> dict[str, Any]:
        """The figures as JSON values; the names are part of the public face."""
        values: dict[str, Any] = {"name": self.name, "concepts": self.concepts, "questions": self.questions}
        for name in ("closed", "closed_originals", "partial", "open_book", "gap", "acs", "acs_rescaled", "unreadable"):
            highest = {"highest": self.highest[name]} if name in self.highest else {}
            values[name] = getattr(self, name).as_json() | highest
        return values


@dataclass(frozen=True, slots=True)
class Validity:
    """What the questions are worth. Counts of questions, of paraphrases where said so."""

    wanted: int
    written: int
    manners: Mapping[Manner, int]
    """How the writer's replies were read."""
    not_written: Mapping[str, int]
    """Reason -> how many."""
    pointing: int
    """Point at a text, by their words."""
    not_self_contained: int
    """By the checker."""
    duplicates: int
    key_checked: int
    key_failed: int
    """The checker, with the explanation at hand, does not reproduce the key; unreadable checks are not among them."""
    key_unreadable: int
    paraphrases_wanted: int
    paraphrases_made: int
    paraphrases_changed: int
    """Mean something else, by the checker."""
    paraphrases_unchecked: int
    not_paraphrased: Mapping[str, int]
    """Reason -> how many."""
    valid: int
    """Questions without any fault: they point at nothing, are self-contained and no duplicates, and their key is reproduced.

    Where nothing is checked (`EqtConfig.checks`), those in which no fault was found.
    """


@dataclass(frozen=True, slots=True)
class Example:
    """One question in full words with what was answered, for readers."""

    concept: Concept
    explanation: str
    item: Item
    why: str
    """What it shows: `answered with the explanation, not without it`, `another answer to each wording`, ..."""
