"""Writes numbers in one spelling: hyphens as signs, LaTeX fractions with a slash, decimal points, labels as "Answer:"."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from html import unescape
from typing import Final

from vivavoce.formats.numbers import CURRENCY, as_number, without_separators
from vivavoce.interview.forms.plain import WRONG_MARKS
from vivavoce.interview.forms.spelled_numbers import SPELLED

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
_ELSEWHERE = re.compile(
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
    elsewhere = _ELSEWHERE.search(line)

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
