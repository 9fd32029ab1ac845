"""Letters that choose nothing, such as those in an example, a path or a name, and verdicts on letters that share a line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from vivavoce.interview.forms.option_texts import begins_like, folded
from vivavoce.interview.forms.plain import RIGHT_MARKS, WRONG_MARKS

_ONE_LETTER: Final = r"[\"'(\[{*_]{0,3}(?-i:[A-Z])[\"')\]}*_]{0,3}"
_EXAMPLE = re.compile(
    r"(?:^\W{0,4}(?!(?:following|using|in|as|per|with|here|my|this)\b)(?:[\w']{1,12}[ ]){0,2}(?:format|example|template|sample)"
    r"(?:[ ](?:answer|output|reply|response))?(?:[ ]is)?(?:[ ]?:|[ ][–—-])\s{0,3}"
    r"|\b(?:an example|the format (?:is|should be|would be|looks like))[ ]?:\s{1,3}"
    r"|^\W{0,4}(?:example|sample)[ ](?=(?:answer|output|reply|response)\b)"
    r"|\b(?:e\.g\.|for (?:example|instance)|such as)[,:]?\s{1,3}"
    r"|\b(?<!my )(?<!the )(?:respond|reply|answer (?:with|in)|write|format|output|use|please)\b[^.:\n]{0,60}"
    r"\b(?:form|format|like)(?: this| of)?:?\s{1,3})"
    rf"[\"'(]?(?:(?:final )?answer(?:[ ]?:| is)\s{{0,3}})?{_ONE_LETTER}(?=\W{{0,4}}$|[.)])",
    re.IGNORECASE | re.MULTILINE,
)
_PATH = re.compile(r"(?<!\w)[A-Z]:(?:\\[A-Z>]|/[a-z]{2}|[\\/]\w{1,40}[\\/.]\w)[^\s\"']{0,300}")
_ABBREVIATION = re.compile(r"(?<!\w)(?:[A-Z]/[a-z]|(?P<letter>[A-Z])&(?P=letter))(?!\w)")
_EMOTICON = re.compile(
    r"(?<!\S)(?<!:\s)(?<!choice\s)(?<!option\s)(?<!letter\s)(?<!réponse\s)(?<!answer\s)[:;=]-?[DPOCX](?=[\s.,!]|$)",
    re.IGNORECASE,
)
_ADDRESSED = re.compile(
    r"\b(?:mr|mrs|ms|miss|dr|prof|professor|sir|mme|mlle|herr|frau|dear)\.?[ ](?-i:[A-Z])\b\.?,?", re.IGNORECASE
)
_PLACE_IN_TEXT = re.compile(
    r"\b(?:fig|figure|sec|section|appendix|annex|eq|equation|table|exhibit|chapter|row"
    r"|column|step|question|problem|exercise|group|page|pp?|vol|v|part|p\.s)\.?[ ]"
    r"\(?(?-i:[A-Z])\)?(?!\w|[ ](?:is|was|must|would|should)\b)",
    re.IGNORECASE,
)
_YEAR: Final = r"\(?(?:1[5-9]|20)\d\d[a-z]?\)?"
_NAMED_PERSON = re.compile(
    r"(?<![\w(])(?P<letter>[A-Z])\.[ ]?(?P<rest>(?:[A-Z]\.[ ]?){0,2}[A-Z][\w'-]{1,20},?[ ]"
    rf"(?:et al|(?:and|&)[ ][A-Z]\.[ ]?[A-Z][a-z]{{1,20}}|{_YEAR}))"
)
_INITIAL = re.compile(r"\b[A-Z]\.[ ]?")
_NAMED_SPECIES = re.compile(
    r"(?:^|(?<=[.!?]\s))(?P<letter>[A-Z])\.[ ](?P<rest>(?!(?:because|since|this|that|the|these|they|there|all|both|its?|for"
    r"|with|and|when|which)\b)[a-z]{4,20}[ ](?:is|are|was|has|have|can|[a-z]{3,15}s)\b)",
    re.MULTILINE,
)
_ERROR_MESSAGE = re.compile(
    r"^(?P<before>\W{0,4}(?:[\w.]{0,30}(?:error|exception|warning)|fatal|failed|failure|http)(?: code)?(?:[ ]?:|[ ]\d{3}\b)"
    r"(?![^\n]{0,200}\b(?:answer|choose|pick)\b)[^\n]{0,200}?)[(\[\"'](?-i:[A-Z])[)\]\"']",
    re.IGNORECASE | re.MULTILINE,
)
_NUMBERED = re.compile(
    r"\b(?P<word>option|choice)[ ](?:number[ ]|no\.?[ ]|#)?(?P<number>\d{1,2})(?![\w%]|[.,]\d)", re.IGNORECASE
)

_YES: Final = rf"[{RIGHT_MARKS}√]|yes|true|right|correct|t"
_NO: Final = rf"[{WRONG_MARKS}×]|no|nope|false|wrong|incorrect|f"
_VERDICT = re.compile(
    r"[(\[*]{0,2}(?P<letter>(?-i:[A-Z]))[)\]*]{0,2}[ ]?[.:=?(–—-]?[ ]?"
    rf"(?:(?P<yes>{_YES})|(?P<no>{_NO}))\ufe0f?(?!\w)\)?[\s,;|.!]{{0,4}}",
    re.IGNORECASE,
)
_MARK = re.compile(rf"[{RIGHT_MARKS}{WRONG_MARKS}]\ufe0f?")
_MARK_LAST = re.compile(rf"[{RIGHT_MARKS}{WRONG_MARKS}]\ufe0f?[\s,;|.]{{0,3}}\Z")
_LONGEST_LINE: Final = 1_000


def without_other_letters(text: str, options: Sequence[str]) -> str:
    """A reply without the letters that choose nothing: in an example, a path, a name, an abbreviation or an error message.

    >>> [without_other_letters(reply, ()) for reply in ("Format: [[C]]", "B/c of rain.", "Mr. B. says C.", "See Fig. A")]
    ['', ' of rain.', ' says C.', 'See ']
    """
    text = _numbers_without_doubt(text, options)
    for pattern in (_EXAMPLE, _PATH, _ABBREVIATION, _EMOTICON, _ADDRESSED, _PLACE_IN_TEXT):
        text = pattern.sub("", text)
    text = _ERROR_MESSAGE.sub(r"\g<before>", text)

    def name(found: re.Match[str]) -> str:
        return found[0] if begins_like(found["rest"], found["letter"], options) else _INITIAL.sub("", found["rest"])

    return _NAMED_SPECIES.sub(name, _NAMED_PERSON.sub(name, text))


def verdicts_on_lines(text: str) -> str:
    """A reply in which verdicts on letters that share a line, each behind its letter, have a line each.

    >>> verdicts_on_lines("A ✗ B: yes"), verdicts_on_lines("A Lyon ✗, B Paris ✓"), verdicts_on_lines("✗ A ✓ B")
    ('A ✗\\nB ✓', 'A Lyon ✗\\n, B Paris ✓', '✗ A ✓ B')
    """
    return "\n".join(_verdicts(line) if 3 < len(line) <= _LONGEST_LINE else line for line in text.split("\n"))


def _verdicts(line: str) -> str:
    start, verdicts = len(line) - len(line.lstrip()), list[re.Match[str]]()
    while found := _VERDICT.match(line, start):
        verdicts.append(found)
        start = found.end()
    if start == len(line) and (len(verdicts) > 1 or (verdicts and "?" in line)):
        return "\n".join(f"{verdict['letter']} {'✓' if verdict['yes'] else '✗'}" for verdict in verdicts)
    marks = _MARK.findall(line)
    if len(marks) > 1 and not _MARK.match(line.lstrip()) and _MARK_LAST.search(line):
        return _MARK.sub(r"\g<0>\n", line).rstrip()
    return line


def _numbers_without_doubt(text: str, options: Sequence[str]) -> str:
    """A reply without the number in "option 1" where it may count the options, or be the text of another one."""
    texts = folded(tuple(options))
    if not any(option.isdecimal() for option in texts):
        return text

    def number(found: re.Match[str]) -> str:
        place = int(found["number"])
        is_doubtful = found["number"] in texts and texts.index(found["number"]) != place - 1
        return found["word"] if is_doubtful else found[0]

    return _NUMBERED.sub(number, text)
