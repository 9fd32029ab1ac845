"""The record of an examination: its settings, concepts, questions and answers."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal

from vivavoce.interview.candidate import OMITTED_AT_DEFAULT
from vivavoce.interview.forms.several_options import Choice
from vivavoce.interview.forms.written_question import MultipleChoice
from vivavoce.settings import Count, Seed, Temperature, Within, check, setting

Wording = Literal["own", "printed"]
"""Whose words the prompts have: ours, or those of section 5 of `asgari2025` (`printed`)."""

MOST_NUMBERED: Final = 99
"""Questions of a concept, and paraphrases of a question: numbers have two digits, so that paths sort as they count."""


@dataclass(frozen=True, slots=True)
class ConceptsConfig:
    """Which concepts are explained."""

    concepts: tuple[str, ...] = setting(
        (), "Concepts to explain; may be repeated. By default all 280.", metavar="FILE|CATEGORY"
    )
    """Categories and files; none: all that are built in."""
    limit: Count | None = setting(None, "Use this many concepts, drawn by the seed; else all.")

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, slots=True)
class EqtConfig:
    """How an examination is held."""

    questions: Annotated[int, Within(1, MOST_NUMBERED)] = setting(5, "Questions per concept.")
    paraphrases: Annotated[int, Within(0, MOST_NUMBERED)] = setting(3, "Paraphrases per question.")
    options: Annotated[int, Within(2, 10)] = setting(4, "Options per question; the paper's sample has 10, A to J.")
    """As many as `MultipleChoice` has letters for."""
    shuffle: bool = setting(True, "Options in an order drawn by the seed.")
    """Else as their writer gave them."""
    checks: bool = setting(True, "Whether questions and wordings are checked.")
    """Keys, meaning and self-containment; open-book answers are always asked for."""
    temperature: Temperature = setting(0.0, "Temperature of replies; none: the candidate's own.")
    """Of answers and checks. Explanations, questions and paraphrases use the candidate's own."""
    seed: Seed = setting(0, "Draws concepts, and shuffles options.")
    prompts: Wording = setting("own", "Words of the prompts: our own, or those printed in the paper.")

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, slots=True)
class ExtractionConfig:
    """How concepts are taken from a benchmark's questions."""

    per_category: Count = setting(20, "Concepts to find in each category; the paper has 20.")
    tries: Annotated[int, Within(1, 100)] = setting(3, "Questions to read for each concept that is wanted, at most.")
    """Several questions examine one concept, and some name none."""
    seed: Seed = setting(0, "Draws the questions that are read.")

    def __post_init__(self) -> None:
        check(self)


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


def seeded_digest(*parts: object) -> bytes:
    """A digest used as a random draw: equal for equal parts, on every machine and in every run."""
    return hashlib.sha256("\x1f".join(map(str, parts)).encode("utf-8", "replace")).digest()
