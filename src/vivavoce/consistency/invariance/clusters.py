"""Questions with their variants, fixed before the candidate is asked anything."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

import numpy as np

from vivavoce.consistency.invariance.config import InvarianceConfig
from vivavoce.consistency.invariance.kinds import Variation, variation
from vivavoce.consistency.invariance.wording import Wording
from vivavoce.interview.candidate import Prompt

DOES_NOT_APPLY: Final = "does not apply"
AGAIN: Final = "again"
"""In place of a kind: the identical question once more."""


class Subject(Protocol):
    """A question that is varied, as the room that it comes from knows it."""

    @property
    def id(self) -> str:
        """Unique in its scope."""
        ...

    @property
    def unit(self) -> int:
        """The number of the draw that it came with; questions of one unit depend on each other."""
        ...

    @property
    def wording(self) -> Wording:
        """As it is."""
        ...

    @property
    def free_text(self) -> bool:
        """Whether answers are texts, neither options nor numbers: in two languages they cannot be compared."""
        ...

    def prompt(self, wording: Wording, id: str) -> Prompt:  # noqa: A002 - Prompt's own word
        """What the candidate is asked in that wording."""
        ...

    def said(self, wording: Wording, answer: str) -> str:
        """What an answer in that wording says: of an option its content, not its letter."""
        ...

    @property
    def one_way(self) -> bool:
        """Whether the law that binds the answers tells the question as it is from its variants; `same` does not."""
        ...

    def differ(self, said: Sequence[str]) -> bool | None:
        """Whether two or more things said break the law; the first of them is said of the question as it is, if `one_way`."""
        ...


@dataclass(frozen=True, slots=True)
class Cluster:
    """A question and its variants, bound by a law: `same`, or one of the user's own."""

    subject: Subject
    variants: Mapping[str, tuple[Wording, ...]] = field(default_factory=dict)
    """By the name of the variation; all have the same number."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Why there are none, by the name of the variation."""

    def with_variants(self, name: str, wordings: tuple[Wording, ...]) -> Cluster:
        """The same with these variants."""
        return replace(self, variants={**self.variants, name: wordings})

    def without(self, name: str, reason: str) -> Cluster:
        """The same, where there are no variants of that kind."""
        return replace(self, left_out={**self.left_out, name: reason})


@dataclass(frozen=True, slots=True)
class Ask:
    """One question that is put to the candidate."""

    kind: str
    """The name of a variation; `AGAIN` for the identical question once more; empty for the question as it is."""
    wording: Wording
    prompt: Prompt


def vary(subjects: Sequence[Subject], config: InvarianceConfig) -> list[Cluster]:
    """The questions with all variants that need no writer; the others are left for `writing.write`.

    Each question and kind has a seed of its own, so that a further kind changes none of the others.
    """
    by_program = [one for one in variations(config) if not one.kind.written]
    return [_varied(subject, by_program, config) for subject in subjects]


def variations(config: InvarianceConfig) -> list[Variation]:
    """The variations that are asked for. Raises `UnknownName` and `BadInput`."""
    return [variation(name) for name in config.vary]


def asks(cluster: Cluster, number: int) -> Iterator[Ask]:
    """All that is asked of one question: as it is, the same again as often as there are variants, then the variants."""
    subject = cluster.subject
    prompt = subject.prompt(subject.wording, subject.id)
    yield Ask("", subject.wording, prompt)
    yield from (Ask(AGAIN, subject.wording, prompt) for _ in range(number))
    for name, wordings in cluster.variants.items():
        for place, wording in enumerate(wordings, start=1):
            yield Ask(name, wording, subject.prompt(wording, f"{subject.id}/{name}/{place}"))


def _varied(subject: Subject, kinds: Sequence[Variation], config: InvarianceConfig) -> Cluster:
    cluster = Cluster(subject)
    for one in kinds:
        assert one.kind.make is not None
        wordings = one.kind.make(subject.wording, config.variants, _rng(subject, one.name, config.seed))
        cluster = cluster.with_variants(one.name, wordings) if wordings else cluster.without(one.name, DOES_NOT_APPLY)
    return cluster


def _rng(subject: Subject, name: str, seed: int) -> np.random.Generator:
    """Chance of its own for a question and the name of a variation."""
    digest = hashlib.sha256(f"{name}\n{subject.id}\n{subject.wording.text}".encode("utf-8", "replace")).digest()
    return np.random.default_rng([seed, int.from_bytes(digest[:8], "big")])
