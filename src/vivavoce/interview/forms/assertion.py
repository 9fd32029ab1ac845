"""Whether a text asserts a known answer: states it, outside any negation, hedge, comparison, alternative or correction.

A careful reader takes "Paris", "Paris is the capital" and "It is brought by DHL, not Hermes" for an answer, and neither
"Paris? No, Lyon", "near Paris", "Paris or Lyon" nor "Paris Hilton". An answer that is not plainly asserted is only mentioned.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import Enum
from functools import lru_cache
from typing import Final, NamedTuple

from vivavoce.interview.forms.plain import AROUND, fold
from vivavoce.interview.forms.statements import NEGATION, RETRACTION, STATED

Alike = Sequence[str]
"""Spellings of one answer."""

_MARK: Final = "\ue000"
"""Replaces the answer in the sentence in which it is looked at."""
_SENTENCE_END = re.compile(r"(?<!\b[a-z])(?<!\b(?:mr|ms|dr|st|no|vs))(?<!\bmrs)[.!;](?=\s|$)|\?(?=[\s\"')]|$)|\n")
_QUOTES = " \t\"'*_`([{<"
_LEAD_IN = re.compile(
    r"(?:(?:oh|ok|okay|sure|yes|no(?=[,.:!;–—-])|well|so|hence|thus|therefore|finally|of course|certainly|right|hm+"
    r"|no doubt|great|"
    r"(?:that(?:'s| is) )?(?:a )?(?:good|great|interesting|easy) question|thank you|thanks|sorry for the wait|"
    r"i (?:think|believe|would say|guess|am sure|'m sure)(?: that)?|my (?:guess|answer)(?: is)?|in short|clearly|simply|"
    r"this is|that is|that's|this one is|it is|it's|the (?:final |correct |right )?answer(?: is)?|answer)\b"
    r"[ ]{0,2}[,:!.–—-]{0,2}\s{0,3}){1,4}"
)
_DENIED: Final = re.compile(
    rf"{NEGATION.pattern}|\b(?:no|nor|none|without|unlike|except|excluding|opposite|far from|away from|different from|other"
    r" than|apart from|aside from|anything but|but for|rather than|instead of|than|whether|if|unless|previously|formerly|former"
    r"|once"
    r"|used to|until|before|false|mistaken\w*|mistak\w+|confus\w+|rul\w+ out|exclud\w+|reject\w*|den(?:y|ies|ied)|doubt\w*"
    r"|at least|at most|over|under|up to|nearly|almost|near|close to|next to"
    r"|between|either|neither|versus|vs|like|similar to|compared|might|maybe|perhaps"
    r"|possibly|could|may|would be|seems?|many|most|some|people|often|commonly|they say|supposed\w*|alleged\w*|avoid|stop"
    r"|replac\w+|contrary|old|wrongly|pretend\w*|suppose|imagine|example|such as|e\.g)\b",
    re.IGNORECASE,
)
_HEDGED_AFTER: Final = re.compile(
    r"^\W{0,3}(?:or\b|and\b|nor\b|/|&|vs\b|versus\b|\?)|\b(?:until|formerly|previously|used to|no longer|replaced|instead|but"
    r"|however"
    r"|although|though|unless|if|maybe|perhaps|possibly|might|not sure|unsure|wrong|incorrect|false|mistake\w*|doubt\w*"
    r"|rul\w+ out|once|former|gone|closed|too|either|alternative\w*)\b",
    re.IGNORECASE,
)
_CONTRAST = re.compile(
    r"[,(;:–—-]\s{0,2}(?:and |but )?(?:definitely |certainly )?(?:not|rather than|instead of|never|no other|nothing else)\b"
)
_LINK = re.compile(
    r"(?:\b(?:is|are|was|were|be|been|ist|sind|war|est|sont|es|son|è|é|means|equals|called|named|answer|by|in|at|from|with|via"
    r"|through|on|to|into|using|uses|choose|say|pick|be|von|aus|mit|bei|par|dans|en|por)|'s|[:=])"
    r"[\s:]{0,3}(?:(?:the|a|an|my|our|your|der|die|das|le|la|el|certainly|clearly|definitely|probably|most likely|simply|just|"
    r"indeed|of course|always|now|city of|located in|in|at|by)\s+){0,3}[\s:*_\"'(]{0,4}$"
)
_VERB = re.compile(
    r"\s+(?:is|are|was|were|has|have|had|does|do|did|will|would|can|must|should|ist|sind|war|hat|est|sont|es|son"
    r"|\w{2,20}(?:s|ed)\s+(?:it|this|that|them|the|a|an|your|our|my|his|her|its|us|you|everything|all|on|in|at|to|from|by))\b"
)
"""Begins a predicate of which the answer is the subject."""
_ADDS = re.compile(
    r"\s+(?:in|at|on|from|by|since|for|after|within|per|with|via|because|as|which|who|that|where|ab|nach|seit|von|im|am"
    r"|bei|mit|dans|en)\b"
)
"""Begins what is added to an answer and leaves it one."""
_COMMA = re.compile(
    r",\s+(?:\w{3,20}ing|of course|as|in|at|on|by|which|who|where|because|since|the|an?|i|it|its|this|that|with|not"
    r"|and not|so|located|"
    r"obviously|certainly|naturally|indeed|for sure|no doubt|my friend|sir|please|thanks?|thank you|hope|period|full stop)\b"
)
_WORD = re.compile(r"\w+")
_JOINS = "/'-"


_JUST_DENIED = re.compile(r"\b(?:no|than|instead of|except|unlike|without|or)\s+\W{0,3}$")
_DENIED_AFTER = re.compile(r"\s{0,3}(?:or\b|(?:is|was) (?:not|wrong|false|incorrect)\b|isn't\b)")


class Found(Enum):
    """What a text says of an answer."""

    ABSENT = "does not hold it"
    MENTIONED = "holds it without stating it plainly"
    ASSERTED = "states it"


class _Sentence(NamedTuple):
    text: str
    is_question: bool


def find(text: str, alike: Alike, *, question: str = "") -> Found:
    """What a text, as `plain` gives it, says of an answer with these spellings.

    Parameters
    ----------
    question: what was asked; its words may follow the answer, as in "Paris, France".

    >>> [find(said, ["Paris"]).name for said in ("Paris is the capital.", "It is Paris, not Lyon.", "Paris? No, Lyon.", "Lyon")]
    ['ASSERTED', 'ASSERTED', 'MENTIONED', 'ABSENT']
    """
    flat = _flat(text)
    spellings = sorted({fold(spelling) for spelling in alike}, key=len, reverse=True)
    marked = flat
    for spelling in spellings:
        marked = _marked(marked, spelling)
    if _MARK not in marked:
        return Found.ABSENT
    words = frozenset(_WORD.findall(_flat(question)))
    return Found.ASSERTED if _asserts(marked, words) else Found.MENTIONED


def claims(text: str, alike: Alike) -> bool:
    """Whether one sentence of a text, taken by itself, asserts an answer.

    >>> claims("It is Paris. It is Lyon.", ["Paris"]), claims("It is Lyon, not Paris.", ["Paris"])
    (True, False)
    """
    return any(find(sentence.text, alike) is Found.ASSERTED for sentence in _sentences(_flat(text)))


def as_said(text: str, spelling: str) -> str:
    """A spelling with the capitals that the text gives it where it occurs last."""
    words = r"\s+".join(map(re.escape, fold(spelling).split()))
    found = re.findall(rf"(?<!\w){words}(?!\w)", text, re.IGNORECASE)
    said = " ".join(found[-1].split()) if found else spelling
    return said if fold(said) == fold(spelling) else spelling  # a few letters match without being alike


def holds(text: str, answers: Sequence[str]) -> bool:
    """Whether one of the answers occurs anywhere in a text as whole words, denied or not.

    >>> holds("It is not PARIS.", ["Paris"]), holds("A comparison", ["Paris"])
    (True, False)
    """
    flat = _flat(text)
    return any(True for answer in answers for _ in _places(flat, fold(answer)))


def is_contained(text: str, alike: Alike) -> bool:
    """Whether a spelling occurs as whole words in a sentence that neither denies it nor offers it as one of several.

    >>> is_contained("You need carbon dioxide for that.", ["carbon dioxide"]), is_contained("not Paris", ["Paris"])
    (True, False)
    """
    for spelling in alike:
        for sentence in _sentences(_marked(_flat(text), fold(spelling))):
            before, mark, after = sentence.text.partition(_MARK)
            denied = NEGATION.search(before) or re.search(
                r"\b(?:no|than|instead of|except|unlike|without|or)\s+\W{0,3}$", before
            )
            if (
                mark
                and not denied
                and not re.match(r"\s{0,3}(?:or\b|(?:is|was) (?:not|wrong|false|incorrect)\b|isn't\b)", after)
            ):
                return True
    return False


@lru_cache(maxsize=64)
def _flat(text: str) -> str:
    """A text in small letters, one blank at a time, line by line; of a very long one the beginning and the end."""
    found = "\n".join(" ".join(fold_line.split()) for line in text.splitlines() if (fold_line := _folded_line(line)).strip())
    return found if len(found) <= 2 * STATED else f"{found[:STATED]}\n{found[-STATED:]}"


def _folded_line(line: str) -> str:
    return fold(f"x{line}x")[1:-1]  # marks at the ends are kept


def _marked(text: str, words: str) -> str:
    """The text with a mark instead of each place where the words occur whole."""
    parts, last = [], 0
    for start in _places(text, words):
        parts.append(text[last:start])
        last = start + len(words)
    return _MARK.join([*parts, text[last:]])


def _places(text: str, words: str) -> Iterator[int]:
    """The places where words occur whole; none if they are but marks, which are compared as a whole alone."""
    if not any(c.isalnum() for c in words):
        return
    start = text.find(words)
    while start >= 0:
        end = start + len(words)
        if not _joined(text[max(0, start - 2) : start][::-1]) and not _joined(text[end : end + 2]):
            yield start
        start = text.find(words, end)


def _joined(outwards: str) -> bool:
    """Whether the characters next to words, read away from them, make them a part of a longer word or number."""
    if not outwards:
        return False
    if outwards[0].isalnum() or outwards[0] == "_":
        return True
    return outwards[0] in _JOINS + ".," and outwards[1:].isalnum() and (outwards[0] != "'" or outwards[1:] != "s")


def _sentences(text: str) -> list[_Sentence]:
    found, last = [], 0
    for end in _SENTENCE_END.finditer(text):
        found.append(_Sentence(text[last : end.start()], end[0] == "?"))
        last = end.end()
    found.append(_Sentence(text[last:], is_question=False))
    return [sentence for sentence in found if sentence.text.strip(AROUND)]


def _asserts(text: str, words: frozenset[str]) -> bool:
    """Whether the first sentence that says anything, or the last one, states what is marked, and nothing takes it back."""
    sentences = _sentences(text)
    first = next((n for n, s in enumerate(sentences) if _MARK in s.text or not _is_lead_in(s.text)), 0)
    last = len(sentences) - 1
    for number in sorted({first, last}):
        sentence = sentences[number]
        if _MARK not in sentence.text or sentence.is_question:
            continue
        if not _states(sentence.text, words, ends=number == last < _MOST_SENTENCES):
            continue
        rest = " . ".join(other.text for other in sentences[number + 1 :])
        others = [s.text for s in sentences if s is not sentence and _MARK in s.text]
        earlier_question = any(s.is_question and _MARK in s.text for s in sentences[:number])
        if earlier_question or RETRACTION.search(f" . {rest}") or any(map(_denies, others)):
            return False
        return number == first or not _MARK_FREE_CLAIM.search(" . ".join(s.text for s in sentences[:number]))
    return False


_MARK_FREE_CLAIM = re.compile(r"\b(?:answer|it|capital|that) (?:is|was)\b|\bit's\b")
"""A claim in an earlier sentence that has another answer than the last one."""


def _is_lead_in(sentence: str) -> bool:
    lead = _LEAD_IN.match(sentence.strip(AROUND))
    return bool(lead) and not sentence.strip(AROUND)[lead.end() :].strip(AROUND)  # type: ignore[union-attr]


def _denies(sentence: str) -> bool:
    before, _, after = sentence.partition(_MARK)
    return bool(NEGATION.search(before) or NEGATION.search(after))


def _states(sentence: str, words: frozenset[str], *, ends: bool) -> bool:
    """Whether a sentence states what is marked in it.

    ends: whether the sentence is the last of few, so that it may end with the answer in any way.
    """
    before, _, after = sentence.rpartition(_MARK) if sentence.count(_MARK) > 1 else sentence.partition(_MARK)
    before = before.replace(_MARK, "")
    lead = _LEAD_IN.match(before.lstrip(_QUOTES))
    own = before.lstrip(_QUOTES)[lead.end() :] if lead else before
    is_subject = not own.strip(_QUOTES + ",")
    if not _is_clear(own, words) or not _continues(after, words, is_subject=is_subject):
        return False
    if is_subject or own.strip(_QUOTES) in (
        "but",
        "it is",
        "it's",
        "in",
        "at",
        "by",
        "on",
        "with",
        "from",
        "the",
    ):
        return True
    ends_here = not after.strip(AROUND + ")]}>")
    return bool(_LINK.search(own)) or (ends and ends_here and sentence.count(_MARK) == 1 and len(own.split()) <= _LONGEST_LEAD)


_ANOTHER = re.compile(r"(?:/|&|\b(?:or|and|nor|versus|vs\.?)|[^\s,:;],)\s{0,3}[\"'(*_]{0,3}$")
"""Another answer right before this one, as in a list."""
_NEW_CLAUSE = re.compile(r"\s*(?:it is|it's|the answer is|this is)?\s*[\"'(]*$|.*\b(?:is|was|by|in)\b")
_MOST_SENTENCES: Final = 2
_LONGEST_LEAD: Final = 14
_BARE_LEADS: Final = ("but", "it is", "it's", "in", "at", "by", "on", "with", "from", "the")


def _is_clear(before: str, words: frozenset[str]) -> bool:
    """Whether nothing before the answer denies or hedges it but words of the question; another answer may be denied before."""
    *earlier, clause = re.split(r"[,;:]|(?<!anything )(?<!nothing )(?<!all )\bbut\b", before)
    if _is_denied(clause, words) or _ANOTHER.search(before):
        return False
    denied_before = any(_is_denied(other, words) for other in earlier)
    return not denied_before or bool(
        re.match(r"\s*(?:it is|it's|the answer is|this is)?\s*[\"'(]*$|.*\b(?:is|was|by|in)\b", clause)
    )


def _is_denied(clause: str, words: frozenset[str]) -> bool:
    return any(NEGATION.search(found[0]) or not set(_WORD.findall(found[0])) <= words for found in _DENIED.finditer(clause))


def _continues(after: str, words: frozenset[str], *, is_subject: bool) -> bool:
    """Whether what follows the answer leaves it one; a predicate does only if the answer is its subject."""
    contrast = _CONTRAST.search(after)
    clause = after[: contrast.start()] if contrast else after
    bracketed = re.match(r"[\s\"'*_]{0,3}\(([^()]{0,80})\)", clause)
    inside = bracketed[1] if bracketed else ""
    if NEGATION.search(clause) or _HEDGED_AFTER.search(clause) or _HEDGED_AFTER.search(inside):
        return False
    rest = clause[bracketed.end() :] if bracketed else clause
    rest = rest.lstrip("\"'*_`)]}>")
    if not rest.strip(AROUND + ")]}>") or re.match(r"\s{0,3}(?:[:–—(]|-\s)", rest) or _COMMA.match(rest) or _ADDS.match(rest):
        return True
    if _VERB.match(rest):
        return is_subject
    following = _WORD.search(rest)
    return bool(following) and any(following[0][:_STEM] == word[:_STEM] for word in words if len(word) >= _SHORTEST)  # type: ignore[index]


_STEM: Final = 5
_SHORTEST: Final = 3
