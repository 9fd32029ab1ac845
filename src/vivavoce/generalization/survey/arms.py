"""The arms of a survey: what a participant is shown beside the answer, drawn at random.

The arm belongs to the participant, not to the pair: who has read a model card, or has seen what explanations look like, cannot
forget it at the next pair, so arms within a person would mix. Arms are drawn in random blocks in which each occurs once, by the
survey's seed and the number of the participant, so that they stay balanced and can be had again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Literal, get_args

from vivavoce.errors import BadInput

ArmKind = Literal["plain", "explanation", "confidence", "card", "answers"]
MOST_ARMS: Final = 8
MOST_ANSWERS: Final = 5
"""Shown at once."""
PLAIN: Final = "plain"
_ANSWERS: Final = re.compile(rf"answers:([2-{MOST_ANSWERS}])")


@dataclass(frozen=True, slots=True)
class Arm:
    """What participants of an arm are shown.

    >>> Arm.named("answers:3"), str(Arm.named("plain"))
    (Arm(kind='answers', answers=3), 'plain')
    """

    kind: ArmKind = "plain"
    """`explanation`: why the answerer says that this is the answer. `confidence`: how sure it says that it is. `card`: the
    model card, before the first belief too. `answers`: answers to several other questions instead of one."""
    answers: int = 1
    """How many answers are seen before the second belief."""

    @classmethod
    def named(cls, name: str) -> Arm:
        """The arm of this name. Raises `BadInput`."""
        if found := _ANSWERS.fullmatch(name):
            return cls("answers", int(found[1]))
        for kind in get_args(ArmKind):
            if name == kind != "answers":
                return cls(kind)
        known = ", ".join(kind for kind in get_args(ArmKind) if kind != "answers")
        raise BadInput(f"there is no arm {name[:40]!r}: {known}, or answers:K with K from 2 to {MOST_ANSWERS}")

    def __str__(self) -> str:
        return f"answers:{self.answers}" if self.kind == "answers" else self.kind


def checked_arms(names: Sequence[str]) -> tuple[Arm, ...]:
    """The arms of a survey; none where nothing is compared. Raises `BadInput` for one alone, or one twice."""
    arms = tuple(map(Arm.named, names))
    if len(arms) == 1 or len(arms) > MOST_ARMS or len(set(arms)) < len(arms):
        raise BadInput(f"the arms are {', '.join(names)[:200]}: give 2 to {MOST_ARMS} different ones, or none")
    return arms


def drawn_arm(names: Sequence[str], seed: int, number: int) -> str:
    """The arm of the participant who is the `number`th of a survey, counted from 0; empty where there are no arms.

    Each block of as many participants as there are arms is a random permutation of these. Nobody can tell the next arm without
    the seed.

    >>> names = ("plain", "card", "confidence")
    >>> sorted(drawn_arm(names, 7, number) for number in range(3)) == sorted(names)
    True
    """
    if not names:
        return ""
    block, place = divmod(number, len(names))
    # hashes instead of a generator: the same on every machine and in every release of a library
    order = sorted(names, key=lambda name: sha256(f"arm {seed} {block} {name}".encode()).digest())
    return order[place]
