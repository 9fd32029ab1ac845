"""Whether a sentence without yes or no affirms or denies the question that it repeats: "We don't ship to Canada."

Such a sentence has the content words of the question, and an auxiliary of the same time and kind: neither "The shop was open"
nor "The shop could be open" answers "Is the shop open?".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from vivavoce.interview.forms.form import NEGATION

YES: Final = "yes"
NO: Final = "no"
AT_PRESENT: Final = re.compile(
    r"\b(?:yet|currently|right now|for now|any ?more|as of (?:now|today)|at present"
    r"|at (?:the|this) (?:moment|time|point|stage))\b"
)
_OF_ANOTHER_TIME = re.compile(
    r"^(?:will|would|was|were|did|had|could|should)\b|\b(?:going to|plan(?:s|ning)? to|next|tomorrow|last"
    r"|yesterday|ago|later|in \d{4})\b"
)
_ADDITION = re.compile(
    r"\b(?:(?:at )?any ?time|already|(?<!not )(?:much|far|considerably)"
    r"|unfortunately|sadly|regrettably|i am (?:afraid|sorry)(?: that| but)?)\b"
)
_MONTH: Final = (
    "(?:january|february|march|april|may|june|july|august|september|october|november|december)(?: [0-9]{1,4}(?:st|nd|rd|th)?)?"
)
_WEEKDAY: Final = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_PAST_TIME = re.compile(
    rf"\b(?:(?:on|in|back in) (?:{_MONTH}|\d{{1,2}} {_MONTH}|{_WEEKDAY}|\d{{4}})"
    rf"|yesterday|recently|last (?:{_WEEKDAY}|week|month|year|spring|summer|autumn|fall|winter|night)"
    r"|(?:an?|two|three|\d{1,3}) (?:day|week|month|year|hour)s? ago)\W*$"
)
_SPELLED_OUT: Final = (
    (re.compile(r"\b(?:can't|cannot)\b"), "can not"),
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"'ll\b"), " will"),
    (re.compile(r"'ve\b"), " have"),
    (re.compile(r"'re\b"), " are"),
    (re.compile(r"'m\b"), " am"),
    (re.compile(r"\b(it|he|she|that|there)'s\b"), r"\1 is"),
    (re.compile(r"\bno longer\b"), "not"),
    (re.compile(r"\bout of (?:order|service)\b"), "broken"),
)
_AUXILIARIES: Final = {
    question: frozenset(answer.split())
    for question, answer in {
        "is": "is are am",
        "are": "is are am",
        "was": "was were",
        "were": "was were",
        "do": "do does",
        "does": "do does",
        "did": "did has have had",
        "can": "can may",
        "may": "can may",
        "could": "can may could",
        "might": "can may could might",
        "will": "will shall is are am do does",
        "would": "will would",
        "should": "should must",
        "must": "must",
        "has": "has have was were did",
        "have": "has have was were did",
        "had": "had was were did",
    }.items()
}
"""By the auxiliary of a question: those of statements that may answer it."""
_PERMITS: Final = ("can", "could", "may")
_PAST: Final = ("did", "has", "have")
_LITTLE_WORDS: Final = """
be been being not never no yes the a an am shall indeed actually really still definitely certainly generally also that so yet
"""
_LITTLE: Final = frozenset([*_LITTLE_WORDS.split(), *_AUXILIARIES])
_OPPOSITES: Final = {
    "closed": "open",
    "shut": "open",
    "unavailable": "available",
    "forbidden": "allowed",
    "prohibited": "allowed",
    "banned": "allowed",
    "impossible": "possible",
    "excluded": "included",
    "broken": "working",
}
_BASES: Final = {**_OPPOSITES, "permitted": "allowed"}
_OTHER_PERSON: Final = {"you": "we", "i": "you", "me": "you", "we": "you", "your": "our", "my": "your", "our": "your"}
_BY_PRONOUN = re.compile(r"(?:it|they)\b|we\b(?=.*\b(?:open|closed)\b)")
_PREPOSITIONS: Final = frozenset({"than", "of", "to", "in", "on", "for", "with", "at", "by", "from"})
_PLACES: Final = frozenset({"to", "in", "at", "on"})
_NEEDED: Final = frozenset({"needed", "required", "necessary"})
_AROUND: Final = " \t.,;:!\"'*_()"
_FEWEST_WORDS: Final = 2
_QUESTION = re.compile(rf"(?:^|[.!?:]\s+)((?:{'|'.join(_AUXILIARIES)}) [^.!?]{{3,300}})\?")
_PRONOUN: Final = "it|you|they|we|he|she|this|that|there|i|these|those"
_SHORT_ANSWER = re.compile(
    rf"(?:(?:{_PRONOUN})|sure) (?P<auxiliary>am|shall|{'|'.join(_AUXILIARIES)})(?P<not> not)?(?: be| been)?"
)
_ASIDE_AFTER = re.compile(r",? (?:sorry|unfortunately|sadly|i am afraid|of course|actually)$")
_ASKS = re.compile(r"(?<![^.!?\n])[^.!?\n]*\?")
_CLAUSE = re.compile(r"[.,;:!?()\n–—]|\bbut\b|\bbecause\b|\bsince\b|\banswer\b")
_WORD = re.compile(r"\w+(?:'\w+)?")
_A_NO = re.compile(r"\bno\b")


class _Restatement(NamedTuple):
    """A clause, or a question without its first word."""

    text: str
    content: list[str]
    auxiliaries: frozenset[str]
    opposite: bool
    """Whether it says "closed" for "not open"."""

    @classmethod
    def of(cls, text: str) -> _Restatement:
        words = _WORD.findall(text)
        content = [_BASES.get(word, word).removesuffix("s") for word in words if word not in _LITTLE]
        return cls(text, content, frozenset(words) & _AUXILIARIES.keys(), sum(word in _OPPOSITES for word in words) % 2 == 1)


def last_question(text: str) -> str:
    """The last sentence that asks for yes or no, without the words before it; the whole text without such a sentence."""
    return next((f"{match[1]}?" for match in reversed(list(_QUESTION.finditer(text)))), text)


def of_another_time(question: str) -> bool:
    """Whether a question asks about the past or the future by its words."""
    return _OF_ANOTHER_TIME.search(question) is not None


def restated_sides(text: str, question: str) -> list[str | None]:
    """The side that each clause takes on the question that it repeats; None for a clause that does not repeat it.

    >>> restated_sides("the earth is larger than the moon.", "is the earth larger than the moon?")
    ['yes']
    >>> restated_sides("sorry, the museum is closed on mondays.", "will the museum be open on monday?")
    [None, 'no']
    >>> restated_sides("the shop was open.", "is the shop open?")
    [None]
    """
    match = _QUESTION.search(question)
    if match is None:
        return []
    at_present = not of_another_time(question)
    verb, _, rest = _simple(match[1], at_present=at_present).partition(" ")
    asked = _Restatement.of(rest)
    if len(asked.content) < _FEWEST_WORDS:
        return []
    return [_side(clause, verb, asked) for clause in _clauses(_ASKS.sub("", text), at_present=at_present)]


def short_answer(sentence: str, question: str) -> str | None:
    """The side of a sentence that repeats only the question's auxiliary, such as "It does."

    >>> short_answer("it can't, sorry.", "can it swim?"), short_answer("it was.", "is it open?")
    ('no', None)
    """
    asked = _QUESTION.search(question)
    rest = _simple(sentence, at_present=not of_another_time(question)).strip(_AROUND)
    match = _SHORT_ANSWER.fullmatch(_PAST_TIME.sub("", _ASIDE_AFTER.sub("", rest)).strip(_AROUND))
    if match is None:
        return None
    verb, _, words = asked[1].partition(" ") if asked else ("", "", "")
    repeated = {*words.split(), *(("is", "are") if verb in _PERMITS else ())}  # it is permitted
    if asked and not _answers(frozenset({match["auxiliary"]}) - repeated, verb, denied=bool(match["not"])):
        return None
    return NO if match["not"] else YES


def _answers(auxiliaries: frozenset[str], verb: str, *, denied: bool) -> bool:
    """Whether these auxiliaries answer a question with this verb; whoever cannot, does not."""
    return auxiliaries <= _AUXILIARIES[verb] | ({"can"} if denied and verb in ("do", "does") else set())


def _simple(text: str, *, at_present: bool) -> str:
    """A text with spelled-out auxiliaries, and without words that add nothing to the answer."""
    for pattern, spelled in _SPELLED_OUT:
        text = pattern.sub(spelled, text)
    text = _ADDITION.sub("", text)
    return " ".join((AT_PRESENT.sub("", text) if at_present else text).split())


def _clauses(text: str, *, at_present: bool) -> Iterator[str]:
    return (clause for part in _CLAUSE.split(_simple(text, at_present=at_present)) if (clause := part.strip(_AROUND)))


def _side(clause: str, verb: str, asked: _Restatement) -> str | None:
    texts = {clause, _PAST_TIME.sub("", clause)} if verb in _PAST else {clause}
    denied = bool(NEGATION.search(clause) or _A_NO.search(clause))
    if not any(_repeats(_Restatement.of(text), verb, asked, denied=denied) for text in texts):
        return None
    return NO if denied != (_Restatement.of(clause).opposite != asked.opposite) else YES


def _repeats(said: _Restatement, verb: str, asked: _Restatement, *, denied: bool) -> bool:
    """Whether a clause states what the question asks, or the opposite."""
    auxiliaries = said.auxiliaries - asked.auxiliaries - ({"has"} if "have" in asked.auxiliaries else set())
    if said.text.split(" ", 1)[0] in _AUXILIARIES:  # a question
        return False
    if asked.content[1:2] == ["need"]:
        thing = asked.content[2:]
        thing = thing[: thing.index("to")] if "to" in thing[1:] else thing
        if said.content == ["you", "need", *thing]:
            return auxiliaries <= _AUXILIARIES[verb]
        if said.content[:-1] == thing and said.content[-1] in _NEEDED:
            return auxiliaries <= _AUXILIARIES["is"]
    if not _answers(auxiliaries, verb, denied=denied):
        return False
    wanted = [asked.content, [_OTHER_PERSON.get(word, word) for word in asked.content]]
    if _BY_PRONOUN.match(said.text):
        ends = [index for index, word in enumerate(asked.content[:-1], 1) if word not in _PREPOSITIONS]
        wanted += [[said.content[0], *asked.content[end:]] for end in ends]  # the subject is all before
    wanted += [[*words[:end], stand_in] for words in wanted[:2] for end, stand_in in _stand_ins(words)]
    if verb == "did" and "did" not in auxiliaries:
        return any(_in_past(said.content, words) for words in wanted)
    return said.content in wanted


def _stand_ins(words: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Where the end of a question can be replaced by a word: "it" for an object, "there" for a place."""
    for index in range(2, len(words)):
        if words[index] in _PLACES:
            yield index, "there"
        elif words[index] not in _PREPOSITIONS:
            yield from ((index, "it"), (index, "them"))


def _in_past(said: Sequence[str], asked: Sequence[str]) -> bool:
    """Whether words are the same but for one verb, which is in the past."""
    differing = [pair for pair in zip(said, asked, strict=False) if pair[0] != pair[1]]
    if len(said) != len(asked) or len(differing) != 1:
        return False
    past, base = differing[0]
    return past in (f"{base}ed", f"{base}d", f"{base}{base[-1]}ed", f"{base[:-1]}ied") or _IRREGULAR.get(past) == base


_IRREGULAR: Final = {
    past: verb
    for verb, pasts in (
        ("begin", "began begun"), ("come", "came"), ("get", "got"), ("give", "gave given"), ("go", "went gone"),
        ("hold", "held"), ("keep", "kept"), ("leave", "left"), ("lose", "lost"), ("make", "made"), ("meet", "met"),
        ("pay", "paid"), ("say", "said"), ("sell", "sold"), ("send", "sent"), ("take", "took taken"), ("win", "won"),
    )
    for past in pasts.split()
}  # fmt: skip
