"""What was said, and thought aloud before that, out of the JSON of a record."""

from __future__ import annotations

import json

from vivavoce.interview.steps import Step


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
