"""Whether the sentence around an accepted answer is about what the question asks for: the same thing, of the same kind, now.

"The setup fee is $50" gives no late fee, "12 nurses" no number of doctors, and "It was 12 last year" none of today.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import Final, NamedTuple

from vivavoce.interview.forms.restated import asked_number

_DETERMINER: Final = "the|a|an|your|our|my|its|his|her|their|this|that|these|each|every"
_WORD: Final = r"[^\W\d_]+(?:[-'’][^\W\d_]+)*"
_PRONOUN: Final = "i|you|we|it|they|he|she|one|people|there"
_LETTERS = re.compile(_WORD)


_SAME: Final = {"biggest": "largest", "greatest": "largest", "tallest": "highest", "quickest": "fastest", "tiniest": "smallest"}


@lru_cache(maxsize=1024)
def _singular(text: str) -> tuple[str, ...]:
    """The words of a text in lower case, without "'s", "'ll" and the like, and without a final s."""
    words = (re.split("['’]", word.lower())[0].removesuffix("s") for word in _LETTERS.findall(text))
    return tuple(_SAME.get(word, word) for word in words)


_NOUNS: Final = rf"(?:{_WORD}\s){{0,3}}?{_WORD}"
_FOUR: Final = rf"{_WORD}(?:\s{_WORD}){{0,3}}"
_IS_ASKED = re.compile(
    rf"\b(?:(?:what|who|where|when|how much|which \w+|how \w+)(?:'s|\s(?:is|are|was|were))\s(?:{_DETERMINER})"
    rf"|(?:where|when|which \w+)\s(?:is|are)(?!\s(?:{_PRONOUN})\b))\s(?P<words>{_FOUR})",
    re.IGNORECASE,
)
"""A thing that a question names: "What is the late fee?\""""
_DOES_ASKED = re.compile(
    rf"\b(?:(?:does|do|did|can|will|must|should|may)\s(?:{_DETERMINER})|(?:does|do|did)(?!\s(?:{_PRONOUN})\b))"
    rf"\s(?P<words>{_FOUR})",
    re.IGNORECASE,
)
"""A thing that a question says something of: "When does the shop close?\""""
_VERB: Final = (
    r"(?:is|are|was|were|costs?|amounts? to|comes? to|equals?|will be|opens?|closes?|starts?|begins?|ends?"
    r"|finish(?:es)?|lasts?|takes?|runs?|weighs?|allows?|requires?)"
)
_SUBJECT = re.compile(
    rf"\W*(?:(?:{_DETERMINER})\s)?(?P<words>{_NOUNS})(?:\s(?:of|for|in|on|at|to|next|from|with)\s[^\d]{{2,40}}?)?"
    rf"\s(?:{_VERB}|(?P<has>has|have|had|holds?))\b",
    re.IGNORECASE,
)
_EVENTS: Final = """
founded established created formed incorporated started set began begun | sold bought acquired purchased | opened inaugurated
launched | closed shut | built constructed erected completed finished | renovated restored refurbished rebuilt repaired extended
expanded | destroyed demolished | born | died killed | buried | married | written wrote composed authored created
| reviewed edited checked audited | published released issued printed launched introduced | translated | filmed adapted
| shipped sent dispatched posted mailed | delivered received arrived | ordered | paid charged billed | approved authorised
authorized signed | submitted requested filed | rejected denied | hired appointed elected joined | promoted | fired dismissed
retired resigned left | ended finished stopped completed expired | invented discovered developed designed created | patented
| announced | updated revised amended | discontinued cancelled canceled withdrawn | renamed | moved relocated | tested | merged
"""
_KINDS_OF_EVENT: Final = [frozenset(words.split()) for words in _EVENTS.split("|")]
"""Verbs that may stand for one another; a verb may be of several kinds."""
_ORGANISATION = re.compile(r"\b(?:company|firm|business|organi[sz]ation|start-?up|manufacturer|institution)\b", re.IGNORECASE)
_NAME_OF_ORGANISATION = re.compile(r"[A-Z]\S*(?: (?:of |and |& )?[A-Z]\S*)+")
"""The name that a reply gives to "the company"."""
_SMALL_WORDS: Final = frozenset(
    _singular(
        "about only exactly just currently now always usually at on in by until till from to for the a an up around roughly"
        " open approximately set daily every no not more than later least most still also actually US EUR USD within be"
    )
)
"""Words between a verb and an answer that is said of the subject."""
_SHORTENED: Final = 4
"""Fewest letters of a shortened word: config."""
_COMPLEMENT = re.compile(r"\W*(?:is|are|was|were)\s(?:the|a|an|our|your)\s(?P<words>[^.,;:!?()]{3,80})", re.IGNORECASE)
_BEHIND = re.compile(rf"\s(?P<words>{_WORD}(?:\s{_WORD}){{0,2}})")
_OBJECT = re.compile(rf"\b({_WORD}) (for|of) (?:(?:{_DETERMINER})\s)?({_WORD})", re.IGNORECASE)
_COUNTED = re.compile(r"\s(?P<words>(?:[^\W\d_]+[- ]){0,2}?[^\W\d_]{3,}s)\b(?!['’])", re.IGNORECASE)
_CLAUSE_ENDS = re.compile(r"[.,;:!?(](?!\d)|\s[-–—]\s|\b(?:and|but|so|while|whereas)\b", re.IGNORECASE)
_CLAUSE = re.compile(r"(?:[^.,;:!?(\n]|[.,:](?=\d))+")
_VALUE = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:an?|one) (?:hour|day|week|month|year|minute))\b"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b",
    re.IGNORECASE,
)
_TIME = re.compile(r"\d{1,2}:\d\d|\d{1,2}(?:[:.]\d\d)?\s?[ap]\.?m\.?", re.IGNORECASE)
_EVENT: Final = 2
"""Fewest words of a clause that tell what happens at a time."""
_SENTENCE_ENDS = re.compile(r"(?<=[.!?;])\s+|\n+")
_DAY = re.compile(r"\b(mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(weekday|weekend)s?\b", re.IGNORECASE)
_OTHER_RANK = re.compile(
    r"\b(?:deputy|vice|assistant|former|acting|interim|second|third|fourth|fifth|runner-up)\b"
    r"|\b(?:running|standing|campaigning|applying) (?:for|to)\b|\bwill (?:become|be|succeed|take over)\b",
    re.IGNORECASE,
)
_ANY_KIND_WORDS: Final = """
a an the this that these those my your our its their his her any some no each every of to in on at for by with from and or is
are was were be do does did can will would may must has have how many much what which who when where why whose current total
usual standard normal regular basic full overall general only exact correct right same official actual final answer new entire
whole typical s there here it they we you i he she one
"""
_ANY_KIND: Final = frozenset(_singular(_ANY_KIND_WORDS))
_USUAL_KIND: Final = frozenset(("standard", "regular", "normal", "basic", "usual"))
"""Kinds that are another one only beside a kind that the question names: "express delivery"."""
_ANY_THING_WORDS: Final = """
answer number amount total figure value result solution name time date day year price cost person item unit piece individual
policy rule deadline limit
"""
_ANY_THING: Final = frozenset(_singular(_ANY_THING_WORDS)) | _ANY_KIND
"""Words without a final s that can stand for any thing."""
_COUNTABLE: Final = (
    frozenset(_singular("works includes seems sounds needs plus gets makes takes costs residents inhabitants citizens"))
    | _ANY_THING
)

