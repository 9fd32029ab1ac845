"""Finds the option that a reply asserts by its text, without a statement such as "the answer is"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import ascii_uppercase
from typing import Final

from vivavoce.interview.forms.assertion import SpellingMatch, find
from vivavoce.interview.forms.form import ANSWER_IS, IGNORANCE
from vivavoce.interview.forms.named_option import CLAIMS, LEAD_IN, is_described, letter_at, names_others
from vivavoce.interview.forms.option_letters import BY_OTHERS, Mention, denied, supposed
from vivavoce.interview.forms.option_texts import folded, places
from vivavoce.interview.forms.plain import fold, lines

_ENDS_IN = re.compile(
    r"(?:\b(?:so|hence|thus|therefore)\b,?|=|→|\b(?:which |that |this )?(?:leaves?|leaving)(?: us with| only)?(?=\s))\s{0,2}"
    r"(?=[^=→\n]{1,200}\Z)",
    re.IGNORECASE,
)
_MUST_BE = re.compile(
    r"(?:(?:it|that|this|the \w{1,20}) (?:is|must be|has to be|can only be)|it's|only|the answer (?:is|must be))\s(?:the\s)?",
    re.IGNORECASE,
)
_IS_DESCRIBED = re.compile(
    r"[)\].]?\s(?:is|was|are|were|has|had|lies)\s(?![^.,;\n]{0,60}\b(?:also|too|possible|plausible|likely|better|best|right"
    r"|correct|close|answer|choice|fine|good)\b)"
)
_NEGATED: Final = re.compile(
    r"\b(?:not|no|never|none|neither|nor|without|except|exception|lacks?|lacking|least|cannot|false|incorrect|untrue|wrong"
    r"|odd one|nicht|kein\w{0,2}|ne|pas|nunca|não|non|niet|geen|не|нет)\b|n't\b|[不没非]",
    re.IGNORECASE,
)
"""Words of a question that asks for the option without some property, and of replies that state it."""
_SENTENCE = re.compile(r"(?<!\b[A-Za-z])(?:[.!;?](?=[\s\"']|$)|\n)")
_PART = re.compile(r"\s{0,2}(?:[,;(:–—]|[.!?](?=[\s\"']|$)|\s-\s|\n)")
_WORD = re.compile(r"\w+")
_NEUTRAL_WORDS: Final = """
the a an der die das den dem ein eine el la los las le les l un una uno il lo gli i o os as is are was were be s es est ist
sind war son è é sont it this that do does did sie any only such all one ca wo their our your his her its my you we they can
"""
_NEUTRAL: Final = frozenset(_NEUTRAL_WORDS.split())
_PLACING_WORDS: Final = "in on at under via through with by to unter auf bei im am dans en sur sous"
_PLACED: Final = frozenset(word[:5] for word in _PLACING_WORDS.split())
_WHERE: Final = frozenset(("in", "on", "at", "under", "unter", "auf", "bei", "im"))
_ALIKE: Final = {"has": "have", "had": "have"}
_DENIED_LAST: Final = (
    r"(?:(?<!\w)(?:while|whereas|but|and)|[,;.])\s(?:the\s|an?\s)?{}\s"
    r"(?:is|are|does|do|has|have|was|were)(?:n't|\s(?:not|none|no))\b(?P<rest>[^.;,]{{0,60}})$"
)
_ALL_EXCEPT: Final = (
    r"^(?:all|every\w*|each)\b[^.;,?]{{0,80}},?\s(?:except(?: for)?|but|apart from|other than)\s(?:the\s|an?\s)?{}$"
)
_HEDGES = re.compile(
    r"\b(?:or|if|until|but|though|although|however|too|maybe|perhaps|almost|nearly|never|as well|also|formerly|once)\b"
)
_GAINSAYS = re.compile(
    r"\b(?:myth|misconception|mistake|untrue|false|wrong|incorrect|joke|not (?:true|so|right|correct))\b", re.IGNORECASE
)
_OTHERS_THINK = re.compile(
    r",?\s(?:(?:and|but|even|al)?\s?(?:though|although|while)?)\s?(?:many|most|some|a lot of)(?: people)? "
    r"(?:often )?(?:think|believe|assume|say|guess)\b[^.;!?\n]{1,120}",
    re.IGNORECASE,
)
_WH = re.compile(r"\b(?:(?:which|what)(?:\s(?!is\b|are\b|was\b|were\b|do\b|does\b|did\b)\w+)?|who|whom|whose|when|where)\b")
_LIGHT_WORDS: Final = """
find findet finden findest found geht gehen go done change changed located lies liegt befindet sich dort here there can will
ll man
"""
_LIGHT: Final = frozenset(word[:5] for word in _LIGHT_WORDS.split())
"""Words that lead up to a place and carry no meaning."""
_ASKS_FOR_PLACE = re.compile(r"\b(?:where|wo|dónde|où|dove|onde|waar|tab|menu|page|section|screen)\b", re.IGNORECASE)
_GIVEN = re.compile(
    r"(?:(?P<who>you|they|customers?|users?|we|it)(?:'ll|'re| will| can| are| is)?\s"
    r"(?:happy to |glad to |able to |only |always ){0,2}"
    r"(?:get|gets|receive|receives|offer|give|offered|given|entitled to)(?: you| them)?"
    r"|(?P<what>[\w' ]{1,40}?)\s(?:can|may|will|are|is|must)(?: only)?(?: be)?(?: only)?"
    r" (?:returned|exchanged|refunded|redeemed)(?: only)? (?:for|as))(?: an?| the| your)?",
    re.IGNORECASE,
)
_ASKS_WHAT_IS_GIVEN = re.compile(r"\b(?:get|gets|receive|receives|offer|offered|give|given|entitled)\b", re.IGNORECASE)
_TURN = re.compile(r"[,;:.!?]\s|\b(?:but|and|so)\s")
_SUBJECT: Final = r"(?:^|[,;]\s?|\b(?:and|while)\s)(?:the\s)?{}\s(?:is|was|are|were|lies|in|has|had)\b"
_OPENER = re.compile(
    r"\s{0,3}(?:(?:hi|hello|hey)(?: there)?|good (?:morning|afternoon|evening)|thanks?(?: you)?(?: for \w+ \w+)?"
    r"|sure(?: thing)?|of course|certainly|(?:great|good) question)\s{0,2}[!.,]\s{1,3}",
    re.IGNORECASE,
)
_ASKS_WHY = re.compile(r"\W{0,3}(?:why|how)\b", re.IGNORECASE)
_PASSIVE = re.compile(r"\s(?:is|are|was|were)\s(?P<verb>\w+)\sby\b")
_ASKS_OR_PASSIVE = re.compile(r"\b(?:did|do|does|by)\b", re.IGNORECASE)
"""Words of a question whose answer may be the object of an action."""
_STEM: Final = 5
_FIRST_WORDS: Final = 3
"""Words after an option; one of them denies the other options."""
_SHORTEST: Final = 3
"""Words of up to this many letters keep a final s."""
_MOST_ASSERTED: Final = 10


def described(sentence: str, options: Sequence[str], question: str) -> str:
    """The letter that a reply begins with, if its option's text and a description without a denial follow; else empty."""
    pair = letter_at(LEAD_IN.sub("", sentence, count=1), options)
    if not pair:
        return ""
    letter, rest = pair
    return letter if is_described(rest, letter, options) or denies_as_asked(rest, letter, options, question) else ""


