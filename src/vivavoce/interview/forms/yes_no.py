"""Finds yes or no in a reply: a word at the start, or a sentence that plainly affirms or denies the question."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from vivavoce.interview.forms.form import NEGATION, RETRACTION, SEVERAL, ParsedReply, answered, unreadable
from vivavoce.interview.forms.plain import AROUND, fold
from vivavoce.interview.forms.restated_sides import (
    AT_PRESENT,
    NO,
    YES,
    last_question,
    of_another_time,
    restated_sides,
    short_answer,
)

UNCLEAR: Final = "says neither yes nor no plainly"

_WORDS_FOR_YES: Final = """
yes yep yeah yup true ja oui sí sì si sim да так tak evet ναι はい 是 是的 对 有 예 네 haan हाँ نعم כן igen ano áno kyllä
"""
_WORDS_FOR_NO: Final = """
no nope nah false nein non não nao нет nie hayır όχι いいえ 否 不 不是 没有 아니요 아니오 नहीं لا לא nem ne ei nee nej nei
"""
_YES: Final = frozenset(_WORDS_FOR_YES.split())
_NO: Final = frozenset(_WORDS_FOR_NO.split())
_FIRST_WORD = re.compile(r"[\s\"'*_(\[]{0,6}([^\W\d_]+)")
_LEAD = re.compile(
    r"(?:(?:well|so|oh|hm+|certainly|definitely|absolutely|clearly|surely|obviously|of course|indeed|sadly"
    r"|unfortunately|regrettably|leider|malheureusement|lamentablemente|infelizmente|purtroppo"
    r"|no doubt(?: about it)?|without (?:a )?doubt|short answer|i'm afraid|i am afraid|i(?:'d| would)? (?:say|think"
    r"|believe)(?: that)?|my answer is|the answer is|it is"
    r"|it's|that is|that's"
    r"|sorry|i(?:'m| am) sorry|most likely|probably|therefore|thus|hence|in short|at (?:the|this) moment"
    r"|at (?:this time|present)|currently|right now|for now)\b[,:]?\s{1,3}){1,3}"
)
_NOT = re.compile(
    r"(?:certainly|definitely|absolutely|of course|obviously|clearly|surely|unfortunately|sadly|regrettably|i'm afraid"
    r"|i am afraid)?,?\s{0,2}(?:not|never)(?: at all| really)?(?: (?:yet|currently|right now|for now|any ?more"
    r"|at (?:the|this) (?:moment|time|point|stage)))?(?P<more>(?:[,;]| [-–—]) .*)?[.!,;]?$"
)
_NOT_SO = re.compile(r"(?:[a-z]{3,14}, )?not (?P<end>[^,;:.!?]{3,80})(?:, (?:sorry|unfortunately|i'm afraid|no))?[.!]?$")
_OPEN = re.compile(
    r"\b(?:if|unless|provided|depends?|depending|except|sometimes|maybe|perhaps|possibly|partly|partially|some cases|not always"
    r"|not necessarily|usually|generally|might|unclear|not sure|unsure|don't know|do not know|cannot say|can't say|or)\b"
)
_SIDED = re.compile(
    r"\b(?:could|can|may|might)(?: well)? be (?:yes|no|true|false)\b|\b(?:they|some|many|others|people|half[^.]{0,30}) say\b"
    r"|\bused to be\b|\bopposite is\b|[\"“](?:yes|no|true|false)[\"”] is\b|\bfirst half\b"
    r"|^\W*(?:yes|no|true|false)\W{1,3}(?:as long as|assuming|subject to|before|after|only|in part|for some|provided|while)\b"
)
"""Words of a reply that says for whom or when it is so."""
_TURN = re.compile(r"\b(?:but|however|although|though|yet|still not|except)\b")
_PRONOUN: Final = "it|you|they|we|he|she|this|that|there|i|these|those"
_AFTER_NO = re.compile(
    rf"(?!\.?\s?\d(?!\d{{0,12}}\s(?:=|has\b|does\b|equals\b)))(?:$|[\s]{{0,2}}[.,;:!)\"'*–—-]|\s+(?:{_PRONOUN})\b)"
)
_PERMISSION: Final = re.compile(r"\b(?:can|could|may|able|allowed|possible|permitted)\b")
_FORBIDS = re.compile(r"\b(?:forbidden|prohibited|banned|illegal|against the (?:rules?|law|policy))\b")
_GRANTS = re.compile(
    r"(?:of course|certainly|sure|surely|absolutely|definitely|indeed|gladly)\b[,!.]?\s{1,3}"
    r"(?:(?:you|it|they|this|that|the \w+|your \w+|\w+ \w+) (?:can|may|could)\b|it(?:'s| is) (?:possible|allowed|permitted)\b)"
)
_DENIES = re.compile(
    r"\b(?:it|you|they|he|she|this|that|the \w+|your \w+|\w+ \d+)\s(?:cannot|can't|can not|may not|could not|couldn't"
    r"|mustn't|must not"
    r"|is not (?:possible|allowed|permitted)|isn't (?:possible|allowed|permitted)|can no longer|may no longer)\b"
)
_REGRET = re.compile(r"(?:i(?:'m| am) (?:very |so )?(?:sorry|afraid)|sorry|unfortunately|sadly|regrettably|no longer)\b")
_OF_ITSELF = re.compile(
    r"\W{0,3}(?:yes|no)\b\W{1,3}(?:as an ai\b|i(?:'m| am| cannot| can't| can| don't| do|'ve| have|'d| would)?+\b"
    r"(?! (?:think|believe|would say|say|guess|suppose|afraid|sure|(?:would )?say)\b(?! you\b)))"
)
"""Begins a statement of a model about itself."""
_TO_YOU = re.compile(r"\byour?s?\b")
_NAME = re.compile(r"(?:Yes|No)(?: [A-Z]\w{2,20}){1,3}(?: (?:is|was) an? .*)?", re.DOTALL)
"""A name that begins with such a word: Yes Minister, No Country."""
_HYPHENATED = re.compile(r"\W{0,3}(?:yes|no)-\w", re.IGNORECASE)
_CLAUSE = re.compile(r"[.,;:!?()\n–—]|\bbut\b|\bbecause\b|\bsince\b|\banswer\b")
_WORD = re.compile(r"\w+(?:'\w+)?")
_PLAINLY = re.compile(
    r"(?:, so(?: it's| the answer is)? |\b(?:is|it's|that's) an? (?:(?:clear|definite|firm|simple|hard|big|resounding) )?)"
    r"(?P<side>yes|no)(?: from (?:me|us))?\W{0,4}$"
)
_AGREES = re.compile(
    r"\W*(?:(?:yes|ja|oui|sí),? )?(?:of course|absolutely|definitely|natürlich|selbstverständlich|bien sûr|por supuesto"
    r"|claro(?: que sí)?|(?:ma )?certo|certamente)\W*"
)
"""A whole reply that agrees; "certainly" and "sure" may only agree to answer."""
_A_NO = re.compile(r"\bno\b")
_YES_AFTER = re.compile(r"\b(?:yes|it is|it does|it can|you may|they are)\b")
_NO_YES = re.compile(
    r"\W{0,3}(?:please\b|and\b|or\b|/|(?:und|oder|et|ou|y|e|o|en|of|og|och|eller)\s(?:nein|non?|não|nee|nei|nej)\b"
    r"|let me\b|(?:that|this)(?:'s| is) an? \w+ question|i can help|how (?:can"
    r"|may)\b|no\W{0,3}$)"
)
"""Words after a "yes" that is not an answer."""
_BOTH = re.compile(
    r"\byes (?:for|if|in|when|with|on)\b.{1,100}\bno (?:for|if|in|when|with|on)\b"
    r"|\blong(?:er)? answer\s?:.{0,40}\byes\b"
)
"""Yes in one case, and no in another."""
_EVEN_THOUGH = re.compile(r",? even though\b.*", re.DOTALL)
_SENTENCE = re.compile(r"(?<=[.!;?])\s+(?!\d)|\n+")


def is_yes_or_no(answer: str) -> bool:
    """Whether an accepted answer is yes or no, in one of many languages.

    >>> is_yes_or_no("Yes"), is_yes_or_no("nein"), is_yes_or_no("North")
    (True, True, False)
    """
    return _side(answer) is not None


def same_side(first: str, second: str) -> bool:
    """Whether two words both say yes, or both say no."""
    return _side(first) is not None and _side(first) == _side(second)


def read_yes_no(text: str, question: str = "") -> ParsedReply[str]:
    """Whether a text, as `plain` gives it, says yes or no.

    "Certainly." alone is neither: it may agree to answer. A condition leaves it open, and so does a word that reverses it.

    >>> [read_yes_no(reply).value for reply in ("No, order 17 is late.", "Yes, of course.", "Of course not.", "Certainly.")]
    ['no', 'yes', 'no', None]
    >>> read_yes_no("I am sorry, it cannot be returned.", "May it be returned?").value
    'no'
    """
    if _NAME.fullmatch(text.strip(AROUND)) or _HYPHENATED.match(text):
        return unreadable(UNCLEAR)
    folded = "\n".join(map(_fold_line, text.splitlines()))
    sentences = [s.strip() for s in _SENTENCE.split(folded) if s and s.strip(AROUND)]
    if not sentences:
        return unreadable(UNCLEAR)
    whole, asked = " ".join(sentences), last_question(_fold_line(question))
    texts = {side for sentence in (sentences[0], sentences[-1]) if (side := _stated(sentence, asked))}
    if len(texts) > 1:
        return unreadable(SEVERAL)
    if _BOTH.search(folded) or _SIDED.search(folded):
        return unreadable(SEVERAL)
    first_word = _FIRST_WORD.match(sentences[0])
    if of_another_time(asked) and AT_PRESENT.search(sentences[0]) and not (first_word and _side(first_word[1])):
        return unreadable(UNCLEAR)
    is_denied = NEGATION.search(asked) or _A_NO.search(asked)
    if len(sentences) == 1 and not is_denied and _AGREES.fullmatch(sentences[0]):
        return answered(YES)
    if not texts and not is_denied and (not_so := _NOT_SO.fullmatch(sentences[0])) and _ends_with(asked, not_so["end"]):
        texts = {NO}
    restated = set() if is_denied else set(restated_sides(whole, asked)) - {None}
    if texts and restated and texts != restated:
        return unreadable(UNCLEAR)
    if YES in texts and _PERMISSION.search(asked) and _FORBIDS.search(whole):
        return unreadable(UNCLEAR)
    if not texts and len(sentences) <= _MOST_SENTENCES and not is_denied:
        lead = _LEAD.match(sentences[0])
        firsts = [restated_sides(sentences[0][start:], asked)[:1] for start in (lead.end() if lead else 0, 0)]
        sides = {side for first in firsts for side in first if side}
        texts = sides if sides and restated <= sides else _implied(whole, asked)
    if _OF_ITSELF.match(whole) and not _TO_YOU.search(asked):
        return unreadable(UNCLEAR)
    regret = _REGRET.match(whole)
    cue = RETRACTION.search(whole, regret.end() if regret else _FIRST)
    ends_with_cue = cue is not None and not whole[cue.end() :].strip(AROUND)
    regrets = cue is not None and cue[0].strip(_AROUND_CUE) in _WITH_NO and not _YES_AFTER.search(whole, cue.end())
    taken_back = cue is not None and not ends_with_cue and not (NO in texts and regrets)
    if len(texts) != 1 or taken_back or _OPEN.search(sentences[0]):
        return unreadable(UNCLEAR)
    return answered(texts.pop())


_MOST_SENTENCES: Final = 3
_WITH_NO: Final = (NO, "sorry", "apologies")
_AROUND_CUE: Final = " \n.,;:!?(–—-"
_FIRST: Final = 4
"""Most characters of a first word, which does not retract anything."""


def _fold_line(line: str) -> str:
    return fold(f"x{line}x")[1:-1]


@lru_cache(maxsize=1024)
def _side(word: str) -> str | None:
    folded = fold(word)
    return YES if folded in _YES else NO if folded in _NO else None


def _stated(sentence: str, question: str) -> str | None:
    """The side that a sentence states by its first word, or all of it."""
    if sentence.rstrip(" \"'*_)").endswith("?"):
        return None
    lead = _LEAD.match(sentence)
    for start in dict.fromkeys((0, lead.end() if lead else 0)):
        rest = sentence[start:]
        word = _FIRST_WORD.match(rest)
        side = _side(word[1]) if word else None
        if word and side:
            after = _EVEN_THOUGH.sub("", rest[word.end() :])
            if side == NO and not _AFTER_NO.match(after):
                continue
            if side == NO:
                turn = _TURN.search(after)
                return (
                    None
                    if turn and (_YES_AFTER.search(after, turn.end()) or not NEGATION.search(after[: turn.start()]))
                    else NO
                )
            clause = re.split(r"[;:.]", after, maxsplit=1)[0]
            turned = NEGATION.search(clause) or (_TURN.search(after) and (NEGATION.search(after) or _A_NO.search(after)))
            return None if turned or _NO_YES.match(after) else YES
    if (short := _NOT.fullmatch(sentence.strip(" \"'*_"))) and not _YES_AFTER.search(short["more"] or ""):
        return NO
    for rest in (sentence, sentence[lead.end() :] if lead else sentence):
        if side := short_answer(rest, question):
            return side
    last = _FIRST_WORD.match(sentence.rstrip(AROUND).rsplit(" ", 1)[-1])
    if plainly := _PLAINLY.search(sentence):
        return _side(plainly["side"])
    says = re.search(r"\b(?:answer(?: here)? is|say|is|be)[\s:\"'*]{1,4}\w+\W{0,4}$", sentence)
    return _side(last[1]) if last and says and not NEGATION.search(sentence[: says.start()]) else None


def _ends_with(question: str, end: str) -> bool:
    """Whether a question ends with these words, in the singular or the plural."""
    return question.rstrip("? ").removesuffix("s").endswith(" " + end.strip().removesuffix("s"))


def _implied(text: str, question: str) -> set[str]:
    """The side that a sentence without yes or no takes on a question about permission."""
    if not _PERMISSION.search(question) or _TURN.search(text) or _OPEN.search(text):
        return set()
    if _DENIES.search(text) and _REGRET.match(text):
        return {NO}
    return {YES} if _GRANTS.match(text) and not NEGATION.search(text) and " no " not in text else set()
