"""Whether a text asserts a known answer: states it, outside any negation, hedge, comparison, alternative or correction.

A careful reader takes "Paris", "Paris is the capital" and "It is brought by DHL, not Hermes" for an answer, but not
"Paris? No, Lyon", "near Paris", "Paris or Lyon" or "Paris Hilton". An answer that is not plainly asserted is only mentioned.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from functools import lru_cache
from typing import Final, NamedTuple

from vivavoce.interview.forms.form import NEGATION, RETRACTION, STATED
from vivavoce.interview.forms.plain import AROUND, fold
from vivavoce.interview.forms.spellings import (
    denies_in_east,
    is_eastern,
    is_seen_without_accents,
    spellings_of,
    states_in_east,
    unaccented,
)

Alike = Sequence[str]
"""Spellings of one answer."""

_MARK: Final = "\ue000"
"""Replaces the answer in the sentence that is examined."""
_SENTENCE_END = re.compile(
    r"(?:(?<=\d [a-z])|(?<!\b[a-z]))(?<!\b(?:mr|ms|dr|st|no|vs))(?<!\bmrs)[.!;](?=\s|$)|\?(?=[\s\"')]|$)|\n"
)
_QUOTES = " \t\"'*_`([{<>#•-"
_LEAD_IN = re.compile(
    r"(?:(?:oh|ok|okay|sure thing|sure|yes|no(?=[,.:!;–—-])|well|so|hence|thus|therefore|finally|of course|certainly|right|hm+"
    r"|no doubt(?: about it)?|great(?! question)|hi(?: there)?|hello(?: there)?|hey|good (?:morning|afternoon|evening)"
    r"|thank(?:s| you) for (?:reaching out|contacting us|getting in touch|asking|your (?:question|message|inquiry|patience))"
    r"|(?:that(?:'s| is) )?(?:a )?(?:good|great|interesting|easy) question|thank you|thanks(?: for \w+)?"
    r"|(?:i(?:'d| would) be|i(?:'m| am)) (?:happy|glad) to help|i (?:think|believe|would say|guess|am sure|'m sure)(?: that)?"
    r"|my (?:guess|answer)(?: is)?|approximately|roughly|definitely|probably|most likely|surely|obviously|absolutely"
    r"|indeed|in short|clearly|only(?= (?:the|an?)\b)|guten (?:tag|morgen|abend)|bonjour|hola|buenos días|ciao|olá"
    r"|simply|this is|that is|that's|this one is|(?:it|that) would be|it is|it's"
    r"|the (?:final |correct |right )?answer(?: is)?|answer)\b[ ]{0,2}[,:!.–—-]{0,2}\s{0,3}){1,4}"
)
_CLOSING = re.compile(
    r"(?:i )?(?:hope|thanks?|thank you|let me know|cheers|regards|best|enjoy|is there|if you|please|feel free)\b"
)
_DENYING_WORDS: Final = """
no nor none nobody nothing nope without unlike except excluding barring than whether if unless previously previous
formerly former once until before false nearly almost near outside between either neither versus vs like might maybe
perhaps possibly could may seem seems many most some people often commonly avoid stop contrary old wrongly suppose
imagine example mention mentions options option little hardly scarcely barely unlikely impossible refuse refuses under
over beyond guess wish hope hoped someone somebody anyone influenced inspired beat beats
defeated defeats nicht kein keine keiner nie niemals
keinesfalls keineswegs mitnichten weder ne pas jamais non aucun nunca tampoco não nem né
не ни niet geen inte ikke nie 不 不是 没 没有 非
"""
_DENYING_PHRASES: Final = (
    r"(?:waiting|yet|about|needs?|ought|(?:would|could|should|might) have) (?:to )?be(?:en)?|for instance|opposite"
    r"|far from|away from|different from|opposed to|apart from|aside from|anything but|but for|rather than|instead of"
    r"|used to|ruled? out|ruling out|close to|next to|at least|at most|up to|less likely|similar to|compared|would be"
    r"|such as|e\.g"
    r"|think about|\w+n't|mistak\w+|confus\w+|exclud\w+|reject\w*|den(?:y|ies|ied)|doubt\w*|suppos\w+|alleg\w+|replac\w+"
    r"|pretend\w*|search\w+|rhym\w+"
    r"|(?:you|they|he|she|user|colleague|friend|teacher|others?) (?:said|say|says|think|thinks|thought|believes?|claims?|wrote)"
    r"|your (?:guess|answer)|(?:bad|example|sample|old|previous|placeholder|hypothetical|wrong|not)[ _]answer"
)
DENIED: Final = re.compile(
    rf"{NEGATION.pattern}|\b(?:{'|'.join(_DENYING_WORDS.split())}|{_DENYING_PHRASES})\b|[¬≠❌✗✘✖]", re.IGNORECASE
)
_NOT_ELSEWHERE: Final = (
    r"nicht|kein\w{0,2}|keineswegs|keinesfalls|mitnichten|niemals|pas|jamais|nunca|tampoco|não|niet|geen|inte|ikke|не|нет"
)
_SIGN_BEFORE = re.compile(r"[!¬≠❌✗✘✖×]\s{0,2}$")
_GOES_ON_AFTER_AND: Final = (
    "is|are|was|has|have|can|cannot|can't|will|must|takes?|supports?|runs?|leaves?|includes?|comes?|goes|lasts?|works?|offers?"
    "|costs?|weighs?|covers?|opens?|closes?|starts?|ends?|charges?|requires?|needs?|uses?|holds?|cuts?|contains?|provides?"
    "|allows?|serves?|lives?|sells?|ships?|accepts?|expires?|applies"
)
"""Verbs that say more of the same subject: "takes 3 days and costs 5 pounds"."""
_HEDGED_AFTER: Final = re.compile(
    r"^\W{0,3}(?:or\b|(?:oder|ou|o|или)(?=\s)|and\b(?! (?:(?:was|is|first|then|later|also|never) ){0,2}(?:\w{3,20}(?:ed"
    r"|en)(?: \w{3,20}ly)? (?:in|on|by|at|for|as)"
    rf"|{_GOES_ON_AFTER_AND}|we|you|they|it)\b)|nor\b|/|&|vs\b|versus\b|\?)"
    r"|[❌✗✘✖]|^\W{0,3}no\b"
    r"|\b(?:until|formerly|previous(?:ly)?|used to|no longer|replaced|instead|but|however|although|though|unless|if"
    r"|maybe|perhaps|possibly|might|unlikely|impossible|not sure|unsure|wrong|incorrect|false|mistake\w*|doubt\w*"
    r"|rul\w+ out|exclud\w+|nothing to do"
    r"|once|former|gone|closed|too|either|alternative\w*|guess|asked for|i mean|i meant|scratch that|make that|sorry"
    r"|red herring|trap|decoy|distractor|eliminated|out of the question|fails?|lacks?|loses?|misses|ignores?|contradict\w*"
    r"|violat\w+|misstates?|nonsense|absurd|example|myth|fake news|lie|misconception|obsolete|outdated"
    r"|typo|rejected|as well as|in addition to"
    r"|among others|accompanied by|followed by|in part|what (?:most |many |some )?(?:people|others|everyone)"
    rf"|{_NOT_ELSEWHERE})\b",
    re.IGNORECASE,
)
_CONTRAST = re.compile(
    r"[,(;:–—-]\s{0,2}(?:and )?(?:definitely |certainly )?"
    rf"(?:(?:(?:und|et|y|e|en|och|og|и|а) )?(?:not|no|non|{_NOT_ELSEWHERE})\s+\w|sondern|rather than|instead of"
    rf"|never\s+\w|no other|nothing else|without (?:a |any )?doubt)"
)
_LINK = re.compile(
    r"(?:\b(?:is|are|was|were|be|been|ist|sind|war|est|sont|es|son|è|é|means|equals|called|named|answer|by|in|at|with|via"
    r"|through|into|on|using|uses?|choose|say|pick|von|aus|mit|bei|par|dans|en|por|d'|within|is from|это|beträgt|lautet"
    r"|heißt|heisst|kostet|dauert|dure|coûte|cuesta|vale|dura|costa|s'appelle|se llama|(?:known|referred to"
    r"|described|defined) as"
    r"|(?:moved|changed|renamed|switched|transferred|relocated|leads?|go|goes|went|amounts?|belongs?|refers?|points?)\b"
    r"[^.;]{0,40}\bto)|(?:it|that|this|he|she|there|here)'s|[は은는是为為]|[:=])"
    r"[\s:]{0,3}(?:(?:the|a|an|my|our|your|der|die|das|le|la|el|certainly|clearly|definitely|probably|most likely|simply|just|"
    r"indeed|of course|always|now|city of|in|at|by)\s+){0,3}[\s:*_\"'(]{0,4}$"
)
_PERSON_SAYS = re.compile(r"(?:we|you|i|they|it|he|she|that|this|one)\b")
_VERB = re.compile(
    r"\s+(?:is|are|was|were|has|have|had|does|do|did|will|would|can|must|should|ist|sind|war|hat|est|sont|es|son"
    r"|\w{2,20}(?:s|ed)\s+(?:it|this|that|them|the|a|an|your|our|my|his|her|its|us|you|everything|all|on|in|at|to|from|by"
    r"|as|for))\b"
)
"""Begins a predicate whose subject is the answer."""
_ANY_VERB = re.compile(
    r"\b(?:is|are|was|were|be|has|have|had|does|do|did|will|would|can|must|should"
    r"|ist|sind|war|wurde|est|sont|es|son|fue|è|é|são)\b|'s\b"
)
_ADDS = re.compile(
    r"\s+(?:in|at|on|from|by|since|for|after|within|between|during|around|per|with|via|because|as|which|who|that|where|ab"
    r"|nach|seit|von|im|am|bei|mit|dans|en|it is(?=\W*$)|to (?:an?|the|his|her|their|its)|(?:and )?(?:\w{3,20}(?:ed|é|ée"
    r"|ado|ido|ato|ito)|built|born) (?:in|on|en|im|am)"
    r" (?:\w+ )?\d+)\b"
)
"""Begins an addition after which an answer is still an answer."""
_WEEKDAY: Final = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_COMMA = re.compile(
    r",\s+(?:\w{3,20}(?:ing|ed)|born|built|written|founded|made|held|found|known|seen|\w+(?: \w+)?, (?:with|where|which"
    r"|who|as)|die|der|das|wo|qui|où|que|che|dove|donde|of course|as|in"
    r"|at|on|by|which|who|where|because|since|the|an?|i|it|its|this|that|with|so|located"
    r"|obviously|certainly|naturally|indeed|for sure|no doubt|without (?:a |any )?doubt|my friend|sir|please|thanks?|thank you"
    rf"|hope|period|full stop|{_WEEKDAY})\b"
)
_ALIKE = re.compile(rf"the \w|{_WEEKDAY}")
_LISTED = re.compile(rf"{_MARK},? (?:{_WEEKDAY}|the \w+\W*$)")
"""An answer before another one that begins in the same way."""
_WORD = re.compile(r"\w+")
_JOINS = "/'-"
_ELISION = re.compile(r"\b(?:[dlcjmst]|qu|all|dell|nell|dall|sull|un|quell)'$")
"""Ends an elision before a word in French or Italian."""
_PRONOUN_WORDS: Final = "it they them us we you he she him her who this that i me"
_PRONOUNS: Final = frozenset(_PRONOUN_WORDS.split())
"""An answer that is one of these is stated only by itself."""
_IN_IRONY = re.compile(r"\W{0,3}(?:yeah|yea|oh),? (?:right|sure)\b")


class SpellingMatch(Enum):
    """A text's statement about an answer."""

    ABSENT = "does not hold it"
    MENTIONED = "holds it without stating it plainly"
    ASSERTED = "states it"


