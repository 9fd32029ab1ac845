"""Whether a text gives an answer that is known: as whole words, outside any negation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from vivavoce.interview.forms.plain import AROUND, fold
from vivavoce.interview.forms.statements import NEGATION, STATED

Alike = Sequence[str]
"""Spellings of one answer."""

_NEAR: Final = 200
"""Characters before an answer in which its denial is looked for."""
_CLAUSE = re.compile(r"[.!?;](?=\s|$)|\n")
_DENIED = re.compile(rf"{NEGATION.pattern}|\b(?:no|rather|than|instead of|except|unlike|without|whether|if)\b", re.IGNORECASE)
_ANOTHER = re.compile(r"(?:,|/|&|\b(?:or|and|nor|versus|vs\.?))\s{0,3}$")
_LEAD_IN = re.compile(r"\s{0,3}(?:(?:oh|ok|okay|sure|yes|no|well|so|hence|thus|therefore|finally|of course|hm+),\s{0,3}){1,3}")
_JUST_SAID = re.compile(
    r"(?:\bis|\bare|\bwas|\bwere|'s|\banswer|[:=])[\s:*_\"'(]{0,5}(?:(?:the|an?|called|named)\s)?[\"'(]{0,2}$"
)
_TAKEN_BACK = re.compile(r"\s{0,3}(?:/|or\b|and\b|is (?:not|wrong|false)\b|isn't\b)")
_STOPS = re.compile(
    r"[\s\"')\]}*_]{0,3}(?:$|[.:;!?(–—-]|\b(?:because|since|as|is|was|are|were|has|which|who|that)\b"
    r"|,\s?(?:because|since|as|i|it|the|an?|which|who|not|of course|so)\b)"
)
_JOINS = "/'-"


def known_in(text: str, known: Sequence[Alike], *, anywhere: bool = False) -> list[str]:
    """The known answers that a text gives, each as the text has it: the longest of its spellings that is given.

    Given is what stands at the end, or after "is" or "answer", or is a sentence of its own; with `anywhere`, what stands
    anywhere. Nothing is given where it is denied, or is one of several.

    >>> known = [("Paris", "City of Paris"), ("Rome",)]
    >>> [known_in(said, known) for said in ("Sure! Paris.", "It is Rome, I think", "It is not Paris", "Rome or Paris")]
    [['Paris'], ['Rome'], [], []]
    >>> known_in("I call it the city of Paris.", known)
    ['city of Paris']
    """
    said = _clauses(text)
    given = [[spelling for spelling in alike if _gives(said, spelling, anywhere=anywhere)] for alike in known]
    return [_as_said(text, max(spellings, key=len)) for spellings in given if spellings]


def holds(text: str, answers: Sequence[str]) -> bool:
    """Whether one of the answers stands anywhere in a text as whole words, denied or not.

    >>> holds("It is not PARIS.", ["Paris"]), holds("A comparison", ["Paris"])
    (True, False)
    """
    clauses = _clauses(text)
    return any(True for answer in answers for clause in clauses for _ in _places(clause, fold(answer)))


def _clauses(text: str) -> list[str]:
    flat = (" ".join(clause.casefold().split()) for clause in _CLAUSE.split(text.replace("’", "'")))
    return [_clipped(clause) for clause in flat if clause.strip(AROUND)]


def _clipped(clause: str) -> str:
    """The beginning and the end of a clause that is too long for one."""
    return clause if len(clause) <= STATED else f"{clause[: STATED // 2]} ... {clause[-STATED // 2 :]}"


def _gives(clauses: list[str], spelling: str, *, anywhere: bool) -> bool:
    words = fold(spelling)
    return any(
        _meant(clause[:start], clause[start + len(words) :], last=clause is clauses[-1], anywhere=anywhere)
        for clause in clauses
        for start in _places(clause, words)
    )


def _as_said(text: str, spelling: str) -> str:
    """A spelling with the capitals that the text gives it where it stands last."""
    words = r"\s+".join(map(re.escape, fold(spelling).split()))
    found = re.findall(rf"(?<!\w){words}(?!\w)", text.replace("’", "'"), re.IGNORECASE)
    said = " ".join(found[-1].split()) if found else spelling
    return said if fold(said) == fold(spelling) else spelling  # a few letters match without being alike


def _meant(before: str, after: str, *, last: bool, anywhere: bool) -> bool:
    """Whether what stands between these is meant as the answer."""
    bare = not after.strip(AROUND + ")]}")
    before = before[lead.end() :] if (lead := _LEAD_IN.match(before)) else before
    near = before[-_NEAR:]
    if _DENIED.search(near) or _ANOTHER.search(near):
        return False
    if _TAKEN_BACK.match(after):
        return False
    if anywhere or (bare and (last or not before.strip(AROUND + "([{"))):
        return True
    return bool(_JUST_SAID.search(near) and _STOPS.match(after))


def _places(clause: str, words: str) -> Iterator[int]:
    """Where words stand whole; nowhere if they are but marks, which are compared as a whole alone."""
    if not any(c.isalnum() for c in words):
        return
    start = clause.find(words)
    while start >= 0:
        end = start + len(words)
        if not _joined(clause[:start][-2:][::-1]) and not _joined(clause[end : end + 2]):
            yield start
        start = clause.find(words, end)


def _joined(outwards: str) -> bool:
    """Whether the characters next to words, read away from them, make them a part of a longer word or number."""
    if not outwards:
        return False
    if outwards[0].isalnum() or outwards[0] == "_":
        return True
    return outwards[0] in _JOINS + ".," and outwards[1:].isalnum() and (outwards[0] != "'" or outwards[1:] != "s")
