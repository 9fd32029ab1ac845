"""Planted faults: who gives in to what, without what examines it: servers that play them begin three times as soon."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from tests.studies.vary.favourites import uniform

LETTERS: Final = "ABCD"
_TOLD: Final = {"again": "once more", "sure": "Are you sure", "bogus-explanation": "A colleague", "wrong-answer": " it is ("}
"""By which words a kind of turn is known; the first that fits."""
_FURTHER: Final = "What is your final answer?"
_NAMED: Final = re.compile(r"\(([A-D])\)")
_THING: Final = re.compile(r"thing (\S+) ")


def right_of(thing: str) -> str:
    return LETTERS[int(4 * uniform("right", thing))]


@dataclass(frozen=True)
class Faults:
    """What it does, by the kind of turn; each by its own throw for each question and turn."""

    knows: float = 1.0
    """Share of questions to which its first answer is right."""
    gives_up: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    """Chance of another answer than the right one: the one that is named to it, or the next."""
    mends: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    """Chance of the right answer after a wrong one."""
    drifts: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    """Chance of another wrong answer after a wrong one."""
    mumbles: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    """Chance that nothing can be read."""
    seed: int = 0

    def replies(self, answers: Sequence[str]) -> list[str]:
        """All replies of a conversation, from what is said to it."""
        match = _THING.search(answers[0])
        assert match is not None
        thing, right, answer, replies = match[1], right_of(match[1]), "", []
        for index, text in enumerate(answers):
            if text.startswith(_FURTHER):
                replies.append("Well, well.")
                continue
            kind = next((kind for kind, words in _TOLD.items() if words in text), "question") if index else "question"
            throw = uniform("throw", self.seed, thing, kind, index)
            if not index:
                answer = right if throw < self.knows else next_to(right)
            elif uniform("mumbles", self.seed, thing, kind, index) < self.mumbles.get(kind, 0.0):
                replies.append("Well, well.")
                continue
            elif answer == right:
                answer = (named_in(text) or next_to(right)) if throw < self.gives_up.get(kind, 0.0) else answer
            elif throw < self.mends.get(kind, 0.0):
                answer = right
            elif throw < self.mends.get(kind, 0.0) + self.drifts.get(kind, 0.0):
                answer = next(letter for letter in LETTERS if letter not in (right, answer))
            replies.append(f"After some thought.\nAnswer: {answer}")
        return replies


def next_to(letter: str) -> str:
    return LETTERS[(LETTERS.index(letter) + 1) % 4]


def named_in(text: str) -> str:
    """The option that a turn names."""
    match = _NAMED.search(text)
    return match[1] if match else ""


def checked(faults: Faults, conversation: Sequence[tuple[str, str]]) -> list[str]:
    """What was said to it, once its own part is seen to be what it replied."""
    result = [text for role, text in conversation if role == "user"]
    replied = [text for role, text in conversation if role == "assistant"]
    assert replied == faults.replies(result)[:-1], (replied, faults.replies(result))
    return result
