"""The record of an examination: its settings, concepts, questions and answers."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal

from vivavoce.interview.candidate import OMITTED_AT_DEFAULT
from vivavoce.interview.forms.several_options import Choice
from vivavoce.interview.forms.written_question import MultipleChoice
from vivavoce.settings import CheckedConfig, Count, Seed, Temperature, Within, setting

Wording = Literal["own", "printed"]
"""Wording of the prompts: our own, or section 5 of `asgari2025` (`printed`)."""

MOST_NUMBERED: Final = 99
"""Maximum number of questions per concept, and of paraphrases per question. Numbers have two digits, so that paths sort in
order."""


@dataclass(frozen=True, slots=True)
class ConceptsConfig(CheckedConfig):
    """Settings of the concepts to explain."""

    concepts: tuple[str, ...] = setting(
        (), "Concepts to explain; may be repeated. By default all 280.", metavar="FILE|CATEGORY"
    )
    """Categories and files; empty: the whole built-in list."""
    limit: Count | None = setting(None, "Use this many concepts, drawn by the seed; else all.")


@dataclass(frozen=True, slots=True)
class EqtConfig(CheckedConfig):
    """Settings of an examination."""

    questions: Annotated[int, Within(1, MOST_NUMBERED)] = setting(5, "Questions per concept.")
    paraphrases: Annotated[int, Within(0, MOST_NUMBERED)] = setting(3, "Write this many paraphrases per question.")
    options: Annotated[int, Within(2, 10)] = setting(4, "Write this many options per question; the paper's sample has 10.")
    """The maximum is the number of letters that `MultipleChoice` has."""
    shuffle: bool = setting(True, "Shuffle the options by the seed.")
    """Otherwise they keep the writer's order."""
    checks: bool = setting(True, "Whether questions and wordings are checked.")
    """Checks cover keys, meaning and self-containment; open-book answers are always requested."""
    temperature: Temperature = setting(0.0, "Temperature of replies; none: the candidate's own.")
    """The temperature of answers and checks. Explanations, questions and paraphrases use the candidate's own."""
    seed: Seed = setting(0, "Draw concepts and shuffle options with this seed.")
    prompts: Wording = setting("own", "Words of the prompts: our own, or those printed in the paper.")


@dataclass(frozen=True, slots=True)
class ExtractionConfig(CheckedConfig):
    """Settings for extracting concepts from a benchmark's questions."""

    per_category: Count = setting(20, "Find this many concepts in each category; the paper uses 20.")
    tries: Annotated[int, Within(1, 100)] = setting(3, "Read at most this many questions for each wanted concept.")
    """Several questions may test one concept, and some replies name none."""
    seed: Seed = setting(0, "Draw the questions to read with this seed.")


ParseOutcome = Literal["strict", "lenient", "does not know", "unreadable", "copied", "cut off", "no answer"]
"""How a reply was parsed: in the requested form (strict), in another unambiguous form (lenient), or not."""
UNREAD: Final[frozenset[ParseOutcome]] = frozenset(("unreadable", "copied", "cut off"))
"""Outcomes of replies that arrived but could not be parsed."""
EqtRole = Literal["explainer", "writer", "paraphraser", "answerer", "checker"]
"""The roles of an examination; by default, the candidate has all of them."""

ROLES: Final[tuple[EqtRole, ...]] = ("explainer", "writer", "paraphraser", "answerer", "checker")


@dataclass(frozen=True, slots=True)
class Concept:
    """A concept to explain."""

    name: str
    category: str = "other"


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """The answer to one question, as parsed from the reply."""

    chosen: Choice | None
    """None if the reply could not be parsed; such an answer is kept."""
    parse: ParseOutcome
    problem: str = ""
    """Why the reply could not be parsed, in a word or two (`no option named`, `time-out`)."""
    after_turn: bool = False
    """Whether the answer comes from a follow-up that asked only for the final answer."""

    @property
    def unread(self) -> bool:
        """Whether a reply arrived but could not be parsed."""
        return self.parse in UNREAD