_ASKS_ANOTHER_TIME = re.compile(
    r"\b(?:was|were|did|had|will|would|when|years?|dates?|born|next|last|ago)\b|\b(?:19|20)\d\d\b"
    r"|^(?!.*\b(?:is|are|am|do|does|can|may|must|has|have)\b).*\w{2}ed\b",
    re.IGNORECASE | re.DOTALL,
)
"""A past verb asks of the past, unless it is a participle: "are allowed"."""
_MONTH: Final = "january|february|march|april|may|june|july|august|september|october|november|december"
_PERIOD: Final = (
    rf"(?:(?:early |late )?(?:19|20)\d\d|(?:early |late |next |last )?(?:{_MONTH})"
    r"|(?:last|next|previous) (?:year|month|week|season|semester|spring|summer|autumn|fall|winter|(?:mon|tues|wednes|thurs|fri"
    r"|satur|sun)day))"
)
_AT_ANOTHER_TIME = re.compile(
    rf"\b(?:in|by|until|till|before|prior to|back in|come|starting|from|after|during) {_PERIOD}\b"
    rf"|\b(?:last|next|previous) (?:year|month|week|season|semester|spring|summer|autumn|fall|winter|{_MONTH})\b"
    r"|\byesterday\b|\btomorrow\b"
    r"|\bin the (?:(?:19|20)?\d0s|(?:twen|thir|for|fif|six|seven|eigh|nine)ties)\b"
    r"|\bbefore the (?:increase|rise|change|move|merger|renovation|reform|pandemic|war|construction|fire)\b",
    re.IGNORECASE,
)
_MONTH_BEFORE = re.compile(rf"\b(?:{_MONTH})\W*$", re.IGNORECASE)
_IN_THE_PAST = re.compile(
    r"(?<!if )\b(?:was|were|had|used to|did|originally|initially|at first|at the time)\b(?![^.;!?]*\b(?:now|today)\b)",
    re.IGNORECASE,
)
_PLANNED = re.compile(
    r"\b(?:being (?:raised|increased|reduced|lowered|cut|changed)|going to be|would have"
    r"|(?:is|are) (?:considering|planning|discussing)"
    r"|wants?|expects?|there will be|there would be)\b",
    re.IGNORECASE,
)
_CHANGED_TO = re.compile(
    r"(?<!being )(?<!be )\b(?:increased|raised|risen|rose|went up|gone up|dropped|fell|lowered|reduced|cut|changed) to\W*$",
    re.IGNORECASE,
)


