"""Which versions of a fact can be used, and why others cannot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from vivavoce.consistency.legal.cases.trials import Paraphrase
from vivavoce.interview.forms.form import Outcome, Reading
from vivavoce.interview.forms.refusal import REFUSED, refuses
from vivavoce.interview.replies import FILTERED, NO_ANSWER

LONGEST_RATIO, LONGEST_EXTRA = 3, 200
"""A paraphrase has at most three times the characters of its fact and 200 more: what is longer adds something."""
SHORTEST_RATIO: Final = 4
"""And at least a quarter of them: what is shorter leaves something out."""

MISSING: Final = "missing"
EMPTY: Final = "empty"
IDENTICAL: Final = "identical to the fact"
REPEATED: Final = "identical to another"
TOO_LONG: Final = "too long"
TOO_SHORT: Final = "too short"
GAP: Final = "with a gap to be filled in"
HEADING: Final = "Fact:"
"""Over the fact in the prompt; a weak model says it back."""


def paraphrases_in(reading: Reading[Mapping[int, str]], fact: str, number: int) -> tuple[Paraphrase, ...]:
    """As many paraphrases as were asked for, each a text or the reason why there is none.

    >>> from vivavoce.interview.forms.rewordings import Rewordings
    >>> reading = Rewordings(4).read("[1] B a.\\n[2] a  b.\\n[3] b A.")
    >>> [one.problem or one.text for one in paraphrases_in(reading, "A b.", 4)]
    ['B a.', 'identical to the fact', 'identical to another', 'missing']
    """
    versions = reading.value
    if versions is None:
        return (Paraphrase(fact, "", _why_none(reading)),) * number
    found: list[Paraphrase] = []
    taken = {_folded(fact)}
    for i in range(1, number + 1):
        version = _bare(versions.get(i, ""), fact)
        problem = _problem(version, fact, taken) if i in versions else MISSING
        taken.add(_folded(version))
        found.append(Paraphrase(fact, version if len(version) <= _longest(fact) else "", problem))
    return tuple(found)


def _why_none(reading: Reading[Any]) -> str:
    match reading.outcome:
        case Outcome.NO_ANSWER:
            return NO_ANSWER
        case Outcome.COPIED | Outcome.CUT_OFF:
            return reading.outcome.value
    return REFUSED if reading.problem == FILTERED else reading.problem


def _problem(version: str, fact: str, taken: set[str]) -> str:
    if not version:
        return EMPTY
    if _folded(version) in taken:
        return IDENTICAL if _folded(version) == _folded(fact) else REPEATED
    if len(version) > _longest(fact):
        return TOO_LONG
    if "[" in version and "[" not in fact:
        return GAP
    if refuses(version) and not refuses(fact):
        return REFUSED
    return TOO_SHORT if len(version) * SHORTEST_RATIO < len(fact) else ""


def _longest(fact: str) -> int:
    return LONGEST_RATIO * len(fact) + LONGEST_EXTRA


def _bare(version: str, fact: str) -> str:
    """Without the prompt's heading, and the quotation marks around it that the fact does not have."""
    version = version.removeprefix(HEADING).strip()
    if len(version) > 1 and version[0] + version[-1] in ('""', "“”", "''") and fact[:1] != version[0]:
        return version[1:-1].strip()
    return version


def _folded(text: str) -> str:
    """As texts are compared: case, white space and the full stop do not make a paraphrase."""
    return " ".join(text.casefold().split()).rstrip(".")