def denies_as_asked(rest: str, letter: str, options: Sequence[str], question: str) -> bool:
    """Whether words repeat an option and deny the property that a negated question asks for.

    >>> denies_as_asked(". Zinc is not a vitamin.", "A", ("Zinc", "Biotin"), "Which is no vitamin?")
    True
    """
    own = folded(tuple(options))[ascii_uppercase.index(letter)] if letter in ascii_uppercase[: len(options)] else ""
    text = fold(rest).lstrip(".:)] ")
    if not own or not text.startswith(own) or not _NEGATED.search(question) or not _NEGATED.search(text):
        return False
    judged = re.search(r"\b(?:answer|correct|right|option|choice|true)\b", text)
    shared = set(_stems(text[len(own) :])) & set(_stems(question))
    return bool(shared) and not judged and not names_others(rest, letter, options) and len(_NEGATED.findall(text)) == 1


def before_descriptions(text: str, named: Sequence[Mention]) -> str:
    """The letter that a reply begins with, if each other letter is only described: "C. A is the largest city."."""
    if not named or len(named[0].letters) > 1 or not named[0].stands or named[0].judged or text[: named[0].start].strip():
        return ""
    others = [mention for mention in named if mention.letters != named[0].letters]
    are_described = all(mention.judged == "wrong" or _IS_DESCRIBED.match(text, mention.end) for mention in others)
    return min(named[0].letters) if others and are_described else ""