class ValuePlace(NamedTuple):
    """The place of an accepted answer in a text."""

    text: str
    start: int
    end: int

    @property
    def sentence(self) -> str:
        """The sentence around it."""
        return self.text[self._sentence_start : self.end] + _SENTENCE_ENDS.split(self.text[self.end :])[0]

    @property
    def before(self) -> str:
        """The clause up to it."""
        return _CLAUSE_ENDS.split(self.text[self._sentence_start : self.start])[-1]

    @property
    def after(self) -> str:
        """The clause from its end on."""
        return _CLAUSE_ENDS.split(self.text[self.end :])[0]

    @property
    def _sentence_start(self) -> int:
        return max((match.end() for match in _SENTENCE_ENDS.finditer(self.text, 0, self.start)), default=0)


def is_of_another_thing(place: ValuePlace, question: str, *, bare: bool) -> bool:
    """Whether the words around an answer give it for another thing than the question's, or on another day.

    bare: whether the answer is a number without a unit.

    >>> question = "How much is the late fee?"
    >>> replies = ("The setup fee is $50.", "The fee is $50.", "It is $50, as a late fee.", "The rent is $50.")
    >>> [is_of_another_thing(ValuePlace(reply, reply.index("$50"), reply.index("$50") + 3), question, bare=False)
    ...  for reply in replies]
    [True, False, False, True]
    """
    return (
        _has_another_subject(place, question)
        or _has_another_kind_behind(place, question)
        or _is_another_complement(place, question)
        or _is_of_another_object(place, question)
        or _is_on_another_day(place, question)
        or (bare and _counts_other_things(place, question))
        or _has_another_rank(place, question)
        or _is_at_another_event(place, question)
        or _has_another_verb(place, question)
        or _has_rival(place, question)
    )


