"""The option that words begin with, by its letter or its text, unless what follows denies it or names another one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from string import ascii_uppercase
from typing import Final

from vivavoce.interview.forms.described_option import is_described
from vivavoce.interview.forms.form import Reading, answered, unreadable
from vivavoce.interview.forms.option_letters import CLOSING, FOLLOWING, Mention, judgement, mentions
from vivavoce.interview.forms.option_texts import REASON, begins_like, is_whole, text_at, text_behind
from vivavoce.interview.forms.other_languages import OR
from vivavoce.interview.forms.statements import NOTHING_STATED, SEVERAL

_LETTER = re.compile(r"(?P<open>[(\[{<\"'|*_~]{0,3}[ ]?)(?P<letter>[A-Za-z])(?P<close>(?:[ ](?!>))?[)\]}>|*_~]{1,3}|[\"']?)")
_AND = re.compile(
    r"(?=[\s,;/|&+(–—=→.?!-])[\s,;/|&+(–—=→>.?!-]{0,5}"
    r"(?:\b(?:or|and|also|maybe|perhaps|possibly|even|else|alternatively|plus|as well as|both"
    r"|arguably|potentially|conceivably|equally|but(?= also\b| arguably\b| perhaps\b| maybe\b| possibly\b)"
    r"|to|then)\b[\s,]{0,3}){0,4}(?:option\s)?",
    re.IGNORECASE,
)
_ALSO = re.compile(r"[^.\n]{0,60}\b(?:also|equally|as well|too)\b", re.IGNORECASE)
_POSSIBLE: Final = r"(?:possible|plausible|acceptable|defensible|valid|arguable|reasonable|correct|right|fine)"
_ALSO_HOLDS = re.compile(
    r"[^.\n]{0,30}?(?<!\w)\(?(?P<letter>[A-Z])\)?\s(?i:(?:is|seems|looks|(?:could|might|may|would)(?: also)?(?: well)? be)\s"
    rf"(?:(?:also|equally|just as|arguably)\s{_POSSIBLE}|{_POSSIBLE}\s(?:too|as well|also))"
    r"|(?:also (?:works|fits|qualifies))|(?:works|fits|qualifies) (?:too|as well|also))\b"
)
_SHARE: Final = r"[)\]]?\s{0,2}[(:=–-]{0,2}\s?(?P<%s>\d{1,3}(?:\.\d{1,3})?\s?%%|0?\.\d{1,3})\)?"
_SHARED = re.compile(rf"{_SHARE % 'own'}[\s,;/|]{{1,4}}(?:(?:and|or|vs\.?|versus)\s)?\(?(?P<letter>[A-Z]){_SHARE % 'other'}")
_ALL_OR_NONE = re.compile(r"\b(?:all|none|both|neither|any|every)\b", re.IGNORECASE)
_REASON_BEHIND = re.compile(r"\s{0,2}(?:\(|[:–—]|,?\s?(?:because|since|as)\b)", re.IGNORECASE)
_BESIDE = re.compile(
    r"[\s,–—→=([-]{1,4}(?:(?:which is|i\.?e\.?|that is|so|thus|hence|namely)[\s,:]{1,3})?"
    r"(?:(?:the )?(?i:option|choice|letter|answer)\s)?(?:is\s)?(?=[(\[]?[A-Z]\b)"
)
_OR = re.compile(r"[\s,.(–—-]{0,4}(?:and/)?or\b", re.IGNORECASE)
_OR_LETTER = re.compile(rf"[\s,.)(–—-]{{0,4}}(?:(?i:{OR})|→|[-=]{{0,2}}>)\s?[(\[\"']?(?P<letter>[A-Z])(?!\w)")
_OR_TEXT = re.compile(
    r"[\s,.;(]{0,4}(?:(?:\b(?:or|and|also|maybe|perhaps|possibly|as well as|plus)\b|[/&])[\s,]{0,3}){1,4}",
    re.IGNORECASE,
)
_ONE_JUDGED = re.compile(r"\s(?:is|was|isn't|wasn't|has|does|doesn't|would|can|can't|cannot|being)\b", re.IGNORECASE)
"""Begins what is said of one option, which is no part of a list."""
_LISTED = re.compile(r"\s?,\s{1,3}(?:the\s)?", re.IGNORECASE)
_OR_NONE = re.compile(
    r"[\s,.(–—-]{0,4}(?:and/)?or (?:none|neither|nothing|not|(?:an|some )?other|something else|both|all|any)\b", re.IGNORECASE
)
LEAD_IN = re.compile(
    r"(?:[\s:=,*_>→•#|👉✅✓✔☑\ufe0f]|[–—-](?=[\s>*_])"
    r"|(?:options?|choice|letter|therefore|thus|hence|so|then|clearly|simply|indeed|definitely|certainly|surely"
    r"|obviously|probably|likely"
    r"|ans|most likely|the|it's|it is|that's|that is|this is|es ist|das ist|c'est|es|è|é|my|final|answer|of course|donc"
    r"|also|alors|quindi|entonces|logo|la|le|el|o|die|der"
    r"|lettre|letra|lettera|buchstabe|opción|opção|opzione|alternativa|variante|вариант|под буквой"
    r"|(?:it|that|this) (?:must|would|should|will|has to) be|(?:must|would|should|has to) be"
    r"|(?:let's |let us |we |i(?:'d|'ll| would| will)? ?)(?:now )?(?:think|say|choose|pick|select|believe|guess|go with"
    r"|go for|vote for|opt for)"
    r"|going (?:with|for)|i'm going with|none other than|that(?= \(?[A-Z]\b)"
    r")(?![\w'])){0,16}",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"\s{0,3},?\s{0,3}(?:if|unless|only if|provided|assuming)\b", re.IGNORECASE)
SENTENCE = re.compile(r"[.;!?\n]")
SEPARATORS: Final = CLOSING + " \t([–—→=/-"
_IN_BRACKETS = re.compile(r"[\s.,:)–—-]{0,4}\((?P<letter>[A-Z])\)\s{0,3}(?:$|[.;!?\n])")
_CLOSED = re.compile(r"\s{0,2}(?:$|[.,;:!?)\n✓✔✅]|(?:or|and|too|as well)\b)")
NO_OPTION: Final = "names no option that there is"
CLASH: Final = "names one option by its letter and another one by its text"
MOST: Final = 200
"""Letters that a reply may name; more of them say nothing."""


def by_text(letter: str, rest: str, options: Sequence[str]) -> Reading[str] | None:
    """An option that is named by its text, unless what follows denies it or names another one."""
    if judgement(rest, letter, ())[0] in ("wrong", "open"):
        return None
    link = _OR_TEXT.match(rest) or _LISTED.match(rest)
    also = text_at(rest[link.end() :], options, within_words=True) if link else None
    if link and also and also[0] != letter and (link[0].strip() != "," or not _ONE_JUDGED.match(also[1])):
        return unreadable(SEVERAL)
    beside = _BESIDE.match(rest)
    other = beside and letter_at(rest[beside.end() :])
    if other and other[0] != letter and judgement(other[1], other[0], options)[0] != "wrong":
        return unreadable(CLASH)
    return reading_of(letter, options)


def by_letter(letter: str, rest: str, options: Sequence[str]) -> Reading[str] | None:
    """An option that is named by its letter, unless what follows denies it or names another one."""
    if is_described(rest, letter, options):
        return reading_of(letter, options)
    if judgement(rest, letter, options)[0] in ("wrong", "open"):
        return None
    if _CONDITION.match(rest.lstrip(CLOSING)) and not begins_like(rest.lstrip(SEPARATORS), letter, options):
        return unreadable(NOTHING_STATED)
    named = text_behind(rest, options)
    if named and named[0] != letter and is_whole(named[1]):
        return unreadable(CLASH)
    if (other := _IN_BRACKETS.match(rest)) and other["letter"] != letter:
        return unreadable(CLASH)
    if not named and not _covers(rest, letter, options) and _another(rest[:FOLLOWING], letter, options):
        return unreadable(SEVERAL)
    return reading_of(letter, options)


def _is_half_at_most(share: str) -> bool:
    return float(share.rstrip("% ")) <= (50 if share.endswith("%") else 0.5)


def _covers(rest: str, letter: str, options: Sequence[str]) -> bool:
    """Whether an option says "all of the above" or "none of them", and the other letters are named as its reason."""
    place = ascii_uppercase.index(letter)
    own = options[place] if place < len(options) else ""
    return bool(_ALL_OR_NONE.search(own) and _REASON_BEHIND.match(rest))


def _another(rest: str, letter: str, options: Sequence[str]) -> bool:
    """Whether the words behind a letter name another one that may be meant as well."""
    link = _AND.match(rest)
    linked = rest[link.end() :] if link else ""
    if (another := letter_at(linked)) and another[0] != letter and _CLOSED.match(another[1]):
        return next(mentions(linked, options), None) is None or _may_be_meant(linked, letter, options, 1)
    if (shared := _SHARED.match(rest)) and shared["letter"] != letter and _is_half_at_most(shared["own"]):
        return True
    if (holds := _ALSO_HOLDS.match(rest)) and holds["letter"] != letter:
        return True
    if _OR_NONE.match(rest) or ((other := _OR_LETTER.match(rest)) and other["letter"] != letter):
        return True
    return bool(_ALSO.match(rest) or _OR.match(rest)) and _may_be_meant(SENTENCE.split(rest)[0], letter, options, MOST)


def _may_be_meant(said: str, letter: str, options: Sequence[str], most: int) -> bool:
    others = (mention for mention in islice(mentions(said, options), most) if letter not in mention.letters)
    return any(mention.judged not in ("wrong", "open") for mention in others)


def reading_of(letter: str, options: Sequence[str]) -> Reading[str]:
    return answered(letter) if letter in ascii_uppercase[: len(options)] else unreadable(NO_OPTION)


def letter_at(text: str, options: Sequence[str] = ()) -> tuple[str, str] | None:
    """The letter that a text begins with, and what follows it; None if it begins with a word."""
    if not (m := _LETTER.match(text)):
        return None
    letter, rest = m["letter"], text[m.end() :]
    if re.match(r"\.[a-z]\.", rest):  # "e.g."
        return None
    if letter.islower() and letter in options and ascii_uppercase.index(letter.upper()) != list(options).index(letter):
        return None
    if rest and not rest[0].isspace() and rest[0] not in CLOSING + "/&,;–—#✓✔✅✗✘❌☑→=":
        return None
    bracketed = bool(m["close"].strip())
    closed = bracketed or not rest.strip() or rest[0] in CLOSING + "#✓✔✅✗✘❌☑" or REASON.match(rest) or _linked(rest)
    if not closed and options and letter.isupper() and letter != "I":
        own = text_at(rest.lstrip(), options)
        closed = bool(own and own[0] == letter) or judgement(rest, letter, options)[0] in ("right", "answer", "wrong")
    return (letter.upper(), rest) if closed or (letter.isupper() and letter not in "AI") else None


def _linked(rest: str) -> bool:
    """Whether "or", "and" or a sign like them follows."""
    return bool(re.match(r"\s{0,3}(?:[,/&=→]|\bor\b|\band\b|then\s\(?[A-Z]\b|rather\b|instead\b|not\b)", rest, re.IGNORECASE))


def only_one_named(named: Sequence[Mention], options: Sequence[str]) -> tuple[Reading[str], int]:
    """The only letter that is named for a choice in sentences, and where the words behind it begin."""
    chosen = [mention for mention in named if mention.chosen and mention.judged not in ("wrong", "open")]
    if len(set().union(*(mention.letters for mention in chosen))) != 1:
        chosen = [mention for mention in named if mention.judged != "wrong"]
        if not any(mention.stands for mention in chosen):
            return unreadable(NOTHING_STATED), 0
    letters = set[str]().union(*(mention.letters for mention in chosen))
    reading = unreadable(SEVERAL) if len(letters) > 1 else reading_of(letters.pop(), options)
    return reading, chosen[0].end