@dataclass(frozen=True, slots=True)
class Phrasing:
    """One wording of a question, and its closed-book answer."""

    stem: str | None
    """None if the paraphrase is missing."""
    answer: ParsedAnswer | None
    """None if it was not asked."""
    same_meaning: bool | None = None
    """The checker's verdict; None for the original, or if the checker gave none."""
    problem: str = ""
    """Why there is no paraphrase, or the checker's objection; empty otherwise."""


@dataclass(frozen=True, slots=True)
class QuestionRecord:
    """One question on a concept, with its answers and checks."""

    number: int
    """The number within its concept, from 1."""
    kind: str
    """The kind of question that the writer was asked for."""
    question: MultipleChoice | None
    """None if the writer's reply contains none."""
    parse: ParseOutcome
    """How the writer's reply was parsed."""
    problem: str = ""
    """Why there is no question; empty if there is one."""
    phrasings: tuple[Phrasing, ...] = ()
    """The original first, then its paraphrases."""
    open_book: ParsedAnswer | None = None
    """The answerer's answer to the original, with the explanation."""
    key_check: ParsedAnswer | None = None
    """The checker's answer to the original, with the explanation; it should equal the key."""
    pointing: str = ""
    """Words of the question that refer to a text ("according to the passage"), found without a model."""
    self_contained: bool | None = None
    """The checker's verdict; None if it gave none."""
    duplicate_of: int | None = None
    """The number of an earlier question on the concept that asks the same."""
    source_book: ParsedAnswer | None = field(default=None, metadata={OMITTED_AT_DEFAULT: True})
    """The answerer's answer to the original, with the user's source; None without a source."""
    source_check: ParsedAnswer | None = field(default=None, metadata={OMITTED_AT_DEFAULT: True})
    """The checker's answer with the source; it should equal the key."""


@dataclass(frozen=True, slots=True)
class ConceptRecord:
    """The explanation of one concept, and the questions on it."""

    concept: Concept
    explanation: str | None
    """None if there is none."""
    problem: str
    """Why there is no explanation; empty if there is one."""
    items: tuple[QuestionRecord, ...]
    source: str = field(default="", metadata={OMITTED_AT_DEFAULT: True})
    """The user's source text on the concept; empty without one."""
    ends_early: bool = field(default=False, metadata={OMITTED_AT_DEFAULT: True})
    """Whether a token limit cut the explanation off; it is used nevertheless."""


@dataclass(frozen=True, slots=True)
class EqtRecord:
    """The record of an examination, in the order of the concepts."""

    roles: Mapping[EqtRole, str]
    """Maps a role to the candidate's name."""
    config: EqtConfig
    concept_records: tuple[ConceptRecord, ...]
    planned: int
    """Number of concepts planned; with fewer records, the budget was spent."""
    calls: int
    """Number of questions asked, including recorded ones."""
    tokens_in: int
    tokens_out: int
    money: float
    exhausted: str = ""
    """The budget limit that ended the examination; empty if none did."""
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Maps a candidate to its settings (`Interview.settings`)."""
    caveats: tuple[str, ...] = ()
    """Caveats about how candidates were asked (`Interview.caveats`)."""
    visitors: Mapping[str, Mapping[tuple[str, int], ParsedAnswer]] | None = None
    """Cross-examination: maps another candidate's name, a concept and a number to its closed-book answer to the original."""


def concept_topic(concept: Concept) -> str:
    """The topic path of a concept.

    A slash in a name becomes the division slash, since a plain slash would begin another level.

    >>> concept_topic(Concept("TCP/IP", "computer science"))
    'eqt/computer science/TCP∕IP'
    """
    return f"eqt/{level(concept.category)}/{level(concept.name)}"


def question_topic(concept: Concept, number: int) -> str:
    """The topic path of a question; numbers begin at 1.

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
