"""Words behind a choice that take it back or correct it: "Answer: A. Wait, no: B"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from string import ascii_uppercase
from typing import Final

from vivavoce.interview.forms.form import Reading, unreadable
from vivavoce.interview.forms.named_option import (
    LEAD_IN,
    MOST,
    SENTENCE,
    SEPARATORS,
    by_letter,
    by_text,
    letter_at,
    only_one_named,
)
from vivavoce.interview.forms.option_letters import CLOSING, denied, mentions
from vivavoce.interview.forms.option_texts import folded, text_at, text_behind
from vivavoce.interview.forms.other_languages import FALSE
from vivavoce.interview.forms.plain import WRONG_MARKS
from vivavoce.interview.forms.statements import RETRACTION, SEVERAL, TAKEN_BACK

_FALSE = re.compile(FALSE, re.IGNORECASE)
_CORRECTION_LEAD = re.compile(
    r"(?:[\s,;:.!–—(-]"
    r"|(?:no|wait|hmm|actually|sorry|oops|i|it|it's|that|that's|is|was|were|should|must|would|be|have|been|the|correct"
    r"|right|final|revised"
    r"|better|answer|option|choice|letter|go|going|with|make|rather|instead|meant|mean|now|think|believe|so|then|really"
    r"|of course|my|mistake|to|me"
    r"|wrong|incorrect|say|said|change|changed|mind|let|reconsider|not (?:option )?\(?[A-Z]\)?(?=[,;.]|\s(?:but|it)\b)"
    r"|but)(?![\w'])){0,24}",
    re.IGNORECASE,
)
_WEAK: Final = re.compile(
    r"actually|in fact|edit|update|revised|sorry|apologies|(?:or )?rather|(?:it )?should (?:be|have been)|that(?:'s| is"
    r"| was).*|.{0,4}\bno\b.*|no longer|(?:up)?on .*(?:review|inspection|look)",
    re.IGNORECASE | re.DOTALL,
)
_CLAUSE_START = re.compile(r"(?:[.,;:!?(–—\n\"'-]|…|\b(?:but|and|no|so|oh|hmm+|hm|ah|well|i|or))\s{0,3}$", re.IGNORECASE)
_LABEL_BEFORE = re.compile(r"\n[ \t(*]{0,4}(?P<letter>[A-Z])(?:\)?|[).:][^\n]{0,200})\Z")
_NEW_LABEL = re.compile(r"(?:\A[^\n:.]{1,40}:|\bchang\w{0,3}\b[^\n.]{0,30}\bto)\s{0,3}\(?\Z")
_MARKED_WRONG = re.compile(
    r"\n[ \t*_]{0,4}(?:(?:result|verdict|status|evaluation|feedback|outcome|marked|(?:is )?correct|judge?ment)\??\s?[:=–-]"
    rf"[\s*_{WRONG_MARKS}\ufe0f]{{0,4}}(?:incorrect|wrong|false|no|not correct|rejected)(?: answer)?"
    rf"|[{WRONG_MARKS}\ufe0f ]{{0,3}}(?:incorrect|wrong|not correct)|[{WRONG_MARKS}])\ufe0f?[ \t.!*_]{{0,4}}(?:$|\n)",
    re.IGNORECASE,
)
_CUES: Final = 12
"""Words in a row that take back an answer, and are looked at."""


def taken_back(rest: str, reading: Reading[str], options: Sequence[str]) -> Reading[str] | None:
    """The choice that corrects an earlier one; unreadable if it is only taken back, None if it stands."""
    own = _length_of_choice(rest, options)
    if reading.value and _MARKED_WRONG.search(rest, own):
        return unreadable(TAKEN_BACK)
    result: Reading[str] | None = None
    for cue in islice(RETRACTION.finditer(rest, 1), _CUES):
        before, after = rest[: cue.start()], rest[cue.end() :]
        word = cue[0].strip(" .,;:!?(–—\n-")
        at_start = not cue[0][0].isalpha() or _CLAUSE_START.search(before)
        other = _LABEL_BEFORE.search(before)
        if cue.start() + 1 < own or not at_start or (other and other["letter"] != reading.value):
            continue
        if corrected := _correction(after, options):
            result = corrected
        elif result is None and reading.value and _takes_back(word, before[own:], after):
            later = only_one_named(list(islice(mentions(after, options), MOST)), options)[0]
            result = later if later.value else unreadable(TAKEN_BACK)
    return result or (unreadable(SEVERAL) if _names_another(rest[own:], reading, options) else None)


def _names_another(rest: str, reading: Reading[str], options: Sequence[str]) -> bool:
    """Whether another letter is chosen after an answer, or stands behind a stop on the same line with nothing after it."""
    line = rest.split("\n", 1)[0]
    for mention in islice(mentions(rest, options), MOST):
        if reading.value is None or reading.value in mention.letters or not mention.stands or mention.judged:
            continue
        before = rest[: mention.start].rpartition("\n")[2]
        ends = not rest[mention.end :].split("\n", 1)[0].strip(CLOSING + " ")
        starts = _NEW_LABEL.search(before) or (mention.end <= len(line) and _CLAUSE_START.search(before))
        if mention.chosen or (ends and starts):
            return True
    return False


def _length_of_choice(rest: str, options: Sequence[str]) -> int:
    """How many characters a choice takes up where it is stated: its letter, and its own text behind it."""
    found = letter_at(LEAD_IN.sub("", rest, count=1), options)
    behind = found[1] if found else rest
    named = text_behind(behind, options)
    if not named or (found and named[0] != found[0]):
        return len(rest) - len(behind)
    text = folded(tuple(options))[ascii_uppercase.index(named[0])]
    return len(rest) - len(behind) + max(behind.lower().find(text), 0) + len(text)


def _takes_back(word: str, before: str, after: str) -> bool:
    """Whether words that may take an answer back do so: some only if they stand right behind it."""
    if not _WEAK.fullmatch(word):
        return not (re.match(r"wait|correct|(?:just )?kidding", word, re.IGNORECASE) and re.match(r"\s[a-z]", after))
    if re.match(r"actually|in fact|edit|update|revised|sorry|apolog|rather|(?:up)?on", word, re.IGNORECASE):
        return False
    goes_on = after.strip(SEPARATORS + "\n")
    return not goes_on or (not before.strip(SEPARATORS + "!?\n") and not re.match(r"[a-z]", after.strip(" ,")))


def _correction(after: str, options: Sequence[str]) -> Reading[str] | None:
    """The choice that stands right behind words that take an answer back; None where none does."""
    said = _CORRECTION_LEAD.sub("", after, count=1)
    if denied(after[: len(after) - len(said)]):
        return None
    if _FALSE.search(SENTENCE.split(said)[0]):
        return None
    if text := text_at(said, options):
        return by_text(*text, options)
    found = letter_at(said, options)
    return by_letter(*found, options) if found else None
