"""What one candidate's examination on its own explanations shows: figures, the quality of the questions, some in full."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final

from vivavoce.eqt.config import EqtConfig
from vivavoce.eqt.grounding import Grounding
from vivavoce.eqt.questions import Answer, Concept, Item, Manner, Role
from vivavoce.formats.interval import Estimate
from vivavoce.interview.forms.repeated_answers import RepeatedAnswer
from vivavoce.interview.forms.several_options import Choice, letters
from vivavoce.interview.scope import Signature

KIND: Final = "eqt"
"""Name of the examination and of its JSON document."""


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


@dataclass(frozen=True, slots=True)
class EqtResult:
    """What `score` returns."""

    candidate: str
    """Who answers."""
    roles: Mapping[Role, str]
    set_up: EqtConfig
    whole: Figures
    valid: Figures
    """Over valid questions alone, and paraphrases that keep the meaning."""
    categories: tuple[Figures, ...]
    concepts: tuple[Figures, ...]
    validity: Validity
    manners: Mapping[Manner, int]
    """How closed-book answers were read."""
    after_turn: int
    """How many of them were read only after a further turn that asked for the final answer alone."""
    pattern: RepeatedAnswer[Choice] | None
    """The most frequent closed-book answer, and how often the keys have it; None where no answer could be read."""
    of_one_pattern: Mapping[str, Figures]
    """Where one answer prevails: the figures that are withheld from `whole` and `valid`, under these names; else empty."""
    unread: Mapping[str, int]
    """Why closed-book answers could not be read -> how many."""
    not_asked: int
    """Wordings that were there, but were not put, as the budget had run out."""
    no_explanation: Mapping[str, int]
    """Why concepts have no explanation -> how many."""
    examples: tuple[Example, ...]
    planned: int
    """Concepts that were to be examined."""
    completed: int
    calls: int
    tokens_in: int
    tokens_out: int
    money: float
    exhausted: str
    visitors: Mapping[str, Estimate]
    """Cross-examination: who else answered these questions -> closed-book accuracy on originals."""
    ahead: Mapping[str, Estimate]
    """The same names -> accuracy less the candidate's own on these questions, paired by question."""
    signature: Signature
    asking: tuple[str, ...] = ()
    """What to know about how the candidates were asked, in sentences."""
    answered: Mapping[str, Mapping[tuple[str, int], Answer]] = field(default_factory=dict, repr=False)
    """The visitors' answers themselves."""
    grounding: Grounding | None = None
    """What the user's sources show; None where there are none."""
    shown: Shown | None = None
    """How often the example of the printed prompts came as an answer; None with prompts of our own."""
    cut_explanations: int = 0
    """Explanations that were cut off by a limit, and count as far as they go."""
    other_options: int = 0
    """Questions with more or fewer options than were asked for."""

    @property
    def explains_itself(self) -> bool:
        """Whether the candidate answers questions on its own explanations, and not on another's."""
        return self.roles.get("explainer", self.candidate) == self.candidate

    @property
    def measured(self) -> bool:
        """Whether there was any question to ask."""
        return self.whole.questions > 0

    def values(self) -> dict[str, object]:
        """All figures by name for JSON, without the texts."""
        values = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in _NO_FIGURES}
        if self.pattern is not None:
            values["pattern"] = pattern_as_json(self.pattern)
        if self.grounding is not None:
            grounding = {one.name: getattr(self.grounding, one.name) for one in fields(self.grounding)}
            checker = self.grounding.checker
            values["grounding"] = grounding | {"checker": checker and pattern_as_json(checker)}
        return values | {"signature": self.signature.line}


_NO_FIGURES: Final = ("examples", "asking", "answered", "signature")


def pattern_as_json(pattern: RepeatedAnswer[Choice]) -> dict[str, Any]:
    """The most frequent answer for JSON."""
    values = {"answer": letters(pattern.value), "repeated": pattern.repeated, "prevails": pattern.prevails}
    names = ("answers", "of_answers", "questions", "keys", "of_questions", "p", "best")
    return values | {name: getattr(pattern, name) for name in names}
