"""Reading what language models reply: strictly, bounded, never guessed at."""

from __future__ import annotations

import re
from typing import Final, Literal

from vivavoce.consistency.legal.cases.trials import Paraphrase
from vivavoce.interview.replies import CUT_OFF

READ: Final = 200_000
"""Characters of a reply that are looked at."""
LONGEST_RATIO, LONGEST_EXTRA = 3, 200
"""A paraphrase has at most three times the characters of its fact and 200 more: what is longer adds something."""
SHORTEST_RATIO: Final = 4
"""And at least a quarter of them: what is shorter leaves something out."""

REFUSED: Final = "refused"
UNFORMED: Final = "not in the form"
MISSING: Final = "missing"
EMPTY: Final = "empty"
IDENTICAL: Final = "identical to the fact"
REPEATED: Final = "identical to another"
TOO_LONG: Final = "too long"
TOO_SHORT: Final = "too short"

_PROBABILITY = re.compile(r"\[Answer\][ \t]{1,3}(0(?:\.\d{0,20})?|1(?:\.0{0,20})?|\.\d{1,20})", re.IGNORECASE)
_VERDICT = re.compile(r"\[Answer\][ \t]{1,3}(SAME|DIFFERENT)", re.IGNORECASE)
_VERSION = re.compile(r"^[ \t]{0,3}\[(\d{1,3})\][ \t]{0,3}([^\n]*)$", re.MULTILINE)
_REFUSAL = re.compile(
    r"\s{0,9}(?:(?:i['’]?m |i am |we are )?(?:very |so |really )?sorry|i apologi[sz]e|unfortunately|as an ai\b"
    r"|(?:i|we) (?:can ?not|can['’]?t|won['’]?t|will not|must decline|decline|am unable|['’]m unable))",
    re.IGNORECASE,
)


def read_probability(reply: str) -> float | None:
    """The probability on the last line that is not empty; None for anything but `[Answer]` and a number from 0 to 1.

    >>> [read_probability(reply) for reply in ("Hm.\\n[Answer] 0.35\\n", "**[Answer] 1.**", "[Answer] 35%", "0.35")]
    [0.35, 1.0, None, None]
    """
    said = _PROBABILITY.fullmatch(_last_line(reply))
    return None if said is None else float(said[1])


def read_verdict(reply: str) -> Literal["same", "different"] | None:
    """Whether a checker says that two facts state the same; None for what cannot be read.

    >>> read_verdict("The date is missing.\\n[Answer] DIFFERENT"), read_verdict("They are the same.")
    ('different', None)
    """
    said = _VERDICT.fullmatch(_last_line(reply))
    if said is None:
        return None
    return "same" if said[1].upper() == "SAME" else "different"


def read_paraphrases(reply: str, fact: str, number: int, *, whole: bool = True) -> tuple[Paraphrase, ...]:
    """As many paraphrases as were asked for, each a text or the reason why there is none.

    Of a reply that is not whole, the version at its very end is not used.

    >>> [one.problem or one.text for one in read_paraphrases("[1] B a.\\n[2] a  b.\\n[3] b A.", "A b.", 4)]
    ['B a.', 'identical to the fact', 'identical to another', 'missing']
    """
    text = reply[:READ]
    versions: dict[int, str] = {}
    cut = 0
    for said in _VERSION.finditer(text):
        versions.setdefault(int(said[1]), said[2].strip())
        if not whole and said.end() == len(text):
            cut = int(said[1])
    if not versions:
        problem = EMPTY if not text.strip() else REFUSED if _REFUSAL.match(text) else UNFORMED
        return (Paraphrase(fact, "", problem),) * number
    found: list[Paraphrase] = []
    taken = {_folded(fact)}
    for i in range(1, number + 1):
        version = _unquoted(versions.get(i, ""), fact)
        problem = CUT_OFF if i == cut else _problem(version, fact, taken) if i in versions else MISSING
        taken.add(_folded(version))
        found.append(Paraphrase(fact, version if len(version) <= _longest(fact) else "", problem))
    return tuple(found)


def _problem(version: str, fact: str, taken: set[str]) -> str:
    if not version:
        return EMPTY
    if _folded(version) in taken:
        return IDENTICAL if _folded(version) == _folded(fact) else REPEATED
    if len(version) > _longest(fact):
        return TOO_LONG
    if _REFUSAL.match(version) and not _REFUSAL.match(fact):
        return REFUSED
    return TOO_SHORT if len(version) * SHORTEST_RATIO < len(fact) else ""


def _longest(fact: str) -> int:
    return LONGEST_RATIO * len(fact) + LONGEST_EXTRA


def _last_line(reply: str) -> str:
    """Without emphasis around it and a full stop at its end."""
    lines = reply[-READ:].rstrip().rsplit("\n", 1)
    return lines[-1].strip().strip("*_`").removesuffix(".").strip()


def _unquoted(version: str, fact: str) -> str:
    """Without the quotation marks around it that the fact does not have."""
    if len(version) > 1 and version[0] + version[-1] in ('""', "“”", "''") and fact[:1] != version[0]:
        return version[1:-1].strip()
    return version


def _folded(text: str) -> str:
    """As texts are compared: case, white space and the full stop do not make a paraphrase."""
    return " ".join(text.casefold().split()).rstrip(".")
