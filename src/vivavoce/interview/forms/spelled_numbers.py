"""Numbers in words, and words of size behind digits: forty-two, a dozen, 3 million."""

from __future__ import annotations

import re
from typing import Final

_UP_TO_TWENTY: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
    "nineteen"
)
_BY_TEN: Final = "twenty thirty forty fifty sixty seventy eighty ninety"
_UNITS: Final = {word: value for value, word in enumerate(_UP_TO_TWENTY.split())}
_TENS: Final = {word: 10 * value for value, word in enumerate(_BY_TEN.split(), start=2)}
_LARGE: Final = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
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
    **_LARGE,
    **{f"{word}s": size for word, size in _LARGE.items()},
    "lakhs": 10**5,
    "crores": 10**7,
    "milliards": 10**9,
    **_SHORT,
    **{word: size for words, size in _ELSEWHERE.items() for word in words.split()},
}
_LONGEST_FIRST = sorted(_SIZES, key=len, reverse=True)
SIZE: Final = re.compile(rf"\s?(?P<size>[百千천万萬만亿億억]|(?:{'|'.join(_LONGEST_FIRST)})\b(?![-'’]))", re.IGNORECASE)
"""A word of size right behind a number."""
A_SIZE: Final = re.compile(rf"\b(?:{'|'.join(word for word in _LONGEST_FIRST if word not in _SHORT)})\b", re.IGNORECASE)
"""A word of size anywhere, such as that of "in millions" or "per thousand"."""
UNCLEAR_SIZE: Final = re.compile(r"(?:[ ]?(?:mil|MM|[KMbBGT])|[mtb])(?![\w^/])")
"""Million, thousand, metre, byte or tonne: only its author knows. Metres and tonnes are known by the blank before them."""

_WORD: Final = "|".join(sorted((*_UNITS, *_TENS, "hundred", "dozen", *_LARGE), key=len, reverse=True))
SPELLED: Final = re.compile(
    rf"(?<![\w-])(?:an?[ ](?=hundred|dozen|thousand|million|billion|trillion))?(?:{_WORD})"
    rf"(?:(?:[ -]|[ ]and[ ])(?:{_WORD})){{0,20}}(?![\w-])",
    re.IGNORECASE,
)
"""A number in words."""
SIGNED_WORDS: Final = re.compile(rf"(?P<sign>\b(?:minus|negative) )?(?P<words>{SPELLED.pattern})", re.IGNORECASE)
"""A number in words with its sign."""


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
    """The digits of a small number that is written in a word of another language, with nothing else; empty if it is none.

    >>> number_elsewhere("acht."), number_elsewhere("acht Tage"), number_elsewhere("due")
    ('8', '', '')
    """
    word = text.strip(" .*_").lower()
    return next((str(number) for number, words in enumerate(_FOREIGN_WORDS, start=1) if word in words.split()), "")


def size_of(word: str) -> int:
    """By what a word multiplies the number before it.

    >>> size_of("Million"), size_of("crore"), size_of("dozen")
    (1000000, 10000000, 12)
    """
    return _SIZES[word.lower()]


def spelled_number(text: str) -> int | None:
    """The value of a number in words; None for words that make no number.

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
            if last is not None and not (last in _LARGE or last == "hundred" or (last in _TENS and 0 < value < 10)):
                return None
            group += value
        elif word in ("hundred", "dozen"):
            if not 0 < group < 100:
                return None
            group *= _SIZES[word]
        elif word in _LARGE and group and _LARGE[word] < limit:
            limit = _LARGE[word]
            total, group = total + group * limit, 0
        else:
            return None
        last = word
    return total + group
