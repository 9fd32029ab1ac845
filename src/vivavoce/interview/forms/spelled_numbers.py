"""Numbers in words, and words such as "million" after digits: forty-two, a dozen, 3 million.

Writes numbers in one spelling: hyphens as signs, LaTeX fractions with a slash, decimal points, labels as "Answer:".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from html import unescape
from typing import Final

from vivavoce.formats.numbers import CURRENCY, SIZES, as_number, without_separators
from vivavoce.interview.forms.plain import WRONG_MARKS

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
SIZE: Final = re.compile(rf"\s?(?P<size>[百千천万萬만亿億억]|(?:{'|'.join(_LONGEST_FIRST)})(?![\w'’-]))", re.IGNORECASE)
"""A word such as "million" right after a number."""
A_SIZE: Final = re.compile(rf"\b(?:{'|'.join(word for word in _LONGEST_FIRST if word not in _SHORT)})(?!\w)", re.IGNORECASE)
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


_CALCULATION = re.compile(r"<<[^<>\n]{0,200}>>")
_LABEL = re.compile(r"^[ \t]*(?:####|A:)[ \t]*(?=[-–—+.\d])", re.MULTILINE)
_OPTIONS = re.compile(r"^[ \t]*B:", re.MULTILINE)
_BRACED = re.compile(r"\^\{\s?([-+]?\d{1,3})\s?\}")
_ALIGNED = re.compile(
    r"\\begin\{(?:align|aligned|gather|equation|split|eqnarray)\*?\}((?:(?!\\end)[\s\S]){0,2000})\\end\{\w{1,9}\*?\}"
)
_ALIGNMENT = re.compile(r"&|\\\\[ ]{0,3}$", re.MULTILINE)
_FRACTION = re.compile(r"(?:(\d)[ ]?)?\\[dtc]?frac\s?(?:\{\s?(-?)\s?(\d{1,100})\s?\}\s?\{\s?(\d{1,100})\s?\}|()(\d)\s?(\d))")
_ARROW = re.compile(r"[-=]{1,2}>|→|⇒|⟹|⟶")
_LEADING_DASH = re.compile(rf"(?:^|(?<=[\s(\[:=\"']))[–—](?=[.(]?\d|{CURRENCY}\s?\d)", re.MULTILINE)
_SIGN_WORD = re.compile(
    r"(?<![\w)%])(?<!\d )(?:minus|negative|neg\.|(?:(?<!\w )|(?<=\bis )|(?<=\best )|(?<=\bes )|(?<=\b[éè] ))(?:moins"
    r"|menos|meno)|mínus|мінус|минус|eksi|negativ|負の|负|マイナス|마이너스)\s?"
    rf"(?=(?:{CURRENCY}\s?)?\.?\d)",
    re.IGNORECASE,
)
_NEGATED_BRACKETS = re.compile(r"-\s?\(\s?(-?)\s?([\d.,/ ]{1,100})\s?\)")
_CONTINENTAL = re.compile(r"(?<![\w.,])(\d{1,3}(?:(?:\.\d{3}){1,30}|(?:[ ']\d{3}){1,30})),(\d{1,100})(?![\w,]|\.\d)")
_ASIDE = re.compile(
    r"(?:^|(?<=\s))[-–—]{1,3} [a-z]{2,20}(?: [a-z]{1,20}){1,6} [-–—]{1,3} (?=[\d-])", re.IGNORECASE | re.MULTILINE
)
"""Text between dashes before a number."""
_MINUS = re.compile(r"(?<!\w)(?:\{[-–]\}|[➖˗─⁃ー−][\ufe0e\ufe0f]?)\s?(?=\.?\d)")
_LOWERED = re.compile(r"(?<=\d)([₀-₉]{1,5})")
_AFTER_COPULA = re.compile(r"(?<=[是为為])(?=\d)")
_COMMA = re.compile(r"(?<![\w.,(\[/])(\d{1,100}),(\d{1,100})(?![\d,/]|\.\d)")
_BARE_DECIMAL = re.compile(r"(?:[^=\n]{0,40}:)?[\s*_]{0,9}[-–+]?0,\d{1,100}[\s*_.]{0,9}")
_GROUP: Final = 3
"""Digits between two separators of thousands."""
_COMMA_WORDS = re.compile(
    r"\b(?:ist|sind|lautet|beträgt|ergibt|macht|kostet|wiegt|etwa|ungefähr|antwort|ergebnis|lösung|est|sont|réponse"
    r"|résultat|environ|vaut|coûte|es|son|cuesta|respuesta|resultado|resposta|é|è|custa|risposta|risultato|circa|costa"
    r"|antwoord|uitkomst|kost|svar\w{0,2}|resultat\w{0,2}|är|er|vastaus|on noin|ответ|равен|равна|равно|это|результат"
    r"|odpowiedź|wynosi|wynik|výsledek|odpověď|je|cevap|sonuç|відповідь|jest|az eredmény)\b",
    re.IGNORECASE,
)
"""Words of languages with decimal commas."""
_MEASURED = re.compile(
    r"\s?(?:[€%‰°]|(?:EUR|[Ee]uros?|k?m|[cm]m|k?g|mg|[cm]?l|km/h|m/s|m\^?[23²³]|Liter|Meter|met(?:er|re)s?|litros?|metros?"
    r"|Stunden|Tage|Jahre|heures|jours|horas|días|dias|ore|uur|Kč|zł|kr|Mio|Mrd"
    r"|Million(?:en|ioner)|Milliarden|millions? d|milliards?|millones|milhões|milioni|miljoner|miljoen)\b)"
)
_PRICED = re.compile(r"(?:[€£]|\bEUR)\s?$")
_OF_MONEY: Final = {"K": "thousand", "M": "million", "MM": "million", "B": "billion", "T": "trillion"}
_MONEY_SIZE: Final = r"(K|MM?|[mbBT])(?![\w$^])(?!\s?[-+*/=])"
_IN_MONEY = re.compile(
    rf"([$€£¥₹]\s?\d[\d.,]{{0,30}}){_MONEY_SIZE}|(?<![\w$.,])(\d[\d.,]{{0,30}}){_MONEY_SIZE}(?=\s?(?:[€£]|USD|EUR|GBP|dollars|euros))"
)
"""Next to a currency, a letter is a word of size."""
_IN_BOOKS = re.compile(
    r"(?P<lead>^(?:[^\d\n(]{0,80}[\s:=*])?)(?:\(\s?[$€£¥]\s?|[$€£¥]\s?\(\s?)(?P<digits>\d[\d.,]{0,30})\s?\)(?!\$)",
    re.MULTILINE,
)
"""Brackets around an amount, which mean a debt in bookkeeping, and nothing elsewhere."""
_CROSS_BEHIND = re.compile(rf"(?<=[\d%°.)*_`€$])[ ]{{0,2}}[{WRONG_MARKS}]\ufe0f?")
_CROSS_BEFORE = re.compile(rf"^([ \t>*-]{{0,9}})[{WRONG_MARKS}]\ufe0f?[ \t]{{0,3}}(?=\S)", re.MULTILINE)
_CODE = re.compile(
    r"```(?!(?:json|te?xt|plaintext|latex|tex|markdown|md|math)\b)[a-z+#]{1,12}\n(?:(?!```)[\s\S]){0,4000}```(?=[^`]*\d[^`]*\Z)",
    re.IGNORECASE,
)
"""A program before the words about it."""
_CITED = re.compile(r"(?P<before>\d[^\n\[\]]{0,200}?)(?P<gap>[ ]?)(?:\[\d{1,3}(?:[,–-]\s?\d{1,3}){0,3}\]){1,5}(?=[\s.,;!?]|$)")
_REFERENCE = re.compile(r"^[ \t]{0,3}\[\d{1,3}\]:?[ \t]{1,3}(?=[A-Z])(?![^\n]{0,200}\banswer\b)[^\n]{1,2000}", re.MULTILINE)
"""A line that names a source."""
_CITES = re.compile(
    r"\b(?:is|are|was|were|be|equals?|answer|result|total|of|to|by|about|or|and|than|[^\w\s.!?])\s*$", re.IGNORECASE
)
"""Words before brackets with a result in them, not a source."""
_TIMES_FACTORIAL = re.compile(r"(?<=\d)!(?=\s?(?:[=≈×*/+]|equals?\b|(?-i:is|are)\b|-\s?\d))")
_DIVIDED = re.compile(
    r"\b(remainder|quotient) (?:when|if|of|after) [^.,;\n]{1,40}? (?:(?:is|are) )?divid(?:ed|ing) by -?\d[\d.]{0,30}"
    r"(?= (?:is|=|equals))",
    re.IGNORECASE,
)
_IN_OTHER_WORDS = re.compile(
    r"(?<=\d),?\s(?:i\.\s?e\.|that is|namely|which (?:is|equals|makes|gives)),?\s"
    r"(?=\W{0,3}\d[\d.,]{0,30}(?:\s[^\W\d]{1,15}){0,2}\W{0,3}$)",
    re.IGNORECASE | re.MULTILINE,
)
_ROUNDED = re.compile(
    r"(?<=[\d.…]),?\s(?:which|and|that) (?:rounds|is rounded)(?: up| down| off)? to"
    r"(?= (?:about )?\d)(?!\s\d{1,2} (?:decimal|digit|place|sig))"
)
_MORE_PRECISELY = re.compile(
    r"(?:\b(?:about|around|approximately|roughly)\s|[~≈]\s?)\d[^;!?\n]{0,40}?,?\s(?:or,? )?(?:more (?:precisely|exactly)"
    r"|to be (?:more )?(?:precise"
    r"|exact)),?\s(?=(?:it is |exactly )?\W?\d)",
    re.IGNORECASE,
)
_ALSO_IN_PERCENT = re.compile(
    r"(?P<part>\b\d{1,6}/\d{1,6}|\b0?\.\d{1,9})(?P<link>,? or (?:about )?|,? i\.e\.,? |,? that is,? |,? which is (?:about )?)"
    r"(?P<percent>\d{1,3}(?:\.\d{1,9})?)\s?%"
)
_FORMERLY = re.compile(
    r"\b(?:used to (?:be|cost|have)|was (?:previously|formerly|originally)"
    r"|(?:previously|formerly|originally) (?:was|cost|had))\s[^\s\d]?\d[\d.,]*"
    r"[^.;!?\n\d]{0,30}?,?\s(?:but|and)\s(?=[^.;!?\n]{0,60}\bnow\b[^.;!?\n]{0,40}\d)",
    re.IGNORECASE,
)
"""A past value before the present one."""
_COMPARED = re.compile(
    r"(?<=[\w%]),? (?:(?:as )?compared (?:with|to)|as opposed to|(?:up|down) from|in contrast (?:with|to)|versus"
    r"|unlike [^.,;!?\n]{1,60}, which|unlike"
    r"|according to)"
    r" [^.,;!?\n]{1,80}",
    re.IGNORECASE,
)
_BELOW_ZERO = re.compile(
    r"(?<![\w.,-])(\d{1,4}(?:\.\d{1,9})?(?:\s?(?:°[CF]?|degrees?))?(?: (?:celsius|fahrenheit))?) below zero\b", re.IGNORECASE
)
_HIGHLIGHT = re.compile(r"==([^=\n]{1,100})==|<\s?([-+]?\d[\d.,/]{0,100}%?)\s?>")
_LIMIT = re.compile(r"\b(m[aá]x|m[ií]n|mind|höchst)\.\s?(?=\d)", re.IGNORECASE)
_ABOUT = re.compile(
    r"(?P<sides>(?:[π√][^=≈~\n]{0,30}|√\(?\d{1,9}\)?|π|\bpi|\))\s?≈)|\b(?:approx|appr|ca|circa|abt)\.\s?(?=\d|[-+$€£]\d)|[~≈](?=\s?\d)",
    re.IGNORECASE,
)
_RUPEES: Final = re.compile(r"\bRs\.?\s?(?=\d)")
_NUMBERED = re.compile(
    r"\b(?:No|Nr|Nos|Fig|Figs|Eq|Eqs|Sec|Ch|Vol|Art|pp?|v|ver|cf|op|Abs|Kap|Bd|Ps|Gen|Exod?|Lev|Deut|Josh|Judg|Sam|Chr|Prov|Eccl"
    r"|Isa|Jer|Ezek|Hos|Matt|Rom|Cor|Gal|Eph|Phil|Thess|Heb|Rev)\.\s?(?=\d)",
    re.IGNORECASE,
)


@lru_cache(maxsize=8)  # a form rewrites the same reply for several questions about it
def rewritten(text: str) -> str:
    """A plain text with its numbers in one spelling.

    >>> [rewritten(text) for text in ("–5", "minus 5", "\\\\dfrac{1}{2}", "1.234,5", "10^{3}", "#### 7", "-(-1/2)", "3 – 4")]
    ['-5', '-5', '1/2', '1234.5', '10^3', 'Answer: 7', '1/2', '3 – 4']
    """
    text = _CALCULATION.sub("", unescape(text) if "&" in text else text)
    text = _REFERENCE.sub("", _CITED.sub(_without_source, text)) if "[" in text else text
    text = _BELOW_ZERO.sub(r"-\1", _COMPARED.sub("", _DIVIDED.sub(r"\1", _TIMES_FACTORIAL.sub(" factorial", text))))
    text = _ALSO_IN_PERCENT.sub(_without_percent, _MORE_PRECISELY.sub("", _ROUNDED.sub(" =", _FORMERLY.sub("", text))))
    text = _IN_OTHER_WORDS.sub(" = ", text)
    if not _OPTIONS.search(text):
        text = _LABEL.sub("Answer: ", text)
    if "\\" in text or "^" in text:
        text = _ALIGNED.sub(lambda match: _ALIGNMENT.sub(" ", match[1]), text)
        text = _FRACTION.sub(_with_slash, _BRACED.sub(r"^\1", text)).replace("^°", "°")
    text = _LIMIT.sub(r"\1 ", _HIGHLIGHT.sub(lambda match: match[1] or match[2], text))
    text = _MINUS.sub("-", _ASIDE.sub("", _AFTER_COPULA.sub(" ", text)))
    text = _ABOUT.sub(lambda match: match["sides"] or "about ", _NUMBERED.sub("no ", _RUPEES.sub("₹", _ARROW.sub("=", text))))
    text = _SIGN_WORD.sub("-", _LEADING_DASH.sub("-", text))
    text = _CONTINENTAL.sub(lambda match: f"{without_separators(match[1].replace('.', ''))}.{match[2]}", text)
    return _NEGATED_BRACKETS.sub(lambda match: f"{'' if match[1] else '-'}{match[2].strip()}", text)


def spelled_out(text: str) -> str:
    """A reply whose plain text keeps every sign that its numbers need: lowered digits, decimal commas, crosses, currencies.

    >>> [spelled_out(text) for text in ("101₂", "$2.5M", "Es sind 3,14 m", "42 ✗", "Net: ($7)", "Es sind 1,234")]
    ['101_₂', '$2.5 million', 'Es sind 3.14 m', '42 (wrong)', 'Net: ±7', 'Es sind ±1,234']
    """
    text = _LOWERED.sub(lambda match: f"_{match[1]}", text)
    if "```" in text:
        text = _CODE.sub("", text)
    if any(map(text.__contains__, WRONG_MARKS)):
        text = _CROSS_BEFORE.sub("not ", _CROSS_BEHIND.sub(" (wrong)", text))
    text = _IN_MONEY.sub(lambda match: f"{match[1] or match[3]} {_OF_MONEY[(match[2] or match[4]).upper()]}", text)
    text = _IN_BOOKS.sub(_of_either_sign, text)
    return "\n".join(map(_with_point, text.split("\n"))) if _COMMA.search(text) else text


def _of_either_sign(match: re.Match[str]) -> str:
    """An amount in brackets, with either sign; unchanged if it repeats a number in words."""
    return match[0] if SPELLED.search(match["lead"]) else f"{match['lead']}±{match['digits']}"


def _with_point(line: str) -> str:
    """A line with points for its decimal commas; with "±" before a number whose comma may be either."""
    elsewhere = _COMMA_WORDS.search(line)

    def pointed(match: re.Match[str]) -> str:
        whole, part = match[1], match[2]
        foreign = bool(elsewhere and elsewhere.start() < match.start())
        if len(part) == _GROUP and whole[0] != "0":
            return f"±{match[0]}" if foreign and len(whole) <= _GROUP else match[0]
        alone = whole == "0" and bool(_BARE_DECIMAL.fullmatch(line))
        return (
            f"{whole}.{part}"
            if foreign
            or alone
            or _MEASURED.match(line, match.end())
            or _PRICED.search(line, max(0, match.start() - _GROUP - 1), match.start())
            else match[0]
        )

    return _COMMA.sub(pointed, line)


def _without_source(match: re.Match[str]) -> str:
    """A number and its sentence without the sources in brackets after it."""
    return match[0] if match["gap"] and _CITES.search(match["before"]) else match["before"]


def _without_percent(match: re.Match[str]) -> str:
    """A fraction without the same value in percent, exact or rounded."""
    part, percent = as_number(match["part"]), as_number(match["percent"])
    if part is None or percent is None:
        return match[0]
    rounding = Fraction(1, 2 * 10 ** len(match["percent"].partition(".")[2]))
    same = abs(100 * part - percent) <= rounding
    return match["part"] if same else match[0]


def _with_slash(match: re.Match[str]) -> str:
    over, under = (match[3], match[4]) if match[3] else (match[6], match[7])
    units = f"{match[1]} " if match[1] else ""
    return f"{units}{match[2] or ''}{over}/{under}"
