"""Finds options that a reply names by text or letter, and recognizes descriptions that do not choose."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from string import ascii_uppercase
from typing import Final

from vivavoce.interview.forms.form import NEGATION, NOTHING_STATED, SEVERAL, ParsedReply, answered, unreadable
from vivavoce.interview.forms.option_letters import BY_OTHERS, CLOSING, FOLLOWING, Mention, denied, judgement, mentions
from vivavoce.interview.forms.option_texts import OR, REASON, begins_like, folded, is_whole, places, text_at, text_behind
from vivavoce.interview.forms.plain import RIGHT_MARKS, WRONG_MARKS, fold

_DESCRIBES = re.compile(r"\s{1,2}(?:is|are|was|were|has|have)\s[^.;:!?\n]{1,300}(?:[.;!](?=\s|$)|$)")
_TURNS = re.compile(
    r"\b(?:but|however|although|though|while|whereas|instead|rather|unlike|too|no|less|hardly|nor|or|mistaken|confused"
    r"|assumed|thought|believed|wrongly)\b"
)
_CONTRAST = re.compile(
    r",?\s(?:unlike|(?:and )?not|rather than|instead of|as opposed to|(?:while|whereas)(?: all)? the (?:others?|rest))\s"
    r"[^.;!?\n]{1,200}[.!]?\Z",
    re.IGNORECASE,
)
_THAN = re.compile(r"(?<!rather )(?<!other )\bthan\s(?:the\s)?\Z")
"""Begins a comparison with another option, which does not deny this one."""
CLAIMS: Final = re.compile(
    r"\b(?:also|too|as well|both|equally|likewise|answer|correct|right|actually|but|however|though|although|instead|rather"
    r"|or|better|best|so|it is|it's)\b"
)
"""Words of a sentence that may choose another option than the one described before."""


def is_described(rest: str, letter: str, options: Sequence[str]) -> bool:
    """Whether the words after a letter repeat its option and describe it, without a denial and without turning to another
    option.

    >>> replies = (". Paris is a capital, unlike Lyon.", ". Paris is large, but Lyon is old.")
    >>> [is_described(rest, "B", ("Lyon", "Paris")) for rest in replies]
    [True, False]
    """
    named = text_behind(rest, options, within_words=True)
    if not named or named[0] != letter or not (sentence := _DESCRIBES.match(named[1])):
        return False
    if judgement(sentence[0], letter, ())[0] != "open":
        return False
    words = fold(_CONTRAST.sub("", sentence[0]))
    if NEGATION.search(words) or _TURNS.search(words) or names_others(words, letter, options):
        return False
    later = re.split(r"[.;!?\n]", named[1][sentence.end() :])
    claims = (other for other in later if CLAIMS.search(fold(other)) and not re.search(BY_OTHERS, other, re.IGNORECASE))
    return not any(names_others(other, letter, options) for other in claims)


def names_others(claim: str, letter: str, options: Sequence[str]) -> bool:
    """Whether words name the text of another option, and do not deny it."""
    texts = dict(zip(ascii_uppercase, folded(tuple(options)), strict=False))
    words = fold(claim)
    if len(own := texts.get(letter, "")) > 1:
        words = words.replace(own, "·")
    others = (text for other, text in texts.items() if other != letter and len(text) > 1)
    return any(
        _THAN.search(words[: match.start()]) or not denied(words[: match.start()])
        for text in others
        for match in places(text, words)
    )


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
"""Begins a statement about one option, which is not part of a list."""
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
"""The most letters that a reply may name; with more it names none."""


def by_text(letter: str, rest: str, options: Sequence[str]) -> ParsedReply[str] | None:
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


def by_letter(letter: str, rest: str, options: Sequence[str]) -> ParsedReply[str] | None:
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
    index = ascii_uppercase.index(letter)
    own = options[index] if index < len(options) else ""
    return bool(_ALL_OR_NONE.search(own) and _REASON_BEHIND.match(rest))


def _another(rest: str, letter: str, options: Sequence[str]) -> bool:
    """Whether the words after a letter name another one that may be meant as well."""
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


def _may_be_meant(text: str, letter: str, options: Sequence[str], most: int) -> bool:
    others = (mention for mention in islice(mentions(text, options), most) if letter not in mention.letters)
    return any(mention.judged not in ("wrong", "open") for mention in others)


def reading_of(letter: str, options: Sequence[str]) -> ParsedReply[str]:
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


def only_one_named(named: Sequence[Mention], options: Sequence[str]) -> tuple[ParsedReply[str], int]:
    """The only letter that sentences name as a choice, and where the words after it begin."""
    chosen = [mention for mention in named if mention.chosen and mention.judged not in ("wrong", "open")]
    if len(set().union(*(mention.letters for mention in chosen))) != 1:
        chosen = [mention for mention in named if mention.judged != "wrong"]
        if not any(mention.stands for mention in chosen):
            return unreadable(NOTHING_STATED), 0
    letters = set[str]().union(*(mention.letters for mention in chosen))
    reading = unreadable(SEVERAL) if len(letters) > 1 else reading_of(letters.pop(), options)
    return reading, chosen[0].end


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

    def name(match: re.Match[str]) -> str:
        return match[0] if begins_like(match["rest"], match["letter"], options) else _INITIAL.sub("", match["rest"])

    return _NAMED_SPECIES.sub(name, _NAMED_PERSON.sub(name, text))


def without_branches(text: str, options: Sequence[str]) -> str:
    """A reply without sentences that choose one option under a condition and another one otherwise.

    >>> without_branches("It depends. If it rains, A; otherwise B. Answer: C", ("Lyon", "Paris", "Nice"))
    'It depends. . Answer: C'
    """

    def ahead(match: re.Match[str]) -> str:
        lead = _BRANCH_LEAD.match(match["other"])
        if lead is None or not _names_option(lead["said"], options):
            return match[0]
        return match["before"] + match["other"][lead.end() :]

    def behind(match: re.Match[str]) -> str:
        leads = [_BRANCH_LEAD.match(match[name]) for name in ("one", "other")]
        return "" if all(lead and _names_option(lead["said"], options) for lead in leads) else match[0]

    return _BRANCHES_BEHIND.sub(behind, _BRANCHES.sub(ahead, text))


def _names_option(text: str, options: Sequence[str]) -> bool:
    return bool(letter_at(text, options) or text_at(text, options))


def without_numbers(text: str, options: Sequence[str]) -> str:
    """A reply without the number before an option's text that is the number of this option.

    >>> [without_numbers(reply, ("Lyon", "Paris")) for reply in ("2. Paris", "1. Paris", "1. Lyon\\n2. Paris")]
    ['Paris', '1. Paris', '1. Lyon\\n2. Paris']
    """
    numbered = list(_NUMBERED_TEXT.finditer(text))
    if len(numbered) != 1 or numbered[0]["number"] in folded(tuple(options)):
        return text
    match = numbered[0]
    named = text_at(match["said"], options)
    if not named or ascii_uppercase.index(named[0]) + 1 != int(match["number"]):
        return text
    return f"{text[: match.start()]}{match['before'].rstrip('(')}{text[match.start('said') :]}"


def verdicts_on_lines(text: str) -> str:
    """A reply in which verdicts on letters that share a line, each after its letter, get a line each.

    >>> verdicts_on_lines("A ✗ B: yes"), verdicts_on_lines("A Lyon ✗, B Paris ✓"), verdicts_on_lines("✗ A ✓ B")
    ('A ✗\\nB ✓', 'A Lyon ✗\\n, B Paris ✓', '✗ A ✓ B')
    """
    return "\n".join(_verdicts(line) if 3 < len(line) <= _LONGEST_LINE else line for line in text.split("\n"))


def _verdicts(line: str) -> str:
    start, verdicts = len(line) - len(line.lstrip()), list[re.Match[str]]()
    while match := _VERDICT.match(line, start):
        verdicts.append(match)
        start = match.end()
    if start == len(line) and (len(verdicts) > 1 or (verdicts and "?" in line)):
        return "\n".join(f"{verdict['letter']} {'✓' if verdict['yes'] else '✗'}" for verdict in verdicts)
    marks = _MARK.findall(line)
    if len(marks) > 1 and not _MARK.match(line.lstrip()) and _MARK_LAST.search(line):
        return _MARK.sub(r"\g<0>\n", line).rstrip()
    return line


def _numbers_without_doubt(text: str, options: Sequence[str]) -> str:
    """A reply without the number in "option 1" if it may count the options, or be the text of another one."""
    texts = folded(tuple(options))
    if not any(option.isdecimal() for option in texts):
        return text

    def number(match: re.Match[str]) -> str:
        index = int(match["number"])
        is_doubtful = match["number"] in texts and texts.index(match["number"]) != index - 1
        return match["word"] if is_doubtful else match[0]

    return _NUMBERED.sub(number, text)