class _Sentence(NamedTuple):
    text: str
    is_question: bool


def find(text: str, alike: Alike, *, question: str = "") -> SpellingMatch:
    """The statement that a text, in the form of `plain`, makes about an answer with these spellings.

    Parameters
    ----------
    question: the question; its words may follow the answer, as in "Paris, France".

    >>> [find(text, ["Paris"]).name for text in ("Paris is the capital.", "It is Paris, not Lyon.", "Paris? No, Lyon.", "Lyon")]
    ['ASSERTED', 'ASSERTED', 'MENTIONED', 'ABSENT']
    """
    flat = _flat(text)
    if _IN_IRONY.match(flat):
        return SpellingMatch.MENTIONED if holds(text, alike) else SpellingMatch.ABSENT
    own = {fold(spelling) for spelling in alike}
    spellings = sorted({same for spelling in alike for same in spellings_of(spelling)}, key=len, reverse=True)
    if own <= _PRONOUNS and not any(map(str.isupper, alike)) and flat.strip(AROUND) not in own:
        return SpellingMatch.MENTIONED if holds(text, alike) else SpellingMatch.ABSENT
    eastern = [states_in_east(flat, spelling) for spelling in spellings if is_eastern(spelling)]
    if any(eastern):
        return SpellingMatch.ASSERTED
    marked = flat
    for spelling in spellings:
        marked = _marked(marked, spelling, loosely=spelling in own and is_seen_without_accents(spelling))
    if _MARK not in marked:
        return SpellingMatch.MENTIONED if False in eastern else SpellingMatch.ABSENT
    if any(_ALIKE.match(spelling) for spelling in own) and _LISTED.search(marked):
        return SpellingMatch.MENTIONED
    words = frozenset(_WORD.findall(_flat(question)))
    return SpellingMatch.ASSERTED if _asserts(marked, words) else SpellingMatch.MENTIONED


