"""What an examination is made of: concepts, the questions on them, and what was answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from vivavoce.eqt.config import EqtConfig
from vivavoce.interview.candidate import OMITTED_AT_DEFAULT
from vivavoce.interview.forms.several_options import Choice
from vivavoce.interview.forms.written_question import MultipleChoice

Manner = Literal["strict", "lenient", "does not know", "unreadable", "copied", "cut off", "no answer"]
"""How a reply was read: in the form that was asked for, in another that leaves no doubt, or not at all."""
UNREAD: Final[frozenset[Manner]] = frozenset(("unreadable", "copied", "cut off"))
"""A reply came, and nobody knows what it answers."""
Role = Literal["explainer", "writer", "paraphraser", "answerer", "checker"]
"""Who does what; all are the candidate unless another is named."""

ROLES: Final[tuple[Role, ...]] = ("explainer", "writer", "paraphraser", "answerer", "checker")


@dataclass(frozen=True, slots=True)
class Concept:
    """What to explain."""

    name: str
    category: str = "other"


@dataclass(frozen=True, slots=True)
class Answer:
    """What was answered to one question."""

    chosen: Choice | None
    """None where nothing could be read: a value of its own, never dropped."""
    manner: Manner
    problem: str = ""
    """Why nothing could be read, in a word or two (`no option named`, `time-out`)."""
    after_turn: bool = False
    """Whether it was read from the reply to a further turn that asked for the final answer alone."""

    @property
    def unread(self) -> bool:
        """Whether a reply came, and nobody knows what it answers."""
        return self.manner in UNREAD


@dataclass(frozen=True, slots=True)
class Phrasing:
    """One wording of a question, and the answer to it without seeing the explanation."""

    stem: str | None
    """None where no paraphrase was available."""
    answer: Answer | None
    """None where there was nothing to ask, or the budget had run out."""
    same_meaning: bool | None = None
    """By the checker; None for the original, and where the checker was not asked or could not be read."""
    problem: str = ""
    """Why there is no paraphrase, or what the checker holds against it."""


@dataclass(frozen=True, slots=True)
class Item:
    """One question on a concept with all that became of it."""

    number: int
    """From 1, within its concept."""
    kind: str
    """Which kind of question the writer was asked for."""
    question: MultipleChoice | None
    """None where the writer's reply holds none."""
    manner: Manner
    """How the writer's reply was read."""
    problem: str = ""
    """Why there is no question."""
    phrasings: tuple[Phrasing, ...] = ()
    """The original first, then its paraphrases."""
    open_book: Answer | None = None
    """The answerer's answer to the original with the explanation at hand."""
    key_check: Answer | None = None
    """The checker's answer to the original with the explanation at hand: does it reproduce the key?"""
    pointing: str = ""
    """Words of the question that point at a text ("according to the passage"), found without a model."""
    self_contained: bool | None = None
    """By the checker; None where it was not asked or could not be read."""
    duplicate_of: int | None = None
    """The number of an earlier question of the concept that asks the same."""
    source_book: Answer | None = field(default=None, metadata={OMITTED_AT_DEFAULT: True})
    """The answerer's answer to the original with the user's source at hand; None where there is none."""
    source_check: Answer | None = field(default=None, metadata={OMITTED_AT_DEFAULT: True})
    """The checker's answer with the source at hand: does it reproduce the key?"""


@dataclass(frozen=True, slots=True)
class Sitting:
    """All on one concept."""

    concept: Concept
    explanation: str | None
    """None where none came."""
    problem: str
    """Why there is no explanation."""
    items: tuple[Item, ...]
    source: str = field(default="", metadata={OMITTED_AT_DEFAULT: True})
    """What the user holds to be true of the concept; empty where there is nothing."""
    ends_early: bool = field(default=False, metadata={OMITTED_AT_DEFAULT: True})
    """Whether the explanation was cut off by a limit; it counts as far as it goes."""


@dataclass(frozen=True, slots=True)
class Record:
    """A whole examination: who did what, and all sittings, in the order of the concepts."""

    roles: Mapping[Role, str]
    """Role -> the candidate's name."""
    set_up: EqtConfig
    sittings: tuple[Sitting, ...]
    planned: int
    """Concepts that were to be sat; fewer sittings means that the budget ran out."""
    calls: int
    """Questions put, those on record included."""
    tokens_in: int
    tokens_out: int
    money: float
    exhausted: str = ""
    """Which limit of the budget ended the questions."""
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """How each candidate was asked (`Interview.settings`), by its name."""
    caveats: tuple[str, ...] = ()
    """What a reader must know about how they were asked (`Interview.caveats`)."""
    visitors: Mapping[str, Mapping[tuple[str, int], Answer]] | None = None
    """Cross-examination: another candidate's name -> (concept, number) -> its closed-book answer to the original."""


def concept_topic(concept: Concept) -> str:
    """The path under which all on one concept stands.

    A slash within a name would begin another level, so that it is written as the division slash, which looks alike.

    >>> concept_topic(Concept("TCP/IP", "computer science"))
    'eqt/computer science/TCP∕IP'
    """
    return f"eqt/{level(concept.category)}/{level(concept.name)}"


def question_topic(concept: Concept, number: int) -> str:
    """The path under which all on one question stands, its number from 1.

    >>> question_topic(Concept("Graph theory", "math"), 3)
    'eqt/math/Graph theory/question 03'
    """
    return f"{concept_topic(concept)}/question {number:02d}"


def level(name: str) -> str:
    """A name as one level of a path: on one line, without slashes, and not empty.

    >>> level("  and / or\\n"), level("")
    ('and ∕ or', '-')
    """
    return " ".join(name.split()).replace("/", "∕") or "-"
