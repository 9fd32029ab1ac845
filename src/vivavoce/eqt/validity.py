"""What questions are worth whose writer, answerer and judge may be one and the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final, TypeVar

from vivavoce.eqt.questions import Item, Phrasing, Record
from vivavoce.eqt.result import Validity

Value = TypeVar("Value", bound=str)

POINTS: Final = "points at a text"
NOT_SELF_CONTAINED: Final = "not self-contained"
DUPLICATE: Final = "a duplicate"
KEY_FAILED: Final = "key not reproduced"
KEY_UNCONFIRMED: Final = "key not confirmed"
NEVER_ASKED: Final = "never asked for"
NO_EXPLANATION: Final = "no explanation"


def faults(item: Item, *, checked: bool) -> tuple[str, ...]:
    """What is wrong with a question that was written; empty where it is valid.

    Where keys are checked, a key has to be reproduced: an unreadable check, or one that was never made, does not confirm it.
    Where they are not, it is taken on trust. Self-containment is taken on trust where the checker could not be read.

    Parameters
    ----------
    item: with a question.
    checked: whether the examination checks keys (`EqtConfig.checks`).
    """
    found = []
    if item.pointing:
        found.append(POINTS)
    if item.self_contained is False:
        found.append(NOT_SELF_CONTAINED)
    if item.duplicate_of is not None:
        found.append(DUPLICATE)
    if checked and (item.key_check is None or item.key_check.chosen is None):
        found.append(KEY_UNCONFIRMED)
    elif key_failed(item):
        found.append(KEY_FAILED)
    return tuple(found)


def key_failed(item: Item) -> bool:
    """Whether the checker, with the explanation at hand, gave another answer than the key."""
    check, question = item.key_check, item.question
    return check is not None and check.chosen is not None and question is not None and check.chosen != question.key


def keeps_meaning(phrasing: Phrasing) -> bool:
    """Whether a wording may stand for the original: the checker did not say that it means something else."""
    return phrasing.same_meaning is not False


def validity(record: Record) -> Validity:
    """Counts of all that is wrong with questions and paraphrases, each where it belongs.

    `wanted` is `written` and all of `not_written`, and so for paraphrases: nothing is lost between them.
    """
    asked_for = [item for sitting in record.sittings for item in sitting.items]
    written = [item for item in asked_for if item.question is not None]
    checks = record.set_up.checks
    checked = [item for item in written if item.key_check is not None]
    paraphrases = [phrasing for item in written for phrasing in item.phrasings[1:]]
    made = [phrasing for phrasing in paraphrases if phrasing.stem is not None]
    wanted = record.set_up.questions * len(record.sittings)
    paraphrases_wanted = record.set_up.paraphrases * len(written)
    return Validity(
        wanted=wanted,
        written=len(written),
        manners=counted(item.manner for item in asked_for),
        not_written=_not_written(record),
        pointing=sum(bool(item.pointing) for item in written),
        not_self_contained=sum(item.self_contained is False for item in written),
        duplicates=sum(item.duplicate_of is not None for item in written),
        key_checked=len(checked),
        key_failed=sum(map(key_failed, checked)),
        key_unreadable=sum(item.key_check is not None and item.key_check.chosen is None for item in checked),
        paraphrases_wanted=paraphrases_wanted,
        paraphrases_made=len(made),
        paraphrases_changed=sum(phrasing.same_meaning is False for phrasing in made),
        paraphrases_unchecked=sum(phrasing.same_meaning is None for phrasing in made),
        not_paraphrased=counted(
            (phrasing.problem or NEVER_ASKED for phrasing in paraphrases if phrasing.stem is None),
            more={NEVER_ASKED: paraphrases_wanted - len(paraphrases)},
        ),
        valid=sum(not faults(item, checked=checks) for item in written),
    )


def counted(values: Iterable[Value], *, more: Mapping[Value, int] | None = None) -> dict[Value, int]:
    """How often each value occurs, `more` added, the most frequent first.

    >>> counted(["b", "a", "a"])
    {'a': 2, 'b': 1}
    """
    counts = Counter(values)
    for value, number in (more or {}).items():
        counts[value] += max(0, number)
    return {value: number for value, number in counts.most_common() if number}


def _not_written(record: Record) -> dict[str, int]:
    reasons, missing = [], {NEVER_ASKED: 0, NO_EXPLANATION: 0}
    for sitting in record.sittings:
        reasons += [item.problem or NEVER_ASKED for item in sitting.items if item.question is None]
        missing[NO_EXPLANATION if sitting.explanation is None else NEVER_ASKED] += record.set_up.questions - len(sitting.items)
    return counted(reasons, more=missing)
