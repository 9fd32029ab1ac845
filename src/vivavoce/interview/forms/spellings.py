"""Spellings of words and names: which texts are the same once case, marks and accents are ignored.

Whether a reply speaks of the opposite of what was asked: of the smallest, where the largest is sought.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import combinations
from typing import Final

from vivavoce.interview.forms.dates_and_times import DATE_IN_DIGITS
from vivavoce.interview.forms.plain import fold

_MARKS: Final = re.compile(r"[\W_]+")


def alphanumeric(word: str) -> str:
    """The letters and digits of a word, of any script.

    >>> alphanumeric("*don't*"), alphanumeric("naïve_²")
    ('dont', 'naïve²')
    """
    return word if word.isalnum() else _MARKS.sub("", word)


_WORD = re.compile(r"\w+(?:['’.,]\w+)*")


def folded(text: str) -> str:
    """A text in comparable form: its words, without case and punctuation; a text without words stays whole.

    >>> folded(" **Marie  Curie's.**"), folded("∅ ")
    ("marie curie's", '∅')
    """
    return " ".join(words_of(text)) or "".join(text.split())


def words_of(text: str) -> list[str]:
    """The words of a text in small letters, in order.

    >>> words_of("Marie Curie's 2 prizes")
    ['marie', "curie's", '2', 'prizes']
    """
    return [word.replace("’", "'") for word in _WORD.findall(text.casefold())]


_CODE = re.compile(r"(?<![\w.,])\+?[A-Z\d](?:[ ().\-/]{0,3}[A-Z\d]){6,40}(?![\w]|[-/.,]\w)")
_FEWEST_DIGITS: Final = 7
_BETWEEN: Final = r"(?:\(0\)|[ ().\-/\u2010-\u2013\u00a0\u202f]){0,4}"
"""What may part the digits of a telephone number or an account number."""


def with_codes_as(text: str, spellings: Iterable[str]) -> str:
    """A text with each long code of digits and letters, such as a telephone number, parted as in the spelling that is the same.

    >>> with_codes_as("Call 02079460018 or (020) 7946-0018, not 020 7946 0019.", ["020 7946 0018"])
    'Call 020 7946 0018 or 020 7946 0018, not 020 7946 0019.'
    >>> with_codes_as("0044 (0)20 7946 0018, 020 7946 0018", ["+44 20 7946 0018"])
    '+44 20 7946 0018, 020 7946 0018'
    """
    for spelling in spellings:
        if codes(spelling) != [(0, len(spelling))]:
            continue
        written = _BETWEEN.join(map(re.escape, alphanumeric(spelling)))
        lead = r"(?:\+|(?<!\d)00)\s?" if spelling.startswith("+") else r"(?<!\+)"
        text = re.sub(rf"(?<![\w.,])\(?{lead}{written}(?![\w]|[-/.]\w)", spelling, text)
    return text


def codes(text: str) -> list[tuple[int, int]]:
    """The places of long codes in a text: at least seven digits, perhaps with capital letters, in groups.

    >>> codes("Call 020 7946 0018."), codes("DE89 3704 0044"), codes("12,345,678"), codes("A-1")
    ([(5, 18)], [(0, 14)], [], [])
    """
    grouped = (code for code in _CODE.finditer(text) if not DATE_IN_DIGITS.fullmatch(code[0]))
    return [code.span() for code in grouped if sum(map(str.isdecimal, code[0])) >= _FEWEST_DIGITS]


_PARTS = re.compile(r"\d+|[^\W\d_]+|[^\w\s]+|_")
_DASH: Final = r"(?:[-\u2010-\u2015~]|to|bis|through)"
_SPACED = re.compile(r"(?=.*\d)(?=.*[^\d,])[\w.,%°/×\u2010-\u2015 -]{2,40}")
"""A short answer with digits in which blanks, dashes and commas do not matter: 2–8 °C, 5000 mAh, 55 x 40 cm."""


def with_spacing_as(text: str, spellings: Iterable[str]) -> str:
    """A text with quantities and ranges spelled as the first of these that is the same but for blanks, dashes and commas.

    >>> with_spacing_as("Store it at 2 to 8°C.", ["2–8 °C"]), with_spacing_as("v2.4.1", ["2.4.1"])
    ('Store it at 2–8 °C.', '2.4.1')
    """
    for spelling in spellings:
        if _SPACED.fullmatch(spelling):
            lead = r"(?:v|version\s?)?" if spelling.count(".") > 1 else ""
            same = rf"(?<![\w.,-]){lead}{_loose(spelling)}(?![\w]|[.,]\d)"
            text = re.sub(same, spelling, text, flags=re.IGNORECASE)
    return text


@lru_cache(maxsize=256)
def _loose(spelling: str) -> str:
    return r"\s?".join(map(_loose_part, _PARTS.findall(spelling)))


def _loose_part(part: str) -> str:
    if part.isdecimal() and len(part) >= _FEWEST:
        first = len(part) % 3 or 3
        return "[,' ]?".join([part[:first], *(part[at : at + 3] for at in range(first, len(part), 3))])
    if part in "x×":
        return "[x×]"
    return _DASH if part in "-~\u2010\u2011\u2012\u2013\u2014\u2015" else re.escape(part)


_FEWEST: Final = 4
"""Fewest letters of an answer that is the same without accents or article; a shorter one may be another word."""
_TRANSCRIBED: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "æ": "ae", "ø": "oe", "œ": "oe", "å": "aa"})
_PLAIN: Final = str.maketrans("øłđıħŧ", "oldiht")
_CAPITALS = re.compile(r"[A-Z]{2,4}")
_ARTICLE = re.compile(r"(?:the|an?) ")
_LIST_MARK = re.compile(r"^[ \t]*(?:[-•*]|\d{1,2}[.)])[ \t]+", re.MULTILINE)
_IN_BRACKETS = re.compile(r"(?<=\w) \([^()\d]{1,60}\)(?=\s*(?:[,;\n]|$))")
_BETWEEN_ITEMS = re.compile(r"\s*\n\s*|\s*[,;]\s+(?:and\s)?|\s(?:and|&)\s")
_EAST: Final = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_EASTERN = re.compile(f"[{_EAST}]+")
_EASTERN_BEFORE = re.compile(
    r"(?:^|[\s\"'(:=]|[はがも是为為叫即乃在由은는이가]|就是|而是|成为|成為|[:=])[\s\"'(*_]{0,3}$",
)
_EASTERN_AFTER = re.compile(
    r"[\s\"')*_]{0,3}(?:\([^()]{0,60}\))?[\s\"')*_]{0,3}"
    r"(?:です|でした|だ|である|であり|でございます|입니다|이다|이에요|예요|了|呢|的(?=[.!\s]|$))?(?=[\s.,;:!)\"'*]|$)"
)
_EASTERN_DENIAL = re.compile(r"[不没沒非未]|ない|なく|ません|じゃ|ではなく|안\s|아니|못|없")
_EASTERN_DOUBT = re.compile(
    r"[か吗嗎么呢까]\s*[?]?$|[?]|或|还是|還是|または|あるいは|もしくは|かも|だろう|でしょう|可能|也许|也許|혹은|또는|아마"
)
_EASTERN_CLAUSE = re.compile(r"[.,;!\n]")


_TITLE = re.compile(r"(?:dr|prof|mr|mrs|ms|sir)\.? (?=\S+ \S)")
"""A title before a name of two words."""


@lru_cache(maxsize=4096)
def spellings_of(answer: str) -> tuple[str, ...]:
    """The answer in comparable form, and spelled without accents or a title, or with full stops.

    >>> spellings_of("São Paulo"), spellings_of("Köln"), spellings_of("US")
    (('são paulo', 'sao paulo'), ('köln', 'koln', 'koeln'), ('us', 'u.s.', 'u.s'))
    """
    own = fold(answer)
    texts = list(dict.fromkeys((own, _TITLE.sub("", own, count=1))))
    if not own.isascii() and len(own) >= _FEWEST:
        texts += [other for text in texts for other in (unaccented(text), text.translate(_TRANSCRIBED)) if other.isascii()]
    if _CAPITALS.fullmatch(answer.strip()):
        texts += [f"{'.'.join(own)}.", ".".join(own)]
    return tuple(dict.fromkeys(texts))


def unaccented(text: str) -> str:
    """A text without accents, letter by letter, of the same length.

    >>> unaccented("reykjavík, são")
    'reykjavik, sao'
    """
    return "".join(map(_without_accent, text))


@lru_cache(maxsize=4096)
def _without_accent(character: str) -> str:
    base = unicodedata.normalize("NFD", character.translate(_PLAIN))[:1]
    return base if base.isascii() and base.isalpha() else character


def is_seen_without_accents(answer: str) -> bool:
    """Whether accents of a text are ignored when this answer is looked for: only if the answer itself has none.

    >>> is_seen_without_accents("Reykjavik"), is_seen_without_accents("pêche"), is_seen_without_accents("ano")
    (True, False, False)
    """
    return answer.isascii() and len(answer) >= _FEWEST


def same_but_for_article(name: str, other: str) -> bool:
    """Whether two names differ by "the" or "a" in front and nothing else.

    >>> [same_but_for_article(*pair) for pair in (("beatles", "The Beatles"), ("Who", "The Who"), ("CFO", "the CFO"))]
    [True, False, True]
    """
    first, second = (_ARTICLE.sub("", fold(text), count=1) for text in (name, other))
    return first == second and (len(first) >= _FEWEST or all(_CAPITALS.fullmatch(text.split()[-1]) for text in (name, other)))


def same_list(text: str, other: str) -> bool:
    """Whether two texts list the same things without digits, in any order, and nothing else.

    >>> same_list("1. visa (of the country)\\n2. ticket", "visa and ticket")
    True
    >>> same_list("ticket, a visa", "visa and ticket"), same_list("visa", "visa and ticket"), same_list("4, 3", "3, 4")
    (True, False, False)
    """
    items, others = _items(text), _items(other)
    return len(others) > 1 and sorted(items) == sorted(others) and not any(map(str.isdigit, "".join(others)))


def _items(text: str) -> list[str]:
    parts = _BETWEEN_ITEMS.split(_IN_BRACKETS.sub("", _LIST_MARK.sub("", text.strip())))
    return [_ARTICLE.sub("", fold(part), count=1) for part in parts]


def is_eastern(text: str) -> bool:
    """Whether a text is all in a script that puts no blanks between words: Chinese, Japanese, Korean."""
    return _EASTERN.fullmatch(text) is not None


def states_in_east(text: str, answer: str) -> bool | None:
    """Whether a folded text in Chinese, Japanese or Korean states an answer in that script; None if it does not hold it.

    It does at the end of a clause behind "is" or a particle of the subject, if this clause denies and doubts nothing and no
    other one does but by naming what it is not.

    >>> states_in_east("日本の首都は京都ではなく, 東京です.", "東京"), states_in_east("中国的首都不是北京.", "北京")
    (True, False)
    """
    if not any(_starts(text, answer)):
        return None
    if _EASTERN_DOUBT.search(text):
        return False
    clauses = [clause for clause in _EASTERN_CLAUSE.split(text) if clause.strip()]
    stating = [clause for clause in clauses if any(_starts(clause, answer))]
    return len(stating) == 1 and any(_states(stating[0], *match.span()) for match in _starts(stating[0], answer))


def denies_in_east(text: str) -> bool:
    """Whether a text holds a Chinese, Japanese or Korean word that denies.

    >>> denies_in_east("绝不是"), denies_in_east("作者是")
    (True, False)
    """
    return not text.isascii() and _EASTERN_DENIAL.search(text) is not None


def _starts(text: str, words: str) -> Iterator[re.Match[str]]:
    """Positions of words with no letters of another script next to them."""
    return re.finditer(rf"(?<![^\W{_EAST}]){re.escape(words)}(?![^\W{_EAST}])", text)


def _states(clause: str, start: int, stop: int) -> bool:
    before, after = clause[:start], clause[stop:]
    if denies_in_east(after) or denies_in_east(before.rpartition("而是")[2]):
        return False
    end = _EASTERN_AFTER.match(after)
    return bool(_EASTERN_BEFORE.search(before)) and end is not None and not after[end.end() :].strip(" \t.,;:!)\"'*")


_PAIRS: Final = (
    ("open(?:s|ed)?", "closed?|closes|shut"),
    ("includ(?:es?|ed|ing)", "exclud(?:es?|ed|ing)"),
    ("allow(?:s|ed)?|permit(?:s|ted)?", "forbid(?:s|den)?|prohibit(?:s|ed)?|bann?(?:s|ed)?"),
    ("imports?|imported", "exports?|exported"),
    ("maximum|larg(?:er|est)|bigg(?:er|est)|high(?:er|est)|great(?:er|est)", "minimum|small(?:er|est)|low(?:er|est)"),
    ("long(?:er|est)|tall(?:er|est)", "short(?:er|est)"),
    ("heav(?:ier|iest)", "light(?:er|est)"),
    ("fast(?:er|est)", "slow(?:er|est)"),
    ("old(?:er|est)|earliest", "young(?:er|est)|newer|newest|latest"),
    ("cheap(?:er|est)|less expensive|least expensive", "mo(?:re|st) expensive|dearest"),
    ("hott(?:er|est)|warm(?:er|est)", "cold(?:er|est)|cool(?:er|est)"),
    ("better|best", "worse|worst"),
    ("increas(?:es?|ed|ing)", "decreas(?:es?|ed|ing)|reduc(?:es?|ed|ing)"),
    ("arriv(?:es?|ed|al)", "depart(?:s|ed|ure)?"),
    ("sender", "recipient"),
    ("buyers?|buys?|bought", "sellers?|sells?|sold"),
    (
        "ends?|ended|finish(?:es|ed)?|expires?|stops?|until(?= \ue000)",
        "starts?|started|begins?|began|go(?:es)? on sale|from(?= \ue000)",
    ),
    ("open(?:s|ed)?|reopens?", "ends?|finish(?:es)?|expires?|shuts?"),
    ("clos(?:es?|ing)|ends?|finish(?:es)?", "begins?|kicks? off|opens?"),
    ("until|by when|how late|deadline|due|latest", "starts?|starting|begins?|began|opens?"),
    ("boil\\w*", "freez\\w*|melt\\w*"),
    ("freez\\w*|melt\\w*", "boil\\w*"),
    ("check-?in", "check-?out"),
    ("first", "last"),
    ("ceo", "cfo|coo|cto|cio|cmo"),
    ("cfo", "coo|cto|cio|cmo"),
    ("cto", "coo|cio|cmo"),
)
"""Words for opposites; \ue000 stands for the answer."""
_LIFE: Final = ("born|birth\\w*", "die[sd]?|death|buried", "lived?|living|lives in", "moves? to|moved")
"""Events of a life, of which a question asks for one."""
_OPPOSITES: Final = tuple(
    tuple(re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for words in pair)
    for sides in (*_PAIRS, *combinations(_LIFE, 2))
    for pair in (sides, sides[::-1])
)
_CLAUSE = re.compile(r"[;!?\n]|[.,](?=\s)|\b(?:and|but|while|whereas)\b")
_MARK: Final = "\ue000"
"""Replaces the answer."""


def says_opposite(text: str, spellings: Iterable[str], question: str) -> bool:
    """Whether a text gives an answer only in clauses about the opposite of what the question asks for.

    >>> question = "On which days is the shop closed?"
    >>> replies = ("It is open on Monday.", "It is closed on Monday, and open on Friday.", "Monday", "Open Monday")
    >>> [says_opposite(reply, ["Monday", "Open Monday"], question) for reply in replies]
    [True, False, False, False]
    """
    asked = _asked(question)
    if not asked:
        return False
    longest_first = sorted(filter(None, spellings), key=len, reverse=True)
    answer = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)", re.IGNORECASE)
    clauses = [clause for clause in _CLAUSE.split(answer.sub(_MARK, text)) if _MARK in clause]
    return bool(clauses) and all(
        any(other.search(clause) and not own.search(clause) for own, other in asked) for clause in clauses
    )


@lru_cache(maxsize=256)
def _asked(question: str) -> list[tuple[re.Pattern[str], ...]]:
    """The pairs of which a question has the first word alone."""
    return [(own, other) for own, other in _OPPOSITES if own.search(question) and not other.search(question)]
