"""Finds the number in a sentence that repeats the question with its answer: "A piano has 88 keys — 52 white and 36 black."

Additions such as parts, reasons and other cases are ignored. With bounds, conditions, hedges, denials, past values, or two
values of the requested kind there is no number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from vivavoce.formats.numbers import CURRENCY, as_number
from vivavoce.interview.forms.asked_unit import asked_units, units_of
from vivavoce.interview.forms.form import RETRACTION
from vivavoce.interview.forms.number_context import problem_after, problem_before
from vivavoce.interview.forms.worked_out import conclusion_of, refuses
from vivavoce.interview.forms.written_number import WrittenNumber, differ, units_named, written_numbers

_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|\n+")
_LEAD = re.compile(
    r"\A\W{0,3}(?:since|because|as of|as|according to|when|in|on|under|with|for|at|after|from)\b"
    r"[^,;:.!?\n]{1,120},\s(?=\D*[^\d\s])",
    re.IGNORECASE,
)
"""Introductory words of a sentence, before its statement."""
_EXPLAINED = re.compile(r":(?!\d)|\s?[(\[]")
_ASIDE = re.compile(
    r"\s[-–—]{1,3}\s|—|,?\s(?:instead of|although|though|rather than|compared (?:to|with)|unlike|because|since|with|including"
    r"|excluding|which (?:is|equals|makes|means)|equivalent to|i\.e\.|that is)\b",
    re.IGNORECASE,
)
"""Words after it do not change the statement."""
_FURTHER = re.compile(r"[,;](?!\d)|\s(?:and|but|while|whereas|which|plus|when|then|so)\b", re.IGNORECASE)
"""Something else follows it, which must not contain a number of the requested kind."""
_UNSURE = re.compile(
    r"\b(?:usually|typically|often|sometimes|generally|normally|mostly|on average|depend(?:s|ing)|if|unless|may|might|could"
    r"|would|aim|try|estimated?|estimates|some|most|many|popular|myth|claim\w{0,3}|about|around|approximately|roughly|circa|nearly|almost"
    r"|not|never|no|without|other than|except|only if|suppose|imagine|example|used to|previously|formerly|originally|initially"
    r"|before|until|once|no longer|in the past|ago|will|soon|planned|expected|another|different|old|new|former|extra|additional"
    r"|more|fewer|less|over|under|twice|half|times|per cent of|out of|first|second|third|last|next time)\b|n't\b|[?<>≤≥~≈±]",
    re.IGNORECASE,
)
_THEN = re.compile(r"\b(?:was|were|had|did)\b", re.IGNORECASE)
_NOW = re.compile(
    r"\b(?:now|nowadays|currently|today|since then|meanwhile|but|however|later|afterwards|has changed)\b", re.IGNORECASE
)
_WITHIN = re.compile(r"\bwithin(?= \d)", re.IGNORECASE)
_NAMED = re.compile(r"(?<=[a-z,]\s)(?!I\b)([A-Z][A-Za-z0-9]*)\s([a-z]{3,})\b")
_NO_NAMES: Final = "The|A|An|Our|Your|This|That|Each|Every|Any|I|You|We|They|It"
_WORD = re.compile(r"[^\W\d_]+(?:['’]s\b)?")
_FIGURE = re.compile(r"(?<![\w.])\d[\d.,]*\d|(?<![\w.])\d(?!\w)")
_COMMON_WORDS: Final = (
    "the a an of and in on at for to is are was were be been it its this that these those i you he she we they me my your our"
    " his her their there here what which who when where why how many much can could will would shall should may might must do"
    " does did has have had all any some by with from into as or if not no than then so get take name give tell please"
    " currently number amount value total exactly decimals decimal places per"
)
_COMMON: Final = frozenset(_COMMON_WORDS.split())
_FEWEST_SHARED: Final = 2
_HOW_MANY = re.compile(r"\bhow many\s(?P<things>(?:[^\W\d_]+(?:['’]s)?\s?){1,4})", re.IGNORECASE)
_ENDING_WORDS: Final = "is are was were do does did can could will would has have had of in on at should must may"
_ENDS_THINGS: Final = frozenset(_ENDING_WORDS.split())
_MONEY = re.compile(
    r"\bhow much\b(?!.*\bweigh)|\b(?:costs?|prices?|fees?|charges?|salary|rent|deposit|paid|pay)\b", re.IGNORECASE
)
_OF_SHARES = re.compile(r"\bper ?cent(?:age)?\b|\bin %|\brate\b", re.IGNORECASE)
_PRICE = re.compile(rf"[-+]?{CURRENCY}", re.IGNORECASE)
_PRICED = re.compile(rf"\s?(?:{CURRENCY}|dollars?\b|euros?\b|pounds?\b|cents?\b)", re.IGNORECASE)
_ASSERTS = re.compile(
    r"(?:\b(?:is|are|was|were|equals?|be|have|has|to|of|a|an|the|at|exactly|only|just|you'd have|costs?|pay|in)\s|[:=]\s?)"
    rf"(?:exactly |only |just )?(?:{CURRENCY}\s?)?[-+]?$",
    re.IGNORECASE,
)
_BARE_BEHIND = re.compile(r"\s?(?:units?|items?|pieces?|of them|in total|altogether)\b|\s*(?:$|[.,;:!(])")
_RANGE = re.compile(r"\s?[-–]\s?\d")
_RANGE_BEFORE = re.compile(r"\d[^\s\d]{0,6}\s?(?:and|or|to|[-–—])\s?$", re.IGNORECASE)
_COMPOUND = re.compile(r"\d\s?(?P<unit>[^\W\d_]+),?\s(?:and\s)?\d")
_COMPOUND_BEFORE = re.compile(rf"{_COMPOUND.pattern}$")
"""One unit and a smaller one: 1 hour 30 minutes."""
_COMPOUND_LENGTH: Final = 40
_THERE_ARE = re.compile(r"\bthere(?:'s| is| are| were)\s(?:exactly |only |just )?$", re.IGNORECASE)
_THERE_ARE_SO_MANY = re.compile(r"there (?:are|is)\s\W{0,3}\d[\d.,]*\W*", re.IGNORECASE)
_MORE: Final = 8
"""Characters after a clause in which words such as "and more" make its number a bound."""
_GROUPS = re.compile(
    r"\s(pairs?|sets?|packs?|packets?|boxes|groups?|kinds?|types?|rows?|bags?|cases|teams?|families|series) of\s", re.IGNORECASE
)
_OTHERS = re.compile(r"[\d,.;:()]|\b(?:and|or)\b")
_SUBJECT = re.compile(r"[^.,;:!?\d=]{1,60}?\s(?:is|are|was|were|=)\s", re.IGNORECASE)
_OF_A_THING = re.compile(r"(?:the|your|his|her|their|its|my|our)\s", re.IGNORECASE)
_LONGEST_SENTENCE: Final = 1_000
_MOST_SENTENCES: Final = 50
"""Most sentences with numbers; a reply with more does not restate the question."""
_BEHIND: Final = 60
"""Characters after a number that are examined for what it counts."""
_NEAR: Final = 3
"""Number of words after a number within which the counted things are named."""


@dataclass(frozen=True, slots=True)
class AskedNumber:
    """The kind of number that a question asks for, and the words with which a sentence restates it."""

    question: str
    words: frozenset[str]
    things: frozenset[str]
    """The thing that is counted, if the question asks how many."""
    given: frozenset[Fraction | None]
    """Numbers that the question gives."""

    @property
    def to_be_worked_out(self) -> bool:
        """Whether its numbers have to be combined into another one."""
        return len(self.given) > 1

    @property
    def of_shares(self) -> bool:
        """Whether a percentage is asked for."""
        return bool(_OF_SHARES.search(self.question))

    def counts(self, text: str, number: WrittenNumber) -> bool:
        """Whether the things that the question counts come right after a number."""
        behind = _OTHERS.split(text[number.end :][:_BEHIND])[0]
        return bool(self.things & _stems(_WORD.findall(behind)[:_NEAR]))

    def is_of_kind(self, text: str, number: WrittenNumber) -> bool:
        """Whether a number in a text is of this kind: a count of the things, a price, a share, or in the requested unit."""
        units, asked = units_of(text, number), asked_units(self.question)
        behind = text[number.end :]
        if asked:
            if units:
                return bool(units & asked)
            return self.counts(text, number) or bool(_BARE_BEHIND.match(behind))
        if self.things:
            return self.counts(text, number) or (not units and bool(_BARE_BEHIND.match(behind)))
        if self.of_shares:
            return number.value.endswith("%")
        if _MONEY.search(self.question):
            priced = _PRICE.match(text, number.start) or _PRICED.match(behind)
            return bool(priced) or not (units or number.value.endswith("%") or _RANGE.match(behind))
        return True


def asked_number(question: str) -> AskedNumber:
    """The number that a question asks for.

    >>> asked_number("How many keys does a piano have?").things, asked_number("What is 5% of 60?").to_be_worked_out
    (frozenset({'key'}), True)
    """
    counted = _HOW_MANY.search(question)
    things = []
    for word in _WORD.findall(counted["things"]) if counted else ():
        if word.lower() in _ENDS_THINGS:
            break
        things.append(word)
    words = frozenset(_stems(word for word in _WORD.findall(question) if len(word) > 1)) - {""}
    return AskedNumber(
        question, words | _stems(things), frozenset(_stems(things)), frozenset(map(as_number, _FIGURE.findall(question)))
    )


def restated_number(text: str, question: str) -> str:
    """The number in the sentence that restates the question; empty without one, or if it is not clear.

    >>> restated_number("A piano has 88 keys: 52 white and 36 black.", "How many keys does a piano have?")
    '88'
    >>> restated_number("A piano once had 85 keys: 50 white.", "How many keys does a piano have?")
    ''
    """
    asked = asked_number(question)
    if not asked.words or refuses(text) or RETRACTION.search(text):
        return ""
    sentences = [sentence for sentence in _SENTENCE_END.split(text) if next(written_numbers(sentence), None)]
    if len(sentences) > _MOST_SENTENCES or any(len(sentence) > _LONGEST_SENTENCE for sentence in sentences):
        return ""
    restatements = [restating for sentence in sentences if (restating := _restating(sentence, text, asked))]
    if not restatements or (asked.to_be_worked_out and (len(restatements) > 1 or restatements[0].sentence != sentences[-1])):
        return ""
    best = max(restatements, key=lambda restating: len(restating.shared))
    others = [other for other in restatements if as_number(other.value) != as_number(best.value)]
    fewest = 1 if best.says_there_are and not others else min(_FEWEST_SHARED, len(asked.words))
    if len(best.shared) < fewest or not all(other.shared < best.shared for other in others):
        return ""
    return best.value if best.is_plain else ""


def is_of_another(value: str, text: str, question: str) -> bool:
    """Whether a number is about a thing with another name than in the question: the Basic plan, not the Pro plan.

    >>> [is_of_another("19", f"The {name} plan costs 19.", "What does the Pro plan cost?") for name in ("Basic", "Pro")]
    [True, False]
    """
    names, counts = _NAMED.findall(question), _HOW_MANY.search(question) is not None
    if not (names or counts):
        return False
    number = as_number(value)
    holding = [words for words in _SENTENCE_END.split(text) if number in map(as_number, _values(words))]
    asked = asked_number(question) if counts else None
    if asked and asked.things and holding and all(_is_of_groups(words, number, asked) for words in holding):
        return True
    for name, noun in names:
        others = re.compile(rf"\b(?!(?:{name}|{_NO_NAMES})\b)[A-Z]\w*\s{noun}\b")
        named = re.compile(rf"\b{name}\b")
        if holding and all(others.search(words) and not named.search(words[: words.rfind(value)]) for words in holding):
            return True
    return False


def _is_of_groups(sentence: str, number: Fraction | None, asked: AskedNumber) -> bool:
    """Whether a number counts groups of the things, such as pairs, that the question does not ask for."""
    given = [
        written_number
        for written_number in written_numbers(sentence)
        if written_number.value and as_number(written_number.value) == number
    ]
    groups = [_GROUPS.match(sentence, written_number.end) for written_number in given]
    return all(group is not None and not _stems([group[1]]) & asked.words for group in groups)


def _values(sentence: str) -> Iterable[str]:
    return (number.value for number in written_numbers(sentence) if number.value)


def concluded(text: str, question: str) -> str:
    """The conclusion of the last sentence from its numbers, if the question requires a calculation or the sentence restates it.

    >>> concluded("You save 12, so you only pay 68!", "A coat costs $80 and is 15% off. What is the price?")
    'you only pay 68!'
    >>> concluded("It costs 49, so you save 10.", "How much is the Pro plan?")
    ''
    """
    asked = asked_number(question)
    sentence = _SENTENCE_END.split(text.strip())[-1]
    clause = conclusion_of(sentence)
    if not clause or refuses(text) or RETRACTION.search(text) or _UNSURE.search(clause):
        return ""
    before = sentence.removesuffix(clause)
    if _THERE_ARE_SO_MANY.fullmatch(clause):
        return "" if any(asked.counts(before, number) for number in written_numbers(before)) else clause
    sought = asked_number(_SENTENCE_END.split(question.strip())[-1].split(", how ")[-1]).words
    shared_before, shared = (len(sought & _stems(_WORD.findall(part))) for part in (before, clause))
    if shared or shared_before:
        subject = _SUBJECT.match(clause)
        is_about = subject is not None and bool(sought & _stems(_WORD.findall(subject[0])))
        return clause if is_about or shared >= shared_before else ""
    repeats = any(as_number(number.value) in asked.given for number in written_numbers(clause))
    follows = asked.to_be_worked_out and not repeats and "=" not in before and not _OF_A_THING.match(clause)
    return clause if follows else ""


@dataclass(frozen=True, slots=True)
class Restatement:
    """A sentence with a number of the requested kind."""

    sentence: str
    value: str
    shared: frozenset[str]
    """The words of the question that it repeats."""
    is_plain: bool
    """Whether it asserts its number, and no other of that kind."""
    says_there_are: bool


def _restating(sentence: str, text: str, asked: AskedNumber) -> Restatement | None:
    words = _WITHIN.sub("in", _without_lead(without_repeated(sentence, asked.question)))
    numbers = [number for number in written_numbers(words) if number.value and asked.is_of_kind(words, number)]
    if not numbers:
        return None
    number = numbers[0]
    end, ends_plainly = _end_of_clause(words, number.end)
    clause, after = words[:end], words[end:]
    shared = asked.words & _stems(_WORD.findall(clause))
    is_new = words != sentence or as_number(number.value) not in asked.given
    speaks_of_another = (
        any(map(str.isdecimal, after)) and not _EXPLAINED.match(after) and (asked.words & _stems(_WORD.findall(after))) - shared
    )
    is_plain = is_new and not speaks_of_another and _is_plain(clause, after, text, asked, ends_plainly=ends_plainly)
    says_there_are = bool(asked.things & shared and _THERE_ARE.search(words[: number.start]))
    return Restatement(sentence, number.value, frozenset(shared), is_plain, says_there_are)


def _is_plain(clause: str, after: str, text: str, asked: AskedNumber, *, ends_plainly: bool) -> bool:
    """Whether a clause asserts its one number of the kind, and what follows it has none, or only explains it."""
    numbers = list(written_numbers(clause))
    of_kind = [number for number in numbers if asked.is_of_kind(clause, number)]
    following = list(written_numbers(after))
    if (
        not of_kind
        or differ(of_kind)
        or "?" in clause
        or _UNSURE.search(clause)
        or (_THEN.search(clause) and _NOW.search(text))
    ):
        return False
    before, behind = clause[: of_kind[0].start], clause[of_kind[0].end :]
    if not ends_plainly:
        behind += after[:_MORE]
    if problem_before(before, of_kind[0].value) or problem_after(behind, of_kind[0].value) or _is_compound(before, behind):
        return False
    if _RANGE_BEFORE.search(before):
        return False
    if not ends_plainly and any(asked.is_of_kind(after, other) for other in following):
        return False
    if asked.to_be_worked_out and not asked.of_shares and (differ(numbers) or (following and not ends_plainly)):
        return False
    return bool(asked.things or _ASSERTS.search(before))


def without_repeated(sentence: str, question: str) -> str:
    """A sentence without digits that it repeats in words from the question, if other numbers remain.

    >>> without_repeated("The next prime after 13 is 17.", "What is the next prime after 13?")
    'The next prime after N is 17.'
    """
    asked = {(word.lower(), figure) for word, figure in re.findall(r"([^\W\d_]+)\s([\d.,]*\d)", question)}
    kept = re.sub(
        r"([^\W\d_]+)(\s|,\s)([\d.,]*\d)(?:,? (?:and )?[\d.,]*\d(?!\w))*",
        lambda match: f"{match[1]}{match[2]}N" if (match[1].lower(), match[3]) in asked else match[0],
        sentence,
    )
    return kept if any(map(str.isdecimal, kept)) else sentence


def _without_lead(sentence: str) -> str:
    rest = _LEAD.sub("", sentence, count=1)
    return rest if next(written_numbers(rest), None) else sentence


def _is_compound(before: str, behind: str) -> bool:
    """Whether a number is a part of one quantity in two units, such as 5 feet 3 inches."""
    pairs = (_COMPOUND.match(f"0{behind}"), _COMPOUND_BEFORE.search(f"{before[-_COMPOUND_LENGTH:]}0"))
    return any(pair is not None and units_named(pair["unit"]) for pair in pairs)


def _end_of_clause(text: str, start: int) -> tuple[int, bool]:
    """The end of a number's clause, and whether the words after it only explain it."""
    ends = [
        (match.start(), pattern is not _FURTHER)
        for pattern in (_EXPLAINED, _ASIDE, _FURTHER)
        if (match := pattern.search(text, start))
    ]
    return min(ends, key=lambda end: (end[0], not end[1]), default=(len(text), True))


def _stems(words: Iterable[str]) -> frozenset[str]:
    """The content words in one form: keys and key, freezes and freeze, gained and gain."""
    folded = (word.lower().replace("’s", "").removesuffix("'s") for word in words)
    return frozenset(re.sub(r"(?<=\w\w\w)(?:ing|ed|es|s|e)$", "", word) for word in folded if word not in _COMMON)