def concluded(text: str, options: Sequence[str]) -> str:
    """The letter of the option that ends a reply after "so" or an equals sign; empty without one."""
    last = lines(text)[-1]
    ends = list(_ENDS_IN.finditer(last))
    if not ends or last.endswith("?") or denied(last[: ends[-1].end()]) or supposed(last[: ends[-1].end()]):
        return ""
    whole = last[ends[-1].end() :]
    for words in (whole, _MUST_BE.sub("", whole, count=1)):
        letters = [
            letter for letter, option in zip(ascii_uppercase, folded(tuple(options)), strict=False) if option == fold(words)
        ]
        if len(letters) == 1 and (len(fold(words)) > 1 or fold(words).isdigit()):
            return letters[0]
        if bare := re.fullmatch(r"\s?\(?(?P<letter>[A-Z])\)?[.!\"]{0,2}", words):
            return bare["letter"] if bare["letter"] in ascii_uppercase[: len(options)] else ""
    return ""


def asserted(text: str, named: Sequence[Mention], options: Sequence[str], question: str) -> str:
    """The letter of the only option whose text a reply asserts without a denial; empty without one."""
    texts = _texts(options)
    if len(options) > _MOST_ASSERTED or ANSWER_IS.search(text) or any(IGNORANCE.search(fold(option)) for option in options):
        return ""
    text = _OTHERS_THINK.sub("", text)
    if re.search(BY_OTHERS, text, re.IGNORECASE):
        return ""
    if letter := in_words_of_question(text, options, question):
        return letter
    distinct = [letter for letter, option in texts.items() if list(texts.values()).count(option) == 1]
    result = [letter for letter in distinct if find(text, [texts[letter]]) is SpellingMatch.ASSERTED]
    letter = max(result, key=lambda letter: len(texts[letter]), default="")
    is_rival = any(mention.judged != "wrong" and letter not in mention.letters for mention in named)
    if not letter or is_rival or names_others(text, letter, options):
        return ""
    return "" if _is_opposite(text, texts[letter], question) else letter


def _texts(options: Sequence[str]) -> dict[str, str]:
    """The texts of more than one character, by their letters."""
    return {letter: option for letter, option in zip(ascii_uppercase, folded(tuple(options)), strict=False) if len(option) > 1}


def _is_opposite(text: str, own: str, question: str) -> bool:
    """Whether a reply asserts the opposite of the question about an option: "Mars has moons" if one without moons is sought."""
    behind = _PART.split(fold(text).partition(own)[2])[0]
    asked = set(_stems(question))
    if _is_negated(question) and not _ASKS_WHY.match(question):
        return not _is_negated(text) and bool(asked & set(_stems(fold(text).replace(own, " "))))
    if (passive := _PASSIVE.match(behind)) and not _ASKS_OR_PASSIVE.search(question):
        return bool(asked & set(_stems(passive["verb"])))
    return _is_negated(" ".join(behind.split()[:_FIRST_WORDS])) and bool(asked & set(_stems(behind)))


