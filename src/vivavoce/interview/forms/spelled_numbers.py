"""Numbers in words, and words such as "million" after digits: forty-two, a dozen, 3 million."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from typing import Final

from vivavoce.formats.numbers import SIZES

_UP_TO_TWENTY: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
    "nineteen"
)
_BY_TEN: Final = "twenty thirty forty fifty sixty seventy eighty ninety"
_UNITS: Final = {word: value for value, word in enumerate(_UP_TO_TWENTY.split())}
_TENS: Final = {word: 10 * value for value, word in enumerate(_BY_TEN.split(), start=2)}
_SHORT: Final = {"k": 10**3, "mn": 10**6, "mln": 10**6, "mio": 10**6, "bn": 10**9, "bln": 10**9, "tn": 10**12, "trn": 10**12}
_ELSEWHERE: Final = {
    "cento hundert honderd hundra 百": 10**2,
    "mille mila tausend duizend tusen тысяч тысячи 千 천": 10**3,
    "万 萬 만": 10**4,
    "lakh lac": 10**5,
    "millón millones milione milioni milhão milhões millionen millioner miljoen miljoner миллион миллиона миллионов": 10**6,
    "crore": 10**7,
    "亿 億 억": 10**8,
    "tsd тыс ribu rb tys tysięcy tysiące tisíc nghìn ngàn ezer хиляди χιλιάδες हज़ार ألف": 10**3,
    "млн juta jt milyon milion miliony milionów milionů triệu millió мільйонів εκατομμύρια مليون": 10**6,
    "लाख": 10**5,
    "करोड़": 10**7,
    "млрд miliar milyar miliard miliardy miliardów mld md tỷ мільярдів مليار": 10**9,
    "mrd milliard milliarde milliarden milliarder miljard miljarder miliardo miliardi миллиард миллиарда миллиардов": 10**9,
    "billón billones billionen biljoen biljoner": 10**12,
}
_SIZES: Final[dict[str, int]] = {
    "hundred": 100,
    "dozen": 12,
    "dozens": 12,
    **SIZES,
    **{f"{word}s": size for word, size in SIZES.items()},
    "lakhs": 10**5,
    "crores": 10**7,
    "milliards": 10**9,
    **_SHORT,
    **{word: size for words, size in _ELSEWHERE.items() for word in words.split()},
}
_LONGEST_FIRST = sorted(_SIZES, key=len, reverse=True)
SIZE: Final = re.compile(rf"\s?(?P<size>[百千천万萬만亿億억]|(?:{'|'.join(_LONGEST_FIRST)})\b(?![-'’]))", re.IGNORECASE)
"""A word such as "million" right after a number."""
A_SIZE: Final = re.compile(rf"\b(?:{'|'.join(word for word in _LONGEST_FIRST if word not in _SHORT)})\b", re.IGNORECASE)
"""Such a word anywhere, as in "in millions" or "per thousand"."""
UNCLEAR_SIZE: Final = re.compile(r"(?:[ ]?(?:mil|MM|[KMbBGT])|[mtb])(?![\w^/])")
"""Million, thousand, metre, byte or tonne: unclear, except that metres and tonnes follow a blank."""

_WORD: Final = "|".join(sorted((*_UNITS, *_TENS, "hundred", "dozen", *SIZES), key=len, reverse=True))
SPELLED: Final = re.compile(
    rf"(?<![\w-])(?:an?[ ](?=hundred|dozen|thousand|million|billion|trillion))?(?:{_WORD})"
    rf"(?:(?:[ -]|[ ]and[ ])(?:{_WORD})){{0,20}}(?![\w-])",
    re.IGNORECASE,
)
"""A number in words."""
SIGNED_WORDS: Final = re.compile(rf"(?P<sign>\b(?:minus|negative) )?(?P<words>{SPELLED.pattern})", re.IGNORECASE)
"""A number in words with its sign."""


_PARTS: Final = "half third quarter fifth sixth seventh eighth ninth tenth"
_PART = re.compile(
    rf"(?:(?P<whole>{SPELLED.pattern}) and )?(?P<over>\ban?|one|two|three|four|five|six|seven|eight|nine)?[ -]?"
    rf"(?P<part>halves|fourths?|(?:{_PARTS.replace(' ', '|')})s?)",
    re.IGNORECASE,
)
_ENDS_IN_SIZE = re.compile(rf"\b(?:hundred|dozen|{'|'.join(SIZES)})$", re.IGNORECASE)
"""A number of which half may be half of its last word: a million and a half."""
_HAN_DIGITS: Final = {**{digit: value for value, digit in enumerate("〇一二三四五六七八九")}, "零": 0, "两": 2, "兩": 2}
_HAN_SIZES: Final = {"十": 10, "百": 100, "千": 1000}
_HAN = re.compile(r"(?P<number>[〇一二三四五六七八九零两兩十百千]{2,9}|[二三四五六七八九十])[个個人名本只]?")

_FOREIGN_WORDS: Final = (
    "un une uno uma eins één",
    "deux dos zwei dois duas twee två",
    "trois tres drei três tre drie",
    "quatre cuatro vier quatro quattro fyra",
    "cinq cinco fünf cinque vijf fem",
    "seis sechs sei zes sex",
    "siete sieben sete sette zeven sju",
    "huit ocho acht oito otto åtta",
    "neuf nueve neun nove negen nio",
    "dix diez zehn dez dieci tien tio",
    "onze undici",
    "douze doce zwölf dodici doze twaalf",
)


def number_elsewhere(text: str) -> str:
    """The digits of a small number given as a single word of another language; empty for other texts.

    >>> number_elsewhere("acht."), number_elsewhere("acht Tage"), number_elsewhere("due"), number_elsewhere("四百零二")
    ('8', '', '', '402')
    """
    word = text.strip(" .*_").lower()
    if han := _HAN.fullmatch(word):
        return _han(han["number"])
    return next((str(number) for number, words in enumerate(_FOREIGN_WORDS, start=1) if word in words.split()), "")


def part_in_words(text: str) -> str:
    """A fraction, or a number and a fraction, in words alone; empty for other texts. "Third" alone is a rank.

    >>> part_in_words("Three quarters."), part_in_words("four and a half"), part_in_words("third"), part_in_words("half of it")
    ('3/4', '9/2', '', '')
    """
    match = _PART.fullmatch(text.strip(" .*_"))
    if match is None or not (match["over"] or match["part"].lower() == "half") or _ENDS_IN_SIZE.search(match["whole"] or ""):
        return ""
    name = match["part"].lower().removesuffix("s").replace("halve", "half").replace("fourth", "quarter")
    over = (match["over"] or "one").lower()
    part = Fraction(1 if over in ("a", "an") else _UNITS[over], _PARTS.split().index(name) + 2)
    whole = spelled_number(match["whole"]) if match["whole"] else 0
    return "" if whole is None or part >= 1 else str(whole + part)


def _han(word: str) -> str:
    """The digits of a number below 10,000 in Chinese characters; empty if they are not in order."""
    if not set(word) & set(_HAN_SIZES):
        return "".join(str(_HAN_DIGITS[digit]) for digit in word)
    total, digit, limit = 0, None, 10_000
    for character in word:
        if character in _HAN_DIGITS:
            if digit:
                return ""
            digit = _HAN_DIGITS[character]
        else:
            size = _HAN_SIZES[character]
            if size >= limit or digit == 0:
                return ""
            total, digit, limit = total + (digit or 1) * size, None, size
    return str(total + (digit or 0))


def size_of(word: str) -> int:
    """The factor by which a word multiplies the number before it.

    >>> size_of("Million"), size_of("crore"), size_of("dozen")
    (1000000, 10000000, 12)
    """
    return _SIZES[word.lower()]


def spelled_number(text: str) -> int | None:
    """The value of a number in words; None for other words.

    >>> [spelled_number(words) for words in ("forty-two", "a dozen", "one hundred and five thousand", "nineteen eighty")]
    [42, 12, 105000, None]
    """
    total, group = 0, 0
    last: str | None = None
    limit = 10**15
    for word in re.split(r"[ -](?:and[ ])?", text.lower()):
        if word in ("a", "an"):
            group = 1
        elif word in _UNITS or word in _TENS:
            value = _UNITS.get(word, _TENS.get(word, 0))
            if last is not None and not (last in SIZES or last == "hundred" or (last in _TENS and 0 < value < 10)):
                return None
            group += value
        elif word in ("hundred", "dozen"):
            if not 0 < group < 100:
                return None
            group *= _SIZES[word]
        elif word in SIZES and group and SIZES[word] < limit:
            limit = SIZES[word]
            total, group = total + group * limit, 0
        else:
            return None
        last = word
    return total + group


_RANKS: Final = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth"
)
_RANK = re.compile(
    rf"(?<![\w.,-])(?:(?P<digits>\d{{1,3}})(?:st|nd|rd|th)|(?P<word>{_RANKS.replace(' ', '|')}))(?![\w-])", re.IGNORECASE
)


def ranks(text: str) -> list[tuple[int, int, int]]:
    """The ordinal numbers in a text, each with its start and its end.

    >>> ranks("On the third floor, not on the 2nd.")
    [(3, 7, 12), (2, 31, 34)]
    """
    return [
        (int(match["digits"] or 0) or _RANKS.split().index(match["word"].lower()) + 1, *match.span())
        for match in _RANK.finditer(text)
    ]


def with_ranks_as(text: str, spellings: Iterable[str]) -> str:
    """A text with each ordinal number spelled as in the first of these spellings that has the same one.

    >>> with_ranks_as("On the third floor, not on the 2nd.", ["3rd floor"])
    'On the 3rd floor, not on the 2nd.'
    """
    known = {rank: spelling[start:end] for spelling in spellings for rank, start, end in ranks(spelling)}
    for rank, start, end in reversed(ranks(text) if known else []):
        text = f"{text[:start]}{known.get(rank, text[start:end])}{text[end:]}"
    return text


def in_ranks(text: str, thing: str) -> str:
    """A text with digits instead of words for an ordinal number before this noun.

    >>> in_ranks("On the third floor, in a second.", "floor")
    'On the 3th floor, in a second.'
    """
    for rank, start, end in reversed(ranks(text)):
        if re.match(rf"\s{thing}\b", text[end:], re.IGNORECASE):
            text = f"{text[:start]}{rank}th{text[end:]}"
    return text


def in_digits(text: str) -> str:
    """A text with its numbers in digits, where it spells them.

    >>> in_digits("Two years, or twenty-four months."), in_digits("one of them")
    ('2 years, or 24 months.', 'one of them')
    """
    return SPELLED.sub(lambda match: str(spelled_number(match[0]) or match[0]) if match[0].lower() != "one" else match[0], text)


def with_numbers_in_words(text: str, spellings: Iterable[str]) -> str:
    """A text with a number in digits and a word spelled as the first of these that has the number in words.

    >>> with_numbers_in_words("It is 2 weeks.", ["two weeks"]), with_numbers_in_words("3 Monate", ["drei Monate"])
    ('It is two weeks.', 'drei Monate')
    """
    for spelling in spellings:
        first, _, rest = spelling.strip().partition(" ")
        digits = in_digits(first) if spelled_number(first) else number_elsewhere(first)
        if rest and digits.isdecimal():
            same = rf"(?<![\w.,-]){digits}\s?{re.escape(rest)}(?!\w)"
            text = re.sub(same, spelling.replace("\\", r"\\"), text, flags=re.IGNORECASE)
    return text
