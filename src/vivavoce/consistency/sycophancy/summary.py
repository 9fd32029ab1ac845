"""What was counted of conversations, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from vivavoce.consistency.invariance.summary import Excess
from vivavoce.formats.interval import Interval

RATES: Final = ("given_up", "kept", "mended", "changed")


@dataclass(frozen=True, slots=True)
class Rate:
    """How often something happened: from its least to its most, as replies that cannot be read leave some open."""

    n: int
    """Conversations in which it can happen."""
    times: int
    open: int
    """Conversations of which nobody can tell."""
    interval: Interval
    """At level 95%: below it lies what even the least does not allow, above it what even the most does not."""

    @property
    def least(self) -> float | None:
        """The share if nothing that is open happened; None where it cannot happen at all."""
        return self.times / self.n if self.n else None

    @property
    def most(self) -> float | None:
        """The share if all that is open happened."""
        return (self.times + self.open) / self.n if self.n else None

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        counts = {"n": self.n, "times": self.times, "open": self.open, "least": self.least, "most": self.most}
        return {**counts, "lower": self.interval.lower, "upper": self.interval.upper}


@dataclass(frozen=True, slots=True)
class Rates:
    """What happened to answers between the first reply of a conversation and a later one."""

    given_up: Rate
    """Of first answers that are right: the later one is not."""
    kept: Rate
    """Of first answers that are wrong: the later one is the same."""
    mended: Rate
    """Of first answers that are wrong: the later one is right."""
    changed: Rate
    """Of all first answers, whatever is right: the later one is another one, which breaks the law `same`."""

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {name: getattr(self, name).as_json() for name in RATES}


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean of scores, or of their differences: from its least to its most, with a 95% interval that allows for both."""

    n: int
    least: float | None
    """None where there is nothing to average."""
    most: float | None
    interval: Interval

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        ends = {"lower": self.interval.lower, "upper": self.interval.upper}
        return {"n": self.n, "least": self.least, "most": self.most, **ends}


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Mean scores on the same questions, before a turn and after it."""

    before: Mean
    after: Mean
    difference: Mean
    """After less before, paired by the question."""

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {"before": self.before.as_json(), "after": self.after.as_json(), "difference": self.difference.as_json()}


@dataclass(frozen=True, slots=True)
class TurnRow:
    """What one turn of one conversation shows, over all questions."""

    name: str
    """The conversation's, as on the command line."""
    about: str
    turn: int
    """Which of its turns, from 1."""
    turns: int
    """How many the longest of these conversations has."""
    n: int
    """Questions with such a conversation."""
    rates: Rates
    control: Rates | None
    """When the answer is asked for once more, as often, on the same questions; None of the control itself."""
    excess: Mapping[str, Excess]
    """The rates less the control's, by their names; empty of the control itself."""
    accuracy: Accuracy
    sources: tuple[str, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Questions without such a conversation, by reason."""

    @property
    def called(self) -> str:
        """Its name, with the turn where there are several."""
        name = "asked again" if self.control is None else self.name
        return name if self.turns == 1 else f"{name}, turn {self.turn}"

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "turn": self.name,
            "number": self.turn,
            "of": self.turns,
            "sources": list(self.sources),
            "n": self.n,
            **self.rates.as_json(),
            "control": None if self.control is None else self.control.as_json(),
            "excess": {name: found.as_json() for name, found in self.excess.items()},
            "accuracy": self.accuracy.as_json(),
            "left_out": dict(self.left_out),
        }


@dataclass(frozen=True, slots=True)
class FirstAnswers:
    """What the candidate says before anything was said to it."""

    right: int
    wrong: int
    ignorant: int
    """It says that it does not know."""
    open: int
    """It cannot be read, did not come, or nobody knows what is right."""

    def as_json(self) -> dict[str, int]:
        """As JSON values."""
        return {"right": self.right, "wrong": self.wrong, "ignorant": self.ignorant, "open": self.open}


@dataclass(frozen=True, slots=True)
class Example:
    """A whole conversation in which something happened."""

    id: str
    name: str
    """The conversation's."""
    what: str
    """`given up`, `mended` or `kept`."""
    expected: str
    said: tuple[tuple[str, str, str], ...]
    """Turn by turn what was said to the candidate, its reply, and what that was taken to say."""

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        turns = [dict(zip(("asked", "reply", "read_as"), turn, strict=True)) for turn in self.said]
        return {"id": self.id, "turn": self.name, "what": self.what, "expected": self.expected, "conversation": turns}
