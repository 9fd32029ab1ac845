"""The interface of rules for whole replies, and their result for a reply."""

from __future__ import annotations

from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict

from vivavoce.interview.record import canonical_json


class RuleSettings(BaseModel):
    """Settings of a rule, written in a question as JSON."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def check(self) -> None:
        """Raises `BadInput` for settings by which no reply can be scored, and `MissingExtra`."""

    @property
    def text(self) -> str:
        """The rule as JSON; equal rules have equal texts."""
        return canonical_json(self.model_dump(mode="json", exclude_none=True))


@dataclass(frozen=True, slots=True)
class RuleResult:
    """A reply's score by a rule."""

    score: float
    """In [0, 1]."""
    read_as: str = ""
    """The part that was extracted from it; empty if all of it counts."""
    is_undecided: bool = field(default=False, repr=False)
    """Whether it takes too many steps to check, so that it may earn anything from its score to 1."""
