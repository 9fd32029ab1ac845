"""The steps of an agent on its way to a reply, and the words, thoughts and steps in the JSON of a record."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

MOST: Final = 500
"""Steps of one reply that are kept."""
LONGEST: Final = 4_000
"""Characters of one text of a step that are kept."""
MOST_CHARACTERS: Final = 200_000
"""Of all steps of one reply."""
NOTHING: Final = "(nothing in words)"
"""What a step is shown as in which nothing was said, and no tool called: a turn that only leads to the calls after it."""
_SHORTEST: Final = 100


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that an agent did: it said something, or called a tool.

    >>> Step(tool="add", arguments='{"a": 2, "b": 2}', result="4", seconds=0.01).words
    'add({"a": 2, "b": 2}) → 4'
    """

    said: str = ""
    """What it said, without calling a tool or before it does."""
    tool: str = ""
    """The name of the tool that it called; empty: none."""
    arguments: str = ""
    """Of the call: as JSON, or as the agent wrote them."""
    result: str = ""
    """What the tool gave back."""
    error: str = ""
    """Why the call failed, as the agent was told; empty: it did not."""
    seconds: float = 0.0
    left_out: int = 0
    """Of the last step that is kept: how many came after it."""

    @property
    def words(self) -> str:
        """All of it on one line, whatever its length."""
        call = f"{self.tool}({self.arguments}) → {f'failed: {self.error}' if self.error else self.result}" if self.tool else ""
        return " ".join(" ".join(filter(None, (self.said, call))).split()) or NOTHING


def kept_steps(steps: Sequence[Step], *, limit: int = MOST, longest: int = LONGEST) -> tuple[Step, ...]:
    """The first of these steps with the first characters of their texts, as many as a record or a page is to hold.

    >>> [(step.said, step.left_out) for step in kept_steps([Step("a"), Step("b"), Step("c")], limit=2)]
    [('a', 0), ('b', 1)]
    """
    first = list(steps[:limit])
    most = max(_SHORTEST, min(longest, MOST_CHARACTERS // max(1, 4 * len(first))))
    found = [_shortened(step, most) for step in first]
    if len(steps) > limit:
        after = sum(1 + step.left_out for step in steps[limit:])
        found[-1] = replace(found[-1], left_out=found[-1].left_out + after)
    return tuple(found)


def _shortened(step: Step, most: int) -> Step:
    return replace(
        step,
        said=_cut(step.said, most),
        tool=_cut(step.tool, _SHORTEST),
        arguments=_cut(step.arguments, most),
        result=_cut(step.result, most),
        error=_cut(step.error, most),
    )


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


def said(value: str) -> str:
    """The text of a prompt or a reply, the reason of an absence, else the JSON itself.

    Raises `ValueError` for what is no JSON.

    >>> said('{"text":"2 + 2?","system":""}'), said('{"attempts":1,"reason":"time-out"}'), said('"plain"'), said("[1,2]")
    ('2 + 2?', 'time-out', 'plain', '[1,2]')
    """
    found = json.loads(value)
    if isinstance(found, dict):
        for field in ("text", "reason"):
            if isinstance(found.get(field), str):
                return str(found[field])
    return found if isinstance(found, str) else value


def thought(value: str) -> str:
    """The thoughts before a reply, where the record has them apart from it; else nothing. Raises `ValueError` as `said` does.

    >>> thought('{"text":"12","thoughts":"10 + 2."}'), thought('{"text":"12"}')
    ('10 + 2.', '')
    """
    found = json.loads(value)
    told = found.get("thoughts") if isinstance(found, dict) else None
    return told if isinstance(told, str) else ""


def done(value: str) -> tuple[str, ...]:
    """What an agent did before a reply, a line a step; nothing where the record says nothing. Raises `ValueError` likewise.

    >>> done('{"text":"4","steps":[{"tool":"add","arguments":"[2, 2]","result":"4"}]}')
    ('add([2, 2]) → 4',)
    """
    found = json.loads(value)
    steps = found.get("steps") if isinstance(found, dict) else None
    try:
        return tuple(Step(**step).words for step in steps or ())
    except TypeError:
        raise ValueError("its steps are none") from None