def in_words_of_question(text: str, options: Sequence[str], question: str) -> str:
    """The letter of the option that the first sentence states in the words of the question; empty without one.

    >>> replies = ("Jane Austen wrote Emma.", "Mark Twain wrote books.")
    >>> [in_words_of_question(reply, ("Mark Twain", "Jane Austen"), "Who wrote Emma?") for reply in replies]
    ['B', '']
    """
    texts = _texts(options)
    sentence, *others = _SENTENCE.split(_OPENER.sub("", text, count=1))
    flat = fold(sentence)
    values = {letter: spots[0] for letter, option in texts.items() if (spots := places(option, flat))}
    words = [
        letter
        for letter, own in values.items()
        if not names_others(sentence, letter, options) and (_is_negated(question) or not denied(flat[: own.start()]))
    ]
    letter = max(words, key=lambda letter: len(texts[letter]), default="")
    if not letter or f"{sentence}?" in text or any(map(_GAINSAYS.search, others)):
        return ""
    before, behind = flat[: values[letter].start()].strip(" \"'"), _PART.split(flat[values[letter].end() :].lstrip("\"' "))[0]
    asked, head, tail = _stems(question), _stems(before), _stems(behind)
    is_place = bool(head) and head[-1] in _PLACED
    is_free = is_place and head[-1] in _WHERE and set(head[:-1]) <= set(asked)
    if is_place:
        head = [word for word in head[:-1] if word not in _LIGHT or not _ASKS_FOR_PLACE.search(question)]
    leads, follows = is_free or _in_order(head, asked), _in_order(tail, asked) or _repeats(behind, question)
    said_alike = leads and follows and bool(head or tail or is_place or before in ("a", "an"))
    clause = _TURN.split(before)[-1]
    if not said_alike and _ASKS_WHAT_IS_GIVEN.search(question) and (given := _GIVEN.fullmatch(clause)):
        said_alike, before = bool(given["who"]) or set(_stems(given["what"])) <= set(asked), clause
    if not said_alike or _is_negated(f"{before} {behind}") != _is_negated(question):
        return ""
    return letter if all(_describes_others(other, letter, texts, options, question) for other in others) else ""


def _repeats(text: str, question: str) -> bool:
    """Whether words repeat all of a question except what it asks for, and then continue: "wrote Emma in 1815"."""
    asked, words = _stems(_WH.sub("", fold(question), count=1)), _stems(text)
    return len(asked) > 1 and words[: len(asked)] == asked and not _HEDGES.search(text)


def _describes_others(sentence: str, letter: str, texts: dict[str, str], options: Sequence[str], question: str) -> bool:
    """Whether a later sentence names other options only to say something about them that does not answer the question."""
    if not names_others(sentence, letter, options):
        return True
    flat = fold(sentence)
    others = [text for other, text in texts.items() if other != letter and places(text, flat)]
    if not all(re.search(_SUBJECT.format(re.escape(text)), flat) for text in others) or CLAIMS.search(flat):
        return False
    return not set(_stems(sentence)) & set(_stems(question))


def _is_negated(words: str) -> bool:
    return _NEGATED.search(words) is not None


def odd_one(text: str, options: Sequence[str], question: str) -> str:
    """The letter of the only option of which a reply denies what it says of all others, if a negated question asks for that.

    >>> planets = ("Earth", "Mars", "Venus")
    >>> odd_one("Earth and Mars have moons, while Venus does not.", planets, "Which planet has no moons?")
    'C'
    """
    if not _is_negated(question):
        return ""
    flat, result = fold(text), list[str]()
    texts = dict(zip(ascii_uppercase, folded(tuple(options)), strict=False))
    for letter, option in texts.items():
        if option not in flat:
            continue
        if re.search(_ALL_EXCEPT.format(re.escape(option)), flat):
            return letter
        match = re.search(_DENIED_LAST.format(re.escape(option)), flat)
        if match is None or not set(_stems(match["rest"])) <= set(_stems(question)):
            continue
        before = flat[: match.start()]
        others = [other for other in texts.values() if other != option]
        if (
            not _is_negated(before)
            and not before.rstrip(" ,").endswith(tuple(others))
            and all(places(other, before) for other in others)
        ):
            result.append(letter)
    return result[0] if len(result) == 1 else ""


def _stems(words: str) -> list[str]:
    """The stems of the content words, without plural endings."""
    results = (_ALIKE.get(word, word) for word in _WORD.findall(fold(words).replace("n't", " not")))
    own = (word for word in results if word not in _NEUTRAL and not _NEGATED.fullmatch(word))
    return [(word[:-1] if len(word) > _SHORTEST and word[-1] == "s" != word[-2] else word)[:_STEM] for word in own]


def _in_order(words: list[str], asked: list[str]) -> bool:
    """Whether words occur in the question in the same order."""
    left = iter(asked)
    return all(word in left for word in words)