def claims(text: str, alike: Alike) -> bool:
    """Whether one sentence of a text, taken by itself, asserts an answer.

    >>> claims("It is Paris. It is Lyon.", ["Paris"]), claims("It is Lyon, not Paris.", ["Paris"])
    (True, False)
    """
    return any(find(sentence.text, alike) is SpellingMatch.ASSERTED for sentence in _sentences(_flat(text)))


def as_said(text: str, spelling: str) -> str:
    """A spelling with the capitals of its last occurrence in the text."""
    words = r"\s+".join(map(re.escape, fold(spelling).split()))
    results = re.findall(rf"(?<!\w){words}(?!\w)", text, re.IGNORECASE)
    output = " ".join(results[-1].split()) if results else spelling
    return output if fold(output) == fold(spelling) else spelling  # a few letters match without being alike


def holds(text: str, answers: Sequence[str]) -> bool:
    """Whether one of the answers occurs anywhere in a text as whole words, denied or not.

    >>> holds("It is not PARIS.", ["Paris"]), holds("A comparison", ["Paris"])
    (True, False)
    """
    flat = _flat(text)
    return any(True for answer in answers for _ in _places(flat, fold(answer)))


def is_contained(text: str, alike: Alike) -> bool:
    """Whether a spelling occurs as whole words in a sentence that does not deny it, or offer it as one of several.

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
    """A text in lower case with single blanks, line by line; of a very long text only the beginning and the end."""
    name = "\n".join(" ".join(fold_line.split()) for line in text.splitlines() if (fold_line := _folded_line(line)).strip())
    return name if len(name) <= 2 * STATED else f"{name[:STATED]}\n{name[-STATED:]}"


def _folded_line(line: str) -> str:
    shown = line if line.isascii() else "".join(" " if _is_picture(c) else c for c in line)
    return fold(f"x{shown}x")[1:-1]  # marks at the ends are kept


def _is_picture(character: str) -> bool:
    """Whether a character is an emoji or similar sign without meaning; crosses and the sign of degrees have one."""
    return (character not in "❌✗✘✖°" and unicodedata.category(character) in ("So", "Sk", "Cs")) or character == "\ufe0f"


def _marked(text: str, words: str, *, loosely: bool = False) -> str:
    """The text with a mark instead of each place where the words occur whole, with or, `loosely`, without their accents."""
    parts, last = [], 0
    seen = unaccented(text) if loosely and not text.isascii() else text
    for start in _places(seen, words):
        parts.append(text[last:start])
        last = start + len(words)
    return _MARK.join([*parts, text[last:]])


def _places(text: str, words: str) -> Iterator[int]:
    """The places where words occur whole; none if they consist of marks, which are only compared as a whole."""
    if not any(c.isalnum() for c in words):
        return
    start = text.find(words)
    while start >= 0:
        end = start + len(words)
        before, after = text[max(0, start - 2) : start][::-1], text[end : end + 2]
        joined = _joined(before, words[0]) and not _ELISION.search(text, max(0, start - 6), start)
        if not joined and not _joined(after, words[-1]):
            yield start
        start = text.find(words, end)


def _joined(outwards: str, edge: str) -> bool:
    """Whether the characters next to some words, read away from them, make them part of a longer word or number."""
    if not outwards or is_eastern(outwards[0]) > is_eastern(edge):
        return False
    if outwards[0].isalnum() or outwards[0] == "_":
        return True
    return outwards[0] in _JOINS + ".," and outwards[1:].isalnum() and (outwards[0] != "'" or outwards[1:] != "s")


def _sentences(text: str) -> list[_Sentence]:
    rows, last = [], 0
    for end in _SENTENCE_END.finditer(text):
        rows.append(_Sentence(text[last : end.start()], end[0] == "?"))
        last = end.end()
    rows.append(_Sentence(text[last:], is_question=False))
    return [sentence for sentence in rows if sentence.text.strip(AROUND)]


def _asserts(text: str, words: frozenset[str]) -> bool:
    """Whether the first sentence with content, or the last one, states the marked answer, and nothing retracts it."""
    sentences = [s for s in _sentences(text) if _MARK in s.text or not (_is_lead_in(s.text) or _CLOSING.match(s.text.strip()))]
    last = len(sentences) - 1
    for number in sorted({0, last}):
        sentence = sentences[number]
        if _MARK not in sentence.text or sentence.is_question:
            continue
        if not _states(sentence.text, words, ends=number == last < _MOST_SENTENCES):
            continue
        others = [other for other in sentences if other is not sentence]
        others_answer = number > 0 and not (_is_about(sentence.text, words) or _REFERS.match(sentence.text.strip()))
        return not any(
            _gainsays(other, before=index < number)
            or (others_answer and index < number and not other.is_question and _is_about(other.text, words, only=2))
            for index, other in enumerate(others)
        )
    return False


def _gainsays(sentence: _Sentence, *, before: bool) -> bool:
    """Whether another sentence leaves the statement open, denies or retracts it, or gives another answer."""
    text = sentence.text
    if _MARK in text:
        first, _, rest = text.partition(_MARK)
        return (sentence.is_question and before) or bool(NEGATION.search(first) or NEGATION.search(_CLAUSE.split(rest)[0]))
    if len(text.split()) <= _BARE and not sentence.is_question and not _SAYS.search(text):
        return True
    if before:
        return bool(_CLAIM.search(text) or _CLAIMS.match(text.strip())) and not NEGATION.search(text)
    return RETRACTION.search(f" . {text}") is not None or _GOES_ON.match(text) is not None


_CLAIM = re.compile(r"\b(?:answer|it|capital|that) (?:is|was)\b|\bit's\b")
"""A claim in an earlier sentence that has another answer than the last one."""
_CLAIMS = re.compile(
    r"the [^,;:]{1,80}\b(?:is|was) (?!(?:an?|about|in|on|of|from|for|to|very|so|more|less|that|as|known)\b)\S+(?: \S+){0,2}$"
    r"|\S+(?: \S+){0,2} (?:is|was) the\b|(?:it|they|he|she|this) (?:is|was|were|are)\b.{1,40}\b(?:in|by|at|from"
    r"|on) \S+(?: \S+)?$"
)
_REFERS = re.compile(rf"\W*(?:it|that|this|so|thus|hence|therefore|he|she|they|the answer|in conclusion|{_MARK}\W*$)")
_SAYS = re.compile(rf"{_ANY_VERB.pattern}|\b(?:it|this|that|them|you|we|i)\b|:\s*$|^\W{{0,3}}(?!answer\b)\w+(?: \w+)?:\s")
"""Marks of a short sentence that is not an answer by itself: a verb, a topic, or a label."""
_GOES_ON = re.compile(r"\s*(?:is|are|was|were)(?:n't| not| wrong| incorrect| false| a (?:trap|distractor|decoy))\b")
"""A predicate after an answer that ends in its own full stop."""
_BARE: Final = 3
"""Words of a sentence without a verb that is an answer by itself."""


def _is_lead_in(sentence: str) -> bool:
    bare = sentence.strip(AROUND)
    lead = _LEAD_IN.match(bare)
    return lead is not None and not bare[lead.end() :].strip(AROUND)


def _states(sentence: str, words: frozenset[str], *, ends: bool) -> bool:
    """Whether a sentence states the answer that is marked in it.

    ends: whether the sentence is the last of few, so that it may say that a person does something with the answer at its end.
    """
    before, _, after = sentence.rpartition(_MARK) if sentence.count(_MARK) > 1 else sentence.partition(_MARK)
    before = before.replace(_MARK, "")
    more = _SAYS_MORE.match(after) and not re.search(r"\b(?:was|were)\b", before)
    if more and not (_DOUBT.search(after) or _HEDGED_AFTER.search(after)):
        after = ""
    lead = _LEAD_IN.match(before.lstrip(_QUOTES))
    own = before.lstrip(_QUOTES)[lead.end() :] if lead else before
    is_instead = _BUT.search(own) is not None and DENIED.search(own) is not None
    is_subject = is_instead or own.strip(_QUOTES + ",") in _ARTICLES
    is_about = sentence.count(_MARK) == 1 and _is_about(f"{own} {after}", words, only=2)
    if _SIGN_BEFORE.search(before) or not _is_clear(own, words) or _SUBORDINATE.match(_CLAUSE.split(own)[-1]):
        return False
    if not _continues(after, words, is_subject=is_subject, is_about=is_about):
        return False
    if own.strip(_QUOTES + ",") in _BARE_LEADS | _ARTICLES:
        return True
    if is_instead:
        return True
    if _is_of_another(own, words):
        return False
    last = own.rpartition(",")[2].strip(_QUOTES)
    if "," in own and not _ANY_VERB.search(last) and not _is_lead_in(last) and not own.strip().startswith("not "):
        return False  # an apposition to another answer, as in "Bonn, 600 km from"
    if _ANY_VERB.search(own) and "," in own and last and _is_lead_in(last):
        return True
    alone = sentence.count(_MARK) == 1 and not after.strip(AROUND + ")]}>")
    if (alone and _is_about(own, words)) or is_about:
        return True
    does = ends and alone and _PERSON_SAYS.match(own.strip()) and len(own.split()) <= _LONGEST_LEAD
    return bool(_LINK.search(own) or does)


def _is_of_another(clause: str, words: frozenset[str]) -> bool:
    """Whether a clause ends with a relation of another person or thing to the answer that the question does not ask for."""
    related = _OF_SOMEBODY.search(clause) or _FOR_SOMEBODY.search(clause)
    if related and related["what"] == "for" and {"how", "long"} <= words:
        return False  # for three years
    return related is not None and not any(word[:_STEM] == related["what"][:_STEM] for word in words)


def _is_about(clause: str, words: frozenset[str], *, only: int = 1) -> bool:
    """Whether a clause is about the question: it repeats two words of the question, or `only` one and hardly any other."""
    own = _stems(_WORD.findall(clause))
    shared = len(own & _stems(words))
    return shared > 1 or (shared == only and len(own) <= _SHORTEST)


def _stems(words: Iterable[str]) -> set[str]:
    return {word.removesuffix("s")[:_STEM] for word in words if len(word) >= _SHORTEST} - _FUNCTION


_FUNCTION_WORDS: Final = "the and for are was were its this that with from which what who where how does did can may has have"
_FUNCTION: Final = frozenset(_FUNCTION_WORDS.split())
_SUBORDINATE = re.compile(r"\s*(?:just as|as well as|while|whilst|whereas|although|though|unlike|compared)\b")
"""Begins a clause that speaks of something else."""
_ANOTHER = re.compile(r"(?:/|&|\b(?:or|and|nor|versus|vs\.?|oder|und|ou|et|o|y|e|или)|[^\s,:;],)\s{0,3}[\"'(*_]{0,3}$")
"""Another answer right before this one, as in a list."""
_NEW_CLAUSE = re.compile(r"\s*(?:it is|it's|the answer is|this is)?\s*[\"'(]*$|.*\b(?:is|was|by|in)\b")
_BUT = re.compile(r"\b(?:but|sondern|mais|sino|bensì|ma|mas)\s{0,3}[\"'(*_]{0,3}$")
_MOST_SENTENCES, _LONGEST_LEAD = 2, 14
_BARE_LEADS: Final = frozenset((
    "but", "it is", "it's", "in", "at", "by", "on", "with", "from",
    "frau", "herr", "herrn", "mme", "madame", "monsieur", "señor", "señora", "sig.", "pani", "pan",
    "sir", "dr.", "dr", "mr.", "mr", "mrs.", "mrs", "ms.", "ms", "prof.", "professor",
    "um", "am", "im", "à", "au", "a las", "a la", "en", "en el", "en la",
))  # fmt: skip
_ARTICLE_WORDS: Final = "the a an der die das den ein eine le la les un une el los las una il lo gli het een"
_ARTICLES: Final = frozenset(("", *_ARTICLE_WORDS.split()))
_CLAUSE = re.compile(r"[,;]|(?<!anything )(?<!nothing )(?<!all )\bbut\b|\b(?:sondern|mais|sino|bensì)\b")
_OTHERS_RULED_OUT = re.compile(r"\W{0,3}not [^,:;]{1,40}(?:, (?:and )?(?:not|nor) [^,:;]{1,40}){0,4}:\s*[\"'(]*$")
_ALL_BUT = re.compile(r"\b(?:(?:any|every|no)(?:one|body|thing|where)|all|none) but\W{0,3}(?:an? |the )?$")
_FORMER = re.compile(r"\((?:was|were|previously|old)\W{0,3}$|\bone of\s$")
_IF = re.compile(r"\W*(?:if|unless|assuming|supposing)\b")
_RANKED = re.compile(r"\b(?:is|was|were|came|comes|finished)\s(?:in\s)?(?P<rank>second|third|fourth|last)\b")
_OF_SOMEBODY = re.compile(r"\b(?:an?|his|her|the)\s(?:\w+\s){0,2}?(?P<what>\w+)\s(?:of|to)\s[\"'(*_]{0,3}$")
"""Ends with a relation to the answer: a pupil of, in the style of."""
_FOR_SOMEBODY = re.compile(r"\b(?P<what>after|for|from|before|against|about|like)\s[\"'(*_]{0,3}$")


def _is_clear(before: str, words: frozenset[str]) -> bool:
    """Whether nothing before the answer denies or hedges it, except words of the question; another answer may be denied
    before."""
    *earlier, clause = _CLAUSE.split(before)
    if _ALL_BUT.search(before) or _FORMER.search(before) or (_IF.match(before) and "if" not in words):
        return False
    if _OTHERS_RULED_OUT.fullmatch(before):
        return True
    if _is_denied(clause, words) or _ANOTHER.search(before):
        return False
    return not any(_is_denied(other, words) for other in earlier) or _NEW_CLAUSE.match(clause) is not None


def _is_denied(clause: str, words: frozenset[str]) -> bool:
    return denies_in_east(clause) or any(
        NEGATION.search(match[0]) or not set(_WORD.findall(match[0])) <= words for match in DENIED.finditer(clause) if match[0]
    )


def _continues(after: str, words: frozenset[str], *, is_subject: bool, is_about: bool = False) -> bool:
    """Whether the answer is still an answer with the words after it; a predicate does only if the answer is its subject.

    is_about: whether the sentence is about the question, so that a further clause may say more of it.
    """
    contrast = _CONTRAST.search(after)
    clause = after[: contrast.start()] if contrast else after
    if is_about and (more := _MORE.search(clause)) and not _DOUBT.search(clause):
        clause = clause[: more.start()]
    bracketed = re.match(r"[\s\"'*_]{0,3}\(((?:[^()]|\([^()]{0,40}\)){0,80})\)", clause)
    inside = bracketed[1] if bracketed else ""
    if NEGATION.search(clause) or _HEDGED_AFTER.search(clause) or _HEDGED_AFTER.search(inside):
        return False
    if (ranked := _RANKED.search(clause)) and ranked["rank"] not in words:
        return False
    rest = clause[bracketed.end() :] if bracketed else clause
    rest = rest.lstrip("\"'*_`)]}>")
    if bracketed and _HEDGED_AFTER.search(rest):
        return False
    if is_about and (_PLACE.fullmatch(rest) or rest.startswith(" of ")):
        return True
    if not rest.strip(AROUND + ")]}>") or re.match(r"\s{0,3}(?:[:–—(]|-\s)", rest) or _COMMA.match(rest) or _ADDS.match(rest):
        return True
    if _VERB.match(rest):
        return is_subject
    following = _WORD.search(rest)
    return bool(following) and any(following[0][:_STEM] == word[:_STEM] for word in words if len(word) >= _SHORTEST)  # type: ignore[index]


_MORE = re.compile(r"[,;](?=\s(?:and|though|although|plus|so|which|who|where|as|because|since|with)\b)")
_SAYS_MORE = re.compile(rf"\s+and (?:{_GOES_ON_AFTER_AND})\b(?!.*\b(?:now|today|currently|soon|leaving|ending)\b)")
_DOUBT = re.compile(
    r"\b(?:not (?:sure|certain)|unsure|might|maybe|perhaps|possibly|may be|could be|wrong|incorrect|mistaken?|if|unless"
    r"|depends?|no longer|not any ?more|until|it is not|it isn't|that is not|that isn't|moved|replaced|changed|instead)\b"
)
"""Words of a further clause that leave an answer open."""
_PLACE = re.compile(r",\s\w+(?: \w+)?\W*")
_STEM, _SHORTEST = 5, 3
