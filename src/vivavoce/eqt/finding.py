"""What an examination on a candidate's own explanations finds, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from vivavoce.eqt.caveats import caveats, of_comparison
from vivavoce.eqt.questions import Answer, Concept, Item, Manner, Role, SetUp
from vivavoce.eqt.wording import headline, headline_of_comparison, others, others_of_comparison
from vivavoce.interview.finding import Estimate, Signature
from vivavoce.interview.forms.letters import Choice, letters
from vivavoce.interview.forms.patterns import Pattern


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

    Where nothing is checked (`SetUp.checks`), those in which no fault was found.
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
class ExplainQueryTest:
    """What `score` returns."""

    candidate: str
    """Who answers."""
    roles: Mapping[Role, str]
    set_up: SetUp
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
    pattern: Pattern[Choice] | None
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

    @property
    def headline(self) -> str:
        """The result in one sentence."""
        return headline(self)

    @property
    def others(self) -> str:
        """What comes next, in a sentence or two; may be empty."""
        return others(self)

    @property
    def statement(self) -> str:
        """The result in plain words."""
        return f"{self.headline} {self.others}".rstrip()

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the figures do not show."""
        return caveats(self)

    def as_json(self) -> dict[str, Any]:
        """The finding as JSON values, without the texts; the names are part of the public face."""
        return {
            "statement": self.statement,
            "candidate": self.candidate,
            "roles": dict(self.roles),
            "set_up": asdict(self.set_up),
            "whole": figures_as_json(self.whole),
            "valid": figures_as_json(self.valid),
            "categories": [figures_as_json(figures) for figures in self.categories],
            "concepts": [figures_as_json(figures) for figures in self.concepts],
            "validity": asdict(self.validity),
            "manners": dict(self.manners),
            "after_turn": self.after_turn,
            "pattern": self.pattern and pattern_as_json(self.pattern),
            "of_one_pattern": {name: figures_as_json(figures) for name, figures in self.of_one_pattern.items()},
            "unread": dict(self.unread),
            "not_asked": self.not_asked,
            "no_explanation": dict(self.no_explanation),
            "planned": self.planned,
            "completed": self.completed,
            "calls": self.calls,
            "tokens_in": self.tokens_in,
            "tokens_out": self.tokens_out,
            "money": self.money,
            "exhausted": self.exhausted,
            "visitors": {name: estimate.as_json() for name, estimate in self.visitors.items()},
            "ahead": {name: estimate.as_json() for name, estimate in self.ahead.items()},
            "seed": self.signature.seed,
            "caveats": list(self.caveats),
            "signature": self.signature.line,
        }


def figures_as_json(figures: Figures) -> dict[str, Any]:
    """Figures as JSON values."""
    names = ("closed", "closed_originals", "partial", "open_book", "gap", "acs", "acs_rescaled", "unreadable")
    told: dict[str, Any] = {"name": figures.name, "concepts": figures.concepts, "questions": figures.questions}
    for name in names:
        highest = {"highest": figures.highest[name]} if name in figures.highest else {}
        told[name] = getattr(figures, name).as_json() | highest
    return told


def pattern_as_json(pattern: Pattern[Choice]) -> dict[str, Any]:
    """The most frequent answer as JSON values."""
    told = {"answer": letters(pattern.value), "repeated": pattern.repeated, "prevails": pattern.prevails}
    names = ("answers", "of_answers", "questions", "keys", "of_questions", "p", "best")
    return told | {name: getattr(pattern, name) for name in names}


@dataclass(frozen=True, slots=True)
class EqtComparison:
    """Several candidates, each examined on its own explanations (Table 1 of the paper), and who answers whose questions."""

    findings: tuple[ExplainQueryTest, ...]
    signature: Signature

    @property
    def matrix(self) -> Mapping[str, Mapping[str, Estimate]]:
        """Whose questions -> who answers them -> closed-book accuracy on originals; the owner itself among them."""
        return {one.candidate: {one.candidate: one.whole.closed_originals, **one.visitors} for one in self.findings}

    @property
    def everywhere(self) -> Mapping[str, float]:
        """Each candidate's mean accuracy over all candidates' questions, its own among them; empty where any is missing.

        Each candidate's questions count the same. It shows who knows most on the same questions, no matter who wrote them.
        """
        matrix = self.matrix
        values = {name: [row[name].value if name in row else None for row in matrix.values()] for name in matrix}
        known = {name: [value for value in of_name if value is not None] for name, of_name in values.items()}
        if any(len(of_name) < len(matrix) for of_name in known.values()):
            return {}
        return {name: sum(of_name) / len(of_name) for name, of_name in known.items()}

    @property
    def headline(self) -> str:
        """The result in one sentence."""
        return headline_of_comparison(self)

    @property
    def others(self) -> str:
        """What comes next, in a sentence or two; may be empty."""
        return others_of_comparison(self)

    @property
    def statement(self) -> str:
        """The result in plain words."""
        return f"{self.headline} {self.others}".rstrip()

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the comparison does not show."""
        return of_comparison(self)

    def as_json(self) -> dict[str, Any]:
        """The comparison as JSON values."""
        return {
            "statement": self.statement,
            "findings": [finding.as_json() for finding in self.findings],
            "matrix": {
                owner: {name: estimate.as_json() for name, estimate in row.items()} for owner, row in self.matrix.items()
            },
            "everywhere": dict(self.everywhere),
            "caveats": list(self.caveats),
            "signature": self.signature.line,
        }
