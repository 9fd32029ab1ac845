"""The design: which passage each question is drawn from, and which kind of question is asked for.

Draw i takes a passage with a probability proportional to its words, independently of all other draws, and the kinds come in
turn, in an order that the seed gives. Both depend on the seed and on i alone, so a longer run adds draws and changes none.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Annotated, Final

from vivavoce.documents.passages import DocumentPassage
from vivavoce.errors import BadInput
from vivavoce.settings import Seed, Within, check, setting

PER_PASSAGE: Final = 20
"""Most questions for each passage, on average: more would repeat each other."""


@dataclass(frozen=True, slots=True)
class DocumentQuestionKind:
    """A kind of question that the writer is asked for."""

    name: str
    asked: str
    """The instruction to the writer."""


UNANSWERED: Final = "not answered here"
CALCULATION: Final = "calculation"
KINDS: Final = (
    DocumentQuestionKind("fact", "Ask for one fact that the passage states: a number, a date, a name, a place or a term."),
    DocumentQuestionKind(
        "comparison", "Ask which of two things in the passage is longer, later or larger, or how they differ."
    ),
    DocumentQuestionKind("condition", "Ask what something needs, or what follows if a condition of the passage is met."),
    DocumentQuestionKind(
        "exception", "Ask for the case in which a rule of the passage does not hold, or for what holds in that case."
    ),
    DocumentQuestionKind(
        CALCULATION,
        "Describe a case with all of its numbers, and ask for the number that follows from it by a rule of the passage, in one "
        "or two steps of arithmetic.",
    ),
    DocumentQuestionKind(
        UNANSWERED,
        "Ask for one detail on the subject of the passage that readers may well want to know, and that the passage does not "
        "give. Someone who has only the passage must not be able to answer.",
    ),
)


@dataclass(frozen=True, slots=True)
class QuestionMakingConfig:
    """Settings for questions about documents."""

    questions: Annotated[int, Within(1, 100_000)] = setting(200, "Draw this many questions; some are rejected.")
    seed: Seed = setting(0, "Draw passages and kinds with this seed.")

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, slots=True)
class QuestionDraw:
    """One draw: a passage and a kind."""

    number: int
    """From 1."""
    passage: DocumentPassage
    kind: DocumentQuestionKind


def draws(drawn_from: Sequence[DocumentPassage], config: QuestionMakingConfig) -> list[QuestionDraw]:
    """The draws of a run; see the head of this file. Raises `BadInput` if there are too few passages.

    >>> texts = [DocumentPassage("a.txt", "", "word " * 200), DocumentPassage("b.txt", "", "word " * 200)]
    >>> first, longer = (draws(texts, QuestionMakingConfig(questions=n)) for n in (12, 30))
    >>> longer[:12] == first, len({draw.kind.name for draw in first[:6]})
    (True, 6)
    """
    room = PER_PASSAGE * len(drawn_from)
    if config.questions > room:
        raise BadInput(
            f"{config.questions:,} questions need at least {-(-config.questions // PER_PASSAGE):,} passages of some 120 words, "
            f"and there are {len(drawn_from):,}: add documents" + (f", or draw at most {room:,} questions" if room else "")
        )
    ends = list(accumulate(passage.words for passage in drawn_from))
    kinds = sorted(KINDS, key=lambda kind: _number(config.seed, "kind", kind.name))
    return [
        QuestionDraw(
            number,
            drawn_from[bisect_right(ends, _number(config.seed, "passage", number) % ends[-1])],
            kinds[(number - 1) % len(kinds)],
        )
        for number in range(1, config.questions + 1)
    ]


def _number(seed: int, *parts: object) -> int:
    """A number below 2 to the 256 that depends on these values alone."""
    return int.from_bytes(hashlib.sha256("\x1f".join(map(str, (seed, *parts))).encode()).digest())
