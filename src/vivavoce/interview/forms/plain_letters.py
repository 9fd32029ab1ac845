"""Letters that choose nothing, such as those in an example, a path or a name, and verdicts on letters that share a line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import ascii_uppercase
from typing import Final

from vivavoce.interview.forms.named_option import letter_at
from vivavoce.interview.forms.option_texts import begins_like, folded, text_at
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

_NUMBERED_TEXT = re.compile(
    r"(?P<before>(?:^|\n)[ \t(]{0,3}(?:(?:the )?(?:final |correct )?(?:answer|option|choice)(?: is|[ ]?:)?[ ](?:option )?\(?)?)"
    r"(?:no\.?[ ]|number[ ]|#)?(?P<number>\d{1,2})[.):]{1,2}[ ](?P<said>[^\n]{1,300})",
    re.IGNORECASE,
)
_BRANCHES = re.compile(
    r"(?P<before>^|[.,;:!?\n(–—-]\s{0,2}|\b(?:so|and|but)\s)(?:if|assuming|provided|when|unless|suppose)\b"
    r"[^\n]{1,300}?\b(?:otherwise|or else|else|if not|if (?:it|that|this|they|we|you|there) (?:is|are|do|does)(?:n't| not))\b"
    r"(?P<other>[^\n]{1,200})",
    re.IGNORECASE,
)
_BRANCHES_BEHIND = re.compile(
    r"(?:^|(?<=[.;:!?]\s))(?P<one>[^.;:,\n]{1,80}?),?\s(?:if|unless|provided|assuming|when)\s[^.\n]{1,120}?"
    r"(?:[;,]|\s(?=(?:and|but)\b))\s?(?:and |but )?(?P<other>[^.;,\n]{1,80}?),?\s(?:otherwise|else|if not|if you|if we|if it)\b"
    r"[^.\n]{0,120}",
    re.IGNORECASE | re.MULTILINE,
)
_BRANCH_LEAD = re.compile(
    r"[\s,:–—-]{0,4}(?:(?:then|it|it's|the|is|would|be|should|answer|correct|option|choice|i'd|i|say|choose|pick|go|with)"
    r"(?![\w'])[\s,:]{0,3}){0,8}\(?(?P<said>\S[^.;!\n]{0,120})",
    re.IGNORECASE,
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


def without_branches(text: str, options: Sequence[str]) -> str:
    """A reply without sentences that choose one option under a condition and another one otherwise.

    >>> without_branches("It depends. If it rains, A; otherwise B. Answer: C", ("Lyon", "Paris", "Nice"))
    'It depends. . Answer: C'
    """

    def ahead(found: re.Match[str]) -> str:
        lead = _BRANCH_LEAD.match(found["other"])
        if lead is None or not _names_option(lead["said"], options):
            return found[0]
        return found["before"] + found["other"][lead.end() :]

    def behind(found: re.Match[str]) -> str:
        leads = [_BRANCH_LEAD.match(found[name]) for name in ("one", "other")]
        return "" if all(lead and _names_option(lead["said"], options) for lead in leads) else found[0]

    return _BRANCHES_BEHIND.sub(behind, _BRANCHES.sub(ahead, text))


def _names_option(said: str, options: Sequence[str]) -> bool:
    return bool(letter_at(said, options) or text_at(said, options))


def without_numbers(text: str, options: Sequence[str]) -> str:
    """A reply without the number before an option's text that is the number of this option.

    >>> [without_numbers(reply, ("Lyon", "Paris")) for reply in ("2. Paris", "1. Paris", "1. Lyon\\n2. Paris")]
    ['Paris', '1. Paris', '1. Lyon\\n2. Paris']
    """
    numbered = list(_NUMBERED_TEXT.finditer(text))
    if len(numbered) != 1 or numbered[0]["number"] in folded(tuple(options)):
        return text
    found = numbered[0]
    named = text_at(found["said"], options)
    if not named or ascii_uppercase.index(named[0]) + 1 != int(found["number"]):
        return text
    return f"{text[: found.start()]}{found['before'].rstrip('(')}{text[found.start('said') :]}"


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
