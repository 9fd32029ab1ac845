"""Telling questions, chosen for readers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from vivavoce.eqt.questions import Answer, Item, Record, Sitting
from vivavoce.eqt.result import Example
from vivavoce.eqt.validity import faults, keeps_meaning, key_failed

MOST: Final = 6

Telling = Callable[[Item, bool], bool]
"""Whether a question with a key shows it; the second argument says whether it is valid."""


def examples(record: Record) -> tuple[Example, ...]:
    """At most six questions, one of each kind before a second of any, of concepts not shown before where there are such.

    What the candidate does is shown on valid questions, so that the fault is not the question's.
    """
    pool = [(sitting, item) for sitting in record.sittings for item in sitting.items if item.question is not None]
    valid = {id(item): not faults(item, checked=record.set_up.checks) for _, item in pool}
    fitting = {why: [one for one in pool if shows(one[1], valid[id(one[1])])] for why, shows in KINDS.items()}
    chosen: list[tuple[str, Sitting, Item]] = []
    while len(chosen) < MOST:
        before = len(chosen)
        for why, ones in fitting.items():
            shown, used = {sitting.concept for _, sitting, _ in chosen}, {id(item) for *_, item in chosen}
            left = [one for one in ones if id(one[1]) not in used]
            if left and len(chosen) < MOST:
                sitting, item = next((one for one in left if one[0].concept not in shown), left[0])
                chosen.append((why, sitting, item))
        if len(chosen) == before:
            break
    return tuple(
        Example(sitting.concept, sitting.explanation or "", item, why)
        for kind in KINDS
        for why, sitting, item in chosen
        if why == kind
    )


def _gap(item: Item, valid: bool) -> bool:
    original = item.phrasings[0].answer if item.phrasings else None
    return valid and _right(item, item.open_book) and original is not None and not _right(item, original)


def _inconsistent(item: Item, valid: bool) -> bool:
    return valid and len({answer.chosen for answer in _kept(item)}) > 1


def _throughout(item: Item, valid: bool) -> bool:
    return valid and _right(item, item.open_book) and bool(kept := _kept(item)) and all(_right(item, answer) for answer in kept)


def _changed(item: Item, _: bool) -> bool:
    return any(phrasing.same_meaning is False for phrasing in item.phrasings)


def _kept(item: Item) -> list[Answer]:
    """Answers to wordings that keep the meaning."""
    return [phrasing.answer for phrasing in item.phrasings if phrasing.answer is not None and keeps_meaning(phrasing)]


def _right(item: Item, answer: Answer | None) -> bool:
    return answer is not None and item.question is not None and answer.chosen == item.question.key


KINDS: Final[dict[str, Telling]] = {
    "answered with the explanation, not without it": _gap,
    "another answer to another wording": _inconsistent,
    "right throughout": _throughout,
    "its key is not reproduced with the explanation at hand": lambda item, _: key_failed(item),
    "points at a text that the answerer does not see": lambda item, _: bool(item.pointing) or item.self_contained is False,
    "a paraphrase that means something else": _changed,
}
"""What an example shows -> how it is told, in the order in which they are shown."""