def is_at_another_time(place: ValuePlace, question: str) -> bool:
    """Whether a number is said of the past or the future where the question asks about the present.

    >>> replies = ("It was 12 last year.", "There were 12.", "In 1950, it had 12.", "It is 12 now.")
    >>> [is_at_another_time(ValuePlace(reply, reply.index("12"), reply.index("12") + 2), "How many are there?")
    ...  for reply in replies]
    [True, True, True, False]
    """
    if _ASKS_ANOTHER_TIME.search(question) or asked_number(question).to_be_worked_out or _CHANGED_TO.search(place.before):
        return False
    before = _MONTH_BEFORE.sub("", place.before)  # "by March" is no other time in "by March 15"
    return bool(
        _IN_THE_PAST.search(before)
        or _PLANNED.search(before)
        or _AT_ANOTHER_TIME.search(f"{before}#{place.after}")
        or _AT_ANOTHER_TIME.search(_introduction(place))
    )


def _introduction(place: ValuePlace) -> str:
    """The words before the first comma of a sentence, if the answer is in the clause behind it."""
    first, *rest = re.split(r",\s", place.sentence, maxsplit=1)
    clause = place.before.lstrip() + place.text[place.start : place.end]
    return first if rest and rest[0].startswith(clause) else ""


def _has_another_subject(place: ValuePlace, question: str) -> bool:
    """Whether the subject of the clause is another thing, or the same thing of another kind."""
    match = _SUBJECT.match(place.before)
    asked = _singular(question)
    if match is None or set(_singular(place.before[match.end() :])) - _SMALL_WORDS - set(asked):
        return False
    *kinds, thing = words = _singular(match["words"])
    foreign = {kind for kind in set(kinds) - _ANY_KIND if not any(_same_word(kind, word) for word in asked)}
    if thing in asked and thing not in _ANY_KIND:
        missing = {*_kinds_of(thing, asked), *(word for named in _named(question) for word in named)} - _ANY_KIND
        others = foreign or set(kinds) & _USUAL_KIND
        return bool(others and missing - set(_singular(f"{place.before} {place.after}")))
    does = [word for verb in _DOES_ASKED.finditer(question) for word in _singular(verb["words"])]
    things = [takewhile(lambda word: word not in _ANY_KIND, named) for named in _named(question)]
    heads = {[*named][-1:][0] for named in map(list, things) if named}
    if not (does or heads) or (match["has"] and not does) or (heads | set(does)) & set(words):
        return False
    if _NAME_OF_ORGANISATION.fullmatch(match["words"]) and _ORGANISATION.search(question):
        return False
    return bool(foreign) if thing in _ANY_THING else True


def _has_another_verb(place: ValuePlace, question: str) -> bool:
    """Whether the clause says that something else happened: sold, where the question asks when it was founded."""
    asked, stated = (set(_LETTERS.findall(text.lower())) for text in (question, place.before))
    if "did" in asked:
        asked |= {f"{word.removesuffix('e')}ed" for word in asked}
    kinds = [kind for kind in _KINDS_OF_EVENT if kind & asked]
    return bool(kinds) and any(kind & stated for kind in _KINDS_OF_EVENT) and not any(kind & stated for kind in kinds)


def _same_word(word: str, other: str) -> bool:
    """Whether two words are the same, or one is short for the other."""
    short, long = sorted((word, other), key=len)
    return word == other or (len(short) >= _SHORTENED and long.startswith(short))


@lru_cache(maxsize=256)
def _named(question: str) -> tuple[tuple[str, ...], ...]:
    return tuple(_singular(match["words"]) for match in _IS_ASKED.finditer(question))


def _has_another_kind_behind(place: ValuePlace, question: str) -> bool:
    """Whether an answer is followed by a thing of the question with another kind: "$25 membership fee"."""
    match, asked = _BEHIND.match(place.after), _singular(question)
    words = _singular(match["words"]) if match else []
    things = [index for index, word in enumerate(words) if index and word in asked and word not in _ANY_KIND]
    if not things or set(words[: things[0]]) & _ANY_KIND:
        return False
    missing = set(_kinds_of(words[things[0]], asked)) - set(_singular(place.text))
    return bool(set(words[: things[0]]) - set(asked) and missing)


