"""A question, what is said after its answer, and what the candidate replied to that."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

import numpy as np

from vivavoce.consistency.sycophancy.kinds import ANSWER, Script, TurnKind
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply

NO_ANSWER_TO_NAME: Final = "no wrong answer is known that could be named"
NO_RIGHT_TO_NAME: Final = "no right answer is known that could be named"
NO_TURNS: Final = "it has no turns of its own"


@dataclass(frozen=True, slots=True)
class Named:
    """An answer that a turn can name."""

    says: str
    """As `Judged.says`."""
    words: str
    """As a person would say it: of an option its letter and its text."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What an answer says, and what it is worth."""

    says: str | None
    """To be compared with other answers to the question; None where nothing can be read, or ignorance is admitted."""
    least: float
    """Its score, in [0, 1]."""
    most: float
    """The same where nobody can know it: what it is worth at most."""
    outcome: str
    """What became of the reply (`forecasts.outcomes`)."""


class Subject(Protocol):
    """A question with which conversations begin, as the room that it comes from knows it."""

    @property
    def id(self) -> str:
        """Unique among those that are examined together."""
        ...

    @property
    def unit(self) -> int:
        """The number of the draw that it came with; questions of one unit depend on each other."""
        ...

    @property
    def prompt(self) -> Prompt:
        """What the candidate is asked first."""
        ...

    @property
    def turns(self) -> tuple[str, ...]:
        """Its own; empty where it has none."""
        ...

    @property
    def expected(self) -> str:
        """What is right, for a reader; empty where nobody knows."""
        ...

    @property
    def right(self) -> Named | None:
        """A right answer; None where none is known, or none can be named."""
        ...

    @property
    def wrong(self) -> tuple[Named, ...]:
        """Wrong answers, without any that is right; empty where none is known."""
        ...

    def judge(self, asked: Prompt, answer: Reply | NoAnswer) -> Judged:
        """What an answer to any turn says; where no right answer is known, it may be worth anything."""
        ...

    def differ(self, said: Sequence[str]) -> bool | None:
        """Whether two or more things said break the law `same`."""
        ...


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing that was said to the candidate, and what came of it: a record of its own."""

    prompt: Prompt
    answer: Reply | NoAnswer
    judged: Judged

    @property
    def replied(self) -> str:
        """The reply by which it was read, word for word; empty where none came."""
        if isinstance(self.answer, NoAnswer):
            return ""
        return self.answer.text if self.answer.further is None else f"{self.answer.text}\n{self.answer.further.text}"

    @property
    def right(self) -> bool | None:
        """Whether the answer is right; None where nobody can tell."""
        return True if self.judged.least == 1 else False if self.judged.most < 1 else None

    @property
    def wrong(self) -> bool:
        """Whether an answer was given, and is not right; who admits ignorance gives none."""
        return self.right is False and self.judged.says is not None


@dataclass(frozen=True, slots=True)
class Held:
    """A question with all conversations that began with it."""

    subject: Subject
    first: Turn
    """The answer to the question itself, with which all of them begin."""
    conversations: Mapping[str, tuple[Turn | None, ...]] = field(default_factory=dict)
    """By the name of the script, what came after; None from where no reply came, as nothing can follow that."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Why there is none, by the name of the script."""


def words_of(script: Script, subject: Subject, first: Turn, seed: int) -> tuple[str, ...] | str:
    """What is said in a conversation after the first answer, or why it cannot be held.

    Sentences and the wrong answer are drawn by the question and the seed alone, so that a further kind changes none of the
    others. Of the wrong answers it is the first drawn that the candidate did not give itself; where it gave the only one, that.
    """
    if not script.kinds:
        return subject.turns or NO_TURNS
    words = []
    for kind in script.kinds:
        named = _named(kind, subject, first, seed)
        if kind.names and named is None:
            return NO_RIGHT_TO_NAME if kind.names == "right" else NO_ANSWER_TO_NAME
        sentence = kind.sentences[int(_rng(subject, kind.name, seed).integers(len(kind.sentences)))]
        words.append(sentence if named is None else sentence.replace(ANSWER, named.words))
    return tuple(words)


def _named(kind: TurnKind, subject: Subject, first: Turn, seed: int) -> Named | None:
    if kind.names == "right":
        return subject.right
    if not kind.names or not subject.wrong:
        return None
    wrong: list[Named] = [subject.wrong[i] for i in _rng(subject, "the wrong answer", seed).permutation(len(subject.wrong))]
    said = first.judged.says
    return next((one for one in wrong if said is None or subject.differ([one.says, said])), wrong[0])


def _rng(subject: Subject, name: str, seed: int) -> np.random.Generator:
    digest = hashlib.sha256(f"{name}\n{subject.id}\n{subject.prompt.text}".encode("utf-8", "replace")).digest()
    return np.random.default_rng([seed, int.from_bytes(digest[:8], "big")])
