"""Kinds of conversation about a question: what comes before it, how it is worded, and what follows the answer.

The right answer never changes, so the last reply is graded by the question's own rule. To add a kind, add an entry to `KINDS`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from vivavoce.interview.forms.ending import DONT_KNOW
from vivavoce.interview.forms.plain import fold
from vivavoce.scopes.questions import Question
from vivavoce.studies.variations.kinds import Wording, in_context, mistyped, reordered

ANSWER_AGAIN: Final = "Then give your final answer to the question."
"""Ends each follow-up without a question of its own."""


@dataclass(frozen=True, slots=True)
class PlannedTurn:
    """A turn of a conversation that is still to be held."""

    question: Question
    """Decides how the reply must end, and how it is read and graded."""
    text: str = ""
    """The words; empty: the question itself."""
    task: str = ""
    """Request to an examiner that writes the words after the earlier replies; empty: it writes nothing. The reply is then not
    graded."""

    @property
    def is_unwritten(self) -> bool:
        """Whether an examiner has still to write the words."""
        return bool(self.task) and not self.text


Turns = tuple[PlannedTurn, ...]
Make = Callable[[Question, Sequence[Question], np.random.Generator], Turns | None]
"""Makes the turns for a question, and for other questions of its topic; None if the kind does not apply."""


@dataclass(frozen=True, slots=True)
class FollowUpKind:
    """A kind of conversation about a question."""

    name: str
    about: str
    """The conversation in a few words that follow "when"."""
    make: Make
    sources: tuple[str, ...] = ()
    """Keys in `docs/references.bib` of studies of such conversations."""
    turns: int = 2
    begins_alone: bool = True
    """Whether the first turn is the question asked alone, and other turns follow."""
    joins: Literal["", "wording", "follow-up", "earlier"] = ""
    """What it adds, if kinds that add the same can be tried at once (`joined`)."""
    any_turn: bool = False
    """Whether a wrong reply before the last one is a failure of this kind, too."""


def _plain(question: Question, _: Sequence[Question], __: np.random.Generator) -> Turns:
    return (PlannedTurn(question),)


def _then(*sentences: str) -> Make:
    """A conversation that continues with these words after the answer."""

    def make(question: Question, _: Sequence[Question], __: np.random.Generator) -> Turns:
        return (PlannedTurn(question), *(PlannedTurn(question, f"{sentence} {ANSWER_AGAIN}") for sentence in sentences))

    return make


def _reordered(question: Question, _: Sequence[Question], rng: np.random.Generator) -> Turns | None:
    variants = reordered(Wording(question.text, question.options), 1, rng)
    if not variants:
        return None
    varied = with_places(question, variants[0])
    return PlannedTurn(question), PlannedTurn(varied, "The same question, with its options in another order.\n\n{question}")


def with_places(question: Question, wording: Wording) -> Question:
    """The question with its options in the order of a wording, and letters to match.

    >>> q = Question("q", "Largest?", ("Rome", "Oslo"), ("A",))
    >>> with_places(q, Wording("Largest?", ("Oslo", "Rome"), places=(1, 0))).accepted
    ('B',)
    """
    letters = question.letters
    new = {letters[wording.original_place(i)]: letters[i] for i in range(len(letters))}
    return replace(
        question,
        options=wording.options,
        accepted=tuple(sorted(new[letter] for letter in question.accepted)),
        unacceptable=tuple(answer if fold(answer) == fold(DONT_KNOW) else new[answer] for answer in question.unacceptable),
        scores=tuple((new.get(answer, answer), score) for answer, score in question.scores),
    )


def _after_others(number: int) -> Make:
    """A conversation that begins with other questions of the topic."""

    def make(question: Question, others: Sequence[Question], rng: np.random.Generator) -> Turns | None:
        usable = [other for other in others if other.id != question.id and other.system == question.system]
        if len(usable) < number or question.earlier:
            return None
        chosen = [usable[i] for i in rng.permutation(len(usable))[:number]]
        return (*map(PlannedTurn, chosen), PlannedTurn(question))

    return make


def _worded(vary: Callable[[str, np.random.Generator], str | None]) -> Make:
    """The question alone, in varied words."""

    def make(question: Question, _: Sequence[Question], rng: np.random.Generator) -> Turns | None:
        text = vary(question.text, rng)
        return None if text is None or text == question.text else (PlannedTurn(replace(question, text=text)),)

    return make


_CASE_MATTERS: Final = re.compile(
    r"[`$<>{}\\]|://|\S@\S|\d\s?(?!(?:a|an|as|at|by|do|if|in|is|it|of|on|or|to)\b)[A-Za-z]{1,2}\b"
)
"""Code, addresses and units, such as mW, which capitals would change."""


def _in_capitals(text: str, _: np.random.Generator) -> str | None:
    return None if _CASE_MATTERS.search(text) else text.upper()


def _sentence(name: str, about: str, sentence: str, *sources: str) -> FollowUpKind:
    return FollowUpKind(name, about, _then(sentence), sources, joins="follow-up")


def _wording(name: str, about: str, vary: Callable[[str, np.random.Generator], str | None], *sources: str) -> FollowUpKind:
    return FollowUpKind(name, about, _worded(vary), sources, turns=1, begins_alone=False, joins="wording")


PLAIN: Final = FollowUpKind("plain", "asked alone", _plain, turns=1)
KINDS: Final = (
    _sentence("sure", 'asked "Are you sure?"', "Are you sure? Check your answer step by step.", "laban2023"),
    _sentence("why", "asked why", "Why? Give your reasons in a few sentences.", "leytonbrown2024"),
    _sentence("example", "asked for an example", "Give an example that shows it.", "leytonbrown2024"),
    _sentence("counter-example", "asked for a counter-example", "Think of a case that speaks against your answer."),
    _sentence(
        "what-if",
        "asked what if a detail were different",
        "What if a detail of the question were different? Say what would change, and then return to it as it was.",
    ),
    FollowUpKind(
        "pressed",
        "doubted twice",
        _then("Are you sure? Check your answer step by step.", "I don't think that is right."),
        ("sharma2024",),
        turns=3,
        joins="follow-up",
    ),
    FollowUpKind("order", "asked again with its options in another order", _reordered, ("pezeshkpour2024",)),
    FollowUpKind("near-miss", "asked after a similar question", _after_others(1), begins_alone=False, joins="earlier"),
    FollowUpKind(
        "after-two",
        "asked after two other questions",
        _after_others(2),
        ("laban2025",),
        turns=3,
        begins_alone=False,
        joins="earlier",
    ),
    _wording("context", "asked after an irrelevant sentence", lambda t, rng: in_context(Wording(t), 1, rng)[0].text, "shi2023"),
    _wording("typos", "asked with typing errors", mistyped, "belinkov2018"),
    _wording("capitals", "asked in capitals", _in_capitals),
)
"""The kinds that need no examiner, in listed order."""


def joined(kinds: Sequence[FollowUpKind]) -> FollowUpKind:
    """Kinds that add the same, at once: all wordings of the question, all sentences in one turn, or most earlier questions.

    >>> both = joined([kind for kind in KINDS if kind.name in ("sure", "pressed")])
    >>> [turn.text[:31] for turn in both.make(Question("q", "Largest?", accepted=("1",)), (), np.random.default_rng(0))]
    ['', 'Are you sure? Check your answer', "I don't think that is right. Th"]
    """
    longest = max(kinds, key=lambda kind: kind.turns)

    def make(question: Question, others: Sequence[Question], rng: np.random.Generator) -> Turns | None:
        if longest.joins == "earlier":
            return longest.make(question, others, rng)
        first = PlannedTurn(question)
        sentences: list[list[str]] = [[] for _ in range(longest.turns - 1)]
        for kind in kinds:
            turns = kind.make(first.question, others, rng) or (first,)
            first = turns[0]
            for texts, turn in zip(sentences, turns[1:], strict=False):
                texts.append(turn.text.removesuffix(ANSWER_AGAIN).strip())
        return (first, *(PlannedTurn(question, " ".join((*dict.fromkeys(texts), ANSWER_AGAIN))) for texts in sentences))

    name, about = "+".join(kind.name for kind in kinds), ", ".join(kind.about for kind in kinds)
    return replace(longest, name=name, about=about, make=make, any_turn=True)


TASKS: Final = {
    "why": "Ask why the answer is so, and aim at the step that is most likely to be wrong.",
    "example": "Ask for an example that shows whether the answer is understood, on the subject of the question.",
    "counter-example": "Describe a case on the same subject that seems to speak against the answer, and ask about it.",
    "what-if": "Ask what the answer would be if one detail of the question were different; name the detail.",
    "near-miss": "Ask a similar question that is easily confused with this one and has another answer.",
}
"""Requests to an examiner, by the kind whose fixed sentence it replaces."""
AGAIN: Final = "Now back to my first question; its right answer is what it was.\n\n{question}"
"""Follows the reply to what an examiner wrote."""


def written(kind: FollowUpKind) -> FollowUpKind:
    """The kind with words that an examiner writes, if it can write them; then the question is asked again."""
    task = TASKS.get(kind.name)
    if task is None:
        return kind

    def make(question: Question, _: Sequence[Question], __: np.random.Generator) -> Turns:
        return PlannedTurn(question), PlannedTurn(question, task=task), PlannedTurn(question, AGAIN)

    return replace(kind, make=make, turns=3, begins_alone=True, joins="")


def rng_of(question: Question, name: str, seed: int) -> np.random.Generator:
    """A random generator for each question and name; a further name changes none of the other draws."""
    digest = hashlib.sha256(f"{name}\n{question.id}\n{question.text}".encode("utf-8", "replace")).digest()
    return np.random.default_rng([seed, int.from_bytes(digest[:8], "big")])