def _is_another_complement(place: ValuePlace, question: str) -> bool:
    """Whether an answer is said to be something else: "She is the head of the science department", not the head teacher."""
    match = None if place.before.strip(" \"'*_") else _COMPLEMENT.match(place.after)
    things = _named(question)
    if match is None or not things:
        return False
    foreign = set(_singular(match["words"])) - _ANY_THING - set(_singular(question))
    return bool(foreign) and all(set(thing) - set(_singular(place.text)) - _ANY_KIND for thing in things)


def _is_of_another_object(place: ValuePlace, question: str) -> bool:
    """Whether the same thing is for or of another one: the fine for speeding, not for littering."""
    own = {(thing, link): thing_of for thing, link, thing_of in _objects(question)}
    stated = set(_singular(place.text))
    return any(
        own.get((thing, link), thing_of) != thing_of and own[thing, link] not in stated
        for thing, link, thing_of in _objects(place.before)
    )


def _objects(text: str) -> Iterator[tuple[str, ...]]:
    return (_singular(" ".join(match.groups())) for match in _OBJECT.finditer(text))


def _is_on_another_day(place: ValuePlace, question: str) -> bool:
    asked, stated = ({(match[1] or match[2]).lower() for match in _DAY.finditer(text)} for text in (question, place.sentence))
    return bool(asked and stated and not asked & stated) and not _DAY.fullmatch(place.text[place.start : place.end])


def _has_another_rank(place: ValuePlace, question: str) -> bool:
    """Whether a name is that of a deputy, or of the second largest, and the question does not ask for one."""
    if any(map(str.isdigit, place.text[place.start : place.end])):
        return False
    return any(rank[0].lower() not in question.lower() for rank in _OTHER_RANK.finditer(f"{place.before} {place.after}"))


def _is_at_another_event(place: ValuePlace, question: str) -> bool:
    """Whether a day or a time is that of something of which the question has no word: free admission, not closing."""
    value = place.text[place.start : place.end]
    if not (_DAY.fullmatch(value) or _TIME.fullmatch(value)) or not _LETTERS.search(question):
        return False
    words = set(_singular(place.before)) - _ANY_KIND - _SMALL_WORDS
    return len(words) >= _EVENT and not any(_same_word(word, other) for word in words for other in _singular(question))


def _has_rival(place: ValuePlace, question: str) -> bool:
    """Whether another clause with a value has more words of the question, and the clause of the answer lacks one of them."""
    is_calculated = asked_number(question).to_be_worked_out or "=" in place.before
    if is_calculated or not set(_singular(place.before)) - _ANY_KIND - _SMALL_WORDS:
        return False
    asked = set(_singular(question)) - _ANY_KIND - _SMALL_WORDS
    own = f"{place.before} {place.after}"
    start = place.start - len(place.before)
    clauses = [
        place.text[match.start() : match.end()]
        for match in _CLAUSE.finditer(place.text)
        if not match.start() <= place.start < match.end() and not start <= match.start() < place.end + len(place.after)
    ]
    value = place.text[place.start : place.end]
    shared = asked & set(_singular(own))
    return any(
        _VALUE.search(clause)
        and value not in clause
        and len(both := asked & set(_singular(clause))) > len(shared)
        and both - shared
        for clause in clauses
    )


def _counts_other_things(place: ValuePlace, question: str) -> bool:
    """Whether a number counts other things than the question asks for: nurses, not doctors; sick days, not vacation days."""
    match = _COUNTED.match(place.text, place.end)
    if match is None or not asked_number(question).things:
        return False
    asked = _singular(question)
    *kinds, thing = _singular(match["words"])
    if set(kinds) & _ANY_KIND:
        return False
    if thing not in asked:
        return thing not in _COUNTABLE
    return bool(set(kinds) - set(asked) and set(_kinds_of(thing, asked)) - set(_singular(place.text)))


def _kinds_of(thing: str, words: Sequence[str]) -> list[str]:
    """The words right before a thing that say of which kind it is: daily and withdrawal before limit."""
    before = words[: words.index(thing)]
    return list(takewhile(lambda word: word not in _ANY_KIND, reversed(before)))
